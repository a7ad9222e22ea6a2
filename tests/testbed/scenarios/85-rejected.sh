# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Nothing listens on the port: the connection manager of the peer rejects.
server plain
for address in 192.168.77.1 10.0.2.15; do
	probe_inside "$address:/export/plain" --port 20050 --transport verbs --format json
	expect_status 1
	expect_words probe.connect fail 'connecting: .*nothing listens'
	expect_reason probe.connect/not-listening
done
