#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The front end at work on the module itself.

load module.bash

setup_file() {
	export COLUMNS=200
	insmod "$MEMCACHE_KO"
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP PATH=$TOP/tools/memcache:$PATH
}

setup() { cd "$BATS_TEST_TMPDIR" || return; }

@test "the suite cache-attributes, in small" {
	sed 's/size=16M/size=256K/; s/repeat=50/repeat=3/' "$TOP/tools/suites/cache-attributes" >small
	memcache run -o results.jsonl ./small >report 2>messages
	cat report
	# Each test has a column, each type a row.
	for type in WB UC WC; do grep -q "^ *$type " report; done
	[ "$(grep -c '"record":"result"' results.jsonl)" -eq 24 ]
	[ "$(grep -c '"verified":"ok"' results.jsonl)" -eq 24 ]
	grep -q 'Results: results.jsonl' report
	! grep -q '"hypervisor":"tcg"' "$FILES/machine" || grep -qi 'emulated machine (QEMU, TCG)' report
	memcache show results.jsonl >again
	diff <(sed '/^Results:/,$d' report | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}') again
}

@test "a request of one's own" {
	memcache run -o own.jsonl bandwidth type=wb,uc size=4K,1M >report
	cat report
	[ "$(grep -c '"record":"result"' own.jsonl)" -eq 4 ]
}

@test "what the module refuses is told, with the key" {
	run -2 memcache run -o none.jsonl 'bandwidth op=rw31 streams=2'
	[[ $output == *EINVAL*streams* ]]
	[ ! -e none.jsonl ]
}

@test "what no test takes is refused before anything is measured" {
	run -2 memcache run -o none.jsonl bandwidth 'bandwidth size=5'
	[[ $output == "memcache: size can't be '5'."* ]]
	[ ! -e none.jsonl ]
}

@test "a run that is on elsewhere is respected" {
	(echo 'bandwidth size=64K repeat=1000000' >"$FILES/run") 2>/dev/null &
	until grep -q '^running [1-9]' "$FILES/progress"; do sleep 0.1; done
	run memcache run -o busy.jsonl bandwidth
	[ "$status" -eq 1 ]
	[[ $output == *EBUSY* ]]
	echo >"$FILES/stop"
	wait $! && false
	[ ! -e busy.jsonl ]
}

@test "Ctrl-C keeps what was measured" {
	memcache run -o kept.jsonl 'bandwidth size=4K repeat=3' \
		'bandwidth size=64K repeat=1000000' >report 2>messages &
	until grep -q '/1000002 ' "$FILES/progress"; do sleep 0.1; done
	kill -INT $!
	status=0
	wait $! || status=$?
	cat report messages
	[ "$status" -eq 130 ]
	[ "$(grep -c '"record":"result"' kept.jsonl)" -ge 1 ]
	[ "$(cat "$FILES/progress")" = idle ]
}

@test "records of both sides, and of each memory type, are as the schema has them" {
	sed -n 's/^\(one\|two\) //p' "$TOP/selftests/bats/every-test" >every
	memcache run -o every.jsonl --where both --rounds 1 ./every \
		'bandwidth op=write type=wb,wc,uc fence=uc size=16K repeat=1' >report
	for side in kernel user; do
		[ "$(grep "\"record\":\"result\".*\"where\":\"$side\"" every.jsonl |
			grep -o '"test":"[a-z0-9]*"' | sort -u | wc -l)" -ge 8 ]
	done
	"$TOP/tools/check/schema" every.jsonl
}
