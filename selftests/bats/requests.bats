#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Request lines that are wrong, after which the module still works.

load module.bash

# `run` shows the state, and one line that names the key.
refused() {
	cat run
	[ "$(wc -l <run)" -eq 3 ]
	grep -q "^state: $1\$" run
	grep -q "^error: $2 $3: " run
}

OLDER="# of an earlier request; the last one (state: refused) has no results, see run"

@test "every bad request gets its errno and names its key" {
	echo 'bandwidth size=8K repeat=3' >run
	before=$(cat results)
	table=$BATS_TEST_DIRNAME/bad-requests
	[ "$(grep -c '^E' "$table")" -ge 30 ]
	diff <(sed -nE '/^E/s/^(\S+ \S+) */\1 /p' "$table" | sed 's/ *$//') <(request "$table")
	[ "$(head -n 1 results)" = "$OLDER" ]
	[ "$(tail -n +2 results)" = "$before" ]
	grep -q 'leaked_pages=0' buffers
	echo 'bandwidth size=8K' >run
	grep -q '^state: done$' run
}

# bats test_tags=uml
@test "what the shell says" {
	run -1 bash -c 'echo bandwidth size=1 >run'
	[[ $output == *"Invalid argument"* ]]
	refused refused EINVAL size
	run bash -c 'echo bandwidth size=64G >run'
	[[ $output == *"Cannot allocate memory"* ]]
	refused failed ENOMEM size
	run -1 bash -c 'echo bandwidth page=2m >run'
	refused refused EOPNOTSUPP page
}

@test "threads go before others while interrupts are on" {
	echo "bandwidth size=16K irq=on,off repeat=1" >run
	[ "$(grep -o '"sched":"[a-z]*"' results.jsonl | tr -d '\n')" = '"sched":"fifo""sched":"keep"' ]
}

# bats test_tags=uml
@test "a line may have 4095 bytes, and blanks between words" {
	printf 'bandwidth%4079ssize=4K' '' >run
	printf '%-4095s' 'bandwidth   repeat=1   size=4K' >run
	grep -q '^state: done$' run
	run bash -c "printf 'bandwidth%4080ssize=4K' '' >run"
	refused refused EINVAL line
}

# bats test_tags=uml
@test "nobody is told of a run that he did not ask for" {
	request <<-'END'
		- - bandwidth repeat=0
		- - bandwidth repeat=1 size=4K
	END
	grep -q '^state: done$' run
	not grep -q '^error' run
}
