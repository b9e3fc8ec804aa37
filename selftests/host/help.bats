#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only

setup() { cd "$BATS_TEST_DIRNAME/../.." || return; }

@test "make alone prints the help" {
	[ "$(make)" = "$(make help)" ]
}

@test "help fits a terminal of 80 columns" {
	run awk 'length > 80' < <(make help)
	[ -z "$output" ]
}

@test "help lists every command" {
	phony=$(make -pRrq help 2>/dev/null | sed -n 's/^\.PHONY: //p')
	[ -n "$phony" ]
	for target in $phony; do
		make help | grep -q "make $target " || { echo "$target"; return 1; }
	done
}

# The last one of the list is among them, so this also notices a Makefile that was cut short.
@test "help lists every setting that a rule reads" {
	settings=$(grep -oE '\$\([A-Z]+\)' Makefile | tr -cd 'A-Z\n' | sort -u | grep -vxE 'MAKE|CHECKS')
	[ -n "$settings" ]
	for setting in $settings; do
		make help | grep -q "^  $setting=" || { echo "$setting"; return 1; }
	done
}

@test "every command's script is there" {
	grep -oE 'tools/[a-z./-]+[a-z]' Makefile | sort -u | while read -r script; do
		[ -e "$script" ] || { echo "$script"; return 1; }
	done
}

@test "every check of the Makefile is a layer, and the other way round" {
	[ "$(make -pRrq help 2>/dev/null | sed -n 's/^CHECKS := //p' | tr ' ' '\n' | sed 's/check-//' | sort)" = \
		"$(grep -oE '^LAYERS = .*' tools/check/run | grep -oE '"[a-z]+"' | tr -d '"' | sort)" ]
}

@test "make build says for which kernel, and needs no QEMU for the running one" {
	run make -n build KERNEL=host
	echo "$output"
	[[ $output != *"setup build guest"* ]]
	[[ $output == *"for Linux $(uname -r)\""* && $output == *"build -k host"* ]]
	run make -n build
	[[ $output == *"setup build guest"* && $output == *"for Linux 6.1\""* ]]
}
