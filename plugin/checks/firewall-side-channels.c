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

struct state {
	struct netfilter_tally tally;
	struct words open, closed, loose; /* of channels, by name */
	struct words portless; /* those without a fixed port, closed or open by chance */
	enum finding_status status;
	bool offered; /* something is closed that is only offered */
};

static enum want want_of(struct check_run *run, const struct channel *channel)
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

struct count {
	unsigned int open, dropped, unknown, loose, portless;
	int port; /* -1: not asked for yet */
};

static void worsen(struct state *state, enum finding_status status)
{
	state->status = netfilter_worse(state->status, status);
}

static void judge(struct state *state, const struct channel *channel, enum want want,
		  const struct count *count)
{
	bool none = !count->open && !count->unknown && !count->loose;

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
	if (count->unknown && !count->dropped)
		worsen(state, FINDING_UNKNOWN);
	else if (want == WANT_OFFERED)
		state->offered = true;
	else
		worsen(state, want == WANT_ASKED && !channel->minor && none
				      ? FINDING_FAIL
				      : FINDING_WARN);
}

static void take(struct count *count, enum firewall_answer answer)
{
	count->open += answer == FIREWALL_ACCEPT;
	count->dropped += answer == FIREWALL_DROP;
	count->unknown += answer == FIREWALL_UNKNOWN;
}

static uint16_t port_of(struct check_run *run, const struct channel *channel,
			struct count *count)
{
	if (count->port < 0)
		count->port = channel->port(run);
	return (uint16_t)count->port;
}

/* Most hosts accept what they send, and some accept whatever arrives on an interface: then the
 * port does not matter, and is not looked up. A port that changes with each start is open by
 * chance, if rules distinguish ports. */
static int ask(struct check_run *run, struct state *state, const struct channel *channel,
	       const struct way *way, struct count *count)
{
	struct netfilter_answer any;
	struct firewall_packet packet;
	enum firewall_answer answer;
	uint16_t port;
	int rc;

	way_packet(way, channel->in, false, channel->protocol, 0, &packet);
	rc = netfilter_ask(run, &packet, &any);
	if (rc)
		return rc;
	port = any.answer == FIREWALL_ACCEPT ? 0 : port_of(run, channel, count);
	if (!port && (any.answer == FIREWALL_UNKNOWN ||
		      (any.answer == FIREWALL_DROP && any.by_zone))) {
		count->loose++;
		count->portless++;
		return 0;
	}
	way_packet(way, channel->in, false, channel->protocol, port, &packet);
	rc = netfilter_count(run, &state->tally, channel->name, &packet, &answer);
	if (rc)
		return rc;
	take(count, answer);
	count->portless += !port && answer == FIREWALL_DROP;
	return 0;
}

static int look_at(struct check_run *run, struct state *state,
		   const struct channel *channel, enum want want,
		   const struct way_list *ways)
{
	struct count count = { .port = -1 };
	unsigned int i;
	int rc = 0;

	for (i = 0; i < ways->count && !rc; i++)
		if (*ways->list[i].netdev)
			rc = ask(run, state, channel, &ways->list[i], &count);
	if (!rc)
		judge(state, channel, want, &count);
	return rc;
}

/* --- the check -------------------------------------------------------------------------------- */

/* Says what a server offers, and clients may need. */
static int say_offered(struct check_run *run, struct state *state)
{
	struct words words = { .separator = "; " };

	if (state->closed.count)
		words_add(&words, "closed: %.250s", words_text(&state->closed));
	if (state->loose.count)
		words_add(&words, "without a fixed port: %.150s",
			  words_text(&state->loose));
	check_note(run);
	return check_say(run, FINDING_PASS,
			 "NFSv4.1 and later need none; for clients of older versions %s",
			 words_text(&words));
}

/* A rule that can be changed comes before a port that no rule can name. */
static void explain(struct check_run *run, struct state *state)
{
	if (state->closed.count)
		finding_text(&run->finding, "closed", "%s", words_text(&state->closed));
	if (state->portless.count)
		finding_text(&run->finding, "no_fixed_port", "%s",
			     words_text(&state->portless));
	if (state->closed.count)
		netfilter_explain(run, &state->tally);
	if (state->portless.count && !state->tally.open.count)
		finding_reason(&run->finding, "no-fixed-port");
}

static int say(struct check_run *run, struct state *state)
{
	char text[FINDING_SUMMARY_MAX];
	size_t used;

	if (state->status == FINDING_PASS && state->offered)
		return say_offered(run, state);
	if (state->status == FINDING_PASS)
		return check_say(run, FINDING_PASS, "open: %.400s%s",
				 words_text(&state->open),
				 state->tally.by_zone ? ", by firewalld's settings" : "");
	netfilter_text(&state->tally, text);
	used = strlen(text);
	if (state->loose.count)
		snprintf(text + used, sizeof(text) - used,
			 "%swithout a fixed port, so open only by chance: %.200s",
			 used ? "; " : "", words_text(&state->loose));
	explain(run, state);
	return check_say(run, state->status, "%s", text);
}

/* Clients arrive by the interfaces of RDMA devices; this client reaches the server by its route. */
static int find_ways(struct check_run *run, enum check_role role, struct way_list *out)
{
	out->count = 0;
	if (role == CHECK_CLIENT)
		ways_to_server(run, out);
	return out->count ? 0 : ways_to_anybody(run, out);
}

static int firewall_channels_check_run(struct check_run *run)
{
	_cleanup_free_ struct way_list *ways = malloc(sizeof(*ways));
	_cleanup_free_ struct state *state = calloc(1, sizeof(*state));
	const struct channel *channel;
	unsigned int wanted = 0;
	enum want want;
	int rc = 0;

	if (!ways || !state)
		return err_set(ENOMEM, "no memory");
	state->status = FINDING_PASS;
	for (channel = channel_table; channel->name && !rc; channel++) {
		want = want_of(run, channel);
		if (want == WANT_NOT)
			continue;
		wanted++;
		rc = find_ways(run, channel->role, ways);
		rc = rc ? rc : look_at(run, state, channel, want, ways);
	}
	if (rc)
		return rc;
	if (!wanted)
		return check_say(run, FINDING_SKIP,
				 "only NFSv3, NFSv4.0 and Kerberos have them "
				 "(--nfs-version, --sec)");
	return say(run, state);
}

const struct check check_firewall_side_channels = {
	.id = "firewall.side-channels",
	.roles = CHECK_BOTH,
	.needs = { "client.device", "server.device" },
	.run = firewall_channels_check_run,
};
