/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The probe's requests on a file, in any version of NFS: one request, one result, and a row of
 * functions for each version that convert them to the arguments and results of one RPC. Pure.
 *
 * NFSv4's READs and WRITEs carry the anonymous stateid (RFC 7530 section 9.1.4.3), so that nothing
 * stays open and, in 4.0, no client is registered. 4.1 and later put a SEQUENCE before all other
 * operations; the request has the session. */
#ifndef RPCRDMA_NFS_VERSION_H
#define RPCRDMA_NFS_VERSION_H

#include "rpcrdma/nfs/nfs.h"
#include "rpcrdma/nfs/nfs4.h"

enum nfs_op {
	NFS_OP_GETATTR,
	NFS_OP_LOOKUP, /* with attributes if the version returns them */
	NFS_OP_READLINK,
	NFS_OP_READ,
	NFS_OP_READDIR, /* with handles and attributes */
	NFS_OP_LIMITS,  /* FSINFO; FATTR4_MAXREAD, FATTR4_MAXWRITE */
	NFS_OP_SPACE,   /* FSSTAT; FATTR4_SPACE_AVAIL */
	/* These change a file: write_allowed() of the probe decides. */
	NFS_OP_CREATE,   /* exclusively, and closed again; NFSv4.0: not supported */
	NFS_OP_SET_MODE, /* of a new file, and its times to the server's */
	NFS_OP_WRITE,    /* with attributes */
	NFS_OP_COMMIT,   /* all of the file */
	NFS_OP_REMOVE,
	/* NFSv4 only: */
	NFS_OP_ROOT,         /* PUTROOTFH, GETFH, GETATTR */
	NFS_OP_READ_GETATTR, /* READ followed by GETATTR, in one COMPOUND */
	NFS_OP_READ_READ,    /* two READs in one COMPOUND */
	NFS_OP_COUNT
};

/* stable_how, RFC 1813 section 3.3.7 */
enum nfs_stable { NFS_UNSTABLE, NFS_DATA_SYNC, NFS_FILE_SYNC };

/* RFC 8881 section 18.46. */
struct nfs4_sequence {
	uint8_t sessionid[NFS4_SESSIONID_SIZE];
	uint32_t sequenceid, slotid, highest_slotid;
};

struct nfs_request {
	enum nfs_op op;
	struct nfs_fh fh; /* all but ROOT */
	const char *name; /* LOOKUP, CREATE, REMOVE; borrowed */
	uint64_t offset;  /* READ, WRITE */
	uint32_t count;   /* WRITE: of the data, which are not among the arguments */
	uint32_t stable;  /* WRITE: enum nfs_stable */
	uint32_t mode;    /* CREATE where it can, SET_MODE */
	uint64_t offset2; /* READ_READ: the second */
	uint32_t count2;
	uint64_t cookie;     /* READDIR: initially 0 */
	uint8_t verifier[8]; /* READDIR, CREATE */
	uint32_t dircount, maxcount;
	nfs_entry_fn entry; /* called for each entry of the result; NULL: none */
	void *entry_arg;
	struct nfs4_sequence sequence; /* 4.1 and later */
};

/* A READ's or READLINK's data. With @reduced decoding the (first) READ's data is in the Write
 * chunk, and data is NULL. */
struct nfs_data {
	uint32_t len; /* the opaque's length word */
	bool eof;     /* READ */
	const uint8_t *bytes;
};

struct nfs_result {
	/* NFS3ERR_ or NFS4ERR_; 4.x: of the COMPOUND, which is that of its last operation. The
	 * following members are valid only if it is 0, except those of operations before the
	 * failed one. */
	uint32_t status;
	uint32_t failed_op; /* 4.x: enum nfs_opnum4; 0: no operation was evaluated */
	/* 4.1 and later: SEQUENCE itself succeeded, so the slot's number has advanced. Also valid
	 * after -EBADMSG. */
	bool sequenced;
	bool has_attr;
	/* GETATTR, ROOT; LOOKUP, READ, CREATE, WRITE if the version returns them */
	struct nfs_attr attr;
	struct nfs_fh fh; /* LOOKUP, ROOT, CREATE */
	struct nfs_data read, read2;
	uint32_t read_count; /* READ: the result's count beside the opaque; 4.x: read.len */
	uint32_t written;    /* WRITE: count */
	uint32_t committed;  /* enum nfs_stable */
	uint8_t verifier[8]; /* WRITE, COMMIT */
	uint32_t rtmax, rtpref, wtmax;
	uint64_t space;              /* bytes */
	uint32_t lease_seconds;      /* LIMITS, 4.x */
	struct nfs3_readdir_res dir; /* READDIR, without its status */
};

struct nfs_version {
	const char *name; /* "3", "4.0", "4.1", "4.2": as in --nfs-version */
	uint32_t vers;    /* of the RPC program */
	uint32_t minor;   /* NFSv4 */
	bool sessions;    /* 4.1 and later */
	/* Bytes of an RPC reply with AUTH_NONE's verifier before the data of a READ, of a
	 * READLINK; including the attributes that the version puts before them. */
	uint32_t read_head, readlink_head;
	/* Bytes of the arguments of a WRITE after its data. */
	uint32_t write_tail;
	/* Bytes of an RPC reply to READDIR that servers do not count in maxcount. */
	uint32_t readdir_head;
	/* The RPC procedure of an operation. */
	uint32_t (*proc)(enum nfs_op op);
	/* Encodes the arguments into @buf and returns their length. Errors: -ENOBUFS; -EINVAL
	 * arguments that no server can have (see nfs3-args.c); -EOPNOTSUPP the version has no
	 * such operation. */
	ssize_t (*encode)(const struct nfs_version *version, const struct nfs_request *request,
			  void *buf, size_t cap);
	/* 0, or -EBADMSG if the bytes are not a result of that request, or what @request->entry
	 * returned. */
	int (*decode)(const struct nfs_version *version, const struct nfs_request *request,
		      struct reader *r, bool reduced, struct nfs_result *result);
	/* "NFS3ERR_STALE", "NFS4ERR_GRACE"; this thread's, until the next call. */
	const char *(*status_text)(uint32_t status);
};

/* version.c: highest first; ends with NULL. */
extern const struct nfs_version *const nfs_versions[];
/* By name; NULL if there is none. */
const struct nfs_version *nfs_version_find(const char *name);
/* Whether the server cannot answer now and asks for patience: JUKEBOX, DELAY, GRACE. */
bool nfs_status_is_later(uint32_t status);
/* Whether the server denies our credential: ACCES, PERM, and WRONGSEC. */
bool nfs_status_is_denied(uint32_t status);

/* Arguments are at most this long. */
#define NFS_ARGS_MAX 1024

/* nfs4-session.c: a client and its session (RFC 8881 sections 18.35, 18.36, 18.37, 18.50, 18.51,
 * 18.46); each function encodes the arguments, or decodes the results, of one COMPOUND. */

#define NFS4_NAME_TEXT 160

struct nfs4_exchange_id_res {
	uint32_t status;
	uint64_t clientid;
	uint32_t sequenceid; /* for the first CREATE_SESSION */
	uint32_t flags;
	/* The server's texts, truncated if longer; each character that is not printable ASCII
	 * becomes a question mark. Empty if there is none. */
	char scope[NFS4_NAME_TEXT];  /* eir_server_scope */
	char domain[NFS4_NAME_TEXT]; /* eir_server_impl_id: nii_domain, nii_name */
	char implementation[NFS4_NAME_TEXT];
};

struct nfs4_create_session {
	uint64_t clientid;
	uint32_t sequenceid;
	uint32_t requests;     /* slots */
	uint32_t request_size; /* largest call and reply */
	uint32_t response_size;
	uint32_t operations;
};

struct nfs4_create_session_res {
	uint32_t status;
	uint8_t sessionid[NFS4_SESSIONID_SIZE];
	uint32_t requests; /* granted slots; 0 is refused as -EBADMSG */
	uint32_t request_size, response_size, operations;
};

/* @owner: co_ownerid. No flags, SP4_NONE, no implementation id. */
ssize_t nfs4_args_exchange_id(void *buf, size_t cap, uint32_t minor,
			      const uint8_t verifier[NFS4_VERIFIER_SIZE], const char *owner);
/* No backchannel (flags 0), AUTH_NONE for callbacks that never happen. */
ssize_t nfs4_args_create_session(void *buf, size_t cap, uint32_t minor,
				 const struct nfs4_create_session *create);
/* rca_one_fs false. */
ssize_t nfs4_args_reclaim_complete(void *buf, size_t cap, uint32_t minor,
				   const struct nfs4_sequence *sequence);
ssize_t nfs4_args_destroy_session(void *buf, size_t cap, uint32_t minor,
				  const uint8_t sessionid[NFS4_SESSIONID_SIZE]);
ssize_t nfs4_args_destroy_clientid(void *buf, size_t cap, uint32_t minor, uint64_t clientid);
/* PUTROOTFH alone: does the server support that minor version? 4.1 and later answer
 * OP_NOT_IN_SESSION, which means yes; only MINOR_VERS_MISMATCH means no. */
ssize_t nfs4_args_version(void *buf, size_t cap, uint32_t minor);

int nfs4_res_exchange_id(struct nfs4_exchange_id_res *res, struct reader *r);
int nfs4_res_create_session(struct nfs4_create_session_res *res, struct reader *r);
/* The COMPOUND's status, regardless of its operations: for the other results. */
int nfs4_res_status(uint32_t *status, struct reader *r);

#endif
