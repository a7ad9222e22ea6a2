/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* `nfsrdma setup`: the fixes that checks advise and that are safe to apply automatically. Three parts.
 *
 * A plan is a list of steps, each with its reason: files before and after, and actions on the running
 * system. Making it changes nothing. A healthy machine has no steps.
 *
 * Applying goes step by step. Only files of setup's own are written, atomically, with a sum in their first
 * line; what would need a change of another file is a note with the lines to add.
 *
 * Undoing is a plan, too, made from those files. If one of them was edited since, all of it is refused.
 *
 * Below a root directory only files are changed, and the running system is neither asked nor
 * changed. */
#ifndef PLUGIN_SETUP_H
#define PLUGIN_SETUP_H

#include <stdio.h>

#include "plugin/checks/checks.h"
#include "plugin/host/host.h"
#include "plugin/live/live.h"

/* A file that is longer is not touched. */
#define SETUP_TEXT_MAX (256 * 1024)
#define SETUP_PATH_MAX 128

enum setup_kind {
	SETUP_FILE,     /* a text below the root */
	SETUP_SYMLINK,  /* that enables a unit; its text is the target */
	SETUP_PORT,     /* of a zone of firewalld */
	SETUP_MODULE,   /* loaded now; it stays loaded when it is undone */
	SETUP_LISTENER, /* of the NFS server that runs, which no client notices */
	SETUP_RESTART,  /* of a unit */
	SETUP_LINK,     /* an RDMA link in software, made now */
};

/* Whether such a step has a path below the root. */
static inline bool setup_has_path(enum setup_kind kind)
{
	return kind == SETUP_FILE || kind == SETUP_SYMLINK;
}

/* Whether --undo takes such a step back. */
static inline bool setup_is_kept(enum setup_kind kind)
{
	return setup_has_path(kind) || kind == SETUP_PORT || kind == SETUP_LINK;
}

/* As `rdma link add NAME type TYPE netdev NETDEV` makes one. */
struct setup_link {
	char type[8]; /* "siw", "rxe" */
	char name[64];
	char netdev[IFNAMSIZ];
};

/* firewalld has what is in force and what is in its files; both are changed, one by one. */
struct setup_port {
	char zone[64];
	uint16_t port;
	uint8_t protocol; /* IPPROTO_TCP, IPPROTO_UDP */
	bool permanent;
};

struct setup_step {
	enum setup_kind kind;
	char reason[320];
	/* A file, as a path below the root; NULL: it is not there. */
	char path[SETUP_PATH_MAX];
	char *before, *after;
	/* A port; of a listener the number alone. In an undo it is closed. */
	struct setup_port port;
	struct setup_link link;
	char name[64];        /* of a module or unit */
	unsigned int folders; /* above path, which an undo removes if they are empty */
	/* An undo: it was changed since. Before is ours where that is known, else as after what is
	 * there. */
	bool refused;
};

#define SETUP_STEPS_MAX 96
#define SETUP_NOTES_MAX 24

struct setup_note {
	bool todo; /* left to the administrator */
	char text[640];
	char *lines; /* to add to the file that text names; NULL: none */
};

struct setup_plan {
	bool undo;
	bool unknown;    /* something could not be found out; a note says what */
	bool incomplete; /* an undo: a port stays open, and what names it stays */
	unsigned int nsteps, nnotes;
	struct setup_step steps[SETUP_STEPS_MAX];
	struct setup_note notes[SETUP_NOTES_MAX];
};

/* What is asked for. */
struct setup_request {
	unsigned int roles; /* enum check_role */
	uint16_t port;      /* that the server is to listen on */
	bool has_port;      /* else what the configuration says, or 20049 */
	bool for_probe;     /* what nfsrdma probe needs, too, without root */
	bool restart;       /* units may be restarted */
	/* A software RDMA link on an interface: "siw" or "rxe"; NULL: none is asked for. */
	const char *software, *netdev;
};

/* Actions on the running system. Two implementations: the system, and that of tests. Errors:
 * -errno with words. */
struct setup_actions {
	/* Whether firewalld has the port among those of the zone. */
	int (*port_get)(const struct setup_port *port, bool *open);
	int (*port_set)(const struct setup_port *port, bool open);
	int (*load)(const char *module);
	/* 0 also if it listens there already. Errors: as listener_check(). */
	int (*listen)(uint16_t port);
	/* Waits until it is there again. Errors: -EHOSTDOWN systemd does not run here. */
	int (*restart)(const char *unit);
	int (*link_add)(const struct setup_link *link);
	int (*link_delete)(const char *name);
	/* Queue pairs on the device, without those that every device has for itself. */
	int (*link_users)(const char *name, unsigned int *count);
};

/* setup-system.c, in plugin-setup-live */
extern const struct setup_actions setup_system;

struct setup_machine {
	const struct host *host;
	const struct live_ops *live;
	const struct setup_actions *actions; /* NULL below a root */
};

/* plan.c */

/* What a remedy cannot find out is a note, and the others go on. Errors: of reading the devices;
 * -ENOMEM; of a software link -EINVAL the interface cannot have one, -EOPNOTSUPP this host cannot. */
int setup_plan_make(struct setup_plan **out, const struct setup_machine *machine,
		    const struct setup_request *request);
void setup_plan_free(struct setup_plan *plan);
void setup_plan_free_p(struct setup_plan **plan);

/* apply.c */

/* Called for each step: @rc 0 done; -ECANCELED not tried, because of one before; else why not, with
 * err_text(). */
typedef void (*setup_step_fn)(void *arg, const struct setup_step *step, int rc);

/* Ends at the first step that cannot be done. Errors: of that step; -EBUSY another command is running;
 * -EROFS and the like: nothing was changed. */
int setup_apply(const struct setup_machine *machine, const struct setup_plan *plan,
		setup_step_fn report, void *arg);

/* undo.c */

/* Steps are ->refused where a file is not as we left it. Errors: of reading; -EBADMSG the record of
 * 0.2 is not understood. */
int setup_undo_make(struct setup_plan **out, const struct setup_machine *machine);
/* -EPERM, and nothing is changed, if a step is refused. */
int setup_undo(const struct setup_machine *machine, setup_step_fn report, void *arg);

/* listener.c: files below the root */

/* Whether the NFS server can listen for RDMA on the port. *@there: it does. Errors: -EADDRINUSE the
 * port is in use, the words say by what; -ENOENT no such server; of reading: then do not write. */
int listener_check(const struct host *host, uint16_t port, bool *there);

/* place.c: a text put in its place below the root, never outside it, whole or not at all */

#define PLACE_MADE_MAX 4

struct made_dirs {
	unsigned int count; /* outermost first */
	char list[PLACE_MADE_MAX][SETUP_PATH_MAX];
};

/* The text of a regular file. @text: NULL if there is none. Errors: of reading; -ELOOP it is a
 * symbolic link. */
int place_read(const struct host *host, const char *path, char **text);
/* The target of a symbolic link. @text: NULL if there is nothing. Errors: of reading; -EEXIST it is
 * something else. */
int place_read_link(const struct host *host, const char *path, char **text);
/* The folders of a path that are not there, outermost first. */
int place_missing(const struct host *host, const char *path, struct made_dirs *out);
int place_make_dirs(const struct host *host, const struct made_dirs *dirs, unsigned int mode);
/* Those of them that are empty. Errors: one that is empty cannot be removed. */
int place_remove_dirs(const struct host *host, const struct made_dirs *dirs);
/* Replaces what is there if that is @before, with its owner, mode, label, ACL and user's
 * attributes, a new one with 0644; NULL removes. Errors: -ESTALE it is something else by now. After
 * another one the file is the old or the new one: only a look says which. */
int place_write(const struct host *host, const char *path, const char *before, const char *text);
/* The same of a symbolic link: texts are targets. */
int place_write_link(const struct host *host, const char *path, const char *before,
		     const char *text);
/* What a place_write() that was ended left behind. */
void place_tidy(const struct host *host, const char *path);

/* lock.c: of two commands that change files one waits for the other, or refuses */

struct setup_lock {
	const struct host *host;
	int dir; /* /var/lib/nfsrdma; -1: none */
	struct made_dirs made;
};

/* Until the deadline; 0 does not wait. @create: the folder need not be there. Errors: -EBUSY;
 * -ENOENT without @create; of making and reading. */
int setup_lock_take(struct setup_lock *lock, const struct host *host, bool create,
		    uint64_t deadline);
/* The folder goes if nothing is in it. */
void setup_lock_drop(struct setup_lock *lock);

/* show.c: pure */

/* What would be done: a difference as `diff -u` prints it for each file, a command for the rest. */
void setup_show(const struct setup_plan *plan, FILE *out, unsigned int width);
/* What a step is, in a line: "/etc/nfs.conf.d/nfsrdma.conf written". */
void setup_step_name(const struct setup_step *step, bool undo, char *buf, size_t cap);

/* diff.c */

/* As `diff -u` prints it. NULL: there is no such file. Control characters are shown as such. */
void diff_print(FILE *out, const char *path, const char *before, const char *after);

#endif
