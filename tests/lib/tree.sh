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
	want=$(printf "$2" | od -An -c)
	[ "$got" = "$want" ] && return 0
	echo "$got"
	fail "$1 does not read '$2'"
}

# A value that is as it was from the start, one that is worth saving.
tree_plain() { tree_text "$1" "$2\n"; }
tree_keyed() { tree_text "$1" "$2\n[key]\n"; }

# tree_set FILE VALUE: writes it without a newline, as scstadmin does.
tree_set()
{
	errno_write "$(scst_path "$1")" "$2" > "$CASE_TMP/errno" ||
		fail "write of '$2' to $1 gave $(cat "$CASE_TMP/errno")"
}
