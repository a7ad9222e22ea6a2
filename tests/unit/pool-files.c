/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

#include "plugin/guard/guard.h"
#include "plugin/libvirt/libvirt.h"
#include "tests/unit/host-tree.h"

#define ETC "etc/libvirt/storage/"
#define RUN "run/libvirt/storage/"

static struct tree tree;
static struct view_places places;
static char skipped[256];

/* As virXMLSaveFile() starts each file. */
#define BANNER                                                                  \
	"<!--\nWARNING: THIS IS AN AUTO-GENERATED FILE. CHANGES TO IT ARE "     \
	"LIKELY TO BE\nOVERWRITTEN AND LOST. Changes to this xml "              \
	"configuration should be made using:\n  virsh pool-edit vms\nor other " \
	"application using the libvirt API.\n-->\n\n"

/* An NFS pool. @options: <fs:option>s, NULL for none. */
static void pool(const char *path, const char *name, const char *dir, const char *options)
{
	char inner[1024], text[2048];
	bool state = !strncmp(path, RUN, strlen(RUN));

	snprintf(inner, sizeof(inner),
		 "<pool type='netfs' xmlns:fs='" POOL_NS "'>\n<name>%s</name>\n"
		 "<capacity unit='bytes'>0</capacity>\n<source><host name='nas'/>"
		 "<dir path='%s'/><format type='nfs'/></source>\n"
		 "<target><path>/srv/%s</path></target>\n%s%s%s</pool>\n",
		 name, dir, name, options ? "<fs:mount_opts>" : "", options ? options : "",
		 options ? "</fs:mount_opts>" : "");
	snprintf(text, sizeof(text), BANNER "%s%s%s", state ? "<poolstate>\n" : "", inner,
		 state ? "</poolstate>\n" : "");
	tree_write(&tree, path, text);
}

/* The pools as text: "vms /srv/vms nas:/vms rdma". */
static const char *tell(void)
{
	static char told[4096];
	size_t len = 0, i;

	*told = '\0';
	for (i = 0; i < places.count; i++)
		len += (size_t)snprintf(told + len, sizeof(told) - len, "%s%s %s %s%s",
					i ? ", " : "", places.list[i].pool,
					places.list[i].target ? places.list[i].target : "nowhere",
					places.list[i].fs_spec ? places.list[i].fs_spec : "-",
					places.list[i].asked == ASKED_RDMA ? " rdma" : "");
	return told;
}

static bool has(const char *want)
{
	int rc;

	view_places_fini(&places);
	memset(skipped, 'x', sizeof(skipped));
	rc = pool_places(tree.host, &places, skipped);
	suite_saw("%d %s: %s", rc, rc ? err_text() : "", tell());
	return !rc && !strcmp(tell(), want);
}

static void end(void)
{
	view_places_fini(&places);
	tree_free(&tree);
}

static void without_libvirt_there_are_no_pools(void)
{
	tree_new(&tree);
	CU_ASSERT(has(""));
	CU_ASSERT_STRING_EQUAL(skipped, "");
	end();
}

static void a_pool_is_listed_with_its_requested_options(void)
{
	tree_new(&tree);
	pool(ETC "a.xml", "a", "/a/",
	     "<fs:option name='proto=rdma'/><fs:option name='port=20049'/>");
	pool(ETC "b.xml", "b", "/b", NULL);
	pool(ETC "c.xml", "c", "/c", "<fs:option name='soft,rdma,port=20049'/>");
	pool(ETC "d.xml", "d", "/d", "<fs:option name='rdma'/><fs:option name='proto=tcp'/>");
	pool(ETC "e.xml", "e", "/e", "<fs:option name='proto=rdma6'/>");
	/* mount(8) gets it unchanged, and its effect is unknown. */
	pool(ETC "f.xml", "f", "/f", "<fs:option name='context=&quot;a,proto=rdma'/>");
	CU_ASSERT(has("a /srv/a nas:/a rdma, b /srv/b nas:/b, c /srv/c nas:/c rdma, "
		      "d /srv/d nas:/d, e /srv/e nas:/e rdma, f /srv/f nas:/f rdma"));
	CU_ASSERT_STRING_EQUAL(skipped, "");
	CU_ASSERT_STRING_EQUAL(places.list[0].by, "pool 'a'");
	end();
}

static void options_that_libvirt_drops_request_nothing(void)
{
	tree_new(&tree);
	tree_write(&tree, ETC "a.xml",
		   "<pool type='netfs'><name>a</name><source><host name='nas'/>"
		   "<dir path='/a'/></source><target><path>/srv/a</path></target>"
		   "<mount_opts><option name='proto=rdma'/></mount_opts></pool>");
	CU_ASSERT(has("a /srv/a nas:/a"));
	end();
}

static void a_running_pool_keeps_the_definition_it_started_with(void)
{
	tree_new(&tree);
	pool(ETC "a.xml", "a", "/new", "<fs:option name='proto=rdma'/>");
	pool(RUN "a.xml", "a", "/old", NULL);
	pool(RUN "transient.xml", "transient", "/t", "<fs:option name='proto=rdma'/>");
	pool(ETC "z.xml", "z", "/z", NULL);
	CU_ASSERT(has("a /srv/a nas:/old, transient /srv/transient nas:/t rdma, "
		      "z /srv/z nas:/z"));
	end();
}

static void pools_of_other_types_are_listed_without_a_source(void)
{
	tree_new(&tree);
	tree_write(&tree, ETC "dir.xml",
		   "<pool type='dir'><name>dir</name><target><path>/images</path>"
		   "</target></pool>");
	tree_write(&tree, ETC "fs.xml",
		   "<pool type='fs'><name>fs</name><source><device path='/dev/sdb1'/>"
		   "</source><target><path>/mnt</path></target></pool>");
	tree_write(&tree, ETC "lvm.xml",
		   "<pool type='logical'><name>lvm</name><source><name>vg</name></source>"
		   "<target><path>/dev/vg</path></target></pool>");
	tree_write(&tree, ETC "rbd.xml",
		   "<pool type='rbd'><name>rbd</name><source><name>p</name></source></pool>");
	tree_write(&tree, ETC "smb.xml",
		   "<pool type='netfs' xmlns:fs='" POOL_NS "'><name>smb</name><source>"
		   "<host name='h'/><dir path='s'/><format type='cifs'/></source><target>"
		   "<path>/smb</path></target></pool>");
	/* Volumes of a pool without a target are not files of this host. */
	CU_ASSERT(has("dir /images -, fs /mnt -, lvm /dev/vg -, rbd nowhere -, "
		      "smb /smb -"));
	CU_ASSERT_STRING_EQUAL(skipped, "");
	tree_write(&tree, ETC "rbd.xml",
		   "<pool type='dir'><name>rbd</name><target><path>images</path>"
		   "</target></pool>");
	CU_ASSERT(has("dir /images -, fs /mnt -, lvm /dev/vg -, smb /smb -"));
	ASSERT_CONTAINS(skipped, "rbd.xml: its target is not an absolute");
	end();
}

static void invalid_pools_are_skipped_and_reported(void)
{
	tree_new(&tree);
	pool(ETC "a.xml", "a", "/a", NULL);
	tree_write(&tree, ETC "broken.xml", "<pool type='netfs'><name>b");
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_STARTS(skipped, "/etc/libvirt/storage/broken.xml: the XML");
	tree_write(&tree, ETC "broken.xml", "<domain/>");
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_CONTAINS(skipped, "is <domain>");
	tree_write(&tree, ETC "broken.xml", "<poolstate/>");
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_CONTAINS(skipped, "no <pool>");
	tree_write(&tree, ETC "broken.xml", "<pool type='dir'/>");
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_CONTAINS(skipped, "no <name>");
	/* libvirt does not load it either. */
	pool(ETC "broken.xml", "b", "/b", NULL);
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_CONTAINS(skipped, "another name");
	tree_write(&tree, ETC "broken.xml", "<!DOCTYPE pool SYSTEM 'http://127.0.0.1:1/'><pool/>");
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_CONTAINS(skipped, "document type");
	tree_bytes(&tree, ETC "broken.xml", "<pool/>\0", 8);
	CU_ASSERT(has("a /srv/a nas:/a"));
	CU_ASSERT_STRING_NOT_EQUAL(skipped, "");
	end();
}

static void files_that_are_not_pools_are_skipped(void)
{
	static char zeros[4 * POOL_XML_MAX];

	tree_new(&tree);
	pool(ETC "a.xml", "a", "/a", NULL);
	tree_fifo(&tree, ETC "fifo.xml");
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_CONTAINS(skipped, "fifo.xml");
	tree_link(&tree, ETC "fifo.xml", "fifo.xml");
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_CONTAINS(skipped, "fifo.xml");
	memset(zeros, ' ', sizeof(zeros));
	tree_link(&tree, ETC "fifo.xml", "a.xml");
	tree_bytes(&tree, ETC "large.xml", zeros, sizeof(zeros));
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_CONTAINS(skipped, "fifo.xml");
	tree_link(&tree, ETC "fifo.xml", "nowhere");
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_CONTAINS(skipped, "large.xml");
	/* These are not pools either: links for autostart, and leftovers of editors. */
	tree_link(&tree, ETC "autostart/a.xml", "../a.xml");
	tree_write(&tree, ETC "a.xml~", "<pool");
	tree_write(&tree, ETC ".xml", "<pool");
	tree_link(&tree, ETC "large.xml", "nowhere");
	CU_ASSERT(has("a /srv/a nas:/a"));
	CU_ASSERT_STRING_EQUAL(skipped, "");
	end();
}

static void an_invalid_state_leaves_the_definition(void)
{
	tree_new(&tree);
	pool(ETC "a.xml", "a", "/a", NULL);
	tree_write(&tree, RUN "a.xml", "");
	CU_ASSERT(has("a /srv/a nas:/a"));
	ASSERT_STARTS(skipped, "/run/libvirt/storage/a.xml");
	end();
}

static void hundreds_of_pools_are_listed(void)
{
	char path[64], name[16];
	unsigned int i;

	tree_new(&tree);
	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		snprintf(path, sizeof(path), ETC "%s.xml", name);
		pool(path, name, "/a", NULL);
	}
	CU_ASSERT_EQUAL(pool_places(tree.host, &places, skipped), 0);
	CU_ASSERT_EQUAL(places.count, 300);
	end();
}

SUITE_MAIN("pool-files", TEST(without_libvirt_there_are_no_pools),
	   TEST(a_pool_is_listed_with_its_requested_options),
	   TEST(options_that_libvirt_drops_request_nothing),
	   TEST(a_running_pool_keeps_the_definition_it_started_with),
	   TEST(pools_of_other_types_are_listed_without_a_source),
	   TEST(invalid_pools_are_skipped_and_reported), TEST(files_that_are_not_pools_are_skipped),
	   TEST(an_invalid_state_leaves_the_definition), TEST(hundreds_of_pools_are_listed))
