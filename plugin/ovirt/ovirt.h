/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* oVirt's storage domains on NFS over RDMA, with oVirt unchanged. The engine stores a domain's
 * connection and has rules for it; VDSM, on every host, makes a mount command and a directory of it;
 * mount.nfs adds the settings of nfsmount.conf. All three are modelled here, so that the result of
 * options in the engine, or of files on a host, is known before they are applied.
 *
 *	ovirt_domain()     the source and the directory, as VDSM makes them
 *	ovirt_command()    the mount command that VDSM runs
 *	ovirt_engine_*     the engine's rules, and what it does not check
 *	ovirt_advise()     the custom mount options, with notes
 *	ovirt_part_*       our part of a file in nfsmount.conf.d or nfsrdma.conf.d
 *	ovirt_effect()     what mount.nfs makes of a command and of nfsmount.conf
 *	ovirt_change_*     the new contents of both files, or why that is impossible
 *	ovirt_mounted()    the mounts of a domain, and whether VDSM would keep them
 *
 * Pure; what is read of a host comes through struct host. VDSM is that of 4.50 (lib/vdsm/storage/
 * storageServer.py, mount.py, fileUtils.py), the engine that of 4.5
 * (ConnectStorageToVdsCommand.java, NfsMountPointConstraint.java). */
#ifndef PLUGIN_OVIRT_H
#define PLUGIN_OVIRT_H

#include "plugin/options/options.h"
#include "plugin/view/view.h"

#define OVIRT_REPOSITORY "/rhev/data-center" /* [irs] repository of vdsm.conf */

/* Messages. */
#define OVIRT_TEXT_MAX 640

/* domain.c */

#define OVIRT_SPEC_MAX (SPEC_HOST_MAX + SPEC_PATH_MAX + 4)

struct ovirt_domain {
	char spec
		[OVIRT_SPEC_MAX]; /* as VDSM gives it to mount(8): without doubled slashes */
	char dir[PATH_MAX];       /* REPOSITORY/mnt/nas:_export_my__data */
	struct spec parsed;
};

/* @repository: NULL: OVIRT_REPOSITORY. Errors: -EINVAL with a sentence: no source of NFS, or one for
 * which VDSM could not make its directory. */
int ovirt_domain(const char *spec, const char *repository, struct ovirt_domain *out);

/* command.c */

enum ovirt_type {
	OVIRT_NFS,   /* "NFS": VDSM adds its defaults */
	OVIRT_POSIX, /* "POSIX compliant FS": it adds nothing */
};

/* What the engine sends of a connection; NULL: it does not. */
struct ovirt_connection {
	enum ovirt_type type;
	const char *
		version; /* protocol_version: "auto", "3", "4.2"; VDSM takes NULL for 3 */
	const char *timeo, *retrans;
	const char *vfs_type; /* of OVIRT_POSIX */
	const char *options;  /* mnt_options */
	/* Not the engine's: [irs] nfs_mount_options of vdsm.conf, which counts where the engine
	 * sends neither version nor timeo nor retrans. */
	const char *conf_options;
};

/* What VDSM puts behind -o; "": nothing. The caller's, for free(3). Errors: -EINVAL VDSM raises an
 * error for it; -ENOMEM. */
int ovirt_command_options(const struct ovirt_connection *connection, char **out);

#define OVIRT_ARGS_MAX 8

/* Without taskset(1), which VDSM puts before every command unless told otherwise. */
struct ovirt_command {
	unsigned int argc;
	char *argv[OVIRT_ARGS_MAX]; /* NULL after the last */
};

int ovirt_command(const struct ovirt_connection *connection,
		  const struct ovirt_domain *domain, struct ovirt_command *out);
void ovirt_command_fini(struct ovirt_command *command);

/* engine.c */

#define OVIRT_OPTIONS_MAX    500 /* characters of mount_options in the engine's database */
#define OVIRT_CONNECTION_MAX 250 /* of connection */

/* Whether the engine takes these custom options; -EINVAL with a sentence that says where they
 * belong. It looks at less than mount.nfs: see ovirt_engine_strict(). */
int ovirt_engine_options(enum ovirt_type type, const char *options);
/* The same, and what the engine lets pass though it must not be typed: a name hidden by a second "=",
 * a version in short, options of one mount command alone. */
int ovirt_engine_strict(enum ovirt_type type, const struct opts *options);
/* Whether the engine takes the source. */
int ovirt_engine_source(enum ovirt_type type, const char *spec);

/* advice.c */

struct ovirt_request {
	const char *spec;
	const char *options;    /* additional options; NULL: none */
	const char *version;    /* "auto", "3", "4", "4.0", "4.1", "4.2" */
	const char *repository; /* NULL: OVIRT_REPOSITORY */
	enum ovirt_type type;
	const struct policies *policies;
	enum ip_family family; /* as in struct plan_request */
};

struct ovirt_advice {
	struct ovirt_domain domain;
	char *options;                /* the options to enter: one line, never empty */
	struct ovirt_command command; /* that VDSM will run with them */
	struct plan *
		plan; /* of what VDSM would run with what was given: its changes are why */
	unsigned int nnotes;
	char **notes; /* sentences without a full stop */
};

/* Errors: -EINVAL it is refused, by whom and why in one sentence; -E2BIG too long; -ENOMEM. */
int ovirt_advise(struct ovirt_advice **out, const struct ovirt_request *request);
/* One more of its notes. Errors: -ENOMEM. */
int ovirt_advice_note(struct ovirt_advice *advice, const char *fmt, ...)
	PRINTF_LIKE(2, 3);
void ovirt_advice_free(struct ovirt_advice *advice);
void ovirt_advice_free_p(struct ovirt_advice **advice);

/* part.c: a drop-in file has one part of ours, and may have other contents around it */

enum ovirt_file {
	OVIRT_NFSMOUNT, /* sections that make mount.nfs use RDMA */
	OVIRT_GUARD,    /* sections of nfsrdma.conf(5) for the gates */
};

/* Which sections of nfsmount.conf. */
enum ovirt_form {
	OVIRT_BY_DIRECTORY, /* MountPoint: VDSM's mount of that domain and no other */
	OVIRT_BY_SERVER,    /* Server: every mount that names the server so */
};

#define OVIRT_DOMAINS_MAX 256

struct ovirt_entry {
	char *spec, *dir; /* as of struct ovirt_domain */
	bool six;         /* proto=rdma6 */
	uint16_t port;
};

struct ovirt_part {
	enum ovirt_file file;
	enum ovirt_form form; /* as it was found */
	size_t count;
	struct ovirt_entry *list;
};

/* Our part of a text. A text without one, or NULL, is an empty part. Errors: -EBADMSG somebody has
 * changed it since, so it is not ours any more, or has put a key right behind it; -ENOMEM. */
int ovirt_part_read(struct ovirt_part *out, enum ovirt_file file, const char *text);
void ovirt_part_fini(struct ovirt_part *part);
/* Adds it, or changes that of the same directory. Errors: -EINVAL it cannot be written into such a
 * file, with the reason; -E2BIG. */
int ovirt_part_add(struct ovirt_part *part, const struct ovirt_domain *domain, bool six,
		   uint16_t port);
/* False: there is none for the directory. */
bool ovirt_part_remove(struct ovirt_part *part, const char *dir);
/* The text with the part as it is to be; *@out NULL: nothing is left of it, the file goes. */
int ovirt_part_write(const struct ovirt_part *part, enum ovirt_form form,
		     const char *text, char **out);

/* effect.c */

struct ovirt_effect {
	bool rdma;
	bool lost;     /* it is not, and would be if this nfs-utils kept every section */
	char why[320]; /* it is not: a clause with file and line; "" */
};

/* The transport of a mount by VDSM with these options, by the rules of mount.nfs. @lossy: as of
 * nfsmount_lost(). */
void ovirt_effect(const struct conf *conf, bool lossy, const struct ovirt_entry *entry,
		  const char *options, struct ovirt_effect *out);

/* Whether nfsmount.conf has a "tcp" or "udp" for a mount of this domain, which beats whatever is among
 * its options; @out->why. With an nfs-utils that keeps all sections, or with one that does not. */
bool ovirt_effect_flag(const struct conf *conf, const struct ovirt_domain *domain,
		       const char *options, struct ovirt_effect *out);

/* change.c: both files as they are to be */

#define OVIRT_NFSMOUNT_PATH "etc/nfsmount.conf.d/90-nfsrdma-ovirt.conf"
#define OVIRT_GUARD_PATH    "etc/nfsrdma.conf.d/90-nfsrdma-ovirt.conf"

struct ovirt_change_request {
	const struct host *host; /* for the files beside ours */
	const struct ovirt_domain *domains;
	size_t ndomains; /* 0 with @remove: all of them */
	bool remove;
	bool guard_only; /* the options are in the engine: nfsmount.conf is not needed */
	bool six;        /* names of servers are of IPv6 alone */
	uint16_t port;
	const char *options; /* that the engine has for these domains; NULL: none */
	enum nfs_utils_sections sections;
	const char *nfs_utils; /* "nfs-utils 2.6.2-4", for sentences */
	enum nfs_utils_drop_ins drop_ins;
};

struct ovirt_change {
	/* Texts; NULL: there is no such file. The befores are the caller's. */
	const char *before[2]; /* by enum ovirt_file */
	char *after[2];
	enum ovirt_form form;
	char note[OVIRT_TEXT_MAX]; /* what somebody should know; "" nothing */
};

/* @change: befores given. Errors: -EPERM nfsmount.conf of this host cannot have it so, with the reason
 * and what to do; -EINVAL; -EBADMSG somebody changed our part; -ENOENT there is nothing of it to
 * remove; of reading. Nothing is written. */
int ovirt_change_make(const struct ovirt_change_request *request,
		      struct ovirt_change *change);
void ovirt_change_fini(struct ovirt_change *change);
/* When it is written: whether another file says otherwise to the gates, and which; "" none. */
int ovirt_change_overruled(const struct ovirt_change_request *request,
			   char text[OVIRT_TEXT_MAX]);

/* mounted.c */

/* NFS mounts on one directory of VDSM's. */
struct ovirt_mounted {
	unsigned int count;           /* 0: nothing is mounted there */
	const struct view_mount *top; /* the one that is used */
	bool other_source;            /* some of them are not of this domain */
	char text[OVIRT_TEXT_MAX];    /* what is wrong with it; "": nothing */
	char remedy[OVIRT_TEXT_MAX];  /* and what to do; "" */
};

void ovirt_mounted(const struct view *view, const struct ovirt_domain *domain,
		   struct ovirt_mounted *out);

/* All of this host's repository, for a check: calls @fn for each directory that has something wrong: it
 * is mounted on more than once, or is VIEW_BAD. */
typedef void (*ovirt_mounted_fn)(void *arg, const struct ovirt_mounted *mounted);
void ovirt_mounted_each(const struct view *view, ovirt_mounted_fn fn, void *arg);

#endif
