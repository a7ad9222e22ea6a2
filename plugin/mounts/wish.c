/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Over what somebody wanted an NFS mount to go. The kernel keeps the result only: it is what the
 * options of mount.nfs say, fstab, nfsmount.conf, or a port that only RDMA has. */
#include <stdio.h>
#include <strings.h>

#include "plugin/mounts/internal.h"

#define RDMA_PORT 20049

/* With what force mount.nfsrdma is told to have RDMA (mount.nfsrdma(8)). */
enum force { FORCE_NONE, FORCE_OFF, FORCE_PREFER, FORCE_REQUIRE };

/* What an option string asks for; mount.nfs takes the last, and the kernel too. */
struct named {
	bool rdma, other;
	bool other_last;
	enum force force;
};

static bool is_word(const char *word, const char *text, size_t len)
{
	return strlen(word) == len && !strncmp(word, text, len);
}

static void name_transport(struct named *named, const char *word, size_t len)
{
	static const struct {
		const char *word;
		bool rdma;
	} words[] = {
		{ "rdma", true },        { "proto=rdma", true }, { "proto=rdma6", true },
		{ "tcp", false },        { "udp", false },       { "proto=tcp", false },
		{ "proto=tcp6", false }, { "proto=udp", false }, { "proto=udp6", false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!is_word(words[i].word, word, len))
			continue;
		named->rdma |= words[i].rdma;
		named->other |= !words[i].rdma;
		named->other_last = !words[i].rdma;
	}
}

static void name_force(struct named *named, const char *word, size_t len)
{
	static const struct {
		const char *word;
		enum force force;
	} words[] = {
		{ "nfsrdma.policy=off", FORCE_OFF },
		{ "nfsrdma.policy=prefer", FORCE_PREFER },
		{ "nfsrdma.policy=require", FORCE_REQUIRE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (is_word(words[i].word, word, len))
			named->force = words[i].force;
}

static struct named name_options(const char *options)
{
	struct named named = { .rdma = false };
	size_t len;

	while (*options) {
		len = strcspn(options, ",");
		name_transport(&named, options, len);
		name_force(&named, options, len);
		options += len + (options[len] == ',');
	}
	return named;
}

bool mounts_overruled(const char *options)
{
	struct named named = name_options(options);

	return named.rdma && named.other_last;
}

bool mounts_is_rdma(const char *proto)
{
	/* Of thousands of mounts each may ask it of all others: first what is without a call. */
	return *proto == 'r' && (!strcmp(proto, "rdma") || !strcmp(proto, "rdma6"));
}

/* One that is overruled by another was wanted all the same. Whoever names a policy has it mounted by
 * mount.nfsrdma, which asks for RDMA itself. */
static enum mount_wish wish_of(const char *options)
{
	struct named named = name_options(options);

	if (!*options)
		return WISH_UNKNOWN;
	if (named.rdma)
		return WISH_RDMA;
	if (named.other)
		return WISH_TCP;
	return named.force > FORCE_OFF ? WISH_RDMA : WISH_NONE;
}

/* What mount.nfs was given has it no more: the helper takes it out. */
static enum force force_of(const struct nfs_mount *mount)
{
	enum force asked = name_options(mount->asked).force;

	return asked ? asked : name_options(mount->fstab).force;
}

static enum mount_wish by_options(const struct mounts_seen *seen,
				  const struct nfs_mount *mount)
{
	(void)seen;
	return wish_of(mount->asked);
}

static enum mount_wish by_fstab(const struct mounts_seen *seen,
				const struct nfs_mount *mount)
{
	(void)seen;
	return wish_of(mount->fstab);
}

bool mounts_same_server(const struct nfs_mount *a, const struct nfs_mount *b)
{
	return *a->addr && !strcmp(a->addr, b->addr);
}

/* The port that the mount was given stays in its options when it goes over another's connection.
 * It is RDMA's, or one by which others reach the same server over RDMA. */
static enum mount_wish by_port(const struct mounts_seen *seen,
			       const struct nfs_mount *mount)
{
	unsigned int i;

	if (*mount->asked || !mount->port || mounts_is_rdma(mount->proto))
		return WISH_UNKNOWN;
	if (mount->port == RDMA_PORT)
		return WISH_RDMA;
	for (i = 0; i < seen->now->count; i++) {
		const struct nfs_mount *other = &seen->now->list[i];

		if (mounts_is_rdma(other->proto) && other->port == mount->port &&
		    mounts_same_server(other, mount))
			return WISH_RDMA;
	}
	return WISH_UNKNOWN;
}

/* The text before the first colon of the source, as mount.nfs takes it. */
static const char *server_of(const struct nfs_mount *mount, char buf[256])
{
	snprintf(buf, 256, "%.*s", (int)strcspn(mount->fs_spec, ":"), mount->fs_spec);
	return buf;
}

static enum mount_wish by_conf(const struct mounts_seen *seen,
			       const struct nfs_mount *mount)
{
	char server[256];
	const struct {
		const char *section, *arg;
	} sections[] = {
		{ "MountPoint", mount->target },
		{ "Server", server_of(mount, server) },
		{ "NFSMount_Global_Options", NULL },
	};
	const struct conf_value *value;
	size_t i;

	for (i = 0; seen->nfsmount_conf && i < ARRAY_SIZE(sections); i++) {
		value = conf_get(seen->nfsmount_conf, sections[i].section,
				 sections[i].arg, "proto");
		if (value)
			return mounts_is_rdma(value->value) ? WISH_RDMA : WISH_UNKNOWN;
		value = conf_get(seen->nfsmount_conf, sections[i].section,
				 sections[i].arg, "rdma");
		if (conf_bool(value, 0) == 1)
			return WISH_RDMA;
	}
	return WISH_UNKNOWN;
}

/* @weak: what somebody said for this mount counts more. @guess: nobody said it. */
static const struct {
	const char *name;
	bool weak, guess;
	enum mount_wish (*wish)(const struct mounts_seen *seen,
				const struct nfs_mount *mount);
} sources[] = {
	{ "its options", false, false, by_options },
	{ "fstab", false, false, by_fstab },
	{ "its port", true, true, by_port },
	{ "nfsmount.conf", true, false, by_conf },
};

void mounts_wish(const struct mounts_seen *seen, struct mount_verdict *out)
{
	enum force force = force_of(out->mount);
	enum mount_wish wish;
	size_t i;

	out->wish = WISH_UNKNOWN;
	out->wish_by = "";
	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		if (sources[i].weak && out->wish == WISH_TCP)
			continue;
		wish = sources[i].wish(seen, out->mount);
		/* It may name RDMA all the same, and is nobody's to look at. */
		if (wish == WISH_RDMA && force == FORCE_OFF)
			wish = WISH_NONE;
		/* A word counts more than a guess. */
		if (wish < out->wish || (wish == out->wish && !out->guessed))
			continue;
		out->wish = wish;
		out->wish_by = sources[i].name;
		out->guessed = sources[i].guess;
	}
	out->lenient = out->wish == WISH_RDMA && force == FORCE_PREFER;
}
