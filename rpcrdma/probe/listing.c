/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The other replies that can be large: READDIR with attributes (NFSv3's READDIRPLUS), which is
 * not DDP-eligible and needs a Reply chunk, and READLINK, whose path may travel by Write chunk
 * (RFC 8267 section 3). Each is compared with the same reply inline. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define CHUNK_BYTES   32768u
#define BETWEEN_BYTES 8192
#define LISTING_CALLS 512
/* Servers differ in what they count in maxcount. */
#define LISTING_SPARE 64

/* A digest of a listing: its entries, in order. */
struct listing_digest {
	uint64_t hash;
	uint32_t entries;
	bool whole;          /* to the end of the directory */
	unsigned int unused; /* Reply chunks that were unused: the reply was inline */
};

static int listing_digest_entry(void *arg, const struct nfs_entry *e)
{
	struct listing_digest *d = arg;
	uint32_t i;

	/* FNV-1a over id and name. */
	for (i = 0; i < 8; i++)
		d->hash = (d->hash ^ ((e->fileid >> (8 * i)) & 0xff)) * 0x100000001b3u;
	for (i = 0; i < e->name_len; i++)
		d->hash = (d->hash ^ (uint8_t)e->name[i]) * 0x100000001b3u;
	d->entries++;
	return 0;
}

uint32_t listing_room(const struct nfs_version *version, uint32_t bytes)
{
	return bytes - RPCRDMA_HEADER_MIN - version->readdir_head - LISTING_SPARE;
}

int listing_page(struct probe *p, const struct nfs_fh *dir, struct listing_at *at,
		 nfs_entry_fn entry, void *arg)
{
	const struct nfs3_readdir_res *res;
	struct operation op;
	int rc = session_ready(p);

	if (rc)
		return rc;
	operation_init(&op, NFS_OP_READDIR, dir);
	op.request.cookie = at->cookie;
	memcpy(op.request.verifier, at->verifier, sizeof(op.request.verifier));
	op.request.maxcount = listing_room(p->version, rpcrdma_reply_inline(p->session.conn));
	op.request.dircount = op.request.maxcount;
	op.request.entry = entry;
	op.request.entry_arg = arg;
	rc = operation_check(p->version, &op, operation_run(p, &op));
	res = &op.result.dir;
	if (!rc) {
		/* A server that repeats a cookie, or sends no entries, would cause an endless
		 * loop. */
		at->eof = res->eof || !res->entries || res->last_cookie == at->cookie;
		at->cookie = res->last_cookie;
		memcpy(at->verifier, res->cookieverf, sizeof(at->verifier));
	}
	operation_fini(p, &op);
	return err_context(rc, "READDIR");
}

/* An operation whose reply may use a chunk. */
struct listing_call {
	struct operation op;
	struct area area;
};

static void listing_call_fini(struct probe *p, struct listing_call *cc)
{
	session_release(&p->session, &cc->area);
	operation_fini(p, &cc->op);
	area_fini(&cc->area);
}

static int listing_call_once(struct probe *p, struct listing_call *cc, uint32_t chunk,
			     bool write_chunk)
{
	int rc;

	/* A new session may need a new connection. The area must be registered on that one. */
	rc = client41_ready(p);
	if (!rc)
		rc = session_ready(p);
	if (!rc)
		rc = area_init(&cc->area, &chunk, chunk ? 1 : 0);
	if (!rc)
		rc = session_register(&p->session, &cc->area);
	if (rc)
		return rc;
	if (write_chunk) {
		cc->op.call.write = cc->area.segs;
		cc->op.call.write_count = cc->area.nsegs;
	} else {
		cc->op.call.reply = cc->area.segs;
		cc->op.call.reply_count = cc->area.nsegs;
	}
	return operation_check(p->version, &cc->op, operation_once(p, &cc->op, chunk));
}

/* One operation with a chunk of @chunk bytes (0: inline). The caller has filled in the request
 * and takes the result before listing_call_fini(). */
static int listing_call_run(struct probe *p, struct listing_call *cc, uint32_t chunk,
			    bool write_chunk)
{
	const struct nfs_request request = cc->op.request;
	struct retries retries = { 0 };
	int rc;

	for (;;) {
		memset(&cc->area, 0, sizeof(cc->area));
		rc = listing_call_once(p, cc, chunk, write_chunk);
		if (!operation_again(p, &cc->op, &retries))
			return rc;
		listing_call_fini(p, cc);
		operation_init(&cc->op, request.op, NULL);
		cc->op.request = request;
	}
}

static int listing_once(struct probe *p, uint32_t chunk, struct nfs3_readdir_res *at,
			struct listing_digest *d)
{
	struct listing_call cc;
	int rc;

	operation_init(&cc.op, NFS_OP_READDIR, &p->files.directory.fh);
	cc.op.request.cookie = at->last_cookie;
	memcpy(cc.op.request.verifier, at->cookieverf, sizeof(at->cookieverf));
	cc.op.request.maxcount =
		listing_room(p->version, chunk ? chunk : rpcrdma_reply_inline(p->session.conn));
	cc.op.request.dircount = cc.op.request.maxcount;
	cc.op.request.entry = listing_digest_entry;
	cc.op.request.entry_arg = d;
	rc = listing_call_run(p, &cc, chunk, false);
	if (!rc && area_canaries_hurt(&cc.area))
		rc = err_set(EBADMSG, "data written outside the Reply chunk");
	if (!rc) {
		*at = cc.op.result.dir;
		/* Servers may ignore a Reply chunk if the reply fits inline. Then the Reply chunk
		 * was not tested. */
		d->unused += operation_left_chunk(&cc.op);
	}
	listing_call_fini(p, &cc);
	return rc;
}

static int listing_all(struct probe *p, uint32_t chunk, struct listing_digest *d)
{
	struct nfs3_readdir_res at = { 0 };
	unsigned int calls = 0;
	uint64_t before;
	int rc;

	memset(d, 0, sizeof(*d));
	do {
		before = at.last_cookie;
		rc = session_ready(p);
		if (!rc)
			rc = listing_once(p, chunk, &at, d);
		if (!rc && !at.eof && (!at.entries || at.last_cookie == before))
			rc = err_set(EBADMSG, "the listing does not continue after cookie %llu",
				     (unsigned long long)before);
	} while (!rc && !at.eof && ++calls < LISTING_CALLS && deadline_left(p->deadline));
	d->whole = at.eof;
	return rc;
}

/* Repeats the listing if the first try lost the connection. */
static int listing_again(struct probe *p, uint32_t chunk, struct listing_digest *d)
{
	int rc = listing_all(p, chunk, d);

	return session_is_failure(rc) ? listing_all(p, chunk, d) : rc;
}

/* Failures that the reply's mechanism did not cause. */
static bool listing_is_unknown(int rc)
{
	return session_is_failure(rc) || rc == -EAGAIN || target_is_local(rc);
}

/* Reports what is unknown or wrong. */
static void listing_say_failed(struct probe *p, const char *what, int rc)
{
	enum finding_status status = listing_is_unknown(rc) ? late_unknown(p) : FINDING_FAIL;

	if (status == FINDING_SKIP)
		late_not_tried(&p->pace, "READDIR");
	probe_because(p, "probe.readdir", status,
		      status == FINDING_FAIL ? "error" : probe_reason(rc), "%s: %s", what,
		      err_text());
}

void listing_readdir(struct probe *p)
{
	struct nfs_attr before, after;
	struct listing_digest chunk, direct;
	_cleanup_(finding_fini) struct finding f = { 0 };
	char what[64];
	int rc;

	if (!p->files.directory_entries) {
		probe_say(p, "probe.readdir", FINDING_SKIP, "no directory was listed");
		return;
	}
	if (operation_getattr(p, &p->files.directory.fh, &before))
		before = p->files.directory.attr;
	rc = listing_again(p, CHUNK_BYTES, &chunk);
	if (rc) {
		snprintf(what, sizeof(what), "READDIR by Reply chunk of %u bytes", CHUNK_BYTES);
		listing_say_failed(p, what, rc);
		return;
	}
	rc = listing_again(p, 0, &direct);
	if (rc || operation_getattr(p, &p->files.directory.fh, &after)) {
		listing_say_failed(p, "nothing to compare with: READDIR inline", -ETIMEDOUT);
		return;
	}
	if (!nfs_same_time(&before.mtime, &after.mtime)) {
		probe_say(p, "probe.readdir", FINDING_SKIP,
			  "the directory changed while it was listed");
		return;
	}
	if (!chunk.whole || !direct.whole) {
		probe_because(
			p, "probe.readdir",
			deadline_left(p->deadline) ? FINDING_SKIP : late_unknown(p), "time",
			"the directory was not listed completely: %u %s by Reply chunk, %u inline",
			chunk.entries, chunk.entries == 1 ? "entry" : "entries", direct.entries);
		return;
	}
	finding_init(&f, "probe.readdir",
		     chunk.hash == direct.hash && chunk.entries == direct.entries ? FINDING_PASS
										  : FINDING_FAIL,
		     "%u %s by Reply chunk, %u inline, %s%s", chunk.entries,
		     chunk.entries == 1 ? "entry" : "entries", direct.entries,
		     chunk.hash == direct.hash ? "the same" : "not the same",
		     chunk.unused ? "; the Reply chunk is unused where the reply fits inline" : "");
	if (f.status == FINDING_FAIL)
		finding_reason(&f, "differs");
	finding_number(&f, "entries", direct.entries);
	finding_number(&f, "reply_chunk_bytes", CHUNK_BYTES);
	finding_number(&f, "reply_chunks_unused", chunk.unused);
	probe_emit(p, &f);
}

/* Whether the text is in the reply although there was a Write chunk for it. */
static bool listing_link_is_inline(const struct nfs_version *version, const struct listing_call *cc)
{
	struct nfs_result result = { 0 };
	struct reader r;

	reader_init(&r, cc->op.call.results, cc->op.call.results_len);
	return !version->decode(version, &cc->op.request, &r, false, &result) && result.read.len;
}

/* The text of a link. */
struct listing_link {
	char text[NFS3_PATH_MAX];
	bool unused; /* it was inline and the chunk unused */
};

/* Returns the length of the text, or -errno with its text. */
static int listing_link_read(struct probe *p, const struct probe_file *link,
			     enum mechanism mechanism, struct listing_link *out)
{
	uint32_t size = (uint32_t)xdr_pad4(link->attr.size);
	uint32_t chunk = mechanism == MECH_INLINE        ? 0
			 : mechanism == MECH_WRITE_CHUNK ? size
							 : size + p->version->readlink_head;
	bool reduced = mechanism == MECH_WRITE_CHUNK;
	struct nfs_data data;
	struct listing_call cc;
	int rc;

	operation_init(&cc.op, NFS_OP_READLINK, &link->fh);
	rc = listing_call_run(p, &cc, chunk, reduced);
	data = cc.op.result.read;
	out->unused = operation_left_chunk(&cc.op);
	reduced = reduced && !out->unused;
	if (!rc && (data.len > sizeof(out->text) || (reduced && data.len > chunk)))
		rc = err_set(EBADMSG, "a target of %u bytes; expected %llu", data.len,
			     (unsigned long long)link->attr.size);
	/* Regardless of the returned lengths. Longer links are then not requested: their text may
	 * be more than can be received inline. */
	if (!rc && mechanism == MECH_WRITE_CHUNK && data.len && area_first_touched(&cc.area, 0) < 0)
		rc = out->unused || listing_link_is_inline(p->version, &cc)
			     ? err_set(EMSGSIZE,
				       "the text is inline, and nothing is written into the chunk")
			     : err_set(EBADMSG, "nothing is written into the chunk");
	if (!rc && data.len)
		memcpy(out->text, reduced ? cc.area.segs[0].base : data.bytes, data.len);
	if (!rc && reduced && area_first_touched(&cc.area, data.len) >= 0)
		rc = err_set(EBADMSG, "data written after the %u bytes of the target", data.len);
	if (!rc && out->unused && area_first_touched(&cc.area, 0) >= 0)
		rc = err_set(EBADMSG, "data written into an unused chunk");
	if (!rc && area_canaries_hurt(&cc.area))
		rc = err_set(EBADMSG, "data written outside the chunk");
	listing_call_fini(p, &cc);
	return rc ? rc : (int)data.len;
}

static int listing_link_again(struct probe *p, const struct probe_file *link,
			      enum mechanism mechanism, struct listing_link *out)
{
	int n = listing_link_read(p, link, mechanism, out);
	/* One byte equals the prefill by chance once in 256 times, and then looks unwritten. The
	 * prefill differs the next time. */
	bool chance = n == -EBADMSG && link->attr.size < sizeof(uint64_t);

	return chance || session_is_failure(n) ? listing_link_read(p, link, mechanism, out) : n;
}

/* Compares the link by this mechanism and by another. 1 correct, 0 could not be compared, or
 * -errno with its text. @unused: of the last READLINK. */
static int listing_link_compare(struct probe *p, const struct probe_file *link,
				enum mechanism mechanism, bool *unused)
{
	uint64_t all = RPCRDMA_HEADER_MIN + p->version->readlink_head + xdr_pad4(link->attr.size);
	enum mechanism first = all > rpcrdma_reply_inline(p->session.conn) ? MECH_REPLY_CHUNK
									   : MECH_INLINE;
	struct listing_link want, got;
	int len, n;

	len = listing_link_again(p, link, first, &want);
	*unused = want.unused;
	if (len < 0)
		return listing_is_unknown(len) ? 0 : len;
	n = listing_link_again(p, link, mechanism, &got);
	*unused = got.unused;
	if (listing_is_unknown(n))
		return 0;
	if (n < 0)
		return err_context(n, "by %s", mechanism_name(mechanism));
	if (n != len || memcmp(got.text, want.text, (size_t)len))
		return err_set(EBADMSG, "%s returned %d bytes that differ from the %d by %s",
			       mechanism_name(mechanism), n, len, mechanism_name(first));
	return 1;
}

/* Compares every link by this mechanism. @bad: the status of a wrong one. */
static void listing_links_compare(struct probe *p, const char *id, enum mechanism mechanism,
				  enum finding_status bad)
{
	const struct files *files = &p->files;
	unsigned int i, right = 0, unused = 0;
	char note[128] = "";
	uint64_t longest = 0;
	_cleanup_(finding_fini) struct finding f = { 0 };
	bool is_unused;
	int rc;

	for (i = 0; i < files->nlinks; i++) {
		if (!files->links[i].attr.size || files->links[i].attr.size > NFS3_PATH_MAX ||
		    session_ready(p))
			continue;
		rc = listing_link_compare(p, &files->links[i], mechanism, &is_unused);
		if (rc < 0) {
			probe_because(p, id, bad, rc == -EMSGSIZE ? "inline" : "wrong-text",
				      "READLINK of %s, %llu bytes, %s", files->links[i].path,
				      (unsigned long long)files->links[i].attr.size, err_text());
			return;
		}
		right += (unsigned int)rc;
		unused += rc && is_unused;
		if (rc && files->links[i].attr.size > longest)
			longest = files->links[i].attr.size;
	}
	if (!right) {
		probe_say(p, id, FINDING_SKIP, "%s",
			  files->nlinks ? "no link could be compared"
					: "no symbolic link was found");
		return;
	}
	if (unused)
		snprintf(note, sizeof(note),
			 "; the text of %u came inline, with the Reply chunk unused", unused);
	finding_init(&f, id, FINDING_PASS, "%u links of up to %llu bytes, by %s%s", right,
		     (unsigned long long)longest, mechanism_name(mechanism), note);
	finding_number(&f, "links", right);
	finding_number(&f, "longest", (double)longest);
	if (mechanism != MECH_WRITE_CHUNK)
		finding_number(&f, "reply_chunks_unused", unused);
	probe_emit(p, &f);
}

/* Write chunks have a finding of their own: under NFSv4 Linux since 5.11 puts them at the length
 * word instead of after it (nfsd4_encode_readlink gives that offset as the payload's), and
 * nfs-ganesha ignores them in each version. No Linux client is affected, since none offers a
 * Write chunk for a link. */
void listing_readlink(struct probe *p)
{
	listing_links_compare(p, "probe.readlink", MECH_REPLY_CHUNK, FINDING_FAIL);
	if (p->options->level == PROBE_FULL)
		listing_links_compare(p, "probe.readlink.write-chunk", MECH_WRITE_CHUNK,
				      FINDING_WARN);
	else
		probe_say(p, "probe.readlink.write-chunk", FINDING_SKIP,
			  "tested at level full only: no Linux client reads links this way");
}

void listing_between(struct probe *p, const struct nfs_fh *file)
{
	const struct files *files = &p->files;
	struct nfs3_readdir_res at = { 0 };
	struct listing_digest ignored = { 0 };
	struct listing_link link;
	struct nfs_attr attr;

	/* Only their execution matters here; the session notes failures. */
	operation_getattr(p, file, &attr);
	if (files->directory_entries && !session_ready(p))
		listing_once(p, BETWEEN_BYTES, &at, &ignored);
	if (files->nlinks && files->links[0].attr.size &&
	    files->links[0].attr.size <= NFS3_PATH_MAX)
		listing_link_read(p, &files->links[0], MECH_REPLY_CHUNK, &link);
}
