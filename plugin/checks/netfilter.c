/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the packet filters of this host do with a packet: nftables' rules, those of iptables-nft
 * among them, as nft lists them; for a user who may not list them, those of firewalld's zone.
 * nft does not list the tables of iptables-legacy, so where there is such a table, it is unknown
 * whether what nft accepts passes. Filters of tc and BPF are not checked. */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* --- what is read once ------------------------------------------------------------------ */

/* Certainly not in the kernel, so without a rule. nft would load nf_tables to list none. */
static bool filters_module_is_absent(struct check_run *run, const char *module)
{
	struct host_module found;

	return !host_module(run->host, module, &found) &&
	       (found.state == MODULE_MISSING || found.state == MODULE_AVAILABLE);
}

static void filters_read_legacy(struct check_run *run, struct filters *out)
{
	/* Half of the room: quotes make it longer. */
	char names[sizeof(out->legacy) / 2] = "", *cursor = names, *name;
	size_t used = 0;

	if (filters_module_is_absent(run, "ip_tables") &&
	    filters_module_is_absent(run, "ip6_tables"))
		return;
	out->legacy_rc = live_legacy_tables(run->host, names, sizeof(names));
	out->legacy[0] = '\0';
	while ((name = word_next(&cursor))) {
		/* Rules of nat drop nothing. */
		if (!strcmp(name, "nat") || strstr(out->legacy, name))
			continue;
		used += (size_t)sprintf(out->legacy + used, "%s%s", used ? ", " : "", name);
	}
}

void filters_read(struct check_run *run, struct filters *out)
{
	memset(out, 0, sizeof(*out));
	filters_read_legacy(run, out);
	out->no_nft = filters_module_is_absent(run, "nf_tables");
	if (out->no_nft)
		return;
	err_clear();
	out->nft_rc = run->live->nftables(run->host, &out->nft);
	if (out->nft_rc)
		snprintf(out->nft_why, sizeof(out->nft_why), "%.255s", err_text());
}

void filters_fini(struct filters *filters)
{
	host_text_fini(&filters->nft);
}

/* NULL: firewalld does not say. */
static const struct host_firewalld *filters_zone(struct check_run *run, const char *netdev)
{
	struct filters *filters = facts_filters(run);
	unsigned int i;

	for (i = 0; i < filters->nzones; i++)
		if (!strcmp(filters->zones[i].netdev, netdev))
			break;
	if (i == ZONES_MAX || !*netdev)
		return NULL;
	if (i == filters->nzones) {
		filters->nzones++;
		str_copy(filters->zones[i].netdev, IFNAMSIZ, netdev);
		filters->zones[i].rc = run->live->firewalld(run->host, netdev,
							    &filters->zones[i].zone);
	}
	if (filters->zones[i].rc || !filters->zones[i].zone.running)
		return NULL;
	return &filters->zones[i].zone;
}

/* --- one packet -------------------------------------------------------------------------- */

#define PEERS_MAX 16
#define PEERS_MS  500

static bool netfilter_is_any(const struct transport_address *a)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a->addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&a->addr;

	return a->addr.ss_family == AF_INET6 ? IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr)
					     : !in->sin_addr.s_addr;
}

/* The next address after this host's own: a neighbour's. */
static unsigned int netfilter_add_neighbour(const struct transport_address *near,
					    struct transport_address *out)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&out->addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&out->addr;

	if (netfilter_is_any(near))
		return 0;
	*out = *near;
	if (near->addr.ss_family == AF_INET6)
		in6->sin6_addr.s6_addr[15] ^= 1;
	else
		in->sin_addr.s_addr ^= htonl(1);
	return 1;
}

/* Rules for some addresses leave open what happens to a packet from anywhere. It is answered for
 * a neighbour, or else for an address that they name: then packets from some pass, as such rules
 * intend. */
static void netfilter_ask_peers(const struct filters *filters, const struct firewall_packet *packet,
				struct netfilter_answer *out)
{
	uint64_t deadline = deadline_in(PEERS_MS);
	struct firewall_packet known = *packet;
	bool in = packet->hook == FIREWALL_INPUT;
	struct transport_address *far = in ? &known.source : &known.destination;
	const struct transport_address *near = in ? &packet->destination : &packet->source;
	struct transport_address peers[PEERS_MAX];
	enum firewall_answer answer;
	unsigned int count, own, i;
	uint16_t port = transport_port(far);
	char why[FIREWALL_WHY_MAX];

	own = netfilter_add_neighbour(near, peers);
	count = own + firewall_peers(filters->nft.text, filters->nft.len, far->addr.ss_family,
				     peers + own, PEERS_MAX - own);
	for (i = 0; i < count && deadline_left(deadline); i++) {
		*far = peers[i];
		transport_set_port(far, port);
		if (firewall_eval(filters->nft.text, filters->nft.len, &known, &answer, why,
				  sizeof(why), NULL) ||
		    answer != FIREWALL_ACCEPT)
			continue;
		out->answer = FIREWALL_ACCEPT;
		out->for_some = i >= own;
		str_copy(out->why, sizeof(out->why), why);
		return;
	}
}

static void netfilter_ask_legacy(const struct filters *filters, struct netfilter_answer *out)
{
	if (out->answer != FIREWALL_ACCEPT || (!filters->legacy_rc && !*filters->legacy))
		return;
	out->answer = FIREWALL_UNKNOWN;
	out->of_all = true;
	out->unknown = "iptables-legacy";
	if (filters->legacy_rc)
		snprintf(out->why, sizeof(out->why),
			 "whether iptables-legacy has rules cannot be read");
	else
		snprintf(out->why, sizeof(out->why),
			 "iptables-legacy has a table %s, whose rules nft does not list",
			 filters->legacy);
}

/* Why rules are unknown, if the error has no reason that all checks share. */
static int netfilter_because(int rc)
{
	static const struct {
		int rc;
		const char *reason;
	} rows[] = {
		{ -ENOENT, "no-nft" },   { -EIO, "nft-failed" },  { -EBADMSG, "nft-failed" },
		{ -EFBIG, "too-large" }, { -E2BIG, "too-large" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].rc == rc)
			return err_because(rc, rows[i].reason);
	return rc;
}

int netfilter_ask(struct check_run *run, const struct firewall_packet *packet,
		  struct netfilter_answer *out)
{
	struct filters *filters = facts_filters(run);
	const struct host_firewalld *zone = NULL;
	struct firewall_place place = { "", "", "" };
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (!deadline_left(run->deadline))
		return err_set(ETIMEDOUT, "the time ran out before the firewall was checked");
	if (filters->nft_rc) {
		zone = filters_zone(run, packet->netdev);
		if (!zone)
			return netfilter_because(err_set(-filters->nft_rc, "%s", filters->nft_why));
		firewall_zone(zone, packet, &out->answer, out->why, sizeof(out->why));
		out->by_zone = true;
	} else {
		snprintf(out->why, sizeof(out->why), "no packet filter is loaded");
		if (!filters->no_nft)
			rc = netfilter_because(firewall_eval(filters->nft.text, filters->nft.len,
							     packet, &out->answer, out->why,
							     sizeof(out->why), &place));
		if (!rc && out->answer == FIREWALL_UNKNOWN &&
		    netfilter_is_any(packet->hook == FIREWALL_INPUT ? &packet->source
								    : &packet->destination))
			netfilter_ask_peers(filters, packet, out);
		netfilter_ask_legacy(filters, out);
	}
	if (out->answer == FIREWALL_UNKNOWN && !out->unknown)
		out->unknown = "not-modelled";
	if (!rc && out->answer == FIREWALL_DROP) {
		zone = zone ? zone : filters_zone(run, packet->netdev);
		out->owner = netfilter_command(
			packet, &place, zone,
			filters->nft.text && strstr(filters->nft.text, "\"ufw-user-input\""),
			out->command);
	}
	return rc;
}

/* --- several ------------------------------------------------------------------------------ */

/* "TCP to port 20048 arriving on eth0" */
static void netfilter_name_packet(const struct firewall_packet *packet, char *buf, size_t cap)
{
	bool reply = packet->established;
	uint16_t port = transport_port(reply ? &packet->source : &packet->destination);
	char at[24] = "any port";

	if (port)
		snprintf(at, sizeof(at), "port %u", port);
	snprintf(buf, cap, "%s %s %s %s %s", packet->protocol == IPPROTO_UDP ? "UDP" : "TCP",
		 reply ? "from" : "to", at,
		 packet->hook == FIREWALL_INPUT ? "arriving on" : "leaving on", packet->netdev);
}

/* What several packets have in common is printed once, and for IPv6 only what differs from IPv4. */
static void netfilter_add_once(struct words *words, const char *separator,
			       const struct firewall_packet *packet, const char *text)
{
	bool v6 = packet->source.addr.ss_family == AF_INET6;

	words->separator = separator;
	if (*text && !strstr(words->text, text))
		words_add(words, "%s%s", v6 && strchr(text, '(') ? "IPv6: " : "", text);
}

static void netfilter_append(struct words *words, const char *separator, const char *text)
{
	words->separator = separator;
	words_add(words, "%s", text);
}

static const char *netfilter_last(const char *text, const char *part)
{
	const char *last = text, *next = strstr(text, part);

	for (; next; next = strstr(next + 1, part))
		last = next;
	return last;
}

/* firewalld forgets what it opens, unless told again with --permanent. One command takes several
 * ports of a zone. */
static void netfilter_add_firewalld(struct netfilter_tally *tally, const char *command)
{
	static const char program[] = "firewall-cmd", option[] = " --add-port=";
	const char *ports = strstr(command, option);
	char zone[sizeof(tally->zone)], keep[NETFILTER_COMMAND_MAX + 16];

	snprintf(zone, sizeof(zone), "%.*s", (int)(ports ? ports - command : 0), command);
	if (ports && *zone && !strcmp(zone, tally->zone)) {
		if (strstr(netfilter_last(tally->open.text, zone), ports))
			return;
		netfilter_append(&tally->open, "", ports);
		netfilter_append(&tally->keep, "", ports);
		return;
	}
	snprintf(keep, sizeof(keep), "%s --permanent%s", program, command + strlen(program));
	netfilter_append(&tally->open, " && ", command);
	netfilter_append(&tally->keep, " && ", keep);
	str_copy(tally->zone, sizeof(tally->zone), zone);
}

int netfilter_count(struct check_run *run, struct netfilter_tally *tally, const char *what,
		    const struct firewall_packet *packet, enum firewall_answer *answer)
{
	struct netfilter_answer got;
	char text[WORDS_MAX], name[160];
	bool first;
	int rc;

	rc = netfilter_ask(run, packet, &got);
	if (rc)
		return rc;
	*answer = got.answer;
	tally->by_zone |= got.by_zone;
	tally->for_some |= got.for_some;
	netfilter_name_packet(packet, name, sizeof(name));
	/* The first one that is dropped replaces one that is unknown. */
	first = !tally->dropped.count &&
		(got.answer == FIREWALL_DROP ||
		 (got.answer == FIREWALL_UNKNOWN && !tally->unknown.count));
	if (first) {
		tally->owner = got.owner;
		tally->reason = got.unknown;
		str_copy(tally->packet, sizeof(tally->packet), name);
		str_copy(tally->what, sizeof(tally->what), what ? what : "");
		str_copy(tally->rule, sizeof(tally->rule), got.why);
	}
	if (got.of_all)
		str_copy(text, sizeof(text), got.why);
	else
		snprintf(text, sizeof(text), "%s%s%s (%s)", what ? what : "", what ? ", " : "",
			 name, got.why);
	if (got.answer == FIREWALL_DROP)
		netfilter_add_once(&tally->dropped, "; ", packet, text);
	if (got.answer == FIREWALL_UNKNOWN)
		netfilter_add_once(&tally->unknown, "; ", packet, text);
	if (!*got.command || strstr(tally->open.text, got.command))
		return 0;
	if (got.owner == NETFILTER_FIREWALLD) {
		netfilter_add_firewalld(tally, got.command);
		return 0;
	}
	netfilter_append(&tally->open, " && ", got.command);
	tally->zone[0] = '\0';
	return 0;
}

enum finding_status netfilter_worse(enum finding_status a, enum finding_status b)
{
	static const int order[FINDING_STATUS_COUNT] = {
		[FINDING_FAIL] = 3,
		[FINDING_UNKNOWN] = 2,
		[FINDING_WARN] = 1,
	};

	return order[b] > order[a] ? b : a;
}

static void netfilter_add_label(char text[FINDING_SUMMARY_MAX], const char *label, const char *more)
{
	size_t used = strlen(text), len = strlen(label);

	if (*more && used + len + strlen(more) < FINDING_SUMMARY_MAX) {
		memcpy(text + used, label, len);
		str_copy(text + used + len, FINDING_SUMMARY_MAX - used - len, more);
	}
}

const char *netfilter_text(struct netfilter_tally *tally, char text[FINDING_SUMMARY_MAX])
{
	text[0] = '\0';
	netfilter_add_label(text, "dropped: ", words_text(&tally->dropped));
	netfilter_add_label(text, *text ? "; unknown: " : "unknown: ", words_text(&tally->unknown));
	return text;
}

/* The whole text or nothing. */
static bool netfilter_is_whole(const struct words *commands)
{
	return commands->count && !commands->left_out && strlen(commands->text) < FINDING_VALUE_MAX;
}

void netfilter_explain(struct check_run *run, struct netfilter_tally *tally)
{
	static const char *const reasons[] = {
		[NETFILTER_NONE] = "rule",         [NETFILTER_FIREWALLD] = "firewalld",
		[NETFILTER_PANIC] = "panic",       [NETFILTER_UFW] = "ufw",
		[NETFILTER_IPTABLES] = "iptables", [NETFILTER_NFTABLES] = "nftables",
	};
	struct finding *finding = &run->finding;
	bool whole = netfilter_is_whole(&tally->open) &&
		     (tally->owner != NETFILTER_FIREWALLD || netfilter_is_whole(&tally->keep));

	finding_text(finding, "packet", "%s", tally->packet);
	finding_text(finding, "needed_by", "%s", tally->what);
	finding_text(finding, "rule", "%s", tally->rule);
	if (whole)
		finding_text(finding, "open", "%s", tally->open.text);
	if (whole && tally->keep.count)
		finding_text(finding, "keep", "%s", tally->keep.text);
	if (tally->reason)
		finding_reason(finding, tally->reason);
	else
		finding_reason(finding, reasons[whole ? tally->owner : NETFILTER_NONE]);
}
