#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Tracing is switched on and off while the threads of a run work. Switching off waits
# until each task has slept or reported a quiescent state (RCU tasks). Only one function is
# traced, since patching many takes long under TCG.

load module.bash

setup() {
	cd "$FILES" || return
	instance=/sys/kernel/tracing/instances/memcache
	[ -d /sys/kernel/tracing/instances ] || mount -t tracefs tracefs /sys/kernel/tracing
	mkdir "$instance"
	echo vfs_statfs >"$instance/set_ftrace_filter"
}

teardown() {
	echo 1 >stop
	wait || true
	rmdir "$instance"
}

# trace_during REQUEST: switch tracing on and off during the run, then stop the run.
trace_during() {
	echo "$1 repeat=1000000 timeout=1200" >run 3>&- &
	await $! grep -q '^running' progress
	echo function >"$instance/current_tracer"
	stat -f / >/dev/null
	grep -q vfs_statfs "$instance/trace"
	echo nop >"$instance/current_tracer"
	grep -q '^running' progress
}

@test "tracing ends while a thread measures" {
	trace_during 'bandwidth size=4M verify=off'
}

@test "tracing ends while threads meet at the barrier" {
	trace_during 'bandwidth size=64K cpu=0,1 verify=off'
}

@test "tracing ends while threads load the memory" {
	trace_during 'loaded size=4M cpu=0,1 delay=0'
}
