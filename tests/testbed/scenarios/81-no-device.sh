# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# A host without an RDMA device. By default the probe uses software iWARP.
server plain
# As if the connection manager's module were not loaded; then devices that programs cannot use.
inside 'mv /dev/infiniband/rdma_cm /dev/infiniband/was'
probe_inside 192.168.77.1:/export/plain --transport verbs --format json
expect_reason probe.route/no-rdma-ucm
inside 'mv /dev/infiniband/was /dev/infiniband/rdma_cm; mkdir /run/empty; mount --bind /run/empty /etc/libibverbs.d'
probe_inside 192.168.77.1:/export/plain --transport verbs --format json
expect_reason probe.route/no-provider
inside 'umount /etc/libibverbs.d; rmdir /run/empty'

inside 'rdma link delete siw0; rdma link delete rxe0; rdma link delete rxe1; ibv_devinfo -l'
probe_inside 192.168.77.1:/export/plain --transport verbs --format json
expect_status 3
expect_words probe.route unknown 'no RDMA device'
expect_reason probe.route/no-device
probe_inside 192.168.77.1:/export/plain --format json
[[ $status == 1 || $status == 3 ]] || fail "exit status $status"
expect_words probe.route pass 'no RDMA device'
