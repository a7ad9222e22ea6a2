# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A host without an RDMA device. By itself the probe takes iWARP.
server plain
inside 'rdma link delete siw0; rdma link delete rxe0; rdma link delete rxe1; ibv_devinfo -l'
probe_inside 192.168.77.1:/export/plain --transport verbs --timeout 20 --format json
expect_status 3
expect_words probe.route unknown 'no RDMA device'
probe_inside 192.168.77.1:/export/plain --timeout 20 --format json
[[ $status == 1 || $status == 3 ]] || fail "exit status $status"
expect_words probe.route pass 'no RDMA device'
