/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files of the probe.
 *
 *	parent.c    runs the worker, connects TCP sockets for it, receives its findings
 *	worker.c    the child: runs all exercises in order, without privilege
 *	route.c     which transport, by the route to the server
 *	identity.c  which server it is, and requests that only some servers may get (pure)
 *	session.c   the RPC-over-RDMA connection: reconnects; its failures
 *	beside.c    eof and attributes that a READ returns with its data
 *	second.c    READs over a second connection beside the first
 *	late.c      waits for a reply, and distinguishes a slow one from a lost one
 *	liveness.c  is the server still there, and is it the same instance?
 *	operation.c one NFS operation, by the version in use
 *	client41.c  NFSv4.1 and later: client id and session, created and removed
 *	slots41.c   the slots of such a session (pure)
 *	scratch.c   the file for WRITEs, made and removed
 *	write.c     one WRITE by one mechanism, and what it stored
 *	write-content.c  what WRITEs store, and how the stored bytes are wrong (pure)
 *	write-sweep.c    which WRITEs; a failed one is repeated, and made over TCP
 *	write-verdict.c  what follows (pure)
 *	remains.c   a client's state on the server, and how to remove it (pure)
 *	target.c    NULL, private data, credits, largest READ, reference, behaviour
 *	versions.c  which versions of NFS the server offers
 *	root.c      the export's root handle
 *	pick.c      which files, links and directories to read
 *	window.c    the reference bytes of a range, and whether they are changing
 *	area.c      prefilled memory with canaries
 *	damage.c    how bytes differ from the expected ones (pure)
 *	layout.c    how the memory of a chunk is cut (pure)
 *	read.c      one READ by one mechanism, fully checked
 *	ranges.c    which ranges of a file (pure)
 *	sweep.c     which READs, in which order
 *	judge.c     a failed READ: repeated, by other mechanisms, and the cause
 *	random-run.c  random READs after a sweep without failures
 *	random.c    which random READs, and what they prove (pure)
 *	over-tcp.c  the same READ over NFS over TCP, before RDMA is blamed
 *	compound.c  READs followed by another operation (NFSv4)
 *	compare.c   given ranges of one file, for callers that read them in another way
 *	listing.c   READDIR and READLINK
 *	tally.c     counts READs by category (pure)
 *	signature.c bug.write-chunk-read, and which clients it affects (pure)
 *	verdict.c   from records of READs to all findings (pure)
 *	linux3.c    signs of a server of Linux 3.x (pure)
 */
#ifndef RPCRDMA_PROBE_INTERNAL_H
#define RPCRDMA_PROBE_INTERNAL_H

#include "rpcrdma/child/child.h"
#include "rpcrdma/client/client.h"
#include "rpcrdma/nfs/version.h"
#include "rpcrdma/probe/probe.h"

struct area;
struct operation;
struct probe;
struct read_outcome;
struct records;

/* Records between worker and parent: rpcrdma/child/child.h */

enum worker_record {
	WORKER_FINDING = 1,
	WORKER_SUBJECT,  /* key NUL value */
	WORKER_PROGRESS, /* u32 done, u32 total, text */
	WORKER_CONNECT,  /* u8 enum tcp_peer, u16 port, u8 address index: asks for a socket */
	WORKER_SOCKET,   /* the reply: u32 errno, u8 reserved, text; with the socket attached */
	WORKER_REMAINS,  /* remains.c: what of the worker's client is on the server now */
	/* The last record: u32 number of records before it, without WORKER_PROGRESS. If it is
	 * missing or has another number, a record was lost. */
	WORKER_END,
	WORKER_MATRIX, /* rpcrdma/base/matrix.h */
	/* scratch.c: the file that the worker is about to make, has made or removed. Before it is
	 * made the parent answers with a record of this type and without a body. */
	WORKER_SCRATCH,
	WORKER_RANGE, /* u32 index, u32 enum probe_range_fate, u32 length, u64 digest */
};

#define WORKER_RANGE_LEN  20
#define WORKER_RECORD_MAX FINDING_RECORD_MAX

/* What the worker is decoding, in memory shared with its parent: a worker that dies cannot send a
 * record. The parent treats it as untrusted bytes. */
#define WORKER_STEP_MAX 192

/* Services to which a worker may be connected, each once; NFS as often as parent_run() allows. */
enum tcp_peer { TCP_RPCBIND, TCP_MOUNT, TCP_NFS, TCP_PEERS };

/* parent.c */

typedef void (*worker_fn)(struct probe *p);

/* probe_run() with other work for the child, which may be connected to NFS over TCP
 * @nfs_connections times. */
int parent_run(const struct probe_options *options, worker_fn work, unsigned int nfs_connections,
	       const struct probe_events *events);

/* Why a report is not complete, as a reason of probe.worker. */
const char *parent_reason(const struct child_end *end, bool lost, int rc);

/* vocabulary.c: what a worker can say, and nothing else is taken from it */

struct vocabulary_row {
	const char *id;
	const char *reasons, *keys; /* words */
};

/* NULL after the last. */
const struct vocabulary_row *vocabulary_row(size_t i);
/* Errors: -EPROTO an id, a reason or a name of evidence that no worker sends. */
int vocabulary_check(const struct finding *f);
/* Leaves out the reason and the evidence that vocabulary_check() refuses. */
void vocabulary_trim(struct finding *f);
/* Whether a worker can send it as a subject of the report. */
bool vocabulary_has_subject(const char *key);

/* worker.c */

/* To the parent. */
struct worker_channel {
	int fd;
	uint32_t records; /* for WORKER_END: sent or not */
	char *step;       /* of WORKER_STEP_MAX bytes; NULL: not shared */
	uint64_t step_of; /* the call that step names, if session_step() wrote it; or 0 */
};

/* READs by Write chunk: what the findings on them say, once worker.c has reported these. Other
 * steps then do not report the same again. */
struct write_chunk_reads {
	bool reported;
	/* probe.read.write-chunk fails; its .unused, .tail and .order do */
	bool failed, unused, tail, order;
	unsigned int order_waits; /* read.c's, for data that never arrived */
};

/* The whole probe. */
void worker_probe(struct probe *p);

/* Arguments of a worker; its functions are those of struct child_function. */
struct worker_task {
	const struct probe_options *options;
	worker_fn work;
	const struct transport_address *addresses;
	size_t naddresses;
	uint64_t deadline, close_by;   /* as of struct probe */
	const struct remains *remains; /* what to remove, for that work; else NULL */
	const struct scratch *scratch; /* the same */
	char *step;                    /* as worker_channel.step */
	struct probe *probe;           /* of worker_prepare() */
};

int worker_prepare(void *arg, int channel);
int worker_spawn(void *arg, int channel);
int worker_run(void *arg, int channel);
/* Sends a record that must not be lost: the parent detects a lost one. */
int probe_record(struct probe *p, enum worker_record type, const void *body, size_t len);
/* Sets what is being decoded: "the reply to GETATTR". */
void probe_step(struct probe *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
void probe_emit(struct probe *p, const struct finding *finding);
void probe_say(struct probe *p, const char *id, enum finding_status status, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* The same with a reason; "": none. */
void probe_because(struct probe *p, const char *id, enum finding_status status, const char *reason,
		   const char *fmt, ...) PRINTF_LIKE(5, 6);
/* The reason of the last error, @rc, of an operation. */
const char *probe_reason(int rc);
void probe_subject(struct probe *p, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);
void probe_progress(struct probe *p, const char *what, unsigned int done, unsigned int total);
/* A TCP socket to the server, connected by the parent (from a reserved port as root). */
int probe_tcp(struct probe *p, enum tcp_peer peer, uint16_t port, bool *reserved);

/* route.c */

/* How to connect to the server. */
struct route {
	const struct transport_ops *via; /* the transport in use */
	const struct transport_address *addresses;
	size_t naddresses;
	size_t address; /* the one in use */
	struct pcap *pcap;
};

/* Sets route.via and opens its device; call after privilege was dropped. False: no allowed
 * transport works, and the finding is emitted. */
bool route_choose(struct probe *p);

/* linux3.c: servers of Linux 3.x */

struct linux3_seen {
	bool private_data;   /* the server sent some */
	bool header_segment; /* an RDMA Write used words of a call as a segment */
	uint32_t credits;    /* granted */
	/* READs by Write chunk whose pad was written; the others by their sign */
	unsigned int pads, unused_dropped, reply_heads, page_starts;
	unsigned int unused_kept; /* unused Write chunks returned with their segments */
};

/* Whether this is the first frame of such a Write, as the transport kept it. */
bool linux3_is_header_segment(const uint8_t *frame, size_t len);
void linux3_count(struct linux3_seen *seen, const struct records *records);
/* Reports only what was seen. */
void linux3_say(const struct linux3_seen *seen, finding_sink sink, void *arg);

/* identity.c */

enum server_kind {
	SERVER_UNKNOWN, /* no evidence proves what it is */
	SERVER_OURS,    /* the embedded server, here or elsewhere */
	SERVER_LINUX,   /* the kernel's nfsd */
	SERVER_GANESHA,
	/* Identified only by the name that they send. */
	SERVER_ONTAP,
	SERVER_ONEFS,
	SERVER_SOLARIS, /* or illumos */
	SERVER_KINDS
};

#define IDENTITY_HANDLES 16

/* Evidence of a server's identity. */
struct server_seen {
	/* Handles that it returned or accepted over RDMA. */
	struct nfs_fh handles[IDENTITY_HANDLES];
	unsigned int nhandles;
	/* From EXCHANGE_ID: eir_server_scope; nii_domain and nii_name, both empty if it sends
	 * none. */
	char scope[NFS4_NAME_TEXT], domain[NFS4_NAME_TEXT], implementation[NFS4_NAME_TEXT];
};

/* Ignores handles beyond the bound and duplicates. */
void identity_add(struct server_seen *seen, const struct nfs_fh *fh);
/* @why: half a sentence. */
enum server_kind identity_of(const struct server_seen *seen, char *why, size_t cap);
const char *identity_name(enum server_kind kind);
/* A stable word, as evidence of probe.server: the report's causes depend on it. */
const char *identity_word(enum server_kind kind);

/* Habits that prove nothing but allow a guess. */
struct server_habits {
	bool private_data, nfs4, nfs42;
	uint32_t inline_size;                  /* of replies */
	uint32_t largest_read, preferred_read; /* 0: not said */
};

/* What an unidentified server may be. Writes the evidence to @why; for SERVER_UNKNOWN @why is
 * unchanged. */
enum server_kind identity_guess(const struct server_habits *habits, char *why, size_t cap);
/* Whether to name defects of Linux servers: our own server may imitate one. */
bool identity_may_be_linux(enum server_kind kind);

/* READs that crash nfs-ganesha 6.5. They are sent only to servers identified as others, over RDMA
 * and over TCP; no option changes this. */
enum gate {
	GATE_OPEN,        /* goes to every server */
	GATE_EMPTY,       /* asks for 0 bytes, or returns none */
	GATE_LONG,        /* does not fit the server's buffer for data */
	GATE_REPLY_CHUNK, /* by Reply chunk, with a length that is not known to be safe */
	GATE_FOLLOWED,    /* followed by another operation in the COMPOUND */
	GATE_COUNT
};

/* The buffer of nfs-ganesha, which also holds the pad. By Reply chunk, multiples of 4 up to the
 * second constant are safe. */
#define GATE_MAX             1048576
#define GATE_REPLY_CHUNK_MAX 262144

struct gate_request {
	bool reply_chunk;
	bool followed; /* by another operation in the COMPOUND */
	uint64_t offset;
	uint32_t count;
	uint64_t size; /* of the file; UINT64_MAX: unknown */
	uint32_t most; /* that the server returns at once; UINT32_MAX: unknown */
};

enum gate gate_class(const struct gate_request *q);
bool gate_lets(enum server_kind kind, enum gate gate);

/* What may be written to a server, of what operation.c withholds otherwise. */
enum write_gate {
	WRITE_NOTHING,
	WRITE_AS_CLIENTS, /* as Linux clients do */
	WRITE_ODD_FORMS,  /* also in several segments, and in long calls */
	/* Also by a Read chunk of a long call, which no Linux client sends, and which Linux 6.1.192
	 * answers with GARBAGE_ARGS. */
	WRITE_ALL,
};

struct server_identity;

/* scratch.c: before every operation that changes a file. @why: half a sentence. Pure. */
enum write_gate write_allowed(const struct server_identity *server, const char **why);

#define PROBE_VERSIONS 4

/* What is known of the server. session.c, target.c, root.c and client41.c add evidence, and
 * worker.c decides on the kind. */
struct server_identity {
	enum server_kind kind; /* unknown until files are picked */
	struct server_seen seen;
	struct server_habits habits;
	struct linux3_seen linux3;
	bool offered[PROBE_VERSIONS];      /* by nfs_versions[]; versions.c */
	unsigned int withheld[GATE_COUNT]; /* READs; operation.c */
};

/* session.c */

/* Failures of calls that belong to no mechanism. An event that ends a connection counts once,
 * regardless of the number of calls in flight. */
struct call_failures {
	unsigned int count;
	unsigned int beside_write_chunks; /* those not of a READ by Write chunk */
	unsigned int generation;          /* of the connection that ended last */
	const char *reason;               /* of the first failure; NULL: the finding's */
	char example[512];
};

/* Calls answered with RDMA_ERROR. */
struct refusals {
	unsigned int calls;     /* answered in any way */
	unsigned int errors;    /* RDMA_ERRORs */
	unsigned int recovered; /* calls that succeeded when repeated */
	unsigned int lasting;   /* calls that never did, */
	unsigned int plain;     /* those of them without chunks */
	char example[256];
};

/* What session.c noted of all connections, for target_behaviour() to report. */
struct behaviour {
	struct call_failures lost, closed, transport, xid;
	/* Of lost: packets of the call or its reply were missing until the end. */
	unsigned int gaps;
	/* Bytes of calls and of replies: the most that arrived, and the least that was missing; 0:
	 * none. */
	struct {
		uint64_t arrived, missing;
	} calls, replies;
	struct call_failures late_writes; /* to memory that was released before */
	struct refusals refused;
	uint32_t most_granted, zero_grants; /* credits */
	uint32_t again;                     /* second replies */
};

/* The connection. */
struct session {
	struct rpcrdma_conn *conn;
	unsigned int generation; /* of the connection */
	unsigned int tries;      /* of the first connection to the address in use */
	uint8_t mpa_revision;    /* that the server accepted, and whether without CRC */
	bool no_crc;
	unsigned int barren;             /* connections since the last reply */
	unsigned int pause_ms;           /* before the last of them */
	uint64_t silent_since;           /* the last call or its reply, as from now_ms() */
	const struct operation *waiting; /* waits for its reply; set by operation.c */
	/* No more can be learned from this server; also set by liveness.c and client41.c. */
	bool hopeless;
	bool device_gone;
	char device_why[256];
	/* The server asked for patience until the time ran out: the report's text. */
	char busy[96];
};

/* Half of the time that is left: so long a server may take to serve the first call. */
uint64_t session_first_until(const struct probe *p);
/* Pauses 100 ms, doubling up to a second, but not beyond @until: then returns false without a
 * pause. @ms: initially 0. */
bool session_pause(uint64_t until, unsigned int *ms);
/* Connects if there is no connection. */
int session_ready(struct probe *p);
void session_drop(struct probe *p);
/* The deadline of a call that moves @bytes; after it the reply is late. */
uint64_t session_call_deadline(const struct probe *p, uint32_t bytes);
/* The deadline of an answer over TCP, where a late one is not distinguished from a lost one. */
uint64_t session_tcp_deadline(const struct probe *p, uint32_t bytes);
/* Start and wait with book-keeping: a call without a reply drops the connection, because the
 * reply could still arrive. @write_chunk_read: for the report. */
int session_start(struct probe *p, struct rpcrdma_call *call, uint64_t deadline);
int session_wait(struct probe *p, struct rpcrdma_call *call, uint64_t deadline,
		 bool write_chunk_read);
/* Start and wait, then rpc_reply_check(). */
int session_call(struct probe *p, struct rpcrdma_call *call, uint32_t bytes);
/* After session_wait(): whether to repeat the call as a new one, because it was answered with
 * RDMA_ERROR. @tries: initially 0. The caller finishes the call before it repeats it. */
bool session_again(struct probe *p, const struct rpcrdma_call *call, unsigned int *tries);
/* Such a call is not repeated. */
void session_gave_up(struct refusals *r, const struct rpcrdma_call *call);
/* The outcome of a call, as a reason of the findings that depend on its answer. */
const char *session_reason(int rc);
/* The peer's violation in a frame, as a reason of probe.transport. @rc: of the call. */
const char *session_breach(int rc, enum transport_breach breach);
/* Whether a call failed because of its connection or reply, not because of the request. */
bool session_is_failure(int rc);
/* How often one operation was repeated. Initially all 0. */
struct retries {
	unsigned int wait_ms, sessions;
};

/* After an answer that asks for patience (JUKEBOX, DELAY, GRACE): waits, longer each time, and
 * returns true; false if @status is another or the time is over. */
bool session_later(struct probe *p, uint32_t status, struct retries *retries);
/* "the server is in its grace period until the deadline (NFS4ERR_GRACE)"; returns @buf. */
const char *session_busy_text(const struct nfs_version *version, uint32_t status, char *buf,
			      size_t cap);
/* Lets the server write to the area on the current connection; or read it. */
int session_register(struct session *s, struct area *a);
int session_register_source(struct session *s, struct area *a);
/* Revokes that, for all or part of the area, unless that connection and its regions are gone. */
void session_release(struct session *s, struct area *a);

/* How to connect. */
void session_options(const struct probe *p, struct rpcrdma_options *options);

/* beside.c */

enum beside_kind { BESIDE_NO_EOF, BESIDE_EARLY_EOF, BESIDE_SIZE, BESIDE_FILEID, BESIDE_COUNT };

/* What READs with correct data returned beside it. */
struct beside {
	unsigned int looked[BESIDE_COUNT], wrong[BESIDE_COUNT];
	char example[BESIDE_COUNT][160]; /* the first */
	struct nfs_fh file;              /* of the first that was wrong, */
	struct nfs_attr attr;            /* and its attributes then */
};

struct read_case;
struct window;

/* Pure. */
void beside_note(struct beside *b, const struct read_case *c, const struct window *w,
		 const struct nfs_result *res);
/* probe.read.eof and probe.read.attributes; asks the server for the file's attributes if something
 * was wrong. */
void beside_say(struct probe *p);

/* second.c */

struct second {
	bool tried;
	unsigned int right, wrong; /* of READs that are right over the first connection */
	int kind;                  /* enum read_kind of the first wrong one, */
	char example[400];         /* and what was wrong */
	char why[256];             /* there was no second connection */
};

/* @w: a window of a file that does not change. */
void second_run(struct probe *p, const struct window *w);
/* probe.second-connection. Pure. */
void second_say(const struct second *s, finding_sink sink, void *arg);

/* late.c */

/* How fast the server and the path to it are. */
struct pace {
	uint64_t moved, moved_at; /* bytes received on the connection, and when that last changed */
	unsigned int late;        /* replies after their deadline */
	bool lossy;               /* a call was lost: later waits are shorter */
	double rtt_ms;            /* of the fastest NULL */
	double slowest_ms;        /* of the answered calls */
	char slowest[96];         /* which call that was */
	/* All data read before the time ran out is correct, set by worker.c; what was not
	 * tested. */
	bool enough;
	char not_tried[384];
};

/* Waits for the reply of a call that was sent. After @deadline the reply is late, and it is lost
 * only after silence: call->rc is then -ETIMEDOUT. */
void late_wait(struct probe *p, struct rpcrdma_call *call, uint64_t deadline);
/* Milliseconds of silence above which a slow path is no explanation. */
unsigned int late_silence(const struct pace *pace);
/* Notes that the time ran out before this was tried. */
void late_not_tried(struct pace *pace, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The status of a result that is unknown because the time ran out: does not count if enough is
 * known. */
enum finding_status late_unknown(const struct probe *p);
/* Reports probe.slow if replies were late or the time ran out. */
void late_say(struct probe *p);

/* liveness.c */

struct liveness {
	bool answered;          /* any call; set by session.c */
	bool connection_lost;   /* since the server last answered */
	char request[160];      /* in flight then: the first, */
	unsigned int under_way; /* and how many */
	bool gone;
	char gone_why[64];
	/* The last connection on which an operation succeeded, set by operation.c; 0: none. */
	unsigned int served;
};

/* Notes that the connection was lost during a call: @op is the operation of the call; with
 * neither, it was a READ over TCP. */
void liveness_suspect(struct liveness *l, const struct operation *op,
		      const struct rpcrdma_call *call);
/* Milliseconds that the server takes to answer NULL on a separate connection, while the current
 * one is kept; or an error. */
int liveness_time(struct probe *p);
/* After a lost connection: is the server there? 0: it is, or no connection was lost. Otherwise an
 * error: the server is gone, which is emitted, and nothing more may be sent; or it could not be
 * asked. */
int liveness_check(struct probe *p);
/* Reports that the server accepts no connections, with the error text. */
void liveness_refused(struct probe *p);
/* Reports that the server answers but has lost the state of another connection. @what: the
 * evidence. */
void liveness_restarted(struct probe *p, const char *what);
/* A handle is stale: reports a restart if the root's handle is stale too and the connection was
 * lost since. */
bool liveness_check_root(struct probe *p);

/* slots41.c: RFC 8881 section 2.10.6. A slot has at most one call in flight, and a number that
 * increases with each call that the server accepted. A slot whose call has no answer is not used
 * again, because it is unknown whether the server accepted the call. */

#define SLOTS41_MAX 32

enum slot41_state { SLOT41_FREE, SLOT41_BUSY, SLOT41_LOST };

struct slots41 {
	uint8_t sessionid[NFS4_SESSIONID_SIZE];
	unsigned int count; /* 0: there is no session */
	struct {
		enum slot41_state state;
		uint32_t sequenceid; /* of the next call */
	} slots[SLOTS41_MAX];
};

/* @count: as granted; at most SLOTS41_MAX are used. */
void slots41_init(struct slots41 *s, const uint8_t sessionid[NFS4_SESSIONID_SIZE], uint32_t count);
/* Takes the lowest free slot; false if there is none. */
bool slots41_take(struct slots41 *s, struct nfs4_sequence *sequence);
/* @sequenced: SEQUENCE itself succeeded. */
void slots41_answered(struct slots41 *s, const struct nfs4_sequence *sequence, bool sequenced);
void slots41_lost(struct slots41 *s, const struct nfs4_sequence *sequence);
unsigned int slots41_in(const struct slots41 *s, enum slot41_state state);

/* remains.c: a client id remains on the server until it is destroyed or its lease ends. The
 * worker tells the parent at each step what exists, so that it is removed even if the worker
 * dies. */

#define REMAINS_OWNER     "nfsrdma-probe/"
#define REMAINS_OWNER_MAX 64 /* with the NUL: prefix, 128 bits in hex */

struct remains {
	bool exists;
	/* A request that creates state was sent and its answer did not arrive: the server may
	 * have more state than recorded here. */
	bool unsure;
	bool restarted; /* the owner has sent a new verifier */
	bool has_client, has_session;
	uint8_t minor;
	uint8_t address;     /* index of the server's address */
	uint32_t sequenceid; /* for CREATE_SESSION */
	uint64_t clientid;
	uint8_t sessionid[NFS4_SESSIONID_SIZE];
	char owner[REMAINS_OWNER_MAX];
};

enum remains_step {
	REMAINS_NOTHING, /* nothing remains */
	/* EXCHANGE_ID with another verifier, then CREATE_SESSION: the server takes it for the
	 * same owner after a reboot, and drops all that it had before (RFC 8881 section
	 * 18.35.4). */
	REMAINS_EXCHANGE_ID,
	REMAINS_CREATE_SESSION,
	REMAINS_DESTROY_SESSION,
	REMAINS_DESTROY_CLIENTID,
};

#define REMAINS_RECORD_MAX (8 + 4 + 8 + NFS4_SESSIONID_SIZE + REMAINS_OWNER_MAX)

/* Returns the length. */
size_t remains_encode(const struct remains *r, uint8_t buf[REMAINS_RECORD_MAX]);
/* -EPROTO: not such a record, or an owner that is not ours. */
int remains_decode(struct remains *r, const uint8_t *buf, size_t len);
enum remains_step remains_next(const struct remains *r);
/* Handles the answer to @step. The caller has stored the results of EXCHANGE_ID and
 * CREATE_SESSION. False: the step cannot be done. True: continue, possibly with the same step. */
bool remains_answered(struct remains *r, enum remains_step step, uint32_t status);

/* scratch.c: the file that the probe makes for its WRITEs. As remains.c, the worker tells the
 * parent what is on the server. */

/* Bytes of the file that use space. */
#define WRITE_DISK_MAX (16u << 20)

/* As much of the export, and all of a directory and a name. */
#define SCRATCH_EXPORT_MAX 200
#define SCRATCH_PATH_MAX   (SCRATCH_EXPORT_MAX + 512 + NFS3_NAME_MAX + 3)

/* Why it could not be removed. */
enum scratch_left {
	SCRATCH_NO_ANSWER,
	SCRATCH_REFUSED, /* by the server */
	SCRATCH_ANOTHER, /* the name is another file's, or it cannot be told */
	SCRATCH_LEFTS
};

struct scratch {
	bool exists;     /* or may */
	uint8_t address; /* index of the server's address, */
	uint8_t version; /* and of nfs_versions[] */
	enum scratch_left left;
	struct rpc_cred cred;
	struct nfs_fh dir, fh; /* fh.len 0: not known */
	uint64_t fileid;
	uint8_t verifier[8]; /* of the exclusive CREATE: who repeats it learns whose the file is */
	char name[NFS3_NAME_MAX + 1];
	char path[SCRATCH_PATH_MAX]; /* for a person */
};

#define SCRATCH_FIXED      (32 + 2 * NFS_FH_MAX + 4 * RPC_GIDS_MAX)
#define SCRATCH_RECORD_MAX (SCRATCH_FIXED + NFS3_NAME_MAX + 1 + SCRATCH_PATH_MAX)

/* Returns the length. */
size_t scratch_encode(const struct scratch *s, uint8_t buf[SCRATCH_RECORD_MAX]);
/* -EPROTO: not such a record. */
int scratch_decode(struct scratch *s, const uint8_t *buf, size_t len);
/* Work for a child that only removes it. */
void scratch_clean(struct probe *p);
/* Whether it exists, or may: then its CREATE may be repeated, as it has passed the gate. */
bool scratch_was_begun(const struct probe *p);

/* write-sweep.c */

struct writes;

/* Makes the file that options->scratch asks for, makes all WRITEs to it, adds them to @matrix and
 * emits what follows. NULL: there is no file. */
struct writes *write_begin(struct probe *p, bool above_4gib, struct matrix *matrix);
const struct probe_file *write_file(const struct writes *ws);
/* Removes it. */
void write_end(struct writes *ws);

/* operation.c */

/* The stage that it reached. */
enum operation_stage {
	OPERATION_CALL,    /* no reply, or an unreadable one: call.rc */
	OPERATION_RPC,     /* an RPC error */
	OPERATION_RESULTS, /* unreadable results */
	OPERATION_DONE,    /* the result is valid; its status may be an error */
};

/* The caller fills in the rest of request, and call.write or call.reply if the
 * reply must not be inline. Large: 12 KiB. */
struct operation {
	struct nfs_request request;
	uint64_t size; /* READ: of the file, where it is known */
	struct rpcrdma_call call;
	enum operation_stage stage;
	struct nfs_result result; /* points into call: valid until operation_fini */
	unsigned int generation;  /* of the connection that it was sent on */
	bool started, has_slot;
	bool data_inline; /* although there was a Write chunk, which was returned unused */
	bool withheld;    /* never sent: it could crash the server (enum gate) */
	bool repeated;    /* by operation_run(), after one that was not answered */
	uint8_t args[NFS_ARGS_MAX];
};

/* @fh may be NULL: ROOT. */
void operation_init(struct operation *op, enum nfs_op what, const struct nfs_fh *fh);
void operation_fini(struct probe *p, struct operation *op);
/* Start and wait, as in session.c, with a slot if there are sessions. 0: the result was decoded.
 * Errors: the call's, rpc_reply_check()'s, -EBADMSG; -EPERM: it was withheld. */
int operation_start(struct probe *p, struct operation *op, uint64_t deadline);
int operation_wait(struct probe *p, struct operation *op, uint64_t deadline, bool write_chunk_read);
/* Whether the server answered inline and left the offered chunk unused. */
bool operation_left_chunk(const struct operation *op);
/* Starts and waits, once. @bytes: the bytes that it moves. */
int operation_once(struct probe *p, struct operation *op, uint32_t bytes);
/* Whether to repeat the operation, after waiting: the server lost the session, or asks to retry
 * later. */
bool operation_again(struct probe *p, const struct operation *op, struct retries *retries);
/* Runs the operation with the reply inline. Repeats it if the connection or the session was lost,
 * or if the server asks for patience. */
int operation_run(struct probe *p, struct operation *op);
/* The same as an error, unless @rc is one: -EAGAIN the server asked for patience, -EACCES,
 * -ENOENT, -ESTALE, else -EIO, with the status in words. */
int operation_check(const struct nfs_version *version, const struct operation *op, int rc);
int operation_error(const struct nfs_version *version, uint32_t status);
int operation_getattr(struct probe *p, const struct nfs_fh *fh, struct nfs_attr *attr);
/* "READ of 813 bytes at offset 0 by Write chunk (NFSv3)" */
void operation_text(const struct operation *op, char *buf, size_t cap);

/* client41.c */

/* The client of NFSv4.1 and later. */
struct client41 {
	struct slots41 slots;
	struct remains remains;  /* as the parent knows them */
	unsigned int generation; /* of the last connection on which the server knew it */
	uint8_t verifier[NFS4_VERIFIER_SIZE];
	struct rpc_cred cred; /* the owner of the client id */
	bool reclaimed;       /* RECLAIM_COMPLETE was sent */
	bool closed;          /* no more calls */
	uint32_t request_size, response_size;
	unsigned int made, lost; /* sessions; those that the server lost */
	uint32_t lost_status;
};

/* Gets a session with a free slot: the current one, or a new one. Errors: the calls'; -EAGAIN
 * while the server asked for patience; -EACCES; -EPROTO another status. err_text() has the step.
 * For versions without sessions: 0. */
int client41_ready(struct probe *p);
/* SEQUENCE was answered with an error that ends the session: forgets it. The operation can be
 * repeated with another session. */
bool client41_forgotten(struct probe *p, const struct operation *op);
/* Calls that may be in flight at once. */
unsigned int client41_width(const struct probe *p);
/* Removes client and session from the server; afterwards there is none. */
void client41_close(struct probe *p);
/* Work for a child that only removes the client. */
void client41_clean(struct probe *p);

/* target.c: each emits its findings; false: the next steps are pointless */

/* The largest READ by any mechanism, bounded by memory (CHILD_WORKER). */
#define READ_MAX_LARGE (64u << 20)

/* The largest READs, in bytes. */
struct limits {
	uint32_t read_max; /* the server's, the session's, or our memory's */
	uint32_t wtmax;    /* the largest WRITE that the server and the session take */
	/* Each mechanism is tried up to this; 1 MiB at most. worker.c may lower it. */
	uint32_t rtmax;
};

/* What goes over TCP: the parent makes the connections. window.c closes a reference that fails. */
struct tcp_paths {
	int rpcbind;                 /* -1: not connected */
	struct reference *reference; /* NULL: not available */
	/* Started before the network is read, for the reference; NULL once it is in use. */
	struct reference *reference_waiting;
	bool reference_died;     /* because of data that the server sent */
	char reference_why[256]; /* why it is not available */
	int nfs;                 /* over-tcp.c's, once it was tried; -1: none */
	bool nfs_tried;
};

bool target_ping(struct probe *p);
/* NULL of a version of the RPC program. */
int target_null(struct probe *p, uint32_t vers, double *ms);
bool target_limits(struct probe *p);
/* Asks rpcbind for a port, for version 3 of a program. */
int target_rpcbind(struct probe *p, uint32_t prog, uint16_t *port);
/* Whether this host caused the failure: no memory, or no such system call. */
bool target_is_local(int rc);
/* How the failure of a step is reported. */
enum finding_status target_refusal(int rc);
/* The port of NFS over TCP: as given, or 2049; for version 3 rpcbind is asked first. */
uint16_t target_nfs_port(struct probe *p);
void target_reference(struct probe *p);
/* Emits probe.reference: what data was compared with; call it after all comparisons. */
void target_say_reference(struct probe *p);
/* Reports credits and what session.c noted; call it last. */
void target_behaviour(struct probe *p);

/* versions.c */

/* Sets p->version; emits its finding. False: the requested version is not offered, or none is. */
bool versions_choose(struct probe *p);
/* Chooses the next lower version that is offered, if any version may be used; false if there is
 * none. */
bool versions_lower(struct probe *p);

/* root.c */

struct probe_file {
	struct nfs_fh fh;
	struct nfs_attr attr;
	char path[512];
};

struct root {
	struct probe_file file;  /* the start of the walk, or the file itself */
	unsigned int generation; /* of the connection on which it was found */
	bool is_file;
	char lower_because[256]; /* why not the highest version is in use */
};

bool root_find(struct probe *p);
/* From the directory @at to what it contains under that name. Errors: as operation_check();
 * -ELOOP a symbolic link. */
int root_lookup(struct probe *p, struct probe_file *at, const char *name);
/* The next component of *rest into @name: its length, 0 at the end, or -ENAMETOOLONG. */
int root_next_name(const char **rest, char name[NFS3_NAME_MAX + 1]);

/* pick.c */

#define PROBE_CANDIDATES 8
#define PROBE_LINKS      8
/* The least that guests and their hypervisors read at once: less proves nothing. */
#define PROOF_BYTES 65536

/* The files to read. */
struct files {
	const char *none_reason; /* there is no candidate: not emitted yet, see pick_say_none() */
	char none[FINDING_SUMMARY_MAX];
	struct probe_file candidates[PROBE_CANDIDATES];
	unsigned int ncandidates;
	struct probe_file giant; /* over 4 GiB, attr.size 0 if there is none */
	struct probe_file links[PROBE_LINKS];
	unsigned int nlinks;
	struct probe_file directory; /* the one with the most entries */
	uint32_t directory_entries;
};

/* Greater is better. Size counts up to the size that the largest READ, of @rtmax bytes, needs at
 * every offset. Pure. */
uint64_t pick_worth(const struct nfs_attr *a, uint32_t rtmax, time_t now);
/* Walks the export, bounded. False: no readable file. */
bool pick_files(struct probe *p);
void pick_say_none(struct probe *p);
/* Takes this file instead. */
void pick_take(struct probe *p, const struct probe_file *file);

/* A worker's state, with the file that each part belongs to. Other files
 * may set members of it where its comment says so. */
struct probe {
	const struct probe_options *options;
	uint64_t deadline;
	uint64_t close_by;                 /* for the removal of its client, after the deadline */
	struct rpc_cred cred;              /* worker.c; pick.c may change it */
	const struct nfs_version *version; /* versions.c: in use */

	struct worker_channel channel;        /* worker.c */
	struct write_chunk_reads write_chunk; /* worker.c */
	struct route route;                   /* route.c */
	struct tcp_paths tcp;                 /* target.c */
	struct session session;               /* session.c */
	struct behaviour behaviour;           /* session.c */
	struct pace pace;                     /* late.c */
	struct beside beside;                 /* beside.c */
	struct second second;                 /* second.c */
	struct liveness liveness;             /* liveness.c */
	struct client41 client;               /* client41.c */
	struct server_identity server;        /* worker.c */
	struct limits limits;                 /* target.c */
	struct root root;                     /* root.c */
	struct files files;                   /* pick.c */
	struct scratch scratch;               /* scratch.c */
	unsigned int whence;                  /* whence.c: places asked for in vain */
};

/* window.c: a window of a file, and what its bytes are */

/* Piece of a window that is read inline: small enough for every inline threshold above the
 * minimum, with room for attributes. */
#define WINDOW_PIECE 768

struct window {
	const struct probe_file *file;
	struct nfs_attr attr; /* when the bytes were read */
	uint64_t base;
	uint32_t len; /* cut at the end of the file */
	uint8_t *bytes;
	bool changing;
};

/* Reads [base, base + len) from the reference, or inline piece by piece. Errors: of the reads. */
int window_open(struct probe *p, struct window *w, const struct probe_file *file, uint64_t base,
		uint32_t len);
void window_close(struct window *w);
/* The bytes of a file by the reference, or inline. Errors: of the reads; -ENODATA it is shorter. */
int window_bytes(struct probe *p, const struct nfs_fh *fh, uint64_t offset, uint32_t len,
		 uint8_t *buf);

enum window_change {
	WINDOW_SAME,    /* neither bytes nor times have changed */
	WINDOW_CHANGED, /* and the window is marked */
	WINDOW_UNKNOWN, /* it could not be read again: a difference proves nothing */
};

/* Reads the range again. */
enum window_change window_again(struct probe *p, struct window *w, uint64_t offset, uint32_t count);
/* Sets the outcome of a failed READ by the current state of its range: unchanged; READ_CHANGING;
 * or READ_NOT_RUN, if a change of content would explain the failure and it is unknown whether
 * there was one. */
void window_judge(struct read_outcome *outcome, enum window_change change);

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

/* Creates segments of these lengths, each between canaries, all prefilled by position. */
int area_init(struct area *a, const uint32_t *lengths, unsigned int n);
void area_fini(struct area *a);
/* Bytes outside the segments that have changed. */
size_t area_canaries_hurt(const struct area *a);
/* First byte at or after @from of the segments laid end to end that is not the prefill; -1 if
 * there is none. */
int64_t area_first_touched(const struct area *a, size_t from);
/* Whether the byte at @at of the segments laid end to end is still the prefill. */
bool area_is_prefill(const struct area *a, size_t at);
/* First of @len bytes that differs from @want, -1 if none. */
int64_t area_first_difference(const struct area *a, const uint8_t *want, size_t len);
/* The first @len bytes of the segments laid end to end, zeros beyond the last. */
void area_copy(const struct area *a, uint8_t *buf, size_t len);

/* damage.c */

struct damage {
	uint32_t bytes, bits;        /* that are wrong */
	uint32_t first;              /* position of the first wrong byte in what was read */
	uint32_t pages, whole_pages; /* of the file: with wrong bytes; at least half wrong */
};

enum damage_kind {
	DAMAGE_NONE,  /* or not examined: no data, or an error */
	DAMAGE_BIT,   /* a single one */
	DAMAGE_PAGES, /* whole pages, or the part of them that was read */
	DAMAGE_BYTES, /* anything else */
};

/* Examines @len bytes from @offset of the file. */
void damage_count(struct damage *d, uint64_t offset, const uint8_t *got, const uint8_t *want,
		  size_t len);
enum damage_kind damage_kind(const struct damage *d);

/* read.c */

enum mechanism { MECH_INLINE, MECH_WRITE_CHUNK, MECH_REPLY_CHUNK, MECH_COUNT };

/* How the memory of a chunk is cut. */
enum layout {
	LAYOUT_LINUX,       /* of count bytes, plus one for the pad if Linux clients add it */
	LAYOUT_ROUNDED,     /* one segment, rounded up to four: room for a forbidden pad */
	LAYOUT_PAD_SEGMENT, /* one of count bytes, and one for the pad */
	LAYOUT_LARGER,      /* one segment, longer than the data */
	LAYOUT_PIECES,      /* `pieces` segments of unequal odd lengths */
};

enum read_kind {
	READ_OK,
	READ_CHANGING, /* the file changed meanwhile: proves nothing */
	READ_NOT_RUN,  /* given up earlier, or no time left */
	READ_WITHHELD, /* could crash this server */
	READ_LATER,    /* the server asks to retry later, or lost the session */
	/* correct data in a broken frame */
	READ_PAD,     /* the XDR pad was written after the data */
	READ_LENGTHS, /* the returned chunk list does not match the data */
	/* correct data by another mechanism: the chunk was left unused. Neither correct nor a
	 * failure */
	READ_INLINE,
	/* the reply itself */
	READ_XID,
	READ_HEADER, /* reply header or results cannot be parsed */
	/* the mechanism: these count as a failed READ */
	READ_DATA,       /* data differs from the file's */
	READ_STALE,      /* data was not written */
	READ_ORDER,      /* written after the reply */
	READ_SHORT,      /* fewer bytes than the file has */
	READ_OUTSIDE,    /* bytes written outside the data */
	READ_FOLLOWING,  /* wrong result of the operation after the READ */
	READ_STATUS,     /* an NFS error */
	READ_RPC,        /* an RPC error */
	READ_RDMA_ERROR, /* ERR_VERS or ERR_CHUNK */
	READ_CLOSED,     /* the connection was lost */
	READ_TRANSPORT,  /* the peer violated the transport's protocol */
	READ_LOST,       /* no reply in time */
	READ_KIND_COUNT
};

/* The operation that follows the READ in its COMPOUND. */
enum followed_by { FOLLOWED_BY_NOTHING, FOLLOWED_BY_GETATTR, FOLLOWED_BY_READ };

struct read_case {
	enum mechanism mechanism;
	enum layout layout;
	unsigned int pieces;
	uint64_t offset;
	uint32_t count;
	enum followed_by followed_by;
	uint64_t offset2; /* FOLLOWED_BY_READ */
	uint32_t count2;
};

/* A sign of one defect; those before SIGN_TAIL are of servers of Linux 3.x. */
enum read_sign {
	SIGN_NONE,
	SIGN_UNUSED_DROPPED, /* an unused Write chunk was returned without segments */
	SIGN_REPLY_HEAD,     /* the data are the head of the reply */
	SIGN_PAGE_START,     /* the data begin where their first page does */
	SIGN_PAD_COUNTED,    /* the returned lengths include a pad that was not written */
	/* The bytes after the last whole word were not written. For a READ of less than a word
	 * these are all its bytes, which proves nothing by itself. */
	SIGN_TAIL,
	SIGN_SHORT_LENGTHS, /* the returned lengths sum to less than the data */
	SIGN_OTHER_OFFSET,  /* the data are the file's of another offset */
	SIGN_OTHER_FILE,    /* the data are another file's */
	SIGN_BEYOND_SIZE,   /* more bytes than the size attribute allows */
	SIGN_EOF,           /* a short READ says that the file ends there */
};

struct read_outcome {
	enum read_kind kind;
	enum read_sign sign;
	uint32_t status;  /* NFS */
	uint32_t brought; /* bytes, according to the reply */
	struct damage damage;
	/* The first wrong bytes, and where they are in what was read. */
	uint8_t got[32];
	uint32_t got_at, got_len;
	char text[256]; /* what was wrong, with the numbers */
};

struct read_job {
	struct read_case c;
	struct area area;
	struct operation op;
	uint64_t deadline;
	struct read_outcome outcome;
};

/* layout.c */

/* Lengths of the segments of a case's chunk, at most AREA_SEGMENTS; returns their number.
 * @reply_bytes: of the reply without the data. @implicit_roundup: the server sent private
 * data. */
unsigned int layout_cut(const struct read_case *c, uint32_t reply_bytes, bool implicit_roundup,
			uint32_t *lengths);

/* read.c */

const char *mechanism_name(enum mechanism mechanism);
/* "4096 bytes at offset 0: @what", truncated. */
void read_case_text(const struct read_case *c, const char *what, char *out, size_t len);
const char *read_kind_name(enum read_kind kind);
/* Of a failure, as a reason of a condition that it depends on: wrong-data, error, closed, no-reply,
 * malformed. NULL for the other kinds. */
const char *read_kind_reason(enum read_kind kind);
/* Whether the READ's data is missing or incorrect, for any reason. */
bool read_kind_is_failure(enum read_kind kind);
/* Whether the data is correct, even if the frame is broken. */
bool read_kind_is_right(enum read_kind kind);
/* Whether both data and frame are correct, by the requested mechanism or inline. */
bool read_kind_is_clean(enum read_kind kind);
/* Whether it left all or some bytes of its Write chunk unwritten. */
bool read_is_unwritten(const struct read_case *c, const struct read_outcome *outcome);
/* Whether a reply of @count bytes fits inline. */
bool read_fits_inline(const struct probe *p, uint32_t count);
/* Whether the case can be sent: a reply without a Reply chunk must fit inline, data included. */
bool read_case_fits(const struct probe *p, const struct read_case *c);
/* Starts the READ; an immediate failure is in job->outcome. */
void read_start(struct probe *p, struct read_job *job, const struct window *w,
		const struct read_case *c);
/* Waits, checks, releases. */
void read_finish(struct probe *p, struct read_job *job, const struct window *w);
void read_once(struct probe *p, const struct window *w, const struct read_case *c,
	       struct read_outcome *outcome);
/* The operation of a case. */
enum nfs_op read_operation(const struct read_case *c);
/* Compares a result that was returned without chunks, over any transport. */
void read_compare(struct probe *p, const struct window *w, const struct read_case *c,
		  const struct nfs_result *result, struct read_outcome *outcome);
/* Whether to repeat it, after waiting. */
bool read_again(struct probe *p, const struct read_outcome *outcome, struct retries *retries);

/* whence.c */

/* Keeps the first wrong bytes, of @len from @at on. */
void whence_keep(struct read_outcome *o, const uint8_t *got, uint32_t at, uint32_t len);
/* Whether the window has them, at one offset. Pure. */
bool whence_in_window(const struct window *w, const struct read_outcome *o, uint64_t *offset);
/* If wrong data are those of another place: the sign, and the text says which. May read of the
 * files; no READ may be in flight. */
void whence_find(struct probe *p, const struct window *w, const struct read_case *c,
		 struct read_outcome *o);

/* ranges.c */

#define RANGES_MAX 512

struct range {
	uint64_t offset;
	uint32_t count;
};

struct range_set {
	unsigned int n, left_out; /* for lack of room */
	struct range list[RANGES_MAX];
};

void ranges_add(struct range_set *r, uint64_t offset, uint32_t count);
/* Ranges at the file's beginning, up to the largest READ plus one byte. */
void ranges_head(struct range_set *r, enum probe_level level, uint32_t rtmax);
/* Ranges around the end of a file of @size bytes: returning nothing, one byte, or less than
 * requested. READs that end there have @most bytes. */
void ranges_tail(struct range_set *r, enum probe_level level, uint32_t most, uint64_t size);
/* Sizes above @above and up to @most: each double the last, and one byte less than that. */
void ranges_large(struct range_set *r, uint32_t above, uint32_t most);
/* Keeps, of the ranges at offset 0, those of @from to @to bytes; drops all others. */
void ranges_keep(struct range_set *r, uint32_t from, uint32_t to);

/* sweep.c */

/* One READ that was tried, for the verdict. */
struct read_record {
	struct read_case c;
	struct read_outcome outcome;
	uint32_t expected; /* bytes that the file has there */
	bool at_end;       /* these reach the end of the file */
	bool after_others; /* preceded by other operations on the same connection */
	unsigned int in_flight;
	unsigned int tries, wrong; /* times it was sent in the same way, and failed */
	bool confirmed;            /* it was repeated and failed every time */
	bool controls_right;       /* correct by another mechanism, before and after */
	bool wrong_over_tcp;       /* so RDMA is not at fault */
	bool random;               /* random size and offset, so no cause depends on these */
};

/* random-run.c: correct READs have no record. */
struct random_reads {
	unsigned int wanted, reads, wrong; /* of those made */
	unsigned int right[MECH_COUNT];
	unsigned int answered_inline; /* correct, with their Reply chunk left unused */
	uint64_t right_bytes[MECH_COUNT];
	uint64_t bytes, seed;
	double seconds;
	char why[96]; /* why there are no more, or none */
};

struct records {
	struct read_record *list;
	size_t count, cap;
	bool out_of_time;
	char why[96];                     /* why it ended early, if known */
	const char *why_reason;           /* as a reason; NULL: it did not end early */
	bool hopeless;                    /* the session gave up */
	bool gave_up[MECH_COUNT];         /* after READs without an answer or lost connections */
	unsigned int not_run[MECH_COUNT]; /* not sent, or the reply not awaited */
	bool all_changing;                /* no file stayed unchanged */
	bool unfinished;                  /* no file stayed readable to the end of the sweep */
	unsigned int changed_files;
	char large_why[96]; /* why it stopped below the server's largest READ */
	struct random_reads random;
};

void sweep_run(struct probe *p, struct records *records);
/* Sizes of the Linux clients' switch to Write chunks, in ascending order; ends with 0. */
extern const uint32_t sweep_profiles[];

/* cells.c: pure */

/* What a READ that returned @kind adds to the READ matrix, of enum matrix_seen. */
unsigned int cells_seen(enum mechanism mechanism, enum read_kind kind);
void cells_add(struct matrix *matrix, const struct records *records);

/* random.c: pure */

#define RANDOM_SECTOR 512

struct random_choice {
	uint64_t state;
	enum server_kind kind;
	uint32_t most[MECH_COUNT]; /* bytes of a READ; 0: not by this mechanism */
};

/* Uses the mechanisms that were correct in the sweep, up to the size that was, and up to
 * @most. */
void random_begin(struct random_choice *c, uint64_t seed, enum server_kind kind,
		  const struct records *swept, uint32_t most);
/* 0 to @n - 1. */
uint64_t random_below(struct random_choice *c, uint64_t n);
/* The start of a window of @len bytes in a file: on a sector; the window ends within the file. */
uint64_t random_window(struct random_choice *c, uint64_t size, uint32_t len);
/* Chooses one READ of whole sectors within the window. False: there is none, or it could crash a
 * server. */
bool random_read(struct random_choice *c, uint64_t base, uint32_t len, uint64_t size,
		 struct read_case *out);
/* Whether the sweep completed without failures; otherwise @why has the reason. */
bool random_is_wanted(const struct records *swept, char *why, size_t cap);
void random_say(const struct random_reads *r, finding_sink sink, void *arg);

/* random-run.c */

struct random_task {
	struct probe *p;
	struct records *records;
	struct window *w;
	unsigned int first;      /* of the candidates: earlier ones change */
	unsigned int reserve_ms; /* for the steps that follow */
	double ms_a_byte;
	/* Makes one READ in that window; judges and records failures. */
	enum read_kind (*attempt)(void *arg, const struct read_case *c);
	void *arg;
};

void random_run(const struct random_task *task);

/* over-tcp.c */

enum over_tcp {
	OVER_TCP_UNKNOWN, /* not asked, or not available */
	OVER_TCP_RIGHT,
	OVER_TCP_WRONG, /* an error, or data differs */
};

/* Makes the READs and the operations after them, of a window that contains them, in one call over
 * TCP. */
enum over_tcp over_tcp(struct probe *p, const struct window *w, const struct read_case *c);
/* Any operation whose result fits 4 KiB; a WRITE with these request->count bytes, else @data is
 * NULL. What the result points to is gone. Errors: no connection; the call's. */
int over_tcp_operation(struct probe *p, const struct nfs_request *request, const uint8_t *data,
		       struct nfs_result *result);
void over_tcp_close(struct tcp_paths *tcp);

/* listing.c */

/* dircount and maxcount for a reply of @bytes, inline or by Reply chunk. */
uint32_t listing_room(const struct nfs_version *version, uint32_t bytes);
/* How far a directory was listed; initially all 0. */
struct listing_at {
	uint64_t cookie;
	uint8_t verifier[8];
	bool eof;
};

/* Lists more of it, inline. Errors: of the call; what @entry returned. */
int listing_page(struct probe *p, const struct nfs_fh *dir, struct listing_at *at,
		 nfs_entry_fn entry, void *arg);
void listing_readdir(struct probe *p);
void listing_readlink(struct probe *p);

/* call-by-chunk.c */

/* probe.call-by-chunk: NULL as a Position-Zero Read chunk. */
void call_by_chunk_try(struct probe *p);
/* GETATTR, READDIR by Reply chunk, READLINK: other operations between two READs. */
void listing_between(struct probe *p, const struct nfs_fh *file);

/* compound.c */

/* Adds the READs to @matrix. */
void compound_run(struct probe *p, struct matrix *matrix);

/* largest.c: pure */

struct largest_input {
	const struct records *records;
	enum probe_level level;
	enum server_kind kind;
	uint32_t named_max; /* as server_habits.largest_read */
	uint32_t read_max;  /* as limits.read_max */
};

void largest_say(const struct largest_input *in, finding_sink sink, void *arg);

/* verdict.c: pure */

struct verdict_input {
	const struct records *records;
	/* failures of calls that were not READs by Write chunk */
	unsigned int lost_elsewhere, closed_elsewhere, transport_elsewhere;
	unsigned int late_writes; /* to memory that was released after its reply */
	uint32_t rtmax;           /* the server's largest READ; 0: not known */
	/* Set by verdict.c: SIGN_TAIL is a finding; data arrived after the reply; no READ writes
	 * anything; READs fail with others in flight and not alone */
	bool tails, late, unwritten, flight;
};

/* Whether nothing failed, and READs by Write chunk of up to 812 bytes, of more, and of more than
 * a page were correct: a sweep that the deadline ended is then only slow. */
bool verdict_is_enough(const struct verdict_input *in);
void verdict_reads(const struct verdict_input *in, finding_sink sink, void *arg);

#endif
