/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The plan for each machine: what is missing, and nothing else. */
#include "rpcrdma/probe/probe.h"
#include "tests/unit/setup-fakes.h"

#define NFS_CONF "[nfsd]\nrdma=y\nrdma-port=20049\n"

static struct setup_machine machine;
static struct setup_request request;
static struct setup_plan *plan;

static void start(const char *name, unsigned int roles)
{
	machine = machine_of(name);
	request = (struct setup_request){ .roles = roles, .port = 20049 };
}

static void make(void)
{
	setup_plan_free(plan);
	plan = NULL;
	CU_ASSERT_EQUAL_FATAL(setup_plan_make(&plan, &machine, &request), 0);
}

static void done(void)
{
	setup_plan_free(plan);
	plan = NULL;
	tree_free(&tree);
}

static const struct setup_step *find(enum setup_kind kind, const char *path_or_name)
{
	unsigned int i;

	for (i = 0; i < plan->nsteps; i++) {
		const struct setup_step *step = &plan->steps[i];

		if (step->kind == kind &&
		    (!strcmp(step->path, path_or_name) || !strcmp(step->name, path_or_name)))
			return step;
	}
	return NULL;
}

/* Of an own file, without its first line. */
static bool file_is(const char *path, const char *text)
{
	unsigned int folders;
	const char *body;
	const struct setup_step *step = find(SETUP_FILE, path);

	suite_saw("%s", step ? step->after : "no step");
	return step && own_read(step->after, &body, &folders) == OWN_OURS && !strcmp(body, text);
}

static bool is_noted(bool todo, const char *words)
{
	unsigned int i;

	for (i = 0; i < plan->nnotes; i++)
		if (plan->notes[i].todo == todo && strstr(plan->notes[i].text, words))
			return true;
	for (i = 0; i < plan->nnotes; i++)
		fprintf(stderr, "note: %s\n", plan->notes[i].text);
	return false;
}

/* Lines that are left to add. */
static bool lines_are(const char *lines)
{
	unsigned int i;

	for (i = 0; i < plan->nnotes; i++)
		if (plan->notes[i].lines && plan->notes[i].todo &&
		    !strcmp(plan->notes[i].lines, lines))
			return true;
	return false;
}

/* --- modules --------------------------------------------------------------------- */

static void a_working_host_is_left_alone(void)
{
	static const char *const names[] = { "mlx5-roce-rhel9", "mlx5-ib-rhel8", "siw-debian12",
					     "irdma-iwarp-sles15" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		SUITE_ROW("%zu: %s", i, names[i]);
		start(names[i], CHECK_CLIENT);
		make();
		CU_ASSERT_EQUAL(plan->nsteps, 0);
		CU_ASSERT_FALSE(plan->unknown);
		done();
	}
}

static void not_loaded(void)
{
	start("siw-debian12", CHECK_CLIENT);
	CU_ASSERT_EQUAL(tree_remove_all(&tree, "sys/module/rpcrdma"), 0);
}

static void a_listed_module_is_loaded(void)
{
	not_loaded();
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 1);
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_MODULE, "rpcrdma"));
	done();
}

#define RDMA_CONF "etc/rdma/modules/rdma.conf"

static void modules_are_listed_in_an_own_file(void)
{
	_cleanup_free_ char *ours = own_text("siw\n", 1), *edited = NULL;

	not_loaded();
	tree_write(&tree, RDMA_CONF, "ib_uverbs\n# xprtrdma\n# svcrdma\n");
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, RDMA_CONF));
	CU_ASSERT(file_is(PATH_MODULES, "rpcrdma\n"));
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_MODULE, "rpcrdma"));
	request.roles = CHECK_SERVER;
	make();
	CU_ASSERT(file_is(PATH_MODULES, "rpcrdma\n"));
	/* An earlier setup wrote the file. */
	tree_write(&tree, PATH_MODULES, ours);
	make();
	CU_ASSERT(file_is(PATH_MODULES, "siw\nrpcrdma\n"));
	/* It was edited since; and a file of others. */
	if (asprintf(&edited, "%s# mine\n", ours) < 0)
		abort();
	tree_write(&tree, PATH_MODULES, edited);
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_MODULES));
	CU_ASSERT(is_noted(true, "was changed since setup wrote it"));
	CU_ASSERT(lines_are("rpcrdma\n"));
	tree_write(&tree, PATH_MODULES, "siw\n");
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_MODULES));
	CU_ASSERT(is_noted(true, "was not written by setup"));
	CU_ASSERT(lines_are("rpcrdma\n"));
	done();
}

static void below_a_root_nothing_is_loaded(void)
{
	not_loaded();
	tree_write(&tree, RDMA_CONF, "");
	machine.actions = NULL;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 1);
	CU_ASSERT(file_is(PATH_MODULES, "rpcrdma\n"));
	done();
}

static void a_blacklist_stays(void)
{
	start("rpcrdma-blacklisted", CHECK_SERVER);
	tree_write(&tree, RDMA_CONF, "# svcrdma\n");
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, RDMA_CONF));
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_MODULES));
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_MODULE, "rpcrdma"));
	CU_ASSERT(is_noted(true, "blacklist"));
	done();
}

static void forbidden_steps_are_not_planned(void)
{
	start("rpcrdma-forbidden", CHECK_CLIENT);
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(is_noted(true, "forbids loading rpcrdma"));
	done();
}

/* Neither a device nor a software link would help. */
static void a_kernel_without_the_module_is_reported_like_the_check(void)
{
	start("no-rpcrdma-cloud-kernel", CHECK_SERVER);
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT_EQUAL(plan->nnotes, 1);
	CU_ASSERT(is_noted(true, "was built without NFS over RDMA"));
	CU_ASSERT(is_noted(true, "[server.module/not-built]"));
	CU_ASSERT(is_noted(true, "'apt-get install linux-image-"));
	CU_ASSERT_FALSE(is_noted(true, "software"));
	done();
}

static void missing_modules_of_a_driver_are_loaded(void)
{
	start("mlx5-ib-not-loaded", CHECK_CLIENT);
	make();
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_MODULE, "mlx5_ib"));
	CU_ASSERT(file_is(PATH_MODULES, "mlx5_ib\n"));
	done();
}

static void without_a_device_nothing_is_set_up(void)
{
	start("none-debian12", CHECK_SERVER);
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(is_noted(true, "no RDMA device"));
	done();
}

/* The server would not start at all. */
static void a_server_that_cannot_load_rpcrdma_is_not_configured(void)
{
	static const char *const names[] = { "rpcrdma-blacklisted", "rpcrdma-forbidden",
					     "rpcrdma-unreadable" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		SUITE_ROW("%zu: %s", i, names[i]);
		start(names[i], CHECK_SERVER);
		tree_write(&tree, "usr/sbin/rpc.nfsd", "");
		tree_write(&tree, "proc/fs/nfsd/portlist", "tcp 2049\n");
		tree_write(&tree, "proc/fs/nfsd/threads", "8\n");
		tree_write(&tree, "proc/net/tcp", "");
		make();
		CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
		CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS));
		CU_ASSERT_PTR_NULL(find(SETUP_LISTENER, ""));
		CU_ASSERT(is_noted(true, "might not start at all"));
		/* Nothing is known about modules; that is normal for an image. */
		CU_ASSERT_EQUAL(tree_remove_all(&tree, "lib/modules"), 0);
		make();
		CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
		CU_ASSERT_PTR_NULL(find(SETUP_LISTENER, ""));
		done();
	}
}

static void an_unknown_module_is_reported_like_the_check(void)
{
	not_loaded();
	CU_ASSERT_EQUAL(tree_remove_all(&tree, "lib/modules"), 0);
	tree_write(&tree, "lib/modules/6.1.0-99-amd64/modules.dep", "");
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(plan->unknown);
	CU_ASSERT(is_noted(true, "the modules of the running kernel"));
	done();
}

static void an_unusable_device_counts_as_none(void)
{
	start("mthca-only", CHECK_SERVER);
	tree_write(&tree, "usr/sbin/rpc.nfsd", "");
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(is_noted(true, "can use none of this host's devices: mthca0"));
	CU_ASSERT_EQUAL(plan->nnotes, 1);
	done();
}

/* --- nfs.conf -------------------------------------------------------------------- */

static void debian(const char *conf)
{
	start("siw-debian12", CHECK_SERVER);
	tree_write(&tree, "usr/sbin/rpc.nfsd", "");
	tree_write(&tree, "etc/nfs.conf", conf);
}

static void the_server_is_configured_in_a_drop_in(void)
{
	static const char *const confs[] = {
		"[nfsd]\n# rdma=n\n",
		"[nfsd]\nrdma=n\n",
		"[nfsd]\nrdma-port=20049\n",
		/* Debian's /etc/services has no nfsrdma */
		"[nfsd]\nrdma=y\n",
		/* a line without newline does not count */
		"[nfsd]\nrdma-port=20049\nrdma=y",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(confs); i++) {
		SUITE_ROW("%zu: %s", i, confs[i]);
		debian(confs[i]);
		make();
		CU_ASSERT(file_is(PATH_NFS_OURS, NFS_CONF));
		CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS));
		done();
	}
}

static void a_configured_server_is_left_alone(void)
{
	debian("[nfsd]\nrdma=y\nrdma-port=20049\n");
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
	done();
	debian("[nfsd]\nrdma=y\nrdma-port=20050\n");
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
	request.has_port = true;
	make();
	CU_ASSERT(file_is(PATH_NFS_OURS, NFS_CONF));
	done();
}

static void a_port_of_the_configuration_is_kept(void)
{
	debian("[nfsd]\nrdma=n\nrdma-port=20050\n");
	make();
	CU_ASSERT(file_is(PATH_NFS_OURS, "[nfsd]\nrdma=y\nrdma-port=20050\n"));
	done();
}

static void old_versions_have_one_file(void)
{
	debian("# mine\n[nfsd]\n# rdma=n\n[mountd]\n");
	tree_write(&tree, "var/lib/dpkg/status",
		   "Package: nfs-common\nStatus: install ok installed\nVersion: "
		   "1:2.5.2-1\n");
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS));
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
	CU_ASSERT(is_noted(true, "setup does not edit /etc/nfs.conf"));
	CU_ASSERT(lines_are("[nfsd]\nrdma=y\nrdma-port=20049\n"));
	/* If the folder exists, the installed version reads it. */
	tree_mkdir(&tree, "etc/nfs.conf.d");
	make();
	CU_ASSERT(file_is(PATH_NFS_OURS, NFS_CONF));
	done();
}

static void very_old_versions_have_only_the_port(void)
{
	debian("[nfsd]\n");
	tree_write(&tree, "var/lib/dpkg/status",
		   "Package: nfs-common\nStatus: install ok installed\nVersion: "
		   "1:2.3.4-2\n");
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS));
	CU_ASSERT(lines_are("[nfsd]\nrdma=20049\n"));
	done();
}

static void a_later_file_overrides(void)
{
	debian("[nfsd]\n");
	tree_write(&tree, "etc/nfs.conf.d/zz.conf", "[nfsd]\nrdma=n\n");
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
	CU_ASSERT(is_noted(true, "zz.conf:2 sets rdma=n"));
	/* An earlier file does not override. */
	tree_write(&tree, "etc/nfs.conf.d/zz.conf", "");
	tree_write(&tree, "etc/nfs.conf.d/local.conf", "[nfsd]\nrdma=n\n");
	make();
	CU_ASSERT(file_is(PATH_NFS_OURS, NFS_CONF));
	done();
}

static void a_later_file_with_the_same_value_does_not_matter(void)
{
	debian("[nfsd]\n");
	tree_write(&tree, "etc/nfs.conf.d/zz.conf", "[nfsd]\nrdma=y\n");
	make();
	CU_ASSERT(file_is(PATH_NFS_OURS, NFS_CONF));
	tree_write(&tree, "etc/nfs.conf.d/zz.conf", "[nfsd]\nrdma-port=20049\n");
	make();
	CU_ASSERT(file_is(PATH_NFS_OURS, NFS_CONF));
	request.has_port = true;
	request.port = 20050;
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
	CU_ASSERT(is_noted(true, "rdma=y and rdma-port=20050"));
	done();
}

static void a_very_old_version_has_its_own_syntax(void)
{
	debian("[nfsd]\n");
	tree_write(&tree, "var/lib/dpkg/status",
		   "Package: nfs-common\nStatus: install ok installed\nVersion: "
		   "1:2.3.4-2\n");
	tree_write(&tree, "etc/nfs.conf.d/zz.conf", "[nfsd]\nrdma=y\nrdma-port=7\n");
	request.has_port = true;
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
	CU_ASSERT(is_noted(true, "change it there to rdma=20049"));
	tree_write(&tree, "etc/nfs.conf.d/zz.conf", "[nfsd]\nrdma=20049\n");
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
	done();
}

/* Then what runs is left alone, too: a restart would lose its listener. */
static void a_server_whose_nfs_conf_is_left_to_do_is_left_alone(void)
{
	debian("[nfsd]\n");
	tree_write(&tree, "var/lib/dpkg/status",
		   "Package: nfs-common\nStatus: install ok installed\nVersion: "
		   "1:2.5.2-1\n");
	tree_write(&tree, "proc/fs/nfsd/portlist", "tcp 2049\n");
	tree_write(&tree, "proc/fs/nfsd/threads", "8\n");
	tree_write(&tree, "proc/net/tcp", "");
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	request.restart = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(lines_are("[nfsd]\nrdma=y\nrdma-port=20049\n"));
	/* They were added. */
	tree_write(&tree, "etc/nfs.conf", "[nfsd]\nrdma=y\nrdma-port=20049\n");
	make();
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_RESTART, "nfs-server.service"));
	done();
}

/* A file that setup wrote and an administrator changed belongs to the administrator. */
static void a_file_changed_since_is_left_alone(void)
{
	_cleanup_free_ char *ours = own_text(NFS_CONF, 1), *edited = NULL;

	debian("[nfsd]\n");
	if (asprintf(&edited, "%sthreads=16\n", ours) < 0)
		abort();
	tree_write(&tree, PATH_NFS_OURS, edited);
	request.has_port = true;
	request.port = 20050;
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
	CU_ASSERT(is_noted(true, "changed since setup wrote it"));
	CU_ASSERT(lines_are("[nfsd]\nrdma=y\nrdma-port=20050\n"));
	tree_write(&tree, PATH_NFS_OURS, ours);
	make();
	CU_ASSERT(file_is(PATH_NFS_OURS, "[nfsd]\nrdma=y\nrdma-port=20050\n"));
	done();
}

static void a_server_that_is_not_installed_is_reported(void)
{
	start("siw-debian12", CHECK_SERVER);
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_NFS_OURS));
	CU_ASSERT(is_noted(true, "not installed"));
	done();
}

/* --- listener -------------------------------------------------------------------- */

static void running(const char *portlist)
{
	debian("[nfsd]\nrdma=y\nrdma-port=20049\n");
	tree_write(&tree, "proc/fs/nfsd/portlist", portlist);
	tree_write(&tree, "proc/fs/nfsd/threads", "8\n");
	tree_write(&tree, "proc/net/tcp", "");
	tree_write(&tree, "proc/fs/nfsd/clients/3/info", "");
}

static void a_running_server_gets_a_listener(void)
{
	running("tcp 2049\n");
	make();
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_LISTENER, ""));
	CU_ASSERT_PTR_NULL(find(SETUP_RESTART, "nfs-server.service"));
	done();
}

static void a_server_is_restarted_on_request(void)
{
	running("tcp 2049\n");
	request.restart = true;
	make();
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_RESTART, "nfs-server.service"));
	CU_ASSERT(is_noted(false, "1 NFSv4 client is connected"));
	fake.systemd = -EHOSTDOWN;
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_RESTART, "nfs-server.service"));
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_LISTENER, ""));
	CU_ASSERT(is_noted(false, "systemd does not run here"));
	done();
}

static void a_server_that_listens_is_not_restarted(void)
{
	running("rdma 20049\nrdma 20049\ntcp 2049\n");
	request.restart = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	done();
}

/* Two listeners for one port: the second is refused, and some kernels crash. */
static void a_listener_of_others_is_not_added_twice(void)
{
	static const char drop_in[] =
		"[Service]\nExecStartPost=/bin/sh -c 'echo \"rdma 20049\" >/proc/fs/nfsd/portlist'\n";
	static const char unit[] =
		"[Service]\nExecStart=/usr/sbin/nfsdctl listener +rdma:[::]:20049\n";

	/* By a drop-in of the server, whether it runs or not. */
	debian("[nfsd]\n");
	tree_write(&tree, "etc/systemd/system/nfs-server.service", "[Service]\n");
	tree_write(&tree, "etc/systemd/system/nfs-server.service.d/rdma.conf", drop_in);
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	request.restart = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	done();
	/* By a unit that is enabled. */
	debian("[nfsd]\n");
	tree_write(&tree, "etc/systemd/system/nfs-rdma.service", unit);
	make();
	CU_ASSERT(file_is(PATH_NFS_OURS, NFS_CONF));
	tree_link(&tree, "etc/systemd/system/multi-user.target.wants/nfs-rdma.service",
		  "../nfs-rdma.service");
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(is_noted(false, "nfs-rdma.service adds the RDMA listener"));
	done();
	/* By hand, or by a script. */
	running("rdma 20049\ntcp 2049\n");
	tree_write(&tree, "etc/nfs.conf", "[nfsd]\n");
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(is_noted(true, "nfsrdma setup server --restart"));
	request.restart = true;
	make();
	CU_ASSERT(file_is(PATH_NFS_OURS, NFS_CONF));
	CU_ASSERT_PTR_NULL(find(SETUP_LISTENER, ""));
	done();
}

static void commands_that_add_a_listener_are_known(void)
{
	static const struct {
		const char *command;
		bool adds;
	} rows[] = {
		{ "/bin/sh -c 'echo rdma 20049 >/proc/fs/nfsd/portlist'", true },
		{ "nfsdctl listener +rdma:[::]:20049", true },
		{ "/usr/sbin/rpc.nfsd --rdma=20049 8", true },
		{ "/usr/sbin/rpc.nfsd 8", false },
		{ "nfsdctl autostart", false },
		{ "cat /proc/fs/nfsd/portlist", false },
		{ "/usr/sbin/modprobe rpcrdma", false },
		{ "", false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].command);
		CU_ASSERT_EQUAL(host_adds_listener(rows[i].command), rows[i].adds);
	}
}

static void a_stopped_server_is_not_started(void)
{
	debian("[nfsd]\nrdma=y\nrdma-port=20049\n");
	request.restart = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(is_noted(true, "is not running"));
	done();
}

static void a_port_in_use_gets_no_listener(void)
{
	running("tcp 2049\ntcp 20049\n");
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(is_noted(true, "\"tcp 20049\""));
	tree_write(&tree, "proc/fs/nfsd/portlist", "tcp 2049\n");
	tree_write(&tree, "proc/net/tcp", "   0: 00000000:4E51 00000000:0000 0A 0:0\n");
	request.restart = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(is_noted(true, "00000000:4E51"));
	/* The next start would have the same effect. */
	tree_write(&tree, "etc/nfs.conf", "[nfsd]\n");
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	done();
}

static void an_unknown_port_gets_no_listener(void)
{
	running("tcp 2049\n");
	make();
	CU_ASSERT(is_noted(false, "is unknown: rdma resource"));
	CU_ASSERT_EQUAL(tree_remove_all(&tree, "proc/net/tcp"), 0);
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(plan->unknown);
	done();
}

/* --- firewall -------------------------------------------------------------------- */

static const struct setup_step *find_port(bool permanent)
{
	unsigned int i;

	for (i = 0; i < plan->nsteps; i++)
		if (plan->steps[i].kind == SETUP_PORT && plan->steps[i].port.permanent == permanent)
			return &plan->steps[i];
	return NULL;
}

static void soft_roce_is_accepted_on_both_sides(void)
{
	start("rxe-ubuntu2204", CHECK_CLIENT);
	fake.firewalld = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 3);
	/* The list comes first: an undo knows of what was opened. */
	CU_ASSERT(file_is(PATH_PORTS, "public 4791/udp now\npublic 4791/udp permanent\n"));
	CU_ASSERT_STRING_EQUAL(plan->steps[0].path, PATH_PORTS);
	CU_ASSERT_PTR_NOT_NULL_FATAL(find_port(false));
	CU_ASSERT_PTR_NOT_NULL(find_port(true));
	CU_ASSERT_EQUAL(find_port(false)->port.port, 4791);
	CU_ASSERT_EQUAL(find_port(false)->port.protocol, IPPROTO_UDP);
	CU_ASSERT_STRING_EQUAL(find_port(false)->port.zone, "public");
	/* Open until the next reload. */
	fake.open[false] = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 2);
	CU_ASSERT(file_is(PATH_PORTS, "public 4791/udp permanent\n"));
	CU_ASSERT_PTR_NOT_NULL(find_port(true));
	/* A port that could not be closed again is not opened. */
	tree_write(&tree, PATH_PORTS, "theirs\n");
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(lines_are("public 4791/udp permanent\n"));
	done();
}

static void open_ports_are_left_alone(void)
{
	start("rxe-ubuntu2204", CHECK_CLIENT);
	fake.firewalld = fake.service = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	fake.service = false;
	fake.trusted = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	done();
}

static void soft_iwarp_is_accepted_on_a_server(void)
{
	debian("[nfsd]\nrdma=y\nrdma-port=20050\n");
	fake.firewalld = true;
	make();
	CU_ASSERT_PTR_NOT_NULL_FATAL(find_port(true));
	CU_ASSERT_EQUAL(find_port(true)->port.port, 20050);
	CU_ASSERT_EQUAL(find_port(true)->port.protocol, IPPROTO_TCP);
	request.roles = CHECK_CLIENT;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	done();
}

static void adapters_need_no_open_port(void)
{
	start("mlx5-roce-rhel9", CHECK_CLIENT);
	fake.firewalld = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT(is_noted(false, "4791"));
	done();
	start("mlx5-ib-rhel8", CHECK_CLIENT);
	fake.firewalld = true;
	make();
	CU_ASSERT_EQUAL(plan->nsteps + plan->nnotes, 0);
	done();
}

/* --- IPoIB, memlock -------------------------------------------------------------- */

static void a_missing_mtu_gets_a_rule(void)
{
	const struct setup_step *step;

	start("ipoib-connected-small-mtu", CHECK_CLIENT);
	make();
	step = find(SETUP_FILE, PATH_UDEV);
	CU_ASSERT_PTR_NOT_NULL_FATAL(step);
	ASSERT_CONTAINS(step->after, "ATTR{address}==\"?*00:02:c9:03:00:31:78:f2\"");
	ASSERT_CONTAINS(
		step->after,
		"RUN+=\"/bin/sh -c 'echo connected >/sys/class/net/$$1/mode; echo 65520 >/sys/class/net/$$1/mtu' sh $name\"");
	CU_ASSERT(is_noted(true, "ip link set dev ib0 mtu 65520"));
	/* NetworkManager would set it again. */
	tree_write(&tree, "etc/NetworkManager/system-connections/ib0.nmconnection",
		   "[connection]\ntype=infiniband\n");
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_UDEV));
	CU_ASSERT(is_noted(true, "NetworkManager"));
	done();
}

/* One rule for each interface; what was written before stays. */
static void a_rule_is_written_once(void)
{
	_cleanup_free_ char *text = NULL;

	start("ipoib-connected-small-mtu", CHECK_CLIENT);
	make();
	CU_ASSERT_PTR_NOT_NULL_FATAL(find(SETUP_FILE, PATH_UDEV));
	text = strdup(find(SETUP_FILE, PATH_UDEV)->after);
	tree_write(&tree, PATH_UDEV, text);
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_UDEV));
	CU_ASSERT(is_noted(true, "takes effect at the next boot"));
	done();
}

static void an_ifcfg_file_is_a_profile_too(void)
{
	static const char *const files[][2] = {
		{ "etc/sysconfig/network-scripts/ifcfg-ib0", "CONNECTED_MODE=yes\n" },
		{ "etc/sysconfig/network/ifcfg-ib0", "IPOIB_MODE='connected'\n" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		SUITE_ROW("%zu", i);
		start("ipoib-connected-small-mtu", CHECK_CLIENT);
		tree_write(&tree, files[i][0], files[i][1]);
		make();
		CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_UDEV));
		CU_ASSERT(is_noted(true, "an ifcfg file"));
		/* A file that cannot be read may set it. */
		CU_ASSERT_EQUAL(tree_remove_all(&tree, files[i][0]), 0);
		tree_fifo(&tree, files[i][0]);
		make();
		CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_UDEV));
		CU_ASSERT(is_noted(true, files[i][0]));
		CU_ASSERT(plan->unknown);
		done();
	}
}

static void an_ineffective_rule_gets_a_working_one(void)
{
	start("udev-mode-by-attr", CHECK_CLIENT);
	make();
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_FILE, PATH_UDEV));
	CU_ASSERT(is_noted(true, "2-InfiniBand.rules:1"));
	done();
	start("udev-connected-on-mlx5", CHECK_CLIENT);
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, PATH_UDEV));
	done();
}

static void memory_is_locked_only_for_the_probe(void)
{
	char want[128];

	start("siw-debian12", CHECK_CLIENT);
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	request.for_probe = true;
	make();
	snprintf(want, sizeof(want), "* - memlock %llu\n", (unsigned long long)probe_memlock_kib());
	CU_ASSERT(file_is(PATH_LIMITS, want));
	/* Eight READs of 1 MiB, and no more than double. */
	ASSERT_MORE(probe_memlock_kib(), 8192);
	ASSERT_AT_MOST(probe_memlock_kib(), 16384);
	tree_write(&tree, "etc/group", "root:x:0:\nrdma:x:100:\n");
	make();
	snprintf(want, sizeof(want), "@rdma - memlock %llu\n",
		 (unsigned long long)probe_memlock_kib());
	CU_ASSERT(file_is(PATH_LIMITS, want));
	tree_write(&tree, "etc/security/limits.conf", "@rdma hard memlock unlimited\n");
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	done();
}

static void programs_get_their_modules(void)
{
	start("uverbs-not-loaded", CHECK_CLIENT);
	make();
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	request.for_probe = true;
	make();
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_MODULE, "ib_uverbs"));
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_MODULE, "rdma_ucm"));
	done();
}

/* --- unreadable files ------------------------------------------------------------ */

static void an_unknown_step_does_not_stop_the_others(void)
{
	debian("[nfsd]\n");
	tree_fifo(&tree, "etc/modules");
	CU_ASSERT_EQUAL(tree_remove_all(&tree, "sys/module/rpcrdma"), 0);
	tree_write(&tree, RDMA_CONF, "");
	make();
	CU_ASSERT(plan->unknown);
	CU_ASSERT(is_noted(true, "etc/modules"));
	CU_ASSERT(file_is(PATH_NFS_OURS, NFS_CONF));
	done();
}

/* --- software links ---------------------------------------------------------------- */

#define UNIT_ETH0  "etc/systemd/system/nfsrdma-link-eth0.service"
#define WANTS_ETH0 "etc/systemd/system/multi-user.target.wants/nfsrdma-link-eth0.service"

/* A machine without a device, with everything that a link needs. */
static void software(const char *name, const char *type, const char *netdev)
{
	start(name, CHECK_CLIENT);
	tree_write(&tree, "usr/sbin/rdma", "");
	tree_write(&tree, "usr/lib/systemd/systemd", "");
	request.software = type;
	request.netdev = netdev;
}

static void refuse(int expected, const char *words)
{
	setup_plan_free(plan);
	plan = NULL;
	CU_ASSERT_EQUAL(setup_plan_make(&plan, &machine, &request), expected);
	ASSERT_CONTAINS(err_text(), words);
}

static void a_link_gets_its_module_and_its_unit(void)
{
	const struct setup_step *step;

	software("none-debian12", "rxe", "eth0");
	make();
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_MODULE, "rdma_rxe"));
	step = find(SETUP_FILE, PATH_MODULES);
	CU_ASSERT_PTR_NOT_NULL_FATAL(step);
	CU_ASSERT(file_is(PATH_MODULES, "rpcrdma\nrdma_rxe\n") ||
		  file_is(PATH_MODULES, "rdma_rxe\n"));
	step = find(SETUP_FILE, UNIT_ETH0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(step);
	ASSERT_CONTAINS(step->after, "\nBindsTo=sys-subsystem-net-devices-eth0.device\n");
	ASSERT_CONTAINS(step->after, "\nBefore=remote-fs-pre.target\n");
	ASSERT_CONTAINS(
		step->after,
		"ExecStart=/bin/sh -c '/usr/sbin/rdma link show | grep -q \" netdev eth0 *$$\" || exec /usr/sbin/rdma link add rxe_eth0 type rxe netdev eth0'\n");
	step = find(SETUP_SYMLINK, WANTS_ETH0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(step);
	CU_ASSERT_STRING_EQUAL(step->after, "/" UNIT_ETH0);
	/* The link itself comes when its module is loaded, and before its unit. */
	step = &plan->steps[plan->nsteps - 3];
	CU_ASSERT_EQUAL(step->kind, SETUP_LINK);
	CU_ASSERT_STRING_EQUAL(step->link.name, "rxe_eth0");
	CU_ASSERT_STRING_EQUAL(step->link.netdev, "eth0");
	/* Below a root nothing is run. */
	machine.actions = NULL;
	make();
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_FILE, UNIT_ETH0));
	CU_ASSERT_PTR_NULL(find(SETUP_LINK, ""));
	done();
}

static void the_port_of_a_link_is_opened(void)
{
	software("none-debian12", "rxe", "eth0");
	fake.firewalld = true;
	make();
	CU_ASSERT_PTR_NOT_NULL(find(SETUP_PORT, ""));
	done();
}

/* Made by hand: its name is kept, and --undo leaves it. */
static void an_existing_link_gets_only_its_unit(void)
{
	const struct setup_step *step;

	software("siw-debian12", "siw", "eth0");
	make();
	/* A unit of others that makes it is as good. */
	CU_ASSERT_EQUAL(plan->nsteps, 0);
	CU_ASSERT_EQUAL(tree_remove_all(&tree, UNIT_ETH0), 0);
	CU_ASSERT_EQUAL(tree_remove_all(&tree, WANTS_ETH0), 0);
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_LINK, ""));
	step = find(SETUP_FILE, UNIT_ETH0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(step);
	ASSERT_CONTAINS(step->after, "rdma link add siw0 type siw netdev eth0'");
	ASSERT_CONTAINS(step->after, "# Link: siw siw0 eth0 found ");
	tree_write(&tree, UNIT_ETH0, step->after);
	tree_link(&tree, WANTS_ETH0, "/" UNIT_ETH0);
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, UNIT_ETH0));
	CU_ASSERT_PTR_NULL(find(SETUP_SYMLINK, WANTS_ETH0));
	done();
}

/* A second setup finds the link of the first, under the name that udev gave it since. */
static void a_link_of_an_earlier_setup_stays_its_own(void)
{
	static const struct setup_link link = { "siw", "siw_eth0", "eth0" };
	_cleanup_free_ char *unit = link_unit(&link, "/usr/sbin/rdma",
					      &(struct link_origin){ true, 1 });
	_cleanup_free_ char *text = own_text(unit, 0);

	software("siw-debian12", "siw", "eth0");
	tree_write(&tree, UNIT_ETH0, text);
	make();
	CU_ASSERT_PTR_NULL(find(SETUP_FILE, UNIT_ETH0));
	CU_ASSERT_PTR_NULL(find(SETUP_LINK, ""));
	done();
}

static void names_are_escaped_in_the_unit(void)
{
	struct setup_link link = { "siw", "siw_br-ex.5", "br-ex.5" };
	_cleanup_free_ char *text = link_unit(&link, "/sbin/rdma",
					      &(struct link_origin){ true, 0 });

	ASSERT_CONTAINS(text, "\nBindsTo=sys-subsystem-net-devices-br\\x2dex.5.device\n");
	ASSERT_CONTAINS(text, "netdev br-ex[.]5 *$$");
	CU_ASSERT(link_is_plain("br-ex.5"));
	CU_ASSERT_FALSE(link_is_plain("a'b"));
	CU_ASSERT_FALSE(link_is_plain("a%i"));
	CU_ASSERT_FALSE(link_is_plain("a/b"));
	CU_ASSERT_FALSE(link_is_plain(""));
	CU_ASSERT_FALSE(link_is_plain("sixteen-letters-"));
}

static void an_interface_that_cannot_have_a_link_is_refused(void)
{
	software("none-debian12", "rxe", "eth1");
	refuse(-EINVAL, "no interface 'eth1' on this host; did you mean 'eth0'?");
	request.netdev = "a;b";
	refuse(-EINVAL, "'a;b' has a character");
	tree_write(&tree, "sys/class/net/lo/type", "772\n");
	tree_write(&tree, "sys/class/net/lo/mtu", "65536\n");
	tree_write(&tree, "sys/class/net/lo/ifindex", "1\n");
	request.netdev = "lo";
	refuse(-EINVAL, "'lo' is the loopback interface");
	done();
	software("mlx5-roce-rhel9", "rxe", "ens1f0np0");
	refuse(-EINVAL, "'ens1f0np0' already has the RDMA device mlx5_0");
	done();
	software("siw-debian12", "rxe", "eth0");
	refuse(-EINVAL, "'eth0' already has the RDMA device siw0");
	done();
	software("mlx5-ib-rhel8", "rxe", "ib0");
	refuse(-EINVAL, "'ib0' is not an Ethernet interface");
	done();
}

static void a_host_that_cannot_make_a_link_is_refused(void)
{
	/* Debian 12 has rdma_rxe, and no siw. */
	software("none-debian12", "siw", "eth0");
	refuse(-EOPNOTSUPP,
	       "has no module siw; it has rdma_rxe: --software rxe, on the other host too");
	request.software = "rxe";
	tree_write(&tree, "etc/modprobe.d/no.conf", "install rdma_rxe /bin/false\n");
	refuse(-EOPNOTSUPP, "/etc/modprobe.d/no.conf forbids loading rdma_rxe");
	done();
	software("no-rpcrdma-cloud-kernel", "rxe", "eth0");
	refuse(-EOPNOTSUPP, "boot linux-image-amd64, which has rdma_rxe");
	done();
	software("none-debian12", "rxe", "eth0");
	CU_ASSERT_EQUAL(tree_remove_all(&tree, "usr/sbin/rdma"), 0);
	refuse(-EOPNOTSUPP, "no command rdma on this host: install iproute2");
	tree_write(&tree, "usr/sbin/rdma", "");
	CU_ASSERT_EQUAL(tree_remove_all(&tree, "usr/lib/systemd/systemd"), 0);
	refuse(-EOPNOTSUPP, "no systemd on this host");
	done();
}

SUITE_MAIN("setup-plan", TEST(a_working_host_is_left_alone), TEST(a_listed_module_is_loaded),
	   TEST(modules_are_listed_in_an_own_file), TEST(below_a_root_nothing_is_loaded),
	   TEST(a_blacklist_stays), TEST(forbidden_steps_are_not_planned),
	   TEST(a_kernel_without_the_module_is_reported_like_the_check),
	   TEST(missing_modules_of_a_driver_are_loaded), TEST(without_a_device_nothing_is_set_up),
	   TEST(a_server_that_cannot_load_rpcrdma_is_not_configured),
	   TEST(an_unknown_module_is_reported_like_the_check),
	   TEST(an_unusable_device_counts_as_none), TEST(the_server_is_configured_in_a_drop_in),
	   TEST(a_configured_server_is_left_alone), TEST(a_port_of_the_configuration_is_kept),
	   TEST(old_versions_have_one_file), TEST(very_old_versions_have_only_the_port),
	   TEST(a_later_file_overrides), TEST(a_later_file_with_the_same_value_does_not_matter),
	   TEST(a_very_old_version_has_its_own_syntax),
	   TEST(a_server_whose_nfs_conf_is_left_to_do_is_left_alone),
	   TEST(a_file_changed_since_is_left_alone),
	   TEST(a_server_that_is_not_installed_is_reported), TEST(a_running_server_gets_a_listener),
	   TEST(a_server_is_restarted_on_request), TEST(a_server_that_listens_is_not_restarted),
	   TEST(a_listener_of_others_is_not_added_twice),
	   TEST(commands_that_add_a_listener_are_known), TEST(a_stopped_server_is_not_started),
	   TEST(a_port_in_use_gets_no_listener), TEST(an_unknown_port_gets_no_listener),
	   TEST(soft_roce_is_accepted_on_both_sides), TEST(open_ports_are_left_alone),
	   TEST(soft_iwarp_is_accepted_on_a_server), TEST(adapters_need_no_open_port),
	   TEST(a_missing_mtu_gets_a_rule), TEST(a_rule_is_written_once),
	   TEST(an_ifcfg_file_is_a_profile_too), TEST(an_ineffective_rule_gets_a_working_one),
	   TEST(memory_is_locked_only_for_the_probe), TEST(programs_get_their_modules),
	   TEST(an_unknown_step_does_not_stop_the_others),
	   TEST(a_link_gets_its_module_and_its_unit), TEST(the_port_of_a_link_is_opened),
	   TEST(an_existing_link_gets_only_its_unit),
	   TEST(a_link_of_an_earlier_setup_stays_its_own), TEST(names_are_escaped_in_the_unit),
	   TEST(an_interface_that_cannot_have_a_link_is_refused),
	   TEST(a_host_that_cannot_make_a_link_is_refused))
