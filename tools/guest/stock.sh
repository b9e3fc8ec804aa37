# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest `stock`: Debian's own kernel under QEMU, two NUMA nodes.
# Sourced by tools/guest/run, which says what this file must define.
# shellcheck disable=SC2034,SC2154	# its variables

packages=guest machine=pc options=

guest_settings() {
	name=${KERNEL:-6.1} cpus=${CPUS:-2}
	[[ $cpus =~ ^[1-9][0-9]*$ ]] || die "CPUS=$cpus is no number of CPUs"
}

guest_prepare() {
	accel=$("$here/accel" "$kernel")
	about="$cpus CPUs, $mib MiB, $accel"
}

guest_command() {
	command=(qemu-system-x86_64 -nodefaults -no-user-config -display none -monitor none
		-no-reboot -machine "$machine" -kernel "$kernel/vmlinux" -initrd "$tmp/initrd"
		-append "console=ttyS0 loglevel=5 panic=-1 mitigations=off $options ${APPEND:-}")
	# TCG's plain `max` looks like an AMD CPU with an unsteady TSC, and `vendor=` alone
	# would turn PAT off. Five-level page tables cost time. With `erms` the kernel would
	# clear and copy pages by `rep stosb`, which TCG does a byte at a time.
	case $accel in
	tcg*) command+=(-accel tcg -cpu "max,vendor=GenuineIntel,family=6,model=85,stepping=4,la57=off,-erms") ;;
	kvm*) command+=(-accel kvm -cpu "host,migratable=off,arch-capabilities=off") ;;
	esac
	nodes
	devices
}

# Two nodes, each with half of the CPUs and of the memory.
nodes() {
	local node first=0 last=$(((cpus + 1) / 2 - 1)) cpu
	command+=(-smp "$cpus" -m "$((mib / 2 * 2))M")
	for node in 0 1; do
		cpu=",cpus=$first-$last"
		[ $first -le $last ] || cpu=
		command+=(-object "memory-backend-ram,id=m$node,size=$((mib / 2))M"
			-numa "node,nodeid=$node,memdev=m$node$cpu")
		first=$((last + 1)) last=$((cpus - 1))
	done
	command+=(-numa "dist,src=0,dst=1,val=21")
}

# A comma ends a value in QEMU's options; two commas stand for one.
quoted() { printf '%s' "${1//,/,,}"; }

# The console, a port for the command's output, the machine's files, and the share.
devices() {
	local share
	share=$(quoted "$TOP")
	command+=(-chardev "file,id=console,path=$(quoted "$log")" -serial chardev:console
		-device virtio-serial-pci -chardev "stdio,id=output,signal=off"
		-device "virtserialport,chardev=output"
		-fsdev "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap"
		-device "virtio-9p-pci,fsdev=root,mount_tag=root"
		-fsdev "local,id=share,path=$share,security_model=none,multidevs=remap"
		-device "virtio-9p-pci,fsdev=share,mount_tag=share")
}
