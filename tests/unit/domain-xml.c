/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

#include "plugin/libvirt/libvirt.h"
#include "tests/unit/suite.h"

static struct domain_disks disks;
static char told[16 * 1024];

static int parse_text(const char *text, size_t len)
{
	err_clear();
	domain_disks_fini(&disks);
	return domain_disks_parse(&disks, text, len);
}

/* The disks as text, "vda 0 /a" or "vda 1 pool/volume", "opt" for optional ones. */
static const char *tell(void)
{
	size_t i, len = 0;

	*told = '\0';
	for (i = 0; i < disks.count && len + 600 < sizeof(told); i++) {
		const struct domain_disk *disk = &disks.list[i];

		len += (size_t)snprintf(told + len, sizeof(told) - len, "%s%s %u %s%s%s%s",
					i ? ", " : "", disk->device, disk->depth,
					disk->path ? disk->path : disk->pool, disk->path ? "" : "/",
					disk->path ? "" : disk->volume,
					disk->optional ? " opt" : "");
	}
	return told;
}

/* The contents of libvirt's <devices>. */
static bool has(const char *devices, const char *want)
{
	char *xml;
	int rc;

	if (asprintf(&xml, "<domain type='kvm'><name>web1</name><devices>%s</devices></domain>",
		     devices) < 0)
		abort();
	rc = parse_text(xml, strlen(xml));
	free(xml);
	suite_saw("%d %s: %s", rc, rc ? err_text() : "", tell());
	return !rc && !strcmp(told, want);
}

static bool refused(const char *text, int errnum, const char *words)
{
	int rc = parse_text(text, strlen(text));

	suite_saw("%d %s", rc, err_text());
	return rc == -errnum && strstr(err_text(), words) && !disks.count && !disks.list;
}

static void files_directories_and_volumes_are_disks(void)
{
	CU_ASSERT(has(
		"<disk type='file'><source file='/a.img'/><target dev='vda'/></disk>"
		"<disk type='dir'><source dir='/d'/><target dev='vdb'/></disk>"
		"<disk type='volume'><source pool='vms' volume='b.img'/><target dev='vdc'/></disk>",
		"vda 0 /a.img, vdb 0 /d, vdc 0 vms/b.img"));
	CU_ASSERT_STRING_EQUAL(disks.name, "web1");
	CU_ASSERT_PTR_NULL(disks.uuid);
	/* libvirt's default */
	CU_ASSERT(has("<disk><source file='/a'/><target dev='vda'/></disk>", "vda 0 /a"));
	CU_ASSERT(has("<disk type='file'><source file='/a'/></disk>", "? 0 /a"));
}

static void other_types_are_ignored(void)
{
	CU_ASSERT(has(
		"<disk type='block'><source dev='/dev/sda'/><target dev='vda'/></disk>"
		"<disk type='network'><source protocol='nbd' name='a'><host name='h'/></source></disk>"
		"<disk type='nvme'><source type='pci' namespace='1'/></disk>"
		"<disk type='vhostuser'><source type='unix' path='/s'/></disk>"
		"<disk type='frobnicated'><source file='/x'/></disk>"
		"<filesystem type='mount'><source dir='/fs'/><target dir='x'/></filesystem>"
		"<hostdev><source file='/h'/></hostdev>",
		""));
}

static void drives_without_a_medium_are_ignored(void)
{
	CU_ASSERT(
		has("<disk type='file' device='cdrom'><target dev='sda'/><readonly/></disk>"
		    "<disk type='file' device='floppy'><source file=''/><target dev='fda'/></disk>"
		    "<disk type='file' device='cdrom'><source startupPolicy='optional'/></disk>"
		    "<disk type='volume'><source pool='vms'/></disk>"
		    "<disk type='volume'><source volume='a'/></disk>"
		    "<disk type='volume'><source pool='' volume=''/></disk>",
		    ""));
}

static void optional_disks_are_marked(void)
{
	CU_ASSERT(has(
		"<disk type='file' device='cdrom'><source file='/a.iso' startupPolicy='optional'/>"
		"<target dev='sda'/></disk>"
		"<disk type='volume' device='floppy'>"
		"<source pool='p' volume='b' startupPolicy='requisite'/><target dev='fda'/></disk>"
		"<disk type='file'><source file='/c' startupPolicy='mandatory'/>"
		"<target dev='vda'/></disk>"
		"<disk type='file' startupPolicy='optional'>"
		"<source file='/d' startupPolicy='Optional'/><target dev='vdb'/></disk>"
		"<disk type='file' device='cdrom'><source file='/e'/><target dev='sdb'/></disk>",
		"sda 0 /a.iso opt, fda 0 p/b opt, vda 0 /c, vdb 0 /d, sdb 0 /e"));
	/* With its whole backing chain; the next disk is another one. */
	CU_ASSERT(has("<disk type='file'><source file='/a' startupPolicy='optional'/>"
		      "<target dev='vda'/><backingStore type='file'><source file='/b'/>"
		      "</backingStore></disk>"
		      "<disk type='file'><source file='/c'/><target dev='vdb'/></disk>",
		      "vda 0 /a opt, vda 1 /b opt, vdb 0 /c"));
}

static void backing_files_follow_their_disk(void)
{
	CU_ASSERT(has(
		"<disk type='file'><source file='/a'/><target dev='vda'/>"
		"<backingStore type='volume'><format type='qcow2'/><source pool='p' volume='b'/>"
		"<backingStore type='block'><source dev='/dev/b'/>"
		"<backingStore type='file'><source file='/c'/><backingStore/></backingStore>"
		"</backingStore></backingStore></disk>"
		"<disk type='network'><source protocol='nbd'/><target dev='vdb'/>"
		"<backingStore type='file'><source file='/d'/></backingStore></disk>",
		"vda 0 /a, vda 1 p/b, vda 3 /c, vdb 1 /d"));
	/* An element without a type ends the chain, whatever it contains. */
	CU_ASSERT(has("<disk type='file'><source file='/a'/><backingStore><source file='/b'/>"
		      "</backingStore></disk>",
		      "? 0 /a"));
}

static void mirrors_and_data_files_belong_to_their_disk(void)
{
	CU_ASSERT(has("<disk type='file'><source file='/a'><dataStore type='file'>"
		      "<format type='raw'/><source file='/a.raw'/></dataStore></source>"
		      "<backingStore type='file'><source file='/b'><dataStore type='file'>"
		      "<source file='/b.raw'/></dataStore></source></backingStore>"
		      "<mirror type='file' job='copy'><source file='/m'/>"
		      "<backingStore type='file'><source file='/n'/></backingStore></mirror>"
		      "<target dev='vda'/></disk>",
		      "vda 0 /a, vda 0 /a.raw, vda 1 /b, vda 1 /b.raw, vda 0 /m, vda 1 /n"));
	/* Before libvirt 1.2.6 */
	CU_ASSERT(has("<disk type='file'><source file='/a'/><mirror file='/m'/></disk>",
		      "? 0 /a, ? 0 /m"));
	CU_ASSERT(has("<disk type='file'><source file='/a'/><mirror type='file' file='/old'>"
		      "<source file='/new'/></mirror></disk>",
		      "? 0 /a, ? 0 /new"));
	/* Only a mirror has this attribute. */
	CU_ASSERT(has("<disk type='file' file='/a'/>", ""));
}

static void the_first_of_repeated_elements_counts(void)
{
	CU_ASSERT(has("<disk type='file'><source file='/a'/><source file='/b'/>"
		      "<target dev='vda'/><target dev='vdb'/>"
		      "<backingStore/><backingStore type='file'><source file='/c'/></backingStore>"
		      "</disk></devices><devices><disk type='file'><source file='/d'/></disk>",
		      "vda 0 /a, ? 0 /d"));
}

static void elements_of_other_namespaces_are_ignored(void)
{
	CU_ASSERT(has(
		"<x:disk xmlns:x='urn:x' type='file'><source file='/a'/></x:disk>"
		"<disk xmlns='urn:x' type='file'><source file='/b'/></disk>"
		"<disk type='file'><source xmlns:x='urn:x' x:file='/c'/></disk>"
		"<disk type='file'><x:source xmlns:x='urn:x' file='/d'/><source file='/e'/></disk>",
		"? 0 /e"));
	CU_ASSERT(refused("<domain xmlns='urn:x'/>", EINVAL, "of a namespace"));
}

static void every_character_of_a_path_is_kept(void)
{
	CU_ASSERT(has("<disk><source file='/a%20b &amp; c&#10;d&#9;e \xc3\xa4&lt;&#x27;'/></disk>",
		      "? 0 /a%20b & c\nd\te \xc3\xa4<'"));
}

static void root_elements_of_libvirt_are_accepted(void)
{
	const char *disk = "<disk type='file'><source file='/a'/></disk>";
	char xml[512];

	CU_ASSERT_EQUAL(parse_text(disk, strlen(disk)), 0);
	CU_ASSERT_STRING_EQUAL(tell(), "? 0 /a");
	CU_ASSERT_PTR_NULL(disks.name);
	snprintf(xml, sizeof(xml),
		 "<!-- edited --><domstatus state='running'><domain><name>n</name>"
		 "<uuid>u</uuid><devices>%s</devices></domain></domstatus>",
		 disk);
	CU_ASSERT_EQUAL(parse_text(xml, strlen(xml)), 0);
	CU_ASSERT_STRING_EQUAL(tell(), "? 0 /a");
	CU_ASSERT_STRING_EQUAL(disks.uuid, "u");
	snprintf(xml, sizeof(xml),
		 "<domainsnapshot><name>s</name><disks><disk name='vda'><source file='/s'/>"
		 "</disk></disks><domain><name>n</name><devices>%s</devices></domain>"
		 "</domainsnapshot>",
		 disk);
	CU_ASSERT_EQUAL(parse_text(xml, strlen(xml)), 0);
	CU_ASSERT_STRING_EQUAL(tell(), "? 0 /a");
	CU_ASSERT_STRING_EQUAL(disks.name, "n");
	CU_ASSERT(refused("<domstatus/>", EINVAL, "no <domain> in its <domstatus>"));
	CU_ASSERT(refused("<pool/>", EINVAL, "is <pool>, not <domain>"));
	CU_ASSERT_EQUAL(parse_text("<domain/>", 9), 0);
	CU_ASSERT_FALSE(disks.count);
}

static void invalid_xml_is_refused(void)
{
	CU_ASSERT(refused("", EINVAL, "empty"));
	CU_ASSERT(refused("y\ny\ny\n", EINVAL, "line 1"));
	CU_ASSERT(refused("<domain><devices><disk>", EINVAL, "not well-formed"));
	CU_ASSERT(refused("<domain><a></domain>", EINVAL, "not well-formed"));
	CU_ASSERT_EQUAL(parse_text("<domain/>\0", 10), -EINVAL);
	CU_ASSERT(refused("<domain><name>\xff</name></domain>", EINVAL, "line 1"));
}

static void entities_and_external_references_are_refused(void)
{
	CU_ASSERT(refused("<!DOCTYPE domain [<!ENTITY a '/x'>]><domain><name>&a;</name></domain>",
			  EINVAL, "document type"));
	CU_ASSERT(refused("<!DOCTYPE domain SYSTEM 'http://127.0.0.1:1/'><domain/>", EINVAL,
			  "document type"));
	CU_ASSERT(refused("<domain><name>&a;</name></domain>", EINVAL, "line 1"));
	/* An element like any other. */
	CU_ASSERT(has("<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='/etc/passwd'/>",
		      ""));
}

/* @count times @text, between two others. */
static char *many(const char *before, const char *text, size_t count, const char *after,
		  size_t *len)
{
	size_t one = strlen(text), i;
	char *xml, *at;

	*len = strlen(before) + one * count + strlen(after);
	xml = malloc(*len + 1);
	if (!xml)
		abort();
	at = stpcpy(xml, before);
	for (i = 0; i < count; i++, at += one)
		memcpy(at, text, one);
	strcpy(at, after);
	return xml;
}

static int parse_many(const char *text, size_t count)
{
	size_t len;
	char *xml = many("<domain><devices>", text, count, "</devices></domain>", &len);
	int rc = parse_text(xml, len);

	free(xml);
	return rc;
}

static void five_hundred_disks_are_read(void)
{
	const char *disk = "<disk type='file'><source file='/a'/><target dev='vda'/></disk>";

	CU_ASSERT_EQUAL(parse_many(disk, 500), 0);
	CU_ASSERT_EQUAL(disks.count, 500);
	CU_ASSERT_EQUAL(parse_many(disk, DOMAIN_DISKS_MAX), 0);
	CU_ASSERT_EQUAL(disks.count, DOMAIN_DISKS_MAX);
	CU_ASSERT_EQUAL(parse_many(disk, DOMAIN_DISKS_MAX + 1), -EFBIG);
	CU_ASSERT_EQUAL(disks.count, 0);
	/* Each is small, and needs memory. */
	CU_ASSERT_EQUAL(parse_many("<a/>", 262144), -EFBIG);
	CU_ASSERT_EQUAL(parse_many("<a b='' c='' d=''/>", 100000), -EFBIG);
	CU_ASSERT_EQUAL(parse_many("<a xmlns:b='c'/>", 150000), -EFBIG);
	CU_ASSERT_EQUAL(parse_many("<!---->", 262144), -EFBIG);
	CU_ASSERT_EQUAL(parse_many("<?a?>", 262144), -EFBIG);
	ASSERT_CONTAINS(err_text(), "too many elements");
}

/* @depth backing files, the last of which is /last. */
static int parse_chain(size_t depth)
{
	const char *open = "<backingStore type='file'><source file='/b'/>";
	size_t len;
	char *start = many("<domain><devices><disk><source file='/a'/>", open, depth, "", &len);
	char *xml;
	int rc;

	xml = many(start, "</backingStore>", depth, "</disk></devices></domain>", &len);
	rc = parse_text(xml, len);
	free(start);
	free(xml);
	return rc;
}

static void chains_of_two_hundred_are_read(void)
{
	CU_ASSERT_EQUAL(parse_chain(200), 0);
	CU_ASSERT_EQUAL(disks.count, 201);
	CU_ASSERT_EQUAL(disks.list[200].depth, 200);
	ASSERT_LESS(parse_chain(260), 0);
	ASSERT_LESS(parse_chain(100000), 0);
}

static void huge_documents_are_refused_and_large_ones_accepted(void)
{
	size_t len;
	char *xml = many("<domain><!--", "x", DOMAIN_XML_MAX - 64, "--></domain>", &len);

	/* libxml2 itself limits a text to 10 MB. */
	ASSERT_LESS(parse_text(xml, len), 0);
	free(xml);
	xml = many("<domain>", "<!--xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-->", 250000,
		   "</domain>", &len);
	ASSERT_LESS(len, DOMAIN_XML_MAX);
	CU_ASSERT_EQUAL(parse_text(xml, len), 0);
	free(xml);
	xml = many("<domain>", " ", DOMAIN_XML_MAX, "</domain>", &len);
	CU_ASSERT_EQUAL(parse_text(xml, len), -EFBIG);
	free(xml);
}

static void vdsm_guests_are_recognized_by_their_metadata(void)
{
#define GUEST(metadata) "<domain><name>a</name>" metadata "</domain>"
	static const struct {
		const char *xml;
		bool of_vdsm;
	} rows[] = {
		{ GUEST("<metadata><o:vm xmlns:o='http://ovirt.org/vm/1.0'/></metadata>"), true },
		{ GUEST("<metadata><a/><vm xmlns='http://ovirt.org/vm/1.0'/></metadata>"), true },
		{ GUEST("<metadata><vm/></metadata>"), false },
		{ GUEST("<metadata><vm xmlns='http://ovirt.org/vm/2.0'/></metadata>"), false },
		{ GUEST("<vm xmlns='http://ovirt.org/vm/1.0'/>"), false },
		{ GUEST("<metadata/>"), false },
		{ GUEST(""), false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].xml);
		CU_ASSERT_EQUAL(parse_text(rows[i].xml, strlen(rows[i].xml)), 0);
		CU_ASSERT_EQUAL(disks.of_vdsm, rows[i].of_vdsm);
	}
#undef GUEST
}

static void freed_disks_are_empty(void)
{
	domain_disks_fini(&disks);
	domain_disks_fini(&disks);
	CU_ASSERT_FALSE(disks.count);
	CU_ASSERT_FALSE(disks.list);
	CU_ASSERT_FALSE(disks.name);
}

SUITE_MAIN("domain-xml", TEST(files_directories_and_volumes_are_disks),
	   TEST(other_types_are_ignored), TEST(drives_without_a_medium_are_ignored),
	   TEST(optional_disks_are_marked), TEST(backing_files_follow_their_disk),
	   TEST(mirrors_and_data_files_belong_to_their_disk),
	   TEST(the_first_of_repeated_elements_counts),
	   TEST(elements_of_other_namespaces_are_ignored), TEST(every_character_of_a_path_is_kept),
	   TEST(root_elements_of_libvirt_are_accepted), TEST(invalid_xml_is_refused),
	   TEST(entities_and_external_references_are_refused), TEST(five_hundred_disks_are_read),
	   TEST(chains_of_two_hundred_are_read),
	   TEST(huge_documents_are_refused_and_large_ones_accepted),
	   TEST(vdsm_guests_are_recognized_by_their_metadata), TEST(freed_disks_are_empty))
