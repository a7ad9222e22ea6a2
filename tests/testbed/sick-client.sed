# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Makes a kernel's NFS client sick, for net/sunrpc/xprtrdma/rpc_rdma.c of Linux 6.1: it has the 812-byte
# bug while the module parameter sick_client is Y, and one of WRITEs while sick_write is not 0.
#
# What comes by Write chunk is in the pages already, and nothing of it is left to copy; so Linux 3.7 to
# 3.14 set page_len to 0, and xdr_align_pages() then cut the READ to nothing. This does the same.
#
# 1: the first segment of a Read chunk has the page that follows. 2: it is a word too short.
/^static int rpcrdma_encode_read_list(/,/^}/s/^\tdo {$/\tif (sick_write == 1 \&\& rtype == rpcrdma_readch \&\& nsegs > 1)\
\t\tseg[0].mr_page = seg[1].mr_page;\
&/
/^static int rpcrdma_encode_read_list(/,/^}/s/^\t\tif (encode_read_segment(xdr, mr, pos) < 0)$/\t\tif (sick_write == 2 \&\& rtype == rpcrdma_readch)\
\t\t\tmr->mr_length -= 4;\
&/
s/^\t\trpcrdma_inline_fixup(rqst, base, rpclen, writelist & 3);$/&\
\tif (sick_client \&\& writelist)\
\t\trqst->rq_rcv_buf.page_len = rqst->rq_private_buf.page_len = 0;/
s/^#include <trace\/events\/rpcrdma\.h>$/&\
#include <linux\/module.h>\
\
static bool sick_client;\
module_param(sick_client, bool, 0644);\
static unsigned int sick_write;\
module_param(sick_write, uint, 0644);/
