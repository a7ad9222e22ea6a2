/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which server it is, as far as the data that it sends proves it. Pure.
 *
 * File handles identify a server in every version of NFS. Linux nfsd (fs/nfsd/nfsfh.h) begins
 * each with version 1, authentication 0, the type of the file system's id and the type of the
 * file's, and then that id, whose length depends on its type; the root of an export has file type
 * 0 and nothing after the id. nfs-ganesha begins with 0x41 to 0x43, "to separate from Linux
 * knfsd" (its nfs_fh.h). One handle could look like Linux's by chance, so two related ones are
 * required: the root of an export, and a file below it with the same id.
 *
 * NFSv4.1's EXCHANGE_ID may name the implementation. Newer kernels do: "kernel.org", "Linux
 * 6.x..."; so do illumos ("illumos NFSv4.1 Server Implementation") and ONTAP ("NetApp Release
 * ...").
 *
 * Contradictory evidence makes the server unknown, and so does evidence that proves nothing: any
 * server may send no private data, offer a given version, or grant 64 credits. Such habits allow
 * a guess, which is shown to the user and opens no gate. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define OURS_MAGIC  0x6e667372 /* export.c */
#define OURS_LENGTH 28

#define KNFSD_VERSION 1
#define KNFSD_HEAD    4

#define GANESHA_FIRST 0x41
#define GANESHA_LAST  0x43

#define PAGE 4096
#define KIB  1024
#define MIB  (1024 * KIB)

static const struct {
	const char *name, *word;
} kinds[SERVER_KINDS] = {
	[SERVER_UNKNOWN] = { "not identified", "unknown" },
	[SERVER_OURS] = { "the server of nfsrdma", "nfsrdma" },
	[SERVER_LINUX] = { "Linux nfsd", "linux" },
	[SERVER_GANESHA] = { "nfs-ganesha", "ganesha" },
	[SERVER_ONTAP] = { "NetApp ONTAP", "ontap" },
	[SERVER_ONEFS] = { "Dell OneFS (Isilon)", "onefs" },
	[SERVER_SOLARIS] = { "Solaris or illumos", "solaris" },
};

const char *identity_name(enum server_kind kind)
{
	return kinds[kind].name;
}

const char *identity_word(enum server_kind kind)
{
	return kinds[kind].word;
}

void identity_add(struct server_seen *seen, const struct nfs_fh *fh)
{
	unsigned int i;

	for (i = 0; i < seen->nhandles; i++)
		if (seen->handles[i].len == fh->len &&
		    !memcmp(seen->handles[i].data, fh->data, fh->len))
			return;
	if (fh->len <= NFS_FH_MAX && seen->nhandles < IDENTITY_HANDLES)
		seen->handles[seen->nhandles++] = *fh;
}

static bool identity_is_knfsd(const struct nfs_fh *fh)
{
	/* Of a file system's id, by its type. */
	static const uint8_t lengths[] = { 8, 4, 12, 8, 8, 8, 16, 24 };
	uint32_t id;

	if (fh->len < KNFSD_HEAD || fh->len % 4 || fh->data[0] != KNFSD_VERSION || fh->data[1] != 0)
		return false;
	/* FILEID_INVALID is never sent. */
	if (fh->data[2] >= ARRAY_SIZE(lengths) || fh->data[3] == 0xff)
		return false;
	id = lengths[fh->data[2]];
	/* FILEID_ROOT has nothing after the id. */
	return fh->data[3] ? fh->len > KNFSD_HEAD + id : fh->len == KNFSD_HEAD + id;
}

static bool identity_is_knfsd_root(const struct nfs_fh *fh)
{
	return identity_is_knfsd(fh) && !fh->data[3];
}

static bool identity_is_like_knfsd(const struct nfs_fh *fh)
{
	return fh->len > KNFSD_HEAD && fh->data[0] == KNFSD_VERSION;
}

static bool identity_is_ours(const struct nfs_fh *fh)
{
	return fh->len == OURS_LENGTH && get_be32(fh->data) == OURS_MAGIC;
}

static bool identity_is_ganesha(const struct nfs_fh *fh)
{
	return fh->len && fh->data[0] >= GANESHA_FIRST && fh->data[0] <= GANESHA_LAST;
}

static unsigned int identity_count_handles(const struct server_seen *seen,
					   bool (*test)(const struct nfs_fh *fh))
{
	unsigned int i, n = 0;

	for (i = 0; i < seen->nhandles; i++)
		n += test(&seen->handles[i]);
	return n;
}

static bool identity_all_handles(const struct server_seen *seen,
				 bool (*test)(const struct nfs_fh *fh))
{
	return identity_count_handles(seen, test) == seen->nhandles;
}

/* Whether there are the root of an export and a handle of the same export below it. */
static bool identity_has_pair(const struct server_seen *seen)
{
	const struct nfs_fh *root, *fh;
	unsigned int i, j;

	for (i = 0; i < seen->nhandles; i++)
		for (j = 0; j < seen->nhandles; j++) {
			root = &seen->handles[i];
			fh = &seen->handles[j];
			if (identity_is_knfsd_root(root) && !identity_is_knfsd_root(fh) &&
			    fh->data[2] == root->data[2] &&
			    !memcmp(fh->data + KNFSD_HEAD, root->data + KNFSD_HEAD,
				    root->len - KNFSD_HEAD))
				return true;
		}
	return false;
}

/* Names of other servers in EXCHANGE_ID, in the domain or in the name. */
static enum server_kind identity_named(const struct server_seen *seen)
{
	static const struct {
		const char *part;
		enum server_kind kind;
	} names[] = {
		{ "netapp", SERVER_ONTAP },    { "ontap", SERVER_ONTAP },
		{ "onefs", SERVER_ONEFS },     { "isilon", SERVER_ONEFS },
		{ "illumos", SERVER_SOLARIS }, { "solaris", SERVER_SOLARIS },
		{ "sunos", SERVER_SOLARIS },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strcasestr(seen->domain, names[i].part) ||
		    strcasestr(seen->implementation, names[i].part))
			return names[i].kind;
	return SERVER_UNKNOWN;
}

enum server_kind identity_of(const struct server_seen *seen, char *why, size_t cap)
{
	static const char ganesha[] = "_NFS-Ganesha"; /* the end of its scope */
	bool named = seen->domain[0] || seen->implementation[0];
	size_t len = strlen(seen->scope), end = strlen(ganesha);

	if ((len >= end && !strcmp(seen->scope + len - end, ganesha)) ||
	    strcasestr(seen->implementation, "ganesha")) {
		snprintf(why, cap, "EXCHANGE_ID names it");
		return SERVER_GANESHA;
	}
	if (identity_count_handles(seen, identity_is_ganesha)) {
		snprintf(why, cap, "by its file handles");
		return SERVER_GANESHA;
	}
	if (seen->nhandles && identity_all_handles(seen, identity_is_ours) && !named) {
		snprintf(why, cap, "by its file handles");
		return SERVER_OURS;
	}
	/* A server that gives another name is not identified as Linux by its handles. */
	if (!strcmp(seen->domain, "kernel.org") && !strncmp(seen->implementation, "Linux ", 6) &&
	    identity_all_handles(seen, identity_is_like_knfsd)) {
		snprintf(why, cap, "EXCHANGE_ID names %.100s", seen->implementation);
		return SERVER_LINUX;
	}
	if (!named && identity_all_handles(seen, identity_is_knfsd) && identity_has_pair(seen)) {
		snprintf(why, cap, "by its file handles");
		return SERVER_LINUX;
	}
	if (named)
		snprintf(why, cap, "EXCHANGE_ID names %.60s, %.100s", seen->domain,
			 seen->implementation);
	else
		snprintf(why, cap, "unknown form of file handles");
	return identity_named(seen);
}

/* The default largest and preferred READ of each server. */
enum server_kind identity_guess(const struct server_habits *h, char *why, size_t cap)
{
	if (!h->private_data && h->largest_read == 64 * MIB) {
		snprintf(why, cap, "no private data, READs of up to 64 MiB");
		return SERVER_GANESHA;
	}
	if (h->private_data && h->inline_size == PAGE && h->nfs42) {
		snprintf(why, cap, "private data, %u bytes inline, NFS 4.2", h->inline_size);
		return SERVER_LINUX;
	}
	if (h->largest_read == MIB && h->preferred_read == 128 * KIB) {
		snprintf(why, cap, "READs of up to 1 MiB, 128 KiB preferred");
		return SERVER_ONEFS;
	}
	if (!h->private_data && h->nfs4 && h->largest_read == 32 * KIB) {
		snprintf(why, cap, "no private data, READs of up to 32 KiB");
		return SERVER_SOLARIS;
	}
	if (h->largest_read == 64 * KIB) {
		snprintf(why, cap, "READs of up to 64 KiB");
		return SERVER_ONTAP;
	}
	return SERVER_UNKNOWN;
}

bool identity_may_be_linux(enum server_kind kind)
{
	return kind == SERVER_UNKNOWN || kind == SERVER_LINUX || kind == SERVER_OURS;
}

/* Requests that crash a server */

static uint32_t gate_bytes(const struct gate_request *q)
{
	if (q->offset >= q->size)
		return 0;
	return (uint32_t)min_u64(min_u32(q->count, q->most), q->size - q->offset);
}

enum gate gate_class(const struct gate_request *q)
{
	if (q->followed)
		return GATE_FOLLOWED;
	if (!gate_bytes(q))
		return GATE_EMPTY;
	if (q->count > GATE_MAX || (gate_bytes(q) % 4 && gate_bytes(q) > GATE_MAX - 4))
		return GATE_LONG;
	/* The reply may be shorter than the request: at the end of the file, or at the server's
	 * limit. Both lengths count. */
	if (q->reply_chunk &&
	    (q->count % 4 || gate_bytes(q) % 4 || q->count > GATE_REPLY_CHUNK_MAX))
		return GATE_REPLY_CHUNK;
	return GATE_OPEN;
}

bool gate_lets(enum server_kind kind, enum gate gate)
{
	return gate == GATE_OPEN || kind == SERVER_LINUX || kind == SERVER_OURS;
}
