# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests of the module: load it, and check what its files say.

FILES=/sys/kernel/debug/memcache
HERE=${BASH_SOURCE[0]%/*}

# The tests of every file begin with the module loaded without parameters, and end without
# the module.
setup_file() { insmod "$MEMCACHE_KO"; }
# Other files use small standing buffers, so that a run can have a buffer of its own, which
# must be larger: under TCG, a large one takes seconds to fill and to compare.
small_buffers() { insmod "$MEMCACHE_KO" size_mb=2; }
teardown_file() { rmmod memcache; }
setup() { cd "$FILES" || return; }

# request FILE…: see request.py.
request() { "$HERE/request.py" "$@"; }

# shellcheck source=selftests/bats/words.bash
. "$HERE/words.bash"

# process LINE…: by memcache-user, whose records `holds` finds then.
process() {
	export MEMCACHE_DEBUGFS=$BATS_TEST_TMPDIR
	"$HERE/../../build/user/memcache-user" -j "$@" >"$BATS_TEST_TMPDIR/results.jsonl"
	head -n 1 "$BATS_TEST_TMPDIR/results.jsonl" >"$BATS_TEST_TMPDIR/machine"
}

# refused ERRNO "KEY: TEXT" LINE: the request fails with that errno, and its error begins so. It ends
# so, too, if TEXT ends with a newline.
refused() {
	not echo "$3" 2>/dev/null >run
	echo "$(<run)"
	[[ $(<run)$'\n' == *$'\n'"error: $1 $2"* ]]
}
