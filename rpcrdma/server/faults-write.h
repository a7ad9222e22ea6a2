/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The values of the fault "write", in the order of their words. */
#ifndef RPCRDMA_SERVER_FAULTS_WRITE_H
#define RPCRDMA_SERVER_FAULTS_WRITE_H

#include "rpcrdma/server/internal.h"

#define FAULT_WRITE_VALUES                                                                       \
	"tail|pad|segments|page-repeat|earlier|shifted|neighbour|aligned|above-64k|short|count|" \
	"eio|rarely|inline|hang|close|commit-lost|verifier|late|restart|stops|reply-first|other-key|create-lost"

enum fault_write_word {
	WRITE_TAIL,
	WRITE_PAD,
	WRITE_SEGMENTS,
	WRITE_PAGE,
	WRITE_EARLIER,
	WRITE_SHIFTED,
	WRITE_NEIGHBOUR,
	WRITE_ALIGNED,
	WRITE_LARGE,
	WRITE_SHORT,
	WRITE_COUNT,
	WRITE_EIO,
	WRITE_RARELY,
	WRITE_INLINE,
	WRITE_HANG,
	WRITE_CLOSE,
	WRITE_COMMIT_LOST,
	WRITE_VERIFIER,
	WRITE_LATE,
	WRITE_RESTART,
	WRITE_STOPS,
	WRITE_REPLY_FIRST,
	WRITE_OTHER_KEY,
	WRITE_CREATE_LOST,
	WRITE_VALUES
};

/* State of all connections. */
struct fault_shared;

/* NULL: no memory. */
struct fault_shared *fault_shared_new(void);
/* NULL is fine. */
void fault_shared_free(struct fault_shared *shared);
struct fault_shared *fault_shared_of(const struct fault_set *faults);

/* Of the replies to WRITEs. */
void fault_write_reply(struct rdma_reply *reply, unsigned int value);

#endif
