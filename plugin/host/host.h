/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reading a machine, or a tree that looks like one. Every path is taken below a root directory
 * that is a parameter, and never leaves it, not even by symbolic links; so a test, or a snapshot
 * from a customer, is a folder. What only a live system can be asked (routes, firewalls) is
 * asked once, and in a snapshot it is a file: see live.h.
 *
 * Files are hostile: a FIFO, a directory, an endless or binary file, an attribute whose read(2)
 * fails, all of them are an -errno with words and never a wait. A fact that could not be read is
 * unknown, which is another thing than absent: every reader tells -ENOENT from the rest.
 *
 * Structs are filled in for the caller, who owns them; texts in them are bounded and clean. */
#ifndef PLUGIN_HOST_H
#define PLUGIN_HOST_H

#include <limits.h>
#include <net/if.h>

#include "rpcrdma/base.h"
#include "rpcrdma/transport/transport.h"

/* host.c: the root, and files below it */

struct host;

/* @root: NULL is this machine. Errors: -errno of opening it; -ENOTDIR; -EBADMSG a snapshot whose
 * index makes no sense. */
int host_open(struct host **out, const char *root);
void host_close(struct host *host);
void host_close_p(struct host **host);
/* False below a --root: nothing of the running system may then be asked. */
bool host_is_live(const struct host *host);

#define HOST_FILE_MAX (1024 * 1024)

struct host_text {
	char *text; /* always ends with a NUL that is not counted */
	size_t len;
};

/* A whole regular file of at most @max bytes. Errors: -ENOENT (also for a part of the path);
 * -EACCES, -EPERM; -EINVAL not a regular file, or NUL bytes in it (a text was wanted); -EFBIG;
 * -EIO and whatever else read(2) says. */
int host_read(const struct host *host, const char *path, size_t max,
	      struct host_text *out);
void host_text_fini(struct host_text *text);
/* A one-line attribute (sysfs, sysctl): without the newline. @buf is empty on failure.
 * Errors: as above; -EFBIG when it has more than @cap - 1 bytes. */
int host_attr(const struct host *host, const char *path, char *buf, size_t cap);
int host_attr_number(const struct host *host, const char *path, int64_t *out);
/* The target of a symbolic link, as it stands. Errors: -ENOENT, -EINVAL not a link. */
int host_link(const struct host *host, const char *path, char *buf, size_t cap);
/* 0, -ENOENT, or what keeps us from knowing. */
int host_exists(const struct host *host, const char *path);

#define HOST_LIST_MAX 4096

/* The names in a directory but "." and "..", sorted as strverscmp(3) does. */
struct host_list {
	char **names;
	size_t count;
	bool cut; /* there were more than HOST_LIST_MAX */
};

int host_list(const struct host *host, const char *path, struct host_list *out);
void host_list_fini(struct host_list *list);

/* Who watches a host is told of everything that readers ask it, and what they get. */

enum host_seen {
	HOST_SEEN_THERE,  /* the path exists, its links followed */
	HOST_SEEN_LINK,   /* the path exists, and may be a link itself */
	HOST_SEEN_OPENED, /* a regular file, whose content a library reads */
	HOST_SEEN_TEXT,   /* the content of one: text */
	HOST_SEEN_NAMES,  /* a directory, listed: names */
	HOST_SEEN_ERROR,  /* rc, with err_text(); -ENOENT: it is absent */
	HOST_SEEN_ANSWER, /* an answer that no file has: key, value, words */
};

struct host_event {
	enum host_seen seen;
	const char
		*path; /* as asked, without a slash before it; of an answer its record */
	int rc;
	const struct host_text *text;
	const struct host_list *names;
	const char *key, *value, *words;
};

typedef void (*host_watch_fn)(void *arg, const struct host_event *event);
/* @fn: NULL: stop watching. It may not ask the host through a reader. */
void host_watch(struct host *host, host_watch_fn fn, void *arg);
/* For what is asked otherwise than by files: it goes to @record (".nfsrdma/remote.json") of who
 * watches. @value: NULL: unknown. @words: may be NULL. */
void host_answer(const struct host *host, const char *record, const char *key,
		 const char *value, const char *words);

/* lines.c: pure, for texts that are lists of lines */

/* The next line of *@cursor without its end, NULL after the last; cuts the text in place. */
char *line_next(char **cursor);
/* The next word of *@cursor, by blanks; NULL when there is none. */
char *word_next(char **cursor);
/* As all texts in structs of host.h are: cut at @cap, without control characters, UTF-8. Returns
 * @dst. */
char *text_copy(char *dst, size_t cap, const char *src);

/* distro.c: etc/os-release, proc/sys/kernel/osrelease, proc/version */

enum distro {
	DISTRO_OTHER,
	DISTRO_DEBIAN,
	DISTRO_UBUNTU,
	DISTRO_RHEL,
	DISTRO_SUSE,
	DISTRO_ARCH
};

struct host_system {
	enum distro distro;  /* by ID and ID_LIKE */
	char id[32];         /* "debian" */
	char version_id[32]; /* "12" */
	char name[96];       /* PRETTY_NAME */
	char release[96];    /* uname -r */
	unsigned int kernel[3];
	/* The version string is a mainline or Debian one, so that kernel[] says what is in it;
	 * vendors with long-lived trees put fixes and defects of others under their numbers. */
	bool kernel_is_plain;
};

int host_system(const struct host *host, struct host_system *out);

/* modules.c: libkmod below the root: lib/modules/RELEASE, sys/module, etc/modprobe.d */

enum module_state {
	MODULE_MISSING,   /* not in modules.dep, not built in, not loaded */
	MODULE_AVAILABLE, /* could be loaded */
	MODULE_LOADED,
	MODULE_BUILTIN,
};

struct host_module {
	char name[64]; /* its own: "rpcrdma" of "svcrdma" */
	enum module_state state;
	char file[256];    /* below the root; empty when there is none */
	char problem[160]; /* why the file cannot be read, so not loaded either; empty */
	char srcversion_file[40]; /* empty where not to be had */
	char srcversion_loaded[40];
	char vermagic[128];
	bool external; /* the file is not of the kernel's own tree: updates/, extra/, dkms */
	bool is_signed; /* the file has a signature, trusted or not */
	bool dummy; /* a vendor's, which does nothing: it keeps the kernel's own from being loaded */
	bool blacklisted; /* by modprobe.d, which does not hinder loading by name */
	bool disabled; /* "install NAME /bin/false" or the like: loading by name fails */
	char disabled_by[128]; /* the line's file */
};

/* @name: or an alias of it, as modprobe takes them ("svcrdma"). Errors: what kept us from knowing;
 * -ENOENT: the root has no lib/modules/RELEASE, so nothing can be said but what is loaded
 * (out->state is then LOADED or MISSING, and the return 0 if it is loaded). */
int host_module(const struct host *host, const char *name, struct host_module *out);

/* Whether the kernel loads modules with a signature only; @by: what demands it, "kernel lockdown". */
bool host_signed_modules_only(const struct host *host, char by[64]);
/* Whether its file was built for the kernel @release (vermagic); true where that is not known. */
bool host_module_is_for(const struct host_module *module, const char *release);

/* module-lists.c: what is to be loaded at boot, or when an RDMA device appears */

struct host_listed {
	bool at_boot; /* modules-load.d, etc/modules */
	bool rdma_conf; /* etc/rdma/modules/rdma.conf, which is read when a device appears */
	bool has_rdma_conf; /* that file is there */
	char file[128];     /* that names it; empty */
};

/* @name: as the lists write it; an alias is another name. Errors: of reading. */
int host_module_listed(const struct host *host, const char *name,
		       struct host_listed *out);

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
	unsigned int state; /* 1 DOWN, 2 INIT, 3 ARMED, 4 ACTIVE; 0 could not be read */
	unsigned int phys_state; /* 2 Polling, 3 Disabled, 5 LinkUp */
	char rate[64];
	unsigned int lid, sm_lid;
	unsigned int ngids, npkeys;
	struct rdma_gid gids[RDMA_GIDS_MAX]; /* those that are not zero */
	uint16_t pkeys[RDMA_PKEYS_MAX];      /* those that are not zero */
	bool gids_cut;                       /* there are more */
	char netdev[IFNAMSIZ];               /* of an Ethernet port, or empty */
	/* What the connection manager prefers, "IB/RoCE v1" or "RoCE v2"; empty where nothing made
	 * its folder in configfs. */
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
	bool virtual_function; /* of SR-IOV, here or in a guest that was given it */
	unsigned int nports;
	struct rdma_port ports[RDMA_PORTS_MAX];
	bool ports_cut;    /* there are more: a switch's representors */
	char problem[160]; /* an attribute that could not be read; empty */
};

struct rdma_devices {
	unsigned int count;
	bool cut; /* there are more */
	/* ib_core's netns_mode: whether every network namespace sees all devices. Unknown: true. */
	bool netns_shared;
	struct rdma_device list[RDMA_DEVICES_MAX];
};

/* 0 also when there is none. The caller frees *out with free(3). */
int host_rdma(const struct host *host, struct rdma_devices **out);

/* pci.c: sys/bus/pci */

/* Adapters that could do RDMA and have no RDMA device: their driver, or its RDMA half, is not
 * loaded. Fills names like "mlx5_ib for 0000:3b:00.0"; returns their count or -errno. One that is
 * given to a virtual machine is not among them. */
int host_rdma_missing(const struct host *host, char names[][96], unsigned int max);

/* The first adapter known to do RDMA that a driver for virtual machines has, so that this host cannot
 * use it. */
struct host_assigned {
	char adapter[16]; /* "0000:3b:00.0"; empty: there is none */
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
	int carrier;        /* 1, 0; -1: not known, as of an interface that is set down */
	char driver[32];
	uint8_t address[20];
	unsigned int address_len;
	char master[IFNAMSIZ]; /* the bond or bridge that it is a part of; empty */
	/* Whose netdev it is; empty: of no RDMA device. */
	char rdma_device[64];
	unsigned int rdma_port;
	/* Not itself but the one under it, of a bond, VLAN or bridge, is the device's. Empty: it is,
	 * or its addresses are in the port's GID table. */
	char rdma_lower[IFNAMSIZ];
	/* IPoIB */
	char ipoib_mode[16]; /* "datagram", "connected"; empty: not IPoIB */
	uint16_t pkey;
};

/* @rdma: as from host_rdma(), or NULL: then rdma_* stay empty. Errors: -ENOENT no such netdev. */
int host_netdev(const struct host *host, const char *name,
		const struct rdma_devices *rdma, struct host_netdev *out);

/* conf.c: the ini dialect of nfs-utils (nfs.conf, nfsmount.conf), with its drop-ins */

struct conf;

struct conf_value {
	const char *value;
	const char *file; /* below the root */
	unsigned int line;
};

/* @path: "etc/nfs.conf"; then etc/nfs.conf.d in version order, of which the later wins; what the
 * distribution has in usr/etc counts where there is no @path. A file that is absent is empty.
 * What nfs-utils skips with a warning is skipped: conf_problem(). Errors: of reading; -EFBIG. */
int conf_open(struct conf **out, const struct host *host, const char *path);
/* The same as it would be if the drop-in @file ("etc/nfsmount.conf.d/90-a.conf") had this text; NULL:
 * if it were not there. */
int conf_open_as(struct conf **out, const struct host *host, const char *path,
		 const char *file, const char *text);
void conf_close(struct conf *conf);
void conf_close_p(struct conf **conf);
/* Section, argument (NULL: none) and key as nfs-utils compares them; NULL where it is not set. */
const struct conf_value *conf_get(const struct conf *conf, const char *section,
				  const char *arg, const char *key);
/* The sections of nfsmount.conf that are for one mount, in the order in which mount.nfs takes them: the
 * first that sets an option counts (utils/mount/configfile.c). Points into itself: not to be copied. */
struct conf_mount {
	char server
		[256]; /* the text of the source before its first colon, as mount.nfs takes it */
	struct conf_section {
		const char *section, *arg; /* as of conf_get() */
	} sections[3];
};

/* @dir: borrowed. */
void conf_mount(struct conf_mount *out, const char *source, const char *dir);
/* Every section of a name: calls @fn with its argument and keys; non-zero stops. */
typedef int (*conf_fn)(void *arg, const char *section_arg, const char *key,
		       const struct conf_value *value);
int conf_each(const struct conf *conf, const char *section, conf_fn fn, void *arg);
/* The first line that nfs-utils skips, "etc/nfs.conf:7: a quote without its second"; or NULL. */
const char *conf_problem(const struct conf *conf);
/* The first setting of a section whose argument has no second quote, "etc/nfsmount.conf:2"; or NULL.
 * Of it nfs-utils 2.6.2 dies (SIGSEGV), whatever it was to do. */
const char *conf_deadly(const struct conf *conf);
/* A file whose last line has no newline, for which nfs-utils drops it; or NULL. */
const char *conf_cut_file(const struct conf *conf);
/* 1, 0, or @otherwise where it is not set or neither yes nor no to nfs-utils. */
int conf_bool(const struct conf_value *value, int otherwise);

/* nfs-utils.c: what the nfs-utils of this host makes of its configuration */

struct nfs_utils {
	char version[64];    /* of the package: "1:2.6.2-4"; empty: not known */
	unsigned int number; /* 20602; 0: not known */
};

/* Of the package that has mount.nfs. Errors: -ENOENT it is not installed; -ENODATA packages cannot be
 * asked here; and of reading. *@out is empty then. */
int nfs_utils_read(const struct host *host, struct nfs_utils *out);

enum nfs_utils_sections {
	NFS_UTILS_KEEPS,    /* each section has its own keys */
	NFS_UTILS_MAY_LOSE, /* RHEL 9's 2.5.4, which a patch of January 2025 repairs */
	NFS_UTILS_LOSES,   /* of several sections of one name only the last keeps a key */
	NFS_UTILS_UNKNOWN, /* not known which it is */
};

/* The defect by which setting a key removes it from every section of that name, whatever its argument
 * (conf_set_now() in support/nfs/conffile.c); 2.8.3 has it no more. */
enum nfs_utils_sections nfs_utils_sections(const struct nfs_utils *utils,
					   enum distro distro);
enum nfs_utils_drop_ins {
	DROP_INS_READ,
	DROP_INS_IGNORED,
	DROP_INS_UNKNOWN, /* neither a version is known nor is there a folder */
};

/* Whether it reads nfsmount.conf.d: from 2.5.3 on; where no version is known who made the folder
 * knows. */
enum nfs_utils_drop_ins nfs_utils_drop_ins(const struct nfs_utils *utils,
					   const struct host *host);
/* The first key that two sections of a name both have; NULL: none. */
const char *nfs_utils_clash(const struct conf *conf, const char *section);

/* nfsd-arguments.c: how the NFS server is told to listen for RDMA where its nfs-utils reads no
 * nfs.conf */

struct nfsd_arguments {
	unsigned int
		number;  /* of nfs-utils, 20602, or the least it can be; 0: not known */
	bool reads_conf; /* true also where that is not known */
	bool has_rdma;   /* rpc.nfsd has an argument --rdma */
	char who[96];    /* "nfs-utils 1:1.3.4-6" */
	/* Of one that reads no nfs.conf: what to write, and the file; "" where that is not known. */
	char line[192], file[64];
	/* What to write where, for a person. Empty: nfs.conf is read; but where nothing is known
	 * that it is not known. */
	char why[448];
};

/* The same for every caller: the version is the package's, or of the release, or by a file. */
void nfsd_arguments(const struct host *host, unsigned int port,
		    struct nfsd_arguments *out);

/* ganesha.c: NFS-Ganesha, a server in user space, and etc/ganesha/ganesha.conf */

struct host_ganesha {
	bool installed,
		enabled;  /* its unit or program is there; its unit is started at boot */
	bool running;     /* its pid file is there */
	char version[64]; /* of the package; empty: not known */
	bool has_conf;
	/* Of block NFS_CORE_PARAM: */
	bool rdma;          /* among the protocols */
	char protocols[96]; /* as they stand there; empty: not set */
	char versions[64];  /* of NFS over RDMA; empty: not set */
	unsigned int port;  /* for RDMA */
	char where[128];    /* "/etc/ganesha/ganesha.conf:3" */
	char left_out
		[128]; /* "%url rados://...": what that brings is not known; empty: nothing */
};

/* Errors: of reading ganesha.conf; what else is known is filled in. */
int host_ganesha(const struct host *host, struct host_ganesha *out);

/* mounts.c: proc/self/mountinfo (libmount), proc/self/mountstats, run/mount/utab */

struct nfs_xprt {
	char proto[16]; /* "rdma", "tcp" */
	unsigned int nvalues;
	/* As the kernel's print functions order them (net/sunrpc/xprtrdma/transport.c). */
	uint64_t values[32];
};

/* What mountstats counts of a mount's READs, since it was mounted. */
struct nfs_reads {
	bool has_events, has_bytes, has_calls; /* whose numbers are below */
	bool broken;       /* one of them is no number, or does not fit */
	uint64_t calls;    /* READs that ended, errors too */
	uint64_t received; /* bytes of their replies, headers too */
	uint64_t shorts;   /* shorter than asked for, and not by the end of the file */
	uint64_t bytes;    /* of files that NFS took out of those replies */
};

#define NFS_XPRTS_MAX 32

struct nfs_mount {
	unsigned int id, parent_id;
	char dev[16];     /* "0:53" */
	char target[256]; /* cut; whole in the finding's evidence only */
	char fs_spec[256];
	char fs_root[256];
	char type[8];       /* nfs, nfs4 */
	char options[1024]; /* the kernel's */
	char vers[8], proto[16], addr[64], sec[16];
	unsigned int mountport; /* of NFSv3; 0: not there */
	unsigned int port, rsize, wsize, timeo, retrans, nconnect;
	bool hard, nolock;
	char fstab[512]; /* what etc/fstab asks for there; empty: no such line */
	char asked[512]; /* what mount.nfs was given (run/mount/utab); empty: not known */
	unsigned int nxprts; /* 0: mountstats has none for it */
	bool xprts_cut;      /* there are more */
	struct nfs_xprt xprts[NFS_XPRTS_MAX];
	uint64_t age; /* seconds */
	struct nfs_reads reads;
	unsigned int parent; /* index of the NFS mount it lies below, UINT_MAX: none */
};

struct nfs_mounts {
	unsigned int count;
	bool cut;                /* there are more than NFS_MOUNTS_MAX */
	unsigned int unreadable; /* NFS mounts whose line made no sense */
	char fstab_unknown[160]; /* why etc/fstab could not be read; "" it could */
	struct nfs_mount *list;
};

#define NFS_MOUNTS_MAX 4096

/* In the order of mounting: of several on one target the last is seen. */
int host_nfs_mounts(const struct host *host, struct nfs_mounts *out);
void host_nfs_mounts_fini(struct nfs_mounts *mounts);

/* mount-tree.c: proc/self/mountinfo, all of it: where paths lead */

struct host_mount {
	unsigned int id, parent_id;
	char *target; /* whole, unescaped */
	char *source; /* "nas:/vm", "/dev/sda1" */
	char dev[24]; /* "0:53": of two with the same it is one file system */
	/* "" its line made no sense. A longer one is cut: what FUSE has behind its dot is whatever the
	 * user wrote who mounted it. */
	char type[32];
};

#define HOST_MOUNTS_MAX 16384

struct host_mounts {
	size_t count;
	/* There are more than HOST_MOUNTS_MAX, or one whose place is unknown. */
	bool cut;
	struct host_mount *list; /* in the order of mountinfo */
	/* For host_way(): the tree, and what of paths it has looked at already. */
	struct mount_branch *branches;
	struct way_note *notes;
};

int host_mounts(const struct host *host, struct host_mounts *out);
/* Both, of one reading of mountinfo; the NFS mounts without what fstab has of them. */
int host_all_mounts(const struct host *host, struct host_mounts *tree,
		    struct nfs_mounts *out);
void host_mounts_fini(struct host_mounts *mounts);

/* way.c: on which mount a path lies. Whoever touches a path below a mount whose server is gone
 * waits for it; so the path is walked by its components, each is compared with the tree of mounts
 * first, and no system call is made for anything at or below a mount of a network, of FUSE or of
 * an automounter; nor of one that lies over others (overlay), which may be of a network, but
 * for the root's own. What lies hidden under a later mount is not seen, as the kernel does not. What
 * was looked at is kept with the list of mounts: it is of the same moment. */

enum way_end {
	WAY_LOCAL, /* on a file system of this host's own, or one that lies over others */
	WAY_NFS,   /* nfs, nfs4 */
	WAY_REMOTE,    /* another file system of a network, or FUSE */
	WAY_AUTOMOUNT, /* autofs, which has not mounted it */
};

struct host_way {
	enum way_end end;
	const struct host_mount
		*mount; /* that it lies on; of the tree; NULL: the tree has no root */
	bool missing;   /* a component on a local file system is not there */
	bool looked;    /* all of it was looked at, so that it may be again */
	/* Without "." and "..", and with its links resolved as far as it was looked at: names behind
	 * a network's mount, or one that is missing, are as they were written. */
	char path[PATH_MAX];
};

/* @path: absolute. Errors: -EINVAL it is not; -ELOOP; -ENAMETOOLONG; -EOVERFLOW @mounts is cut, so that
 * whatever is touched may be of a network; -EBADMSG it leads to a mount whose line made no sense;
 * -EXDEV ".." leads out of a mount in which names were not looked at; of looking (-EACCES). With all of them @out->path is as far as it came. */
int host_way(const struct host *host, const struct host_mounts *mounts, const char *path,
	     struct host_way *out);

/* limits.c: RLIMIT_MEMLOCK, of this process and as configured for logins */

#define MEMLOCK_LINES_MAX 16

struct host_memlock {
	uint64_t soft, hard; /* bytes, UINT64_MAX unlimited; of proc/self/limits */
	bool known;          /* there was such a line */
	/* etc/security/limits.conf and limits.d: who gets how much at login. */
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

/* A counter of proc/sys/sunrpc/svc_rdma. The kernel's reader of those has room for seven digits
 * and says EFAULT where there are more: then *@large is set, and *@out the least it can be. */
int host_counter(const struct host *host, const char *path, uint64_t *out, bool *large);

/* nfsd.c: proc/fs/nfsd, the exports */

#define NFSD_LISTENERS_MAX 32

struct host_nfsd {
	/* proc/fs/nfsd has a portlist: the nfsd file system is mounted. Else all below is empty. */
	bool present;
	unsigned int nlisteners;
	struct {
		char proto[16]; /* "rdma", "tcp" */
		unsigned int port;
	} listeners[NFSD_LISTENERS_MAX];
	/* Root reads it there, everybody else in proc/net/rpc/nfsd. */
	unsigned int threads;
	bool threads_known;
	char versions[64]; /* "+3 +4 +4.1 +4.2 -4.0"; empty: only root may see them */
	uint64_t packets;  /* of all pools */
	unsigned int max_block; /* bytes */
};

/* Errors: of reading portlist, which every user may by default. */
int host_nfsd(const struct host *host, struct host_nfsd *out);

/* A directory and a client of var/lib/nfs/etab. */
struct host_export {
	char path[128];
	char client[96]; /* "192.0.2.0/24", "*", "@group", "*.example.com" */
};

#define HOST_EXPORTS_MAX 128

struct host_exports {
	unsigned int count; /* of the list, and @cut: there are more */
	bool cut;
	struct host_export list[HOST_EXPORTS_MAX];
	unsigned int exported; /* lines of var/lib/nfs/etab: what exportfs made of them */
	unsigned int configured; /* lines of etc/exports and etc/exports.d */
	char first[256];         /* a path of the above; empty */
};

int host_exports(const struct host *host, struct host_exports *out);

/* proxmox.c: NFS storages of Proxmox VE */

struct proxmox_storage {
	char name[64], server[256], path[256], options[512], content[128];
	unsigned int line; /* of etc/pve/storage.cfg */
	bool disabled;
};

#define PROXMOX_STORAGES_MAX 32

struct proxmox_storages {
	unsigned int count; /* none without the file */
	struct proxmox_storage list[PROXMOX_STORAGES_MAX];
};

/* Errors: of reading; -EIO it cannot be read, as by a user who is not root; -ETIMEDOUT. */
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
	unsigned int count; /* 0 too where none can be read */
	struct host_network list[HOST_NETWORKS_MAX];
};

/* Default routes have prefix 0; routes to link-local addresses are left out. */
int host_networks(const struct host *host, struct host_networks *out);
/* Pure: of an address or a network as exports(5) takes it; without netdev. */
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

/* Errors: -ENOENT the kernel's configuration is nowhere. */
int host_kconfig(const struct host *host, struct host_kconfig *out);
void host_kconfig_fini(struct host_kconfig *config);
/* 'y', 'm', or 'n' where it is not set. @option: with "CONFIG_". */
char kconfig_get(const struct host_kconfig *config, const char *option);

/* units.c: systemd's units as files; what they do now is live.h's */

/* A unit's file and its drop-ins, the last setting of @key: "Service", "LimitMEMLOCK". @buf is
 * empty where it is not set. Errors: -ENOENT there is no such unit. */
int host_unit_get(const struct host *host, const char *unit, const char *section,
		  const char *key, char *buf, size_t cap);

enum unit_state { UNIT_MISSING, UNIT_DISABLED, UNIT_ENABLED, UNIT_MASKED };

/* Enabled: some unit in etc or run wants or requires it. A template's instance is a unit. */
int host_unit_state(const struct host *host, const char *unit, enum unit_state *out);

/* udev.c */

/* Every rule of udev's folders, joined where a backslash continues it, comments left out. @fn:
 * non-zero stops, and is returned. */
typedef int (*udev_fn)(void *arg, const char *file, unsigned int line, const char *rule);
int host_udev_each(const struct host *host, udev_fn fn, void *arg);

/* software-links.c: what makes software RDMA links at boot */

/* Begins the name of the unit of `nfsrdma setup --software`; the interface and ".service" follow. */
#define HOST_LINK_UNIT "nfsrdma-link-"

/* The first file that adds such a link, for whichever interface; "" there is none. Errors: of reading. */
int host_software_links(const struct host *host, char *file, size_t cap);

/* opensm.c: the subnet manager's files */

#define OPENSM_FILES_MAX 8
#define PARTITIONS_MAX   32

struct host_opensm {
	bool installed; /* its program is there */
	/* opensm.conf, opensm.conf.N, sysconfig or default: one for each subnet. */
	unsigned int nfiles;
	struct {
		char file[96];
		char guids[128];  /* the ports it is for; empty: the first */
		char priority[8]; /* 0 to 15; empty: 0 */
	} files[OPENSM_FILES_MAX];
	unsigned int npartitions;
	struct {
		char name[32];
		uint16_t pkey; /* without the membership bit */
		char rate[8],
			mtu[8]; /* as partitions.conf numbers them; empty: default */
		bool ipoib;
	} partitions[PARTITIONS_MAX];
	char partitions_file[64]; /* empty: none */
};

int host_opensm(const struct host *host, struct host_opensm *out);

/* platform.c: which hypervisor's management is on this host */

struct host_platform {
	bool vdsm, libvirt, proxmox;
	char vdsm_patched
		[160]; /* VDSM's storageServer.py, where its default options say RDMA */
};

int host_platform(const struct host *host, struct host_platform *out);

/* container.c: whether this is a container, which has neither kernel nor modules of its own */

#define HOST_CONTAINER_MAX 32

/* @kind: "docker", "lxc", "Kubernetes"; empty where it is none, or that cannot be read. */
bool host_container(const struct host *host, char kind[HOST_CONTAINER_MAX]);

/* managers.c: which program configures the network, and which the firewall */

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

/* Bits of enum host_manager: several where several configure something, none where none is known. */
unsigned int host_managers(const struct host *host);

/* rpc-queues.c: requests that wait on a connection, sys/kernel/sunrpc */

struct host_rpc_queue {
	char addr[64];  /* of the server */
	char proto[16]; /* "rdma", "tcp": also over IPv6 */
	bool known;     /* the connection is up, and the kernel says how many wait */
	uint64_t waiting;
};

struct host_rpc_queues {
	bool present; /* the kernel has this folder: Linux 5.14 */
	size_t count;
	struct host_rpc_queue *list;
};

/* Errors: -ENOMEM; what cannot be read is not known. */
int host_rpc_queues(const struct host *host, struct host_rpc_queues *out);
void host_rpc_queues_fini(struct host_rpc_queues *queues);

/* libvirt-hook.c: when libvirt's hook came, and when its daemons started; of a running system, for a
 * copy of files has other times */

#define HOST_HOOK_DAEMONS 2

struct host_hook_daemon {
	const char *name; /* "libvirtd", "virtqemud" */
	int64_t pid;
	int64_t started_at; /* seconds since the epoch */
};

struct host_libvirt_hook {
	int64_t linked_at;     /* seconds since the epoch; 0: the hook is not there */
	int64_t other_at;      /* the oldest of other qemu hooks; 0: none is certain */
	unsigned int ndaemons; /* that run; none where the hook is not there */
	struct host_hook_daemon daemons[HOST_HOOK_DAEMONS];
};

/* Errors: -ENODATA the time of the boot is not known; of reading. */
int host_libvirt_hook(const struct host *host, struct host_libvirt_hook *out);

/* vdsm.c: where VDSM keeps its storage: it mounts domains on REPOSITORY/mnt/NAME */

#define HOST_REPOSITORY_MAX 160

/* Of etc/vdsm/vdsm.conf and vdsm.conf.d; "/rhev/data-center" where they do not say. */
void host_repository(const struct host *host, char out[HOST_REPOSITORY_MAX]);
/* A repository, or with NULL that of vdsm.conf, by its real path, as the kernel shows what is mounted
 * below. What cannot be resolved stays as it is. */
void host_repository_real(const struct host *host, const struct host_mounts *mounts,
			  const char *repository, char out[PATH_MAX]);
/* Whether a path is of a storage domain on block devices or GlusterFS, which have folders of their own
 * below REPOSITORY/mnt: what is said of NFS does not mean them, be it written with a "*". */
bool host_repository_not_nfs(const char *repository, const char *path);
/* The source of the domain that VDSM mounts on a directory, of the directory's path: "nas:/my_vm" of
 * ".../mnt/nas:_my__vm". Errors: -ENOENT it is no such directory, or the name is that of more than
 * one source. */
int host_repository_source(const char *dir, char *out, size_t cap);

/* package.c: var/lib/dpkg/status, or .nfsrdma/packages of a snapshot, "NAME VERSION" a line; NAME
 * alone is one that was asked for and is not installed */

/* Errors: -ENOENT not installed; -ENODATA the packages of this system cannot be asked by files, or
 * the snapshot does not hold this one. */
int host_package(const struct host *host, const char *name, char *version, size_t cap);

/* index.c: what a snapshot holds. A folder with .nfsrdma/index.json is one:
 *
 *	{"schema": "nfsrdma-snapshot/1", "version": "0.1.0", "taken": "2026-01-01T00:00:00Z",
 *	 "listed": ["etc/modprobe.d"], "absent": ["etc/nfs.conf"],
 *	 "errors": {"proc/fs/nfsd/portlist": {"error": "EACCES", "text": "..."}}}
 *
 * A file that is not below such a root is absent only if the index says so: if it was asked for
 * and was not there, or is not among the names of a directory that was listed. Of anything
 * else the snapshot knows nothing, which is -ENODATA: a check that is newer than a snapshot is
 * unknown there, and not wrong. Folders without an index are machines as they stand. */

bool host_is_snapshot(const struct host *host);

/* snapshot.c, in plugin-host-live: everything that readers are told while it is open, as an archive */

struct snapshot;

/* Begins to watch @host, which has to live longer. Errors: -ENOMEM. */
int snapshot_open(struct snapshot **out, struct host *host);
void snapshot_close(struct snapshot *snapshot);
void snapshot_close_p(struct snapshot **snapshot);
/* A file of the record, ".nfsrdma/nft.json": a live_file (live.h), with the snapshot as @arg. */
int snapshot_file(void *arg, const char *path, const char *text, size_t len);

struct snapshot_summary {
	char folder[96];      /* in the archive: "node1-20260101-120000" */
	unsigned int files;   /* with content */
	unsigned int refused; /* what only root may see */
};

/* A gzipped tar archive with one folder, to be unpacked for --root. Secrets: what secrets.c names
 * is left out. Errors: of the first event that could not be kept; of write(2). */
int snapshot_write(struct snapshot *snapshot, int fd, struct snapshot_summary *out);

#endif
