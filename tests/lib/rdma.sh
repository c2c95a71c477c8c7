# SPDX-License-Identifier: GPL-2.0
#
# Soft RDMA devices on dummy interfaces, or on a veth pair whose link can be
# taken down.

RDMA_IP=192.168.77.1
RDMA_IP6=fd77::1

# rxe_up [N]: device rxeN on interface dN with 192.168.(77+N).1/24 and
# fd77:N::1/64 (fd77::1/64 for N = 0, the default), MTU 9000.
rxe_up()
{
	local n=${1:-0} ip6

	ip6=fd77:$n::1
	[ "$n" = 0 ] && ip6=$RDMA_IP6
	modprobe -a dummy rdma_rxe || return 1
	if [ ! -e "/sys/class/net/d$n" ]; then
		ip link add "d$n" type dummy || return 1
	fi
	ip link set "d$n" mtu 9000 up &&
		ip addr replace "192.168.$((77 + n)).1/24" dev "d$n" &&
		ip addr replace "$ip6/64" dev "d$n" nodad || return 1
	if [ ! -e "/sys/class/infiniband/rxe$n" ]; then
		rdma link add "rxe$n" type rxe netdev "d$n" || return 1
	fi
	wait_for 10 rdma_active "rxe$n"
}

rdma_active() { grep -q ACTIVE "/sys/class/infiniband/$1/ports/1/state"; }

# The port GID: eight groups of four hex digits, name of its SRP target.
rdma_gid() { cat "/sys/class/infiniband/${1:-rxe0}/ports/1/gids/0"; }

# rxe_down: removes every soft device and interface made by rxe_up.
rxe_down()
{
	local dev

	for dev in /sys/class/infiniband/{rxe,siw}*; do
		[ -e "$dev" ] && bounded_quiet 20 rdma link delete "${dev##*/}"
	done
	for dev in /sys/class/net/d[0-9]*; do
		[ -e "$dev" ] && ip link delete "${dev##*/}"
	done
	return 0
}

# bounded_quiet SECONDS COMMAND...: leaves it behind if it hangs.
bounded_quiet()
{
	local end=$((SECONDS + $1 * SKUA_WAIT)) pid

	shift
	"$@" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		[ $SECONDS -lt $end ] || { echo "hangs: $*"; return 1; }
		sleep 0.1
	done
	wait $pid
}
