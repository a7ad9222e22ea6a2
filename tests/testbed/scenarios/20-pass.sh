# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The kernel's server, every mechanism, every size up to its rtmax.
server plain
probe_guest /export/plain --format json
expect_status 0
expect_only ''
expect_only ''
for mechanism in inline write-chunk reply-chunk; do
	expect_finding "probe.read.$mechanism" pass
done
# It is identified, so nothing was withheld.
expect_words probe.server pass 'Linux nfsd'
expect_finding probe.read.withheld pass
# It fetches a call.
expect_finding probe.call-by-chunk pass
# Up to the server's limit.
# shellcheck disable=SC2016 # jq's variables
expect_report '(.findings | map({key: .id, value: .evidence}) | from_entries) as $e
	| $e["probe.fsinfo"].rtmax as $rtmax | $rtmax > 0
	and all("write-chunk", "reply-chunk"; $e["probe.read." + .].largest_right == $rtmax)' \
	"the READs do not come up to rtmax"
