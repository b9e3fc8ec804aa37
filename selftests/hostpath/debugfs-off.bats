#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The same machine after the power has failed (packages.bats), with debugfs=off.

load guest.bash

@test "the results before the power failed are there, and show names the requests without any" {
	run -0 user tools/memcache/memcache show cut.jsonl
	says "2 requests without any result, as the run ended early" \
		"- bandwidth size=1M repeat=1000000" "- bandwidth size=8K"
}

@test "make run and make load say that debugfs is off" {
	for command in "run WHERE=host" load; do
		run -2 user "sudo make $command"
		says "can't run here: debugfs is turned off (boot without debugfs=off, or use the guest"
		[ "$(grep -c "can't run here" <<<"$output")" -eq 1 ]
	done
}

@test "doctor says so, and no command advises to mount it" {
	run -1 user tools/memcache/memcache doctor
	says "fail  debugfs is off (boot without debugfs=off)"
	not grep -w mount <<<"$output"
	run -1 root tools/memcache/memcache run bandwidth
	says "this kernel has no debugfs: it lacks CONFIG_DEBUG_FS, or was booted with debugfs=off;" \
		"without it: --where user"
	not grep -w mount <<<"$output"
}

@test "user space measures" {
	user tools/memcache/memcache run --where user bandwidth size=16K repeat=3
}

@test "make clean needs no root" {
	user make clean
	user test ! -e build
}
