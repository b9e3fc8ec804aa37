#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory that a shared object makes, in memcache-user, and the objects in examples/memory.

load ../bats/user.bash

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP OBJECTS=$BATS_FILE_TMPDIR
	make -s -C "$TOP/tools/user"
	make -s -C "$TOP/examples/memory" OUT="$OBJECTS"
	compile object.c "$OBJECTS/plain.so"
	mkdir "$OBJECTS/fake"
	compile libcuda.c "$OBJECTS/fake/libcuda.so.1"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export MEMCACHE_DEBUGFS=$BATS_TEST_TMPDIR OBJECT_LOG=$BATS_TEST_TMPDIR/blocks
	export CUDA_LOG=$BATS_TEST_TMPDIR/calls
	touch blocks calls
}

# compile SOURCE OBJECT OPTION…: an object of the tests, warnings being errors.
compile() {
	gcc -O1 -Wall -Wextra -Wno-unused-parameter -Werror -D_GNU_SOURCE -shared -fPIC \
		-I"$TOP/tools/memory" "${@:3}" "$TOP/selftests/host/$1" -o "$2"
}

# freed: there were blocks, and the object has all of them back.
freed() {
	cat blocks
	[ "$(grep -c ^allocate blocks)" -gt 0 ]
	[ "$(grep -c ^allocate blocks)" -eq "$(grep -c ^free blocks)" ]
	awk '$1 == "allocate" && held++ || $1 == "free" && !held-- { exit 1 }' blocks
}

@test "tests measure the memory of the object, and records name it" {
	measure --memory "$OBJECTS/plain.so,first" 'bandwidth op=read,copy size=64K,1M repeat=2' \
		'latency size=64K repeat=2' 'mmio op=write size=64K repeat=2' 'tlb page=auto size=1M repeat=2' \
		'random size=1M repeat=2' 'line repeat=2' 'mix size=1M repeat=2'
	holds 'values("memory_object") == {"plain:first"}' 'values("page") == {"object"}' \
		'len(results) > 9' 'values("attribute") == {None}' \
		'records[0]["memory"] == "object"' \
		'{r["verified"] for r in results if r["test"] == "bandwidth"} == {"ok"}'
	"$TOP/tools/check/schema" results.jsonl
	freed
	# One block serves all sizes of a request, and the next one.
	[ "$(wc -l <blocks)" -le 8 ]
	"$USER_TOOL" --memory "$OBJECTS/plain.so" 'bandwidth size=64K repeat=2' >table
	grep -E '^# .* memory_object ' table
	grep -E ' plain:none ' table
}

@test "without a request, it says what to give" {
	run -2 --separate-stderr "$USER_TOOL" --memory "$OBJECTS/plain.so"
	[ -z "$output" ]
	# shellcheck disable=SC2154 # set by run
	[[ $stderr == *"memcache-user: --memory needs a request, such as latency type=wc size=1M" ]]
	[ ! -s blocks ]
}

@test "without an object, records name none, and the table has no such column" {
	measure --own 'bandwidth size=64K repeat=2'
	holds 'values("memory_object") == {None}' 'records[0]["memory"] == "own"'
	"$USER_TOOL" --own 'bandwidth size=64K repeat=2' >table
	not grep memory_object table
}

@test "the verdict is on the memory of the object" {
	measure --memory "$OBJECTS/plain.so,wc" 'bandwidth type=wc size=64K repeat=2'
	holds 'values("effective") == {"no"}' 'values("type") == {"wc"}' \
		'records[0]["memory_types"]["wc"]["effective"] == "no"' \
		'records[0]["memory_types"]["wc"]["reload_ns"] > 0'
	# An object that does not know the type leaves it to the request.
	measure --memory "$OBJECTS/plain.so,any" 'bandwidth type=wb,wc,uc size=64K repeat=2'
	holds '[(r["type"], r["effective"]) for r in results] == [("wb", "yes"), ("wc", "no"), ("uc", "no")]' \
		'records[0]["memory_types"]["wc"] is None'
	refused "Operation not supported" "type: plain:wc makes memory of type=wc; ask for that" \
		--memory "$OBJECTS/plain.so,wc" 'bandwidth size=64K'
	freed
}

@test "a signal ends the run, and the object has its memory back" {
	for signal in INT TERM HUP USR1; do
		: >blocks
		env --default-signal "$USER_TOOL" --memory "$OBJECTS/plain.so" \
			'bandwidth size=64K repeat=1000000' >table 2>messages 3>&- &
		await $! test -s blocks
		worked $!
		ends_by "$signal" $!
		freed
	done
}

@test "memory is back after errors, too" {
	refused "Cannot allocate memory" "memory: $OBJECTS/plain.so: there is no more; ask for less" \
		--memory "$OBJECTS/plain.so,small" 'bandwidth size=2M'
	[ ! -s blocks ]
	# Each size of a request may be the last one that there is.
	run -1 "$USER_TOOL" --memory "$OBJECTS/plain.so,small" 'bandwidth size=512K,2M repeat=2'
	[[ $output == *"plain:small"*"there is no more"* ]]
	freed
}

@test "an object that is wrong is refused, and the message says what is wrong" {
	while read -r wrong status text; do
		: >blocks
		compile object.c wrong.so -DWRONG="$wrong"
		run "-$status" "$USER_TOOL" --memory wrong.so \
			'bandwidth size=64K repeat=1' 'bandwidth size=2M repeat=1'
		echo "$wrong: $output"
		[[ $output == *"$text"* ]]
		[ ! -s blocks ] || freed
	done <<-'END'
		VERSION 2 was built for version 2 of memcache_memory.h, and this is 1; build it anew
		NO_FREE 2 lacks a function
		UNALIGNED 1 made memory that begins within a page
		SMALL 1 are asked for
		NO_WORD 1 describes its memory without a word
		TWO_WORDS 1 describes its memory without a word
		TYPE 1 with a type that is not known
		FAILS 1 there is no more; ask for less
		SILENT 1 it made none, and does not say why
		ANOTHER_WORD 1 has another word for each block
	END
}

@test "what is no object is refused" {
	: >empty.so
	gcc -shared -fPIC -x c /dev/null -o nothing.so
	for file in empty.so nothing.so /bin/true; do
		run -2 "$USER_TOOL" --memory "$file" bandwidth
		[[ $output == "memcache-user: Invalid argument: memory: $file is no object that makes memory: "* ]]
	done
	refused "No such file or directory" "memory: nosuch.so can't be read" --memory nosuch.so bandwidth
	refused "Device or resource busy" "memory: b.so: there is an object already" \
		--memory "$OBJECTS/plain.so" --memory b.so bandwidth
	cp "$USER_TOOL" .
	run -1 ./memcache-user --memory "$OBJECTS/plain.so" bandwidth
	[[ $output == *"memory: an object needs the program memcache-user-dynamic beside memcache-user"* ]]
	cp "$USER_TOOL-dynamic" .
	./memcache-user --memory "$OBJECTS/plain.so" 'bandwidth size=64K repeat=1'
}

@test "what an object can't decide on is refused" {
	while read -r key text; do
		refused "Operation not supported" "$text" --memory "$OBJECTS/plain.so" "${key//,/ }"
	done <<-'END'
		bandwidth,page=4k page: the object of --memory decides on its pages; use page=auto
		bandwidth,node=0 node: the object of --memory decides where its memory is; leave out node=
		scan memory: the test scan does not measure memory that an object makes; leave out --memory
		overhead memory: the test overhead does not measure memory that an object makes; leave out --memory
		os memory: the test os does not measure memory that an object makes; leave out --memory
	END
	[ ! -s blocks ]
}

# example OPTIONS: an object of examples/memory is measured here, or says what is missing.
example() {
	local status=0
	measure --memory "$OBJECTS/$1" 'bandwidth op=read,write size=64K repeat=2' || status=$?
	if [ "$status" -eq 0 ]; then
		holds 'None not in values("memory_object")' 'values("verified") == {"ok"}'
		echo "# $1: measured" >&3
	else
		grep -Ex "memcache-user: [^:]+: memory: $OBJECTS/${1%%,*}: .*[a-z0-9/_)].*" messages
		[ "$status" -eq 1 ]
	fi
}

@test "each object of the tree is measured where its parts are, and says what is missing elsewhere" {
	for named in hugetlb.so hugetlb.so,2m dma_heap.so dma_heap.so,system-uncached udmabuf.so \
		uio.so,uio0:0 vfio.so,0000:00:00.0/0 pmem2.so,/tmp cuda.so cuda.so,wc vulkan.so; do
		example "$named"
	done
	# Each source was one of them.
	for file in "$TOP"/examples/memory/*.c; do
		[[ " hugetlb dma_heap udmabuf uio vfio pmem2 cuda vulkan " == *" $(basename "$file" .c) "* ]]
	done
}

@test "an object of the tree explains options that it does not know" {
	for named in hugetlb.so,4k dma_heap.so,a/b udmabuf.so,x uio.so uio.so,uio0 vfio.so \
		vfio.so,03:00.0/9 pmem2.so cuda.so,uncached vulkan.so,first; do
		run -1 "$USER_TOOL" --memory "$OBJECTS/$named" 'bandwidth size=64K'
		[[ $output == "memcache-user: Invalid argument: memory: "* ||
			$output == *"memory: "*"there is no "*"; "* ]]
	done
}

@test "CUDA's memory: the calls of its driver, and its errors" {
	export LD_LIBRARY_PATH=$OBJECTS/fake
	local taken=$'cuInit 0\ncuDeviceGet 0\ncuDevicePrimaryCtxRetain 40\ncuCtxSetCurrent 1'
	local given=$'cuMemFreeHost 0\ncuDevicePrimaryCtxRelease 40'
	"$USER_TOOL" --memory "$OBJECTS/cuda.so" 'bandwidth size=64K repeat=2' >table
	grep ' cuda:cached:0 ' table
	diff calls <(echo "$taken"; echo 'cuMemHostAlloc 1'; echo "$given")
	: >calls
	"$USER_TOOL" --memory "$OBJECTS/cuda.so,wc" 'bandwidth type=wc size=64K repeat=2' >table
	grep ' cuda:wc:0 ' table
	diff calls <(echo "$taken"; echo 'cuMemHostAlloc 5'; echo "$given")
	# The GPU is given back after each error, once it was taken.
	for call in cuInit cuDeviceGet cuDevicePrimaryCtxRetain cuCtxSetCurrent cuMemHostAlloc; do
		: >calls
		CUDA_FAILS=$call run -1 "$USER_TOOL" --memory "$OBJECTS/cuda.so" 'bandwidth size=64K'
		[[ $output == *"CUDA's driver "*": no CUDA-capable device is detected (100); nvidia-smi says what it sees" ]]
		if grep -A1 cuDevicePrimaryCtxRetain calls | grep cuCtxSetCurrent; then
			[ "$(tail -n 1 calls)" == 'cuDevicePrimaryCtxRelease 40' ]
		fi
	done
	run -1 "$USER_TOOL" --memory "$OBJECTS/cuda.so,1" 'bandwidth size=64K'
	[[ $output == *"CUDA's driver has no such GPU: invalid device ordinal (101)"* ]]
}
