/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The record of what a client left on a server, whose writer may have been taken over: what is
 * accepted is of our own, is written anew without loss, and leads to an end whatever a server
 * answers. */
#include "rpcrdma/probe/internal.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t record[REMAINS_RECORD_MAX];
	struct remains remains, again;
	unsigned int steps = 0;

	if (remains_decode(&remains, data, size))
		return 0;
	FUZZ_CHECK(!strncmp(remains.owner, REMAINS_OWNER, strlen(REMAINS_OWNER)));
	FUZZ_CHECK(strnlen(remains.owner, sizeof(remains.owner)) < sizeof(remains.owner));
	FUZZ_CHECK(!remains_decode(&again, record, remains_encode(&remains, record)));
	FUZZ_CHECK(again.exists == remains.exists && again.unsure == remains.unsure &&
		   again.clientid == remains.clientid && !strcmp(again.owner, remains.owner));
	/* No server answers less than one that refuses all. */
	while (remains_next(&remains) != REMAINS_NOTHING &&
	       remains_answered(&remains, remains_next(&remains), NFS4ERR_INVAL))
		FUZZ_CHECK(++steps < 8);
	return 0;
}
