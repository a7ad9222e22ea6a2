/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of setup.
 *
 *	plan.c            the table of remedies, and what they add to a plan
 *	remedy-*.c        one remedy a file: facts in, steps out
 *	link.c            software RDMA links: their units, which device they are, who uses them
 *	listener.c        whether nfsd may be given one
 *	edit.c            changes in texts of others       pure
 *	diff.c, show.c    what a person sees               pure
 *	state.c           what was done, as JSON           pure
 *	store.c           ... and where it is kept
 *	lock.c            one command at a time
 *	place.c           a file put in its place, whole or not at all
 *	apply.c, undo.c   step by step
 *	setup-system.c, setup-firewalld.c, setup-link.c, setup-unit.c   the running system (plugin-setup-live)
 */
#ifndef PLUGIN_SETUP_INTERNAL_H
#define PLUGIN_SETUP_INTERNAL_H

#include "plugin/host/files.h"
#include "plugin/host/text.h"
#include "plugin/report/report.h"
#include "plugin/setup/setup.h"

/* Texts of files; NULL is no file. */
static inline bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* paths: all that setup ever writes to */

#define PATH_MODULES  "etc/modules-load.d/nfsrdma.conf"
#define PATH_RDMA     "etc/rdma/modules/rdma.conf"
#define PATH_NFS_D    "etc/nfs.conf.d"
#define PATH_NFS_OURS PATH_NFS_D "/nfsrdma.conf"
#define PATH_NFS      "etc/nfs.conf"
#define PATH_UDEV     "etc/udev/rules.d/90-nfsrdma-ipoib.rules"
#define PATH_LIMITS   "etc/security/limits.d/nfsrdma.conf"
/* ... and the unit of each software link, with the symbolic link that enables it */
#define PATH_UNITS "etc/systemd/system/"
#define PATH_WANTS PATH_UNITS "multi-user.target.wants/"
#define LINK_UNIT  HOST_LINK_UNIT

/* The first line of a file that is all ours. */
#define SETUP_HEADER "# Written by nfsrdma setup; nfsrdma setup --undo removes it.\n"

/* edit.c: texts are NUL-terminated; a new one is returned, NULL: no memory */

/* @key of @section is @value (the dialect of nfs.conf(5)): in the line that sets it last, in a
 * commented one in place of that, or in a new one. @text: NULL is empty. */
char *edit_set(const char *text, const char *section, const char *key, const char *value);
/* Takes the "#" from the line that is "# WORD". NULL and *@found false: there is no such line. */
char *edit_uncomment(const char *text, const char *word, bool *found);
/* @line at the end; @text NULL: behind SETUP_HEADER. */
char *edit_append(const char *text, const char *line);

/* state.c */

#define STATE_CHANGES_MAX SETUP_STEPS_MAX
#define STATE_JSON_MAX    (16 * 1024 * 1024)

struct setup_change {
	enum setup_kind kind; /* setup_is_kept() */
	bool done;            /* false: it may have been done, or not */
	char path[SETUP_PATH_MAX];
	/* A file: what was there at first, what we put there before, and what we put there. NULL:
	 * nothing. */
	char *before, *was, *after;
	unsigned int mode, uid, gid; /* of before */
	struct made_dirs made;
	struct setup_port port;
	struct setup_link link;
};

struct setup_state {
	struct made_dirs made; /* for the state itself */
	unsigned int count;
	struct setup_change changes[STATE_CHANGES_MAX];
};

void change_fini(struct setup_change *change);
void state_fini(struct setup_state *state);
void state_remove(struct setup_state *state, struct setup_change *change);
/* NULL: there is none. */
struct setup_change *state_find_file(struct setup_state *state, const char *path);
struct setup_change *state_find_port(struct setup_state *state, const struct setup_port *port);
struct setup_change *state_find_link(struct setup_state *state, const struct setup_link *link);
/* Zeroed; NULL with words: there is no room. */
struct setup_change *state_add(struct setup_state *state);
/* The caller frees *@text. */
int state_encode(const struct setup_state *state, char **text);
/* @out: zeroed. The text may be anything. Errors: -EBADMSG, and @out is as it was. */
int state_decode(struct setup_state *out, const char *text, size_t len);
/* Whether setup makes such a thing at such a path. */
bool state_knows_path(enum setup_kind kind, const char *path);
/* All of them, for a person. */
void state_name_paths(char *buf, size_t cap);

/* lock.c */

#define LOCK_FOLDER "var/lib/nfsrdma"

/* Only root or our user can have written what the descriptor leads to. */
int lock_check_ours(const struct host *host, int fd, const char *name);

/* If it is empty, with what @made says was made for it. Under the lock. */
int lock_remove_folder(const struct host *host, const struct made_dirs *made);

/* store.c: setup.json in LOCK_FOLDER */

struct store {
	const struct host *host;
	int dir; /* locked; -1: there is none */
	struct setup_state state;
};

/* @create: it is to be there and ours alone; else it may be absent, and then the state is empty.
 * Errors: -EBUSY; -EBADMSG; of reading and making. */
int store_open(struct store *store, const struct host *host, bool create);
void store_close(struct store *store);
/* What is on the disk is this state, or the one before. An empty one is no file at all. */
int store_save(struct store *store);
/* A change to a file that was not done: the state is as before it, and folders made for it go.
 * Errors: of removing those; it stays, as one under way. */
int store_drop_file(struct store *store, struct setup_change *change);
/* Finds out what became of changes that were under way when a setup was ended. @dry: and leaves all
 * as it is. */
int store_settle(struct store *store, const struct setup_actions *actions, bool dry);

/* link.c */

/* The module of a type, "siw" or "rxe"; NULL: there is no such type. */
const char *link_module(const char *type);
/* Whether a unit can name it: letters, digits and "_.-". */
bool link_is_plain(const char *netdev);
/* "nfsrdma-link-eth0.service" */
void link_unit_name(const char *netdev, char *buf, size_t cap);
/* The unit that makes it at boot. @command: the path of rdma. NULL: no memory. */
char *link_unit(const struct setup_link *link, const char *command);
/* Whether @path is that of such a unit, or with @wants of the link that enables it. */
bool link_is_path(const char *path, bool wants);
/* The device of that type on that interface, whatever udev has called it since. NULL: none. */
const struct rdma_device *link_find(const struct rdma_devices *rdma, const struct setup_link *link);
/* Why it is not to be deleted: what uses it, or may use it again; "" nothing does. */
void link_users(const struct setup_machine *machine, const char *name, char *why, size_t cap);

/* place.c */

/* As place_read(), of either kind that has a path. */
int place_get(const struct host *host, enum setup_kind kind, const char *path, char **text,
	      struct place_attr *attr);
/* plan.c */

struct planner {
	const struct setup_machine *machine;
	const struct setup_request *request;
	struct setup_plan *plan;
	struct host_system system;
	struct rdma_devices *rdma;
	uint16_t port; /* that the server is to have; see remedy-nfs-conf.c */
	/* rpcrdma cannot be loaded when a server starts. One that is told to listen for RDMA all
	 * the same does not start at all where nfsdctl starts it (nfs-utils 2.8.3). */
	bool no_rpcrdma;
	/* Setup does not enable RDMA in the server: it reads no nfs.conf, or is NFS-Ganesha.
	 * So the server that runs is left alone, too. */
	bool left_alone;
	struct store store;     /* what setup did before; its folder is not held */
	struct setup_link link; /* where request->software */
	bool has_link;          /* there is one of that type already */
};

struct remedy {
	const char *name;
	unsigned int roles;  /* enum check_role */
	bool for_probe_only; /* only if that was asked for */
	int (*plan)(struct planner *planner);
};

extern const struct remedy remedy_modules;
extern const struct remedy remedy_software;
extern const struct remedy remedy_nfs_conf;
extern const struct remedy remedy_listener;
extern const struct remedy remedy_firewall;
extern const struct remedy remedy_ipoib;
extern const struct remedy remedy_memlock;

/* A step. NULL: the plan is full, which is our own mistake. */
struct setup_step *plan_step(struct planner *planner, enum setup_kind kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
void plan_note(struct planner *planner, bool todo, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* What one check says for the roles that are asked for, in @out, which the caller ends. */
int plan_check(struct planner *planner, const char *id, struct finding *out);
/* Whether the kernel cannot load rpcrdma, as the check of the module for these roles says: then a note with its
 * finding and the first step, after @intro. */
bool plan_lacks_module(struct planner *planner, const char *intro);
/* What the file is by now: by the plan, or where that does not change it, on the machine. *@text is
 * NULL if it is not there; the caller frees it. Errors: of reading; -ELOOP it is a link. */
int plan_text(struct planner *planner, const char *path, char **text);
/* Makes the file be @text, which is taken; joins a step that is there already. No step where it is
 * that. */
int plan_file(struct planner *planner, const char *path, char *text, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* remedy-listener.c */

/* The server's port is in use, so a listener could crash the kernel: a note says so. */
bool listener_is_taken(struct planner *planner);

/* remedy-software.c */

/* Whether the link that is asked for can be made; then its device is among planner->rdma, for the
 * remedies that follow. Errors: as setup_plan_make(). */
int software_check(struct planner *planner);

/* remedy-modules.c */

/* RDMA must not be enabled in a server that could not load rpcrdma: a note says so. */
bool modules_no_server(struct planner *planner);

/* Loads it now, and names it in a list. Also for other remedies. */
int modules_require(struct planner *planner, const char *module, const char *why);

#endif
