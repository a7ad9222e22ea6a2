# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Gives a kernel's NFS client the 812-byte bug, while the module parameter sick_client is Y: for
# net/sunrpc/xprtrdma/rpc_rdma.c of Linux 6.1.
#
# What comes by Write chunk is in the pages already, and nothing of it is left to copy; so Linux 3.7 to
# 3.14 set page_len to 0, and xdr_align_pages() then cut the READ to nothing. This does the same.
s/^\t\trpcrdma_inline_fixup(rqst, base, rpclen, writelist & 3);$/&\
\tif (sick_client \&\& writelist)\
\t\trqst->rq_rcv_buf.page_len = rqst->rq_private_buf.page_len = 0;/
s/^#include <trace\/events\/rpcrdma\.h>$/&\
#include <linux\/module.h>\
\
static bool sick_client;\
module_param(sick_client, bool, 0644);/
