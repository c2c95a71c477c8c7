# SPDX-License-Identifier: GPL-2.0
#
# SCSI disks of the initiator side, device-mapper devices, file systems.

# host_disk HOSTNUMBER LUN: prints /dev/sdX once it is there; status 1 if not.
host_disk()
{
	wait_for 10 disk_node "$1" "$2" > /dev/null &&
		disk_node "$1" "$2"
}

disk_node()
{
	local dir

	for dir in /sys/class/scsi_device/"$1":*:*:"$2"/device/block/*; do
		[ -e "$dir" ] && [ -b "/dev/${dir##*/}" ] || continue
		[ "$(cat "$dir/size")" != 0 ] || return 1
		echo "/dev/${dir##*/}"
		return 0
	done
	return 1
}

# disk_sg /dev/sdX: its /dev/sgN
disk_sg()
{
	local dir

	for dir in "/sys/block/${1#/dev/}"/device/scsi_generic/*; do
		echo "/dev/${dir##*/}"
	done
}

# sg_node HOSTNUMBER LUN: /dev/sgN of a LUN that need not be a disk
sg_node()
{
	local dir

	for dir in /sys/class/scsi_device/"$1":*:*:"$2"/device/scsi_generic/*; do
		[ -e "$dir" ] && echo "/dev/${dir##*/}" && return 0
	done
	return 1
}

# disk_queue /dev/sdX: no scheduler, no merging, no entropy: for measurements.
disk_queue()
{
	local queue=/sys/block/${1#/dev/}/queue

	echo none > "$queue/scheduler"
	echo 2 > "$queue/nomerges"
	echo 0 > "$queue/add_random"
}

# host_rescan HOSTNUMBER
host_rescan() { echo "- - -" > "/sys/class/scsi_host/host$1/scan"; }

# dmsetup, where no udev makes and removes /dev/mapper/NAME
dmsetup()
{
	command dmsetup "$@" || return
	case $1 in
	create)
		[ -e "/dev/mapper/$2" ] ||
			ln -s "/dev/$(command dmsetup info -c --noheadings -o blkdevname "$2")" \
				"/dev/mapper/$2" ;;
	remove)
		find /dev/mapper -xtype l -delete ;;
	esac
}

# Device-mapper devices (which may be suspended), loop devices.
remove_disks()
{
	local name

	if [ -e /dev/mapper/control ]; then
		dmsetup ls 2>/dev/null | awk '$2 ~ /^\(/ {print $1}' |
		while read -r name; do
			dmsetup resume "$name" 2>/dev/null
			bounded_quiet 20 dmsetup remove --retry "$name"
		done
	fi
	if [ -e /dev/loop-control ]; then
		losetup -D
	fi
	return 0
}

# fs_exercise /dev/sdX FSTYPE [MIB]: makes a file system, fills MIB (16) with
# files, unmounts, checks it, mounts it again and compares the checksums.
fs_exercise()
{
	local dev=$1 type=$2 mib=${3:-16} dir=/mnt/fs-${1##*/} i

	modprobe "$type" || :
	case $type in
	ext4)	expect_ok mkfs.ext4 -q -F -E nodiscard "$dev" ;;
	xfs)	expect_ok mkfs.xfs -q -f -K "$dev" ;;
	*)	fail "no recipe for $type" ;;
	esac
	mkdir -p "$dir"
	mount -t "$type" "$dev" "$dir" || fail "cannot mount $dev"
	mkdir -p "$dir/a/b" "$dir/c"
	for ((i = 0; i < mib * 2; i++)); do
		head -c $((i % 7 * 150000 + 777)) /dev/urandom > "$dir/a/b/$i"
	done
	for ((i = 0; i < mib * 2; i += 3)); do
		mv "$dir/a/b/$i" "$dir/c/"
	done
	for ((i = 1; i < mib * 2; i += 9)); do
		rm -f "$dir/a/b/$i"
	done
	(cd "$dir" && find . -type f -print0 | sort -z | xargs -0 sha256sum) \
		> "$CASE_TMP/sums" || fail "cannot read $dir"
	umount "$dir" || fail "cannot unmount $dir"
	fs_check "$dev" "$type"
	echo 3 > /proc/sys/vm/drop_caches
	mount -t "$type" "$dev" "$dir" || fail "cannot mount $dev again"
	(cd "$dir" && sha256sum --quiet -c "$CASE_TMP/sums") ||
		fail "checksums differ on $dev"
	umount "$dir" || fail "cannot unmount $dir"
	echo "$type on $dev: $(wc -l < "$CASE_TMP/sums") files the same after fsck"
}

fs_check()
{
	case $2 in
	ext4)	expect_ok e2fsck -f -n "$1" ;;
	xfs)	expect_ok xfs_repair -n "$1" ;;
	esac
}
