/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of setup.
 *
 *	plan.c            the table of remedies, and what they add to a plan
 *	remedy-*.c        one remedy a file: facts in, steps out
 *	link.c            software RDMA links: their units, which device they are, who uses them
 *	listener.c        whether nfsd may be given one
 *	own.c             what is in files of setup's own  pure
 *	diff.c, show.c    what a person sees               pure
 *	lock.c            one command at a time
 *	place.c           a file put in its place, whole or not at all
 *	apply.c, undo.c   step by step
 *	old.c             what setup of 0.2 changed, for an undo
 *	setup-system.c, setup-firewalld.c, setup-link.c, setup-unit.c   the running system (plugin-setup-live)
 */
#ifndef PLUGIN_SETUP_INTERNAL_H
#define PLUGIN_SETUP_INTERNAL_H

#include <stdarg.h>

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
#define PATH_NFS_D    "etc/nfs.conf.d"
#define PATH_NFS_OURS PATH_NFS_D "/nfsrdma.conf"
#define PATH_UDEV     "etc/udev/rules.d/90-nfsrdma-ipoib.rules"
#define PATH_LIMITS   "etc/security/limits.d/nfsrdma.conf"
/* The ports that setup opened, for an undo. */
#define PATH_PORTS LOCK_FOLDER "/ports"
/* ... and the unit of each software link, with the symbolic link that enables it */
#define PATH_UNITS "etc/systemd/system/"
#define PATH_WANTS PATH_UNITS "multi-user.target.wants/"
#define LINK_UNIT  HOST_LINK_UNIT

/* Only read; 0.2 wrote to it. */
#define PATH_NFS "etc/nfs.conf"

/* own.c */

/* How the first line of a file begins that is all ours. */
#define OWN_HEADER "# Written by nfsrdma setup; nfsrdma setup --undo removes it."

enum own {
	OWN_NONE,   /* no file */
	OWN_OURS,   /* as setup wrote it */
	OWN_EDITED, /* changed since, or by 0.2, which has another record of it */
	OWN_OTHERS, /* setup did not write it */
};

/* @body: NUL-terminated, behind the first line. @folders: that are made for it. NULL: no memory. */
char *own_text(const char *body, unsigned int folders);
/* What own_text() was given: *@body is in @text, "" of others. */
enum own own_read(const char *text, const char **body, unsigned int *folders);
/* A line of PATH_PORTS, with its newline. */
void port_format(const struct setup_port *port, char *buf, size_t cap);
bool port_parse(const char *line, struct setup_port *out);

/* lock.c */

#define LOCK_FOLDER "var/lib/nfsrdma"

/* Only root or our user can have written what the descriptor leads to. */
int lock_check_ours(const struct host *host, int fd, const char *name);

/* If it is empty, with what @made says was made for it. Under the lock. */
int lock_remove_folder(const struct host *host, const struct made_dirs *made);

/* link.c */

/* The module of a type, "siw" or "rxe"; NULL: there is no such type. */
const char *link_module(const char *type);
/* Whether a unit can name it: letters, digits and "_.-". */
bool link_is_plain(const char *netdev);
/* "nfsrdma-link-eth0.service" */
void link_unit_name(const char *netdev, char *buf, size_t cap);
/* What an undo has to know of a link. */
struct link_origin {
	bool added;           /* by setup, not by hand */
	unsigned int folders; /* that were made for what enables the unit */
};

/* The unit that makes it at boot, as the body of an own file. @command: the path of rdma. NULL: no
 * memory. */
char *link_unit(const struct setup_link *link, const char *command,
		const struct link_origin *origin);
/* What such a unit was made for. False: it does not say. */
bool link_of_unit(const char *body, struct setup_link *out, struct link_origin *origin);
/* Whether @path is that of such a unit, or with @wants of the link that enables it. */
bool link_is_path(const char *path, bool wants);
/* The device of that type on that interface, whatever udev has called it since. NULL: none. */
const struct rdma_device *link_find(const struct rdma_devices *rdma, const struct setup_link *link);
/* Why it is not to be deleted: what uses it, or may use it again; "" nothing does. */
void link_users(const struct setup_machine *machine, const char *name, char *why, size_t cap);

/* place.c */

/* The end of the name under which a file is written, for its place_tidy(). */
#define PLACE_SUFFIX ".nfsrdma-new"

/* As place_read(), or as place_read_link(), as the kind is. */
int place_get(const struct host *host, enum setup_kind kind, const char *path, char **text);

/* apply.c */

/* As setup_apply(), under the lock. */
int apply_steps(const struct setup_machine *machine, const struct setup_plan *plan,
		setup_step_fn report, void *arg);

/* undo.c */

/* NULL: the plan is full. */
struct setup_step *undo_step(struct setup_plan *plan, enum setup_kind kind, const char *path);
/* What takes back a port or a link. Where that cannot be a note says so. */
int undo_add_port(struct setup_plan *plan, const struct setup_machine *machine,
		  const struct setup_port *port);
int undo_add_link(struct setup_plan *plan, const struct setup_machine *machine,
		  const struct setup_link *link);

/* old.c */

/* Adds what takes back changes of 0.2. Errors: -EBADMSG; -EPERM others may have written it; of
 * reading. */
int old_add_steps(struct setup_plan *plan, const struct setup_machine *machine);
/* Those of a record, which may be any bytes. Errors: -EBADMSG; -ENOSPC; of reading. */
int old_add_changes(struct setup_plan *plan, const struct setup_machine *machine, const char *text,
		    size_t len);
/* Removes its record. */
int old_forget(const struct host *host);

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
/* NULL: it is there already, or there is no room. */
struct setup_note *setup_plan_note(struct setup_plan *plan, bool todo, const char *fmt, va_list ap)
	PRINTF_LIKE(3, 0);
void plan_note(struct planner *planner, bool todo, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* What one check says for the roles that are asked for, in @out, which the caller ends. */
int plan_check(struct planner *planner, const char *id, struct finding *out);
/* Whether the kernel cannot load rpcrdma, as the check of the module for these roles says: then a
 * note with its finding and the first step, after @intro. */
bool plan_lacks_module(struct planner *planner, const char *intro);
/* An own file gets @text, lines with their newlines, as its body, or (@whole false) at its end
 * unless it is there; joins a step that is there already. No step where it is that. 1: the file is
 * not as setup wrote it; a note has the lines. */
int plan_file(struct planner *planner, const char *path, const char *text, bool whole,
	      const char *fmt, ...) PRINTF_LIKE(5, 6);
/* plan_note() of what is left to do, with the lines to add to a file. */
void plan_lines(struct planner *planner, const char *lines, const char *fmt, ...) PRINTF_LIKE(3, 4);

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
