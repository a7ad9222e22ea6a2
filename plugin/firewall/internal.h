/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of the firewall evaluation: one packet against the ruleset that nft prints as JSON
 * (libnftables-json(5)).
 *
 * Three values. A match that cannot be evaluated may hold or not, so a rule with one adds what it
 * could decide to what is possible, and the walk goes on. What is possible at the end of a chain
 * is the answer if it is one thing; so a match that cannot be evaluated costs nothing where every
 * outcome is the same.
 *
 *	ruleset -> chains in the order of hooks and priorities   eval.c
 *	  chain -> rules, jumps, verdicts                        walk.c
 *	    match -> operands against values and sets            match.c
 *	      operand: what is known of the packet               operand.c, meta.c */
#ifndef PLUGIN_FIREWALL_INTERNAL_H
#define PLUGIN_FIREWALL_INTERNAL_H

#include <json-c/json.h>

#include "plugin/firewall/firewall.h"
#include "rpcrdma/base/finding.h"

enum truth { NO, MAYBE, YES };

/* ruleset.c: finds things in the JSON, whose writer is not trusted */

/* How a chain can end. */
enum firewall_end { END_ACCEPT, END_DROP, END_RETURN, END_COUNT };

/* Why an outcome is possible. */
struct firewall_cause {
	unsigned int order;       /* of all reasons; 0: none */
	struct json_object *rule; /* NULL: the chain's policy */
	const struct ruleset_chain *chain;
	char doubt
		[64]; /* "meta mark cannot be evaluated"; empty: it is certain, if this rule is reached */
};

struct firewall_outcome {
	bool can[END_COUNT];
	struct firewall_cause by[END_COUNT];
	struct firewall_cause doubt; /* the first */
};

struct ruleset_chain {
	const char *family, *table, *name; /* borrowed from json */
	struct json_object *json;
	unsigned int index;       /* as printed */
	unsigned int first, last; /* rules, by index + 1; 0: none */
	/* walk.c: the outcome is the same from wherever a chain is jumped to */
	unsigned int walked; /* the walk that filled in outcome */
	bool active;
	struct firewall_outcome outcome;
};

struct ruleset_rule {
	struct json_object *json;
	unsigned int next; /* of its chain, by index + 1 */
};

struct ruleset;

/* Errors: -EBADMSG, -E2BIG, -ENOMEM. */
int ruleset_open(struct ruleset **out, const char *json, size_t len);
void ruleset_close_p(struct ruleset **ruleset);
/* NULL if there is none. */
struct ruleset_chain *ruleset_chain(struct ruleset *ruleset, const char *family, const char *table,
				    const char *name);
/* In the order of their names; NULL past the last. */
struct ruleset_chain *ruleset_chain_at(struct ruleset *ruleset, size_t i);
const struct ruleset_rule *ruleset_rule(const struct ruleset *ruleset, unsigned int at);
/* Elements of a named set or map of the chain's table, NULL if it is empty. False: it does not
 * exist. */
bool ruleset_elements(struct ruleset *ruleset, const struct ruleset_chain *chain, const char *name,
		      struct json_object **out);
/* Whether its table is disabled. */
enum truth ruleset_is_dormant(struct ruleset *ruleset, const struct ruleset_chain *chain);

/* A member of an object; NULL if it is absent or null, or @json is not an object. */
struct json_object *json_member(struct json_object *json, const char *key);
/* The same, if it is a string. */
const char *json_word(struct json_object *json, const char *key);
/* Whether @json is that string, or an array that has it. */
bool json_has_word(struct json_object *json, const char *word);
/* The name and value of an object that has one member: {"accept": null}. False otherwise. */
bool json_only(struct json_object *json, const char **key, struct json_object **value);

/* operand.c */

struct operand_symbol {
	const char *name;
	uint64_t number;
};

enum operand_kind {
	OPERAND_UNKNOWN,
	OPERAND_MISSING, /* the packet has no such header: the rule does not match */
	OPERAND_NOWHERE, /* the interface out, for a packet that arrives: equal to none */
	OPERAND_NUMBER,
	OPERAND_ADDRESS,
	OPERAND_NAME, /* of an interface */
};

struct operand {
	enum operand_kind kind;
	uint64_t number, known; /* the bits that are known */
	const struct operand_symbol *symbols;
	bool flags; /* a number whose bits have names */
	uint8_t address[16];
	unsigned int address_len;
	const char *name;
};

/* Comparisons that one evaluation may make: at most seconds, whatever the ruleset. */
#define FIREWALL_STEPS_MAX 2000000

/* One evaluation. */
struct firewall_run {
	const struct firewall_packet *packet;
	struct ruleset *ruleset;
	/* the base chain that is being walked */
	const struct ruleset_chain *base;
	int64_t priority;
	unsigned int walk;
	enum truth notrack; /* conntrack does not track the packet */
	bool lost;          /* it may be another packet from here on: nothing later is certain */
	unsigned int order, steps;
	char doubt[64]; /* the last thing that is unknown */
};

/* AF_INET, AF_INET6; AF_UNSPEC: either. */
int packet_family(const struct firewall_packet *packet);
/* The left side of a match, one operand. */
void operand_read(struct firewall_run *run, struct json_object *expr, struct operand *out);
/* Sets what is unknown; returns MAYBE. */
enum truth operand_doubt(struct firewall_run *run, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool run_is_exhausted(struct firewall_run *run);

void operand_unknown(struct firewall_run *run, struct operand *out, const char *what);
void operand_number(struct operand *out, uint64_t value, uint64_t known);
void operand_symbol(struct operand *out, uint64_t value, const struct operand_symbol *symbols);

/* meta.c */

bool run_is_input(const struct firewall_run *run);
/* The base chain's. */
bool run_is_family(const struct firewall_run *run, const char *family);
void operand_read_meta(struct firewall_run *run, struct json_object *expr, struct operand *out);
void operand_read_ct(struct firewall_run *run, struct json_object *expr, struct operand *out);
void operand_layer4(struct firewall_run *run, struct operand *out);
void operand_ethertype(struct firewall_run *run, struct operand *out);

/* value.c: an operand against one value of the right side */

/* Equality with a scalar, a prefix or a range. */
enum truth value_is(struct firewall_run *run, const struct operand *op, struct json_object *value);
/* The number of a text, a number or a list of flags. */
bool value_to_number(const struct operand *op, struct json_object *value, uint64_t *out);

/* match.c */

/* {"op": "==", "left": ..., "right": ...} */
enum truth match_holds(struct firewall_run *run, struct json_object *match);
#define OPERANDS_MAX 8
/* The operands of an expression: several for a concatenation. Returns their count; 0: more than
 * are modelled. */
unsigned int match_operands(struct firewall_run *run, struct json_object *expr,
			    struct operand out[OPERANDS_MAX]);
/* Whether the operands equal this element of a set or map. */
enum truth match_element(struct firewall_run *run, const struct operand *ops, unsigned int nops,
			 struct json_object *element);

/* walk.c */

/* The outcome of a base chain with its policy. */
const struct firewall_outcome *walk_base(struct firewall_run *run, struct ruleset_chain *chain);

#endif
