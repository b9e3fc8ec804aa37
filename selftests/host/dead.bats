#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A thread that dies in the middle of a run. A loop of one's own makes it die, in a guest, which
# runs selftests/devices/dead.bats.

load inside.bash

@test "a thread that dies" {
	local kernel
	kernel=$(tools/guest/kernel 6.1)
	# It stores a word, then on any CPU but the first one it loads from address 0.
	cat >"$BATS_TEST_TMPDIR/dies.loop" <<-'END'
		reads b
		writes a
		turn 64
		width 8
		loop
			movq $1, (%rdi)
			rdtscp
			andl $0xfff, %ecx
			jz 1f
			xorl %eax, %eax
			movq (%rax), %rax
		1:
	END
	PATH=$kernel/root/usr/bin:$PATH tools/memcache/memcache loop "$BATS_TEST_TMPDIR/dies.loop" \
		-o build/dies --where kernel --headers "$kernel/build"
	APPEND="memmap=16M\$0x18000000 iomem=relaxed" guest devices/dead.bats
}
