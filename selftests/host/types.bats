#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The simulated machine as a tool (`make run GUEST=types`): its messages when it can't
# start, what happens to the command that runs meanwhile, and what is left. selftests/types
# compares what it measures with its prices.

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP
	unset PRICES KERNEL APPEND GUEST_LOG TIMEOUT MEMCACHE_PARAMS MEMCACHE_KO MEMCACHE_MACHINE
	make -s -C "$TOP/tools/types"
}

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return
}

# Whatever a test did, no emulator may be left, nor any file that it needed.
teardown() {
	left=$(find /proc/[0-9]*/fd -lname "$TMPDIR/*" 2>/dev/null)
	[ -z "$left" ] || { echo "left: $left"; return 1; }
	[ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR"; return 1; }
}

# Does this host have a Bochs that the machine can use?
known() {
	"$TOP/tools/types/run" --check 2>/dev/null || skip "no Bochs that the machine is known to work with"
}

# booting: skip the test unless this host has everything that a boot needs.
booting() {
	known
	MEMCACHE_KO=$("$TOP/tools/guest/build" -k 6.1)
	export MEMCACHE_KO
	make -s -C "$TOP/tools/user"
}

# prices SED…: make a price file from the model's with sed.
prices() { sed "$@" "$TOP/tools/types/prices" >prices; }

# refused LINE: the command exits with 1 and prints this line and nothing else.
refused() {
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$output" = "memcache: $1" ]
}

@test "no Bochs" {
	PATH=$BATS_TEST_TMPDIR/bin run "$TOP/tools/types/run" --check
	refused "no simulated machine here: there is no bochs-bin; it is made of Debian 12's packages bochs bochs-term bochsbios"
}

@test "another Bochs" {
	known
	stub bochs-bin "[ -n \"\$LD_PRELOAD\" ] || { echo 'Bochs x86 Emulator 3.0'; exit; }
		exec $(command -v bochs-bin) \"\$@\""
	run "$TOP/tools/types/run" --check
	refused "no simulated machine here: Bochs 3.0 is not one that we know; it is made of Debian 12's packages bochs bochs-term bochsbios"
}

@test "price files that are wrong: the line, the key, what is wrong" {
	known
	prices 's/^uc_load_ns .*/uc_laod_ns = 3/'
	PRICES=prices run "$TOP/tools/types/run" --check
	refused "PRICES=prices:$(sed -n '/uc_laod/=' prices): uc_laod_ns: unknown key"

	prices /^memory_ns/d
	PRICES=prices run "$TOP/tools/types/run" --check
	refused "PRICES=prices: memory_ns is missing"

	prices -e "\$ a l1_ns = 1"
	PRICES=prices run "$TOP/tools/types/run" --check
	refused "PRICES=prices:$(sed -n '$=' prices): l1_ns: given twice"

	prices 's/^flush_ns .*/flush_ns = -1/'
	PRICES=prices run "$TOP/tools/types/run" --check
	refused "PRICES=prices:$(sed -n '/^flush_ns/=' prices): flush_ns: '-1' is no whole number"

	prices 's/^l1_ways .*/l1_ways = 7/'
	PRICES=prices run "$TOP/tools/types/run" --check
	refused "PRICES=prices: a cache's bytes are not ways of whole sets of 64-byte lines"
}

@test "price files that are not there" {
	PRICES=none run "$TOP/tools/types/run" --check
	refused "PRICES=none: no such file"
	PRICES=. run "$TOP/tools/types/run" --check
	refused "PRICES=.: not a file"
}

@test "a command beside the machine: its status, its records, no other prices than ours" {
	booting
	prices 's/^uc_load_ns .*/uc_load_ns = 333/'
	PRICES=prices MEMCACHE_PARAMS=size_mb=4 run -7 --separate-stderr "$TOP/tools/types/run" -- sh -c \
		"'$TOP/tools/memcache/memcache' run 'bandwidth type=uc,wc width=8 size=64K irq=off repeat=3 verify=off' \
			'bandwidth size=1K' -o out; echo \$?; exit 7"
	# shellcheck disable=SC2154 # run sets it
	echo "$output" "$stderr"
	[[ $stderr == *"bandwidth size=1K: EINVAL: size: "* ]]
	[[ $output == "A SIMULATED MACHINE (Bochs 2.7)"*"UC load 333,"*$'\n2' ]]
	"$TOP/tools/check/schema" out
	# 8 bytes in 333 ns and one for the instruction.
	grep -o '"type":"uc".*"mb_per_s":2[34]\.' out
	grep '"effective":"yes".*"mb_per_s"' out | grep -c . | grep -x 2
}

@test "Ctrl-C: what was measured is kept, and the machine is gone" {
	booting
	"$TOP/tools/types/run" -- "$TOP/tools/memcache/memcache" run 'bandwidth size=4K' \
		'bandwidth size=64M type=uc repeat=100000' -o out >said 2>&1 3>&- &
	until grep -qF '[2/2]' said; do
		kill -0 $! || { cat said; return 1; }
		sleep 0.2
	done
	kill -INT $!
	status=0
	wait $! || status=$?
	cat said
	[ "$status" -eq 130 ]
	grep -F "stopped; results kept: 1" said
	grep -F "Results: out" said
	"$TOP/tools/check/schema" out
}

@test "Ctrl-C while it boots" {
	booting
	APPEND=loglevel=7 GUEST_LOG=$PWD/console "$TOP/tools/types/run" -- true >said 2>&1 3>&- &
	until [ -s console ]; do
		kill -0 $! || { cat said; return 1; }
		sleep 0.1
	done
	kill -INT $!
	status=0
	wait $! || status=$?
	cat said
	[ "$status" -eq 130 ]
}
