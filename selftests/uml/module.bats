#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=uml
#
# The module in User-Mode Linux: real times of this machine, write-back only.
# How fast it is, nobody here asks.

load ../bats/module.bash

USER_TOOL=$BATS_TEST_DIRNAME/../../build/user/memcache-user

# measured LINE EXPRESSION…: run it, and let these hold.
measured() {
	echo "$1" >run
	holds 'records[1]["state"] == "done"' "${@:2}"
}

@test "the machine is the host's CPU, with a clock that was measured" {
	"$USER_TOOL" -j 'bandwidth size=4K' | head -n 1 >"$BATS_TEST_TMPDIR/user"
	for key in version cpu cpu_vendor hypervisor caches width_max_bytes; do
		holds "machine['$key'] == __import__('json').load(open('$BATS_TEST_TMPDIR/user'))['$key']"
	done
	holds 'machine["hypervisor"] == "uml"' "machine['kernel'] == '$(uname -r)'" \
		'machine["clock_cost_ns"] > 0 and machine["clock_khz"] > 0' \
		'(machine["page_table_levels"], machine["pat"], machine["microcode"]) == (None, None, None)'
}

@test "write-back is real; there is no other type" {
	holds 'machine["memory_types"]["wb"]["effective"] == "yes"' \
		'machine["memory_types"]["wc"] is None and machine["memory_types"]["uc"] is None'
	for type in uc wc; do
		refused EOPNOTSUPP type: "bandwidth type=$type size=16K"
		refused EOPNOTSUPP type: "bandwidth type=wb,$type size=16K"
	done
}

@test "there is no target but RAM" {
	refused EOPNOTSUPP target: 'bandwidth target=pci:0000:00:01.0/0 type=uc size=16K'
	refused EOPNOTSUPP target: 'bandwidth target=phys:0x30000000+1M size=16K'
	refused EINVAL offset: 'bandwidth offset=4K size=16K'
}

@test "whatever is asked of mappings, the answer is JSON" {
	for byte in '"' '\1' x; do
		line=$(printf "$byte%.0s" {1..600})
		not tee mappings <<<"$line" >/dev/null 2>&1
		python3 - "$line" <<-'END'
			import json, sys
			with open("mappings") as file:
			    assert json.loads(file.read())["line"] == sys.argv[1][:511]
		END
	done
}

# Some machines have an L3 of 128 MiB and more, and some hypervisors show no cache.
@test "what holds the working set is said" {
	local largest='max((c["size_bytes"] for c in machine["caches"]), default=0)'
	local levels="(['l1', 'memory' if $largest < 128 << 20 else 'l3'] if machine['caches'] else [None, None])"

	holds 'machine["memory_types"]["wb"]["reload_ns"] > 0'
	measured 'bandwidth op=read size=16K,128M verify=off repeat=2' \
		"[r['level'] for r in results] == $levels"
	measured 'random size=16K,128M repeat=2' "[r['level'] for r in results] == $levels"
	grep -q ' level$' results
}

@test "without a size, the working set is beyond the caches, or an eighth of the memory at least" {
	local eighth
	eighth=$(awk '/^MemTotal:/ { print int($2 * 1024 / 8) }' /proc/meminfo)
	for test in bandwidth random; do
		measured "$test repeat=1 warmup=0" \
			"values('level') == {'memory'} or values('size_bytes').pop() >= $eighth" \
			"values('size_bytes').pop() >= min($eighth, 4 * max((c['size_bytes'] for c in machine['caches']), default=0))"
		grep -E '^request: .* size=[0-9]+M ' run
	done
	measured 'bandwidth size=4K,auto,16K repeat=1 warmup=0' 'len(values("size_bytes")) == 3'
	refused EINVAL size: 'bandwidth size=auto..64M'
}

@test "samples for a time" {
	measured 'bandwidth op=read size=64K time=1 repeat=2 warmup=0' 'values("repeat").pop() > 2' \
		'values("repeat") == taken()'
	measured 'bandwidth op=read size=64K time=1.250 repeat=2 warmup=0' 'values("repeat").pop() > 2'
	[[ $(<"$FILES/run") == *" time=1.25 "* ]]
}

@test "stores that need an instruction: here where memcache-user has it" {
	for op in write_clflushopt write_clwb movdir64b write_prefetchw write_cldemote; do
		if "$USER_TOOL" --own "bandwidth op=$op size=4K repeat=1"; then
			measured "bandwidth op=$op size=4K,1M repeat=5" 'values("verified") == {"ok"}'
		else
			refused EOPNOTSUPP op: "bandwidth op=$op size=4K"
		fi
	done
}

@test "functions for I/O memory, which there is none of" {
	for op in memcpy_toio memcpy_fromio memset_io __iowrite64_copy memcpy_flushcache; do
		refused EOPNOTSUPP op: "bandwidth op=read,$op size=16K"
		grep "op: this kernel has no $op()" run
	done
}

@test "every width that the CPU has" {
	for width in 8 16 32 64; do
		holds "machine['width_max_bytes'] >= $width" || continue
		measured "bandwidth op=read,write,copy,rw31 width=$width size=16K verify=each repeat=5" \
			"values('width_bytes') == {$width}" 'values("verified") == {"ok"}'
	done
}

@test "fences, but the uncached one" {
	measured 'bandwidth op=write,ntwrite fence=none,sfence,mfence size=64K repeat=5' 'len(results) == 6'
	refused EOPNOTSUPP fence: 'bandwidth op=write fence=uc size=64K'
}

# The host's ticks come every 1 to 10 ms; a sample here lasts 50 ms and more.
@test "the host's interrupts are seen, and what is left out is counted" {
	measured 'random op=read size=16K count=64M repeat=3 warmup=0 disturbed=keep' \
		'taken() == {3}' 'values("left_out") == {0}' 'values("windows_left_out") == {0}' \
		'values("disturbed_steal") == {None}' \
		'values("disturbed_interrupt") == ({3} if "interrupt" in machine["recognised"] else {None})'
	measured 'bandwidth size=16K,1M,64M repeat=200' 'taken() == {200}' \
		'all((r["left_out"] > 0) == (r["left_out_why"] == "disturbed") for r in results)' \
		'all(r["left_out"] <= 100 for r in results)'
}

@test "what this machine has not is refused" {
	refused EINVAL cpu: 'bandwidth cpu=1 size=16K'
	refused EINVAL node: 'bandwidth node=1 size=16K'
	refused EOPNOTSUPP prefetch: 'bandwidth prefetch=off size=16K'
	grep -q "User-Mode Linux can't reach" run
	measured 'bandwidth prefetch=auto,keep size=16K' 'values("prefetch") == {"keep"}' \
		'machine["prefetch"] == {"known": False, "msr": None, "mask": None, "state": None}'
}

@test "every test that the module has runs with its presets, or wants two CPUs or a file" {
	sed -n 's/^\([a-z0-9]*\):.*/\1/p' tests >"$BATS_TEST_TMPDIR/names"
	[ -s "$BATS_TEST_TMPDIR/names" ]
	while read -r name; do
		# By its preset, scan goes through all memory.
		[ "$name" != scan ] || name="scan size=2M"
		if echo "$name timeout=600" >run; then
			name=${name%% *}
			holds "values('test') == {'$name'}"
		else
			grep -E '^error: EINVAL (cpu: .*list two at least, or all|path: names no file)' run
		fi
	done <"$BATS_TEST_TMPDIR/names"
}

# earlier STATE: `results` are those of a request before the last one, which has this state.
earlier() {
	[ "$(head -n 1 results)" = "# of an earlier request; the last one (state: $1) has no results, see run" ]
	[ "$(tail -n +2 results)" = "$before" ]
	[ "$(cat results.jsonl)" = "$records" ]
}

@test "results of an earlier request say so, and only they" {
	echo 'overhead item=loop repeat=3' >run
	not grep -E ' (type|size_bytes|node|page|attribute|effective|memory_node|verified)( |$)' results
	before=$(cat results) records=$(cat results.jsonl)
	refused EINVAL item: 'overhead item=nothing'
	earlier refused
	refused ENOMEM size: 'bandwidth size=65536G'
	earlier failed
	echo 'bandwidth size=4K repeat=3' >run
	[[ $(head -n 1 results) == "# test "* ]]
}

@test "who gets EBUSY learns which process measures" {
	echo 'bandwidth size=64M repeat=100000' >run 3>&- &
	await $! grep -q ^running progress
	cp progress "$BATS_TEST_TMPDIR/progress"
	run -1 tee run <<<'bandwidth size=16K'
	tee=$output
	run "$BATS_TEST_DIRNAME/../../tools/memcache/memcache" run -o "$BATS_TEST_TMPDIR/none.jsonl" 'bandwidth size=16K'
	echo 1 >stop
	not wait $!
	echo "$tee"
	cat "$BATS_TEST_TMPDIR/progress"
	[ "$status" -eq 1 ]
	[ ! -e "$BATS_TEST_TMPDIR/none.jsonl" ]
	grep -xE "running [0-9]+/100002 elapsed_s=[0-9.]+ eta_s=(na|[0-9.]+) pid=$!" "$BATS_TEST_TMPDIR/progress"
	[[ $tee == *"resource busy"* ]]
	grep -E "EBUSY: another run is on, started by $(</proc/$$/comm) \(process $!, user root\): [0-9]+ of 100002 samples.*: bandwidth " <<<"$output"
	[ "$(cat progress)" = idle ]
}
