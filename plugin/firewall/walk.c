/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Chains, rule by rule (nft(8), "VERDICT STATEMENTS"). A chain is walked once for each base
 * chain: its outcome is the same from wherever it is jumped to, because what rules change in a
 * packet (marks, counters) is unknown from the start. */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/firewall/internal.h"

/* NFT_JUMP_STACK_SIZE: nested chains, with the base chain; the kernel refuses deeper rulesets. */
#define CHAINS_MAX 16

/* A walk through one chain. */
struct firewall_walk {
	struct firewall_run *run;
	struct ruleset_chain *chain;
	struct firewall_outcome *out;
	struct json_object *rule;
	unsigned int depth;
	bool ended;       /* the next rule is never reached */
	bool rule_ended;  /* nor the next statement */
	bool last;        /* the statement is the rule's last */
	enum truth truth; /* whether this statement is reached */
	char doubt[64];   /* why it may not be */
};

static const struct firewall_outcome *walk_chain(struct firewall_run *run,
						 struct ruleset_chain *chain, unsigned int depth);
static void walk_statement(struct firewall_walk *walk, struct json_object *statement);

static void walk_cause(struct firewall_walk *walk, struct firewall_cause *cause, const char *why)
{
	cause->order = ++walk->run->order;
	cause->rule = walk->rule;
	cause->chain = walk->chain;
	str_copy(cause->doubt, sizeof(cause->doubt), why);
}

/* What decides is named rather than what might have decided the same before it. */
static void outcome_add(struct firewall_outcome *out, enum firewall_end end,
			const struct firewall_cause *cause)
{
	if (!out->can[end] || (out->by[end].doubt[0] && !cause->doubt[0]))
		out->by[end] = *cause;
	out->can[end] = true;
	if (cause->doubt[0] && !out->doubt.order)
		out->doubt = *cause;
}

static void walk_end(struct firewall_walk *walk, enum firewall_end end)
{
	struct firewall_cause cause;

	walk_cause(walk, &cause, walk->truth == YES ? "" : walk->doubt);
	outcome_add(walk->out, end, &cause);
	walk->rule_ended = true;
	walk->ended |= walk->truth == YES;
}

/* It is uncertain from here on. */
static void walk_doubt(struct firewall_walk *walk, const char *why)
{
	if (walk->truth == YES)
		str_copy(walk->doubt, sizeof(walk->doubt),
			 why[0] ? why : "a match cannot be evaluated");
	walk->truth = MAYBE;
}

/* A verdict that is unknown, as is the packet after it. */
static void walk_unknown(struct firewall_walk *walk, const char *what)
{
	char why[64];

	snprintf(why, sizeof(why), "%.40s cannot be evaluated", what);
	walk_doubt(walk, why);
	walk_end(walk, END_ACCEPT);
	walk_end(walk, END_DROP);
	walk->rule_ended = false;
	walk->run->lost = true;
}

/* --- verdicts ------------------------------------------------------------------ */

static void walk_accept(struct firewall_walk *walk, struct json_object *value)
{
	(void)value;
	walk_end(walk, END_ACCEPT);
}

static void walk_drop(struct firewall_walk *walk, struct json_object *value)
{
	(void)value;
	walk_end(walk, END_DROP);
}

/* A reply has an address, whose test nft does not print though it put it before. (nft 1.0.6 does
 * not print the one for the IP version before a TCP reset either.) */
static void walk_reject(struct firewall_walk *walk, struct json_object *value)
{
	const char *type = json_word(value, "type");
	int family = packet_family(walk->run->packet);
	bool other = false;

	if (type && (!strcmp(type, "icmp") || !strcmp(type, "icmpv6"))) {
		other = family == (type[4] ? AF_INET : AF_INET6);
		if (family == AF_UNSPEC)
			walk_doubt(walk, "a packet of either IP version cannot be evaluated");
	} else if (type && !strcmp(type, "tcp reset")) {
		other = walk->run->packet->protocol != IPPROTO_TCP;
	}
	if (other)
		walk->rule_ended = true;
	else
		walk_end(walk, END_DROP);
}

static void walk_return(struct firewall_walk *walk, struct json_object *value)
{
	(void)value;
	walk_end(walk, END_RETURN);
}

static void walk_continue(struct firewall_walk *walk, struct json_object *value)
{
	(void)value;
	walk->rule_ended = true;
}

/* Adds what another chain makes possible; if it may not be reached, this rule is the reason. */
static void outcome_merge(struct firewall_walk *walk, const struct firewall_outcome *sub,
			  bool with_return)
{
	struct firewall_cause cause, doubted;
	int end;

	walk_cause(walk, &doubted, walk->doubt);
	for (end = 0; end < END_COUNT; end++) {
		if (!sub->can[end] || (end == END_RETURN && !with_return))
			continue;
		cause = walk->truth == YES || sub->by[end].doubt[0] ? sub->by[end] : doubted;
		outcome_add(walk->out, end, &cause);
	}
	if (sub->doubt.order && !walk->out->doubt.order)
		walk->out->doubt = sub->doubt;
}

static void walk_visit(struct firewall_walk *walk, struct json_object *value, bool comes_back)
{
	const char *name = json_word(value, "target");
	const struct firewall_outcome *sub;
	struct ruleset_chain *target;

	walk->rule_ended = true;
	target = name ? ruleset_chain(walk->run->ruleset, walk->chain->family, walk->chain->table,
				      name)
		      : NULL;
	if (!target || target->active || walk->depth + 1 >= CHAINS_MAX) {
		walk_unknown(walk, !target          ? "a jump to a chain that does not exist"
				   : target->active ? "a loop of jumps"
						    : "jumps nested too deeply");
		walk->rule_ended = true;
		return;
	}
	sub = walk_chain(walk->run, target, walk->depth + 1);
	outcome_merge(walk, sub, !comes_back);
	if (walk->truth == YES)
		walk->ended = !comes_back || !sub->can[END_RETURN];
}

static void walk_jump(struct firewall_walk *walk, struct json_object *value)
{
	walk_visit(walk, value, true);
}

static void walk_goto(struct firewall_walk *walk, struct json_object *value)
{
	walk_visit(walk, value, false);
}

/* --- statements ----------------------------------------------------------------- */

static void walk_nothing(struct firewall_walk *walk, struct json_object *value)
{
	(void)walk;
	(void)value;
}

static void walk_match(struct firewall_walk *walk, struct json_object *value)
{
	enum truth truth;

	walk->run->doubt[0] = '\0';
	truth = match_holds(walk->run, value);
	if (truth == NO)
		walk->rule_ended = true;
	else if (truth == MAYBE)
		walk_doubt(walk, walk->run->doubt);
}

static void walk_notrack(struct firewall_walk *walk, struct json_object *value)
{
	bool certain = walk->truth == YES && !walk->depth && !walk->out->doubt.order;

	(void)value;
	if (walk->run->notrack != YES)
		walk->run->notrack = certain ? YES : MAYBE;
}

/* Marks and the like may change, but nothing that is evaluated here. */
static void walk_mangle(struct firewall_walk *walk, struct json_object *value)
{
	struct json_object *key = json_member(value, "key");

	if (json_word(json_member(key, "payload"), "field") &&
	    strcmp(json_word(json_member(key, "payload"), "field"), "dscp") != 0)
		walk_unknown(walk, "a change of the packet");
}

/* "add @set { ... limit ... }" matches as the limit does. */
static void walk_set(struct firewall_walk *walk, struct json_object *value)
{
	if (json_member(value, "stmt"))
		walk_doubt(walk, "a set with limits cannot be evaluated");
}

/* A match or target of iptables-nft: nft prints its name without arguments. */
static const struct {
	const char *name;
	void (*act)(struct firewall_walk *walk, struct json_object *value);
} targets[] = {
	{ "AUDIT", walk_nothing },    { "CHECKSUM", walk_nothing },  { "CLASSIFY", walk_nothing },
	{ "CONNMARK", walk_nothing }, { "CT", walk_notrack },        { "DSCP", walk_nothing },
	{ "HL", walk_nothing },       { "LED", walk_nothing },       { "LOG", walk_nothing },
	{ "MARK", walk_nothing },     { "MASQUERADE", walk_accept }, { "NFLOG", walk_nothing },
	{ "NOTRACK", walk_notrack },  { "REJECT", walk_drop },       { "SET", walk_nothing },
	{ "SNAT", walk_accept },      { "TCPMSS", walk_nothing },    { "TEE", walk_nothing },
	{ "TOS", walk_nothing },      { "TRACE", walk_nothing },     { "TTL", walk_nothing },
	{ "ULOG", walk_nothing },
};

static void walk_xt_target(struct firewall_walk *walk, struct json_object *value, const char *name)
{
	char what[48];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		if (!strcmp(targets[i].name, name)) {
			if (targets[i].act == walk_notrack)
				walk_doubt(walk, "xt target CT cannot be evaluated");
			targets[i].act(walk, value);
			return;
		}
	snprintf(what, sizeof(what), "xt target %.30s", name);
	walk_unknown(walk, what);
}

static void walk_xt(struct firewall_walk *walk, struct json_object *value)
{
	const char *type = json_word(value, "type"), *name = json_word(value, "name");
	char what[64];

	if (!type || !name) {
		/* nft before 1.0.3 prints null for either: a target is the rule's last
		 * statement. */
		if (walk->last)
			walk_unknown(walk, "xt");
		else
			walk_doubt(walk, "xt cannot be evaluated");
	} else if (!strcmp(type, "target")) {
		walk_xt_target(walk, value, name);
	} else if (strcmp(name, "comment") != 0) {
		snprintf(what, sizeof(what), "xt match %.30s cannot be evaluated", name);
		walk_doubt(walk, what);
	}
}

/* The pairs of a map: NULL if it has none. False: not a map that is modelled. */
static bool walk_map_pairs(struct firewall_walk *walk, struct json_object *data,
			   struct json_object **out)
{
	*out = json_member(data, "set");
	if (json_object_is_type(data, json_type_string))
		return ruleset_elements(walk->run->ruleset, walk->run->base,
					json_object_get_string(data) + 1, out);
	return json_object_is_type(*out, json_type_array);
}

static struct json_object *walk_pair_part(struct json_object *pair, size_t part)
{
	return json_object_is_type(pair, json_type_array) ? json_object_array_get_idx(pair, part)
							  : NULL;
}

/* The verdict of the element that the key equals; the element "*" is for all others. */
static void walk_pairs(struct firewall_walk *walk, const struct operand *ops, unsigned int nops,
		       struct json_object *pairs)
{
	size_t i, count = pairs ? json_object_array_length(pairs) : 0;
	struct json_object *pair, *key, *other = NULL;
	enum truth truth = NO;

	for (i = 0; i < count && truth != YES && !run_is_exhausted(walk->run); i++) {
		pair = json_object_array_get_idx(pairs, i);
		key = walk_pair_part(pair, 0);
		if (json_object_is_type(key, json_type_string) &&
		    !strcmp(json_object_get_string(key), "*")) {
			other = walk_pair_part(pair, 1);
			continue;
		}
		truth = match_element(walk->run, ops, nops, key);
		if (truth == MAYBE)
			walk_doubt(walk, walk->run->doubt);
		if (truth != NO)
			walk_statement(walk, walk_pair_part(pair, 1));
	}
	if (truth != YES && other)
		walk_statement(walk, other);
}

static void walk_vmap(struct firewall_walk *walk, struct json_object *value)
{
	struct operand ops[OPERANDS_MAX];
	unsigned int nops, i;
	struct json_object *pairs;

	walk->run->doubt[0] = '\0';
	nops = match_operands(walk->run, json_member(value, "key"), ops);
	if (!nops || !walk_map_pairs(walk, json_member(value, "data"), &pairs)) {
		walk_unknown(walk, "a map");
		return;
	}
	for (i = 0; i < nops && ops[i].kind != OPERAND_MISSING; i++)
		;
	if (i == nops)
		walk_pairs(walk, ops, nops, pairs);
	walk->rule_ended = true;
}

/* By the statement's name: what it does to a packet that reaches it. */
static const struct {
	const char *name;
	void (*act)(struct firewall_walk *walk, struct json_object *value);
} statements[] = {
	{ "match", walk_match },
	{ "accept", walk_accept },
	{ "drop", walk_drop },
	{ "reject", walk_reject },
	{ "return", walk_return },
	{ "continue", walk_continue },
	{ "jump", walk_jump },
	{ "goto", walk_goto },
	{ "vmap", walk_vmap },
	{ "xt", walk_xt },
	{ "mangle", walk_mangle },
	{ "set", walk_set },
	{ "notrack", walk_notrack },
	/* the far end of a connection stays the same */
	{ "masquerade", walk_accept },
	{ "snat", walk_accept },
	{ "counter", walk_nothing },
	{ "log", walk_nothing },
	{ "comment", walk_nothing },
	{ "last", walk_nothing },
	{ "dup", walk_nothing },
	{ "flow", walk_nothing },
	{ "map", walk_nothing },
	{ "secmark", walk_nothing },
	{ "ct helper", walk_nothing },
	{ "ct timeout", walk_nothing },
	{ "ct expectation", walk_nothing },
};

/* Matches as long as a rate or a count is kept. */
static const char *const limits[] = { "limit", "quota", "ct count", "meter", "connlimit" };

static void walk_statement(struct firewall_walk *walk, struct json_object *statement)
{
	struct json_object *value = NULL;
	const char *name = NULL;
	char why[64];
	size_t i;

	if (json_object_is_type(statement, json_type_string))
		name = json_object_get_string(statement);
	else
		json_only(statement, &name, &value);
	for (i = 0; name && i < ARRAY_SIZE(statements); i++)
		if (!strcmp(statements[i].name, name)) {
			statements[i].act(walk, value);
			return;
		}
	for (i = 0; name && i < ARRAY_SIZE(limits); i++)
		if (!strcmp(limits[i], name)) {
			snprintf(why, sizeof(why), "%s cannot be evaluated", name);
			walk_doubt(walk, why);
			return;
		}
	/* queue, fwd, dnat, redirect, tproxy, synproxy, and what newer versions add. */
	walk_unknown(walk, name ? name : "a statement");
}

static void walk_rule(struct firewall_walk *walk, struct json_object *rule)
{
	struct json_object *expr = json_member(rule, "expr");
	size_t i, count;

	walk->rule = rule;
	walk->rule_ended = false;
	walk->truth = YES;
	count = json_object_is_type(expr, json_type_array) ? json_object_array_length(expr) : 0;
	for (i = 0; i < count && !walk->rule_ended && !run_is_exhausted(walk->run); i++) {
		walk->run->steps++;
		walk->last = i + 1 == count;
		walk_statement(walk, json_object_array_get_idx(expr, i));
	}
}

static const struct firewall_outcome *walk_chain(struct firewall_run *run,
						 struct ruleset_chain *chain, unsigned int depth)
{
	struct firewall_walk walk = { .run = run, .chain = chain, .depth = depth };
	const struct ruleset_rule *rule;

	if (chain->walked == run->walk)
		return &chain->outcome;
	memset(&chain->outcome, 0, sizeof(chain->outcome));
	walk.out = &chain->outcome;
	chain->active = true;
	for (rule = ruleset_rule(run->ruleset, chain->first);
	     rule && !walk.ended && !run_is_exhausted(run);
	     rule = ruleset_rule(run->ruleset, rule->next)) {
		run->steps++;
		walk_rule(&walk, rule->json);
	}
	chain->active = false;
	/* The end of a chain is a return; the end of a base chain, its policy. */
	if (!walk.ended) {
		walk.rule = NULL;
		walk.truth = YES;
		walk_end(&walk, END_RETURN);
	}
	chain->walked = run->walk;
	return &chain->outcome;
}

const struct firewall_outcome *walk_base(struct firewall_run *run, struct ruleset_chain *chain)
{
	const char *policy = json_word(chain->json, "policy");
	struct firewall_cause cause = { .chain = chain };

	run->walk++;
	walk_chain(run, chain, 0);
	if (chain->outcome.can[END_RETURN]) {
		cause.order = ++run->order;
		outcome_add(&chain->outcome,
			    policy && !strcmp(policy, "drop") ? END_DROP : END_ACCEPT, &cause);
	}
	return &chain->outcome;
}
