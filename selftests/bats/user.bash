# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests of memcache-user. Its records are put into $MEMCACHE_DEBUGFS, in files with the
# names of the module's files.

HERE=${BASH_SOURCE[0]%/*}
USER_TOOL=$HERE/../../build/user/memcache-user

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export MEMCACHE_DEBUGFS=$BATS_TEST_TMPDIR
}

# shellcheck source=selftests/bats/words.bash
. "$HERE/words.bash"

# measure ARGUMENT…: run memcache-user and put its records where `holds` finds them.
measure() {
	local status=0
	"$USER_TOOL" -j "$@" >results.jsonl 2>messages || status=$?
	cat messages
	head -n 1 results.jsonl >machine
	return "$status"
}

# refused ERROR TEXT ARGUMENT…: memcache-user exits with 1, or with 2 for a wrong request
# ($wrong if that is set), prints that line and no result.
refused() {
	local status=1
	[ "$1" != "Invalid argument" ] || status=${wrong:-2}
	run "-$status" --separate-stderr "$USER_TOOL" "${@:3}"
	[ -z "$output" ]
	# shellcheck disable=SC2154 # set by run
	echo "$stderr"
	[[ $stderr == "memcache-user: $1: $2"* && $stderr != *$'\n'* ]]
}

# same_words FILE: memcache-user and the loaded module refuse the wrong lines of this file (see
# request.py) with the same words, except where these name the side itself.
same_words() {
	"$HERE/same_errors.py" "$1" "$USER_TOOL" >differ
	cat differ
	sed '$d' differ | paste - - - | awk '
		/ EINVAL test: .* is not one of .* EINVAL test: .*\|os\|pipe$/ { next }
		/node=/ && / EINVAL node: .* EINVAL node: there is no node / { next }
		/cpu=/ && /EINVAL cpu: .* is not online; .* EINVAL cpu: .* is not one this process may run on/ { next }
		/type=(uc|wc)/ && / type: this machine has type=wb only.* type: (uc|wc) needs / { next }
		{ exit 1 }'
}

# worked PID: wait until this process has had another 0.3 s of CPU time, however busy the
# machine is.
worked() { await "$1" has_worked "$1" $(($(hundredths "$1") + 30)); }
has_worked() { [ "$(hundredths "$1")" -ge "$2" ]; }
hundredths() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }

# stopped SIGNAL: the signal ends a run that has begun; the run keeps its results and says
# that it was stopped.
stopped() {
	env --default-signal=INT,TERM "$USER_TOOL" -j 'bandwidth size=4K repeat=3' \
		'bandwidth op=read,write size=64K repeat=1000000' 'bandwidth size=8K' \
		>results.jsonl 2>messages 3>&- &
	await $! grep -q '"record":"result"' results.jsonl
	worked $!
	ends_by "$1" $!
	cat messages
	grep -qx 'memcache-user: Interrupted system call: run: stopped by a signal; 1 result kept (in: .*)' messages
	head -n 1 results.jsonl >machine
	holds '[r["record"] for r in records] == ["machine", "request", "result"] + ["request", "result"]' \
		'[(r["state"], r["errno"]) for r in records if r["record"] == "request"] == [("done", 0), ("stopped", 4)]' \
		'results[1]["samples"] >= 1'
}
