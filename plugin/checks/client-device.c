/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a client has an RDMA device. */
#include "plugin/checks/internal.h"
