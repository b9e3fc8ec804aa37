#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The same machine after the power has failed (packages.bats).

load guest.bash

@test "the results before the power failed are there, and show names the requests without any" {
	run -0 user tools/memcache/memcache show cut.jsonl
	says "2 requests without any result, as the run ended early" \
		"- bandwidth size=1M repeat=1000000" "- bandwidth size=8K"
}

@test "make clean needs no root" {
	user make clean
	user test ! -e build
}
