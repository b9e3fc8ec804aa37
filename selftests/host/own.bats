#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Loops of one's own in memcache-user, built and measured as a user does it.
# selftests/bats/own.bats has them in the kernel.

load ../bats/user.bash

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP OWN=$BATS_FILE_TMPDIR
	make -s -C "$TOP/tools/user"
	for file in "$TOP"/examples/loop/*.loop; do
		"$TOP/tools/memcache/memcache" loop --where user "$file" \
			-o "$OWN/$(basename "$file" .loop)"
	done
}

# own LOOP KEY=VALUE…: measure it.
own() {
	measure --own --loop "$OWN/$1/$1.so" "bandwidth op=own ${*:2}"
	holds "values('own_loop') == {'$1@$(sha256sum "$TOP/examples/loop/$1.loop" | head -c 12)'}"
}

@test "a copy is verified, and has the payload of op=copy" {
	own copy2 size=4K,100K,1M repeat=3 cpu=all fence=none,sfence,mfence
	holds 'values("verified") == {"ok"}' 'len(results) == 9' 'values("width_bytes") == {32}'
	cp results.jsonl own.jsonl
	measure --own 'bandwidth op=copy width=32 size=4K,100K,1M repeat=3 cpu=all fence=none,sfence,mfence'
	holds 'values("own_loop") == {None}' '[(r["traversed_bytes"], r["payload_bytes"]) for r in results] ==
		[(r["traversed_bytes"], r["payload_bytes"]) for r in load("own.jsonl") if r["record"] == "result"]'
}

@test "each turn runs once a pass: words that grow by one are right" {
	own add-one size=4K,100K,1M repeat=3
	holds 'values("verified") == {"ok"}' \
		'all(r["payload_bytes"] == 2 * r["traversed_bytes"] for r in results)'
	# Twice a turn is wrong.
	sed 's/^	incq.*/&; &/' "$TOP/examples/loop/add-one.loop" >twice.loop
	"$TOP/tools/memcache/memcache" loop --where user twice.loop
	run -1 "$USER_TOOL" --own -j --loop twice/twice.so 'bandwidth op=own size=64K repeat=3'
	[[ $output == *'"verified":"failed"'* ]]
}

@test "a loop that only loads leaves its memory as it was; one word of eight is its payload" {
	own touch size=64K repeat=3
	holds 'values("verified") == {"ok"}' \
		'all(8 * r["payload_bytes"] == r["traversed_bytes"] for r in results)'
}

@test "registers keep constants, and what nobody can verify is not" {
	own scale size=64K repeat=3
	holds 'values("verified") == {"off"}'
}

@test "a loop of own, and any request beside it" {
	measure --own --loop "$OWN/touch/touch.so" 'bandwidth op=own,read size=64K repeat=2' \
		'latency size=16K repeat=2'
	holds '[bool(r.get("own_loop")) for r in results] == [True, False, False]' || {
		grep -c own_loop results.jsonl
		false
	}
}

@test "a column that only later records have begins with the first of them" {
	"$USER_TOOL" --own --loop "$OWN/touch/touch.so" 'bandwidth op=read,own size=16K,64K repeat=2' >table
	# The head may come again with a column `steady`, too.
	awk '/^#/ { with = /own_loop/; next }
		/touch@/ != with { exit 1 } { rows++ }
		END { if (rows != 4) exit 1 }' table || { cat table; false; }
}

@test "what can't be is refused" {
	refused "Operation not supported" "op: op=own has no loop" --own 'bandwidth op=own'
	refused "Invalid argument" "streams: op=own goes through memory in one stream" \
		--loop "$OWN/touch/touch.so" --own 'bandwidth op=own streams=2'
	refused "Invalid argument" "pattern: op=own width=8 goes through memory in order" \
		--loop "$OWN/touch/touch.so" --own 'bandwidth op=own pattern=random'
	printf '%s\n' 'reads b' 'writes a' 'turn 4096' 'width 8' loop nop >page.loop
	"$TOP/tools/memcache/memcache" loop --where user page.loop
	refused "Invalid argument" "size: 4096 bytes are less than a turn of the loop" \
		--loop page/page.so --own 'bandwidth op=own size=4K'
	refused "No such file or directory" "loop: nosuch can't be read" --loop nosuch bandwidth
	refused "Device or resource busy" "loop: $OWN/scale/scale.so: there is a loop already" \
		--loop "$OWN/touch/touch.so" --loop "$OWN/scale/scale.so" bandwidth
}

@test "a file that is no loop is refused, whatever is in it" {
	cp "$OWN/touch/touch.so" good
	: >empty
	head -c 100 good >short
	head -c 4200 good >partial
	{ cat good; } >other && printf '\3' | dd of=other bs=1 seek=16 conv=notrunc status=none
	printf '\377\377\377\177' | dd of=other bs=1 seek=24 conv=notrunc status=none
	for file in empty short partial other "$USER_TOOL" /bin/true /dev/null .; do
		echo "$file"
		run -2 "$USER_TOOL" --loop "$file" bandwidth
		[[ $output == "memcache-user: "*": loop: $file: it is not a loop"* ]]
	done
}
