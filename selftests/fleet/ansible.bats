#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The collection for Ansible, over ssh: hosts are sshds on this machine's loopback, in a network
# namespace of their own (see tools/check/fleet). They measure in user space.

load ../bats/words.bash

HOSTS="node1 node2 node3"

# shellcheck source=selftests/fleet/ansible.bash
. "$BATS_TEST_DIRNAME/ansible.bash"

setup_file() {
	collection
	export WHAT='["bandwidth size=16K repeat=3"]'
	make -s -C "$TOP/tools/user"
	mkdir -p /run/sshd
	local port=2201 host
	for host in $HOSTS bare; do
		sshd_config "$host" 127.0.0.1 "$port"
		echo "$host ansible_host=127.0.0.1 ansible_port=$port" \
			"measure_directory=$DIR/$host/var ansible_async_dir=$DIR/$host/async" >>"$DIR/hosts"
		port=$((port + 1))
	done
	echo "dead ansible_host=127.0.0.1 ansible_port=2299" >>"$DIR/hosts"
	for host in $HOSTS; do
		/usr/sbin/sshd -f "$DIR/$host/sshd_config" -E "$DIR/$host/log" 3>&-
	done
	# A host without any module or header of its kernel.
	mkdir -p "$DIR/empty"
	# shellcheck disable=SC2016 # for that shell
	unshare --mount sh -ec '[ ! -d /lib/modules ] || mount --bind "$1/empty" /lib/modules
		exec /usr/sbin/sshd -f "$1/bare/sshd_config" -E "$1/bare/log"' sh "$DIR" 3>&-
}

teardown_file() {
	local pid
	for pid in "$DIR"/*/sshd.pid; do kill "$(<"$pid")"; done
}

@test "ansible-lint has nothing to say" {
	cd "$TOP/tools/fleet/ansible"
	ansible-lint --offline --strict --profile production
}

@test "the collection can be built" {
	ansible-galaxy collection build --output-path "$DIR/built" "$TOP/tools/fleet/ansible"
	tar -tf "$DIR"/built/memcache-fleet-*.tar.gz | grep -x roles/measure/files/memcache-once
}

@test "hosts are measured, and a second play changes nothing" {
	play node1,node2,node3 first -e measure_where=user
	cat "$DIR/said"
	for host in $HOSTS; do
		"$TOP/tools/check/schema" "$DIR/results/first/$host.jsonl"
	done
	play node1,node2,node3 first -e measure_where=user
	cat "$DIR/said"
	for host in $HOSTS; do
		[[ $(recap "$host") == *"changed=0 unreachable=0 failed=0"* ]]
	done
	run -125 "$TOP/tools/memcache/memcache" fleet "$DIR/results/first"
	[[ $output == *"3 hosts in 0 groups"* ]]
}

@test "the controller is killed: hosts go on, and the next play fetches what they measured" {
	local long='{"measure_what": ["bandwidth size=1M repeat=3000"]}' pid host
	setsid ansible-playbook -i "$DIR/hosts" -l node1,node2 -e measure_run=killed \
		-e measure_where=user -e "$long" memcache.fleet.measure >"$DIR/said" 2>&1 3>&- &
	pid=$!
	for host in node1 node2; do
		await "$pid" grep -qs . "$DIR/$host/var/killed.part" "$DIR/$host/var/killed.jsonl"
	done
	kill -KILL -- "-$pid"
	[ ! -e "$DIR/results/killed/node1.jsonl" ]
	play node1,node2 killed -e measure_where=user -e "$long"
	cat "$DIR/said"
	for host in node1 node2; do
		# It has copied nothing and measured nothing, but fetched.
		[[ $(recap "$host") == *"changed=1 unreachable=0 failed=0"* ]]
		"$TOP/tools/check/schema" "$DIR/results/killed/$host.jsonl"
		[ "$(grep -c '"record":"request"' "$DIR/results/killed/$host.jsonl")" = 1 ]
	done
}

@test "a dead host, one without headers and a stale partial file hold nobody up" {
	mkdir -p "$DIR/node1/var"
	echo '{"record":"mach' >"$DIR/node1/var/mixed.part"
	echo '{"record":"mach' >"$DIR/results/stale"
	mkdir -p "$DIR/results/mixed"
	mv "$DIR/results/stale" "$DIR/results/mixed/node2.jsonl"
	sed -i '/^node/s/$/ measure_where=user/' "$DIR/hosts"
	run ! play node1,node2,dead,bare mixed
	cat "$DIR/said"
	for host in node1 node2; do
		[[ $(recap "$host") == *"unreachable=0 failed=0"* ]]
		"$TOP/tools/check/schema" "$DIR/results/mixed/$host.jsonl"
	done
	[[ $(recap dead) == *"unreachable=1"* ]]
	[[ $(recap bare) == *"failed=1"* ]]
	grep -q "has no headers in" "$DIR/said"
	[ "$(sort "$DIR"/retry/*.retry | xargs)" = "bare dead" ]
}
