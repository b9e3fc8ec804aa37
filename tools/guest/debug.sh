# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest `debug`: `stock` with a kernel of our own that looks for mistakes.
# Sourced by tools/guest/run, which says what is needed here.
# shellcheck disable=SC2034,SC2154	# its variables
# shellcheck source=tools/guest/stock.sh
. "$here/stock.sh"

KERNEL=debug
# To find out where its interrupts go, the usual machine has ACPI run a program for
# each device: that took a minute here, and q35 has a table.
machine=q35,sata=off,smm=off,vmport=off
# One report from KASAN is not enough; whether a timer works can't be told from a
# guest that is not always given its CPU.
options="kasan_multi_shot no_timer_check pnpacpi=off"
