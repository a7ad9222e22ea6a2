#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A kernel before 3.17 has no getrandom(2). The error concerns this host, not the server.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

# shellcheck disable=SC2119 # no arguments
start_server
probe_server --level quick
expect_status 0

run_prefix=("$(dirname "$NFSRDMA")/tests/support/without-getrandom")
for version in 3 4.0 4.1; do
	probe_server --level quick --nfs-version "$version"
	expect_status 3
	expect_report "what it says" '.verdict == "unknown" and any(.findings[];
		.id == "probe.connect" and .status == "unknown" and (.summary | test("kernel has no getrandom")))'
	expect_reason probe.connect/old-kernel
	expect_report "the server is blamed" 'all(.findings[]; .status != "fail" and .status != "warn")'
done
