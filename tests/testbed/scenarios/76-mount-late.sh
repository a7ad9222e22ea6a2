# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A kernel's server that starts late, one that is silent, and a device that appears late: the
# reason is reported while the mount continues.
server off

# late ADDRESS OPTIONS: a mount that continues in the background; its messages are the guest's
# /run/said.
late()
{
	inside "rm -f /run/said /run/ended; (/usr/sbin/mount -t nfsrdma $1:/export/plain /mnt -o vers=4.2,$2 >/run/said 2>&1; echo \$? >/run/ended) >/dev/null 2>&1 & :"
}
# saying REGEX: waits for that message; the mount must not have ended.
saying()
{
	inside "until grep -qE '$1' /run/said; do [ ! -e /run/ended ] || { cat /run/said; exit 1; }; sleep 0.5; done"
	inside '! cat /run/ended 2>/dev/null'
}
# ended STATUS: it comes to its end.
ended()
{
	inside 'until [ -s /run/ended ]; do sleep 0.5; done'
	[[ $(guest_tell sh 'cat /run/ended') == "$1" ]] || fail "exit status: $(guest_tell sh 'cat /run/ended /run/said' | tr '\n' ' ')"
}

# The listener appears while mount.nfs is trying.
for address in 192.168.77.1 10.0.2.15; do
	late $address fg,retry=10
	saying 'is not mounted yet: the server answers, and refuses RDMA on port 20049; retrying for [1-9][0-9]* s'
	server plain
	ended 0
	inside "grep ' /mnt ' /proc/self/mountinfo | grep proto=rdma && /usr/sbin/umount /mnt"
	server off
done

# No reply from the server: with no waiting, it ends with that reason.
server plain
inside "nft 'add table inet t; add chain inet t c { type filter hook input priority 0 ; }; add rule inet t c tcp dport 20049 drop'"
mounting /mnt -t nfsrdma 10.0.2.15:/export/plain /mnt -o vers=4.2,retry=0
inside 'nft flush ruleset'
expect_refused 32 'no answer over RDMA on port 20049'

# A device that appears late.
inside 'rdma link delete siw0; rdma link delete rxe0; [ ! -d /sys/class/infiniband/rxe1 ] || rdma link delete rxe1'
mounting /mnt -t nfsrdma 192.168.77.1:/export/plain /mnt -o vers=4.2,retry=0
expect_refused 32 'no RDMA device .client.device'
late 192.168.77.1 fg
saying 'no RDMA device; waiting for one until 30 s after the mount started'
inside 'rdma link add rxe0 type rxe netdev veth0'
ended 0
inside "grep ' /mnt ' /proc/self/mountinfo | grep proto=rdma && /usr/sbin/umount /mnt"
