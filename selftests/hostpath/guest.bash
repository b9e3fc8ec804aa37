# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests that walk through a guest over ssh. tools/check/host-path has booted it, in $MACHINE,
# and has connected to it.
# shellcheck disable=SC2154	# variables of bats

load ../bats/words.bash

FILES=/sys/kernel/debug/memcache

# over LOGIN COMMAND: run COMMAND, which a shell of the guest reads, in the checkout.
over() {
	ssh -F "$MACHINE/ssh_config" -S "$SOCKETS/$1" "$1@guest" \
		"cd /home/user/memcache || exit; ${*:2}" </dev/null 3>&-
}
root() { over root "$@"; }
user() { over user "$@"; }

# new LOGIN [OPTION…] COMMAND: the same over a new connection, in the background; $! is ssh.
new() {
	ssh -F "$MACHINE/ssh_config" -S none "${@:2:$#-2}" "$1@guest" \
		"cd /home/user/memcache || exit; ${*: -1}" </dev/null >/dev/null 2>&1 3>&- &
}

# says TEXT…: $output has each of these, however its lines are broken.
says() {
	local text all
	all=$(tr -d '\r' <<<"$output" | sed -zE 's/\n +/ /g')
	for text; do
		grep -qF -- "$text" <<<"$all" || {
			echo "not said: $text"
			return 1
		}
	done
}

loaded() { root test -e /sys/module/memcache; }
unloaded() { root test ! -e /sys/module/memcache; }

# measures, idle: wait until the module does, or does not, measure. What $! runs, measures.
measures() { await $! root "grep -q ^running $FILES/progress"; }
idle() { await 0 root "grep -qx idle $FILES/progress"; }

# results FILE: the number of results of the kernel in a file of the guest.
has_results() { [ "$(results "$1")" -eq "$2" ]; }
results() { user "grep -sc '\"record\":\"result\",.*\"where\":\"kernel\"' $1"; }
