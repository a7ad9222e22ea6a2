# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The server restarts between two READs: the kernel's, then ours, on the same port. Under NFSv4.1
# it has lost the client, which ends the probe.
server plain
before="($(until_reading); rpc.nfsd 0; rpc.nfsd --rdma=20049 4; echo Y >/proc/fs/nfsd/v4_end_grace) &"
for version in 3 4.1; do
	probe_inside 192.168.77.1:/export/plain --transport verbs --level full --nfs-version $version --format json
	[[ $status == 1 || $status == 3 ]] || fail "exit status $status: $(summary)"
	expect_report 'any(.findings[]; (.status == "fail" or .status == "unknown")
		and (.summary | test("RDMA_CM_EVENT|connection")))' "nothing speaks of the connection"
	expect_no_bug
	[[ $version == 3 ]] || expect_words probe.server-gone fail 'restarted|gone'
done
serve_inside --transport verbs --listen 192.168.77.1:0
before="($(until_connected); sleep 0.5; /agent serve end; sleep 0.2; /agent serve --transport verbs --listen 192.168.77.1:$serve_rdma) >/dev/null &"
probe_inside "192.168.77.1:$serve_export" --port "$serve_rdma" --transport verbs --level full \
	--nfs-version 4.1 --format json
[[ $status == 1 || $status == 3 ]] || fail "exit status $status: $(summary)"
expect_no_bug
expect_words probe.server-gone fail 'restarted|gone'
serve_end
