# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests that run bats files in a guest of their own.

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	# Nothing takes as long as this, even on a busy machine.
	export TOP TIMEOUT=3600
	unset KERNEL ACCEL CPUS DEVICES DIMM PMEM CXL HMAT MEM APPEND GUEST_LOG MEMCACHE_KO COMPILER
	unset FIRMWARE LOADER CONSOLE MODULES ACPI
	cd "$TOP" || return
	make -s -C tools/user
	tools/guest/build >/dev/null
}

setup() { cd "$TOP" || return; }

# guest FILE…: run these files of selftests, and check the kernel log of each. The guest gets our
# environment, but bats in the guest must not use the settings of this bats.
guest() {
	local name
	(
		for name in "${!BATS_@}"; do export -n "${name?}"; done
		# shellcheck disable=SC2016	# a variable of that shell
		PATH=${PATH#"${BATS_LIBEXEC:-}:"} tools/guest/run stock -- sh -c 'for file; do
			dmesg --clear
			tools/guest/bats "selftests/$file" || exit
			dmesg | tools/check/kernel-log || exit
		done' guest "$@"
	)
}
