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
	enum firewall_hook direction;
	const char *name;
	bool of_device;
} hooks[] = {
	{ FIREWALL_INPUT, "ingress", true },       { FIREWALL_INPUT, "prerouting", false },
	{ FIREWALL_INPUT, "input", false },        { FIREWALL_OUTPUT, "output", false },
	{ FIREWALL_OUTPUT, "postrouting", false }, { FIREWALL_OUTPUT, "egress", true },
};

struct base_chain {
	struct ruleset_chain *chain;
	unsigned int hook;
	int64_t priority;
	enum truth passes; /* whether the packet traverses it */
};

static int base_chain_compare(const void *a, const void *b)
{
	const struct base_chain *x = a, *y = b;

	if (x->hook != y->hook)
		return x->hook < y->hook ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return x->chain->index < y->chain->index ? -1 : x->chain->index > y->chain->index;
}

/* nft 1.0.6 does not print the devices of a chain. */
static enum truth base_chain_has_device(struct json_object *devices, const char *netdev)
{
	if (!json_object_is_type(devices, json_type_string) &&
	    !json_object_is_type(devices, json_type_array))
		return MAYBE;
	return json_has_word(devices, netdev) ? YES : NO;
}

static enum truth base_chain_of_family(const struct firewall_packet *packet, const char *family)
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

/* Of the base chains those that the packet may traverse, in the order in which it does. */
static int base_chains_collect(struct firewall_run *run, struct base_chain *bases,
			       unsigned int *count)
{
	struct ruleset_chain *chain;
	enum truth passes, other;
	const char *hook;
	unsigned int h;
	size_t i;

	*count = 0;
	for (i = 0; (chain = ruleset_chain_at(run->ruleset, i)); i++) {
		hook = json_word(chain->json, "hook");
		for (h = 0; hook && h < ARRAY_SIZE(hooks); h++)
			if (hooks[h].direction == run->packet->hook && !strcmp(hooks[h].name, hook))
				break;
		if (!hook || h == ARRAY_SIZE(hooks))
			continue;
		passes = base_chain_of_family(run->packet, chain->family);
		other = YES - ruleset_is_dormant(run->ruleset, chain);
		passes = other < passes ? other : passes;
		if (hooks[h].of_device) {
			other = base_chain_has_device(json_member(chain->json, "dev"),
						      run->packet->netdev);
			passes = other < passes ? other : passes;
		}
		if (passes == NO)
			continue;
		if (*count == BASES_MAX)
			return err_set(E2BIG, "more than %u chains at the hooks of a packet",
				       BASES_MAX);
		bases[(*count)++] = (struct base_chain){
			.chain = chain,
			.hook = h,
			.priority = json_object_get_int64(json_member(chain->json, "prio")),
			.passes = passes,
		};
	}
	qsort(bases, *count, sizeof(*bases), base_chain_compare);
	return 0;
}

/* "rule with handle 7 of chain input, table inet filter (its comment)" */
static void cause_say(const struct firewall_cause *cause, char *why, size_t cap)
{
	const struct ruleset_chain *chain = cause->chain;
	const char *comment = json_word(cause->rule, "comment"),
		   *policy = json_word(chain->json, "policy");
	char what[48], place[160], remark[80] = "";
	bool drops = policy && !strcmp(policy, "drop");

	snprintf(place, sizeof(place), "chain %.60s, table %.10s %.60s", chain->name, chain->family,
		 chain->table);
	if (cause->rule)
		snprintf(what, sizeof(what), "rule with handle %lld",
			 (long long)json_object_get_int64(json_member(cause->rule, "handle")));
	else
		snprintf(what, sizeof(what), "policy %s", drops ? "drop" : "accept");
	if (comment)
		snprintf(remark, sizeof(remark), " (%.70s)", comment);
	snprintf(why, cap, "%s of %s%s%s%s", what, place, remark, cause->doubt[0] ? ": " : "",
		 cause->doubt);
	finding_clean(why);
}

struct eval_verdict {
	enum firewall_answer answer;
	bool is_rule; /* why is more than a policy */
	char *why;
	size_t cap;
	struct firewall_place *place; /* may be NULL */
};

/* The outcome of a chain that may not apply to the packet, or may be disabled. */
static void outcome_weaken(struct firewall_run *run, struct firewall_outcome *out,
			   struct ruleset_chain *chain)
{
	struct firewall_cause *cause = &out->by[END_DROP];

	if (!out->can[END_DROP])
		return;
	if (!cause->doubt[0])
		str_copy(cause->doubt, sizeof(cause->doubt),
			 strcmp(chain->family, "bridge") ? "whether it applies is not known"
							 : "the bridge's port is not known");
	if (!out->can[END_ACCEPT]) {
		out->can[END_ACCEPT] = true;
		out->by[END_ACCEPT] = (struct firewall_cause){ .order = ++run->order,
							       .chain = chain };
	}
}

/* Adds the outcome of one more chain. True: no later chain matters. */
static bool eval_verdict_add(const struct firewall_run *run, const struct firewall_outcome *out,
			     struct eval_verdict *verdict)
{
	const struct ruleset_chain *chain = out->by[END_DROP].chain;
	const struct firewall_cause *first = NULL;
	struct firewall_place *place = verdict->place;
	int end;

	if (out->can[END_DROP] && !out->can[END_ACCEPT]) {
		verdict->answer = FIREWALL_DROP;
		cause_say(&out->by[END_DROP], verdict->why, verdict->cap);
		/* nft has no names longer than this, so a command could not use one. */
		if (place && strlen(chain->family) < sizeof(place->family) &&
		    strlen(chain->table) < sizeof(place->table) &&
		    strlen(chain->name) < sizeof(place->chain)) {
			str_copy(place->family, sizeof(place->family), chain->family);
			str_copy(place->table, sizeof(place->table), chain->table);
			str_copy(place->chain, sizeof(place->chain), chain->name);
		}
		return true;
	}
	if (verdict->answer == FIREWALL_UNKNOWN)
		return run->lost;
	if (out->can[END_DROP]) {
		/* What keeps the answer from being known: the first rule without which there is
		 * one answer. */
		for (end = END_ACCEPT; end <= END_DROP; end++)
			if (out->can[end] && out->by[end].doubt[0] &&
			    (!first || out->by[end].order < first->order))
				first = &out->by[end];
		verdict->answer = FIREWALL_UNKNOWN;
		cause_say(first ? first : &out->doubt, verdict->why, verdict->cap);
	} else if (out->by[END_ACCEPT].rule || !verdict->is_rule) {
		cause_say(&out->by[END_ACCEPT], verdict->why, verdict->cap);
		verdict->is_rule = out->by[END_ACCEPT].rule;
	}
	return run->lost;
}

int firewall_eval(const char *json, size_t len, const struct firewall_packet *packet,
		  enum firewall_answer *answer, char *why, size_t cap, struct firewall_place *place)
{
	_cleanup_(ruleset_close_p) struct ruleset *ruleset = NULL;
	struct eval_verdict verdict = { FIREWALL_ACCEPT, false, why, cap, place };
	struct firewall_run run = { .packet = packet };
	struct base_chain bases[BASES_MAX];
	struct firewall_outcome *out;
	unsigned int count, i;
	bool done = false;
	int rc;

	if (place)
		memset(place, 0, sizeof(*place));
	rc = ruleset_open(&ruleset, json, len);
	if (rc)
		return rc;
	run.ruleset = ruleset;
	snprintf(why, cap, "no chain filters it");
	rc = base_chains_collect(&run, bases, &count);
	for (i = 0; !rc && i < count && !done; i++) {
		run.base = bases[i].chain;
		run.priority = bases[i].priority;
		walk_base(&run, bases[i].chain);
		out = &bases[i].chain->outcome;
		if (run_is_exhausted(&run)) {
			rc = err_set(E2BIG, "more than %u comparisons of rules",
				     FIREWALL_STEPS_MAX);
			break;
		}
		if (bases[i].passes == MAYBE)
			outcome_weaken(&run, out, bases[i].chain);
		done = eval_verdict_add(&run, out, &verdict);
	}
	*answer = verdict.answer;
	return rc;
}
