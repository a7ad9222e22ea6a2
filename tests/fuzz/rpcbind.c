/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The process that asks a server's rpcbind may have been taken over: its answer is any bytes. What
 * is taken from it is a port, or an error in clean words. */
#include <errno.h>

#include "plugin/checks/internal.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rpcbind_reply reply = { 0 };

	memcpy(&reply, data, min_u64(size, sizeof(reply)));
	if (!remote_rpcbind_is_sane(&reply))
		return 0;
	FUZZ_CHECK(memchr(reply.text, '\0', sizeof(reply.text)));
	FUZZ_CHECK(finding_is_clean(reply.text));
	if (reply.rc)
		FUZZ_CHECK(err_set(-reply.rc, "%s", reply.text) == reply.rc);
	else
		FUZZ_CHECK(reply.port && (uint16_t)reply.port == reply.port);
	return 0;
}
