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

# locked NAME COMMAND…: run COMMAND while holding a lock in the cache, so that
# two callers never download or unpack the same thing at once.
locked() {
	local name=$1 fd status=0
	shift
	mkdir -p "$CACHE"
	exec {fd}>"$CACHE/.lock-$name"
	flock -n "$fd" || { say "waiting for another run ($name)"; flock "$fd"; }
	# The command must not inherit the lock: a forgotten child would keep it.
	"$@" {fd}>&- || status=$?
	exec {fd}>&-
	return "$status"
}
