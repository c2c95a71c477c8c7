# SPDX-License-Identifier: GPL-2.0
#
# The hostile SRP client next to a session that must not notice.

HOSTILE_IP=192.168.77.2

# What ib_srp, sd and the block layer say when something is wrong
INITIATOR_WORDS=' ib_srp: |sd [0-9:]+ .*(tag#|FAILED|Sense|reset|abort)|I/O error|blk_update'

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

# log_watch_start; ...; log_watch_stop: for a case under which soft-RoCE itself
# complains. When a QP ends with packets on their way, rdma_rxe of Linux 6.1 writes
# into it once more behind its end; KASAN sees that at hundreds of closed channels.
# Its own reports are allowed, with their call traces, and since they may overrun
# the kernel log, the others are picked out of it at once and end the case.
log_watch_start()
{
	dmesg_allow 'BUG: KASAN: [a-z-]+ in [a-z_]+\+0x[0-9a-f/x]+ \[rdma_rxe\]'
	dmesg_allow 'Call Trace:'
	dmesg --follow-new | grep --line-buffered -E \
'WARNING: |BUG: |Oops|UBSAN|general protection|ODEBUG|refcount_t|INFO: |stall|lockup|'\
'deadlock|circular locking|inconsistent lock|suspicious RCU|sleeping function|atomic:|'\
'unlock balance|lock freed|locks held|corruption|Bad page|objects remaining|kernel BUG|'\
"$INITIATOR_WORDS" \
		> "$CASE_TMP/watch" &
	LOG_WATCH_PID=$!
}

log_watch_stop()
{
	sleep 1
	kill $LOG_WATCH_PID 2>/dev/null || :
	pkill -P $$ -x dmesg || :
	echo "reports of rdma_rxe about itself:" \
		"$(grep -c 'KASAN.*\[rdma_rxe\]' "$CASE_TMP/watch" || :)"
	grep -vE 'KASAN: .*\[rdma_rxe\]|skua-test:' "$CASE_TMP/watch" > "$CASE_TMP/splats" || :
	if [ -s "$CASE_TMP/splats" ]; then
		cat "$CASE_TMP/splats"
		fail "kernel log: $(head -n 1 "$CASE_TMP/splats")"
	fi
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
# session, without a single word of the initiator, and without a complaint of the
# kernel.
bystander_start()
{
	srp_login || return 1
	BYSTANDER_DISK=$(lun_disk) || return 1
	BYSTANDER_SESSION=$(bystander_session)
	[ -n "$BYSTANDER_SESSION" ] || return 1
	rm -f "$CASE_TMP/bystander"*
	log_watch_start
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
	log_watch_stop
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
