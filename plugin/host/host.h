/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Readers of a machine, or of a directory tree that looks like one. Every path is
 * resolved below a root directory given by the caller, and never leaves it, not even
 * through symbolic links; so tests and snapshots from customers are plain directories.
 * What only a running system can answer (routes, firewalls) is queried once and stored as
 * a file in a snapshot: see plugin/live.
 *
 * Files are hostile: a FIFO, a directory, an endless or binary file, or an attribute
 * whose read(2) fails yields an -errno with err_text(), and never blocks. A fact that
 * cannot be read is unknown, not absent: every reader distinguishes -ENOENT from other
 * errors.
 *
 * Structs are filled in for the caller, who owns them; strings in them are bounded and
 * sanitized. */
#ifndef PLUGIN_HOST_H
#define PLUGIN_HOST_H

#include <limits.h>
#include <net/if.h>

#include "rpcrdma/base/base.h"
#include "rpcrdma/transport/transport.h"

/* host.c: the root and the files below it */

struct host;

/* @root: NULL means this machine. Errors: -errno of opening it; -ENOTDIR; -EBADMSG: the
 * index of a snapshot is malformed. */
int host_open(struct host **out, const char *root);
/* In texts the root has this name; else that of its path. */
void host_call(struct host *host, const char *name);
/* No query of it lasts beyond @deadline: that of the command. */
void host_limit(struct host *host, uint64_t deadline);
/* The deadline of a query that takes @ms at most. NULL has no limit. */
uint64_t host_deadline(const struct host *host, unsigned int ms);
void host_close(struct host *host);
void host_close_p(struct host **host);
/* False with --root: the running system must not be queried then. */
bool host_is_live(const struct host *host);

#define HOST_FILE_MAX (1024 * 1024)

struct host_text {
	char *text; /* NUL-terminated; the NUL is not counted */
	size_t len;
};

/* Reads a whole regular file of at most @max bytes. Errors: -ENOENT (also if a directory
 * on the path is missing); -EACCES, -EPERM; -EINVAL: not a regular file, or not text (it
 * contains NUL bytes); -EFBIG; -EIO and other errors of read(2). */
int host_read(const struct host *host, const char *path, size_t max, struct host_text *out);
void host_text_fini(struct host_text *text);
/* Reads a one-line attribute (sysfs, sysctl) without its newline. @buf is empty on
 * failure. Errors: as host_read(); -EFBIG if it has more than @cap - 1 bytes. */
int host_attr(const struct host *host, const char *path, char *buf, size_t cap);
int host_attr_number(const struct host *host, const char *path, int64_t *out);
/* Reads the target of a symbolic link, unresolved. Errors: -ENOENT; -EINVAL: not a link. */
int host_link(const struct host *host, const char *path, char *buf, size_t cap);
/* Returns 0 if @path exists, -ENOENT if not, another -errno if this cannot be determined. */
int host_exists(const struct host *host, const char *path);

#define HOST_LIST_MAX 4096

/* The names in a directory except "." and "..", in strverscmp(3) order. */
struct host_list {
	char **names;
	size_t count;
	bool cut; /* there are more than HOST_LIST_MAX */
};

int host_list(const struct host *host, const char *path, struct host_list *out);
void host_list_fini(struct host_list *list);

/* A watcher receives an event for every query by a reader, with its result. */

enum host_event_type {
	HOST_EVENT_EXISTS, /* the path exists, links followed */
	HOST_EVENT_LINK,   /* the path exists and may itself be a link */
	HOST_EVENT_OPENED, /* a regular file whose content a library reads */
	HOST_EVENT_TEXT,   /* the content of a regular file: text */
	HOST_EVENT_NAMES,  /* a listed directory: names */
	HOST_EVENT_ERROR,  /* rc, with err_text(); -ENOENT: absent */
	HOST_EVENT_ANSWER, /* an answer not read from a file: key, value, words */
};

struct host_event {
	enum host_event_type type;
	const char *path; /* without leading slash; for an answer, its record */
	const char *by;   /* of a text: the file that includes it; NULL: none */
	int rc;
	const struct host_text *text;
	const struct host_list *names;
	const char *key, *value, *words;
};

typedef void (*host_watch_fn)(void *arg, const struct host_event *event);
/* @fn must not query the host through a reader; NULL stops watching. */
void host_watch(struct host *host, host_watch_fn fn, void *arg);
/* Reports an answer that was not read from a file; the watcher stores it in @record
 * (".nfsrdma/remote.json"). @value: NULL means unknown. @words: may be NULL. */
void host_answer(const struct host *host, const char *record, const char *key, const char *value,
		 const char *words);

/* text.c: pure functions for line-oriented text */

/* Returns the next line of *@cursor without its newline, NULL after the last; splits the
 * text in place. */
char *line_next(char **cursor);
/* Returns the next blank-separated word of *@cursor; NULL if there is none. */
char *word_next(char **cursor);
/* Copies @src in the form of all strings in structs of host.h: truncated to @cap, without
 * control characters, UTF-8. Returns @dst. */
char *text_copy(char *dst, size_t cap, const char *src);

/* distro.c: etc/os-release, proc/sys/kernel/osrelease, proc/version */

enum distro { DISTRO_OTHER, DISTRO_DEBIAN, DISTRO_UBUNTU, DISTRO_RHEL, DISTRO_SUSE, DISTRO_ARCH };

struct host_system {
	enum distro distro;  /* by ID and ID_LIKE */
	char id[32];         /* "debian" */
	char version_id[32]; /* "12" */
	char name[96];       /* PRETTY_NAME */
	char release[96];    /* uname -r */
	unsigned int kernel[3];
	/* The version string is a mainline or Debian one, so kernel[] tells what the
	 * kernel contains. Vendors with long-lived trees backport fixes and defects
	 * without changing the version number. */
	bool kernel_is_plain;
};

int host_system(const struct host *host, struct host_system *out);

/* modules.c: libkmod below the root: lib/modules/RELEASE, sys/module, etc/modprobe.d */

enum module_state {
	MODULE_MISSING,   /* not in modules.dep, not built in, not loaded */
	MODULE_AVAILABLE, /* can be loaded */
	MODULE_LOADED,
	MODULE_BUILTIN,
};

struct host_module {
	char name[64]; /* the real name: "rpcrdma" for "svcrdma" */
	enum module_state state;
	char file[256];    /* below the root; empty: none */
	char problem[160]; /* why the file can be neither read nor loaded; empty: none */
	int unknown;       /* -errno: not known whether there is one; then @problem says why */
	char srcversion_file[40]; /* empty: not available */
	char srcversion_loaded[40];
	char vermagic[128];
	bool external;    /* not from the kernel's own tree: in updates/, extra/, dkms */
	bool is_signed;   /* the file has a signature, trusted or not */
	bool dummy;       /* a vendor's empty module, which prevents loading the kernel's own */
	bool blacklisted; /* by modprobe.d, which does not prevent loading by name */
	bool disabled;    /* "install NAME /bin/false" or the like: loading by name fails */
	char disabled_by[128];  /* the file with that line */
	char disabled_name[64]; /* the module in it: this one, or one that is loaded with it */
};

/* @name: a module or an alias, as modprobe accepts them ("svcrdma"). Errors: of reading;
 * -ENOENT: the root has no lib/modules/RELEASE, so only loaded modules are known
 * (out->state is then LOADED or MISSING, and the return value is 0 if it is loaded). */
int host_module(const struct host *host, const char *name, struct host_module *out);

/* What the kernel's command line and modprobe.d say of loading @name by its name, unless it is
 * loaded or built in; whether there is such a module is not asked. Errors: of reading; -EINVAL: no
 * name. */
int host_module_forbidden(const struct host *host, const char *name, struct host_module *out);

/* Whether the kernel loads only signed modules; @by: what requires it, "kernel lockdown". */
bool host_signed_modules_only(const struct host *host, char by[64]);
/* Whether its file was built for the kernel @release (vermagic); true if unknown. */
bool host_module_is_for(const struct host_module *module, const char *release);

/* module-lists.c: modules to load at boot or when an RDMA device appears */

struct host_listed {
	bool at_boot;       /* modules-load.d, etc/modules */
	bool rdma_conf;     /* etc/rdma/modules/rdma.conf, which is read when a device appears */
	bool has_rdma_conf; /* that file exists */
	char file[128];     /* the list that names it; empty: none */
};

/* @name: as written in the lists; aliases are not resolved. Errors: of reading. */
int host_module_listed(const struct host *host, const char *name, struct host_listed *out);

/* rdma.c: sys/class/infiniband */

enum link_layer { LINK_UNKNOWN, LINK_INFINIBAND, LINK_ETHERNET };
enum rdma_kind { RDMA_INFINIBAND, RDMA_ROCE, RDMA_IWARP, RDMA_USNIC, RDMA_OTHER };

#define RDMA_DEVICES_MAX 32
#define RDMA_PORTS_MAX   4
#define RDMA_GIDS_MAX    64
#define RDMA_PKEYS_MAX   32

struct rdma_gid {
	unsigned int index;
	uint8_t bytes[16];
	bool v2; /* "RoCE v2"; else v1 or InfiniBand */
	char netdev[IFNAMSIZ];
};

struct rdma_port {
	unsigned int number;
	enum link_layer layer;
	unsigned int state;      /* 1 DOWN, 2 INIT, 3 ARMED, 4 ACTIVE; 0 could not be read */
	unsigned int phys_state; /* 2 Polling, 3 Disabled, 5 LinkUp */
	char rate[64];
	unsigned int lid, sm_lid;
	unsigned int ngids, npkeys;
	struct rdma_gid gids[RDMA_GIDS_MAX]; /* non-zero ones */
	uint16_t pkeys[RDMA_PKEYS_MAX];      /* non-zero ones */
	bool gids_cut;                       /* there are more */
	char netdev[IFNAMSIZ];               /* of an Ethernet port, or empty */
	/* The default of the connection manager, "IB/RoCE v1" or "RoCE v2"; empty if its
	 * directory in configfs does not exist. */
	char default_roce_mode[16];
};

struct rdma_device {
	char name[64];
	char driver[32];     /* "mlx5_core" of the parent, or "rdma_rxe", "siw" */
	enum rdma_kind kind; /* by its first port where that decides */
	bool software;       /* rxe, siw: for testing */
	char node_guid[24];  /* "0000:0000:0000:0000" is a defect */
	char fw_version[64];
	char board[64];
	char pci_address[16]; /* "0000:3b:00.0"; empty: not on PCI */
	uint16_t pci_vendor, pci_device;
	uint8_t pci_revision;
	bool virtual_function; /* of SR-IOV, on the host or assigned to a guest */
	unsigned int nports;
	struct rdma_port ports[RDMA_PORTS_MAX];
	bool ports_cut;    /* there are more: a switch's representors */
	char problem[160]; /* an attribute that could not be read; empty: none */
	int rc;            /* of host_rdma() alone */
};

struct rdma_devices {
	unsigned int count;
	bool cut; /* there are more */
	/* ib_core's netns_mode: whether every network namespace sees all devices. Unknown: true. */
	bool netns_shared;
	struct rdma_device list[RDMA_DEVICES_MAX];
};

/* Returns 0 also if there are none. The caller frees *out with free(3). Errors: of reading what
 * tells devices apart; -ENOMEM. */
int host_rdma(const struct host *host, struct rdma_devices **out);
/* NULL: there is none. */
const struct rdma_device *rdma_device_find(const struct rdma_devices *rdma, const char *name);
/* NULL: there is none, or no device. */
const struct rdma_port *rdma_port_find(const struct rdma_device *device, unsigned int number);

/* pci.c: sys/bus/pci */

/* Finds RDMA-capable adapters without an RDMA device: their driver, or its RDMA part, is
 * not loaded. Fills in names like "mlx5_ib for 0000:3b:00.0"; returns their count or
 * -errno. Adapters assigned to a virtual machine are left out. */
int host_rdma_missing(const struct host *host, char names[][96], unsigned int max);

/* The first RDMA-capable adapter bound to a driver for virtual machines, which makes it
 * unavailable to this host. */
struct host_assigned {
	char adapter[16]; /* "0000:3b:00.0"; empty: none */
	char driver[64];  /* "vfio-pci" */
};

int host_rdma_assigned(const struct host *host, struct host_assigned *out);

/* netdev.c: sys/class/net */

struct host_netdev {
	char name[IFNAMSIZ];
	unsigned int ifindex, mtu;
	unsigned int type; /* ARPHRD_*: 1 Ethernet, 32 InfiniBand */
	char operstate[16];
	unsigned int flags; /* IFF_*; 0: could not be read */
	int carrier;        /* 1, 0; -1: unknown, as while the interface is set down */
	char driver[32];
	uint8_t address[20];
	unsigned int address_len;
	char master[IFNAMSIZ]; /* the bond or bridge it belongs to; empty: none */
	/* The RDMA device of this netdev; empty: none. */
	char rdma_device[64];
	unsigned int rdma_port;
	/* The lower netdev of a bond, VLAN or bridge that belongs to the RDMA device.
	 * Empty: the interface itself does, or its addresses are in the port's GID table. */
	char rdma_lower[IFNAMSIZ];
	/* IPoIB */
	char ipoib_mode[16]; /* "datagram", "connected"; empty: not IPoIB */
	uint16_t pkey;
};

/* @rdma: from host_rdma(), or NULL, which leaves rdma_* empty. Errors: -ENOENT: no such
 * netdev. */
int host_netdev(const struct host *host, const char *name, const struct rdma_devices *rdma,
		struct host_netdev *out);

/* conf.c: the ini dialect of nfs-utils (nfs.conf, nfsmount.conf), with its drop-ins */

struct conf;

struct conf_value {
	const char *value;
	const char *file; /* below the root */
	unsigned int line;
};

/* Reads @path ("etc/nfs.conf"), then etc/nfs.conf.d in version order; the later setting
 * wins. The distribution's file in usr/etc applies only if @path does not exist. An
 * absent file counts as empty. Lines that nfs-utils skips with a warning are skipped: see
 * conf_problem(). Errors: of reading; -EFBIG. */
int conf_open(struct conf **out, const struct host *host, const char *path);
/* Like conf_open(), but as if the drop-in @file ("etc/nfsmount.conf.d/90-a.conf")
 * contained @text; NULL: as if the drop-in did not exist. */
int conf_open_as(struct conf **out, const struct host *host, const char *path, const char *file,
		 const char *text);
void conf_close(struct conf *conf);
void conf_close_p(struct conf **conf);
/* Compares section, argument (NULL: none) and key as nfs-utils does. Returns NULL if not
 * set. */
const struct conf_value *conf_get(const struct conf *conf, const char *section, const char *arg,
				  const char *key);
/* The sections of nfsmount.conf that apply to one mount, in the order in which mount.nfs
 * uses them: the first that sets an option wins (utils/mount/configfile.c). Contains
 * pointers into itself: do not copy. */
struct conf_mount {
	char server[256]; /* the source up to its first colon, as mount.nfs parses it */
	struct conf_section {
		const char *section, *arg; /* as for conf_get() */
	} sections[3];
};

/* @dir: borrowed. */
void conf_mount(struct conf_mount *out, const char *source, const char *dir);
/* The value that applies to that mount. NULL: not set. */
const struct conf_value *conf_mount_get(const struct conf *conf, const char *source,
					const char *dir, const char *key);
/* Calls @fn for each key of every section with this name; a non-zero return value stops. */
typedef int (*conf_fn)(void *arg, const char *section_arg, const char *key,
		       const struct conf_value *value);
int conf_each(const struct conf *conf, const char *section, conf_fn fn, void *arg);
/* Returns the first line that nfs-utils skips, "etc/nfs.conf:7: a quote without its
 * second", or NULL. */
const char *conf_problem(const struct conf *conf);
/* Returns the first setting in a section whose argument lacks its closing quote,
 * "etc/nfsmount.conf:2", or NULL. nfs-utils 2.6.2 crashes on it (SIGSEGV), regardless of
 * the command. */
const char *conf_crash(const struct conf *conf);
/* Returns a file whose last line lacks a newline, so that nfs-utils drops the line; or
 * NULL. */
const char *conf_cut_file(const struct conf *conf);
/* Returns 1 or 0, or @otherwise if the value is not set or is neither yes nor no to
 * nfs-utils. */
int conf_bool(const struct conf_value *value, int otherwise);

/* nfs-utils.c: how the nfs-utils of this host handles its configuration */

struct nfs_utils {
	char version[64];    /* of the package: "1:2.6.2-4"; empty: unknown */
	unsigned int number; /* 20602; 0: unknown */
};

/* Reads the version of the package that contains mount.nfs. Errors: -ENOENT: not
 * installed; -ENODATA: packages cannot be queried here; and of reading. *@out is then
 * empty. */
int nfs_utils_read(const struct host *host, struct nfs_utils *out);

enum nfs_utils_sections {
	NFS_UTILS_KEEPS,    /* each section has its own keys */
	NFS_UTILS_MAY_LOSE, /* RHEL 9's 2.5.4, which a patch of January 2025 fixes */
	NFS_UTILS_LOSES,    /* of several sections with one name, only the last keeps a key */
	NFS_UTILS_UNKNOWN,  /* cannot be determined */
};

/* Whether setting a key removes it from every section with that name, regardless of its
 * argument (conf_set_now() in support/nfs/conffile.c); fixed in 2.8.3. */
enum nfs_utils_sections nfs_utils_sections(const struct nfs_utils *utils, enum distro distro);
enum nfs_utils_drop_ins {
	DROP_INS_READ,
	DROP_INS_IGNORED,
	DROP_INS_UNKNOWN, /* the version is unknown and the directory does not exist */
};

/* Whether it reads nfsmount.conf.d, as 2.5.3 and later do. If the version is unknown, an
 * existing directory implies that it does. */
enum nfs_utils_drop_ins nfs_utils_drop_ins(const struct nfs_utils *utils, const struct host *host);
/* Returns the first key that two sections with this name both set; NULL: none. */
const char *nfs_utils_clash(const struct conf *conf, const char *section);

/* Whether the NFS server reads nfs.conf. */
enum nfs_utils_conf {
	NFS_CONF_READ,
	NFS_CONF_IGNORED, /* before 2.1.1, which nothing here sets up: rpc.nfsd has only its arguments */
	NFS_CONF_UNKNOWN, /* taken to be read */
};

#define NFS_UTILS_WHO_MAX 96

/* By the package, the release, or a file. @who: "nfs-utils 1:1.3.4-6". */
enum nfs_utils_conf nfs_utils_conf(const struct host *host, char who[NFS_UTILS_WHO_MAX]);

/* ganesha.c: NFS-Ganesha, a server in user space, and etc/ganesha/ganesha.conf */

struct host_ganesha {
	bool installed, enabled; /* its unit or program exists; its unit starts at boot */
	bool running;            /* its pid file exists */
	char version[64];        /* of the package; empty: not known */
	bool has_conf;
	/* Of block NFS_CORE_PARAM: */
	bool rdma;          /* among the protocols */
	char protocols[96]; /* as written; empty: not set */
	char versions[64];  /* of NFS over RDMA; empty: not set */
	unsigned int port;  /* for RDMA */
	char where[128];    /* "/etc/ganesha/ganesha.conf:3" */
	char left_out[128]; /* "%url rados://...", whose settings are unknown; empty: none */
};

/* Errors: of reading ganesha.conf; everything else that is known is filled in. */
int host_ganesha(const struct host *host, struct host_ganesha *out);

/* mounts.c: proc/self/mountinfo (libmount), proc/self/mountstats, run/mount/utab */

struct nfs_xprt {
	char proto[16]; /* "rdma", "tcp" */
	unsigned int nvalues;
	/* In the order of the kernel's print functions (net/sunrpc/xprtrdma/transport.c). */
	uint64_t values[32];
};

/* The READ counters of a mount in mountstats, since it was mounted. */
struct nfs_reads {
	bool has_events, has_bytes, has_calls; /* which counters below are set */
	bool broken;                           /* a counter is not a number or does not fit */
	uint64_t calls;                        /* completed READs, including errors */
	uint64_t received;                     /* bytes of their replies, including headers */
	uint64_t shorts; /* shorter than requested, but not at the end of the file */
	uint64_t bytes;  /* file data that NFS took from those replies */
};

/* The operations that matter to a disk. */
enum nfs_operation_kind {
	NFS_OPERATION_READ,
	NFS_OPERATION_WRITE,
	NFS_OPERATION_COMMIT,
	NFS_OPERATION_GETATTR,
	NFS_OPERATIONS
};

/* Of all completed calls of an operation since the mount; times are sums over calls. */
struct nfs_operation {
	uint64_t calls, sent; /* sent more often than called: retransmissions */
	uint64_t queue_ms;    /* before the first transmission */
	uint64_t rtt_ms;      /* from it to the reply */
	uint64_t execute_ms;  /* all of it */
	uint64_t errors;      /* since Linux 5.3 */
	bool has_errors;
	bool broken; /* a counter is not a number or does not fit */
};

#define NFS_XPRTS_MAX 32

struct nfs_mount {
	unsigned int id, parent_id;
	char dev[16];     /* "0:53" */
	char target[256]; /* truncated; only the finding's evidence has all of it */
	char fs_spec[256];
	char fs_root[256];
	char type[8];       /* nfs, nfs4 */
	char options[1024]; /* the kernel's */
	char vers[8], proto[16], addr[64], sec[16];
	unsigned int mountport; /* of NFSv3; 0: absent */
	unsigned int port, rsize, wsize, timeo, retrans, nconnect;
	bool hard, nolock;
	char fstab[512];     /* the options in etc/fstab; empty: no such line */
	char asked[512];     /* the options given to mount.nfs (utab); empty: unknown */
	unsigned int nxprts; /* 0: mountstats has none for it */
	bool xprts_cut;      /* there are more */
	struct nfs_xprt xprts[NFS_XPRTS_MAX];
	uint64_t age; /* seconds */
	struct nfs_reads reads;
	struct nfs_operation operations[NFS_OPERATIONS];
	unsigned int parent; /* index of the NFS mount it lies below, UINT_MAX: none */
};

struct nfs_mounts {
	unsigned int count;
	bool cut;                /* there are more than NFS_MOUNTS_MAX */
	unsigned int unreadable; /* NFS mounts whose line cannot be parsed */
	char fstab_unknown[160]; /* why etc/fstab could not be read; "" if it could */
	struct nfs_mount *list;
};

#define NFS_MOUNTS_MAX 4096

/* In mount order: of several mounts on one target, the last is visible. */
int host_nfs_mounts(const struct host *host, struct nfs_mounts *out);
void host_nfs_mounts_fini(struct nfs_mounts *mounts);

/* mount-tree.c: all of proc/self/mountinfo, to resolve paths */

struct host_mount {
	unsigned int id, parent_id;
	char *target; /* whole, unescaped */
	char *source; /* "nas:/vm", "/dev/sda1" */
	char dev[24]; /* "0:53"; mounts with the same dev are one file system */
	bool shared;  /* what is mounted below it propagates to its peers and slaves */
	/* "" if its line cannot be parsed. Longer types are truncated: FUSE appends a dot
	 * and any subtype that the user chose. */
	char type[32];
	bool direct; /* of type autofs: a trigger of its own for a directory of a direct map */
};

#define HOST_MOUNTS_MAX 16384

struct host_mounts {
	size_t count;
	/* There are more than HOST_MOUNTS_MAX, or the position of one is unknown. */
	bool cut;
	struct host_mount *list; /* in the order of mountinfo */
	/* For host_path_resolve(): the tree, and a cache of path lookups. */
	struct mount_branch *branches;
	struct path_cache *cache;
};

int host_mounts(const struct host *host, struct host_mounts *out);
/* Fills in both from one read of mountinfo; the NFS mounts lack their fstab options. */
int host_all_mounts(const struct host *host, struct host_mounts *tree, struct nfs_mounts *out);
void host_mounts_fini(struct host_mounts *mounts);

/* path.c: the mount on which a path lies. Touching a path below a mount whose server is
 * gone blocks. So the path is walked by its components, each is compared with the mount
 * tree first, and no system call is made for anything at or below a network, FUSE or
 * automounter mount; nor at or below a stacked one (overlay), which may lie on a network
 * file system, unless it is the root's own. Names hidden under a later mount are not
 * seen, as in the kernel. Lookups are cached with the list of mounts, so that both
 * describe the same moment. */

enum host_path_end {
	HOST_PATH_LOCAL,     /* on a file system of this host, or a stacked one */
	HOST_PATH_NFS,       /* nfs, nfs4 */
	HOST_PATH_REMOTE,    /* another network file system, or FUSE */
	HOST_PATH_AUTOMOUNT, /* autofs, not mounted yet */
};

struct host_path {
	enum host_path_end end;
	const struct host_mount *mount; /* owned by the tree; NULL: it has no root */
	bool missing;                   /* a component on a local file system does not exist */
	bool resolved;                  /* every component was looked up, so it can be again */
	/* Without "." and "..", and with links resolved as far as components were looked
	 * up: names below a network mount, or after a missing component, are unchanged. */
	char path[PATH_MAX];
};

/* @path: absolute. Errors: -EINVAL: not absolute; -ELOOP; -ENAMETOOLONG; -EOVERFLOW:
 * @mounts is cut, so any path may be on a network; -EBADMSG: it leads to a mount whose
 * line cannot be parsed; -EXDEV: ".." leads out of a mount in which names were not looked
 * up; of the lookup (-EACCES). On every error @out->path holds the path as far as it was
 * resolved. */
int host_path_resolve(const struct host *host, const struct host_mounts *mounts, const char *path,
		      struct host_path *out);

/* limits.c: RLIMIT_MEMLOCK, of this process and as configured for logins */

#define MEMLOCK_LINES_MAX 16

struct host_memlock {
	uint64_t soft, hard; /* bytes, UINT64_MAX unlimited; of proc/self/limits */
	bool known;          /* the line exists */
	/* The limits in etc/security/limits.conf and limits.d, which apply at login. */
	unsigned int nlines;
	struct {
		char domain[64]; /* "@rdma", "*" */
		char type[8];    /* "soft", "hard", "-" */
		char value[24];  /* KiB, or "unlimited" */
		char file[128];
	} lines[MEMLOCK_LINES_MAX];
};

int host_memlock(const struct host *host, struct host_memlock *out);

/* sysctl.c */

/* Reads a counter in proc/sys/sunrpc/svc_rdma. The kernel's handler has room for seven
 * digits and returns EFAULT for more: then *@large is set, and *@out is the lower bound. */
int host_counter(const struct host *host, const char *path, uint64_t *out, bool *large);

/* nfsd.c: proc/fs/nfsd, the exports */

#define NFSD_LISTENERS_MAX 32

struct host_nfsd {
	/* proc/fs/nfsd has a portlist: the nfsd file system is mounted. Otherwise all
	 * fields below are empty. */
	bool present;
	unsigned int nlisteners;
	struct {
		char proto[16]; /* "rdma", "tcp" */
		unsigned int port;
	} listeners[NFSD_LISTENERS_MAX];
	/* Root reads it in proc/fs/nfsd, other users in proc/net/rpc/nfsd. */
	unsigned int threads;
	bool threads_known;
	char versions[64];      /* "+3 +4 +4.1 +4.2 -4.0"; empty: only root may see them */
	uint64_t packets;       /* of all pools */
	unsigned int max_block; /* bytes */
};

/* Errors: of reading portlist, which every user may by default. */
int host_nfsd(const struct host *host, struct host_nfsd *out);
/* The port of its first RDMA listener; 0: it has none. Pure. */
uint16_t host_nfsd_rdma_port(const struct host_nfsd *nfsd);

/* A directory and a client of var/lib/nfs/etab. */
struct host_export {
	char path[128];
	char client[96]; /* "192.0.2.0/24", "*", "@group", "*.example.com" */
};

#define HOST_EXPORTS_MAX 128

struct host_exports {
	unsigned int count; /* entries in list; cut: there are more */
	bool cut;
	struct host_export list[HOST_EXPORTS_MAX];
	unsigned int exported;   /* lines of var/lib/nfs/etab, which exportfs writes */
	unsigned int configured; /* lines of etc/exports and etc/exports.d */
	char first[256];         /* a path from the above; empty: none */
};

int host_exports(const struct host *host, struct host_exports *out);

/* proxmox.c: NFS storages of Proxmox VE */

struct proxmox_storage {
	char name[64], server[256], export[256], path[256], options[512], content[128];
	char nodes[256];   /* "": all nodes of the cluster */
	unsigned int line; /* of etc/pve/storage.cfg */
	bool disabled;     /* or not for this node */
};

#define PROXMOX_STORAGES_MAX 32

struct proxmox_storages {
	unsigned int count; /* 0 without the file */
	bool cut;           /* there are more */
	struct proxmox_storage list[PROXMOX_STORAGES_MAX];
};

/* Errors: of reading; -EIO: it cannot be read, for example by users other than root;
 * -ETIMEDOUT. */
int host_proxmox(const struct host *host, struct proxmox_storages *out);

/* networks.c: the networks that this host has routes to */

struct host_network {
	int family; /* AF_INET, AF_INET6 */
	uint8_t bytes[16];
	unsigned int prefix;
	char netdev[IFNAMSIZ];
};

#define HOST_NETWORKS_MAX 256

struct host_networks {
	unsigned int count; /* 0 also if none can be read */
	struct host_network list[HOST_NETWORKS_MAX];
};

/* Default routes have prefix 0; routes to link-local addresses are left out. */
int host_networks(const struct host *host, struct host_networks *out);
/* Pure: parses an address or a network in the syntax of exports(5); sets no netdev. */
bool network_parse(const char *text, struct host_network *out);
bool network_overlaps(const struct host_network *a, const struct host_network *b);
#define NETWORK_TEXT_MAX 64
const char *network_text(const struct host_network *network, char buf[NETWORK_TEXT_MAX]);

/* services.c: etc/services */

/* @protocol: "tcp". Errors: -ENOENT no such name; of reading. */
int host_service(const struct host *host, const char *name, const char *protocol,
		 unsigned int *port);

/* kconfig.c: boot/config-RELEASE, lib/modules/RELEASE/config, proc/config.gz */

struct host_kconfig {
	struct host_text text;
	char file[160];
};

/* Errors: -ENOENT: the kernel's configuration is in none of these files. */
int host_kconfig(const struct host *host, struct host_kconfig *out);
void host_kconfig_fini(struct host_kconfig *config);
/* Returns 'y', 'm', or 'n' if it is not set. @option: with "CONFIG_". */
char kconfig_get(const struct host_kconfig *config, const char *option);

/* units.c: systemd's unit files; plugin/live has their current state */

/* Reads the last setting of @key ("LimitMEMLOCK") in [Service] of a unit's file and its
 * drop-ins. @buf is empty if it is not set. Errors: -ENOENT: no such unit. */
int host_unit_get(const struct host *host, const char *unit, const char *key, char *buf,
		  size_t cap);

struct unit_setting {
	const char *key; /* NULL: the end */
	char *buf;       /* "" if it is not set */
	size_t cap;
	bool adds; /* assignments add up, separated by blanks, as those of dependencies do */
};

/* The same for several settings of a section ("Mount"). */
int host_unit_read(const struct host *host, const char *unit, const char *section,
		   const struct unit_setting *settings);
/* The files of units with this suffix (".mount") in all folders but those of generators; paths
 * below the root. Errors: of listing. */
int host_units(const struct host *host, const char *suffix, struct host_list *out);

enum unit_state { UNIT_MISSING, UNIT_DISABLED, UNIT_ENABLED, UNIT_MASKED };

/* Enabled: a unit in etc or run wants, requires or upholds it. An instance of a template is a
 * unit. */
int host_unit_state(const struct host *host, const char *unit, enum unit_state *out);

/* listener-unit.c */

/* The unit of the administrator that adds the NFS server's RDMA listener at each start, beside
 * nfs.conf; "" none is seen. Errors: of listing units. */
int host_listener_unit(const struct host *host, char *buf, size_t cap);
/* Whether a command line does so. Pure. */
bool host_adds_listener(const char *command);

/* udev.c */

/* Calls @fn for every udev rule, with continuation lines joined and without comments. A
 * non-zero return value of @fn stops and is returned. */
typedef int (*udev_fn)(void *arg, const char *file, unsigned int line, const char *rule);
int host_udev_each(const struct host *host, udev_fn fn, void *arg);

/* software-links.c: what creates software RDMA links at boot */

/* Prefix of the unit name of `nfsrdma setup --software`; the interface and ".service"
 * follow. */
#define HOST_LINK_UNIT "nfsrdma-link-"

/* Finds the first file that adds such a link, for any interface; "": none. Errors: of
 * reading. */
int host_software_links(const struct host *host, char *file, size_t cap);

/* opensm.c: the subnet manager's files */

#define OPENSM_FILES_MAX 8
#define PARTITIONS_MAX   32

struct host_opensm {
	bool installed; /* its program exists */
	/* opensm.conf, opensm.conf.N, sysconfig or default: one for each subnet. */
	unsigned int nfiles;
	struct {
		char file[96];
		char guids[128];  /* the ports it serves; empty: the first */
		char priority[8]; /* 0 to 15; empty: 0 */
	} files[OPENSM_FILES_MAX];
	unsigned int npartitions;
	struct {
		char name[32];
		uint16_t pkey;        /* without the membership bit */
		char rate[8], mtu[8]; /* numbered as in partitions.conf; empty: default */
		bool ipoib;
	} partitions[PARTITIONS_MAX];
	char partitions_file[64]; /* empty: none */
};

int host_opensm(const struct host *host, struct host_opensm *out);

/* platform.c: which hypervisor management software is on this host */

struct host_platform {
	bool vdsm, libvirt, proxmox;
	char vdsm_patched[160]; /* VDSM's storageServer.py, if its default options request RDMA */
};

int host_platform(const struct host *host, struct host_platform *out);

/* container.c: whether this is a container, which has neither kernel nor modules of its own */

#define HOST_CONTAINER_MAX 32

/* @kind: "docker", "lxc", "Kubernetes"; empty if it is not a container or this cannot be
 * read. */
bool host_container(const struct host *host, char kind[HOST_CONTAINER_MAX]);

/* managers.c: which programs configure the network and the firewall */

enum host_manager {
	MANAGER_NETWORKMANAGER = 1 << 0,
	MANAGER_NETPLAN = 1 << 1,
	MANAGER_IFUPDOWN = 1 << 2,
	MANAGER_WICKED = 1 << 3,
	MANAGER_NETWORKD = 1 << 4, /* by its own files, not by netplan's */
	MANAGER_FIREWALLD = 1 << 5,
	MANAGER_NFTABLES = 1 << 6, /* nftables.service */
	MANAGER_IPTABLES = 1 << 7, /* iptables.service, netfilter-persistent.service */
	MANAGER_UFW = 1 << 8,
};

/* Returns bits of enum host_manager: several if several programs configure something, 0
 * if none is known. */
unsigned int host_managers(const struct host *host);

/* rpc-queues.c: requests that wait on a connection, sys/kernel/sunrpc */

struct host_rpc_queue {
	char addr[64];  /* of the server */
	char proto[16]; /* "rdma", "tcp": also over IPv6 */
	bool known;     /* the connection is up and the kernel reports the number */
	uint64_t waiting;
};

struct host_rpc_queues {
	bool present; /* the kernel has this directory: Linux 5.14 */
	size_t count;
	struct host_rpc_queue *list;
};

/* Errors: -ENOMEM; values that cannot be read are unknown. */
int host_rpc_queues(const struct host *host, struct host_rpc_queues *out);
void host_rpc_queues_fini(struct host_rpc_queues *queues);

/* libvirt-hook.c: when libvirt's hook was installed and when its daemons started; only
 * for a running system, because copied files have other times */

#define HOST_HOOK_DAEMONS 2

struct host_hook_daemon {
	const char *name; /* "libvirtd", "virtqemud" */
	int64_t pid;
	int64_t started_at; /* seconds since the epoch */
};

struct host_libvirt_hook {
	int64_t linked_at;     /* seconds since the epoch; 0: no hook */
	int64_t other_at;      /* of the oldest other qemu hook; 0: none is certain */
	unsigned int ndaemons; /* running ones; 0 without the hook */
	struct host_hook_daemon daemons[HOST_HOOK_DAEMONS];
};

/* Errors: -ENODATA: the boot time is unknown; of reading. */
int host_libvirt_hook(const struct host *host, struct host_libvirt_hook *out);

/* vdsm.c: VDSM's repository: it mounts storage domains on REPOSITORY/mnt/NAME */

#define HOST_REPOSITORY_MAX 160

/* From etc/vdsm/vdsm.conf and vdsm.conf.d; "/rhev/data-center" if they do not set it. */
void host_repository(const struct host *host, char out[HOST_REPOSITORY_MAX]);
/* Resolves a repository (NULL: that of vdsm.conf) to its real path, which the kernel
 * shows for mounts below it. A path that cannot be resolved is unchanged. */
void host_repository_real(const struct host *host, const struct host_mounts *mounts,
			  const char *repository, char out[PATH_MAX]);
/* Whether a path belongs to a storage domain on block devices or GlusterFS, which have
 * their own directories below REPOSITORY/mnt: rules for NFS do not apply to them, even
 * with a "*". */
bool host_repository_not_nfs(const char *repository, const char *path);
/* Derives the source of a domain from the path of the directory that VDSM mounts it on:
 * "nas:/my_vm" from ".../mnt/nas:_my__vm". Errors: -ENOENT: not such a directory, or its
 * name stands for more than one source. */
int host_repository_source(const char *dir, char *out, size_t cap);

/* package.c: var/lib/dpkg/status, or .nfsrdma/packages of a snapshot, one "NAME VERSION"
 * per line; NAME alone: queried, but not installed */

/* Errors: -ENOENT: not installed; -ENODATA: the packages of this system cannot be read
 * from files, or the snapshot does not contain this one. */
int host_package(const struct host *host, const char *name, char *version, size_t cap);

/* snapshot-index.c: what a snapshot contains. A directory with .nfsrdma/index.json is a
 * snapshot:
 *
 *	{"schema": "nfsrdma-snapshot/1", "version": "0.1.0", "taken": "2026-01-01T00:00:00Z",
 *	 "listed": ["etc/modprobe.d"], "absent": ["etc/nfs.conf"],
 *	 "errors": {"proc/fs/nfsd/portlist": {"error": "EACCES", "text": "..."}}}
 *
 * A file that does not exist below such a root is absent only if the index says so: it was
 * requested and did not exist, or it is not among the names of a listed directory. Anything
 * else is unknown (-ENODATA), so a check that is newer than the snapshot is unknown and does
 * not fail. A directory without an index is taken for a complete machine. */

bool host_is_snapshot(const struct host *host);

#endif
