#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/patch-series, against a kernel tree of a few lines; and tools/check/series, with patches of
# a few lines.

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
	rm -rf "$BATS_TEST_TMPDIR/tree"
	cp -r "$LINUX" "$BATS_TEST_TMPDIR/tree"
	cd "$BATS_TEST_TMPDIR/tree" || return
	git init -q
	git add -A
	git commit -qm linux
	also "$@"
}

# also SERIES…: the patches of these series, too.
also() {
	local series patches
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

# A kernel tree whose Makefile builds the driver with gcc, like Kbuild: its checkpatch is a kernel's,
# and its kunit.py prints what it finds in the tests.
small_kernel() {
	small=$BATS_TEST_TMPDIR/small
	mkdir -p "$small"/{arch,drivers/misc,fs,init,ipc,kernel,lib,scripts,LICENSES} \
		"$small"/{include/uapi/linux,tools/testing/selftests,tools/testing/kunit} \
		"$small"/Documentation/{ABI,misc-devices}
	touch "$small"/{COPYING,CREDITS,Kbuild,MAINTAINERS,README,LICENSES/GPL-2.0} \
		"$small"/{drivers/misc/Kconfig,include/uapi/linux/a.h} \
		"$small"/{tools/testing/selftests/Makefile,Documentation/{ABI,misc-devices}/a.rst}
	cp "$("$TOP/tools/guest/source" 6.1)"/scripts/{checkpatch.pl,spelling.txt,const_structs.checkpatch} \
		"$small/scripts/"
	sed 's/^        /\t/' >"$small/Makefile" <<-'END'
	D := drivers/misc/memcache
	.PHONY: $D/
	kernelversion: ; @echo 6.13.0
	allnoconfig: ; @mkdir -p $(O); cp $(KCONFIG_ALLCONFIG) $(O)/.config; echo configured
	prepare: ; @echo prepared
	$D/:
	        @mkdir -p $(O)/$D
	        @[ -z "$(C)" ] || ! grep -Hn __user $D/*.c
	        @for c in $D/*.c; do gcc $(if $(W),-Wall -Wextra) -c $$c -o $(O)/$$c.o || exit; done
	        @ld -r -o $(O)/$D/memcache.o $(O)/$D/*.c.o
	END
	cat >"$small/tools/testing/kunit/kunit.py" <<-'END'
	#!/bin/bash
	cases=$(cat drivers/misc/memcache/tests/*.c | sed -n 's/^	KUNIT_CASE(\(.*\)),/\1/p')
	case $1 in
	exec)
		echo "KTAP version 1"
		echo "1..$(wc -w <<<"$cases")"
		for name in $cases; do
			case $name in
			bad*) echo "not ok $((++n)) $name" ;;
			*) echo "ok $((++n)) $name" ;;
			esac
			[ $name != last ] || break
		done ;;
	parse)
		echo "Testing complete. Ran $(grep -c 'ok ' "$2") tests: passed: $(grep -c '^ok' "$2")" ;;
	esac
	END
	chmod +x "$small/tools/testing/kunit/kunit.py"
	# The patches are made in a copy.
	cp -r "$small" "$BATS_TEST_TMPDIR/made"
	cd "$BATS_TEST_TMPDIR/made" || return
	git init -q
	git add -A
	git commit -qm linux
	driver=drivers/misc/memcache
	mkdir -p "$driver/tests"
}

# source_of FILE LINE…: a file of the driver.
source_of() { printf '%s\n' '// SPDX-License-Identifier: GPL-2.0-only' "${@:2}" >"$driver/$1"; }

# change SUBJECT: a patch of what has changed, in the series 1-memcache.
change() {
	git add -A
	git commit -qsm "misc: memcache: $1" -m "Somebody needs this, since it was not there before."
}

# check_them: what tools/check/series says about these patches.
check_them() {
	rm -rf "$BATS_TEST_TMPDIR/patches"
	git format-patch -q --cover-letter -o "$BATS_TEST_TMPDIR/patches/1-memcache" \
		"$(git rev-list --max-parents=0 HEAD)"
	run env LINUX="$small" PATCHES="$BATS_TEST_TMPDIR/patches" WORK="$BATS_TEST_TMPDIR/work" \
		"$TOP/tools/check/series"
	echo "$output"
	[ "$status" -eq 0 ]
	failed=$(grep '^not ok' <<<"$output" | sed 's/^not ok [0-9]* - 6.13.0: //')
}

# good_patches: a driver, and tests of it.
good_patches() {
	touch "$driver"/{Makefile,Kconfig}
	source_of a.c '#include <linux/types.h>' 'int a(int *x);' '' \
		'int a(int *x)' '{' $'\treturn *x;' '}'
	change "add a"
	source_of tests/a_kunit.c 'static struct kunit_case cases[] = {' \
		$'\tKUNIT_CASE(one),' $'\tKUNIT_CASE(two),' $'\t{}' '};'
	change "add tests"
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

@test "the driver of each series uses nothing that a later one adds" {
	local kernel all series
	kernel=$("$TOP/tools/guest/kernel" 6.12)
	all=("$OUT"/*)
	apply
	# The last one has all that make check-static builds.
	for series in "${all[@]::${#all[@]}-1}"; do
		also "${series##*/}"
		echo "${series##*/}:"
		# Only what has changed is built anew. BTF would need pahole.
		make -s -j"$(nproc)" -C "$kernel/build" M="$PWD/drivers/misc/memcache" CONFIG_MEMCACHE=m \
			CONFIG_DEBUG_INFO_BTF_MODULES= KCPPFLAGS=-I"$PWD/include/uapi" modules
		[ -s drivers/misc/memcache/memcache.ko ]
	done
}

@test "the page on the module is well-formed" {
	apply 1-memcache
	run /usr/bin/python3 -m docutils Documentation/misc-devices/memcache.rst /dev/null
	echo "$output"
	[ -z "$output" ]
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
	for test in text record bad_requests groups; do
		diff <(sed -n 's/.*cmocka_unit_test(\(.*\)),/\1/p' "$TOP/selftests/core/$test.c") \
			<(sed -n 's/.*KUNIT_CASE(\(.*\)),/\1/p' "${test}_kunit.c")
		[ "$(grep -c '\<assert_[a-z_]*(\|\<fail_msg(' "$TOP/selftests/core/$test.c")" -le \
			"$(grep -cE 'KUNIT_(ASSERT|FAIL)|check_[a-z_]*\(' "${test}_kunit.c")" ]
	done
}

@test "headers are those that checkpatch wants, where the kernel has them" {
	local asm='#include <asm/pgtable.h>'
	grep -qx "$asm" "$TOP/module/kernel/x86/attr.c"
	grep -rhx "+$asm" "$OUT/1-memcache"
	cp -r "$LINUX" "$BATS_TEST_TMPDIR/newer"
	echo "$asm" >"$BATS_TEST_TMPDIR/newer/include/linux/pgtable.h"
	"$TOP/tools/patch-series" "$BATS_TEST_TMPDIR/newer" "$BATS_TEST_TMPDIR/newer-out"
	run grep -rhx "+$asm" "$BATS_TEST_TMPDIR/newer-out"
	[ -z "$output" ]
	# In the order of the alphabet.
	run grep -h -A1 '^+#include <linux/pgtable.h>' "$BATS_TEST_TMPDIR"/newer-out/1-*/0006-*.patch
	echo "$output"
	[[ $output == *$'\n+#include <linux/set_memory.h>'* ]]
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

@test "check-series: patches that are clean pass" {
	small_kernel
	good_patches
	check_them
	[ -z "$failed" ]
	grep -E '^ok [0-9]+ - 6.13.0: 1-memcache/0002-misc-memcache-add-tests applies$' <<<"$output"
	grep -q '^    ok 2 two$' <<<"$output"
	# The tree that was given is as it was.
	[ ! -e "$small/$driver" ]
}

@test "check-series: a patch that does not build fails, though a later one mends it" {
	small_kernel
	good_patches
	source_of b.c 'int b(void) { return nowhere; }'
	change "add b"
	git rm -q "$driver/b.c"
	change "remove b"
	check_them
	[ "$failed" = "1-memcache/0003-misc-memcache-add-b: gcc W=1 and sparse are silent" ]
	[[ $output == *nowhere* ]]
}

@test "check-series: a warning of gcc fails" {
	small_kernel
	good_patches
	sed -i 's/int \*x)$/int *x, int unused)/; s/int \*x);/int *x, int unused);/' "$driver/a.c"
	change "take more"
	check_them
	[[ $failed == "1-memcache/0003-misc-memcache-take-more: gcc W=1 and sparse are silent"* ]]
	[[ $output == *unused-parameter* ]]
}

@test "check-series: a warning of checkpatch fails, unless it is excused" {
	small_kernel
	good_patches
	sed -i 's/^\treturn/\tif (!x) {\n\t\treturn 0;\n\t}\n&/' "$driver/a.c"
	change "take NULL"
	check_them
	[ "$failed" = "1-memcache/0003-misc-memcache-take-NULL: checkpatch --strict" ]
	[[ $output == *"WARNING:BRACES: "* ]]
	# New files have this warning, and tools/patches/checkpatch says why.
	[[ $output != *FILE_PATH_CHANGES* ]]
}

@test "check-series: a warning of sparse fails" {
	small_kernel
	good_patches
	sed -i 's|^// SPDX.*|&\n#define __user|' "$driver/a.c"
	change "say whose it is"
	check_them
	[ "$failed" = "1-memcache/0003-misc-memcache-say-whose-it-is: gcc W=1 and sparse are silent" ]
	[[ $output == *__user* ]]
}

@test "check-series: a patch that does not apply fails" {
	small_kernel
	good_patches
	echo gone >"$small/MAINTAINERS"
	echo more >>MAINTAINERS
	change "add a line"
	check_them
	[ "$failed" = "1-memcache/0003-misc-memcache-add-a-line applies" ]
}

@test "check-series: a test of KUnit that fails, or that did not run, fails" {
	small_kernel
	good_patches
	sed -i 's/two/bad_one/' "$driver/tests/a_kunit.c"
	change "test more"
	check_them
	[ "$failed" = $'1-memcache: KUnit\n1-memcache: all tests of KUnit have passed' ]
	sed -i 's/one),/last),/; s/bad_last/two/' "$driver/tests/a_kunit.c"
	change "end early"
	check_them
	[ "$failed" = "1-memcache: all tests of KUnit have passed" ]
	[[ $output == *"the sources have 2"* ]]
}
