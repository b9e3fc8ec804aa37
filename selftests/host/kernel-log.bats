#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Lines of a kernel log that make a run in a guest fail. A report that is overlooked looks like
# a pass.

load ../bats/words.bash

log() { "$BATS_TEST_DIRNAME/../../tools/check/kernel-log"; }

# quiet: the log on stdin has no trouble.
quiet() {
	run -0 log
	[ -z "$output" ]
}

# each STATUS: each line on stdin is a log of its own, with this outcome.
each() {
	while read -r line; do
		run log <<<"[    2.0] $line"
		echo "$line: $status"
		[ "$status" -eq "$1" ]
	done
}

@test "an ordinary log passes, also that of a debug kernel" {
	quiet <<-'END'
		[    1.0] memcache: loading out-of-tree module taints kernel.
		[    1.2] memcache: timer costs 21 ns
		[    0.0] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
		[    0.1] kasan: KernelAddressSanitizer initialized
		[    0.1] ODEBUG: selftest passed
		[    1.0] kmemleak: Kernel memory leak detector initialized (mem pool available: 15058)
		[    1.1] x86/PAT: Configuration [0-7]: WB  WC  UC- UC  WB  WP  UC- WT
		[    2.0] FAULT_INJECTION: forcing a failure.
		[    2.1]  mc_memory_get+0x1/0x2 [memcache]
		[    3.0] debugfs: changed
	END
}

@test "each kind of trouble fails, and is printed with its trace" {
	run log <<-'END'
		[    1.0] quiet
		[    2.0] WARNING: CPU: 1 PID: 77 at mm/page_alloc.c:5000 __alloc_pages+0x1/0x2
		[    2.2]  mc_memory_get+0x1/0x2 [memcache]
	END
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 2 ]
	each 1 <<-'END'
		BUG: kernel NULL pointer dereference, address: 0000000000000000
		BUG: scheduling while atomic: mc/0/77/0x00000002
		BUG: Bad page state in process rmmod  pfn:00001
		Oops: 0002 [#1] PREEMPT SMP
		general protection fault, probably for non-canonical address
		kernel BUG at mm/slub.c:400!
		Kernel panic - not syncing: Fatal exception
		divide error: 0000 [#1] PREEMPT SMP KASAN
		note: insmod[77] exited with irqs disabled
		note: insmod[77] exited with preempt_count 1
		initcall mc_init+0x0/0x1 [memcache] returned with preemption imbalance
		memcache: the thread 0, on CPU 1, has died; its part of the run is never freed
		list_del corruption. prev->next should be ffff, but was dead000000000100
		refcount_t: underflow; use-after-free.
		debugfs: File 'run' in directory 'memcache' already present!
		x86/PAT: test:77 map pfn RAM range req write-combining for [mem 0x1-0x2], got write-back
		BUG: KASAN: slab-out-of-bounds in mc_memory_get+0x1/0x2 [memcache]
		BUG kmalloc-64 (Tainted: G           OE     ): Object already free
		UBSAN: shift-out-of-bounds in module/core/stats.c:10:2
		CFI failure at mc_pass_part+0x1/0x2 [memcache] (target: mc_asm_write32+0x0/0x3 [memcache]; expected type: 0x1)
		BUG: KCSAN: data-race in mc_pass_part [memcache] / mc_workers_stop [memcache]
		WARNING: possible circular locking dependency detected
		[ BUG: Invalid wait context ]
		BUG: MAX_LOCKDEP_CHAINS too low!
		INFO: trying to register non-static key.
		ODEBUG: free active (active state 0) object type: timer_list hint: mc_tick+0x0/0x1
		ODEBUG: Out of memory. ODEBUG disabled
		kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
		kmemleak: Kernel memory leak detector disabled
		page:0000000012345678 refcount:0 BUG: Bad page map in process test
	END
}

@test "a stall fails only with our code in its trace" {
	for line in 'rcu: INFO: rcu_preempt self-detected stall on CPU' \
		'watchdog: BUG: soft lockup - CPU#1 stuck for 45s! [swapper/1:0]' \
		'bats: page allocation failure: order:0, mode:0xcc0(GFP_KERNEL)'; do
		quiet <<<"[   30.0] $line"$'\n[   30.2]  do_idle+0x1/0x2'
		run -1 log <<<"[   30.0] $line"$'\n[   30.2]  mc_window+0x1/0x2 [memcache]'
	done
}

@test "a leak fails unless it was announced, once and with its number of pages" {
	local said="[    9.1] selftest: 512 pages will be leaked on purpose" leak
	leak="[    9.2] memcache: 512 pages could not be turned back to write-back and are leaked"
	quiet <<<"$said"$'\n'"$leak"
	for log in "$leak" "$said"$'\n'"$leak"$'\n'"$leak" "$said"$'\n'"${leak/512/513}"; do
		run -1 log <<<"$log"
	done
}

@test "an address in a line of ours fails" {
	each 1 <<-'END'
		memcache: buffer at ffff888012345000, 16 MiB
		memcache: buffer at 0xffffffffc0001000, 16 MiB
		memcache: buffer at ffffc90000000fff, 16 MiB
	END
	each 0 <<-'END'
		ACPI: at ffff888012345000
		memcache: 0000000012345000, 7ffff88801234500, ffff888
	END
}
