#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest as a tool: what a script may rely on when it runs a command in one.
# Boots some twenty guests, a few seconds each.

# shellcheck disable=SC2016 # what stands in single quotes, the guest expands

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP TIMEOUT=120
	"$TOP/tools/setup" guest
	KERNEL_DIR=$("$TOP/tools/guest/kernel" 6.1)
	export KERNEL_DIR
	unset KERNEL ACCEL CPUS MEM APPEND GUEST_LOG MEMCACHE_KO COMPILER KVM_DEVICE
	# The probe for KVM is another test's matter.
	ACCEL=$("$TOP/tools/guest/accel" "$KERNEL_DIR" | cut -d' ' -f1)
	export ACCEL
}

setup() {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
}

# Whatever a test did: no QEMU is left, nor anything that it needed.
teardown() {
	! grep -sqF "$TMPDIR" /proc/[0-9]*/cmdline || { echo "QEMU is left"; return 1; }
	[ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR"; return 1; }
}

guest() { "$TOP/tools/guest/run" stock -- "$@"; }

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
	guest sh -c 'echo begun; sleep 5; echo ended' | {
		read -r line
		[ "$line" = begun ]
		begun=$SECONDS
		read -r line
		[ "$line" = ended ]
		[ $((SECONDS - begun)) -ge 3 ]
	}
}

@test "a slow reader loses nothing" {
	# 4 MiB is more than all the pipes between hold.
	[ "$(guest head -c 4M /dev/zero | { sleep 8; wc -c; })" -eq 4194304 ]
}

@test "what the command left running ends with it" {
	run guest sh -c 'sleep 1000 & trap "" TERM; echo over'
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = over ]
}

@test "a guest that hangs: 124, and the console's last lines" {
	TIMEOUT=20 run guest sh -c 'echo it hangs here >/dev/kmsg; echo said; sleep 1000'
	[ "$status" -eq 124 ]
	[[ $output == *said* ]]
	[[ $output == *"not done after 20 s"* ]]
	[[ $output == *"    ["*"it hangs here"* ]]
}

@test "a guest that panics: 125 at once, and the console's last lines" {
	begun=$SECONDS
	TIMEOUT=300 run guest sh -c 'echo c >/proc/sysrq-trigger; sleep 1000'
	[ "$status" -eq 125 ]
	[[ $output == *"Kernel panic - not syncing: sysrq triggered crash"* ]]
	[ $((SECONDS - begun)) -lt 100 ]
}

@test "a guest that powers off is no success" {
	run guest sh -c 'echo o >/proc/sysrq-trigger; sleep 1000'
	[ "$status" -eq 125 ]
}

@test "a signal ends the guest" {
	for signal in 2 15; do
		run -$((128 + signal)) timeout -s "$signal" --preserve-status 8 \
			"$TOP/tools/guest/run" stock -- sleep 1000
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
	mark=guest-test-$$ file=$BATS_TEST_TMPDIR/file
	echo host >"$file"
	guest sh -c 'cd "$1" && echo r >"results/$2" && echo b >"build/$2" &&
		echo t >"tools/$2" && echo guest >"$3"' sh "$TOP" "$mark" "$file"
	[ "$(cat "$TOP/results/$mark" "$TOP/build/$mark")" = $'r\nb' ]
	rm "$TOP/results/$mark" "$TOP/build/$mark"
	[ "$(cat "$file")" = host ]
	[ ! -e "$TOP/tools/$mark" ]
}

@test "working directory, environment, arguments and stdin" {
	cd "$BATS_TEST_TMPDIR"
	export FOO=$'two\nlines, a "quote" and \\'
	out=$(guest sh -c 'pwd; wc -c; printf "%s|" "$FOO" "$@"' sh 'a b' '' '*' $'\t')
	[ "$out" = "$BATS_TEST_TMPDIR"$'\n0\n'"$FOO|a b||*|"$'\t|' ]
}

@test "two CPUs on two NUMA nodes, debugfs, PAT, a steady clock" {
	run --separate-stderr guest sh -c 'cd /sys/devices/system/node
		head node[01]/cpulist node[01]/distance | grep .
		awk "/MemTotal/ { print (\$4 > 300000) }" node[01]/meminfo
		ls -d /sys/kernel/debug/x86
		dmesg | grep -o "PAT: Configuration.*[^ ]"
		cat /sys/devices/system/clocksource/clocksource0/current_clocksource'
	echo "$output"
	[ "$output" = "==> node0/cpulist <==
0
==> node1/cpulist <==
1
==> node0/distance <==
10 21
==> node1/distance <==
21 10
1
1
/sys/kernel/debug/x86
PAT: Configuration [0-7]: WB  WC  UC- UC  WB  WP  UC- WT
tsc" ]
}

@test "CPUS and MEM are shared out to the nodes, APPEND reaches the kernel" {
	export MEM=2G APPEND=nopat
	run --separate-stderr env CPUS=4 "$TOP/tools/guest/run" stock -- \
		sh -c 'cat /sys/devices/system/node/node[01]/cpulist
			awk "/MemTotal/ { print (\$4 > 700000) }" /sys/devices/system/node/node[01]/meminfo
			grep -c nopat /proc/cmdline'
	[ "$output" = $'0-1\n2-3\n1\n1\n1' ]
	run --separate-stderr env CPUS=1 "$TOP/tools/guest/run" stock -- \
		cat /sys/devices/system/node/{online,has_cpu}
	[ "$output" = $'0-1\n0' ]
}

@test "two guests at once do not meddle with each other" {
	guest sh -c 'sleep 3; echo one' >"$BATS_TEST_TMPDIR/1" &
	[ "$(guest echo two)" = two ]
	wait $!
	[ "$(cat "$BATS_TEST_TMPDIR/1")" = one ]
}

@test "the other kernel boots, too" {
	[[ $(KERNEL=6.12 guest uname -r) == 6.12.* ]]
}

@test "a repository whose path has a space, a comma and a quote" {
	copy="$BATS_TEST_TMPDIR/my repo, that's it"
	mkdir -p "$copy/module"
	cp -r "$TOP/tools" "$copy/"
	cp "$TOP/Kbuild" "$copy/"
	echo 'obj-m += memcache.o' >"$copy/module/Kbuild"
	printf '%s\n' '#include <linux/module.h>' 'MODULE_LICENSE("GPL");' \
		'MODULE_DESCRIPTION("nothing");' >"$copy/module/memcache.c"
	"$copy/tools/setup" build
	ko=$("$copy/tools/guest/build")
	[ "$ko" = "$copy/build/6.1-gcc/module/memcache.ko" ]
	cd "$copy"
	run --separate-stderr tools/guest/run stock -- sh -c \
		'insmod "$MEMCACHE_KO" && ls -d /sys/module/memcache && pwd >results/where'
	[ "$output" = /sys/module/memcache ]
	[ "$(cat results/where)" = "$copy" ]
}

@test "bad settings are refused before anything boots" {
	while IFS='|' read -r set word; do
		run env "$set" "$TOP/tools/guest/run" stock -- true
		echo "$set: $output"
		[ "$status" -eq 1 ]
		[[ $output == memcache:*"$word"* ]]
	done <<-'END'
		CPUS=0|CPUS=0
		CPUS=many|CPUS=many
		TIMEOUT=-1|TIMEOUT=-1
		MEM=1M|MEM=1M
		MEM=some|MEM=some
		KERNEL=2.4|6.1
		ACCEL=fast|ACCEL=fast
	END
	run "$TOP/tools/guest/run" nothing -- true
	[ "$status" -eq 1 ]
	[[ $output == *"no guest 'nothing'"* ]]
	run "$TOP/tools/guest/run" stock true
	[ "$status" -eq 1 ]
	[[ $output == *usage* ]]
}
