# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Downloads Debian packages into the cache with a private apt. Its sources are those of
# the machine with the suite replaced; its package lists and its list of installed
# packages lie in the cache. Nothing on the machine changes, and root is not needed.
# It brings cache.sh and tools/lib.sh along.
# shellcheck source=tools/guest/cache.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/cache.sh"

# apt_release NAME [ARCHITECTURE]: make the functions below use this release of Debian, and
# know the packages of another architecture, too: PACKAGE:ARCHITECTURE.
apt_release() {
	DEBIAN=$1 APT_OTHER=${2:-} APT_DIR=$CACHE/apt
	[ "$DEBIAN" = bookworm ] || APT_DIR+=-$DEBIAN
	APT_DIR+=${APT_OTHER:+-$APT_OTHER}
	APT=(-c "$APT_DIR/apt.conf")
	case $DEBIAN in
	bookworm) suites="bookworm bookworm-backports" security=bookworm-security ;;
	sid) suites=sid security= ;;	# neither backports nor security updates
	*) suites=$DEBIAN security=$DEBIAN-security ;;
	esac
}
apt_release bookworm

# The machine's Debian archives, with their keys and options, as apt sources for the
# wanted release: one function reads deb822 files, the other one-line files.
apt_sources() {
	local own dir=/etc/apt
	# shellcheck source=/dev/null
	own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	shopt -s nullglob
	awk -v own="$own" -v want="$suites" -v security="$security" '
	BEGIN { RS = ""; FS = "\n" }
	{
		suites = " "; types = components = " "; off = 0; rest = ""
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^#/) continue
			key = $i ~ /^[^ \t]/ ? tolower($i) : key
			value = $i; sub(/^[^:]*:[ \t]*/, "", value)
			if (key ~ /^suites:/) suites = suites value " "
			else if (key ~ /^types:/) types = types value " "
			else if (key ~ /^components:/) components = components value " "
			else if (key ~ /^enabled:/) off = value ~ /^(no|false|0)/
			else rest = rest $i "\n"
		}
		if (off || types !~ / deb / || components !~ / main /) next
		new = ""
		if (index(suites, " " own " ") || suites ~ / (old)*stable | testing | unstable | sid /)
			new = want
		else if (suites ~ /-security /)
			new = security
		if (new)
			printf "Types: deb\nSuites: %s\nComponents: main\n%s\n", new, rest
	}' "$dir"/sources.list.d/*.sources /dev/null >"$1/machine.sources"
	awk -v own="$own" -v want="$suites" -v security="$security" '
	$1 == "deb" {
		options = ""
		if (match($0, /\[[^]]*\]/)) {
			options = substr($0, RSTART, RLENGTH) " "
			$0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
		}
		if ($0 !~ /[ \t]main([ \t]|$)/) next
		new = $3 ~ /-security$/ ? security : ""
		if ($3 == own || $3 ~ /^((old)*stable|testing|unstable|sid)$/)
			new = want
		n = split(new, suite, " ")
		for (i = 1; i <= n; i++)
			print "deb " options $2 " " suite[i] " main"
	}' "$dir"/sources.list "$dir"/sources.list.d/*.list /dev/null \
		2>/dev/null >"$1/machine.list" || true
	shopt -u nullglob
	[ -s "$1/machine.sources" ] || [ -s "$1/machine.list" ] ||
		die "found no Debian archive in this machine's apt sources ($dir)"
}

# apt_update: update the private package lists, unless they were updated a moment ago.
apt_update() (
	lock "$(basename "$APT_DIR")"
	[ -z "$(find "$APT_DIR/updated" -mmin -30 2>/dev/null)" ] || return 0
	mkdir -p "$APT_DIR"/{sources,new,lists/partial,archives/partial}
	# Another run may be downloading, and must always find a complete file.
	apt_sources "$APT_DIR/new"
	mv "$APT_DIR"/new/* "$APT_DIR/sources/"
	[ -e "$APT_DIR/status" ] || : >"$APT_DIR/status"
	cat >"$APT_DIR/new/apt.conf" <<-EOF
	APT::Architecture "amd64";
	#clear APT::Architectures;
	APT::Architectures { "amd64"; ${APT_OTHER:+\"$APT_OTHER\";} };
	APT::Sandbox::User "root";
	Acquire::Languages "none";
	#clear Acquire::IndexTargets::deb::DEP-11;
	#clear Acquire::IndexTargets::deb::CNF;
	#clear APT::Update;
	#clear DPkg::Post-Invoke;
	Dir::State "$APT_DIR";
	Dir::State::status "$APT_DIR/status";
	Dir::State::lists "$APT_DIR/lists";
	Dir::Cache "$APT_DIR";
	Dir::Cache::archives "$APT_DIR/archives";
	Dir::Etc::sourcelist "/dev/null";
	Dir::Etc::sourceparts "$APT_DIR/sources";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	EOF
	mv "$APT_DIR/new/apt.conf" "$APT_DIR/"
	say "reading Debian $DEBIAN's package lists"
	# One of several archives may lack a suite. A package that is missing for that
	# reason shows when it is asked for.
	if apt-get "${APT[@]}" -q update >&2; then
		touch "$APT_DIR/updated"
	else
		say "some package lists are missing; going on without"
	fi
)

# SUITE, here and below, is the suite to prefer. If it is empty, that is the release with
# its security updates.

# apt_depends SUITE PACKAGE: the names of the packages that the newest PACKAGE depends on.
apt_depends() {
	apt-cache "${APT[@]}" -o APT::Default-Release="$1" \
		--no-all-versions show "$2" 2>/dev/null |
		sed -n 's/^Depends: //p' | tr ',' '\n' | awk '{ print $1 }'
}

# apt_closure SUITE PACKAGE…: the names of these packages and of all that they need.
apt_closure() {
	local suite=$1
	shift
	apt-get "${APT[@]}" -s -o APT::Default-Release="$suite" \
		--no-install-recommends install "$@" |
		awk '$1 == "Inst" { print $2 }'
}

# apt_fetch SUITE DIRECTORY PACKAGE…: download the newest of these packages into DIRECTORY.
apt_fetch() {
	local suite=$1 dir=$2
	shift 2
	if [ $# -le 9 ]; then
		say "downloading: $*"
	else
		say "downloading: ${*:1:5} and $(($# - 5)) more"
	fi
	(cd "$dir" && apt-get "${APT[@]}" -q -o APT::Default-Release="$suite" download "$@" >&2) ||
		die "could not download: $*"
}

# apt_unpack DIRECTORY ROOT: replace the packages in DIRECTORY by their files, below ROOT.
apt_unpack() {
	local deb
	for deb in "$1"/*.deb; do
		dpkg-deb -x "$deb" "$2"
		rm "$deb"
	done
}
