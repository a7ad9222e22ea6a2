/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The server's address, from which the path to it is found. */
#include "plugin/checks/internal.h"

int check_fabric_address(struct check_run *run)
{
	const struct check_target *target = run->target;
	struct words words = { 0 };
	char text[ADDRESS_NAME_MAX];
	unsigned int i;

	for (i = 0; i < target->naddresses; i++)
		words_add(&words, "%s", words_address(&target->addresses[i], text));
	if (words.count)
		return check_say(run, FINDING_PASS, "%s", words_text(&words));
	finding_text(&run->finding, "name", "%s", target->server);
	return err_because(
		err_set(EHOSTUNREACH, "%s",
			target->unresolved[0] ? target->unresolved : "the name has no address"),
		target->unresolved_reason);
}
