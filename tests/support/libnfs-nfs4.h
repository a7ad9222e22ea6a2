/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* libnfs's XDR of NFSv4.0 as an independent judge of ours. Behind a header of its own, because
 * libnfs's and nfs4.h have the same names. */
#ifndef TESTS_SUPPORT_LIBNFS_NFS4_H
#define TESTS_SUPPORT_LIBNFS_NFS4_H

#include <stddef.h>
#include <sys/types.h>

/* The arguments of a COMPOUND in words, a line an operation; -1 where libnfs cannot decode them
 * or bytes are left. */
int libnfs_nfs4_args_text(const void *args, size_t len, char *text, size_t cap);
/* What libnfs makes of the results of a COMPOUND, encoded again by it: the length, or -1. */
ssize_t libnfs_nfs4_results_again(const void *results, size_t len, void *buf, size_t cap);

#endif
