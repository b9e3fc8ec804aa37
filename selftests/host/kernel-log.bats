#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What of a kernel log makes a run in a guest fail.

log() { "$BATS_TEST_DIRNAME/../../tools/check/kernel-log"; }

@test "an ordinary log passes" {
	run log <<-'END'
		[    1.0] memcache: loading out-of-tree module taints kernel.
		[    1.1] clocksource: Switched to clocksource tsc
		[    1.2] memcache: timer costs 21 ns
	END
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a warning is printed with its trace, and fails" {
	run log <<-'END'
		[    1.0] quiet
		[    2.0] WARNING: CPU: 1 PID: 77 at mm/page_alloc.c:5000 __alloc_pages+0x1/0x2
		[    2.1] Call Trace:
		[    2.2]  mc_memory_get+0x1/0x2 [memcache]
	END
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[0]} == *WARNING* ]]
}

@test "each kind of trouble fails" {
	while read -r line; do
		run log <<<"[    2.0] $line"
		echo "$line: $status"
		[ "$status" -eq 1 ]
	done <<-'END'
		BUG: kernel NULL pointer dereference, address: 0000000000000000
		BUG: scheduling while atomic: mc/0/77/0x00000002
		BUG: sleeping function called from invalid context at mm/slab.h:1
		BUG: Bad page state in process rmmod  pfn:00001
		Oops: 0002 [#1] PREEMPT SMP
		general protection fault, probably for non-canonical address
		kernel BUG at mm/slub.c:400!
		UBSAN: array-index-out-of-bounds in module/core/stats.c:10:2
		Kernel panic - not syncing: Fatal exception
	END
}

@test "a stall fails only with our code in its trace" {
	run log <<-'END'
		[   30.0] rcu: INFO: rcu_preempt self-detected stall on CPU
		[   30.1] Modules linked in: memcache(OE) overlay 9p
		[   30.2]  do_idle+0x1/0x2
		[   40.0] watchdog: BUG: soft lockup - CPU#1 stuck for 45s! [swapper/1:0]
		[   40.1]  do_idle+0x1/0x2
	END
	[ "$status" -eq 0 ]
	run log <<-'END'
		[   30.0] watchdog: BUG: soft lockup - CPU#1 stuck for 45s! [mc/1:99]
		[   30.1]  mc_window+0x1/0x2 [memcache]
	END
	[ "$status" -eq 1 ]
}

@test "a leak fails unless it was announced" {
	local leak="[    9.2] memcache: 512 pages could not be turned back to write-back and are leaked"
	run log <<<"$leak"
	[ "$status" -eq 1 ]
	run log <<-END
		[    9.1] selftest: 512 pages will be leaked on purpose
		$leak
	END
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	# Once only, and no other number.
	run log <<-END
		[    9.1] selftest: 512 pages will be leaked on purpose
		$leak
		$leak
	END
	[ "$status" -eq 1 ]
	run log <<-END
		[    9.1] selftest: 512 pages will be leaked on purpose
		${leak/512/513}
	END
	[ "$status" -eq 1 ]
}
