/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* client HOST PORT [TRANSPORT]: sends 1 byte to 1 MiB, checks the returned bytes, and prints the
 * caller's identity as the server sees it. Exit status 1 if anything differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rpcrdma-clnt.h>

#include "echo.h"

static const u_int sizes[] = { 1,    3,    4,    811,   812,    813,     1023,
			       4095, 4096, 4097, 65536, 262143, 1048575, ECHO_MAX };

static int try_size(CLIENT *client, u_int size)
{
	static char bytes[ECHO_MAX];
	echo_bytes arg = { .echo_bytes_len = size, .echo_bytes_val = bytes };
	echo_bytes *result;
	u_int i;
	int good;

	for (i = 0; i < size; i++)
		bytes[i] = (char)(i * 31 + size);
	result = echo_back_1(&arg, client);
	if (!result) {
		clnt_perror(client, "echo_back");
		fprintf(stderr, "client: %s\n", rpcrdma_error());
		return 0;
	}
	good = result->echo_bytes_len == size && !memcmp(result->echo_bytes_val, bytes, size);
	printf("%7u bytes there and back: %s\n", size, good ? "equal" : "DIFFERENT");
	clnt_freeres(client, (xdrproc_t)xdr_echo_bytes, (char *)result);
	return good;
}

static int ask_who(CLIENT *client)
{
	echo_caller *who = echo_who_1(NULL, client);

	if (!who) {
		clnt_perror(client, "echo_who");
		return 0;
	}
	printf("the server sees uid %u, gid %u on %s\n", who->uid, who->gid, who->machine);
	clnt_freeres(client, (xdrproc_t)xdr_echo_caller, (char *)who);
	return 1;
}

int main(int argc, char **argv)
{
	CLIENT *client;
	int good = 1;
	size_t i;

	if (argc < 3) {
		fprintf(stderr, "usage: client HOST PORT [TRANSPORT]\n");
		return 2;
	}
	client = clnt_rdma_open(argv[1], (uint16_t)atoi(argv[2]), ECHO_PROGRAM, ECHO_VERSION,
				argc > 3 ? argv[3] : NULL, 0);
	if (!client) {
		clnt_pcreateerror(argv[1]);
		fprintf(stderr, "client: %s\n", rpcrdma_error());
		return 1;
	}
	client->cl_auth = authsys_create_default();
	for (i = 0; good && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		good = try_size(client, sizes[i]);
	good = good && ask_who(client);
	auth_destroy(client->cl_auth);
	clnt_destroy(client);
	return good ? 0 : 1;
}
