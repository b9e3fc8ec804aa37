#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# CPUs 0 and 1 on node 0, 2 and 3 on node 1. selftests/host/nodes.bats boots such a
# guest. Four threads meet rarely on a machine that has two CPUs for them: where one on
# each node shows the same, CPUs 1 and 2 are all there is.

load ../bats/module.bash

setup_file() { small_buffers; }

USER_TOOL=$BATS_TEST_DIRNAME/../../build/user/memcache-user

# buffers_of_run: node and pages of those of the run that is on.
buffers_of_run() { sed -nE 's/^[a-z]+ run pages=([0-9]+) node=(\S+) .*/\2 \1/p' buffers | sort; }

# during LINE: run it, and say what buffers it has.
during() {
	echo "$1 repeat=1000000" >run 3>&- 2>/dev/null &
	await $! grep -q '^running [1-9]' progress || return
	buffers_of_run
	echo >stop
	not wait $!
}

@test "each thread's part is on its own node" {
	for cpus in '1-2 op=read,write,copy,triad,rw31 size=64K,4M' '0-3 op=write,copy size=64K,4M'; do
		echo "bandwidth node=local repeat=1 warmup=0 cpu=$cpus" >run
		holds 'len(results) in (10, 4)' 'values("memory_node") == {"0-1"}' 'values("node") == {"local"}' \
			'values("remote_threads") == {0}' 'values("verified") == {"ok"}' \
			"values('threads') == {len(results) == 4 and 4 or 2}"
	done
	[ "$(during 'bandwidth cpu=0-3 node=local size=8M')" = $'0 1024\n1 1024' ]
	[ "$(during 'bandwidth cpu=0-2 node=local type=uc size=6M')" = $'0 1024\n1 512' ]
	[ "$(during 'loaded cpu=0,2-3 node=local delay=0 size=6M')" = $'0 512\n1 1024' ]
}

@test "buffers on several nodes serve the points of a run, of every type and mapping" {
	echo 'bandwidth type=wb,wc,uc page=direct,4k cpu=1-2 node=local,1,0,auto size=1M,4M op=write repeat=1 warmup=0' >run
	holds 'len(results) == 48' 'values("verified") == {"ok"}' \
		'{(r["node"], r["memory_node"]) for r in results} ==
			{("local", "0-1"), (1, 1), (0, 0), ("auto", 0)}' \
		'{(r["type"], r["attribute"]) for r in results} == {("wb", "wb"), ("wc", "wc"), ("uc", "uc-")}'
	grep -q '^leaked_pages=0$' buffers
	[ "$(buffers_of_run)" = "" ]
}

@test "on CPUs of one node it is that node" {
	echo 'bandwidth cpu=2-3 node=local size=1M,4M repeat=1 warmup=0' >run
	holds 'values("memory_node") == {1}' 'values("remote_threads") == {0}'
}

@test "where CPUs take turns, or share one working set, it is one node at a time" {
	echo 'latency cpu=0,3 node=local size=64K,4M repeat=1 warmup=0' >run
	holds 'len(results) == 4' \
		'[r["memory_node"] for r in results] == [int(r["cpu"]) // 3 for r in results]'
	echo 'random cpu=2,0 node=local size=64K count=1000 repeat=1 warmup=0' >run
	holds 'values("memory_node") == {0}' 'values("remote_threads") == {1}'
}

@test "threads that are far from their memory are counted, and the remedy is said" {
	echo 'bandwidth cpu=0-3 size=4M repeat=1 warmup=0' >run
	holds 'values("memory_node") == {0}' 'values("remote_threads") == {2}'
	grep -q remote_threads results
	grep -q '^note: node: 2 of 4 threads .* node=local ' run
	echo 'bandwidth cpu=0-3 node=1 size=4M repeat=1 warmup=0' >run
	holds 'values("remote_threads") == {2}'
	not grep '^note: ' run
	echo 'bandwidth cpu=0-1 size=4M repeat=1 warmup=0' >run
	holds 'values("remote_threads") == {0}'
	not grep remote_threads results
	not grep '^note: ' run
}

@test "memory that one node has not is refused, and nothing stays" {
	size=$(($(awk '/MemTotal/ { print $4 }' /sys/devices/system/node/node1/meminfo) * 3 / 2 / 1024))
		run ! tee run <<<"bandwidth cpu=0,2-3 node=local size=${size}M"
	grep '^error: ENOMEM size: ' run
	[ "$(buffers_of_run)" = "" ]
	echo 'bandwidth cpu=0-3 node=local size=16M type=wb,uc repeat=1 warmup=0' >run
	holds 'values("memory_node") == {"0-1"}' 'values("verified") == {"ok"}'
}

@test "in user space, too" {
	process 'bandwidth cpu=1-2 node=local op=read,write,copy,triad size=64K,4M repeat=1 warmup=0' \
		'loaded cpu=0-3 node=local delay=0 size=4M repeat=1 warmup=0'
	holds 'len(results) == 9' 'values("memory_node") == {"0-1"}' 'values("remote_threads") == {0}' \
		'{r["verified"] for r in results if r["test"] == "bandwidth"} == {"ok"}'
	process 'bandwidth cpu=0-3 size=64K,4M repeat=1 warmup=0' 'latency cpu=0,3 node=local size=64K,4M repeat=1 warmup=0'
	holds '[r["memory_node"] for r in results[:2]] == [0, 0]' \
		'[r["memory_node"] for r in results[2:]] == [int(r["cpu"]) // 3 for r in results[2:]]' \
		'[r["remote_threads"] for r in results] == [2, 2, None, None, None, None]'
	"$USER_TOOL" 'bandwidth cpu=0-3 size=64K repeat=1 warmup=0' >/dev/null 2>"$BATS_TEST_TMPDIR/said"
	grep -q '^memcache-user: note: node: 2 of 4 threads .* node=local ' "$BATS_TEST_TMPDIR/said"
}

# as CALL...: in the layout of another program; `holds` finds the records. A result of which no
# sample counts, which a busy host may cause, has no row and makes the status 1.
as() {
	MEMCACHE_DEBUGFS=$BATS_TEST_TMPDIR
	export MEMCACHE_DEBUGFS
	rm -f "$BATS_TEST_TMPDIR/results.jsonl"
	MEMCACHE_NOTES=$BATS_TEST_TMPDIR/said MEMCACHE_RESULTS=$BATS_TEST_TMPDIR/results.jsonl \
		"$USER_TOOL" --as "$@" >"$BATS_TEST_TMPDIR/out" || [ $? = 1 ]
	head -n 1 "$BATS_TEST_TMPDIR/results.jsonl" >"$BATS_TEST_TMPDIR/machine"
}

# rows PATTERN: as many lines of the answer are such as results were measured.
rows() { holds "sum(r['samples'] > 0 for r in results) == $(grep -cE "$1" "$BATS_TEST_TMPDIR/out")"; }

@test "matrices of MLC have the CPUs of each node, with the memory of each" {
	as mlc --latency_matrix -b64 -t0.02
	holds '[(r["cpu"], r["memory_node"]) for r in results] == [("0", 0), ("0", 1), ("2", 0), ("2", 1)]'
	as mlc --bandwidth_matrix -b64 -t0.02
	holds '[(r["cpu"], r["memory_node"]) for r in results] ==
		[("0-1", 0), ("0-1", 1), ("2-3", 0), ("2-3", 1)]'
	holds "sum(r['samples'] > 0 for r in results) ==
		$(grep -E '^ +[01]'$'\t' "$BATS_TEST_TMPDIR/out" | grep -oE '[0-9]+\.[0-9]' | wc -l)"
	as mlc --c2c_latency -C64
	[ "$(grep -c 'homed in' "$BATS_TEST_TMPDIR/out")" = 2 ]
	holds '{(r["cpu"], r["home"]) for r in results} ==
		{("0-1", "writer"), ("0,2", "writer"), ("0,2", "reader")}'
}

@test "a CPU of MLC stands for its node, and domains of likwid for theirs" {
	as mlc --idle_latency -b64 -c0 -i3 -t0.02
	holds 'values("memory_node") == {1}' 'values("cpu") == {"0"}'
	as mlc --loaded_latency -d0 -T -b64 -t0.02 -k1-2
	holds 'values("memory_node") == {"0-1"}' 'values("remote_threads") == {0}'
	as likwid-bench -t load -w M1:64kB -i 2
	holds 'values("cpu") == {"2-3"}'
	as likwid-bench -t load -W N:64kB:2:1:2 -i 2
	holds 'values("cpu") == {"0,2"}' 'values("remote_threads") == {0}'
	rows '^MByte/s:'
}

@test "STREAM has a row for each kernel that was measured, on the CPUs and the node it is bound to" {
	as stream size=3M repeat=2
	holds 'len(results) == 4' 'values("cpu") == {"0-3"}' 'values("memory_node") == {"0-1"}'
	rows '^(Copy|Scale|Add|Triad): '
	type numactl >/dev/null || skip "numactl is not installed"
	bound() { numactl -N1 -m0 "$BATS_TEST_DIRNAME/../../build/user/memcache-user" "$@"; }
	USER_TOOL=bound as stream size=3M repeat=2
	holds 'values("cpu") == {"2-3"}' 'values("memory_node") == {0}' 'values("remote_threads") == {2}'
	rows '^(Copy|Scale|Add|Triad): '
}

# The nodes of a line's results, as both sides have them.
both_sides() {
	echo "$1" >run
	process "$1"
	holds "values('memory_node') == $2" \
		"{r['memory_node'] for r in load('$FILES/results.jsonl') if r['record'] == 'result'} == $2"
	unset MEMCACHE_DEBUGFS
}

@test "kernel and user space choose the same node, wherever the module was loaded" {
	cd /
	for loaded_on in 0 2; do
		rmmod memcache
		taskset -c $loaded_on insmod "$MEMCACHE_KO" size_mb=2
		cd "$FILES"
		for node in 0 1; do
			both_sides "bandwidth cpu=$((2 * node)) size=64K repeat=1 warmup=0" "{$node}"
			both_sides "bandwidth cpu=$((2 * node)) size=4M repeat=1 warmup=0" "{$node}"
		done
		both_sides 'bandwidth type=uc,wc size=64K repeat=1 warmup=0' '{0}'
		cd /
	done
	rmmod memcache
	taskset -c 0 insmod "$MEMCACHE_KO" numa_node=1 size_mb=2
	cd "$FILES"
	both_sides 'bandwidth cpu=0 size=64K,4M repeat=1 warmup=0' '{1}'
	both_sides 'bandwidth type=uc cpu=0 size=64K repeat=1 warmup=0' '{1}'
	both_sides 'bandwidth cpu=0-3 node=local size=64K,4M repeat=1 warmup=0' '{"0-1"}'
	cd /
	rmmod memcache
	small_buffers
}

@test "a type that the module has on another node only is refused, with that node" {
		run ! --separate-stderr "$USER_TOOL" 'bandwidth type=uc cpu=2 size=64K'
	# shellcheck disable=SC2154 # set by run
	[[ $stderr == *"node: /dev/memcache_uc has no pages on node 1; they are on node=0" ]]
}
