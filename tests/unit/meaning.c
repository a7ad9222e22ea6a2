/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of findings is complete, its ids are unique, and it has every id that the code
 * raises. */
#include "plugin/report/report.h"
#include "rpcrdma/server/server.h"
#include "suite.h"

static void ids_are_unique(void)
{
	const struct meaning *a = NULL, *b;

	while ((a = meaning_next(a))) {
		SUITE_ROW("%s", a->id);
		for (b = meaning_next(a); b; b = meaning_next(b)) {
			SUITE_ROW("%s", b->id);
			CU_ASSERT_STRING_NOT_EQUAL(a->id, b->id);
		}
	}
}

/* Words of lower case letters, digits and dashes, joined by points. */
static void ids_are_words(void)
{
	const struct meaning *m = NULL;

	while ((m = meaning_next(m))) {
		SUITE_ROW("%s", m->id);
		ASSERT_LESS(strlen(m->id), FINDING_ID_MAX);
		CU_ASSERT_EQUAL(strspn(m->id, "abcdefghijklmnopqrstuvwxyz0123456789-."),
				strlen(m->id));
		CU_ASSERT_PTR_NOT_NULL(strchr(m->id, '.'));
	}
}

/* A capital, or a name that is written in lower case. */
static bool begins_a_sentence(const char *text)
{
	static const char *const names[] = { "libvirt ",     "libvirt's ",      "mount.nfs ",
					     "nfsrdma ",     "virt-aa-helper ", "proto=rdma ",
					     "<mount_opts> " };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(text, names[i], strlen(names[i])))
			return true;
	return *text >= 'A' && *text <= 'Z';
}

static bool is_prose(const char *text)
{
	size_t len = strlen(text);

	return len && begins_a_sentence(text) && text[len - 1] == '.' && !strstr(text, "  ") &&
	       !strpbrk(text, "\t\n\r");
}

static void texts_are_sentences(void)
{
	const struct meaning *m = NULL;

	while ((m = meaning_next(m))) {
		SUITE_ROW("%s", m->id);
		CU_ASSERT(is_prose(m->what));
		CU_ASSERT(is_prose(m->cause) || !strncmp(m->cause, "MNT3ERR_", 8));
		CU_ASSERT(!m->linux_cause || strstr(m->linux_cause, "Linux servers"));
		CU_ASSERT(!m->linux_cause || is_prose(m->linux_cause));
		/* The name is spelt this way. */
		CU_ASSERT(!m->ganesha_cause || !strncmp(m->ganesha_cause, "nfs-ganesha ", 12));
		CU_ASSERT(is_prose(m->remedy));
		CU_ASSERT(m->group);
		CU_ASSERT(*m->group);
		CU_ASSERT(*m->title);
		ASSERT_AT_MOST(strlen(m->title), MEANING_TITLE_MAX);
	}
}

/* Each describes one case and its fix. */
static void reasons_are_sentences(void)
{
	const struct meaning *m = NULL;
	const struct reason *r;
	const struct step *step;

	while ((m = meaning_next(m))) {
		for (r = m->reasons; r->name; r++) {
			SUITE_ROW("%s/%s", m->id, r->name);
			ASSERT_LESS(strlen(r->name), FINDING_REASON_MAX);
			CU_ASSERT_PTR_EQUAL(meaning_reason(m, r->name), r);
			CU_ASSERT(is_prose(r->cause) || *r->cause == '{');
			CU_ASSERT_PTR_NOT_NULL(r->steps->text);
			for (step = r->steps; step->text; step++) {
				CU_ASSERT(
					step->command
						? !strchr(".:", step->text[strlen(step->text) - 1])
						: is_prose(step->text));
				CU_ASSERT(!step->command || *step->command);
			}
		}
	}
	CU_ASSERT_PTR_NULL(meaning_reason(meaning_find("probe.connect"), ""));
	CU_ASSERT_PTR_NULL(meaning_reason(meaning_find("probe.connect"), "refuse"));
	CU_ASSERT_PTR_NULL(meaning_reason(meaning_find("probe.null"), "refused"));
}

/* The kind that the server may also be decides. */
static void causes_apply_to_kinds_of_servers(void)
{
	static const struct {
		const char *server;
		bool linux_one, ganesha_one;
	} rows[] = {
		{ NULL, true, true },        { "", true, true },         { "unknown", true, true },
		{ "linux", true, false },    { "ganesha", false, true }, { "ontap", false, false },
		{ "nfsrdma", false, false },
	};
	const struct meaning *m = meaning_find("probe.read.inline");
	char cause[MEANING_CAUSE_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].server ? rows[i].server : "NULL");
		meaning_cause(m, rows[i].server, cause);
		ASSERT_STARTS(cause, m->cause);
		CU_ASSERT_EQUAL(strstr(cause, m->linux_cause) != NULL, rows[i].linux_one);
		CU_ASSERT_EQUAL(strstr(cause, m->ganesha_cause) != NULL, rows[i].ganesha_one);
	}
	/* Most findings have no cause specific to a kind of server; every cause fits. */
	m = NULL;
	while ((m = meaning_next(m))) {
		SUITE_ROW("%s", m->id);
		ASSERT_LESS(strlen(meaning_cause(m, NULL, cause)), MEANING_CAUSE_MAX - 1);
		if (!m->linux_cause && !m->ganesha_cause)
			CU_ASSERT_STRING_EQUAL(cause, m->cause);
	}
}

static void rows_of_a_group_are_adjacent(void)
{
	const struct meaning *a = NULL, *b, *before;

	while ((a = meaning_next(a))) {
		SUITE_ROW("%s", a->id);
		for (before = a; (b = meaning_next(before)); before = b) {
			SUITE_ROW("%s", b->id);
			if (!strcmp(a->group, b->group))
				CU_ASSERT_STRING_EQUAL(before->group, b->group);
		}
	}
}

static void see_ends_with_null(void)
{
	const struct meaning *m = NULL;

	while ((m = meaning_next(m))) {
		SUITE_ROW("%s", m->id);
		CU_ASSERT_PTR_NULL(m->see[ARRAY_SIZE(m->see) - 1]);
	}
}

static void every_fault_raises_a_finding_that_exists(void)
{
	const struct fault_row *fault;

	CU_ASSERT_PTR_NOT_NULL(fault_table[0].name);
	for (fault = fault_table; fault->name; fault++) {
		SUITE_ROW("%s", fault->name);
		CU_ASSERT_PTR_NOT_NULL(meaning_find(fault->finding));
	}
}

/* If one of these is unknown, the verdict must never be pass. */
static void findings_that_the_verdict_needs_are_decisive(void)
{
	static const char *const ids[] = { "probe.address", "probe.connect",
					   "probe.null",    "probe.mount",
					   "probe.file",    "probe.read.write-chunk" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		SUITE_ROW("%zu: %s", i, ids[i]);
		CU_ASSERT_PTR_NOT_NULL_FATAL(meaning_find(ids[i]));
		CU_ASSERT(meaning_find(ids[i])->decisive);
	}
}

static void only_whole_ids_are_found(void)
{
	CU_ASSERT_PTR_NOT_NULL(meaning_find("bug.read-812"));
	CU_ASSERT_PTR_NULL(meaning_find("bug.read-81"));
	CU_ASSERT_PTR_NULL(meaning_find("BUG.READ-812"));
	CU_ASSERT_PTR_NULL(meaning_find(""));
}

static const char *near(const char *id)
{
	const struct meaning *m = meaning_near(id);

	return m ? m->id : "none";
}

static void a_misspelt_id_is_found(void)
{
	CU_ASSERT_STRING_EQUAL(near("bug.read-821"), "bug.read-812");
	CU_ASSERT_STRING_EQUAL(near("probe.conect"), "probe.connect");
	CU_ASSERT_STRING_EQUAL(near("write-chunk"), "probe.read.write-chunk");
	CU_ASSERT_STRING_EQUAL(near("alignment"), "probe.read.write-chunk.alignment");
}

static void a_dissimilar_word_finds_no_id(void)
{
	char *huge = malloc(65537);

	memset(huge, 'p', 65536);
	huge[65536] = '\0';
	CU_ASSERT_STRING_EQUAL(near("zzzzzzzz"), "none");
	CU_ASSERT_STRING_EQUAL(near(""), "none");
	CU_ASSERT_STRING_EQUAL(near("."), "none");
	CU_ASSERT_STRING_EQUAL(near(huge), "none");
	free(huge);
}

SUITE_MAIN("meaning", TEST(ids_are_unique), TEST(ids_are_words), TEST(texts_are_sentences),
	   TEST(reasons_are_sentences), TEST(causes_apply_to_kinds_of_servers),
	   TEST(rows_of_a_group_are_adjacent), TEST(see_ends_with_null),
	   TEST(every_fault_raises_a_finding_that_exists),
	   TEST(findings_that_the_verdict_needs_are_decisive), TEST(only_whole_ids_are_found),
	   TEST(a_misspelt_id_is_found), TEST(a_dissimilar_word_finds_no_id))
