# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest `debug`: `stock` with a kernel of our own that looks for mistakes.
# Sourced by tools/guest/run, which says what this file must define.
# shellcheck disable=SC2034,SC2154	# its variables
# shellcheck source=tools/guest/stock.sh
. "$here/stock.sh"

KERNEL=debug
# Races show where CPUs do run at once.
tcg=tcg
# On the usual machine, ACPI runs a program for each device to route its interrupts. That
# took a minute in this kernel; q35 has a table instead.
machine=q35,sata=off,smm=off,vmport=off
# KASAN must report more than the first error. The check that the timer works is off: it
# fails in a guest that does not always get its CPU.
options="kasan_multi_shot no_timer_check pnpacpi=off"
