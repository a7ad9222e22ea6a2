# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Our embedded server over RoCE: the kernel client reads correct data, and so does the probe.
serve_inside --transport verbs --listen 192.168.77.1:0
for version in 3 4.0 4.1; do
	mount_check $version 192.168.77.1
	probe_inside "192.168.77.1:$serve_export" --transport verbs --port "$serve_rdma" \
		--mount-port "$serve_mount" --nfs-port "$serve_nfs" --nfs-version $version --format json
	expect_good verbs $version
done
serve_end
