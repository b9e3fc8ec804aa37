#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Lines of a kernel log that make a run in a guest fail.

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
		divide error: 0000 [#1] PREEMPT SMP KASAN
		note: insmod[77] exited with irqs disabled
		note: insmod[77] exited with preempt_count 1
		initcall mc_init+0x0/0x1 [memcache] returned with preemption imbalance
		list_del corruption. prev->next should be ffff, but was dead000000000100
		refcount_t: underflow; use-after-free.
		debugfs: File 'run' in directory 'memcache' already present!
		x86/PAT: test:77 map pfn RAM range req write-combining for [mem 0x1-0x2], got write-back
	END
}

# The reports of the debug kernel's checks, each of which has another form.
@test "each kind of report from a debug kernel fails" {
	while read -r line; do
		run log <<<"[    2.0] $line"
		echo "$line: $status"
		[ "$status" -eq 1 ]
	done <<-'END'
		BUG: KASAN: slab-out-of-bounds in mc_memory_get+0x1/0x2 [memcache]
		BUG: KASAN: use-after-free in mc_memory_get+0x1/0x2 [memcache]
		BUG: KASAN: vmalloc-out-of-bounds in mc_memory_get+0x1/0x2 [memcache]
		BUG kmalloc-64 (Tainted: G           OE     ): Object already free
		UBSAN: shift-out-of-bounds in module/core/stats.c:10:2
		CFI failure at mc_pass_part+0x1/0x2 [memcache] (target: mc_asm_write32+0x0/0x3 [memcache]; expected type: 0x1)
		BUG: KCSAN: data-race in mc_pass_part [memcache] / mc_workers_stop [memcache]
		BUG: KCSAN: assert: race in mc_pass_part+0x1/0x2 [memcache]
		WARNING: possible circular locking dependency detected
		WARNING: possible recursive locking detected
		WARNING: possible irq lock inversion dependency detected
		WARNING: inconsistent lock state
		WARNING: bad unlock balance detected!
		WARNING: held lock freed!
		WARNING: lock held when returning to user space!
		WARNING: suspicious RCU usage
		[ BUG: Invalid wait context ]
		BUG: lock held at task exit time!
		BUG: MAX_LOCKDEP_CHAINS too low!
		INFO: trying to register non-static key.
		BUG: using smp_processor_id() in preemptible [00000000] code: insmod/77
		ODEBUG: free active (active state 0) object type: timer_list hint: mc_tick+0x0/0x1
		ODEBUG: Out of memory. ODEBUG disabled
		kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
		kmemleak: Kernel memory leak detector disabled
		page:0000000012345678 refcount:0 BUG: Bad page map in process test
	END
}

@test "what a debug kernel says in passing is no trouble" {
	run log <<-'END'
		[    0.0] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
		[    0.1] kasan: KernelAddressSanitizer initialized
		[    0.1] ODEBUG: selftest passed
		[    1.0] kmemleak: Kernel memory leak detector initialized (mem pool available: 15058)
		[    1.1] x86/PAT: Configuration [0-7]: WB  WC  UC- UC  WB  WP  UC- WT
		[    2.0] FAULT_INJECTION: forcing a failure.
		[    2.0] name failslab, interval 1, probability 0, space 0, times 0
		[    2.1]  mc_memory_get+0x1/0x2 [memcache]
		[    3.0] debugfs: changed
	END
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a stall fails only with our code in its trace" {
	run log <<-'END'
		[   30.0] rcu: INFO: rcu_preempt self-detected stall on CPU
		[   30.1] Modules linked in: memcache(OE) overlay 9p
		[   30.2]  do_idle+0x1/0x2
		[   40.0] watchdog: BUG: soft lockup - CPU#1 stuck for 45s! [swapper/1:0]
		[   40.1]  do_idle+0x1/0x2
		[   50.0] bats: page allocation failure: order:0, mode:0xcc0(GFP_KERNEL)
		[   50.1]  copy_process+0x1/0x2
	END
	[ "$status" -eq 0 ]
	run log <<-'END'
		[   50.0] sh: page allocation failure: order:9, mode:0xcc0(GFP_KERNEL)
		[   50.1]  mc_memory_get+0x1/0x2 [memcache]
	END
	[ "$status" -eq 1 ]
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
	# Only one leak is announced, and only of this number of pages.
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

@test "an address in a line of ours fails" {
	for address in ffff888012345000 0xffffffffc0001000 ffffc90000000fff; do
		run log <<<"[    9.1] memcache: buffer at $address, 16 MiB"
		[ "$status" -eq 1 ]
		[[ $output == *"$address"* ]]
	done
	run log <<-'END'
		[    9.1] ACPI: at ffff888012345000
		[    9.2] memcache: 0000000012345000, 7ffff88801234500, ffff888
	END
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}
