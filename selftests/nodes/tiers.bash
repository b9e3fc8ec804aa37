# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests of memory that a driver of Linux brings online as a node of its own.

load ../bats/module.bash

# says PATTERN COMMAND…: whether all that it prints fits the pattern.
# shellcheck disable=SC2053	# a pattern
says() { [[ $("${@:2}") == $1 ]]; }

# dax_of DRIVER: the devdax devices that have this driver.
dax_of() {
	local device
	for device in /sys/bus/dax/devices/*; do
		[ "$(basename "$(readlink "$device/driver")")" != "$1" ] || basename "$device"
	done
}

# dax_range: the range of the only devdax device, as target= names it.
dax_range() {
	local device=/sys/bus/dax/devices/$1
	echo "phys:$(cat "$device/resource")+$(($(cat "$device/size") >> 20))M"
}

# pmem_namespace: that of the persistent memory, once its driver has it.
pmem_namespace() {
	local driver
	for driver in /sys/bus/nd/devices/namespace*.0/driver; do
		[ ! -e "$driver" ] || basename "${driver%/*}"
	done
}

# pmem_dax: have persistent memory be a devdax device, whose name is printed. It then belongs to its
# driver no longer.
pmem_dax() {
	local namespace device
	namespace=$(basename /sys/bus/nd/devices/namespace*.0)
	device=${namespace/namespace/dax}
	(
		cd "/sys/bus/nd/devices/$device" || exit
		cat /proc/sys/kernel/random/uuid >uuid
		echo ram >mode
		echo 2097152 >align
		echo "$namespace" >namespace
	)
	echo "$device" >/sys/bus/nd/drivers/dax_pmem/bind
	dax_of device_dax
}

CXL=/sys/bus/cxl/devices

# cxl_decoder: the first decoder of the CXL device itself, once its driver has found it.
cxl_decoder() {
	local file
	for file in "$CXL"/decoder*.0/dpa_size; do
		[ ! -e "$file" ] || basename "${file%/*}"
	done
}

# cxl_region: make all memory of the CXL device a region, which becomes a devdax device.
cxl_region() {
	local decoder size region
	decoder=$(cxl_decoder)
	size=$(cat $CXL/mem0/ram/size)
	echo ram >"$CXL/$decoder/mode"
	echo "$size" >"$CXL/$decoder/dpa_size"
	region=$(cat $CXL/decoder0.0/create_ram_region)
	echo "$region" >$CXL/decoder0.0/create_ram_region
	(
		cd "$CXL/$region" || exit
		echo 1 >interleave_ways
		echo 256 >interleave_granularity
		echo "$size" >size
		echo "$decoder" >target0
		echo 1 >commit
	)
	echo "$region" >/sys/bus/cxl/drivers/cxl_region/bind
}

# online DAX: as system memory, which is movable. Prints the number of its node.
online() {
	await 0 says "$1" dax_of kmem
	online_all
	cat "/sys/bus/dax/devices/$1/target_node"
}

# online_all: bring all blocks of memory online that are not, as movable memory.
online_all() {
	local block
	for block in /sys/devices/system/memory/memory*; do
		[ "$(cat "$block/state")" = online ] || echo online_movable >"$block/state"
	done
}

# front WORD…: `memcache run` of these; the records are in $BATS_TEST_TMPDIR/r.jsonl, and what it
# says in $BATS_TEST_TMPDIR/said.
front() {
	rm -f "$BATS_TEST_TMPDIR/r.jsonl"
	"$BATS_TEST_DIRNAME/../../tools/memcache/memcache" run -o "$BATS_TEST_TMPDIR/r.jsonl" "$@" \
		size=64K warmup=0 >"$BATS_TEST_TMPDIR/said"
	cat "$BATS_TEST_TMPDIR/said"
}

# records EXPRESSION…: what holds of them; `rows` are the results, `tiers` those of the machine.
records() {
	holds "whole := load('$BATS_TEST_TMPDIR/r.jsonl')" 'tiers := {one["node"]: one for one in whole[0]["tiers"]}' \
		'rows := [one for one in whole if one["record"] == "result"]' "$@"
}

# tiers_known NODE: a run by the front end knows the zone and the tier of the node, and sets what
# was measured beside what was promised.
tiers_known() {
	front tiers repeat=1
	records "tiers[$1]['zones'] == ['Movable']" 'all(isinstance(one["tier"], int) for one in tiers.values())'
	grep -q '^memory node  ns_per_load  promised_ns  memory_tier ' "$BATS_TEST_TMPDIR/said"
	grep -q "^$1 .* Movable\$" "$BATS_TEST_TMPDIR/said"
}

# matrix_has NODE…: the matrix of nodes has these.
matrix_has() {
	front latency-matrix repeat=1
	records "{one['memory_node'] for one in rows} == {$(tr ' ' , <<<"$*")}"
}
