#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A person installs the packages, measures and purges them. Then the power fails.

load guest.bash

home() { over "$1" "cd /home/user; ${*:2}"; }

@test "apt installs the packages without a network, and DKMS builds the module" {
	run -0 home root DEBIAN_FRONTEND=noninteractive apt-get install -y ./packages/memcache-*.deb
	run -0 root dkms status
	says "memcache/" "$(user uname -r), x86_64: installed"
	[ "memcache $(root modinfo -F version memcache)" = "$(user memcache --version)" ]
}

@test "DKMS has signed it with a key of its own, which make sign uses, too" {
	signer=$(root modinfo -F signer memcache)
	[ -n "$signer" ]
	run -0 user sudo make sign
	says "memcache: signed with /var/lib/dkms/mok.key"
	[ "$(user /sbin/modinfo -F signer build/host-gcc/module/memcache.ko)" = "$signer" ]
	run -0 root find build ! -user user
	[ -z "$output" ]
}

@test "an ordinary user has commands, manual pages and completions, and measures in user space" {
	run -1 home user memcache run -o none.jsonl bandwidth
	says "$FILES is for root only: run this with sudo; without it: --where user"
	home user memcache run --where user -o own.jsonl bandwidth size=16K repeat=3
	run -1 home user memcache doctor
	says "the module is not loaded (sudo modprobe memcache)" \
		"ok    memcache-user: /usr/"
	run -0 home user memcache complete memcache run 'cache-at'
	says cache-attributes
	user test -e /usr/share/man/man1/memcache.1.gz
}

@test "memcache run by root loads the module, measures, and unloads it" {
	run -0 home user "sudo memcache run -o measured.jsonl 'bandwidth type=wb,wc,uc size=16K repeat=3'"
	says "memcache: loading the module for this run" "Results: measured.jsonl"
	[ "$(results ../measured.jsonl)" -eq 3 ]
	[ "$(home user stat -c %U measured.jsonl)" = user ]
	unloaded
}

@test "memcache run of the default suite measures, and a mistyped suite loads nothing" {
	run -2 home user sudo memcache run cache-atributes
	says "cache-attributes"
	not grep loading <<<"$output"
	run -0 home user sudo memcache run -o quick.jsonl cache-attributes-quick
	says "Access speed by memory type"
	[ "$(results ../quick.jsonl)" -eq 72 ]
	unloaded
}

@test "the packages' own test of the module passes" {
	root AUTOPKGTEST_TMP=/tmp sh tools/packaging/debian/tests/module
	unloaded
}

@test "memcache-selftests runs a test of the module" {
	run -0 home root memcache-selftests results
	grep '^ok ' <<<"$output"
	not grep '^not ok' <<<"$output"
	unloaded
}

@test "purged, the packages leave nothing, and say that the module is still loaded" {
	root modprobe memcache
	run -0 root DEBIAN_FRONTEND=noninteractive apt-get purge -y 'memcache-*'
	says "memcache-dkms: the module is still loaded: rmmod memcache"
	root rmmod memcache
	not root modinfo memcache
	not root command -v memcache
	# The checkout is below /home, and its builds by sudo leave locks in /root/.cache.
	run -0 root "find / -xdev \( -path /home -o -path /root/.cache \) -prune \
		-o -iname '*memcache*' -print"
	[ -z "$output" ]
}

@test "the power fails while a suite measures" {
	new user "tools/memcache/memcache run --where user -o cut.jsonl \
		bandwidth size=4K bandwidth size=1M repeat=1000000 bandwidth size=8K"
	await $! user 'grep -sq "\"record\":\"result\"" cut.jsonl'
	"$BATS_TEST_DIRNAME/../../tools/guest/disk" stop "$MACHINE"
	wait $! || true
}
