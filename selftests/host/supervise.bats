#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The supervisor of guests, with scripts in place of QEMU: which of their output is that of
# the command, when a guest counts as dead, and that it never outlives the supervisor.

load ../bats/words.bash

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

@test "what stands between the tokens is the output, also if they come in pieces" {
	run -7 --separate-stderr supervise 'echo token-123 begun; echo a; printf b; echo token-123 7; echo c; sleep 100'
	[ "$output" = $'a\nb' ]
	[ -z "$stderr" ]
	boots 1
	setup
	run -0 supervise 'printf "token-1"; sleep .2; printf "23 beg"; sleep .2; echo un
		printf "token-12"; sleep .2; printf "token-"; sleep .2; printf "token-123 x\n"
		printf token-; sleep .2; printf 123; sleep .2; printf " 0"; sleep .2; echo; sleep 100'
	[ "$output" = $'token-12token-token-123 x' ]
}

@test "a guest that dies in its command: 125, its output and the console's last lines" {
	run -125 --separate-stderr supervise 'echo token-123 begun; printf "partly token-"'
	[ "$output" = "partly token-" ]
	[[ $stderr == *$'console ended with:\n    SeaBIOS\n    last words' ]]
	boots 1
}

@test "a guest that dies or spins while it boots is started again, three times at most" {
	run -0 --separate-stderr supervise "[ \$(wc -l <'$boots') -gt 2 ] || exit 0
		echo token-123 begun; echo fine; echo token-123 0"
	[ "$output" = fine ]
	[ "$(grep -c 'starting it again' <<<"$stderr")" -eq 2 ]
	boots 3
	rm "$boots"
	setup
	BOOT_CPU_S=1 run -125 --separate-stderr supervise "[ \$(wc -l <'$boots') -gt 1 ] || while :; do :; done"
	[[ $stderr == *"the guest hung while it booted (1 s of CPU time): starting it again"*"last words" ]]
	boots 3
}

# The judge may have ended before, and its parent may have waited for it.
@test "what judges for the guest has ended when it ends" {
	# shellcheck disable=SC2016 # for the inner shell
	for judge in 'sleep 1000 &>/dev/null 3>&- &' 'true &' 'true & wait $!;'; do
		run -0 --separate-stderr bash -c "$judge"' echo $! >"$1.pid"; export GUEST_JUDGE=$!
			exec "$0" 600 "$@" bash -c "echo token-123 begun; echo token-123 0"' \
			"$TOP/tools/guest/supervise" "$dir" "$console"
		[ -z "$stderr" ]
		run -1 kill -0 "$(<"$dir.pid")"
		[ ! -e "$dir" ]
		setup
	done
	rm -r "$dir"
}

@test "a guest that waits, or spins in its command, is not started again" {
	BOOT_CPU_S=1 run -0 --separate-stderr supervise 'sleep 3; echo token-123 begun
		timeout 3 sh -c "while :; do :; done"; echo fine; echo token-123 0'
	[ "$output" = fine ]
	[ -z "$stderr" ]
	boots 1
}

@test "a time-out spans all boots: 124, and the console's last lines" {
	timeout=20 run -124 --separate-stderr supervise "[ \$(wc -l <'$boots') -gt 1 ] || { sleep 1; exit; }
		sleep 1000"
	[[ $stderr == *"not done after 20 s"*"last words" ]]
	boots 2
}

@test "a signal ends the guest, and so does a reader that goes away" {
	for signal in INT TERM KILL; do
		"$TOP/tools/guest/supervise" 600 "$dir" "$console" bash -c \
			'echo token-123 begun; echo $$; exec sleep 1000' >"$BATS_TEST_TMPDIR/said" 3>&- &
		await $! test -s "$BATS_TEST_TMPDIR/said"
		ends_by $signal $!
		# The kernel ends the guest of a supervisor that was killed.
		await 0 not kill -0 "$(<"$BATS_TEST_TMPDIR/said")" 2>/dev/null
		rm -rf "$dir" "$BATS_TEST_TMPDIR/said"
		setup
	done
	[ "$(supervise 'echo token-123 begun; yes' | head -n 1)" = y ]
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
