# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What every shell script here shares: source it after `set -euo pipefail`.

# The directories of the repository, of what is built in it, and of the cache. The cache holds
# everything that is downloaded or built for guests; losing it only costs time.
TOP=$(cd -- "${BASH_SOURCE[0]%/*}/.." && pwd)
BUILD=$TOP/build
CACHE=${MEMCACHE_CACHE:-${XDG_CACHE_HOME:-${HOME:-$BUILD}/.cache}/memcache}
export TOP BUILD CACHE

# say MESSAGE: progress, for the person at the terminal; stdout stays clean.
say() { printf 'memcache: %s\n' "$*" >&2; }

# die MESSAGE: say why, and stop.
die() { say "$*"; exit 1; }

# hand_over: what root has made here belongs to the owner of the checkout, who may have called
# sudo.
hand_over() {
	local made
	[ "$(id -u)" = 0 ] || return 0
	for made in "$TOP"/build "$TOP"/results; do
		[ ! -e "$made" ] || chown -Rh --reference="$TOP" "$made"
	done
}

# mistyped WHAT: whether the suite or request is wrong; says why. It costs little to find that out
# before anything is fetched, booted or loaded.
mistyped() {
	local said status=0
	said=$("$TOP/tools/memcache/memcache" run --dry-run "$1" 2>&1 >/dev/null) || status=$?
	[ "$status" -eq 2 ] && printf '%s\n' "$said" >&2
}

# phase NAME: note that fetching, building, booting or testing begins now. tools/check/run
# adds up the time of each phase. A script that runs as another user notes nothing.
phase() {
	[ ! -w "${MEMCACHE_PHASES:-}" ] ||
		printf '%s %s\n' "${EPOCHREALTIME/,/.}" "$1" >>"$MEMCACHE_PHASES"
}

# kernel_compiler NAME: the compiler that built the kernel NAME. Its modules are built
# with the same one unless the caller asks for another.
kernel_compiler() {
	case $1 in
	debug) echo clang ;;
	*) echo gcc ;;
	esac
}

# kernel_guest NAME: the guest that starts the kernel NAME. A kernel that is built from
# source has a guest of its own, and only one compiler.
kernel_guest() {
	case $1 in
	uml | debug | kcsan) echo "$1" ;;
	uml-fleet) echo uml ;;
	*) echo stock ;;
	esac
}

# kernel_arch NAME: the architecture of the kernel NAME, unless it is that of this machine.
kernel_arch() {
	case $1 in
	*-arm64) echo arm64 ;;
	esac
}

# guest_memory: set `mib` to the memory of a guest in MiB, by MEM=.
guest_memory() {
	local bytes
	bytes=$(numfmt --from=iec -- "${MEM:-1G}" 2>/dev/null) || die "MEM=$MEM is no size"
	mib=$((bytes >> 20))
	[ "$mib" -ge 256 ] || die "MEM=$MEM is too little for a guest (256M)"
}

# lock NAME [-s]: take this lock of the cache, or with a slash this file, and wait while another run
# holds it, LOCK_MINUTES=60 at most. It is held until the calling shell or ( … ) ends, so that two
# runs never download or unpack the same thing at once. The file says which run has taken it.
# -s: a shared lock.
lock() {
	local fd file=$CACHE/.lock-$1 minutes=${LOCK_MINUTES:-60} holder
	[[ $1 != */* ]] || file=$1
	mkdir -p "${file%/*}"
	exec {fd}>>"$file"
	if ! flock -n "${2:--x}" "$fd"; then
		holder="${file##*/.lock-}, taken by $(<"$file")"
		say "waiting for another run ($holder)"
		flock "${2:--x}" -w $((minutes * 60)) "$fd" ||
			die "waited $minutes minutes (LOCK_MINUTES=) for another run ($holder)"
	fi
	printf '%s in %s at %(%H:%M)T, process %s\n' "${0##*/}" "$TOP" -1 $$ >"$file"
}
