# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# probe --client: this kernel reads and writes right through siw0 and rxe0, by each version of NFS that we serve.
server plain
log_mark
for address in 10.0.2.15 192.168.77.1; do
	inside_run probe --client --bind $address --format json
	expect_status 0
	expect_only ''
	expect_finding bug.read-812 pass
	expect_report '[.findings[] | select(.id == "kernel.read") | .evidence.nfs_version] == ["3", "4.0", "4.1"]' \
		"not all versions"
	expect_report 'all(.findings[] | select(.id == "kernel.read"); .evidence.right == 40)' "not all ranges"
	expect_report '[.findings[] | select(.id == "kernel.write").evidence | .right == 24 and .padded == 0] == [true, true, true]' "not all writes"
done
log_clean
