/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of checks. */
#include "plugin/checks/internal.h"

#define CHECK(name) &check_##name,

const struct check *const check_table[] = {
#include "plugin/checks/list.h"
	NULL
};

void checks_at_mount(bool path, const struct check *out[CHECKS_AT_MOUNT_MAX + 1])
{
	const struct check *const *check;
	size_t n = 0;

	for (check = check_table; *check && n < CHECKS_AT_MOUNT_MAX; check++)
		if ((*check)->at_mount != CHECK_MOUNT_NO &&
		    ((*check)->at_mount < CHECK_MOUNT_PATH || path))
			out[n++] = *check;
	out[n] = NULL;
}
