/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a READ returns beside its data, of READs whose data is correct: eof, and in NFSv3 the
 * attributes (RFC 1813 section 3.3.6). A client believes both: without eof at the end of a file it
 * reads on and fails, and with another size it copies half of the file. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

/* Remembers the first that is wrong; beside_say() asks whether the file has changed. */
static void beside_suspect(struct beside *b, enum beside_kind kind, const struct read_case *c,
			   const struct window *w, const char *what)
{
	if (b->wrong[kind]++)
		return;
	read_case_text(c, what, b->example[kind], sizeof(b->example[kind]));
	if (!b->file.len) {
		b->file = w->file->fh;
		b->attr = w->attr;
	}
}

static void beside_eof(struct beside *b, const struct read_case *c, const struct window *w,
		       const struct nfs_result *res)
{
	bool at_end = c->offset >= w->attr.size || c->offset + res->read_count >= w->attr.size;

	/* An empty READ before the end may say either. */
	if (!res->read_count && c->offset < w->attr.size)
		return;
	b->looked[at_end ? BESIDE_NO_EOF : BESIDE_EARLY_EOF]++;
	if (at_end && !res->read.eof)
		beside_suspect(b, BESIDE_NO_EOF, c, w, "eof is not set");
	if (!at_end && res->read.eof)
		beside_suspect(b, BESIDE_EARLY_EOF, c, w, "eof is set before the end");
}

static void beside_attribute(struct beside *b, enum beside_kind kind, const struct read_case *c,
			     const struct window *w, uint64_t got, uint64_t want)
{
	char what[96];

	b->looked[kind]++;
	if (got == want)
		return;
	snprintf(what, sizeof(what), "%s %llu, by GETATTR %llu",
		 kind == BESIDE_SIZE ? "size" : "fileid", (unsigned long long)got,
		 (unsigned long long)want);
	beside_suspect(b, kind, c, w, what);
}

void beside_note(struct beside *b, const struct read_case *c, const struct window *w,
		 const struct nfs_result *res)
{
	beside_eof(b, c, w, res);
	if (!res->has_attr || c->followed_by != FOLLOWED_BY_NOTHING)
		return;
	beside_attribute(b, BESIDE_SIZE, c, w, res->attr.size, w->attr.size);
	beside_attribute(b, BESIDE_FILEID, c, w, res->attr.fileid, w->attr.fileid);
}

/* The worst first. */
static const struct {
	const char *id, *reason, *bad;
	enum beside_kind kind;
} besides[] = {
	{ "probe.read.eof", "early", "have eof before the end of the file", BESIDE_EARLY_EOF },
	{ "probe.read.eof", "missing", "at the end of the file have no eof", BESIDE_NO_EOF },
	{ "probe.read.attributes", "size", "return another size than GETATTR", BESIDE_SIZE },
	{ "probe.read.attributes", "fileid", "return another fileid than GETATTR", BESIDE_FILEID },
};

static bool beside_is_unchanged(struct probe *p)
{
	struct beside *b = &p->beside;
	struct nfs_attr now;

	return !b->file.len ||
	       (!operation_getattr(p, &b->file, &now) && now.size == b->attr.size &&
		now.fileid == b->attr.fileid && nfs_same_time(&now.mtime, &b->attr.mtime));
}

/* Of the rows with this id: -1 if all is well. */
static int beside_worst(const struct beside *b, const char *id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(besides); i++)
		if (!strcmp(besides[i].id, id) && b->wrong[besides[i].kind])
			return (int)i;
	return -1;
}

static void beside_say_one(struct probe *p, const char *id, enum beside_kind looked,
			   const char *good, const char *none, bool unchanged)
{
	const struct beside *b = &p->beside;
	int row = beside_worst(b, id);
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (row >= 0 && !unchanged)
		finding_init(&f, id, FINDING_SKIP, "the file changed while it was read");
	else if (row >= 0)
		finding_init(&f, id, FINDING_FAIL, "%u of %u READs %s", b->wrong[besides[row].kind],
			     b->looked[besides[row].kind], besides[row].bad);
	else if (!b->looked[looked])
		finding_init(&f, id, FINDING_SKIP, "%s", none);
	else
		finding_init(&f, id, FINDING_PASS, "%u READs %s", b->looked[looked], good);
	if (f.status == FINDING_FAIL) {
		finding_reason(&f, besides[row].reason);
		finding_text(&f, "example", "%s", b->example[besides[row].kind]);
		finding_number(&f, "wrong", b->wrong[besides[row].kind]);
	}
	finding_number(&f, "looked_at", b->looked[looked]);
	probe_emit(p, &f);
}

void beside_say(struct probe *p)
{
	bool unchanged = beside_is_unchanged(p);

	beside_say_one(p, "probe.read.eof", BESIDE_NO_EOF, "at the end of the file have eof",
		       "no READ reached the end of a file", unchanged);
	beside_say_one(p, "probe.read.attributes", BESIDE_SIZE,
		       "return the size and the fileid of GETATTR",
		       p->version->vers == 3 ? "no READ returned attributes"
					     : "NFSv4 returns no attributes with a READ",
		       unchanged);
}
