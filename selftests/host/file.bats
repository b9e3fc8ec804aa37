#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The test `file` of memcache-user: what it reads and writes, what it never does, and its errors.
# selftests/memcache/file.c tests that of the module, and the native tests file and file_errors what
# both share.

load ../bats/user.bash

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	make -s -C "$TOP/tools/user"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export MEMCACHE_DEBUGFS=$BATS_TEST_TMPDIR
	f=$BATS_TEST_TMPDIR/f
	small="repeat=2 warmup=1"
}

# file KEYS…: run the test on $f.
file() { measure "file path=$f $small $*"; }

# fails ERROR TEXT KEYS…
fails() { refused "$1" "$2" "file path=$f $small ${*:3}"; }

# unfit TEXT KEYS…: the request is right, $f is not, which is found when it is opened.
unfit() { wrong=1 fails "Invalid argument" "$@"; }

@test "written, and read back: every byte" {
	file op=write bytes=3M transfer=64K,1M readers=1,3 check=on
	holds 'len(results) == 4' 'values("verified") == {"ok"}' 'values("payload_bytes") == {3 << 20}'
	[ "$(stat -c '%s %a' "$f")" = "3145728 600" ]
	[ "$(head -c 8 "$f")" = memcache ]
	file transfer=512,96K,5M readers=1,20 check=on,off
	holds 'len(results) == 12' '{(r["check"], r["verified"]) for r in results} == {("on", "ok"), ("off", "off")}' \
		'all(r["threads"] == r["readers"] for r in results)' \
		'all(r["payload_bytes"] == r["readers"] * (3 << 20) for r in results)' \
		'all(r["size_bytes"] == r["readers"] * r["transfer_bytes"] for r in results)' \
		'values("cached_percent") == {100.0}' 'min(values("mb_per_s")) > 0' 'min(values("ios_per_s")) > 0'
	file op=write bytes=2M,1M
	[ "$(stat -c %s "$f")" -eq 1048576 ]
}

@test "only regular files, and none is opened that is none" {
	mkfifo fifo
	mkdir dir
	echo >there
	ln -s there link
	ln -s nothing nowhere
	for bad in "fifo:a FIFO" "dir:a directory" "link:a symbolic link" "nowhere:a symbolic link"; do
		for op in read write; do
			f=$BATS_TEST_TMPDIR/${bad%:*} unfit \
				"path: $BATS_TEST_TMPDIR/${bad%:*} is ${bad#*:}; only regular files" "op=$op"
		done
	done
	f=/dev/null unfit "path: /dev/null is a device; only regular files"
	f=/proc/version unfit "path: /proc/version is empty"
	[ ! -e nothing ]
}

@test "files of others are left alone" {
	printf x >f
	fails "File exists" "path: $f exists, but op=write has not written it; it is left unchanged" op=write bytes=4K
	[ "$(cat f)" = x ]
	: >f
	file op=write bytes=4K
}

@test "what can't be reached, written, or had" {
	f=$BATS_TEST_TMPDIR/none fails "No such file or directory" "path: $BATS_TEST_TMPDIR/none can't be opened (error 2)"
	f=/dev/null/f fails "Not a directory" "path: /dev/null/f can't be opened (error 20)"
	(
		ulimit -f 1024
		fails "File too large" "path: $f can't be opened (error 27)" op=write bytes=2M
		file op=write bytes=1M
	)
	refused "Invalid argument" "path: names no file" file
	[ "$(id -u)" -ne 0 ] || skip "root may read anything"
	chmod 0 f
	fails "Permission denied" "path: $f can't be opened (error 13)"
}

@test "a full disk" {
	mkdir disk
	mount -t tmpfs -o size=4m none disk 2>/dev/null || skip "nothing can be mounted here"
	run -1 measure "file path=$PWD/disk/f op=write bytes=1M,16M readers=3 transfer=64K"
	umount disk
	[[ $output == "memcache-user: No space left on device: path: $PWD/disk/f can't be written at byte "* ]]
	holds 'len(results) == 1' 'results[0]["file_bytes"] == 1 << 20'
}

@test "a file that shrinks while it is read" {
	local status=0
	file op=write bytes=4M
	"$USER_TOOL" -j "file path=$f readers=7 transfer=64K repeat=1000000" >results.jsonl 2>messages 3>&- &
	worked $!
	truncate -s 12345 f
	wait $! || status=$?
	cat messages
	[ "$status" -eq 1 ]
	[ "$(cat messages)" = "memcache-user: No data available: path: $f was cut short to 12345 bytes; it had 4194304" ]
	head -n 1 results.jsonl >machine
	holds 'results[0]["samples"] >= 1' 'records[1]["errno"] == 61'
}

@test "Ctrl-C and the time-out end it between transfers" {
	file op=write bytes=4M
	env --default-signal=INT "$USER_TOOL" -j "file path=$f readers=9 check=on repeat=1000000" >results.jsonl 2>messages 3>&- &
	worked $!
	ends_by INT $!
	head -n 1 results.jsonl >machine
	holds 'records[1]["state"] == "stopped"' 'values("verified") == {"ok"}'
	small="" run -1 file repeat=1000000 timeout=1
	[[ $output == "memcache-user: Timer expired: timeout: 1 s have passed"* ]]
}

@test "past the page cache, and without it, where the filesystem can" {
	file op=write bytes=1M cache=drop check=on
	file cache=drop,keep check=on
	holds 'values("verified") == {"ok"}'
	if "$USER_TOOL" "file path=$f direct=on $small" >/dev/null 2>messages; then
		file op=write,read bytes=1M direct=on,off transfer=512K,260K check=on
		holds 'len(results) == 8' 'values("verified") == {"ok"}'
		truncate -s 100001 f
		file direct=on readers=3 transfer=64K
		holds 'values("payload_bytes") == {300003}'
	else
		grep "Operation not supported: direct: $f is on a filesystem without direct I/O" messages
	fi
}
