# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests of the module: load it, look at what it says.

FILES=/sys/kernel/debug/memcache

# Every file's tests begin with the module as it comes, and end without it.
setup_file() { insmod "$MEMCACHE_KO"; }
# Or with small standing buffers, where a run shall have buffers of its own: what has to be
# larger than the standing ones takes seconds to fill and to compare under TCG.
small_buffers() { insmod "$MEMCACHE_KO" size_mb=2; }
teardown_file() { rmmod memcache; }
setup() { cd "$FILES" || return; }

# not COMMAND…: it must fail. (A plain ! is nothing that bats sees.)
not() { ! "$@"; }

# request FILE…: see request.py.
request() { "$BATS_TEST_DIRNAME/request.py" "$@"; }

# holds EXPRESSION…: of what the module's files say; see holds.py.
holds() { "$BATS_TEST_DIRNAME/holds.py" "$@"; }
