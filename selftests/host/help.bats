#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only

# `make check` is a make, too, and a make in a make names its directory.
setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	unset MAKELEVEL MAKEFLAGS
}

both() { make help && make help-dev; }

@test "make alone prints what users need, on one screen" {
	[ "$(make)" = "$(make help)" ]
	[ "$(make help | wc -l)" -le 24 ]
	[ -z "$(both | awk 'length > 80')" ]
}

@test "each command is in one of the two lists" {
	phony=$(make -pRrq help 2>/dev/null | sed -n 's/^\.PHONY: //p')
	[ -n "$phony" ]
	for target in $phony; do
		[ "$(both | grep -c "^  make $target ")" -eq 1 ] || { echo "$target"; return 1; }
	done
}

# The last one of the list is among them, so this also notices a Makefile that was cut short.
@test "each setting that a rule reads is in one of the two lists" {
	settings=$(grep -oE '\$\([A-Z]+\)' Makefile | tr -cd 'A-Z\n' | sort -u | grep -vxE 'MAKE|CHECKS|WHOLE')
	[ -n "$settings" ]
	for setting in $settings; do
		both | grep -q "^  $setting=" || { echo "$setting"; return 1; }
	done
}

@test "every command's script is there" {
	grep -oE 'tools/[a-z./-]+[a-z]' Makefile | sort -u | while read -r script; do
		[ -e "$script" ] || { echo "$script"; return 1; }
	done
}

@test "every check of the Makefile is a layer with packages of its own, and the other way round" {
	checks=$(make -pRrq help 2>/dev/null | sed -n 's/^CHECKS := //p' | tr ' ' '\n' | sort)
	[ "$checks" = "$(grep -oE '^LAYERS = .*' tools/check/run | grep -oE '"[a-z]+"' |
		sed 's/"\(.*\)"/check-\1/' | sort)" ]
	[ "$checks" = "$(grep -oE '^check-[a-z]+' tools/packages | sort -u)" ]
}

@test "make build says for which kernel, and needs no QEMU for the running one" {
	run make -n build KERNEL=host
	[[ $output != *"setup build guest"* ]]
	[[ $output == *"for Linux $(uname -r)\""* && $output == *"build -k host"* ]]
	run make -n build
	[[ $output == *"setup build guest"* && $output == *"for Linux 6.1\""* ]]
}
