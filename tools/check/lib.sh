# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Writing TAP from a shell script: source it after tools/lib.sh, call tap_check,
# tap_nested and tap_skip in any order, tap_done last. The plan comes at the end,
# so a script that dies half-way has none.

# ONLY=NAME picks one of what there is: the programs and files of bats that a layer has, or,
# with tap_by_name, its checks. `FILE.bats: TEST` is one test of a file. What this calls is
# whole again, but for tools/check/bats, which looks at ONLY_TEST.
only=${ONLY:-} ONLY_TEST=${ONLY_TEST:-}
case $only in
*.bats:*) ONLY_TEST=${only#*.bats:} only=${only%%.bats:*}.bats ONLY_TEST=${ONLY_TEST# } ;;
esac
unset ONLY
export ONLY_TEST
tap_there=() tap_picked=

tap_number=0
tap_output=$(mktemp)
trap 'rm -f "$tap_output"' EXIT
echo "TAP version 13"

# tap_wanted NAME: is this there to be run? All are without ONLY=.
tap_wanted() {
	tap_there+=("$1")
	[ -z "$only" ] || [ "$1" = "$only" ] || return 1
	tap_picked=y
}

# tap_files FILE…: sets `files`, those of bats that are wanted.
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

# tap_refuse: end here when ONLY= names nothing of what there is, which is listed.
tap_refuse() {
	[ -n "$only" ] && [ -z "$tap_picked" ] || return 0
	tap_result 1 "ONLY=$only${ONLY_TEST:+: $ONLY_TEST} is nothing of what there is:"
	printf '%s\n' "${tap_there[@]}" | paste -sd '|' | sed 's/|/ | /g' | fold -sw 90 | sed 's/^/# /'
	echo "1..$tap_number"
	exit
}

# tap_result STATUS NAME: a line of its own; NAME may end in a directive.
tap_result() {
	tap_number=$((tap_number + 1))
	[ "$1" -eq 0 ] || printf 'not '
	printf 'ok %d - %s\n' "$tap_number" "$2"
	phase testing
}

# tap_check NAME COMMAND…: passes when COMMAND does; says what it said when not.
tap_check() {
	local name=$1 status=0
	[ -z "${tap_by_name:-}" ] || tap_wanted "$name" || return 0
	shift
	"$@" >"$tap_output" 2>&1 </dev/null || status=$?
	tap_result "$status" "$name"
	[ "$status" -eq 0 ] || sed 's/^/# /' "$tap_output"
}

# tap_silent NAME COMMAND…: like tap_check, and any output fails it, but for what
# tells a person that this waits for another run.
tap_silent() { tap_check "$1" silent "${@:2}"; }
silent() {
	local status=0 output
	output=$("$@" 2>&1) || status=$?
	output=$(grep -v '^memcache: waiting for ' <<<"$output" || true)
	printf '%s' "${output:+$output$'\n'}"
	[ "$status" -eq 0 ] && [ -z "$output" ]
}

# tap_nested NAME COMMAND…: COMMAND prints TAP of its own, passed on indented
# as it comes. Failures are looked for, too: not every runner's status has them.
tap_nested() {
	local name=$1 status=0
	shift
	"$@" </dev/null | tee "$tap_output" | sed -u 's/^/    /' || status=$?
	! grep -E '^[ #]*not ok' "$tap_output" | grep -qivE '# *(skip|todo|xfail)' ||
		status=1
	tap_result "$status" "$name"
}

tap_skip() { tap_result 0 "$1 # SKIP $2"; }

# tap_done: the plan, and exit status 0: the lines say what failed.
tap_done() {
	tap_refuse
	echo "1..$tap_number"
}

# fewer_rounds: for a kernel that looks for mistakes at every access: all takes several
# times as long there.
fewer_rounds() {
	export EACH=${EACH:-20} FAILING=${FAILING:-15} KILLS=${KILLS:-4}
	export OFFLINE=${OFFLINE:-3} CROWD_S=${CROWD_S:-3}
	export WRITES=${WRITES:-150} CALLS=${CALLS:-1000}
	export RECORDS=${RECORDS:-1000} TURNS=${TURNS:-5}
}

# in_guest [PROGRAM|BATS…]: what tools/check/in-guest does, in the guest that starts KERNEL.
in_guest() (
	guest=$(kernel_guest "$KERNEL") seconds=${TIMEOUT:-3600}
	if [ "$guest" != stock ]; then
		seconds=$((seconds * 3 / 2))
		fewer_rounds
	fi
	TIMEOUT=$seconds tools/guest/run "$guest" -- tools/check/in-guest "$@"
)
