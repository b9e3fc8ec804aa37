#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=uml
#
# memcache-user beside the module, where many processes take little time.

load ../bats/user.bash

setup_file() { insmod "$MEMCACHE_KO"; }
teardown_file() { rmmod memcache; }

@test "wrong lines get the same words on both sides" {
	same_words "$HERE/bad-requests"
	[ "$(tail -n 1 differ | cut -d' ' -f1)" -ge 25 ]
}
