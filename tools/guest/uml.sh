# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest `uml`: User-Mode Linux, a kernel that is a process of this machine:
# native speed, one CPU, write-back only.
# Sourced by tools/guest/run, which says what this file must define.
# shellcheck disable=SC2034,SC2154	# its variables

packages=uml

guest_settings() {
	name=uml
	case ${KERNEL:-} in
	uml-fleet | */*) name=$KERNEL ;;	# with a network; or one that bisect-uml has built
	esac
	[ "${CPUS:-1}" = 1 ] || die "CPUS=$CPUS: User-Mode Linux has one CPU"
}

guest_prepare() { about="1 CPU, $mib MiB"; }

# tty0 is the console, tty1 the port for the command's output. Messages from before the
# kernel has a console, and from its death, go to its stderr anyway. The guest's memory is
# a file; without TMPDIR the kernel puts it on a filesystem in memory.
#
# The kernel and the processes in it are processes of the host, one of which runs at a time. All
# stay on the CPU on which they start: a switch to a process on another CPU has to wake up that CPU,
# which makes a guest twice as slow. Field 39 of stat is the CPU (proc(5)).
guest_command() {
	# shellcheck disable=SC2016,SC2054	# for that shell to expand; UML's commas
	command=(env -u TMPDIR -u TMP -u TEMP bash -c '
		read -ra stat </proc/self/stat
		exec taskset -c "${stat[38]}" "$@" 2>"$0"' "$log"
		"$kernel/linux" "mem=${mib}M" "initrd=$tmp/initrd" "uml_dir=$tmp/" umid=uml
		noreboot con=null con0=null,fd:2 con1=null,fd:1 console=tty0 loglevel=5)
	# The kernel takes several words in one argument, too.
	command+=(${APPEND:+"$APPEND"})
}
