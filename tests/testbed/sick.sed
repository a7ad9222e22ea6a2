# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Makes a kernel NFS server sick (bug.write-chunk-read), for
# net/sunrpc/xprtrdma/svc_rdma_rw.c of Linux 6.1.
#
# A payload of more than 812 bytes that goes out by Write chunk is replaced by
# zeros: right inline, right by Reply chunk, wrong by Write chunk, and status,
# count and lengths that all say that things are well. 812 is where an NFSv4
# client of Linux 3.x goes from inline to Write chunk. The 812-byte bug itself
# (Red Hat bugzilla 1046011) is that client's, and not what this plants.
#
# svc_rdma_pagelist_to_sg() serves Write and Reply chunks alike. For a Write
# chunk it is given only the payload (svc_rdma_result_payload() cuts it out), so
# the head is empty; in a Reply chunk the head holds the RPC header. The page is
# swapped, not cleared: after a splice it belongs to the page cache of the file.
s/^\(\t\tsg_set_page(sg, \)\*page, sge_bytes, page_off);$/\1xdr->len > 812 \&\& !xdr->head[0].iov_len ? ZERO_PAGE(0) : *page, sge_bytes, page_off);/
