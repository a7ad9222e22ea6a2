/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of the folder.
 *
 *	kernel.c    --client, the parent: server, one child a version, findings
 *	address.c   which device and address
 *	client.c    its child: namespace, mount(2), reads, writes, umount2(2)
 *	mounted.c   --mount, the parent: an existing mount, and the probe's own client beside it
 *	mounted-write.c  the same with --scratch: WRITEs
 *	trial.c     its child where there is no mount yet: mount.nfs in a namespace of its own
 *	tried.c     pure: from that to a finding
 *	scratch.c   its child: makes a file, writes, and removes it
 *	export.c    beside a probe of a server: is its export mounted here?
 *	reader.c    the child of both: finds a file, and reads
 *	receive.c   the parents' side: records of the children
 *	quick.c     a few reads through a mount, for export.c and the mount helper
 *	range.c     how a range is read
 *	judge.c     pure: what is wrong with the reads
 *	stored.c    pure: from such a file to findings
 *	writer.c    the children's writes to a new file
 *	writes.c    pure: what they write, and what is wrong with it
 *	findings.c  pure: from one version's mount, reads and unmount to findings
 */
#ifndef PLUGIN_KERNEL_INTERNAL_H
#define PLUGIN_KERNEL_INTERNAL_H

#include <signal.h>

#include "plugin/host/host.h"
#include "plugin/kernel/kernel.h"
#include "plugin/live/live.h"
#include "plugin/mount-nfs/mount-nfs.h"
#include "plugin/view/view.h"
#include "rpcrdma/child/child.h"
#include "rpcrdma/server/server.h"

/* A file of the memory export that all ranges fit into. */
#define KERNEL_FILE     "data-4194304"
#define KERNEL_READ_MAX (1024 * 1024)
/* Of the mount: an operation that took as long may be a time-out. */
#define KERNEL_TIMEO_MS 5000u

/* --- address.c ---------------------------------------------------------------- */

struct kernel_address {
	struct transport_address at;
	char device[64], driver[32], netdev[IFNAMSIZ], address[64];
	bool software;
};

/* The address that was named, or one of the device that was, or the best there is: an adapter
 * before a device in software.
 * Errors: -ENODEV of kernel_no_address(); of reading. */
int kernel_address(const struct host *host, const struct kernel_options *options,
		   struct kernel_address *out);
/* Why there is none: -ENODEV with a sentence and a reason. Pure. */
int kernel_no_address(const struct rdma_devices *rdma, const struct kernel_options *options);

/* --- kernel.c ----------------------------------------------------------------- */

/* kernel.modules: those loaded since @before, the text of proc/modules. Nothing where that could
 * not be read. */
void kernel_report_modules(const struct host *host, const struct probe_events *events,
			   const struct host_text *before);

/* --- range.c ------------------------------------------------------------------ */

enum kernel_step {
	KERNEL_SPACE,  /* a mount namespace */
	KERNEL_MOUNT,  /* mount(2) */
	KERNEL_OPEN,   /* the file, O_DIRECT */
	KERNEL_READ,   /* a range; many times */
	KERNEL_CREATE, /* the file to write to */
	KERNEL_WRITE,  /* a row; many times */
	KERNEL_CLOSE,  /* of that file */
	KERNEL_REMOVE,
	KERNEL_UNMOUNT, /* umount2(2); the last */
	KERNEL_STEPS
};

/* The child's record of a step. */
struct kernel_record {
	uint32_t step;   /* enum kernel_step */
	uint32_t index;  /* of the range, or row */
	int32_t error;   /* errno, or 0 */
	uint32_t length; /* that read(2) or write(2) returned */
	/* Offset of the first wrong byte; UINT32_MAX: none, or the correct data is unknown. */
	uint32_t wrong;
	uint32_t ms;
	uint64_t
		digest; /* bytes_digest() of what was read; of a write: the file's size afterwards */
};

/* In a child. Reports a step that began at @start_ms. Returns @rc, of a system call. */
int kernel_send_step(int channel, enum kernel_step step, int rc, uint64_t start_ms);
struct kernel_range_task {
	int fd;
	uint8_t *buf;            /* of KERNEL_READ_MAX, aligned for O_DIRECT */
	const uint8_t *expected; /* the correct data; NULL: unknown */
	uint32_t index;          /* of the range */
	struct probe_range range;
	unsigned int failed; /* how many were wrong */
};

/* In a child. Reads a range, reports it, and waits until the parent lets it go on. Errors: the
 * parent has ended. */
int kernel_read_range(int channel, struct kernel_range_task *task);
/* What is wrong with a READ of @length bytes; returns @buf. */
const char *kernel_wrong_text(const struct kernel_record *r, uint32_t length, char *buf,
			      size_t cap);

/* --- client.c ----------------------------------------------------------------- */

struct kernel_task {
	const struct nfs_version *version;
	char address[64]; /* numeric, without brackets */
	bool ipv6;
	const char *secret; /* the directory that is served */
	struct server_ports ports;
	uint64_t key; /* of what is written */
};

/* Where a child mounts. It is there on every host, never on a server, and nothing of it is needed
 * here. */
#define KERNEL_AT "/proc/driver"

/* Into a mount namespace that hears of the host's umounts, and of which the host sees nothing.
 * -1 with errno. */
int kernel_enter_space(void);
/* The options of mount(2). Pure. */
void kernel_mount_data(const struct kernel_task *task, char *buf, size_t cap);
/* The body of the child; @arg is a struct kernel_task. Records are of type CHANNEL_ANSWER. */
int kernel_client(void *arg, int channel);

/* --- reader.c ----------------------------------------------------------------- */

struct kernel_reader_task {
	const char *target; /* of the mount */
	const char *dev;    /* "0:53" */
	const char *path;   /* below it: a file, or where to look for one; "": all of it */
	bool has_cred;
	uid_t uid;
	gid_t gid;
	const uint32_t *lengths; /* only these of kernel_lengths; NULL: all */
	size_t nlengths;
	unsigned int most_names; /* that are looked at for a file; 0: thousands */
};

/* Which file: the child's first record, of type KERNEL_CHOSEN. */
#define KERNEL_CHOSEN 2
struct kernel_chosen {
	int32_t error;     /* errno; 0: one was found, and opened */
	uint32_t uid, gid; /* that it was opened as */
	union {
		uint64_t size;
		uint64_t inode; /* of scratch.c */
	};
	bool unsure; /* of scratch.c: the error may have come after the file was made */
	char path[KERNEL_PATH_MAX]; /* below the mount */
	char why[160];
};

/* The body of the child; @arg is a struct kernel_reader_task. */
int kernel_reader(void *arg, int channel);

/* Of this process, for the file system alone; nothing where it is not root. */
void kernel_set_fsuid(uid_t uid, gid_t gid);
/* The root of a mount, if it is that of @dev. Errors: -errno, with the text. */
int kernel_open_mount(const char *target, const char *dev, dev_t *out);
/* The directory that the last part of @path is in, and that part. Names are the server's: none of
 * them is followed where it is a link, or leads to another mount. -1 with errno. */
int kernel_open_parent(int mount, dev_t dev, const char *path, const char **last);

/* --- trial.c, tried.c ----------------------------------------------------------- */

struct kernel_trial_task {
	const char *spec, *options;
	uint64_t deadline;                /* of mount.nfs */
	struct kernel_reader_task reader; /* but for its target and dev */
};

/* What came of mount.nfs: the child's first record, of type KERNEL_TRIED. */
#define KERNEL_TRIED 3
struct kernel_tried {
	bool entered; /* the namespace */
	bool mounted; /* see mount */
	bool unread;  /* mount.nfs succeeded, and mountinfo cannot be read */
	/* filled in by the parent, at the end: */
	bool unmounted;
	bool left;     /* the child does not end */
	int32_t error; /* errno of what kept mount.nfs from running */
	uint32_t ms;
	struct mount_nfs_end end; /* of mount.nfs; status -1: it did not run */
	struct nfs_mount mount;
	char shared
		[256]; /* another mount of this host whose connection it got; empty: none is known */
};

/* The planned options as they are tried; for free(3). NULL: no memory. */
char *kernel_trial_mount_options(const char *planned);
/* The body of the child; @arg is a struct kernel_trial_task. Sends KERNEL_TRIED; where that is a
 * mount over RDMA what kernel_reader() sends; and KERNEL_UNMOUNT. */
int kernel_trial(void *arg, int channel);
/* The parent's side of the first record. @deadline: of mount.nfs. Errors: of child_receive();
 * -EPROTO. */
int kernel_trial_receive(const struct child *child, uint64_t deadline, struct kernel_tried *out);
/* kernel.trial. @server: as it was named. @log: of the kernel meanwhile. @end: how the child ended,
 * where that was not by itself. */
void kernel_trial_finding(const struct kernel_tried *tried, const char *server,
			  const struct live_log *log, const char *end, struct finding *f);

/* --- scratch.c ------------------------------------------------------------------ */

struct kernel_scratch_task {
	const char *target, *dev; /* of the mount */
	const char *path;         /* of the file, below it */
	bool has_cred;
	uid_t uid;
	gid_t gid;
	uint64_t key;   /* of what is written */
	bool remove;    /* only removes the file that has */
	uint64_t inode; /* this number */
};

/* The body of the child; @arg is a struct kernel_scratch_task. It sends KERNEL_CHOSEN with the
 * file's inode, the writes, KERNEL_CLOSE and, when the parent has shut down its side,
 * KERNEL_REMOVE. */
int kernel_scratch(void *arg, int channel);

/* --- receive.c ---------------------------------------------------------------- */

/* What a parent receives from its child, and for how long. */
struct kernel_receiver {
	/* Step and index are good. */
	void (*record)(void *arg, const struct kernel_record *r);
	void *arg;
	struct kernel_chosen *chosen; /* filled in; NULL: a child that chooses no file */
	uint64_t deadline;            /* of all of it */
	unsigned int step_ms;         /* between two records */
	enum kernel_step until;       /* returns after it; 0: at the end */
	/* By a signal that ends it; NULL: none does. */
	const volatile sig_atomic_t *interrupted;
};

/* Until the child closes the channel, or that step: 0. Lets it go on after each READ.
 * Errors: -ETIMEDOUT; -EINTR where interrupted; -EPROTO for an invalid record. */
int kernel_receive(const struct kernel_receiver *receiver, const struct child *child);

/* --- mounted-write.c ------------------------------------------------------------- */

struct nfs_mount;

struct kernel_mounted_write {
	const struct kernel_mount_options *options;
	const struct probe_events *events;
	const struct nfs_mount *mount;
	const char *dir; /* below the mount's root; "": the root */
	struct rpc_cred cred;
	uint64_t deadline;
	/* Options of the probe's own client, for this mount; its path is left to set. */
	struct probe_options probe;
	const char *export; /* the mount's root on the server */
};

/* Writes to the new file that @options->scratch names, and reports kernel.write, and what is left.
 * Errors: -EINTR where interrupted, and those that kept it from beginning. */
int kernel_mounted_write(const struct kernel_mounted_write *w);

/* --- judge.c ------------------------------------------------------------------ */

#define KERNEL_RANGES 40
/* In the order of lengths. */
extern const uint32_t kernel_lengths[KERNEL_RANGES];
struct probe_range kernel_range(unsigned int index);
/* The same in a file of @size bytes; length 0: it does not fit. */
struct probe_range kernel_range_of(unsigned int index, uint64_t size);

struct kernel_read {
	bool tried;
	bool whole; /* the server sent all of it, or sends it correctly to the probe's own client */
	bool twice; /* the server sent all of it a second time, after a time-out of the mount */
	struct kernel_record record;
};

enum kernel_fault {
	KERNEL_RIGHT,   /* all of them */
	KERNEL_BUG_812, /* correct up to a size, EIO above it, although all was sent */
	KERNEL_WRONG,   /* wrong in another way */
	KERNEL_CUT      /* none is wrong, and some were not made */
};

struct kernel_judgement {
	enum kernel_fault fault;
	unsigned int tried, right;
	uint32_t largest_right, smallest_wrong; /* lengths; 0: none */
	unsigned int first;                     /* index of the first that is wrong */
	unsigned int stalled;                   /* of the right ones: sent twice */
	uint32_t slowest_ms;                    /* of these */
};

/* Whether the kernel waited for its time-out for a READ that was right, and its server had sent it at once, and again.
 * @late_ms: the longest that the server let a call wait. Pure. */
bool kernel_read_is_twice(const struct kernel_record *r, uint64_t sent, unsigned int late_ms);
/* @wanted: how many can be made; of a short file not all. */
void kernel_judge(const struct kernel_read reads[KERNEL_RANGES], unsigned int wanted,
		  struct kernel_judgement *out);

/* --- writes.c, writer.c --------------------------------------------------------- */

enum kernel_write_how {
	KERNEL_DIRECT,   /* O_DIRECT */
	KERNEL_BUFFERED, /* and fsync(2) */
	KERNEL_MAPPED    /* mmap(2) and msync(2) */
};

struct kernel_write_row {
	enum kernel_write_how how;
	uint32_t offset, length;
};

#define KERNEL_WRITES     24
#define KERNEL_WRITE_MAX  (1024 * 1024 + 65536)        /* more than one WRITE of Linux clients */
#define KERNEL_WRITE_SIZE (2158592 + KERNEL_WRITE_MAX) /* of the file, at the end */
extern const struct kernel_write_row kernel_write_rows[KERNEL_WRITES];
/* Fills @buf with what the row writes. @key: of the file. */
void kernel_write_content(uint8_t *buf, unsigned int index, uint64_t key);
/* In a child. Makes all writes to the new file @fd, which is open for reading too, and reports
 * each; ends early after a few errors, or if the parent has ended. */
void kernel_write_file(int channel, int fd, uint64_t key);

/* In the order of their gravity. */
enum kernel_write_fault {
	KERNEL_WRITE_RIGHT,
	KERNEL_WRITE_WRONG,         /* the server received other bytes */
	KERNEL_WRITE_MALFORMED,     /* or a chunk that no server can take */
	KERNEL_WRITE_ERROR,         /* an error, or less was written */
	KERNEL_WRITE_LOST,          /* a success, and not all of it was sent */
	KERNEL_WRITE_NOT_COMMITTED, /* a success, before a COMMIT */
	KERNEL_WRITE_READ_BACK,     /* read back otherwise */
	KERNEL_WRITE_BAD_SIZE,
	KERNEL_WRITE_FAULTS
};

/* What the server received of one write. */
struct kernel_wire {
	const struct server_wrote *wrote; /* untrusted */
	unsigned int count, commits;
	bool refused;
};

struct kernel_write_count {
	unsigned int calls, by_chunk, most_segments, padded, unstable;
};

struct kernel_written {
	bool tried;
	struct kernel_record record;
	enum kernel_write_fault fault;
};

struct kernel_write_sum {
	unsigned int tried, right;
	const struct kernel_written *first; /* that is wrong; NULL: none */
};

/* What is wrong with the write that @r is of. @copy: the file of KERNEL_WRITE_SIZE bytes before it,
 * and then after it. @wire: NULL if it is not known; then @count is unchanged. */
enum kernel_write_fault kernel_write_judge(const struct kernel_record *r,
					   const struct kernel_wire *wire, uint8_t *copy,
					   uint64_t key, struct kernel_write_count *count);
void kernel_write_sum(const struct kernel_written written[KERNEL_WRITES],
		      struct kernel_write_sum *out);
/* Of a write, or of @making the file, that failed for want of space or permission, in which no
 * transport has part; NULL: any other error. */
const char *kernel_denied_reason(int error, bool making);
const char *kernel_write_reason(enum kernel_write_fault fault);
/* What is wrong, as a sentence; returns @buf. */
const char *kernel_write_text(const struct kernel_written *w, char *buf, size_t cap);

/* --- stored.c ------------------------------------------------------------------- */

/* A file that was written through a mount. */
struct kernel_stored {
	const char *version, *target, *path;
	const uint8_t *copy; /* what it should be; of KERNEL_WRITE_SIZE bytes */
	struct kernel_written written[KERNEL_WRITES];
	struct probe_range_result results[KERNEL_WRITES]; /* of the probe's own client */
	struct kernel_chosen chosen; /* why it was not made; without a text: unknown */
	bool made, removed;
	int remove_error;
	bool hung;     /* a process that has it open was left */
	bool silent;   /* a step took too long: */
	bool late;     /* because the time was over */
	char end[160]; /* how the child ended, where that was not by itself */
};

/* probe.scratch, or probe.scratch.left */
void kernel_stored_file_finding(const struct kernel_stored *s, struct finding *f);
void kernel_stored_finding(const struct kernel_stored *s, struct finding *f);

/* --- findings.c --------------------------------------------------------------- */

/* What the child of one version did, and how it ended. */
struct kernel_outcome {
	const char *version; /* "4.1" */
	const char *device;
	bool done[KERNEL_STEPS];
	struct kernel_record steps[KERNEL_STEPS]; /* the last of each */
	struct kernel_read reads[KERNEL_RANGES];
	struct kernel_written written[KERNEL_WRITES];
	struct kernel_write_count writes;
	bool reached;  /* a connection came to the server */
	bool killed;   /* the child, by another process */
	bool hung;     /* it was left behind */
	bool silent;   /* a step took too long */
	char end[160]; /* how it ended, where that was not by itself: "; its process ..." */
};

void kernel_mount_finding(const struct kernel_outcome *outcome, struct finding *f);
void kernel_read_finding(const struct kernel_outcome *outcome, const struct kernel_judgement *j,
			 struct finding *f);
/* @j: of the reads. */
void kernel_write_finding(const struct kernel_outcome *outcome, const struct kernel_judgement *j,
			  struct finding *f);
void kernel_unmount_finding(const struct kernel_outcome *outcome, struct finding *f);

/* NFS versions, by how their reads ended: "3, 4.0". */
struct kernel_bug {
	char lost[64], right[64], otherwise[64];
	uint32_t largest_right; /* read with one of @lost */
};

void kernel_bug_finding(const struct kernel_bug *bug, struct finding *f);
/* The reason of kernel.read where no file was read. */
const char *kernel_no_file_reason(const struct kernel_chosen *chosen);
/* The reason of kernel.read; @first: the first read that failed. */
const char *kernel_wrong_reason(enum kernel_fault fault, const struct kernel_record *first);

#endif
