/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A pool's XML, read as libvirt reads it (src/conf/storage_conf.c and
 * src/storage/storage_backend_fs.c): of several elements with one name the first applies,
 * mount options are those in libvirt's namespace whatever its prefix, and unknown elements
 * are kept. */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "plugin/libvirt/internal.h"
#include "rpcrdma/base/grow.h"

static const struct xml_limits pool_limits = {
	.roots = { "pool" },
	.bytes = POOL_XML_MAX,
	.nodes = 4096,
	.depth = 32,
};

/* Twice the size: libvirt adds comments and the state around it. */
static const struct xml_limits pool_saved_limits = {
	.roots = { "pool", "poolstate" },
	.bytes = 2 * POOL_XML_MAX,
	.nodes = 4096,
	.depth = 32,
};

/* --- facts ------------------------------------------------------------------------------- */

/* Keeps a string as long as the facts are valid. NULL stays NULL. */
static const char *pool_xml_keep(struct pool_xml *xml, xmlChar *text, int *rc)
{
	char *copy = text ? strdup((const char *)text) : NULL;

	if (!text)
		return NULL;
	xmlFree(text);
	if (!copy || !grow(xml->texts, xml->ntexts)) {
		free(copy);
		*rc = err_no_memory();
		return NULL;
	}
	xml->texts[xml->ntexts++] = copy;
	return copy;
}

static const char *pool_xml_attribute(struct pool_xml *xml, xmlNodePtr node, const char *name,
				      int *rc)
{
	return node ? pool_xml_keep(xml, xmlGetNoNsProp(node, (const xmlChar *)name), rc) : NULL;
}

static const char *pool_xml_content(struct pool_xml *xml, xmlNodePtr node, int *rc)
{
	return node ? pool_xml_keep(xml, xmlNodeGetContent(node), rc) : NULL;
}

static int pool_xml_read_options(struct pool_xml *xml, xmlNodePtr list)
{
	xmlNodePtr node = list ? list->children : NULL;
	int rc = 0;

	for (; (node = xml_next(node, "option", POOL_NS)); node = node->next) {
		const char *name = pool_xml_attribute(xml, node, "name", &rc);

		if (!name && !rc)
			return err_set(
				EINVAL,
				"an <option> in <mount_opts> has no name, which libvirt refuses");
		if (rc || !grow(xml->options, xml->facts.noptions))
			return err_no_memory();
		xml->options[xml->facts.noptions++] = name;
	}
	xml->facts.options = xml->options;
	return rc;
}

bool pool_xml_is_list(const xmlNode *node)
{
	const char *name = (const char *)node->name, *colon;

	if (node->type != XML_ELEMENT_NODE)
		return false;
	/* An undeclared prefix is part of the name. */
	colon = node->ns ? NULL : strchr(name, ':');
	return !strcmp(colon ? colon + 1 : name, "mount_opts");
}

static void pool_xml_forget(struct pool_xml *xml)
{
	while (xml->ntexts)
		free(xml->texts[--xml->ntexts]);
	free(xml->texts);
	free(xml->options);
	xml->texts = NULL;
	xml->options = NULL;
	xml->facts = (struct pool_facts){ .type = NULL };
}

int pool_xml_update(struct pool_xml *xml)
{
	xmlNodePtr root = xmlDocGetRootElement(xml->doc), source, node;
	struct pool_facts *facts = &xml->facts;
	int rc = 0;

	pool_xml_forget(xml);
	/* The root, or within <poolstate>. */
	if (!xml_is_element(root, "pool", NULL))
		root = xml_child(root, "pool");
	if (!root)
		return err_set(EINVAL, "the XML has no <pool> in its <poolstate>");
	facts->type = pool_xml_attribute(xml, root, "type", &rc);
	facts->name = pool_xml_content(xml, xml_child(root, "name"), &rc);
	facts->uuid = pool_xml_content(xml, xml_child(root, "uuid"), &rc);
	facts->target = pool_xml_content(xml, xml_child(xml_child(root, "target"), "path"), &rc);

	/* libvirt reads mount_opts in its own namespace and ignores any other. */
	for (node = root->children; node; node = node->next)
		if (pool_xml_is_list(node) && !xml_is_element(node, "mount_opts", POOL_NS))
			break;
	if (node)
		facts->dropped_ns = pool_xml_keep(xml,
						  xmlStrdup(node->ns && node->ns->href
								    ? node->ns->href
								    : (const xmlChar *)""),
						  &rc);

	source = xml_child(root, "source");
	node = xml_child(source, "host");
	facts->host = pool_xml_attribute(xml, node, "name", &rc);
	facts->host_port = pool_xml_attribute(xml, node, "port", &rc);
	for (; node; node = xml_next(node->next, "host", NULL))
		facts->nhosts++;
	facts->dir = pool_xml_attribute(xml, xml_child(source, "dir"), "path", &rc);
	facts->format = pool_xml_attribute(xml, xml_child(source, "format"), "type", &rc);
	facts->version = pool_xml_attribute(xml, xml_child(source, "protocol"), "ver", &rc);
	facts->auth = xml_child(source, "auth");
	if (rc)
		return rc;
	return pool_xml_read_options(xml, xml_next(root->children, "mount_opts", POOL_NS));
}

const struct pool_facts *pool_xml_facts(const struct pool_xml *xml)
{
	return &xml->facts;
}

/* --- parse and format --------------------------------------------------------- */

void pool_xml_free(struct pool_xml *xml)
{
	if (!xml)
		return;
	pool_xml_forget(xml);
	xmlFreeDoc(xml->doc);
	free(xml);
}

void pool_xml_free_p(struct pool_xml **xml)
{
	pool_xml_free(*xml);
}

static int pool_xml_parse_within(struct pool_xml **out, const char *text, size_t len,
				 const struct xml_limits *within)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = calloc(1, sizeof(*xml));
	int rc;

	if (!xml)
		return err_no_memory();
	rc = xml_read(&xml->doc, text, len, within);
	if (!rc)
		rc = pool_xml_update(xml);
	if (!rc)
		*out = take_ptr(xml);
	return rc && rc != -ENOMEM ? err_because(rc, "malformed") : rc;
}

int pool_xml_parse(struct pool_xml **out, const char *text, size_t len)
{
	return pool_xml_parse_within(out, text, len, &pool_limits);
}

int pool_xml_parse_saved(struct pool_xml **out, const char *text, size_t len)
{
	return pool_xml_parse_within(out, text, len, &pool_saved_limits);
}

int pool_xml_dump(xmlDocPtr doc, char **out)
{
	xmlBufferPtr buffer = xmlBufferCreate();
	int rc = -ENOMEM;

	/* Only XML that was parsed without blank nodes is indented (XML_PARSE_NOBLANKS). */
	if (buffer && xmlNodeDump(buffer, doc, xmlDocGetRootElement(doc), 0, 1) >= 0 &&
	    asprintf(out, "%s\n", (const char *)xmlBufferContent(buffer)) >= 0)
		rc = 0;
	xmlBufferFree(buffer);
	return rc ? err_no_memory() : 0;
}

int pool_xml_format(const struct pool_xml *xml, char **out)
{
	return pool_xml_dump(xml->doc, out);
}

static void pool_xml_drop(xmlNodePtr parent, const char *name)
{
	xmlNodePtr node;

	while ((node = xml_child(parent, name))) {
		xmlUnlinkNode(node);
		xmlFreeNode(node);
	}
}

int pool_xml_format_bare(const struct pool_xml *xml, char **out)
{
	static const char *const sizes[] = { "capacity", "allocation", "available" };
	xmlDocPtr doc = xmlCopyDoc(xml->doc, 1);
	xmlNodePtr root = doc ? xmlDocGetRootElement(doc) : NULL;
	size_t i;
	int rc;

	if (!root)
		return err_no_memory();
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		pool_xml_drop(root, sizes[i]);
	pool_xml_drop(xml_child(root, "target"), "permissions");
	rc = pool_xml_dump(doc, out);
	xmlFreeDoc(doc);
	return rc;
}

/* --- libvirt's result --------------------------------------------------------- */

int pool_xml_options(const struct pool_xml *xml, char **out)
{
	const struct pool_facts *facts = &xml->facts;
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	unsigned int i;
	FILE *mem = open_memstream(&text, &len);

	if (!mem)
		return err_no_memory();
	if (facts->version)
		fprintf(mem, "nfsvers=%s", facts->version);
	for (i = 0; i < facts->noptions; i++)
		fprintf(mem, "%s%s", i || facts->version ? "," : "", facts->options[i]);
	if (fclose(mem))
		return err_no_memory();
	*out = take_ptr(text);
	return 0;
}

static int pool_xml_incomplete(int rc)
{
	return err_because(rc, "incomplete");
}

int pool_xml_source(const struct pool_xml *xml, char *buf, size_t cap)
{
	const struct pool_facts *facts = &xml->facts;
	size_t len;
	int n;

	if (facts->nhosts != 1 || !facts->host || !*facts->host)
		return pool_xml_incomplete(
			err_set(EINVAL,
				facts->nhosts > 1
					? "the pool's <source> has %u <host>; a netfs pool has one"
					: "the pool's <source> has no <host name='SERVER'/>",
				facts->nhosts));
	if (!facts->dir || *facts->dir != '/')
		return pool_xml_incomplete(
			err_set(EINVAL, "the pool's <source> has no <dir path='/EXPORT'/>"));
	/* libvirt removes trailing slashes (virFileSanitizePath), but keeps "/". */
	len = strlen(facts->dir);
	while (len > 1 && facts->dir[len - 1] == '/')
		len--;
	n = snprintf(buf, cap, "%s:%.*s", facts->host, (int)len, facts->dir);
	return n < (int)cap
		       ? 0
		       : pool_xml_incomplete(err_set(EINVAL, "the pool's source has %d bytes", n));
}

int pool_xml_check(const struct pool_xml *xml)
{
	const struct pool_facts *facts = &xml->facts;
	char source[POOL_SOURCE_MAX];

	if (!facts->type || strcmp(facts->type, "netfs"))
		return err_because(err_set(EINVAL, "the pool is of type %.40s, not netfs",
					   facts->type ? facts->type : "none"),
				   "not-nfs");
	if (!facts->name || !*facts->name)
		return pool_xml_incomplete(err_set(EINVAL, "the pool has no <name>"));
	if (facts->format && strcmp(facts->format, "nfs") && strcmp(facts->format, "auto"))
		return err_because(err_set(EINVAL, "the pool's format is %.40s, not nfs or auto",
					   facts->format),
				   "not-nfs");
	if (!facts->target || *facts->target != '/')
		return pool_xml_incomplete(
			err_set(EINVAL, "the pool's <target> has no <path> that begins with '/'"));
	return pool_xml_source(xml, source, sizeof(source));
}
