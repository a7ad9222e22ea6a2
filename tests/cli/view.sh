#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# One truth about a mount: what is wanted of it, by whom, and what it is, is the same for all who say it
# (view.py has the table). And what root runs at mount time links neither libvirt nor libxml2, though it
# asks the same.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
build=${NFSRDMA%/*}

mkdir "$work/hosts"
python3 "$NFSRDMA_SOURCE/tests/cli/view.py" "$NFSRDMA" "$build/hooks/libvirt/nfsrdma-libvirt-hook" \
	"$build/tests/support/view-consumers" "$work/hosts" || fail "contradictions"

helper=$build/mount-helper/mount.nfsrdma
nm "$helper" >"$work/symbols"
grep -q ' view_run$' "$work/symbols" || fail "the mount helper does not ask plugin/view"
! grep -E ' (xml[A-Z]|vir[A-Z]|pool_)' "$work/symbols" || fail "the mount helper has XML or pools"
# By itself: libmount of Debian testing brings libsystemd.
readelf -d "$helper" "$build"/rpcrdma/*.so >"$work/libraries"
! grep -E 'NEEDED.*(libxml2|libvirt|libsystemd)' "$work/libraries" || fail "the mount helper links too much"
# The hook reads pools' files, and never calls libvirt.
ldd "$build/hooks/libvirt/nfsrdma-libvirt-hook" >"$work/libraries"
! grep libvirt "$work/libraries" || fail "the hook links libvirt"

# A node of Proxmox VE that has no storages yet: nothing is wanted, and nothing is unknown. pmxcfs is a tmpfs here.
if unshare --mount --propagation private true 2>/dev/null; then
	mkdir "$work/etc" "$work/etc/pve"
	cat >"$work/node" <<-END
		mount -t tmpfs pmxcfs "$work/etc/pve" || exit 9
		mount --rbind "$work/etc" /etc || exit 9
		[ "\$1" ] || exec "$NFSRDMA" mounts --format json
		printf 'nfs: vm\n\tserver nas\n\texport /vm\n\toptions proto=rdma\n' >/etc/pve/storage.cfg
		exec "$build/hooks/libvirt/nfsrdma-libvirt-hook" g prepare begin - <<-XML
		<domain type='qemu'><name>g</name><devices><disk type='file' device='disk'>
		<source file='/mnt/pve/vm/a.img'/><target dev='vda' bus='virtio'/></disk></devices></domain>
		XML
	END
	unshare --mount --propagation private sh "$work/node" '' >"$work/out" || fail "mounts on a node without storage.cfg"
	expect_report "storages are unknown" 'all(.findings[]; tojson | contains("Proxmox") | not)'
	! unshare --mount --propagation private sh "$work/node" storage >"$work/out" 2>&1 || fail "a storage that is not mounted is no reason"
	grep -q '/etc/pve/storage.cfg:1' "$work/out" || fail "$(cat "$work/out")"
fi
