/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The records of the child that reads and writes through the kernel: each that is handed on is of a step, and a range or
 * row, that there are, and the file that it chose is text. */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plugin/kernel/internal.h"
#include "tests/fuzz/played.h"

static unsigned int records;

static void take(void *arg, const struct kernel_record *r)
{
	(void)arg;
	FUZZ_CHECK(r->step < KERNEL_STEPS);
	FUZZ_CHECK(r->index < (r->step == KERNEL_WRITE ? KERNEL_WRITES : KERNEL_RANGES));
	records++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_chosen chosen;
	const struct kernel_receiver receiver = { .record = take,
						  .chosen = size && data[0] & 1 ? &chosen : NULL,
						  .deadline = deadline_in(10000),
						  .step_ms = 10000 };
	struct child child = CHILD_NONE;
	int ends[2], rc;

	if (!size)
		return 0;
	memset(&chosen, 0, sizeof(chosen));
	FUZZ_CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	play_records(ends[1], data + 1, data + size);
	shutdown(ends[1], SHUT_WR);
	child.channel = ends[0];
	child.name = "the child";
	rc = kernel_receive(&receiver, &child);
	/* A child may name any error as its own. */
	FUZZ_CHECK(rc <= 0);
	FUZZ_CHECK(strnlen(chosen.path, sizeof(chosen.path)) < sizeof(chosen.path));
	close(ends[0]);
	close(ends[1]);
	return 0;
}
