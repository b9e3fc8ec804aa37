# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Header packages are configured for gcc; these answers are changed for clang.
# Sourced by tools/guest/kernel.

# for_clang INCLUDE ANSWERS MAJOR: change the configuration's answers, as make and
# C read them, to those in the file ANSWERS (clang.config) for clang MAJOR.
for_clang() {
	local key value
	while IFS='=' read -r key value; do
		sed -i "/^$key=/d" "$1/config/auto.conf"
		sed -i "/^#define $key /d" "$1/generated/autoconf.h"
		[ "$value" != n ] || continue
		echo "$key=${value//\"/}" >>"$1/config/auto.conf"
		echo "#define $key ${value/#y/1}" >>"$1/generated/autoconf.h"
	done < <(sed -n "s/CLANG_MAJOR/$3/; /^CONFIG_/p" "$2" |
		awk -v major="$3" '$2 != "before" || major < $3 { print $1 }')
}
