/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the packet filters of this host let the side channels of NFS pass (channels.c): of the
 * versions that were asked for, that are mounted over RDMA, or that the server of this host
 * offers. What was asked for must work; a closed channel that may not be needed is a note. */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* How necessary a version is. */
enum want { WANT_NOT, WANT_OFFERED, WANT_MOUNTED, WANT_ASKED };

struct firewall_channels {
	struct netfilter_tally tally;
	struct words open, closed, loose; /* of channels, by name */
	struct words portless;            /* those without a fixed port, closed or open by chance */
	enum finding_status status;
	bool offered; /* something is closed that is only offered */
};

static enum want firewall_channels_want(struct check_run *run, const struct channel *channel)
{
	if (!(channel->role & run->target->roles))
		return WANT_NOT;
	if (channel_is_asked(run, channel->use))
		return WANT_ASKED;
	/* Another version was asked for. */
	if (run->target->nfs_version && channel->use != USE_KRB5)
		return WANT_NOT;
	if (!channel_is_wanted(run, channel->role, channel->use))
		return WANT_NOT;
	return channel->role == CHECK_SERVER ? WANT_OFFERED : WANT_MOUNTED;
}

/* --- one channel ---------------------------------------------------------------------------- */

struct channel_count {
	unsigned int open, dropped, unknown, loose, portless;
	int port; /* -1: not asked for yet */
};

static void firewall_channels_judge(struct firewall_channels *state, const struct channel *channel,
				    enum want want, const struct channel_count *count)
{
	bool none = !count->open && !count->unknown && !count->loose;
	enum finding_status status = FINDING_WARN;

	if (!count->dropped && !count->unknown && !count->loose) {
		words_add(&state->open, "%s", channel->name);
		return;
	}
	if (count->portless)
		words_add(&state->portless, "%s", channel->name);
	if (count->dropped || count->unknown)
		words_add(&state->closed, "%s", channel->name);
	else
		words_add(&state->loose, "%s", channel->name);
	if (count->unknown && !count->dropped) {
		status = FINDING_UNKNOWN;
	} else if (want == WANT_OFFERED) {
		state->offered = true;
		return;
	} else if (want == WANT_ASKED && !channel->minor && none) {
		status = FINDING_FAIL;
	}
	state->status = netfilter_worse(state->status, status);
}

/* Most hosts accept what they send, and some accept whatever arrives on an interface: then the
 * port does not matter, and is not looked up. A port that changes with each start is open by
 * chance, if rules distinguish ports. */
static int firewall_channels_ask(struct check_run *run, struct firewall_channels *state,
				 const struct channel *channel, const struct packet_path *path,
				 struct channel_count *count)
{
	const struct packet_kind kind = { .protocol = channel->protocol, .in = channel->in };
	struct netfilter_answer any;
	struct firewall_packet packet;
	enum firewall_answer answer;
	uint16_t port = 0;
	int rc;

	packet_path_packet(path, kind, 0, &packet);
	rc = netfilter_ask(run, &packet, &any);
	if (rc)
		return rc;
	if (any.answer != FIREWALL_ACCEPT) {
		if (count->port < 0)
			count->port = channel->port(run);
		port = (uint16_t)count->port;
	}
	if (!port &&
	    (any.answer == FIREWALL_UNKNOWN || (any.answer == FIREWALL_DROP && any.by_zone))) {
		count->loose++;
		count->portless++;
		return 0;
	}
	packet_path_packet(path, kind, port, &packet);
	rc = netfilter_count(run, &state->tally, channel->name, &packet, &answer);
	if (rc)
		return rc;
	count->open += answer == FIREWALL_ACCEPT;
	count->dropped += answer == FIREWALL_DROP;
	count->unknown += answer == FIREWALL_UNKNOWN;
	count->portless += !port && answer == FIREWALL_DROP;
	return 0;
}

/* --- the check -------------------------------------------------------------------------------- */

static int firewall_channels_say(struct check_run *run, struct firewall_channels *state)
{
	struct words *closed = &state->closed, *loose = &state->loose;
	struct words words = { .separator = "; " };
	char text[FINDING_SUMMARY_MAX];
	size_t used;

	/* What a server offers, and clients may need. */
	if (state->status == FINDING_PASS && state->offered) {
		if (closed->count)
			words_add(&words, "closed: %.250s", words_text(closed));
		if (loose->count)
			words_add(&words, "without a fixed port: %.150s", words_text(loose));
		check_note(run);
		return check_say(run, FINDING_PASS,
				 "NFSv4.1 and later need none; for clients of older versions %s",
				 words_text(&words));
	}
	if (state->status == FINDING_PASS)
		return check_say(run, FINDING_PASS, "open: %.400s%s", words_text(&state->open),
				 state->tally.by_zone ? ", by firewalld's settings" : "");
	netfilter_text(&state->tally, text);
	used = strlen(text);
	if (loose->count)
		snprintf(text + used, sizeof(text) - used,
			 "%swithout a fixed port, so open only by chance: %.200s", used ? "; " : "",
			 words_text(loose));
	if (closed->count)
		finding_text(&run->finding, "closed", "%s", words_text(closed));
	if (state->portless.count)
		finding_text(&run->finding, "no_fixed_port", "%s", words_text(&state->portless));
	/* A rule that can be changed comes before a port that no rule can name. */
	if (closed->count)
		netfilter_explain(run, &state->tally);
	if (state->portless.count && !state->tally.open.count)
		finding_reason(&run->finding, "no-fixed-port");
	return check_say(run, state->status, "%s", text);
}

int check_firewall_side_channels(struct check_run *run)
{
	_cleanup_free_ struct packet_path_list *paths = malloc(sizeof(*paths));
	_cleanup_free_ struct firewall_channels *state = calloc(1, sizeof(*state));
	const struct channel *channel;
	unsigned int wanted = 0, i;
	enum want want;
	int rc;

	if (!paths || !state)
		return err_no_memory();
	state->status = FINDING_PASS;
	for (channel = channel_table; channel->name; channel++) {
		struct channel_count count = { .port = -1 };

		want = firewall_channels_want(run, channel);
		if (want == WANT_NOT)
			continue;
		wanted++;
		/* Clients arrive by the interfaces of RDMA devices; this client reaches the server
		 * by its route. */
		paths->count = 0;
		if (channel->role == CHECK_CLIENT)
			packet_paths_to_server(run, paths);
		rc = paths->count ? 0 : packet_paths_to_any(run, paths);
		for (i = 0; i < paths->count && !rc; i++)
			if (*paths->list[i].netdev)
				rc = firewall_channels_ask(run, state, channel, &paths->list[i],
							   &count);
		if (rc)
			return rc;
		firewall_channels_judge(state, channel, want, &count);
	}
	if (!wanted)
		return check_say(run, FINDING_SKIP,
				 "only NFSv3, NFSv4.0 and Kerberos have them "
				 "(--nfs-version, --sec)");
	return firewall_channels_say(run, state);
}
