# SPDX-License-Identifier: GPL-2.0
#
# Sourced by the scripts that run on the host:
#   top    this source tree
#   cache  what is kept between runs, outside the tree: the debug kernel, results
#   tree   the part of it that belongs to this tree: builds and their logs

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${SKUA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/skua}
tree=$cache/build/$(basename "$top")-$(echo "$top" | cksum | cut -d ' ' -f 1)
mkdir -p "$tree"
