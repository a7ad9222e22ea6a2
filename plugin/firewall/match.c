/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Matches: what is known of the packet against a value, a list or a set (libnftables-json(5),
 * "match"). */
#include <stdio.h>

#include "plugin/firewall/internal.h"

unsigned int match_operands(struct firewall_run *run, struct json_object *expr,
			    struct operand out[OPERANDS_MAX])
{
	struct json_object *parts = json_member(expr, "concat");
	size_t count, i;

	if (!json_object_is_type(parts, json_type_array)) {
		operand_read(run, expr, &out[0]);
		return 1;
	}
	count = json_object_array_length(parts);
	if (count > OPERANDS_MAX)
		return 0;
	for (i = 0; i < count; i++)
		operand_read(run, json_object_array_get_idx(parts, i), &out[i]);
	return (unsigned int)count;
}

enum truth match_element(struct firewall_run *run, const struct operand *ops, unsigned int nops,
			 struct json_object *element)
{
	struct json_object *inner = json_member(element, "elem"), *parts;
	enum truth all = YES, one;
	unsigned int i;

	/* With a timeout, a counter or a comment. */
	if (inner)
		element = json_member(inner, "val");
	/* The wildcard. */
	if (json_object_is_type(element, json_type_string) &&
	    !strcmp(json_object_get_string(element), "*"))
		return YES;
	if (nops == 1)
		return value_is(run, &ops[0], element);
	parts = json_member(element, "concat");
	if (!json_object_is_type(parts, json_type_array) || json_object_array_length(parts) != nops)
		return operand_doubt(run, "an element of another size cannot be evaluated");
	for (i = 0; i < nops && all != NO; i++) {
		one = value_is(run, &ops[i], json_object_array_get_idx(parts, i));
		all = one < all ? one : all;
	}
	return all;
}

static enum truth match_list(struct firewall_run *run, const struct operand *ops, unsigned int nops,
			     struct json_object *list)
{
	enum truth any = NO, one;
	size_t i, count = list ? json_object_array_length(list) : 0;

	for (i = 0; i < count && any != YES && !run_is_exhausted(run); i++) {
		one = match_element(run, ops, nops, json_object_array_get_idx(list, i));
		any = one > any ? one : any;
	}
	return any;
}

/* Equal to the right side, or a member of it. */
static enum truth match_equal(struct firewall_run *run, const struct operand *ops,
			      unsigned int nops, struct json_object *right)
{
	struct json_object *list = json_member(right, "set");
	const char *name = json_object_is_type(right, json_type_string)
				   ? json_object_get_string(right)
				   : "";

	if (name[0] == '@') {
		if (!ruleset_elements(run->ruleset, run->base, name + 1, &list))
			return operand_doubt(run, "the set %.20s does not exist", name);
		return match_list(run, ops, nops, list);
	}
	if (json_object_is_type(list, json_type_array))
		return match_list(run, ops, nops, list);
	if (json_object_is_type(right, json_type_array) && !ops[0].flags && nops == 1 &&
	    !(ops[0].kind == OPERAND_NUMBER && ops[0].symbols))
		return match_list(run, ops, nops, right);
	return match_element(run, ops, nops, right);
}

/* Any of several flags. */
static enum truth match_flags(struct firewall_run *run, const struct operand *op,
			      struct json_object *right)
{
	uint64_t bits;

	run->steps++;
	if (!value_to_number(op, right, &bits))
		return operand_doubt(run, "a flag cannot be evaluated");
	if (op->number & op->known & bits)
		return YES;
	return bits & ~op->known ? MAYBE : NO;
}

static enum truth match_opposite(enum truth truth)
{
	return truth == MAYBE ? MAYBE : truth == YES ? NO : YES;
}

static bool match_has_names(const struct operand *op, struct json_object *right)
{
	return op->kind == OPERAND_NUMBER && op->flags &&
	       (json_object_is_type(right, json_type_array) ||
		(json_object_is_type(right, json_type_string) &&
		 json_object_get_string(right)[0] != '@'));
}

static enum truth match_compare(struct firewall_run *run, const struct operand *op, const char *how,
				struct json_object *right)
{
	bool less = how[0] == '<', equal = how[1] == '=';
	uint64_t number;

	run->steps++;
	if (op->kind == OPERAND_UNKNOWN)
		return MAYBE;
	if (op->kind != OPERAND_NUMBER || !value_to_number(op, right, &number))
		return operand_doubt(run, "%.4s cannot be evaluated", how);
	if (op->known != UINT64_MAX)
		return MAYBE;
	if (op->number == number)
		return equal ? YES : NO;
	return (op->number < number) == less ? YES : NO;
}

enum truth match_holds(struct firewall_run *run, struct json_object *match)
{
	struct json_object *right = json_member(match, "right");
	const char *how = json_word(match, "op");
	struct operand ops[OPERANDS_MAX];
	unsigned int nops, i;
	bool names;

	nops = match_operands(run, json_member(match, "left"), ops);
	if (!how || !nops)
		return operand_doubt(run, "a match cannot be evaluated");
	for (i = 0; i < nops; i++)
		if (ops[i].kind == OPERAND_MISSING)
			return NO;
	/* Kernels before 5.4 end the rule; later ones compare with an empty name. */
	if (ops[0].kind == OPERAND_NOWHERE && !strcmp(how, "!="))
		return operand_doubt(run, "an interface that the packet does not have yet");
	names = nops == 1 && match_has_names(&ops[0], right);
	if (!strcmp(how, "in") && names)
		return match_flags(run, &ops[0], right);
	if (!strcmp(how, "==") || !strcmp(how, "in"))
		return match_equal(run, ops, nops, right);
	if (!strcmp(how, "!") && names)
		return match_opposite(match_flags(run, &ops[0], right));
	if (!strcmp(how, "!="))
		return match_opposite(match_equal(run, ops, nops, right));
	if ((how[0] == '<' || how[0] == '>') && nops == 1)
		return match_compare(run, &ops[0], how, right);
	return operand_doubt(run, "the operator %.4s cannot be evaluated", how);
}
