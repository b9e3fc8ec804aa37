#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# `make run WHERE=host` up to the point where it would touch this machine.

load ../bats/words.bash

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	export MEMCACHE_SYSROOT=$BATS_TEST_TMPDIR/root MEMCACHE_KO=memcache.ko
	stub id 'echo 0'
	# shellcheck disable=SC2016 # for the stub to expand
	stub uname 'case $1 in -r) echo 6.1.0-test ;; -m) echo ${MACHINE:-x86_64} ;; esac'
	root=$MEMCACHE_SYSROOT
	machine
}

# machine: from now on, nothing prevents a run on this machine.
machine() {
	rm -rf "$root"
	mkdir -p "$root"/{proc/sys/kernel,sys/kernel/{debug,security},lib/modules/6.1.0-test/build}
	touch "$root/lib/modules/6.1.0-test/build/Makefile"
	echo 'ext4 4096 1 - Live 0x0' >"$root/proc/modules"
	printf 'nodev\tsysfs\nnodev\tdebugfs\n' >"$root/proc/filesystems"
	echo 0 >"$root/proc/sys/kernel/modules_disabled"
	echo '[none] integrity confidentiality' >"$root/sys/kernel/security/lockdown"
	echo "none $root/sys/kernel/debug debugfs rw 0 0" >"$root/proc/mounts"
}

# refuses TEXT…: the command exits with 1 and prints one line for each TEXT, and no others.
refuses() {
	spy insmod
	run -1 "$TOP/tools/host" true
	[ "${#lines[@]}" -eq $# ]
	for text; do
		grep -qF "can't run here: $text" <<<"$output"
	done
	[ ! -e "$calls" ]
}

# unloadable TEXT: with-module prints TEXT after the message of insmod.
unloadable() {
	run -1 "$TOP/tools/with-module" echo measured
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[0]}" = "insmod: ERROR" ]
	[ "${lines[1]}" = "memcache: $1" ]
}

@test "--help starts nothing" {
	spy make
	run -0 "$TOP/tools/run" --help
	[[ ${lines[0]} == "tools/run [COMMAND"* ]]
	[[ $output != *set\ -euo* ]]
	[ ! -e "$calls" ]
}

@test "not root" {
	stub id 'echo 1000'
	refuses "loading a module needs root (sudo make run WHERE=host)"
}

@test "no kind of machine but x86_64 and aarch64" {
	MACHINE=riscv64 refuses "this is riscv64 (the module is for x86_64 and aarch64)"
	stub id 'echo 1000'
	MACHINE=aarch64 refuses "loading a module needs root (sudo make run WHERE=host)"
}

# A row has what is other than it should be, and what is said.
@test "each state of the kernel that prevents a run, and the remedy" {
	while IFS='|' read -r change text; do
		machine
		stub apt-cache ''
		eval "$change"
		refuses "$text"
	done <<-'END'
		rm -r $root/lib; stub apt-cache 'exit 100'|no headers of the running kernel, 6.1.0-test (apt does not know them, even after apt-get update? Then install linux-image-amd64 and linux-headers-amd64, and reboot into the new kernel)
		rm -r $root/lib|no headers of the running kernel, 6.1.0-test (apt-get install linux-headers-6.1.0-test)
		rm $root/proc/modules|this kernel takes no modules
		echo 1 >$root/proc/sys/kernel/modules_disabled|kernel.modules_disabled is 1
		echo 'none [integrity] confidentiality' >$root/sys/kernel/security/lockdown|the kernel is locked down
		echo 'none integrity [confidentiality]' >$root/sys/kernel/security/lockdown|the kernel is locked down
		sed -i /debugfs/d $root/proc/filesystems|this kernel has no debugfs
		sed -i /debugfs/d $root/proc/filesystems; echo 'quiet debugfs=off' >$root/proc/cmdline|debugfs is turned off (boot without debugfs=off, or use the guest: make run)
		echo 'memcache 40960 0 - Live 0x0' >>$root/proc/modules|the module is loaded already (rmmod memcache)
	END
}

# enforce: from now on the kernel takes signed modules only.
enforce() {
	mkdir -p "$root/sys/module/module/parameters"
	echo Y >"$root/sys/module/module/parameters/sig_enforce"
}

@test "signed modules only" {
	enforce
	refuses "this kernel takes signed modules only (no key: KEY=FILE names one, and DKMS has none (Documentation/security.rst says how to make one); or use the guest: make run)"
	KEY=$BATS_TEST_TMPDIR/MOK.priv
	export KEY
	refuses "this kernel takes signed modules only (the key $KEY can't be read "
	touch "$KEY"
	refuses "this kernel takes signed modules only (no certificate beside the key $KEY: CERT=FILE names it; "
}

# signer: a program in place of the kernel's that appends what the kernel looks for.
signer() {
	signer=$root/lib/modules/6.1.0-test/build/scripts/sign-file
	mkdir -p "${signer%/*}"
	# shellcheck disable=SC2016 # for the program to expand
	printf '#!/bin/sh\necho "sign-file $*" >>%s\necho "~Module signature appended~" >>"$4"\n' "$calls" >"$signer"
	chmod +x "$signer"
}

@test "a key signs the module once: KEY with its certificate, or the one of DKMS" {
	signer
	mkdir -p "$root/var/lib/dkms"
	touch "$root"/var/lib/dkms/mok.{key,pub} "$BATS_TEST_TMPDIR"/MOK.{priv,der}
	ko=$BATS_TEST_TMPDIR/some.ko
	cp "$(readlink -f /bin/true)" "$ko"
	stub chown ''
	"$TOP/tools/sign" "$ko"
	KEY=$BATS_TEST_TMPDIR/MOK.priv "$TOP/tools/sign" "$ko"
	KEY=$BATS_TEST_TMPDIR/MOK.priv CERT=$root/var/lib/dkms/mok.pub "$TOP/tools/sign" "$ko"
	cat "$calls"
	[ "$(cat "$calls")" = "sign-file sha256 $root/var/lib/dkms/mok.key $root/var/lib/dkms/mok.pub $ko
sign-file sha256 $BATS_TEST_TMPDIR/MOK.priv $BATS_TEST_TMPDIR/MOK.der $ko
sign-file sha256 $BATS_TEST_TMPDIR/MOK.priv $root/var/lib/dkms/mok.pub $ko" ]
	[ "$(grep -ac '~Module signature appended~' "$ko")" -eq 1 ]
}

@test "a kernel that takes signed modules only gets a signed one" {
	enforce
	house ''
	cp "$TOP"/tools/{host,sign} "$house/tools"
	signer
	script guest/build "echo $BATS_TEST_TMPDIR/memcache.ko"
	mkdir -p "$root/var/lib/dkms"
	touch "$root"/var/lib/dkms/mok.{key,pub} "$BATS_TEST_TMPDIR/memcache.ko"
	script with-module "echo loaded >>$calls"
	WHERE=host SUITE=mlc run -0 "$house/tools/run"
	[ "$(cat "$calls")" = "sign-file sha256 $root/var/lib/dkms/mok.key $root/var/lib/dkms/mok.pub $BATS_TEST_TMPDIR/memcache.ko
loaded" ]
}

@test "debugfs that can't be mounted" {
	: >"$root/proc/mounts"
	stub mount 'exit 32'
	export MEMCACHE_NO_SETUP=1
	refuses "debugfs can't be mounted"
}

@test "several reasons are all said" {
	stub id 'echo 1000'
	rm -r "${root:?}/lib"
	refuses "loading a module needs root" "no headers of the running kernel"
}

@test "WHERE is guest or host" {
	WHERE=moon run -1 "$TOP/tools/run"
	[ "$output" = "memcache: WHERE=moon is neither guest nor host" ]
}

@test "a mistyped kernel, accelerator or size of a guest is refused before it boots" {
	while read -r set word; do
		run -1 env "$set" "$TOP/tools/guest/run" stock -- true
		echo "$set: $output"
		[[ $output == memcache:*"$word"* ]]
	done <<-'END'
		KERNEL=2.4 there is no kernel '2.4': 5.10, 6.1,
		ACCEL=fast ACCEL=fast
		MEM=1M MEM=1M
		CPUS=0 CPUS=0
	END
}

# house: a tree with tools/run and, in place of what it calls, scripts that record their calls.
# The accelerator of guests is $1. The front end knows the suite `nosuch` not, and the guest
# ends with 3.
house() {
	house=$BATS_TEST_TMPDIR/house
	mkdir -p "$house"/tools/{guest,memcache,sim,user}
	cp "$TOP/tools/run" "$TOP/tools/lib.sh" "$house/tools"
	printf 'all:\n' >"$house/tools/user/Makefile"
	script setup ''
	script guest/kernel 'echo kernel'
	script guest/accel "echo '$1'"
	script guest/build 'echo memcache.ko'
	script sim/check 'echo "{}"'
	# shellcheck disable=SC2016 # for the script to expand
	script guest/run 'echo "guest: ${ACCEL:+$ACCEL: }$*" | tee -a calls; exit 3'
	# shellcheck disable=SC2016 # for the script to expand
	script memcache/memcache 'case $* in
*nosuch) echo "memcache: no suite nosuch" >&2; exit 2 ;;
*--dry-run*) exit 1 ;;
*) echo "here: $*" | tee -a calls ;;
esac'
}

script() {
	printf '#!/bin/bash\n%s\n' "$2" >"$house/tools/$1"
	chmod +x "$house/tools/$1"
}

@test "a mistyped suite or kernel is refused before anything is built or booted" {
	house "tcg (no /dev/kvm)"
	SUITE=nosuch run -2 "$house/tools/run"
	[ "$output" = "memcache: no suite nosuch" ]
	[ ! -e "$house/calls" ]
	script guest/kernel 'echo "no such kernel"; exit 1'
	script guest/accel 'touch calls'
	run -1 "$house/tools/run"
	[ ! -e "$house/calls" ]
}

@test "on this machine, a mistyped suite is refused before the module is built" {
	house ''
	cp "$TOP/tools/host" "$house/tools"
	script setup 'echo "$*" >>packages'
	script guest/build 'echo built >>calls'
	script with-module 'echo "loaded: $*" >>calls'
	WHERE=host SUITE=nosuch run -2 "$house/tools/run"
	[ "$output" = "memcache: no suite nosuch" ]
	[ ! -e "$house/calls" ]
	# The front end needs Python, which no build does.
	[ "$(cat "$house/packages")" = "build run" ]
	WHERE=host SUITE=mlc run -0 "$house/tools/run"
	[ "$(cat "$house/calls")" = "built
loaded: tools/memcache/memcache run mlc" ]
}

@test "on this machine, what root makes belongs to the owner of the checkout" {
	house ''
	cp "$TOP/tools/host" "$house/tools"
	script guest/build 'mkdir -p build/host-gcc results; exit 1'
	spy chown
	WHERE=host SUITE=mlc run -1 "$house/tools/run"
	[ "$(cat "$calls")" = "chown -Rh --reference=$house $house/build
chown -Rh --reference=$house $house/results" ]
}

@test "what root builds to sign it belongs to the owner of the checkout" {
	house ''
	cp "$TOP/tools/sign" "$house/tools"
	cp "$TOP/Makefile" "$house"
	signer
	touch "$BATS_TEST_TMPDIR"/{MOK.priv,MOK.der,memcache.ko}
	script guest/build "mkdir -p build/host-gcc; echo $BATS_TEST_TMPDIR/memcache.ko"
	spy chown
	KEY=$BATS_TEST_TMPDIR/MOK.priv run -0 make -s -C "$house" sign
	grep -x "chown -Rh --reference=$house $house/build" "$calls"
}

@test "make load leaves the module loaded, and make unload removes it" {
	house ''
	cp "$TOP"/tools/{host,with-module} "$house/tools"
	cp "$TOP/Makefile" "$house"
	spy insmod
	spy rmmod
	spy umount
	spy mount
	: >"$root/proc/mounts"
	run -0 make -s -C "$house" load
	[ "${lines[-1]}" = "memcache: loaded; its files are in /sys/kernel/debug/memcache, and make unload removes it" ]
	run -0 make -s -C "$house" unload
	[ "$(cat "$calls")" = "mount -t debugfs debugfs $root/sys/kernel/debug
insmod memcache.ko
rmmod memcache" ]
}

@test "make load checks what run checks, and a locked-down kernel takes a signed module" {
	house ''
	cp "$TOP"/tools/{host,sign} "$house/tools"
	script with-module "echo loaded >>$calls"
	stub id 'echo 1000'
	run -1 "$house/tools/host"
	[ "$output" = "memcache: can't run here: loading a module needs root (sudo make load)" ]
	stub id 'echo 0'
	echo 'none [integrity] confidentiality' >"$root/sys/kernel/security/lockdown"
	run -1 "$house/tools/host"
	[[ $output == "memcache: can't run here: this kernel takes signed modules only (no key: "* ]]
	[ ! -e "$calls" ]
	signer
	script guest/build "echo $BATS_TEST_TMPDIR/memcache.ko"
	touch "$BATS_TEST_TMPDIR"/{MOK.priv,MOK.der,memcache.ko}
	KEY=$BATS_TEST_TMPDIR/MOK.priv run -0 "$house/tools/host"
	[ "$(cat "$calls")" = "sign-file sha256 $BATS_TEST_TMPDIR/MOK.priv $BATS_TEST_TMPDIR/MOK.der $BATS_TEST_TMPDIR/memcache.ko
loaded" ]
}

# A row has the accelerator, settings, a command, a pattern of the output, and the calls.
@test "without KVM the machine is simulated, and what follows is said" {
	while IFS='|' read -r accel set command said asked; do
		rm -rf "$BATS_TEST_TMPDIR/house"
		house "$accel"
		eval "$set run -3 '$house/tools/run' $command"
		echo "$set $command: $output"
		# shellcheck disable=SC2053 # a pattern
		[[ $output == $said ]]
		[[ $said == *KVM* || $output != *KVM* && $output != *REAL* ]]
		diff <(sed 's|tools/with-module|W|; s|tools/memcache/memcache|M|' "$house/calls") \
			<(printf '%b\n' "$asked")
	done <<-'END'
		tcg (no /dev/kvm)|||*NO KVM: tcg (no /dev/kvm)*simulated*real numbers*guest: sim: stock*REAL NUMBERS*here:*|guest: sim: stock -- W M run cache-attributes-quick\nhere: run --where user cache-attributes type=wb
		tcg (ACCEL=tcg)|ACCEL=tcg||*NO KVM: tcg (ACCEL=tcg)*real numbers*guest: tcg: stock*REAL NUMBERS*here:*|guest: tcg: stock -- W M run cache-attributes\nhere: run --where user cache-attributes type=wb
		tcg (no /dev/kvm)|SUITE=mlc||*NO KVM*run --where user 'mlc'*GUEST=uml SUITE='mlc'*guest: *|guest: stock -- W M run mlc
		tcg (no /dev/kvm)||true|*|guest: stock -- W true
		kvm (a probe boot reached init)|||*|guest: stock -- W M run cache-attributes
		kvm (a probe boot reached init)|GUEST=types||*simulated*|guest: sim: stock -- W M run cache-attributes-quick
		kvm (a probe boot reached init)|GUEST=types SUITE=mlc||*simulated*|guest: sim: stock -- W M run mlc
		kvm (a probe boot reached init)|GUEST=types|true|*simulated*|guest: sim: stock -- W true
	END
}

@test "without KVM, README's line measures a device on the simulated machine" {
	local line words
	line=$(sed -n 's/^    make run \(DEVICES=.*\)/\1/p' "$TOP/README.md")
	words=${line#*COMMAND=\"}
	house "tcg (no /dev/kvm)"
	eval "$line run $house/tools/run"
	COMMAND="suites" run "$house/tools/run"
	cat "$house/calls"
	[ "$(cat "$house/calls")" = "guest: sim: stock -- tools/with-module tools/memcache/memcache ${words%\"}
guest: stock -- tools/with-module tools/memcache/memcache suites" ]
}

@test "a wrong price file is refused before the module is built" {
	house ''
	script sim/check 'echo "memcache: PRICES=mine:1: nonsense: unknown key" >&2; exit 1'
	script guest/build 'echo built >>calls'
	GUEST=types PRICES=mine run -1 "$house/tools/run"
	[ "$output" = "memcache: PRICES=mine:1: nonsense: unknown key" ]
	[ ! -e "$house/calls" ]
}

@test "a signal ends the guest, and no real numbers follow" {
	house "tcg (no /dev/kvm)"
	# shellcheck disable=SC2016 # for the script to expand
	script guest/run 'sleep 60 & trap "kill $!; echo ended >>calls; exit 143" TERM
echo guest >>calls; wait'
	"$house/tools/run" 3>&- &
	await $! test -s "$house/calls"
	ends_by TERM $!
	[ "$(cat "$house/calls")" = "guest
ended" ]
}

@test "insmod is found without sbin in PATH" {
	MEMCACHE_KO=$BATS_TEST_TMPDIR/none.ko PATH=/usr/bin:/bin run -1 "$TOP/tools/with-module" true
	[[ $output == "insmod: ERROR: could not load module "* ]]
}

# tools/with-module, with an insmod and an rmmod that only record their calls.
@test "the module is loaded, and unloaded after success and after failure" {
	spy insmod
	spy rmmod
	MEMCACHE_PARAMS="size_mb=1 numa_node=0" run -0 "$TOP/tools/with-module" echo measured
	[ "$output" = measured ]
	run -7 "$TOP/tools/with-module" sh -c 'exit 7'
	cat "$calls"
	[ "$(cat "$calls")" = "insmod memcache.ko size_mb=1 numa_node=0
rmmod memcache
insmod memcache.ko
rmmod memcache" ]
}

@test "a command that unloads the module itself ends at once, with its own status" {
	spy insmod
	stub rmmod 'echo "rmmod: ERROR: Module memcache is not currently loaded" >&2; exit 1'
	spy sleep
	run -7 "$TOP/tools/with-module" sh -c 'exit 7'
	[ -z "$output" ]
	[ "$(cat "$calls")" = "insmod memcache.ko" ]
}

@test "a module that is in use stays loaded, and that is said" {
	spy insmod
	stub rmmod 'echo "rmmod: ERROR: Module memcache is in use" >&2; exit 1'
	stub sleep ''
	echo 'memcache 40960 1 - Live 0x0' >>"$root/proc/modules"
	run "$TOP/tools/with-module" true
	[ "$output" = "rmmod: ERROR: Module memcache is in use
memcache: the module stays loaded: end what uses it, then rmmod memcache" ]
}

@test "the module is unloaded after a signal, and what used it has ended" {
	spy insmod
	echo 'memcache 40960 1 - Live 0x0' >>"$root/proc/modules"
	stub rmmod "kill -0 \$(cat $BATS_TEST_TMPDIR/pid) 2>/dev/null && exit 1; echo rmmod >>$calls"
	"$TOP/tools/with-module" bash -c "echo \$\$ >$BATS_TEST_TMPDIR/pid; exec sleep 60" 3>&- &
	await $! test -s "$BATS_TEST_TMPDIR/pid"
	ends_by TERM $!
	grep -x rmmod "$calls"
}

@test "nothing is unloaded when loading fails" {
	stub insmod 'echo "insmod: ERROR: Key was rejected by service" >&2; exit 1'
	spy rmmod
	run -1 "$TOP/tools/with-module" echo measured
	[[ $output != *measured* ]]
	[ ! -e "$calls" ]
}

@test "why a module does not load is said" {
	stub insmod 'echo "insmod: ERROR" >&2; exit 1'
	# shellcheck disable=SC2016 # for the stub to expand
	stub modinfo 'case $2 in vermagic) echo "6.1.0-test SMP preempt mod_unload modversions" ;; esac'
	stub dmesg 'echo "memcache: size: 9 MiB are asked for"'
	unloadable "the kernel log ends with: memcache: size: 9 MiB are asked for"

	echo 'none [integrity] confidentiality' >"$root/sys/kernel/security/lockdown"
	unloadable "this kernel takes signed modules only: make sign KEY=FILE, see Documentation/security.rst"
	echo '[none] integrity confidentiality' >"$root/sys/kernel/security/lockdown"
	mkdir -p "$root/sys/module/module/parameters"
	echo Y >"$root/sys/module/module/parameters/sig_enforce"
	unloadable "this kernel takes signed modules only: make sign KEY=FILE, see Documentation/security.rst"
	# shellcheck disable=SC2016 # for the stub to expand
	stub modinfo 'case $2 in signer) echo me ;; *) echo "6.1.0-test SMP" ;; esac'
	unloadable "this kernel does not trust the key that signed the module: see Documentation/security.rst"

	stub modinfo 'echo "6.12.9-amd64 SMP preempt mod_unload modversions"'
	unloadable "memcache.ko is built for Linux 6.12.9-amd64, and this is 6.1.0-test: tools/guest/build -k host"
	echo 'memcache 40960 0 - Live 0x0' >>"$root/proc/modules"
	unloadable "the module is loaded already: rmmod memcache"
	stub id 'echo 1000'
	unloadable "loading a module needs root"
}
