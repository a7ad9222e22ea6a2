# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The same for net/sunrpc/xprtrdma/svc_rdma_recvfrom.c of Linux 6.1: faults of sick-server.h change
# what was pulled by Read chunk.
s/^#include <trace\/events\/rpcrdma\.h>$/&\
void sick_read_chunk(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt);/
/^\t\tret = svc_rdma_process_read_list(rdma_xprt, rqstp, ctxt);$/,/^\t}$/s/^\t}$/\t\tsick_read_chunk(rqstp, ctxt);\
\t}/
