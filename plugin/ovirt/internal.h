/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/ovirt.
 *
 *	domain.c   source and directory of a domain
 *	command.c  the mount command of VDSM
 *	engine.c   the engine's rules
 *	advice.c   the options to enter in the engine
 *	list.c     the domains of our files
 *	effect.c   the result with mount.nfs and nfsmount.conf
 *	change.c   the new contents of both files
 *	mounted.c  the present mounts
 */
#ifndef PLUGIN_OVIRT_INTERNAL_H
#define PLUGIN_OVIRT_INTERNAL_H

#include "plugin/ovirt/ovirt.h"

#endif
