/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Calls before NFS: rpcbind for a port (RFC 1833 section 3) and mountd for the root file handle
 * (RFC 1813 appendix I). Both use the caller's TCP connection. */
#include <netinet/in.h>

#include "rpcrdma/nfs/nfs.h"

#define PMAP_VERSION   2
#define PMAP_GETPORT   3
#define MOUNT_VERSION  3
#define PMAP_REPLY_MAX 512
#define MNT_REPLY_MAX  1024 /* the handle and a dozen flavours take far less */
#define MNT_ARGS_MAX   (4 + MOUNT3_PATH_MAX)

/* Version 2 of rpcbind has no IPv6 addresses, but answers over IPv6: a service has the same port
 * for both families wherever rpcbind itself listens on both. */
int pmap_getport(int fd, uint32_t prog, uint32_t vers, uint16_t *port, uint64_t deadline)
{
	struct rpc_call call = { .xid = (uint32_t)random_number(),
				 .prog = PMAP_PROGRAM_NUMBER,
				 .vers = PMAP_VERSION,
				 .proc = PMAP_GETPORT };
	uint8_t args[16], buf[PMAP_REPLY_MAX];
	struct rpc_tcp_exchange exchange = { .call = &call,
					     .args = args,
					     .args_len = sizeof(args),
					     .buf = buf,
					     .cap = sizeof(buf) };
	uint32_t answer;
	int rc;

	put_be32(args, prog);
	put_be32(args + 4, vers);
	put_be32(args + 8, IPPROTO_TCP);
	put_be32(args + 12, 0);
	rc = rpc_tcp_call(fd, &exchange, deadline);
	if (rc)
		return err_context(rc, "rpcbind");
	if (exchange.results_len < 4)
		return err_set(EBADMSG, "rpcbind: %zu bytes instead of a port",
			       exchange.results_len);
	answer = get_be32(exchange.results);
	if (answer == 0)
		return err_set(EADDRNOTAVAIL, "rpcbind: program %u version %u is not registered",
			       prog, vers);
	if (answer > UINT16_MAX)
		return err_set(EBADMSG, "rpcbind: %u is not a port", answer);
	*port = (uint16_t)answer;
	return 0;
}

int mount3_mnt(int fd, const char *path, const struct rpc_cred *cred, struct mount3_mnt_res *res,
	       uint64_t deadline)
{
	struct rpc_call call = { .xid = (uint32_t)random_number(),
				 .prog = MOUNT_PROGRAM_NUMBER,
				 .vers = MOUNT_VERSION,
				 .proc = MOUNT3_MNT };
	uint8_t args[MNT_ARGS_MAX], buf[MNT_REPLY_MAX];
	struct rpc_tcp_exchange exchange = {
		.call = &call, .args = args, .buf = buf, .cap = sizeof(buf)
	};
	struct reader r;
	ssize_t args_len;
	int rc;

	if (cred)
		call.cred = *cred;
	args_len = mount3_args_mnt(args, sizeof(args), path);
	if (args_len < 0)
		return err_context((int)args_len, "mount path");
	exchange.args_len = (size_t)args_len;
	rc = rpc_tcp_call(fd, &exchange, deadline);
	if (!rc) {
		reader_init(&r, exchange.results, exchange.results_len);
		rc = mount3_res_mnt(res, &r);
	}
	return rc ? err_context(rc, "mountd") : 0;
}
