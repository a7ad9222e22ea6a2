/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The kernel's NFS server as its checks see it: whether it runs, and where it listens for RDMA. */
#include "plugin/checks/internal.h"

int nfsd_running(struct check_run *run, const struct host_nfsd **out)
{
	int rc = facts_nfsd(run, out);

	if (rc)
		return rc;
	if ((*out)->present && ((*out)->threads_known ? (*out)->threads : (*out)->nlisteners))
		return 0;
	return err_set(ESRCH, "the NFS server does not run");
}

void nfsd_ports(const struct host_nfsd *nfsd, struct nfsd_ports *out)
{
	unsigned int i, p;

	out->count = 0;
	for (i = 0; i < nfsd->nlisteners; i++) {
		if (strcmp(nfsd->listeners[i].proto, "rdma"))
			continue;
		/* IPv4 and IPv6 each have a line. */
		for (p = 0; p < out->count; p++)
			if (out->list[p] == nfsd->listeners[i].port)
				break;
		if (p == out->count)
			out->list[out->count++] = nfsd->listeners[i].port;
	}
}

bool nfsd_has_port(const struct nfsd_ports *ports, unsigned int port)
{
	unsigned int i;

	for (i = 0; i < ports->count; i++)
		if (ports->list[i] == port)
			return true;
	return false;
}
