#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The examples of nfsrdma-recipes(7): the manual has the text of each file, and the checks accept a machine
# that has the file.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3 depmod
recipes=$NFSRDMA_SOURCE/packaging/recipes
machines=$NFSRDMA_SOURCE/tests/hosts
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work" "$machines"/{proxmox-storage,server-rdma-off-debian12,server-ganesha-tcp} ||
	fail "make-host"

# The files without the comment at their beginning are blocks of the manual.
for file in proxmox/storage.cfg ganesha/ganesha.conf nfs.conf.d/nfsrdma.conf; do
	sed '1,/^[^#]/{/^#/d}' "$recipes/$file" >"$work/block"
	python3 - "$recipes/nfsrdma-recipes.7.scd" "$work/block" <<'END' || fail "nfsrdma-recipes(7) has not the text of $file"
import sys
manual, block = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
sys.exit(block not in manual.split("```\n")[1::2])
END
done

# finding ID ARGUMENT...: the finding of a check, as "STATUS ID/REASON: SUMMARY"
finding()
{
	run check --timeout "$patience" --format json "${@:2}"
	# shellcheck disable=SC2016 # jq's variable
	report --arg id "$1" '.findings[] | select(.id == $id) | "\(.status) \([.id, .reason // empty] | join("/")): \(.summary)"'
}
# expect PATTERN TEXT
# shellcheck disable=SC2053 # a pattern
expect() { [[ $2 == $1 ]] || fail "expected $1, got $2"; }

echo "Proxmox VE"
cfg=$work/proxmox-storage/etc/pve/storage.cfg
cp "$recipes/proxmox/storage.cfg" "$cfg"
expect 'pass platform.proxmox: storages over RDMA: vmstore (vers=4.2,proto=rdma)*' \
	"$(finding platform.proxmox --root "$work/proxmox-storage")"
# What the manual advises against.
sed -i 's/proto=rdma/&,port=20049/' "$cfg"
expect 'warn platform.proxmox/port-ping: *' "$(finding platform.proxmox --root "$work/proxmox-storage")"

echo "the kernel's server"
host=$work/server-rdma-off-debian12
expect 'fail server.nfs-conf/*' "$(finding server.nfs-conf --role server --root "$host")"
mkdir -p "$host/etc/nfs.conf.d"
cp "$recipes/nfs.conf.d/nfsrdma.conf" "$host/etc/nfs.conf.d/"
expect 'pass server.nfs-conf: *' "$(finding server.nfs-conf --role server --root "$host")"

echo "NFS-Ganesha"
host=$work/server-ganesha-tcp
expect 'fail server.ganesha/no-nfsrdma: *' "$(finding server.ganesha --role server --root "$host")"
cp "$recipes/ganesha/ganesha.conf" "$host/etc/ganesha/"
# Whether it was built with RDMA no file shows.
expect 'unknown server.ganesha/not-shown: *ganesha.conf:* enables RDMA on port 20049;*' \
	"$(finding server.ganesha --role server --root "$host")"
