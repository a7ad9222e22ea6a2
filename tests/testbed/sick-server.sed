# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Plants the faults of sick-server.h into a kernel NFS server, for
# net/sunrpc/xprtrdma/svc_rdma_sendto.c of Linux 6.1: three calls go by way of them.
s/^#include <trace\/events\/rpcrdma\.h>$/&\
#include "sick-server.h"/
s/^\tret = svc_rdma_send_write_chunk(rdma, chunk, &subbuf);$/\tret = sick_write_chunk(rqstp, rdma, chunk, \&subbuf);/
/^static ssize_t svc_rdma_encode_write_list(/,/^}$/s/= svc_rdma_encode_write_chunk(sctxt, chunk);$/= sick_encode_chunk(sctxt, chunk);/
s/^\tret = svc_rdma_send_reply_msg(rdma, sctxt, rctxt, rqstp);$/\tret = sick_send_reply(rdma, sctxt, rctxt, rqstp);/
