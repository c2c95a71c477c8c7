# SPDX-License-Identifier: GPL-2.0
#
# The iSCSI target and its initiators (open-iscsi, libiscsi) in the same guest.
#   ISCSI_IQN     the target that iscsi_up makes
#   ISCSI_PORTAL  where it is looked for
#   ISCSI_INITIATOR  open-iscsi's name
#   ISCSI_HOST    SCSI host of the last login

ISCSI_IQN=iqn.2020-01.org.skua:disk
ISCSI_PORTAL=127.0.0.1:3260
ISCSI_INITIATOR=iqn.2020-01.org.skua:host
ISCSI_MGMT=targets/iscsi/mgmt

iscsi_target() { echo "targets/iscsi/${1:-$ISCSI_IQN}"; }

# iscsi_up DEVICE...: a target with the devices as LUN 0, 1 ..., enabled.
iscsi_up()
{
	local lun=0 device

	ip link set lo up
	skua_write $ISCSI_MGMT "add_target $ISCSI_IQN" || return 1
	for device; do
		skua_lun "$(iscsi_target)" "$device" $lun || return 1
		lun=$((lun + 1))
	done
	skua_write "$(iscsi_target)/enabled" 1 && skua_write targets/iscsi/enabled 1
}

# iscsi_set NAME VALUE: an attribute of the target
iscsi_set() { skua_write "$(iscsi_target)/$1" "$2"; }

# iscsi_daemon: open-iscsi's, with a database of its own in the guest.
iscsi_daemon()
{
	pgrep -x iscsid > /dev/null && return 0
	modprobe -a iscsi_tcp sg sd_mod
	mkdir -p /run/lock/iscsi
	rm -rf /etc/iscsi/nodes /etc/iscsi/send_targets
	echo "InitiatorName=$ISCSI_INITIATOR" > /etc/iscsi/initiatorname.iscsi
	iscsid -f > "$CASE_TMP/iscsid.log" 2>&1 &
	wait_for 10 grep -q ISCSIADM /proc/net/unix	# where it listens
}

iscsi_discover() { bounded 30 iscsiadm -m discovery -t st -p "${1:-$ISCSI_PORTAL}"; }

# iscsi_node NAME VALUE: a setting of the node record
iscsi_node()
{
	iscsiadm -m node -T "$ISCSI_IQN" -p "$ISCSI_PORTAL" -o update -n "$1" -v "$2"
}

# iscsi_login [PORTAL]: logs in; sets ISCSI_HOST. Status of iscsiadm.
iscsi_login()
{
	local dir

	bounded 60 iscsiadm -m node -T "$ISCSI_IQN" -p "${1:-$ISCSI_PORTAL}" -l || return
	for dir in /sys/class/iscsi_session/session*; do
		[ "$(cat "$dir/targetname")" = "$ISCSI_IQN" ] || continue
		dir=$(readlink -f "$dir/device/..")
		ISCSI_HOST=${dir##*/host}
	done
	[ -n "$ISCSI_HOST" ]
}

iscsi_logout() { bounded 60 iscsiadm -m node -T "$ISCSI_IQN" -p "${1:-$ISCSI_PORTAL}" -u; }

iscsi_disk() { host_disk "$ISCSI_HOST" "${1:-0}"; }

iscsi_sessions() { ls "$SCST/$(iscsi_target)/sessions"; }

iscsi_no_sessions() { [ -z "$(iscsi_sessions)" ]; }

# iscsi_inq [USER%SECRET@ [OPTIONS [LUN]]]: one login of libiscsi
iscsi_inq()
{
	bounded 20 iscsi-inq "iscsi://${1:-}$ISCSI_PORTAL/$ISCSI_IQN/${3:-0}${2:-}"
}

# iscsi_silent N: so many connections that say nothing; iscsi_silent_end
iscsi_silent()
{
	local i fd

	for ((i = 0; i < $1; i++)); do
		exec {fd}<> "/dev/tcp/${ISCSI_PORTAL%:*}/${ISCSI_PORTAL##*:}"
		ISCSI_SILENT+=("$fd")
	done
}

iscsi_silent_end()
{
	local fd

	for fd in "${ISCSI_SILENT[@]}"; do
		exec {fd}>&-
	done
	ISCSI_SILENT=()
}

# iscsi_hostile PDUS SEED SECONDS: bad PDUs from a program of ours next to a session that
# must not notice. Needs two RAM disks' worth of memory.
iscsi_hostile()
{
	local hostile=iqn.2020-01.org.skua:hostile

	skua_device ramdisk ram0 size_mb=16
	skua_device ramdisk ram1 size_mb=16
	iscsi_up ram0
	skua_group "$(iscsi_target)" attackers $hostile
	skua_lun "$(iscsi_target)/ini_groups/attackers" ram1 0
	iscsi_daemon
	iscsi_discover
	iscsi_login || fail login
	fio_background "$(iscsi_disk 0)" --size=8M --continue_on_error=none
	bounded "$3" "$SKUA_BUILD/tests/tools/iscsi-hostile" 127.0.0.1 3260 $ISCSI_IQN "$1" "$2" ||
		fail "the target did not serve a good initiator"
	kill -0 $FIO_PID || fail "the other session's I/O has ended"
	fio_stop
	fio_verify "$(iscsi_disk 0)" 4k 512k
	expect_ok iscsi_logout
	wait_for 20 grep -q '^0 of' $SCST/targets/iscsi/half_open || fail half_open
	wait_for 10 iscsi_no_sessions || fail "sessions are left"
}
