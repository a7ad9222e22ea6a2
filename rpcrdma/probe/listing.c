/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The other replies that can be large: READDIRPLUS, which is not DDP-eligible and needs a Reply
 * chunk, and READLINK, whose path may travel by Write chunk (RFC 8267 section 3). Each is held
 * against the same reply inline. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define CHUNK_BYTES   32768
#define BETWEEN_BYTES 8192
#define LISTING_CALLS 512
#define LINK_HEAD     128

/* A listing without its memory: what was in it, in order. */
struct digest {
	uint64_t hash;
	uint32_t entries;
	bool whole; /* to the end of the directory */
};

static int digest_entry(void *arg, const struct nfs_entry *e)
{
	struct digest *d = arg;
	uint32_t i;

	/* FNV-1a over id and name. */
	for (i = 0; i < 8; i++)
		d->hash = (d->hash ^ ((e->fileid >> (8 * i)) & 0xff)) * 0x100000001b3u;
	for (i = 0; i < e->name_len; i++)
		d->hash = (d->hash ^ (uint8_t)e->name[i]) * 0x100000001b3u;
	d->entries++;
	return 0;
}

/* One call whose reply may come by a chunk of @chunk bytes (0: inline). The caller decodes
 * call->results and then calls chunk_done(). */
struct chunk_call {
	struct rpcrdma_call call;
	struct area area;
};

static int chunk_call(struct probe *p, struct chunk_call *cc, uint32_t proc,
		      const void *args, ssize_t args_len, uint32_t chunk,
		      bool write_chunk)
{
	int rc;

	rpcrdma_call_init(&cc->call, NFS_PROGRAM_NUMBER, 3, proc);
	rc = area_init(&cc->area, &chunk, chunk ? 1 : 0);
	if (!rc && args_len < 0)
		rc = (int)args_len;
	if (!rc)
		rc = session_ready(p);
	if (!rc)
		rc = session_register(p, &cc->area);
	if (rc) {
		cc->call.rc = rc;
		return rc;
	}
	cc->call.cred = &p->cred;
	cc->call.args = args;
	cc->call.args_len = (size_t)args_len;
	if (write_chunk) {
		cc->call.write = cc->area.segs;
		cc->call.write_count = cc->area.nsegs;
	} else {
		cc->call.reply = cc->area.segs;
		cc->call.reply_count = cc->area.nsegs;
	}
	rc = session_call(p, &cc->call, chunk);
	return rc ? rc : rpc_reply_check(&cc->call.rpc);
}

static void chunk_done(struct probe *p, struct chunk_call *cc)
{
	session_release(p, &cc->area);
	rpcrdma_call_fini(&cc->call);
	area_fini(&cc->area);
}

static int list_once(struct probe *p, uint32_t chunk, struct nfs3_readdir_res *at,
		     struct digest *d)
{
	uint32_t room = (chunk ? chunk : rpcrdma_reply_inline(p->conn)) - LISTING_HEAD;
	struct chunk_call cc = { 0 };
	uint8_t args[256];
	struct reader r;
	int rc;

	rc = chunk_call(p, &cc, NFS3_READDIRPLUS, args,
			nfs3_args_readdirplus(args, sizeof(args), &p->directory.fh,
					      at->last_cookie, at->cookieverf, room,
					      room),
			chunk, false);
	reader_init(&r, cc.call.results, cc.call.results_len);
	if (!rc)
		rc = nfs3_res_readdirplus(at, &r, digest_entry, d);
	if (!rc && at->status)
		rc = err_set(EIO, "%s", nfs3_status_text(at->status));
	if (!rc && area_canaries_hurt(&cc.area))
		rc = err_set(EPROTO, "bytes were written outside the Reply chunk");
	chunk_done(p, &cc);
	return rc;
}

static int list_all(struct probe *p, uint32_t chunk, struct digest *d)
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
			rc = list_once(p, chunk, &at, d);
		if (!rc && !at.eof && (!at.entries || at.last_cookie == before))
			rc = err_set(EPROTO,
				     "the listing does not go on after cookie %llu",
				     (unsigned long long)before);
	} while (!rc && !at.eof && ++calls < LISTING_CALLS && deadline_left(p->deadline));
	d->whole = at.eof;
	return rc;
}

/* Once more where the connection was lost under the first try. */
static int list_again(struct probe *p, uint32_t chunk, struct digest *d)
{
	int rc = list_all(p, chunk, d);

	return session_is_mishap(rc) ? list_all(p, chunk, d) : rc;
}

void listing_readdir(struct probe *p)
{
	struct nfs_attr before, after;
	struct digest chunk, direct;
	struct finding f;
	int rc;

	if (!p->directory_entries) {
		probe_say(p, "probe.readdir", FINDING_SKIP, "no directory was listed");
		return;
	}
	if (session_getattr(p, &p->directory.fh, &before))
		before = p->directory.attr;
	rc = list_again(p, CHUNK_BYTES, &chunk);
	if (rc) {
		probe_say(p, "probe.readdir",
			  session_is_mishap(rc) ? FINDING_UNKNOWN : FINDING_FAIL,
			  "READDIRPLUS by Reply chunk of %u bytes: %s", CHUNK_BYTES,
			  err_text());
		return;
	}
	rc = list_again(p, 0, &direct);
	if (rc || session_getattr(p, &p->directory.fh, &after)) {
		probe_say(p, "probe.readdir", FINDING_UNKNOWN,
			  "nothing to compare it with: READDIRPLUS inline: %s",
			  err_text());
		return;
	}
	if (before.mtime.sec != after.mtime.sec ||
	    before.mtime.nsec != after.mtime.nsec) {
		probe_say(p, "probe.readdir", FINDING_SKIP,
			  "the directory changed while it was listed");
		return;
	}
	if (!chunk.whole || !direct.whole) {
		probe_say(
			p, "probe.readdir",
			deadline_left(p->deadline) ? FINDING_SKIP : FINDING_UNKNOWN,
			"the directory was not listed to its end: %u entries by Reply chunk, %u inline",
			chunk.entries, direct.entries);
		return;
	}
	finding_init(&f, "probe.readdir",
		     chunk.hash == direct.hash && chunk.entries == direct.entries
			     ? FINDING_PASS
			     : FINDING_FAIL,
		     "%u entries by Reply chunk, %u inline, %s", chunk.entries,
		     direct.entries,
		     chunk.hash == direct.hash ? "the same" : "not the same");
	finding_number(&f, "entries", direct.entries);
	finding_number(&f, "reply_chunk_bytes", CHUNK_BYTES);
	probe_emit(p, &f);
}

/* The target into @text; its length, or -errno with the words. */
static int read_link(struct probe *p, const struct probe_file *link,
		     enum mechanism mechanism, char *text, size_t cap)
{
	uint32_t size = (uint32_t)xdr_pad4(link->attr.size);
	uint32_t chunk = mechanism == MECH_INLINE        ? 0
			 : mechanism == MECH_WRITE_CHUNK ? size
							 : size + LINK_HEAD;
	bool reduced = mechanism == MECH_WRITE_CHUNK;
	struct chunk_call cc = { 0 };
	struct nfs3_read_res res;
	uint8_t args[128];
	struct reader r;
	int rc;

	rc = chunk_call(p, &cc, NFS3_READLINK, args,
			nfs3_args_fh(args, sizeof(args), &link->fh), chunk, reduced);
	reader_init(&r, cc.call.results, cc.call.results_len);
	if (!rc)
		rc = nfs3_res_readlink(&res, &r, reduced);
	if (!rc && res.status)
		rc = err_set(EIO, "%s", nfs3_status_text(res.status));
	if (!rc && (res.data_len > cap || (reduced && res.data_len > chunk)))
		rc = err_set(EPROTO, "a target of %u bytes, the link has %llu",
			     res.data_len, (unsigned long long)link->attr.size);
	if (!rc && res.data_len)
		memcpy(text, reduced ? cc.area.segs[0].base : res.data, res.data_len);
	if (!rc && reduced && area_first_touched(&cc.area, res.data_len) >= 0)
		rc = err_set(EPROTO, "bytes were written beyond the %u of the target",
			     res.data_len);
	if (!rc && area_canaries_hurt(&cc.area))
		rc = err_set(EPROTO, "bytes were written outside the chunk");
	chunk_done(p, &cc);
	return rc ? rc : (int)res.data_len;
}

static int read_link_again(struct probe *p, const struct probe_file *link,
			   enum mechanism mechanism, char *text, size_t cap)
{
	int n = read_link(p, link, mechanism, text, cap);

	return session_is_mishap(n) ? read_link(p, link, mechanism, text, cap) : n;
}

/* 1 right, 0 could not be compared, or -errno with the words. */
static int compare_link(struct probe *p, const struct probe_file *link)
{
	char want[NFS3_PATH_MAX], got[NFS3_PATH_MAX];
	uint64_t all = RPCRDMA_HEADER_MIN + LINK_HEAD + xdr_pad4(link->attr.size);
	enum mechanism first = all > rpcrdma_reply_inline(p->conn) ? MECH_REPLY_CHUNK
								   : MECH_INLINE;
	enum mechanism m;
	int len, n;

	len = read_link_again(p, link, first, want, sizeof(want));
	if (len < 0)
		return session_is_mishap(len) ? 0 : len;
	for (m = MECH_WRITE_CHUNK; m < MECH_COUNT; m++) {
		n = read_link_again(p, link, m, got, sizeof(got));
		if (session_is_mishap(n))
			return 0;
		if (n < 0)
			return err_context(n, "by %s", mechanism_name(m));
		if (n != len || memcmp(got, want, (size_t)len))
			return err_set(EPROTO,
				       "by %s %d bytes came that are not the %d by %s",
				       mechanism_name(m), n, len, mechanism_name(first));
	}
	return 1;
}

void listing_readlink(struct probe *p)
{
	unsigned int i, right = 0;
	uint64_t longest = 0;
	struct finding f;
	int rc;

	for (i = 0; i < p->nlinks; i++) {
		if (!p->links[i].attr.size || p->links[i].attr.size > NFS3_PATH_MAX ||
		    session_ready(p))
			continue;
		rc = compare_link(p, &p->links[i]);
		if (rc < 0) {
			probe_say(p, "probe.readlink", FINDING_FAIL,
				  "READLINK of %s, %llu bytes, %s", p->links[i].path,
				  (unsigned long long)p->links[i].attr.size, err_text());
			return;
		}
		right += (unsigned int)rc;
		if (rc && p->links[i].attr.size > longest)
			longest = p->links[i].attr.size;
	}
	if (!right) {
		probe_say(p, "probe.readlink", FINDING_SKIP, "%s",
			  p->nlinks ? "no link could be compared"
				    : "the export has no symbolic link");
		return;
	}
	finding_init(&f, "probe.readlink", FINDING_PASS,
		     "%u links of up to %llu bytes, by Write chunk and by Reply chunk",
		     right, (unsigned long long)longest);
	finding_number(&f, "links", right);
	finding_number(&f, "longest", (double)longest);
	probe_emit(p, &f);
}

void listing_between(struct probe *p, const struct nfs_fh *file)
{
	struct nfs3_readdir_res at = { 0 };
	char target[NFS3_PATH_MAX];
	struct digest ignored = { 0 };
	struct nfs_attr attr;

	/* Only that they happen matters here; what fails is noted by the session. */
	session_getattr(p, file, &attr);
	if (p->directory_entries && !session_ready(p))
		list_once(p, BETWEEN_BYTES, &at, &ignored);
	if (p->nlinks && p->links[0].attr.size && p->links[0].attr.size <= NFS3_PATH_MAX)
		read_link(p, &p->links[0], MECH_REPLY_CHUNK, target, sizeof(target));
}
