/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma.conf: which section applies, and that no line of a file is ignored. What a policy does
 * to options is in tests/options/policy.txt. */
#include "plugin/options/options.h"
#include "tests/unit/host-tree.h"

static int add(struct policies *policies, const char *file, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);

	return policy_add(policies, file, copy);
}

static struct policies *parse(const char *text)
{
	struct policies *policies = NULL;

	if (policy_new(&policies) || add(policies, "f", text)) {
		fprintf(stderr, "%s\n", err_text());
		abort();
	}
	return policies;
}

static void get(const struct policies *policies, const char *text, const char *dir,
		struct policy *out)
{
	struct spec spec;

	if (spec_parse(text, &spec))
		abort();
	policy_get(policies, &spec, dir, out);
}

/* The line of the section whose policy applies, or 0. */
static unsigned int line_for(const struct policies *policies, const char *spec, const char *dir)
{
	struct policy policy;

	get(policies, spec, dir, &policy);
	return strncmp(policy.mode_from, "f:", 2) ? 0 : (unsigned int)atoi(policy.mode_from + 2);
}

static void the_default_is_the_strictest(void)
{
	struct policy policy;

	get(NULL, "nas1:/x", "/mnt", &policy);
	CU_ASSERT_EQUAL(policy.mode, POLICY_REQUIRE);
	CU_ASSERT_EQUAL(policy.check, POLICY_CHECK_CONNECT);
	CU_ASSERT_EQUAL(policy.on_unknown, POLICY_UNKNOWN_ALLOW);
	CU_ASSERT_EQUAL(policy.deadline_ms, 10000);
	CU_ASSERT_PTR_NULL(policy.options);
	CU_ASSERT_STRING_EQUAL(policy.deadline_from, "built in");
	CU_ASSERT_STRING_EQUAL(policy.options_v3_from, "built in");
}

static void every_key_is_read(void)
{
	_cleanup_(policy_free_p) struct policies *policies = parse(
		"# words\n; words\n\n[default]\npolicy = prefer\r\n"
		"check=read\n\tdeadline\t=  7 \non-unknown = refuse\n"
		"options = soft, timeo=100\noptions-v3 =");
	struct policy policy;

	get(policies, "nas1:/x", NULL, &policy);
	CU_ASSERT_EQUAL(policy.mode, POLICY_PREFER);
	CU_ASSERT_EQUAL(policy.check, POLICY_CHECK_READ);
	CU_ASSERT_EQUAL(policy.deadline_ms, 7000);
	CU_ASSERT_EQUAL(policy.on_unknown, POLICY_UNKNOWN_REFUSE);
	CU_ASSERT_STRING_EQUAL(policy.options, "soft, timeo=100");
	CU_ASSERT_STRING_EQUAL(policy.options_v3, "");
	CU_ASSERT_STRING_EQUAL(policy.mode_from, "f:5");
	CU_ASSERT_STRING_EQUAL(policy.options_v3_from, "f:10");
}

static void the_most_specific_section_applies(void)
{
	/* The lines are odd: 2, 4, ... */
	_cleanup_(policy_free_p) struct policies *policies = parse(
		"[directory /srv/*]\npolicy=off\n"
		"[directory /srv/vm]\npolicy=off\n"
		"[export nas1:/export/*]\npolicy=off\n"
		"[export nas1:/export/vm]\npolicy=off\n"
		"[export *:/export/vm]\npolicy=off\n"
		"[server nas1]\npolicy=off\n"
		"[server nas*]\npolicy=off\n"
		"[default]\npolicy=off\n");

	CU_ASSERT_EQUAL(line_for(policies, "nas1:/export/vm", "/srv/vm"), 4);
	CU_ASSERT_EQUAL(line_for(policies, "nas1:/export/vm", "/srv/iso"), 2);
	CU_ASSERT_EQUAL(line_for(policies, "nas1:/export/vm", "/srv/iso/deep"), 8);
	CU_ASSERT_EQUAL(line_for(policies, "nas1:/export/vm", NULL), 8);
	CU_ASSERT_EQUAL(line_for(policies, "nas1:/export/iso", "/mnt"), 6);
	CU_ASSERT_EQUAL(line_for(policies, "nas2:/export/vm", "/mnt"), 10);
	CU_ASSERT_EQUAL(line_for(policies, "nas1:/export", "/mnt"), 12);
	CU_ASSERT_EQUAL(line_for(policies, "NAS1:/", NULL), 12);
	CU_ASSERT_EQUAL(line_for(policies, "nas12:/", NULL), 14);
	CU_ASSERT_EQUAL(line_for(policies, "other:/export/vmx", NULL), 16);
}

static void of_equal_sections_the_last_applies(void)
{
	_cleanup_(policy_free_p) struct policies *policies =
		parse("[server nas1]\npolicy=off\n[server nas1]\npolicy=prefer\n");
	struct policy policy;

	CU_ASSERT_EQUAL(line_for(policies, "nas1:/", NULL), 4);
	CU_ASSERT_EQUAL(add(policies, "g", "[server nas1]\ncheck = none\n"), 0);
	get(policies, "nas1:/", NULL, &policy);
	CU_ASSERT_EQUAL(policy.mode, POLICY_PREFER);
	CU_ASSERT_EQUAL(policy.check, POLICY_CHECK_NONE);
	CU_ASSERT_STRING_EQUAL(policy.check_from, "g:2");
}

static void equal_addresses_and_paths_match(void)
{
	_cleanup_(policy_free_p) struct policies *policies = parse(
		"[server 2001:DB8:0::10]\npolicy=off\n"
		"[export [2001:db8::11]:/vm/]\npolicy=off\n"
		"[server [2001:db8::12]]\npolicy=off\n"
		"[directory /srv//vm/]\npolicy=off\n"
		"[server nas[12].example.com]\npolicy=off\n"
		"[directory /]\npolicy=off\n");

	CU_ASSERT_EQUAL(line_for(policies, "[2001:db8::10]:/x", NULL), 2);
	CU_ASSERT_EQUAL(line_for(policies, "[2001:db8:0:0::11]:/vm", NULL), 4);
	CU_ASSERT_EQUAL(line_for(policies, "[2001:db8::11]://vm//", NULL), 4);
	CU_ASSERT_EQUAL(line_for(policies, "[2001:db8::11]:/vm/x", NULL), 0);
	CU_ASSERT_EQUAL(line_for(policies, "[2001:db8::12]:/", NULL), 6);
	CU_ASSERT_EQUAL(line_for(policies, "nas:/", "/srv/vm///"), 8);
	CU_ASSERT_EQUAL(line_for(policies, "nas2.example.com:/", NULL), 10);
	CU_ASSERT_EQUAL(line_for(policies, "nas3.example.com:/", "/"), 12);
}

static void invalid_lines_are_errors_with_their_number(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "policy = off\n", "f:1: 'policy' is before the first section" },
		{ "\n\n[default\npolicy=off\n", "f:3: a section ends with ']'" },
		{ "[default]\npolicy off\n", "f:2: 'policy off' is neither a section" },
		{ "[default]\npolicy =\n", "f:2: policy =: takes require, prefer or off" },
		{ "[default]\npolicy = Off\n", "f:2: policy =: takes" },
		{ "[default]\npolicy = off # words\n", "not 'off # words'" },
		{ "[default]\npolcy = off\n", "f:2: a key is policy, check, deadline" },
		{ "[default]\nPolicy = off\n", "f:2: a key is" },
		{ "[default]\n= off\n", "f:2: a key is" },
		{ "[default]\ncheck = deep\n", "f:2: check =: takes none, fast" },
		{ "[default]\ndeadline = 0\n", "f:2: deadline =: takes seconds from 1" },
		{ "[default]\non-unknown = no\n", "f:2: on-unknown =: takes allow or refuse" },
		{ "[default]\npolicy=off\npolicy=off\n", "f:3: 'policy' is already set in line 2" },
		{ "[default]\noptions = rdma,tcp\n", "f:2: options =: 'rdma' and 'tcp'" },
		{ "[default]\noptions = tcp\n", "for plain NFS set policy = off" },
		{ "[default]\noptions = timeo=0\n", "f:2: options =: timeo= takes" },
		{ "[default]\noptions = foo=\"a\n", "a quote is not closed" },
		{ "[default]\noptions = nfsrdma.policy=off\n", "in this file use policy =" },
		{ "[default]\noptions = nfsrdma.foo=off\n", "the nfsrdma.* options are" },
		{ "[default]\noptions-v3 = remount\n", "f:2: options-v3 =: 'remount'" },
		{ "[default]\noptions = vers=3,vers=4\n", "a mount has one version" },
		{ "[default nas1]\n", "f:1: [default] takes no argument" },
		{ "[]\n", "f:1: a section is default, server, export or directory" },
		{ "[hosts nas1]\n", "f:1: a section is" },
		{ "[Default]\n", "f:1: a section is" },
		{ "[server]\n", "f:1: the section has no argument" },
		{ "[server nas1:/export]\n", "for a path use [export ...]" },
		{ "[export nas1]\n", "expected SERVER:/PATH" },
		{ "[export :/x]\n", "f:1: the section has no argument" },
		{ "[directory mnt]\n", "f:1: 'mnt' does not begin with a slash" },
		{ "[directory]\n", "does not begin with a slash" },
		{ "[directory /*/*/*/*/*/*/*/*/*]\n", "512 bytes and 8 stars" },
		{ "[default]\n\x01\n", "f:2: control character (0x01)" },
		{ "[default]\npolicy = off\x1b[m\n", "f:2: control character" },
		{ "]\n", "f:1: ']' is neither a section" },
		{ "[\n", "f:1: a section ends with ']'" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].text);
		_cleanup_(policy_free_p) struct policies *policies = NULL;
		int rc = policy_new(&policies);

		rc = rc ? rc : add(policies, "f", rows[i].text);
		CU_ASSERT_EQUAL(rc, -EINVAL);
		if (rc)
			ASSERT_CONTAINS(err_text(), rows[i].error);
	}
}

static void lines_and_patterns_have_a_maximum_length(void)
{
	char text[9000], dir[600];
	struct policies *policies = NULL;

	CU_ASSERT_EQUAL_FATAL(policy_new(&policies), 0);
	memset(text, '#', sizeof(text));
	text[8192] = '\0';
	CU_ASSERT_EQUAL(add(policies, "f", text), 0);
	text[8192] = '#';
	text[8193] = '\0';
	CU_ASSERT_EQUAL(add(policies, "f", text), -EINVAL);
	memset(dir, 'a', sizeof(dir));
	dir[512] = '\0';
	dir[0] = '/';
	snprintf(text, sizeof(text), "[directory %s]\n", dir);
	CU_ASSERT_EQUAL(add(policies, "f", text), 0);
	snprintf(text, sizeof(text), "[directory %sa]\n", dir);
	CU_ASSERT_EQUAL(add(policies, "f", text), -EINVAL);
	policy_free(policies);
}

static void sections_have_a_maximum_number(void)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	char text[] = "[default]\n";
	unsigned int i;
	int rc = policy_new(&policies);

	for (i = 0; i < 1024 && !rc; i++)
		rc = add(policies, "f", text);
	CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT_EQUAL(add(policies, "f", text), -EFBIG);
}

/* Wildcards cost time: the worst allowed pattern still ends soon. */
static void patterns_match_in_bounded_time(void)
{
	_cleanup_(policy_free_p) struct policies *policies =
		parse("[export nas1:/*a*a*a*a*a*a*a*b]\npolicy=off\n");
	char text[SPEC_PATH_MAX + 8] = "nas1:/";
	uint64_t start = now_ms();

	memset(text + 6, 'a', SPEC_PATH_MAX - 1);
	CU_ASSERT_EQUAL(line_for(policies, text, NULL), 0);
	ASSERT_WITHIN_MS(now_ms() - start, 2000);
}

/* Files */

static void without_files_the_default_applies(void)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	struct policy policy;
	struct tree tree;

	tree_new(&tree);
	CU_ASSERT_EQUAL_FATAL(policy_open(&policies, tree.host), 0);
	get(policies, "nas1:/x", NULL, &policy);
	CU_ASSERT_STRING_EQUAL(policy.mode_from, "built in");
	tree_free(&tree);
}

static void the_file_is_read_before_its_folder(void)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	struct policy policy;
	struct tree tree;

	tree_new(&tree);
	tree_write(&tree, "etc/nfsrdma.conf", "[default]\npolicy=off\ncheck=none\ndeadline=1");
	tree_write(&tree, "etc/nfsrdma.conf.d/10-a.conf",
		   "[default]\npolicy=prefer\ncheck=connect\n");
	tree_write(&tree, "etc/nfsrdma.conf.d/9-a.conf", "[default]\npolicy=require\ncheck=read\n");
	tree_write(&tree, "etc/nfsrdma.conf.d/20.conf~", "rubbish\n");
	tree_write(&tree, "etc/nfsrdma.conf.d/.hidden.conf", "rubbish\n");
	tree_write(&tree, "etc/nfsrdma.conf.d/README", "rubbish\n");
	CU_ASSERT_EQUAL_FATAL(policy_open(&policies, tree.host), 0);
	get(policies, "nas1:/x", NULL, &policy);
	CU_ASSERT_EQUAL(policy.mode, POLICY_PREFER);
	CU_ASSERT_STRING_EQUAL(policy.mode_from, "/etc/nfsrdma.conf.d/10-a.conf:2");
	CU_ASSERT_EQUAL(policy.check, POLICY_CHECK_CONNECT);
	CU_ASSERT_STRING_EQUAL(policy.deadline_from, "/etc/nfsrdma.conf:4");
	tree_free(&tree);
}

static void assert_broken(const struct tree *tree, const char *error)
{
	struct policies *policies = NULL;
	int rc = policy_open(&policies, tree->host);

	ASSERT_LESS(rc, 0);
	CU_ASSERT_PTR_NULL(policies);
	ASSERT_CONTAINS(err_text(), error);
	policy_free(policies);
}

static void a_damaged_file_is_an_error_and_no_policy(void)
{
	struct tree tree;

	tree_new(&tree);
	tree_write(&tree, "etc/nfsrdma.conf", "[default]\npolicy = off\n");
	tree_write(&tree, "etc/nfsrdma.conf.d/a.conf", "[server nas1]\npolicy = none\n");
	assert_broken(&tree, "/etc/nfsrdma.conf.d/a.conf:2: policy =: takes require");
	tree_link(&tree, "etc/nfsrdma.conf.d/a.conf", "nowhere");
	assert_broken(&tree, "/etc/nfsrdma.conf.d/a.conf is a dangling link");
	tree_bytes(&tree, "etc/nfsrdma.conf.d/a.conf", "[default]\n\0\n", 12);
	assert_broken(&tree, "is not a text");
	tree_fifo(&tree, "etc/nfsrdma.conf.d/a.conf");
	assert_broken(&tree, "is not a regular file");
	tree_link(&tree, "etc/nfsrdma.conf.d/a.conf", "/etc/nfsrdma.conf.d");
	assert_broken(&tree, "is not a regular file");
	tree_link(&tree, "etc/nfsrdma.conf.d/a.conf", "/dev/null");
	tree_link(&tree, "etc/nfsrdma.conf", "loop");
	tree_link(&tree, "etc/loop", "nfsrdma.conf");
	assert_broken(&tree, "etc/nfsrdma.conf");
	tree_free(&tree);
}

/* /srv is a link; the target of /gone is unknown. */
static bool follow(void *arg, const char *path, char out[PATH_MAX])
{
	unsigned int *asked = arg;

	(*asked)++;
	if (!strncmp(path, "/srv/", 5))
		snprintf(out, PATH_MAX, "/data/[%s]*", path + 5);
	else
		snprintf(out, PATH_MAX, "%s", path);
	return strcmp(path, "/gone") != 0;
}

static void directories_without_wildcards_are_followed(void)
{
	_cleanup_(policy_free_p) struct policies *policies = parse(
		"[directory /srv/vm]\npolicy=off\n"
		"[directory /srv/*]\npolicy=off\n"
		"[directory /gone]\npolicy=off\n"
		"[directory /mnt]\npolicy=off\n"
		"[export nas1:/srv/vm]\npolicy=off\n");
	unsigned int asked = 0;

	CU_ASSERT_EQUAL(policy_follow(policies, follow, &asked), 0);
	CU_ASSERT_EQUAL(asked, 3);
	/* The resolved path is not a pattern. */
	CU_ASSERT_EQUAL(line_for(policies, "nas:/", "/data/[vm]*"), 2);
	CU_ASSERT_EQUAL(line_for(policies, "nas:/", "/data/vm"), 0);
	CU_ASSERT_EQUAL(line_for(policies, "nas:/", "/srv/vm"), 4);
	CU_ASSERT_EQUAL(line_for(policies, "nas:/", "/gone"), 6);
	CU_ASSERT_EQUAL(line_for(policies, "nas:/", "/mnt"), 8);
	CU_ASSERT_EQUAL(line_for(policies, "nas1:/srv/vm", "/x"), 10);
}

static void sections_that_request_rdma_are_found(void)
{
	static const struct {
		const char *text;
		bool asks;
	} rows[] = {
		{ "", false },
		{ "[default]\npolicy = require\n", true },
		{ "[default]\npolicy = off\n", false },
		{ "[server nas]\noptions = soft\n", false },
		{ "[directory /a]\npolicy = off\n", false },
		{ "[directory /a]\npolicy = off\n[server nas]\npolicy = prefer\n", true },
		{ "[export nas:/vm]\npolicy = require\n", true },
	};
	struct policies *policies;
	char text[128];
	size_t i;

	CU_ASSERT_FALSE(policy_requests_rdma(NULL));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].text);
		CU_ASSERT_EQUAL_FATAL(policy_new(&policies), 0);
		strcpy(text, rows[i].text);
		CU_ASSERT_EQUAL(policy_add(policies, "f", text), 0);
		CU_ASSERT_EQUAL(policy_requests_rdma(policies), rows[i].asks);
		policy_free(policies);
	}
}

static void files_have_a_maximum_size(void)
{
	char *text = malloc(65537);
	struct policies *policies = NULL;
	struct tree tree;

	tree_new(&tree);
	memset(text, '\n', 65537);
	tree_bytes(&tree, "etc/nfsrdma.conf", text, 65536);
	CU_ASSERT_EQUAL(policy_open(&policies, tree.host), 0);
	policy_free(policies);
	tree_bytes(&tree, "etc/nfsrdma.conf", text, 65537);
	assert_broken(&tree, "more than 65536 bytes");
	tree_free(&tree);
	free(text);
}

static void a_file_in_place_of_the_folder_is_an_error(void)
{
	struct tree tree;

	tree_new(&tree);
	tree_write(&tree, "etc/nfsrdma.conf.d", "");
	assert_broken(&tree, "is not a directory");
	tree_free(&tree);
}

/* --- which section covers a mount ----------------------------------------------------------- */

static enum policy_scope scope_of(const char *text, const char *spec, const char *dir)
{
	_cleanup_(policy_free_p) struct policies *policies = parse(text);
	struct policy policy;

	get(policies, spec, dir, &policy);
	return policy.scope;
}

static void the_scope_is_that_of_the_section_with_the_mode(void)
{
	static const struct {
		const char *text;
		enum policy_scope scope;
	} rows[] = {
		{ "", POLICY_BUILT_IN },
		{ "[default]\ncheck = none\n", POLICY_BUILT_IN },
		{ "[default]\npolicy = off\n", POLICY_DEFAULT },
		{ "[server nas]\noptions = soft\n", POLICY_BUILT_IN },
		{ "[server nas]\npolicy = prefer\n", POLICY_OF_SERVER },
		{ "[server other]\npolicy = prefer\n", POLICY_BUILT_IN },
		{ "[export nas:/vm]\npolicy = require\n", POLICY_OF_EXPORT },
		{ "[directory /srv/vm]\npolicy = require\n", POLICY_OF_DIRECTORY },
		{ "[default]\npolicy = off\n[server nas]\ncheck = read\n", POLICY_DEFAULT },
		{ "[directory /srv/vm]\ncheck = none\n[server nas]\npolicy = off\n",
		  POLICY_OF_SERVER },
	};
	struct policy policy;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].text);
		CU_ASSERT_EQUAL(scope_of(rows[i].text, "nas:/vm", "/srv/vm"), rows[i].scope);
	}
	get(NULL, "nas:/vm", NULL, &policy);
	CU_ASSERT_EQUAL(policy.scope, POLICY_BUILT_IN);
}

static void mount_options_override_sections(void)
{
	_cleanup_(policy_free_p) struct policies *policies =
		parse("[server nas]\npolicy = require\n");
	static const struct {
		const char *options;
		enum policy_scope scope;
	} rows[] = {
		{ "nfsrdma.policy=prefer", POLICY_OF_MOUNT },
		{ "nfsrdma.check=none,rw", POLICY_OF_SERVER },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].options);
		_cleanup_(plan_free_p) struct plan *plan = NULL;
		struct plan_request request = { .spec = "nas:/vm",
						.options = rows[i].options,
						.policies = policies };

		CU_ASSERT_EQUAL_FATAL(plan_make(&plan, &request), 0);
		CU_ASSERT_EQUAL(plan->policy.scope, rows[i].scope);
	}
}

static void a_directory_has_a_policy_whatever_is_mounted_there(void)
{
	_cleanup_(policy_free_p) struct policies *policies = parse(
		"[default]\non-unknown = refuse\n"
		"[server *]\npolicy = off\n"
		"[export *:/*]\npolicy = off\n"
		"[directory /srv/*]\npolicy = prefer\n");
	struct policy policy;

	policy_get_dir(policies, "/srv/vm", &policy);
	CU_ASSERT_EQUAL(policy.scope, POLICY_OF_DIRECTORY);
	CU_ASSERT_EQUAL(policy.mode, POLICY_PREFER);
	CU_ASSERT_EQUAL(policy.on_unknown, POLICY_UNKNOWN_REFUSE);
	CU_ASSERT_STRING_EQUAL(policy.mode_from, "f:8");
	policy_get_dir(policies, "//srv//vm/", &policy);
	CU_ASSERT_EQUAL(policy.scope, POLICY_OF_DIRECTORY);
	policy_get_dir(policies, "/srv/vm/sub", &policy);
	CU_ASSERT_EQUAL(policy.scope, POLICY_BUILT_IN);
	CU_ASSERT_EQUAL(policy.mode, POLICY_REQUIRE);
	CU_ASSERT_EQUAL(policy.on_unknown, POLICY_UNKNOWN_REFUSE);
	policy_get_dir(NULL, "/srv/vm", &policy);
	CU_ASSERT_EQUAL(policy.scope, POLICY_BUILT_IN);
}

SUITE_MAIN("policy", TEST(the_default_is_the_strictest), TEST(every_key_is_read),
	   TEST(the_most_specific_section_applies), TEST(of_equal_sections_the_last_applies),
	   TEST(equal_addresses_and_paths_match), TEST(invalid_lines_are_errors_with_their_number),
	   TEST(lines_and_patterns_have_a_maximum_length), TEST(sections_have_a_maximum_number),
	   TIMED(patterns_match_in_bounded_time), TEST(without_files_the_default_applies),
	   TEST(the_file_is_read_before_its_folder), TEST(a_damaged_file_is_an_error_and_no_policy),
	   TEST(directories_without_wildcards_are_followed),
	   TEST(sections_that_request_rdma_are_found), TEST(files_have_a_maximum_size),
	   TEST(a_file_in_place_of_the_folder_is_an_error),
	   TEST(the_scope_is_that_of_the_section_with_the_mode),
	   TEST(mount_options_override_sections),
	   TEST(a_directory_has_a_policy_whatever_is_mounted_there))
