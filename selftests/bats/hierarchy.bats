#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# latency, loaded, tlb: records have the right CPUs and nodes, and chains are complete. Times are not
# checked, since those of an emulator mean nothing: selftests/core/answers.txt has them, and c2c.

load module.bash

CPUS=$(getconf _NPROCESSORS_ONLN)

# The node of a CPU, from sysfs: of `…/cpu0/node1`, the pair `0: 1`.
NODES=$(printf '%s\n' /sys/devices/system/cpu/cpu*/node* | sed -nE 's|.*/cpu([0-9]+)/node|\1: |; s/$/,/p')
NODE_OF="(lambda cpu: {$NODES}[int(cpu)])"

@test "latency: every order, type and mapping is one whole cycle" {
	echo 'latency pattern=random,page,stride type=wb,wc,uc page=direct,4k size=1K,24K,3M repeat=1 warmup=0' >run
	holds 'len(results) == 54' 'values("verified") == {"ok"}' 'values("memory_node") <= {0, 1}' \
		'{(r["type"], r["attribute"]) for r in results} == {("wb", "wb"), ("wc", "wc"), ("uc", "uc-")}' \
		'all(r["loads_per_pass"] == r["size_bytes"] // 64 for r in results)' \
		'all(sum(n for _, n in r["histogram_ns_count"]) == 8192 for r in results)' \
		'all(r["p50_ns_per_load"] <= r["p99_ns_per_load"] <= r["p999_ns_per_load"] for r in results)' \
		'all(abs(r["ns_per_load"] * r["loads_per_pass"] / r["median_ns"] - 1) < 0.01 for r in results)'
}

@test "latency: a record each CPU and node, on memory of that node" {
	echo 'latency cpu=all node=0,1 size=64K repeat=1 warmup=0' >run
	holds "len(results) == 2 * $CPUS" \
		"[(r['node'], int(r['cpu'])) for r in results] == [(n, c) for n in (0, 1) for c in range($CPUS)]" \
		'all(r["memory_node"] == r["node"] for r in results)' 'values("threads") == {1}'
	echo 'latency cpu=all size=64K repeat=1 warmup=0' >run
	holds "all(r['memory_node'] == $NODE_OF(r['cpu']) for r in results)"
}

@test "tlb: pages of the direct map" {
	# Earlier tests may have split mappings of 2 MiB in the kernel for good.
	echo 'tlb size=16M page=direct repeat=2' >run
	holds 'values("pages") == {8}' 'values("page_bytes") in ({2 << 20}, {4096})'
}

@test "cpu=all and smt=off are shown as the CPUs they come to" {
	echo 'bandwidth size=64K cpu=all smt=off repeat=1' >run
	grep -q " cpu=0-$((CPUS - 1)) smt=off " run
	holds "values('threads') == {$CPUS}"
}
