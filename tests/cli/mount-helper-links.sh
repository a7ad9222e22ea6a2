#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What runs as root at mount time is linked with nothing that talks to a bus, to libvirt or reads XML,
# and has no NFS server in it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires readelf nm

program=mount.nfsrdma
needed=$(readelf -d "${NFSRDMA%/*}/mount-helper/$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "$program: ${needed//$'\n'/ }"
[[ $needed == *libc.so* ]] || fail "$program is linked with nothing"
! grep -E '^lib(virt|xml2|systemd|dbus|nftables|curl|ssl)' <<<"$needed" || fail "$program is linked with that"
nm "${NFSRDMA%/*}/mount-helper/$program" >"$work/symbols"
grep -q ' probe_run$' "$work/symbols" || fail "$program has no symbols"
! grep -E ' (server_open|nfs4_opens_open|nfs4_clients_set)' "$work/symbols" || fail "$program has an NFS server in it"
