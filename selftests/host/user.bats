#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# memcache-user without the module: on its own memory, at native speed. No test here
# checks how fast it is.

load ../bats/user.bash

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP
	make -s -C "$TOP/tools/user"
}

@test "it is static" {
	readelf -l "$USER_TOOL" >headers
	grep LOAD headers
	not grep INTERP headers
}

# As memcache-user does in install.bats.
@test "the simulated machine builds in a path with a space" {
	mkdir "a b"
	cp -r "$TOP/module" "$TOP/tools" "a b"
	make -s -C "a b/tools/sim" CFLAGS=-O0
	[ -e "a b/build/sim/sim.so" ]
}

# The threads of the module run the same code, except the code that starts and wakes them.
@test "threads share no word without saying so, as far as ThreadSanitizer sees" {
	[ "$(nproc)" -ge 2 ] || skip "this machine has one CPU"
	make -s -C "$TOP/tools/user" OUT="$PWD/tsan" STATIC= CFLAGS="-O0 -g1 -fsanitize=thread" \
		LDFLAGS=-fsanitize=thread "$PWD/tsan/memcache-user"
	for request in "bandwidth op=read,copy size=64K verify=each" "random size=64K" \
		"loaded size=64K delay=0" "c2c size=4K" "overhead item=barrier,wakeup"; do
		# ThreadSanitizer needs a fixed layout of the address space.
		setarch -R "$PWD/tsan/memcache-user" --own "$request cpu=all repeat=3"
	done
}

# policies PID: how the threads of the process are scheduled: 0 is SCHED_OTHER, 1 SCHED_FIFO.
policies() { for task in "/proc/$1/task"/*; do sed 's/.*) //' "$task/stat" | cut -d ' ' -f 39; done; }

@test "sched=fifo: threads go before others while their combination is measured" {
	chrt -f 1 true || skip "this process may not have SCHED_FIFO"
	run --separate-stderr "$USER_TOOL" --own 'bandwidth size=4K repeat=1 sched=fifo'
	[[ $stderr != *"of this control group"* ]] || skip "this control group has too little real-time"
	refused "Invalid argument" "sched: reading a file sleeps" "file path=$PWD/x sched=fifo"
	cpus=0-1
	[ "$(nproc)" -ge 2 ] || cpus=0
	"$USER_TOOL" -j --own "bandwidth size=64K repeat=3 sched=fifo,keep" \
		"bandwidth size=64K cpu=$cpus repeat=1000000" >both 3>&- &
	pid=$!
	# The thread that waits for the others keeps its policy.
	fifo_waits() { [ "$(policies $pid | sort -u | tr -d '\n') $(grep -c '"record":"result"' both)" = "01 2" ]; }
	await $pid fifo_waits
	ends_by TERM $pid
	[ "$(grep -o '"sched":"[a-z]*"' both | head -n 2 | tr -d '\n')" = '"sched":"fifo""sched":"keep"' ]
}

@test "sched=fifo is refused where it is not possible, and says why" {
	fifo_needs() { # WORDS CALL...
		local words=$1
		shift
		run -1 --separate-stderr "$@" "$USER_TOOL" --own 'bandwidth sched=fifo'
		[[ $stderr == "memcache-user: Operation not supported: sched: fifo needs $words"* ]]
		run -0 "$@" "$USER_TOOL" -j --own 'bandwidth size=4K repeat=1'
		[[ $output == *'"sched":"keep"'* ]]
	}
	# shellcheck disable=SC2016 # quotes of a message
	fifo_needs 'sudo, CAP_SYS_NICE or `ulimit -r 1`' setpriv --reuid=65534 \
		--clear-groups --bounding-set=-all
	fifo_needs "CAP_SYS_NICE, which this root has not" setpriv --bounding-set=-sys_nice
	fifo_needs "to work for 0.4 s at once" prlimit --rttime=200000
	fifo_needs "root of the machine; this is a user namespace" unshare -U -r
	fifo_needs "root of the machine; this is a user namespace" unshare -U -r setpriv --bounding-set=-all
	# A control group of version 1 has no real-time unless somebody gives it some.
	if mkdir "/sys/fs/cgroup/cpu/$$" 2>/dev/null; then
		in_group() { # CALL...
			sh -c 'echo $$ >"$0" && exec "$@"' "/sys/fs/cgroup/cpu/$$/tasks" "$@"
		}
		fifo_needs "nine tenths of a CPU, and cpu.rt_runtime_us of this control group allows 0 of" in_group
		echo 200000 >"/sys/fs/cgroup/cpu/$$/cpu.rt_runtime_us"
		# Also where a container has its group in the place of the root of all groups.
		in_container() { # CALL...
			# shellcheck disable=SC2016 # the shell in the group expands it
			in_group unshare -m sh -c 'mount --bind "$0" /sys/fs/cgroup/cpu && exec "$@"' \
				"/sys/fs/cgroup/cpu/$$" "$@"
		}
		for as in in_group in_container; do
			fifo_needs "nine tenths of a CPU, and cpu.rt_runtime_us of this control group allows 200000" $as
		done
		echo 1000 >"/sys/fs/cgroup/cpu/$$/cpu.cfs_quota_us"
		run -0 in_group "$USER_TOOL" --own 'bandwidth size=16K repeat=1 warmup=0'
		[[ $output == *"note: sched: a limit of CPU time stopped the threads; "* ]]
		rmdir "/sys/fs/cgroup/cpu/$$"
	fi
	refused "Invalid argument" "sched: fifo is for tests of memory" 'os item=loop sched=fifo'
}

@test "help, and wrong calls" {
	run -0 --separate-stderr "$USER_TOOL" --help
	[[ $output == "usage: memcache-user "* ]]
	[ -z "$stderr" ]
	for call in --nonsense -x "-j --tests=x" --translate --records "--quick latency size=4K"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "$USER_TOOL" $call
		[ -z "$output" ]
		[[ $stderr == "usage: memcache-user "*$'\n'"memcache-user: "* ]]
		[[ ${stderr##*$'\n'} == "memcache-user: "* ]]
	done
	run -2 --separate-stderr "$USER_TOOL" --vresion
	[[ $stderr == *"no option --vresion; did you mean --version?" ]]
	run -2 --separate-stderr "$USER_TOOL" bandwidth op=nosuch
	[[ ${stderr%%$'\n'*} == "memcache-user: Invalid argument: op: 'nosuch' is not one of these" ]]
	[ "$(awk 'length > 100' <<<"$stderr")" = "" ]
	[ "$("$USER_TOOL" help)" = "$("$USER_TOOL" --help)" ]
	[ "$("$USER_TOOL" -V)" = "$("$USER_TOOL" version)" ]
	[ "$("$USER_TOOL" list)" = "$("$USER_TOOL" --tests)" ]
	[ "$("$USER_TOOL" --help | awk 'length > 80')" = "" ]
}

@test "a call of another program is understood, and said" {
	run -0 --separate-stderr "$USER_TOOL" bw_mem -N 2 64k rd sched=keep
	[ "$stderr" = "memcache-user: bw_mem -N 2 64k rd sched=keep: this is bandwidth op=read size=64k repeat=2 sched=keep
memcache-user: bw_mem -N 2 64k rd sched=keep: every word: the same lines" ]
	[[ $output == *" 65536 "* ]]
	run -0 --separate-stderr "$USER_TOOL" --wide triad size=64KiB sched=keep cpus=0
	[ "$stderr" = "memcache-user: triad size=64KiB sched=keep cpus=0: this is bandwidth op=triad size=64KiB sched=keep cpu=0" ]
	run -2 --separate-stderr "$USER_TOOL" mlc --latency_matrix
	[[ $stderr == *"the front end measures this: memcache run latency-matrix" ]]
	# A word that no program knows stays as it is.
	run -2 --separate-stderr "$USER_TOOL" -j a=b
	[ "$stderr" = "memcache-user: Invalid argument: test: 'a=b' is not one of $("$USER_TOOL" -j --tests |
		python3 -c 'import json, sys; print("|".join(t["name"] for t in json.load(sys.stdin)["tests"]))')" ]
	# A list is printed once, however many words are wrong. A size needs no key.
	run -2 --separate-stderr "$USER_TOOL" foo bar baz
	[ "$(grep -c 'bandwidth\|memcache list$' <<<"$stderr")" = 2 ]
	[[ $stderr == *"'baz' is not one of those (in: baz)"* ]]
	run -0 --separate-stderr "$USER_TOOL" --json latency 1K..4K,8K sched=keep cpu=0
	[ "$stderr" = "memcache-user: 1K..4K,8K: this is size=1K..4K,8K" ]
	[[ $output == *'"size_bytes":8192'* ]]
	run -2 --separate-stderr "$USER_TOOL" bw_mem 64k nosuch
	[[ $stderr == *"bw_mem: nosuch has no counterpart here"* ]]
}

@test "counters that can't be read are refused" {
	refused "No such file or directory" "counters: nosuch can't be read" --counters nosuch bandwidth
	refused "Is a directory" "counters: / can't be read" --counters / bandwidth
	echo dram_read type=4000 config=1 cpu=0 scale=64 >one
	refused "No such file or directory" \
		"counters: line 1: type=4000 config=0x1 can't be opened on CPU 0: no PMU has that (error 2)" \
		--counters one bandwidth
	if [ "$(</proc/sys/kernel/perf_event_paranoid)" -gt 0 ]; then
		sed -i s/4000/1/ one
		run -1 setpriv --bounding-set=-all "$USER_TOOL" --counters one bandwidth
		[[ $output == *"CPU 0: it takes root or CAP_PERFMON (error 13)" ]]
	fi
}

# Software events of perf, which any machine has, stand for those of a core: the time of the
# thread, and its migrations, of which a bound thread has none.
@test "events of the threads, counted in the windows" {
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	printf '%s\n' 'cycles type=1 config=1' 'instructions type=1 config=4' 'cache-misses type=4294967295' >events
	measure --counters events "bandwidth op=read size=64K cpu=$cpu repeat=5 disturbed=keep"
	holds 'min(values("cycles")) > 0' \
		'values("instructions") == {0}' 'values("cache-misses") == {None}' \
		'values("dTLB-load-misses") == {None}' 'values("events_why") == {"no_pmu"}'
}

# The clock of a CPU stands for a counter of memory: it has counted as many ns as have passed.
@test "the traffic of a command, and its exit status" {
	printf 'dram_read type=1 config=0 cpu=0 scale=1\ndram_write type=1 config=0 cpu=0 scale=2\n' >counted
	# shellcheck disable=SC2016 # for the inner shell
	run -5 "$USER_TOOL" --counters counted --count sh -c 'echo "$1" >said; sleep 0.2; exit 5' sh --json
	[ "$(<said)" = --json ]
	[[ ${lines[0]} =~ ^DRAM\ traffic\ of\ the\ machine\ in\ [0-9.]+\ s:\ read\ ([0-9]+)\.[0-9]+\ MB\ .*,\ written\ ([0-9]+)\. ]]
	[ "${BASH_REMATCH[1]}" -ge 200 ]
	[ "${BASH_REMATCH[2]}" -ge 400 ]
	[[ ${lines[1]} == 'before, in '*' s: read '* ]]
	run -143 "$USER_TOOL" --counters counted --count -- sh -c 'kill -TERM $$'
	run -127 "$USER_TOOL" --counters counted --count nosuchcommand
	[ "$output" = "memcache-user: nosuchcommand: No such file or directory" ]
	run -2 "$USER_TOOL" --counters counted --count
	run -1 "$USER_TOOL" --count true
	[[ $output == *"needs counters of DRAM traffic"* ]]
}

@test "without a request: each level, found in latencies, on a screen of 24 lines" {
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//') load=$(awk '{ print int($1) }' /proc/loadavg)
	taskset -c "$cpu" "$USER_TOOL" --own --save results.jsonl >screen 2>messages
	cat screen messages
	[ ! -s messages ]
	[ "$(awk 'length > 80' screen)" = "" ]
	# With the two lines of the front end, and a prompt.
	[ "$(wc -l <screen)" -le 21 ]
	# A load that is this high does not go before the head of the screen is made.
	if [ "$load" -gt $((2 * $(nproc --all))) ]; then
		grep -q '^not quiet: load ' screen
	fi
	[ "$(grep -c '^CPU ' screen)" -eq 1 ]
	[ "$(grep -oE '^  [a-z]+' screen | tr -d '\n')" = "  latency  read  write  ntwrite  copy  triad" ]
	# What a mark means is said if there is one.
	[ "$(grep -c ' ?' screen)" -eq 0 ] || grep -q '^?: the times do not show' screen
	# A figure, or a mark, for each level that a heading names. Beside a row are forms that are
	# better than one stream.
	awk '/ memory$/ { levels = NF - 2 }
	     { beside = substr($0, 13 + 7 * levels); $0 = substr($0, 1, 12 + 7 * levels); sub(" ns", "") }
	     /^  [a-z]/ { if (NF != levels + 1) exit 1; for (i = 2; i <= NF; i++) if ($i <= 0) exit 1
		memory = $NF }
	     /^  / && beside != "" && beside !~ /^( *(streams|op)=[^ ]+(( L[1-4]| memory) [?0-9.]+,?)+)*$/ { exit 1 }
	     /^  / && match(beside, "memory [0-9.]+") {
		if (substr(beside, RSTART + 7, RLENGTH - 7) + 0 <= memory + 0) exit 1 }' screen
	"$TOP/tools/check/schema" results.jsonl
	head -n 1 results.jsonl >machine
	# Levels are not what the CPU reports: each set of a bandwidth has a latency, and those of caches
	# are of different levels. On a busy machine, a level may have none.
	holds 'known := {r["size_bytes"]: r["level"] for r in results if r["test"] == "latency"}' \
		'sets := sorted({r["size_bytes"] for r in results if r.get("op") == "triad"})' \
		'len({known[size] for size in sets[:-1]}) == len(sets) - 1' \
		'records[0]["record"] == "machine"' '[r["record"] for r in records].count("machine") == 1'
}

@test "--save writes all results to a file, too" {
	"$USER_TOOL" --own --save saved.jsonl latency size=4K,8K repeat=1 >table
	"$TOP/tools/check/schema" saved.jsonl
	[ "$(grep -c '"record":"result"' saved.jsonl)" = 2 ]
	[ "$(grep -c '"record":"machine"' saved.jsonl)" = 1 ]
	grep -q '^#.*ns_per_load' table
	run -1 "$USER_TOOL" --own --save no/saved.jsonl latency size=4K
	[[ $output == *"no/saved.jsonl: No such file or directory"* ]]
	run -1 "$USER_TOOL" --own --save /dev/full latency size=4K repeat=1
	[[ $output == *"memcache-user: /dev/full: No space left on device"* ]]
	# 153: SIGXFSZ
	run -153 bash -c "ulimit -f 1; '$USER_TOOL' --own --save large latency size=4K,8K repeat=1"
	[[ $output == *"memcache-user: large: File too large"* ]]
	[ "$(id -u)" -eq 0 ] || return 0
	mkdir -m 777 theirs
	ln -s ../saved.jsonl theirs/link
	cp saved.jsonl theirs/file
	chown -h nobody theirs/*
	cp saved.jsonl before
	for what in link file; do
		run -1 "$USER_TOOL" --own --save "theirs/$what" latency size=4K
		[[ $output == *"theirs/$what: Operation not permitted"* ]]
		cmp before "theirs/$what"
	done
	cp "$TOP/examples/loop/copy2.loop" theirs
	run -2 "$TOP/tools/memcache/memcache" loop theirs/copy2.loop --where user
	[[ $output == *"other users can change"* ]]
}

@test "without a request: Ctrl-C keeps what was measured, and JSON has all of it" {
	env --default-signal=INT "$USER_TOOL" --own --quick >screen 2>messages 3>&- &
	await $! grep -q '^  read ' screen
	ends_by INT $!
	cat screen messages
	[ "$(cat messages)" = "memcache-user: stopped by a signal; only what is shown was measured" ]
	env --default-signal=INT "$USER_TOOL" --own --quick -j >results.jsonl 2>messages 3>&- &
	await $! grep -q '"record":"result"' results.jsonl
	ends_by INT $!
	"$TOP/tools/check/schema" results.jsonl
	head -n 1 results.jsonl >machine
	holds 'records[0]["record"] == "machine"' 'records[1]["test"] == "latency"'
}

@test "every test that it has runs with its presets, but that which names a file" {
	while read -r name; do
		[ "$name" != file ] || continue
		size=1M
		# So much that one region has enough of it, wherever the kernel takes pages.
		[ "$name" != scan ] || size=64M
		measure --own "$name size=$size repeat=3 timeout=600"
		holds "values('test') == {'$name'}" 'records[1]["state"] == "done"'
	done < <("$USER_TOOL" --tests | sed -nE 's/^([a-z0-9]+):.*/\1/p')
}

@test "what only the kernel can do is refused, with the key" {
	refused "Operation not supported" "irq: off" --own 'bandwidth irq=off'
	refused "Operation not supported" "prefetch: off" --own 'bandwidth prefetch=off'
	measure --own 'bandwidth prefetch=auto,keep size=4K repeat=1'
	holds 'values("prefetch") == {"keep"}'
	refused "Operation not supported" "page: direct" --own 'bandwidth page=direct'
	refused "Operation not supported" "op: memcpy_toio is a function of the kernel; user space has none" \
		--own 'bandwidth op=read,memcpy_toio'
	refused "Operation not supported" "item: irq" --own 'overhead item=irq'
	refused "Operation not supported" "item: fpu" --own 'overhead item=loop,fpu'
}

@test "types other than wb need the module, and which device is said" {
	for type in wc uc; do
		refused "Operation not supported" "type: $type needs /dev/memcache_$type of the loaded module" \
			--own "bandwidth type=wb,$type size=4K"
	done
	for type in wt np; do
		refused "Operation not supported" "type: RAM takes wb, wc and uc; $type is for the module" \
			--own "bandwidth type=$type size=64K"
	done
	refused "Operation not supported" "fence: uc needs /dev/memcache_uc" --own 'bandwidth fence=uc'
}

@test "device memory is mapped only where there is a device that its owner offers" {
	refused "No such device" "target: there is no PCI device ffff:7f:1f.7" \
		'bandwidth target=pci:ffff:7f:1f.7/0 type=uc size=4K op=read'
	refused "Invalid argument" "target: no devdax device has this range" \
		'bandwidth target=phys:0x1000+4K size=4K op=read'
	refused "Invalid argument" "write: this request of bandwidth writes" \
		'bandwidth target=phys:0x1000+4K size=4K op=write'
}

@test "one that fails does not keep the others from running" {
	run -1 measure --own 'bandwidth size=4K sched=keep' 'bandwidth size=65536G' 'bandwidth size=8K sched=keep'
	[[ $output == "memcache-user: Cannot allocate memory: size: "*" (in: bandwidth size=65536G)" ]]
	holds '[r["size_bytes"] for r in results] == [4096, 8192]'
}

@test "the tests describe themselves in JSON, in either order of the options" {
	local said
	said=$("$USER_TOOL" --tests --json)
	[ "$said" = "$("$USER_TOOL" -j --tests)" ]
	[ "$said" = "$(cat "$TOP/tools/memcache/mc/tests.json")" ]
	diff <("$USER_TOOL" --tests | sed -n 's/^\([a-z][a-z0-9]*\): .*/\1/p') - < \
		<(python3 -c 'import json, sys
for test in json.load(sys.stdin)["tests"]:
    print(test["name"])' <<<"$said")
}

@test "a table fits a terminal of 80 columns; elsewhere it has all columns" {
	requests="bandwidth op=read,copy size=4K,64K random size=64K latency size=64K"
	requests+=" tlb size=64K line os item=loop overhead item=loop pipe block=64K"
	script -qec "stty columns 80; '$USER_TOOL' --own $requests 2>messages" typed </dev/null >/dev/null
	sed '1d;$d' typed | tr -d '\r' >tables
	cat tables
	[ "$(grep -c '^# test ' tables)" -ge 8 ]
	[ -z "$(awk 'length > 80' tables)" ]
	grep -qE '^# test +op +size_bytes .* mb_per_s' tables
	grep -qE '^# test +item .* median_ns' tables
	script -qec "stty columns 60; '$USER_TOOL' --own $requests 2>messages" typed </dev/null >/dev/null
	[ -z "$(sed '1d;$d' typed | tr -d '\r' | awk 'length > 60')" ]
	script -qec "stty columns 40; '$USER_TOOL' --own latency size=64K 2>messages" typed </dev/null >/dev/null
	[ "$(sed '1d;$d' typed | tr -d '\r' | awk 'length <= 40 && /ns_per_load/' | wc -l)" -eq 1 ]
	script -qec "stty columns 80; '$USER_TOOL' --own --wide bandwidth size=4K 2>messages" typed </dev/null >/dev/null
	grep -q ' attribute  effective  memory_node  verified ' typed
	"$USER_TOOL" --own bandwidth size=4K | grep -q ' attribute  effective  memory_node  verified '
}

# all_of TEST: what --tests says of it, and of every test with its presets.
all_of() {
	"$USER_TOOL" --tests | awk -v test="$1:" '
		/^[a-z]/ { on = $1 == test; common = /^every test:/; if (common) next }
		on && $1 == "presets:" {
			for (i = 2; i <= NF; i++) { split($i, word, "="); preset[word[1]] = $i }
			next
		}
		common { every[n++] = $0 }
		on
		END {
			for (i = 0; i < n; i++) {
				split(every[i], word, "[ =]+")
				if (word[2] in preset) sub("[^ ]+", preset[word[2]], every[i])
				print every[i]
			}
		}'
}

@test "a test and its keys fit the screen, and nothing is left out" {
	words() { tr -s ' \n' '\n' | sed 's/[|,]/&\n/g' | sed '/^$/d' | sort; }
	for test in $("$USER_TOOL" --tests | sed -n 's/^\([a-z][a-z0-9]*\): .*/\1/p'); do
		"$USER_TOOL" --tests "$test" >shown
		cat shown
		[ -z "$(awk 'length > 80' shown)" ]
		not grep ' $' shown
		[ "$(grep -c '^  -- ' shown)" -eq 3 ]
		diff <(grep -v '^  -- ' shown | words) <(all_of "$test" | words)
	done
	script -qec "stty columns 40; '$USER_TOOL' --tests latency bandwidth" typed </dev/null >/dev/null
	sed '1d;$d' typed | tr -d '\r' >shown
	cat shown
	[ -z "$(awk 'length > 40' shown)" ]
	[ "$(grep -c '^[a-z]*:' shown)" -eq 2 ]
	run -2 --separate-stderr "$USER_TOOL" --tests latency nosuch
	[ -z "$output" ]
	[[ $stderr == "memcache-user: no test nosuch; there are: bandwidth "* ]]
}

@test "the words of a request need no quotes" {
	measure --own bandwidth op=read size=4K repeat=1 'latency size=8K' repeat=2 'warmup=1 cpu=0'
	holds '[r["line"].split()[:3] for r in records if r["record"] == "request"] ==
		[["bandwidth", "op=read", "size=4K"], ["latency", "size=8K", "repeat=2"]]' \
		'len(results) == 2'
}

@test "all requests are checked before the first one is measured" {
	run -2 --separate-stderr "$USER_TOOL" --own bandwidth size=4K latency size=5 overhead itm=x \
		bandwidth irq=off
	[ -z "$output" ]
	echo "$stderr" >messages
	diff - <(sed 's/ is .*(in:/ (in:/; s/: not .*(in:/: (in:/' messages) <<-'END'
		memcache-user: Invalid argument: size: '5' (in: latency size=5)
		memcache-user: Invalid argument: 'itm': (in: overhead itm=x)
		memcache-user: Operation not supported: irq: off (in: bandwidth irq=off)
		memcache-user: nothing was measured
	END
	run -1 --separate-stderr "$USER_TOOL" --own -j bandwidth size=4K bandwidth irq=off
	[ -z "$output" ]
}

@test "rows come as they are measured" {
	"$USER_TOOL" --own bandwidth op=read size=4K,256M repeat=5000 >rows 2>messages 3>&- &
	await $! grep -q ' read ' rows
	kill -0 $!
	ends_by TERM $!
	cat rows messages
	[ "$(head -c 6 rows)" = '# test' ]
}

# There is none where stderr is no terminal.
@test "progress on a terminal, which is wiped out before anything else is printed" {
	script -qec "stty columns 60; '$USER_TOOL' --own bandwidth size=16M repeat=5000 2>&1 >rows" typed </dev/null >/dev/null
	tr '\r' '\n' <typed | sed 's/\x1b\[K$//' >lines
	head -c 1000 lines
	grep -qE '^\[#*\.*\] [0-9]+:[0-9]{2}, [0-9]+:[0-9]{2} left  bandwidth size=16M ' lines
	[ -z "$(grep '^\[' lines | awk 'length > 59')" ]
	grep -q '^  bandwidth ' rows
	run -0 --separate-stderr "$USER_TOOL" --own bandwidth size=16M repeat=5000 sched=keep
	[ -z "$stderr" ]
}

@test "os, pipe and overhead: no column about memory, which they do not measure" {
	"$USER_TOOL" --own os item=loop repeat=2 pipe block=64K repeat=2 overhead item=loop repeat=2 >tables
	cat tables
	[ "$(grep -c '^#' tables)" -eq 3 ]
	not grep -E ' (type|size_bytes|node|page|attribute|effective|memory_node|verified)( |$)' tables
	[ "$(grep -cE ' cpu .* median_ns ' tables)" -eq 3 ]
}

@test "results that can't be written are no success" {
	for words in "--own 'bandwidth size=4K sched=keep'" "-j 'latency size=4K,8K sched=keep'" \
		--tests --help; do
		run -1 --separate-stderr bash -c "'$USER_TOOL' $words >/dev/full"
		[ "$stderr" = "memcache-user: stdout: No space left on device" ]
	done
}

# Ticks come every 1 to 10 ms; a sample here lasts 50 ms and more.
@test "interrupts are seen: long samples have them all, and are kept" {
	measure --own 'overhead item=loop repeat=2' 'random op=read size=16K count=64M repeat=3 warmup=0 disturbed=keep'
	if holds '"interrupt" not in records[0]["recognised"]'; then
		holds 'values("disturbed_interrupt") == {None}'
		skip "this CPU does not tell of interrupts"
	fi
	holds 'results[-1]["disturbed"] == "keep"' 'results[-1]["disturbed_interrupt"] == 3' \
		'results[-1]["samples"] == 3' 'results[-1]["windows_left_out"] == 0' \
		'results[0]["disturbed"] == "keep"'
}

# Samples in which threads sleep are not watched for disturbances; and a thread that is not
# bound has no CPU whose stolen time could be read.
@test "what can't be known is null" {
	measure --own 'pipe block=64K repeat=2' 'os item=getpid repeat=2' 'bandwidth cpu=any size=64K repeat=2'
	holds '[r["disturbed_interrupt"] for r in results[:2]] == [None, None]' \
		'[r["windows_left_out"] for r in results[:2]] == [None, None]' \
		'results[2]["disturbed_steal"] is None' \
		'{"interrupt", "migration", "steal", "preemption"} >= set(records[0]["recognised"])'
}

@test "timeout keeps what was measured" {
	run -1 measure --own 'bandwidth size=64K repeat=1000000 timeout=1 sched=keep'
	[[ $output == "memcache-user: Timer expired: timeout: 1 s have passed; "* ]]
	holds 'records[1]["state"] == "stopped"' 'len(results) == 1' 'results[0]["samples"] > 0'
}

@test "Ctrl-C and kill keep what was measured" {
	stopped INT
	stopped TERM
}

catches_signals() {
	grep -q '^memcache-user' "/proc/$1/comm" && grep -q '^SigCgt:.f' "/proc/$1/status"
}

# A process that dies in a run with write=yes would leave a device as the run made it.
@test "every signal that would end the process ends the run first" {
	for number in $(seq "$(kill -l RTMAX)"); do
		name=$(kill -l "$number" 2>/dev/null) || continue
		case $name in
		'' | KILL | STOP | TSTP | TTIN | TTOU | CONT | CHLD | URG | WINCH) continue ;;
		esac
		env --default-signal "$USER_TOOL" --own -j 'bandwidth size=64K repeat=1000000' \
			>results.jsonl 3>&- &
		await $! catches_signals $!
		echo "$name"
		ends_by "$number" $!
	done
	# What nohup ignores stays ignored.
	env --ignore-signal=HUP "$USER_TOOL" --own -j 'bandwidth size=64K repeat=20000' >results.jsonl 3>&- &
	await $! catches_signals $!
	kill -HUP $!
	wait $!
	grep -q '"state":"done"' results.jsonl
}

@test "a reader that goes ends the run without a word" {
	run -141 bash -o pipefail -c "'$USER_TOOL' --own bandwidth size=4K,8K,16K,32K repeat=20000 2>messages | head -n 1"
	[[ $output == '# test'* ]]
	not grep -q stdout messages
}

@test "taskset: the default CPU is one that is left, and another one is refused" {
	last=$(taskset -cp $$ | sed 's/.*[-:, ]//')
	[ "$last" != 0 ] || skip "CPU 0 is the only one"
	taskset -c "$last" "$USER_TOOL" --own -j 'bandwidth size=16K repeat=2' >results.jsonl
	head -n 1 results.jsonl >machine
	holds "values('cpu') == {'$last'}" "machine['process']['cpus'] == '$last'"
	run -2 taskset -c "$last" "$USER_TOOL" --own 'bandwidth size=16K cpu=0 repeat=2'
	[[ $output == *"cpu: 0 is not one this process may run on; those are $last" ]]
	echo 'latency size=16K cpu={first} repeat=2' >suite
	taskset -c "$last" "$TOP/tools/memcache/memcache" run --where user ./suite -o first.jsonl
	grep -q "\"cpu\":\"$last\"" first.jsonl
}

@test "a control group: auto stays below its limit, and more is refused by its name" {
	[ "$(id -u)" -eq 0 ] || skip "only root makes a control group"
	group=/sys/fs/cgroup/memory/memcache-$$ limit=memory.limit_in_bytes
	if [ ! -d /sys/fs/cgroup/memory ]; then
		group=/sys/fs/cgroup/memcache-$$ limit=memory.max
		echo +memory >/sys/fs/cgroup/cgroup.subtree_control || true
	fi
	mkdir "$group" || skip "no control group can be made"
	if ! echo 100M >"$group/$limit"; then
		rmdir "$group"
		skip "there is no controller of memory"
	fi
	status=0
	(
		echo "$BASHPID" >"$group/cgroup.procs"
		"$USER_TOOL" --own -j 'bandwidth size=auto repeat=2' >results.jsonl
		run -1 "$USER_TOOL" --own 'bandwidth size=128M repeat=2'
		[[ $output == *"size: 128 MiB are asked for, "*"$limit is 100 MiB in $group" ]]
		run -1 "$USER_TOOL" --own 'pipe block=64M bytes=64M repeat=2'
		[[ $output == *"Cannot allocate memory: block: no memory for two of 67108864 bytes" ]]
		# A group around the process's own one counts, too.
		mkdir "$group/inner" && echo "$BASHPID" >"$group/inner/cgroup.procs"
		run -1 "$USER_TOOL" --own 'bandwidth size=128M repeat=2'
		[[ $output == *"size: 128 MiB are asked for, "* ]]
		"$USER_TOOL" --quick >overview
	) || status=$?
	rmdir "$group/inner" "$group" || true
	[ "$status" -eq 0 ]
	head -n 1 results.jsonl >machine
	holds 'values("size_bytes") == {32 << 20}' "machine['process']['memory_limit_bytes'] == 100 << 20"
}

@test "two threads, one, or any CPU" {
	allowed=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	for cpu in "$allowed" any; do
		measure --own "bandwidth op=copy cpu=$cpu size=64K repeat=3"
		holds "values('cpu') == {'$cpu'}" 'values("threads") == {1}' 'values("verified") == {"ok"}'
	done
	[ "$(nproc)" -gt 1 ] && taskset -c 0,1 true || skip "no CPUs 0 and 1"
	measure --own 'bandwidth op=write,copy cpu=0,1 size=1M repeat=3'
	holds 'values("threads") == {2}' 'values("verified") == {"ok"}'
}

@test "records of every test are as the schema has them" {
	mapfile -t lines < <(sed -n 's/^\(one\|two\|user\) //p' "$HERE/every-test")
	measure --own "${lines[@]}"
	rm /tmp/memcache-every-test
	for test in $("$USER_TOOL" --tests | sed -n 's/^\([a-z][a-z0-9]*\): .*/\1/p'); do
		grep -q "\"record\":\"result\",\"test\":\"$test\"" results.jsonl || {
			echo "selftests/bats/every-test has no request for $test that gives a record"
			return 1
		}
	done
	"$TOP/tools/check/schema" results.jsonl
}

# An item may take less than what is subtracted, if something disturbed that.
@test "os: each item, on each CPU in turn" {
	measure --own 'os repeat=3 warmup=1'
	holds '[r["item"] for r in results] == ["loop", "clock", "getpid", "getppid", "read_zero",
		"write_null", "stat", "open_close", "select_file", "signal_install", "signal_catch",
		"protection_fault", "mmap", "page_fault", "swapcontext", "context", "unix_socket",
		"fork_exit", "fork_exec", "vfork_exec", "posix_spawn"]' \
		'taken() == {3}' 'values("threads") == {1}' 'values("cpu") == {"0"}' \
		'all(r["max_ns"] + (r["subtracted_ns"] or 0) > 0 for r in results)' \
		'min(values("operations_per_sample")) >= 8' \
		'values("payload_bytes") == {None}' \
		'{r["item"] for r in results if r["verified"] == "ok"} == {"stat", "open_close",
			"select_file", "signal_install", "signal_catch", "protection_fault", "mmap",
			"page_fault", "context", "unix_socket"}' \
		'{r["verified"] for r in results} == {"ok", "off"}' \
		'{r["item"] for r in results if r["subtracted_ns"] is not None} == {"signal_catch",
			"protection_fault", "page_fault", "context"}'
	if [ "$(nproc)" -ge 2 ]; then
		measure --own 'os item=getpid,fork_exit cpu=0,1 repeat=2 warmup=0'
		holds '[(r["item"], r["cpu"]) for r in results] ==
			[(i, c) for i in ("getpid", "fork_exit") for c in "01"]'
	fi
}

# The kernel counts as many operations as a sample claims. A getpid() that a library
# answers from memory would not be counted.
@test "os: the system calls are really made" {
	command -v strace >/dev/null || skip "no strace"
	for item in getpid:getpid getppid:getppid read_zero:read write_null:write \
		stat:newfstatat open_close:openat select_file:pselect6 \
		signal_install:rt_sigaction signal_catch:tgkill signal_catch:rt_sigreturn \
		protection_fault:rt_sigreturn mmap:mmap mmap:munmap unix_socket:write; do
		strace -f -c -o counts "$USER_TOOL" --own -j "os item=${item%:*} repeat=1 warmup=0" \
			>results.jsonl
		cat counts
		asked=$(grep -o '"operations_per_sample":[0-9]*' results.jsonl | cut -d: -f2)
		[ "$(awk -v call="${item#*:}" '$NF == call { print $4 }' counts)" -ge "$asked" ]
	done
}

# Each process adds 1 and the sum of its own memory to the token, and the first process
# knows what must come back. A pass is 16 rounds.
@test "os: a ring of processes hands the token round" {
	measure --own 'os item=context processes=2,5,96 set=0,4K repeat=2 warmup=0 disturbed=keep'
	holds '[(r["processes"], r["set_bytes"]) for r in results] ==
			[(p, s) for p in (2, 5, 96) for s in (0, 4096)]' \
		'values("verified") == {"ok"}' \
		'all(r["operations_per_sample"] % (16 * r["processes"]) == 0 for r in results)'
	if command -v strace >/dev/null; then
		strace -f -e trace=process -o calls "$USER_TOOL" --own \
			'os item=context processes=7 repeat=1 warmup=0'
		[ "$(grep -cE '\+\+\+ (exited with 1|killed by SIGKILL)' calls)" = 6 ]
	fi
}

@test "os: a file that is mapped has as many pages as were asked for" {
	measure --own 'os item=mmap,page_fault file=64K,1M,10M repeat=2 warmup=0'
	page=$(getconf PAGESIZE)
	holds 'values("verified") == {"ok"}' \
		"all(r['operations_per_sample'] % (r['file_bytes'] // $page) == 0
			for r in results if r['item'] == 'page_fault')"
}

# One fault a page, and every byte is zero, or it is not verified.
@test "os: a fault clears a huge page" {
	grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled && skip "no huge pages"
	measure --own 'os item=hugefault pages=1,3 repeat=2 warmup=0'
	holds 'values("verified") == {"ok"}' '[r["huge_pages"] for r in results] == [1, 3]' \
		'all(r["operations_per_sample"] % (8 * r["huge_pages"]) == 0 for r in results)'
	mkdir -p none/sys/kernel/mm/transparent_hugepage
	echo 'always madvise [never]' >none/sys/kernel/mm/transparent_hugepage/enabled
	MEMCACHE_SYSROOT=$PWD/none run -1 "$USER_TOOL" --own 'os item=hugefault'
	[[ $output == *"item: hugefault needs huge pages: echo madvise"* ]]
}

@test "os: TCP over the loopback, where there is one" {
	command -v ip >/dev/null && unshare -rn true || skip "no network of one's own"
	unshare -rn "$USER_TOOL" --own 'os item=select_tcp' 2>error && exit 1
	grep -q 'Operation not supported: item: select_tcp needs the loopback' error
	cat >with_lo <<-EOF
		#!/bin/sh
		exec unshare -rn sh -c 'ip link set lo up && exec "\$@"' sh "$USER_TOOL" "\$@"
	EOF
	chmod +x with_lo
	USER_TOOL=./with_lo measure --own 'os item=tcp,select_tcp descriptors=100 repeat=2 warmup=0'
	holds 'values("verified") == {"ok"}' 'values("descriptors") == {100}'
}

@test "os: what does not fit is refused, with the key" {
	run -1 --separate-stderr "$USER_TOOL" --own "os item=stat dir=$PWD/nowhere"
	[[ $stderr == *"No such file or directory: dir: $PWD/nowhere"* ]]
	refused "Invalid argument" "processes: is a list, and item=getpid takes no such value" \
		--own 'os item=getpid processes=2,4'
	refused "Invalid argument" "set: '100' is not a multiple of 64 bytes" \
		--own 'os item=context set=100'
	# One value changes nothing for the others.
	measure --own 'os item=getpid,context processes=4 repeat=2 warmup=0'
}

@test "os: no process and no file is left, whatever ends the run" {
	mkdir files
	"$USER_TOOL" --own "os item=context processes=9 repeat=1000000" 2>error &
	tool=$!
	await $tool eval "[ \$(pgrep -c -P $tool) -ge 8 ]"
	mapfile -t children < <(pgrep -P $tool)
	[ ${#children[@]} = 8 ]
	kill -9 "${children[3]}"
	status=0
	wait $tool || status=$?
	cat error
	[ $status = 1 ]
	grep -q 'item: a process of the ring has ended' error
	for child in "${children[@]}"; do
		[ ! -e "/proc/$child" ]
	done

	"$USER_TOOL" --own "os item=stat dir=$PWD/files repeat=1000000" 2>error &
	tool=$!
	await $tool eval "[ \"\$(ls files)\" ]"
	kill -TERM $tool
	wait $tool || true
	[ -z "$(ls files)" ]
}

@test "os: clean under ASan and UBSan" {
	make -s -C "$TOP/tools/user" OUT="$PWD/asan" STATIC= \
		CFLAGS="-O0 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined" \
		LDFLAGS=-fsanitize=address,undefined "$PWD/asan/memcache-user"
	cp "$(dirname "$USER_TOOL")/memcache-hello" asan
	asan/memcache-user --own 'os repeat=2 warmup=0' 'os item=context processes=5 set=4K repeat=2'
}

@test "os: without the program it executes, the rest is there" {
	cp "$USER_TOOL" alone
	run -1 --separate-stderr ./alone --own 'os item=fork_exec'
	[[ $stderr == *"item: fork_exec needs the program memcache-hello"* ]]
	./alone --own 'os item=fork_exit repeat=2'
}

@test "os: a program that fails is said, and ends the run" {
	cp "$USER_TOOL" .
	printf '#!/bin/sh\nexit 3\n' >memcache-hello
	chmod +x memcache-hello
	for item in fork_exec vfork_exec posix_spawn; do
		run -1 --separate-stderr timeout 600 ./memcache-user --own "os item=$item"
		[[ $stderr == *"item: $item: "* ]]
	done
}

@test "pipe: each block, the pipe's capacity raised as far as it goes" {
	measure --own 'pipe block=4K,5000,64K,32M repeat=3 warmup=1'
	most=$(cat /proc/sys/fs/pipe-max-size)
	holds '[r["block_bytes"] for r in results] == [4096, 5000, 65536, 32 << 20]' \
		"values('pipe_bytes') == {$most}" 'taken() == {3}' \
		'all(r["payload_bytes"] % r["block_bytes"] == 0 for r in results)' \
		'all(r["payload_bytes"] > 8e6 for r in results)' \
		'all(abs(r["mb_per_s"] - 1000 * r["payload_bytes"] / r["median_ns"])
			< 1e-3 * r["mb_per_s"] + 0.1 for r in results)'
	measure --own 'pipe block=64K capacity=keep repeat=2'
	holds 'values("pipe_bytes") == {65536}'
}

@test "pipe: parent and child on two CPUs, on one, on any; no more" {
	[ "$(nproc)" -ge 2 ] || skip "one CPU"
	for cpus in 0-1 1 any; do
		measure --own "pipe block=64K cpu=$cpus repeat=2"
		holds "values('cpu') == {'$cpus'}"
	done
	[ "$(nproc)" -lt 3 ] || refused "Invalid argument" "cpu: a pipe has two ends" --own 'pipe cpu=0-2'
}

@test "pipe: stopped in the middle, no child stays" {
	"$USER_TOOL" --own -j 'pipe block=16M repeat=1000000' >results.jsonl &
	parent=$!
	child=$(await "$parent" pgrep -P "$parent")
	ends_by TERM "$parent"
	not kill -0 "$child"
}

@test "caches are those that sysfs has, and their sharers are not only CPUs of this process" {
	[ -d /sys/devices/system/cpu/cpu0/cache/index0 ] || skip "sysfs has no caches"
	[ "$(nproc)" -eq "$(getconf _NPROCESSORS_ONLN)" ] || skip "not all CPUs may be used"
	measure --own 'latency size=16K'
	as_in_sysfs
	cp machine all
	allowed=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	taskset -c "$allowed" "$USER_TOOL" -j --own "latency size=16K cpu=$allowed" | head -n 1 >machine
	# The caches of the first CPU come first.
	holds "[k['cpus'] for k in machine['kinds']] == ['$allowed']" \
		"[c | {'cpus': ''} for c in machine['caches']] ==
			[c | {'cpus': ''} for c in load('all')[0]['caches']][:len(machine['caches'])]"
}
