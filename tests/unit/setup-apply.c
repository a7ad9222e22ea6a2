/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Steps that are done, not done, and undone; and files that others change. */
#include <sys/file.h>
#include <sys/xattr.h>

#include "tests/unit/setup-fakes.h"

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

/* Of any file. */
static struct setup_step *text_step(const char *path, const char *before, const char *after)
{
	struct setup_step *new = step(SETUP_FILE);

	strcpy(new->path, path);
	new->before = before ? strdup(before) : NULL;
	new->after = after ? strdup(after) : NULL;
	return new;
}

/* An own one, as plan_file() has it. */
static const char *file_step(const char *path, const char *body)
{
	_cleanup_free_ char *now = NULL, *text = NULL;
	struct made_dirs missing;
	unsigned int folders;
	const char *was;

	CU_ASSERT_EQUAL_FATAL(place_missing(tree.host, path, &missing), 0);
	CU_ASSERT_EQUAL_FATAL(place_read(tree.host, path, &now), 0);
	text = own_text(body, own_read(now, &was, &folders) == OWN_OURS ? folders : missing.count);
	return text_step(path, now, text)->after;
}

static void port_step(bool permanent)
{
	file_step(PATH_PORTS, "public 4791/udp now\npublic 4791/udp permanent\n");
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
	const char *text;

	start();
	text = file_step(PATH_MODULES, "rpcrdma\n");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT(tree_is(PATH_MODULES, text));
	CU_ASSERT_EQUAL(mode_of(PATH_MODULES), 0644);
	/* There is no other record. */
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	/* A second setup changes it: it was made by the first one nevertheless. */
	forget_plan();
	file_step(PATH_MODULES, "rpcrdma\nsiw\n");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(told.done, 1);
	CU_ASSERT_FALSE(tree_has("etc/modules-load.d"));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(told.done, 0);
	done();
}

/* Their folder was there, or something else is in it. */
static void folders_of_others_stay(void)
{
	start();
	tree_mkdir(&tree, "etc/modules-load.d");
	file_step(PATH_MODULES, "rpcrdma\n");
	file_step(PATH_NFS_OURS, "[nfsd]\nrdma=y\n");
	CU_ASSERT_EQUAL(apply(), 0);
	tree_write(&tree, PATH_NFS_D "/mine.conf", "");
	CU_ASSERT_EQUAL(undo(), 0);
	/* First: tree_path() makes folders. */
	CU_ASSERT(tree_has("etc/modules-load.d"));
	CU_ASSERT_FALSE(tree_has(PATH_MODULES));
	CU_ASSERT_FALSE(tree_has(PATH_NFS_OURS));
	CU_ASSERT(tree_has(PATH_NFS_D "/mine.conf"));
	done();
}

static void a_file_of_others_keeps_its_mode(void)
{
	char name[PATH_MAX];

	start();
	tree_write(&tree, PATH_NFS, "a\xe9\n");
	tree_path(&tree, PATH_NFS, name);
	chmod(name, 0640);
	text_step(PATH_NFS, "a\xe9\n", "b\n");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "b\n"));
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
	text_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT(tree_is(PATH_NFS, "b\n"));
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
	text_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), 0);
	tree_path(&tree, PATH_NFS, name);
	CU_ASSERT(getxattr(name, "system.posix_acl_access", NULL, 0) < 0);
	CU_ASSERT_EQUAL(mode_of(PATH_NFS), 0644);
	done();
}

static void ports_are_closed_one_by_one(void)
{
	start();
	port_step(false);
	step(SETUP_PORT)->port = (struct setup_port){ "public", 4791, IPPROTO_UDP, true };
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

static void ports_below_a_root_stay_listed(void)
{
	struct setup_plan *below = NULL;

	start();
	file_step(PATH_MODULES, "rpcrdma\n");
	port_step(true);
	CU_ASSERT_EQUAL(apply(), 0);
	machine.actions = NULL;
	CU_ASSERT_EQUAL_FATAL(setup_undo_make(&below, &machine), 0);
	CU_ASSERT_EQUAL(below->nsteps, 1);
	CU_ASSERT_EQUAL(below->nnotes, 2);
	CU_ASSERT(below->notes[0].todo);
	ASSERT_CONTAINS(below->notes[0].text, "4791/udp");
	setup_plan_free(below);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(told.done, 1);
	CU_ASSERT_FALSE(tree_has(PATH_MODULES));
	CU_ASSERT(tree_has(PATH_PORTS));
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
	_cleanup_free_ char *text = NULL, *edited = NULL;

	start();
	text = strdup(file_step(PATH_NFS_OURS, "[nfsd]\nrdma=y\n"));
	file_step(PATH_MODULES, "rpcrdma\n");
	CU_ASSERT_EQUAL(apply(), 0);
	if (asprintf(&edited, "%smine\n", text) < 0)
		abort();
	tree_write(&tree, PATH_NFS_OURS, edited);
	CU_ASSERT_EQUAL(undo(), -EPERM);
	CU_ASSERT_EQUAL(told.done, 0);
	CU_ASSERT(tree_is(PATH_NFS_OURS, edited));
	CU_ASSERT(tree_has(PATH_MODULES));
	CU_ASSERT_EQUAL_FATAL(setup_undo_make(&refused, &machine), 0);
	CU_ASSERT_EQUAL_FATAL(refused->nsteps, 2);
	CU_ASSERT(refused->steps[0].refused);
	CU_ASSERT_FALSE(refused->steps[1].refused);
	setup_plan_free(refused);
	/* The text that setup wrote is back. */
	tree_write(&tree, PATH_NFS_OURS, text);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_FALSE(tree_has(PATH_NFS_OURS));
	CU_ASSERT_FALSE(tree_has(PATH_MODULES));
	done();
}

/* What has another first line, or is a link, is another program's. */
static void files_of_others_are_not_undone(void)
{
	start();
	tree_write(&tree, PATH_NFS_OURS, "[nfsd]\nrdma=y\n");
	tree_write(&tree, "etc/real.conf", "rpcrdma\n");
	tree_mkdir(&tree, "etc/modules-load.d");
	tree_link(&tree, PATH_MODULES, "/etc/real.conf");
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(told.done, 0);
	CU_ASSERT(tree_has(PATH_NFS_OURS));
	CU_ASSERT(tree_is("etc/real.conf", "rpcrdma\n"));
	done();
}

static void a_file_that_changed_since_the_plan_is_not_written(void)
{
	start();
	tree_write(&tree, PATH_NFS, "new\n");
	text_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), -ESTALE);
	CU_ASSERT(tree_is(PATH_NFS, "new\n"));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

/* --- failures -------------------------------------------------------------------- */

static void the_first_failure_stops_setup(void)
{
	start();
	file_step(PATH_MODULES, "rpcrdma\n");
	strcpy(step(SETUP_MODULE)->name, "rpcrdma");
	port_step(true);
	fake.fail = -EIO;
	CU_ASSERT_EQUAL(apply(), -EIO);
	CU_ASSERT_EQUAL(told.done, 1);
	CU_ASSERT_EQUAL(told.failed, 1);
	CU_ASSERT_EQUAL(told.canceled, 2);
	CU_ASSERT_STRING_EQUAL(told.text, "it does not want to");
	CU_ASSERT_EQUAL(fake.sets, 0);
	/* And completed steps can be undone. */
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_FALSE(tree_has(PATH_MODULES));
	done();
}

/* Its folder goes again. */
static void a_file_that_cannot_be_written_leaves_nothing(void)
{
	start();
	tree_mkdir(&tree, "etc/modules-load.d");
	tree_mkdir(&tree, PATH_MODULES);
	text_step(PATH_MODULES, NULL, "x\n");
	CU_ASSERT_NOT_EQUAL(apply(), 0);
	forget_plan();
	text_step(PATH_NFS_OURS, "not there\n", "x\n");
	CU_ASSERT_EQUAL(apply(), -ESTALE);
	CU_ASSERT_FALSE(tree_has(PATH_NFS_D));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

static void links_are_not_replaced(void)
{
	start();
	tree_write(&tree, "etc/real.conf", "a\n");
	tree_link(&tree, PATH_NFS, "real.conf");
	text_step(PATH_NFS, "a\n", "b\n");
	CU_ASSERT_EQUAL(apply(), -ELOOP);
	CU_ASSERT(tree_is("etc/real.conf", "a\n"));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

/* The folder's link is followed, but not outside the machine. */
static void folders_can_be_links(void)
{
	const char *text;

	start();
	tree_mkdir(&tree, "srv");
	tree_mkdir(&tree, "srv/conf");
	tree_link(&tree, PATH_NFS_D, "/srv/conf");
	text = file_step(PATH_NFS_OURS, "x\n");
	CU_ASSERT_EQUAL(apply(), 0);
	CU_ASSERT(tree_is("srv/conf/nfsrdma.conf", text));
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_FALSE(tree_has("srv/conf/nfsrdma.conf"));
	CU_ASSERT(tree_has("srv/conf"));
	done();
}

static void two_setups_do_not_run_at_once(void)
{
	_cleanup_free_ char *text = own_text("rpcrdma\n", 0);
	char name[PATH_MAX];
	int fd;

	start();
	tree_mkdir(&tree, "var/lib/nfsrdma");
	tree_path(&tree, "var/lib/nfsrdma", name);
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CU_ASSERT_EQUAL_FATAL(flock(fd, LOCK_EX | LOCK_NB), 0);
	text_step(PATH_MODULES, NULL, text);
	CU_ASSERT_EQUAL(apply(), -EBUSY);
	CU_ASSERT_FALSE(tree_has(PATH_MODULES));
	tree_write(&tree, PATH_MODULES, text);
	CU_ASSERT_EQUAL(undo(), -EBUSY);
	CU_ASSERT(tree_has(PATH_MODULES));
	close(fd);
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_FALSE(tree_has(PATH_MODULES));
	done();
}

/* --- interrupted changes --------------------------------------------------------- */

static void a_setup_that_was_killed_leaves_nothing(void)
{
	static const char *const paths[] = {
		"etc/modules-load.d/.nfsrdma.conf.nfsrdma-new",
		"etc/systemd/system/.nfsrdma-link-eth0.service.nfsrdma-new",
	};
	size_t i;

	start();
	tree_mkdir(&tree, "etc/modules-load.d");
	tree_mkdir(&tree, "etc/systemd");
	tree_mkdir(&tree, "etc/systemd/system");
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		tree_write(&tree, paths[i], "rpc");
	CU_ASSERT_EQUAL(undo(), 0);
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		CU_ASSERT_FALSE(tree_has(paths[i]));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	done();
}

static void a_dry_undo_changes_nothing(void)
{
	struct setup_plan *dry = NULL;

	start();
	file_step(PATH_MODULES, "rpcrdma\n");
	CU_ASSERT_EQUAL(apply(), 0);
	tree_write(&tree, "etc/modules-load.d/.nfsrdma.conf.nfsrdma-new", "rpc");
	CU_ASSERT_EQUAL_FATAL(setup_undo_make(&dry, &machine), 0);
	CU_ASSERT_EQUAL(dry->nsteps, 1);
	CU_ASSERT(tree_has("etc/modules-load.d/.nfsrdma.conf.nfsrdma-new"));
	CU_ASSERT(tree_has(PATH_MODULES));
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
	static const struct setup_link link = { "siw", "siw_eth0", "eth0" };
	struct setup_step *new = step(SETUP_LINK);
	struct made_dirs missing;
	_cleanup_free_ char *unit = NULL;

	new->link = link;
	CU_ASSERT_EQUAL_FATAL(place_missing(tree.host, WANTS_ETH0, &missing), 0);
	unit = link_unit(&link, "/sbin/rdma", &(struct link_origin){ true, missing.count });
	file_step(UNIT_ETH0, unit);
	new = step(SETUP_SYMLINK);
	strcpy(new->path, WANTS_ETH0);
	new->after = strdup("/" UNIT_ETH0);
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

/* It has no unit, so a device of that type on that interface belongs to another program. */
static void a_link_that_was_not_created_is_not_removed(void)
{
	start();
	tree_mkdir(&tree, "etc/systemd");
	tree_mkdir(&tree, "etc/systemd/system");
	link_steps();
	fake.fail = -EIO;
	CU_ASSERT_EQUAL(apply(), -EIO);
	CU_ASSERT_STRING_EQUAL(told.text, "it does not want to");
	CU_ASSERT_FALSE(tree_has(UNIT_ETH0));
	CU_ASSERT_FALSE(tree_has("var/lib/nfsrdma"));
	add_device();
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(fake.deletes, 0);
	done();
}

/* Setup gave it a unit, which alone goes. */
static void a_link_made_by_hand_stays(void)
{
	static const struct setup_link link = { "siw", "iwp0s3", "eth0" };
	_cleanup_free_ char *unit = link_unit(&link, "/sbin/rdma",
					      &(struct link_origin){ false, 0 });

	start();
	tree_mkdir(&tree, "etc/systemd");
	tree_mkdir(&tree, "etc/systemd/system");
	file_step(UNIT_ETH0, unit);
	CU_ASSERT_EQUAL(apply(), 0);
	add_device();
	CU_ASSERT_EQUAL(undo(), 0);
	CU_ASSERT_EQUAL(fake.deletes, 0);
	CU_ASSERT_FALSE(tree_has(UNIT_ETH0));
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
	   TEST(folders_of_others_stay), TEST(a_file_of_others_keeps_its_mode),
	   TEST(a_file_of_others_keeps_its_acl_and_attributes),
	   TEST(a_file_without_an_acl_gets_none), TEST(ports_are_closed_one_by_one),
	   TEST(ports_below_a_root_stay_listed), TEST(runtime_changes_leave_no_state),
	   TEST(undo_is_all_or_nothing), TEST(files_of_others_are_not_undone),
	   TEST(a_file_that_changed_since_the_plan_is_not_written),
	   TEST(the_first_failure_stops_setup), TEST(a_file_that_cannot_be_written_leaves_nothing),
	   TEST(links_are_not_replaced), TEST(folders_can_be_links),
	   TEST(two_setups_do_not_run_at_once), TEST(a_setup_that_was_killed_leaves_nothing),
	   TEST(a_dry_undo_changes_nothing), TEST(a_port_that_may_be_open_is_queried),
	   TEST(a_link_is_removed_with_its_unit), TEST(a_link_in_use_stays),
	   TEST(a_link_that_was_not_created_is_not_removed), TEST(a_link_made_by_hand_stays),
	   TEST(a_link_below_a_root_is_only_its_unit),
	   TEST(a_foreign_file_in_place_of_the_unit_link_stays))
