/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* WRITEs to a file that the probe makes and removes: scratch.c has the file, write.c makes one WRITE
 * and reads it back, write-sweep.c chooses them, write-content.c says how bytes are wrong, and
 * write-verdict.c what follows. */
#ifndef RPCRDMA_PROBE_WRITE_INTERNAL_H
#define RPCRDMA_PROBE_WRITE_INTERNAL_H

#include "rpcrdma/probe/internal.h"

/* write-content.c: pure */

enum write_damage {
	WRITE_INTACT,
	WRITE_PADDED,     /* up to three zeros follow the range */
	WRITE_NEIGHBOUR,  /* bytes outside of the range were changed */
	WRITE_TAIL,       /* the last one to three bytes were not stored */
	WRITE_NOT_STORED, /* the bytes of before are still there */
	WRITE_ZEROS,
	WRITE_REPEATED, /* a page of the data is there in place of another */
	WRITE_MOVED,    /* the data is there, at another offset */
	WRITE_EARLIER,  /* data of an earlier WRITE, of another part of the file */
	WRITE_AFTERS,   /* what the memory of the WRITE had after its reply */
	WRITE_FOREIGN,  /* anything else */
	WRITE_DAMAGES
};

/* What the memory of a WRITE has after its reply. */
#define WRITE_AFTER 0xd8

/* A WRITE whose outcome is not known: its bytes may be stored, now or later. */
struct write_open {
	uint64_t offset;
	uint32_t count, generation; /* generation 0: of zeros */
};

/* Takes bytes of @got, which are those of the file from @base on, into @want where they are those of such a
 * WRITE. */
void write_open_take(const struct write_open *open, uint64_t key, uint8_t *want, const uint8_t *got,
		     uint64_t base, uint32_t len);

/* The same window of the file, from @base on. */
struct write_view {
	const uint8_t *before, *want, *got;
	uint64_t base;
	uint32_t len;
	uint64_t offset; /* of the WRITE */
	uint32_t count;
	uint32_t generation; /* of the WRITE; 0: of none alone */
	uint64_t key;
	uint32_t last;  /* generation, */
	uint64_t words; /* and words of the file: what is known */
};

/* @text: what is where. */
enum write_damage write_damage_of(const struct write_view *v, char *text, size_t cap);
/* As a reason of probe.write; NULL: WRITE_INTACT. */
const char *write_damage_reason(enum write_damage damage);

/* write.c */

enum write_mechanism {
	WRITE_INLINE,
	WRITE_READ_CHUNK,
	WRITE_LONG_CALL,  /* the whole call is a Position-Zero Read chunk */
	WRITE_LONG_CHUNK, /* it has a Read chunk for the data as well */
	WRITE_MECHANISMS
};

struct write_case {
	enum write_mechanism mechanism;
	unsigned int pieces; /* segments of unequal odd lengths; 0: one */
	uint64_t offset;
	uint32_t count;
	enum nfs_stable stable;
	bool zeros; /* in place of other content */
};

enum write_kind {
	WRITE_RIGHT,
	WRITE_NOT_RUN,   /* no time, or the file was lost */
	WRITE_RESTARTED, /* the server restarted, and what was not stable is lost: legal */
	WRITE_REFUSED,   /* by the file system: no space, quota, read-only, denied */
	/* These count as failed WRITEs, the worst last. */
	WRITE_SHORT,  /* fewer bytes than asked for, and the reply says so */
	WRITE_STATUS, /* an NFS error */
	WRITE_RPC,    /* an RPC error */
	WRITE_ERROR,  /* RDMA_ERROR */
	WRITE_HEADER, /* unreadable reply */
	WRITE_COUNT,  /* count or committed cannot be */
	WRITE_CLOSED,
	WRITE_TRANSPORT,
	WRITE_UNANSWERED,
	WRITE_SIZE, /* of the file, afterwards */
	WRITE_DATA,
	WRITE_KINDS
};

struct write_outcome {
	enum write_kind kind;
	enum write_damage damage; /* WRITE_DATA */
	uint32_t status;          /* NFS */
	char text[256];
};

/* The bytes that a part of the file has. */
struct write_image {
	uint64_t base;
	uint32_t len;
	uint8_t *bytes;
};

#define WRITE_IMAGES 2
#define WRITE_OPENS  128

/* The file and its content. */
struct writes {
	struct probe *p;
	struct probe_file file;
	uint64_t size;
	struct write_image images[WRITE_IMAGES];
	uint64_t key;
	uint32_t generation;
	uint32_t wtmax;
	uint64_t bytes; /* written */
	bool has_verifier, verifier_changed;
	uint8_t verifier[8]; /* of the UNSTABLE ones since the last COMMIT */
	unsigned int unstable;
	struct write_open opens[WRITE_OPENS];
	unsigned int nopens;
	bool lost; /* the content is unknown */
	bool above_4gib;
};

const char *write_mechanism_name(enum write_mechanism mechanism);
void write_case_text(const struct write_case *c, char *out, size_t len);
bool write_kind_is_failure(enum write_kind kind);
/* As a reason of probe.write. */
const char *write_outcome_reason(const struct write_outcome *o);
/* Whether the call fits the mechanism, and its range an image. */
bool write_fits(struct writes *ws, const struct write_case *c);
/* Makes @n WRITEs at once, at most WRITE_IN_FLIGHT, of one image; checks each, and what is
 * stored then. Where ranges overlap it may be the data of either. */
#define WRITE_IN_FLIGHT 8
void write_together(struct writes *ws, const struct write_case *cases, unsigned int n,
		    struct write_outcome *outcomes);
/* The same WRITE over TCP. */
enum over_tcp write_over_tcp(struct writes *ws, const struct write_case *c);
/* Whether all of the images is stored, by the reference. */
bool write_check_all(struct writes *ws, struct write_outcome *o);
/* Whether what is not stored may have been lost in a restart (RFC 1813 section 3.3.7): clients write it again. Then
 * the images are read again. */
bool write_server_restarted(struct writes *ws);
/* COMMIT. @same: the verifier is that of all UNSTABLE WRITEs since the last one; if not, the server restarted, and
 * the images are read again. Errors: the operation's. */
int write_commit(struct writes *ws, uint8_t verifier[8], bool *same);

/* scratch.c */

/* Why an operation on the file failed, as a reason of probe.scratch. */
const char *scratch_reason(uint32_t status);
/* Makes the file that options->scratch asks for; else the finding is emitted. */
bool scratch_make(struct writes *ws);
/* Removes it. True: it is gone. */
bool scratch_remove(struct probe *p);
/* The same, and emits the finding. */
void scratch_end(const struct writes *ws);

/* write-verdict.c: pure */

#define WRITE_EXAMPLE 360

struct write_tally {
	unsigned int right[WRITE_MECHANISMS], wrong[WRITE_MECHANISMS];
	unsigned int segments_right, segments_wrong;
	unsigned int flight_right, flight_wrong; /* wrong: and right alone */
	unsigned int at_times;                   /* wrong, and right when repeated; */
	bool at_times_data;                      /* without an error */
	unsigned int over_tcp;                   /* wrong over TCP too */
	unsigned int random;
	uint32_t largest; /* right */
	uint64_t bytes;
	struct write_outcome first; /* the worst, confirmed */
	char example[WRITE_EXAMPLE], at_times_example[WRITE_EXAMPLE];
	char over_tcp_example[WRITE_EXAMPLE];
	const char *refused; /* reason; NULL: no WRITE was refused */
	char refused_text[160];
	bool out_of_time;
	bool stopped; /* before all were made: the connection or the file was lost */
	unsigned int commits;
	bool committed;     /* what was, was looked at on a new connection */
	const char *commit; /* reason of what COMMIT did wrong; NULL: nothing */
	char commit_text[200];
};

void write_say(const struct write_tally *t, finding_sink sink, void *arg);

/* What WRITEs did to the connection, as their findings say it, is taken back to @before; what the path lost is not. */
void write_forget(struct behaviour *now, const struct behaviour *before);

/* write-sweep.c */

void write_sweep(struct writes *ws, struct write_tally *t, struct matrix *matrix);

#endif
