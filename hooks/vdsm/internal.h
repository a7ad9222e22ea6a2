/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of hooks/vdsm: one program, which VDSM (oVirt's agent on a host) runs by a link in the
 * folder of each hook point: /usr/libexec/vdsm/hooks/POINT/90_nfsrdma.
 *
 *	main.c        the table of points; answers as VDSM reads them
 *	input.c       the file that VDSM names in the environment
 *	gate.c        the points at which a guest can be refused
 *	start.c       before_vdsm_start: modules, and what is not ready
 *
 * What VDSM does with a hook (lib/vdsm/common/hooks.py): all scripts of a folder in the order of
 * their names, with the same file; its path is in _hook_domxml, stdin is empty, stdout is ignored,
 * stderr is logged. Exit status 0 is good; 1 lets the next script run; 2 is the last. VDSM sets no
 * limit of time: we do. */
#ifndef HOOKS_VDSM_INTERNAL_H
#define HOOKS_VDSM_INTERNAL_H

#include "hooks/hook.h"

#define VDSM_WHO "nfsrdma-vdsm-hook"

/* One call by VDSM. */
struct vdsm_call {
	const char *root;  /* of the host that is looked at; NULL: this one */
	const char *file;  /* with the data; NULL: this point has none */
	const char *guest; /* of the environment, clean; NULL: none named */
	uint64_t deadline;
};

/* What a point does, in a process of its own. @out is the answer; what goes wrong is said by
 * vdsm_failed(). */
typedef void (*vdsm_fn)(const struct vdsm_call *call, struct hook_answer *out);

/* main.c */

/* Our own failure, with the words of the last error. */
void vdsm_failed(struct hook_answer *out);

/* input.c */

/* The whole file; the caller frees @text with free(3). Errors: -EINVAL no regular file, or the path
 * makes no sense; -ENODATA it is empty; -EFBIG more than @max; of open(2) and read(2). */
int vdsm_input_read(const struct vdsm_call *call, size_t max, char **text, size_t *len);

/* gate.c */

/* A guest that is restored: the journal has what is wrong, and it passes. */
void vdsm_gate_restore(const struct vdsm_call *call, struct hook_answer *out);
/* A guest that starts or comes from another host, or a disk for a guest that runs. */
void vdsm_gate_xml(const struct vdsm_call *call, struct hook_answer *out);

/* start.c */

void vdsm_start(const struct vdsm_call *call, struct hook_answer *out);

#endif
