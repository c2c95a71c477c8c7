# SPDX-License-Identifier: GPL-2.0
#
# Files to export, and the file systems that they are on.

# file_system TYPE DIRECTORY [MIB]: makes one and mounts it; ext4 and xfs on a loop
# device, or on the block device $FS_DEV if that is set.
file_system()
{
	local type=$1 dir=$2 mib=${3:-320} dev=${FS_DEV:-}

	mkdir -p "$dir"
	if [ "$type" = tmpfs ]; then
		mount -t tmpfs -o "size=${mib}m" tmpfs "$dir"
		return
	fi
	modprobe "$type" || :
	if [ -z "$dev" ]; then
		truncate -s "${mib}M" "$dir.img"
		dev=$(losetup -f --show "$dir.img")
	fi
	case $type in
	ext4)	expect_ok mkfs.ext4 -q -F -E lazy_itable_init=1,nodiscard "$dev" ;;
	xfs)	expect_ok mkfs.xfs -q -f -K "$dev" ;;
	*)	fail "no recipe for $type" ;;
	esac
	mount -t "$type" "$dev" "$dir"
}

# full_file FILE MIB: of random bytes, all on the disk
full_file() { dd if=/dev/urandom of="$1" bs=1M count="$2" conv=notrunc,fsync status=none; }
