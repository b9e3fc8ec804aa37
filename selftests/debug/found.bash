# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154	# bats sets them

# make_bugs BUG…: make these mistakes, and read the log once: programs start slowly in these kernels.
make_bugs() {
	local bug
	dmesg --clear
	for bug; do
		echo "$bug" >/sys/module/mc_bugs/parameters/bug
		echo "selftest: ~ reports end here" >/dev/kmsg
	done
	run -1 "$BATS_TEST_DIRNAME/../../tools/check/kernel-log" < <(dmesg)
	reports=$output
}

# found WORDS: the report of a mistake says these words. No report has a tilde in it.
found() { [[ $reports =~ "$1"[^~]*"[mc_bugs]" ]]; }
