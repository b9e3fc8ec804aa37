# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests of the collection for Ansible share.

# collection: let Ansible know the collection, and make a key and an inventory without hosts in the
# directory DIR of the file. Hosts are reached as root.
collection() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	DIR=$BATS_FILE_TMPDIR
	export TOP DIR
	mkdir -p "$DIR/ansible_collections/memcache"
	ln -s "$TOP/tools/fleet/ansible" "$DIR/ansible_collections/memcache/fleet"
	export ANSIBLE_COLLECTIONS_PATH=$DIR ANSIBLE_HOST_KEY_CHECKING=False
	export ANSIBLE_NOCOLOR=1 ANSIBLE_LOCAL_TEMP=$DIR/local ANSIBLE_RETRY_FILES_ENABLED=True
	export ANSIBLE_RETRY_FILES_SAVE_PATH=$DIR/retry ANSIBLE_PIPELINING=True ANSIBLE_FORKS=8
	ssh-keygen -q -t ed25519 -N '' -f "$DIR/key"
	ssh-keygen -q -t ed25519 -N '' -f "$DIR/hostkey"
	{
		echo "[all:vars]"
		echo "ansible_user=root ansible_python_interpreter=/usr/bin/python3"
		echo "ansible_ssh_private_key_file=$DIR/key"
		echo "ansible_ssh_common_args='-o UserKnownHostsFile=/dev/null -o ControlPath=none'"
		echo "measure_results=$DIR/results"
		echo "[all]"
	} | sed 's/ ansible_/\nansible_/g' >"$DIR/hosts"
}

# sshd_config HOST ADDRESS PORT: write the file $DIR/HOST/sshd_config.
sshd_config() {
	mkdir -p "$DIR/$1"
	cat >"$DIR/$1/sshd_config" <<-END
		ListenAddress $2
		Port $3
		HostKey $DIR/hostkey
		PidFile $DIR/$1/sshd.pid
		AuthorizedKeysFile $DIR/key.pub
		StrictModes no
		PermitRootLogin prohibit-password
		UsePAM no
		Subsystem sftp internal-sftp
		SetEnv PATH=$TOP/tools/memcache:/usr/sbin:/usr/bin:/sbin:/bin
	END
}

# play HOSTS RUN [ARGUMENT...]: run the playbook, which measures WHAT, a list as JSON. Its output
# is in $DIR/said, and is printed if it fails.
play() {
	local hosts=$1 run=$2 status=0
	shift 2
	ansible-playbook -i "$DIR/hosts" -l "$hosts" -e "measure_run=$run" \
		-e "{\"measure_what\": $WHAT}" "$@" memcache.fleet.measure >"$DIR/said" 2>&1 3>&- || status=$?
	[ "$status" -eq 0 ] || cat "$DIR/said"
	return "$status"
}

# recap HOST: the counts of a host, as `ok=6 changed=0 unreachable=0 failed=0 ...`.
recap() { sed -n "/^PLAY RECAP/,\$s/^$1 *: *//p" "$DIR/said" | tr -s ' '; }
