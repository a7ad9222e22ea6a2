/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* From what happens to a user to the status of a finding. */
#include "plugin/report/internal.h"
#include "tests/unit/suite.h"

static enum finding_status status_of(const char *id, const char *reason, enum finding_status said)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };
	_cleanup_(finding_fini) struct finding weighed = { 0 };

	finding_init(&finding, id, said, "seen");
	finding_reason(&finding, reason);
	finding_number(&finding, "wrong", 3);
	consequence_weigh(&weighed, &finding);
	CU_ASSERT_EQUAL(weighed.status, consequence_status(&finding));
	CU_ASSERT_STRING_EQUAL(finding_evidence(&weighed, "wrong"), "3");
	return weighed.status;
}

/* What once was reported with another status than its consequence has. */
static void the_status_follows_from_the_consequence(void)
{
	static const struct {
		const char *id, *reason;
		enum finding_status said, want;
	} rows[] = {
		/* Serious and certain. */
		{ "probe.read.over-tcp", "nfs", FINDING_WARN, FINDING_FAIL },
		{ "probe.reply.error", "at-times", FINDING_WARN, FINDING_FAIL },
		{ "bug.linux3-write", "four-marks", FINDING_WARN, FINDING_FAIL },
		{ "bug.read-812", "version", FINDING_WARN, FINDING_FAIL },
		{ "platform.proxmox", "unknown-option", FINDING_WARN, FINDING_FAIL },
		{ "fabric.krb5", "no-keytab", FINDING_WARN, FINDING_FAIL },
		/* Serious and possible. */
		{ "bug.linux3-write", "three-marks", FINDING_WARN, FINDING_WARN },
		{ "probe.read.withheld", "ganesha", FINDING_WARN, FINDING_WARN },
		{ "fabric.bond", "no-lag", FINDING_WARN, FINDING_WARN },
		{ "fabric.pkey", "absent", FINDING_FAIL, FINDING_FAIL },
		/* By policy. */
		{ "mount.transport", "pool", FINDING_WARN, FINDING_WARN },
		{ "mount.transport", "pool", FINDING_FAIL, FINDING_FAIL },
		/* Not serious. */
		{ "probe.read.write-chunk.unused", "data-inline", FINDING_FAIL, FINDING_WARN },
		{ "probe.read.write-chunk.pad", "padded", FINDING_FAIL, FINDING_WARN },
		{ "fabric.mtu", "small", FINDING_FAIL, FINDING_WARN },
		{ "client.module", "blacklisted", FINDING_FAIL, FINDING_WARN },
		{ "probe.read.compound", "over-tcp", FINDING_WARN, FINDING_PASS },
		/* What is neither bad nor has a reason stays. */
		{ "probe.read.over-tcp", "nfs", FINDING_UNKNOWN, FINDING_UNKNOWN },
		{ "probe.read.over-tcp", "nfs", FINDING_SKIP, FINDING_SKIP },
		{ "probe.read.over-tcp", "", FINDING_WARN, FINDING_WARN },
		{ "no.such", "nfs", FINDING_FAIL, FINDING_FAIL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s/%s", rows[i].id, rows[i].reason);
		CU_ASSERT_EQUAL(status_of(rows[i].id, rows[i].reason, rows[i].said), rows[i].want);
	}
}

/* No reason fails as if it were harmless, and no name stands for two. */
static void every_reason_has_a_consequence(void)
{
	const struct meaning *meaning = NULL;
	const struct reason *reason;
	int i, j;

	while ((meaning = meaning_next(meaning)))
		for (reason = meaning->reasons; reason->name; reason++) {
			SUITE_ROW("%s/%s", meaning->id, reason->name);
			CU_ASSERT_FATAL(reason->consequence < CONSEQUENCE_COUNT);
			CU_ASSERT(!reason->possible || reason->consequence > CONSEQUENCE_LATER);
			CU_ASSERT(status_of(meaning->id, reason->name, FINDING_WARN) <=
				  FINDING_FAIL);
		}
	for (i = 0; i < CONSEQUENCE_COUNT; i++)
		for (j = 0; j < i; j++)
			CU_ASSERT_STRING_NOT_EQUAL(consequence_name(i), consequence_name(j));
}

/* Neither wrong data nor data that never comes is a warning; the 812-byte bug returns none. */
static void wrong_and_lost_data_fails(void)
{
	static const struct {
		const char *id, *reason;
		enum consequence want;
	} rows[] = {
		{ "bug.write-chunk-read", "corrupt", CONSEQUENCE_DATA },
		{ "probe.read.inline", "wrong-data", CONSEQUENCE_DATA },
		{ "probe.read.write-chunk", "not-written", CONSEQUENCE_DATA },
		{ "probe.read.write-chunk.tail", "not-written", CONSEQUENCE_DATA },
		{ "probe.readdir", "differs", CONSEQUENCE_DATA },
		{ "bug.read-812", "lost", CONSEQUENCE_IO_ERROR },
		{ "bug.read-812", "version", CONSEQUENCE_IO_ERROR },
		{ "kernel.read", "write-chunk-lost", CONSEQUENCE_IO_ERROR },
	};
	_cleanup_(finding_fini) struct finding finding = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s/%s", rows[i].id, rows[i].reason);
		CU_ASSERT_EQUAL(status_of(rows[i].id, rows[i].reason, FINDING_WARN), FINDING_FAIL);
		finding_init(&finding, rows[i].id, FINDING_FAIL, "seen");
		finding_reason(&finding, rows[i].reason);
		CU_ASSERT_EQUAL(consequence_of(&finding), rows[i].want);
	}
}

SUITE_MAIN("consequence", TEST(the_status_follows_from_the_consequence),
	   TEST(every_reason_has_a_consequence), TEST(wrong_and_lost_data_fails))
