#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What `memcache counters` finds, and how `run --counters` uses it. The memory
# controllers are those of mc_pmu (selftests/modules).

load front.bash

MINE="dram_read type=1 config=0x0 cpu=0 scale=1"

teardown_file() {
	rmmod memcache
	rmmod mc_pmu
}

@test "they are found, set for a run, and what was set is put back" {
	insmod "${WITNESS_KO%/*}/mc_pmu.ko" loops=mc_asm_write16 \
		calls=mc_file_move:3,mc_pattern_check:3,__x64_sys_pread64:s2
	memcache counters >lines
	cat lines
	[ "$(grep -cE '^dram_(read|write)_imc_[01] type=[0-9]+ config=0x(1001|801) cpu=[01] scale=64$' lines)" -eq 4 ]
	echo "$MINE" >"$FILES/counters"
	memcache run --counters -o run.jsonl bandwidth op=write width=16 size=1M repeat=3 >report
	cat report
	# This checks that the counters were set, and others before; counters.bats checks figures.
	grep -qE '"dram_why":(null|"did_not_run")' run.jsonl
	grep -q 'Memory traffic' report
	[ "$(cat "$FILES/counters")" = "$MINE" ]
}

# Each of the two memory controllers counts each byte that is read and, in the kernel, again
# each byte that is compared; it counts half as many bytes as written.
@test "the suite amplification: exactly what the memory counted, and what follows" {
	memcache run --counters -o amplification.jsonl amplification-quick >report
	cat report
	holds 'len([r for r in load("amplification.jsonl") if r.get("op") == "read"]) == 16' \
		'{(r["where"], r["check"], r["amplification_read"], r["amplification_write"], r["dram_why"])
			for r in load("amplification.jsonl") if r.get("op") == "read"} ==
		{("kernel", "off", 2.0, 1.0, None), ("kernel", "on", 4.0, 2.0, None),
			("user", "off", 2.0, 1.0, None), ("user", "on", 2.0, 1.0, None)}'
	grep -q '^1x512K-checked .* 4\.00' report
	grep -q '^- 20 readers, 5M: .*memory read for each byte: 2.00 plain, 2.00' report
	tr -s '\n ' ' ' <report | grep -q 'Comparing each byte costs 2.00 more reads of it from memory'
	tr -s '\n ' ' ' <report | grep -q 'The kernel reads as plainly as a system call'
	rm /var/tmp/memcache-file
}

# What a command asks pread() for, each of the two memory controllers counts as read, and half of
# it as written. The loader of programs asks for about a hundred kilobytes, too.
@test "the traffic of any command" {
	run -7 memcache counters -- /usr/bin/python3 -c 'import os
fd = os.open("/dev/zero", os.O_RDONLY)
for _ in range(4): os.pread(fd, 1000000, 0)
raise SystemExit(7)'
	[[ $output =~ read\ 8\.[01][0-9]+\ MB.*written\ 4\.0[0-9]+\ MB.*before.*read\ 0\.000\ MB.*written\ 0\.000\ MB ]]
}
