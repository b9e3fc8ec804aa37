#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The module in User-Mode Linux: real times of this machine, write-back only.
# How fast it is, nobody here asks.

bats_require_minimum_version 1.5.0
load ../bats/module.bash

USER_TOOL=$BATS_TEST_DIRNAME/../../build/user/memcache-user

holds() { "$BATS_TEST_DIRNAME/../bats/holds.py" "$@"; }

# measured LINE EXPRESSION…: run it, and let these hold.
measured() {
	echo "$1" >run
	holds 'records[1]["state"] == "done"' "${@:2}"
}

# refused ERRNO KEY LINE: by this errno, for a reason that names the key.
refused() {
	run ! tee run <<<"$3"
	grep -E "^error: $1 $2: " run
}

@test "the machine is the host's CPU, with a clock that was measured" {
	"$USER_TOOL" -j 'bandwidth size=4K' | head -n 1 >"$BATS_TEST_TMPDIR/user"
	for key in cpu cpu_vendor hypervisor caches width_max_bytes; do
		holds "machine['$key'] == __import__('json').load(open('$BATS_TEST_TMPDIR/user'))['$key']"
	done
	holds "machine['kernel'] == '$(uname -r)'" \
		'machine["clock_cost_ns"] > 0 and machine["clock_khz"] > 0' \
		'(machine["page_table_levels"], machine["pat"], machine["microcode"]) == (None, None, None)'
}

@test "write-back is real; there is no other type" {
	holds 'machine["memory_types"]["wb"]["effective"] == "yes"' \
		'machine["memory_types"]["wc"] is None and machine["memory_types"]["uc"] is None'
	for type in uc wc; do
		refused EOPNOTSUPP type "bandwidth type=$type size=16K"
		refused EOPNOTSUPP type "bandwidth type=wb,$type size=16K"
	done
}

@test "every operation, data verified" {
	measured 'bandwidth op=read,ntread,write,ntwrite,copy,ntcopy,rmw,triad size=4K,64K,1M verify=each repeat=5' \
		'len(results) == 24' 'values("verified") == {"ok"}' 'values("samples") == {5}' \
		'values("effective") == {"yes"}' 'values("attribute") == {None}' 'min(values("min_ns")) > 0'
}

@test "every width that the CPU has" {
	for width in 8 16 32 64; do
		holds "machine['width_max_bytes'] >= $width" || continue
		measured "bandwidth op=read,write,copy width=$width size=16K verify=each repeat=5" \
			"values('width_bytes') == {$width}" 'values("verified") == {"ok"}'
	done
}

@test "fences, but the uncached one" {
	measured 'bandwidth op=write,ntwrite fence=none,sfence,mfence size=64K repeat=5' 'len(results) == 6'
	refused EOPNOTSUPP fence 'bandwidth op=write fence=uc size=64K'
}

@test "interrupts off and on, bound and not, memory mapped in both ways" {
	for cpu in 0 any; do
		measured "bandwidth op=read,copy irq=off,on size=16K,8M cpu=$cpu page=direct,4k repeat=5" \
			'len(results) == 16' 'values("samples") == {5}' 'values("verified") == {"ok"}'
	done
}

@test "buffers beyond the standing ones" {
	measured 'bandwidth op=read,write size=256M repeat=2 warmup=1' 'values("verified") == {"ok"}'
}

@test "what this machine has not is refused" {
	refused EINVAL cpu 'bandwidth cpu=1 size=16K'
	refused EINVAL node 'bandwidth node=1 size=16K'
	refused EOPNOTSUPP prefetch 'bandwidth prefetch=off size=16K'
}

@test "every test that the module has runs with its presets" {
	sed -n 's/^\([a-z0-9]*\):.*/\1/p' tests >"$BATS_TEST_TMPDIR/names"
	[ -s "$BATS_TEST_TMPDIR/names" ]
	while read -r name; do
		measured "$name timeout=60" "values('test') == {'$name'}"
	done <"$BATS_TEST_TMPDIR/names"
}

@test "a signal, and stop, end a run" {
	run -124 timeout -s INT 1 sh -c 'echo "bandwidth size=64M repeat=100000" >run'
	grep '^error: EINTR ' run
	echo 'bandwidth size=64M repeat=100000' >run 3>&- &
	until grep -q ^running progress; do sleep 0.1; done
	echo 1 >stop
	not wait $!
	[ "$(cat progress)" = idle ]
}

@test "memcache-user measures the module's own pages" {
	[ "$(stat -c %a /dev/memcache_wb)" = 600 ]
	[ ! -e /dev/memcache_uc ]
	"$USER_TOOL" 'bandwidth op=read,write,copy size=16K,1M verify=each repeat=5' >"$BATS_TEST_TMPDIR/out"
	cat "$BATS_TEST_TMPDIR/out"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 7 ]
	not grep -w failed "$BATS_TEST_TMPDIR/out"
}

@test "loaded and unloaded fifty times" {
	cd /
	for _ in $(seq 50); do
		rmmod memcache
		insmod "$MEMCACHE_KO"
	done
	[ -e "$FILES/run" ]
}
