#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The supervisor of QEMU, with scripts in place of QEMU: which of their output is that of
# the command, and when a guest counts as dead.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	dir=$BATS_TEST_TMPDIR/dir console=$BATS_TEST_TMPDIR/console
	boots=$BATS_TEST_TMPDIR/boots
	mkdir "$dir"
	printf 'token-123' >"$dir/token"
	printf '\033[0mSeaBIOS\r\nlast words\r\n' >"$console"
}

teardown() { [ ! -e "$dir" ]; }

# supervise SCRIPT: run the script as the guest.
supervise() { "$TOP/tools/guest/supervise" "${timeout:-600}" "$dir" "$console" bash -c "echo >>'$boots'; $1"; }

boots() { [ "$(wc -l <"$boots")" -eq "$1" ]; }

@test "what stands between the tokens is the output" {
	run -7 --separate-stderr supervise 'echo token-123 begun; echo a; printf b; echo token-123 7; echo c; sleep 100'
	[ "$output" = $'a\nb' ]
	[ -z "$stderr" ]
	boots 1
}

@test "a token that comes in pieces, or only seems to come" {
	run -0 supervise 'printf "token-1"; sleep .2; printf "23 beg"; sleep .2; echo un
		printf "token-12"; sleep .2; printf "token-"; sleep .2; printf "token-123 x\n"
		printf token-; sleep .2; printf 123; sleep .2; printf " 0"; sleep .2; echo; sleep 100'
	[ "$output" = $'token-12token-token-123 x' ]
}

@test "half a token is output when nothing follows" {
	run -125 --separate-stderr supervise 'echo token-123 begun; printf "a token-"'
	[ "$output" = "a token-" ]
}

@test "a guest that dies while booting is started again" {
	run -0 --separate-stderr supervise "[ \$(wc -l <'$boots') -gt 2 ] || exit 0
		echo token-123 begun; echo fine; echo token-123 0"
	[ "$output" = fine ]
	[ "$(grep -c 'starting it again' <<<"$stderr")" -eq 2 ]
	boots 3
}

@test "a guest that spins while booting is started again" {
	BOOT_CPU_S=1 run -0 --separate-stderr supervise "[ \$(wc -l <'$boots') -gt 1 ] || while :; do :; done
		echo token-123 begun; echo fine; echo token-123 0"
	[ "$output" = fine ]
	[[ $stderr == *"the guest hung while it booted (1 s of CPU time): starting it again"* ]]
	boots 2
}

@test "a guest that waits, or spins in its command, is not started again" {
	BOOT_CPU_S=1 run -0 --separate-stderr supervise 'sleep 3; echo token-123 begun
		timeout 3 sh -c "while :; do :; done"; echo fine; echo token-123 0'
	[ "$output" = fine ]
	[ -z "$stderr" ]
	boots 1
}

@test "a guest that never boots is started three times" {
	run -125 --separate-stderr supervise 'exit 1'
	boots 3
	[[ $stderr == *$'console ended with:\n    SeaBIOS\n    last words' ]]
}

@test "a guest that dies in its command is not started again" {
	run -125 --separate-stderr supervise 'echo token-123 begun; echo partly'
	[ "$output" = partly ]
	[[ $stderr == *"last words" ]]
	boots 1
}

@test "a time-out spans all boots" {
	timeout=20 run -124 --separate-stderr supervise "[ \$(wc -l <'$boots') -gt 1 ] || { sleep 1; exit; }
		sleep 1000"
	[[ $stderr == *"not done after 20 s"*"last words" ]]
	boots 2
}

@test "a process of the guest that takes a while to end has ended, too" {
	# The kernel takes away the memory of a killed process first.
	child='import os, time
memory = b"1" * (256 << 20)
print(f"token-123 begun\n{os.getpid()}\ntoken-123 0", flush=True)
time.sleep(1000)'
	run -0 supervise "(/usr/bin/python3 -c '$child' &); sleep 1000"
	[ ! -e "/proc/$output" ]
}
