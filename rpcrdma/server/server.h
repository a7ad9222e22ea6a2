/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A small server of NFSv3, 4.0 and 4.1: MOUNT and NFS over TCP, NFS over
 * RPC-over-RDMA through transport.h, sufficient for a mount by the Linux kernel client. Each
 * fault makes it fail in one way, so that each finding of the probe can be tested.
 *
 * One thread per connection, and further connections wait. The export is shared, and read-only
 * unless it was made writable. */
#ifndef RPCRDMA_SERVER_H
#define RPCRDMA_SERVER_H

#include <stdatomic.h>

#include "rpcrdma/nfs/nfs.h"
#include "rpcrdma/transport/transport.h"

/* faults.c */

struct fault_set;
struct rdma_reply;
struct call;
struct export;

/* A row of the fault table, for --list-faults, the manual page and the tests. */
struct fault_row {
	const char *name;
	const char *values; /* "garbage|short|..."; NULL when it takes none */
	const char *value;  /* the default; NULL when it takes none */
	/* id of the check that must fail, be skipped (foreign) or warn (linux-3, nfs-...) */
	const char *finding;
	const char *description; /* one line */
	/* Private: changes one reply before it is sent. @value is an index into values. NULL:
	 * implemented in the transport. */
	void (*apply)(struct rdma_reply *reply, unsigned int value);
	/* Private: changes the reply of a served call, over any transport. */
	void (*serve)(struct call *call, unsigned int value);
	/* Private: changes what the server starts with. */
	void (*prepare)(struct export *exp, unsigned int value);
};

extern const struct fault_row fault_table[]; /* ends with name NULL */

struct fault_set *fault_set_new(void);
void fault_set_free(struct fault_set *faults);
/* "NAME" or "NAME=VALUE". Errors: -EINVAL; the text lists valid names. */
int fault_set_add(struct fault_set *faults, const char *spec);
bool fault_set_empty(const struct fault_set *faults);

/* export.c, export-memory.c, export-directory.c */

/* "/", and in it the files of the self-test: each 8-byte word of a file is its own offset,
 * big-endian. Fails only for lack of memory. */
int export_memory_new(struct export **out);
/* Serves all of it in "/SECRET", a name that no reply contains: only who was told it finds anything.
 * @secret: shorter than EXPORT_SECRET_MAX. */
#define EXPORT_SECRET_MAX 64
void export_memory_hide(struct export *exp, const char *secret);
/* Clients may make files in "/", which are in memory, up to 1 GiB and 64 of them. Errors: -ENOMEM. */
int export_memory_make_writable(struct export *exp);
/* Fills @buf with the content of its files at @offset. */
void export_memory_fill(uint8_t *buf, uint64_t offset, size_t len);
/* A real directory, read-only: resolved beneath it and on its file system alone; regular
 * files, directories and symbolic links that others may read.
 * Errors: -errno of the open; -EACCES others may not read the directory. */
int export_directory_new(struct export **out, const char *path);
/* NULL is fine. */
void export_free(struct export *exp);

/* programs.c: RPC programs of the caller, besides NFS */

struct call;

/* One call of such a program. */
struct server_call {
	const struct rpc_call *rpc;
	const uint8_t *args; /* everything after the RPC header */
	size_t args_len;
	const struct transport_address *local, *peer;
	/* Initially SUCCESS; set it to return an RPC error instead of results. Do not change
	 * xid. */
	struct rpc_reply *reply;
	struct call *call; /* private */
};

struct server_program {
	uint32_t prog, vers;
	/* Answers one call. False: no reply is sent. Called concurrently by many threads. */
	bool (*run)(void *arg, struct server_call *call);
	void *arg;
};

/* Memory for @len bytes of results; replaces that of an earlier call. NULL: the requester offered
 * less, or the limit of 1 MiB plus headers is exceeded; the reply is then SYSTEM_ERR. */
uint8_t *server_results(struct server_call *call, size_t len);

/* server.c */

struct server;
struct nfs4_state;

#define SERVER_CREDITS    64                /* granted by default, as Linux does */
#define SERVER_READ_MAX   (1024 * 1024)     /* rtmax by default */
#define SERVER_READ_LIMIT (4 * 1024 * 1024) /* and at most */

/* A WRITE that was stored, as it came. */
struct server_wrote {
	uint64_t offset, digest; /* bytes_digest() of its data */
	uint32_t len, stable;    /* stable_how */
	uint32_t segments;       /* of its Read chunk; 0: inline, or in a long call */
	uint32_t pad;            /* bytes of XDR padding in the chunk */
};

#define SERVER_LOG_WROTE 512

/* Counters for a parent that runs the server in a child process and maps this before the fork
 * (MAP_SHARED | MAP_ANONYMOUS). */
struct server_log {
	atomic_uint connections; /* over RDMA, established */
	atomic_uint reads;       /* READs that succeeded, with the whole reply sent over RDMA */
	atomic_ullong bytes;     /* of these READs */
	/* The longest that a call over RDMA may have waited for this process, or was served; reset
	 * by whoever reads it. */
	atomic_uint late_ms;
	atomic_uint refused; /* calls with Read chunks that no server can take */
	atomic_uint commits; /* over RDMA */
	atomic_uint writes;  /* stored, over RDMA; number i is wrote[i % SERVER_LOG_WROTE] */
	struct server_wrote wrote[SERVER_LOG_WROTE];
};

struct server_options {
	struct transport_address listen; /* port 0: the kernel picks */
	uint16_t nfs_port, mount_port;   /* TCP, at the same address; 0: the kernel picks */
	const struct transport_ops *transport;
	struct export *exp; /* borrowed; NULL: no NFS, and no MOUNT port */
	/* Borrowed, ends with NULL, or is NULL. Over RDMA, and over TCP at the NFS port. */
	const struct server_program *const *programs;
	bool no_tcp;                    /* RDMA alone */
	const struct fault_set *faults; /* borrowed, may be NULL */
	uint32_t credits;               /* granted; 0: SERVER_CREDITS */
	uint32_t rtmax;                 /* largest READ; 0: SERVER_READ_MAX */
	/* Served at once over RDMA; 0: SERVER_CONNECTIONS. More of them wait. */
	unsigned int connections;
	bool no_crc;             /* do not require the MPA CRC */
	bool own_host;           /* serve only clients whose address is the listening one */
	struct server_log *log;  /* borrowed, may be NULL */
	struct nfs4_state *nfs4; /* private: server_open() makes one */
};

struct server_ports {
	uint16_t rdma, nfs, mount;
};

/* Binds all three listeners. Errors: -errno of bind and listen, with the address in the text. */
int server_open(struct server **out, const struct server_options *options);
void server_ports(const struct server *server, struct server_ports *ports);
/* Serves until @stop_fd is readable or closed at its other end; then ends every connection.
 * 0, or -errno of poll. */
int server_run(struct server *server, int stop_fd);
/* NULL is fine. */
void server_close(struct server *server);

/* spawn.c */

/* server_open() and child_confine(CHILD_SERVER), in the order that the transport requires:
 * sockets are bound first, for privileged ports; a device is opened afterwards, by the identity
 * that uses it. Call it before creating threads.
 * Errors: those of both; the process must then exit. */
int server_open_confined(struct server **out, const struct server_options *options);

/* The server in a child process, with the memory export: */

struct child_end;
struct server_child;

struct server_spawn_options {
	const struct transport_ops *transport;
	struct transport_address listen; /* without ports; len 0: 127.0.0.1 */
	const struct fault_set *faults;  /* borrowed, may be NULL */
	bool no_crc, own_host;
	bool writable;          /* export_memory_make_writable() */
	const char *secret;     /* for export_memory_hide(); borrowed, may be NULL */
	struct server_log *log; /* shared with the child; borrowed, may be NULL */
	uint32_t rtmax;         /* as in struct server_options */
};

/* Forks. The child serves until server_kill() or until this process ends; it runs as nobody if
 * this process is root. Returns once it listens. Call it from a thread that outlives the server.
 * Errors: -errno of fork and pipe, or the error that kept the child from listening. */
int server_spawn(struct server_child **out, const struct server_spawn_options *options,
		 struct server_ports *ports);
/* Waits until @deadline (0: does not wait). Returns whether the child has ended; @end says
 * how. */
bool server_ended(struct server_child *child, uint64_t deadline, struct child_end *end);
/* Ends and reaps the child. NULL is fine. */
void server_kill(struct server_child *child);
void server_kill_p(struct server_child **child);

#endif
