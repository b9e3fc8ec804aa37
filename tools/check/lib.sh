# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Writing TAP from a shell script: source it in place of tools/lib.sh, call tap_check, tap_nested and
# tap_skip in any order, tap_done last. The plan comes at the end, so a script that dies half-way has
# none. It changes to the top of the repository.

# shellcheck source=tools/lib.sh
. "${BASH_SOURCE[0]%/*}/../lib.sh"
cd "$TOP" || exit

# ONLY=NAME picks one program or bats file of a layer or, with tap_by_name, those of its checks
# whose titles have it. `FILE.bats: TEST` is one test of a file. ONLY is not passed on to programs
# that the script calls; ONLY_TEST is, and tools/check/bats reads it.
only=${ONLY:-} ONLY_TEST=${ONLY_TEST:-}
case $only in
*.bats:*) ONLY_TEST=${only#*.bats:} only=${only%%.bats:*}.bats ONLY_TEST=${ONLY_TEST# } ;;
esac
unset ONLY
export ONLY_TEST
tap_there=() tap_picked=

tap_number=0
tap_output=$(mktemp)
export MEMCACHE_PROVIDED=$tap_output.provided
: >"$MEMCACHE_PROVIDED"
trap 'rm -f "$tap_output"*' EXIT
export MEMCACHE_BEGAN=${MEMCACHE_BEGAN:-$EPOCHSECONDS}	# for tools/guest/build
echo "TAP version 13"

# tap_wanted NAME: succeeds if NAME is to run. Without ONLY=, everything is.
tap_wanted() {
	tap_there+=("$1")
	[[ -z $only || $1 == ${tap_by_name:+*}"$only"${tap_by_name:+*} ]] || return 1
	tap_picked=y
}

# tap_files FILE…: set `files` to the bats files among these that are to run.
tap_files() {
	local file
	files=()
	for file; do
		! tap_wanted "${file##*/}" || files+=("$file")
	done
	[ -n "$only" ] && [ ${#files[@]} -gt 0 ] && [ -n "$ONLY_TEST" ] || return 0
	grep -qF "@test \"$ONLY_TEST\" {" "${files[@]}" || {
		mapfile -t tap_there < <(sed -n "s/^@test \"\(.*\)\" {.*/$only: \1/p" "${files[@]}")
		tap_picked=
	}
}

# tap_refuse: if ONLY= names nothing that exists, list what does and exit.
tap_refuse() {
	[ -n "$only" ] && [ -z "$tap_picked" ] || return 0
	tap_result 1 "ONLY=$only${ONLY_TEST:+: $ONLY_TEST} is nothing of what there is:"
	printf '%s\n' "${tap_there[@]}" | paste -sd '|' | sed 's/|/ | /g' | fold -sw 90 | sed 's/^/# /'
	echo "1..$tap_number"
	exit
}

# tap_result STATUS NAME: print the line of a result; NAME may end in a directive.
tap_result() {
	tap_number=$((tap_number + 1))
	[ "$1" -eq 0 ] || printf 'not '
	printf 'ok %d - %s\n' "$tap_number" "$2"
	phase testing
}

# tap_check NAME COMMAND…: pass if COMMAND succeeds; if not, print its output as comments. A function
# fails where its first command does. It runs in a shell of its own, so it sets no variable.
tap_check() {
	local name=$1 status
	[ -z "${tap_by_name:-}" ] || tap_wanted "$name" || return 0
	shift
	set +e	# bash forgets `set -e` wherever it looks at the status
	(set -e; "$@") >"$tap_output" 2>&1 </dev/null
	status=$?
	set -e
	tap_result "$status" "$name"
	[ "$status" -eq 0 ] || sed 's/^/# /' "$tap_output"
}

# tap_silent NAME COMMAND…: like tap_check, but any output is a failure, except a message
# that the command waits for another run. What it needs of the cache has been made before, in
# full view: else it fails here with a full cache, too (provide() of tools/guest/cache.sh).
tap_silent() { tap_check "$1" silent "${@:2}"; }
silent() {
	local status output
	set +e
	output=$(set -e; MEMCACHE_SILENT=y "$@" 2>&1)
	status=$?
	output=$(grep -v '^memcache: waiting for ' <<<"$output")
	printf '%s' "${output:+$output$'\n'}"
	[ "$status" -eq 0 ] && [ -z "$output" ]
}

# not COMMAND…: the command must fail.
not() { ! "$@"; }

# tap_nested NAME COMMAND…: pass on the TAP that COMMAND prints, indented, as it comes, and keep it.
# A line `not ok` is a failure, since not every runner sets the exit status. So is a run without a
# test. This shell reads the lines itself: programs start slowly in guests.
tap_nested() {
	local name=$1 status=0 line ran=0 failed=0
	shift
	"$@" </dev/null | {
		while IFS= read -r line || [ -n "$line" ]; do
			printf '    %s\n' "$line"
			printf '%s\n' "$line" >&3
			[[ $line =~ ^[\ #]*('not ok'|'ok ') ]] || continue
			ran=1
			[[ ${BASH_REMATCH[1]} == ok* || ${line,,} =~ '#'\ *(skip|todo|xfail) ]] || failed=1
		done 3>"$tap_output"
		exit $((failed || !ran))
	} || status=$?
	tap_result "$status" "$name"
}

tap_skip() { tap_result 0 "$1 # SKIP $2"; }

# tap_done: print the plan. The exit status is 0, since the lines say what failed.
tap_done() {
	tap_refuse
	echo "1..$tap_number"
}

# fewer_rounds: set fewer rounds for a kernel that checks every access, where everything
# takes several times as long.
fewer_rounds() {
	export EACH=${EACH:-20} FAILING=${FAILING:-15} KILLS=${KILLS:-4}
	export OFFLINE=${OFFLINE:-3} WRITES=${WRITES:-150} CALLS=${CALLS:-1000}
	export RECORDS=${RECORDS:-1000}
}

# in_guest [PROGRAM|BATS…]: run tools/check/in-guest in the guest that starts KERNEL.
in_guest() (
	guest=$(kernel_guest "$KERNEL") seconds=${TIMEOUT:-3600} append=${APPEND:-}
	if [ "$guest" != stock ]; then
		seconds=$((seconds * 3 / 2))
		fewer_rounds
		# The caches whose allocations may be made to fail (selftests/memcache/inject.h).
		append+=" slub_debug=A;-,vmap_area"
	fi
	APPEND=$append TIMEOUT=$seconds tools/guest/run "$guest" -- tools/check/in-guest "$@"
)

# kernel_log: the reports of trouble in the log of a guest.
kernel_log() { tools/check/kernel-log <"$GUEST_LOG"; }

# module_built KERNEL COMPILER: build the module, and print the warnings of all its files, also of
# those that another layer of this check has compiled.
module_built() {
	tools/guest/build -k "$1" -c "$2" >/dev/null 2>"$tap_output.built" ||
		{ cat "$tap_output.built" && return 1; }
	cat "$BUILD/$1-$2/.said"
}
