#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A silent debug kernel is worth something only if it would speak: mc_bugs makes
# mistakes in it, and what reads its log must see each one.
# Lockdep comes first: it goes off at the first report of anybody.

load found.bash

setup_file() {
	insmod "$BUGS_KO"
	make_bugs deadlock sleep beyond beyond-vmalloc freed shifted out-of-bounds armed mistyped warned
}

@test "locks taken in two orders" { found "possible circular locking dependency"; }
@test "sleeping with a spinlock held" { found "sleeping function called from invalid context"; }
@test "a read behind a block of memory" { found "KASAN: slab-out-of-bounds in beyond"; }
@test "a read behind vmalloc's memory" { found "KASAN: vmalloc-out-of-bounds in beyond_vmalloc"; }
@test "a read of memory that was freed" { found "KASAN: use-after-free in freed"; }
@test "a shift by more bits than there are" { found "UBSAN: shift-out-of-bounds"; }
@test "an index behind an array's end" { found "UBSAN: array-index-out-of-bounds"; }
@test "a timer that is freed while it is armed" { found "ODEBUG: free active"; }
@test "a call by a pointer to a function of another type" { found "CFI failure at mistyped"; }
@test "a warning" { found " warned+"; }

@test "memory that nobody knows of any more" {
	echo leaked >/sys/module/mc_bugs/parameters/bug
	# It is found by a scan once it is some seconds old, and has not changed since the last.
	for _ in {1..10}; do
		sleep 6
		echo scan >/sys/kernel/debug/kmemleak
		echo scan >/sys/kernel/debug/kmemleak
		! grep 'leaked+.*\[mc_bugs\]' /sys/kernel/debug/kmemleak || return 0
	done
	cat /sys/kernel/debug/kmemleak
	false
}
