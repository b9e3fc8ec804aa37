#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2030,SC2031 # each test is a shell of its own
#
# memcache-user and the module: the same requests, on the module's own pages.
# selftests/host/user.bats tests memcache-user without the module.

load user.bash

FILES=/sys/kernel/debug/memcache

setup_file() { insmod "$MEMCACHE_KO"; }
teardown_file() { rmmod memcache; }

# like_kernel KEY…: each result has the same values of these members as the kernel's.
like_kernel() {
	local keys
	keys=$(printf '"%s",' "$@")
	holds "[[r[k] for k in ($keys)] for r in results] ==
		[[r[k] for k in ($keys)] for r in load('$FILES/results.jsonl') if r['record'] == 'result']"
}

# first_lines: print the first cache line of each device's pages, after the type.
first_lines() {
	/usr/bin/python3 -c 'import mmap, os
for name in "wb", "wc", "uc":
    file = os.open(f"/dev/memcache_{name}", os.O_RDONLY)
    print(name, mmap.mmap(file, 4096, mmap.MAP_SHARED, mmap.PROT_READ)[:64].hex())'
}

@test "the module's pages of every type, with the kernel's verdicts" {
	line="bandwidth type=wb,wc,uc op=read,ntwrite,copy page=4k size=64K repeat=2 warmup=1"
	measure "$line"
	# A run in the kernel judges the types anew, and on a busy host it may come to another verdict.
	cp "$FILES/machine" kernel
	holds 'len(results) == 9' 'values("verified") == {"ok"}' 'taken() == {2}' \
		'{r["where"] for r in records} == {"user"}' 'records[0]["memory"] == "module"' \
		'{(r["type"], r["attribute"]) for r in results} == {("wb", "wb"), ("wc", "wc"), ("uc", "uc-")}' \
		'[r for r in results if r["effective"] != load("kernel")[0]["memory_types"][r["type"]]["effective"]] == []'
	# The verdicts, and all common members of the machine record, are those of the kernel.
	holds "[(t, v['attribute'], v['effective']) for t, v in machine['memory_types'].items()] ==
		[(t, v['attribute'], v['effective']) for t, v in load('kernel')[0]['memory_types'].items()]" \
		"[k for k, v in load('kernel')[0].items() if k not in machine or k not in
			('where', 'nodes', 'clock_khz', 'clock_cost_ns', 'recognised', 'page_table_levels', 'pat', 'prefetch',
			'lockdown', 'memory_types') and machine[k] != v] == []" \
		"[(n['node'], n['cpus']) for n in machine['nodes']] ==
		[(n['node'], n['cpus']) for n in load('kernel')[0]['nodes']]"
	echo "$line" >"$FILES/run"
	like_kernel type op attribute width_bytes traversed_bytes page verified
}

@test "what is written is in the module's pages, and with --own it is not" {
	first_lines >before
	measure 'bandwidth op=write type=wb,wc,uc size=4K repeat=3'
	first_lines >after
	[ "$(grep -cvxFf before after)" -eq 3 ]
	measure --own 'bandwidth op=write size=4K repeat=4'
	first_lines | diff after -
	holds 'records[0]["memory"] == "own"' 'results[0]["attribute"] is None' \
		'[machine["memory_types"][t] for t in ("wc", "uc")] == [None, None]'
	refused "Operation not supported" "type: uc needs /dev/memcache_uc" --own 'bandwidth type=uc'
}

# The column `steady` is there only if a loop had not settled, which is for chance to say here.
columns() { head -n 1 "$1" | xargs -n 1 | grep -vx steady; }

@test "the table has the kernel's columns" {
	line='bandwidth type=wb,uc op=read,copy size=4K,1M repeat=3'
	"$USER_TOOL" "$line" >results
	cat results
	echo "$line" >"$FILES/run"
	[ "$(columns results)" = "$(columns "$FILES/results")" ]
	[ "$(grep -vc '^#' results)" -eq 8 ]
}

@test "the uncached fence works with the module, and is refused without" {
	measure 'bandwidth fence=none,uc type=wb,wc,uc op=write size=4K,64K repeat=2'
	holds 'len(results) == 12' 'values("verified") == {"ok"}'
	grep -q '^uc fence pages=1 ' "$FILES/buffers"
	refused "Operation not supported" "fence: uc needs /dev/memcache_uc" --own 'bandwidth fence=uc'
}

@test "a buffer larger than the device is of its own, where that is write-back" {
	measure 'bandwidth size=4K,32M op=copy repeat=1'
	holds '[r["attribute"] for r in results] == ["wb", None]' 'values("verified") == {"ok"}'
	refused "Operation not supported" "type: uc needs /dev/memcache_uc" 'bandwidth type=uc size=32M'
}

@test "the other tests, on the module's pages" {
	measure 'random type=wb,uc op=read,write size=64K count=1000 repeat=2'
	holds 'len(results) == 4' 'values("verified") == {"ok"}'
	measure 'random type=wc mode=dependent size=64K count=1000 repeat=2' 'overhead cpu=0,1 repeat=3'
	holds '[r["test"] for r in results] == ["random"] + ["overhead"] * 4'
}

@test "two threads on either node" {
	measure "bandwidth cpu=0,1 node=0,1 type=wb op=read,copy size=256K repeat=2"
	holds 'len(results) == 4' 'values("threads") == {2}' 'values("verified") == {"ok"}' \
		'[r["memory_node"] for r in results] == [int(r["node"]) for r in results]' \
		'[r["memory_node"] for r in results] == [0, 0, 1, 1]'
	refused "Invalid argument" "node: there is no node 2" 'bandwidth node=0,2'
}

THP=/sys/kernel/mm/transparent_hugepage

@test "pages of 4 KiB, and huge pages" {
	measure --own 'bandwidth page=4k op=write,copy size=64K,6M repeat=2'
	holds '[r["page"] for r in results] == ["4k"] * 4' 'values("verified") == {"ok"}'
	refused "Cannot allocate memory" "page: 6 MiB of huge pages are needed, more than are free; " 'bandwidth page=2m size=6M'
	echo 8 >/proc/sys/vm/nr_hugepages
	measure 'bandwidth page=2m node=0,1 op=write,copy size=64K,6M repeat=2'
	echo 0 >/proc/sys/vm/nr_hugepages
	holds 'values("page") == {"2m"}' 'values("verified") == {"ok"}' \
		'[r["memory_node"] for r in results] == [0] * 4 + [1] * 4'
}

no_huge_pages() {
	run -1 measure 'bandwidth page=thp size=4M'
	[[ $output == "memcache-user: Operation not supported: page: 0 of 4 MiB came as huge pages; "* ]]
}

@test "transparent huge pages" {
	# A kernel with PREEMPT_RT does not have them.
	if ! [ -e $THP ]; then
		no_huge_pages
		return
	fi
	measure --own 'bandwidth page=4k,thp op=write,copy size=64K,6M repeat=2'
	holds '[r["page"] for r in results] == ["4k"] * 4 + ["thp"] * 4' 'values("verified") == {"ok"}'
	echo never >$THP/enabled
	no_huge_pages
	echo always >$THP/enabled
}

@test "it can be killed, and the module unloaded then" {
	"$USER_TOOL" 'bandwidth type=wc fence=uc size=64K repeat=1000000' 3>&- &
	await $! grep -q '^uc fence ' "$FILES/buffers"
	await $! grep -q memcache_wc /proc/$!/maps
	run -1 rmmod memcache
	[[ $output == *"in use"* ]]
	ends_by KILL $!
	rmmod memcache
	insmod "$MEMCACHE_KO"
}

# bats test_tags=uml
@test "--tests is the file tests, but for what one side alone can do" {
	diff <("$USER_TOOL" --tests | awk '/^[a-z]/ { own = /^(os|pipe):/ } !own' |
		sed 's/ item=loop,clock,barrier,wakeup / item=loop,clock,irq,fpu,barrier,wakeup /') \
		"$FILES/tests"
}

@test "who is not root has memory of his own" {
	install -m 755 "$USER_TOOL" /tmp/memcache-user
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups /tmp/memcache-user)
	page=4k n=2
	[ ! -e $THP ] || page=4k,thp n=4
	"${nobody[@]}" -j "bandwidth op=read,copy size=64K page=$page repeat=2" >results.jsonl
	head -n 1 results.jsonl >machine
	holds 'records[0]["memory"] == "own"' "len(results) == $n" 'values("verified") == {"ok"}' \
		'values("attribute") == {None}'
	run -1 "${nobody[@]}" 'bandwidth type=uc'
	[[ $output == *"type: uc needs /dev/memcache_uc, which is for root only"* ]]
	rm /tmp/memcache-user
}

@test "without the module, or its standing buffers, it is said what is missing" {
	rmmod memcache
	for params in "" size_mb=0; do
		[ -z "$params" ] || insmod "$MEMCACHE_KO" "$params"
		for type in uc wc; do
			refused "Operation not supported" "type: $type needs /dev/memcache_$type of the loaded module" \
				"bandwidth type=wb,$type"
		done
		refused "Operation not supported" "fence: uc needs /dev/memcache_uc" 'bandwidth fence=uc'
		measure 'bandwidth size=4K repeat=1'
		holds 'records[0]["memory"] == "own"'
	done
	rmmod memcache
	insmod "$MEMCACHE_KO"
}
