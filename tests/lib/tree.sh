# SPDX-License-Identifier: GPL-2.0
#
# The tree below /sys/kernel/scst_tgt: what a directory holds, what a file says.

# tree_dir DIRECTORY WANTED: one line for each entry, sorted by name: "NAME MODE",
# "NAME/ MODE", or "NAME -> TEXT" with the link's exact text.
tree_dir()
{
	local got want

	got=$(tree_list "$1")
	want=$(sed 's/^[[:space:]]*//; /^$/d' <<< "$2" | LC_ALL=C sort)
	[ "$got" = "$want" ] && return 0
	diff <(echo "$want") <(echo "$got")
	fail "$1 holds something else than it should"
}

tree_list()
{
	find "$(scst_path "$1")" -mindepth 1 -maxdepth 1 \( -type d -printf '%f/ %m\n' \
		-o -type l -printf '%f -> %l\n' -o -printf '%f %m\n' \) | LC_ALL=C sort
}

# tree_text FILE TEXT: all that a read gives, where \n is a newline
tree_text()
{
	local got want

	got=$(od -An -c "$(scst_path "$1")") || fail "cannot read $1"
	want=$(printf -- "$2" | od -An -c)
	[ "$got" = "$want" ] && return 0
	echo "$got"
	fail "$1 does not read '$2'"
}

# A value that is as it was from the start, one that is worth saving.
tree_plain() { tree_text "$1" "$2\n"; }
tree_keyed() { tree_text "$1" "$2\n[key]\n"; }

# What bash says of an error, and its number.
declare -gA TREE_ERRORS=(
	[EINVAL]="22 Invalid argument" [EEXIST]="17 File exists"
	[ENOENT]="2 No such file or directory" [ENOTBLK]="15 Block device required"
	[EBUSY]="16 Device or resource busy" [EBADSLT]="57 Invalid slot"
	[EOVERFLOW]="75 Value too large for defined data type"
	[EOPNOTSUPP]="95 Operation not supported" [ENODEV]="19 No such device"
	[EAGAIN]="11 Resource temporarily unavailable"
)

# tree_try FILE TEXT: one write without a newline, as scstadmin does; sets TREE_ERROR,
# empty if it went through. (A builtin, as cases make hundreds of these; bash would
# make several writes of several lines.)
tree_try()
{
	case $2 in
	*$'\n'*) TREE_ERROR=$(errno_write "$(scst_path "$1")" "$2") ;;
	*)	TREE_ERROR=$(LC_ALL=C; printf %s "$2" 2>&1 > "$(scst_path "$1")") ;;
	esac || :
}

# tree_set FILE VALUE
tree_set()
{
	tree_try "$1" "$2"
	[ -z "$TREE_ERROR" ] || fail "write of '$2' to $1: $TREE_ERROR"
}

# tree_refuse ERRNO FILE VALUE
tree_refuse()
{
	tree_try "$2" "$3"
	case $TREE_ERROR in
	*": ${TREE_ERRORS[$1]#* }" | "$1") return 0 ;;
	esac
	fail "write of '$3' to $2 gave '$TREE_ERROR', not $1"
}
