#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What a person types first.

setup_file() { insmod "$MEMCACHE_KO"; }
teardown_file() { rmmod memcache; }

setup() { cd /sys/kernel/debug/memcache || return; }

@test "tests lists bandwidth" {
	cat tests
	grep -q '^bandwidth' tests
}
