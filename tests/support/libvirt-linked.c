/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* libvirt linked as usual, in place of plugin/libvirt/libvirt.c: for a test that replaces functions
 * of libvirt. */
#include "plugin/libvirt/internal.h"
#include "plugin/libvirt/libvirt-calls.h"

const struct libvirt_calls *libvirt = &libvirt_module;

int libvirt_load(void)
{
	return 0;
}
