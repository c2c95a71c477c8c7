# SPDX-License-Identifier: GPL-2.0
#
# The kernel's own target (LIO), as a reference to compare with: where a case
# fails on Skua and soft RDMA is under suspicion, the same is done with LIO.

LIO=/sys/kernel/config/target

lio_core()
{
	modprobe -a configfs target_core_mod || return 1
	mountpoint -q /sys/kernel/config || mount -t configfs c /sys/kernel/config
	mkdir -p /var/target/pr /var/target/alua /etc/target
}

# lio_rd NAME PAGES [nullio]: a RAM disk or a device that only answers
lio_rd()
{
	local dir=$LIO/core/rd_mcp_0/$1

	mkdir -p "$dir" || return 1
	echo "rd_pages=$2${3:+,rd_nullio=1}" > "$dir/control"
	echo 1 > "$dir/enable"
}

# lio_srp NAME: exports a backend of lio_rd as LUN 0 of rxe0 to everybody here;
# sets SRP_GUID for srp_login.
lio_srp()
{
	local gid port tpg acl

	rxe_up && modprobe ib_srpt || return 1
	gid=$(rdma_gid)
	port=${gid#fe80:0000:0000:0000:}
	tpg=$LIO/srpt/$port/$port
	mkdir -p $LIO/srpt
	echo $SRP_PORT > $LIO/srpt/discovery_auth/rdma_cm_port || return 1
	mkdir -p "$tpg/lun/lun_0" || return 1
	ln -s "$LIO/core/rd_mcp_0/$1" "$tpg/lun/lun_0/backend"
	for acl in "$gid" "$port" $RDMA_IP; do
		mkdir -p "$tpg/acls/$acl" && mkdir -p "$tpg/acls/$acl/lun_0" &&
		ln -s "$tpg/lun/lun_0" "$tpg/acls/$acl/lun_0/link" || return 1
	done
	echo 1 > "$tpg/enable" || return 1
	SRP_GUID=$(printf %016x "$(cat /sys/module/ib_srpt/parameters/srpt_service_guid)")
}

# lio_iscsi NAME [iser]: exports a backend of lio_rd as LUN 0 of a target that lets
# everybody in, at ISCSI_PORTAL. Names are those of iscsi.sh, so its logins do.
lio_iscsi()
{
	local tpg=$LIO/iscsi/$ISCSI_IQN/tpgt_1

	modprobe iscsi_target_mod || return 1
	[ "${2:-}" != iser ] || modprobe ib_isert || return 1
	mkdir -p "$LIO/iscsi" "$LIO/iscsi/$ISCSI_IQN" "$tpg" "$tpg/lun/lun_0" || return 1
	ln -s "$LIO/core/rd_mcp_0/$1" "$tpg/lun/lun_0/backend" || return 1
	echo 0 > "$tpg/attrib/authentication"
	echo 1 > "$tpg/attrib/generate_node_acls"
	echo 0 > "$tpg/attrib/demo_mode_write_protect"
	echo 128 > "$tpg/attrib/default_cmdsn_depth"
	mkdir -p "$tpg/np/$ISCSI_PORTAL" || return 1
	[ "${2:-}" != iser ] || echo 1 > "$tpg/np/$ISCSI_PORTAL/iser" || return 1
	echo 1 > "$tpg/enable"
}

# Takes away whatever LIO configuration there is, and its modules.
lio_teardown()
{
	local link dir module

	[ -d $LIO ] || return 0
	for dir in $LIO/srpt/*/*/enable $LIO/iscsi/*/tpgt_*/enable; do
		[ -e "$dir" ] && echo 0 > "$dir"
	done
	find $LIO -mindepth 6 -type l 2>/dev/null | grep -v default_ | tac |
		while read -r link; do rm -f "$link"; done
	# Directories of ours, deepest first; those the kernel made refuse.
	find $LIO -depth -mindepth 2 -type d 2>/dev/null |
		while read -r dir; do rmdir "$dir" 2>/dev/null; done
	for module in ib_srpt ib_isert iscsi_target_mod tcm_loop \
		      target_core_iblock target_core_file target_core_user \
		      target_core_pscsi; do
		is_loaded $module && rmmod_bounded $module 20
	done
	rmdir $LIO/core/* 2>/dev/null
	umount /sys/kernel/config
	is_loaded target_core_mod && rmmod_bounded target_core_mod 20
	unset SRP_GUID
	return 0
}
