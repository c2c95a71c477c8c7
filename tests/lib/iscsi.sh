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

iscsi_target() { echo "targets/iscsi/${1:-$ISCSI_IQN}"; }

# iscsi_up DEVICE...: a target with the devices as LUN 0, 1 ..., enabled.
iscsi_up()
{
	local lun=0 device

	ip link set lo up
	skua_write targets/iscsi/mgmt "add_target $ISCSI_IQN" || return 1
	for device; do
		skua_lun "$(iscsi_target)" "$device" $lun || return 1
		lun=$((lun + 1))
	done
	skua_write "$(iscsi_target)/enabled" 1 && skua_write targets/iscsi/enabled 1
}

# iscsi_set NAME VALUE: an attribute of the target
iscsi_set() { skua_write "$(iscsi_target)/$1" "$2"; }

# iscsi_daemon: open-iscsi's, with a database of its own below /run.
iscsi_daemon()
{
	pgrep -x iscsid > /dev/null && return 0
	modprobe -a iscsi_tcp sg sd_mod
	mkdir -p /run/lock/iscsi
	echo "InitiatorName=$ISCSI_INITIATOR" > /etc/iscsi/initiatorname.iscsi
	iscsid -f > "$CASE_TMP/iscsid.log" 2>&1 &
	wait_for 10 iscsiadm -m session --op show 2>/dev/null ||
		wait_for 10 pgrep -x iscsid > /dev/null
}

iscsi_discover() { bounded 30 iscsiadm -m discovery -t st -p "${1:-$ISCSI_PORTAL}"; }

# iscsi_node NAME VALUE: a setting of the node record
iscsi_node()
{
	iscsiadm -m node -T "$ISCSI_IQN" -p "$ISCSI_PORTAL" -o update -n "$1" -v "$2"
}

# iscsi_login: logs in; sets ISCSI_HOST. Status of iscsiadm.
iscsi_login()
{
	local dir

	bounded 60 iscsiadm -m node -T "$ISCSI_IQN" -p "$ISCSI_PORTAL" -l || return
	for dir in /sys/class/iscsi_session/session*; do
		[ "$(cat "$dir/targetname")" = "$ISCSI_IQN" ] || continue
		dir=$(readlink -f "$dir/device/..")
		ISCSI_HOST=${dir##*/host}
	done
	[ -n "$ISCSI_HOST" ]
}

iscsi_logout() { bounded 60 iscsiadm -m node -T "$ISCSI_IQN" -p "$ISCSI_PORTAL" -u; }

iscsi_disk() { host_disk "$ISCSI_HOST" "${1:-0}"; }

iscsi_sessions() { ls "$SCST/$(iscsi_target)/sessions"; }
