/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Steps that are done, not done, and undone; and files that others change. */
#include <sys/file.h>
#include <sys/xattr.h>

#include "tests/unit/setup-fakes.h"

#define STATE "var/lib/nfsrdma/setup.json"
#define OURS  SETUP_HEADER "rpcrdma\n"

static struct setup_machine machine;
static struct setup_plan *plan;

static struct {
	unsigned int done, failed, canceled;
	char text[ERR_TEXT_MAX];
} told;

static void on_step(void *arg, const struct setup_step *step, int rc)
{
	(void)arg, (void)step;
	told.done += !rc;
	told.canceled += rc == -ECANCELED;
	told.failed += rc && rc != -ECANCELED;
	if (rc && rc != -ECANCELED)
		strcpy(told.text, err_text());
}

static void start(void)
{
	memset(&fake, 0, sizeof(fake));
	tree_new(&tree);
	tree_mkdir(&tree, "etc");
	tree_mkdir(&tree, "var/lib");
	machine = (struct setup_machine){ tree.host, &fake_live, &fake_actions };
	plan = calloc(1, sizeof(*plan));
}

static struct setup_step *step(enum setup_kind kind)
{
	plan->steps[plan->nsteps].kind = kind;
	return &plan->steps[plan->nsteps++];
}

static void file_step(const char *path, const char *before, const char *after)
{
	struct setup_step *new = step(SETUP_FILE);

	strcpy(new->path, path);
	new->before = before ? strdup(before) : NULL;
	new->after = strdup(after);
}

static void port_step(bool permanent)
{
	step(SETUP_PORT)->port = (struct setup_port){ "public", 4791, IPPROTO_UDP, permanent };
}

static void forget_plan(void)
{
	setup_plan_free(plan);
	plan = calloc(1, sizeof(*plan));
}

static int apply(void)
{
	memset(&told, 0, sizeof(told));
	return setup_apply(&machine, plan, on_step, NULL);
}

static int undo(void)
{
	memset(&told, 0, sizeof(told));
	return setup_undo(&machine, on_step, NULL);
}

static void done(void)
{
	setup_plan_free(plan);
	tree_free(&tree);
}

static unsigned int mode_of(const char *path)
{
	char name[PATH_MAX];
	struct stat st = { 0 };

	tree_path(&tree, path, name);
	stat(name, &st);
	return st.st_mode & 07777;
}

/* --- apply and undo -------------------------------------------------------------- */

static void a_new_file_is_removed_with_its_folders(void)
{
	start();
	file_step(PATH_MODULES, NULL, OURS);
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT(tree_is(PATH_MODULES, OURS));
	CU_ASSERT_EQUAL(mode_of(PATH_MODULES), 0644);
	CU_ASSERT_EQUAL(mode_of("var/lib/nfsrdma"), 0700);
	CU_ASSERT_EQUAL(mode_of(STATE), 0600);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(told.done, 1);
	CU_ASSERT_FALSE(tree_has("etc/modules-load.d"));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(told.done, 0);
	done();
}

static void a_file_of_others_keeps_its_mode(void)
{
	char name[PATH_MAX];

	start();
	tree_write(&tree, PATH_NFS, "a\xe9\n");
	tree_path(&tree, PATH_NFS, name);
	chmod(name, 0640);
	file_step(PATH_NFS, "a\xe9\n", "b\n");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "b\n"));
	CU_ASSERT_EQUAL(mode_of(PATH_NFS), 0640);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "a\xe9\n"));
	CU_ASSERT_EQUAL(mode_of(PATH_NFS), 0640);
	done();
}

/* user::rw-,user:1:r--,group::r--,mask::r--,other::--- as the kernel keeps it: version 2, and of each
 * entry its tag, rights and id. */
static const uint8_t acl[] = { 2, 0, 0,   0,   1,   0,   6,  0, 255, 255, 255, 255, 2,   0,  4,
			       0, 1, 0,   0,   0,   4,   0,  4, 0,   255, 255, 255, 255, 16, 0,
			       4, 0, 255, 255, 255, 255, 32, 0, 0,   0,   255, 255, 255, 255 };

static bool has_attribute(const char *path, const char *name, const void *value, size_t len)
{
	char at[PATH_MAX], got[256];

	tree_path(&tree, path, at);
	return getxattr(at, name, got, sizeof(got)) == (ssize_t)len && !memcmp(got, value, len);
}

static void a_file_of_others_keeps_its_acl_and_attributes(void)
{
	char name[PATH_MAX];
	bool users;

	start();
	tree_write(&tree, PATH_NFS, "a\n");
	tree_path(&tree, PATH_NFS, name);
	CU_ASSERT_EQUAL_FATAL(setxattr(name, "system.posix_acl_access", acl, sizeof(acl), 0), 0);
	/* A tmpfs has none before Linux 6.6. */
	users = !setxattr(name, "user.origin", "puppet", 6, 0);
	CU_ASSERT(users || errno == EOPNOTSUPP);
	file_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "b\n"));
	CU_ASSERT(has_attribute(PATH_NFS, "system.posix_acl_access", acl, sizeof(acl)));
	CU_ASSERT(!users || has_attribute(PATH_NFS, "user.origin", "puppet", 6));
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "a\n"));
	CU_ASSERT(has_attribute(PATH_NFS, "system.posix_acl_access", acl, sizeof(acl)));
	CU_ASSERT(!users || has_attribute(PATH_NFS, "user.origin", "puppet", 6));
	done();
}

/* The default ACL of its folder is for new files. */
static void a_file_without_an_acl_gets_none(void)
{
	char name[PATH_MAX];

	start();
	tree_write(&tree, PATH_NFS, "a\n");
	tree_path(&tree, "etc", name);
	CU_ASSERT_EQUAL_FATAL(setxattr(name, "system.posix_acl_default", acl, sizeof(acl), 0), 0);
	file_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), 0);
	tree_path(&tree, PATH_NFS, name);
	CU_ASSERT(getxattr(name, "system.posix_acl_access", NULL, 0) < 0);
	CU_ASSERT_EQUAL(mode_of(PATH_NFS), 0644);
	done();
}

static void undo_restores_the_first_text(void)
{
	start();
	tree_write(&tree, PATH_NFS, "a\n");
	file_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), 0);
	forget_plan();
	file_step(PATH_NFS, "b\n", "c\n");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "a\n"));
	done();
}

/* Between two setups somebody else changed it; text that they restored counts as undone. */
static void text_of_others_is_kept(void)
{
	start();
	tree_write(&tree, PATH_NFS, "a\n");
	file_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), 0);
	tree_write(&tree, PATH_NFS, "theirs\n");
	forget_plan();
	file_step(PATH_NFS, "theirs\n", "c\n");
	CU_ASSERT_EQUAL(apply(), -ESTALE);
	CU_ASSERT(tree_is(PATH_NFS, "theirs\n"));
	CU_ASSERT_EQUAL(undo(), -EPERM);
	tree_write(&tree, PATH_NFS, "a\n");
	forget_plan();
	file_step(PATH_NFS, "a\n", "c\n");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "a\n"));
	done();
}

static void ports_are_closed_one_by_one(void)
{
	start();
	port_step(false);
	port_step(true);
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT(fake.open[false]);
	CU_ASSERT(fake.open[true]);
	/* A reload closed one. */
	fake.open[false] = false;
	fake.sets = 0;
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(fake.sets, 1);
	CU_ASSERT(fake.last.permanent);
	CU_ASSERT_FALSE(fake.open[true]);
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

static void ports_below_a_root_stay_in_the_state(void)
{
	struct setup_plan *below = NULL;

	start();
	file_step(PATH_MODULES, NULL, OURS);
	port_step(true);
	CU_ASSERT_EQUAL(apply(), 0);
	machine.actions = NULL;
	CU_ASSERT_EQUAL_FATAL(setup_undo_make(&below, &machine), 0);
	CU_ASSERT_EQUAL(below->nsteps, 1);
	CU_ASSERT_EQUAL(below->nnotes, 1);
	CU_ASSERT(below->notes[0].todo);
	ASSERT_CONTAINS(below->notes[0].text, "4791/udp");
	setup_plan_free(below);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(told.done, 1);
	CU_ASSERT_FALSE(tree_has(PATH_MODULES));
	CU_ASSERT(fake.open[true]);
	machine.actions = &fake_actions;
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_FALSE(fake.open[true]);
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

static void runtime_changes_leave_no_state(void)
{
	start();
	strcpy(step(SETUP_MODULE)->name, "rpcrdma");
	step(SETUP_LISTENER)->port.port = 20049;
	strcpy(step(SETUP_RESTART)->name, "nfs-server.service");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT_EQUAL(fake.loads, 1);
	CU_ASSERT_EQUAL(fake.listens, 1);
	CU_ASSERT_EQUAL(fake.restarts, 1);
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

/* --- changes by others ----------------------------------------------------------- */

static void undo_is_all_or_nothing(void)
{
	struct setup_plan *refused = NULL;

	start();
	tree_write(&tree, PATH_NFS, "a\n");
	file_step(PATH_NFS, "a\n", "b\n");
	file_step(PATH_MODULES, NULL, OURS);
	CU_ASSERT_EQUAL(apply(), 0);
	tree_write(&tree, PATH_NFS, "b\nmine\n");
	CU_ASSERT_EQUAL(undo(), -EPERM);
	CU_ASSERT_EQUAL(told.done, 0);
	CU_ASSERT(tree_is(PATH_NFS, "b\nmine\n"));
	CU_ASSERT(tree_is(PATH_MODULES, OURS));
	CU_ASSERT_EQUAL_FATAL(setup_undo_make(&refused, &machine), 0);
	CU_ASSERT_EQUAL(refused->nsteps, 2);
	CU_ASSERT(refused->steps[1].refused);
	CU_ASSERT_STRING_EQUAL(refused->steps[1].before, "b\n");
	CU_ASSERT_STRING_EQUAL(refused->steps[1].after, "b\nmine\n");
	setup_plan_free(refused);
	/* The text that setup wrote is back. */
	tree_write(&tree, PATH_NFS, "b\n");
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "a\n"));
	done();
}

static void a_removed_file_is_not_restored(void)
{
	char name[PATH_MAX];

	start();
	tree_write(&tree, PATH_NFS, "a\n");
	file_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), 0);
	tree_path(&tree, PATH_NFS, name);
	unlink(name);
	CU_ASSERT_EQUAL(undo(), -EPERM);
	done();
	/* It did not exist before, so its absence is correct. */
	start();
	file_step(PATH_MODULES, NULL, OURS);
	CU_ASSERT_EQUAL(apply(), 0);
	tree_path(&tree, PATH_MODULES, name);
	unlink(name);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

static void a_file_that_changed_since_the_plan_is_not_written(void)
{
	start();
	tree_write(&tree, PATH_NFS, "new\n");
	file_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), -ESTALE);
	CU_ASSERT(tree_is(PATH_NFS, "new\n"));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

/* --- failures -------------------------------------------------------------------- */

static void the_first_failure_stops_setup(void)
{
	start();
	file_step(PATH_MODULES, NULL, OURS);
	strcpy(step(SETUP_MODULE)->name, "rpcrdma");
	port_step(true);
	fake.fail = -EIO;
	CU_ASSERT_EQUAL(apply(), -EIO);
	CU_ASSERT_EQUAL(told.done, 1);
	CU_ASSERT_EQUAL(told.failed, 1);
	CU_ASSERT_EQUAL(told.canceled, 1);
	CU_ASSERT_STRING_EQUAL(told.text, "it does not want to");
	CU_ASSERT_EQUAL(fake.sets, 0);
	/* And completed steps can be undone. */
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_FALSE(tree_has(PATH_MODULES));
	done();
}

static void links_are_not_replaced(void)
{
	start();
	tree_write(&tree, "etc/real.conf", "a\n");
	tree_link(&tree, PATH_NFS, "real.conf");
	file_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), -ELOOP);
	CU_ASSERT(tree_is("etc/real.conf", "a\n"));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

/* The folder's link is followed, but not outside the machine. */
static void folders_can_be_links(void)
{
	start();
	tree_mkdir(&tree, "srv");
	tree_mkdir(&tree, "srv/conf");
	tree_link(&tree, PATH_NFS_D, "/srv/conf");
	file_step(PATH_NFS_OURS, NULL, "x\n");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT(tree_is("srv/conf/nfsrdma.conf", "x\n"));
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_FALSE(tree_has("srv/conf/nfsrdma.conf"));
	CU_ASSERT(tree_has("srv/conf"));
	done();
}

static void two_setups_do_not_run_at_once(void)
{
	char name[PATH_MAX];
	int fd;

	start();
	tree_mkdir(&tree, "var/lib/nfsrdma");
	tree_path(&tree, "var/lib/nfsrdma", name);
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CU_ASSERT_EQUAL_FATAL(flock(fd, LOCK_EX | LOCK_NB), 0);
	file_step(PATH_MODULES, NULL, OURS);
	CU_ASSERT_EQUAL(apply(), -EBUSY);
	CU_ASSERT_EQUAL(undo(), -EBUSY);
	CU_ASSERT_FALSE(tree_has(PATH_MODULES));
	close(fd);
	CU_ASSERT_EQUAL(apply(), 0);
	done();
}

static void a_foreign_state_is_refused(void)
{
	char name[PATH_MAX];

	start();
	file_step(PATH_MODULES, NULL, OURS);
	CU_ASSERT_EQUAL(apply(), 0);
	tree_path(&tree, STATE, name);
	chmod(name, 0666);
	CU_ASSERT_EQUAL(undo(), -EPERM);
	ASSERT_CONTAINS(err_text(), "others may write");
	chmod(name, 0600);
	if (truncate(name, 40))
		abort();
	CU_ASSERT_EQUAL(undo(), -EBADMSG);
	ASSERT_CONTAINS(err_text(), "/" PATH_LIMITS);
	ASSERT_CONTAINS(err_text(), "move setup.json away");
	CU_ASSERT_EQUAL(apply(), -EBADMSG);
	CU_ASSERT(tree_is(PATH_MODULES, OURS));
	unlink(name);
	tree_fifo(&tree, STATE);
	CU_ASSERT_EQUAL(undo(), -EBADMSG);
	unlink(name);
	tree_link(&tree, STATE, "/etc/passwd");
	CU_ASSERT_EQUAL(undo(), -ELOOP);
	ASSERT_CONTAINS(err_text(), "symbolic link");
	done();
}

/* --- interrupted changes --------------------------------------------------------- */

/* A state as an interrupted setup leaves it: the change may have been made, or not. */
static void leave_intent(const char *path, const char *before, const char *was, const char *after)
{
	struct store store;
	struct setup_change *change;

	CU_ASSERT_EQUAL_FATAL(store_open(&store, tree.host, true), 0);
	change = state_add(&store.state);
	change->kind = SETUP_FILE;
	strcpy(change->path, path);
	change->before = before ? strdup(before) : NULL;
	change->was = was ? strdup(was) : NULL;
	change->after = strdup(after);
	change->mode = 0644;
	change->uid = geteuid();
	change->gid = getegid();
	CU_ASSERT_EQUAL_FATAL(store_save(&store), 0);
	store_close(&store);
}

static void changes_that_were_not_made_are_not_undone(void)
{
	start();
	tree_write(&tree, PATH_NFS, "a\n");
	leave_intent(PATH_NFS, "a\n", NULL, "b\n");
	tree_write(&tree, "etc/.nfs.conf.nfsrdma-new", "b");
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "a\n"));
	CU_ASSERT_FALSE(tree_has("etc/.nfs.conf.nfsrdma-new"));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

static void changes_that_were_made_are_undone(void)
{
	start();
	tree_write(&tree, PATH_NFS, "b\n");
	leave_intent(PATH_NFS, "a\n", NULL, "b\n");
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "a\n"));
	done();
}

static void an_interrupted_second_change_restores_the_first_text(void)
{
	start();
	tree_write(&tree, PATH_NFS, "b\n");
	leave_intent(PATH_NFS, "a\n", "b\n", "c\n");
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "a\n"));
	done();
	start();
	tree_write(&tree, PATH_NFS, "c\n");
	leave_intent(PATH_NFS, "a\n", "b\n", "c\n");
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "a\n"));
	done();
}

static void a_dry_undo_changes_nothing(void)
{
	struct setup_plan *dry = NULL;

	start();
	tree_write(&tree, PATH_NFS, "a\n");
	leave_intent(PATH_NFS, "a\n", NULL, "b\n");
	tree_write(&tree, "etc/.nfs.conf.nfsrdma-new", "b");
	CU_ASSERT_EQUAL_FATAL(setup_undo_make(&dry, &machine), 0);
	CU_ASSERT_EQUAL(dry->nsteps, 0);
	CU_ASSERT(tree_has("etc/.nfs.conf.nfsrdma-new"));
	CU_ASSERT(tree_has(STATE));
	setup_plan_free(dry);
	done();
}

static void a_port_that_may_be_open_is_queried(void)
{
	start();
	port_step(true);
	fake.fail = -ETIMEDOUT;
	CU_ASSERT_EQUAL(apply(), -ETIMEDOUT);
	/* It was opened nevertheless. */
	fake.open[true] = true;
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_FALSE(fake.open[true]);
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

/* --- links ----------------------------------------------------------------------- */

#define UNIT_ETH0  "etc/systemd/system/nfsrdma-link-eth0.service"
#define WANTS_ETH0 "etc/systemd/system/multi-user.target.wants/nfsrdma-link-eth0.service"

static void link_steps(void)
{
	struct setup_step *new;

	file_step(UNIT_ETH0, NULL, "[Unit]\n");
	new = step(SETUP_SYMLINK);
	strcpy(new->path, WANTS_ETH0);
	new->after = strdup("/" UNIT_ETH0);
	step(SETUP_LINK)->link = (struct setup_link){ "siw", "siw_eth0", "eth0" };
}

/* As udev can name it. */
static void add_device(void)
{
	tree_write(&tree, "sys/class/infiniband/iwp0s3/node_type", "4: RNIC\n");
	tree_write(&tree, "sys/class/infiniband/iwp0s3/ports/1/link_layer", "Ethernet\n");
	tree_write(&tree, "sys/class/infiniband/iwp0s3/ports/1/gids/0",
		   "5254:0012:3456:0000:0000:0000:0000:0000\n");
	tree_write(&tree, "sys/class/net/eth0/address", "52:54:00:12:34:56\n");
	tree_write(&tree, "proc/self/mountinfo", "");
	tree_write(&tree, "proc/self/mountstats", "");
}

static bool is_enabled(void)
{
	char target[HOST_PATH_MAX];

	return !host_link(tree.host, WANTS_ETH0, target, sizeof(target)) &&
	       !strcmp(target, "/" UNIT_ETH0);
}

static void set_up_link(void)
{
	start();
	tree_mkdir(&tree, "etc/systemd");
	tree_mkdir(&tree, "etc/systemd/system");
	link_steps();
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT_EQUAL(told.done, 3);
	CU_ASSERT_EQUAL(fake.adds, 1);
	CU_ASSERT_STRING_EQUAL(fake.link.name, "siw_eth0");
	CU_ASSERT(is_enabled());
}

static void a_link_is_removed_with_its_unit(void)
{
	set_up_link();
	add_device();
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(told.done, 3);
	CU_ASSERT_EQUAL(fake.deletes, 1);
	CU_ASSERT_STRING_EQUAL(fake.name, "iwp0s3");
	CU_ASSERT_FALSE(is_enabled());
	CU_ASSERT_FALSE(tree_has("etc/systemd/system/multi-user.target.wants"));
	CU_ASSERT(tree_has("etc/systemd/system"));
	CU_ASSERT_FALSE(tree_has(UNIT_ETH0));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
	/* An administrator deleted it before. */
	set_up_link();
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(fake.deletes, 0);
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

static const char *const mountinfo =
	"36 28 0:53 / /mnt rw - nfs4 192.0.2.10:/vm rw,vers=4.2,proto=rdma,port=20049,addr=192.0.2.10\n";

static void a_link_in_use_stays(void)
{
	static const struct {
		unsigned int pairs;
		int fail;
		const char *path, *text, *words;
	} rows[] = {
		{ 2, 0, NULL, NULL, "it has 2 queue pairs in use" },
		{ 0, -EIO, NULL, NULL, "unknown (it does not want to)" },
		/* Without a connection at the moment. */
		{ 0, 0, "proc/self/mountinfo", mountinfo, "1 NFS mount over RDMA" },
		{ 0, 0, "proc/fs/nfsd/portlist", "rdma 20049\n", "listens for RDMA" },
	};
	struct setup_plan *undoing = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].words);
		set_up_link();
		add_device();
		fake.users = rows[i].pairs;
		if (rows[i].path)
			tree_write(&tree, rows[i].path, rows[i].text);
		fake.fail = rows[i].fail;
		CU_ASSERT_EQUAL_FATAL(setup_undo_make(&undoing, &machine), 0);
		CU_ASSERT_EQUAL(undoing->nsteps, 2);
		CU_ASSERT_EQUAL_FATAL(undoing->nnotes, 1);
		CU_ASSERT(undoing->notes[0].todo);
		ASSERT_CONTAINS(undoing->notes[0].text, rows[i].words);
		ASSERT_CONTAINS(undoing->notes[0].text, "rdma link delete iwp0s3");
		setup_plan_free(undoing);
		fake.fail = rows[i].fail;
		CU_ASSERT_EQUAL(undo(), 0);
		CU_ASSERT_EQUAL(fake.deletes, 0);
		CU_ASSERT_FALSE(tree_has(UNIT_ETH0));
		CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
		done();
	}
}

/* Its record is not kept: a device of that type on that interface belongs to another program. */
static void a_link_that_was_not_created_is_not_removed(void)
{
	start();
	step(SETUP_LINK)->link = (struct setup_link){ "siw", "siw_eth0", "eth0" };
	fake.fail = -EIO;
	CU_ASSERT_EQUAL(apply(), -EIO);
	CU_ASSERT_STRING_EQUAL(told.text, "it does not want to");
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	add_device();
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(fake.deletes, 0);
	done();
	/* After a timeout it may be ours. */
	start();
	step(SETUP_LINK)->link = (struct setup_link){ "siw", "siw_eth0", "eth0" };
	fake.fail = -ETIMEDOUT;
	CU_ASSERT_EQUAL(apply(), -ETIMEDOUT);
	add_device();
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(fake.deletes, 1);
	done();
}

static void a_link_below_a_root_is_only_its_unit(void)
{
	set_up_link();
	add_device();
	machine.actions = NULL;
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(fake.deletes, 0);
	CU_ASSERT_FALSE(is_enabled());
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

/* A file in place of the symbolic link is not replaced, nor a link to another target. */
static void a_foreign_file_in_place_of_the_unit_link_stays(void)
{
	start();
	tree_mkdir(&tree, "etc/systemd");
	tree_mkdir(&tree, "etc/systemd/system");
	tree_mkdir(&tree, "etc/systemd/system/multi-user.target.wants");
	tree_write(&tree, WANTS_ETH0, "x\n");
	link_steps();
	CU_ASSERT_EQUAL(apply(), -EEXIST);
	CU_ASSERT(tree_is(WANTS_ETH0, "x\n"));
	CU_ASSERT_EQUAL(fake.adds, 0);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT(tree_is(WANTS_ETH0, "x\n"));
	CU_ASSERT_FALSE(tree_has(UNIT_ETH0));
	done();
	set_up_link();
	CU_ASSERT_EQUAL(tree_remove_all(&tree, WANTS_ETH0), 0);
	tree_link(&tree, WANTS_ETH0, "/dev/null");
	CU_ASSERT_EQUAL(undo(), -EPERM);
	CU_ASSERT(tree_has(UNIT_ETH0));
	done();
}

SUITE_MAIN("setup-apply", TEST(a_new_file_is_removed_with_its_folders),
	   TEST(a_file_of_others_keeps_its_mode),
	   TEST(a_file_of_others_keeps_its_acl_and_attributes),
	   TEST(a_file_without_an_acl_gets_none), TEST(undo_restores_the_first_text),
	   TEST(text_of_others_is_kept), TEST(ports_are_closed_one_by_one),
	   TEST(ports_below_a_root_stay_in_the_state), TEST(runtime_changes_leave_no_state),
	   TEST(undo_is_all_or_nothing), TEST(a_removed_file_is_not_restored),
	   TEST(a_file_that_changed_since_the_plan_is_not_written),
	   TEST(the_first_failure_stops_setup), TEST(links_are_not_replaced),
	   TEST(folders_can_be_links), TEST(two_setups_do_not_run_at_once),
	   TEST(a_foreign_state_is_refused), TEST(changes_that_were_not_made_are_not_undone),
	   TEST(changes_that_were_made_are_undone),
	   TEST(an_interrupted_second_change_restores_the_first_text),
	   TEST(a_dry_undo_changes_nothing), TEST(a_port_that_may_be_open_is_queried),
	   TEST(a_link_is_removed_with_its_unit), TEST(a_link_in_use_stays),
	   TEST(a_link_that_was_not_created_is_not_removed),
	   TEST(a_link_below_a_root_is_only_its_unit),
	   TEST(a_foreign_file_in_place_of_the_unit_link_stays))
