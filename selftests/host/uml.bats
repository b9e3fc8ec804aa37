#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# User-Mode Linux as a tool: it keeps what guest.bats says of `stock`. A boot
# takes about a second.

# shellcheck disable=SC2016 # what stands in single quotes, the guest expands

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP TIMEOUT=60
	"$TOP/tools/guest/kernel" uml >"$BATS_FILE_TMPDIR/kernel"
	unset KERNEL ACCEL CPUS MEM APPEND GUEST_LOG MEMCACHE_KO COMPILER
}

setup() {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
}

# Whatever a test did: no process of a guest is left, nor anything that it needed.
teardown() {
	# Its processes have no command line of their own, but its console.
	left=$(find /proc/[0-9]*/fd -lname "$TMPDIR/*" 2>/dev/null)
	[ -z "$left" ] || { echo "UML is left: $left"; return 1; }
	[ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR"; return 1; }
}

guest() { "$TOP/tools/guest/run" uml -- "$@"; }

@test "the command's exit status is the guest's" {
	for wanted in 0 3 77; do
		run guest sh -c "exit $wanted"
		[ "$status" -eq "$wanted" ]
	done
	run -127 guest no-such-command
}

@test "output is the command's, byte by byte" {
	head -c 1M /dev/urandom >"$BATS_TEST_TMPDIR/sent"
	guest cat "$BATS_TEST_TMPDIR/sent" >"$BATS_TEST_TMPDIR/received"
	cmp "$BATS_TEST_TMPDIR/sent" "$BATS_TEST_TMPDIR/received"
}

@test "output to stdout, stderr and /dev/stderr comes, with no line end added" {
	[ "$(guest sh -c 'echo a; echo b >&2; printf c >/dev/stderr' 2>/dev/null)" = $'a\nb\nc' ]
}

@test "output is live" {
	guest sh -c 'echo begun; sleep 3; echo ended' | {
		read -r line
		[ "$line" = begun ]
		begun=$SECONDS
		read -r line
		[ "$line" = ended ]
		[ $((SECONDS - begun)) -ge 2 ]
	}
}

@test "a slow reader loses nothing" {
	[ "$(guest head -c 4M /dev/zero | { sleep 4; wc -c; })" -eq 4194304 ]
}

@test "what the command left running ends with it" {
	run guest sh -c 'sleep 1000 & trap "" TERM; echo over'
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = over ]
}

@test "a guest that hangs: 124, and the console's last lines" {
	TIMEOUT=5 run guest sh -c 'echo it hangs here >/dev/kmsg; echo said; sleep 1000'
	[ "$status" -eq 124 ]
	[[ $output == *said* ]]
	[[ $output == *"not done after 5 s"* ]]
	[[ $output == *"    ["*"it hangs here"* ]]
}

@test "a guest that panics: 125 at once, and the console's last lines" {
	begun=$SECONDS
	run guest sh -c 'echo c >/proc/sysrq-trigger; sleep 1000'
	[ "$status" -eq 125 ]
	[[ $output == *"Kernel panic - not syncing: sysrq triggered crash"* ]]
	[ $((SECONDS - begun)) -lt 30 ]
}

@test "a guest that powers off, or reboots, is no success" {
	run -125 guest sh -c 'echo o >/proc/sysrq-trigger; sleep 1000'
	run -125 guest sh -c 'echo b >/proc/sysrq-trigger; sleep 1000'
}

@test "a signal ends the guest" {
	for signal in 2 15; do
		run -$((128 + signal)) timeout -s "$signal" --preserve-status 4 \
			"$TOP/tools/guest/run" uml -- sleep 1000
		[[ $output == *"stopping the guest"* ]]
	done
}

@test "a reader that goes away ends the guest" {
	[ "$(guest yes | head -n 1)" = y ]
}

@test "the kernel's console is kept where GUEST_LOG says" {
	log="$BATS_TEST_TMPDIR/a log, kept"
	GUEST_LOG=$log guest sh -c 'echo "<6>only told" >/dev/kmsg'
	grep -F "only told" "$log"
}

@test "results/ and build/ are the host's, all else is forgotten" {
	mark=uml-test-$$ file=$BATS_TEST_TMPDIR/file
	echo host >"$file"
	guest sh -c 'cd "$1" && echo r >"results/$2" && echo b >"build/$2" &&
		echo t >"tools/$2" && echo guest >"$3" && rm -r "$4" && echo new >"$4"' \
		sh "$TOP" "$mark" "$file" "$TMPDIR"
	[ "$(cat "$TOP/results/$mark" "$TOP/build/$mark")" = $'r\nb' ]
	rm "$TOP/results/$mark" "$TOP/build/$mark"
	[ "$(cat "$file")" = host ]
	[ -d "$TMPDIR" ]
	[ ! -e "$TOP/tools/$mark" ]
}

@test "working directory, environment, arguments and stdin" {
	cd "$BATS_TEST_TMPDIR"
	export FOO=$'two\nlines, a "quote" and \\'
	out=$(guest sh -c 'pwd; wc -c; printf "%s|" "$FOO" "$@"' sh 'a b' '' '*' $'\t')
	[ "$out" = "$BATS_TEST_TMPDIR"$'\n0\n'"$FOO|a b||*|"$'\t|' ]
}

@test "the kernel, its memory, its command line" {
	run --separate-stderr env MEM=512M APPEND="one two" "$TOP/tools/guest/run" uml -- \
		sh -c 'uname -r; nproc; awk "/MemTotal/ { print (\$2 > 400000), (\$2 < 600000) }" /proc/meminfo
			grep -o "one two" /proc/cmdline; mount -t debugfs | grep -c /sys/kernel/debug'
	[ "$output" = "$(cat "$(cat "$BATS_FILE_TMPDIR/kernel")/release")"$'\n1\n1 1\none two\n1' ]
}

@test "guests at once do not meddle with each other" {
	for n in 1 2 3; do
		guest sh -c "sleep 2; echo $n" >"$BATS_TEST_TMPDIR/$n" &
	done
	wait
	[ "$(cat "$BATS_TEST_TMPDIR"/[123])" = $'1\n2\n3' ]
}

@test "an ordinary user has one, too, and is root in there" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become an ordinary user"
	home=$(mktemp -d /tmp/memcache-test.XXXXXX)	# bats's own are for root only
	kernel=$(cat "$BATS_FILE_TMPDIR/kernel")
	cached=$home/cache/kernels/$(basename "$kernel")
	mkdir -p "$cached" "$home/tmp"
	cp -r "$TOP/tools" "$home/"
	cp "$kernel"/{linux,busybox,release} "$cached/"
	chown -R nobody: "$home"
	cd "$home"
	run --separate-stderr setpriv --reuid nobody --regid nogroup --clear-groups \
		env PATH=/usr/bin:/bin HOME=/ TMPDIR="$home/tmp" MEMCACHE_CACHE="$home/cache" \
		MEMCACHE_NO_SETUP=1 tools/guest/run uml -- \
		sh -c 'type insmod >/dev/null && id -u; echo x >results/y; echo z >tools/z'
	[ "$status" -eq 0 ]
	[ "$output" = 0 ]
	[ "$(cat results/y)" = x ]
	[ ! -e tools/z ]
	[ -z "$(ls tmp)" ]
	rm -r "$home"
}

@test "a repository whose path has a space, a comma and a quote" {
	copy="$BATS_TEST_TMPDIR/my repo, that's it"
	mkdir -p "$copy/module"
	cp -r "$TOP/tools" "$copy/"
	cp "$TOP/Kbuild" "$copy/"
	echo 'obj-m += memcache.o' >"$copy/module/Kbuild"
	printf '%s\n' '#include <linux/module.h>' 'MODULE_LICENSE("GPL");' \
		'MODULE_DESCRIPTION("nothing");' >"$copy/module/memcache.c"
	ko=$("$copy/tools/guest/build" -k uml)
	[ "$ko" = "$copy/build/uml-gcc/module/memcache.ko" ]
	cd "$copy"
	mkdir "$copy/tmp, too"
	run --separate-stderr env TMPDIR="$copy/tmp, too" tools/guest/run uml -- sh -c \
		'insmod "$MEMCACHE_KO" && ls -d /sys/module/memcache && pwd >results/where'
	[ "$output" = /sys/module/memcache ]
	[ "$(cat results/where)" = "$copy" ]
}

@test "who kills the supervisor kills the guest" {
	guest sleep 1000 &
	sleep 4
	supervisor=$(grep -slF "$TMPDIR" /proc/[0-9]*/cmdline | cut -d/ -f3 | sort -n | head -n 1)
	kill -KILL "$supervisor"
	wait $! || true
	sleep 1
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
}
