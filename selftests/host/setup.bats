#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/setup, with a dpkg and an apt that have what the test says. `make check-packages` tries it
# with those of Debian 12 and 13.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	spy apt-get
	has
	knows '*'
}

# has PACKAGE[,PROVIDED]…: dpkg has these packages, and no others.
has() { stub dpkg-query "echo 'config-files,gone,'; printf 'installed,%s,\n' $(printf '%q ' "$@")"; }

# knows PATTERN: apt has lists, and in them the packages whose names fit. As apt does, it takes the
# name of another package for a pattern.
knows() {
	# shellcheck disable=SC2016 # for the stub to expand
	stub apt-cache 'shift; for name; do
case $name in
provided) printf "Package: $name\nVersions: \n\nReverse Depends: \n  x,$name\nProvides: \nReverse Provides: \nother 1 (= 1)\n" ;;
'"$1"') printf "Package: $name\nVersions: \n1 (/lists)\n\nReverse Depends: \n  x,$name\nReverse Provides: \n" ;;
*) printf "Package: $name.2\nVersions: \n1 (/lists)\nPackage: $name\nVersions: \n\nReverse Depends: \n  x,$name\nReverse Provides: \n" ;;
esac; done'
	stub apt-get "[ \"\$1\" = indextargets ] && echo lists || echo \"apt-get \$*\" >>$calls"
}

@test "without root, the packages to install are printed as a command" {
	stub id 'echo 1000'
	run -1 "$TOP/tools/setup" guest
	[[ $output =~ \ \ sudo\ apt-get\ install.*\ qemu-system-x86 ]]
	[ ! -e "$calls" ]
}

@test "without root and package lists, the command reads the lists first" {
	stub id 'echo 1000'
	stub apt-cache 'exit 100'
	spy apt-get
	run -1 "$TOP/tools/setup" debug guest
	[[ $output == *"    sudo apt-get update && sudo apt-get install --no-install-recommends clang-16 "* ]]
	[[ $output != *lacks* ]]
}

@test "without apt, the packages are named" {
	# A PATH without dpkg-query and apt-get.
	mkdir "$BATS_TEST_TMPDIR/few"
	for command in awk bash cat dirname id; do
		ln -s "$(command -v "$command")" "$BATS_TEST_TMPDIR/few/"
	done
	PATH=$BATS_TEST_TMPDIR/few run -1 "$TOP/tools/setup" guest
	[[ $output == *"no apt"*qemu-system-x86* ]]
}

# A release, its package that has libelf1, and the names that dpkg says this package provides.
NAMES='Debian 12|libelf1
Debian 13|libelf1t64,libelf1 (= 0.192-4)
Ubuntu 24.04|libelf1t64,libelf1 (= 0.190-1.1build4)
of several names|elf,a, libelf1:any (= 2), b (= 3)'

@test "with nothing missing it is silent and calls no apt, whatever a release calls a package" {
	for user in 0 1000; do
		stub id "echo $user"
		while IFS='|' read -r release name; do
			has make gcc libc6-dev gcc-12 perl dpkg xz-utils zstd kmod "$name"
			run -0 "$TOP/tools/setup" build
			echo "$release: $output"
			[ -z "$output" ]
		done <<<"$NAMES"
	done
	[ ! -e "$calls" ]
}

@test "a package that is removed, and one that only begins with a name, are missing" {
	stub id 'echo 1000'
	stub dpkg-query 'printf "%s\n" "config-files,make," "installed,libelf1-dev," "installed,x,libelf1-udeb"'
	run "$TOP/tools/setup" build
	[[ $output == *" libelf1 make "* ]]
}

@test "a package that the release lacks is left out in one line, if nothing needs it" {
	for user in 0 1000; do
		stub id "echo $user"
		has
		knows '*[!6]'
		run "$TOP/tools/setup" debug uml
		[ "$status" -eq $((user > 0)) ]
		[ "${lines[0]}" = "memcache: this release lacks packages: clang-16 lld-16 llvm-16 (no debug kernel, and no guest with it)" ]
		[[ "${lines[*]:1}" =~ (install|installing).*cpio\ python3 ]]
		[[ "${lines[*]:1}" != *clang* ]]
		has python3 cpio
		run -0 "$TOP/tools/setup" debug uml
		[ ${#lines[@]} -eq 1 ]
	done
	run -1 grep -E "update|16" "$calls"
}

@test "a package that the release lacks and that is needed is named, and nothing is installed" {
	stub id 'echo 0'
	knows '*[!d]'
	run -1 "$TOP/tools/setup" guest uml
	[[ $output == *"memcache: this release has no package kmod (for: guest uml)" ]]
	[ "$(grep -c . "$calls")" -eq 1 ]
	grep -q update "$calls"
}

@test "a name that others provide can be installed" {
	mkdir -p "$BATS_TEST_TMPDIR/top/tools"
	cp "$TOP"/tools/{setup,lib.sh} "$BATS_TEST_TMPDIR/top/tools/"
	echo "some: provided" >"$BATS_TEST_TMPDIR/top/tools/packages"
	stub id 'echo 0'
	run -0 "$BATS_TEST_TMPDIR/top/tools/setup" some
	[ "$output" = "memcache: installing (for: some): provided" ]
}

@test "a check has packages of its own, and those of the profiles that it names" {
	stub id 'echo 1000'
	run "$TOP/tools/setup" check-core
	[[ $output == *" libcmocka-dev "* && $output == *" gcovr "* ]]
	[[ ! $output =~ chromium|qemu|arm64|bats|@ ]]
}

@test "every profile that a command names is there, and each package that may be lacking" {
	stub id 'echo 1000'
	profiles=$(cd "$TOP" && grep -ohE '(tools/setup|needs :=)( [a-z0-9-]+)+' Makefile tools/run \
		tools/host tools/memcache/mc/*/*.py | sed 's/^needs ://' | tr ' ' '\n' |
		grep -v '[/=]' | sort -u)
	[ -n "$profiles" ]
	for profile in $profiles; do
		run "$TOP/tools/setup" "$profile"
		[[ $output == *"packages are missing (for: $profile)"* && $output != *"no profile"* ]]
	done
	sed -n 's/^without \([^:]*\):.*/\1/p' "$TOP/tools/packages" | tr ' ' '\n' |
		while read -r package; do
			echo "$package"
			grep -v ^without "$TOP/tools/packages" | grep -qE "^[^:]*: .*\b$package\b"
		done
}

@test "an installed package that is upgraded is named before that happens" {
	stub id 'echo 0'
	# shellcheck disable=SC2016 # for the stub to expand
	stub apt-get 'case " $* " in
*" -qs "*)
	echo "Inst linux-kbuild-6.1 [6.1.129-1] (6.1.170-3 Debian:12.11/oldstable [amd64])"
	echo "Inst linux-headers-6.1.0-50-amd64 (6.1.170-3 Debian:12.11/oldstable [amd64])" ;;
*" indextargets "*) echo lists ;;
*) echo "installing" ;;
esac'
	run -0 "$TOP/tools/setup" run
	[[ $output == *"which are upgraded:
    linux-kbuild-6.1 6.1.129-1 -> 6.1.170-3
installing" ]]
	[[ $output != *"linux-headers"* ]]
}
