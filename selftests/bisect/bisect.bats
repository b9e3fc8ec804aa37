#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/bisect on real kernels. A git tree with the source of Linux 6.1 has a commit since which
# tmpfs is read more slowly, among others that change nothing of it. The kernels run in User-Mode
# Linux. It is about time, so the machine should do nothing else.

bats_require_minimum_version 1.5.0

# commit MESSAGE FILE SED: change a file in this way. The change gets the next tag: c0, c1, c2, …
commit() {
	sed -i "$3" "$tree/$2"
	git -C "$tree" commit -qam "$1"
	number=$((number + 1))
	git -C "$tree" tag "c$number"
}

# planted: reads of tmpfs sum up the beginning of each page before they copy it.
planted() {
	commit 'tmpfs: sum up the beginning of each page' mm/shmem.c \
		'1,/^#include/s|^#include|#include <asm/checksum.h>\n&|
		s|^\t*ret = copy_page_to_iter(page, offset, nr, to);|\
			WARN_ON_ONCE(csum_partial(page_address(page), 384, 0) == 1);\n&|'
	echo "c$number" >"$tree.slow"
}

# The others change comments, messages, and code that is not run meanwhile.
commits() {
	rm -rf "$tree"
	"$TOP/tools/guest/kernel-uml" source "$tree"
	git -C "$tree" init -q
	git -C "$tree" add -A --force
	git -C "$tree" commit -qm 'Linux 6.1'
	git -C "$tree" tag c0
	commit 'init: shorten a message' init/main.c 's/Run %s as init process/Run %s as init/'
	commit 'printk: mend a comment' kernel/printk/printk.c '1,9s/Modified to/Changed to/'
	commit 'mm: say what kstrdup_const() returns' mm/util.c \
		's/source string if it is in .rodata section/@s itself if it is in .rodata/'
	commit 'panic: another word' kernel/panic.c 's/Kernel panic - not syncing/Panic - not syncing/'
	commit 'reboot: say it louder' kernel/reboot.c 's/Power down/Power down now/'
	commit 'fs: a longer name for a cache' fs/inode.c 's/"inode_cache"/"the_inode_cache"/'
	commit 'lib: another word in a test' lib/random32.c 's/self tests passed/tests passed/'
	planted
	commit 'driver core: fewer words' drivers/base/core.c 's/Linked as a fwnode consumer to/Linked to/'
	commit 'proc: a comment' fs/proc/base.c '1,30s/proc base directory/the base directory of proc/'
	commit 'debugfs: fewer words' fs/debugfs/inode.c 's/already present/is there/'
	commit 'random: another word' drivers/char/random.c 's/crng init done/crng is ready/'
}

setup_file() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export TOP tree=$TOP/build/bisect-tree number=0
	export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org
	export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
	commits
}

# bisected GOOD BAD: run tools/bisect on the tree. Afterwards nothing of its work tree is left.
# A round takes milliseconds, and the machine may be slow for just as long. So a boot measures many
# rounds, whose median such moments do not change.
bisected() {
	local status=0
	"$TOP/tools/bisect" -C "$tree" "$1" "$2" -- \
		--rounds 40 'file op=write,read path=/dev/shm/f bytes=64K transfer=4K repeat=300' \
		>"$tree.found" 2>"$tree.said" 3>&- || status=$?
	sed 's/^/# /' "$tree.said" "$tree.found" >&3
	[ "$(git -C "$tree" worktree list | wc -l)" -eq 1 ]
	return "$status"
}

@test "the commit since which tmpfs is slower, and no other" {
	bisected c0 c12
	grep -x "commit $(git -C "$tree" rev-parse "$(<"$tree.slow")")" "$tree.found"
}

@test "the commits before it do not differ, so nothing is bisected" {
	run -1 bisected c0 c7
	grep 'do not differ clearly, so there is nothing to find' "$tree.said"
	run ! grep Bisecting "$tree.said"
}
