#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# memcache-user for arm64, built with a cross compiler and run by QEMU, which translates its
# instructions. No test here checks how fast it is.

load ../bats/user.bash

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP
	make -s -C "$TOP/tools/user" ARCH=arm64
	printf '#!/bin/sh\nexec qemu-aarch64 -cpu cortex-a76 "%s" "$@"\n' \
		"$TOP/build/user-arm64/memcache-user" >"$BATS_FILE_TMPDIR/memcache-user"
	chmod +x "$BATS_FILE_TMPDIR/memcache-user"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export MEMCACHE_DEBUGFS=$BATS_TEST_TMPDIR
	export USER_TOOL=$BATS_FILE_TMPDIR/memcache-user
}

# all_verified N REQUEST: the request gives N records, and all of their data were right.
all_verified() {
	measure "$2 repeat=2 warmup=1"
	holds "len(results) == $1" 'values("verified") == {"ok"}'
}

@test "it is static, for arm64" {
	readelf -hl "$TOP/build/user-arm64/memcache-user" >headers
	grep AArch64 headers
	not grep INTERP headers
}

# The tests of the module's loops, as `make check-core` runs them for x86.
@test "the loops do what plain C does" {
	cmocka=$("$TOP/tools/check/cmocka-arm64")
	programs=(loops loops_random loops_mmio core_clock paced)
	make -s -C "$TOP/selftests/core" ARCH=arm64 CMOCKA="$cmocka" NAMES="${programs[*]}"
	for program in "${programs[@]}"; do
		qemu-aarch64 -cpu cortex-a76 -L "$cmocka" \
			-E LD_LIBRARY_PATH="$cmocka/usr/lib/aarch64-linux-gnu" \
			"$TOP/build/core-arm64/$program"
	done
}

BARRIERS=dmb_sy,dmb_ish,dmb_ishld,dmb_ishst,dmb_osh,dmb_oshld,dmb_oshst,dsb_sy,dsb_ld,dsb_st,dsb_ish,dsb_ishst

# barriers LOOP REQUEST: those that the loop executes. QEMU lists the code that it translates, up
# to each branch: only what is executed.
barriers() {
	local program=$TOP/build/user-arm64/memcache-user from bytes
	read -r from bytes <<<"$(nm -S "$program" | awk -v name="$1" '$4 == name { print $1, $2 }')"
	qemu-aarch64 -cpu cortex-a76 -d in_asm -dfilter "0x$from+0x$bytes" -D translated "$program" "$2" >report
	awk '$3 ~ /^d[ms]b$/ { print $3 "_" $4 }' translated | sort -u
}

@test "a fence is the instruction that its name says, and no other" {
	for fence in none ${BARRIERS//,/ }; do
		request="bandwidth op=write width=8 fence=$fence size=4K repeat=1 warmup=0"
		for loop in write8 "write_streams8 streams=2" "write_scatter8 pattern=random"; do
			read -r name keys <<<"$loop"
			executed=$(barriers "mc_asm_$name" "$request $keys")
			echo "$name fence=$fence: $executed"
			[ "$executed" = "${fence#none}" ]
		done
	done
}

@test "other tests measure, too" {
	all_verified 8 "random mode=independent,dependent generator=lcg,xorshift128+ align=1,8 size=64K count=4K"
	all_verified 2 "random op=write generator=lcg,xorshift128+ size=64K count=4K"
	for request in "latency size=64K" "tlb size=64K" "overhead item=loop,call" "pipe block=4K"; do
		measure "$request repeat=2 warmup=0"
		holds 'results' 'taken() == {2}'
	done
	# The clock of the emulator may be too coarse for a sample.
	measure "line size=64K repeat=2 warmup=0"
	holds 'len(results) == 1'
}

@test "the machine is described as an arm64 CPU" {
	measure "bandwidth size=16K repeat=1"
	holds 'machine["cpu"] == "Arm Cortex-A76"' 'machine["cpu_vendor"] == "Arm"' \
		'machine["clock"] == "cntvct"' 'machine["clock_khz"] == 62500' \
		'machine["width_max_bytes"] == 32'
	"$TOP/tools/check/schema" results.jsonl
}
