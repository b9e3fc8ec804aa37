# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Builds a kernel from Debian's source in the cache, for kernel-uml, kernel-debug and
# kernel-kcsan. They source it with `here` set, then set
#   name     the kernel's name: kernel-NAME builds it, with the options in NAME.config
#   shared   an array of other files of the recipe; may be left out
#   title    what it is and how long it takes, for the user
#   files    about how many files are compiled
#   others   an array of directories that neither this kernel nor its Kconfig needs
#   options  options for make
#   targets  targets for make
#   image    the target that is the kernel: it is put next to build/
#   parts    what a module's build needs, besides Makefile, include and scripts
#   adapt    a function that changes the source or the options, where that is necessary
# and call `compiled`, which prints the directory, or `unpacked DIR`.
# shellcheck disable=SC2154	# its variables
# shellcheck source=tools/guest/apt.sh
. "$here/apt.sh"

shared=()
adapt() { :; }

kmake() { make CC=gcc-12 HOSTCC=gcc-12 LOCALVERSION=-memcache "${options[@]}" "$@"; }

# Report progress after each 100 files; the rest of make's output goes to the log.
progress() {
	awk -v to="$1" -v files="$files" '
	{ print >to }
	/^  (CC|AS|HOSTCC) / && ++n % 100 == 0 {
		printf "memcache: %d of about %d files\n", n, files >"/dev/stderr"
	}'
}

compile() {
	local log=$CACHE/kernels/$name.log missing
	kmake -s allnoconfig KCONFIG_ALLCONFIG="$config"
	# Kconfig silently drops an option that no longer exists or that needs another one.
	missing=$(grep '^CONFIG_' "$config" | grep -vxFf .config) &&
		die "not in the kernel's configuration: $missing"
	kmake -j"$(nproc)" "${targets[@]}" 2>&1 | progress "$log" || {
		grep -E 'error:|\*\*\*' "$log" | tail -n 20 >&2
		die "the kernel does not build: $log"
	}
	rm -f "$log"
}

# build: fill $tmp with the kernel.
build() {
	local source
	source=$("$here/source" 6.1)
	mkdir "$tmp"/{source,build}
	phase fetching
	apt_update
	apt_fetch "" "$tmp" busybox-static
	dpkg-deb --fsys-tarfile "$tmp"/*.deb | tar -xf - -C "$tmp" --strip-components=2 ./bin/busybox
	rm "$tmp"/*.deb
	phase building
	say "building $title"
	tar -xJf "$source/linux.tar.xz" -C "$tmp/source" --strip-components=1 \
		"${others[@]/#/--exclude=linux-source-6.1/}"
	cd "$tmp/source" || return
	adapt
	compile
	kmake -s kernelrelease >"$tmp/release"
	mv "$image" "$tmp/"
	tar -cf - --exclude='*.[acoS]' .config Makefile Module.symvers include scripts "${parts[@]}" |
		tar -xf - -C "$tmp/build"
	rm -rf "$tmp/source"
}

# unpacked DIR: unpack the source into the new directory DIR, changed as this kernel needs.
unpacked() {
	local source
	source=$("$here/source" 6.1)
	mkdir "$1"
	tar -xJf "$source/linux.tar.xz" -C "$1" --strip-components=1 \
		"${others[@]/#/--exclude=linux-source-6.1/}"
	cd "$1" || return
	adapt
}

compiled() {
	config=$here/$name.config
	recipe=("${shared[@]}" "$config" "$here/kernel-$name")
	# Another recipe makes another kernel, in a directory of its own.
	dir=$CACHE/kernels/$name-$(grep -hv '^#' "${recipe[@]}" | made_by kmake compile build)
	"$here/../setup" kernel
	[ "$name" != debug ] || "$here/../setup" debug
	provide building "$dir" build
	echo "$dir"
}
