/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The running system: each query is in a file of its own. */
#include "plugin/live/internal.h"

const struct live_ops live_system = {
	.route = live_route,
	.nftables = live_nftables,
	.firewalld = live_firewalld,
	.unit = live_unit,
	.addresses = live_addresses,
	.changed = live_unit_changed,
	.log = live_kmsg,
};
