/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of the probe.
 *
 *	parent.c    runs the worker, connects TCP sockets for it, takes its findings
 *	worker.c    the child: drops privilege, then one exercise after the other
 *	channel.c   what the two say to each other
 *	session.c   the RPC-over-RDMA connection, lost and made again; what went wrong on it
 *	target.c    NULL, private data, credits, root handle, identity
 *	pick.c      which files, links and directories to read
 *	truth.c     what the bytes of a range really are, and whether they are changing
 *	area.c      prefilled memory with canaries
 *	read.c      one READ by one mechanism, checked in every way
 *	sweep.c     which READs, in which order
 *	listing.c   READDIRPLUS and READLINK
 *	verdict.c   from records of READs to findings (pure)
 */
#ifndef RPCRDMA_PROBE_INTERNAL_H
#define RPCRDMA_PROBE_INTERNAL_H

#include "rpcrdma/client/client.h"
#include "rpcrdma/nfs/nfs.h"
#include "rpcrdma/probe/probe.h"

/* channel.c: a SOCK_SEQPACKET pair, one message a packet */

enum channel_type {
	CHANNEL_FINDING = 1,
	CHANNEL_SUBJECT,  /* key NUL value */
	CHANNEL_PROGRESS, /* u32 done, u32 total, text */
	CHANNEL_CONNECT, /* u16 port, u8 address index: asks for a connected TCP socket */
	CHANNEL_SOCKET, /* the answer: u32 errno, u8 reserved, text; the socket beside it */
};

#define CHANNEL_MAX FINDING_RECORD_MAX

int channel_send(int fd, enum channel_type type, const void *body, size_t len,
		 int pass_fd);
/* Returns the length of the body, 0 or more; -EPIPE when the other end is gone. *passed is -1
 * or a descriptor that is now the caller's. */
ssize_t channel_receive(int fd, enum channel_type *type, void *body, size_t cap,
			int *passed);

/* What a call met that is nobody's mechanism: seen by session.c, told by target.c. */
struct mishap {
	unsigned int count;
	unsigned int beside_write_chunks; /* those not of a READ by Write chunk */
	char example[512];
};

struct probe_file {
	struct nfs_fh fh;
	struct nfs_attr attr;
	char path[512];
};

#define PROBE_CANDIDATES 8
#define PROBE_LINKS      8

struct probe {
	const struct probe_options *options;
	int channel;
	uint64_t deadline;
	const struct transport_address *addresses;
	size_t naddresses;
	size_t address; /* the one in use */

	struct rpcrdma_conn *conn;
	unsigned int generation; /* of the connection */
	struct pcap *pcap;
	uint32_t most_granted;
	uint32_t zero_grants;
	double rtt_ms;
	struct mishap lost, closed, transport, xid;
	unsigned int lost_total;
	uint64_t silent_since;   /* the last call or its reply, as from now_ms() */
	bool hopeless;           /* nothing more can be learned on this server */
	bool write_chunk_failed; /* probe.read.write-chunk says so */

	struct rpc_cred cred;
	uint32_t rtmax;
	struct probe_file root; /* where the walk begins, or the file itself */
	bool root_is_file;
	struct reference *reference; /* NULL: not to be had */
	bool reference_died;         /* of what the server sent it */
	char reference_why[256];

	struct probe_file candidates[PROBE_CANDIDATES];
	unsigned int ncandidates;
	struct probe_file giant; /* over 4 GiB, attr.size 0 if there is none */
	struct probe_file links[PROBE_LINKS];
	unsigned int nlinks;
	struct probe_file directory; /* the one with the most entries */
	uint32_t directory_entries;
};

/* parent.c */

typedef void (*worker_fn)(struct probe *p);

/* probe_run() with other work for the child. */
int parent_run(const struct probe_options *options, worker_fn work,
	       const struct probe_events *events);

/* worker.c */

/* The whole probe. */
void worker_probe(struct probe *p);
/* Never returns. */
void worker_main(const struct probe_options *options, worker_fn work, int channel,
		 const struct transport_address *addresses, size_t naddresses)
	__attribute__((noreturn));
void probe_emit(struct probe *p, const struct finding *finding);
void probe_say(struct probe *p, const char *id, enum finding_status status,
	       const char *fmt, ...) PRINTF_LIKE(4, 5);
void probe_subject(struct probe *p, const char *key, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
void probe_progress(struct probe *p, const char *what, unsigned int done,
		    unsigned int total);
/* A TCP socket to the server, connected by the parent (from a reserved port as root). */
int probe_tcp(struct probe *p, uint16_t port, bool *reserved);

struct area;

/* session.c */

/* The connection, made if there is none. */
int session_ready(struct probe *p);
void session_drop(struct probe *p);
/* How long a call that moves @bytes may take. */
uint64_t session_call_deadline(const struct probe *p, uint32_t bytes);
/* Start and wait with book-keeping: a call that failed for want of a reply drops the
 * connection, because its reply could still come. @write_chunk_read: what is told of it. */
int session_start(struct probe *p, struct rpcrdma_call *call, uint64_t deadline);
int session_wait(struct probe *p, struct rpcrdma_call *call, uint64_t deadline,
		 bool write_chunk_read);
int session_call(struct probe *p, struct rpcrdma_call *call, uint32_t bytes);
/* Whether a call failed with its connection or reply, and not by what was asked. */
bool session_is_mishap(int rc);
/* NFSv3 by encoded arguments, inline both ways, tried twice; the call is to be fini'd by the caller. 0, or
 * the transport's, RPC-over-RDMA's or RPC's error. */
int session_nfs3(struct probe *p, struct rpcrdma_call *call, uint32_t proc,
		 const void *args, ssize_t args_len);
/* Lets the server write into the area, on the connection that there is. */
int session_register(struct probe *p, struct area *a);
/* Takes it back, all or a part, unless that connection is gone and its regions with it. */
void session_release(struct probe *p, struct area *a);
int session_getattr(struct probe *p, const struct nfs_fh *fh, struct nfs_attr *attr);

/* target.c: each emits its findings; false: what follows makes no sense */

bool target_ping(struct probe *p);
bool target_root(struct probe *p);
bool target_fsinfo(struct probe *p);
/* NFS over TCP: as given, or rpcbind's answer, or 2049. */
uint16_t target_nfs_port(struct probe *p);
void target_reference(struct probe *p);
/* After everything: credits, and what session.c noted. */
void target_mishaps(struct probe *p);

/* pick.c */

/* Walks the export, bounded. False: no readable file (the finding is emitted). */
bool pick_files(struct probe *p);

/* truth.c: a window of a file, and what its bytes are */

struct window {
	const struct probe_file *file;
	struct nfs_attr attr; /* when the truth was read */
	uint64_t base;
	uint32_t len; /* cut at the end of the file */
	uint8_t *bytes;
	bool changing;
};

/* Reads [base, base + len) by the reference, or inline piece by piece. Errors: of the reads. */
int truth_open(struct probe *p, struct window *w, const struct probe_file *file,
	       uint64_t base, uint32_t len);
void truth_close(struct window *w);
/* Reads the range again: true, and the window is marked, if bytes or times moved. */
bool truth_changed(struct probe *p, struct window *w, uint64_t offset, uint32_t count);

/* area.c */

#define AREA_SEGMENTS RPCRDMA_SEGMENTS

struct area {
	uint8_t *mem;
	size_t size;
	uint64_t salt;
	unsigned int nsegs;
	struct rpcrdma_memory segs[AREA_SEGMENTS];
	unsigned int generation; /* of the connection that knows it; 0: none */
};

/* Segments of these lengths, each between canaries, everything prefilled by position. */
int area_init(struct area *a, const uint32_t *lengths, unsigned int n);
void area_fini(struct area *a);
/* Bytes outside the segments that are no longer as they were. */
size_t area_canaries_hurt(const struct area *a);
/* First byte at or after @from of the segments laid end to end that is no longer the prefill;
 * -1 if there is none. */
int64_t area_first_touched(const struct area *a, size_t from);
/* Whether the byte at @at still is the prefill (of the segments laid end to end). */
bool area_is_prefill(const struct area *a, size_t at);
/* First of @len bytes that differs from @want, -1 if none. */
int64_t area_first_difference(const struct area *a, const uint8_t *want, size_t len);
uint8_t area_byte(const struct area *a, size_t at);

/* read.c */

enum mechanism { MECH_INLINE, MECH_WRITE_CHUNK, MECH_REPLY_CHUNK, MECH_COUNT };

/* How the memory of a chunk is cut. */
enum layout {
	LAYOUT_EXACT, /* one segment of count bytes */
	LAYOUT_ROUNDED, /* one segment, rounded up to four: room for a pad that must not come */
	LAYOUT_PAD_SEGMENT, /* the Linux client's way: a second segment for the pad */
	LAYOUT_LARGER,      /* one segment, longer than what comes */
	LAYOUT_PIECES,      /* `pieces` segments of unequal odd lengths */
};

enum read_kind {
	READ_OK,
	READ_CHANGING, /* the file moved under it: says nothing */
	READ_NOT_RUN,  /* given up before, or no time left */
	/* right data in a broken frame */
	READ_PAD,     /* the XDR pad was written after the data */
	READ_LENGTHS, /* returned chunk list does not say what came */
	/* the reply itself */
	READ_XID,
	READ_HEADER, /* reply header or results cannot be parsed */
	/* the mechanism: these count as a failed READ */
	READ_DATA,       /* other bytes than the file's */
	READ_STALE,      /* nothing written where data should be */
	READ_SHORT,      /* fewer bytes than there are */
	READ_OUTSIDE,    /* bytes written beyond the data */
	READ_STATUS,     /* an NFS error */
	READ_RPC,        /* an RPC error */
	READ_RDMA_ERROR, /* ERR_VERS or ERR_CHUNK */
	READ_CLOSED,     /* the connection went */
	READ_TRANSPORT,  /* the peer broke the transport's protocol */
	READ_LOST,       /* no reply in time */
	READ_KIND_COUNT
};

struct read_case {
	enum mechanism mechanism;
	enum layout layout;
	unsigned int pieces;
	uint64_t offset;
	uint32_t count;
};

struct read_outcome {
	enum read_kind kind;
	uint32_t status; /* NFS */
	char text[256];  /* what was wrong, with the numbers */
};

struct read_job {
	struct read_case c;
	struct area area;
	struct rpcrdma_call call;
	uint8_t args[128];
	uint64_t deadline;
	bool started;
	struct read_outcome outcome;
};

const char *mechanism_name(enum mechanism mechanism);
const char *read_kind_name(enum read_kind kind);
/* Whether the data of a READ did not come as they should, whatever the reason. */
bool read_kind_is_failure(enum read_kind kind);
/* Whether a reply of @count bytes fits inline. */
bool read_fits_inline(const struct probe *p, uint32_t count);
/* Starts; what fails at once is in job->outcome. */
void read_start(struct probe *p, struct read_job *job, const struct window *w,
		const struct read_case *c);
/* Waits, checks, releases. */
void read_finish(struct probe *p, struct read_job *job, const struct window *w);
void read_once(struct probe *p, const struct window *w, const struct read_case *c,
	       struct read_outcome *outcome);

/* sweep.c */

/* One READ that was tried, for the verdict. */
struct record {
	struct read_case c;
	struct read_outcome outcome;
	uint32_t expected; /* bytes that the file has there */
	bool after_others; /* preceded by other operations on the same connection */
	unsigned int in_flight;
	bool confirmed;      /* failed again when tried again */
	bool controls_right; /* the same range came right by another mechanism around it */
};

struct records {
	struct record *list;
	size_t count, cap;
	bool out_of_time;
	bool hopeless;            /* the session gave up */
	bool gave_up[MECH_COUNT]; /* after READs without an answer, or lost connections */
	unsigned int not_run[MECH_COUNT]; /* could not be sent, or not be waited for */
	bool all_changing;                /* no file stayed as it was */
	bool unfinished; /* no file could be read to the end of the sweep */
	unsigned int changed_files;
};

void sweep_run(struct probe *p, struct records *records);
/* Sizes of the Linux clients' switch to Write chunks, in ascending order; ends with 0. */
extern const uint32_t sweep_profiles[];

/* listing.c */

/* What a READDIRPLUS reply needs beside the maxcount that was asked for: transport and RPC
 * headers, and the directory's attributes, which Linux does not count (seen: 4112 bytes sent for
 * a maxcount of 3968). */
#define LISTING_HEAD 320

void listing_readdir(struct probe *p);
void listing_readlink(struct probe *p);
/* GETATTR, READDIRPLUS by Reply chunk, READLINK: what a server does between two READs. */
void listing_between(struct probe *p, const struct nfs_fh *file);

/* verdict.c: pure */

struct verdict_input {
	const struct records *records;
	/* what happened to calls that were not READs by Write chunk */
	unsigned int lost_elsewhere, closed_elsewhere, transport_elsewhere;
};

void verdict_reads(const struct verdict_input *in, finding_sink sink, void *arg);

#endif
