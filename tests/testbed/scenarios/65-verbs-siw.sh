# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# iWARP through a device: the same over siw0.
server plain
for version in 3 4.0 4.1 4.2; do
	probe_inside 10.0.2.15:/export/plain --transport verbs --nfs-version $version --format json
	expect_good verbs $version
	expect_words probe.route pass siw0
	expect_finding probe.call-by-chunk pass
done
