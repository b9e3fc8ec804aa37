#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Which room may include or import from which, and where instructions are.

@test "each kind of include, import or instruction that the house does not allow is found" {
	house=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_DIRNAME/../.."
	cp -r --parents module tools/user tools/memcache/mc "$house"
	[ -z "$(tools/check/rooms "$house")" ]
	# A file, and the line that becomes its first one.
	cat >"$house/wrong" <<-'END'
		module/arch/x86/loops.S #include "measure/pass.h"
		module/arch/x86/machine/instructions.h #include "platform/os.h"
		module/benchmarks/tlb.c #include "kernel/run.h"
		module/core/stats.c #include "platform/os.h"
		module/core/text.c #include "text.h"
		module/kernel/cpus.c #include "arch/x86/cpuid.h"
		module/kernel/run.c #include "kernel/x86/prefetch.h"
		module/kernel/um/cpu.c #include "user.h"
		module/kernel/x86/msr.c #include "../arch.h"
		module/measure/engine.h #include "benchmarks/table.h"
		module/measure/pass.c #include <asm/msr.h>
		module/measure/threads.c static void f(void) { asm volatile("sfence"); }
		tools/memcache/mc/advice.py from mc.commands import run
		tools/memcache/mc/analysis/steps.py from mc.output.tables import draw
		tools/memcache/mc/records/keys.py import mc.running.plan
		tools/memcache/mc/running/plan.py from mc.output import (page, tables)
		tools/user/main.c #include "kernel/run.h"
	END
	while read -r file line; do sed -i "1i $line" "$house/$file"; done <"$house/wrong"
	# This one is allowed.
	sed -i '1i #include <asm/msr.h>' "$house/module/kernel/x86/attr.c"
	for pair in "a b" "b a"; do
		echo "from mc.records import ${pair#* }" >"$house/tools/memcache/mc/records/${pair% *}.py"
	done
	echo tools/memcache/mc >>"$house/wrong"
	diff <(cut -d' ' -f1 "$house/wrong" | sort) <(tools/check/rooms "$house" | cut -d: -f1 | sort -u)
}
