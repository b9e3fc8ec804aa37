#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# scan: each region is a part of System RAM, what it promises to leave is free, and all memory is
# given back as it was. Times are not checked, since those of an emulator mean nothing.

load module.bash

VM=/proc/sys/vm

# No allocation of a scan takes what lies below a zone's watermark. Each block that it takes from
# those for other kinds of pages raises it, in all by up to 1.5 times the high watermark. In a small
# guest that is more than an eighth of the zone. So nothing may raise it here.
setup_file() {
	local scale
	small_buffers
	cat $VM/watermark_boost_factor >"$BATS_FILE_TMPDIR/boost"
	echo 0 >$VM/watermark_boost_factor
	scale=$(<$VM/watermark_scale_factor)
	echo "$scale" >$VM/watermark_scale_factor # sets all watermarks anew
}

teardown_file() {
	rmmod memcache
	cat "$BATS_FILE_TMPDIR/boost" >$VM/watermark_boost_factor
	echo 0 >$VM/percpu_pagelist_high_fraction
}

# Pages that other programs of the guest, and the kernel, may take or give back meanwhile.
SWAY=2048

# zones: of each zone that a scan takes memory of: pages that are free, and all that it has.
zones() {
	awk -v least=$((64 << 20)) -v page="$(getconf PAGESIZE)" '
	$1 == "Node" { name = $2 $4 }
	$1 == "pages" && $2 == "free" { free = $3 }
	$1 == "managed" && $2 * page >= least { print name, free, $2 }' /proc/zoneinfo
}

# in_blocks ZONE: pages that are free in it, in blocks of 64K at least, which a scan can take.
in_blocks() {
	awk -v zone="$1" -v page="$(getconf PAGESIZE)" '
	$2 $4 == zone { for (i = 5; i <= NF; i++) if (page * 2 ^ (i - 5) >= 65536) n += $i * 2 ^ (i - 5) }
	END { print n }' /proc/buddyinfo
}

# free_pages: pages that are free once caches are empty, also those that CPUs keep for their next
# allocation.
free_pages() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '$1 == "pages" && $2 == "free" { n += $3 }
	$1 == "count:" { n += $2 }
	END { print n }' /proc/zoneinfo
}

# Pages that CPUs keep for their next allocation do not count as free, and a CPU may give thousands
# of them back while a scan holds all others. Let them keep few (0 is the kernel's own choice).
keep_few() {
	echo 100000 >$VM/percpu_pagelist_high_fraction
	await 0 keep_so_few $((SWAY / 2))
}
keep_so_few() {
	cat $VM/stat_refresh # each CPU gives back what it has too many of
	awk -v most="$1" '$1 == "count:" { n += $2 } END { exit n > most }' /proc/zoneinfo
}

# How much of the direct map is mapped in pages of which size. Pages that were of another type were
# mapped one by one.
direct_map() { grep ^DirectMap /proc/meminfo; }

# remember: what as_before compares with.
remember() {
	pages=$(free_pages)
	map=$(direct_map)
}

as_before() {
	local now
	now=$(free_pages)
	echo "free pages: $pages, now $now"
	[ "$now" -ge $((pages - SWAY)) ]
	[ "$(direct_map)" = "$map" ]
}

# Ranges of System RAM, from /proc/iomem.
RAM='[[int(end, 16) for end in line.split(" : ")[0].split("-")] for line in lines("/proc/iomem") if line.endswith(": System RAM")]'

@test "regions come in order of their addresses, from System RAM" {
	remember
	echo 'scan region=64M size=192M op=read,ntwrite repeat=1 warmup=0 disturbed=keep' >run
	holds 'len(results) >= 6' 'values("verified") == {"ok"}' 'values("memory_node") <= {0, 1}' \
		'values("attribute") == {"wb"}' \
		'values("region_bytes") == {64 << 20}' 'values("size_bytes") == {64 << 20}' \
		'all(1 << 20 <= r["covered_bytes"] <= 64 << 20 for r in results)' \
		'all(sum(r["covered_bytes"] for r in results if r["op"] == op) <= 192 << 20 for op in ("read", "ntwrite"))' \
		'all(int(r["physical_address"], 16) == r["begin_mib"] << 20 for r in results)' \
		'all(r["begin_mib"] % 64 == 0 for r in results)' \
		'all(a["begin_mib"] < b["begin_mib"] for a, b in zip(results, results[1:]) if a["op"] == b["op"])' \
		"all(any(low < (r['begin_mib'] + 64) << 20 and r['begin_mib'] << 20 <= high for low, high in $RAM) for r in results)" \
		'all(r["mb_per_s"] > 0 and r["ns_per_load"] >= r["ns_per_load_min"] > 0 for r in results)'
	as_before
}

@test "only a node that is named" {
	echo 'scan region=2M size=4M node=1 repeat=1 warmup=0' >run
	holds 'len(results) >= 1' 'values("memory_node") == {1}'
}

@test "all is taken but an eighth of each zone, and all comes back after a stop" {
	keep_few
	remember
	echo 'scan region=64M repeat=100000 warmup=0' >run 3>&- &
	writer=$!
	# Once there is a sample, all memory has been taken, and none has been given back.
	await $writer grep -q '^running [1-9]' progress
	while read -r zone free all; do
		echo "$zone $free $(in_blocks "$zone") $all"
	done < <(zones) >"$BATS_TEST_TMPDIR/zones"
	echo 1 >stop
	not wait $writer
	grep '^error: ECANCELED ' run
	cat "$BATS_TEST_TMPDIR/zones"
	[ -s "$BATS_TEST_TMPDIR/zones" ]
	while read -r _ free blocks all; do
		[ "$free" -ge $((all / 8 - SWAY)) ]
		# In smaller blocks, more may be free.
		[ "$free" -le $((all / 8 + SWAY)) ] || [ "$blocks" -le "$SWAY" ]
	done <"$BATS_TEST_TMPDIR/zones"
	as_before
}
