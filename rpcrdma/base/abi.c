/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Structs of the public headers grow at their end. A caller built against an earlier version
 * passes a shorter struct; the missing members are zero. A longer struct of a later version is
 * accepted if its unknown members are zero. The system calls openat2(2) and clone3(2) do the
 * same. */
#include "rpcrdma/base/base.h"

int abi_take(void *ours, size_t ours_size, const void *theirs, size_t theirs_size, size_t min)
{
	const uint8_t *p = theirs;
	size_t i;

	if (theirs_size < min)
		return err_set(EINVAL, "a struct of %zu bytes, %zu at least: is size set?",
			       theirs_size, min);
	for (i = ours_size; i < theirs_size; i++)
		if (p[i])
			return err_set(EINVAL, "a member at byte %zu that is not known here", i);
	memset(ours, 0, ours_size);
	memcpy(ours, theirs, theirs_size < ours_size ? theirs_size : ours_size);
	return 0;
}
