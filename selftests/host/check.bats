#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the test runner: no failure may look like a pass.

load ../bats/words.bash

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	export MEMCACHE_LOGS=$BATS_TEST_TMPDIR/logs
	unset JOBS KERNEL RUNS FAST ONLY BRIEF REUSE
	export QEMU=
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
	run "-$status_wanted" "$TOP/tools/check/run" "${@/#/$BATS_TEST_TMPDIR/}"
	[ "${lines[-1]}" = "$last" ]
}

# copy_runner: go to a tree that has the test runner, and no layers.
copy_runner() {
	mkdir -p "$BATS_TEST_TMPDIR/tree/tools/guest"
	cd "$BATS_TEST_TMPDIR/tree" || return
	mkdir tools/check
	cp "$TOP"/tools/check/{run,tap.py,phases.py} tools/check/
	for name in kernel source qemu; do
		cp /bin/true tools/guest/$name
	done
}

@test "passes, failures and skips of flat TAP are counted, and what to do next is said" {
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
	[[ $output == *$'failed:\n  flat: two\n      why it failed\n    alone: tools/check/run '*$'/flat\n    log:   '*$'/flat.log\n'* ]]
	[[ $output == *$'skipped:\n  flat: three (not here)\n'* ]]
}

@test "several layers add up, each has its line; one that is not there fails" {
	printf '1..1\nok 1 a\n' | layer one
	printf 'ok 1 b\nok 2 c\n1..2\n' | layer two
	sums 0 '3 passed, 0 failed, 0 skipped' one two
	[[ $output =~ two(\ +[0-9.]+){6}\ +2\ passed,\ 0\ failed,\ 0\ skipped ]]
	sums 1 '1 passed, 1 failed, 0 skipped' missing one
}

@test "kselftest: nested lines count, the line that sums them up does not" {
	layer kselftest <<-'END'
		TAP version 13
		1..2
		# selftests: memcache: abi
		# TAP version 13
		# 1..4
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

@test "three levels deep, documents one after the other; diagnostics that look like tests" {
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
		# ok 1 said a log
		# 1..7
		okay then
		ok 2 - sibling
		# not ok 9 quoted
		1..2
	END
	sums 0 '4 passed, 0 failed, 0 skipped' deep
}

# A row has the counts, a part of the output, and what the layer prints.
@test "a layer that did not run all that it planned fails, as does one that hides a failure" {
	while IFS='|' read -r counts said text; do
		printf '%b' "$text" | layer odd
		sums 1 "$counts" odd
		[[ $output == *"$said"* ]]
	done <<-'END'
		2 passed, 1 failed, 0 skipped|wrong plan (2 tests ran of 3 planned)|1..3\nok 1 a\nok 2 b\n
		2 passed, 1 failed, 0 skipped|wrong plan|1..1\nok 1 a\nok 2 b\n
		1 passed, 1 failed, 0 skipped|wrong plan|1..1\nok 1 a\n1..1\n
		1 passed, 1 failed, 0 skipped|no plan|ok 1 a\n
		0 passed, 1 failed, 0 skipped|no plan|
		0 passed, 1 failed, 0 skipped|empty plan|1..0\n
		1 passed, 1 failed, 0 skipped|no disk|1..1\nok 1 a\nBail out! no disk\n
		1 passed, 1 failed, 0 skipped|parent > broken|1..1\n    TAP version 13\n    1..2\n    ok 1 fine\n    not ok 2 broken\nok 1 - parent\n
		1 passed, 1 failed, 0 skipped|parent|1..1\n    1..1\n    ok 1 fine\nnot ok 1 - parent\n
		1 passed, 1 failed, 0 skipped|crash > wrong plan (1 tests ran of 9 planned)|1..1\n# selftests: memcache: crash\n# TAP version 13\n# 1..9\n# ok 1 a\nok 1 selftests: memcache: crash\n
	END
	echo '1..0 # SKIP nothing to do here' | layer skipped
	sums 125 'CUT: 0 passed, 0 failed, 1 skipped' skipped
	[[ $output == *$'\nCUT:\n  skipped: all (no test ran)\n'* ]]
}

@test "KERNEL= without a word names the usual kernels, JOBS=0 runs a layer at a time" {
	copy_runner
	printf '#!/bin/sh\necho 1..1; echo ok 1\n' >tools/check/guest
	chmod +x tools/check/guest
	KERNEL='' FAST=1 run -0 tools/check/run guest
	[ "${lines[-1]}" = "1 passed, 0 failed, 0 skipped" ]
	KERNEL=' ' ARCH=arm64 JOBS=0 run -0 timeout -s KILL 60 tools/check/run guest
	[ "${lines[-1]}" = "2 passed, 0 failed, 0 skipped" ]
}

@test "an exit status without a failed test fails, and so does a signal" {
	printf '1..1\nok 1 a\n' | layer status 3
	sums 1 '1 passed, 1 failed, 0 skipped' status
	[[ $output == *'exit status (3, though no test failed)'* ]]
	printf '#!/bin/sh\necho 1..1\necho ok 1\nkill -9 $$\n' >"$BATS_TEST_TMPDIR/killed"
	chmod +x "$BATS_TEST_TMPDIR/killed"
	sums 1 '1 passed, 1 failed, 0 skipped' killed
}

# The functions of the shell that layers are written with.
@test "tap_check, tap_silent, tap_nested and tap_skip say what happened" {
	cat >"$BATS_TEST_TMPDIR/shell" <<-END
		#!/bin/bash
		set -euo pipefail
		. "$TOP/tools/check/lib.sh"
		tap_check "true passes" true
		tap_check "false fails" sh -c 'echo because; exit 7'
		tap_silent "words fail" echo warning: unused
		tap_nested "a runner that returns 0" printf '1..2\nok 1 a\nnot ok 2 b\n'
		tap_nested "skips are no failures" printf '1..1\nnot ok 1 # SKIP c\n'
		tap_nested "what runs no test fails" echo '1..0 # SKIP no module'
		tap_nested "as does what says nothing" true
		tap_skip "something" "no such thing"
		tap_done
	END
	chmod +x "$BATS_TEST_TMPDIR/shell"
	sums 1 '2 passed, 5 failed, 2 skipped' shell
	[[ $output == *$'not ok 2 - false fails\n# because\n'* ]]
	[[ $output == *$'not ok 3 - words fail\n# warning: unused\n'* ]]
	[[ $output == *$'\n    not ok 2 b\nnot ok 4 - a runner that returns 0\n'* ]]
	[[ $output == *$'\n    not ok 1 # SKIP c\nok 5 - skips are no failures\n'* ]]
}

@test "ONLY= picks a file or a program by its name, a check by a part of its title" {
	cat >"$BATS_TEST_TMPDIR/checks" <<-END
		. "$TOP/tools/check/lib.sh"
		tap_by_name=\$1
		for name in file "a file is there" other; do
			! tap_wanted "\$name" || echo "\$name"
		done
		tap_refuse
	END
	picked() { [ "$(ONLY=$1 bash "$BATS_TEST_TMPDIR/checks" "$2" | tail -n +2)" = "$3" ]; }
	picked file '' file
	picked file y $'file\na file is there'
	picked is y 'a file is there'
	none=$'is nothing of what there is:\n# file | a file is there | other\n1..1'
	picked is '' "not ok 1 - ONLY=is $none"
	picked 'f*e' y "not ok 1 - ONLY=f*e $none"
}

@test "a build that has warned warns in each layer of a check, and is made anew in the next one" {
	cp -r "$TOP"/{Kbuild,module,tools} "$BATS_TEST_TMPDIR/"
	cd "$BATS_TEST_TMPDIR"
	mkdir -p kernel/build		# a kernel whose make compiles one file
	# shellcheck disable=SC2016	# for make to expand
	printf '%s\n' 'modules: $(M)/object' '$(M)/object:' \
		$'\ttouch $@; test ! -e $(M)/../../warns || echo warning >&2' >kernel/build/Makefile
	echo 6.1 >kernel/release
	printf '#!/bin/sh\necho %q\n' "$PWD/kernel" >tools/guest/kernel
	built() { MEMCACHE_BEGAN=$1 run bash -c ". tools/check/lib.sh >/dev/null; module_built 6.1 gcc"; }
	touch warns
	for _ in 1 2; do
		built 1
		[ "$output" = warning ]
	done
	rm warns
	built 1
	[ "$output" = warning ]
	built $((EPOCHSECONDS + 9))
	[ -z "$output" ]
}

# A row has the last line, how many commands ran once more and with what status, and a layer with
# what it prints.
@test "one failed test of a guest runs once more, alone, and is listed; others do not" {
	copy_runner
	mkdir selftests
	cp -r "$TOP/selftests/memcache" selftests/
	# shellcheck disable=SC2016	# make's
	printf 'check-%%:\n\t@echo "$@ $(ONLY)" >>ran; exit $(STATUS)\n' >Makefile
	while IFS='|' read -r counts times status layer text; do
		: >ran
		printf '#!/bin/sh\nprintf '\''%s'\''\n' "$text" >"tools/check/${layer% *}"
		chmod +x "tools/check/${layer% *}"
		STATUS=$status run tools/check/run "$layer"
		[ "${lines[-1]}" = "$counts" ]
		[ "$(wc -l <ran)" -eq "$times" ]
		case $output in
		*"once more, alone:"*) [ "$times$status" = 10 ] && [[ $output == *$'\n      why\n'* ]] ;;
		*) [ "$times$status" != 10 ] ;;
		esac
	done <<-'END'
		2 passed, 0 failed, 0 skipped|1|0|host|1..2\nok 1 a\nnot ok 2 a.bats: b\n# why\n
		1 passed, 1 failed, 0 skipped|1|1|host|1..2\nok 1 a\nnot ok 2 a.bats: b\n# why\n
		2 passed, 0 failed, 0 skipped|1|0|guest 6.12|1..2\nok 1 a\nnot ok 2 x.bats: b\n# why\n
		1 passed, 1 failed, 0 skipped|0|0|guest 6.1|1..2\nok 1 a\nnot ok 2 nothing in the kernel log\n# why\n
		0 passed, 1 failed, 0 skipped|0|0|types|1..1\nnot ok 1 test_a.A.test_b\n# why\n
		0 passed, 1 failed, 0 skipped|0|0|guest 6.1|1..1\nnot ok 1 the module builds\n# why\n
		1 passed, 1 failed, 0 skipped|0|0|core|1..2\nok 1 a\nnot ok 2 math.c\n# why\n
		0 passed, 2 failed, 0 skipped|0|0|host|1..2\nnot ok 1 a.bats: a\nnot ok 2 a.bats: b\n
	END
	[ "$(ls "$MEMCACHE_LOGS/again")" = 0.log ]
}

@test "LIMIT_MINUTES= and Ctrl-C: all ends, and the check is cut" {
	copy_runner
	cat >tools/check/uml <<-'END'
		#!/bin/bash
		printf 'TAP version 13\nok 1 one\n    TAP version 13\n    ok 1 two\n'
		sleep 1234 &
		trap 'echo "    not ok 2 ended"' TERM
		bash -c 'trap "" TERM; sleep 1235; sleep 1236' &
		wait
	END
	cat >tools/check/docs <<-'END'
		#!/bin/bash
		printf '1..2\nok 1 three\n%s 2 four\n' "${FOUR:-ok}"
	END
	chmod +x tools/check/{docs,uml}
	sed -i 's/^GRACE_S = [0-9]*/GRACE_S = 1/; s/^LAYERS_PART = [0-9.]*/LAYERS_PART = 0.5/' tools/check/run

	LIMIT_MINUTES=0.05 JOBS=1 run -125 tools/check/run docs uml core
	[ "${lines[-1]}" = "CUT: 4 passed, 0 failed, 0 skipped" ]
	[[ $output == *"uml: all the rest (no time was left: LIMIT_MINUTES=0.05)"* ]]
	[[ $output == *"core: all the rest (no time was left: LIMIT_MINUTES=0.05)"* ]]
	[[ $output != *"not ok"* ]]
	run -1 pgrep -f '^sleep 123[456]$'
	FOUR='not ok' LIMIT_MINUTES=0.05 JOBS=1 run -1 tools/check/run docs uml
	[ "${lines[-1]}" = "CUT: 3 passed, 1 failed, 0 skipped" ]
	LIMIT_MINUTES=5 run -0 tools/check/run docs
	[ "${lines[-1]}" = "2 passed, 0 failed, 0 skipped" ]
	LIMIT_MINUTES=x run -1 tools/check/run docs
	[ "$output" = "memcache: LIMIT_MINUTES=x is no number of minutes" ]

	FOUR='not ok' JOBS=1 tools/check/run docs uml core >said 2>&1 &
	until grep -q 'ok 1 two' said; do sleep 0.1; done
	kill -INT $!
	status=0
	wait $! || status=$?
	[ "$status" = 1 ]
	grep -qF 'core: all the rest (ended by SIGINT)' said
	run -1 grep 'once more' said
	[ "$(tail -1 said)" = "CUT: 3 passed, 1 failed, 0 skipped" ]
	run -1 pgrep -f '^sleep 123[456]$'
}

@test "a layer that has passed is not run again, unless a file that it reads has changed" {
	copy_runner
	for name in core docs; do
		# shellcheck disable=SC2016	# the layer's own
		printf '#!/bin/sh\necho 1..1; echo "${RESULT:-ok} 1 a"; echo "$0" >>../ran\n' >tools/check/$name
		chmod +x tools/check/$name
	done
	sed -i 's/^LAYERS = .*/LAYERS = ["core", "docs"]/' tools/check/run
	git init -q
	mkdir Documentation
	while IFS='|' read -r change ran; do
		: >../ran
		# An assignment for the check, or a command before it.
		case $change in
		*=*) run env "$change" tools/check/run ;;
		*) eval "$change"; run tools/check/run ;;
		esac
		echo "$change: $output"
		[ "$(sed 's|.*/||' ../ran | sort | paste -sd ' ')" = "$ran" ]
		[[ $change == RESULT=* || ${lines[-1]} == "2 passed, 0 failed, 0 skipped" ]]
	done <<-'END'
		true|core docs
		true|
		echo x >Documentation/page|docs
		REUSE=no|core docs
		RUNS=2|core docs
		RESULT=not ok|core docs
		true|core docs
		chmod -x Documentation/page; echo x >>tools/lib.sh|core docs
		true|
	END
	[[ $output == *"core "*" (of 20"*"docs "*" (of 20"* ]]
	run -0 tools/check/run core
	[[ $output != *" (of 20"* ]]
}

@test "nothing is fetched or built inside a test that is judged by its silence" {
	cat >"$BATS_TEST_TMPDIR/checks" <<-END
		set -euo pipefail
		. "$TOP/tools/check/lib.sh"
		. "$TOP/tools/guest/cache.sh"
		CACHE=$BATS_TEST_TMPDIR
		fill_it() { touch "\$tmp/file"; }
		get() { provide fetching "\$CACHE/it-123456789012" fill_it; }
		tap_silent "unseen" get
		get
		tap_silent "seen" get
		tap_done
	END
	# With an empty cache, and with a full one.
	for _ in 1 2; do
		run -0 bash "$BATS_TEST_TMPDIR/checks"
		[[ $output == *$'\nnot ok 1 - unseen\n'*"/it, which was not made before it"*$'\nok 2 - seen\n'* ]]
	done
}

@test "a function of a layer fails where its first command does" {
	cat >"$BATS_TEST_TMPDIR/checks" <<-END
		set -euo pipefail
		. "$TOP/tools/check/lib.sh"
		half() { false; true; }
		whole() { true; }
		for check in tap_check tap_silent; do
			\$check "half" half
			\$check "whole" whole
		done
		tap_done
	END
	run -0 bash "$BATS_TEST_TMPDIR/checks"
	[ "$output" = $'TAP version 13\nnot ok 1 - half\nok 2 - whole\nnot ok 3 - half\nok 4 - whole\n1..4' ]
}

# loops FILE REGISTER: an object with two loops, one of which clears REGISTER.
loops() {
	gcc -c -x assembler -o "$1" - <<-END
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

# wide FILE OFFSET [MORE]: a loop of 32 bytes that copies two lines, and one of 64 that loads the
# second one from OFFSET, and does MORE.
wide() {
	{
		printf '.globl mc_asm_copy32, mc_asm_copy64\nmc_asm_copy32: 1:\n'
		printf 'vmovdqa %d(%%r9), %%ymm0\nvmovdqa %%ymm0, %d(%%rdx)\n' 0 0 32 32 64 64 96 96
		printf 'dec %%rsi\njne 1b\nret\n.balign 64\nmc_asm_copy64: 1:\n'
		printf 'vmovdqa64 %d(%%r9), %%zmm1\nvmovdqa64 %%zmm1, %d(%%rdx)\n' 0 0 "$2" 64
		printf '%s\n' "$3" 'dec %rsi' 'jne 1b' ret
	} | gcc -c -x assembler -o "$1" -
}

# A row has what the second line is loaded from, what is done more, and what is said of it.
@test "a loop of 64 bytes that is not that of 32 is named" {
	cd "$BATS_TEST_TMPDIR"
	wide one 64
	"$TOP/tools/check/wide-loops" one
	while IFS='|' read -r offset more said _; do
		wide one "$offset" "$more"
		run -1 "$TOP/tools/check/wide-loops" one
		[[ $output == "mc_asm_copy64: block 0$said"* ]]
	done <<-'END'
		128||: load of line 2 of (%r9) in place of load of line 1 |
		64|vmovdqa64 %zmm1, 64(%rdx)| accesses other bytes|
		64|vmovdqa64 %zmm1, 192(%rdx)|: store of line 3 |
		64|sfence|: sfence in place of dec %rsi|
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
