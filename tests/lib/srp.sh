# SPDX-License-Identifier: GPL-2.0
#
# Skua's SRP and local targets, and the initiators that use them.

SRP_PORT=5555

# --- target side

# srp_target [RDMADEV]: directory of its SRP target below the sysfs root
srp_target() { echo "targets/ib_srpt/$(rdma_gid "${1:-rxe0}")"; }

# srp_guid [RDMADEV]: the service GUID, from login_info
srp_guid()
{
	sed -n 's/.*ioc_guid=\([0-9a-f]*\).*/\1/p' \
		"$SCST/$(srp_target "${1:-rxe0}")/login_info"
}

# skua_lun TARGETDIR DEVICE LUN [PARAMETER=VALUE...]: TARGETDIR may be a group
# (targets/ib_srpt/GID/ini_groups/G).
skua_lun()
{
	local dir=$1

	shift
	skua_write "$dir/luns/mgmt" "add $*"
}

# skua_group TARGETDIR GROUP PATTERN...
skua_group()
{
	local dir=$1 group=$2 pattern

	shift 2
	skua_write "$dir/ini_groups/mgmt" "create $group" || return 1
	for pattern; do
		skua_write "$dir/ini_groups/$group/initiators/mgmt" \
			"add $pattern" || return 1
	done
}

srp_enable() { skua_write "$(srp_target "${1:-rxe0}")/enabled" 1; }
srp_disable() { skua_write "$(srp_target "${1:-rxe0}")/enabled" 0; }

# srp_up DEVICE...: modules, rxe0, ib_srp; maps the devices, which must exist,
# as LUN 0, 1, ... and enables the target. Usual start of a case:
#   skua_load; skua_device nullio null0 size_mb=64; srp_up null0; srp_login
srp_up()
{
	local device lun=0

	rxe_up && skua_load || return 1
	wait_for 10 test -d "$SCST/$(srp_target)" || return 1
	for device; do
		skua_lun "$(srp_target)" "$device" $lun || return 1
		lun=$((lun + 1))
	done
	srp_enable
}

# sessions [RDMADEV]: names of the SRP target's sessions, one a line
srp_sessions() { ls "$SCST/$(srp_target "${1:-rxe0}")/sessions"; }

# For wait_for
srp_no_sessions() { [ -z "$(srp_sessions "$@")" ]; }
srp_no_hosts() { [ -z "$(srp_hosts)" ]; }

# --- ib_srp, the kernel's initiator

# srp_initiator [MODULE-PARAMETER=VALUE...]: loads ib_srp, anew if it is there.
srp_initiator()
{
	if is_loaded ib_srp; then
		[ $# != 0 ] || return 0
		srp_logout
		rmmod ib_srp || return 1
	fi
	modprobe -a sg sd_mod || return 1
	modprobe ib_srp "$@"
}

# srp_login [OPTION=VALUE...]: logs in over RDMA/CM and sets SRP_HOST, the SCSI
# host's number. Options are those of add_target; for others than the defaults:
#   dest=IP:PORT  src=IP  queue_size=N  max_cmd_per_lun=N  ch_count is a module
#   parameter of ib_srp;  dev=rxeN (default rxe0) says which device logs in.
srp_login()
{
	local dev=rxe0 string=$(srp_login_string "$@") word before

	for word; do
		case $word in
		dev=*)	dev=${word#*=} ;;
		esac
	done
	srp_initiator || return 1
	wait_for 5 test -w "/sys/class/infiniband_srp/srp-$dev-1/add_target" ||
		return 1
	before=" $(srp_hosts | xargs) "
	echo "login on $dev: $string"
	printf '%s\n' "$string" \
		> "/sys/class/infiniband_srp/srp-$dev-1/add_target" || return 1
	for SRP_HOST in $(srp_hosts); do
		[[ $before == *" $SRP_HOST "* ]] || return 0
	done
	SRP_HOST=
	echo "login went through, but there is no new host"
	return 1
}

srp_login_string()
{
	local guid=${SRP_GUID:-} word key string=
	local -A given=()

	for word; do
		key=${word%%=*}
		[ "$key" = dev ] && continue
		given[$key]=1
		string+=,$word
	done
	[ -n "$guid" ] || guid=$(srp_guid)
	for word in "id_ext=$guid" "ioc_guid=$guid" pkey=ffff \
		    "dest=$RDMA_IP:$SRP_PORT" queue_size=128 max_cmd_per_lun=64; do
		[ -n "${given[${word%%=*}]:-}" ] || string+=,$word
	done
	echo "${string#,}"
}

# Numbers of ib_srp's SCSI hosts
srp_hosts()
{
	local dir

	for dir in /sys/class/scsi_host/host*; do
		[ -e "$dir/ioc_guid" ] && echo "${dir##*/host}"
	done
	return 0
}

# srp_logout [HOST...]: logs out (default: all) and waits until the hosts are
# gone.
srp_logout()
{
	local host port

	[ $# != 0 ] || set -- $(srp_hosts)
	for host; do
		for port in /sys/class/srp_remote_ports/port-"$host":*; do
			[ -e "$port" ] && echo 1 > "$port/delete"
		done
	done
	for host; do
		wait_gone 60 test -e "/sys/class/scsi_host/host$host" || return 1
	done
	return 0
}

# lun_disk [LUN [HOST]]: /dev/sdX of a LUN (0) of the last login
lun_disk() { host_disk "${2:-$SRP_HOST}" "${1:-0}"; }

# lun_sg [LUN [HOST]]: its /dev/sgN
lun_sg() { sg_node "${2:-$SRP_HOST}" "${1:-0}"; }

# --- the local target

# local_target NAME DEVICE...: a target of skua_local with the devices as LUN 0,
# 1, ... and one session; sets LOCAL_HOST, the SCSI host's number.
local_target()
{
	local name=$1 dir=targets/scst_local/$1 device lun=0

	shift
	modprobe -a sg sd_mod
	skua_write targets/scst_local/mgmt "add_target $name" || return 1
	for device; do
		skua_lun "$dir" "$device" $lun || return 1
		lun=$((lun + 1))
	done
	local_session "$name" s0
}

# local_session TARGET SESSION: one more initiator; sets LOCAL_HOST.
local_session()
{
	skua_write targets/scst_local/mgmt "add_session $1 $2" || return 1
	LOCAL_HOST=$(skua_read "targets/scst_local/$1/sessions/$2/host_no")
	[ -n "$LOCAL_HOST" ] && host_rescan "$LOCAL_HOST"
}

local_target_del() { skua_write targets/scst_local/mgmt "del_target $1"; }

# local_disk [LUN [HOST]]: /dev/sdX of a LUN (0) of the last local session
local_disk() { host_disk "${2:-$LOCAL_HOST}" "${1:-0}"; }
local_sg() { sg_node "${2:-$LOCAL_HOST}" "${1:-0}"; }

# --- open-iscsi

iscsi_logout_all()
{
	pgrep -x iscsid > /dev/null || return 0
	bounded_quiet 60 iscsiadm -m session -u
	return 0
}

# srp_logout_loop N: logs in, starts I/O and logs out under it, N times, with two
# channels each.
srp_logout_loop()
{
	local i

	dmesg_allow "blk_update_request|I/O error|Buffer I/O|rejecting I/O|Synchronize Cache|hostbyte"
	skua_load
	skua_device ramdisk ram0 size_mb=64
	srp_up ram0
	srp_initiator ch_count=2
	for ((i = 1; i <= $1; i++)); do
		srp_login > /dev/null || fail "login $i"
		fio_background "$(lun_disk)"
		sleep 0.3
		srp_logout || fail "logout $i"
		fio_stop
		[ $((i % 25)) != 0 ] || echo "$i logins and logouts"
	done
	wait_for 10 srp_no_sessions
	srp_login
	fio_verify "$(lun_disk)" 4k 1M
	srp_logout
}
