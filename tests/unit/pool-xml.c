/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A pool's XML in and out, as pairs: tests/pool-xml/NAME.in.xml; NAME.out.xml is the converted
 * XML, absent where it is refused; NAME.expect has the expected messages, or the reason for the
 * refusal. NFSRDMA_ACCEPT=1 writes the actual results as the expected ones. */
#include <dirent.h>
#include <time.h>

#include "plugin/libvirt/libvirt.h"
#include "tests/unit/reasons.h"

static char folder[4096];

static char *read_file(const char *name, const char *suffix, size_t *len)
{
	char path[8192], *text;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	text = calloc(1, 1024 * 1024);
	*len = text ? fread(text, 1, 1024 * 1024 - 1, file) : 0;
	fclose(file);
	return text;
}

static void accept_file(const char *name, const char *suffix, const char *text)
{
	char path[8192];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
	if (!text) {
		unlink(path);
		return;
	}
	file = fopen(path, "w");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

/* libxml2's words for what is not well-formed, which differ with its version. */
static void cut_reason(char *text)
{
	char *at = text ? strstr(text, "not well-formed, line ") : NULL;
	size_t n = at ? strcspn(at, ":\n") : 0;

	if (at)
		memmove(at + n, at + n + strcspn(at + n, "\n"),
			strlen(at + n + strcspn(at + n, "\n")) + 1);
}

/* NULL if the file does not exist. */
static void expect_file(const char *name, const char *suffix, char *text)
{
	_cleanup_free_ char *want = NULL;
	size_t len;

	cut_reason(text);
	if (getenv("NFSRDMA_ACCEPT"))
		accept_file(name, suffix, text);
	want = read_file(name, suffix, &len);
	SUITE_ROW("%s%s", name, suffix);
	if (want || text)
		CU_ASSERT_STRING_EQUAL(text, want);
}

static void print_finding(void *arg, const struct finding *finding)
{
	CU_ASSERT(finding_is_clean(finding->summary));
	CU_ASSERT(reasons_fit(finding));
	fprintf(arg, "%s %s%s%s: %s\n", finding_status_name(finding->status), finding->id,
		*finding->reason ? "/" : "", finding->reason, finding->summary);
}

static void audit(const struct pool_xml *xml, FILE *out)
{
	struct pool_seen seen = { .xml = xml, .file = "vms.xml" };

	pool_audit(&seen, print_finding, out);
}

/* Converting a second time changes nothing, and every text can be parsed again. */
static void expect_stable(const char *text)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	_cleanup_free_ char *again = NULL;
	struct pool_request request = { .policies = NULL };

	CU_ASSERT_EQUAL_FATAL(pool_xml_parse(&xml, text, strlen(text)), 0);
	CU_ASSERT_EQUAL(pool_xml_convert(xml, &request), 0);
	CU_ASSERT_EQUAL(pool_xml_format(xml, &again), 0);
	CU_ASSERT_STRING_EQUAL(again, text);
}

static char *convert(struct pool_xml *xml, FILE *said)
{
	struct pool_request request = { .policies = NULL };
	char *text = NULL;

	if (pool_xml_convert(xml, &request)) {
		fprintf(said, "not converted: %s\n", err_text());
		return NULL;
	}
	CU_ASSERT_EQUAL(pool_xml_format(xml, &text), 0);
	expect_stable(text);
	return text;
}

static void try_pair(const char *name)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	_cleanup_free_ char *in = NULL, *out = NULL, *said = NULL;
	size_t len = 0, said_len;
	FILE *mem = open_memstream(&said, &said_len);

	in = read_file(name, ".in.xml", &len);
	CU_ASSERT_FATAL(in);
	CU_ASSERT_FATAL(mem);
	if (pool_xml_parse(&xml, in, len)) {
		fprintf(mem, "refused/%s: %s\n", err_reason(), err_text());
	} else {
		audit(xml, mem);
		out = convert(xml, mem);
	}
	fclose(mem);
	expect_file(name, ".expect", said);
	expect_file(name, ".out.xml", out);
}

static int is_input(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 7 && !strcmp(entry->d_name + len - 7, ".in.xml");
}

static void every_pair_is_as_expected(void)
{
	struct dirent **names;
	int count, i;

	snprintf(folder, sizeof(folder), "%s/pool-xml", getenv("NFSRDMA_TESTS"));
	count = scandir(folder, &names, is_input, alphasort);
	ASSERT_AT_LEAST_FATAL(count, 25);
	for (i = 0; i < count; i++) {
		SUITE_ROW("%d", i);
		names[i]->d_name[strlen(names[i]->d_name) - 7] = '\0';
		try_pair(names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

/* --- cases without a file ------------------------------------------------------------------ */

static int parse_repeated(const char *head, const char *part, size_t n, const char *tail)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	_cleanup_free_ char *text = NULL;
	size_t len, i;
	FILE *mem = open_memstream(&text, &len);

	fputs(head, mem);
	for (i = 0; i < n; i++)
		fputs(part, mem);
	fputs(tail, mem);
	fclose(mem);
	return pool_xml_parse(&xml, text, len);
}

static void overlong_values_are_refused(void)
{
	CU_ASSERT_EQUAL(parse_repeated("<pool>", " ", POOL_XML_MAX, "</pool>"), -EFBIG);
	CU_ASSERT_STRING_EQUAL(err_text(), "the XML has 65549 bytes, 65536 at most");
}

static void too_many_elements_are_refused(void)
{
	CU_ASSERT_EQUAL(parse_repeated("<pool>", "<a/>", 4095, "</pool>"), 0);
	CU_ASSERT_EQUAL(parse_repeated("<pool>", "<a/>", 4096, "</pool>"), -EFBIG);
	CU_ASSERT_STRING_EQUAL(err_text(), "the XML has too many elements");
}

static void deep_nesting_is_refused(void)
{
	CU_ASSERT_EQUAL(parse_repeated("<pool>", "<a>", 200, ""), -EFBIG);
	CU_ASSERT_STRING_EQUAL(err_text(), "the XML is nested too deeply");
}

static void many_attributes_are_read_in_time(void)
{
	_cleanup_free_ char *text = malloc(POOL_XML_MAX);
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	clock_t start = clock();
	size_t used = 5;
	unsigned int i;

	strcpy(text, "<pool");
	for (i = 0; used < POOL_XML_MAX - 32; i++)
		used += (size_t)sprintf(text + used, " a%u=''", i);
	strcpy(text + used, "/>");
	pool_xml_parse(&xml, text, strlen(text));
	ASSERT_LESS(clock() - start, 5 * CLOCKS_PER_SEC);
}

static void a_nul_does_not_end_the_text(void)
{
	static const char text[] = "<pool type='netfs'/>\0<!DOCTYPE pool>";
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;

	CU_ASSERT_EQUAL(pool_xml_parse(&xml, text, sizeof(text) - 1), -EINVAL);
}

static void two_hundred_options_are_converted(void)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	_cleanup_free_ char *text = NULL;
	struct pool_request request = { .options = "a" };
	size_t len;
	FILE *mem = open_memstream(&text, &len);
	unsigned int i;

	for (i = 0; i < 200; i++)
		fprintf(mem, "%so%u", i ? "," : "", i);
	fclose(mem);
	request.options = text;
	CU_ASSERT_EQUAL_FATAL(pool_xml_new(&xml, "vms", "nas1", "/e", "/mnt"), 0);
	CU_ASSERT_EQUAL(pool_xml_convert(xml, &request), 0);
	CU_ASSERT_EQUAL(pool_xml_facts(xml)->noptions, 202);
}

/* --- requested options -------------------------------------------------------------------- */

static void a_new_pool_is_as_define_prints_it(void)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	_cleanup_free_ char *options = NULL;
	struct pool_request request = { .version = "4.1", .options = "nodev,rw,hard" };
	char source[POOL_SOURCE_MAX];

	CU_ASSERT_EQUAL_FATAL(pool_xml_new(&xml, "a & b", "nas1", "/e<1>", "/mnt/\"x\""), 0);
	CU_ASSERT_EQUAL(pool_xml_convert(xml, &request), 0);
	CU_ASSERT_EQUAL(pool_xml_options(xml, &options), 0);
	CU_ASSERT_STRING_EQUAL(options, "nfsvers=4.1,hard,proto=rdma,port=20049");
	CU_ASSERT_EQUAL(pool_xml_source(xml, source, sizeof(source)), 0);
	CU_ASSERT_STRING_EQUAL(source, "nas1:/e<1>");
	CU_ASSERT_STRING_EQUAL(pool_xml_facts(xml)->name, "a & b");
}

static void requested_options_are_not_dropped(void)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	struct pool_request request = { .options = "proto=tcp" };

	CU_ASSERT_EQUAL_FATAL(pool_xml_new(&xml, "vms", "nas1", "/e", "/mnt"), 0);
	CU_ASSERT_EQUAL(pool_xml_convert(xml, &request), -EINVAL);
	ASSERT_CONTAINS(err_text(), "contradict");
}

static void a_name_with_only_ipv6_addresses_gets_rdma6(void)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	struct pool_request request = { .family = IP_V6 };

	CU_ASSERT_EQUAL_FATAL(pool_xml_new(&xml, "vms", "nas1", "/e", "/mnt"), 0);
	CU_ASSERT_EQUAL(pool_xml_convert(xml, &request), 0);
	CU_ASSERT_STRING_EQUAL(pool_xml_facts(xml)->options[0], "proto=rdma6");
}

static void the_policy_adds_options_and_can_refuse(void)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	struct pool_request request = { .policies = NULL };
	char text[] = "[server nas1]\noptions = timeo=600\n[server nas2]\npolicy = off\n";

	CU_ASSERT_EQUAL_FATAL(policy_new(&policies), 0);
	CU_ASSERT_EQUAL_FATAL(policy_add(policies, "/etc/nfsrdma.conf", text), 0);
	request.policies = policies;
	CU_ASSERT_EQUAL_FATAL(pool_xml_new(&xml, "vms", "nas1", "/e", "/mnt"), 0);
	CU_ASSERT_EQUAL(pool_xml_convert(xml, &request), 0);
	CU_ASSERT_EQUAL(pool_xml_facts(xml)->noptions, 3);
	pool_xml_free(xml);
	xml = NULL;
	CU_ASSERT_EQUAL_FATAL(pool_xml_new(&xml, "vms", "nas2", "/e", "/mnt"), 0);
	CU_ASSERT_EQUAL(pool_xml_convert(xml, &request), -EINVAL);
	ASSERT_CONTAINS(err_text(), "/etc/nfsrdma.conf:4");
}

static void invalid_text_becomes_no_pool(void)
{
	struct pool_xml *xml = NULL;

	CU_ASSERT_EQUAL(pool_xml_new(&xml, "v\nms", "nas1", "/e", "/mnt"), -EINVAL);
	CU_ASSERT_EQUAL(pool_xml_new(&xml, "v\xff", "nas1", "/e", "/mnt"), -EINVAL);
	CU_ASSERT_EQUAL(pool_xml_new(&xml, "", "nas1", "/e", "/mnt"), -EINVAL);
	CU_ASSERT_PTR_NULL(xml);
}

static void sizes_and_detected_permissions_are_ignored(void)
{
	static const char a[] =
		"<pool type='netfs'><name>vms</name><capacity unit='bytes'>1</capacity>"
		"<target><path>/m</path><permissions><mode>0755</mode></permissions></target></pool>";
	static const char b[] = "<pool type='netfs'>\n <name>vms</name>\n"
				"<target> <path>/m</path></target></pool>";
	_cleanup_(pool_xml_free_p) struct pool_xml *one = NULL, *two = NULL;
	_cleanup_free_ char *x = NULL, *y = NULL;

	CU_ASSERT_EQUAL_FATAL(pool_xml_parse(&one, a, strlen(a)), 0);
	CU_ASSERT_EQUAL_FATAL(pool_xml_parse(&two, b, strlen(b)), 0);
	CU_ASSERT_EQUAL(pool_xml_format_bare(one, &x), 0);
	CU_ASSERT_EQUAL(pool_xml_format_bare(two, &y), 0);
	CU_ASSERT_STRING_EQUAL(x, y);
}

SUITE_MAIN("pool-xml", TEST(every_pair_is_as_expected), TEST(overlong_values_are_refused),
	   TEST(too_many_elements_are_refused), TEST(deep_nesting_is_refused),
	   TEST(many_attributes_are_read_in_time), TEST(a_nul_does_not_end_the_text),
	   TEST(two_hundred_options_are_converted), TEST(a_new_pool_is_as_define_prints_it),
	   TEST(requested_options_are_not_dropped),
	   TEST(a_name_with_only_ipv6_addresses_gets_rdma6),
	   TEST(the_policy_adds_options_and_can_refuse), TEST(invalid_text_becomes_no_pool),
	   TEST(sizes_and_detected_permissions_are_ignored))
