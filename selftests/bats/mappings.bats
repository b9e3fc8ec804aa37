#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The file mappings, beside the mappings that mc_maps (selftests/modules) makes.
# shellcheck disable=SC2030,SC2031	# variables of a test are not for others

load module.bash

AT=0x800000000

setup_file() {
	small_buffers
	insmod "${WITNESS_KO%/*}/mc_maps.ko" at=$AT
}

teardown_file() { rmmod mc_maps memcache; }

# rows LINE EXPRESSION…: what the file answers to the line; each expression of Python is true of
# `head`, its first line, and `rows`, the others, in the order of physical memory.
rows() {
	echo "$1" >mappings
	"$HERE/mappings.py" "$@"
}

@test "mappings of a device have the type that their maker asked for" {
	rows "phys=$AT+64M" 'head["errno"] == head["more"] == 0 and head["state"] == "done"' \
		'[(r["physical_range"], r["page_bytes"]) for r in rows] == [(f"{hex(AT)}+2M", 2 << 20),
			(f"{hex(AT + (16 << 20))}+8K", 4096), (f"{hex(AT + (32 << 20))}+4K", 4096),
			(f"{hex(AT + (48 << 20))}+4K", 4096)]' \
		'[r["attribute"] for r in rows] == (["nc", "nGnRE", "nGnRnE", "wb"] if ARM else ["wc", "uc-", "uc", "wt"])' \
		'len({r["number"] for r in rows}) == 4' '{r["area"] for r in rows} == {"vmalloc"}' \
		'ARM or [r["memory_type"] for r in rows] == ["wc", "uc", "uc", "wt"]' \
		'ARM or [r["attr_index"] for r in rows] == [r["pwt"] + 2 * r["pcd"] + 4 * r["pat"] for r in rows] == [1, 2, 3, 7]' \
		'not ARM or [r["mair"] for r in rows] == ["0x44", "0x04", "0x00", "0xff"]'
	before=$(cat mappings)
	rows "phys=$AT+64M" 'True'
	[ "$before" = "$(cat mappings)" ]
	# A part of a page is enough.
	rows "phys=$((AT + 0x100000))+4K,$((AT + 0x1001000))+4K,0x900000000+1G" 'len(rows) == 2' \
		'[r["bytes"] for r in rows] == [2 << 20, 4096]'
}

@test "all that is not write-back, and the other mappings of that memory" {
	rows not_wb 'not head["more"]' '[r["attribute"] for r in at(AT)] == ["nc" if ARM else "wc"]' \
		'sorted((r["area"], r["attribute"]) for r in at(param("ram"))) == [("direct", "wb"), ("vmalloc", "nc" if ARM else "wc")]' \
		'ARM or [(r["area"], r["attribute"], r["page_bytes"]) for r in at(param("left"))] == [("direct", "uc-", 4096)]' \
		'ARM or any(r["physical_range"] == "0xfee00000+4K" and r["area"] == "fixmap" for r in rows)'
	rows "phys=$(cat /sys/module/mc_maps/parameters/ram)+4K" \
		'{r["attribute"] for r in at(param("ram")) + rows} == {"wb", "nc" if ARM else "wc"}'
}

# shellcheck disable=SC2086	# no word for each that is not there
teardown() { kill ${process:-} ${reader:-} || true; }

# process CODE: a Python process that holds mappings of /dev/mem; $process
process() {
	python3 -c "
import mmap, os, sys, time
def at(start, size, how):
    return mmap.mmap(os.open('/dev/mem', os.O_RDWR | how), size, offset=start)
$1
print('mapped', flush=True)
time.sleep(1000)" >"$BATS_TEST_TMPDIR/process" 3>&- &
	process=$!
	await $process grep -qs mapped "$BATS_TEST_TMPDIR/process"
}

@test "what a process has of a device" {
	process "a, b = at($AT + (96 << 20), 3 << 20, os.O_SYNC), at($AT + (112 << 20), 4096, 0)"
	rows "pid=$process" 'not head["unseen_bytes"]' '{(r["area"], r["pid"]) for r in rows} == {("user", '$process')}' \
		'[(r["physical_range"], r["attribute"]) for r in rows[-2:]] == [
			(f"{hex(AT + (96 << 20))}+3M", "nGnRnE" if ARM else "uc-"),
			(f"{hex(AT + (112 << 20))}+4K", "nGnRnE" if ARM else "wb")]' \
		'all(r["address"][2:] in open("/proc/'$process'/maps").read() for r in rows[-2:])'
	rows "pid=$process phys=$((AT + (112 << 20)))+4K" 'len(rows) == 1'
	not setpriv --bounding-set=-sys_ptrace bash -c "echo pid=$process >mappings"
	"$HERE/mappings.py" "pid=$process" 'head["errno"] == 1 and "CAP_SYS_PTRACE" in head["error"]'
	kill $process
	wait $process || true
	gone=$process process=''
	not_taken "pid=$gone" 3 'pid: there is no process'
}

# not_taken LINE ERRNO ERROR: the file does not take the line, and says why.
not_taken() {
	not tee mappings <<<"$1" >/dev/null 2>&1
	"$HERE/mappings.py" "$1" "head['errno'] == $2 and head['error'].startswith('''$3''')" \
		'head["state"] == "failed" and not rows'
}

@test "what can't be looked at is said" {
	not_taken pid=2 22 'pid: 2 has no memory of its own'
	not_taken pid=99999999 3 'pid: there is no process 99999999'
	not_taken "$(printf 'pid=1%4000s' x)" 22 'line: write'
}

# maps PARAMETER: load mc_maps anew.
maps() {
	rmmod mc_maps
	insmod "${WITNESS_KO%/*}/mc_maps.ko" at=$AT "$@"
}

@test "ten thousand mappings" {
	maps many=10000
	rows "phys=$((AT + (64 << 20)))+128M" 'len(rows) == 10000' \
		'{(r["attribute"], r["bytes"]) for r in rows} == {("nc" if ARM else "wc", 4096)}'
	maps
}

# Of the kernel and of a process, while somebody else reads answers.
@test "mappings that four threads make and unmake beside looks" {
	local all=$BATS_TEST_TMPDIR/all
	maps threads=4
	process "
import threading, time
file = os.open('/dev/mem', os.O_RDWR | os.O_SYNC)
def work(n):
    while True:
        with mmap.mmap(file, 1 << 20, offset=$AT + (n + 96 << 20)):
            time.sleep(1e-4)
for n in range(4):
    threading.Thread(target=work, args=(n,), daemon=True).start()"
	while :; do : "$(<mappings)"; done 2>/dev/null 3>&- &
	reader=$!
	for _ in {1..25}; do
		for line in "phys=$((AT + (1 << 30)))+16M" "pid=$process phys=$((AT + (96 << 20)))+4M"; do
			echo "$line" >mappings
			echo "$(<mappings)"
		done
	done >"$all"
	[ "$(grep -c '"state":"done"' "$all")" -eq 50 ]
	grep '"record":"mapping"' "$all" >"$all.mappings"
	grep -q '"area":"user"' "$all.mappings"
	not grep -vE '"page_bytes":(4096|2097152),.*"attribute":"(wc|nc|uc-|nGnRnE)"' "$all.mappings"
	kill $reader
	reader=''
	maps
}

@test "the front end says who has mapped it, and what is wrong" {
	cd /sys/module/mc_maps/parameters
	/usr/bin/python3 -S - "$HERE/../../tools/memcache" "$(cat ram)" "$(cat left)" "$(cat split)" <<-'END'
		import contextlib, io, json, sys
		sys.path.insert(0, sys.argv[1])
		from mc.commands import cli
		ram, left, split = map(int, sys.argv[2:])
		def look(*words):
		    with contextlib.redirect_stdout(io.StringIO()) as said:
		        status = cli.main(["look", *words])
		    assert not status and said.getvalue(), (words, status)
		    return said.getvalue()
		print(look(there := "0x800000000-0x803ffffff"), look())
		found = json.loads(look("--json", there))
		assert [m["owner"] for m in found["mappings"]] == ["mc_maps"] * 4, found
		assert all(m["caller"].startswith("make+") for m in found["mappings"])
		found = json.loads(look("--json"))["conflicts"]
		# The direct map may have a large page there.
		def has(kind, at):
		    parts = [(int(start, 16), int(size[:-1]) << {"K": 10, "M": 20, "G": 30}[size[-1]])
		             for c in found if c["id"] == kind
		             for start, _, size in [m.partition("+") for m in c["mappings"]]]
		    print(kind, parts)
		    return any(start <= at < start + size for start, size in parts)
		assert not split or has("split", split)
		assert not left or (has("two_types", ram) and has("free_not_wb", left))
		assert left or not has("two_types", ram)
	END
}
