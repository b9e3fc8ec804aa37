#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# memcache-once, which the role of the collection runs on each host: a run is measured once, and
# its results appear when they are complete. A stand-in for memcache does what a test wants.

load ../bats/words.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	once=$BATS_TEST_DIRNAME/../../tools/fleet/ansible/roles/measure/files/memcache-once
	# It is called as `memcache run -o FILE WHAT...`.
	cat >memcache <<-'END'
		#!/bin/sh
		echo "$*" >>calls
		echo begun >"$3"
		[ ! -e "$0.wait" ] || while [ ! -e "$0.go" ]; do sleep 0.1; done
		echo done >"$3"
		exit "$(cat "$0.status" 2>/dev/null || echo 0)"
	END
	chmod +x memcache
}

once() { run -"${1:-0}" "$once" . r1 "${2:-600}" ./memcache 'bandwidth size=4K'; }

@test "a run is measured once" {
	once
	[ "$output" = measured ]
	[ "$(<r1.jsonl)" = "done" ]
	once
	[ "$output" = "there already" ]
	[ "$(<calls)" = "run -o r1.part bandwidth size=4K" ]
}

@test "a second one waits for the first" {
	touch memcache.wait
	"$once" . r1 600 ./memcache x >first 3>&- &
	first=$!
	await $first test -s r1.part
	"$once" . r1 600 ./memcache x >second 3>&- &
	second=$!
	sleep 0.5
	[ ! -s second ]
	touch memcache.go
	wait "$first" "$second"
	[ "$(<first) $(<second)" = "measured there already" ]
	[ "$(wc -l <calls)" = 1 ]
}

@test "what a dead run left is measured anew" {
	echo old >r1.part
	once
	[ "$output" = measured ]
	[ "$(<r1.jsonl)" = "done" ]
	[ ! -e r1.part ]
}

@test "after the time limit there are no results" {
	touch memcache.wait
	once 124 1
	[[ $output == *"the time limit of 1 s is over"* ]]
	[ ! -e r1.jsonl ]
	rm memcache.wait
	once
	[ "$(<r1.jsonl)" = "done" ]
}

@test "results of a run that could not measure everything are kept" {
	echo 1 >memcache.status
	once
	[ "$output" = measured ]
}

@test "a request that is wrong gives no results" {
	echo 2 >memcache.status
	once 2
	[ ! -e r1.jsonl ]
}

@test "memcache is not there" {
	rm memcache
	once 127
	[[ $output == *memcache* ]]
}
