/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* READs over a second connection while the first is open: nconnect=, other mounts and other clients have
 * some. Each is repeated over the first connection, so what fails over the second alone is neither the
 * file, nor the size, nor the mechanism. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

static const struct read_case second_cases[] = {
	{ .mechanism = MECH_INLINE, .count = 512 },
	{ .mechanism = MECH_WRITE_CHUNK, .count = 813 },
	{ .mechanism = MECH_WRITE_CHUNK, .offset = 4097, .count = 4096 },
	{ .mechanism = MECH_REPLY_CHUNK, .count = 4096 },
	{ .mechanism = MECH_WRITE_CHUNK, .count = 65536 },
	{ .mechanism = MECH_INLINE, .offset = 4, .count = 512 },
	{ .mechanism = MECH_WRITE_CHUNK, .offset = 8192, .count = 16384 },
};

static void second_swap(struct probe *p, struct session *other)
{
	struct session was = p->session;

	p->session = *other;
	*other = was;
}

/* False: nothing follows from it. */
static bool second_note(struct second *s, const struct read_case *c,
			const struct read_outcome *over_second,
			const struct read_outcome *over_first)
{
	/* A server need not do it by itself (RFC 8881 section 2.10.3.1). */
	if (strstr(over_second->text, "NFS4ERR_CONN_NOT_BOUND_TO_SESSION")) {
		snprintf(s->why, sizeof(s->why), "the session is not bound to a second connection");
		return false;
	}
	if (!read_kind_is_clean(over_first->kind))
		return true;
	s->right += read_kind_is_clean(over_second->kind);
	if (!read_kind_is_failure(over_second->kind))
		return true;
	if (!s->wrong++) {
		s->kind = over_second->kind;
		read_case_text(c, over_second->text, s->example, sizeof(s->example));
	}
	return true;
}

static void second_reads(struct probe *p, const struct window *w, struct session *first)
{
	struct read_outcome over_second, over_first;
	struct second *s = &p->second;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(second_cases) && s->wrong < 3 && deadline_left(p->deadline);
	     i++) {
		const struct read_case *c = &second_cases[i];

		if (c->count > p->limits.rtmax || c->offset + c->count > w->len ||
		    (c->mechanism == MECH_INLINE && !read_case_fits(p, c)))
			continue;
		read_once(p, w, c, &over_second);
		second_swap(p, first);
		read_once(p, w, c, &over_first);
		second_swap(p, first);
		if (!second_note(s, c, &over_second, &over_first))
			break;
	}
}

void second_run(struct probe *p, const struct window *w)
{
	struct behaviour behaviour = p->behaviour;
	struct session second = p->session;

	if (!p->session.conn || p->session.hopeless || w->changing)
		return;
	p->second = (struct second){ .tried = true };
	second.conn = NULL;
	second_swap(p, &second);
	probe_progress(p, "READs over a second connection", 0, 1);
	if (session_ready(p))
		snprintf(p->second.why, sizeof(p->second.why), "no second connection: %.200s",
			 err_text());
	else
		second_reads(p, w, &second);
	session_drop(p);
	second_swap(p, &second);
	/* What happened to the second connection is said by its own finding. */
	p->behaviour = behaviour;
}

void second_say(const struct second *s, finding_sink sink, void *arg)
{
	static const char id[] = "probe.second-connection";
	const unsigned int all = s->right + s->wrong;
	const char *reason = read_kind_reason(s->kind); /* NULL: none was wrong */
	_cleanup_(finding_fini) struct finding f = { 0 };

	/* Wrong data need not be wrong twice. */
	if (s->wrong > 1 || (s->wrong && !strcmp(reason, "wrong-data"))) {
		finding_init(
			&f, id, FINDING_FAIL,
			"%u of %u READs fail over a second connection, and not over the first: %s",
			s->wrong, all, read_kind_name(s->kind));
		finding_reason(&f, reason);
		finding_text(&f, "example", "%s", s->example);
	} else if (s->right && !s->wrong) {
		finding_init(&f, id, FINDING_PASS, "%u READs over a second connection, all correct",
			     s->right);
	} else {
		finding_init(&f, id, FINDING_SKIP, "%s",
			     *s->why    ? s->why
			     : s->wrong ? "one READ failed, once"
			     : s->tried ? "the same READs fail over the first"
					: "not tried");
	}
	finding_number(&f, "right", s->right);
	finding_number(&f, "wrong", s->wrong);
	sink(arg, &f);
}
