# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Every version of NFS from the host over software iWARP; "auto" takes the highest,
# and lists what the server offers.
server plain
for version in 3 4.0 4.1 4.2; do
	probe_guest /export/plain --nfs-version $version --format json
	expect_good iwarp $version
	expect_only ''
	expect_words probe.server pass 'Linux nfsd'
	expect_finding probe.read.withheld pass
done
probe_guest /export/plain --format json
expect_good iwarp 4.2
for version in 3 4.0 4.1 4.2; do
	expect_words probe.versions pass "(^|[^0-9.])${version/./\\.}([^0-9.]|\$)"
done
