# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154	# bats sets them

# found BUG WORDS: the log says these words of that mistake, and fails a run.
found() {
	dmesg --clear
	echo "$1" >/sys/module/mc_bugs/parameters/bug
	run bash -c 'dmesg | "$0/../../tools/check/kernel-log"' "$BATS_TEST_DIRNAME"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"$2"* && $output == *"[mc_bugs]"* ]]
}
