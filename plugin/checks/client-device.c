/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a client has an RDMA device. */
#include "plugin/checks/internal.h"

const struct check check_client_device = {
	.id = "client.device",
	.roles = CHECK_CLIENT,
	.at_mount = CHECK_MOUNT_DEVICE,
	.run = device_check,
};
