# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest `kcsan`: `debug` with a kernel that looks for data races.
# Sourced by tools/guest/run, which says what this file must define.
# shellcheck disable=SC2034,SC2154	# its variables
# shellcheck source=tools/guest/debug.sh
. "$here/debug.sh"

KERNEL=kcsan
