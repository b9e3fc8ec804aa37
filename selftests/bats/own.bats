#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=uml
#
# Loops of one's own: modules that register a loop as op=own. OWN_LOOPS is the directory in
# which tools/check/own-loops has built them.

load module.bash

USER_TOOL=${USER_TOOL:-$BATS_TEST_DIRNAME/../../build/user/memcache-user}
COPY=$OWN_LOOPS/copy2/memcache_own_copy2.ko
ADD=$OWN_LOOPS/add-one/memcache_own_add_one.ko

setup_file() {
	[ -n "${OWN_LOOPS:-}" ] || skip "OWN_LOOPS names no loops: tools/check/own-loops or memcache-selftests builds them"
	insmod "$MEMCACHE_KO"
}

# loaded NAME: is the module of this loop there?
loaded() { grep -q "^memcache_own_$1 " /proc/modules; }

teardown_file() {
	local name
	for name in copy2 add_one; do
		! loaded "$name" || rmmod "memcache_own_$name"
	done
	rmmod memcache
}

# name LOOP: what records call it.
name() { sed -n 's/^#define OWN_NAME\t"\(.*\)"$/\1/p' "$OWN_LOOPS/$1/loop.S"; }

# refused TEXT: there is no loop, and `run` says so.
refused() {
	run ! bash -c "echo 'bandwidth op=own' >run"
	[[ $output == *"not supported"* ]]
	grep "^error: EOPNOTSUPP op: $1" run
}

@test "without a loop, op=own is refused" {
	refused 'no loop is registered for op=own; .memcache loop FILE. builds a module that has one'
}

@test "a loop is measured and verified, and the record says which one it was" {
	insmod "$COPY"
	echo 'bandwidth op=own,copy width=32 size=4K,64K,1M repeat=3' >run
	holds 'len(results) == 6' 'values("verified") == {"ok"}' 'values("width_bytes") == {32}' \
		"[r['own_loop'] for r in results] == ['$(name copy2)'] * 3 + [None] * 3" \
		'[r["traversed_bytes"] for r in results[:3]] == [r["traversed_bytes"] for r in results[3:]]' \
		'[r["payload_bytes"] for r in results[:3]] == [r["payload_bytes"] for r in results[3:]]' \
		"[row['own_loop'] for row in table] == ['$(name copy2)'] * 3 + ['na'] * 3"
	# Pages one by one, and all threads.
	echo 'bandwidth op=own page=4k size=100K cpu=all fence=none,mfence repeat=3' >run
	holds 'len(results) == 2' 'values("verified") == {"ok"}'
	# A table without op=own has no such column.
	echo 'bandwidth size=4K repeat=1' >run
	holds '"own_loop" not in table[0]'
}

@test "a second loop is refused while there is one" {
	run ! insmod "$ADD"
	[[ $output == *"resource busy"* ]]
	not loaded add_one
	dmesg | grep -F "memcache: own: $(name copy2) is the loop of op=own; unload memcache_own_copy2"
	echo 'bandwidth op=own size=4K repeat=1' >run
	holds "values('own_loop') == {'$(name copy2)'}"
}

@test "neither module can be unloaded while a run uses the loop" {
	echo 'bandwidth op=own size=64K repeat=1000000' >run &
	await $! grep -qE '^running [0-9]{2,}/' progress
	run ! rmmod memcache_own_copy2
	[[ $output == *"in use"* ]]
	run ! rmmod memcache
	echo 1 >stop
	wait $! || true
	grep '^state: stopped' run
	holds "values('own_loop') == {'$(name copy2)'}"
	# The loop keeps memcache where it is.
	run ! rmmod memcache
	[[ $output == *"in use"* ]]
}

@test "a run that another operation refuses leaves the loop free" {
	run ! tee run <<<'bandwidth op=own,write readback=on'
	run ! tee run <<<'bandwidth op=own cpu=8000'
	rmmod memcache_own_copy2
}

@test "once it is unloaded, op=own is refused, and older results keep its name" {
	holds "values('own_loop') == {'$(name copy2)'}"
	refused 'no loop is registered'
	holds "values('own_loop') == {'$(name copy2)'}"
}

@test "another loop may come then: each word grows by one in each pass" {
	insmod "$ADD"
	echo 'bandwidth op=own size=4K,1M repeat=3' >run
	holds 'values("verified") == {"ok"}' "values('own_loop') == {'$(name add-one)'}" \
		'all(r["payload_bytes"] == 2 * r["traversed_bytes"] for r in results)'
	"$USER_TOOL" -j --loop "$OWN_LOOPS/add-one/add-one.so" \
		'bandwidth op=own size=4K,1M repeat=3' >"$BATS_TEST_TMPDIR/user"
	grep -c "\"verified\":\"ok\".*\"own_loop\":\"$(name add-one)\"" "$BATS_TEST_TMPDIR/user" |
		grep -x 2
	rmmod memcache_own_add_one
}

@test "a loop without memcache is refused" {
	cd /
	rmmod memcache
	run ! insmod "$COPY"
	[[ $output == *"No such device"* ]]
	dmesg | grep -F 'memcache_own: load memcache first'
	insmod "$MEMCACHE_KO"
}
