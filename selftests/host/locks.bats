#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs that wait for each other, on a kernel whose Makefile runs the command in INSIDE.

bats_require_minimum_version 1.5.0

@test "builds wait in one checkout, not in two; who waits says for whom, and gives up" {
	top=$BATS_TEST_DIRNAME/../.. here=$BATS_TEST_TMPDIR
	export MEMCACHE_CACHE=$here/cache LOCK_MINUTES=0
	mkdir -p "$here"/{a,b}/{tools/guest,module} "$here/kernel/build"
	echo 6.1.0 >"$here/kernel/release"
	# shellcheck disable=SC2016 # for make
	printf 'modules:\n\t$(INSIDE)\n' >"$here/kernel/build/Makefile"
	for one in "$here"/{a,b}; do
		cp "$top"/tools/{lib.sh,version} "$one/tools/"
		cp "$top"/tools/guest/{build,cache.sh,clang.sh} "$one/tools/guest/"
		printf '#!/bin/sh\necho %q\n' "$here/kernel" >"$one/tools/guest/kernel"
		chmod +x "$one/tools/guest/kernel"
		touch "$one/Kbuild"
	done
	run -0 env INSIDE="INSIDE= $here/b/tools/guest/build" "$here/a/tools/guest/build"
	[[ $output == *"$here/b/build/6.1-gcc/module/memcache.ko"* && $output != *waiting* ]]
	run -1 env INSIDE="INSIDE= $here/a/tools/guest/build" "$here/a/tools/guest/build"
	taken="6.1-gcc, taken by build in $here/a at [0-2][0-9]:[0-5][0-9], process [0-9]+"
	[[ $output =~ "waiting for another run "\($taken\) ]]
	[[ $output =~ "waited 0 minutes (LOCK_MINUTES=) for another run "\($taken\) ]]
}

@test "two builds of memcache-user at once compile each file once" {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR"
	# A compiler that takes a while, and only makes what -o names.
	cat >cc <<-'END'
		#!/bin/bash
		while [ "$1" != -o ]; do shift; done
		echo "$2" >>compiled
		sleep 0.02
		mkdir -p "$(dirname "$2")" && echo >"$2"
	END
	chmod +x cc
	for _ in 1 2; do
		make -s -j4 -C "$TOP/tools/user" OUT="$PWD/out" CC="cd '$PWD'; ./cc" 3>&- &
	done
	wait
	[ "$(wc -l <compiled)" -gt 100 ]
	[ "$(sort compiled | uniq -d)" = "" ]
	[ -s out/memcache-user ]
}
