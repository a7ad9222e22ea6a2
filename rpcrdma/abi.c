/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Structs of the public headers grow at their end. A caller of an earlier version has the shorter
 * one, and what it lacks is zero; one of a later version may be served as long as it wants nothing
 * that is new. The system calls openat2(2) and clone3(2) do the same. */
#include "rpcrdma/base.h"

int abi_take(void *ours, size_t ours_size, const void *theirs, size_t theirs_size,
	     size_t min)
{
	const uint8_t *p = theirs;
	size_t i;

	if (theirs_size < min)
		return err_set(EINVAL,
			       "a struct of %zu bytes, %zu at least: is size set?",
			       theirs_size, min);
	for (i = ours_size; i < theirs_size; i++)
		if (p[i])
			return err_set(EINVAL,
				       "a member at byte %zu that is not known here", i);
	memset(ours, 0, ours_size);
	memcpy(ours, theirs, theirs_size < ours_size ? theirs_size : ours_size);
	return 0;
}
