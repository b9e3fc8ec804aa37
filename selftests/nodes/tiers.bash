# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests of memory that a driver of Linux brings online as a node of its own.

load ../bats/module.bash

holds() { "$BATS_TEST_DIRNAME/../bats/holds.py" "$@"; }

# refused ERRNO "KEY: TEXT" LINE
refused() {
	not bash -c "echo '$3' >run"
	cat run
	grep -qF "error: $1 $2" run
}

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

# online DAX: as system memory, which is movable. Prints the number of its node.
online() {
	local block
	until [ "$(dax_of kmem)" = "$1" ]; do sleep 0.1; done
	for block in /sys/devices/system/memory/memory*; do
		[ "$(cat "$block/state")" = online ] || echo online_movable >"$block/state"
	done
	cat "/sys/bus/dax/devices/$1/target_node"
}

# tiers_known NODE: a run by the front end knows the zone and the tier of the node, and sets what
# was measured beside what was promised.
tiers_known() {
	"$BATS_TEST_DIRNAME/../../tools/memcache/memcache" run -o "$BATS_TEST_TMPDIR/r.jsonl" \
		tiers size=64K repeat=1 warmup=0 >"$BATS_TEST_TMPDIR/said"
	cat "$BATS_TEST_TMPDIR/said"
	head -1 "$BATS_TEST_TMPDIR/r.jsonl" | python3 -c 'import json, sys
one = {one["node"]: one for one in json.load(sys.stdin)["tiers"]}[int(sys.argv[1])]
print(one)
assert one["zones"] == ["Movable"] and isinstance(one["tier"], int), one' "$1"
	grep -q '^memory node  ns_per_load  promised_ns  memory_tier ' "$BATS_TEST_TMPDIR/said"
	grep -q "^$1 .* Movable\$" "$BATS_TEST_TMPDIR/said"
}
