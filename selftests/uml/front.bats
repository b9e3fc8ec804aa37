#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=uml
#
# The front end in User-Mode Linux: what there is of a suite, on both sides.

load ../bats/front.bash

# What is not there is skipped, and does not take what is there with it.
@test "the suites of odd places and of the kernel's functions, in small" {
	for suite in odd kernel-functions; do
		sed 's/{memory size}/6M/; s/repeat=4/repeat=2/; /@rounds/d' "$TOP/tools/suites/$suite" >small
		memcache run -o "$suite.jsonl" ./small >report 2>messages
		cat messages report
	done
	[ "$(grep -c '"record":"result".*"align_bytes":' odd.jsonl)" -eq 46 ]
	for op in memcpy memset; do
		[ "$(grep -c "\"record\":\"result\".*\"op\":\"$op\"" kernel-functions.jsonl)" -eq 2 ]
		grep "^$op .*[0-9]" report
	done
}

@test "rounds of both sides: all are kept, one of each is shown, a copy is no news" {
	memcache run -o rounds.jsonl --where both 'bandwidth op=read,write size=16K page=4k cpu=0 repeat=3' >report
	cat report
	[ "$(grep -c '"record":"result"' rounds.jsonl)" -eq 12 ]
	[ "$(grep -o '"where":"[a-z]*".*"round":[0-9]*' rounds.jsonl | sed 's/",.*:/ /; s/.*"//' | tr '\n' ,)" = \
		'kernel 1,user 1,user 2,kernel 2,kernel 3,user 3,' ]
	[ "$(grep -cE '^(read|write) ' report)" -eq 4 ]
	"$TOP/tools/check/schema" rounds.jsonl
	cp rounds.jsonl copy.jsonl
	memcache compare rounds.jsonl copy.jsonl >compared
	cat compared
	grep -q 'a process of another Linux' compared
	# Kernel and user are compared, too, and may happen to be equal.
	awk '/^A / { a = $2 } /^B / { b = $2 } a != b' compared >files
	[ "$(grep -cE '^(read|write) ' files)" -eq 4 ]
	[ "$(grep -cE '^(read|write) .* 1\.00x +\+0\.0 % [=?] ' files)" -eq 4 ]
}

@test "node 0 is there without NUMA, on both sides, and no other" {
	memcache run -o nodes.jsonl --where both --rounds 1 'bandwidth node=0 size=16K page=4k' >report
	[ "$(grep -c '"record":"result"' nodes.jsonl)" -eq 2 ]
	run -2 memcache run -o none.jsonl --where user 'bandwidth node=1 size=16K'
	[[ $output == *"there is no node 1"* ]]
}

@test "a suite for any machine: a part of each section, the rest skipped and said" {
	run -0 memcache run --dry-run mlc-quick
	[[ $output == *"it takes 2 cpus, and this machine has 1"* ]]
	[[ $output == *"latency pattern=random cpu=0 node=0 size="* ]]
	[[ $output != *"c2c"*"cpu="* ]]
	MEMCACHE_SUITES=$BATS_TEST_TMPDIR
	export MEMCACHE_SUITES
	sed 's/{memory size[^}]*}/1M/; s/repeat=3/repeat=2/; /@rounds/d' "$TOP/tools/suites/mlc-quick" >mlc-small
	memcache run -o mlc.jsonl mlc-small >report 2>messages
	cat messages report
	grep -q '^cpu node / memory node  *0$' report
	for op in all-reads 3:1-reads-writes 2:1-reads-writes 1:1-reads-writes triad; do
		grep -qE "^$op +[~±?]*[0-9.]+$" report
	done
}

@test "reads of files: rates on both sides, and why nothing was counted" {
	memcache run -o files.jsonl amplification-quick >report
	cat report
	[ "$(grep -cE '^20x5M-checked +[~±?]*[0-9.]+ +[~±?]*[0-9.]+ +na +na +na +na +100' report)" -eq 2 ]
	tr -s '\n ' ' ' <report | grep -q 'No amplification (na) where no counters were set'
	rm /var/tmp/memcache-file
}
