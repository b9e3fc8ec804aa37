# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What every shell script here shares: source it after `set -euo pipefail`.

# Where the repository lies, and the cache: everything downloaded or built for
# guests lives there, so losing it only costs time.
TOP=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
CACHE=${MEMCACHE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/memcache}
export TOP CACHE

# say MESSAGE: progress, for the person at the terminal; stdout stays clean.
say() { printf 'memcache: %s\n' "$*" >&2; }

# die MESSAGE: say why, and stop.
die() { say "$*"; exit 1; }

# phase NAME: from here on what takes time is fetching, building, booting or testing; for
# tools/check/run, which adds it up. Another user than the one who runs it notes nothing.
phase() {
	[ ! -w "${MEMCACHE_PHASES:-}" ] ||
		printf '%s %s\n' "${EPOCHREALTIME/,/.}" "$1" >>"$MEMCACHE_PHASES"
}

# kernel_compiler NAME: what the kernel NAME was built with, and its modules are, too,
# unless another compiler is asked for.
kernel_compiler() {
	case $1 in
	debug) echo clang ;;
	*) echo gcc ;;
	esac
}

# kernel_guest NAME: the guest that starts the kernel NAME. One that is built from source has
# a guest of its own, and one compiler.
kernel_guest() {
	case $1 in
	uml | debug | kcsan) echo "$1" ;;
	*) echo stock ;;
	esac
}

# lock NAME [-s]: wait until no other run holds this lock of the cache; held until the
# calling shell or ( … ) ends. So nothing is downloaded or unpacked twice at once. -s:
# others may hold it, too, in this way.
lock() {
	local fd
	mkdir -p "$CACHE"
	exec {fd}>"$CACHE/.lock-$1"
	flock -n "${2:--x}" "$fd" && return
	say "waiting for another run ($1)"
	flock "${2:--x}" "$fd"
}
