#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The DRAM traffic in a result. The memory controllers are those of mc_pmu
# (selftests/modules), which count what the loops ask for, times k / 16, so the result
# that must come out is known.

load module.bash

PMUS=/sys/bus/event_source/devices
RUN='bandwidth op=write width=16 size=1M repeat=3'

setup_file() {
	insmod "$MEMCACHE_KO"
	insmod "${WITNESS_KO%/*}/mc_pmu.ko" \
		loops=mc_asm_write8,mc_asm_write16,mc_asm_read16,mc_asm_ntwrite16
}

teardown_file() {
	rmmod memcache
	rmmod mc_pmu
}

setup() {
	cd "$FILES" || return
	echo >counters
}

# counter NAME PMU KIND K: a line for `counters`.
counter() {
	echo "$1 type=$(<$PMUS/uncore_imc_"$2"/type) config=$(($4 << 8 | $3)) cpu=0 scale=64"
}

# refused TEXT LINE…: the write fails for that reason, and the set of counters stays.
refused() {
	local before
	before=$(grep -v '^#' counters || true)
	run -1 bash -c 'cat >>counters' <<<"${*:2}"
	[[ $output == *"Invalid argument"* ]]
	cat counters
	grep -F "# not taken: counters: line " counters | grep -F "$1"
	[ "$(grep -v '^#' counters || true)" = "$before" ]
}

@test "without counters nothing is claimed" {
	echo "$RUN" >run
	holds 'values("dram_read_bytes") == {None}' 'values("amplification_write") == {None}' \
		'values("dram_why") == {"no_counters"}' 'values("payload_bytes") == {1 << 20}' \
		'"amplification_read" not in table[0]'
}

@test "amplification is exactly k" {
	local k
	for k in 0 8 40; do
		{ counter dram_read 0 1 $k; counter dram_write 1 1 16; } >counters
		echo "$RUN" >run
		holds "values('amplification_read') == {$k / 16}" 'values("amplification_write") == {1.0}' \
			"values('dram_read_bytes') == {(1 << 20) * $k // 16}" 'values("dram_why") == {None}' \
			'all(r["dram_counted_ns"] > r["median_ns"] / 2 for r in results)' \
			'values("dram_idle_read_mb_per_s") == {0.0}' \
			'"amplification_read" in table[0]'
	done
}

@test "reads and streams, interrupts off, several threads: the same" {
	{ counter dram_read 0 1 24; counter dram_write 0 1 8; } >counters
	echo 'bandwidth op=read,write,ntwrite width=16 size=64K,8M cpu=0-1 irq=on,off repeat=2' >run
	holds 'len(results) == 12' 'values("amplification_read") == {1.5}' 'values("amplification_write") == {0.5}'
}

@test "packages add up" {
	{ counter dram_read_a 0 1 12; counter dram_read_b 1 1 20; counter dram_write 1 1 3; counter dram_write_2 0 1 13; } >counters
	echo "$RUN" >run
	holds 'values("amplification_read") == {2.0}' 'values("amplification_write") == {1.0}'
}

@test "one that can't be opened any more: nothing of the sum, and why" {
	{ counter dram_read_a 0 1 16; counter dram_read_b 1 3 16; } >counters
	echo 0 >/sys/module/mc_pmu/parameters/opens
	echo "$RUN" >run
	echo -1 >/sys/module/mc_pmu/parameters/opens
	holds 'values("dram_why") == {"not_opened"}' 'values("dram_read_bytes") == {None}' 'values("verified") == {"ok"}'
	echo "$RUN" >run
	holds 'values("amplification_read") == {2.0}'
}

# Print the number of samples that the current run has; and whether it has more than $1.
samples() { sed -nE 's|^running ([0-9]+)/.*|\1|p' progress; }
past() { [ "$(samples)" -gt "$1" ] 2>/dev/null; }

@test "one that vanishes in mid-run, with its CPU" {
	{ counter dram_read 1 1 16; counter dram_write 0 1 16; } >counters
	tee run <<<'bandwidth op=write width=16 size=256K repeat=1000000 disturbed=keep' 3>&- &
	await $! past 5
	echo 0 >/sys/devices/system/cpu/cpu1/online
	await $! past $(($(samples) + 5))
	echo 1 >stop
	not wait $!
	echo 1 >/sys/devices/system/cpu/cpu1/online
	cat run results
	grep '^error: ECANCELED ' run
	holds 'values("dram_why") == {"did_not_run"}' 'values("dram_read_bytes") == {None}' \
		'values("amplification_write") == {1.0}' 'min(values("samples")) >= 10'
}

@test "a set is replaced, added to and cleared" {
	counter dram_read 0 1 1 >counters
	counter dram_write 0 1 2 >>counters
	[ "$(grep -c ^dram counters)" -eq 2 ]
	counter dram_write_x 0 1 3 >counters
	[ "$(grep -c ^dram counters)" -eq 1 ]
	# One line at a time through one open file, as some shells write.
	{ counter dram_read 0 1 1; sleep 0.1; counter dram_write 0 1 2; } >counters
	[ "$(grep -c ^dram counters)" -eq 2 ]
	printf '\n \n' >counters
	[ "$(cat counters)" = "# no counters are set" ]
	# What is shown can be written back.
	{ counter dram_read_a 0 1 12; counter dram_read_b 1 1 20; } >counters
	cp counters "$BATS_TEST_TMPDIR/set"
	cat "$BATS_TEST_TMPDIR/set" >counters
	cmp counters "$BATS_TEST_TMPDIR/set"
}

@test "bad lines name themselves, and the old set stays" {
	counter dram_read 0 1 16 >counters
	refused "no PMU has that" "dram_write type=4000 config=1 cpu=0 scale=64"
	refused "not online" "dram_write type=1 config=0 cpu=77 scale=64"
	refused "the PMU refuses" "$(counter dram_write 0 4 16)"
	# The simulated machine's counts have 16 numbers, and no other machine has them.
	refused "(error 22)" "$(counter dram_write 0 5 16)"
	refused "this kernel has no such counters" "$(counter dram_write 0 5 15)"
	refused "line 2: 'foo'" "$(counter dram_write 0 1 16)"$'\nfoo'
	refused "line 256: is one too many" \
		"$(seq 300 | sed 's/.*/dram_read_& type=1 config=& cpu=0 scale=64/')"
	# 10,000 lines in one write, and then more than one write may have.
	seq 10000 | sed 's/.*/dram_read_& type=1 config=& cpu=0 scale=64/' >"$BATS_TEST_TMPDIR/lines"
	run dd if="$BATS_TEST_TMPDIR/lines" of=counters bs=1M
	[[ $status -eq 1 && $output == *"Invalid argument"* ]]
	grep -F "# not taken: counters: line 257: is one too many" counters
	yes dram_read | head -c 1100000 >"$BATS_TEST_TMPDIR/lines"
	run dd if="$BATS_TEST_TMPDIR/lines" of=counters bs=2M
	[[ $status -eq 1 && $output == *"File too large"* ]]
	[ "$(grep -c ^dram counters)" -eq 1 ]
}

@test "an unload with a set, and a PMU that can go between runs" {
	counter dram_read 0 1 16 >counters
	echo "$RUN" >run
	rmmod mc_pmu
	echo "$RUN" >run
	holds 'values("dram_why") == {"not_opened"}'
	insmod "${WITNESS_KO%/*}/mc_pmu.ko"
	cd /
	rmmod memcache
	insmod "$MEMCACHE_KO"
}
