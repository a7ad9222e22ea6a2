/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Findings about NFS mounts: requested and actual transport, and the reason; from texts as the
 * kernel prints them. */
#include <limits.h>

#include "plugin/mounts/internal.h"
#include "plugin/host/internal.h"
#include "plugin/report/report.h"
#include "reasons.h"
#include "suite.h"

#define FINDINGS_MAX 1200

/* Test machines: two observations of each. */
static struct nfs_mounts now, before;
static struct mount_answer answers[8];
static struct mount_verdict *verdicts;
static struct conf *conf;
static struct policies *policies;
static struct view *view;

static struct {
	unsigned int count;
	char ids[FINDINGS_MAX][32];
	enum finding_status status[FINDINGS_MAX];
	struct finding last; /* of the wanted id */
	const char *wanted;
	bool bad; /* last: only findings that did not pass */
} got;

#define XPRT(connects, idle, recvs, marshals, bad)                                               \
	"\txprt: rdma 0 0 " connects " 0 " idle " 100 " recvs " 0 0 0 1 2 3 4 5 6 7 8 " marshals \
	" " bad " 0 0 0 30 0 0 12\n"
#define RDMA XPRT("1", "5", "100", "0", "0")
#define TCP  "\txprt: tcp 800 1 1 0 2 55 55 0 55 0 2 0 0\n"

#define V42(proto, more) "rw,vers=4.2," more "proto=" proto ",timeo=600,retrans=2,addr=10.0.0.1"
#define MOUNT(id, parent, dev, target, source, options) \
	id " " parent " 0:" dev " / " target " rw - nfs4 " source " " options "\n"
/* 100 READs of 4096 bytes, @shorts of them short, of whose bytes @bytes were delivered. */
#define COUNTS(shorts, bytes)                                                        \
	"\tevents: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 " shorts " 0 0 0 0\n" \
	"\tbytes: 0 0 0 0 " bytes " 0 0 0\n\t READ: 100 100 0 1 422400 1 1 1 0\n"
#define STATS(source, target, age)                                                           \
	"device " source " mounted on " target " with fstype nfs4 statvers=1.1\n\tage: " age \
	"\n" COUNTS("0", "409600")

static void parse(const char *info, const char *stats, const char *utab, struct nfs_mounts *out)
{
	char *a = strdup(info), *b = strdup(stats), *c = strdup(utab);

	CU_ASSERT_EQUAL_FATAL(mountinfo_parse(a, out), 0);
	CU_ASSERT_EQUAL_FATAL(mounts_join(out, b), 0);
	utab_parse(c, out);
	free(a);
	free(b);
	free(c);
}

/* Reasons of this finding are not about mounts. */
static bool bug_of_the_kernel(const struct finding *finding)
{
	return !strcmp(finding->id, "bug.read-812");
}

static void collect(void *arg, const struct finding *finding)
{
	(void)arg;
	ASSERT_LESS_FATAL(got.count, FINDINGS_MAX);
	CU_ASSERT_PTR_NOT_NULL(meaning_find(finding->id));
	CU_ASSERT(finding_is_clean(finding->summary));
	/* Findings beyond the limit of the report are only counted. */
	if (!*finding_evidence(finding, "mounts") && !bug_of_the_kernel(finding))
		CU_ASSERT(reasons_fit(finding));
	strcpy(got.ids[got.count], finding->id);
	got.status[got.count++] = finding->status;
	if (got.wanted && !strcmp(got.wanted, finding->id) &&
	    (!got.bad || finding->status != FINDING_PASS))
		finding_copy(&got.last, finding);
}

static void audit(bool two_looks)
{
	const struct view_sources sources = {
		.mounts = &now, .nfsmount_conf = conf, .policies = policies, .now = 1000000
	};
	struct mounts_seen seen = { .before = two_looks ? &before : NULL,
				    .answers = two_looks ? answers : NULL };

	free(verdicts);
	view_close(view);
	CU_ASSERT_EQUAL_FATAL(view_open(&view, &sources), 0);
	seen.view = view;
	got.count = 0;
	CU_ASSERT_EQUAL_FATAL(mounts_audit(&seen, &verdicts), 0);
	mounts_findings(&seen, verdicts, collect, NULL);
}

static void done(void)
{
	free(verdicts);
	verdicts = NULL;
	view_close(view);
	view = NULL;
	got.wanted = NULL;
	got.bad = false;
	host_nfs_mounts_fini(&now);
	host_nfs_mounts_fini(&before);
	memset(answers, 0, sizeof(answers));
	conf_close(conf);
	conf = NULL;
	policy_free(policies);
	policies = NULL;
}

static bool is(unsigned int index, enum mount_aspect aspect, enum finding_status status,
	       const char *words)
{
	const struct mount_opinion *opinion = &verdicts[index].opinions[aspect];

	suite_saw("%s of %s is %s: %s", mount_aspect_ids[aspect], verdicts[index].mount->target,
		  finding_status_name(opinion->status), opinion->text);
	return opinion->status == status && strstr(opinion->text, words);
}

static bool because(unsigned int index, enum mount_aspect aspect, const char *reason)
{
	const struct mount_opinion *opinion = &verdicts[index].opinions[aspect];

	suite_saw("%s/%s: %s", mount_aspect_ids[aspect], opinion->reason ? opinion->reason : "",
		  opinion->text);
	return opinion->reason && !strcmp(opinion->reason, reason);
}

static void use_conf(const char *text)
{
	char *copy = strdup(text);

	conf = conf_new();
	CU_ASSERT_EQUAL_FATAL(conf_add(conf, NULL, "nfsmount.conf", copy), 0);
	free(copy);
}

/* --- transport ----------------------------------------------------------------------------- */

static void rdma_needs_mountinfo_and_every_connection(void)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "port=20049,"))
		      MOUNT("10", "1", "6", "/b", "n:/b", V42("rdma", ""))
			      MOUNT("11", "1", "7", "/c", "n:/c", V42("rdma6", ""))
				      MOUNT("12", "1", "8", "/d", "n:/d", "rw,vers=4.2"),
	      STATS("n:/a", "/a", "9") RDMA RDMA STATS("n:/c", "/c", "9") RDMA TCP, "", &now);
	audit(false);
	CU_ASSERT_EQUAL(verdicts[0].view->run, RUN_RDMA);
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_PASS, "2 connections"));
	CU_ASSERT_EQUAL(verdicts[1].view->run, RUN_CLAIMED);
	CU_ASSERT(is(1, MOUNT_TRANSPORT, FINDING_PASS, "no connection"));
	CU_ASSERT_EQUAL(verdicts[2].view->run, RUN_MIXED);
	CU_ASSERT(is(2, MOUNT_TRANSPORT, FINDING_WARN, "1 of 2 connections use RDMA"));
	CU_ASSERT(because(2, MOUNT_TRANSPORT, "mixed"));
	CU_ASSERT_EQUAL(verdicts[3].view->run, RUN_UNKNOWN);
	CU_ASSERT(is(3, MOUNT_TRANSPORT, FINDING_SKIP, "names no transport"));
	done();
}

static void tcp_passes_where_rdma_was_not_requested(void)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("tcp", ""))
		      MOUNT("10", "1", "6", "/b", "n:/b", V42("tcp", ""))
			      MOUNT("11", "1", "7", "/c", "n:/c", V42("tcp", "")),
	      STATS("n:/a", "/a", "9") TCP,
	      "SRC=n:/b TARGET=/b ATTRS=vers=4.2,soft\n"
	      "SRC=n:/c TARGET=/c ATTRS=rdma=x,mountproto=rdma,proto=tcp\n",
	      &now);
	audit(false);
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_PASS, "requested transport unknown"));
	CU_ASSERT(is(1, MOUNT_TRANSPORT, FINDING_PASS, "RDMA was not requested"));
	CU_ASSERT(is(2, MOUNT_TRANSPORT, FINDING_PASS, "as requested"));
	CU_ASSERT_EQUAL(verdicts[0].view->wanted.asked, ASKED_UNKNOWN);
	CU_ASSERT_EQUAL(verdicts[1].view->wanted.asked, ASKED_ANY);
	CU_ASSERT_EQUAL(verdicts[2].view->wanted.asked, ASKED_TCP);
	done();
}

/* --- silent TCP ---------------------------------------------------------------------------- */

static void a_mount_that_shares_a_connection_names_the_other_mount(void)
{
	parse(MOUNT("9", "1", "5", "/iso", "n:/iso", V42("tcp", ""))
		      MOUNT("10", "1", "6", "/vm", "n:/vm", V42("tcp", "port=20049,")),
	      STATS("n:/iso", "/iso", "90") TCP STATS("n:/vm", "/vm", "80") TCP,
	      "SRC=n:/vm TARGET=/vm ATTRS=proto=rdma,port=20049,vers=4.2\n", &now);
	got.wanted = "mount.transport";
	got.bad = true;
	audit(false);
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_PASS, "tcp"));
	CU_ASSERT(is(1, MOUNT_TRANSPORT, FINDING_FAIL, "its mount options request RDMA"));
	CU_ASSERT(is(1, MOUNT_TRANSPORT, FINDING_FAIL,
		     "it shares the tcp connection of /iso (same server, NFSv4.2)"));
	CU_ASSERT(because(1, MOUNT_TRANSPORT, "shared-connection"));
	CU_ASSERT_STRING_EQUAL(finding_evidence(&got.last, "shares_with"), "/iso");
	CU_ASSERT_STRING_EQUAL(finding_evidence(&got.last, "rdma_options"),
			       "port=20049,vers=4.2,proto=rdma");
	done();
	/* Without an entry in utab the port decides. A younger mount is not the reason. */
	parse(MOUNT("9", "1", "5", "/iso", "n:/iso", V42("tcp", ""))
		      MOUNT("10", "1", "6", "/vm", "n:/vm", V42("tcp", "port=20049,")),
	      STATS("n:/iso", "/iso", "70") TCP STATS("n:/vm", "/vm", "80") TCP, "", &now);
	audit(false);
	CU_ASSERT(is(1, MOUNT_TRANSPORT, FINDING_WARN, "its mount option port= requests RDMA"));
	CU_ASSERT(is(1, MOUNT_TRANSPORT, FINDING_WARN, "cannot be determined from here"));
	CU_ASSERT(because(1, MOUNT_TRANSPORT, "unexplained"));
	done();
}

static void a_port_that_rdma_mounts_use_requests_rdma(void)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "port=20050,"))
		      MOUNT("10", "1", "6", "/b", "n:/b", V42("tcp", "port=20050,"))
			      MOUNT("11", "1", "7", "/c", "n:/c", V42("tcp", "port=2050,")),
	      STATS("n:/a", "/a", "9") RDMA, "", &now);
	audit(false);
	CU_ASSERT_EQUAL(verdicts[1].view->wanted.asked, ASKED_RDMA);
	CU_ASSERT_EQUAL(verdicts[2].view->wanted.asked, ASKED_UNKNOWN);
	done();
}

static void an_overridden_option_still_requests_rdma(void)
{
	parse(MOUNT("10", "1", "6", "/vm", "n:/vm", V42("tcp", "port=20049,")), "",
	      "SRC=n:/vm TARGET=/vm ATTRS=rdma,port=20049,proto=tcp\n", &now);
	audit(false);
	CU_ASSERT(because(0, MOUNT_TRANSPORT, "later-option"));
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_FAIL, "a later mount option"));
	done();
	use_conf("[ NFSMount_Global_Options ]\nDefaultvers=4\nProto=tcp\n");
	parse(MOUNT("10", "1", "6", "/vm", "n:/vm", V42("tcp", "port=20049,")), "",
	      "SRC=n:/vm TARGET=/vm ATTRS=ro,rdma,port=20050,proto=tcp,addr=10.0.0.1\n", &now);
	got.wanted = "mount.transport";
	audit(false);
	CU_ASSERT(because(0, MOUNT_TRANSPORT, "overruled"));
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_FAIL, "Proto= in /nfsmount.conf:3 overrules it"));
	CU_ASSERT_STRING_EQUAL(finding_evidence(&got.last, "overruled_by"), "/nfsmount.conf:3");
	CU_ASSERT_STRING_EQUAL(finding_evidence(&got.last, "rdma_options"),
			       "ro,port=20050,proto=rdma");
	done();
	/* In the other direction it applies. */
	parse(MOUNT("10", "1", "6", "/vm", "n:/vm", V42("rdma", "")), "",
	      "SRC=n:/vm TARGET=/vm ATTRS=proto=tcp,rdma\n", &now);
	audit(false);
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_PASS, ""));
	done();
}

static void a_mount_older_than_fstab_has_that_reason(void)
{
	parse(MOUNT("10", "1", "6", "/vm", "n:/vm", V42("tcp", "")), "",
	      "SRC=n:/vm TARGET=/vm ATTRS=vers=4.2\n", &now);
	strcpy(now.list[0].fstab, "proto=rdma,port=20049");
	audit(false);
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_FAIL, "fstab requests RDMA"));
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_FAIL, "mounted without RDMA"));
	CU_ASSERT(because(0, MOUNT_TRANSPORT, "mounted-before"));
	done();
}

static void use_policy(const char *text)
{
	char *copy = strdup(text);

	CU_ASSERT_EQUAL_FATAL(policy_new(&policies), 0);
	CU_ASSERT_EQUAL_FATAL(policy_add(policies, "/etc/nfsrdma.conf", copy), 0);
	free(copy);
}

static void an_overridden_policy_is_the_reason(void)
{
	use_policy("[server n]\npolicy = require\n");
	parse(MOUNT("10", "1", "6", "/vm", "n:/vm", V42("tcp", "")), "",
	      "SRC=n:/vm TARGET=/vm ATTRS=vers=4.2\n", &now);
	audit(false);
	CU_ASSERT(because(0, MOUNT_TRANSPORT, "not-requested"));
	done();
	use_policy("[server n]\npolicy = require\n");
	parse(MOUNT("10", "1", "6", "/vm", "n:/vm", "rw,vers=4.2,addr=10.0.0.1"), "", "", &now);
	audit(false);
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_UNKNOWN, "/etc/nfsrdma.conf:2"));
	CU_ASSERT(because(0, MOUNT_TRANSPORT, "no-transport"));
	done();
}

static void a_policy_option_sets_how_strictly_rdma_is_requested(void)
{
	static const struct {
		const char *fstab, *utab;
		enum view_asked asked;
		bool lenient;
		enum finding_status status;
	} rows[] = {
		{ "nfsrdma.policy=prefer,proto=rdma", "", ASKED_RDMA, true, FINDING_WARN },
		{ "nfsrdma.policy=prefer", "", ASKED_RDMA, true, FINDING_WARN },
		{ "nfsrdma.policy=require", "", ASKED_RDMA, false, FINDING_FAIL },
		{ "proto=rdma,nfsrdma.policy=off", "", ASKED_ANY, false, FINDING_PASS },
		{ "proto=tcp,nfsrdma.policy=off", "", ASKED_TCP, false, FINDING_PASS },
		{ "proto=tcp,nfsrdma.policy=prefer", "", ASKED_TCP, false, FINDING_PASS },
		/* The last one applies, as in the helper. */
		{ "nfsrdma.policy=off,nfsrdma.policy=require", "", ASKED_RDMA, false,
		  FINDING_FAIL },
		{ "nfsrdma.policy=preferx", "", ASKED_ANY, false, FINDING_PASS },
		/* The helper passes none of it to mount.nfs. */
		{ "nfsrdma.policy=prefer", "proto=rdma,port=20049", ASKED_RDMA, true,
		  FINDING_WARN },
		{ "nfsrdma.policy=off", "proto=rdma,port=20049", ASKED_ANY, false, FINDING_PASS },
	};
	char utab[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].fstab);
		snprintf(utab, sizeof(utab), "SRC=n:/vm TARGET=/vm ATTRS=%s\n", rows[i].utab);
		parse(MOUNT("10", "1", "6", "/vm", "n:/vm", V42("tcp", "")), "",
		      *rows[i].utab ? utab : "", &now);
		strcpy(now.list[0].fstab, rows[i].fstab);
		audit(false);
		CU_ASSERT_EQUAL(verdicts[0].view->wanted.asked, rows[i].asked);
		CU_ASSERT_EQUAL(verdicts[0].view->wanted.rdma &&
					verdicts[0].view->wanted.mode == POLICY_PREFER,
				rows[i].lenient);
		CU_ASSERT(is(0, MOUNT_TRANSPORT, rows[i].status, ""));
		done();
	}
}

static void an_explicit_request_outweighs_a_port(void)
{
	static const struct {
		const char *fstab, *conf;
		enum view_asked asked;
		bool guessed;
		const char *by;
	} rows[] = {
		{ "", "", ASKED_RDMA, true, "its mount option port=" },
		{ "vers=4.2", "", ASKED_RDMA, true, "its mount option port=" },
		{ "proto=tcp,port=20049", "", ASKED_TCP, false, "/etc/fstab" },
		{ "proto=rdma,port=20049", "", ASKED_RDMA, false, "/etc/fstab" },
		{ "", "[ Server \"n\" ]\nProto=rdma\n", ASKED_RDMA, false, "/nfsmount.conf:2" },
		{ "", "[ Server \"n\" ]\nProto=tcp\n", ASKED_RDMA, true, "its mount option port=" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].fstab);
		use_conf(rows[i].conf);
		parse(MOUNT("10", "1", "6", "/vm", "n:/vm", V42("tcp", "port=20049,")), "", "",
		      &now);
		strcpy(now.list[0].fstab, rows[i].fstab);
		audit(false);
		CU_ASSERT_EQUAL(verdicts[0].view->wanted.asked, rows[i].asked);
		CU_ASSERT_EQUAL(verdicts[0].view->wanted.by == BY_PORT, rows[i].guessed);
		CU_ASSERT_STRING_EQUAL(verdicts[0].view->wanted.from, rows[i].by);
		done();
	}
}

static void nfsmount_conf_applies_where_nothing_overrides_it(void)
{
	static const char text[] = "[ Server \"n\" ]\nProto=rdma\n"
				   "[ MountPoint \"/c\" ]\nrdma=True\n"
				   "[ NFSMount_Global_Options ]\nProto=tcp\n";

	use_conf(text);
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("tcp", ""))
		      MOUNT("10", "1", "6", "/b", "n:/b", V42("tcp", ""))
			      MOUNT("11", "1", "7", "/c", "o:/c", V42("tcp", ""))
				      MOUNT("12", "1", "8", "/d", "o:/d", V42("tcp", "")),
	      "", "SRC=n:/b TARGET=/b ATTRS=proto=tcp\n", &now);
	audit(false);
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_FAIL, "/nfsmount.conf:2 requests RDMA"));
	CU_ASSERT(is(1, MOUNT_TRANSPORT, FINDING_PASS, "as requested"));
	CU_ASSERT_EQUAL(verdicts[2].view->wanted.asked, ASKED_RDMA);
	CU_ASSERT_EQUAL(verdicts[3].view->wanted.asked, ASKED_UNKNOWN);
	done();
}

static void a_server_that_others_reach_over_rdma_is_a_warning(void)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "")) MOUNT(
		      "10", "1", "6", "/b", "n:/b", "rw,vers=3,proto=tcp,addr=10.0.0.1")
		      MOUNT("11", "1", "7", "/c", "o:/c", "rw,vers=3,proto=tcp,addr=10.0.0.2"),
	      "", "", &now);
	audit(false);
	CU_ASSERT(is(1, MOUNT_TRANSPORT, FINDING_WARN, "1 other mount"));
	CU_ASSERT(because(1, MOUNT_TRANSPORT, "rdma-beside"));
	CU_ASSERT(is(2, MOUNT_TRANSPORT, FINDING_PASS, "tcp"));
	done();
}

static void a_covered_mount_is_not_judged(void)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("tcp", "port=20049,"))
		      MOUNT("10", "9", "6", "/a", "n:/a", V42("rdma", "port=20049,")),
	      STATS("n:/a", "/a", "9") TCP STATS("n:/a", "/a", "9") RDMA, "", &now);
	audit(false);
	CU_ASSERT(verdicts[0].view->covered);
	CU_ASSERT_EQUAL(mounts_status(&verdicts[0]), FINDING_SKIP);
	CU_ASSERT_EQUAL(mounts_status(&verdicts[1]), FINDING_PASS);
	CU_ASSERT(is(1, MOUNT_SUBMOUNT, FINDING_SKIP, "no sub-mount"));
	done();
}

/* --- sub-mounts ---------------------------------------------------------------------------- */

static void sub_mounts_of_rdma_mounts_must_use_rdma(void)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", ""))
		      MOUNT("10", "9", "6", "/a/b", "n:/a/b", V42("rdma", ""))
			      MOUNT("11", "9", "7", "/a/c", "n:/a/c", V42("tcp", ""))
				      MOUNT("12", "9", "8", "/a/d", "o:/x",
					    "rw,vers=4.2,proto=tcp,addr=10.0.0.2"),
	      STATS("n:/a", "/a", "9") RDMA STATS("n:/a/b", "/a/b", "9") RDMA, "", &now);
	audit(false);
	CU_ASSERT(is(1, MOUNT_SUBMOUNT, FINDING_PASS, "a sub-mount below /a"));
	CU_ASSERT(is(2, MOUNT_SUBMOUNT, FINDING_FAIL, "a sub-mount below /a"));
	CU_ASSERT(because(2, MOUNT_SUBMOUNT, "sub-mount"));
	CU_ASSERT(because(3, MOUNT_SUBMOUNT, "referral"));
	CU_ASSERT(is(2, MOUNT_TRANSPORT, FINDING_SKIP, "mount.submount"));
	CU_ASSERT_EQUAL(verdicts[2].view->wanted.asked, ASKED_RDMA);
	/* Without an entry in utab an administrator may have mounted it there by hand. */
	CU_ASSERT(is(3, MOUNT_SUBMOUNT, FINDING_WARN, "a referral below /a"));
	done();
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "")) MOUNT(
		      "12", "9", "8", "/a/d", "o:/x", "rw,vers=4.2,proto=tcp,addr=10.0.0.2")
		      MOUNT("13", "9", "9", "/a/e", "o:/y", "rw,vers=4.2,proto=tcp,addr=10.0.0.2"),
	      STATS("n:/a", "/a", "9") RDMA,
	      "SRC=n:/a TARGET=/a ATTRS=proto=rdma\nSRC=o:/y TARGET=/a/e ATTRS=vers=4.2\n", &now);
	audit(false);
	CU_ASSERT(is(1, MOUNT_SUBMOUNT, FINDING_FAIL, "to 10.0.0.2: a referral"));
	CU_ASSERT(is(2, MOUNT_SUBMOUNT, FINDING_SKIP, "no sub-mount"));
	CU_ASSERT(is(2, MOUNT_TRANSPORT, FINDING_PASS, "RDMA was not requested"));
	done();
}

static void sub_mounts_of_silent_tcp_do_not_repeat_the_cause(void)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("tcp", "port=20049,"))
		      MOUNT("10", "9", "6", "/a/b", "n:/a/b", V42("tcp", "port=20049,")),
	      "", "", &now);
	audit(false);
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_WARN, "RDMA"));
	CU_ASSERT(is(1, MOUNT_TRANSPORT, FINDING_SKIP, "as the mount above it"));
	CU_ASSERT(is(1, MOUNT_SUBMOUNT, FINDING_SKIP, "as /a above it"));
	done();
}

/* --- probing mounts ------------------------------------------------------------------------ */

static void look_twice(const char *first, const char *second, int state)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "")), first, "", &before);
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "")), second, "", &now);
	answers[0].state = state;
	answers[0].ms = 0.5;
	audit(true);
}

static void a_reply_counted_by_an_rdma_connection_is_proof(void)
{
	look_twice(STATS("n:/a", "/a", "900") XPRT("1", "0", "100", "0", "0"),
		   STATS("n:/a", "/a", "900") XPRT("2", "0", "101", "0", "0"), MOUNT_ANSWERED);
	CU_ASSERT(verdicts[0].proven);
	CU_ASSERT(is(0, MOUNT_ANSWER, FINDING_PASS, "0.5 ms"));
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_PASS, "proven"));
	CU_ASSERT(is(0, MOUNT_COUNTERS, FINDING_PASS, "101 replies"));
	done();
	look_twice(STATS("n:/a", "/a", "9") RDMA, STATS("n:/a", "/a", "9") RDMA, MOUNT_ANSWERED);
	CU_ASSERT_FALSE(verdicts[0].proven);
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_UNKNOWN, "no RDMA connection"));
	CU_ASSERT(because(0, MOUNT_TRANSPORT, "uncounted"));
	done();
}

static void an_absent_server_explains_unproven_mounts(void)
{
	look_twice(STATS("n:/a", "/a", "9") RDMA, STATS("n:/a", "/a", "9") RDMA, MOUNT_NO_ANSWER);
	CU_ASSERT(is(0, MOUNT_ANSWER, FINDING_FAIL, "does not answer"));
	CU_ASSERT(because(0, MOUNT_ANSWER, "silent-soft"));
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_SKIP, "not proven"));
	CU_ASSERT_STRING_EQUAL(verdicts[0].opinions[MOUNT_TRANSPORT].because, "mount.answer");
	CU_ASSERT_EQUAL(mounts_status(&verdicts[0]), FINDING_FAIL);
	done();
}

static void a_hard_mount_waits_forever(void)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "hard,")), "", "", &before);
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "hard,")), "", "", &now);
	answers[0].state = MOUNT_NO_ANSWER;
	audit(true);
	CU_ASSERT(is(0, MOUNT_ANSWER, FINDING_FAIL, "wait until it does"));
	CU_ASSERT(because(0, MOUNT_ANSWER, "silent-hard"));
	done();
}

static void a_process_stuck_on_a_mount_is_named(void)
{
	answers[0].left = 4711;
	look_twice(STATS("n:/a", "/a", "9") RDMA, STATS("n:/a", "/a", "9") RDMA, MOUNT_NO_ANSWER);
	CU_ASSERT(is(0, MOUNT_ANSWER, FINDING_FAIL, "process 4711 survived SIGKILL"));
	answers[0].left = 0;
	done();
}

static void a_check_that_could_not_run_is_unknown(void)
{
	static const struct {
		int state, error;
		enum finding_status status;
		const char *words, *reason;
	} rows[] = {
		{ MOUNT_REFUSED, EACCES, FINDING_UNKNOWN, "Permission denied", "permission" },
		{ MOUNT_REFUSED, EKEYEXPIRED, FINDING_UNKNOWN, "expired", "key-expired" },
		{ MOUNT_REFUSED, EREMOTEIO, FINDING_FAIL, "Remote", "error" },
		{ MOUNT_REFUSED, EXDEV, FINDING_UNKNOWN, "something else", "mounted-over" },
		{ MOUNT_NOT_QUERIED, 0, FINDING_UNKNOWN, "time ran out", "no-time" },
		{ MOUNT_NOT_QUERIED, EMFILE, FINDING_UNKNOWN, "open files", "not-asked" },
		{ MOUNT_REFUSED, ESTALE, FINDING_FAIL, "Stale", "stale" },
		{ MOUNT_REFUSED, ETIMEDOUT, FINDING_FAIL, "timed out", "timed-out" },
		{ MOUNT_REFUSED, EIO, FINDING_FAIL, "Input/output", "timed-out" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].words);
		answers[0].error = rows[i].error;
		look_twice(STATS("n:/a", "/a", "9") RDMA, STATS("n:/a", "/a", "9") RDMA,
			   rows[i].state);
		CU_ASSERT(is(0, MOUNT_ANSWER, rows[i].status, rows[i].words));
		CU_ASSERT(because(0, MOUNT_ANSWER, rows[i].reason));
		done();
	}
}

static void a_new_mount_was_not_checked(void)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "")), "", "", &before);
	parse(MOUNT("9", "1", "6", "/a", "n:/a", V42("rdma", ""))
		      MOUNT("10", "1", "5", "/b", "n:/a", V42("rdma", "")),
	      STATS("n:/a", "/a", "9") RDMA STATS("n:/a", "/b", "9") RDMA, "", &now);
	answers[0].state = MOUNT_ANSWERED;
	audit(true);
	CU_ASSERT_PTR_NULL(verdicts[0].answer);
	CU_ASSERT_PTR_NULL(verdicts[1].answer);
	CU_ASSERT(is(0, MOUNT_TRANSPORT, FINDING_PASS, "by mountinfo and mountstats"));
	done();
}

/* --- options ------------------------------------------------------------------------------- */

static void options_of(const char *options, const char *utab)
{
	char info[512], stats[1024];

	snprintf(info, sizeof(info), "9 1 0:5 / /a rw - nfs4 n:/a %s\n", options);
	snprintf(stats, sizeof(stats), "%s", STATS("n:/a", "/a", "9") RDMA);
	parse(info, stats, utab, &now);
	audit(false);
}

static void soft_timeouts_must_exceed_the_reconnect_delay(void)
{
	static const struct {
		const char *options;
		enum finding_status status;
		const char *words;
	} rows[] = {
		{ "rw,soft,proto=rdma,timeo=50,retrans=3", FINDING_WARN, "after 20.0 s" },
		{ "rw,softerr,proto=rdma,timeo=99,retrans=2", FINDING_WARN, "29.7 s" },
		{ "rw,soft,proto=rdma,timeo=100,retrans=2", FINDING_PASS, "for 30 s" },
		{ "rw,soft,proto=rdma,timeo=100,retrans=3", FINDING_PASS, "for 40 s" },
		{ "rw,soft,proto=rdma,timeo=4294967295,retrans=4294967295", FINDING_PASS, "soft" },
		{ "rw,hard,proto=rdma,timeo=50,retrans=3", FINDING_PASS, "none hinders" },
		{ "rw,softreval,hard,proto=rdma,timeo=1,retrans=1", FINDING_PASS, "none hinders" },
		{ "rw,soft,proto=tcp,timeo=50,retrans=3", FINDING_SKIP, "not over RDMA" },
		{ "rw,hard,proto=rdma,rsize=32768,wsize=4096", FINDING_WARN, "wsize=4096" },
		{ "rw,hard,proto=rdma,rsize=65536", FINDING_PASS, "none hinders" },
		{ "rw,hard,proto=rdma,sec=krb5p", FINDING_PASS, "copied" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].options);
		options_of(rows[i].options, "");
		/* A TCP mount has no RDMA connection. */
		if (rows[i].status == FINDING_SKIP)
			now.list[0].nxprts = 0;
		audit(false);
		CU_ASSERT(is(0, MOUNT_OPTIONS, rows[i].status, rows[i].words));
		if (rows[i].status == FINDING_WARN)
			CU_ASSERT(because(0, MOUNT_OPTIONS,
					  strstr(rows[i].options, "soft") ? "soft" : "small-io"));
		done();
	}
}

static void requested_connections_must_exist(void)
{
	options_of("rw,vers=4.2,proto=rdma", "SRC=n:/a TARGET=/a ATTRS=rdma,nconnect=8\n");
	CU_ASSERT(is(0, MOUNT_OPTIONS, FINDING_WARN, "nconnect=8, but it has 1 connection"));
	CU_ASSERT(because(0, MOUNT_OPTIONS, "nconnect"));
	CU_ASSERT(is(0, MOUNT_OPTIONS, FINDING_WARN, "NFSv4"));
	done();
	options_of("rw,vers=3,proto=rdma,nconnect=2", "");
	CU_ASSERT(is(0, MOUNT_OPTIONS, FINDING_WARN, "the first mount"));
	done();
	options_of("rw,vers=3,proto=rdma,nconnect=1,xnconnect=9", "");
	CU_ASSERT(is(0, MOUNT_OPTIONS, FINDING_PASS, "none hinders"));
	done();
}

/* --- counters ------------------------------------------------------------------------------ */

static void counted_errors_are_reported_with_their_increase(void)
{
	look_twice(STATS("n:/a", "/a", "9") XPRT("1", "5", "100", "1", "2"),
		   STATS("n:/a", "/a", "9") XPRT("1", "0", "101", "1", "5"), MOUNT_ANSWERED);
	CU_ASSERT(is(0, MOUNT_COUNTERS, FINDING_WARN,
		     "bad_reply_count is 5, 3 more during this check"));
	CU_ASSERT(because(0, MOUNT_COUNTERS, "bad-replies"));
	ASSERT_LACKS(verdicts[0].opinions[MOUNT_COUNTERS].text, "marshal");
	done();
}

static void reconnecting_after_idleness_is_not_a_loss(void)
{
	look_twice(STATS("n:/a", "/a", "9") XPRT("1", "0", "100", "0", "0"),
		   STATS("n:/a", "/a", "9") XPRT("2", "0", "101", "0", "0"), MOUNT_ANSWERED);
	CU_ASSERT_EQUAL(verdicts[0].opinions[MOUNT_COUNTERS].status, FINDING_PASS);
	done();
	/* It was connected and had to reconnect. */
	look_twice(STATS("n:/a", "/a", "9") XPRT("1", "7", "100", "0", "0"),
		   STATS("n:/a", "/a", "9") XPRT("2", "0", "101", "0", "0"), MOUNT_ANSWERED);
	CU_ASSERT(is(0, MOUNT_COUNTERS, FINDING_WARN, "lost in use"));
	CU_ASSERT(because(0, MOUNT_COUNTERS, "reconnects"));
	done();
}

static void more_connections_than_idleness_explains_are_a_note(void)
{
	options_of("rw,vers=4.2,proto=rdma", "");
	now.list[0].age = 600;
	now.list[0].xprts[0].values[XPRT_CONNECTS] = 3;
	audit(false);
	CU_ASSERT_FALSE(verdicts[0].opinions[MOUNT_COUNTERS].note);
	now.list[0].xprts[0].values[XPRT_CONNECTS] = 4;
	audit(false);
	CU_ASSERT(is(0, MOUNT_COUNTERS, FINDING_PASS,
		     "4 connections in 600 s; idle times explain 3"));
	CU_ASSERT(verdicts[0].opinions[MOUNT_COUNTERS].note);
	done();
}

static void columns_have_the_kernels_names(void)
{
	static const char stats[] =
		STATS("n:/a", "/a",
		      "9") "\txprt: rdma 100 101 102 103 104 105 106 107 108 109 110 111 112 "
			   "113 114 115 116 117 118 119 120 121 122 123 124 125 126\n"
			   "\txprt: rdma 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 9\n";
	static const struct {
		const char *name, *value;
	} rows[] = {
		{ "port", "1" },
		{ "connect_count", "103" },
		{ "idle_time", "1" },
		{ "sends", "106" },
		{ "recvs", "107" },
		{ "bad_xids", "108" },
		{ "read_chunk_count", "111" },
		{ "write_chunk_count", "112" },
		{ "reply_chunk_count", "113" },
		{ "total_rdma_request", "114" },
		{ "total_rdma_reply", "115" },
		{ "pullup_copy_count", "116" },
		{ "fixup_copy_count", "117" },
		{ "hardway_register_count", "118" },
		{ "failed_marshal_count", "119" },
		{ "bad_reply_count", "120" },
		{ "nomsg_call_count", "121" },
		{ "mrs_recycled", "122" },
		{ "mrs_allocated", "124" },
		{ "reply_waits_for_send", "127" },
	};
	unsigned int i, j;

	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "")), stats, "", &now);
	got.wanted = "mount.counters";
	audit(false);
	CU_ASSERT_EQUAL(got.last.nevidence, 3 + 1 + XPRT_COLUMNS);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%u: %s", i, rows[i].name);
		for (j = 0;
		     j < got.last.nevidence && strcmp(got.last.evidence[j].key, rows[i].name); j++)
			;
		ASSERT_LESS_FATAL(j, got.last.nevidence);
		CU_ASSERT_STRING_EQUAL(got.last.evidence[j].value, rows[i].value);
		CU_ASSERT(got.last.evidence[j].is_number);
	}
	done();
}

static void too_few_numbers_are_unknown(void)
{
	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", "")),
	      STATS("n:/a", "/a", "9") "\txprt: rdma 0 0 1\n", "", &now);
	audit(false);
	CU_ASSERT(is(0, MOUNT_COUNTERS, FINDING_UNKNOWN, "3 numbers"));
	CU_ASSERT(because(0, MOUNT_COUNTERS, "few-numbers"));
	done();
}

/* --- READs --------------------------------------------------------------------------------- */

#define DEVICE(source, target) \
	"device " source " mounted on " target " with fstype nfs4 statvers=1.1\n\tage: 9\n"

static unsigned int count(const char *id, enum finding_status status);

static void short_reads_are_reported_for_rdma_mounts_only(void)
{
	unsigned int i;

	parse(MOUNT("9", "1", "5", "/a", "n:/a", V42("rdma", ""))
		      MOUNT("10", "1", "6", "/b", "n:/b", V42("rdma", ""))
			      MOUNT("11", "1", "7", "/c", "n:/c", V42("tcp", ""))
				      MOUNT("12", "1", "8", "/d", "n:/d", V42("rdma", "")),
	      DEVICE("n:/a", "/a") COUNTS("98", "1600") RDMA DEVICE("n:/b", "/b")
		      COUNTS("2", "409600") RDMA DEVICE("n:/c", "/c") COUNTS("98", "1600")
			      TCP DEVICE("n:/d", "/d") RDMA,
	      "", &now);
	got.wanted = "bug.read-812";
	audit(false);
	CU_ASSERT(is(0, MOUNT_READS, FINDING_FAIL,
		     "98 of 100 READs were short, and 1600 of 422400 bytes"));
	CU_ASSERT(is(0, MOUNT_READS, FINDING_FAIL, "not in the server"));
	CU_ASSERT_EQUAL(mounts_status(&verdicts[0]), FINDING_FAIL);
	CU_ASSERT(is(1, MOUNT_READS, FINDING_PASS, "2 of 100"));
	CU_ASSERT(is(2, MOUNT_READS, FINDING_SKIP, "not over RDMA"));
	CU_ASSERT(is(3, MOUNT_READS, FINDING_UNKNOWN, "does not count READs"));
	CU_ASSERT_EQUAL(count("bug.read-812", FINDING_FAIL), 1);
	CU_ASSERT_EQUAL(count("bug.read-812", FINDING_UNKNOWN), 1);
	CU_ASSERT_EQUAL(count("bug.read-812", FINDING_PASS), 1);
	now.count = 1;
	audit(false);
	for (i = 0; i < got.last.nevidence && strcmp(got.last.evidence[i].key, "reads_short") != 0;
	     i++)
		;
	ASSERT_LESS_FATAL(i, got.last.nevidence);
	CU_ASSERT_STRING_EQUAL(got.last.evidence[i].value, "98");
	CU_ASSERT_STRING_EQUAL(got.last.evidence[0].value, "/a");
	done();
}

/* --- findings ------------------------------------------------------------------------------ */

static unsigned int count(const char *id, enum finding_status status)
{
	unsigned int i, n = 0;

	for (i = 0; i < got.count; i++)
		n += !strcmp(got.ids[i], id) && got.status[i] == status;
	return n;
}

static void a_host_without_mounts_passes(void)
{
	parse("", "", "", &now);
	audit(false);
	CU_ASSERT_EQUAL(got.count, 1);
	CU_ASSERT_EQUAL(count("mount.list", FINDING_PASS), 1);
	done();
	parse("x - nfs4 \n", "", "", &now);
	audit(false);
	CU_ASSERT_EQUAL(count("mount.list", FINDING_UNKNOWN), 1);
	done();
}

static void an_incomplete_list_has_a_reason(void)
{
	got.wanted = "mount.list";
	parse("x - nfs4 \n", "", "", &now);
	audit(false);
	CU_ASSERT_STRING_EQUAL(got.last.reason, "malformed");
	done();
	got.wanted = "mount.list";
	now.cut = true;
	audit(false);
	CU_ASSERT_STRING_EQUAL(got.last.reason, "too-many");
	done();
	got.wanted = "mount.list";
	strcpy(now.fstab_unknown, "etc/fstab: Permission denied");
	audit(false);
	CU_ASSERT_STRING_EQUAL(got.last.reason, "fstab");
	done();
}

static void failures_among_thousands_of_mounts_are_reported(void)
{
	size_t cap = 1024 * 1024, used = 0;
	char *info = malloc(cap);
	unsigned int i;

	for (i = 0; i < 3000; i++)
		used += (size_t)snprintf(
			info + used, cap - used,
			"%u 1 0:%u / /m%u rw - nfs4 n:/m%u rw,vers=3,proto=tcp%s,addr=10.0.0.%u\n",
			i + 100, i, i, i, i % 1000 == 999 ? ",port=20049" : "", i % 200);
	parse(info, "", "", &now);
	audit(false);
	free(info);
	CU_ASSERT_EQUAL(count("mount.transport", FINDING_WARN), 3);
	ASSERT_LESS(got.count, FINDINGS_MAX);
	done();
}

static void failures_beyond_the_limit_are_counted(void)
{
	size_t cap = 1024 * 1024, used = 0;
	char *info = malloc(cap);
	unsigned int i;

	for (i = 0; i < 1000; i++)
		used += (size_t)snprintf(
			info + used, cap - used,
			"%u 1 0:%u / /m%u rw - nfs4 n:/m%u rw,vers=3,proto=tcp,port=20049\n",
			i + 100, i, i, i);
	parse(info, "", "", &now);
	audit(false);
	free(info);
	CU_ASSERT_EQUAL(count("mount.transport", FINDING_WARN), 251);
	done();
}

/* --- utab ---------------------------------------------------------------------------------- */

static void the_last_matching_utab_line_applies(void)
{
	parse(MOUNT("9", "1", "5", "/a\\040b", "n:/a\\040b", V42("tcp", ""))
		      MOUNT("10", "1", "6", "/c", "n:/c", V42("tcp", "")),
	      "",
	      "SRC=n:/a\\040b TARGET=/a\\040b ROOT=/ ATTRS=proto=tcp OPTS=_netdev\n"
	      "ID=9 TARGET=/a\\040b SRC=n:/a\\040b ATTRS=proto=rdma,context=\"a\n"
	      "SRC=other:/c TARGET=/c ATTRS=proto=rdma\nSRC=n:/c TARGET=/c\n"
	      "TARGET=/c ATTRS=x\n\n=\nSRC=\n",
	      &now);
	CU_ASSERT_STRING_EQUAL(now.list[0].asked, "proto=rdma,context=\"a");
	CU_ASSERT_STRING_EQUAL(now.list[1].asked, "");
	done();
}

/* mount.nfs resolves the server by the transport; mount.nfsrdma chooses the transport by the server. */
static void a_transport_of_the_other_ip_version_is_found(void)
{
	static const struct {
		const char *spec, *options;
		bool plain;
		const char *reason, *fits;
	} rows[] = {
		{ "[2001:db8::1]:/e", "proto=rdma,port=20049", true, "ipv6",
		  "proto=rdma6,port=20049" },
		{ "[2001:db8::1]:/e", "rdma,soft", true, "ipv6", "proto=rdma6,port=20049,soft" },
		{ "[2001:db8::1]:/e", "proto=rdma6", true, NULL, NULL },
		{ "[2001:db8::1]:/e", "proto=rdma", false, NULL, NULL },
		{ "192.0.2.1:/e", "proto=rdma", true, NULL, NULL },
		{ "192.0.2.1:/e", "proto=rdma6", true, "ipv4", NULL },
		{ "nas1:/e", "proto=rdma6", true, NULL, NULL },
		{ "nas1:/e", "rdma", true, NULL, NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct view_place place = { .kind = PLACE_FSTAB,
						  .target = (char *)"/srv",
						  .fs_spec = (char *)rows[i].spec,
						  .options = (char *)rows[i].options,
						  .plain = rows[i].plain };
		_cleanup_free_ char *fits = NULL;
		const char *reason = mounts_misfit(&place, &fits);

		SUITE_ROW("%s %s", rows[i].spec, rows[i].options);
		CU_ASSERT_STRING_EQUAL(reason ? reason : "", rows[i].reason ? rows[i].reason : "");
		CU_ASSERT_STRING_EQUAL(fits ? fits : "", rows[i].fits ? rows[i].fits : "");
	}
}

SUITE_MAIN("mounts-audit", TEST(a_transport_of_the_other_ip_version_is_found),
	   TEST(rdma_needs_mountinfo_and_every_connection),
	   TEST(tcp_passes_where_rdma_was_not_requested),
	   TEST(a_mount_that_shares_a_connection_names_the_other_mount),
	   TEST(a_port_that_rdma_mounts_use_requests_rdma),
	   TEST(an_overridden_option_still_requests_rdma),
	   TEST(a_mount_older_than_fstab_has_that_reason), TEST(an_overridden_policy_is_the_reason),
	   TEST(a_policy_option_sets_how_strictly_rdma_is_requested),
	   TEST(an_explicit_request_outweighs_a_port),
	   TEST(nfsmount_conf_applies_where_nothing_overrides_it),
	   TEST(a_server_that_others_reach_over_rdma_is_a_warning),
	   TEST(a_covered_mount_is_not_judged), TEST(sub_mounts_of_rdma_mounts_must_use_rdma),
	   TEST(sub_mounts_of_silent_tcp_do_not_repeat_the_cause),
	   TEST(a_reply_counted_by_an_rdma_connection_is_proof),
	   TEST(an_absent_server_explains_unproven_mounts), TEST(a_hard_mount_waits_forever),
	   TEST(a_process_stuck_on_a_mount_is_named), TEST(a_check_that_could_not_run_is_unknown),
	   TEST(a_new_mount_was_not_checked), TEST(soft_timeouts_must_exceed_the_reconnect_delay),
	   TEST(requested_connections_must_exist),
	   TEST(counted_errors_are_reported_with_their_increase),
	   TEST(reconnecting_after_idleness_is_not_a_loss),
	   TEST(more_connections_than_idleness_explains_are_a_note),
	   TEST(columns_have_the_kernels_names), TEST(too_few_numbers_are_unknown),
	   TEST(short_reads_are_reported_for_rdma_mounts_only), TEST(a_host_without_mounts_passes),
	   TEST(an_incomplete_list_has_a_reason),
	   TEST(failures_among_thousands_of_mounts_are_reported),
	   TEST(failures_beyond_the_limit_are_counted), TEST(the_last_matching_utab_line_applies))
