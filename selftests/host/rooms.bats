#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Which room may include which: tools/check/rooms.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	house=$BATS_TEST_TMPDIR/house
	mkdir "$house"
	(cd "$TOP" && cp -r --parents module tools/user "$house")
}

# includes FILE NAME: make FILE of the copy include "NAME" in its first line.
includes() { sed -i "1i #include \"$2\"" "$house/$1"; }

@test "the house as it is" {
	run -0 "$TOP/tools/check/rooms"
	[ -z "$output" ]
	run -0 "$TOP/tools/check/rooms" "$house"
	[ -z "$output" ]
}

@test "an arrow that runs back" {
	includes module/core/text.c platform/os.h
	run -0 "$TOP/tools/check/rooms" "$house"
	[ "$output" = "module/core/text.c:1: platform/os.h: module/core may include nothing and its own files, named from module/" ]
}

@test "one side in the other, a test in the engine, a side in a test, assembly, too" {
	includes module/kernel/um/cpu.c user.h
	includes tools/user/main.c kernel/run.h
	includes module/measure/engine.h benchmarks/table.h
	includes module/benchmarks/tlb.c kernel/run.h
	includes module/arch/x86/loops.S measure/pass.h
	run -0 "$TOP/tools/check/rooms" "$house"
	[ "$(cut -d: -f1 <<<"$output" | sort | paste -sd' ')" = \
		"module/arch/x86/loops.S module/benchmarks/tlb.c module/kernel/um/cpu.c module/measure/engine.h tools/user/main.c" ]
}

@test "a file that is not named from module/" {
	includes module/core/text.c text.h
	includes module/kernel/x86/msr.c ../arch.h
	run -0 "$TOP/tools/check/rooms" "$house"
	[ "${#lines[@]}" -eq 2 ]
}
