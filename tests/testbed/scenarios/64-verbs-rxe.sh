# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# RoCE: the probe in the guest against the kernel's server, every version.
server plain
for version in 3 4.0 4.1 4.2; do
	probe_inside 192.168.77.1:/export/plain --transport verbs --nfs-version $version --format json
	expect_good verbs $version
	expect_words probe.route pass rxe0
done
