#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernels of all releases: which one is used, how the module is built for it, and how the
# checks count.

setup() {
	# shellcheck source=selftests/host/stubs.bash
	. "$BATS_TEST_DIRNAME/stubs.bash"
	# shellcheck source=selftests/host/archive.bash
	. "$BATS_TEST_DIRNAME/archive.bash"
	export MEMCACHE_CACHE=$BATS_TEST_TMPDIR/cache APT_ETC=$BATS_TEST_TMPDIR/etc
	export MEMCACHE_NO_SETUP=1
	mkdir -p "$APT_ETC/sources.list.d"
	echo "deb http://a.example/debian stable main" >"$APT_ETC/sources.list"
}

# cached NAME RELEASE: put the kernel into the cache.
cached() {
	archive "$2"
	dir=$("$TOP/tools/guest/kernel" "$1")
	rm "$calls" "$MEMCACHE_CACHE"/apt*/updated
}

# offer IMAGE: let the archive offer this image; nothing can be downloaded from it.
offer() {
	stub apt-cache "echo 'Depends: linux-base, $1 (= 5.10.262-1)'"
	stub apt-get "echo \"\$*\" >>$calls
		case \$* in
		*update) ;;
		*install*) echo Inst gcc-10 ;;
		*) exit 1 ;;
		esac"
}

@test "a kernel in the cache is taken as it is, unasked" {
	cached 5.10 5.10.0-46-amd64
	offer linux-image-5.10.0-47-amd64
	[ "$("$TOP/tools/guest/kernel" 5.10)" = "$dir" ]
	[ ! -e "$calls" ]
}

@test "NEWEST=1: kept if it is the newest, else another is fetched" {
	cached 5.10 5.10.0-46-amd64
	export NEWEST=1
	offer linux-image-5.10.0-46-amd64
	[ "$("$TOP/tools/guest/kernel" 5.10)" = "$dir" ]
	[[ $(<"$calls") != *download* ]]
	offer linux-image-5.10.0-47-amd64
	run "$TOP/tools/guest/kernel" 5.10
	[ "$status" -ne 0 ]
	grep -E "download .*linux-image-5.10.0-47-amd64" "$calls"
	[ "$(<"$dir/release")" = 5.10.0-46-amd64 ]
}

@test "6.1-rt is a flavour of 6.1" {
	cached 6.1-rt 6.1.0-56-rt-amd64
	offer linux-image-6.1.0-56-rt-amd64
	stub apt-cache "echo \"\$*\" >>$calls; echo 'Depends: linux-image-6.1.0-56-rt-amd64 (= 6.1.192-2)'"
	[ "$(NEWEST=1 "$TOP/tools/guest/kernel" 6.1-rt)" = "$dir" ]
	grep -E "show linux-image-rt-amd64$" "$calls"
}

@test "6.1-arm64: packages of arm64, but kbuild of this machine" {
	archive 6.1.0-56-arm64
	stub apt-cache "case \${!#} in
		linux-image-arm64:arm64) echo 'Depends: linux-image-6.1.0-56-arm64 (= 6.1.180-2)' ;;
		linux-headers-6.1.0-56-arm64:arm64)
			echo 'Depends: linux-headers-6.1.0-56-common (= 6.1.180-2), linux-kbuild-6.1, gcc-12' ;;
		esac"
	dir=$("$TOP/tools/guest/kernel" 6.1-arm64)
	grep -E "download linux-image-6.1.0-56-arm64:arm64 linux-headers-6.1.0-56-arm64:arm64 busybox-static:arm64 linux-headers-6.1.0-56-common linux-kbuild-6.1$" "$calls"
	grep 'APT::Architectures { "amd64"; "arm64"; };' "$MEMCACHE_CACHE/apt-arm64/apt.conf"
	[ "$(<"$dir/release")" = 6.1.0-56-arm64 ]
	cmp "$dir/vmlinuz" "$dir/vmlinux"
	[[ $(<"$dir/build/Makefile") != */usr/src/linux* ]]
}

@test "a release that lacks a part is told so" {
	offer linux-image-5.10.0-47-amd64
	stub apt-get "[ \"\${!#}\" = update ]"
	NEWEST=1 run "$TOP/tools/guest/kernel" 5.10
	[ "$status" -eq 1 ]
	[[ $output == *"bullseye has not all that linux-headers-5.10.0-47-amd64 and clang need" ]]
}

@test "a release that offers another kernel than it should: said so" {
	offer linux-image-5.11.0-1-amd64
	NEWEST=1 run "$TOP/tools/guest/kernel" 5.10
	[ "$status" -eq 1 ]
	[[ $output == *"bullseye offers linux-image-5.11.0-1-amd64, not a 5.10" ]]
}

@test "the newest in unstable has any number" {
	cached unstable 9.9.1+deb15-amd64
	offer linux-image-9.9.1+deb15-amd64
	NEWEST=1 run "$TOP/tools/guest/kernel" unstable
	[ "$status" -eq 0 ]
}

@test "clang's answers: =n takes one away, before N is for older ones" {
	mkdir -p "$BATS_TEST_TMPDIR/include"/{config,generated}
	cat >"$BATS_TEST_TMPDIR/answers" <<-'END'
		CONFIG_CLANG_VERSION=CLANG_MAJOR0000
		CONFIG_GONE=n
		CONFIG_OLD=n before 15
		CONFIG_NEW=y before 16
	END
	for major in 14 21; do
		printf '%s\n' CONFIG_CLANG_VERSION=0 CONFIG_GONE=y CONFIG_OLD=y CONFIG_LAST=y \
			>"$BATS_TEST_TMPDIR/include/config/auto.conf"
		sed 's/^/#define /; s/=y/ 1/; s/=/ /' "$BATS_TEST_TMPDIR/include/config/auto.conf" \
			>"$BATS_TEST_TMPDIR/include/generated/autoconf.h"
		bash -c '. "$0/tools/guest/clang.sh"; for_clang "$@"' "$TOP" \
			"$BATS_TEST_TMPDIR/include" "$BATS_TEST_TMPDIR/answers" "$major"
		sort "$BATS_TEST_TMPDIR/include/config/auto.conf" >"$BATS_TEST_TMPDIR/$major"
		sed 's/^#define //; s/ 1$/=y/; s/ /=/' \
			"$BATS_TEST_TMPDIR/include/generated/autoconf.h" | sort |
			diff - "$BATS_TEST_TMPDIR/$major"
	done
	diff "$BATS_TEST_TMPDIR/14" - <<<$'CONFIG_CLANG_VERSION=140000\nCONFIG_LAST=y\nCONFIG_NEW=y'
	diff "$BATS_TEST_TMPDIR/21" - <<<$'CONFIG_CLANG_VERSION=210000\nCONFIG_LAST=y\nCONFIG_OLD=y'
}

@test "what a kernel has is a declaration, not a comment" {
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/include/linux"
	flags() {
		make -s -f - srctree="$tree" src="$TOP/module" <<-END
			all: ; @echo "\$(filter -D%,\$(ccflags-y))"
			include $TOP/module/Kbuild
		END
	}
	cat >"$tree/include/linux/mm.h" <<-'END'
		/* To modify vm_flags call vm_flags_set() or vm_flags_clear(). */
	END
	[ -z "$(flags | tr -d ' ')" ]
	cat >"$tree/include/linux/mm.h" <<-'END'
		static inline void vm_flags_set(struct vm_area_struct *vma,
	END
	[[ $(flags) == *-DMC_HAVE_VM_FLAGS_SET* ]]
}

@test "tap.py counts what it reads" {
	out=$(printf '%s\n' 1..3 'ok 1 a' 'not ok 2 b' 'ok 3 c # SKIP d' |
		python3 -B "$TOP/tools/check/tap.py")
	[ "$out" = "1 passed, 1 failed, 1 skipped" ]
}
