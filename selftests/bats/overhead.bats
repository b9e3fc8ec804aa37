#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The overhead of a measurement.

load module.bash

@test "all there is, on two CPUs" {
	echo 'overhead cpu=0,1' >run
	holds '[r["item"] for r in results] == ["loop", "clock", "irq", "fpu", "barrier", "wakeup"]' \
		'values("samples") == {10}' \
		'all(0 < r["median_ns"] for r in results if r["item"] != "barrier")' \
		'all((r["operations_per_sample"] == 1) == (r["item"] in ("barrier", "wakeup")) for r in results)'
}

# bats test_tags=uml
@test "interrupts off" {
	echo 'overhead irq=off' >run
	holds '{(r["item"], r["irq"]) for r in results} == {("loop", "off"), ("clock", "off"),
		("irq", "off"), ("fpu", "off"), ("barrier", "off"), ("wakeup", "on")}'
}

# bats test_tags=uml
@test "what there is of system calls and processes here" {
	echo 'overhead item=call,getpid,thread repeat=5' >run
	holds '[r["item"] for r in results] == ["call", "getpid", "thread"]' \
		'values("samples") == {5}' 'min(values("min_ns")) > 0' \
		'[r["operations_per_sample"] > 1 for r in results] == [True, True, False]'
	# Interrupts are not switched off while a thread is made.
	echo 'overhead item=thread,getpid irq=off repeat=2' >run
	holds '[r["irq"] for r in results] == ["on", "off"]'
}

# A window with interrupts off sees only NMIs, and there are none here. Other threads may still
# have the CPU between two windows. With interrupts on, a
# sample of 128 million accesses, 0.3 s in these guests, has timer ticks in it, even where QEMU's
# timers are late because the machine is busy.
@test "interrupts are seen while they are on, and only then" {
	echo 'bandwidth irq=off size=16K,16M repeat=20' >run
	holds 'values("disturbed_interrupt") == {0}' 'taken() == {20}' \
		'all(r["disturbed_preemption"] or not r["windows_left_out"] + r["left_out"] for r in results)'
	echo 'random irq=on size=16K count=128M verify=off repeat=1 warmup=0 disturbed=keep,leave_out' >run
	holds 'values("disturbed_interrupt") == {1}' 'taken() == {1}' \
		'(results[0]["left_out"], results[0]["windows_left_out"]) == (0, 0)' \
		'{"interrupt", "migration", "preemption"} <= set(machine["recognised"])'
}

@test "not bound, and stopped" {
	echo 'overhead cpu=any item=loop,irq,fpu,wakeup' >run
	holds 'len(results) == 4' 'values("cpu") == {"any"}'
	run -1 bash -c 'echo overhead item=wakeup repeat=1000000 timeout=1 >run'
	grep -q '^error: ETIME' run
	# Each wake-up is a job of its own, which ends before a wait would notice the time-out.
	holds '0 < results[0]["samples"] < 1000000'
	# A million meetings may take only a second, so there are thirty times as many.
	many=barrier$(printf ',barrier%.0s' {2..30})
	(echo "overhead item=$many cpu=0,1 repeat=1000000" >run) 2>"$BATS_TEST_TMPDIR/said" 3>&- &
	await $! grep -q running progress
	echo >stop
	not wait $!
	grep canceled "$BATS_TEST_TMPDIR/said"
}
