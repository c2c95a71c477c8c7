# SPDX-License-Identifier: GPL-2.0
#
# Single SCSI commands, by the tool scsi-cmd (tests/tools/scsi-cmd.c).

scsi_cmd() { "$SKUA_BUILD/tests/tools/scsi-cmd" "$@"; }

# expect_scsi DEVICE ERE COMMAND...: sends the commands; the answer of the last one
# must match ERE from its start. All answers are in $SCSI_ANSWER. (No processes but
# the tool itself: a case has hundreds of these, and guests are slow.)
expect_scsi()
{
	local dev=$1 want=$2 last

	shift 2
	SCSI_ANSWER=$(scsi_cmd "$dev" "$@") || fail "scsi-cmd $dev $*"
	last=${SCSI_ANSWER##*$'\n'}
	[[ $last =~ ^($want) ]] || fail "$dev: '${*: -1}' gave '$last', not '$want'"
}

# scsi_data: prints the data bytes of the last answer, as hexadecimal digits
scsi_data() { [[ $SCSI_ANSWER != *" data "* ]] || echo "${SCSI_ANSWER##* data }"; }

# scsi_ready DEVICE: takes away pending unit attentions.
scsi_ready()
{
	local i

	for i in 1 2 3 4 5 6 7 8 9; do
		[[ $(scsi_cmd "$1" "none 00 00 00 00 00 00") != GOOD* ]] || return 0
	done
	fail "$1 does not become ready"
}

# Big-endian numbers as CDB bytes: be16 258 -> 01 02
be16() { printf '%02x %02x' $(($1 >> 8 & 255)) $(($1 & 255)); }
be32() { printf '%02x %02x %02x %02x' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)); }
be64() { printf '%02x %02x %02x %02x %02x %02x %02x %02x' $(($1 >> 56 & 255)) $(($1 >> 48 & 255)) $(($1 >> 40 & 255)) $(($1 >> 32 & 255)) $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)); }

# read10 LBA BLOCKS, write10, read16, ...: CDBs
read10() { echo "28 00 $(be32 "$1") 00 $(be16 "$2") 00"; }
write10() { echo "2a 00 $(be32 "$1") 00 $(be16 "$2") 00"; }
read16() { echo "88 00 $(be64 "$1") $(be32 "$2") 00 00"; }
write16() { echo "8a 00 $(be64 "$1") $(be32 "$2") 00 00"; }
tur() { echo "00 00 00 00 00 00"; }

# local_hosts: numbers of the SCSI hosts of skua_local
local_hosts()
{
	local dir

	for dir in /sys/class/scsi_host/host*; do
		[ "$(cat "$dir/proc_name" 2>/dev/null)" = skua_local ] && echo "${dir##*/host}"
	done
	return 0
}

# scsi_python ARGUMENTS... < PROGRAM: a program that uses tests/lib/sgio.py
scsi_python()
{
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$SKUA_SRC/tests/lib python3 - "$@" ||
		fail "see above"
}
