# SPDX-License-Identifier: GPL-2.0
# bash completion for skuaadm

_skuaadm_objects()
{
	local top=/sys/kernel/scst_tgt

	(cd $top 2> /dev/null && compgen -o dirnames -- "$1")
	skuaadm list devices 2> /dev/null
	skuaadm list targets 2> /dev/null
}

_skuaadm()
{
	local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-} words=

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		words=$(skuaadm help 2> /dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p')
	elif [[ $cur == -* ]]; then
		words=$(skuaadm "$command" --help 2> /dev/null | grep -o -- '--[a-z-]*' | sort -u)
	else
		case $command in
		apply|save|check|convert)
			COMPREPLY=($(compgen -f -- "$cur")); return ;;
		list)
			words="handlers devices drivers targets groups luns initiators sessions
				device_groups target_groups" ;;
		resize)
			words=$(skuaadm list devices 2> /dev/null) ;;
		enable|disable|sessions|top)
			words=$(skuaadm list targets 2> /dev/null; skuaadm list drivers 2> /dev/null) ;;
		close-session)
			words=$(skuaadm list sessions 2> /dev/null) ;;
		get|set|add|del)
			[ "$COMP_CWORD" != 2 ] || words=$(_skuaadm_objects "$cur") ;;
		esac
	fi
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
	# Names of targets have colons, at which bash splits words.
	if declare -F __ltrim_colon_completions > /dev/null; then
		__ltrim_colon_completions "$cur"
	fi
}

complete -o filenames -F _skuaadm skuaadm
