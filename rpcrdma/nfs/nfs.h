/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The few NFSv3 (RFC 1813) and MOUNT operations that the probe needs, and the reference path
 * over TCP.
 *
 * Results come from a peer and are decoded by our bounded reader: libnfs 4.0.0 reads outside its
 * buffer when a length word is hostile. The reference path decodes inside libnfs and therefore
 * lives in a child process; a build without libnfs has no reference path. */
#ifndef RPCRDMA_NFS_H
#define RPCRDMA_NFS_H

#include "rpcrdma/transport/transport.h"
#include "rpcrdma/wire/wire.h"

#define NFS_PROGRAM_NUMBER   100003
#define MOUNT_PROGRAM_NUMBER 100005
#define PMAP_PROGRAM_NUMBER  100000
#define NFS_RDMA_PORT        20049 /* RFC 8267 section 9 */
#define NFS_TCP_PORT         2049
/* The same in the options of a mount. */
#define NFS_RDMA_PORT_TEXT "20049"
#define NFS_TCP_PORT_TEXT  "2049"

#define NFS_FH_MAX      128 /* of every version: NFS4_FHSIZE */
#define NFS3_FH_MAX     64
#define NFS3_NAME_MAX   255
#define NFS3_PATH_MAX   4096
#define MOUNT3_PATH_MAX 1024 /* MNTPATHLEN */

/* RFC 1813 procedure numbers, all of them: the server answers or refuses each. */
enum nfs3_proc {
	NFS3_NULL,
	NFS3_GETATTR,
	NFS3_SETATTR,
	NFS3_LOOKUP,
	NFS3_ACCESS,
	NFS3_READLINK,
	NFS3_READ,
	NFS3_WRITE,
	NFS3_CREATE,
	NFS3_MKDIR,
	NFS3_SYMLINK,
	NFS3_MKNOD,
	NFS3_REMOVE,
	NFS3_RMDIR,
	NFS3_RENAME,
	NFS3_LINK,
	NFS3_READDIR,
	NFS3_READDIRPLUS,
	NFS3_FSSTAT,
	NFS3_FSINFO,
	NFS3_PATHCONF,
	NFS3_COMMIT,
	NFS3_PROC_COUNT
};

enum mount3_proc {
	MOUNT3_NULL,
	MOUNT3_MNT,
	MOUNT3_DUMP,
	MOUNT3_UMNT,
	MOUNT3_UMNTALL,
	MOUNT3_EXPORT
};

enum nfs3_status {
	NFS3_STATUS_OK = 0,
	NFS3_STATUS_PERM = 1,
	NFS3_STATUS_NOENT = 2,
	NFS3_STATUS_IO = 5,
	NFS3_STATUS_ACCES = 13,
	NFS3_STATUS_EXIST = 17,
	NFS3_STATUS_NOTDIR = 20,
	NFS3_STATUS_ISDIR = 21,
	NFS3_STATUS_INVAL = 22,
	NFS3_STATUS_FBIG = 27,
	NFS3_STATUS_NOSPC = 28,
	NFS3_STATUS_ROFS = 30,
	NFS3_STATUS_NAMETOOLONG = 63,
	NFS3_STATUS_DQUOT = 69,
	NFS3_STATUS_STALE = 70,
	NFS3_STATUS_BADHANDLE = 10001,
	NFS3_STATUS_BAD_COOKIE = 10003,
	NFS3_STATUS_NOTSUPP = 10004,
	NFS3_STATUS_TOOSMALL = 10005,
	NFS3_STATUS_SERVERFAULT = 10006,
	NFS3_STATUS_JUKEBOX = 10008
};

/* NFSv3 and NFSv4 number them alike. */
enum nfs_type { NFS_REG = 1, NFS_DIR, NFS_BLK, NFS_CHR, NFS_LNK, NFS_SOCK, NFS_FIFO };

struct nfs_fh {
	uint32_t len;
	uint8_t data[NFS_FH_MAX];
};

static inline bool nfs_same_fh(const struct nfs_fh *a, const struct nfs_fh *b)
{
	return a->len == b->len && !memcmp(a->data, b->data, a->len);
}

struct nfs_time {
	uint32_t sec, nsec;
};

static inline bool nfs_same_time(const struct nfs_time *a, const struct nfs_time *b)
{
	return a->sec == b->sec && a->nsec == b->nsec;
}

struct nfs_attr {
	uint32_t type, mode, nlink, uid, gid;
	uint64_t size, used, fsid, fileid;
	struct nfs_time atime, mtime, ctime;
};

/* nfs3-args.c: encodes into @buf; returns the length, or -ENOBUFS, or
 * -EINVAL for arguments that no server can have: a handle of more than 64 bytes, a name that is
 * empty or longer than 255 (LOOKUP) or 1024 bytes (MNT). */

/* GETATTR, READLINK, FSINFO, FSSTAT */
ssize_t nfs3_args_fh(void *buf, size_t cap, const struct nfs_fh *fh);
/* LOOKUP, REMOVE */
ssize_t nfs3_args_lookup(void *buf, size_t cap, const struct nfs_fh *dir, const char *name);
ssize_t nfs3_args_read(void *buf, size_t cap, const struct nfs_fh *fh, uint64_t offset,
		       uint32_t count);
struct nfs3_readdirplus {
	struct nfs_fh dir;
	uint64_t cookie;
	uint8_t cookieverf[8];
	uint32_t dircount, maxcount;
};

/* CREATE, EXCLUSIVE */
ssize_t nfs3_args_create(void *buf, size_t cap, const struct nfs_fh *dir, const char *name,
			 const uint8_t verifier[8]);
/* SETATTR of the mode, and of both times to the server's */
ssize_t nfs3_args_set_mode(void *buf, size_t cap, const struct nfs_fh *fh, uint32_t mode);
/* WRITE up to the length word of its data. @stable: stable_how */
ssize_t nfs3_args_write(void *buf, size_t cap, const struct nfs_fh *fh, uint64_t offset,
			uint32_t count, uint32_t stable);
/* COMMIT of the whole file */
ssize_t nfs3_args_commit(void *buf, size_t cap, const struct nfs_fh *fh);
ssize_t nfs3_args_readdirplus(void *buf, size_t cap, const struct nfs3_readdirplus *args);
ssize_t mount3_args_mnt(void *buf, size_t cap, const char *path);

/* nfs3-results.c: bounded. Return 0, or -EBADMSG if the bytes are not such a result; *res is then
 * undefined. An NFS error is not an error of the decoder: it is in ->status. Bytes after a result
 * are accepted: the reader is left at them, so that the caller can check reader_left(). */

struct nfs3_getattr_res {
	uint32_t status;
	struct nfs_attr attr;
};

struct nfs3_lookup_res {
	uint32_t status;
	struct nfs_fh fh;
	bool has_attr;
	struct nfs_attr attr;
};

struct nfs3_fsinfo_res {
	uint32_t status;
	uint32_t rtmax, rtpref, rtmult, wtmax, wtpref, wtmult, dtpref, properties;
	uint64_t maxfilesize;
};

/* READ and READLINK. With @reduced the data is in the Write chunk (RFC 8166 section 3.4.4.1): the
 * inline part ends at the length word, and ->data is NULL. The caller checks whether count,
 * data_len and the chunk agree. */
struct nfs3_read_res {
	uint32_t status;
	bool has_attr;
	struct nfs_attr attr;
	uint32_t count;    /* READ only */
	bool eof;          /* READ only */
	uint32_t data_len; /* the opaque's length word */
	const uint8_t *data;
};

/* CREATE, SETATTR, WRITE, COMMIT and REMOVE; what a procedure does not return is 0. */
struct nfs3_change_res {
	uint32_t status;
	bool has_attr; /* of the file; REMOVE: of the directory */
	struct nfs_attr attr;
	struct nfs_fh fh; /* CREATE; len 0: the server returned none */
	uint32_t count, committed;
	uint8_t verifier[8];
};

struct nfs_entry {
	uint64_t fileid, cookie;
	const char *name; /* not terminated, may contain any bytes */
	uint32_t name_len;
	bool has_attr;
	struct nfs_attr attr;
	bool has_fh;
	struct nfs_fh fh;
};

struct nfs3_readdir_res {
	uint32_t status;
	uint8_t cookieverf[8];
	uint32_t entries;
	uint64_t last_cookie;
	bool eof;
};

/* Called for each decoded entry, which is borrowed. A non-zero value stops decoding and is
 * returned. */
typedef int (*nfs_entry_fn)(void *arg, const struct nfs_entry *entry);

struct mount3_mnt_res {
	uint32_t status;
	struct nfs_fh fh;
	uint32_t nflavors; /* kept; the rest are dropped */
	uint32_t flavors[16];
};

int nfs3_res_getattr(struct nfs3_getattr_res *res, struct reader *r);
int nfs3_res_lookup(struct nfs3_lookup_res *res, struct reader *r);
int nfs3_res_fsinfo(struct nfs3_fsinfo_res *res, struct reader *r);
int nfs3_res_read(struct nfs3_read_res *res, struct reader *r, bool reduced);
int nfs3_res_readlink(struct nfs3_read_res *res, struct reader *r, bool reduced);
int nfs3_res_fsstat(uint32_t *status, uint64_t *available, struct reader *r);
int nfs3_res_create(struct nfs3_change_res *res, struct reader *r);
/* SETATTR, REMOVE */
int nfs3_res_change(struct nfs3_change_res *res, struct reader *r);
int nfs3_res_write(struct nfs3_change_res *res, struct reader *r);
int nfs3_res_commit(struct nfs3_change_res *res, struct reader *r);
int nfs3_res_readdirplus(struct nfs3_readdir_res *res, struct reader *r, nfs_entry_fn fn,
			 void *arg);
int mount3_res_mnt(struct mount3_mnt_res *res, struct reader *r);
/* "NFS3ERR_ACCES", "NFS3ERR 12345" (this thread's, until the next call); MOUNT's codes are the
 * same numbers. */
const char *nfs3_status_text(uint32_t status);

/* rpc-tcp.c: one RPC over TCP with record marking (RFC 5531 section 11), for rpcbind and MOUNT,
 * which do not exist over RDMA (RFC 8267 section 5.1) */

struct rpc_tcp_exchange {
	const struct rpc_call *call;
	const void *args;
	size_t args_len;
	void *buf; /* for the reply */
	size_t cap;
	const uint8_t *results; /* set by success: in @buf */
	size_t results_len;
};

/* Sends one call on a connected socket, blocking or not, and waits for its reply. Errors:
 * -ETIMEDOUT, -ECONNRESET, -EMSGSIZE (reply longer than @cap), -EBADMSG, after which the connection
 * is unusable; and those of rpc_reply_check(). */
int rpc_tcp_call(int fd, struct rpc_tcp_exchange *exchange, uint64_t deadline);
/* The local end of a connection. */
struct rpc_tcp_source {
	const struct transport_address *from; /* NULL: the route's */
	/* Binds a port from 512 to 1023 if that is permitted and one is free; otherwise the socket
	 * has an ordinary port, and rpc_tcp_connect() sets it to false. */
	bool reserved;
};

/* Connects a TCP socket, non-blocking. @source: NULL: any. Errors: -ETIMEDOUT, and connect(2)'s. */
int rpc_tcp_connect(int *fd, const struct transport_address *to, struct rpc_tcp_source *source,
		    uint64_t deadline);

/* mount3.c */

#define RPCBIND_PORT 111

/* PMAPPROC_GETPORT for TCP. Errors: -EADDRNOTAVAIL not registered; -EBADMSG; rpc_tcp_call()'s. */
int pmap_getport(int fd, uint32_t prog, uint32_t vers, uint16_t *port, uint64_t deadline);
/* MOUNT3 MNT. 0 with res->status set; or rpc_tcp_call()'s errors (-EACCES: the credential is
 * refused, as some mountds do for a port that is not reserved). @cred may be NULL: AUTH_NONE. */
int mount3_mnt(int fd, const char *path, const struct rpc_cred *cred, struct mount3_mnt_res *res,
	       uint64_t deadline);

/* reference.c: READ over TCP by libnfs, in a child forked by a single-threaded process. */

struct reference;
struct nfs_version;

/* Whether this build has libnfs. If not, reference_start() is -EOPNOTSUPP. */
bool reference_available(void);

/* Starts the child, which waits for its connection: a process that decodes a peer's bytes can no
 * longer start one. Errors: -EOPNOTSUPP; -errno of fork and pipes. */
int reference_start(struct reference **out);
/* Takes the connected socket @fd (bound to a reserved port if the server requires one), also on
 * failure. @cred may be NULL: AUTH_NONE. @version: NFSv3's READ, or for NFSv4 that of 4.0, with
 * the anonymous stateid: a handle is valid in every minor version of the same server. Errors:
 * -EPIPE the child has ended. reference_read() returns libnfs's errors. */
int reference_connect(struct reference *ref, int fd, const struct transport_address *peer,
		      const struct rpc_cred *cred, const struct nfs_version *version);
struct reference_io {
	struct nfs_fh fh;
	uint64_t offset;
	uint32_t count;
	void *buf;
	/* Results; unchanged by an error. */
	uint32_t status; /* NFS's */
	bool eof;
};

/* Reads the file's bytes over NFS over TCP. Returns the count read, which may be less than that
 * requested (servers clip at rtmax, and so does this at 1 MiB); with an error in @io->status the
 * count is 0. A READ of 0 bytes is never sent, since it can crash a server: -EINVAL. Errors:
 * -EINVAL a handle that the version does not have; -ETIMEDOUT; -EPIPE the child is gone (err_text
 * says how it died: a crash is a finding); -EIO libnfs's own error text, or that the server does
 * not support NFSv4.0, over TCP or at all. After -ETIMEDOUT, -EPIPE and a lost connection every
 * further call returns the same at once. The buffer may have changed then. */
ssize_t reference_read(struct reference *ref, struct reference_io *io, uint64_t deadline);
/* Ends and reaps the child. NULL is fine. */
void reference_close(struct reference *ref);
void reference_close_p(struct reference **ref);

#endif
