# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Shell functions for run, sysroot and the scenarios: the table of architectures.
# shellcheck shell=bash disable=SC2034 # for those that source this
ports=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$ports/../.." && pwd)
cache=${NFSRDMA_PORTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nfsrdma-ports}
[[ $cache == /* ]] || cache=$PWD/$cache

architectures() { grep -vE '^(#|$)' "$ports/architectures.txt"; }

# architecture NAME: sets the columns of its line, and where its files are.
architecture()
{
	arch=$1
	read -r _ prefix libraries loader family cpu endian emulator compiler_package \
		< <(architectures | grep -E "^$1 ") || return
	[[ $emulator != - ]] || emulator=
	sysroot=$cache/$arch/root
	builddir=$source/build-tests/ports-$arch
}
