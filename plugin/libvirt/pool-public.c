/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A pool's XML that can be passed on: made anew from the facts (libvirt.h), so that nothing else of
 * it remains, in whatever element, attribute or comment it was. Reading it gives the same
 * facts. */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "plugin/libvirt/internal.h"

/* @content: "" for none; NULL adds nothing: the element may be absent. */
static xmlNodePtr pool_public_add(xmlNodePtr parent, const char *name, const char *content)
{
	return content ? xmlNewTextChild(parent, NULL, (const xmlChar *)name,
					 *content ? (const xmlChar *)content : NULL)
		       : NULL;
}

static void pool_public_set(xmlNodePtr node, const char *name, const char *value)
{
	if (value)
		xmlNewProp(node, (const xmlChar *)name, (const xmlChar *)value);
}

static void pool_public_add_with(xmlNodePtr parent, const char *name, const char *key,
				 const char *value)
{
	if (value)
		pool_public_set(pool_public_add(parent, name, ""), key, value);
}

static void pool_public_source(xmlNodePtr pool, const struct pool_facts *facts)
{
	xmlNodePtr source = pool_public_add(pool, "source", ""), host;
	unsigned int i;

	for (i = 0; i < facts->nhosts; i++) {
		host = pool_public_add(source, "host", "");
		pool_public_set(host, "name", i ? "" : facts->host);
		pool_public_set(host, "port", i ? NULL : facts->host_port);
	}
	pool_public_add_with(source, "dir", "path", facts->dir);
	pool_public_add_with(source, "format", "type", facts->format);
	pool_public_add_with(source, "protocol", "ver", facts->version);
	if (facts->auth)
		pool_public_add(source, "auth", "");
}

static int pool_public_option(xmlNodePtr list, xmlNsPtr ns, const char *option)
{
	_cleanup_free_ char *copy = strdup(option), *text = NULL;
	size_t len = 0;
	FILE *mem = copy ? open_memstream(&text, &len) : NULL;
	xmlNodePtr node;

	if (!mem)
		return err_no_memory();
	public_options(mem, copy);
	if (fclose(mem))
		return err_no_memory();
	node = xmlNewChild(list, ns, (const xmlChar *)"option", NULL);
	if (!node)
		return err_no_memory();
	pool_public_set(node, "name", text);
	return 0;
}

static int pool_public_options(xmlNodePtr pool, const struct pool_facts *facts)
{
	xmlNsPtr ns = xmlNewNs(pool, (const xmlChar *)POOL_NS, (const xmlChar *)"fs");
	xmlNodePtr list = NULL;
	unsigned int i;
	int rc = 0;

	if (!ns)
		return err_no_memory();
	/* Before the other, so that libvirt's own is still the first of its namespace. */
	if (facts->dropped_ns) {
		list = pool_public_add(pool, "mount_opts", "");
		if (*facts->dropped_ns)
			xmlSetNs(list, xmlNewNs(list, (const xmlChar *)facts->dropped_ns,
						(const xmlChar *)"other"));
	}
	if (facts->noptions)
		list = xmlNewChild(pool, ns, (const xmlChar *)"mount_opts", NULL);
	for (i = 0; !rc && i < facts->noptions; i++)
		rc = pool_public_option(list, ns, facts->options[i]);
	return rc;
}

static int pool_public_format(const struct pool_xml *xml, xmlDocPtr doc, char **out)
{
	const struct pool_facts *facts = &xml->facts;
	bool saved = !xml_is_element(xmlDocGetRootElement(xml->doc), "pool", NULL);
	xmlNodePtr root = xmlNewNode(NULL, (const xmlChar *)(saved ? "poolstate" : "pool"));
	xmlNodePtr pool;
	int rc;

	if (!root)
		return err_no_memory();
	xmlDocSetRootElement(doc, root);
	pool = saved ? pool_public_add(root, "pool", "") : root;
	if (!pool)
		return err_no_memory();
	pool_public_set(pool, "type", facts->type);
	pool_public_add(pool, "name", facts->name);
	pool_public_add(pool, "uuid", facts->uuid);
	pool_public_source(pool, facts);
	pool_public_add(pool_public_add(pool, "target", ""), "path", facts->target);
	rc = pool_public_options(pool, facts);
	return rc ? rc : pool_xml_dump(doc, out);
}

int pool_public_xml(const char *text, size_t len, char **out)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	xmlDocPtr doc;
	int rc = pool_xml_parse_saved(&xml, text, len);

	if (rc)
		return rc;
	doc = xmlNewDoc((const xmlChar *)"1.0");
	rc = doc ? pool_public_format(xml, doc, out) : err_no_memory();
	xmlFreeDoc(doc);
	return rc;
}
