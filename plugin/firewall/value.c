/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Values of the right side of a match, as nft prints them: numbers, names of numbers, addresses,
 * prefixes and ranges (libnftables-json(5), "immediate", "range", "prefix"). */
#include <arpa/inet.h>
#include <stdio.h>

#include "plugin/firewall/internal.h"

static bool value_symbol(const struct operand *op, const char *name, uint64_t *out)
{
	const struct operand_symbol *symbol;
	char *end;

	for (symbol = op->symbols; symbol && symbol->name; symbol++)
		if (!strcmp(symbol->name, name)) {
			*out = symbol->number;
			return true;
		}
	errno = 0;
	*out = strtoull(name, &end, 0);
	return name[0] >= '0' && name[0] <= '9' && !*end && !errno;
}

static bool value_flags(const struct operand *op, struct json_object *list, uint64_t *out)
{
	uint64_t one;
	size_t i;

	*out = 0;
	for (i = 0; i < json_object_array_length(list); i++) {
		if (!value_to_number(op, json_object_array_get_idx(list, i), &one))
			return false;
		*out |= one;
	}
	return true;
}

bool value_to_number(const struct operand *op, struct json_object *value, uint64_t *out)
{
	struct json_object *list = json_member(value, "|");

	switch (json_object_get_type(value)) {
	case json_type_int: *out = (uint64_t)json_object_get_int64(value); return true;
	case json_type_boolean: *out = (uint64_t)json_object_get_boolean(value); return true;
	case json_type_string: return value_symbol(op, json_object_get_string(value), out);
	case json_type_array: return value_flags(op, value, out);
	case json_type_object:
		return json_object_is_type(list, json_type_array) && value_flags(op, list, out);
	default: return false;
	}
}

static enum truth value_not_modelled(struct firewall_run *run, struct json_object *value)
{
	const char *text = value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN)
				 : NULL;

	return operand_doubt(run, "the value %.24s cannot be evaluated", text ? text : "null");
}

static enum truth value_number_is(struct firewall_run *run, const struct operand *op,
				  struct json_object *value)
{
	uint64_t number;

	if (!value_to_number(op, value, &number)) {
		/* The name of another one: this one is in its table. */
		if (op->symbols && !op->flags && json_object_is_type(value, json_type_string))
			return NO;
		return value_not_modelled(run, value);
	}
	if ((op->number ^ number) & op->known)
		return NO;
	return op->known == UINT64_MAX ? YES : MAYBE;
}

static bool value_parse_address(const struct operand *op, struct json_object *value,
				uint8_t out[16])
{
	return json_object_is_type(value, json_type_string) &&
	       inet_pton(op->address_len == 4 ? AF_INET : AF_INET6, json_object_get_string(value),
			 out) == 1;
}

static enum truth value_address_is(struct firewall_run *run, const struct operand *op,
				   struct json_object *value)
{
	uint8_t address[16];

	if (!value_parse_address(op, value, address))
		return value_not_modelled(run, value);
	return memcmp(address, op->address, op->address_len) ? NO : YES;
}

/* A name that ends in an asterisk stands for all that begin so. */
static enum truth value_name_is(struct firewall_run *run, const struct operand *op,
				struct json_object *value)
{
	const char *name;
	size_t len;

	if (!json_object_is_type(value, json_type_string))
		return value_not_modelled(run, value);
	name = json_object_get_string(value);
	len = strlen(name);
	if (len && name[len - 1] == '*')
		return strncmp(name, op->name, len - 1) ? NO : YES;
	return strcmp(name, op->name) ? NO : YES;
}

static enum truth value_prefix_holds(struct firewall_run *run, const struct operand *op,
				     struct json_object *prefix)
{
	struct json_object *len = json_member(prefix, "len");
	int64_t bits = json_object_get_int64(len);
	uint8_t address[16], mask;
	size_t bytes;

	if (op->kind != OPERAND_ADDRESS || !json_object_is_type(len, json_type_int) || bits < 0 ||
	    bits > 8 * (int64_t)op->address_len ||
	    !value_parse_address(op, json_member(prefix, "addr"), address))
		return value_not_modelled(run, prefix);
	bytes = (size_t)bits / 8;
	mask = (uint8_t)(0xff00 >> (bits % 8));
	if (memcmp(address, op->address, bytes) != 0)
		return NO;
	return mask && (address[bytes] ^ op->address[bytes]) & mask ? NO : YES;
}

static enum truth value_address_in(struct firewall_run *run, const struct operand *op,
				   struct json_object *first, struct json_object *last)
{
	uint8_t low[16], high[16];

	if (!value_parse_address(op, first, low) || !value_parse_address(op, last, high))
		return value_not_modelled(run, first);
	return memcmp(low, op->address, op->address_len) <= 0 &&
			       memcmp(op->address, high, op->address_len) <= 0
		       ? YES
		       : NO;
}

/* Between the least and the greatest that the unknown bits allow. */
static enum truth value_bounds_hold(const struct operand *op, uint64_t low, uint64_t high)
{
	uint64_t least = op->number & op->known, most = op->number | ~op->known;

	if (most < low || high < least)
		return NO;
	return low <= least && most <= high ? YES : MAYBE;
}

static enum truth value_range_holds(struct firewall_run *run, const struct operand *op,
				    struct json_object *range)
{
	struct json_object *first, *last;
	uint64_t low, high;

	if (!json_object_is_type(range, json_type_array) || json_object_array_length(range) != 2)
		return value_not_modelled(run, range);
	first = json_object_array_get_idx(range, 0);
	last = json_object_array_get_idx(range, 1);
	if (op->kind == OPERAND_ADDRESS)
		return value_address_in(run, op, first, last);
	if (op->kind != OPERAND_NUMBER || !value_to_number(op, first, &low) ||
	    !value_to_number(op, last, &high))
		return value_not_modelled(run, range);
	return value_bounds_hold(op, low, high);
}

enum truth value_is(struct firewall_run *run, const struct operand *op, struct json_object *value)
{
	struct json_object *part;

	run->steps++;
	if (op->kind == OPERAND_UNKNOWN)
		return MAYBE;
	if (op->kind == OPERAND_NOWHERE || op->kind == OPERAND_MISSING)
		return NO;
	part = json_member(value, "prefix");
	if (part)
		return value_prefix_holds(run, op, part);
	part = json_member(value, "range");
	if (part)
		return value_range_holds(run, op, part);
	if (op->kind == OPERAND_NUMBER)
		return value_number_is(run, op, value);
	return op->kind == OPERAND_ADDRESS ? value_address_is(run, op, value)
					   : value_name_is(run, op, value);
}
