/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The objects of `nft -j list ruleset` by their names (libnftables-json(5)): an array in which
 * tables, chains, sets and rules follow each other, each with its family and table. Sorted once,
 * since a host with many containers has thousands. */
#include <stdio.h>

#include "plugin/firewall/internal.h"
#include "plugin/host/json.h"

/* Eight megabytes of rules have as many. json-c needs some hundred bytes for each. */
#define CONTAINERS_MAX 400000

/* A set, a map or a table. */
struct ruleset_named {
	const char *family, *table, *name;
	struct json_object *json;
};

struct ruleset {
	struct json_object *json;
	size_t nchains, nsets, ntables, nrules;
	struct ruleset_chain *chains;
	struct ruleset_named *sets, *tables;
	struct ruleset_rule *rules;
};

struct json_object *json_member(struct json_object *json, const char *key)
{
	struct json_object *value = NULL;

	if (json_object_is_type(json, json_type_object))
		json_object_object_get_ex(json, key, &value);
	return value;
}

const char *json_word(struct json_object *json, const char *key)
{
	struct json_object *value = json_member(json, key);

	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

bool json_has_word(struct json_object *json, const char *word)
{
	struct json_object *item;
	size_t i;

	if (json_object_is_type(json, json_type_string))
		return !strcmp(json_object_get_string(json), word);
	if (!json_object_is_type(json, json_type_array))
		return false;
	for (i = 0; i < json_object_array_length(json); i++) {
		item = json_object_array_get_idx(json, i);
		if (json_object_is_type(item, json_type_string) &&
		    !strcmp(json_object_get_string(item), word))
			return true;
	}
	return false;
}

bool json_only(struct json_object *json, const char **key, struct json_object **value)
{
	struct json_object_iterator it;

	if (!json_object_is_type(json, json_type_object) || json_object_object_length(json) != 1)
		return false;
	it = json_object_iter_begin(json);
	*key = json_object_iter_peek_name(&it);
	*value = json_object_iter_peek_value(&it);
	return true;
}

static int ruleset_compare_names(const char *const a[3], const char *const b[3])
{
	int i, order = 0;

	for (i = 0; i < 3 && !order; i++)
		order = strcmp(a[i], b[i]);
	return order;
}

static int ruleset_compare_chains(const void *a, const void *b)
{
	const struct ruleset_chain *x = a, *y = b;

	return ruleset_compare_names((const char *[]){ x->family, x->table, x->name },
				     (const char *[]){ y->family, y->table, y->name });
}

static int ruleset_compare_named(const void *a, const void *b)
{
	const struct ruleset_named *x = a, *y = b;

	return ruleset_compare_names((const char *[]){ x->family, x->table, x->name },
				     (const char *[]){ y->family, y->table, y->name });
}

struct ruleset_chain *ruleset_chain(struct ruleset *ruleset, const char *family, const char *table,
				    const char *name)
{
	struct ruleset_chain key = { .family = family, .table = table, .name = name };

	return bsearch(&key, ruleset->chains, ruleset->nchains, sizeof(key),
		       ruleset_compare_chains);
}

struct ruleset_chain *ruleset_chain_at(struct ruleset *ruleset, size_t i)
{
	return i < ruleset->nchains ? &ruleset->chains[i] : NULL;
}

const struct ruleset_rule *ruleset_rule(const struct ruleset *ruleset, unsigned int at)
{
	return at ? &ruleset->rules[at - 1] : NULL;
}

bool ruleset_elements(struct ruleset *ruleset, const struct ruleset_chain *chain, const char *name,
		      struct json_object **out)
{
	struct ruleset_named key = { chain->family, chain->table, name, NULL }, *set;

	set = bsearch(&key, ruleset->sets, ruleset->nsets, sizeof(key), ruleset_compare_named);
	if (!set)
		return false;
	*out = json_member(set->json, "elem");
	if (!json_object_is_type(*out, json_type_array))
		*out = NULL;
	return true;
}

/* Flags of a table, and whether they disable it. */
static const struct {
	const char *name;
	enum truth dormant;
} table_flags[] = {
	{ "dormant", YES },
	{ "owner", NO },
	{ "persist", NO },
};

/* nft 1.0.6 prints a stray string for the flags of a table: an unknown flag may be any. */
static enum truth ruleset_flag_is_dormant(struct json_object *flag)
{
	const char *name = json_object_is_type(flag, json_type_string)
				   ? json_object_get_string(flag)
				   : "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table_flags); i++)
		if (!strcmp(table_flags[i].name, name))
			return table_flags[i].dormant;
	return MAYBE;
}

enum truth ruleset_is_dormant(struct ruleset *ruleset, const struct ruleset_chain *chain)
{
	struct ruleset_named key = { chain->family, "", chain->table, NULL }, *table;
	struct json_object *flags;
	enum truth dormant = NO, flag;
	size_t i;

	table = bsearch(&key, ruleset->tables, ruleset->ntables, sizeof(key),
			ruleset_compare_named);
	flags = table ? json_member(table->json, "flags") : NULL;
	if (!flags)
		return NO;
	if (!json_object_is_type(flags, json_type_array))
		return ruleset_flag_is_dormant(flags);
	for (i = 0; i < json_object_array_length(flags); i++) {
		flag = ruleset_flag_is_dormant(json_object_array_get_idx(flags, i));
		dormant = flag > dormant ? flag : dormant;
	}
	return dormant;
}

static void ruleset_add_chain(struct ruleset *ruleset, struct json_object *json)
{
	struct ruleset_chain chain = {
		.family = json_word(json, "family"),
		.table = json_word(json, "table"),
		.name = json_word(json, "name"),
		.json = json,
		.index = (unsigned int)ruleset->nchains,
	};

	if (chain.family && chain.table && chain.name)
		ruleset->chains[ruleset->nchains++] = chain;
}

static void ruleset_add_set(struct ruleset *ruleset, struct json_object *json)
{
	struct ruleset_named set = { json_word(json, "family"), json_word(json, "table"),
				     json_word(json, "name"), json };

	if (set.family && set.table && set.name)
		ruleset->sets[ruleset->nsets++] = set;
}

static void ruleset_add_table(struct ruleset *ruleset, struct json_object *json)
{
	struct ruleset_named table = { json_word(json, "family"), "", json_word(json, "name"),
				       json };

	if (table.family && table.name)
		ruleset->tables[ruleset->ntables++] = table;
}

/* Called once the chains are sorted. A rule whose chain does not exist is never reached. */
static void ruleset_add_rule(struct ruleset *ruleset, struct json_object *json)
{
	const char *family = json_word(json, "family"), *table = json_word(json, "table"),
		   *name = json_word(json, "chain");
	struct ruleset_chain *chain;
	unsigned int at;

	chain = family && table && name ? ruleset_chain(ruleset, family, table, name) : NULL;
	if (!chain)
		return;
	ruleset->rules[ruleset->nrules++] = (struct ruleset_rule){ .json = json };
	at = (unsigned int)ruleset->nrules;
	if (chain->last)
		ruleset->rules[chain->last - 1].next = at;
	else
		chain->first = at;
	chain->last = at;
}

static const struct {
	const char *kind;
	void (*add)(struct ruleset *ruleset, struct json_object *json);
} kinds[] = {
	{ "table", ruleset_add_table },
	{ "chain", ruleset_add_chain },
	{ "set", ruleset_add_set },
	{ "map", ruleset_add_set },
};

static int ruleset_index(struct ruleset *ruleset, struct json_object *objects)
{
	size_t count = json_object_array_length(objects), i, k;
	struct json_object *value;
	const char *kind;

	ruleset->chains = calloc(count + 1, sizeof(*ruleset->chains));
	ruleset->sets = calloc(count + 1, sizeof(*ruleset->sets));
	ruleset->tables = calloc(count + 1, sizeof(*ruleset->tables));
	ruleset->rules = calloc(count + 1, sizeof(*ruleset->rules));
	if (!ruleset->chains || !ruleset->sets || !ruleset->tables || !ruleset->rules)
		return err_no_memory();
	for (i = 0; i < count; i++) {
		if (!json_only(json_object_array_get_idx(objects, i), &kind, &value))
			continue;
		for (k = 0; k < ARRAY_SIZE(kinds); k++)
			if (!strcmp(kinds[k].kind, kind))
				kinds[k].add(ruleset, value);
	}
	qsort(ruleset->chains, ruleset->nchains, sizeof(*ruleset->chains), ruleset_compare_chains);
	qsort(ruleset->sets, ruleset->nsets, sizeof(*ruleset->sets), ruleset_compare_named);
	qsort(ruleset->tables, ruleset->ntables, sizeof(*ruleset->tables), ruleset_compare_named);
	for (i = 0; i < count; i++) {
		value = json_member(json_object_array_get_idx(objects, i), "rule");
		if (value)
			ruleset_add_rule(ruleset, value);
	}
	return 0;
}

int ruleset_open(struct ruleset **out, const char *json, size_t len)
{
	_cleanup_(ruleset_close_p) struct ruleset *ruleset = NULL;
	struct json_object *objects;
	size_t containers = 0, i;
	int rc;

	if (len > LIVE_NFT_MAX)
		return err_set(E2BIG, "the ruleset has %zu bytes; at most %u are read", len,
			       LIVE_NFT_MAX);
	/* json-c needs a hundred times the memory of the text: refused before it is parsed. */
	for (i = 0; i < len; i++)
		containers += json[i] == '{' || json[i] == '[';
	if (containers > CONTAINERS_MAX)
		return err_set(E2BIG, "the ruleset has %zu parts; at most %u are read", containers,
			       CONTAINERS_MAX);
	ruleset = calloc(1, sizeof(*ruleset));
	if (!ruleset)
		return err_no_memory();
	rc = json_parse(json, len, JSON_UTF8, &ruleset->json);
	if (rc)
		return err_context(rc, "the ruleset");
	objects = json_member(ruleset->json, "nftables");
	if (!json_object_is_type(objects, json_type_array))
		return err_set(EBADMSG, "the ruleset has no array \"nftables\"");
	rc = ruleset_index(ruleset, objects);
	if (rc)
		return rc;
	*out = take_ptr(ruleset);
	return 0;
}

void ruleset_close_p(struct ruleset **ruleset)
{
	struct ruleset *old = take_ptr(*ruleset);

	if (!old)
		return;
	json_object_put(old->json);
	free(old->chains);
	free(old->sets);
	free(old->tables);
	free(old->rules);
	free(old);
}
