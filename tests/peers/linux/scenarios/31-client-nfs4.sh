# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The same by NFSv4.0 and 4.1; asked for 4.2, which we do not have, it is refused.
# shellcheck source=../../../testbed/scenarios/62-client-nfs4.sh
. "$testbed/scenarios/62-client-nfs4.sh"
inside "! mount.nfs 10.0.2.2:/ /mnt -o vers=4.2,proto=rdma,port=$serve_rdma,soft,timeo=50,retrans=3"
