#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Events of the cores in a result. The core's PMU is mc_core of mc_pmu (selftests/modules),
# which counts what the loops on its CPU ask for, times k / 16, so the result that must come
# out is known.

load module.bash

EVENTS='("cycles", "instructions", "L1-dcache-load-misses", "cache-misses", "dTLB-load-misses",
	"dTLB-store-misses")'

setup_file() {
	insmod "$MEMCACHE_KO"
	insmod "${WITNESS_KO%/*}/mc_pmu.ko" loops=mc_asm_write16,mc_asm_read16 \
		calls=mc_asm_chase:1,mc_file_move:3
}

teardown_file() {
	rmmod memcache
	rmmod mc_pmu
}

setup() {
	cd "$FILES" || return
	echo >counters
}

# event NAME K [KIND]: a line for `counters`.
event() {
	echo "$1 type=$(</sys/bus/event_source/devices/mc_core/type) config=$(($2 << 8 | ${3:-1}))"
}

@test "a machine without a PMU says so, and measures" {
	printf '%s\n' cycles dTLB-load-misses >counters
	grep -qx 'cycles type=0 config=0x0' counters
	grep -qx 'dTLB-load-misses type=3 config=0x10003' counters
	echo 'bandwidth size=64K repeat=2' >run
	holds 'values("events_why") == {"no_pmu"}' 'values("dram_why") == {"no_counters"}' \
		"all(values(name) == {None} for name in $EVENTS)" '"cycles" not in table[0]'
}

@test "each event is exactly k sixteenths of what the loop does" {
	{ event cycles 16; event instructions 40; event cache-misses 1; } >counters
	echo 'bandwidth op=read,write width=16 size=64K,8M irq=on,off repeat=3 verify=off' >run
	holds 'len(results) == 8' 'values("events_why") == {None}' \
		'all(r["cycles"] == r["size_bytes"] for r in results)' \
		'all(r["instructions"] == 2.5 * r["size_bytes"] for r in results)' \
		'all(r["cache-misses"] == r["size_bytes"] / 16 for r in results)' \
		'values("dTLB-load-misses") == {None}' '"cache-misses" in table[0]' \
		'"dTLB-load-misses" not in table[0]'
}

@test "tests that time windows of their own count exactly what they time" {
	event cycles 16 >counters
	echo 'line size=64K repeat=2' >run
	holds 'values("cycles") == {16}'
	echo 'c2c size=4K cpu=0,1 repeat=2' >run
	holds 'len(results) == 4' 'values("cycles") == {12}'
	echo 'loaded delay=0,100 size=256K cpu=0,1 repeat=2' >run
	holds 'values("cycles") == {2048}'
	echo 'mix groups=0:chase+1:chase:size=64K size=256K repeat=2' >run
	holds '[r["cycles"] for r in results] == [3072, 2048, 1024, 2048, 1024]'
	echo "file op=write,read path=$BATS_TEST_TMPDIR/file bytes=64K transfer=16K repeat=2" >run
	holds 'len(results) == 2' 'values("cycles") == {65536}'
}

@test "threads add up, and count only what runs on their own CPUs" {
	event cycles 16 >counters
	echo 'bandwidth op=write width=16 size=1M cpu=0-1 repeat=3 verify=off' >run
	holds 'values("cycles") == {1 << 20}'
}

@test "DRAM traffic beside them" {
	{
		event instructions 8
		echo "dram_read type=$(</sys/bus/event_source/devices/uncore_imc_0/type) config=0x1001 cpu=0 scale=64"
	} >counters
	echo 'bandwidth op=read width=16 size=1M repeat=3' >run
	holds 'values("instructions") == {1 << 19}' 'values("amplification_read") == {1.0}'
}

@test "an event that the PMU refuses leaves the others" {
	{ event cycles 16; event instructions 16 9; } >counters
	echo 'bandwidth op=read width=16 size=64K repeat=2' >run
	holds 'values("cycles") == {65536}' 'values("instructions") == {None}' 'values("events_why") == {"not_opened"}'
}

@test "the driver of the PMU can go between runs" {
	event cycles 16 >counters
	echo 'bandwidth size=64K repeat=2' >run
	rmmod mc_pmu
	echo 'bandwidth size=64K repeat=2' >run
	holds 'values("events_why") == {"no_pmu"}'
	insmod "${WITNESS_KO%/*}/mc_pmu.ko"
}
