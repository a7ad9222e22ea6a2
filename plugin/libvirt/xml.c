/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Parses untrusted XML with libxml2, within limits.
 *
 * A document type is refused at its start, so no entity is declared or fetched: libvirt's
 * XML has none. The text is parsed as UTF-8 whatever encoding it declares: libvirt reads
 * and writes UTF-8. libxml2's own limits (names, depth of 256, growth of entities) apply as
 * well, because XML_PARSE_HUGE is not set. */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "plugin/libvirt/internal.h"

struct xml_reading {
	const struct xml_limits *limits;
	size_t nodes;
	unsigned int depth; /* elements that are open */
	int errnum;
	const char *refused; /* NULL: not refused */
	startElementNsSAX2Func start;
	endElementNsSAX2Func end;
	commentSAXFunc comment;
	processingInstructionSAXFunc instruction;
};

static void xml_refuse(xmlParserCtxtPtr ctxt, int errnum, const char *why)
{
	struct xml_reading *reading = ctxt->_private;

	if (!reading->refused) {
		reading->refused = why;
		reading->errnum = errnum;
	}
	xmlStopParser(ctxt);
}

static void xml_on_doctype(void *arg, const xmlChar *name, const xmlChar *external,
			   const xmlChar *system)
{
	(void)name;
	(void)external;
	(void)system;
	xml_refuse(arg, EINVAL, "has a document type (<!DOCTYPE>), which libvirt's XML never has");
}

/* Whether there is room for @more nodes: each needs much more memory than its text. */
static bool xml_has_room(xmlParserCtxtPtr ctxt, size_t more)
{
	struct xml_reading *reading = ctxt->_private;

	reading->nodes += more;
	if (reading->nodes <= reading->limits->nodes)
		return true;
	xml_refuse(ctxt, EFBIG, "has too many elements");
	return false;
}

static void xml_on_element(void *arg, const xmlChar *name, const xmlChar *prefix,
			   const xmlChar *uri, int nspaces, const xmlChar **spaces, int nattributes,
			   int ndefaulted, const xmlChar **attributes)
{
	xmlParserCtxtPtr ctxt = arg;
	struct xml_reading *reading = ctxt->_private;

	if (!xml_has_room(ctxt, 1 + (size_t)nspaces + (size_t)nattributes))
		return;
	if (reading->depth++ > reading->limits->depth)
		xml_refuse(ctxt, EFBIG, "is nested too deeply");
	else
		reading->start(arg, name, prefix, uri, nspaces, spaces, nattributes, ndefaulted,
			       attributes);
}

static void xml_on_end(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	xmlParserCtxtPtr ctxt = arg;
	struct xml_reading *reading = ctxt->_private;

	reading->depth--;
	reading->end(arg, name, prefix, uri);
}

static void xml_on_comment(void *arg, const xmlChar *text)
{
	xmlParserCtxtPtr ctxt = arg;
	struct xml_reading *reading = ctxt->_private;

	if (xml_has_room(ctxt, 1))
		reading->comment(arg, text);
}

static void xml_on_instruction(void *arg, const xmlChar *target, const xmlChar *data)
{
	xmlParserCtxtPtr ctxt = arg;
	struct xml_reading *reading = ctxt->_private;

	if (xml_has_room(ctxt, 1))
		reading->instruction(arg, target, data);
}

static int xml_parse(xmlParserCtxtPtr ctxt, xmlDocPtr *out, const char *text, size_t len,
		     struct xml_reading *reading)
{
	const int options = XML_PARSE_NONET | XML_PARSE_NOBLANKS | XML_PARSE_NOERROR |
			    XML_PARSE_NOWARNING | XML_PARSE_NOCDATA;
	const xmlError *error;
	const char *why;
	xmlDocPtr doc;

	ctxt->_private = reading;
	reading->start = ctxt->sax->startElementNs;
	reading->end = ctxt->sax->endElementNs;
	reading->comment = ctxt->sax->comment;
	reading->instruction = ctxt->sax->processingInstruction;
	ctxt->sax->startElementNs = xml_on_element;
	ctxt->sax->endElementNs = xml_on_end;
	ctxt->sax->comment = xml_on_comment;
	ctxt->sax->processingInstruction = xml_on_instruction;
	ctxt->sax->internalSubset = xml_on_doctype;
	doc = xmlCtxtReadMemory(ctxt, text, (int)len, NULL, "UTF-8", options);
	if (doc && !reading->refused && xmlDocGetRootElement(doc)) {
		*out = doc;
		return 0;
	}
	xmlFreeDoc(doc);
	if (reading->refused)
		return err_set(reading->errnum, "the XML %s", reading->refused);
	error = xmlCtxtGetLastError(ctxt);
	why = error && error->message ? error->message : "it ends early";
	return err_set(EINVAL, "the XML is not well-formed, line %d: %.*s", error ? error->line : 0,
		       (int)strcspn(why, "\n"), why);
}

int xml_read(xmlDocPtr *out, const char *text, size_t len, const struct xml_limits *limits)
{
	struct xml_reading reading = { .limits = limits };
	xmlParserCtxtPtr ctxt;
	xmlDocPtr doc = NULL;
	const xmlNode *root;
	size_t i;
	int rc;

	if (len > limits->bytes)
		return err_set(EFBIG, "the XML has %zu bytes, %zu at most", len, limits->bytes);
	if (!len)
		return err_set(EINVAL, "the XML is empty");
	/* libxml2 would treat it as the end of the text. */
	if (memchr(text, '\0', len))
		return err_set(EINVAL, "the XML has a NUL byte");
	ctxt = xmlNewParserCtxt();
	if (!ctxt)
		return err_no_memory();
	rc = xml_parse(ctxt, &doc, text, len, &reading);
	xmlFreeParserCtxt(ctxt);
	if (rc)
		return rc;
	root = xmlDocGetRootElement(doc);
	for (i = 0; !root->ns && i < ARRAY_SIZE(limits->roots) && limits->roots[i]; i++)
		if (!strcmp((const char *)root->name, limits->roots[i])) {
			*out = doc;
			return 0;
		}
	rc = err_set(EINVAL, "the XML is <%.60s>%s, not <%s>", (const char *)root->name,
		     root->ns ? " of a namespace" : "", limits->roots[0]);
	xmlFreeDoc(doc);
	return rc;
}

bool xml_is_element(const xmlNode *node, const char *name, const char *ns)
{
	if (node->type != XML_ELEMENT_NODE || strcmp((const char *)node->name, name))
		return false;
	if (!ns || !node->ns)
		return !ns && !node->ns;
	return node->ns->href && !strcmp((const char *)node->ns->href, ns);
}

xmlNodePtr xml_next(xmlNodePtr node, const char *name, const char *ns)
{
	while (node && !xml_is_element(node, name, ns))
		node = node->next;
	return node;
}

xmlNodePtr xml_child(xmlNodePtr parent, const char *name)
{
	return parent ? xml_next(parent->children, name, NULL) : NULL;
}
