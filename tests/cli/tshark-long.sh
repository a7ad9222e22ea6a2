#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A long call in the eyes of Wireshark: RDMA_NOMSG with one Read chunk at position zero and a Reply
# chunk, read and written whole, nothing malformed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires tshark

capture=$work/long.pcap
"$(dirname "$NFSRDMA")/tests/support/record-long-call" "$capture" || fail "nothing was recorded"

wrong=$(decode -Y '_ws.expert.severity >= 0x00800000')
[[ ! $wrong ]] || fail "Wireshark finds wrong: $wrong"

# 40 bytes of RPC header and 100,000 of arguments; 24 and 100,000 come back.
call=$(decode -Y 'rpcordma.msg_type == 1 && rpcordma.reads_count == 1' -T fields -E separator=' ' \
	-e rpcordma.position -e rpcordma.rdma_length)
[[ $call == '0 100040,100024' ]] || fail "the call's Read and Reply chunk: $call"
reply=$(decode -Y 'rpcordma.msg_type == 1 && rpcordma.reads_count == 0' -T fields \
	-e rpcordma.rdma_length)
[[ $reply == 100024 ]] || fail "the reply's Reply chunk: $reply"

# One Read Request for all of it, and Read Responses of as many bytes.
reads=$(decode -Y 'iwarp_rdma.opcode == 1' -T fields -e iwarp_rdma.rdmardsz)
[[ $reads == 100040 ]] || fail "Read Requests for $reads bytes"
