/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The faults of WRITEs: each changes where or what is stored, or what is answered. They apply to
 * RDMA alone, so that the same WRITE over TCP is right. */
#include "rpcrdma/server/faults-write.h"

#define PAGE  4096u
#define LARGE 65536u
#define RARE  500u
/* As many as the benchmark makes before its first sample, at least. */
#define STORED 64u

/* WRITEs before the server forgets what is not stable. */
#define RESTART_AFTER 40u

struct fault_shared {
	pthread_mutex_t lock;
	/* late: one WRITE that got no reply */
	bool taken;
	struct nfs_fh fh;
	uint64_t at;
	uint32_t len;
	uint8_t *data; /* NULL: it is stored */
	/* restart */
	unsigned int unstable, restarts;
	/* create-lost */
	unsigned int creates;
};

struct fault_shared *fault_shared_new(void)
{
	struct fault_shared *shared = calloc(1, sizeof(*shared));

	if (shared)
		pthread_mutex_init(&shared->lock, NULL);
	return shared;
}

void fault_shared_free(struct fault_shared *shared)
{
	if (!shared)
		return;
	pthread_mutex_destroy(&shared->lock);
	free(shared->data);
	free(shared);
}

/* The data of an earlier WRITE. */
struct fault_earlier {
	uint32_t len;
	uint8_t data[PAGE];
};

static bool fault_by_chunk(const struct fault_write *f)
{
	return f->call->chunk.taken;
}

/* The last bytes are not stored. */
static void fault_write_tail(struct fault_write *f)
{
	if (fault_by_chunk(f) && f->w->len % 4)
		f->stored = f->w->len & ~3u;
}

/* The XDR padding is stored too. */
static void fault_write_pad(struct fault_write *f)
{
	if (fault_by_chunk(f))
		f->stored = xdr_pad4(f->w->len);
}

/* The first two segments change places. */
static void fault_write_segments(struct fault_write *f)
{
	const struct call_chunk *chunk = &f->call->chunk;
	uint32_t first = chunk->lengths[0];

	if (!fault_by_chunk(f) || chunk->segments < 2)
		return;
	memcpy(f->data, f->w->data + first, chunk->lengths[1]);
	memcpy(f->data + chunk->lengths[1], f->w->data, first);
}

/* Each page is the first one. */
static void fault_write_page(struct fault_write *f)
{
	uint32_t at;

	for (at = PAGE; fault_by_chunk(f) && at < f->w->len; at += PAGE)
		memcpy(f->data + at, f->w->data, min_u32(PAGE, f->w->len - at));
}

/* The first page is that of the WRITE before. */
static void fault_write_earlier(struct fault_write *f)
{
	struct fault_earlier **earlier = &f->call->faults->earlier;
	uint32_t len = min_u32(f->w->len, PAGE);

	if (!fault_by_chunk(f))
		return;
	if (!*earlier)
		*earlier = calloc(1, sizeof(**earlier));
	else
		memcpy(f->data, (*earlier)->data, min_u32(len, (*earlier)->len));
	if (!*earlier)
		return;
	memcpy((*earlier)->data, f->w->data, len);
	(*earlier)->len = len;
}

/* The data begins where its first page does. */
static void fault_write_shifted(struct fault_write *f)
{
	uint32_t by = (uint32_t)(f->w->offset % PAGE);

	if (!fault_by_chunk(f) || !by || by >= f->w->len)
		return;
	memmove(f->data, f->w->data + by, f->w->len - by);
	memset(f->data + f->w->len - by, 0, by);
}

/* Bytes behind the range are changed. */
static void fault_write_neighbour(struct fault_write *f)
{
	if (!fault_by_chunk(f) || f->w->len < PAGE)
		return;
	memset(f->data + f->w->len, 0x5a, 64);
	f->stored = f->w->len + 64;
}

/* The offset is rounded down to a page. */
static void fault_write_aligned(struct fault_write *f)
{
	if (fault_by_chunk(f))
		f->at = f->w->offset / PAGE * PAGE;
}

/* Wrong only above 64 KiB. */
static void fault_write_large(struct fault_write *f)
{
	if (fault_by_chunk(f) && f->w->len > LARGE)
		memset(f->data + LARGE, 0, f->w->len - LARGE);
}

/* Fewer bytes are stored, and the count says so. */
static void fault_write_short(struct fault_write *f)
{
	if (fault_by_chunk(f) && f->w->len > PAGE)
		f->stored = f->w->count = PAGE;
}

/* Fewer bytes are stored than the count says. */
static void fault_write_count(struct fault_write *f)
{
	if (fault_by_chunk(f) && f->w->len > PAGE)
		f->stored = f->w->len - PAGE;
}

static void fault_write_eio(struct fault_write *f)
{
	if (fault_by_chunk(f) && f->w->len > LARGE)
		f->status = NFS3_STATUS_IO;
}

/* One in so many is not stored. */
static void fault_write_rarely(struct fault_write *f)
{
	f->skip = fault_by_chunk(f) && ++f->call->faults->writes % RARE == 0;
}

/* The first are stored. */
static void fault_write_stops(struct fault_write *f)
{
	f->skip = fault_by_chunk(f) && ++f->call->faults->writes > STORED;
}

/* nfs-ganesha corrupted inline WRITEs of less than 8 KiB. */
static void fault_write_inline(struct fault_write *f)
{
	if (!fault_by_chunk(f) && f->w->len > 4)
		memset(f->data, 0, 4);
}

/* No reply to one of them, which is stored after the next one. */
static void fault_write_late(struct fault_write *f)
{
	struct fault_shared *s = fault_shared_of(f->call->faults->set);
	struct export *exp = f->call->exp;

	if (!fault_by_chunk(f) || f->w->len < PAGE)
		return;
	pthread_mutex_lock(&s->lock);
	if (s->data) {
		f->skip = true;
		f->status = exp->ops->write(exp, &f->w->fh, f->at, f->data, f->stored, true);
		exp->ops->write(exp, &s->fh, s->at, s->data, s->len, true);
		free(s->data);
		s->data = NULL;
	} else if (!s->taken && (s->data = malloc(f->w->len))) {
		s->taken = f->skip = f->call->silent = true;
		memcpy(s->data, f->data, f->w->len);
		s->fh = f->w->fh;
		s->at = f->w->offset;
		s->len = f->w->len;
	}
	pthread_mutex_unlock(&s->lock);
}

/* A restart, which is legal: what was not stable is lost, and the verifier says so. */
static void fault_write_restart(struct fault_write *f)
{
	struct fault_shared *s = fault_shared_of(f->call->faults->set);

	pthread_mutex_lock(&s->lock);
	if (f->w->stable == UNSTABLE && ++s->unstable == RESTART_AFTER) {
		export_forget(f->call->exp);
		s->restarts++;
	}
	pthread_mutex_unlock(&s->lock);
}

/* Its data is pulled after the reply. */
static void fault_write_reply_first(struct fault_write *f)
{
	struct fault_late *late = &f->call->faults->late;

	if (!fault_by_chunk(f))
		return;
	f->skip = true;
	*late = (struct fault_late){ f->w->fh, f->w->offset, f->w->len };
}

/* The first has no reply, and when it is repeated its verifier is ignored. */
void fault_create(struct call *call, struct export_create *create)
{
	struct fault_shared *s;

	if (!call->faults || fault_write_value(call->faults->set) != WRITE_CREATE_LOST)
		return;
	s = fault_shared_of(call->faults->set);
	pthread_mutex_lock(&s->lock);
	call->silent |= !s->creates;
	create->verifier[0] ^= (uint8_t)s->creates++;
	pthread_mutex_unlock(&s->lock);
}

static void (*const fault_writes[])(struct fault_write *f) = {
	[WRITE_TAIL] = fault_write_tail,
	[WRITE_PAD] = fault_write_pad,
	[WRITE_SEGMENTS] = fault_write_segments,
	[WRITE_PAGE] = fault_write_page,
	[WRITE_EARLIER] = fault_write_earlier,
	[WRITE_SHIFTED] = fault_write_shifted,
	[WRITE_NEIGHBOUR] = fault_write_neighbour,
	[WRITE_ALIGNED] = fault_write_aligned,
	[WRITE_LARGE] = fault_write_large,
	[WRITE_SHORT] = fault_write_short,
	[WRITE_COUNT] = fault_write_count,
	[WRITE_EIO] = fault_write_eio,
	[WRITE_RARELY] = fault_write_rarely,
	[WRITE_INLINE] = fault_write_inline,
	[WRITE_LATE] = fault_write_late,
	[WRITE_RESTART] = fault_write_restart,
	[WRITE_STOPS] = fault_write_stops,
	[WRITE_REPLY_FIRST] = fault_write_reply_first,
	[WRITE_VALUES - 1] = NULL,
};

bool fault_has_writes(const struct fault_state *state)
{
	return fault_write_value(state->set) >= 0;
}

void fault_write(struct fault_write *f)
{
	int value = fault_write_value(f->call->faults->set);

	if (value >= 0 && fault_writes[value])
		fault_writes[value](f);
}

void fault_write_verifier(struct fault_state *state, uint8_t verifier[8], bool commit)
{
	/* The server restarted, and says so by its verifier alone. */
	if (fault_write_value(state->set) == WRITE_VERIFIER && commit)
		put_be32(verifier, ++state->commits);
	if (fault_write_value(state->set) == WRITE_RESTART)
		verifier[0] ^= (uint8_t)fault_shared_of(state->set)->restarts;
}

bool fault_replies_first(const struct fault_set *faults)
{
	return fault_write_value(faults) == WRITE_REPLY_FIRST;
}

bool fault_reads_by_other_key(const struct fault_set *faults)
{
	return fault_write_value(faults) == WRITE_OTHER_KEY;
}

void fault_connected(const struct fault_set *faults, struct export *exp)
{
	if (exp && fault_write_value(faults) == WRITE_COMMIT_LOST)
		export_forget(exp);
}

void fault_write_reply(struct rdma_reply *reply, unsigned int value)
{
	if (!reply->wrote)
		return;
	reply->drop |= value == WRITE_HANG;
	reply->close |= value == WRITE_CLOSE;
}
