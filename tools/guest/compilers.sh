# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Compilers of another release of Debian, for its kernels: their configuration
# was made for them, and their kbuild's programs need that release's libraries.
# Unpacked below the kernel's directory they run on this machine as they are,
# once they know where their libraries lie: no chroot, no container, no root.
# Sourced by tools/guest/kernel after apt.sh.

# compilers_packages SUITE HEADERS: the header package, with all that it and
# clang need; not programs that are better taken from this machine.
compilers_packages() {
	apt_closure "$1" "$2" clang | grep -vxE 'debconf|dpkg|perl-base|tar'
}

# compilers_settle ROOT FINAL: what is unpacked in ROOT will be run from FINAL.
# Programs get their own dynamic loader and library path, which holds for their
# libraries, too, as long as these have none.
compilers_settle() {
	local root=$1 final=$2 where=usr/lib/x86_64-linux-gnu loader file
	loader=$where/ld-linux-x86-64.so.2
	[ -e "$root/$loader" ] || loader=${loader#usr/}
	find "$root/$where" -maxdepth 1 -type f -name 'lib*.so*' |
		while IFS= read -r file; do
			[ -z "$(patchelf --print-rpath "$file" 2>/dev/null)" ] ||
				patchelf --remove-rpath "$file"
		done
	find "$root" -type f -perm /111 ! -name '*.so*' |
		while IFS= read -r file; do
			patchelf --print-interpreter "$file" >/dev/null 2>&1 || continue
			patchelf --set-interpreter "$final/$loader" --force-rpath \
				--set-rpath "$final/$where:$final/${where#usr/}" "$file"
		done
}
