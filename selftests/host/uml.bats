#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What only User-Mode Linux has. A boot takes about a second.

# shellcheck disable=SC2016 # what stands in single quotes, the guest expands

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP TIMEOUT=600
	"$TOP/tools/guest/kernel" uml >"$BATS_FILE_TMPDIR/kernel"
	unset KERNEL ACCEL CPUS MEM APPEND GUEST_LOG MEMCACHE_KO COMPILER
}

setup() {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
}

# Whatever a test did, no process of a guest may be left, nor any file that it needed.
teardown() {
	# Its processes are found by their open console: they have no command line of their own.
	left=$(find /proc/[0-9]*/fd -lname "$TMPDIR/*" 2>/dev/null)
	[ -z "$left" ] || { echo "UML is left: $left"; return 1; }
	[ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR"; return 1; }
}

guest() { "$TOP/tools/guest/run" uml -- "$@"; }

@test "a guest that reboots is no success" {
	run -125 guest sh -c 'echo b >/proc/sysrq-trigger; sleep 1000'
}

@test "the kernel, its memory, its command line" {
	run --separate-stderr env MEM=512M APPEND="one two" "$TOP/tools/guest/run" uml -- \
		sh -c 'uname -r; nproc; awk "/MemTotal/ { print (\$2 > 400000), (\$2 < 600000) }" /proc/meminfo
			grep -o "one two" /proc/cmdline; mount -t debugfs | grep -c /sys/kernel/debug'
	[ "$output" = "$(cat "$(cat "$BATS_FILE_TMPDIR/kernel")/release")"$'\n1\n1 1\none two\n1' ]
}

@test "an ordinary user has one, too, and is root in there" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become an ordinary user"
	home=$(mktemp -d /tmp/memcache-test.XXXXXX)	# bats's own are for root only
	kernel=$(cat "$BATS_FILE_TMPDIR/kernel")
	cached=$home/cache/kernels/$(basename "$kernel")
	mkdir -p "$cached" "$home/tmp"
	cp -r "$TOP/tools" "$home/"
	cp -r "$kernel/." "$cached/"
	chown -R nobody: "$home"
	(umask 077 && true >"$BATS_TEST_TMPDIR/phases")
	cd "$home"
	run --separate-stderr setpriv --reuid nobody --regid nogroup --clear-groups \
		env PATH=/usr/bin:/bin HOME=/ TMPDIR="$home/tmp" MEMCACHE_CACHE="$home/cache" \
		MEMCACHE_NO_SETUP=1 MEMCACHE_PHASES="$BATS_TEST_TMPDIR/phases" tools/guest/run uml -- \
		sh -c 'type insmod >/dev/null && id -u; echo x >results/y; echo z >tools/z'
	[ "$status" -eq 0 ]
	[ "$output" = 0 ]
	[ "$(cat results/y)" = x ]
	[ ! -e tools/z ]
	[ -z "$(ls tmp)" ]
	rm -r "$home"
}

@test "who kills the supervisor kills the guest" {
	"$TOP/tools/guest/run" uml -- sh -c 'echo begun; sleep 1000' >"$BATS_TEST_TMPDIR/said" 3>&- &
	until grep -qsx begun "$BATS_TEST_TMPDIR/said"; do
		kill -0 $!
		sleep 0.1
	done
	kill -KILL $!
	wait $! || true
	# The kernel kills the guest's processes, and then they still have to end.
	while find /proc/[0-9]*/fd -lname "$TMPDIR/*" 2>/dev/null | grep -q .; do sleep 0.1; done
	rm -r "${TMPDIR:?}"/*
}

@test "bad settings are refused before anything boots" {
	while IFS='|' read -r set word; do
		run -1 env "$set" "$TOP/tools/guest/run" uml -- true
		[[ $output == memcache:*"$word"* ]]
	done <<-'END'
		CPUS=2|CPUS=2
		TIMEOUT=-1|TIMEOUT=-1
		MEM=1M|MEM=1M
	END
	run -1 "$TOP/tools/guest/build" -k uml -c clang
	[[ $output == *gcc* ]]
	run -1 "$TOP/tools/guest/build" -k debug -c gcc
	[[ $output == *clang* ]]
	run -1 "$TOP/tools/guest/build" -k kcsan -c clang
	[[ $output == *gcc* ]]
}
