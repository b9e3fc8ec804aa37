#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A person measures in a checkout, with make. Only what the guest is to do in another shell stands
# in single quotes.
# shellcheck disable=SC2016

load guest.bash

MEASURE='bandwidth type=wb,wc,uc size=16K repeat=3'

@test "doctor tells an ordinary user what to do" {
	run -1 user tools/memcache/memcache doctor
	says "warn  not root (measure with sudo; user space on WB needs no root)" \
		"ok    modules are allowed, signatures are not enforced" "ok    debugfs is mounted" \
		"ok    headers of the running kernel, $(user uname -r)" \
		"warn  the module is not loaded (sudo make load" "ok    memcache-user: " \
		"fail  emulated by QEMU (TCG)"
}

@test "without headers of the running kernel, the advice is their package, or a new kernel" {
	headers="can't run here: no headers of the running kernel, $(user uname -r)"
	root 'mv /lib/modules/$(uname -r)/build /root/'
	run -2 user sudo make run WHERE=host
	says "$headers (apt-get install linux-headers-$(user uname -r))"
	# A list of packages in which they are no longer.
	root mount --bind /dev/null /var/lib/dpkg/status
	run -2 user sudo make run WHERE=host
	root umount /var/lib/dpkg/status
	root 'mv /root/build /lib/modules/$(uname -r)/'
	says "$headers (apt does not know them" \
		"install linux-image-amd64 and linux-headers-amd64, and reboot into the new kernel"
	user test ! -e build/host-gcc
}

@test "sudo make run builds, measures and unloads" {
	run -0 user "sudo make run WHERE=host SUITE='$MEASURE'"
	says "memcache: building the module for Linux $(user uname -r)" "memcache: loading it, to run: "
	[ "$(results 'results/*.jsonl')" -eq 3 ]
	unloaded
}

@test "modinfo shows the version of the checkout, and the version of the source" {
	[ "$(user /sbin/modinfo -F version build/host-gcc/module/memcache.ko)" = "$(user tools/version)" ]
	[ -n "$(user /sbin/modinfo -F srcversion build/host-gcc/module/memcache.ko)" ]
}

@test "what sudo has made belongs to the user, who goes on without it" {
	run -0 root find . ! -user user
	[ -z "$output" ]
	user tools/memcache/memcache run --where user bandwidth size=16K repeat=3
	[ "$(user ls results | wc -l)" -eq 2 ]
	run -0 user make build KERNEL=host
	says "memcache: building the module for Linux $(user uname -r)" \
		build/host-gcc/module/memcache.ko
}

@test "kselftest by hand: a program skips without its modules, and says how to build them" {
	run -4 root ../kselftest/memcache/results
	says "tools/guest/build -k host"
	run -0 user 'ko=$(tools/guest/build -k host) witness=$(tools/guest/build -k host -w)
		sudo MEMCACHE_KO=$ko WITNESS_KO=$witness ../kselftest/memcache/results'
	grep '^ok ' <<<"$output"
	not grep '^not ok\|SKIP' <<<"$output"
	unloaded
}

# as_root COMMAND: as root, by su without `-`.
as_root() { user "echo secret | su -c '$1'"; }

@test "after su without -, make load and make unload find insmod and rmmod" {
	root 'echo root:secret | chpasswd'
	not grep sbin <<<"$(as_root 'echo $PATH')"
	run -0 as_root 'make load'
	says "memcache: loaded; its files are in $FILES, and make unload removes it"
	loaded
	# Git knows the version, although the checkout is another user's.
	[ "$(user cat /sys/module/memcache/version)" = "$(user tools/version)" ]
	as_root 'make unload'
	unloaded
}

@test "a loaded module is measured with by root, refused to users and not loaded twice" {
	user sudo make load
	loaded
	run -2 user sudo make load
	says "can't run here: the module is loaded already (rmmod memcache)"
	run -1 user tools/memcache/memcache run bandwidth
	says "$FILES is for root only: run this with sudo; without it: --where user"
	run -1 root tools/memcache/memcache doctor
	says "ok    the module is loaded" "UC: page tables say uc-"
	user "sudo tools/memcache/memcache run -o loaded.jsonl '$MEASURE'"
	[ "$(results loaded.jsonl)" -eq 3 ]
	[ "$(user stat -c %U loaded.jsonl)" = user ]
	loaded
}

@test "a second run says who measures, and how far that is" {
	new user "sudo tools/memcache/memcache run -o long.jsonl bandwidth size=1M repeat=1000000"
	measures
	run -1 root tools/memcache/memcache run -o second.jsonl bandwidth size=16K
	root "echo 1 >$FILES/stop"
	says "bandwidth size=1M repeat=1000000"
	who='started by memcache \(process [0-9]+, user user\): [0-9]+ of [0-9]+ samples'
	grep -E "EBUSY: another run is on, $who" <<<"$output"
	wait $! || true
	root test ! -e second.jsonl
}

@test "without a terminal, a run goes on when the connection is lost" {
	new user "sudo tools/memcache/memcache run -o lost.jsonl \
		bandwidth size=1M repeat=20000 bandwidth size=4K"
	measures
	kill -KILL $!
	wait $! || true
	await 0 has_results lost.jsonl 2
	idle
	run -0 user tools/memcache/memcache show lost.jsonl
	not grep 'without any result' <<<"$output"
}

@test "with a terminal, the lost connection ends the run, and keeps what was measured" {
	new user -tt "sudo tools/memcache/memcache run -o hangup.jsonl \
		bandwidth size=4K bandwidth size=1M repeat=1000000 bandwidth size=8K"
	await $! has_results hangup.jsonl 1
	measures
	kill -KILL $!
	wait $! || true
	idle
	run -0 user tools/memcache/memcache show hangup.jsonl
	says "without any result" "- bandwidth size=8K"
	loaded
}

@test "make unload, by sudo" {
	user sudo make unload
	unloaded
}
