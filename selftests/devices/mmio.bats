#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# `memcache mmio` in a guest that has ivshmem and edu: with the module, and in a process.

load devices.bash

# `memcache WORD…` is a fork of front.py.
setup_file() {
	mkfifo "$BATS_FILE_TMPDIR"/{asked,answered}
	exec 6<>"$BATS_FILE_TMPDIR/asked" 8<>"$BATS_FILE_TMPDIR/answered"
	"$BATS_TEST_DIRNAME/front.py" <&6 >&8 3>&- 4>&- &
	export FRONT=$!
	devices
}

teardown_file() { kill "$FRONT" && rmmod memcache; }

memcache() {
	local status
	printf '%s\0' "$PWD" /proc/"$BASHPID"/fd/{1,2} "$@" >&6
	read -rt 600 status <&8 && return "$status"
}

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# given_back ADDRESS DRIVER: the device has this driver, or none, and is offered to nobody.
given_back() {
	local driver=
	[ ! -e "$DEVICES/$1/driver" ] || driver=$(basename "$(readlink "$DEVICES/$1/driver")")
	[ "$driver" = "$2" ] || return
	case $(cat "$DEVICES/$1/driver_override") in '' | '(null)') ;; *) false ;; esac
}

@test "the devices are listed, and README's line measures and explains one" {
	local words
	words=$(sed -n 's/^    make run DEVICES="ivshmem=4M edu" COMMAND="\(.*\)"$/\1/p' \
		"$BATS_TEST_DIRNAME/../../README.md")
	memcache mmio >list
	cat list
	grep -q "^$IVSHMEM  1af4:1110, class 050000 .* 2: 4M" list
	# shellcheck disable=SC2086	# words
	memcache $words -o results.jsonl >report 2>said
	cat report said
	grep -q '^2 *4M *yes *is measured$' report
	grep -q 'What an access costs a driver is not known' report
	not grep -qE 'takes [0-9]* ns|do not take these rows' report
	grep -q "$IVSHMEM: given back" said
	grep -c '"record": *"result"' results.jsonl
	given_back "$IVSHMEM" ''
	memcache show results.jsonl | grep -q write_read
	memcache compare results.jsonl results.jsonl >/dev/null || [ $? = 2 ]
	unchanged
}

@test "a request with a BAR has rounds and a report" {
	bind "$IVSHMEM"
	memcache run --rounds 2 -o rounds.jsonl \
		"mmio target=${IVSHMEM#0000:}/2 type=uc size=4K repeat=2" >report
	cat report
	grep -q "target=pci:$IVSHMEM/2" report
	[ "$(grep -c '"record":"request".*"round":[12]' rounds.jsonl)" = 2 ]
}

@test "registers are read by UC only, and wide reads that nobody answers are said" {
	memcache mmio --yes -o results.jsonl "$EDU" >report
	cat report
	grep -q 'may have an effect' report
	not grep -q '"type": *"wc"' results.jsonl
	grep -q 'get only ones' report
	given_back "$EDU" ''
}

@test "in a process" {
	memcache mmio --yes --even memory --where user -o results.jsonl "$IVSHMEM" >report
	cat report
	grep -q 'What an access costs a driver is not known' report
	given_back "$IVSHMEM" ''
	unchanged
}

@test "Ctrl-C and SIGKILL: the device is given back" {
	local signal state
	for signal in INT KILL; do
		"$BATS_TEST_DIRNAME/../../tools/memcache/memcache" mmio --yes --even memory --write \
			-o "$signal.jsonl" "$IVSHMEM" >report 2>said 3>&- &
		await $! test -e /run/memcache
		# A request is short: look without a pause.
		until read -r state </sys/kernel/debug/memcache/progress && [[ $state == running* ]]; do
			kill -0 $!
		done
		kill "-$signal" $!
		wait $! || true
		await 0 given_back "$IVSHMEM" ''
	done
	unchanged
}

@test "a device that somebody has bound is left alone" {
	bind "$IVSHMEM"
	not memcache mmio --yes --even memory "$IVSHMEM" 2>said
	cat said
	grep -q 'already' said
	[ "$(cat "$DEVICES/$IVSHMEM/driver_override")" = memcache ]
}
