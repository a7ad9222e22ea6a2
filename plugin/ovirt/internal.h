/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/ovirt.
 *
 *	domain.c   source and directory of a domain
 *	command.c  the mount command of VDSM
 *	engine.c   what the engine takes
 *	advice.c   the options to type into the engine
 *	part.c     our part of a file
 *	effect.c   what mount.nfs makes of it
 *	mounted.c  what is mounted now
 */
#ifndef PLUGIN_OVIRT_INTERNAL_H
#define PLUGIN_OVIRT_INTERNAL_H

#include "plugin/ovirt/ovirt.h"

#endif
