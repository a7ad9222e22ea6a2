/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* mount.nfsrdma: what mount(8) runs for a file system of type nfsrdma. */
#include "mount-helper/internal.h"

int main(int argc, char **argv)
{
	return helper_main(argc, argv);
}
