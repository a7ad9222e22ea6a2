/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

#ifndef RPCRDMA_SERVER_FAULTS_PLACE_H
#define RPCRDMA_SERVER_FAULTS_PLACE_H

#include "rpcrdma/server/internal.h"

#define FAULT_PLACES "other-file|other-offset|last-page|above-4-gib|inline-unaligned"

/* @value: an index of these. */
void fault_misplaced(struct rdma_reply *reply, unsigned int value);

#endif
