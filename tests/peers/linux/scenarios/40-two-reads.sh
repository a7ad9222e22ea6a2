# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The defect of nfsd that ../../upstream is about: two READs in one COMPOUND, over TCP. Wrong by the
# kernel's own nfsd, and right by the one with our patch, also over RDMA.

# nfsd FILE: the module of this file in place of the one that is loaded
nfsd()
{
	# shellcheck disable=SC2016 # the guest's
	inside 'rpc.nfsd 0; rm -f /run/server; kill $(pidof rpc.mountd nfsdcld); sleep 1; umount /proc/fs/nfsd && rmmod nfsd'
	inside "$1 && mount -t nfsd nfsd /proc/fs/nfsd"
	server plain
}

two_reads()
{
	status=0
	"$peers/upstream/two-reads" --port "$nfs_port" 127.0.0.1 /export/plain/file-65536 >"$work/said" || status=$?
	cat "$work/said"
}

server plain
log_mark
two_reads
before=$status
nfsd 'insmod /fixed/nfsd.ko'
two_reads
[[ $status == 0 ]] || fail "with the patch: exit status $status: $(grep -m1 '^not ok' "$work/said")"
probe_guest /export/plain --nfs-version 4.1 --level quick --format json
expect_status 0
expect_finding probe.read.compound pass
nfsd 'modprobe nfsd'
[[ $before == 1 ]] || fail "without the patch: exit status $before; is it in this kernel?"
log_clean
