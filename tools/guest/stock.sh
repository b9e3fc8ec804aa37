# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest `stock`: Debian's own kernel under QEMU, two NUMA nodes.
# Sourced by tools/guest/run, which says what this file must define.
# shellcheck disable=SC2034,SC2154	# its variables

packages=guest machine=pc console=ttyS0 options='' cpu_more=
# With one thread for all CPUs, a CPU that waits for another one does not spin on the host meanwhile.
tcg=tcg,thread=single

guest_settings() {
	name=${KERNEL:-6.1} cpus=${CPUS:-2}
	[[ $cpus =~ ^[1-9][0-9]*$ ]] || die "CPUS=$cpus is no number of CPUs"
	nodes=${NODES:-2}
	[[ $nodes =~ ^[1-8]$ ]] || die "NODES=$nodes is no number of nodes: 1 to 8"
	per_node=$(((cpus + nodes - 1) / nodes))
	dimm=$(module_size DIMM)
	pmem=$(module_size PMEM)
	cxl=$(module_size CXL)
	case ${HMAT:-} in
	'' | yes) ;;
	*) die "HMAT=$HMAT is not yes" ;;
	esac
	placed_modules
	pci_devices
	acpi_tables
	firmware_settings
}

# Set `firmware` to the file of its variables, empty without firmware, and `loader`.
firmware_settings() {
	firmware=${FIRMWARE:-} loader=${LOADER:-none}
	case $loader in
	none | shim) ;;
	*) die "LOADER=$loader is none of none, shim" ;;
	esac
	[ "$loader" = none ] || [ -n "$firmware" ] || die "LOADER=$loader needs FIRMWARE="
	[ -n "$firmware" ] || return 0
	[ "$(kernel_guest "$name")$(kernel_arch "$name")" = stock ] ||
		die "FIRMWARE: the kernel '$name' is started without firmware"
	[ -w "$firmware" ] || die "FIRMWARE=$firmware is no file that can be written"
	"$here/../setup" uefi
}

# module_size DIMM|PMEM|CXL: the size in bytes of this memory; 0: there is none.
module_size() {
	local size=0
	[ -z "${!1:-}" ] || size=$(numfmt --from=iec -- "${!1}" 2>/dev/null) ||
		die "$1=${!1} is no size"
	((size % (128 << 20) == 0)) || die "$1=${!1} is no multiple of 128M"
	echo "$size"
}

# Set `placed` to MODULES.
placed_modules() {
	local one
	placed=()
	for one in ${MODULES:-}; do
		[[ $one =~ ^[1-9][0-9]*M@0x[0-9a-f]+$ ]] ||
			die "MODULES: '$one' is no size at an address, such as 8M@0x100000000"
		placed+=("$one")
	done
}

# Set `extra` to QEMU's options for DEVICES.
pci_devices() {
	local device size
	local -A seen=()
	extra=() disks=()
	for device in ${DEVICES:-}; do
		[[ ! -v seen[${device%%=*}] ]] || die "DEVICES: ${device%%=*} is there twice"
		seen[${device%%=*}]=1
		[[ ${device#*=} == "$device" ]] || size=$(bar_size "$device")
		case $device in
		ivshmem=*)
			extra+=(-object "memory-backend-ram,id=ivshmem,share=on,size=$size"
				-device "ivshmem-plain,memdev=ivshmem") ;;
		testdev=*) extra+=(-device "pci-testdev,membar=$size") ;;
		edu) extra+=(-device edu) ;;
		nvme=*) extra+=(-device "nvme,drive=nvme,serial=nvme") disks+=("nvme $size") ;;
		shared=*) extra+=(-device "nvme-subsys,id=both"
				-device "nvme,id=shared-nvme,serial=shared,subsys=both"
				-device "nvme-ns,drive=shared,bus=shared-nvme,shared=on")
			disks+=("shared $size") ;;
		virtio=*) extra+=(-device "virtio-blk-pci,drive=virtio") disks+=("virtio $size") ;;
		ahci=*) extra+=(-device "ahci,id=sata" -device "ide-hd,bus=sata.0,drive=ahci")
			disks+=("ahci $size") ;;
		xhci=*) extra+=(-device "qemu-xhci,id=usb"
				-device "usb-storage,bus=usb.0,drive=xhci")
			disks+=("xhci $size") ;;
		*) die "DEVICES: there is no '$device': ivshmem=SIZE, testdev=SIZE, edu, nvme=SIZE," \
			"shared=SIZE, virtio=SIZE, ahci=SIZE, xhci=SIZE" ;;
		esac
	done
}

# The disks of DEVICES, which are empty, and gone with the guest.
disks() {
	local name size disk
	for disk in "${disks[@]}"; do
		read -r name size <<<"$disk"
		truncate -s "$size" "$tmp/$name.disk"
		command+=(-drive "if=none,id=$name,format=raw,file=$(quoted "$tmp/$name.disk")")
	done
}

# Add QEMU's options for ACPI to `extra`.
acpi_tables() {
	local table
	for table in ${ACPI:-}; do
		[[ $table =~ ^[A-Z]{4}=. && -r ${table#*=} ]] ||
			die "ACPI: $table is no SIGNATURE=FILE with a file that can be read"
		extra+=(-acpitable "sig=${table%%=*},rev=1,data=$(quoted "${table#*=}")")
	done
}

# bar_size DEVICE=SIZE: the size in bytes. PCI knows powers of two.
bar_size() {
	local size
	size=$(numfmt --from=iec -- "${1#*=}" 2>/dev/null) || size=0
	((size >= 4096 && !(size & (size - 1)))) ||
		die "DEVICES: $1: the size is no power of two from 4K on"
	echo "$size"
}

guest_prepare() {
	emulators=
	[ "${ACCEL:-}" != sim ] || sim_emulator
	if [ -n "${QEMU:-}" ]; then
		emulators=$("$here/qemu" "$QEMU")
		in_use "$emulators"
		emulators+=/bin/
	fi
	((!cxl)) || cxl_known
	accel=$(PATH=${emulators:+$emulators:}$PATH "$here/accel" "$kernel")
	about="$cpus CPUs, $mib MiB, $accel${QEMU:+, QEMU $QEMU}"
	[[ $accel != sim* ]] || sim_prepare
	[ "$loader" = none ] || shim=$("$here/shim")
	# Where the guest finds its port to the host's judge, see devices().
	[[ $accel == sim* ]] || export MEMCACHE_JUDGE='/dev/vport*p2'
}

guest_command() {
	((!cxl)) || cxl_machine
	((!pmem)) || machine+=,nvdimm=on
	[ -z "${HMAT:-}" ] || machine+=,hmat=on
	processor
	command+=(-nodefaults -no-user-config -display none -monitor none -no-reboot)
	start "console=$console loglevel=5 panic=-1 mitigations=off $options ${APPEND:-}"
	nodes
	devices
	disks
	command+=("${extra[@]}")
}

# start ARGUMENTS: what starts the kernel with these arguments. Firmware takes it as packaged.
start() {
	local image=vmlinux
	if [ -n "$firmware" ]; then
		image=vmlinuz
		command+=(-drive "if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd"
			-drive "if=pflash,unit=1,format=raw,file=$(quoted "$firmware")")
	fi
	case $loader in
	none) command+=(-kernel "$kernel/$image" -initrd "$tmp/initrd" -append "$1") ;;
	shim) boot_disk "$1" ;;
	esac
}

# boot_disk ARGUMENTS: a disk with what the firmware starts: shim, which starts GRUB, which starts
# the kernel.
boot_disk() {
	local disk=$tmp/disk
	mkdir -p "$disk"/EFI/{BOOT,debian}
	cp "$shim"/*.{EFI,efi} "$disk/EFI/BOOT/"
	cp "$kernel/vmlinuz" "$disk/vmlinuz"
	mv "$tmp/initrd" "$disk/initrd"
	# GRUB leaves alone what stands in quotes, such as the $ of memmap=.
	printf "linux /vmlinuz '%s'\ninitrd /initrd\nboot\n" "${1// /\' \'}" >"$disk/EFI/debian/grub.cfg"
	command+=(-drive "if=virtio,format=raw,readonly=on,file.driver=vvfat,file.dir=$(quoted "$disk")")
}

# Begin the command: the emulator, with the machine and its CPUs.
processor() {
	command=("${emulators}qemu-system-x86_64" -machine "$machine")
	# TCG's plain `max` looks like an AMD CPU with an unsteady TSC, and `vendor=` alone
	# would turn PAT off. Five-level page tables cost time. With `erms` or `fsrm` the kernel
	# would clear and copy by `rep stosb` and `rep movsb`, which TCG does a byte at a time;
	# with `fsrm` alone, memmove() of Linux 6.1 writes without end.
	local model=max,vendor=GenuineIntel,family=6,model=85,stepping=4,la57=off,-erms,-fsrm
	case $accel in
	tcg*) command+=(-accel "$tcg" -cpu "$model$cpu_more") ;;
	sim*) command+=("${simulator[@]}" -cpu "$model$cpu_more") ;;
	kvm*) command+=(-accel kvm -cpu "host,migratable=off,arch-capabilities=off$cpu_more") ;;
	esac
}

# Nodes, each with its part of the CPUs and of the memory, as long as there are CPUs; and one for
# each memory module.
nodes() {
	local node first last cpu memory=$((mib / nodes * nodes))M more from one
	local initiator=${HMAT:+,initiator=0}	# the promise of a node without CPUs is made to it
	more=$((((dimm + pmem + cxl) >> 20) + 512 * ${#placed[@]}))
	((!more)) || memory+=,slots=$((2 + ${#placed[@]})),maxmem=$((mib + 2 * more))M
	command+=(-smp "$cpus" -m "$memory")
	for ((node = 0; node < nodes; node++)); do
		first=$((node * per_node)) last=$(((node + 1) * per_node - 1))
		cpu=",cpus=$first-$((last < cpus ? last : cpus - 1))"
		[ $first -lt "$cpus" ] || cpu=$initiator
		command+=(-object "memory-backend-ram,id=m$node,size=$((mib / nodes))M"
			-numa "node,nodeid=$node,memdev=m$node$cpu")
		for ((from = 0; from < node; from++)); do
			command+=(-numa "dist,src=$from,dst=$node,val=21")
		done
	done
	# QEMU's firmware tells of no node of a DIMM, but says that modules may come to the last one.
	((!pmem)) || memory_module nvdimm "$pmem"
	((!dimm)) || memory_module pc-dimm "$dimm"
	for one in "${placed[@]}"; do
		command+=(-object "memory-backend-ram,id=at${one#*@},size=${one%@*}"
			-device "pc-dimm,memdev=at${one#*@},addr=${one#*@},node=0")
	done
	[ -z "${HMAT:-}" ] || promises $((node - 1))
}

# memory_module DEVICE SIZE: on the next node, which is farther from the CPUs than the others.
memory_module() {
	local from
	command+=(-numa "node,nodeid=$node$initiator")
	for ((from = 0; from < node; from++)); do
		command+=(-numa "dist,src=$from,dst=$node,val=31")
	done
	command+=(-object "memory-backend-ram,id=$1,size=$2" -device "$1,id=of-$1,memdev=$1,node=$node")
	node=$((node + 1))
}

# promises LAST: what the firmware says of the nodes up to this one to the CPUs of nodes 0 and 1.
promises() {
	local from to
	for from in 0 1; do
		[ $from -lt "$cpus" ] || continue
		for ((to = 0; to <= $1; to++)); do
			if ((to == from)); then
				promise 80 90 20G 15G
			elif ((to < 2)); then
				promise 140 150 10G 8G
			else
				promise 250 300 5G 3G
			fi
		done
	done
}

# promise READ-NS WRITE-NS READ-RATE WRITE-RATE: of the node `to` to the CPUs of `from`.
promise() {
	local pair="hmat-lb,initiator=$from,target=$to,hierarchy=memory,data-type"
	command+=(-numa "$pair=read-latency,latency=$1" -numa "$pair=write-latency,latency=$2"
		-numa "$pair=read-bandwidth,bandwidth=$3"
		-numa "$pair=write-bandwidth,bandwidth=$4")
}

# Can QEMU emulate a CXL device with volatile memory?
cxl_known() {
	"${emulators}qemu-system-x86_64" -device cxl-type3,help 2>/dev/null |
		grep volatile-memdev >/dev/null ||
		die "CXL=$CXL: this version of QEMU has no such memory; QEMU=10 has"
}

# One host bridge, one port, one device.
cxl_machine() {
	machine="q35,cxl=on,cxl-fmw.0.targets.0=cxl,cxl-fmw.0.size=4G"
	# Under a hypervisor, Linux can't invalidate the caches of a region, and refuses to commit it.
	cpu_more+=,-hypervisor
	extra+=(-object "memory-backend-ram,id=cxl-memory,share=on,size=$cxl"
		-device "pxb-cxl,bus_nr=12,bus=pcie.0,id=cxl"
		-device "cxl-rp,port=0,bus=cxl,id=cxl-port,chassis=0,slot=2"
		-device "cxl-type3,bus=cxl-port,volatile-memdev=cxl-memory,id=cxl-device,sn=1")
}

# A comma ends a value in QEMU's options; two commas stand for one.
quoted() { printf '%s' "${1//,/,,}"; }

# The console, a port for the command's output, the machine's files, the share, and a port to a
# program of this machine that judges records for the guest's tests (selftests/bats/words.bash).
devices() {
	local share serial
	share=$(quoted "$TOP")
	serial=file,path=$(quoted "$log")
	[ -z "${CONSOLE:-}" ] ||
		serial="socket,path=$(quoted "$CONSOLE"),server=on,wait=off,logfile=$(quoted "$log")"
	command+=(-chardev "$serial,id=console" -serial chardev:console
		-device virtio-serial-pci -chardev "stdio,id=output,signal=off"
		-device "virtserialport,chardev=output"
		-fsdev "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap"
		-device "virtio-9p-pci,fsdev=root,mount_tag=root"
		-fsdev "local,id=share,path=$share,security_model=none,multidevs=remap"
		-device "virtio-9p-pci,fsdev=share,mount_tag=share")
	[ "${MEMCACHE_JUDGE:-}" ] || return 0
	mkfifo "$tmp"/judge.{in,out}
	setpriv --pdeathsig KILL "$TOP/selftests/bats/holds.py" <>"$tmp/judge.out" 1<>"$tmp/judge.in" &
	export GUEST_JUDGE=$!
	command+=(-chardev "pipe,id=judge,path=$(quoted "$tmp/judge")"
		-device "virtserialport,chardev=judge")
}

# shellcheck source=tools/guest/sim.sh
. "$here/sim.sh"
# What is different for the kernels of another architecture.
# shellcheck source=tools/guest/stock-arm64.sh
[[ ${KERNEL:-} != *-arm64 ]] || . "$here/stock-arm64.sh"
