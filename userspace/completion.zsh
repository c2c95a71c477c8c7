#compdef skuaadm
# SPDX-License-Identifier: GPL-2.0
# zsh completion for skuaadm. Commands and options are what skuaadm says they are.

_skuaadm_names()
{
	local kind
	local -a names

	for kind in "$@"; do
		names+=(${(f)"$(_call_program names skuaadm list $kind 2> /dev/null)"})
	done
	_wanted names expl "${(j: or :)@}" compadd -M 'r:|/=*' -a names
}

_skuaadm_objects()
{
	_alternative \
		'names:device or target:_skuaadm_names devices targets' \
		'paths:path below the tree:_files -/ -W /sys/kernel/scst_tgt'
}

_skuaadm_options()
{
	local -a options

	options=(${(f)"$(_call_program options skuaadm ${words[2]} --help 2> /dev/null |
		sed -nE 's/^  (-[a-z], |    )(--[a-z-]+)[^ ]*( [][A-Z:]+)? +(.*)/\2:\4/p')"})
	options+=('--help:explain this command')
	_describe -o option options
}

_skuaadm()
{
	local expl
	local -a commands

	if (( CURRENT == 2 )); then
		commands=(${(f)"$(_call_program commands skuaadm help 2> /dev/null |
			sed -nE 's/^  ([a-z-]+) +(.*)/\1:\2/p')"})
		_describe command commands
		return
	fi
	if [[ $PREFIX == -* ]]; then
		_skuaadm_options
		return
	fi
	case ${words[CURRENT - 1]} in
	--sort|-s)
		_wanted columns expl column compadd name reads writes others read-mb write-mb \
			depth p50 p99 p99.9
		return ;;
	--partial|-p)
		_skuaadm_names targets devices
		return ;;
	--textfile|-t)
		_files
		return ;;
	esac
	case ${words[2]} in
	apply|save|check|convert)
		_files ;;
	list)
		_wanted kinds expl kind compadd handlers devices drivers targets groups luns \
			initiators sessions device_groups target_groups ;;
	resize)
		(( CURRENT > 3 )) || _skuaadm_names devices ;;
	enable|disable|sessions|top)
		_skuaadm_names targets drivers ;;
	close-session)
		_skuaadm_names sessions ;;
	get|set|add|del)
		(( CURRENT > 3 )) || _skuaadm_objects ;;
	help)
		words=(skuaadm ${words[3,-1]}) CURRENT=2 _skuaadm ;;
	esac
}

_skuaadm "$@"
