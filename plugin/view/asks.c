/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What an option string requests; mount.nfs and the kernel both use the last transport. */
#include "plugin/view/internal.h"

/* Transports found in the options. */
struct asks_words {
	bool rdma, other, other_last;
	enum view_force force;
};

const char *view_asked_name(enum view_asked asked)
{
	static const char *const names[] = {
		[ASKED_UNKNOWN] = "unknown",
		[ASKED_ANY] = "any",
		[ASKED_TCP] = "tcp",
		[ASKED_RDMA] = "rdma",
	};

	return names[asked];
}

static void asks_take_word(struct asks_words *named, const char *word, size_t len)
{
	static const struct {
		const char *word;
		bool rdma, other;
		enum view_force force;
	} words[] = {
		{ "rdma", true, false, FORCE_NONE },
		{ "proto=rdma", true, false, FORCE_NONE },
		{ "proto=rdma6", true, false, FORCE_NONE },
		{ "tcp", false, true, FORCE_NONE },
		{ "udp", false, true, FORCE_NONE },
		{ "proto=tcp", false, true, FORCE_NONE },
		{ "proto=tcp6", false, true, FORCE_NONE },
		{ "proto=udp", false, true, FORCE_NONE },
		{ "proto=udp6", false, true, FORCE_NONE },
		{ "nfsrdma.policy=off", false, false, FORCE_OFF },
		{ "nfsrdma.policy=prefer", false, false, FORCE_PREFER },
		{ "nfsrdma.policy=require", false, false, FORCE_REQUIRE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].word) != len || strncmp(words[i].word, word, len))
			continue;
		named->rdma |= words[i].rdma;
		named->other |= words[i].other;
		if (words[i].force)
			named->force = words[i].force;
		else
			named->other_last = words[i].other;
	}
}

void view_asks(const char *type, const char *options, struct view_asks *out)
{
	bool ours = type && !strcmp(type, "nfsrdma");
	struct asks_words named = { .rdma = false };
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	const char *p = options;
	size_t len;

	for (; *p; p += len + (p[len] == ',')) {
		len = strcspn(p, ",");
		asks_take_word(&named, p, len);
	}
	/* Options that cannot be parsed request RDMA if they contain its name. */
	if (!named.rdma && strstr(options, "rdma") && opts_parse(&opts, options))
		named.rdma = true;
	*out = (struct view_asks){ .force = named.force,
				   .overruled = named.rdma && named.other_last };
	/* With nfsrdma.policy= it is mounted by mount.nfsrdma, which requests RDMA itself. */
	if (named.force == FORCE_OFF)
		out->asked = named.other ? ASKED_TCP : ASKED_ANY;
	else if (named.rdma)
		out->asked = ASKED_RDMA;
	else if (named.other)
		out->asked = ASKED_TCP;
	else if (ours || named.force)
		out->asked = ASKED_RDMA;
	else
		out->asked = *options ? ASKED_ANY : ASKED_UNKNOWN;
}
