#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The front end at work on the module itself.

load front.bash

@test "the suite cache-attributes, in small" {
	sed 's/size=16M/size=256K/; s/repeat=10/repeat=3/; /@rounds/d' "$TOP/tools/suites/cache-attributes" >small
	memcache run -o results.jsonl ./small >report 2>messages
	cat report
	# Each test has a column, each type a row.
	for type in WB UC WC; do grep -q "^ *$type " report; done
	[ "$(grep -c '"record":"result"' results.jsonl)" -eq 24 ]
	[ "$(grep -c '"verified":"ok"' results.jsonl)" -eq 24 ]
	grep -q 'Results: results.jsonl' report
	! grep -q '"hypervisor":"tcg"' "$FILES/machine" || grep -qi 'emulated machine (QEMU, TCG)' report
	memcache show results.jsonl >again
	diff <(sed '/^Results:/,$d' report | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}') again
}

# Those of processes are judged in User-Mode Linux and on the host, but for the module's pages.
@test "records of each test, and of each memory type on both sides, are as the schema has them" {
	sed -n '1i @where kernel
		s/^\(one\|two\) //p' "$TOP/selftests/bats/every-test" >every
	printf '@where both\n%s\n' 'bandwidth op=write type=wb,wc,uc fence=uc size=16K repeat=1' >types
	# Beside other work, threads may not run at once: then some results have no figure.
	memcache run -o every.jsonl --rounds 1 ./every ./types >report 2>said ||
		grep 'no figure: the threads did not run at once' said
	[ "$(grep '"record":"result".*"where":"kernel"' every.jsonl |
		grep -o '"test":"[a-z0-9]*"' | sort -u | wc -l)" -ge 8 ]
	[ "$(grep -c '"record":"result".*"where":"user"' every.jsonl)" -eq 3 ]
	holds 'schema("every.jsonl") is not None' || skip "the schema was not asked: there is no jsonschema"
	holds 'schema("every.jsonl") == ""'
}
