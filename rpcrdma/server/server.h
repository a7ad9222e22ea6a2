/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A small read-only server of NFSv3, 4.0 and 4.1: MOUNT and NFS over TCP, NFS over RPC-over-RDMA
 * on the transport seam, enough for a Linux kernel client to mount it. A switch per fault makes
 * it fail in one way, so that each finding of the probe can be tested.
 *
 * A thread a connection; the export is shared and never written. */
#ifndef RPCRDMA_SERVER_H
#define RPCRDMA_SERVER_H

#include <stdatomic.h>

#include "rpcrdma/nfs/nfs.h"
#include "rpcrdma/transport/transport.h"

/* faults.c */

struct fault_set;
struct rdma_reply;
struct call;

/* A row of the table, for --list-faults, the manual page and the tests. */
struct fault_row {
	const char *name;
	const char *values; /* "garbage|short|..."; NULL when it takes none */
	const char *value;  /* the default; NULL when it takes none */
	/* id that a probe must fail with, or skip (foreign), or warn (linux-3, nfs-...) */
	const char *finding;
	const char *description; /* one line */
	/* Private: spoils one reply before it is sent. @value is an index into values. NULL:
	 * the transport does it. */
	void (*apply)(struct rdma_reply *reply, unsigned int value);
	/* The same of a call that was served, by whatever transport. */
	void (*serve)(struct call *call, unsigned int value);
};

extern const struct fault_row fault_table[]; /* ends with name NULL */

struct fault_set *fault_set_new(void);
void fault_set_free(struct fault_set *faults);
/* "NAME" or "NAME=VALUE". -EINVAL with a sentence that says what there is. */
int fault_set_add(struct fault_set *faults, const char *spec);
bool fault_set_empty(const struct fault_set *faults);

/* export.c, export-memory.c, export-directory.c */

struct export;

/* "/", and in it the files of the self-test: each 8-byte word of a file is its own offset,
 * big-endian. Never fails but for memory. */
int export_memory_new(struct export **out);
/* What a file of it has in that place. */
void export_memory_fill(uint8_t *buf, uint64_t offset, size_t len);
/* A real directory, read-only: resolved beneath it and on its file system alone; regular
 * files, directories and symbolic links that others may read.
 * Errors: -errno of the open; -EACCES others may not read the directory. */
int export_directory_new(struct export **out, const char *path);
/* NULL is fine. */
void export_free(struct export *exp);

/* programs.c: RPC programs of the caller's own, beside NFS */

struct call;

/* One call of such a program. */
struct server_call {
	const struct rpc_call *rpc;
	const uint8_t *args; /* all that follows the RPC header */
	size_t args_len;
	const struct transport_address *local, *peer;
	/* SUCCESS at first; an RPC error instead of the results. xid stays as it is. */
	struct rpc_reply *reply;
	struct call *call; /* private */
};

struct server_program {
	uint32_t prog, vers;
	/* Answers one call. False: there shall be no answer. Called by many threads at a time. */
	bool (*run)(void *arg, struct server_call *call);
	void *arg;
};

/* Memory for @len bytes of results, instead of what an earlier call of this returned. NULL: the
 * requester offered less, or it is over 1 MiB and some; SYSTEM_ERR is the answer then. */
uint8_t *server_results(struct server_call *call, size_t len);

/* server.c */

struct server;
struct nfs4_state;

#define SERVER_CREDITS    64                /* granted by default, as Linux does */
#define SERVER_READ_MAX   (1024 * 1024)     /* rtmax by default */
#define SERVER_READ_LIMIT (4 * 1024 * 1024) /* and at most */

/* What was served, for who starts the server as a process and maps this before
 * (MAP_SHARED | MAP_ANONYMOUS). */
struct server_log {
	atomic_uint connections; /* over RDMA, established */
	atomic_uint reads; /* READs that succeeded, with the whole reply sent over RDMA */
	atomic_ullong bytes; /* of these */
};

struct server_options {
	struct transport_address listen; /* port 0: the kernel picks */
	uint16_t nfs_port, mount_port; /* TCP, at the same address; 0: the kernel picks */
	const struct transport_ops *transport;
	struct export *exp; /* borrowed; NULL: no NFS, and no MOUNT port */
	/* Borrowed, ends with NULL, or is NULL. Over RDMA, and over TCP at the NFS port. */
	const struct server_program *const *programs;
	bool no_tcp;                    /* RDMA alone */
	const struct fault_set *faults; /* borrowed, may be NULL */
	uint32_t credits;               /* granted; 0: SERVER_CREDITS */
	uint32_t rtmax;                 /* largest READ; 0: SERVER_READ_MAX */
	bool no_crc;                    /* do not insist on the MPA CRC */
	bool own_host;           /* serve only who comes from the address listened at */
	struct server_log *log;  /* borrowed, may be NULL */
	struct nfs4_state *nfs4; /* private: server_open() makes one */
};

struct server_ports {
	uint16_t rdma, nfs, mount;
};

/* Binds all three listeners. Errors: -errno of bind and listen, with the address in words. */
int server_open(struct server **out, const struct server_options *options);
void server_ports(const struct server *server, struct server_ports *ports);
/* Serves until @stop_fd is readable or closed at its other end; then ends every connection.
 * 0, or -errno of poll. */
int server_run(struct server *server, int stop_fd);
/* NULL is fine. */
void server_close(struct server *server);

/* spawn.c */

/* server_open() and child_confine(CHILD_SERVER), in the order that the transport needs: sockets are
 * bound before, for ports that only root may have; a device is opened by the identity that uses it.
 * To be called before there are threads. Errors: of both; the process must end then. */
int server_open_confined(struct server **out, const struct server_options *options);

/* The server in a child process, with the memory export: */

struct child_end;
struct server_child;

struct server_spawn_options {
	const struct transport_ops *transport;
	struct transport_address listen; /* without ports; len 0: 127.0.0.1 */
	const struct fault_set *faults;  /* borrowed, may be NULL */
	bool no_crc, own_host;
	struct server_log *log; /* shared with the child; borrowed, may be NULL */
	uint32_t rtmax;         /* as of struct server_options */
};

/* Forks. The child serves until server_kill() or until this process ends, as nobody if this
 * is root. Returns when it listens. To be called from a thread that lives as long as the
 * server shall.
 * Errors: -errno of fork and pipe, or what kept the child from listening. */
int server_spawn(struct server_child **out, const struct server_spawn_options *options,
		 struct server_ports *ports);
/* Whether it has ended by @deadline (0: by now), by itself or killed; @end says how. */
bool server_ended(struct server_child *child, uint64_t deadline, struct child_end *end);
/* Ends and reaps the child. NULL is fine. */
void server_kill(struct server_child *child);
void server_kill_p(struct server_child **child);

#endif
