#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the test runner: no failure may look like a pass.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	export MEMCACHE_LOGS=$BATS_TEST_TMPDIR/logs
	unset JOBS KERNEL RUNS FAST ONLY QEMU
}

# layer NAME [STATUS]: a layer that prints stdin, then exits with STATUS.
layer() {
	{ printf '#!/bin/sh\ncat <<"END"\n'; cat; printf 'END\nexit %s\n' "${2:-0}"; } \
		>"$BATS_TEST_TMPDIR/$1"
	chmod +x "$BATS_TEST_TMPDIR/$1"
}

# sums STATUS LAST-LINE LAYER…: tools/check/run must end with this status and this line.
sums() {
	local status_wanted=$1 last=$2
	shift 2
	run "$TOP/tools/check/run" "${@/#/$BATS_TEST_TMPDIR/}"
	echo "$output"
	[ "$status" -eq "$status_wanted" ]
	[ "${lines[-1]}" = "$last" ]
}

@test "passes, failures and skips of flat TAP are counted" {
	layer flat <<-'END'
		TAP version 13
		1..4
		ok 1 - one
		not ok 2 - two
		# why it failed
		ok 3 three # skip not here
		not ok 4 # SKIP the way cmocka skips
	END
	sums 1 '1 passed, 1 failed, 2 skipped' flat
	[[ $output == *$'failed:\n  flat: two\n      why it failed\n'* ]]
	[[ $output == *$'skipped:\n  flat: three (not here)\n'* ]]
}

@test "several layers add up, and each has its line" {
	printf '1..1\nok 1 a\n' | layer one
	printf 'ok 1 b\nok 2 c\n1..2\n' | layer two
	sums 0 '3 passed, 0 failed, 0 skipped' one two
	[[ $output =~ two(\ +[0-9.]+){6}\ +2\ passed,\ 0\ failed,\ 0\ skipped ]]
}

# own_qemu VERSION: from now on this machine has this version of QEMU.
own_qemu() { stub qemu-system-x86_64 "echo 'QEMU emulator version $1'"; }

@test "guests get QEMU 10 where the machine's own is older than 8.1, unless QEMU= is given" {
	local version seen
	# shellcheck disable=SC2016	# for the layer
	stub layer 'echo 1..1; echo "ok 1 - QEMU=$QEMU."'
	while read -r version seen; do
		own_qemu "$version"
		sums 0 '1 passed, 0 failed, 0 skipped' bin/layer
		grep "^ok 1 - QEMU=$seen\.$" <<<"$output"
	done <<-'END'
		7.2.22 10
		8.0.5 10
		8.1.0
		10.0.2
	END
	own_qemu 7.2.22
	QEMU='' sums 0 '1 passed, 0 failed, 0 skipped' bin/layer
	grep '^ok 1 - QEMU=\.$' <<<"$output"
}

@test "two layers run at a time, and speak one after the other" {
	# Each layer waits for the other, so that one alone would never end.
	for name in one two; do
		cat >"$BATS_TEST_TMPDIR/$name" <<-'END'
			#!/bin/bash
			cd "$(dirname "$0")" && echo 1..1
			touch "began-${0##*/}"
			until [[ -e began-one && -e began-two ]]; do sleep 0.1; done
			echo "about ${0##*/}" >&2
			echo "ok 1 - ${0##*/}"
		END
		chmod +x "$BATS_TEST_TMPDIR/$name"
	done
	JOBS=2 sums 0 '2 passed, 0 failed, 0 skipped' one two
	[ "$(grep -E '^(#|ok)' <<<"$output")" = $'# layer one\nok 1 - one\n# layer two\nok 1 - two' ]
}

@test "JOBS=1: one after the other" {
	for name in one two; do
		printf '#!/bin/bash\nset -e\nmkdir %q\nsleep 0.3\nrmdir %q\necho 1..1\necho ok 1\n' \
			"$BATS_TEST_TMPDIR"/{alone,alone} >"$BATS_TEST_TMPDIR/$name"
		chmod +x "$BATS_TEST_TMPDIR/$name"
	done
	JOBS=1 sums 0 '2 passed, 0 failed, 0 skipped' one two
}

@test "a layer may have an argument" {
	# shellcheck disable=SC2016	# the layer's own argument
	printf '#!/bin/bash\necho 1..1; echo "ok 1 - $1"\n' >"$BATS_TEST_TMPDIR/with"
	chmod +x "$BATS_TEST_TMPDIR/with"
	sums 0 '1 passed, 0 failed, 0 skipped' 'with 6.1'
	grep -x 'ok 1 - 6.1' "$MEMCACHE_LOGS/with-6.1.log"
	[[ $output =~ with-6.1(\ +[0-9.]+){6}\ +1\ passed ]]
}

# script NAME: a layer that is the bash script on stdin, with the functions of layers.
script() {
	{
		printf '#!/bin/bash\nset -euo pipefail\n'
		printf '. "%s/%s"\n' "$TOP" tools/lib.sh "$TOP" tools/check/lib.sh
		cat
	} >"$BATS_TEST_TMPDIR/$1"
	chmod +x "$BATS_TEST_TMPDIR/$1"
}

@test "what a layer's time went into: all of it, each phase by whoever began it" {
	script phased <<-'END'
		phase fetching
		sleep 0.4
		tap_check "a phase ends at the next one" eval 'phase building; sleep 0.8'
		tap_check "and with the test in which it began" sleep 0.2
		tap_check "booting" python3 -B -c 'import sys, time; sys.path.insert(0, sys.argv[1])
		import phases; phases.note("booting"); time.sleep(0.6)' "$TOP/tools/check"
		tap_done
	END
	sums 0 '3 passed, 0 failed, 0 skipped' phased
	[ "$(grep -A1 '^layer' <<<"$output" | head -n 1 | xargs)" = "layer seconds CPU fetching building booting testing" ]
	# However busy the machine is, no test takes less time than its sleep.
	grep '^phased ' <<<"$output" | awk '{ sum = $4 + $5 + $6 + $7
		exit !($4 >= 0.4 && $5 >= 0.8 && $6 >= 0.6 && $7 >= 0.2 &&
			sum > $2 - 0.3 && sum < $2 + 0.3) }'
	[ ! -e "$MEMCACHE_LOGS/phased.phases" ]
}

@test "a layer's CPU time is that of all its programs, and no sleep" {
	script busy <<-'END'
		# Half a second of the CPU, however long that takes.
		tap_check "worked" python3 -c 'import time
		while time.process_time() < 0.5: pass'
		tap_done
	END
	script idle <<<'tap_check "slept" sleep 3; tap_done'
	sums 0 '2 passed, 0 failed, 0 skipped' busy idle
	grep -E '^(busy|idle|wall clock) ' <<<"$output" | awk '
		/^busy/ { busy = $3 } /^idle/ { idle = $3 } /^wall/ { all = $4 }
		END { exit !(busy >= 0.5 && idle < 2 && all >= busy && all < busy + idle + 0.2) }'
}

@test "the slowest tests are listed, each test's time is in a file" {
	script timed <<-'END'
		echo "1..3"
		# The first test's time begins when the reader has the plan, which may be late.
		echo "# begun"
		until grep -q begun "$MEMCACHE_LOGS/timed.log"; do sleep 0.01; done
		sleep 0.5
		echo "ok 1 - slow"
		echo "ok 2 - knows better # time=90000.0ms # SKIP why"
		echo "ok 3 - knows it, too # time=0.0ms"
	END
	sums 0 '2 passed, 0 failed, 1 skipped' timed
	[[ $output == *$'slowest tests (all: '*$'times.tsv):\n    90.0 s  timed: knows better\n'* ]]
	cat "$MEMCACHE_LOGS/times.tsv"
	[ "$(cut -f 2- "$MEMCACHE_LOGS/times.tsv")" = \
		$'layer\ttest\ntimed\tknows better\ntimed\tslow\ntimed\tknows it, too' ]
	awk -F '\t' '$3 == "slow" && $1 >= 0.5 { slow = 1 } END { exit !slow }' "$MEMCACHE_LOGS/times.tsv"
}

@test "a test's time is that since the point before, or since its document began" {
	run python3 -B - "$TOP/tools/check" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import tap
		reader = tap.Reader()
		for now, line in ((1, "TAP version 13"), (3, "ok 1 - two"), (20, "    TAP version 13"),
		                  (21, "    # selftests: memcache: x"), (22, "    # TAP version 13"),
		                  (23, "    # 1..2"), (24, "    # ok 1 four"), (25, "    # ok 2 one"),
		                  (30, "    ok 1 selftests: memcache: x"), (33, "    not ok 2 - three"),
		                  (34, "    1..2"), (35, "ok 2 - parent"), (36, "1..2")):
		    reader.feed(line, now)
		print(*(f"{r.path[-1]}={r.seconds:g}" for r in reader.end()))
	END
	[ "$output" = "two=2 four=4 one=1 three=3" ]
}

@test "kselftest: nested lines count, the line that sums them up does not" {
	layer kselftest <<-'END'
		TAP version 13
		1..2
		# selftests: memcache: abi
		# TAP version 13
		# 1..4
		# # Starting 4 tests from 1 test cases.
		# #  RUN           global.a ...
		# #            OK  global.a
		# ok 1 global.a
		# #  RUN           global.b ...
		# # abi.c:9:global.b:Expected 0 (0) == run() (-12)
		# #          FAIL  global.b
		# not ok 2 global.b
		# #  RUN           global.c ...
		# # abi.c:12:global.c:Expected 1 (1) == run() (0)
		# #          FAIL  global.c
		# not ok 3 global.c
		# ok 4 # SKIP no second node
		# # FAILED: 2 / 4 tests passed.
		not ok 1 selftests: memcache: abi # exit=1
		# selftests: memcache: plain.sh
		# hello
		ok 2 selftests: memcache: plain.sh
	END
	sums 1 '2 passed, 2 failed, 1 skipped' kselftest
	[[ $output == *$'abi # exit=1 > global.b\n      abi.c:9:global.b:Expected 0 (0) == run() (-12)\n      FAIL  global.b\n    alone:'* ]]
	[[ $output == *$'abi # exit=1 > global.c\n      abi.c:12:global.c:Expected 1 (1) == run() (0)\n'* ]]
}

@test "a failing child under a passing parent fails" {
	layer kind <<-'END'
		1..1
		    TAP version 13
		    1..2
		    ok 1 fine
		    not ok 2 broken
		ok 1 - parent
	END
	sums 1 '1 passed, 1 failed, 0 skipped' kind
}

@test "a failing parent counts when none of its children failed" {
	layer hidden <<-'END'
		1..1
		    1..1
		    ok 1 fine
		not ok 1 - parent
	END
	sums 1 '1 passed, 1 failed, 0 skipped' hidden
}

@test "three levels deep, documents one after the other" {
	layer deep <<-'END'
		TAP version 13
		    TAP version 13
		    1..1
		    # selftests: memcache: x
		    # TAP version 13
		    # 1..2
		    # ok 1 a
		    # ok 2 b
		    ok 1 selftests: memcache: x
		    TAP version 13
		    1..1
		    ok 1 c
		ok 1 - parent
		ok 2 - sibling
		1..2
	END
	sums 0 '4 passed, 0 failed, 0 skipped' deep
}

@test "diagnostics that look like tests are not counted" {
	layer noisy <<-'END'
		1..2
		# TAP version 13
		# ok 1 said a log
		# 1..7
		okay then
		ok 1 - a
		# not ok 9 quoted
		ok 2 - b
	END
	sums 0 '2 passed, 0 failed, 0 skipped' noisy
}

@test "fewer tests than planned fail" {
	printf '1..3\nok 1 a\nok 2 b\n' | layer short
	sums 1 '2 passed, 1 failed, 0 skipped' short
	[[ $output == *'wrong plan (2 tests ran of 3 planned)'* ]]
}

@test "more tests than planned, or a second plan, fail" {
	printf '1..1\nok 1 a\nok 2 b\n' | layer long
	sums 1 '2 passed, 1 failed, 0 skipped' long
	printf '1..1\nok 1 a\n1..1\n' | layer twice
	sums 1 '1 passed, 1 failed, 0 skipped' twice
}

@test "a nested document that stops half-way fails" {
	layer crash <<-'END'
		1..1
		# selftests: memcache: crash
		# TAP version 13
		# 1..9
		# ok 1 a
		ok 1 selftests: memcache: crash
	END
	sums 1 '1 passed, 1 failed, 0 skipped' crash
	[[ $output == *'crash > wrong plan (1 tests ran of 9 planned)'* ]]
}

@test "no plan fails" {
	printf 'ok 1 a\n' | layer died
	sums 1 '1 passed, 1 failed, 0 skipped' died
}

@test "no output fails" {
	layer mute </dev/null
	sums 1 '0 passed, 1 failed, 0 skipped' mute
}

@test "an empty plan fails, a skipped one is skipped" {
	echo 1..0 | layer empty
	sums 1 '0 passed, 1 failed, 0 skipped' empty
	echo '1..0 # SKIP nothing to do here' | layer skipped
	sums 0 '0 passed, 0 failed, 1 skipped' skipped
}

@test "an exit status without a failed test fails" {
	printf '1..1\nok 1 a\n' | layer status 3
	sums 1 '1 passed, 1 failed, 0 skipped' status
	[[ $output == *'exit status (3, though no test failed)'* ]]
}

@test "a layer killed by a signal fails" {
	printf '#!/bin/sh\necho 1..1\necho ok 1\nkill -9 $$\n' >"$BATS_TEST_TMPDIR/killed"
	chmod +x "$BATS_TEST_TMPDIR/killed"
	sums 1 '1 passed, 1 failed, 0 skipped' killed
}

@test "bailing out fails" {
	printf '1..1\nok 1 a\nBail out! no disk\n' | layer bail
	sums 1 '1 passed, 1 failed, 0 skipped' bail
}

@test "a layer that is not there fails, the others run" {
	printf '1..1\nok 1 a\n' | layer there
	sums 1 '1 passed, 1 failed, 0 skipped' missing there
}

@test "the log has a layer's TAP and its progress" {
	printf '#!/bin/sh\necho working >&2\necho 1..1\necho ok 1\n' >"$BATS_TEST_TMPDIR/both"
	chmod +x "$BATS_TEST_TMPDIR/both"
	sums 0 '1 passed, 0 failed, 0 skipped' both
	grep -x working "$MEMCACHE_LOGS/both.log"
	grep -x 'ok 1' "$MEMCACHE_LOGS/both.log"
}

# The functions of the shell that layers are written with.
@test "tap_check, tap_silent, tap_nested and tap_skip say what happened" {
	cat >"$BATS_TEST_TMPDIR/shell" <<-END
		#!/bin/bash
		set -euo pipefail
		. "$TOP/tools/lib.sh"
		. "$TOP/tools/check/lib.sh"
		tap_check "true passes" true
		tap_check "false fails" sh -c 'echo because; exit 7'
		tap_silent "words fail" echo warning: unused
		tap_nested "a runner that returns 0" printf '1..2\nok 1 a\nnot ok 2 b\n'
		tap_nested "skips are no failures" printf '1..1\nnot ok 1 # SKIP c\n'
		tap_skip "something" "no such thing"
		tap_done
	END
	chmod +x "$BATS_TEST_TMPDIR/shell"
	sums 1 '2 passed, 3 failed, 2 skipped' shell
	[[ $output == *$'not ok 2 - false fails\n# because\n'* ]]
	[[ $output == *$'not ok 3 - words fail\n# warning: unused\n'* ]]
	[[ $output == *$'\n    not ok 2 b\nnot ok 4 - a runner that returns 0\n'* ]]
	[[ $output == *$'\n    not ok 1 # SKIP c\nok 5 - skips are no failures\n'* ]]
}

@test "a module whose build has warned is built anew, and warns again" {
	mkdir -p "$BATS_TEST_TMPDIR/tools/guest"
	cd "$BATS_TEST_TMPDIR"
	cat >tools/guest/build <<-'END'
		#!/bin/bash
		dir=build/$2-$4
		[ ! -e $dir ] || exit 0
		mkdir -p $dir
		[ ! -e warns ] || echo warning | tee $dir/.said >&2
	END
	chmod +x tools/guest/build
	built() { run bash -c ". '$TOP/tools/check/lib.sh' >/dev/null; module_built 6.1 gcc"; }
	touch warns
	built
	[ "$output" = warning ]
	built
	[ "$output" = warning ]
	rm warns
	built
	[ -z "$output" ]
	touch warns
	built
	[ -z "$output" ]
}

@test "what runs a failed test alone" {
	run python3 -B - "$TOP/tools/check" <<-'END'
		import importlib.machinery, importlib.util, sys
		sys.path.insert(0, sys.argv[1])
		loader = importlib.machinery.SourceFileLoader("run", f"{sys.argv[1]}/run")
		run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
		loader.exec_module(run)
		for words, *path in (
		        ("guest 6.1", "6.1", "kselftest", "selftests: memcache: memory # exit=1", "global.a"),
		        ("guest 6.1", "6.1", "bats", "front.bats: it's $5"),
		        ("guest debug", "debug", "fuzz_files.py", "1 write"),
		        ("guest 6.12", "6.12: the module builds"), ("guest 6.12", "wrong plan"),
		        ("core", "record", "empty"), ("core", "fuzz", "spec: 9 inputs"), ("core", "no plan"),
		        ("host", "uml.bats: the guest's"), ("uml", "bats", "front.bats: plain"),
		        ("front", "test_run.Words.test_a"), ("front", "unittest.loader._FailedTest.test_b"),
		        ("types", "test_wide", "setUpClass (test_wide.Wide)"),
		        ("static", "6.1: gcc W=1 has no warning"), ("docs", "links"),
		        ("kernels", "x"), ("fleet hosts", "guests.bats: five hosts"), ("own one", "x")):
		    print(run.command(run.Layer(words), run.tap.Result("failed", path, "")))
	END
	echo "$output"
	[ "$output" = "make check-guest KERNEL=6.1 ONLY=memory
make check-guest KERNEL=6.1 ONLY='front.bats: it'\"'\"'s \$\$5'
make check-guest KERNEL=debug ONLY=fuzz_files.py
make check-guest KERNEL=6.12
make check-guest KERNEL=6.12
make check-core ONLY=record
make check-core ONLY=fuzz
make check-core
make check-host ONLY=\"uml.bats: the guest's\"
make check-uml ONLY='front.bats: plain'
make check-front ONLY=test_run.Words.test_a
make check-front ONLY=test_b
make check-types ONLY=test_wide.Wide
make check-static ONLY='6.1: gcc W=1 has no warning'
make check-docs ONLY=links
make check-kernels
make check-fleet-hosts
tools/check/run 'own one'" ]
}

@test "a failure says what to do next" {
	printf '1..1\nnot ok 1 broken\n# why\n' | layer next
	sums 1 '0 passed, 1 failed, 0 skipped' next
	[[ $output == *$'\n  next: broken\n      why\n    alone: tools/check/run '*$'/next\n    log:   '*$'/next.log\n'* ]]
}

@test "ONLY=: one layer; one file or one test of it; anything else is refused by a list" {
	cd "$TOP"
	ONLY=setup.bats run tools/check/run core host
	[ "$status" -eq 1 ]
	[[ $output == *"ONLY= picks from one layer: make check-LAYER ONLY="* ]]
	ONLY='setup.bats: without apt, the packages are named' run tools/check/run host
	[ "${lines[-1]}" = "1 passed, 0 failed, 0 skipped" ]
	ONLY=setup.bats run tools/check/run host
	[ "${lines[-1]}" = "$(grep -c ^@test selftests/host/setup.bats) passed, 0 failed, 0 skipped" ]
	for layer in core static docs front host uml types guest; do
		KERNEL=6.1 ONLY=nonsense run tools/check/run $layer
		echo "$output"
		[ "${lines[-1]}" = "0 passed, 1 failed, 0 skipped" ]
		[[ $output == *": ONLY=nonsense is nothing of what there is:"* && $output == *" | "* ]]
		[[ $output != *alone:* ]]
	done
	ONLY='setup.bats: no such test' run tools/check/run host
	[[ $output == *" | setup.bats: "* ]]
	ONLY=test_run.Words.test_nothing run tools/check/run front
	[[ $output == *" | test_run.Words."* ]]
}

@test "FAST=1: fewer layers, one kernel, the examples; all: in 6.1 what others have not shown" {
	cp -r --parents "$TOP"/tools/check/{run,tap.py,phases.py} "$BATS_TEST_TMPDIR"
	copy=$BATS_TEST_TMPDIR$TOP
	for name in core static docs front host uml types guest; do
		# shellcheck disable=SC2016	# the layer's own
		printf '#!/bin/bash\necho 1..1; echo "ok 1 - $* FAST=$FAST ONLY=$ONLY${BRIEF:+ BRIEF=$BRIEF}"\n' >"$copy/tools/check/$name"
		chmod +x "$copy/tools/check/$name"
	done
	FAST=1 run "$copy/tools/check/run"
	echo "$output"
	[ "$(grep -E '^(# layer|ok)' <<<"$output")" = "# layer core
ok 1 -  FAST=1 ONLY=
# layer static
ok 1 -  FAST=1 ONLY=
# layer front
ok 1 -  FAST=1 ONLY=
# layer uml
ok 1 -  FAST=1 ONLY=
# layer guest-6.1
ok 1 - 6.1 FAST=1 ONLY=examples.bats" ]
	FAST='' run "$copy/tools/check/run"
	[ "$(grep -c '^ok 1 - .*FAST= ONLY=$' <<<"$output")" -eq 8 ]
	grep -x 'ok 1 - debug FAST= ONLY=' <<<"$output"
	grep -x 'ok 1 - 6.12 FAST= ONLY= BRIEF=programs' <<<"$output"
	grep -x 'ok 1 - 6.1 FAST= ONLY= BRIEF=1' <<<"$output"
	grep -x 'ok 1 - 6.1-arm64 FAST= ONLY= BRIEF=1' <<<"$output"
	FAST='' run "$copy/tools/check/run" guest
	[ "$(grep -c '^ok 1 - .*FAST= ONLY=$' <<<"$output")" -eq 4 ]
	FAST='' ARCH=arm64 run "$copy/tools/check/run" guest
	[ "$(grep -o '^ok 1 - .*-arm64 ' <<<"$output")" = $'ok 1 - 6.1-arm64 \nok 1 - 6.12-arm64 ' ]
	for kernel in 6.12 6.12-arm64; do
		FAST='' ARCH=arm64 KERNEL=$kernel run "$copy/tools/check/run" guest
		grep -x 'ok 1 - 6.12-arm64 FAST= ONLY=' <<<"$output"
	done
	ARCH=riscv64 run -1 "$copy/tools/check/run" guest
	[ "$output" = "memcache: ARCH=riscv64 is neither x86_64 nor arm64" ]
	FAST='' KERNEL=6.1 run "$copy/tools/check/run"
	[ "$(grep -c '^ok 1 - .*FAST= ONLY=$' <<<"$output")" -eq 8 ]
}

# loops FILE REGISTER: an object with two loops, one of which clears REGISTER.
loops() {
	gcc -c -x assembler -o "$BATS_TEST_TMPDIR/$1" - <<-END
		.globl mc_asm_a, mc_asm_b
		mc_asm_a: mov here(%rip), %rax
		1: dec %rsi
		jnz 1b
		ret
		.balign 64
		mc_asm_b: xor $2, $2
		ret
		.data
		here: .quad 0
	END
}

@test "a loop that is not the same in two files is named" {
	cd "$BATS_TEST_TMPDIR"
	loops one %eax
	loops same %eax
	loops other %ecx
	"$TOP/tools/check/same-loops" one same
	run -1 "$TOP/tools/check/same-loops" one other
	[[ $output == "mc_asm_b: "*"xor "*" is "*"xor "*" in the program" ]]
	printf '.globl mc_asm_a\nmc_asm_a: ret\n' | gcc -c -x assembler -o less -
	run -1 "$TOP/tools/check/same-loops" one less
	[[ $output == *"mc_asm_b: only in one"* ]]
	printf 'nop\n' | gcc -c -x assembler -o none -
	run -1 "$TOP/tools/check/same-loops" none one
	[[ $output == "none has no loop" ]]
}
