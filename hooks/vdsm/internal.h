/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of hooks/vdsm: one program, which VDSM (oVirt's agent on a host) runs by a link in the
 * folder of each hook point: /usr/libexec/vdsm/hooks/POINT/90_nfsrdma.
 *
 *	main.c        the table of points; answers as VDSM reads them
 *	input.c       the file that VDSM names in the environment
 *	json.c        JSON, by json-c (json.h)
 *	splice.c      members of a JSON text, without touching the others (pure)
 *	caps.c        after_get_caps: what this host can
 *	stats.c       after_get_stats: the storage domains, each with what is known of its mount
 *	domains.c     which mounts are storage domains, and of which UUID
 *	gate.c        the points at which a guest can be refused
 *	start.c       before_vdsm_start: modules, and what is not ready
 *
 * What VDSM does with a hook (lib/vdsm/common/hooks.py): all scripts of a folder in the order of
 * their names, with the same file; the path of a file with the data in _hook_json or _hook_domxml,
 * nothing on stdin, stdout not looked at, stderr logged. Exit status 0 is good; 1 lets the next script
 * run; 2 is the last. A file that is no JSON afterwards fails the call, even at points that cannot
 * fail otherwise: so it is replaced whole, or not at all. Nothing limits the time: we do. */
#ifndef HOOKS_VDSM_INTERNAL_H
#define HOOKS_VDSM_INTERNAL_H

#include "hooks/hook.h"
#include "plugin/host/host.h"

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

#define VDSM_JSON_MAX (8 * 1024 * 1024)

struct vdsm_input {
	char *text;
	size_t len;
	int folder; /* that it is in */
	char name[NAME_MAX + 1];
	unsigned int mode, uid, gid;
};

/* The whole file. Errors: -EINVAL no regular file, or the path makes no sense; -ENODATA it is empty;
 * -EFBIG; of open(2) and read(2). @input is to be given back in any case. */
int vdsm_input_read(const struct vdsm_call *call, size_t max, struct vdsm_input *input);
void vdsm_input_fini(struct vdsm_input *input);
/* In place of the file, of the same owner and mode. Errors: it is as it was. */
int vdsm_input_replace(const struct vdsm_input *input, const char *text, size_t len);

/* splice.c: pure. VDSM's values are to come out as they went in: numbers that no C type holds, the
 * order of members, escapes. So a text is edited and not written anew; json-c only says whether it is
 * JSON, before and after. */

/* A text of JSON. */
struct splice {
	char *text;
	size_t len;
};

/* A copy of a text that is one object. Errors: -EBADMSG it is not, or deeper than VDSM_JSON_DEPTH;
 * -ENOMEM. */
int splice_open(struct splice *splice, const char *text, size_t len);
void splice_fini(struct splice *splice);
/* The member @key is @value, which is JSON; in the place of the one that there is, else as the last.
 * Errors, of this and the next: as above, with the text as it was. */
int splice_set(struct splice *splice, const char *key, const char *value);
/* The list @key has the string @word, which needs no escapes; an absent list is one of this word. */
int splice_list(struct splice *splice, const char *key, const char *word);

/* caps.c, stats.c */

void vdsm_caps(const struct vdsm_call *call, struct hook_answer *out);
void vdsm_stats(const struct vdsm_call *call, struct hook_answer *out);

/* domains.c */

#define VDSM_DOMAINS_MAX 512
#define VDSM_UUID_MAX    37

struct vdsm_domain {
	char *target;                   /* where it is mounted, or should be */
	const struct host_mount *mount; /* NULL: nothing of NFS is mounted there */
	size_t nuuids;
	char (*uuids)[VDSM_UUID_MAX];
};

struct vdsm_domains {
	size_t count;
	bool cut; /* there are more */
	struct vdsm_domain *list;
};

/* The NFS mounts of the repository, and those that a link there leads to and that are not there.
 * Borrows from @mounts. Errors: -ENOMEM; links that cannot be read are left out. */
int vdsm_domains(const struct host *host, const struct host_mounts *mounts,
		 const char *repository, struct vdsm_domains *out);
void vdsm_domains_fini(struct vdsm_domains *domains);

/* gate.c */

/* A guest that is restored: the journal has what is wrong, and it passes. */
void vdsm_gate_restore(const struct vdsm_call *call, struct hook_answer *out);
/* A guest that starts or comes from another host, or a disk for a guest that runs. */
void vdsm_gate_xml(const struct vdsm_call *call, struct hook_answer *out);

/* start.c */

void vdsm_start(const struct vdsm_call *call, struct hook_answer *out);

#endif
