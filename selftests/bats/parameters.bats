#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Loading and unloading, with parameters good and bad.

load module.bash

setup_file() { :; }
teardown_file() { :; }
setup() { dmesg --clear; }
teardown() { rmmod memcache 2>/dev/null || true; }

load_with() { insmod "$MEMCACHE_KO" "$@" && cd "$FILES" || return; }

# not_loaded: the module is not loaded, and has left nothing behind.
not_loaded() {
	not grep -q '^memcache ' /proc/modules
	[ ! -e "$FILES" ]
}

@test "size_mb is the size of the standing buffers" {
	for size in 1 3 64; do
		load_with size_mb=$size
		[ "$(grep -c " standing pages=$((size * 256)) " buffers)" -eq 3 ]
		echo "bandwidth type=wb,wc,uc size=64K,${size}M repeat=2" >run
		[ "$(wc -l <results)" -eq 7 ]
		cd / && rmmod memcache
	done
}

@test "size_mb=0: no standing buffers, and every run has its own" {
	load_with size_mb=0
	not grep -q standing buffers
	holds 'machine["memory_types"] == {"wb": None, "wc": None, "uc": None}'
	echo 'bandwidth type=wb,wc,uc size=4K,4M fence=none,uc repeat=2' >run
	holds '[r["attribute"] for r in results] == ["wb"] * 4 + ["wc"] * 4 + ["uc-"] * 4'
	not grep -qE '^(wb|wc) ' buffers
}

@test "numa_node is where standing buffers and others lie" {
	for node in 0 1; do
		load_with numa_node=$node size_mb=2
		[ "$(grep -c " standing pages=512 node=$node " buffers)" -eq 3 ]
		echo "bandwidth type=wb,wc,uc size=4K,8M repeat=2 cpu=$((1 - node))" >run
		holds "values('memory_node') == {$node}"
		echo "bandwidth node=$((1 - node)) size=4K" >run
		holds "values('memory_node') == {$((1 - node))}"
		cd / && rmmod memcache
	done
}

@test "a node that is not there is refused, and said" {
	for node in 9 -2 1023 99999; do
		run -1 insmod "$MEMCACHE_KO" numa_node=$node
		[[ $output == *"Invalid"* ]]
		not_loaded
		dmesg | grep -q "memcache: numa_node: $node has no memory"
	done
}

# bats test_tags=uml
@test "more than there is is refused, and said" {
	for size in 100000 4294967295; do
		free=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
		run -1 insmod "$MEMCACHE_KO" size_mb=$size
		[[ $output == *"Cannot allocate memory"* ]]
		not_loaded
		dmesg | grep -q "memcache: size: .*size_mb=$size"
		left=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
		[ $((free - left)) -lt 20000 ]
	done
}

@test "buffers that fit one by one but not together are refused" {
	available=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
	run -1 insmod "$MEMCACHE_KO" size_mb=$((available * 2 / 5))
	[[ $output == *"Cannot allocate memory"* ]]
	not_loaded
}

# bats test_tags=uml
@test "parameters that are no numbers are refused" {
	for word in size_mb=many size_mb=-1 size_mb= numa_node=auto; do
		run -1 insmod "$MEMCACHE_KO" $word
		[[ $output == *"Invalid"* ]]
		not_loaded
	done
}

# bats test_tags=uml
@test "parameters can be read, and only a cache that was found later be told" {
	load_with size_mb=2
	[ "$(cat /sys/module/memcache/parameters/size_mb)" = 2 ]
	[ "$(cat /sys/module/memcache/parameters/numa_node)" = -1 ]
	[ "$(stat -c %a /sys/module/memcache/parameters/*)" = $'444\n444\n644' ]
	echo 64 >/sys/module/memcache/parameters/unlisted_cache_mb
	[ "$(cat /sys/module/memcache/parameters/unlisted_cache_mb)" = 64 ]
}

@test "loads and unloads 20 times" {
	load_with size_mb=2 && cd / && rmmod memcache
	free=$(awk '$1 == "MemFree:" { print $2 }' /proc/meminfo)
	for ((i = 0; i < 20; i++)); do
		load_with size_mb=16
		echo 'bandwidth type=wb,wc,uc size=4K fence=uc repeat=1' >run
		cd / && rmmod memcache
		not_loaded
	done
	# 48 MiB were freed 20 times.
	left=$(awk '$1 == "MemFree:" { print $2 }' /proc/meminfo)
	echo "$free KiB free before, $left after"
	[ $((free - left)) -lt 50000 ]
	not grep -i leak <(dmesg)
}
