/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Both planned files: written only if they have the intended effect by mount.nfs's rules, and
 * change nothing else. */
#include "plugin/ovirt/ovirt.h"
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct ovirt_change change;
static struct ovirt_domain domains[4];
static struct ovirt_change_request request;

static void fresh(enum nfs_utils_sections sections)
{
	tree_new(&tree);
	request = (struct ovirt_change_request){ .host = tree.host,
						 .domains = domains,
						 .port = 20049,
						 .sections = sections,
						 .nfs_utils = "nfs-utils 2.6.2",
						 .drop_ins = DROP_INS_READ };
	memset(&change, 0, sizeof(change));
}

static void ask_for(const char *spec)
{
	CU_ASSERT_EQUAL_FATAL(ovirt_domain(spec, NULL, &domains[request.ndomains++]), 0);
}

static int make(void)
{
	return ovirt_change_make(&request, &change);
}

static void done(void)
{
	ovirt_change_fini(&change);
	tree_free(&tree);
}

/* Makes the planned text the current text. */
static void settle(char *before[2])
{
	size_t i;

	for (i = 0; i < 2; i++) {
		free(before[i]);
		before[i] = take_ptr(change.after[i]);
		change.before[i] = before[i];
	}
	if (before[0])
		tree_write(&tree, OVIRT_NFSMOUNT_PATH, before[0]);
	change.note[0] = '\0';
	request.ndomains = 0;
}

static void one_domain_has_a_section_for_its_directory(void)
{
	fresh(NFS_UTILS_LOSES);
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), 0);
	ASSERT_CONTAINS(change.after[0], "[ MountPoint \"");
	ASSERT_CONTAINS(change.after[1], "[directory /rhev/");
	CU_ASSERT_STRING_EQUAL(change.note, "");
	done();
}

static void domains_have_one_section_each_where_all_are_kept(void)
{
	char *before[2] = { NULL, NULL };

	fresh(NFS_UTILS_KEEPS);
	ask_for("nas1:/vm");
	ask_for("nas2:/vm");
	CU_ASSERT_EQUAL(make(), 0);
	settle(before);
	ask_for("nas1:/iso");
	CU_ASSERT_EQUAL(make(), 0);
	ASSERT_CONTAINS(change.after[0], "nas1:_vm\" ]");
	ASSERT_CONTAINS(change.after[0], "nas2:_vm\" ]");
	ASSERT_CONTAINS(change.after[0], "nas1:_iso\" ]");
	settle(before);
	ask_for("nas1:/iso");
	CU_ASSERT_EQUAL(make(), 0);
	CU_ASSERT_STRING_EQUAL(change.after[0], change.before[0]);
	CU_ASSERT_STRING_EQUAL(change.after[1], change.before[1]);
	free(before[0]);
	free(before[1]);
	done();
}

/* Two sections of a kind, of which this nfs-utils keeps only the last. */
static void domains_of_a_server_share_a_section_where_only_one_is_kept(void)
{
	fresh(NFS_UTILS_LOSES);
	ask_for("nas1:/vm");
	ask_for("nas1:/iso");
	CU_ASSERT_EQUAL(make(), 0);
	CU_ASSERT_EQUAL(change.form, OVIRT_BY_SERVER);
	ASSERT_LACKS(change.after[0], "MountPoint");
	ASSERT_CONTAINS(change.after[0], "[ Server \"nas1\" ]");
	ASSERT_CONTAINS(change.note, "whatever else this host mounts from nas1");
	done();
}

static void two_servers_are_refused_where_only_one_section_is_kept(void)
{
	static const enum nfs_utils_sections bad[] = { NFS_UTILS_LOSES, NFS_UTILS_MAY_LOSE,
						       NFS_UTILS_UNKNOWN };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu", i);
		fresh(bad[i]);
		ask_for("nas1:/vm");
		ask_for("nas2:/vm");
		CU_ASSERT_EQUAL(make(), -EPERM);
		ASSERT_CONTAINS(err_text(), "both /" OVIRT_NFSMOUNT_PATH
					    ":5 and /" OVIRT_NFSMOUNT_PATH ":8 set proto");
		ASSERT_CONTAINS(err_text(), "repaired in nfs-utils 2.8.3");
		ASSERT_CONTAINS(err_text(), "nfsrdma ovirt options");
		ASSERT_CONTAINS(err_text(), i ? "may keep a key" : "keeps a key");
		CU_ASSERT_PTR_NULL(change.after[0]);
		done();
	}
}

static void a_section_in_another_file_counts_too(void)
{
	fresh(NFS_UTILS_LOSES);
	tree_write(&tree, "etc/nfsmount.conf",
		   "[ MountPoint \"/srv\" ]\nproto=rdma\n[ Server \"nas9\" ]\nport=1\n");
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), -EPERM);
	ASSERT_CONTAINS(err_text(),
			"both /etc/nfsmount.conf:2 and /" OVIRT_NFSMOUNT_PATH ":4 set proto");
	done();
	/* It is read after ours and overrides it. */
	fresh(NFS_UTILS_LOSES);
	tree_write(&tree, "etc/nfsmount.conf.d/99-last.conf",
		   "[ MountPoint \"/srv\" ]\nport=2049\n[ Server \"nas9\" ]\nport=1\n");
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), -EPERM);
	ASSERT_CONTAINS(err_text(), "99-last.conf:2 set port");
	done();
	/* Of another kind, or with another key. */
	fresh(NFS_UTILS_LOSES);
	tree_write(&tree, "etc/nfsmount.conf",
		   "[ MountPoint \"/srv\" ]\nrsize=4096\n[ Server \"nas9\" ]\nproto=rdma\n");
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), 0);
	CU_ASSERT_EQUAL(change.form, OVIRT_BY_DIRECTORY);
	done();
}

static void the_overriding_setting_is_named(void)
{
	static const struct {
		const char *conf, *words;
	} rows[] = {
		{ "[ NFSMount_Global_Options ]\ntcp=true\n",
		  "/etc/nfsmount.conf:2 has tcp=true, which applies last" },
		{ "[ Server \"nas1\" ]\nUDP=yes\n", "has udp=yes" },
		{ "[ MountPoint \"/rhev/data-center/mnt/nas1:_vm\" ]\n\n", NULL },
		{ "[ NFSMount_Global_Options ]\nProto=tcp\nPort=2049\n", NULL },
		{ "[ Server \"nas1\" ]\nProto=tcp\n", NULL },
		{ "[ Server \"nas2\" ]\ntcp=true\n", NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].conf);
		fresh(NFS_UTILS_KEEPS);
		tree_write(&tree, "etc/nfsmount.conf", rows[i].conf);
		ask_for("nas1:/vm");
		CU_ASSERT_EQUAL(make(), rows[i].words ? -EPERM : 0);
		if (rows[i].words)
			ASSERT_CONTAINS(err_text(), rows[i].words);
		done();
	}
	/* The same section, later. */
	fresh(NFS_UTILS_KEEPS);
	tree_write(&tree, "etc/nfsmount.conf.d/95-x.conf",
		   "[ MountPoint \"/RHEV/data-center/mnt/nas1:_vm\" ]\nproto=tcp\n");
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), -EPERM);
	ASSERT_CONTAINS(err_text(), "95-x.conf:2 says proto=tcp for it");
	done();
}

/* The command line has precedence; and older versions look for "proto=" in "mountproto=". */
static void conflicting_engine_options_are_refused(void)
{
	static const char *const options[] = { "proto=tcp", "port=20049", "mountproto=tcp",
					       "rw,mountport=20048" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		SUITE_ROW("%zu: %s", i, options[i]);
		fresh(NFS_UTILS_KEEPS);
		request.options = options[i];
		ask_for("nas1:/vm");
		CU_ASSERT_EQUAL(make(), -EPERM);
		ASSERT_CONTAINS(err_text(), "the engine's options have");
		done();
	}
	fresh(NFS_UTILS_KEEPS);
	request.options = "nconnect=4,hard";
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), 0);
	done();
}

/* They belong to the named domains, not to existing ones. */
static void engine_options_apply_to_the_named_domains(void)
{
	char *before[2] = { NULL, NULL };

	fresh(NFS_UTILS_KEEPS);
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), 0);
	settle(before);
	request.options = "port=20049";
	ask_for("nas1:/vm2");
	CU_ASSERT_EQUAL(make(), -EPERM);
	ASSERT_CONTAINS(err_text(), "nas1:/vm2 would not be over RDMA");
	ASSERT_LACKS(err_text(), "nas1:/vm would");
	free(before[0]);
	free(before[1]);
	done();
}

/* Custom options help against lost sections only. */
static void custom_options_are_advised_only_for_lost_sections(void)
{
	char *before[2] = { NULL, NULL };

	fresh(NFS_UTILS_LOSES);
	tree_write(&tree, "etc/nfsmount.conf", "[ NFSMount_Global_Options ]\ntcp=true\n");
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), -EPERM);
	ASSERT_CONTAINS(err_text(), "has tcp=true");
	ASSERT_LACKS(err_text(), "type the options");
	done();
	fresh(NFS_UTILS_LOSES);
	request.options = "proto=tcp";
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), -EPERM);
	ASSERT_CONTAINS(err_text(), "the engine's options");
	ASSERT_LACKS(err_text(), "type the options");
	done();
	/* Of one server, with another port. */
	fresh(NFS_UTILS_LOSES);
	request.port = 20050;
	ask_for("nas1:/a");
	ask_for("nas1:/b");
	CU_ASSERT_EQUAL(make(), 0);
	settle(before);
	request.port = 20049;
	ask_for("nas1:/a");
	CU_ASSERT_EQUAL(make(), -EPERM);
	ASSERT_CONTAINS(err_text(),
			"nas1:/a has proto=rdma,port=20049 and nas1:/b proto=rdma,port=20050");
	ASSERT_CONTAINS(err_text(), "with one --port");
	ASSERT_LACKS(err_text(), "type the options");
	free(before[0]);
	free(before[1]);
	done();
	/* The finding names the cause, not the section that replaces the lost one. */
	fresh(NFS_UTILS_LOSES);
	tree_write(&tree, "etc/nfsmount.conf", "[ NFSMount_Global_Options ]\nProto=tcp\n");
	ask_for("nas1:/vm");
	ask_for("nas2:/vm");
	CU_ASSERT_EQUAL(make(), -EPERM);
	ASSERT_CONTAINS(err_text(), ":8 set proto");
	ASSERT_CONTAINS(err_text(), "type the options");
	done();
}

static void a_flag_that_overrides_custom_options_is_found(void)
{
	static const struct {
		const char *conf, *words;
	} rows[] = {
		{ "[ NFSMount_Global_Options ]\ntcp=true\n", "/etc/nfsmount.conf:2 has tcp=true" },
		{ "[ Server \"nas1\" ]\nUDP=yes\n", "has udp=yes" },
		{ "[ MountPoint \"/rhev/data-center/mnt/nas1:_vm\" ]\ntcp=true\n", "has tcp=true" },
		{ "[ Server \"nas2\" ]\ntcp=true\n", NULL },
		{ "[ NFSMount_Global_Options ]\nProto=tcp\ntcp=false\n", NULL },
	};
	char why[OVIRT_WHY_MAX];
	struct opts *opts;
	struct conf *conf;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].conf);
		fresh(NFS_UTILS_KEEPS);
		tree_write(&tree, "etc/nfsmount.conf", rows[i].conf);
		ask_for("nas1:/vm");
		CU_ASSERT_EQUAL_FATAL(conf_open(&conf, tree.host, "etc/nfsmount.conf"), 0);
		CU_ASSERT_EQUAL_FATAL(opts_parse(&opts, "proto=rdma,port=20049"), 0);
		CU_ASSERT_EQUAL(ovirt_effect_flag(conf, domains[0].spec, domains[0].dir, opts, why),
				rows[i].words != NULL);
		CU_ASSERT(!rows[i].words || strstr(why, rows[i].words));
		opts_free(opts);
		conf_close(conf);
		done();
	}
}

static void nfs_utils_without_drop_ins_is_reported(void)
{
	fresh(NFS_UTILS_KEEPS);
	request.drop_ins = DROP_INS_IGNORED;
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), -EPERM);
	ASSERT_CONTAINS(err_text(), "reads no nfsmount.conf.d");
	request.drop_ins = DROP_INS_UNKNOWN;
	CU_ASSERT_EQUAL(make(), -EPERM);
	ASSERT_CONTAINS(err_text(), "is not known, and nfsmount.conf.d is read from 2.5.3");
	request.guard_only = true;
	CU_ASSERT_EQUAL(make(), 0);
	CU_ASSERT_PTR_NULL(change.after[0]);
	CU_ASSERT_PTR_NOT_NULL(change.after[1]);
	done();
}

static void ipv6_addresses_are_for_the_policy_only(void)
{
	fresh(NFS_UTILS_KEEPS);
	ask_for("[2001:db8::1]:/vm");
	CU_ASSERT_EQUAL(make(), -EINVAL);
	ASSERT_CONTAINS(err_text(), "Give the server a name");
	request.guard_only = true;
	CU_ASSERT_EQUAL(make(), 0);
	done();
}

static void removal_needs_no_permission(void)
{
	char *before[2] = { NULL, NULL };

	fresh(NFS_UTILS_KEEPS);
	ask_for("nas1:/vm");
	ask_for("nas2:/vm");
	CU_ASSERT_EQUAL(make(), 0);
	settle(before);
	request.sections = NFS_UTILS_LOSES;
	request.drop_ins = DROP_INS_IGNORED;
	request.remove = true;
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), 0);
	ASSERT_LACKS(change.after[0], "nas1");
	ASSERT_LACKS(change.after[1], "nas1");
	ASSERT_CONTAINS(change.after[1], "nas2");
	settle(before);
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), -ENOENT);
	request.ndomains = 0;
	CU_ASSERT_EQUAL(make(), 0);
	CU_ASSERT_FALSE(change.after[0]);
	CU_ASSERT_FALSE(change.after[1]);
	free(before[0]);
	free(before[1]);
	done();
}

static void a_changed_file_is_left_alone(void)
{
	fresh(NFS_UTILS_KEEPS);
	change.before[1] = "# BEGIN nfsrdma ovirt policy\n";
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), -EBADMSG);
	ASSERT_CONTAINS(err_text(), "/etc/nfsrdma.conf.d/90-nfsrdma-ovirt.conf: it is not as");
	done();
}

static void an_overriding_policy_is_reported(void)
{
	char text[OVIRT_TEXT_MAX];

	fresh(NFS_UTILS_KEEPS);
	tree_write(&tree, "etc/nfsrdma.conf", "[server nas1]\npolicy = off\n");
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), 0);
	tree_write(&tree, OVIRT_GUARD_PATH, change.after[1]);
	CU_ASSERT_EQUAL(ovirt_change_overruled(&request, text), 0);
	CU_ASSERT_STRING_EQUAL(text, "");
	tree_write(&tree, "etc/nfsrdma.conf.d/95-site.conf",
		   "[directory /rhev/data-center/mnt/nas1:_vm]\npolicy = prefer\n");
	CU_ASSERT_EQUAL(ovirt_change_overruled(&request, text), 0);
	ASSERT_CONTAINS(text, "/etc/nfsrdma.conf.d/95-site.conf:2 has policy = prefer");
	done();
}

static void a_broken_policy_must_be_fixed_first(void)
{
	fresh(NFS_UTILS_KEEPS);
	tree_write(&tree, "etc/nfsrdma.conf", "[directory /rhev\n");
	ask_for("nas1:/vm");
	CU_ASSERT_EQUAL(make(), -ENODATA);
	ASSERT_CONTAINS(err_text(), "/etc/nfsrdma.conf:1");
	done();
}

SUITE_MAIN("ovirt-change", TEST(one_domain_has_a_section_for_its_directory),
	   TEST(domains_have_one_section_each_where_all_are_kept),
	   TEST(domains_of_a_server_share_a_section_where_only_one_is_kept),
	   TEST(two_servers_are_refused_where_only_one_section_is_kept),
	   TEST(a_section_in_another_file_counts_too), TEST(the_overriding_setting_is_named),
	   TEST(conflicting_engine_options_are_refused),
	   TEST(engine_options_apply_to_the_named_domains),
	   TEST(custom_options_are_advised_only_for_lost_sections),
	   TEST(a_flag_that_overrides_custom_options_is_found),
	   TEST(nfs_utils_without_drop_ins_is_reported),
	   TEST(ipv6_addresses_are_for_the_policy_only), TEST(removal_needs_no_permission),
	   TEST(a_changed_file_is_left_alone), TEST(an_overriding_policy_is_reported),
	   TEST(a_broken_policy_must_be_fixed_first))
