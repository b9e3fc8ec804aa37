# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest `stock` with ACCEL=sim: QEMU 10 with our plugin is a simulated machine, on which every
# access of the module and of memcache-user has a price (tools/sim). stock.sh sources this file.
# shellcheck disable=SC2034,SC2154	# its variables

# The machine's own QEMU, if it is of version 10; if not, that of the cache.
sim_emulator() {
	[ -z "${QEMU:-}" ] || return 0
	qemu-system-x86_64 --version 2>/dev/null | grep -q "version 10\." || QEMU=10
}

sim_prepare() {
	((cpus <= 8)) || die "CPUS=$cpus: the simulated machine has at most 8"
	local listed version
	prices=${PRICES:-$TOP/tools/sim/prices}
	listed=$("$TOP/tools/sim/check")
	version=$("${emulators}qemu-system-x86_64" --version |
		sed -n 's/^QEMU emulator version \([0-9.]*\).*/\1/p')
	# The front end in the guest adds this to its records.
	export MEMCACHE_SIMULATED="{\"qemu\":\"$version\",\"prices\":$listed}"
	simulator=(-accel "tcg,thread=single" -plugin "$(sim_plugin)")
	[ -z "${SIM_CONTROL:-}" ] ||
		simulator+=(-qmp "unix:$(quoted "$SIM_CONTROL.qmp"),server=on,wait=off")
	[ -z "${SIM_CONTROL:-}" ] || extra+=(
		-chardev "socket,id=scripts,path=$(quoted "$SIM_CONTROL.scripts"),server=on,wait=off"
		-device "virtserialport,chardev=scripts")
	about+=", prices ${prices#"$TOP"/}"
	# Two things stay where they are: the code of the module, and the rate of the clock, which
	# CPUID tells, and Linux would watch by the HPET or the PM timer. The machine is no emulation
	# whose times mean nothing, and doesn't say that it is QEMU's.
	options+=" nokaslr"
	[ "$machine" = virt ] ||
		options+=" tsc=reliable hpet=disable pmtmr=0"
	cpu_more+=,-hypervisor,tcg-cpuid=off,model-id=Simulated
}

# The addresses of the code of modules, without KASLR.
sim_modules() {
	local major minor
	IFS=.- read -r major minor _ <"$kernel/release"
	if [ "$machine" != virt ]; then
		echo 0xffffffffc0000000-0xffffffffff000000
	elif ((major * 100 + minor >= 605)); then
		echo 0xffff800000000000-0xffff800080000000
	else
		echo 0xffff800000000000-0xffff800008000000
	fi
}

# sim_memory: an argument of the plugin for the memory of each node. On x86 what is above
# `below` MiB lies from 4 GiB on.
sim_memory() {
	local node at=0 each=$((mib / nodes)) base=0 below=$((3 << 10)) end
	[ "$machine" != virt ] || base=0x40000000 below=$((1 << 20))
	for ((node = 0; node < nodes; node++, at += each)); do
		end=$((at + each))
		if ((at < below)); then
			printf ',memory=%#x-%#x-%d' $((base + (at << 20))) \
				$((base + ((end < below ? end : below) << 20))) "$node"
		fi
		if ((end > below)); then
			printf ',memory=%#x-%#x-%d' $(((4096 + (at > below ? at - below : 0)) << 20)) \
				$(((4096 + end - below) << 20)) "$node"
		fi
	done
}

sim_plugin() {
	local cpu program=$TOP/build/user/memcache-user
	[ "$machine" != virt ] || program=$TOP/build/user-arm64/memcache-user
	printf 'file=%s,prices=%s,module=%s' "$(quoted "$TOP/build/sim/sim.so")" \
		"$(quoted "$(realpath -- "$prices")")" "$(sim_modules)"
	[ ! -e "$program" ] || printf ',program=%s' "$(quoted "$program")"
	[ -z "${SIM_CONTROL:-}" ] || printf ',control=%s' "$(quoted "$SIM_CONTROL")"
	for ((cpu = 0; cpu < cpus; cpu++)); do
		printf ',cpu=%d' $((cpu / per_node))
	done
	sim_memory
}
