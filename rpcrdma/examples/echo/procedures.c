/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The procedures of echo.x: ordinary rpcgen code without RDMA. Results are static, as rpcgen
 * requires; the library calls one procedure at a time. */
#include "echo.h"

echo_bytes *echo_back_1_svc(echo_bytes *arg, struct svc_req *req)
{
	static echo_bytes result;

	(void)req;
	/* The bytes are the argument's, which is freed after the reply is encoded. */
	result = *arg;
	return &result;
}

echo_bytes *echo_make_1_svc(u_int *arg, struct svc_req *req)
{
	static char bytes[ECHO_MAX];
	static echo_bytes result;
	u_int i;

	(void)req;
	result.echo_bytes_val = bytes;
	result.echo_bytes_len = *arg < ECHO_MAX ? *arg : ECHO_MAX;
	for (i = 0; i < result.echo_bytes_len; i++)
		bytes[i] = (char)(i % 251);
	return &result;
}

u_int *echo_take_1_svc(echo_bytes *arg, struct svc_req *req)
{
	static u_int result;

	(void)req;
	result = arg->echo_bytes_len;
	return &result;
}

echo_caller *echo_who_1_svc(void *arg, struct svc_req *req)
{
	const struct authunix_parms *sys = req->rq_clntcred;
	static echo_caller result;
	static char nobody[] = "";

	(void)arg;
	result = (echo_caller){ .flavor = (u_int)req->rq_cred.oa_flavor, .machine = nobody };
	if (req->rq_cred.oa_flavor == AUTH_SYS) {
		result.uid = sys->aup_uid;
		result.gid = sys->aup_gid;
		result.gids.gids_len = sys->aup_len;
		result.gids.gids_val = sys->aup_gids;
		result.machine = sys->aup_machname;
	}
	return &result;
}
