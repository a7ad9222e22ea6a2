/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which reason an error of the probe becomes, and that each finding that passes it on explains
 * it. */
#include <signal.h>
#include <sys/socket.h>

#include "plugin/report/report.h"
#include "tests/unit/probe-peer.h"

static bool is_explained(const char *id, const char *reason)
{
	const struct meaning *meaning = meaning_find(id);

	return meaning && meaning_reason(meaning, reason);
}

static void an_nfs_error_gives_its_reason(void)
{
	static const struct {
		uint32_t status;
		int rc;
		const char *reason;
	} rows[] = {
		{ NFS4ERR_WRONGSEC, -EACCES, "kerberos" }, { NFS4ERR_ACCESS, -EACCES, "denied" },
		{ NFS4ERR_PERM, -EACCES, "denied" },       { NFS4ERR_NOENT, -ENOENT, "not-found" },
		{ NFS4ERR_STALE, -ESTALE, "stale" },       { NFS4ERR_GRACE, -EAGAIN, "grace" },
		{ NFS4ERR_DELAY, -EAGAIN, "busy" },        { NFS4ERR_BADSESSION, -EIO, "status" },
	};
	const struct nfs_version *version = nfs_version_find("4.1");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].reason);
		CU_ASSERT_EQUAL(operation_error(version, rows[i].status), rows[i].rc);
		CU_ASSERT_STRING_EQUAL(err_reason(), rows[i].reason);
		CU_ASSERT_STRING_EQUAL(probe_reason(rows[i].rc), rows[i].reason);
		CU_ASSERT_TRUE(is_explained("probe.root", rows[i].reason));
	}
}

static void a_call_without_an_answer_gives_its_reason(void)
{
	static const struct {
		int rc;
		const char *reason;
	} rows[] = {
		{ -ETIMEDOUT, "no-reply" }, { -ECONNRESET, "no-reply" }, { -ECANCELED, "no-reply" },
		{ -EBADE, "rdma-error" },   { -EAGAIN, "busy" },         { -ENOMEM, "local" },
		{ -EBADMSG, "malformed" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", strerrorname_np(-rows[i].rc));
		/* "refused" is the reason of a connection, never of an operation. */
		err_because(err_set(-rows[i].rc, "made up"), "refused");
		CU_ASSERT_STRING_EQUAL(probe_reason(rows[i].rc), rows[i].reason);
	}
}

static void an_rpc_error_gives_its_reason(void)
{
	const struct rpc_reply denied = { .reply_stat = RPC_MSG_DENIED,
					  .reject_stat = RPC_AUTH_ERROR,
					  .auth_stat = 5 };

	CU_ASSERT_EQUAL(rpc_reply_check(&denied), -EACCES);
	CU_ASSERT_STRING_EQUAL(probe_reason(-EACCES), "rpc-error");
}

/* A reason that a finding does not explain is dropped, and the report lacks it. */
static void findings_explain_every_reason_they_carry(void)
{
	static const struct {
		const char *id;
		const char *reasons[16];
	} rows[] = {
		{ "probe.null",
		  { "silent", "closed", "no-nfs", "rdma-error", "malformed", "rpc-error",
		    "no-reply", "local" } },
		{ "probe.session",
		  { "grace", "busy", "status", "denied", "kerberos", "rpc-error", "no-reply",
		    "rdma-error", "malformed", "local" } },
		{ "probe.root",
		  { "grace", "busy", "status", "denied", "kerberos", "rpc-error", "no-reply",
		    "rdma-error", "malformed", "not-found", "stale", "symlink" } },
		{ "probe.mount",
		  { "grace", "busy", "status", "denied", "rpc-error", "no-reply", "rdma-error",
		    "malformed", "not-found", "stale", "symlink" } },
		{ "probe.fsinfo",
		  { "grace", "busy", "status", "denied", "no-reply", "rdma-error", "malformed",
		    "stale", "zero" } },
		{ "probe.file",
		  { "grace", "busy", "status", "denied", "no-reply", "rdma-error", "malformed",
		    "stale", "not-regular" } },
		{ "probe.readdir",
		  { "no-reply", "busy", "grace", "local", "time", "error", "differs" } },
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (j = 0; rows[i].reasons[j]; j++) {
			SUITE_ROW("%s/%s", rows[i].id, rows[i].reasons[j]);
			CU_ASSERT_TRUE(is_explained(rows[i].id, rows[i].reasons[j]));
		}
}

static void the_end_of_the_worker_gives_its_reason(void)
{
	static const struct {
		struct child_end end;
		int rc;
		bool lost;
		const char *reason;
	} rows[] = {
		{ { .fate = CHILD_SIGNALLED, .status = SIGSEGV }, -EPROTO, false, "crashed" },
		{ { .fate = CHILD_SIGNALLED, .status = SIGKILL }, -EPROTO, false, "killed" },
		{ { .fate = CHILD_UNKNOWN }, -ETIMEDOUT, false, "deadline" },
		{ { .fate = CHILD_UNKNOWN }, -ENOMEM, false, "no-memory" },
		{ { .fate = CHILD_EXITED }, -EPROTO, false, "lost-records" },
		{ { .fate = CHILD_UNKNOWN }, -EPROTO, true, "lost-records" },
		{ { .fate = CHILD_EXITED, .status = 1 }, -EPROTO, false, "protocol" },
		{ { .fate = CHILD_UNKNOWN }, -EPROTO, false, "protocol" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].reason);
		CU_ASSERT_STRING_EQUAL(parent_reason(&rows[i].end, rows[i].lost, rows[i].rc),
				       rows[i].reason);
		CU_ASSERT_TRUE(is_explained("probe.worker", rows[i].reason));
	}
}

static void a_broken_rule_of_the_transport_gives_its_reason(void)
{
	static const struct {
		int rc;
		enum transport_breach breach;
		const char *reason;
	} rows[] = {
		{ -EPROTO, BREACH_CRC, "checksum" },
		{ -EPROTO, BREACH_MEMORY, "foreign-memory" },
		{ -EPROTO, BREACH_FRAME, "frame" },
		{ -EREMOTEIO, BREACH_FRAME, "terminated" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].reason);
		CU_ASSERT_STRING_EQUAL(session_breach(rows[i].rc, rows[i].breach), rows[i].reason);
		CU_ASSERT_TRUE(is_explained("probe.transport", rows[i].reason));
	}
}

/* What a worker sends to its parent. */
static struct finding heard[32];
static unsigned int nheard;

static void hear(int channel)
{
	static uint8_t body[WORKER_RECORD_MAX];
	int fd, type;
	ssize_t n;

	for (nheard = 0; nheard < ARRAY_SIZE(heard); nheard++) {
		n = channel_receive(channel, &type, body, sizeof(body), &fd);
		if (n <= 0)
			break;
		CU_ASSERT_EQUAL(type, WORKER_FINDING);
		CU_ASSERT_EQUAL(finding_decode(&heard[nheard], body, (size_t)n), n);
	}
}

static const char *reason_of(const char *id)
{
	unsigned int i;

	for (i = 0; i < nheard; i++)
		if (!strcmp(heard[i].id, id)) {
			CU_ASSERT_TRUE(!*heard[i].reason || is_explained(id, heard[i].reason));
			return heard[i].reason;
		}
	return "no such finding";
}

static void tell(struct probe *probe)
{
	int ends[2];

	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	probe->channel.fd = ends[0];
	target_behaviour(probe);
	close(ends[0]);
	hear(ends[1]);
	close(ends[1]);
}

static void a_connection_failure_gives_its_reason(void)
{
	static const struct {
		struct refusals refused;
		const char *reason;
	} rows[] = {
		{ { .calls = 9, .errors = 1 }, "at-times" },
		{ { .calls = 9, .errors = 4, .lasting = 1, .plain = 1 }, "every-time" },
		{ { .calls = 9, .errors = 5, .lasting = 1, .recovered = 1 }, "mixed" },
	};
	struct probe probe = { .version = nfs_version_find("4.1") };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].reason);
		probe.behaviour.refused = rows[i].refused;
		tell(&probe);
		CU_ASSERT_STRING_EQUAL(reason_of("probe.reply.error"), rows[i].reason);
	}
	/* Findings that pass have none. */
	CU_ASSERT_STRING_EQUAL(reason_of("probe.reply.xid"), "");
	probe.client.made = 2;
	probe.client.lost = 1;
	probe.client.lost_status = NFS4ERR_BADSESSION;
	probe.behaviour.lost = (struct call_failures){ .count = 1, .beside_write_chunks = 1 };
	probe.session.device_gone = true;
	tell(&probe);
	CU_ASSERT_STRING_EQUAL(reason_of("probe.session.kept"), "forgotten");
	CU_ASSERT_STRING_EQUAL(reason_of("probe.reply.lost"), "no-reply");
	CU_ASSERT_STRING_EQUAL(reason_of("probe.device"), "removed");
}

static void a_server_that_accepts_no_connection_is_reported(void)
{
	open_probe("4.0", PROBE_QUICK, 0);
	session_drop(p);
	server_kill_p(&server);
	p->deadline = deadline_in(300);
	CU_ASSERT_EQUAL(session_ready(p), -ECONNREFUSED);
	CU_ASSERT_STRING_EQUAL(p->behaviour.closed.reason, "no-new-connection");
	CU_ASSERT_TRUE(is_explained("probe.connection", p->behaviour.closed.reason));
	close_probe();
}

SUITE_MAIN("reasons", TEST(an_nfs_error_gives_its_reason),
	   TEST(a_call_without_an_answer_gives_its_reason), TEST(an_rpc_error_gives_its_reason),
	   TEST(findings_explain_every_reason_they_carry),
	   TEST(the_end_of_the_worker_gives_its_reason),
	   TEST(a_broken_rule_of_the_transport_gives_its_reason),
	   TEST(a_connection_failure_gives_its_reason),
	   TEST(a_server_that_accepts_no_connection_is_reported))
