#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What a user types, and sees.

load module.bash

@test "45 combinations are 45 rows of a table" {
	echo 'bandwidth type=wb,uc,wc op=write,ntwrite,read size=1M..16M repeat=5 disturbed=keep' >run
	cat results buffers machine
	[ "$(wc -l <results)" -eq 46 ]
	# Keys in the order written; the last one varies fastest.
	holds '[r["type"] for r in table] == ["wb"] * 15 + ["uc"] * 15 + ["wc"] * 15' \
		'[r["op"] for r in table[:15]] == ["write"] * 5 + ["ntwrite"] * 5 + ["read"] * 5' \
		'[int(r["size_bytes"]) >> 20 for r in table[:5]] == [1, 2, 4, 8, 16]' \
		'{(r["type"], r["attribute"]) for r in table} == {("wb", "wb"), ("uc", "uc-"), ("wc", "wc")}' \
		'{r["verified"] for r in table} == {"ok"}' \
		'{r["samples"] for r in table} == {"5"}'
}

@test "JSON Lines: a machine, the request, and the same figures as the table" {
	echo 'bandwidth type=wb,uc op=read,copy size=4K,1M repeat=5 disturbed=keep' >run
	holds '[r["record"] for r in records] == ["machine", "request"] + ["result"] * 8' \
		'records[0] == machine' \
		"records[1]['line'] == '$(sed -n 's/^request: //p' run)'" \
		'[records[1][k] for k in ("state", "errno", "error", "points", "records")] == ["done", 0, None, 8, 8]' \
		'[(k, v) for r, row in zip(results, table, strict=True) for k, v in row.items()
			if v != str(r[k]) and v != "na" and float(v) != float(r[k])] == []'
	# Every key of a figure with a unit names the unit.
	holds '{k for k, v in results[0].items() if isinstance(v, (int, float)) and
			not k.startswith("disturbed_") and
			not k.endswith(("_ns", "_bytes", "_percent")) and "mb_per_s" not in k} ==
		{"memory_node", "threads", "remote_threads", "samples", "left_out", "repeat", "warmup", "streams", "passes_per_sample",
			"core_mhz", "core_mhz_after", "placements", "bytes_per_core_cycle", "windows_left_out"}'
	# The statistics are in ascending order.
	holds 'all(0 < r["min_ns"] <= r["median_ns"] <= r["p99_ns"] <= r["max_ns"] and
		r["min_ns"] <= r["mean_ns"] <= r["max_ns"] and r["median_ns"] == r["p50_ns"] for r in results)'
	# The payload of copy is what it reads and what it writes, all of size=.
	holds 'all(abs(r["mb_per_s"] * r["median_ns"] / r["traversed_bytes"] / 1000 - 1) < 0.01 for r in results)'
}

@test "machine is one JSON object about this machine" {
	[ "$(wc -l <machine)" -eq 1 ]
	cat machine
	holds "machine['version'] == '$(cat /sys/module/memcache/version)'" \
		'machine["version"][0].isdigit()' \
		"machine['kernel'] == '$(uname -r)'" \
		"machine['kernel_version'] == '$(uname -v)'" \
		"machine['cpus_online'] == '$(cat /sys/devices/system/cpu/online)'" \
		"machine['cpu'] == '$(sed -n 's/^model name\s*: //p;T;q' /proc/cpuinfo)'" \
		'[(n["node"], n["cpus"]) for n in machine["nodes"]] == [(0, "0"), (1, "1")]' \
		'[n["memory_bytes"] for n in machine["nodes"] if not 400 << 20 < n["memory_bytes"] <= 512 << 20] == []' \
		'machine["pat"] == ["wb", "wc", "uc-", "uc", "wb", "wp", "uc-", "wt"]' \
		'machine["page_table_levels"] == 4' \
		'machine["lockdown"] is False' \
		'machine["clock"] in ("tsc", "monotonic_raw")' \
		'machine["clock_khz"] > 0' \
		'machine["clock_cost_ns"] > 0' \
		'set(machine["memory_types"]) == {"wb", "wc", "uc"}' \
		'{"schema", "where", "cpu_vendor", "cpu_family", "cpu_model", "cpu_stepping", "microcode", "caches", "prefetch"} <= set(machine)'
}

@test "under TCG no memory type has an effect, and that is said" {
	holds 'machine["hypervisor"] == "tcg"' || skip "this is no TCG"
	# Beside a busy host, a verdict may stay unknown. It must not be another one, and becomes no.
	for _ in {1..10}; do
		echo 'bandwidth type=wb,uc,wc size=4K' >run
		holds 'values("effective") <= {"no", "unknown"}' \
			'{t["effective"] for t in machine["memory_types"].values()} <= {"no", "unknown"}'
		# The point of WC judges UC again, so the machine's verdict is not always the record's.
		holds 'values("effective") == {"no"}' \
			'{t["effective"] for t in machine["memory_types"].values()} == {"no"}' || continue
		[ "$(grep -c ' effective=no ' buffers)" -ge 3 ]
		return
	done
	false
}

@test "under TCG prefetchers can't be switched, though every write succeeds" {
	holds 'machine["hypervisor"] == "tcg"' || skip "this is no TCG"
	echo 'bandwidth prefetch=keep,off,auto size=4K cpu=0-1' >run
	holds 'machine["prefetch"] == {"known": True, "msr": "0x1a4", "mask": "0xf", "state": "on"}' \
		'[r["prefetch"] for r in results] == ["keep", "ineffective", "ineffective"]'
	echo 'latency size=16K cpu=0-1 repeat=2' >run
	holds 'len(results) == 2' 'values("prefetch") == {"ineffective"}'
}

@test "caches are shared by as many CPUs as are online and share them" {
	as_in_sysfs "[k['cpus'] for k in machine['kinds']] == ['$(cat /sys/devices/system/cpu/online)']"
	echo 0 >/sys/devices/system/cpu/cpu1/online
	as_in_sysfs "[k['cpus'] for k in machine['kinds']] == ['0']" \
		'{c["shared_by_cpus"] for c in machine["caches"]} == {1}'
	echo 1 >/sys/devices/system/cpu/cpu1/online
	as_in_sysfs "[k['cpus'] for k in machine['kinds']] == ['0-1']"
}
