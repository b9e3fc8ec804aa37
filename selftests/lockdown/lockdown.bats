#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel that gets locked down with the module in it: first for integrity, as
# Secure Boot does, then for confidentiality. There is no way back, so this is the
# last to run in a guest, and each test goes on where the one before it ended.

load ../bats/module.bash

LOCKDOWN=/sys/kernel/security/lockdown

# Writes an MSR, on CPUs like this one.
MSR='bandwidth prefetch=off size=4K repeat=1'

setup() { cd "$FILES" 2>/dev/null || cd /; }

setup_file() {
	mount -t securityfs securityfs "${LOCKDOWN%/*}"
	insmod "$MEMCACHE_KO" size_mb=2 numa_node=0
	insmod "$OWN_LOOPS/copy2/memcache_own_copy2.ko"
	export PATH=$BATS_TEST_DIRNAME/../../build/user:$PATH
}

# The module is gone by then.
teardown_file() { :; }

# locked LEVEL: from now on.
locked() {
	echo "$1" >"$LOCKDOWN"
	grep -qF "[$1]" "$LOCKDOWN"
}

# closed FILE: EPERM, whatever one wants to do with it.
closed() {
	run bash -c "exec 7<$1"
	[[ $status -ne 0 && $output == *"Operation not permitted"* ]]
	run bash -c "exec 7>$1"
	[[ $status -ne 0 && $output == *"Operation not permitted"* ]]
}

# What of the module remains when the kernel is locked down.
is_for_user_space_only() {
	# What takes words is closed, what gives some is open.
	closed run
	closed stop
	closed counters
	for file in results results.jsonl tests progress machine buffers; do
		[ -n "$(cat $file)" ]
	done
	[ "$(cat results)" = "$before" ]
	grep -q '"lockdown":true' machine
	grep -qx idle progress

	# The devices give away nothing but pages of the module's own.
	memcache-user -j 'bandwidth type=wb,wc,uc op=write size=64K repeat=3' >"$BATS_TEST_TMPDIR/out"
	for type in wb wc uc-; do
		grep -q "\"attribute\":\"$type\".*\"verified\":\"ok\"" "$BATS_TEST_TMPDIR/out"
	done
}

@test "not locked down: a request is taken" {
	grep -qF '[none]' "$LOCKDOWN"
	grep -q '"lockdown":false' machine
	echo "$MSR" >run
	echo 'bandwidth type=wb,wc,uc size=4K repeat=1' >run
	[ "$(wc -l <results)" -eq 4 ]
}

@test "integrity: no request is taken, user space goes on" {
	before=$(cat results)
	# Who had the file open keeps it, as with every file of debugfs. A descriptor is at the
	# file's begin only once, and none can be opened any more, so each reading has its own.
	exec 7<>run
	exec 8<run
	exec 9<run
	exec 6<run
	locked integrity
	is_for_user_space_only
	# But it writes no register of the CPU any more.
	run bash -c "echo '$MSR' >&7"
	[[ $status -ne 0 && $output == *"not supported"* ]]
	grep -q '^error: EOPNOTSUPP prefetch: .*the kernel is locked down' <&8
	# Nor does it touch memory that is not the kernel's.
	run bash -c "echo 'bandwidth target=phys:0xf0000000+4K size=4K' >&7"
	[[ $status -ne 0 && $output == *"not supported"* ]]
	grep -q '^error: EOPNOTSUPP target: the kernel is locked down' <&9
	# It runs no code that came from somebody else.
	run bash -c "echo 'bandwidth op=own size=4K' >&7"
	[[ $status -ne 0 && $output == *"not supported"* ]]
	grep -q '^error: EOPNOTSUPP op: the kernel is locked down' <&6
	[[ $(head -n 1 results) == "# of an earlier request; "* ]]
	[ "$(sed 1d results)" = "$before" ]
	echo 'bandwidth size=4K repeat=1' >&7
	exec 7>&- 8<&- 9<&- 6<&-
	[ "$(cat results)" != "$before" ]
}

@test "confidentiality is the same" {
	before=$(cat results)
	locked confidentiality
	is_for_user_space_only
}

@test "the module can go, and not come back unsigned" {
	cd /
	rmmod memcache_own_copy2
	rmmod memcache
	[ ! -e "$FILES" ]
	[ ! -e /dev/memcache_uc ]
	run ! insmod "$MEMCACHE_KO"
	[[ $output == *"Operation not permitted"* ]]
	not grep -q '^memcache ' /proc/modules
	# The kernel prints at most ten such lines in five seconds.
	for _ in {1..30}; do
		dmesg | grep 'Lockdown: insmod: unsigned module loading is restricted' && return
		sleep 1
		not insmod "$MEMCACHE_KO"
	done
	false
}
