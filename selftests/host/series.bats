#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/patch-series, against a kernel tree of a few lines.

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	LINUX=$BATS_FILE_TMPDIR/linux OUT=$BATS_FILE_TMPDIR/out
	export TOP LINUX OUT
	export GIT_AUTHOR_NAME=somebody GIT_AUTHOR_EMAIL=somebody@example.com
	export GIT_COMMITTER_NAME=somebody GIT_COMMITTER_EMAIL=somebody@example.com
	mkdir -p "$LINUX"/{drivers/misc,Documentation/misc-devices,tools/testing/selftests} \
		"$LINUX/include/linux"
	echo 'static inline void vm_flags_set(struct vm_area_struct *vma,' \
		>"$LINUX/include/linux/mm.h"
	echo 'static inline int path_permission(const struct path *path, int mask)' \
		>"$LINUX/include/linux/fs.h"
	printf 'menu "Misc devices"\nsource "drivers/misc/mei/Kconfig"\nendmenu\n' \
		>"$LINUX/drivers/misc/Kconfig"
	printf 'obj-y\t\t\t\t+= mei/\n' >"$LINUX/drivers/misc/Makefile"
	printf '   mrvl_cn10k_dpi\n' >"$LINUX/Documentation/misc-devices/index.rst"
	printf 'TARGETS += membarrier\nTARGETS += memfd\n' \
		>"$LINUX/tools/testing/selftests/Makefile"
	printf '%s\n' 'MEMORY MAPPING' $'L:\tlinux-mm@kvack.org' '' 'MEMORY TECHNOLOGY DEVICES' \
		$'L:\tlinux-mtd@lists.infradead.org' >"$LINUX/MAINTAINERS"
	"$TOP/tools/patch-series" "$LINUX" "$OUT" >"$BATS_FILE_TMPDIR/said"
}

# apply SERIES…: a new tree, with the patches of these series.
apply() {
	local series patches
	rm -rf "$BATS_TEST_TMPDIR/tree"
	cp -r "$LINUX" "$BATS_TEST_TMPDIR/tree"
	cd "$BATS_TEST_TMPDIR/tree" || return
	git init -q
	git add -A
	git commit -qm linux
	for series; do
		patches=("$OUT/$series"/*.patch)
		git am -q "${patches[@]:1}"	# the first one is the cover letter
	done
}

# broken FILE SED: what the command says for sources of which one file is another.
broken() {
	local copy=$BATS_TEST_TMPDIR/copy
	mkdir -p "$copy/Documentation"
	cp -r "$TOP"/{module,selftests,tools} "$copy/"
	cp -r "$TOP/Documentation/ABI" "$copy/Documentation/"
	sed -i "$2" "$copy/$1"
	! cmp -s "$copy/$1" "$TOP/$1"
	run "$copy/tools/patch-series" "$LINUX" "$BATS_TEST_TMPDIR/broken"
	rm -rf "$copy"
	echo "$output"
	[ "$status" -ne 0 ]
}

@test "the directory of the patches is printed" {
	[ "$(cat "$BATS_FILE_TMPDIR/said")" = "$OUT" ]
	[ "$(cd "$OUT" && echo *)" = "1-memcache 2-devices 3-prefetch 4-file 5-target" ]
	[ -e "$OUT/1-memcache/0000-cover-letter.patch" ]
}

@test "the first series has nothing that a maintainer may refuse" {
	apply 1-memcache
	cd drivers/misc/memcache
	run grep -rnE 'compat\.h|LINUX_VERSION_CODE|__KERNEL__|MC_HAVE_|MODULE_VERSION' .
	[ -z "$output" ]
	run grep -rnE 'EXPORT_SYMBOL|MC_OP_OWN|own_loop' .
	[ -z "$output" ]
	run grep -rnE 'miscdevice|wrmsr|kern_path|filp_open|register_reboot_notifier' .
	[ -z "$output" ]
	[ -z "$(find . -name '*.diff' -o -name '*.orig' -o -name '*.rej' -o -name Kbuild)" ]
	[ ! -e ../../../include/uapi/linux/memcache.h ]
	run grep -n '^	default y' Kconfig
	[ -z "$output" ]
	grep -qx 'source "drivers/misc/memcache/Kconfig"' ../Kconfig
	grep -q '^F:	drivers/misc/memcache/$' ../../../MAINTAINERS
	# Every source is built, and every object has a source.
	find core arch measure benchmarks kernel tests -name '*.[cS]' ! -path '*/macros/*' |
		sed 's/\.[cS]$/.o/' | sort >"$BATS_TEST_TMPDIR/sources"
	grep -o '[a-z0-9_/]*\.o\>' Makefile | grep / | sort | diff - "$BATS_TEST_TMPDIR/sources"
}

@test "BARs and reserved memory come with the last series" {
	apply 1-memcache 2-devices 3-prefetch 4-file
	run grep -rnE 'MC_TARGET|any_bar|ioremap_|mmio|linux/pci\.h|mc_range|physical_range' \
		drivers/misc/memcache Documentation tools
	[ -z "$output" ]
	[ -z "$(find . -name 'target*')" ]
}

@test "the later series add all that the first one is without" {
	apply 1-memcache 2-devices 3-prefetch 4-file 5-target
	[ -e include/uapi/linux/memcache.h ]
	grep -q '^F:	include/uapi/linux/memcache.h$' MAINTAINERS
	cd drivers/misc/memcache
	# The rest is in the kernel tree in another way.
	diff <(cd "$TOP/module" && git ls-files --cached --others | grep '\.[chS]$' |
		grep -v -e '^uapi/' -e '^platform/compat.h$' -e '^arch/arm64/' -e '^kernel/arm64/' \
			-e '/own\.[chS]$') \
		<(git ls-files | grep '\.[chS]$' | grep -v '^tests/')
	[ -e ../../../tools/testing/selftests/memcache/test_modules/mc_msr.c ]
}

@test "patches are signed off, with lines of the usual length" {
	for patch in "$OUT"/*/*.patch; do
		echo "$patch"
		[[ $patch == */0000-* ]] ||
			grep -qx 'Signed-off-by: somebody <somebody@example.com>' "$patch"
		run grep -E '^[^ ].{75}' <(sed '1,/^$/d; /^---$/,$d' "$patch")
		[ -z "$output" ]
	done
}

@test "KUnit's tests are those of the native tests" {
	apply 1-memcache
	cd drivers/misc/memcache/tests
	for test in text record bad_requests; do
		diff <(sed -n 's/.*cmocka_unit_test(\(.*\)),/\1/p' "$TOP/selftests/core/$test.c") \
			<(sed -n 's/.*KUNIT_CASE(\(.*\)),/\1/p' "${test}_kunit.c")
		[ "$(grep -c '\<assert_[a-z_]*(\|\<fail_msg(' "$TOP/selftests/core/$test.c")" -le \
			"$(grep -cE 'KUNIT_(ASSERT|FAIL)|check_[a-z_]*\(' "${test}_kunit.c")" ]
	done
}

@test "what compat.h can't be in one kernel is named" {
	broken module/platform/compat.h '/^#define mc_vma_set_flags.*vm_flags_set/s/$/ + 1/'
	[[ $output == *"compat.h: more than another name of a function: mc_vma_set_flags"* ]]
}

@test "a part that has changed is named" {
	broken module/kernel/main.c 's/mc_device_init();/mc_device_init(0);/'
	[[ $output == *without-*.diff*module/kernel/main.c.rej* ]]
}

@test "a file without a patch is named" {
	broken tools/patches/series.toml 's|^files = \["drivers/misc/memcache/measure/\*"\]|files = ["drivers/misc/memcache/measure/a*"]|'
	[[ $output == *"no patch of 1-memcache has drivers/misc/memcache/measure/chase.c"* ]]
}

@test "a word that a kernel tree must not have is named" {
	broken module/measure/chase.c "\$a/* tools/user has it, too. */"
	[[ $output == *"drivers/misc/memcache/measure/chase.c: still has tools/"* ]]
}

@test "a native test that KUnit can't run is named" {
	broken selftests/core/text.c 's/^static void fixed_point(void/static double d;\n\n&/'
	[[ $output == *"text.c: KUnit has nothing for double"* ]]
}

@test "a directory that is no kernel tree is refused" {
	run "$TOP/tools/patch-series" "$BATS_TEST_TMPDIR"
	[ "$status" -eq 1 ]
	[ "$output" = "memcache: $BATS_TEST_TMPDIR is no kernel source tree" ]
	run "$TOP/tools/patch-series" ""
	[ "$status" -eq 1 ]
	[[ $output == *"LINUX=DIRECTORY"* ]]
}
