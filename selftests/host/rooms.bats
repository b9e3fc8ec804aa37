#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Which room may include which, and where instructions are: tools/check/rooms.

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

@test "an instruction, or a header of the kernel's architecture, outside its folder" {
	sed -i '1i #include <asm/msr.h>' "$house/module/measure/pass.c"
	sed -i '1i static void f(void) { asm volatile("sfence"); }' "$house/module/benchmarks/tlb.c"
	sed -i '1i #include <asm/msr.h>' "$house/module/kernel/x86/msr.c"
	run -0 "$TOP/tools/check/rooms" "$house"
	[ "$output" = 'module/benchmarks/tlb.c:1: asm volatile("sfence"); }: only for a folder of an architecture
module/measure/pass.c:1: #include <asm/msr.h>: only for a folder of an architecture' ]
}

@test "one architecture in a file for all of them" {
	includes module/kernel/cpus.c arch/x86/cpuid.h
	includes tools/user/main.c arch/x86/cpuid.h
	includes module/kernel/run.c kernel/x86/prefetch.h
	includes module/kernel/um/cpu.c arch/x86/cpuid.h
	run -0 "$TOP/tools/check/rooms" "$house"
	[ "$output" = 'module/kernel/cpus.c:1: #include "arch/x86/cpuid.h": only for a folder of an architecture
module/kernel/run.c:1: #include "kernel/x86/prefetch.h": only for a folder of an architecture
tools/user/main.c:1: #include "arch/x86/cpuid.h": only for a folder of an architecture' ]
}

@test "the instructions of a CPU depend on the core only" {
	includes module/arch/x86/machine/instructions.h platform/os.h
	run -0 "$TOP/tools/check/rooms" "$house"
	[ "$output" = "module/arch/x86/machine/instructions.h:1: platform/os.h: module/arch/*/machine may include core and its own files, named from module/" ]
}
