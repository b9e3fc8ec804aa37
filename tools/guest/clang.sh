# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Changes the configuration of header packages, which is made for gcc, so that it suits clang.
# Source it after cache.sh, with `here` set.
# shellcheck disable=SC2154	# that

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

# copy_for_clang KERNEL: copy its headers to $tmp and change them for clang.
copy_for_clang() {
	local llvm
	# A kernel that comes without a clang uses that of this machine, version 14.
	llvm=$(find "$1/root/usr/lib" -maxdepth 1 -name 'llvm-*')
	llvm=${llvm##*-}
	cp -r "$1/build/." "$tmp"
	for_clang "$tmp/include" "$here/clang.config" "${llvm:-14}"
}

# clang_headers KERNEL: print a directory like its build/, configured for CC=clang. The
# first call makes it. It lies beside the headers that its Makefile includes.
clang_headers() {
	local dir made
	dir=$(realpath "$1/build")
	made=$dir-clang-$(made_by for_clang copy_for_clang <"$here/clang.config")
	MEMCACHE_SILENT='' provide building "$made" copy_for_clang "$1"	# it says nothing
	echo "$made"
}
