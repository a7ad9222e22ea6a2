/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Exercises an NFS server's RPC-over-RDMA transport with real READs, by every mechanism of a
 * reply, and reports the results; on request also with WRITEs to a new file, which is removed.
 * Well-formed: requests that crash one kind of
 * server go only to servers that are identified as another (identity.c), and a server that may
 * have crashed gets no more requests (liveness.c).
 *
 * Data from the network is decoded in a child process without privilege (worker.c), which returns
 * findings as bounded records. */
#ifndef RPCRDMA_PROBE_H
#define RPCRDMA_PROBE_H

#include "rpcrdma/base/finding.h"
#include "rpcrdma/base/matrix.h"
#include "rpcrdma/nfs/version.h"
#include "rpcrdma/transport/transport.h"
#include "rpcrdma/wire/wire.h"

/* Random READs after a sweep without failures, if no number is given. */
#define PROBE_READS_DEFAULT 5000
/* The same for WRITEs. */
#define PROBE_WRITES_DEFAULT 1000

/* Of the name of a file that the probe makes in a directory; 32 hexadecimal digits follow. */
#define SCRATCH_PREFIX ".nfsrdma-scratch-"

enum probe_level { PROBE_QUICK, PROBE_STANDARD, PROBE_FULL };

struct probe_range {
	uint64_t offset;
	uint32_t length;
};

enum probe_range_fate {
	PROBE_RANGE_UNKNOWN,  /* could not be read, or is beyond the end of the file */
	PROBE_RANGE_CHANGING, /* written meanwhile */
	PROBE_RANGE_RIGHT,    /* RDMA returned the bytes of the reference */
	PROBE_RANGE_WRONG,    /* RDMA returned other bytes */
	PROBE_RANGE_FATES
};

struct probe_range_result {
	uint32_t index;
	enum probe_range_fate fate;
	uint32_t length; /* bytes that the reference has there */
	uint64_t digest; /* bytes_digest() of these bytes */
};

struct probe_options {
	const char *host;                      /* as the user gave it, without brackets */
	const char *export;                    /* path of the export; NULL: NULL calls only */
	const char *file;                      /* path below the export; NULL: choose one */
	uint16_t port;                         /* RPC-over-RDMA */
	uint16_t mount_port;                   /* 0: ask rpcbind */
	uint16_t nfs_port;                     /* TCP; 0: 2049, or what rpcbind says */
	const struct transport_ops *transport; /* NULL: verbs where the route allows it */
	const char *device;                    /* verbs: NULL any */
	struct transport_address bind;         /* local address; len 0: any */
	const struct nfs_version *version;     /* NULL: the highest that the server offers */
	enum probe_level level;
	unsigned int reads; /* random ones, at most; 0: none */
	uint64_t seed;      /* of the random READs; 0: a new one */
	unsigned int timeout_ms;
	/* Below the export: the file to make, write to and remove; ending with a slash, the directory
	 * in which to make one. NULL: nothing is written. */
	const char *scratch;
	bool scratch_gate;        /* asks whether it may be made there, and does not make it */
	unsigned int writes;      /* random ones, at most */
	unsigned int bench_cases; /* bits: of bench_cases[]; 0: all */
	unsigned int bench_ms;    /* for each of them; 0: as the level says */
	bool has_cred;            /* --cred; otherwise the caller's */
	struct rpc_cred cred;
	const char *pcap;                 /* capture file, NULL for none */
	int pcap_fd;                      /* an open capture, instead of the file; 0: none */
	const struct probe_range *ranges; /* probe_compare() */
	uint32_t nranges;
};

/* The report's data on its subject; borrowed for the length of the call. */
struct probe_events {
	finding_sink finding;
	/* "server", "port", "export", "file", "transport", "nfs_version"; a later value of a
	 * key replaces the earlier one. */
	void (*subject)(void *arg, const char *key, const char *value);
	/* The current step and its progress; may be NULL. */
	void (*progress)(void *arg, const char *what, unsigned int done, unsigned int total);
	/* The results of READs, once, if there were any; may be NULL. */
	void (*matrix)(void *arg, const struct matrix *matrix);
	/* The file that is about to be made; may be NULL. */
	void (*scratch)(void *arg, const char *path);
	/* Of probe_compare(); may be NULL. */
	void (*range)(void *arg, const struct probe_range_result *result);
	void *arg;
};

/* Runs the probe in a child and hands its findings on, in the order of causes. Returns 0, even if
 * findings failed; -errno if the child could not be run, -EPROTO if it died, broke the record
 * format or reported another number of records than arrived, -EINTR if SIGINT or SIGTERM ended
 * it. All but the last also emit the finding probe.worker. */
int probe_run(const struct probe_options *options, const struct probe_events *events);

/* compare.c */

/* Reads options->ranges of the file that options->export names as a Linux client does, and from
 * the reference: NFS over TCP if available. As probe_run(). */
int probe_compare(const struct probe_options *options, const struct probe_events *events);

/* write-content.c: pure */

/* The bytes of the file from @offset on, as WRITE number @generation stores them: each aligned word
 * of 8 bytes occurs once in all WRITEs of a run. @key: of the run. */
void write_content(uint8_t *buf, uint64_t offset, size_t len, uint32_t generation, uint64_t key);

/* memlock.c: the most memory that a probe, or a benchmark, over verbs locks, in whole MiB */
uint64_t probe_memlock_kib(void);

#endif
