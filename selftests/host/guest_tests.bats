#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What a guest's tests rest on: tools/guest/bats, which runs them in place of bats, and holds.py,
# which judges for them on the host.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return
	unset BRIEF ONLY_TEST
}

@test "tests have the outcome that bats gives them" {
	echo 'helper() { true; [ 1 = 2 ]; true; }' >lib.bash
	sed 's/^TEST /@test /' >some.bats <<'END'
bats_require_minimum_version 1.5.0
load lib.bash
setup_file() {
	export WORD=word
	[ -z "$ALL" ] || "$ALL" "with $WORD"
}
setup() { cd "$BATS_TEST_TMPDIR" && own=here; }
teardown() { [ "$own" = here ]; }
TEST "passes" {
	[ "$WORD" = word ] && [ "$(ls "$BATS_TEST_DIRNAME"/some.bats)" ]
	[ "$(grep -c . /dev/null)" = 0 ]
}
TEST "fails in a function" {
	echo "said before"
	helper
}
TEST "fails at [[" { [[ a == b ]]; true; }
TEST "and false" { true && false; }
TEST "not is not seen" { ! true; true; }
TEST "run" {
	run ! false
	run -3 bash -c 'echo out; echo err >&2; exit 3'
	[[ $output == $'out\nerr' && $status -eq 3 ]]
	run --separate-stderr bash -c 'echo out; echo err >&2'
	[[ $output == out && $stderr == err && $status -eq 0 ]]
}
TEST "run -2 fails" { run -2 false; }
TEST "run ! fails" { run ! true; }
TEST "skips" { skip "for a reason"; false; }
TEST "fails in teardown" { own=gone; }
# bats test_tags=long
TEST "is long" { false; }
TEST "leaves a process" { sleep 1000 3>&- & kill $!; }
END
	cp some.bats more.bats
	for set in ALL= BRIEF=1 ONLY_TEST='run -2 fails'; do
		for side in check guest; do
			env "$set" "$TOP/tools/$side/bats" "$PWD" >"said-$side" 2>/dev/null && status=0 || status=$?
			echo "status $status" >>"said-$side"
			grep -E '^(1\.\.|not|ok|status)' "said-$side" >"$side"
		done
		diff check guest
	done
	run -1 "$TOP/tools/guest/bats" some.bats
	[[ $output == *$'\n# said before\n# lib.bash, line 1: [ 1 = 2 ]\n'* ]]
	sed -i '1a# bats file_tags=uml' more.bats
	run -1 "$TOP/tools/guest/bats" -t uml .
	[ "$(grep -c '^\(not \)\?ok' <<<"$output")" -eq 12 ]
	ALL=false run -1 "$TOP/tools/guest/bats" some.bats
	[ "$(grep -c '^not ok' <<<"$output")" -eq 12 ]
}

# Each command that runs files of bats prints the plan 1..0, or dies before.
@test "where no test is to run, or a file is not there, the command fails" {
	printf '# bats file_tags=uml,long\n@test "a" { true; }\n' >long.bats
	printf '@test "b" { true; }\n' >b.bats
	for side in check guest; do
		run -1 env BRIEF=1 "$TOP/tools/$side/bats" long.bats
		[[ $output == 1..0* ]]
		run -1 env ONLY_TEST=c "$TOP/tools/$side/bats" b.bats
		run ! "$TOP/tools/$side/bats" none.bats b.bats
	done
	run -1 "$TOP/tools/guest/bats" -t other .
	TAG=other run -0 "$TOP/tools/guest/bats" .
}

# judged FILES EXPRESSION…: what holds.py answers a guest.
judged() {
	{ printf '%s\0' /dir "${@:2}" "$1"; printf '\0'; } | "$TOP/selftests/bats/holds.py" | tr '\0' '\n'
}

@test "a guest's records are judged on the host" {
	printf '%s\n' '{"record":"result","samples":3,"left_out":0}' >results.jsonl
	echo '{"cpu":"one"}' >machine
	echo 'no JSON' >other
	files=$(tail -vn +1 results.jsonl machine other | sed 's|^==> \([rm]\)|==> /dir/\1|')
	[ "$(judged "$files" 'len(results) == 1' 'taken() == {3}' 'machine["cpu"] == "one"' 'lines("other") == ["no JSON"]')" = 0 ]
	[[ $(judged "$files" 'values("samples") == {4}') == $'1does not hold: values("samples") == {4}\n  left side: {3}'* ]]
	[[ $(judged "$files" 'load("other")') == 1Traceback*JSONDecodeError* ]]
}
