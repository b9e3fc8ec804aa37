#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest kernels come from the machine's own Debian archives, in whichever format these are
# configured, and from no other archive.

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export MEMCACHE_CACHE=$BATS_TEST_TMPDIR/cache
	export APT_ETC=$BATS_TEST_TMPDIR/etc
	out=$BATS_TEST_TMPDIR/out
	mkdir -p "$APT_ETC/sources.list.d" "$out"
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
}

# sources [RELEASE]: print the sources for this release, by default the guests' usual one.
sources() {
	bash -c '. "$0/tools/lib.sh"; . "$0/tools/guest/apt.sh"
		[ $# -eq 1 ] || apt_release "$2"; apt_sources "$1"' "$TOP" "$out" "$@"
}

@test "one-line files: the suite is replaced, options and mirror stay" {
	cat >"$APT_ETC/sources.list" <<-END
		# deb http://commented.example/debian $codename main
		deb [arch=amd64 signed-by=/k.gpg] http://a.example/debian $codename main contrib
		deb-src http://a.example/debian $codename main
		deb http://a.example/debian $codename-updates main
		deb http://a.example/security $codename-security main
		deb http://other.example/debian $codename stable
		deb http://other.example/thing nodistro main
	END
	sources
	diff - "$out/machine.list" <<-'END'
		deb [arch=amd64 signed-by=/k.gpg] http://a.example/debian bookworm main
		deb [arch=amd64 signed-by=/k.gpg] http://a.example/debian bookworm-backports main
		deb http://a.example/security bookworm-security main
	END
}

@test "deb822 files: likewise, with keys that are written right there" {
	cat >"$APT_ETC/sources.list.d/debian.sources" <<-END
		Types: deb deb-src
		# a remark
		URIs: http://a.example/debian http://b.example/debian
		Suites: $codename $codename-updates
		Components: main non-free-firmware
		Signed-By:
		 -----BEGIN PGP PUBLIC KEY BLOCK-----
		 .
		 Types: none
		 -----END PGP PUBLIC KEY BLOCK-----

		Enabled: no
		Types: deb
		URIs: http://off.example/debian
		Suites: $codename
		Components: main

		Types: deb
		URIs: http://a.example/security
		Suites: stable-security
		Components: main
	END
	sources
	diff - "$out/machine.sources" <<-'END'
		Types: deb
		Suites: bookworm bookworm-backports
		Components: main
		URIs: http://a.example/debian http://b.example/debian
		Signed-By:
		 -----BEGIN PGP PUBLIC KEY BLOCK-----
		 .
		 Types: none
		 -----END PGP PUBLIC KEY BLOCK-----

		Types: deb
		Suites: bookworm-security
		Components: main
		URIs: http://a.example/security

	END
}

@test "another release: an older one has security updates, sid has one suite only" {
	cat >"$APT_ETC/sources.list" <<-END
		deb http://a.example/debian $codename main
		deb http://a.example/security $codename-security main
	END
	cat >"$APT_ETC/sources.list.d/debian.sources" <<-END
		Types: deb
		Suites: stable-security
		Components: main
		URIs: http://b.example/security
	END
	sources bullseye
	diff - "$out/machine.list" <<-'END'
		deb http://a.example/debian bullseye main
		deb http://a.example/security bullseye-security main
	END
	grep -x "Suites: bullseye-security" "$out/machine.sources"
	sources sid
	diff - "$out/machine.list" <<<"deb http://a.example/debian sid main"
	[ ! -s "$out/machine.sources" ]
}

@test "each release has lists of its own" {
	[ "$(bash -c '. "$0/tools/lib.sh"; . "$0/tools/guest/apt.sh"; echo "$APT_DIR"
		apt_release sid; echo "$APT_DIR ${APT[*]}"' "$TOP")" = \
		"$MEMCACHE_CACHE/apt"$'\n'"$MEMCACHE_CACHE/apt-sid -c $MEMCACHE_CACHE/apt-sid/apt.conf" ]
}

@test "packages of another architecture have lists of their own" {
	[ "$(bash -c '. "$0/tools/lib.sh"; . "$0/tools/guest/apt.sh"
		apt_release bookworm arm64; echo "$APT_DIR"' "$TOP")" = "$MEMCACHE_CACHE/apt-arm64" ]
}

@test "a machine without a Debian archive is told so" {
	echo "deb http://other.example/thing nodistro main" >"$APT_ETC/sources.list"
	run sources
	[ "$status" -eq 1 ]
	[[ $output == "memcache: found no Debian archive"* ]]
}
