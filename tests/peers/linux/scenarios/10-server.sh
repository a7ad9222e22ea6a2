# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The kernel's server in every version of NFS, at level standard: nothing is wrong but what is known to
# be, and its log is clean.
server plain
log_mark
for version in 3 4.0 4.1 4.2; do
	probe_guest /export/plain --nfs-version "$version" --format json
	cp "$work/out" "$work/report-$version.json"
	expect_status 0
done
log_clean
