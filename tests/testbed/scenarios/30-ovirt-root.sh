# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A storage domain with oVirt's permissions. qemu keeps the source port of a connection, so root's
# reserved port is also reserved for the guest's mountd.
[[ $(id -u) -eq 0 ]] || skip "only root may bind a reserved port, which this export wants"
server plain
probe_guest /export/ovirt --nfs-version 3 --format json
expect_status 0
for mechanism in inline write-chunk reply-chunk; do
	expect_finding "probe.read.$mechanism" pass
done
expect_report 'any(.findings[]; .id == "probe.identity" and .evidence.uid == 36
	and .evidence.gid == 36 and (.summary | test("EACCES")))' \
	"the report does not say that root was refused"
# Even root cannot list it.
guest_tell sh 'chmod 770 /export/ovirt'
probe_guest /export/ovirt --nfs-version 3 --level quick --format json
guest_tell sh 'chmod 755 /export/ovirt'
expect_status 0
