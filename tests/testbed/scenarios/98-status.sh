# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# nfsrdma status and nfsrdma doctor in the guest: its ports and its server, a mount that was requested over RDMA and is
# over TCP, a server that is probed, and one that does not listen.
server plain

doctor() { inside_run doctor --format json "$@"; }
expect_one_list()
{
	expect_report '.steps | length > 0 and length == (unique | length)' "no list of steps, or a step twice"
}

inside_run status --format json
expect_words status.port pass 'rxe0 port 1 .veth0.: RoCE, active.*192.168.77.1'
expect_words status.server pass 'rdma 20049'
expect_words mount.list pass 'no NFS mount'
expect_report '[.findings[] | select(.id == "status.port")] | length == 3' "not three ports"

# The checks and a quick probe over verbs.
doctor 192.168.77.1:/export/plain
expect_status 0
expect_finding fabric.listener pass
expect_finding probe.null pass
expect_finding probe.read.write-chunk pass
expect_words doctor.plan pass 'mount -t nfs -o proto=rdma,port=20049 192.168.77.1:/export/plain'
inside_run doctor 192.168.77.1:/export/plain
grep -q '^[a-zA-Z]*  NFS over RDMA with 192.168.77.1 works, and the data is correct' "$work/out" || fail "the answer: $(sed -n 2p "$work/out")"
note "$(sed -n 2p "$work/out")"

# It shares the connection of a mount over TCP.
inside 'mkdir -p /run/iso /run/vm; mount.nfs 192.168.77.1:/export/plain /run/iso -o vers=4.2,proto=tcp,hard'
inside 'mount.nfs 192.168.77.1:/export/locks /run/vm -o proto=rdma,port=20049,vers=4.2,hard'
inside_run status
expect_status 1
grep -Eq '^  FAIL +rdma +tcp +4.2 .*/run/vm' "$work/out" || fail "no row: $(grep /run/vm "$work/out")"
(($(wc -l <"$work/out") < 40)) || fail "$(wc -l <"$work/out") lines are more than a page"
inside_run doctor --format json 192.168.77.1:/export/locks
expect_status 1
expect_words mount.transport fail '/run/vm: over tcp'
expect_one_list
inside 'umount /run/vm; umount /run/iso'

# Nothing listens for RDMA: no probe, and the steps of the listener.
server off
doctor 192.168.77.1:/export/plain
expect_status 1
expect_finding fabric.listener fail
expect_words doctor.probe skip 'because of fabric.listener'
expect_one_list
server plain
