# SPDX-License-Identifier: GPL-2.0
#
# iSER: the iSCSI target (iscsi.sh) over soft RDMA. After iser_up the functions of
# iscsi.sh that log in and out use iSER, because the node records of iser_discover do.

# iser_up DEVICE...: rxe0, modules, a target with the devices as LUN 0, 1 ...
iser_up()
{
	rxe_up && skua_load || return 1
	ISCSI_PORTAL=$RDMA_IP:3260
	ISER_PORTAL6=[$RDMA_IP6]:3260
	iscsi_up "$@"
}

iser_daemon() { modprobe ib_iser && iscsi_daemon; }

# iser_discover [PORTAL]: makes the node records; prints what is there
iser_discover()
{
	bounded 60 iscsiadm -m discovery -t st -I iser -p "${1:-$ISCSI_PORTAL}"
}

iser_no_sessions() { [ -z "$(iscsi_sessions)" ]; }

# iser_inq [QUERY [USER]]: LUN 0's inquiry data, by libiscsi
iser_inq() { bounded 60 iscsi-inq "iser://${2:-}$ISCSI_PORTAL/$ISCSI_IQN/0${1:-}"; }

# iscsi_host_of tcp|iser: SCSI host of the session over that transport
iscsi_host_of()
{
	local dir

	for dir in /sys/class/iscsi_host/host*; do
		[ "$(cat "/sys/class/scsi_host/${dir##*/}/proc_name")" = \
			"$([ "$1" = tcp ] && echo iscsi_tcp || echo iscsi_iser)" ] || continue
		echo "${dir##*/host}"
		return 0
	done
	return 1
}
