# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Words of all tests.

bats_require_minimum_version 1.5.0

# not COMMAND…: the command must fail. (bats does not notice a failure of a plain `!`.)
not() { ! "$@"; }

# await PID COMMAND…: wait until the command succeeds, which it does from then on. Fail when the
# process has ended (0: there is none) and the command still fails, or after ten minutes.
await() {
	local try
	for ((try = 0; try < 6000; try++)); do
		! "${@:2}" || return 0
		kill -0 "$1" 2>/dev/null || break
		sleep 0.1
	done
	"${@:2}" || { echo "not so (process $1, try $try): ${*:2}"; return 1; }
}

# ends_by SIGNAL PID: the signal, a name or a number, ends this child, whose status says so.
ends_by() {
	local status=0 number=$1
	[[ $1 == [0-9]* ]] || number=$(kill -l "$1")
	kill "-$1" "$2"
	wait "$2" || status=$?
	[ "$status" -eq $((128 + number)) ] || { echo "status $status"; return 1; }
}

# holds EXPRESSION…: conditions on the files of the module, or on those in $MEMCACHE_DEBUGFS; see
# holds.py. An emulated guest has the host judge: $MEMCACHE_JUDGE is its port to holds.py there
# (tools/guest/run). The files that the expressions name go with them.
holds() {
	[ "${MEMCACHE_JUDGE:-}" ] || { "$HERE/holds.py" "$@"; return; }
	local folder=${MEMCACHE_DEBUGFS:-/sys/kernel/debug/memcache} text=$* said=1
	local files=("$folder"/{results.jsonl,machine})
	[ ! -e "$folder/results" ] || files+=("$folder/results")
	while [[ $text =~ (load|lines|caches|schema)\([\'\"]([^\'\"]+) ]]; do
		files+=("${BASH_REMATCH[2]}") text=${text#*"${BASH_REMATCH[0]}"}
	done
	# shellcheck disable=SC2086	# a pattern: the number of the device depends on the machine
	{
		{ printf '%s\0' "$folder" "$@"; tail -vn +1 -- "${files[@]}"; printf '\0\0'; } >&9
		IFS= read -rd '' said <&9
	} 9<>$MEMCACHE_JUDGE
	printf '%s' "${said:1}"
	return "${said::1}"
}

# as_in_sysfs EXPRESSION…: the machine has sysfs's caches, shared by as many CPUs, and these hold.
as_in_sysfs() {
	grep . /sys/devices/system/cpu/cpu*/cache/index*/{level,type,size,shared_cpu_list} >"$BATS_TEST_TMPDIR/caches"
	holds "{(cpu, c['level'], c['kind'], c['size_bytes'], c['shared_by_cpus'])
		for c in machine['caches'] for cpu in numbers(c['cpus'])} == caches('$BATS_TEST_TMPDIR/caches')" \
		'machine["caches"]' "$@"
}
