# SPDX-License-Identifier: GPL-2.0
#
# Library of the cases: verdicts, waiting, kernel log, modules. Sourced in the
# guest only. Further nouns have files of their own, all sourced at the end.
#
# Variables every case may use:
#   SKUA_SRC    the source tree           SKUA_BUILD  modules and built tools
#   SKUA_TMP    scratch (tmpfs)           SKUA_OUT    results, kept on the host
#   SKUA_SLOW   factor by which this guest is slower than a stock kernel under
#               emulation (1; more on the debug kernel)
#   SKUA_WAIT   the same times what a busy host asks for: factor for limits, but
#               not for how long something is done; wait_for uses it
#   SKUA_DEBUG  1 on the debug kernel, else 0
#   SCST        /sys/kernel/scst_tgt

SCST=/sys/kernel/scst_tgt
: "${SKUA_SLOW:=1}" "${SKUA_WAIT:=$SKUA_SLOW}" "${SKUA_DEBUG:=0}"
CASE_TMP=$SKUA_TMP/case
mkdir -p "$CASE_TMP"

# --- verdicts

# verdict ok|fail|skip [REASON]: the first one counts.
verdict()
{
	[ -n "${SKUA_VERDICT:-}" ] || { echo "verdict: $*"; return 0; }
	[ -s "$SKUA_VERDICT" ] || printf '%s\n' "$*" > "$SKUA_VERDICT"
}

# fail REASON: ends the case. Works in subshells too.
fail()
{
	echo "--- FAIL: $*"
	verdict fail "$*"
	exit 1
}

# skip REASON: ends the case; it does not count as passed.
skip()
{
	echo "--- skip: $*"
	verdict skip "$*"
	exit 0
}

step() { echo "--- [$(cut -d ' ' -f 1 /proc/uptime)] $*"; }

# expect_ok COMMAND...: shows its output only when it fails, then ends the case.
expect_ok()
{
	local out rc=0

	out=$("$@" 2>&1) || rc=$?
	[ $rc = 0 ] && return 0
	echo "$out"
	fail "status $rc where success was due: $*"
}

# expect_fail COMMAND...: the opposite. What it said is in $EXPECT_OUTPUT.
expect_fail()
{
	local rc=0

	EXPECT_OUTPUT=$("$@" 2>&1) || rc=$?
	[ $rc != 0 ] && return 0
	echo "$EXPECT_OUTPUT"
	fail "success where failure was due: $*"
}

# expect_eq WHAT GOT WANTED
expect_eq() { [ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"; }

# expect_match WHAT TEXT ERE
expect_match()
{
	grep -qE -- "$3" <<< "$2" && return 0
	echo "$2"
	fail "$1 does not match '$3'"
}

# expect_errno ERRNAME FILE WORDS...: writing WORDS into a file below
# /sys/kernel/scst_tgt (or an absolute path) is refused with that error.
expect_errno()
{
	local want=$1 out rc=0 file

	shift
	file=$(scst_path "$1")
	shift
	out=$(errno_write "$file" "$*" 2>&1) || rc=$?
	[ $rc != 0 ] || fail "write of '$*' to $file went through, $want was due"
	[ "$out" = "$want" ] || fail "write of '$*' to $file gave $out, $want was due"
}

# errno_write FILE TEXT: one write(2), without a newline; prints the errno's name
# on failure.
errno_write()
{
	local message

	message=$( { printf '%s' "$2" > "$1"; } 2>&1) && return 0
	errno_name "${message##*: }"
	return 1
}

# The name of an error that the C library calls "$1"; no fork, no interpreter.
errno_name()
{
	case $1 in
	"Invalid argument")			echo EINVAL ;;
	"File exists")				echo EEXIST ;;
	"No such file or directory")		echo ENOENT ;;
	"No such device")			echo ENODEV ;;
	"No such device or address")		echo ENXIO ;;
	"No such process")			echo ESRCH ;;
	"Device or resource busy")		echo EBUSY ;;
	"Operation not permitted")		echo EPERM ;;
	"Permission denied")			echo EACCES ;;
	"Value too large for defined data type") echo EOVERFLOW ;;
	"Numerical result out of range")	echo ERANGE ;;
	"Argument list too long")		echo E2BIG ;;
	"File name too long")			echo ENAMETOOLONG ;;
	"Invalid slot")				echo EBADSLT ;;
	"Cannot assign requested address")	echo EADDRNOTAVAIL ;;
	"Wrong medium type")			echo EMEDIUMTYPE ;;
	"No medium found")			echo ENOMEDIUM ;;
	"Block device required")		echo ENOTBLK ;;
	"Bad address")				echo EFAULT ;;
	"Input/output error")			echo EIO ;;
	"Read-only file system")		echo EROFS ;;
	"No space left on device")		echo ENOSPC ;;
	"Cannot allocate memory")		echo ENOMEM ;;
	"Resource temporarily unavailable")	echo EAGAIN ;;
	"Interrupted system call")		echo EINTR ;;
	"Operation not supported")		echo EOPNOTSUPP ;;
	"Function not implemented")		echo ENOSYS ;;
	"Connection timed out")			echo ETIMEDOUT ;;
	"Is a directory")			echo EISDIR ;;
	*)					echo "'$1'" ;;
	esac
}

# --- needs

# have NEED: what the NEEDS words of a case mean.
#   cmd:X      a program           mod:X   a kernel module (or built in)
#   kconfig:X  CONFIG_X is y or m  file:X  a file exists
#   tool:X     a program of this project below $SKUA_BUILD/tests/tools
#   skua:X     a module of Skua that has been built (skua:srp, skua:core)
#   debug      the debug kernel    cpus:N  at least N CPUs
have()
{
	case $1 in
	cmd:*)	type -P "${1#*:}" > /dev/null ;;
	mod:*)	modprobe -n -q "${1#*:}" ;;
	file:*)	[ -e "${1#*:}" ] ;;
	tool:*)	[ -x "$SKUA_BUILD/tests/tools/${1#*:}" ] ;;
	skua:core) [ -n "$(skua_ko skua)" ] ;;
	skua:*)	[ -n "$(skua_ko "skua_${1#*:}")" ] ;;
	kconfig:*) kconfig "${1#*:}" ;;
	cpus:*)	[ "$(nproc)" -ge "${1#*:}" ] ;;
	debug)	[ "$SKUA_DEBUG" = 1 ] ;;
	*)	fail "unknown need $1" ;;
	esac
}

kconfig()
{
	local name=CONFIG_${1#CONFIG_}

	if [ -e /proc/config.gz ]; then
		zcat /proc/config.gz
	else
		cat "/boot/config-$(uname -r)"
	fi | grep -q "^$name=[ym]"
}

# --- time

# wait_for SECONDS COMMAND...: until it succeeds; status 1 if it never does.
wait_for()
{
	local end=$((SECONDS + $1 * SKUA_WAIT + 1))

	shift
	until "$@" > "$CASE_TMP/wait_for" 2>&1; do
		if [ $SECONDS -ge $end ]; then
			echo "waited in vain for: $*"
			cat "$CASE_TMP/wait_for"
			return 1
		fi
		sleep 0.1
	done
	return 0
}

# wait_gone SECONDS COMMAND...: until it fails.
not() { ! "$@"; }
wait_gone()
{
	local seconds=$1

	shift
	wait_for "$seconds" not "$@"
}

# bounded SECONDS COMMAND...: ends the case if COMMAND takes longer, even if it
# hangs in the kernel and cannot be killed. Otherwise its status.
bounded()
{
	local end=$((SECONDS + $1 * SKUA_WAIT + 1)) pid rc=0

	shift
	"$@" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		if [ $SECONDS -ge $end ]; then
			blocked_tasks
			kill -KILL $pid
			fail "takes too long: $*"
		fi
		sleep 0.1
	done
	wait $pid || rc=$?
	return $rc
}

# Into the kernel log: what the tasks in uninterruptible sleep wait for.
blocked_tasks()
{
	echo "skua-test: blocked tasks:" > /dev/kmsg
	echo w > /proc/sysrq-trigger
	sleep 1
	echo "skua-test: end of blocked tasks" > /dev/kmsg
}

# --- kernel log

# dmesg_mark; ...; dmesg_since: the kernel log of a section of the case.
dmesg_mark()
{
	DMESG_MARK="skua-test: mark $EPOCHREALTIME"
	echo "$DMESG_MARK" > /dev/kmsg
}

dmesg_since() { dmesg | grep -F -A 1000000 "$DMESG_MARK" | sed 1d; }

# dmesg_allow ERE: lines that the case provokes on purpose and that would count
# as damage otherwise. Use the narrowest expression that does.
dmesg_allow() { printf '%s\n' "$1" >> "$CASE_TMP/allow"; }

# --- Skua's modules

skua_modules() { sed 's/#.*//; /^[[:space:]]*$/d' "$SKUA_SRC/tests/lib/modules"; }

# skua_ko MODULE: its file, nothing if it has not been built.
skua_ko()
{
	find "$SKUA_BUILD" -name "$1.ko" -not -path '*/root/*' -print -quit
}

is_loaded() { [ -d "/sys/module/$1" ]; }

# Default parameters of modules in the tests; skua_params MODULE WORDS... gives
# others to the next skua_load.
declare -gA SKUA_PARAMS=([skua_srp]="rdma_cm_port=5555")
skua_params() { local m=$1; shift; SKUA_PARAMS[$m]="$*"; }

# skua_load [MODULE...]: loads the modules named, or all that are built, in the
# order of tests/lib/modules; modules they depend on come first.
skua_load()
{
	local module wanted=" $* " ko

	for module in $(skua_modules); do
		[ $# = 0 ] || [[ $wanted == *" $module "* ]] || continue
		is_loaded "$module" && continue
		ko=$(skua_ko "$module")
		if [ -z "$ko" ]; then
			[ $# = 0 ] && continue
			fail "$module is not built"
		fi
		load_dependencies "$ko" || return 1
		insmod "$ko" ${SKUA_PARAMS[$module]:-} || return 1
		note_module "$module"
	done
	wait_for 10 test -d $SCST
}

# The kernel's own modules by modprobe, Skua's by skua_load.
load_dependencies()
{
	local dep

	for dep in $(modinfo -F depends "$1" | tr , ' '); do
		case $dep in
		skua|skua_*)
			skua_load "$dep" || return 1 ;;
		*)	modprobe "$dep" || return 1 ;;
		esac
	done
}

# Keeps where the module lies for tests/guest/kmemleak, and its symbols.
note_module()
{
	local name size rest addr

	while read -r name size rest; do
		[ "$name" = "$1" ] || continue
		addr=${rest##* 0x}
		addr=${addr%% *}
		printf '%s %s %016x\n' "$name" "$addr" $((0x$addr + size)) \
			>> "$SKUA_TMP/known-ranges"
	done < /proc/modules
	grep -F "[$1]" /proc/kallsyms > "$SKUA_TMP/kallsyms-$1" || :
}

# skua_del_devices: deletes all devices, which hold their handlers' modules. One
# that waits for its commands goes when these have ended.
skua_del_devices()
{
	local link handler

	for link in $SCST/handlers/*/*; do
		[ -L "$link" ] || continue
		handler=$(dirname "$link")
		echo "del_device ${link##*/}" > "$handler/mgmt" 2>/dev/null ||
			echo "device ${link##*/} is not deleted yet"
	done
	return 0
}

# skua_unload [SECONDS]: deletes the devices and unloads all modules, last loaded
# first. Status 1 if one is in use or does not go within the time (20 s for each).
skua_unload()
{
	local limit=${1:-20} module

	skua_del_devices
	for module in $(skua_modules | tac); do
		is_loaded "$module" || continue
		rmmod_bounded "$module" "$limit" || return 1
	done
	return 0
}

rmmod_bounded()
{
	local module=$1 end=$((SECONDS + $2 * SKUA_WAIT)) pid

	# A reference may be about to be dropped by a closing file.
	( until rmmod "$module"; do
		[ $SECONDS -lt $end ] || exit 1
		sleep 0.2
	  done ) > "$CASE_TMP/rmmod" 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		if [ $SECONDS -gt $((end + 1)) ]; then
			blocked_tasks
			echo "rmmod $module hangs:"
			pgrep -x rmmod | while read -r pid; do cat /proc/$pid/stack; done
			return 1
		fi
		sleep 0.1
	done
	is_loaded "$module" || return 0
	echo "cannot unload $module: $(tail -n 1 "$CASE_TMP/rmmod")," \
	     "reference count $(cat "/sys/module/$module/refcnt")"
	return 1
}

# --- Skua's configuration

# A path below /sys/kernel/scst_tgt; absolute ones stay as they are.
scst_path()
{
	case $1 in
	/*)	echo "$1" ;;
	*)	echo "$SCST/$1" ;;
	esac
}

# skua_write FILE WORDS...: one write, with a newline at its end, status of it.
#   skua_write handlers/vdisk_nullio/mgmt add_device null0 size_mb=64
skua_write()
{
	local file

	file=$(scst_path "$1")
	shift
	echo "write '$*' > ${file#"$SCST"/}"
	printf '%s\n' "$*" > "$file"
}

# skua_read FILE: line 1 of an attribute (line 2 may be the mark "[key]").
skua_read() { head -n 1 "$(scst_path "$1")"; }

# skua_device HANDLER NAME [PARAMETER=VALUE...]: vdisk_ may be left out.
skua_device()
{
	local handler=vdisk_${1#vdisk_} name=$2

	shift 2
	skua_write "handlers/$handler/mgmt" "add_device $name $(IFS=';'; echo "$*")"
}

skua_del_device() { skua_write "handlers/vdisk_${1#vdisk_}/mgmt" "del_device $2"; }

# --- leftovers

# Processes of the case that outlived it: everything but this one, its
# ancestors and kernel threads.
kill_leftovers()
{
	local pid c mine=" 1 $$ $PPID $BASHPID "

	for pid in /proc/[0-9]*; do
		pid=${pid#/proc/}
		[[ $mine == *" $pid "* ]] && continue
		# Kernel threads have no command line.
		c=
		IFS= read -rn 1 -d '' c 2>/dev/null < "/proc/$pid/cmdline" || :
		[ -n "$c" ] || continue
		kill -KILL "$pid" 2>/dev/null && echo "killed leftover $pid"
	done
	return 0
}

# Unmounts what is mounted below /mnt, deepest first.
umount_leftovers()
{
	local dir

	awk '$2 ~ "^/mnt/" {print $2}' /proc/mounts | tac | while read -r dir; do
		umount "$dir" 2>/dev/null || umount -l "$dir"
	done
}

# Modules a case may have loaded, so that the next one can set parameters anew.
# They belong to the kernel: one that stays is no failure.
unload_helpers()
{
	local module

	for module in ib_srp ib_iser iscsi_tcp libiscsi_tcp libiscsi rdma_rxe siw \
		      scsi_debug brd null_blk; do
		is_loaded "$module" || continue
		rmmod "$module" 2>/dev/null || echo "$module stays loaded"
	done
}

for file in "$SKUA_SRC"/tests/lib/*.sh; do
	case $file in
	*/common.sh) ;;
	*)	. "$file" ;;
	esac
done
unset file
