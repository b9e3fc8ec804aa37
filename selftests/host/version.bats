#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The version, in a checkout and in a tarball, and what is built with it.

load ../bats/user.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export MEMCACHE_DEBUGFS=$BATS_TEST_TMPDIR
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	mkdir -p sources/tools
	cp "$TOP/tools/version" sources/tools/
}

version() { sources/tools/version; }

in_sources() {
	git -C sources -c user.name=a -c user.email=a@example.org -c commit.gpgsign=false "$@"
}

commit() { in_sources commit -q --allow-empty -m "$1"; }

checkout() {
	git init -q sources
	in_sources add tools
	commit first
}

@test "a tag, the commits since then, and changes" {
	checkout
	in_sources tag v1.2
	[ "$(version)" = 1.2 ]
	commit second
	commit third
	[[ $(version) =~ ^1\.2-2-g[0-9a-f]{12}$ ]]
	in_sources tag other
	before=$(version)
	echo >>sources/tools/version
	[ "$(version)" = "$before-dirty" ]
}

@test "without a tag, the commits are counted" {
	checkout
	commit second
	[[ $(version) =~ ^0-2-g[0-9a-f]{12}$ ]]
}

@test "git's index is not written, so that nobody's commit fails" {
	checkout
	touch -d yesterday sources/tools/version
	before=$(stat -c %i.%y sources/.git/index)
	[[ $(version) != *-dirty ]]
	[ "$(stat -c %i.%y sources/.git/index)" = "$before" ]
}

@test "a worktree, and a path with a space, through a link" {
	checkout
	git -C sources worktree add -q -b other "../other tree"
	ln -s "other tree/tools/version" link
	[ "$(./link)" = "$(version)" ]
	[[ $(version) == 0-1-g* ]]
}

@test "a tarball has it in a file, wherever it is unpacked" {
	git init -q .
	git add sources
	git -c user.name=a -c user.email=a@example.org commit -q -m "somebody else's"
	[ "$(version)" = unknown ]
	echo 1.2 >sources/VERSION
	[ "$(version)" = 1.2 ]
}

@test "the programs say it, and their records" {
	make -s -C "$TOP/tools/user"
	wanted=$("$TOP/tools/version")
	[ "$("$USER_TOOL" --version)" = "memcache-user $wanted" ]
	[ "$("$TOP/tools/memcache/memcache" --version)" = "memcache $wanted" ]
	measure --own 'bandwidth size=4K repeat=1'
	holds "machine['version'] == '$wanted'"
}

@test "an installed front end has it in a file beside it" {
	cp -r "$TOP/tools/memcache" installed
	echo 1.2 >installed/VERSION
	[ "$(installed/memcache --version)" = "memcache 1.2" ]
	rm installed/VERSION
	[ "$(installed/memcache --version)" = "memcache unknown" ]
}
