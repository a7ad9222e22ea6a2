/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The files that a guest's XML names as its disks, read as libvirt reads it
 * (src/conf/domain_conf.c: virDomainDiskDefParseXML(), virDomainDiskBackingStoreParse(),
 * virDomainDiskDefMirrorParse()): of several elements with one name the first applies, a
 * disk without a type is a file, a <backingStore> without a type ends the chain, and a
 * mirror written by an old libvirt has its file as an attribute. Not read: files of a guest
 * other than disks (kernel, NVRAM, file systems), and the contents of the images. */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "plugin/guard/guard.h"
#include "plugin/libvirt/internal.h"
#include "rpcrdma/base/grow.h"

/* Each backing file nests a chain by one element, and libxml2 allows a depth of 256. */
static const struct xml_limits domain_limits = {
	.roots = { "domain", "disk", "domstatus", "domainsnapshot" },
	.bytes = DOMAIN_XML_MAX,
	.nodes = 16 * DOMAIN_DISKS_MAX,
	.depth = 255,
};

/* The disk being read. */
struct domain_walk {
	struct domain_disks *out;
	const char *device;
	unsigned int depth;
	bool optional;
};

/* Returns a copy that the caller owns; NULL if @value is empty. Takes @value. */
static int domain_copy(xmlChar *value, char **out)
{
	bool empty = value && !*value;

	*out = value && *value ? strdup((const char *)value) : NULL;
	xmlFree(value);
	return *out || empty ? 0 : err_no_memory();
}

static int domain_attribute(xmlNodePtr node, const char *name, char **out)
{
	xmlAttrPtr attr = node ? xmlHasNsProp(node, (const xmlChar *)name, NULL) : NULL;

	*out = NULL;
	return attr ? domain_copy(xmlNodeGetContent((xmlNodePtr)attr), out) : 0;
}

static int domain_content(xmlNodePtr node, char **out)
{
	*out = NULL;
	return node ? domain_copy(xmlNodeGetContent(node), out) : 0;
}

/* --- one image ---------------------------------------------------------------------------- */

static void domain_disk_fini(struct domain_disk *disk)
{
	free(disk->device);
	free(disk->path);
	free(disk->pool);
	free(disk->volume);
	*disk = (struct domain_disk){ .device = NULL };
}

/* Takes what @disk owns. */
static int domain_disk_append(struct domain_walk *walk, struct domain_disk *disk)
{
	struct domain_disks *out = walk->out;

	if (out->count == DOMAIN_DISKS_MAX)
		return err_set(EFBIG, "the XML has more than %d disks", DOMAIN_DISKS_MAX);
	if (!grow(out->list, out->count))
		return err_no_memory();
	disk->device = strdup(walk->device);
	if (!disk->device)
		return err_no_memory();
	out->list[out->count++] = *disk;
	*disk = (struct domain_disk){ .device = NULL };
	return 0;
}

/* @image has the type, @source the rest; NULL: none, as in a drive without a medium. */
static int domain_add_image(struct domain_walk *walk, xmlNodePtr image, xmlNodePtr source)
{
	_cleanup_(domain_disk_fini) struct domain_disk disk = { .depth = walk->depth,
								.optional = walk->optional };
	_cleanup_free_ char *type = NULL;
	int rc = domain_attribute(image, "type", &type);

	if (rc)
		return rc;
	if (!type || !strcmp(type, "file")) {
		rc = domain_attribute(source, "file", &disk.path);
	} else if (!strcmp(type, "dir")) {
		rc = domain_attribute(source, "dir", &disk.path);
	} else if (!strcmp(type, "volume")) {
		rc = domain_attribute(source, "pool", &disk.pool);
		if (!rc)
			rc = domain_attribute(source, "volume", &disk.volume);
	}
	if (rc || !(disk.path || (disk.pool && disk.volume)))
		return rc;
	return domain_disk_append(walk, &disk);
}

/* An image, and its data file if that is a separate file. */
static int domain_add_with_data(struct domain_walk *walk, xmlNodePtr image, xmlNodePtr source)
{
	xmlNodePtr data = xml_child(source, "dataStore");
	int rc = domain_add_image(walk, image, source);

	return rc || !data ? rc : domain_add_image(walk, data, xml_child(data, "source"));
}

/* --- a disk --------------------------------------------------------------------------------- */

/* Everything that backs @image, to the end of the chain. */
static int domain_add_backing(struct domain_walk *walk, xmlNodePtr image)
{
	int rc = 0;

	for (walk->depth = 1; !rc; walk->depth++) {
		image = xml_child(image, "backingStore");
		if (!image || !xmlHasNsProp(image, (const xmlChar *)"type", NULL))
			break;
		rc = domain_add_with_data(walk, image, xml_child(image, "source"));
	}
	walk->depth = 0;
	return rc;
}

static int domain_add_disk(struct domain_walk *walk, xmlNodePtr disk)
{
	xmlNodePtr mirror = xml_child(disk, "mirror");
	xmlNodePtr source = xml_child(disk, "source");
	_cleanup_free_ char *target = NULL;
	_cleanup_free_ char *policy = NULL;
	int rc = domain_attribute(xml_child(disk, "target"), "dev", &target);

	if (!rc)
		rc = domain_attribute(source, "startupPolicy", &policy);
	if (rc)
		return rc;
	walk->device = target ? target : "?";
	/* The policy applies to the disk with all that backs it. */
	walk->optional = policy && (!strcmp(policy, "optional") || !strcmp(policy, "requisite"));
	rc = domain_add_with_data(walk, disk, source);
	if (!rc)
		rc = domain_add_backing(walk, disk);
	if (rc || !mirror)
		return rc;
	/* The destination of a running copy. */
	source = xml_child(mirror, "source");
	rc = domain_add_with_data(walk, mirror, source ? source : mirror);
	return rc ? rc : domain_add_backing(walk, mirror);
}

/* --- a guest -------------------------------------------------------------------------------- */

#define VDSM_NS "http://ovirt.org/vm/1.0"

static int domain_add_root(struct domain_walk *walk, xmlNodePtr root)
{
	xmlNodePtr domain = root, devices, node;
	int rc;

	if (xml_is_element(root, "disk", NULL))
		return domain_add_disk(walk, root);
	if (!xml_is_element(root, "domain", NULL))
		domain = xml_child(root, "domain");
	if (!domain)
		return err_set(EINVAL, "the XML has no <domain> in its <%s>",
			       (const char *)root->name);
	rc = domain_content(xml_child(domain, "name"), &walk->out->name);
	if (!rc)
		rc = domain_content(xml_child(domain, "uuid"), &walk->out->uuid);
	node = xml_child(domain, "metadata");
	for (node = node ? node->children : NULL; node; node = node->next)
		if (node->type == XML_ELEMENT_NODE && node->ns && node->ns->href &&
		    !strcmp((const char *)node->ns->href, VDSM_NS))
			walk->out->of_vdsm = true;
	/* libvirt reads the disks of every <devices>. */
	devices = xml_next(domain->children, "devices", NULL);
	for (; devices && !rc; devices = xml_next(devices->next, "devices", NULL)) {
		node = xml_next(devices->children, "disk", NULL);
		for (; node && !rc; node = xml_next(node->next, "disk", NULL))
			rc = domain_add_disk(walk, node);
	}
	return rc;
}

int domain_disks_parse(struct domain_disks *out, const char *text, size_t len)
{
	_cleanup_(domain_disks_fini) struct domain_disks disks = { .name = NULL };
	struct domain_walk walk = { .out = &disks };
	xmlDocPtr doc = NULL;
	int rc = xml_read(&doc, text, len, &domain_limits);

	if (rc)
		return rc;
	rc = domain_add_root(&walk, xmlDocGetRootElement(doc));
	xmlFreeDoc(doc);
	if (rc)
		return rc;
	*out = disks;
	disks = (struct domain_disks){ .name = NULL };
	return 0;
}

void domain_disks_fini(struct domain_disks *disks)
{
	while (disks->count)
		domain_disk_fini(&disks->list[--disks->count]);
	free(disks->list);
	free(disks->name);
	free(disks->uuid);
	*disks = (struct domain_disks){ .name = NULL };
}

struct guard_disk domain_disk_guard(const struct domain_disk *disk)
{
	return (struct guard_disk){ .name = disk->device,
				    .path = disk->path,
				    .pool = disk->pool,
				    .volume = disk->volume,
				    .optional = disk->optional };
}
