#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	spy apt-get
}

@test "without root, the packages to install are printed as a command" {
	stub id 'echo 1000'
	stub dpkg-query 'exit 1'
	run "$TOP/tools/setup" guest
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output =~ sudo\ apt-get\ install.*\ qemu-system-x86 ]]
	[ ! -e "$calls" ]
}

@test "without apt, the packages are named" {
	# A PATH without dpkg-query and apt-get.
	mkdir "$BATS_TEST_TMPDIR/few"
	for command in awk bash cat dirname id; do
		ln -s "$(command -v "$command")" "$BATS_TEST_TMPDIR/few/"
	done
	PATH=$BATS_TEST_TMPDIR/few run "$TOP/tools/setup" guest
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"no apt"*qemu-system-x86* ]]
}

@test "with nothing missing it is silent and calls no apt" {
	# shellcheck disable=SC2016 # for the stub to expand
	stub dpkg-query 'for package; do echo "$package installed"; done'
	run "$TOP/tools/setup" build guest check-core docs
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -e "$calls" ]
}

@test "a check has packages of its own, and those of the profiles that it names" {
	stub id 'echo 1000'
	stub dpkg-query 'exit 1'
	run "$TOP/tools/setup" check-core
	echo "$output"
	[[ $output == *" libcmocka-dev "* && $output == *" gcovr "* ]]
	[[ ! $output =~ chromium|bochs|qemu|arm64|bats|@ ]]
}

@test "every profile that a command names is there" {
	stub id 'echo 1000'
	stub dpkg-query 'exit 1'
	profiles=$(cd "$TOP" && grep -ohE 'tools/setup( [a-z0-9-]+)+' Makefile tools/run tools/host \
		tools/memcache/mc/*/*.py | tr ' ' '\n' | grep -v / | sort -u)
	[ -n "$profiles" ]
	for profile in $profiles; do
		run "$TOP/tools/setup" "$profile"
		echo "$output"
		[[ $output == *"packages are missing (for: $profile)"* && $output != *"no profile"* ]]
	done
}

@test "an installed package that is upgraded is named before that happens" {
	stub id 'echo 0'
	stub dpkg-query 'exit 1'
	# shellcheck disable=SC2016 # for the stub to expand
	stub apt-get 'case " $* " in *" -qs "*)
	echo "Inst linux-kbuild-6.1 [6.1.129-1] (6.1.170-3 Debian:12.11/oldstable [amd64])"
	echo "Inst linux-headers-6.1.0-50-amd64 (6.1.170-3 Debian:12.11/oldstable [amd64])" ;;
*" -s "*) ;;
*) echo "installing" ;;
esac'
	run "$TOP/tools/setup" run
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"which are upgraded:
    linux-kbuild-6.1 6.1.129-1 -> 6.1.170-3
installing" ]]
	[[ $output != *"linux-headers"* ]]
}
