# SPDX-License-Identifier: GPL-2.0
#
# SCSI devices of this host that are passed through.

SCSI_DEBUG=/sys/bus/pseudo/drivers/scsi_debug
DISK_MGMT=handlers/dev_disk/mgmt

# pass_debug [PARAMETER=VALUE...]: loads scsi_debug and makes its first device one of
# ours; sets PASS_DEV, its name H:C:T:L.
pass_debug()
{
	modprobe -a sg sd_mod
	modprobe scsi_debug dev_size_mb=16 "$@" || return 1
	wait_for 10 pass_debug_disk || return 1
	PASS_DEV=$(basename "$(echo $SCSI_DEBUG/adapter*/host*/target*/*:0:0:0)")
	skua_write $DISK_MGMT "add_device $PASS_DEV"
}

# The disk, once sd has looked at it
pass_debug_disk()
{
	local dir

	for dir in $SCSI_DEBUG/adapter*/host*/target*/*:0:0:0/block/*; do
		[ -e "$dir" ] && [ "$(cat "$dir/size")" != 0 ] && echo "/dev/${dir##*/}" && return 0
	done
	return 1
}

# pass_inject OPTS [NTH]: what scsi_debug does wrong, every NTH command
pass_inject()
{
	echo 0 > $SCSI_DEBUG/every_nth
	echo $(($1)) > $SCSI_DEBUG/opts
	echo "${2:-0}" > $SCSI_DEBUG/every_nth
}

# pass_resets: how often scsi_debug's devices have been reset; it says so while what it
# injects includes 0x2000
pass_resets() { dmesg | grep -c scsi_debug_device_reset || :; }
