/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The base chains that a packet traverses, by hooks and priorities (nft(8), "CHAINS"): each must
 * accept it; one that drops it is enough.
 *
 * Modelled: families ip, ip6, inet, netdev at its own device; filter, route and nat chains. Not
 * modelled, so unknown where it could decide: translation of the destination address, queues to
 * user space, marks, limits, what iptables-nft keeps in extensions. The bridge family counts if
 * the netdev is a bridge, whose port is unknown. Rules at the devices below a bond or a VLAN are
 * not checked. */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/firewall/internal.h"

#define BASES_MAX 256

/* Hooks in the order in which a packet reaches them. */
static const struct {
	enum firewall_hook way;
	const char *name;
	bool of_device;
} hooks[] = {
	{ FIREWALL_INPUT, "ingress", true },
	{ FIREWALL_INPUT, "prerouting", false },
	{ FIREWALL_INPUT, "input", false },
	{ FIREWALL_OUTPUT, "output", false },
	{ FIREWALL_OUTPUT, "postrouting", false },
	{ FIREWALL_OUTPUT, "egress", true },
};

struct base {
	struct ruleset_chain *chain;
	unsigned int hook;
	int64_t priority;
	enum truth passes; /* whether the packet traverses it */
};

static int compare_bases(const void *a, const void *b)
{
	const struct base *x = a, *y = b;

	if (x->hook != y->hook)
		return x->hook < y->hook ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return x->chain->index < y->chain->index ? -1 : x->chain->index > y->chain->index;
}

/* nft 1.0.6 does not print the devices of a chain. */
static enum truth has_device(struct json_object *devices, const char *netdev)
{
	struct json_object *device;
	size_t i;

	if (json_object_is_type(devices, json_type_string))
		return strcmp(json_object_get_string(devices), netdev) ? NO : YES;
	if (!json_object_is_type(devices, json_type_array))
		return MAYBE;
	for (i = 0; i < json_object_array_length(devices); i++) {
		device = json_object_array_get_idx(devices, i);
		if (json_object_is_type(device, json_type_string) &&
		    !strcmp(json_object_get_string(device), netdev))
			return YES;
	}
	return NO;
}

static enum truth passes_family(const struct firewall_packet *packet, const char *family)
{
	int ours = packet_family(packet);

	if (!strcmp(family, "inet") || !strcmp(family, "netdev"))
		return YES;
	if (!strcmp(family, "bridge"))
		return packet->bridge ? MAYBE : NO;
	if (strcmp(family, "ip") != 0 && strcmp(family, "ip6") != 0)
		return NO;
	if (ours == AF_UNSPEC)
		return MAYBE;
	return (ours == AF_INET6) == !strcmp(family, "ip6") ? YES : NO;
}

static enum truth least(enum truth a, enum truth b)
{
	return a < b ? a : b;
}

static bool is_base(const struct firewall_run *run, struct ruleset_chain *chain,
		    struct base *out)
{
	const char *hook = json_word(chain->json, "hook");
	enum truth on;
	unsigned int i;

	for (i = 0; hook && i < ARRAY_SIZE(hooks); i++) {
		if (hooks[i].way != run->packet->hook || strcmp(hooks[i].name, hook) != 0)
			continue;
		out->chain = chain;
		out->hook = i;
		out->priority = json_object_get_int64(json_member(chain->json, "prio"));
		on = YES - ruleset_is_dormant(run->ruleset, chain);
		out->passes = least(passes_family(run->packet, chain->family), on);
		if (hooks[i].of_device)
			out->passes = least(out->passes,
					    has_device(json_member(chain->json, "dev"),
						       run->packet->netdev));
		return out->passes != NO;
	}
	return false;
}

static int collect(struct firewall_run *run, struct base *bases, unsigned int *count)
{
	struct ruleset_chain *chain;
	struct base base;
	size_t i;

	*count = 0;
	for (i = 0; (chain = ruleset_chain_at(run->ruleset, i)); i++) {
		if (!is_base(run, chain, &base))
			continue;
		if (*count == BASES_MAX)
			return err_set(E2BIG,
				       "more than %u chains at the hooks of a packet",
				       BASES_MAX);
		bases[(*count)++] = base;
	}
	qsort(bases, *count, sizeof(*bases), compare_bases);
	return 0;
}

/* "rule with handle 7 of chain input, table inet filter (its comment)" */
static void say(const struct firewall_cause *cause, char *why, size_t cap)
{
	const struct ruleset_chain *chain = cause->chain;
	const char *comment = json_word(cause->rule, "comment"),
		   *policy = json_word(chain->json, "policy");
	char what[48], place[160], remark[80] = "";
	bool drops = policy && !strcmp(policy, "drop");

	snprintf(place, sizeof(place), "chain %.60s, table %.10s %.60s", chain->name,
		 chain->family, chain->table);
	if (cause->rule)
		snprintf(what, sizeof(what), "rule with handle %lld",
			 (long long)json_object_get_int64(
				 json_member(cause->rule, "handle")));
	else
		snprintf(what, sizeof(what), "policy %s", drops ? "drop" : "accept");
	if (comment)
		snprintf(remark, sizeof(remark), " (%.70s)", comment);
	snprintf(why, cap, "%s of %s%s%s%s", what, place, remark,
		 cause->doubt[0] ? ": " : "", cause->doubt);
	finding_clean(why);
}

/* What keeps the answer from being known: the first rule without which there is one answer. */
static const struct firewall_cause *first_doubt(const struct firewall_outcome *out)
{
	const struct firewall_cause *first = NULL;
	int way;

	for (way = WAY_ACCEPT; way <= WAY_DROP; way++)
		if (out->way[way] && out->by[way].doubt[0] &&
		    (!first || out->by[way].order < first->order))
			first = &out->by[way];
	return first ? first : &out->doubt;
}

/* A chain that may not apply to the packet, or may be disabled. */
static void weaken(struct firewall_run *run, struct firewall_outcome *out,
		   struct ruleset_chain *chain)
{
	struct firewall_cause *cause = &out->by[WAY_DROP];

	if (!out->way[WAY_DROP])
		return;
	if (!cause->doubt[0])
		snprintf(cause->doubt, sizeof(cause->doubt), "%s",
			 strcmp(chain->family, "bridge")
				 ? "whether it applies is not known"
				 : "the bridge's port is not known");
	if (!out->way[WAY_ACCEPT]) {
		out->way[WAY_ACCEPT] = true;
		out->by[WAY_ACCEPT] = (struct firewall_cause){ .order = ++run->order,
							       .chain = chain };
	}
}

struct verdict {
	enum firewall_answer answer;
	bool is_rule; /* why is more than a policy */
	char *why;
	size_t cap;
	struct firewall_place *place; /* may be NULL */
};

/* nft has no names longer than this, so a command could not use one. */
static void tell_place(const struct ruleset_chain *chain, struct firewall_place *place)
{
	if (!place || strlen(chain->family) >= sizeof(place->family) ||
	    strlen(chain->table) >= sizeof(place->table) ||
	    strlen(chain->name) >= sizeof(place->chain))
		return;
	strcpy(place->family, chain->family);
	strcpy(place->table, chain->table);
	strcpy(place->chain, chain->name);
}

/* Adds the outcome of one more chain. True: no later chain matters. */
static bool add_base(const struct firewall_run *run, const struct firewall_outcome *out,
		     struct verdict *verdict)
{
	if (out->way[WAY_DROP] && !out->way[WAY_ACCEPT]) {
		verdict->answer = FIREWALL_DROP;
		say(&out->by[WAY_DROP], verdict->why, verdict->cap);
		tell_place(out->by[WAY_DROP].chain, verdict->place);
		return true;
	}
	if (verdict->answer == FIREWALL_UNKNOWN)
		return run->lost;
	if (out->way[WAY_DROP]) {
		verdict->answer = FIREWALL_UNKNOWN;
		say(first_doubt(out), verdict->why, verdict->cap);
	} else if (out->by[WAY_ACCEPT].rule || !verdict->is_rule) {
		say(&out->by[WAY_ACCEPT], verdict->why, verdict->cap);
		verdict->is_rule = out->by[WAY_ACCEPT].rule;
	}
	return run->lost;
}

static int walk_bases(struct firewall_run *run, struct base *bases, unsigned int count,
		      struct verdict *verdict)
{
	struct firewall_outcome *out;
	bool done = false;
	unsigned int i;

	for (i = 0; i < count && !done; i++) {
		run->base = bases[i].chain;
		run->priority = bases[i].priority;
		walk_base(run, bases[i].chain);
		out = &bases[i].chain->outcome;
		if (run_is_exhausted(run))
			return err_set(E2BIG, "more than %u comparisons of rules",
				       FIREWALL_STEPS_MAX);
		if (bases[i].passes == MAYBE)
			weaken(run, out, bases[i].chain);
		done = add_base(run, out, verdict);
	}
	return 0;
}

int firewall_eval(const char *json, size_t len, const struct firewall_packet *packet,
		  enum firewall_answer *answer, char *why, size_t cap,
		  struct firewall_place *place)
{
	_cleanup_(ruleset_close_p) struct ruleset *ruleset = NULL;
	struct verdict verdict = { FIREWALL_ACCEPT, false, why, cap, place };
	struct firewall_run run = { .packet = packet };
	struct base bases[BASES_MAX];
	unsigned int count;
	int rc;

	if (place)
		memset(place, 0, sizeof(*place));
	rc = ruleset_open(&ruleset, json, len);
	if (rc)
		return rc;
	run.ruleset = ruleset;
	snprintf(why, cap, "no chain filters it");
	rc = collect(&run, bases, &count);
	if (!rc)
		rc = walk_bases(&run, bases, count, &verdict);
	*answer = verdict.answer;
	return rc;
}
