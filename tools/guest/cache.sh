# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Directories of the cache: each is made as a whole by one run, for all. Its name has
# what it was made by, so checkouts whose scripts differ don't disturb each other; a list
# in it has what it consists of. Source it after lib.sh.

# made_by FUNCTION…: twelve digits for what these do (what their comments say does not
# count) and for what is on stdin.
made_by() { { [ $# -eq 0 ] || declare -f "$@"; cat; } | sha1sum | cut -c1-12; }

# contents DIR: a size and a name for all in it; not what is made from it afterwards.
contents() {
	find "$1/" -mindepth 1 \( -name '.contents*' -o -name 'initramfs-*' -o -name '*-clang*' \) \
		-prune -o \( -type f -o -type l \) -printf '%s %P\n' | LC_ALL=C sort
}

# damage DIR: what of it is missing, or is not as large as it was; fails if nothing is.
damage() {
	local gone='0 its list of contents'
	[ ! -s "$1/.contents" ] || gone=$(contents "$1" | LC_ALL=C comm -13 - "$1/.contents")
	[ -n "$gone" ] || return 1
	gone=${gone%%$'\n'*}
	echo "${gone#* }"
}

# whole DIR: it is there, with all that it consists of.
whole() { [ -d "$1" ] && ! damage "$1" >/dev/null; }

# needed DIR: it has to be made; says why if that is a surprise.
needed() {
	local what
	[ -d "$1" ] || return 0
	what=$(damage "$1") || return 1
	say "$1 is damaged ($what) and made anew"
}

# in_use DIR: until the calling shell and what it starts have ended, nobody replaces it.
in_use() { lock "use-$(basename "$1")" -s; }

# put NEW DIR: NEW becomes DIR, as soon as nobody uses what is there.
put() (
	contents "$1" >"$1/.contents"
	lock "use-$(basename "$2")"
	rm -rf "$2"
	mv -T "$1" "$2"
)

# adopt OLD DIR CHECK…: OLD was made when caches had neither lists of contents nor all of
# the recipe in their names. Once, if CHECK OLD succeeds, it is taken for DIR.
adopt() (
	[ -d "$1" ] && [ ! -e "$2" ] && [ ! -e "$1/.contents" ] || return 0
	lock "adopt-$(basename "$2")"
	[ ! -e "$2" ] && "${@:3}" "$1" || return 0
	contents "$1" >"$1/.contents.$$"
	mv "$1/.contents.$$" "$1/.contents"
	ln -s "$(basename "$1")" "$2"
)

# forget PARENT NAME: those of other recipes that nobody has asked for in a week.
forget() (
	find "$1" -mindepth 1 -maxdepth 1 -type d -name "$2-????????????" -mtime +7 |
		while IFS= read -r old; do
			exec 9>"$CACHE/.lock-use-$(basename "$old")"
			! flock -n 9 || rm -rf "$old"
		done
)
