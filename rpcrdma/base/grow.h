/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Lists that grow: a pointer to the elements and their number, without a capacity. */
#ifndef RPCRDMA_BASE_GROW_H
#define RPCRDMA_BASE_GROW_H

#include "rpcrdma/base/base.h"

/* Room for element @count of a list that all add to by this, one at a time: it is doubled at each
 * power of two. Elements may be removed. NULL: no memory, and the list is as before. */
static inline void *grow_list(void *list, size_t count, size_t size)
{
	if (count & (count - 1))
		return list;
	return reallocarray(list, count ? 2 * count : 1, size);
}

/* The same for a variable: true if there is room for (list)[count]. */
#define grow(list, count)                                               \
	({                                                              \
		void *grown_ = grow_list(list, count, sizeof(*(list))); \
		if (grown_)                                             \
			(list) = grown_;                                \
		grown_ != NULL;                                         \
	})

#endif
