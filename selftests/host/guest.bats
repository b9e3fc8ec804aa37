#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What a command may rely on that runs in a guest: above all, none of its output is lost, and
# its failure is not. The same tests run for two guests: this file is about `stock`, and
# guest_uml.bats, a link to it, is about `uml`. A boot of `stock` takes many seconds, so each
# test checks all that one boot can show.

# shellcheck disable=SC2016 # what stands in single quotes, the guest expands

load ../bats/words.bash

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	case $BATS_TEST_FILENAME in
	*/guest_uml.bats) GUEST=uml KERNEL=uml ;;
	*) GUEST=stock KERNEL=6.1 ;;
	esac
	# Nothing takes as long as this, even on a busy machine.
	export TOP GUEST KERNEL TIMEOUT=3600
	unset ACCEL CPUS DEVICES DIMM PMEM CXL HMAT MEM APPEND GUEST_LOG MEMCACHE_KO COMPILER
	unset FIRMWARE LOADER CONSOLE MODULES
	# Host and guest share this directory.
	export SHARED=$TOP/build/guest-test-$GUEST-$$
	mkdir -p "$SHARED"
}

teardown_file() { rm -rf "$SHARED"; }

setup() {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return
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

@test "a command's status, output and surroundings; a path with a space, a comma and a quote" {
	local status=0 copy="$BATS_TEST_TMPDIR/my repo, that's it"
	mkdir -p "$copy/module" "$copy/tmp, too" "$copy/selftests/bats"
	cp -r "$TOP/tools" "$TOP/Kbuild" "$copy/"
	cp "$TOP/selftests/bats/holds.py" "$copy/selftests/bats/"
	echo 'obj-m += memcache.o' >"$copy/module/Kbuild"
	printf '%s\n' '#include <linux/module.h>' 'MODULE_LICENSE("GPL");' \
		'MODULE_DESCRIPTION("nothing");' >"$copy/module/memcache.c"
	export TOP=$copy
	[ "$("$TOP/tools/guest/build" -k "$KERNEL")" = "$copy/build/$KERNEL-gcc/module/memcache.ko" ]
	export TMPDIR="$copy/tmp, too"
	head -c 1M /dev/urandom >sent
	echo host >file
	mkdir directory "a directory, shared by nobody"
	FOO=$'two\nlines, a "quote" and \\' guest sh -c '
		{ pwd; wc -c; printf "%s|" "$FOO" "$@"; } >"$TOP/build/given"
		insmod "$MEMCACHE_KO" && ls -d /sys/module/memcache >"$TOP/results/kept"
		echo t >"$TOP/tools/lost"
		echo guest >file
		rm -r directory && echo new >directory
		sleep 1000 &
		trap "" TERM
		cat sent
		echo a
		echo b >&2
		printf c >/dev/stderr
		exit 77' sh 'a b' '' '*' $'\t' >received 2>messages || status=$?
	cat messages
	[ "$status" -eq 77 ]
	cmp received <(cat sent; printf 'a\nb\nc')
	cmp "$TOP/build/given" <(printf '%s\n0\ntwo\nlines, a "quote" and \\|a b||*|\t|' "$PWD")
	# results/ and build/ are the host's, all else is forgotten.
	[ "$(cat "$TOP/results/kept")" = /sys/module/memcache ]
	[ "$(cat file)" = host ]
	[ -d directory ]
	[ ! -e "$TOP/tools/lost" ]
}

@test "output is live, a slow reader loses nothing; a panic: 125, and the console's last lines" {
	# The guest's port alone holds 4 MiB (128 buffers of 32 KiB). With 16 MiB, all that is
	# between writer and reader is full when the writer sleeps, and `cat`, which reads what
	# it writes and passes it on, sleeps, too.
	mkfifo pipe
	guest sh -c '
		echo begun; until [ -e "$SHARED/heard" ]; do sleep 0.1; done
		asleep() { grep -q "^State:.S" "/proc/$1/status"; }
		echo ended; head -c 16M /dev/zero &
		until asleep $! && asleep "$(pidof cat)" && asleep $!; do sleep 0.1; done
		touch "$SHARED/full"; wait; until [ -e "$SHARED/read" ]; do sleep 0.1; done
		echo c >/proc/sysrq-trigger; sleep 1000' >pipe 2>messages 3>&- &
	local writer=$! status=0
	{
		read -r line
		[ "$line" = begun ]
		# The guest waits for this file.
		touch "$SHARED/heard"
		read -r line
		[ "$line" = ended ]
		await $writer test -e "$SHARED/full"
		[ "$(head -c 16M | wc -c)" -eq $((16 << 20)) ]
		touch "$SHARED/read"
		[ "$(wc -c)" -eq 0 ]
	} <pipe
	wait $writer || status=$?
	cat messages
	[ "$status" -eq 125 ]
	grep -q "Kernel panic - not syncing: sysrq triggered crash" messages
}
