# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The kernel's server in every version of NFS. What is wrong is its NFS alone, over TCP too: the second
# READ of a COMPOUND (../../upstream). Its log is clean.
server plain
log_mark
for version in 3 4.0 4.1 4.2; do
	probe_guest /export/plain --nfs-version "$version" --timeout 400 --format json
	cp "$work/out" "$work/report-$version.json"
	expect_sound "$version"
	expect_words probe.server pass 'Linux nfsd'
done
probe_guest /export/plain --level quick --format json
expect_sound 4.2
for version in 3 4.0 4.1 4.2; do
	expect_words probe.versions pass "(^|[^0-9.])${version/./\\.}([^0-9.]|\$)"
done
log_clean
