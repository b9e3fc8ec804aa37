# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests on a kernel that takes signed modules only. tools/check/signed makes the keys in $KEYS:
# known.priv, whose certificate the firmware lists or a person enrols, and foreign.priv.
# shellcheck disable=SC2034,SC2154	# variables of bats, and those of the tests

load ../bats/module.bash

LOCKDOWN=/sys/kernel/security/lockdown

setup_file() {
	mount -t securityfs securityfs "${LOCKDOWN%/*}"
	modprobe efivarfs
	mount -t efivarfs efivarfs /sys/firmware/efi/efivars
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP PATH=$TOP/tools/memcache:$TOP/build/user:$PATH
}
teardown_file() { :; }

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cp "$MEMCACHE_KO" memcache.ko
	export MEMCACHE_KO=$PWD/memcache.ko
	dmesg --clear
}

# signed_by NAME: sign the copy of the module.
signed_by() {
	KEY=$KEYS/$1.priv "$TOP/tools/sign" "$MEMCACHE_KO"
	[ "$(modinfo -F signer "$MEMCACHE_KO")" = "$1" ]
}

# refused WORDS LOG ADVICE: insmod says WORDS, the kernel log has LOG (if that is empty: nothing of
# loading), and our tools give ADVICE.
refused() {
	run insmod "$MEMCACHE_KO"
	[[ $status -ne 0 && $output == *": $1" ]]
	dmesg
	if [ -n "$2" ]; then
		dmesg | grep -qF "$2"
	else
		not grep -qi 'loading' <<<"$(dmesg)"
	fi
	not grep -q '^memcache ' /proc/modules
	run "$TOP/tools/with-module" true
	[[ $status -ne 0 && $output == *"memcache: $3" ]]
}
UNSIGNED="this kernel takes signed modules only: make sign KEY=FILE, see Documentation/security.rst"
FOREIGN="this kernel does not trust the key that signed the module: see Documentation/security.rst"

# doctor STATUS LINE…: the exit status of doctor, and the beginnings of lines that it says.
doctor() {
	local line
	run "-$1" memcache doctor
	# Its lines are as wide as the terminal.
	output=$(sed -zE 's/\n +/ /g' <<<"$output")
	for line in "${@:2}"; do
		grep -qF "$line" <<<"$output"
	done
}

# The kernel knows the signature: the module has no E (unsigned) among its taints.
trusted() { [ "$(cat /sys/module/memcache/taint)" = O ]; }

# user_space_measures: on a kernel that is locked down, a module with a known signature loads, and
# takes no request.
user_space_measures() {
	signed_by known
	"$TOP/tools/with-module"
	trusted
	doctor 1 "ok    modules are allowed, if they are signed" "ok    the module is loaded" \
		"warn  the kernel is locked down (integrity): it takes no request; user space can measure UC and WC (memcache run --where user;"
	run memcache run -o none 'bandwidth size=4K repeat=1'
	[[ $status -eq 1 && $output == *"the kernel is locked down (integrity)"*"--where user"* ]]
	memcache run --where user -o r.jsonl 'bandwidth type=wb,wc,uc size=4K repeat=1'
	[ "$(grep -c '"record":"result"' r.jsonl)" -eq 3 ]
	grep -q '"attribute":"uc-"' r.jsonl
	rmmod memcache
}
