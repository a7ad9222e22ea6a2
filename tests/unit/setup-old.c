/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What setup 0.2 changed is undone after an upgrade, by its record. */
#include "tests/unit/setup-fakes.h"

#define STATE "var/lib/nfsrdma/setup.json"

/* One change, with the texts of a file. */
#define RECORD(changes)                                                                             \
	"{\"schema\": \"nfsrdma-setup/1\", \"made\": [\"var/lib/nfsrdma\"], \"changes\": [" changes \
	"]}"
#define FILE_OF(path, before, was, after, made)                                            \
	"{\"kind\": \"file\", \"done\": true, \"path\": \"" path "\", \"before\": " before \
	", \"was\": " was ", \"after\": " after                                            \
	", \"mode\": 420, \"uid\": 0, \"gid\": 0, \"made\": [" made "]}"
#define NFS_CONF FILE_OF("etc/nfs.conf", "\"a\\n\"", "null", "\"b\\n\"", "")
#define MODULES                                                                      \
	FILE_OF("etc/modules-load.d/nfsrdma.conf", "null", "null", "\"rpcrdma\\n\"", \
		"\"etc/modules-load.d\"")
#define PORT \
	"{\"kind\": \"port\", \"done\": false, \"zone\": \"public\", \"port\": 4791, \"protocol\": \"udp\", \"permanent\": true}"
#define LINK \
	"{\"kind\": \"link\", \"done\": true, \"type\": \"siw\", \"name\": \"siw_eth0\", \"netdev\": \"eth0\"}"

static struct setup_machine machine;
static unsigned int steps_done;

static void on_step(void *arg, const struct setup_step *step, int rc)
{
	(void)arg, (void)step;
	steps_done += !rc;
}

static void start(const char *record)
{
	char name[PATH_MAX];

	memset(&fake, 0, sizeof(fake));
	tree_new(&tree);
	tree_mkdir(&tree, "etc");
	tree_mkdir(&tree, "var/lib");
	tree_write(&tree, STATE, record);
	tree_path(&tree, STATE, name);
	chmod(name, 0600);
	machine = (struct setup_machine){ tree.host, &fake_live, &fake_actions };
}

static int undo(void)
{
	steps_done = 0;
	return setup_undo(&machine, on_step, NULL);
}

/* Done, not begun, under way a second time, edited, and removed. */
static void a_file_gets_its_first_text(void)
{
	static const char again[] =
		RECORD(FILE_OF("etc/nfs.conf", "\"a\\n\"", "\"b\\n\"", "\"c\\n\"", ""));
	static const struct {
		const char *record, *now, *then;
		int rc;
	} rows[] = {
		{ RECORD(NFS_CONF), "b\n", "a\n", 0 },
		{ RECORD(NFS_CONF), "a\n", "a\n", 0 },
		{ RECORD(NFS_CONF), "b\nmine\n", "b\nmine\n", -EPERM },
		{ RECORD(NFS_CONF), NULL, NULL, -EPERM },
		{ again, "a\n", "a\n", 0 },
		{ again, "b\n", "a\n", 0 },
		{ again, "c\n", "a\n", 0 },
		{ again, "d\n", "d\n", -EPERM },
		{ RECORD(MODULES), NULL, NULL, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		start(rows[i].record);
		if (rows[i].now)
			tree_write(&tree, PATH_NFS, rows[i].now);
		CU_ASSERT_EQUAL(undo(), rows[i].rc);
		CU_ASSERT(tree_is(PATH_NFS, rows[i].then));
		CU_ASSERT_EQUAL(tree_has("var/lib/nfsrdma"), rows[i].rc != 0);
		tree_free(&tree);
	}
}

static void a_file_of_its_own_goes_with_its_folder(void)
{
	start(RECORD(NFS_CONF ", " MODULES));
	tree_write(&tree, PATH_NFS, "b\n");
	tree_write(&tree, PATH_MODULES, "rpcrdma\n");
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(steps_done, 2);
	CU_ASSERT(tree_is(PATH_NFS, "a\n"));
	CU_ASSERT_FALSE(tree_has("etc/modules-load.d"));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	tree_free(&tree);
}

/* Both setups wrote to it: the text of now is the later one's. */
static void a_file_of_the_later_setup_is_removed_by_its_sum(void)
{
	_cleanup_free_ char *text = own_text("siw\n", 0);

	start(RECORD(MODULES));
	tree_write(&tree, PATH_MODULES, text);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(steps_done, 1);
	CU_ASSERT_FALSE(tree_has(PATH_MODULES));
	CU_ASSERT_FALSE(tree_has(STATE));
	tree_free(&tree);
}

static void what_was_edited_is_shown(void)
{
	struct setup_plan *plan = NULL;

	start(RECORD(NFS_CONF ", " MODULES));
	tree_write(&tree, PATH_NFS, "b\nmine\n");
	tree_write(&tree, PATH_MODULES, "rpcrdma\n");
	CU_ASSERT_EQUAL_FATAL(setup_undo_make(&plan, &machine), 0);
	CU_ASSERT_EQUAL_FATAL(plan->nsteps, 2);
	CU_ASSERT(plan->steps[1].refused);
	CU_ASSERT_STRING_EQUAL(plan->steps[1].before, "b\n");
	CU_ASSERT_STRING_EQUAL(plan->steps[1].after, "b\nmine\n");
	setup_plan_free(plan);
	CU_ASSERT_EQUAL(undo(), -EPERM);
	CU_ASSERT(tree_is(PATH_MODULES, "rpcrdma\n"));
	tree_free(&tree);
}

static void ports_are_closed_on_the_machine_itself(void)
{
	start(RECORD(PORT));
	fake.open[true] = true;
	machine.actions = NULL;
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_has(STATE));
	machine.actions = &fake_actions;
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_FALSE(fake.open[true]);
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	tree_free(&tree);
}

static void a_link_is_deleted(void)
{
	start(RECORD(LINK));
	tree_write(&tree, "sys/class/infiniband/iwp0s3/node_type", "4: RNIC\n");
	tree_write(&tree, "sys/class/infiniband/iwp0s3/ports/1/link_layer", "Ethernet\n");
	tree_write(&tree, "sys/class/infiniband/iwp0s3/ports/1/gids/0",
		   "5254:0012:3456:0000:0000:0000:0000:0000\n");
	tree_write(&tree, "sys/class/net/eth0/address", "52:54:00:12:34:56\n");
	tree_write(&tree, "proc/self/mountinfo", "");
	tree_write(&tree, "proc/self/mountstats", "");
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(fake.deletes, 1);
	CU_ASSERT_STRING_EQUAL(fake.name, "iwp0s3");
	tree_free(&tree);
}

static void a_malformed_record_changes_nothing(void)
{
	static const char *const records[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"schema\": \"nfsrdma-setup/2\", \"changes\": []}",
		"{\"schema\": \"nfsrdma-setup/1\"}",
		RECORD("1"),
		RECORD("{\"kind\": \"module\"}"),
		RECORD(FILE_OF("etc/passwd", "null", "null", "\"x\"", "")),
		RECORD(FILE_OF("../etc/nfs.conf", "null", "null", "\"x\"", "")),
		RECORD(FILE_OF("etc/nfs.conf", "null", "null", "null", "")),
		RECORD(FILE_OF("etc/nfs.conf", "null", "null", "\"x\\u0000y\"", "")),
		RECORD(FILE_OF("etc/nfs.conf", "null", "null", "\"x\"", "1, 2, 3, 4, 5")),
		RECORD(FILE_OF("etc/nfs.conf", "5", "null", "\"x\"", "")),
		RECORD(FILE_OF("etc/nfs.conf", "\"x\\u0000y\"", "null", "\"x\"", "")),
		RECORD(FILE_OF("etc/nfs.conf", "null", "5", "\"x\"", "")),
		RECORD("{\"kind\": \"port\", \"zone\": \"public\", \"port\": 0, \"protocol\": \"udp\", \"permanent\": true}"),
		RECORD("{\"kind\": \"port\", \"zone\": \"\\n\", \"port\": 1, \"protocol\": \"udp\", \"permanent\": true}"),
		RECORD("{\"kind\": \"link\", \"type\": \"ib\", \"name\": \"x\", \"netdev\": \"eth0\"}"),
		RECORD("{\"kind\": \"link\", \"type\": \"siw\", \"name\": \"x\", \"netdev\": \"a/b\"}"),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(records); i++) {
		SUITE_ROW("%zu: %s", i, records[i]);
		start(records[i]);
		CU_ASSERT_EQUAL(undo(), -EBADMSG);
		ASSERT_CONTAINS(err_text(), "/" PATH_LIMITS);
		ASSERT_CONTAINS(err_text(), "move setup.json away");
		CU_ASSERT(tree_has(STATE));
		tree_free(&tree);
	}
}

static void a_foreign_record_is_refused(void)
{
	char name[PATH_MAX];

	start(RECORD(NFS_CONF));
	tree_path(&tree, STATE, name);
	chmod(name, 0666);
	CU_ASSERT_EQUAL(undo(), -EPERM);
	ASSERT_CONTAINS(err_text(), "others may write");
	unlink(name);
	tree_fifo(&tree, STATE);
	CU_ASSERT_EQUAL(undo(), -EBADMSG);
	unlink(name);
	tree_link(&tree, STATE, "/etc/passwd");
	CU_ASSERT_EQUAL(undo(), -ELOOP);
	ASSERT_CONTAINS(err_text(), "symbolic link");
	tree_free(&tree);
}

SUITE_MAIN("setup-old", TEST(a_file_gets_its_first_text),
	   TEST(a_file_of_its_own_goes_with_its_folder),
	   TEST(a_file_of_the_later_setup_is_removed_by_its_sum), TEST(what_was_edited_is_shown),
	   TEST(ports_are_closed_on_the_machine_itself), TEST(a_link_is_deleted),
	   TEST(a_malformed_record_changes_nothing), TEST(a_foreign_record_is_refused))
