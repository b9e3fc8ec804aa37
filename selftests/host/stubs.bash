# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Stubs for commands that would change this machine.
# shellcheck disable=SC2034 # used by those who source this

TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
mkdir -p "$BATS_TEST_TMPDIR/bin"
PATH=$BATS_TEST_TMPDIR/bin:$PATH

# stub NAME SCRIPT: from now on NAME runs this script.
stub() {
	printf '#!/bin/bash\n%s\n' "$2" >"$BATS_TEST_TMPDIR/bin/$1"
	chmod +x "$BATS_TEST_TMPDIR/bin/$1"
}

# spy NAME: from now on NAME only records its calls in $calls.
calls=$BATS_TEST_TMPDIR/calls
spy() { stub "$1" "echo \"$1 \$*\" >>$calls"; }
