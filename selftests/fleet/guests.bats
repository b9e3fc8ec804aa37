#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A fleet of hosts with kernels of their own, which the playbook measures over ssh with the module.
# Five of them run User-Mode Linux, which is as fast as this machine. One of these is slow: see
# brake= in tools/guest/kernel-uml. The last one is Debian in QEMU, where the playbook installs the
# packages. All are reached in the network namespace of tools/check/fleet.

bats_require_minimum_version 1.5.0

HOSTS="node1 node2 node3 node4 node5"
SLOW=node4
DEBIAN=node6

# shellcheck source=selftests/fleet/ansible.bash
. "$BATS_TEST_DIRNAME/ansible.bash"

setup_file() {
	collection
	# Files in memory are read and written by the kernel, which is what the brake slows down.
	export WHAT='["latency size=4K,16K repeat=50", "bandwidth op=read,write size=16K repeat=50",
		"file op=write,read path=/dev/shm/f bytes=64K transfer=4K,16K repeat=500"]'
	export KERNEL=uml-fleet TIMEOUT=7200
	make -s -C "$TOP/tools/user"
	"$TOP/tools/guest/build" -k "$KERNEL"
	local host number
	for host in $HOSTS; do
		number=${host#node}
		ip tuntap add dev "tap$number" mode tap
		ip address add "192.0.2.$((4 * number + 1))/30" dev "tap$number"
		ip link set "tap$number" up
		sshd_config "$host" "192.0.2.$((4 * number + 2))" 22
		echo "$host ansible_host=192.0.2.$((4 * number + 2))" >>"$DIR/hosts"
		APPEND="vec0:transport=tap,ifname=tap$number" boot "$host"
	done
	for host in $HOSTS; do
		until on "$host" true; do
			kill -0 "$(<"$DIR/$host/pid")" || { cat "$DIR/$host/log"; return 1; }
			sleep 1
		done
	done
}

# boot HOST: start it in the background.
boot() {
	[ "$1" != $SLOW ] || APPEND+=" brake=3000"
	APPEND=$APPEND "$TOP/tools/guest/run" uml -- "$BATS_TEST_DIRNAME/host" "$DIR/$1" \
		>"$DIR/$1/log" 2>&1 3>&- &
	echo $! >"$DIR/$1/pid"
}

# on HOST COMMAND...: run it there.
on() {
	local address
	address=$(sed -n "s/^$1 ansible_host=//p" "$DIR/hosts")
	ssh -i "$DIR/key" -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no -o LogLevel=ERROR \
		-o ConnectTimeout=10 "root@$address" "${@:2}"
}

teardown_file() {
	local host
	for host in $HOSTS; do kill "$(<"$DIR/$host/pid")"; done
	wait
	[ ! -e "$DIR/$DEBIAN" ] || "$TOP/tools/guest/disk" stop "$DIR/$DEBIAN"
}

fleet() { "$TOP/tools/memcache/memcache" fleet "$DIR/results" "$@"; }

# measured HOST RUN: the play has measured all of WHAT on this host, in the kernel.
measured() {
	[[ $(recap "$1") == *"unreachable=0 failed=0"* ]]
	"$TOP/tools/check/schema" "$DIR/results/$2/$1.jsonl"
	[ "$(grep -c '"record":"result".*"where":"kernel"' "$DIR/results/$2/$1.jsonl")" -eq 8 ]
}

# slow HOSTS: of so many hosts, memcache fleet calls one slow, because of its files.
slow() {
	run -1 fleet -o "$DIR/fleet.json"
	python3 - "$DIR/fleet.json" "$1" "$SLOW" <<-END
		import json
		import sys
		found, hosts, slow = json.load(open(sys.argv[1], encoding="utf-8")), *sys.argv[2:]
		assert found["hosts"] == int(hosts), found
		assert [len(group["hosts"]) for group in found["groups"]] == [5], found
		assert [one["host"] for one in found["slow"]] == [slow], found
		assert {one["result"].split()[0] for one in found["slow"][0]["results"]} == {"file"}, found
	END
}

@test "five hosts, each with a kernel of its own" {
	for host in $HOSTS; do
		on "$host" uname -r
		on "$host" cat /proc/sys/kernel/random/boot_id >>"$DIR/boots"
	done
	cat /proc/sys/kernel/random/boot_id >>"$DIR/boots"
	[ "$(sort -u "$DIR/boots" | wc -l)" -eq 6 ]
}

@test "the playbook measures each of them, one after the other" {
	play all 1 -e measure_at_once=1
	cat "$DIR/said"
	for host in $HOSTS; do
		measured "$host" 1
	done
}

@test "measured once, the slow host is to be measured again" {
	run -125 fleet
	fleet --again >"$DIR/again" || [ $? -eq 125 ]
	grep -x $SLOW "$DIR/again"
}

@test "measured again, it is the slow one, and no other is" {
	play "@$DIR/again" 2 -e measure_at_once=1
	cat "$DIR/said"
	measured $SLOW 2
	slow 5
}

@test "on Debian in QEMU, the playbook installs the packages, and measures with DKMS's module" {
	PACKAGES=$FLEET_PACKAGES "$TOP/tools/guest/disk" start "$DIR/$DEBIAN" 3>&-
	there() { ssh -F "$DIR/$DEBIAN/ssh_config" root@guest "$@"; }
	# The packages are in a source of the host's apt, which knows no other.
	mkdir "$DIR/packages"
	cp "$TOP"/build/packages/deb/memcache-{dkms,tools}_*.deb "$DIR/packages/"
	(cd "$DIR/packages" && dpkg-scanpackages --multiversion . >Packages)
	tar -C "$DIR" -cf - packages | there tar -C /opt -xf -
	there 'echo "deb [trusted=yes] file:/opt/packages ./" >/etc/apt/sources.list
		rm -f /etc/apt/sources.list.d/*
		apt-get -q update'
	echo "$DEBIAN ansible_host=127.0.0.1 measure_install=package" \
		"ansible_port=$(sed -n 's/^Port //p' "$DIR/$DEBIAN/ssh_config")" \
		"ansible_ssh_private_key_file=$DIR/$DEBIAN/key" >>"$DIR/hosts"
	play $DEBIAN 1
	cat "$DIR/said"
	measured $DEBIAN 1
	there dkms status | tee "$DIR/dkms"
	grep "^memcache/.*: installed" "$DIR/dkms"
	there modinfo -F filename memcache | grep /updates/dkms/
	slow 6
}
