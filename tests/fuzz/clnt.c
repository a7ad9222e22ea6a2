/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a server may answer to libtirpc's CLIENT: to a call that does not wait for its reply, and to one that does and
 * offers a Reply chunk. A call comes to an end without a time-out, and results are within their bounds. The input:
 * two bytes of length, what is written to the Reply chunk; then Sends (requester-pair.h) with the XIDs of both calls,
 * and of two more, which follow if the credential is refused. */
#include "tests/fuzz/lists.h"
#include "tests/fuzz/requester-pair.h"

#define CALLS      4
#define RESULT_MAX 16384 /* more than what goes inline */

static const uint8_t *input;
static size_t input_len;
static uint32_t xids[CALLS];

/* The peer has both calls before it answers. */
static void *answer(void *arg)
{
	static uint8_t chunk[RESULT_MAX];
	struct rpcrdma_header h[2];
	struct transport_msg msg;
	struct reader r;
	size_t len = 0;
	int i;

	for (i = 0; i < 2; i++) {
		FUZZ_CHECK(!peer->ops->recv(peer, &msg, deadline_in(10000)));
		reader_init(&r, msg.data, msg.len);
		FUZZ_CHECK(!header_decode(&h[i], &r));
		xids[i] = h[i].rdma_xid;
		peer->ops->repost(peer, &msg);
	}
	xids[2] = xids[1] + 1;
	xids[3] = xids[1] + 2;
	if (input_len >= 2) {
		len = min_u64((input[0] | (size_t)input[1] << 8) % RESULT_MAX, input_len - 2);
		memcpy(chunk, input + 2, len);
		pair_plant(chunk, len, xids, CALLS);
		FUZZ_CHECK(h[1].has_reply && h[1].reply.count == 1);
		FUZZ_CHECK(!len || !peer->ops->write(peer, chunk, len,
						     h[1].segments[h[1].reply.first].handle,
						     h[1].segments[h[1].reply.first].offset,
						     deadline_in(10000)));
		pair_send_all(input + 2 + len, input + input_len, xids, CALLS);
	}
	peer->ops->close(peer);
	peer = NULL;
	return arg;
}

static void call(CLIENT *client, struct timeval wait, enum clnt_stat *stat)
{
	static char none[] = "";
	struct lists args = { .bytes = none }, results = { 0 };

	*stat = clnt_call(client, 1, (xdrproc_t)lists_xdr, (char *)&args, (xdrproc_t)lists_xdr,
			  (char *)&results, wait);
	if (*stat == RPC_SUCCESS)
		lists_check(&results);
	clnt_freeres(client, (xdrproc_t)lists_xdr, (char *)&results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t result_max = RESULT_MAX;
	char machine[] = "host";
	struct rpc_err error;
	enum clnt_stat stat;
	pthread_t thread;
	CLIENT *client;

	input = data;
	input_len = size;
	pair_open(CALLS);
	pair_answer_first(CALLS);
	client = clnt_rdma_create(conn, 0x20000001, 1);
	FUZZ_CHECK(client && clnt_control(client, CLSET_RDMA_RESULT_MAX, (char *)&result_max));
	client->cl_auth = authunix_create(machine, 0, 0, 0, NULL);
	FUZZ_CHECK(!pthread_create(&thread, NULL, answer, NULL));
	call(client, (struct timeval){ 0, 0 }, &stat);
	FUZZ_CHECK(stat == RPC_TIMEDOUT);
	call(client, (struct timeval){ 10, 0 }, &stat);
	clnt_geterr(client, &error);
	FUZZ_CHECK(stat != RPC_TIMEDOUT && error.re_status == stat);
	FUZZ_CHECK(finding_is_clean(err_text()));
	pthread_join(thread, NULL);
	auth_destroy(client->cl_auth);
	clnt_destroy(client);
	pair_close();
	return 0;
}
