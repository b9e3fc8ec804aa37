#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/bisect, on a small tree and a machine that is made up (bisect_machine.py).

load ../bats/words.bash

setup_file() {
	export RESULTS=$BATS_FILE_TMPDIR/results PLAIN=$BATS_TEST_DIRNAME/bisect_machine.py
	MACHINE=$PLAIN
	export MACHINE
	"$MACHINE" results
}

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP CALLS=$BATS_TEST_TMPDIR/calls COLUMNS=200
	export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org
	export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
	mkdir "$BATS_TEST_TMPDIR/tree"
	cd "$BATS_TEST_TMPDIR/tree" || return
	git init -q
}

# Whatever happened, the tree is as it was, and nothing is left of the work tree.
teardown() {
	kept=$(results)
	[ -z "$kept" ] || rm -rf "$kept"
	[ "$(git worktree list | wc -l)" -eq 1 ]
	[ -z "$(git for-each-ref refs/bisect refs/worktree)" ]
	[ -z "$(git status --porcelain)" ]
	[ "$(git rev-parse HEAD)" = "$(git rev-parse master)" ]
}

# commits SPEED…: a commit for each. They have the tags c1, c2 and so on.
commits() {
	local number=0
	git checkout -q -b master
	for speed; do
		number=$((number + 1))
		echo "$speed" >speed
		echo "$number" >number
		git add .
		git commit -q -m "commit $number"
		git tag "c$number"
	done
}

bisect() { "$TOP/tools/bisect" --machine "$MACHINE" "$@" -- 'bandwidth size=4K repeat=20'; }
results() { sed -n 's/.*results and log: //p' "$BATS_TEST_TMPDIR/messages" 2>/dev/null; }

# found NAME: the bisection has to find this commit.
found() {
	bisect c1 "${2:-c9}" >"$BATS_TEST_TMPDIR/found" 2>"$BATS_TEST_TMPDIR/messages" || {
		cat "$BATS_TEST_TMPDIR/messages"
		return 1
	}
	cat "$BATS_TEST_TMPDIR/messages" "$BATS_TEST_TMPDIR/found"
	grep -qx "commit $(git rev-parse "$1")" "$BATS_TEST_TMPDIR/found"
	not grep -q Traceback "$BATS_TEST_TMPDIR/messages" "$(results)/log"
}

# refused STATUS PATTERN WORD…
refused() {
	run "-$1" bisect "${@:3}"
	echo "$output" >"$BATS_TEST_TMPDIR/messages"
	grep -E -e "$2" <<<"$output"
	not grep -q Traceback <<<"$output"
}

@test "the commit since which it is 5 % slower, and no other" {
	commits 10000 10010 9990 10000 10010 9500 9510 9490 9500
	found c6
	grep -q 'a commit is bad if bandwidth .* is slower than 0.97[0-9]x, in 5 boots' \
		"$BATS_TEST_TMPDIR/messages"
	# Of 8 commits, 3 are measured. Each has 5 boots and 5 of GOOD beside it, as have the ends.
	[ "$(wc -l <"$CALLS")" -eq 40 ]
	[ -s "$(results)/bisect.log" ]
}

@test "a faster commit on the way is not a bad one, a lasting loss is found" {
	commits 10000 12000 10000 9980 9000 9000 9000 9010 9000
	found c5
}

@test "the spread asks for more boots" {
	commits 10000 10000 10000 10000 9500 9500 9500 9500 9500
	SCATTER=2 found c5
	messages=$(grep -o 'in [0-9]* boots' "$BATS_TEST_TMPDIR/messages" | cut -d' ' -f2)
	[ "$messages" -gt 5 ]
	[ "$messages" -le 30 ]
}

@test "the ends do not differ, or not clearly: nothing is bisected" {
	commits 10000 10000 10000
	refused 1 'do not differ clearly' c1 c3
	[ "$(wc -l <"$CALLS")" -eq 10 ]
	not grep -q 'Bisecting' <<<"$output"
}

@test "the ends differ by less than they scatter: refused, and how many boots it would take" {
	commits 10000 9900 9500
	SCATTER=6 refused 1 'it would take about [0-9]+ boots' c1 c3
}

@test "commits that do not build, do not boot, or have another verdict are skipped" {
	commits 10000 10000 10000 10000 broken dead other 9500 9500
	run -1 bisect c1 c9
	echo "$output" | tee "$BATS_TEST_TMPDIR/messages"
	[[ $output == *"$(git rev-parse --short=12 c5) does not build: "*/log* ]]
	[[ $output == *"$(git rev-parse --short=12 c6) can't be measured: "*/log* ]]
	grep "$(git rev-parse --short=12 c7) can't tell, 5 .*: effective=yes in the baseline, no now" \
		<<<"$output"
	[[ $output == *"only 'skip'ped commits left"* ]]
	for commit in c5 c6 c7 c8; do
		grep -q "^$(git rev-parse "$commit")$" <<<"$output"
	done
	not grep -q "^$(git rev-parse c4)$" <<<"$output"
}

@test "GOOD can't be measured any more: the bisection ends" {
	commits 10000 10000 10000 10000 9500 9500 9500 9500 9500
	cat >machine <<-'END'
		#!/bin/sh
		[ "$1" != build ] || [ "$(ls "${3%/*}" | wc -l)" -lt 4 ] || touch "$CALLS.stop"
		exec "$PLAIN" "$@"
	END
	chmod +x machine
	mv machine "$BATS_TEST_TMPDIR/"
	MACHINE=$BATS_TEST_TMPDIR/machine run -1 bisect c1 c9
	echo "$output" | tee "$BATS_TEST_TMPDIR/messages"
	[[ $output == *"$(git rev-parse --short=12 c1) can't be measured"* ]]
	[[ $output == *"exit code 128"* ]]
}

@test "BAD does not build" {
	commits 10000 broken
	refused 1 "$(git rev-parse --short=12 c2) does not build: .*/log" c1 c2
}

@test "the command is wrong: found out before anything is built" {
	commits 10000 9500
	refused 2 'none: .*' none c2
	refused 2 'c1 has no commit that c2 does not have' c2 c1
	refused 2 '--boots 4: wanted 5 to 30' --boots 4 c1 c2
	refused 2 'no such program' --machine /none c1 c2
	run -2 "$TOP/tools/bisect" --machine "$MACHINE" c1 c2 -- 'bandwidth sizes=4K'
	[[ $output == *sizes* ]]
	run -2 "$TOP/tools/bisect" c1 c2
	[ ! -e "$CALLS" ]
}

# The machine's program sends the signal when it has begun. The bisection may not know yet that
# it has: in the second try its start takes 0.2 s longer.
@test "a signal: nothing of the work tree is left" {
	commits 10000 10000 9500
	cat >"$BATS_TEST_TMPDIR/machine" <<-'END'
		#!/bin/sh
		echo $$ >"$CALLS"
		kill $PPID
		exec sleep 1000
	END
	chmod +x "$BATS_TEST_TMPDIR/machine"
	mkdir "$BATS_TEST_TMPDIR/late"
	cat >"$BATS_TEST_TMPDIR/late/sitecustomize.py" <<-'END'
		import subprocess
		import time

		class Late(subprocess.Popen):
		    def __init__(self, *args, **options):
		        super().__init__(*args, **options)
		        time.sleep(0.2)

		subprocess.Popen = Late
	END
	for late in "" "$BATS_TEST_TMPDIR/late"; do
		run -143 --separate-stderr env PYTHONPATH="$late" "$TOP/tools/bisect" \
			--machine "$BATS_TEST_TMPDIR/machine" c1 c3 -- 'bandwidth size=4K'
		# shellcheck disable=SC2154	# bats sets stderr
		echo "$stderr" >"$BATS_TEST_TMPDIR/messages"
		not kill -0 "$(cat "$CALLS")"
		rm -rf "$(results)"
	done
}
