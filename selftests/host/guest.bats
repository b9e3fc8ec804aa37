#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest as a tool: what a script may rely on when it runs a command in one. The same
# tests run for two guests: this file is about `stock`, and guest_uml.bats, a link to
# it, is about `uml`. What only one of them has is in stock.bats and uml.bats.
# A boot of `stock` takes many seconds. So one boot, the tour, produces everything that
# the tests can check afterwards.

# shellcheck disable=SC2016 # what stands in single quotes, the guest expands

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	case $BATS_TEST_FILENAME in
	*/guest_uml.bats) GUEST=uml ;;
	*) GUEST=stock ;;
	esac
	# Nothing takes as long as this, even on a busy machine.
	export TOP GUEST TIMEOUT=600
	unset KERNEL ACCEL CPUS DEVICES DIMM PMEM CXL HMAT MEM APPEND GUEST_LOG MEMCACHE_KO COMPILER KVM_DEVICE
	unset FIRMWARE LOADER CONSOLE
	"$TOP/tools/setup" guest
	if [ "$GUEST" = stock ]; then
		# Other tests test the probe for KVM.
		ACCEL=$("$TOP/tools/guest/accel" "$("$TOP/tools/guest/kernel" 6.1)" | cut -d' ' -f1)
		export ACCEL
	fi
	# Host and guest share this directory.
	MARK=guest-test-$GUEST-$$ SHARED=$TOP/build/guest-test-$GUEST-$$
	export MARK SHARED
	mkdir -p "$SHARED"
	tour
}

teardown_file() { rm -rf "$SHARED" "$TOP/results/$MARK"; }

# The tour. The tests check its status, its output and the files that it left behind.
tour() {
	local status=0
	cd "$BATS_FILE_TMPDIR" || return
	head -c 1M /dev/urandom >sent
	echo host >file
	mkdir directory "a directory, shared by nobody" tmp
	FOO=$'two\nlines, a "quote" and \\' GUEST_LOG="$PWD/a log, kept" TMPDIR=$PWD/tmp \
		guest sh -c '
		{ pwd; wc -c; printf "%s|" "$FOO" "$@"; } >"$SHARED/given"
		echo "<6>only told" >/dev/kmsg
		echo r >"$TOP/results/$MARK"
		echo t >"$TOP/tools/$MARK"
		echo guest >file
		rm -r directory && echo new >directory
		sleep 1000 &
		trap "" TERM
		cat sent
		echo a
		echo b >&2
		printf c >/dev/stderr
		exit 77' sh 'a b' '' '*' $'\t' >received 2>messages || status=$?
	echo "$status" >status
}

setup() {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	cd "$BATS_FILE_TMPDIR" || return
}

# Whatever a test did, no process of a guest may be left, nor any file that it needed.
teardown() {
	# Processes of User-Mode Linux are found by their open console: they have no command line.
	left=$(find /proc/[0-9]*/fd -lname "$TMPDIR/*" 2>/dev/null || true)
	[ -z "$left" ] || { echo "left: $left"; return 1; }
	! grep -sqF "$TMPDIR" /proc/[0-9]*/cmdline || { echo "a guest is left"; return 1; }
	[ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR"; return 1; }
}

guest() { "$TOP/tools/guest/run" "$GUEST" -- "$@"; }

# begin COMMAND…: start the guest, and wait until the command has printed `begun`. Sets
# supervisor, the process to send signals to (so no function of ours starts it); the file
# `said` has the output, and `messages` the messages.
begin() {
	"$TOP/tools/guest/run" "$GUEST" -- "$@" >"$BATS_TEST_TMPDIR/said" 2>"$BATS_TEST_TMPDIR/messages" 3>&- &
	supervisor=$!
	until grep -qsx begun "$BATS_TEST_TMPDIR/said"; do
		kill -0 $supervisor
		sleep 0.1
	done
}

# ended STATUS: the guest must end with this status; its messages are shown.
ended() {
	local status=0
	wait "$supervisor" || status=$?
	cat "$BATS_TEST_TMPDIR/messages"
	[ "$status" -eq "$1" ]
}

@test "the command's exit status is the guest's" {
	cat messages
	[ "$(cat status)" -eq 77 ]
	run -127 guest no-such-command
}

@test "output to stdout, stderr and /dev/stderr comes, byte by byte, with no line end added" {
	cmp received <(cat sent; printf 'a\nb\nc')
}

@test "output is live, and a slow reader loses nothing" {
	# The guest's port alone holds 4 MiB (128 buffers of 32 KiB). With 16 MiB, all that is
	# between writer and reader is full when the writer sleeps, and `cat`, which reads what
	# it writes and passes it on, sleeps, too.
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	"$TOP/tools/guest/run" "$GUEST" -- sh -c '
		echo begun; until [ -e "$SHARED/heard" ]; do sleep 0.1; done
		asleep() { grep -q "^State:.S" "/proc/$1/status"; }
		echo ended; head -c 16M /dev/zero &
		until asleep $! && asleep "$(pidof cat)" && asleep $!; do sleep 0.1; done
		touch "$SHARED/full"; wait' \
		>"$BATS_TEST_TMPDIR/pipe" 2>"$BATS_TEST_TMPDIR/messages" 3>&- &
	local writer=$!
	{
		read -r line
		[ "$line" = begun ]
		# The guest waits for this file.
		touch "$SHARED/heard"
		read -r line
		[ "$line" = ended ]
		until [ -e "$SHARED/full" ]; do
			kill -0 $writer
			sleep 0.1
		done
		[ "$(wc -c)" -eq $((16 << 20)) ]
	} <"$BATS_TEST_TMPDIR/pipe"
	wait $writer
}

@test "what the command left running ends with it" {
	[ "$(cat status)" -eq 77 ]
	[ -z "$(ls -A tmp)" ]
	[ -z "$(find /proc/[0-9]*/fd -lname "$PWD/*" 2>/dev/null)" ]
}

@test "a guest that hangs: 124, and the console's last lines" {
	begin sh -c 'echo it hangs here >/dev/kmsg; echo begun; sleep 1000'
	# This signal comes when the time is up.
	kill -ALRM "$supervisor"
	ended 124
	grep -F "not done after 600 s" "$BATS_TEST_TMPDIR/messages"
	grep "^    \[.*it hangs here" "$BATS_TEST_TMPDIR/messages"
}

@test "the time is up, wherever the guest is" {
	TIMEOUT=1 run -124 guest sleep 1000
	[[ $output == *"not done after 1 s"* ]]
}

@test "a guest that panics: 125, long before the time is up, and the console's last lines" {
	run -125 guest sh -c 'echo c >/proc/sysrq-trigger; sleep 1000'
	[[ $output == *"Kernel panic - not syncing: sysrq triggered crash"* ]]
}

@test "a guest that powers off is no success" {
	run -125 guest sh -c 'echo o >/proc/sysrq-trigger; sleep 1000'
}

@test "a signal ends the guest" {
	for signal in INT TERM; do
		begin sh -c 'echo begun; sleep 1000'
		kill -$signal "$supervisor"
		ended $((128 + $(kill -l $signal)))
		grep "stopping the guest" "$BATS_TEST_TMPDIR/messages"
		rm "$BATS_TEST_TMPDIR/said"
	done
}

@test "a reader that goes away ends the guest" {
	[ "$(guest yes | head -n 1)" = y ]
}

@test "the kernel's console is kept where GUEST_LOG says" {
	grep -F "only told" "a log, kept"
}

@test "results/ and build/ are the host's, all else is forgotten" {
	[ "$(cat "$TOP/results/$MARK")" = r ]
	[ -s "$SHARED/given" ]
	[ "$(cat file)" = host ]
	[ -d directory ]
	[ ! -e "$TOP/tools/$MARK" ]
}

@test "working directory, environment, arguments and stdin" {
	cmp "$SHARED/given" <(printf '%s\n0\ntwo\nlines, a "quote" and \\|a b||*|\t|' "$PWD")
}

# Each guest waits for the other.
@test "two guests at once do not meddle with each other" {
	local wait_for='touch "$SHARED/$1"; until [ -e "$SHARED/$2" ]; do sleep 0.1; done; echo "$1"'
	guest sh -c "$wait_for; exit 3" sh one two >"$BATS_TEST_TMPDIR/1" 3>&- &
	[ "$(guest sh -c "$wait_for" sh two one)" = two ]
	status=0
	wait $! || status=$?
	[ "$status" -eq 3 ]
	[ "$(cat "$BATS_TEST_TMPDIR/1")" = one ]
}

@test "a repository whose path has a space, a comma and a quote" {
	copy="$BATS_TEST_TMPDIR/my repo, that's it"
	declare -A kernel=([stock]=6.1 [uml]=uml)
	mkdir -p "$copy/module"
	cp -r "$TOP/tools" "$copy/"
	cp "$TOP/Kbuild" "$copy/"
	echo 'obj-m += memcache.o' >"$copy/module/Kbuild"
	printf '%s\n' '#include <linux/module.h>' 'MODULE_LICENSE("GPL");' \
		'MODULE_DESCRIPTION("nothing");' >"$copy/module/memcache.c"
	"$copy/tools/setup" build
	ko=$("$copy/tools/guest/build" -k "${kernel[$GUEST]}")
	[ "$ko" = "$copy/build/${kernel[$GUEST]}-gcc/module/memcache.ko" ]
	cd "$copy"
	mkdir "$copy/tmp, too"
	run --separate-stderr env TMPDIR="$copy/tmp, too" tools/guest/run "$GUEST" -- sh -c \
		'insmod "$MEMCACHE_KO" && ls -d /sys/module/memcache && pwd >results/where'
	[ "$output" = /sys/module/memcache ]
	[ "$(cat results/where)" = "$copy" ]
}
