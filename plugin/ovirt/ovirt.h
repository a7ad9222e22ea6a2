/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* oVirt's storage domains on NFS over RDMA, with oVirt unchanged. The engine stores a domain's
 * connection and has rules for it; VDSM, on every host, builds a mount command and a directory
 * from it; mount.nfs adds the settings of nfsmount.conf. All three are modelled here, so that the
 * result of options in the engine, or of files on a host, is known before they are applied.
 *
 *	ovirt_domain()     the source and the directory, as VDSM makes them
 *	ovirt_command()    the mount command that VDSM runs
 *	ovirt_engine_*     the engine's rules, and what it does not check
 *	ovirt_advise()     the custom mount options, with notes
 *	ovirt_list_*       the domains of our file in nfsmount.conf.d or nfsrdma.conf.d
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

/* Size of messages. */
#define OVIRT_TEXT_MAX 640

/* domain.c */

#define OVIRT_SPEC_MAX (SPEC_HOST_MAX + SPEC_PATH_MAX + 4)

struct ovirt_domain {
	char spec[OVIRT_SPEC_MAX]; /* as VDSM gives it to mount(8): without doubled slashes */
	char dir[PATH_MAX];        /* REPOSITORY/mnt/nas:_export_my__data */
	struct spec parsed;
};

/* @repository: NULL: OVIRT_REPOSITORY. Errors: -EINVAL with a sentence: not an NFS source,
 * or one for which VDSM could not create its directory. */
int ovirt_domain(const char *spec, const char *repository, struct ovirt_domain *out);

/* command.c */

enum ovirt_type {
	OVIRT_NFS,   /* "NFS": VDSM adds its defaults */
	OVIRT_POSIX, /* "POSIX compliant FS": it adds nothing */
};

/* The fields of a connection that the engine sends; NULL: not sent. */
struct ovirt_connection {
	enum ovirt_type type;
	const char *version; /* protocol_version: "auto", "3", "4.2"; VDSM takes NULL for 3 */
	const char *timeo, *retrans;
	const char *vfs_type; /* for OVIRT_POSIX */
	const char *options;  /* mnt_options */
	/* Not from the engine: [irs] nfs_mount_options of vdsm.conf, which applies if the
	 * engine sends neither version nor timeo nor retrans. */
	const char *conf_options;
};

/* The options that VDSM passes with -o; "": none. The caller frees them with free(3).
 * Errors: -EINVAL VDSM raises an error for this connection; -ENOMEM. */
int ovirt_command_options(const struct ovirt_connection *connection, char **out);

#define OVIRT_ARGS_MAX 8

/* Without taskset(1), which VDSM puts before every command by default. */
struct ovirt_command {
	unsigned int argc;
	char *argv[OVIRT_ARGS_MAX]; /* NULL after the last */
};

int ovirt_command(const struct ovirt_connection *connection, const struct ovirt_domain *domain,
		  struct ovirt_command *out);
void ovirt_command_fini(struct ovirt_command *command);

/* engine.c */

#define OVIRT_OPTIONS_MAX    500 /* characters of mount_options in the engine's database */
#define OVIRT_CONNECTION_MAX 250 /* of connection */

/* Whether the engine accepts these custom options, and they may be entered: not a name hidden by a
 * second "=", a short form of a version, or an option of only one mount command. Errors: -EINVAL
 * with a sentence that says where they belong; -E2BIG; of opts_parse(). */
int ovirt_engine_options(enum ovirt_type type, const char *options);
/* Whether the engine accepts the source. */
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
	struct plan
		*plan; /* for VDSM's command with the given options; its changes are the reasons */
	unsigned int nnotes;
	char **notes; /* sentences without a full stop */
};

/* Errors: -EINVAL it is refused, with a sentence that says by what and why; -E2BIG too
 * long; -ENOMEM. */
int ovirt_advise(struct ovirt_advice **out, const struct ovirt_request *request);
/* Adds a note. Errors: -ENOMEM. */
int ovirt_advice_note(struct ovirt_advice *advice, const char *fmt, ...) PRINTF_LIKE(2, 3);
void ovirt_advice_free(struct ovirt_advice *advice);
void ovirt_advice_free_p(struct ovirt_advice **advice);

/* list.c: the domains of one of our drop-ins, and its text */

enum ovirt_file {
	OVIRT_NFSMOUNT, /* sections that make mount.nfs use RDMA */
	OVIRT_GUARD,    /* sections of nfsrdma.conf(5) for the gates */
};

/* Which sections of nfsmount.conf. */
enum ovirt_form {
	OVIRT_BY_DIRECTORY, /* MountPoint: only VDSM's mount of that domain */
	OVIRT_BY_SERVER,    /* Server: every mount with that name of the server */
};

#define OVIRT_DOMAINS_MAX 256

struct ovirt_entry {
	char *spec, *dir; /* as in struct ovirt_domain */
	bool six;         /* proto=rdma6 */
	uint16_t port;
};

struct ovirt_list {
	enum ovirt_file file;
	enum ovirt_form form; /* as found in the file */
	size_t count;
	struct ovirt_entry *domains;
};

/* @text: NULL or "" has no domains. Errors: -EBADMSG it is not as ovirt_list_write() wrote it;
 * -ENOMEM. */
int ovirt_list_read(struct ovirt_list *out, enum ovirt_file file, const char *text);
void ovirt_list_fini(struct ovirt_list *list);
/* Adds the domain, or changes the one with the same directory. Errors: -EINVAL it cannot be
 * written into such a file, with the reason; -E2BIG. */
int ovirt_list_add(struct ovirt_list *list, const struct ovirt_domain *domain, bool six,
		   uint16_t port);
/* False: the directory is not in the list. */
bool ovirt_list_remove(struct ovirt_list *list, const char *dir);
/* *@out NULL: without domains there is no file. */
int ovirt_list_write(const struct ovirt_list *list, enum ovirt_form form, char **out);

/* effect.c */

#define OVIRT_WHY_MAX 320

/* Whether a mount by VDSM with these options is over RDMA, by the rules of mount.nfs, if it keeps
 * every section. False: @why is a clause with file and line. */
bool ovirt_effect(const struct conf *conf, const struct ovirt_entry *entry, const char *options,
		  char why[OVIRT_WHY_MAX]);
/* Whether nfsmount.conf has a "tcp" or "udp" for a mount, which overrides all its options; @why as
 * above. */
bool ovirt_effect_flag(const struct conf *conf, const char *spec, const char *dir,
		       const struct opts *opts, char why[OVIRT_WHY_MAX]);

/* change.c: the new contents of both files */

#define OVIRT_NFSMOUNT_PATH "etc/nfsmount.conf.d/90-nfsrdma-ovirt.conf"
#define OVIRT_GUARD_PATH    "etc/nfsrdma.conf.d/90-nfsrdma-ovirt.conf"

struct ovirt_change_request {
	const struct host *host; /* for the files next to ours */
	const struct ovirt_domain *domains;
	size_t ndomains; /* 0 with @remove: all domains */
	bool remove;
	bool guard_only; /* the options are in the engine: nfsmount.conf is not needed */
	bool six;        /* server names have IPv6 addresses only */
	uint16_t port;
	const char *options; /* entered in the engine for these domains; NULL: none */
	enum nfs_utils_sections sections;
	const char *nfs_utils; /* "nfs-utils 2.6.2-4", for messages */
	enum nfs_utils_drop_ins drop_ins;
};

struct ovirt_change {
	/* Contents; NULL: there is no such file. The caller provides @before. */
	const char *before[2]; /* by enum ovirt_file */
	char *after[2];
	enum ovirt_form form;
	char note[OVIRT_TEXT_MAX]; /* a note for the user; "" none */
};

/* @change: with @before set. Errors: -EPERM nfsmount.conf of this host does not allow it,
 * with the reason and what to do; -EINVAL; -EBADMSG a file of ours was changed; -ENOENT there is
 * nothing to remove; of reading. Nothing is written. */
int ovirt_change_make(const struct ovirt_change_request *request, struct ovirt_change *change);
void ovirt_change_fini(struct ovirt_change *change);
/* After writing: whether another file overrides it for the gates, and which; "" none. */
int ovirt_change_overruled(const struct ovirt_change_request *request, char text[OVIRT_TEXT_MAX]);

/* mounted.c */

/* NFS mounts on one of VDSM's directories. */
struct ovirt_mounted {
	unsigned int count;           /* 0: nothing is mounted there */
	const struct view_mount *top; /* the one that is used */
	bool other_source;            /* some are of another source than this domain */
	char text[OVIRT_TEXT_MAX];    /* the problem; "": none */
	char remedy[OVIRT_TEXT_MAX];  /* what to do; "" */
};

void ovirt_mounted(const struct view *view, const struct ovirt_domain *domain,
		   struct ovirt_mounted *out);

/* Checks all of this host's repository: calls @fn for each directory with a problem: it has
 * more than one mount, or is VIEW_BAD. */
typedef void (*ovirt_mounted_fn)(void *arg, const struct ovirt_mounted *mounted);
void ovirt_mounted_each(const struct view *view, ovirt_mounted_fn fn, void *arg);

#endif
