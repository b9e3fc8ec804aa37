#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# make install, make uninstall and make dist.

bats_require_minimum_version 1.5.0

# A copy of the sources in a repository of its own, since a release has what is committed, and in a
# path with a space, in which memcache-user and its manual can be built.
setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP SOURCES="$BATS_FILE_TMPDIR/the sources" MEMCACHE_NO_SETUP=1
	# A program that root runs where it is installed would leave its bytecode there.
	export PYTHONDONTWRITEBYTECODE=1
	export GIT_CONFIG_GLOBAL=$BATS_FILE_TMPDIR/gitconfig
	git config --global user.name Test
	git config --global user.email test@example.org
	git config --global safe.directory '*'
	mkdir "$SOURCES"
	(cd "$TOP" && git ls-files -z --cached --others --exclude-standard |
		xargs -0 cp -a --parents -t "$SOURCES" --)
	git -C "$SOURCES" init -q
	git -C "$SOURCES" add -A
	git -C "$SOURCES" commit -qm 'All'
	git -C "$SOURCES" tag -a -m '1.2' v1.2
	RELEASE=$(make -s -C "$SOURCES" dist)
	export RELEASE=$SOURCES/$RELEASE ROOT=$BATS_FILE_TMPDIR/root
	command -v help2man >/dev/null || return 0
	(umask 077 && CFLAGS=-O0 make -s -C "$SOURCES" install DESTDIR="$ROOT" PREFIX=/opt/m)
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	case $BATS_TEST_DESCRIPTION in
	installed*) command -v help2man >/dev/null || skip "without help2man" ;;
	esac
}

# A copy of the release, unpacked.
unpacked() {
	tar -xf "$RELEASE"
	cd memcache-1.2 || return
}

@test "a release has the version in its name and in itself, every file, and kselftest" {
	[ "${RELEASE##*/}" = memcache-1.2.tar.gz ]
	unpacked
	[ "$(tools/version)" = 1.2 ]
	diff <(cd "$SOURCES" && git ls-files | sort) \
		<(find . ! -type d ! -name VERSION ! -path './selftests/kselftest/*' -printf '%P\n' | sort)
	diff -r selftests/kselftest \
		"$(MEMCACHE_CACHE=/dev/null/none tools/check/kselftest framework)"
}

@test "a release has the same bytes at another time, place, umask, time zone and locale" {
	sum=$(sha256sum <"$RELEASE")
	git clone -q "$SOURCES" "other place"
	cd "other place"
	umask 077
	sleep 1
	again=$(TZ=Asia/Tokyo LC_ALL=C.UTF-8 make -s dist)
	[ "$(sha256sum <"$again")" = "$sum" ]
	unpacked
	[ "$(sha256sum <"$(make -s dist)")" = "$sum" ]
}

@test "a release says that it lacks what is not committed" {
	git clone -q "$SOURCES" changed
	cd changed
	echo >>README.md
	run -0 --separate-stderr make -s dist
	[ "$output" = build/dist/memcache-1.2.tar.gz ]
	# shellcheck disable=SC2154 # set by run
	[[ $stderr == *"without the changes since"* ]]
}

@test "no release of a tree that is dirty, has no tag, no changes, or has not passed" {
	git clone -q "$SOURCES" refused && cd refused
	refuses() { VERSION=$1 run -1 tools/packaging/release && [[ ${lines[-1]} == *"$2"* ]]; }
	refuses "" "VERSION= names the release"
	refuses 1.3 "these sources are of version 1.2: git tag -a v1.3, on the last commit"
	refuses 1.2 "CHANGELOG.md has nothing on 1.2"
	touch more
	refuses 1.2 "files differ from the last commit: git status"
	rm more
	printf '#!/bin/sh\nexport -p | grep -Ew "VERSION|TOP|BUILD|CACHE"\nexit 1\n' >tools/check/run
	git commit -qam 'A check that fails'
	git tag -a -m rc v1.0.0-rc1
	FAST=1 refuses 1.0.0-rc1 "leave out a part of make check"
	refuses 1.0.0-rc1 "make check has not passed: nothing is released"
	[ "${#lines[@]}" -eq 1 ]	# `make check` has these variables neither, and its results count
	[ ! -e build/release ]
}

@test "a release can be made from a release" {
	unpacked
	again=$(make -s dist)
	tar -tf "$again" | grep -v '/$' | sort >there
	tar -tf "$RELEASE" | grep -v '/$' | sort | diff - there
	touch results
	sum=$(sha256sum <"$again")
	rm there results
	[ "$(make -s dist && sha256sum <"$again")" = "build/dist/memcache-1.2.tar.gz"$'\n'"$sum" ]
}

@test "installed: programs run from there, without the sources" {
	mv "$SOURCES" "$SOURCES.away"
	status=0
	(
		cd /
		export PATH=$ROOT/opt/m/bin:$PATH
		[ "$(memcache --version)" = "memcache 1.2" ] &&
			[ "$(memcache-user --version)" = "memcache-user 1.2" ] &&
			memcache suites | grep -q '^mlc ' &&
			memcache suites mlc >/dev/null &&
			memcache run --where user -o "$BATS_TEST_TMPDIR/x.jsonl" 'os item=fork_exec repeat=2' &&
			[ "$(memcache complete memcache suites mlc-)" != "" ] &&
			"$ROOT/opt/m/libexec/memcache/stand-in/multichase" -m 4096 -s 64 | grep -q '^ *[0-9.]*$'
	) || status=$?
	mv "$SOURCES.away" "$SOURCES"
	[ "$status" -eq 0 ]
	grep -q '"version":"1.2"' x.jsonl
	# Named by its path, it finds memcache-user outside of PATH, too.
	"$ROOT/opt/m/bin/memcache" run --where user -o y.jsonl 'os item=getpid repeat=2'
}

@test "installed: everybody may read it, and nothing else lies there" {
	[ -z "$(find "$ROOT" ! -type l ! -perm -go=r)" ]
	[ -z "$(find "$ROOT" -type d ! -perm 755)" ]
	[ -z "$(find "$ROOT" -name '*.pyc' -o -name '*.o')" ]
	[ -z "$(find "$ROOT" -xtype l)" ]
	diff <(cd "$ROOT" && find . ! -type d -printf '/%P\n' | sort) \
		<(cd "$SOURCES" && PREFIX=/opt/m tools/packaging/install -l tools dkms | sort)
	run -1 "$SOURCES/tools/packaging/install" -l tools nosuch
	[ "$output" = "memcache: there is no part 'nosuch': dkms selftests tools" ]
}

@test "installed: a man page for each program and command" {
	cd "$ROOT/opt/m/share/man/man1"
	for name in memcache memcache-user $("$ROOT/opt/m/bin/memcache" complete memcache '' |
		sed 's/\t.*//; s/^/memcache-/'); do
		[ "$(grep -c '^\.SH \(NAME\|SYNOPSIS\|"SEE ALSO"\)' "$name.1")" -eq 3 ]
		grep -q "^$name \\\\- " "$name.1"
		grep -qE '^\.TH [^ ]+ "1" "20[0-9]{2}-[0-9]{2}-[0-9]{2}" ' "$name.1"
	done
	# --help alone is the source: each option of memcache run is there.
	for option in where rounds dry counters; do
		grep -q "^.fB.-.-$option" memcache-run.1
	done
}

@test "installed: sources for DKMS know their version, and where they are from" {
	cd "$ROOT/opt/m/src/memcache-1.2"
	[ "$(tools/version)" = 1.2 ]
	# shellcheck disable=SC1091,SC2154
	[ "$(kernel_source_dir=K dkms_tree=D && . ./dkms.conf && echo "$PACKAGE_NAME $PACKAGE_VERSION")" = "memcache 1.2" ]
	diff -r "$SOURCES/module" module
}

@test "installed: uninstall leaves nothing" {
	cp -a "$ROOT" root
	mkdir root/opt/m/share/memcache/tools/memcache/mc/__pycache__
	touch root/opt/m/share/memcache/tools/memcache/mc/__pycache__/x.pyc
	make -s -C "$SOURCES" uninstall DESTDIR="$PWD/root" PREFIX=/opt/m
	[ -z "$(find root ! -type d)" ]
	[ ! -e root/opt/m/share/memcache ]
	[ ! -e root/opt/m/src/memcache-1.2 ]
}

@test "dkms.conf takes its version from the sources, and from DKMS once it has added them" {
	cd "$SOURCES"
	# shellcheck disable=SC1091,SC2154
	[ "$(kernel_source_dir=K dkms_tree=D && . ./dkms.conf && echo "$PACKAGE_VERSION")" = 1.2 ]
	mkdir "$BATS_TEST_TMPDIR/copy"
	cp dkms.conf "$BATS_TEST_TMPDIR/copy"
	cd "$BATS_TEST_TMPDIR/copy"
	# shellcheck disable=SC1091,SC2034,SC2154
	make=$(kernel_source_dir=K dkms_tree=D module_version=3.4 && . ./dkms.conf && echo "${MAKE[0]}")
	[ "$make" = "make -C K M=D/memcache/3.4/build MC_VERSION=3.4 CONFIG_DEBUG_INFO_BTF_MODULES= modules" ]
}
