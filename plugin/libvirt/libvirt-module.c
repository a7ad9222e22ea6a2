/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The module that is linked with libvirt: see libvirt-calls.h. */
#include "plugin/libvirt/libvirt-calls.h"

#define LIBVIRT_VALUE(name) .name = name,

const struct libvirt_calls libvirt_module = { .version = NFSRDMA_VERSION,
					      LIBVIRT_CALLS(LIBVIRT_VALUE) };
