/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The verdict on READs, in four files, all pure: verdict.c has the findings on each mechanism
 * and property, signature.c those on a server whose Write-chunk READs fail from some size on, cause.c tells
 * which property is the cause, and tally.c classifies the records. */
#ifndef RPCRDMA_PROBE_VERDICT_INTERNAL_H
#define RPCRDMA_PROBE_VERDICT_INTERNAL_H

#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define PAGE         4096
#define PROOF_RANGES 3
/* Of a READ inline; the smallest inline threshold, 1024 bytes, has room for it. */
#define INLINE_PROOF 512
/* Linux clients read more than that by Write chunk, in every version of NFS but 4.0 without 4.1 */
#define CHANGE_OVER    812
#define TALLY_EXAMPLES 5

/* tally.c */

/* Selects records. */
typedef bool (*record_filter)(const struct read_record *r);

bool tally_is_inline(const struct read_record *r);
bool tally_is_write_chunk(const struct read_record *r);
bool tally_is_reply_chunk(const struct read_record *r);
/* By Write chunk in one segment, at an aligned offset, entirely inside the file: only the size
 * varies. */
bool tally_is_plain(const struct read_record *r);
bool tally_is_unaligned(const struct read_record *r);
bool tally_is_segmented(const struct read_record *r);

bool tally_is_right(const struct read_record *r);
/* A connection that was lost only once, or a failure that affects other calls or TCP too, is not
 * a property of the mechanism: it has findings of its own. */
bool tally_is_failure(const struct verdict_input *in, const struct read_record *r);
/* Never correct, although its range was by another mechanism. One random range is not evidence
 * about a size. */
bool tally_is_always(const struct verdict_input *in, const struct read_record *r);
/* Correct when it was repeated. */
bool tally_is_sometimes(const struct verdict_input *in, const struct read_record *r);
/* Failures that have a finding of their own and may be correct by chance: late data, and a byte
 * that was not written but equals the file's. */
bool tally_is_reported(const struct verdict_input *in, const struct read_record *r);

struct tally {
	unsigned int right, failed;
	unsigned int answered_inline; /* the chunk was left unused: neither */
	unsigned int over_tcp;        /* wrong over TCP too: neither */
	unsigned int lengths;         /* of the correct ones, with wrong returned lengths */
	/* of the failed ones: with data of another file, or of another offset */
	unsigned int other_file, other_offset;
	const struct read_record *misplaced; /* one of these; NULL: none */
	unsigned int always; /* of the failed ones; the following members describe only these: */
	uint32_t smallest_always;     /* bytes asked; UINT32_MAX if none */
	uint32_t largest_right_below; /* of READs smaller than that */
	const struct read_record *example_always;
	unsigned int in_flight;   /* the most at once, of the correct READs */
	uint32_t largest_right;   /* bytes returned */
	uint32_t smallest_failed; /* bytes asked; UINT32_MAX if none */
	uint64_t bytes;
	unsigned int kinds[READ_KIND_COUNT];
	const struct read_record *first[READ_KIND_COUNT]; /* of each kind */
	const struct read_record *example[TALLY_EXAMPLES];
	unsigned int examples;
};

/* Adds all that pass @filter. */
void tally_records(const struct verdict_input *in, record_filter filter, struct tally *t);
/* Whether a cause may be named. */
bool tally_is_steady(const struct tally *t);
/* Whether most failures are data that arrived after the reply. */
bool tally_comes_late(const struct tally *t);
/* The reason why no cause is named for the failures. */
const char *tally_unsteady(const struct tally *t);
/* The first record of the most frequent kind of failure. */
const struct read_record *tally_typical(const struct tally *t);
/* "NFS error: NFS3ERR_IO": how most of them fail; with the first one's words if it is a reply that is wrong, and
 * with the place whose data came. Returns buf. */
#define TALLY_HOW_MAX 240
bool tally_is_of_other_file(const struct tally *t);
const char *tally_how(const struct tally *t, char buf[TALLY_HOW_MAX]);
/* Whether the server writes pads into Write chunks. */
bool tally_has_pads(const struct verdict_input *in);
/* If the server writes pads (@pads), a pad may equal the memory's previous content: of one byte,
 * once in 256 times. Then only the returned lengths show it. */
enum read_kind tally_frame_kind(const struct read_record *r, bool pads);
/* Adds examples to the evidence of a finding. */
void tally_examples(struct finding *f, const struct tally *t);
void tally_numbers(struct finding *f, const struct tally *t);

/* cause.c */

/* In what READs may differ. */
enum trait {
	TRAIT_SEGMENTS = 1,  /* several of unequal lengths */
	TRAIT_ROOM = 2,      /* more than the data, or a segment for a pad */
	TRAIT_UNALIGNED = 4, /* the offset, to a page */
	TRAIT_PAD = 8,       /* the length is no multiple of four */
	TRAIT_LARGE = 16,    /* more than a page */
	TRAIT_END = 32,      /* to the end of the file */
	TRAIT_HIGH = 64,     /* above 4 GiB */
};

enum cause_id {
	CAUSE_SEGMENTS,
	CAUSE_ALIGNMENT,
	CAUSE_PLACEMENT,
	CAUSE_TAIL,
	CAUSE_INLINE_ALIGNMENT,
	CAUSE_INLINE_PAD,
	CAUSE_INLINE_END,
	CAUSE_INLINE_HIGH,
	CAUSE_WRITE_CHUNK_PAD,
	CAUSE_WRITE_CHUNK_END,
	CAUSE_WRITE_CHUNK_HIGH,
	CAUSE_REPLY_CHUNK_ALIGNMENT,
	CAUSE_REPLY_CHUNK_PAD,
	CAUSE_REPLY_CHUNK_END,
	CAUSE_REPLY_CHUNK_HIGH,
	CAUSE_COUNT
};

#define CAUSE_RANGES 2 /* that must fail */

struct cause {
	const char *id, *reason; /* of the finding that names it */
	const char *which;       /* READs fail: in the summary of a mechanism; NULL: not there */
	enum trait trait;
	record_filter of, beside, looks; /* looks: NULL: any failure */
	unsigned int of_five;            /* of the failures of these READs so many have the trait */
	bool controls;                   /* the same ranges are right by another mechanism */
};

extern const struct cause causes[CAUSE_COUNT];

struct cause_evidence {
	unsigned int failed; /* of the READs in question */
	unsigned int
		proven; /* of these: every time, with the trait, and beside one that is right */
	unsigned int ranges;               /* of these: different ones */
	unsigned int right;                /* without the trait */
	unsigned int wider;                /* without the trait, and wrong every time */
	const struct read_record *example; /* of more than a word; NULL: none */
};

unsigned int cause_traits(const struct read_record *r);
void cause_look(const struct verdict_input *in, enum cause_id id, struct cause_evidence *e);
bool cause_is_shown(const struct verdict_input *in, enum cause_id id);

/* verdict.c */

/* Whether the sweep of a mechanism completed: untested READs are never reported as good. */
bool verdict_is_complete(const struct records *rs, enum mechanism mechanism);
extern const char verdict_only_data[];

/* signature.c */

/* bug.write-chunk-read, and probe.read.profiles. @plain: of tally_is_plain(). */
/* READs of so many bytes must be correct: on both sides of a page, and 64 KiB where the server can. */
uint32_t signature_proof_bytes(const struct verdict_input *in);
void signature_write_chunk_read(const struct verdict_input *in, const struct tally *plain,
				finding_sink sink, void *arg);
void signature_profiles(const struct verdict_input *in, const struct tally *plain,
			finding_sink sink, void *arg);

#endif
