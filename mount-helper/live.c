/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What checks may query of the running system at mount time: the kernel's route to the server.
 * Firewalls and units need programs and a bus; here they are unknown. */
#include "mount-helper/internal.h"

static int live_not_read(void)
{
	return err_set(ENODATA, "not read at mount time");
}

static int live_no_nftables(const struct host *host, struct host_text *json)
{
	(void)host, (void)json;
	return live_not_read();
}

static int live_no_firewalld(const struct host *host, const char *netdev,
			     struct host_firewalld *out)
{
	(void)host, (void)netdev, (void)out;
	return live_not_read();
}

static int live_no_unit(const struct host *host, const char *name, char *state, size_t cap)
{
	(void)host, (void)name, (void)state, (void)cap;
	return live_not_read();
}

static int live_no_addresses(const struct host *host, const char *netdev,
			     struct host_addresses *out)
{
	(void)host, (void)netdev, (void)out;
	return live_not_read();
}

const struct live_ops live_helper = {
	.route = live_route,
	.nftables = live_no_nftables,
	.firewalld = live_no_firewalld,
	.unit = live_no_unit,
	.addresses = live_no_addresses,
};
