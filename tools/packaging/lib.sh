# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Functions of the scripts that build packages: source it in place of tools/lib.sh. It changes to
# the top of the repository.

# shellcheck source=tools/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lib.sh"
cd "$TOP" || exit

# unpack DIRECTORY: make this directory anew, with the release in it, unpacked and as a
# tarball. Sets `tarball`, `release` (its version) and `version`, which is the same without
# hyphens: neither rpm nor pacman takes them, and ~rc1 sorts below the release. What is built has the
# time of the release.
unpack() {
	rm -rf "$1"
	mkdir -p "$1"
	tarball=$TOP/$("$TOP/tools/packaging/dist")
	release=${tarball##*/memcache-}
	release=${release%.tar.gz}
	version=${release/-rc/'~rc'} version=${version//-/+}
	tar -xf "$tarball" -C "$1"
	SOURCE_DATE_EPOCH=$(stat -c %Y "$1/memcache-$release/VERSION")
	export SOURCE_DATE_EPOCH version
}

# logged COMMAND…: what it prints goes to the log in $out, whose end is shown if it fails.
# shellcheck disable=SC2154	# the builder's
logged() {
	"$@" >"$out/log" 2>&1 && return
	tail -n 40 "$out/log" >&2
	die "the packages could not be built: $out/log"
}

# maintainer: the name and the address of those who maintain the packages.
maintainer() { sed -n 's/^Maintainer: //p' "$TOP/tools/packaging/debian/control"; }
