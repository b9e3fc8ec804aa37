# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Directories of the cache. One run makes a directory as a whole, and all runs use it.
# Its name contains a digest of its recipe, so checkouts whose scripts differ don't
# disturb each other. A file in it lists its contents. It brings tools/lib.sh along.
# shellcheck source=tools/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lib.sh"

# made_by FUNCTION…: a digest, twelve digits, of the code of these functions, without
# their comments, and of stdin.
made_by() { { declare -f "$@"; cat; } | sha1sum | cut -c1-12; }

# contents DIR: the size and name of each file in it, except those that are made from
# its contents later.
contents() {
	find "$1/" -mindepth 1 \( -name .contents -o -name 'initramfs-*' -o -name '*-clang*' \) \
		-prune -o \( -type f -o -type l \) -printf '%s %P\n' | LC_ALL=C sort
}

# damage DIR: the name of a file that is missing or has another size; fails if there is none.
damage() {
	local gone='0 its list of contents'
	[ ! -s "$1/.contents" ] || gone=$(contents "$1" | LC_ALL=C comm -13 - "$1/.contents")
	[ -n "$gone" ] || return 1
	gone=${gone%%$'\n'*}
	echo "${gone#* }"
}

# whole DIR: succeeds if the directory exists and nothing in it is damaged.
whole() { [ -d "$1" ] && ! damage "$1" >/dev/null; }

# needed DIR: succeeds if the directory has to be made; says why if it exists but is damaged.
needed() {
	local what
	[ -d "$1" ] || return 0
	what=$(damage "$1") || return 1
	say "$1 is damaged ($what) and made anew"
}

# in_use DIR: no other run replaces the directory until the calling shell and the programs
# that it starts have ended. Nobody replaces one outside the cache.
in_use() { [[ $1 != "$CACHE"/* ]] || lock "use-$(basename "$1")" -s; }

# put NEW DIR: move NEW to DIR as soon as no run uses the old DIR.
put() (
	contents "$1" >"$1/.contents"
	lock "use-$(basename "$2")"
	rm -rf "$2"
	mv -T "$1" "$2"
)

# outdated DIR: succeeds if the directory has to be made anew although nothing in it is damaged.
# Scripts that know such a reason redefine it.
outdated() { return 1; }

# provide PHASE DIR MAKE…: make the directory DIR unless the cache has it. MAKE… fills the empty
# directory $tmp, which then becomes DIR. PHASE is what its time counts as.
provide() {
	local made=${2%-????????????} tmp
	tmp=${made%/*}/.${made##*/}.$$
	if [ -n "${MEMCACHE_SILENT:-}" ] && ! grep -qsxF "$2" "$MEMCACHE_PROVIDED"; then
		die "a test that is judged by its silence needs $made, which was not made before it"
	fi
	[ ! -w "${MEMCACHE_PROVIDED:-}" ] || echo "$2" >>"$MEMCACHE_PROVIDED"
	if ! whole "$2" || outdated "$2"; then
		fill "$@"
	fi
	touch "$2"
}

# fill PHASE DIR MAKE…: as provide, for a directory that is probably not there.
fill() (
	phase "$1"
	made=${made#"$CACHE"/}
	lock "${made//\//-}"
	needed "$2" || outdated "$2" || return 0
	mkdir -p "${tmp%/*}"
	rm -rf "${tmp%.*}".*	# of runs that were cut short
	trap 'rm -rf "$tmp"' EXIT
	mkdir "$tmp"
	"${@:3}"
	put "$tmp" "$2"
	forget "${2%/*}" "${made##*/}"
) >&2

# forget PARENT NAME: remove directories of other recipes that no run has used for a week.
forget() (
	find "$1" -mindepth 1 -maxdepth 1 -type d -name "$2-????????????" -mtime +7 |
		while IFS= read -r old; do
			exec 9>"$CACHE/.lock-use-$(basename "$old")"
			! flock -n 9 || rm -rf "$old"
		done
)
