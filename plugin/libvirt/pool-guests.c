/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which guests use a pool, by the XML of running guests: disks of type volume name the
 * pool; files, directories, backing chains, kernels and NVRAM are paths. Any text that
 * looks like a path on the target counts too: a false match only costs a question, a missed
 * one costs a guest its disk. */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "plugin/libvirt/internal.h"

/* libvirt's own limit for a string (REMOTE_STRING_MAX). */
static const struct xml_limits pool_guests_limits = {
	.roots = { "domain" },
	.bytes = 4 * 1024 * 1024,
	.nodes = 131072,
	.depth = 64,
};

struct pool_guests_search {
	const char *pool, *target;
	size_t len; /* of the target, without trailing slashes */
};

static bool pool_guests_is_on_target(const struct pool_guests_search *search, const char *path)
{
	return !strncmp(path, search->target, search->len) &&
	       (path[search->len] == '/' || !path[search->len]);
}

static bool pool_guests_node_uses(const struct pool_guests_search *search, const xmlNode *node)
{
	const xmlAttr *attribute;
	const xmlNode *child;
	xmlChar *value;
	bool uses;

	if (node->type == XML_TEXT_NODE)
		return node->content &&
		       pool_guests_is_on_target(search, (const char *)node->content);
	if (node->type != XML_ELEMENT_NODE)
		return false;
	for (attribute = node->properties; attribute; attribute = attribute->next) {
		value = xmlNodeGetContent((const xmlNode *)attribute);
		uses = !value || pool_guests_is_on_target(search, (const char *)value) ||
		       (!strcmp((const char *)attribute->name, "pool") &&
			!strcmp((const char *)value, search->pool));
		xmlFree(value);
		if (uses)
			return true;
	}
	/* The depth is bounded by pool_guests_limits. */
	for (child = node->children; child; child = child->next)
		if (pool_guests_node_uses(search, child))
			return true;
	return false;
}

bool pool_guests_uses(const char *domain_xml, const char *pool, const char *target)
{
	struct pool_guests_search search = { pool, target, strlen(target) };
	xmlDocPtr doc = NULL;
	bool uses;

	while (search.len && target[search.len - 1] == '/')
		search.len--;
	if (xml_read(&doc, domain_xml, strlen(domain_xml), &pool_guests_limits))
		return true;
	uses = pool_guests_node_uses(&search, xmlDocGetRootElement(doc));
	xmlFreeDoc(doc);
	return uses;
}
