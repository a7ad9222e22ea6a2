/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Edits a pool's XML in place, so that everything unrelated to the transport is preserved.
 *
 * plan_make() decides the options. They are written as one element each: libvirt also
 * accepts several in one name, but then they cannot be edited or counted. The NFS version
 * goes into <protocol ver>, from which libvirt makes nfsvers=, since mount.nfs accepts only
 * one version. */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "plugin/libvirt/internal.h"

#define X(text) ((const xmlChar *)(text))

/* --- options ------------------------------------------------------------------------------ */

static const char *const pool_edit_transports[] = { "rdma", "tcp", "udp" };

/* "rdma", "tcp6" ...; NULL: the option does not name a transport. */
static const char *pool_edit_option_transport(const struct opt *opt)
{
	size_t i;

	if (!strcmp(opt->name, "proto"))
		return opt->value ? opt->value : "";
	for (i = 0; i < ARRAY_SIZE(pool_edit_transports); i++)
		if (!strcmp(opt->name, pool_edit_transports[i]))
			return pool_edit_transports[i];
	return NULL;
}

void pool_edit_transport(const struct opts *opts, char *buf, size_t cap)
{
	size_t i;

	*buf = '\0';
	for (i = 0; i < opts_count(opts); i++) {
		struct opt opt = opts_at(opts, i);
		const char *says = pool_edit_option_transport(&opt);

		if (says)
			str_copy(buf, cap, says);
	}
}

bool pool_edit_is_version(const char *name)
{
	static const char *const names[] = { "vers", "nfsvers" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return name[0] == 'v' && name[1] >= '2' && name[1] <= '4' && (!name[2] || name[2] == '.');
}

/* Options that a pool converted to RDMA does not keep. With bg mount.nfs exits with 0
 * before anything is mounted, and libvirt takes the local file system for the pool. */
static bool pool_edit_is_dropped(const struct opt *opt, bool was_rdma)
{
	const char *transport = pool_edit_option_transport(opt);

	if (transport)
		return !was_rdma || strncmp(transport, "rdma", 4);
	return !strcmp(opt->name, "bg") || (!was_rdma && !strcmp(opt->name, "port"));
}

/* The pool's own options that it keeps, with RDMA requested: input for plan_make(). */
static int pool_edit_request(const char *text, const struct pool_request *request, char **out)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	char was[16];
	bool was_rdma;
	size_t i = 0;
	int rc = opts_parse(&opts, text);

	if (rc)
		return rc;
	pool_edit_transport(opts, was, sizeof(was));
	was_rdma = !strncmp(was, "rdma", 4);
	while (i < opts_count(opts)) {
		struct opt opt = opts_at(opts, i);

		if (!strncmp(opt.name, "nfsrdma.", strlen("nfsrdma.")))
			return err_set(
				EINVAL,
				"'%.60s' is for mount.nfsrdma, but libvirt mounts a pool by mount.nfs: write it into /etc/nfsrdma.conf",
				opt.name);
		if ((!request->options && pool_edit_is_dropped(&opt, was_rdma)) ||
		    (request->version &&
		     (pool_edit_is_version(opt.name) || !strcmp(opt.name, "minorversion"))))
			opts_remove(opts, i);
		else
			i++;
	}
	rc = was_rdma ? 0 : opts_append(opts, "proto", "rdma");
	if (!rc && request->version && *request->version)
		rc = opts_append(opts, "nfsvers", request->version);
	return rc ? rc : opts_format(opts, out);
}

/* libvirt passes these itself, first. */
static bool pool_edit_is_libvirts(const struct opt *opt)
{
	static const char *const names[] = { "nodev", "nosuid", "noexec", "rw" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(opt->name, names[i]))
			return true;
	return pool_edit_is_version(opt->name) || !strcmp(opt->name, "minorversion");
}

/* --- the XML ------------------------------------------------------------------------------ */

static xmlNodePtr pool_edit_make_child(xmlNodePtr parent, const char *name)
{
	xmlNodePtr node = xml_child(parent, name);

	return node ? node : xmlNewTextChild(parent, NULL, X(name), NULL);
}

static int pool_edit_add_option(xmlNodePtr list, xmlNsPtr ns, const struct opt *opt)
{
	_cleanup_free_ char *text = NULL;
	xmlNodePtr node;

	if (asprintf(&text, "%s%s%s", opt->name, opt->value ? "=" : "",
		     opt->value ? opt->value : "") < 0)
		return err_no_memory();
	node = xmlNewTextChild(list, ns, X("option"), NULL);
	return node && xmlNewProp(node, X("name"), X(text)) ? 0 : err_no_memory();
}

static int pool_edit_set_options(struct pool_xml *xml, const char *text)
{
	xmlNodePtr root = xmlDocGetRootElement(xml->doc), list, node, next;
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	int rc = opts_parse(&opts, text);
	xmlNsPtr ns;
	size_t i;

	if (rc)
		return rc;
	/* Also removes a list that libvirt drops: its options were intended, and are now
	 * requested in the right namespace. */
	for (node = root->children; node; node = next) {
		next = node->next;
		if (!pool_xml_is_list(node))
			continue;
		xmlUnlinkNode(node);
		xmlFreeNode(node);
	}
	/* The namespace is declared at the root. The prefix is libvirt's, unless it is
	 * already in use. */
	ns = xmlSearchNsByHref(xml->doc, root, X(POOL_NS));
	if (!ns || !ns->prefix)
		ns = xmlNewNs(root, X(POOL_NS),
			      X(xmlSearchNs(xml->doc, root, X("fs")) ? "poolfs" : "fs"));
	list = ns ? xmlNewTextChild(root, ns, X("mount_opts"), NULL) : NULL;
	if (!list)
		return err_no_memory();
	for (i = 0; !rc && i < opts_count(opts); i++) {
		struct opt opt = opts_at(opts, i);

		if (!pool_edit_is_libvirts(&opt))
			rc = pool_edit_add_option(list, ns, &opt);
	}
	return rc;
}

static int pool_edit_set_version(struct pool_xml *xml, const struct plan *plan)
{
	xmlNodePtr source = pool_edit_make_child(xmlDocGetRootElement(xml->doc), "source");
	xmlNodePtr node = xml_child(source, "protocol");
	char version[16];

	if (!plan->nfs_major) {
		if (node) {
			xmlUnlinkNode(node);
			xmlFreeNode(node);
		}
		return 0;
	}
	snprintf(version, sizeof(version), plan->nfs_minor < 0 ? "%d" : "%d.%d", plan->nfs_major,
		 plan->nfs_minor);
	node = pool_edit_make_child(source, "protocol");
	return node && xmlSetProp(node, X("ver"), X(version)) ? 0 : err_no_memory();
}

/* mount.nfs accepts an IPv6 address only in brackets, and libvirt adds none. */
static int pool_edit_bracket_host(struct pool_xml *xml)
{
	const char *host = xml->facts.host;
	char text[SPEC_HOST_MAX + 3];
	xmlNodePtr node;

	if (!host || *host == '[' || !strchr(host, ':') || strlen(host) > SPEC_HOST_MAX)
		return 0;
	snprintf(text, sizeof(text), "[%s]", host);
	node = xml_child(xml_child(xmlDocGetRootElement(xml->doc), "source"), "host");
	if (!xmlSetProp(node, X("name"), X(text)))
		return err_no_memory();
	return pool_xml_update(xml);
}

int pool_xml_convert(struct pool_xml *xml, const struct pool_request *request)
{
	_cleanup_free_ char *own = NULL, *asked = NULL;
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	char source[POOL_SOURCE_MAX];
	struct plan_request planned = { .spec = source, .policies = request->policies };
	int rc = pool_xml_check(xml);

	rc = rc ? rc : pool_edit_bracket_host(xml);
	rc = rc ? rc : pool_xml_source(xml, source, sizeof(source));
	rc = rc ? rc : pool_xml_options(xml, &own);
	rc = rc ? rc
		: pool_edit_request(request->options ? request->options : own, request, &asked);
	if (rc)
		return rc;
	planned.options = asked;
	planned.dir = xml->facts.target;
	planned.family = request->family;
	rc = plan_make(&plan, &planned);
	if (rc)
		return rc;
	if (!plan->wants_rdma)
		return err_set(EINVAL, "the policy for this server is off (%s)",
			       plan->policy.mode_from);
	rc = pool_edit_set_version(xml, plan);
	rc = rc ? rc : pool_edit_set_options(xml, plan->options);
	return rc ? rc : pool_xml_update(xml);
}

static bool pool_edit_put(xmlNodePtr parent, const char *name, const char *attribute,
			  const char *value)
{
	xmlNodePtr node = parent ? xmlNewTextChild(parent, NULL, X(name), NULL) : NULL;

	return node && xmlNewProp(node, X(attribute), X(value));
}

int pool_xml_new(struct pool_xml **out, const char *name, const char *host, const char *dir,
		 const char *target)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = calloc(1, sizeof(*xml));
	xmlNodePtr root, source, node;
	bool good;
	int rc;

	if (!xml)
		return err_no_memory();
	if (!finding_is_clean(name) || !finding_is_clean(host) || !finding_is_clean(dir) ||
	    !finding_is_clean(target))
		return err_set(EINVAL, "XML allows only UTF-8 without control characters");
	xml->doc = xmlNewDoc(X("1.0"));
	root = xml->doc ? xmlNewDocNode(xml->doc, NULL, X("pool"), NULL) : NULL;
	if (!root)
		return err_no_memory();
	xmlDocSetRootElement(xml->doc, root);
	good = xmlNewProp(root, X("type"), X("netfs")) &&
	       xmlNewTextChild(root, NULL, X("name"), X(name));
	source = xmlNewTextChild(root, NULL, X("source"), NULL);
	good = good && pool_edit_put(source, "host", "name", host) &&
	       pool_edit_put(source, "dir", "path", dir) &&
	       pool_edit_put(source, "format", "type", "nfs");
	node = xmlNewTextChild(root, NULL, X("target"), NULL);
	if (!good || !node || !xmlNewTextChild(node, NULL, X("path"), X(target)))
		return err_no_memory();
	rc = pool_xml_update(xml);
	if (!rc)
		rc = pool_xml_check(xml);
	if (!rc)
		*out = take_ptr(xml);
	return rc;
}
