#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# User-Mode Linux without root: `make run GUEST=uml` of an ordinary user.

bats_require_minimum_version 1.5.0

@test "an ordinary user has a guest, too, and is root in there" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become an ordinary user"
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	home=$(mktemp -d /tmp/memcache-test.XXXXXX)	# bats's own are for root only
	kernel=$(env -u KERNEL "$TOP/tools/guest/kernel" uml)
	cached=$home/cache/kernels/$(basename "$kernel")
	mkdir -p "$cached" "$home/tmp"
	cp -r "$TOP/tools" "$home/"
	cp -r "$kernel/." "$cached/"
	chown -R nobody: "$home"
	(umask 077 && true >"$BATS_TEST_TMPDIR/phases")
	cd "$home"
	run --separate-stderr setpriv --reuid nobody --regid nogroup --clear-groups \
		env -u KERNEL PATH=/usr/bin:/bin HOME=/ TMPDIR="$home/tmp" MEMCACHE_CACHE="$home/cache" \
		MEMCACHE_NO_SETUP=1 MEMCACHE_PHASES="$BATS_TEST_TMPDIR/phases" tools/guest/run uml -- \
		sh -c 'type insmod >/dev/null && id -u; echo x >results/y; echo z >tools/z'
	[ "$status" -eq 0 ]
	[ "$output" = 0 ]
	[ "$(cat results/y)" = x ]
	[ ! -e tools/z ]
	[ -z "$(ls tmp)" ]
	rm -r "$home"
}
