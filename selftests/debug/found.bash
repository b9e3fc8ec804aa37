# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154	# bats sets them

# found BUG WORDS: the log says these words of that mistake, and fails a run.
found() {
	dmesg --clear
	echo "$1" >/sys/module/mc_bugs/parameters/bug
	run -1 "$BATS_TEST_DIRNAME/../../tools/check/kernel-log" < <(dmesg)
	[[ $output == *"$2"* && $output == *"[mc_bugs]"* ]]
}
