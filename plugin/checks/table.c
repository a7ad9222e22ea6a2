/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of checks. */
#include "plugin/checks/internal.h"

#define CHECK(name) &check_##name,

const struct check *const check_table[] = {
#include "plugin/checks/list.h"
	NULL
};
