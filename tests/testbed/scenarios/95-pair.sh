# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Client and server on different hosts, over RoCE: the kernel's server, then ours.
second_guest
server plain
for version in 3 4.2; do
	second probe_inside 10.9.0.1:/export/plain --transport verbs --nfs-version $version --format json
	expect_good verbs $version
	expect_words probe.route pass rxe1
done
serve_inside --transport verbs --listen 10.9.0.1:0
second probe_inside "10.9.0.1:$serve_export" --transport verbs --port "$serve_rdma" --format json
serve_end
expect_status 0
expect_only ''
expect_report '.subject.transport == "verbs"' "not over verbs"
