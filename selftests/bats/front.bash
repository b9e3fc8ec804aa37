# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests of the front end on the loaded module.

load "${BASH_SOURCE[0]%/*}/module.bash"

setup_file() {
	export COLUMNS=200
	insmod "$MEMCACHE_KO"
	TOP=$(cd "$HERE/../.." && pwd)
	export TOP PATH=$TOP/tools/memcache:$PATH
}

setup() { cd "$BATS_TEST_TMPDIR" || return; }
