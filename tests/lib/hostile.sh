# SPDX-License-Identifier: GPL-2.0
#
# The hostile SRP client next to a session that must not notice.

HOSTILE_IP=192.168.77.2

# hostile_up: the target with two RAM disks. Whoever logs in from HOSTILE_IP sees
# one of them as LUN 0, everybody else the other.
hostile_up()
{
	skua_load || return 1
	modprobe -a ib_uverbs rdma_ucm || return 1
	skua_device ramdisk bystander size_mb=16 &&
	skua_device ramdisk attacked size_mb=16 &&
	srp_up bystander || return 1
	ip addr add $HOSTILE_IP/24 dev d0 &&
	skua_group "$(srp_target)" hostile $HOSTILE_IP &&
	skua_lun "$(srp_target)/ini_groups/hostile" attacked 0
}

# hostile OPTIONS... [-- FAMILY...]: the client; its output is shown.
hostile()
{
	local options=()

	while [ $# != 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	"$SKUA_BUILD/tests/tools/srp-hostile" --src $HOSTILE_IP \
		--wait $((10 + 5 * SKUA_SLOW)) "${options[@]}" \
		$RDMA_IP $SRP_PORT "$(srp_guid)" "$@"
}

# Names of the sessions of the hostile client that the target still has
hostile_sessions() { srp_sessions | grep -F $HOSTILE_IP; }

# bystander_start: another initiator (ib_srp) writes and verifies until
# bystander_stop, which ends the case unless it did so all the time, on the same
# session, without a single word of the initiator.
bystander_start()
{
	srp_login || return 1
	BYSTANDER_DISK=$(lun_disk) || return 1
	BYSTANDER_SESSION=$(bystander_session)
	[ -n "$BYSTANDER_SESSION" ] || return 1
	rm -f "$CASE_TMP/bystander"*
	dmesg_mark
	bystander_loop > "$CASE_TMP/bystander.log" 2>&1 &
	BYSTANDER_PID=$!
	wait_for 30 test -s "$CASE_TMP/bystander.rounds"
}

# A directory that goes and comes again has another inode.
bystander_session()
{
	(cd "$SCST/$(srp_target)/sessions" && stat -c '%n %i' $RDMA_IP*)
}

bystander_loop()
{
	set -e
	until [ -e "$CASE_TMP/bystander.stop" ]; do
		fio_verify "$BYSTANDER_DISK" 4k 1M
		fio_verify "$BYSTANDER_DISK" 64k 4M
		echo round >> "$CASE_TMP/bystander.rounds"
	done
}

bystander_stop()
{
	local before after

	before=$(wc -l < "$CASE_TMP/bystander.rounds")
	wait_for 60 bystander_went_on "$before" ||
		fail "the other session has stopped to move"
	touch "$CASE_TMP/bystander.stop"
	wait $BYSTANDER_PID || {
		cat "$CASE_TMP/bystander.log"
		fail "I/O of the other session failed"
	}
	dmesg_since | grep -E ' ib_srp: |sd [0-9]+:|I/O error|blk_update' \
		> "$CASE_TMP/bystander.words" || :
	if [ -s "$CASE_TMP/bystander.words" ]; then
		cat "$CASE_TMP/bystander.words"
		fail "the other session was disturbed"
	fi
	after=$(bystander_session)
	expect_eq "the other session" "$after" "$BYSTANDER_SESSION"
	echo "the other session: $(wc -l < "$CASE_TMP/bystander.rounds") rounds of verified I/O"
}

bystander_went_on() { [ "$(wc -l < "$CASE_TMP/bystander.rounds")" -gt "$1" ]; }

# Sessions of the hostile client end with it, however it ended.
hostile_gone()
{
	wait_gone 30 hostile_sessions ||
		fail "sessions are left: $(hostile_sessions | xargs)"
}
