#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A data race on purpose is seen: see selftests/debug.

load ../debug/found.bash

setup_file() { insmod "$BUGS_KO"; make_bugs raced; }

@test "two threads that count in one variable" { found "BUG: KCSAN: data-race in counts [mc_bugs] / raced"; }
