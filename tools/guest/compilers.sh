# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Compilers of another release of Debian, for its kernels. The configuration of these
# kernels was made for these compilers, and the programs of their kbuild need the libraries
# of that release. The compilers are unpacked below the kernel's directory and run on this
# machine once they know where their libraries lie; this takes no chroot, no container and
# no root. Sourced by tools/guest/kernel after apt.sh.

# compilers_packages SUITE HEADERS: the header package and all packages that it and clang
# need, except programs that this machine has anyway.
compilers_packages() {
	apt_closure "$1" "$2" clang | grep -vxE 'debconf|dpkg|perl-base|tar'
}

# compilers_settle ROOT FINAL: make the programs that are unpacked in ROOT run from FINAL.
# Each program gets its own dynamic loader and library path. The path also holds for
# libraries that have none.
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
