/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Hooks, with a gate and a journal of this test: what is linked here is found before the real
 * ones. */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "hooks/hook.h"
#include "tests/unit/host-tree.h"
#include "tests/unit/suite.h"

/* --- a gate ----------------------------------------------------------------------------------- */

static const char *unknown;

const char *guard_unknown(const struct guard *guard)
{
	(void)guard;
	return unknown;
}

/* By disk name: 'r' refused, 'u' unknown, 'U' unknown and refused, 'l' with a warning, 's' with
 * a warning and slow; the gate hangs at 'h' and dies at 'x'. */
void guard_ask(const struct guard *guard, const struct guard_disk *disk, struct guard_verdict *out)
{
	(void)guard;
	while (*disk->name == 'h')
		pause();
	if (*disk->name == 'x')
		raise(SIGKILL);
	*out = (struct guard_verdict){ .answer = GUARD_PASS, .id = "gate.transport" };
	if (*disk->name == 'r')
		out->answer = GUARD_REFUSE;
	if (*disk->name == 'u' || *disk->name == 'U')
		out->answer = GUARD_UNKNOWN;
	out->refuse = *disk->name == 'r' || *disk->name == 'U';
	out->loud = *disk->name == 'l' || *disk->name == 's';
	if (*disk->name == 's')
		usleep(700 * 1000);
	if (*disk->name == 'p')
		return;
	snprintf(out->text, sizeof(out->text), "disk %s is\nnowhere", disk->name);
	snprintf(out->remedy, sizeof(out->remedy), "Mount it.");
	snprintf(out->proto, sizeof(out->proto), "tcp");
	out->reason = "not-rdma";
}

/* --- a journal -------------------------------------------------------------------------------- */

static char journal[4096];
static int journal_rc;
static unsigned int journal_calls, journal_ms;

int journal_send(enum journal_event event, const char *who, const char *message,
		 const struct journal_field *fields, size_t nfields)
{
	size_t len = strlen(journal), i;

	journal_calls++;
	usleep(journal_ms * 1000);
	snprintf(journal + len, sizeof(journal) - len, "%d %s: %s", event, who, message);
	for (i = 0; i < nfields; i++) {
		len = strlen(journal);
		if (fields[i].value)
			snprintf(journal + len, sizeof(journal) - len, " %s=%s", fields[i].name,
				 fields[i].value);
	}
	strcat(journal, "\n");
	return journal_rc;
}

static void ask(const char *const *names, size_t count, struct hook_answer *out)
{
	struct guard_disk disks[8];
	size_t i;

	memset(out, 0, sizeof(*out));

	*journal = '\0';
	journal_calls = 0;
	for (i = 0; i < count; i++)
		disks[i] = (struct guard_disk){ .name = names[i], .path = "/a" };
	hook_ask(NULL, &(struct hook_disks){ "hook", "web1", disks, count }, out);
}

#define ASK(out, ...)                             \
	ask((const char *const[]){ __VA_ARGS__ }, \
	    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), out)

static void good_disks_pass_silently(void)
{
	struct hook_answer answer;

	ASK(&answer, "p1", "p2");
	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT_FALSE(answer.failed);
	CU_ASSERT_STRING_EQUAL(answer.text, "");
	CU_ASSERT_STRING_EQUAL(journal, "");
	ask(NULL, 0, &answer);
	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT_STRING_EQUAL(answer.text, "");
}

static void the_first_refusal_is_reported_and_others_counted(void)
{
	struct hook_answer answer;

	ASK(&answer, "p1", "r1");
	CU_ASSERT(answer.refuse);
	CU_ASSERT_STRING_EQUAL(answer.text, "disk r1 is?nowhere. Mount it.");
	ASK(&answer, "r1", "p1", "r2", "U3", "u4");
	CU_ASSERT_STRING_EQUAL(answer.text, "disk r1 is?nowhere (and 2 more disks). Mount it.");
}

static void allowed_disks_that_are_not_good_are_reported(void)
{
	struct hook_answer answer;

	ASK(&answer, "p1", "l1", "l2");
	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT_STRING_EQUAL(answer.text, "disk l1 is?nowhere (and 1 more disk). Mount it.");
	ASK(&answer, "l1", "u1", "l2");
	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT_STRING_EQUAL(answer.text, "disk u1 is?nowhere. Mount it.");
	ASK(&answer, "l1", "u1", "U2");
	CU_ASSERT(answer.refuse);
	CU_ASSERT_STRING_EQUAL(answer.text, "disk U2 is?nowhere. Mount it.");
}

static void all_disks_that_are_not_good_are_in_the_journal(void)
{
	struct hook_answer answer;
	char start[128];

	ASK(&answer, "r1", "p", "u2", "l3");
	CU_ASSERT_EQUAL(journal_calls, 3);
	snprintf(start, sizeof(start),
		 "%d hook: guest web1: disk r1 is?nowhere. Mount it. NFSRDMA_GUEST=web1 ",
		 JOURNAL_GATE_REFUSED);
	ASSERT_STARTS(journal, start);
	ASSERT_CONTAINS(journal,
			" NFSRDMA_DISK=r1 NFSRDMA_TRANSPORT=tcp NFSRDMA_FINDING=gate.transport"
			" NFSRDMA_REASON=not-rdma NFSRDMA_REFUSED=yes");
	snprintf(start, sizeof(start), "\n%d hook: guest web1: disk u2", JOURNAL_GATE_UNKNOWN);
	ASSERT_CONTAINS(journal, start);
	snprintf(start, sizeof(start), "\n%d hook: guest web1: disk l3", JOURNAL_WARNING);
	ASSERT_CONTAINS(journal, start);
}

static void unknown_requirements_are_reported(void)
{
	struct hook_answer answer;
	char start[128];

	unknown = "/etc/libvirt/storage/a.xml:\nno XML";
	ASK(&answer, "p1", "p2");
	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT_FALSE(answer.failed);
	CU_ASSERT_STRING_EQUAL(
		answer.text,
		"some requirements for RDMA are unknown: /etc/libvirt/storage/a.xml:?no XML");
	snprintf(start, sizeof(start), "%d hook: guest web1: some requirements for RDMA",
		 JOURNAL_WARNING);
	ASSERT_STARTS(journal, start);
	CU_ASSERT_EQUAL(journal_calls, 1);
	/* A disk's own finding takes precedence. */
	ASK(&answer, "p1", "l1");
	CU_ASSERT_STRING_EQUAL(answer.text, "disk l1 is?nowhere. Mount it.");
	CU_ASSERT_EQUAL(journal_calls, 2);
	/* Without a disk there is no requirement. */
	ask(NULL, 0, &answer);
	CU_ASSERT_STRING_EQUAL(answer.text, "");
	CU_ASSERT_FALSE(journal_calls);
	unknown = NULL;
}

static void a_blocked_journal_is_not_used_again(void)
{
	struct hook_answer answer;

	journal_rc = -EAGAIN;
	ASK(&answer, "r1", "r2", "r3");
	journal_rc = 0;
	CU_ASSERT_EQUAL(journal_calls, 1);
	CU_ASSERT(answer.refuse);
	CU_ASSERT_FALSE(answer.logged);
	ASSERT_CONTAINS(answer.text, "(and 2 more disks)");
}

/* The time spent on disks does not count against the journal. */
static void a_refusal_after_slow_disks_is_in_the_journal(void)
{
	struct hook_answer answer;

	ASK(&answer, "s1", "l2", "r3", "r4");
	CU_ASSERT(answer.refuse);
	CU_ASSERT(answer.logged);
	CU_ASSERT_EQUAL(journal_calls, 4);
	ASSERT_CONTAINS(journal, "NFSRDMA_DISK=r3");
	ASSERT_CONTAINS(journal, "NFSRDMA_DISK=r4");
}

static void a_slow_journal_still_gets_the_first_refusal(void)
{
	struct hook_answer answer;

	journal_ms = 300;
	ASK(&answer, "l1", "l2", "l3", "r4", "r5");
	journal_ms = 0;
	CU_ASSERT(answer.logged);
	ASSERT_CONTAINS(journal, "NFSRDMA_DISK=l2");
	CU_ASSERT_PTR_NULL(strstr(journal, "NFSRDMA_DISK=l3"));
	ASSERT_CONTAINS(journal, "NFSRDMA_DISK=r4");
	CU_ASSERT_PTR_NULL(strstr(journal, "NFSRDMA_DISK=r5"));
}

static void findings_missing_in_the_journal_are_reported_again(void)
{
	static const struct {
		bool refuse, failed, logged;
		int event; /* -1: none */
		const char *contains;
	} rows[] = {
		{ false, false, false, -1, "" },
		{ true, false, true, -1, "" },
		{ true, false, false, JOURNAL_GATE_REFUSED, "guest web1: why" },
		{ true, true, false, JOURNAL_GATE_REFUSED,
		  "NFSRDMA_FINDING=gate.unknown NFSRDMA_REFUSED=yes" },
		{ false, true, false, JOURNAL_GATE_FAILED,
		  "guest web1 was not checked, and is allowed: why" },
	};
	struct hook_answer answer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		answer = (struct hook_answer){ .refuse = rows[i].refuse,
					       .failed = rows[i].failed,
					       .logged = rows[i].logged,
					       .text = "why" };
		*journal = '\0';
		journal_calls = 0;
		hook_answered("hook", "web1", &answer);
		CU_ASSERT_EQUAL(journal_calls, rows[i].event >= 0);
		if (rows[i].event < 0)
			continue;
		CU_ASSERT_EQUAL(atoi(journal), rows[i].event);
		ASSERT_CONTAINS(journal, rows[i].contains);
	}
}

static void a_failure_of_the_hook_is_reported(void)
{
	*journal = '\0';
	hook_failed("hook", NULL, "no %s\n", "memory");
	ASSERT_CONTAINS(journal, "guest ? was not checked, and is allowed: no memory?");
	CU_ASSERT_EQUAL(atoi(journal), JOURNAL_GATE_FAILED);
}

/* --- the child -------------------------------------------------------------------------------- */

static void refuse(void *arg, struct hook_answer *out)
{
	out->refuse = true;
	snprintf(out->text, sizeof(out->text), "%s", (const char *)arg);
}

static void fail(void *arg, struct hook_answer *out)
{
	refuse(arg, out);
	out->failed = true;
}

static void pass(void *arg, struct hook_answer *out)
{
	(void)arg;
	(void)out;
}

static void hang(void *arg, struct hook_answer *out)
{
	(void)arg;
	(void)out;
	for (;;)
		pause();
}

static void crash(void *arg, struct hook_answer *out)
{
	(void)arg;
	(void)out;
	raise(SIGKILL);
}

static void leave(void *arg, struct hook_answer *out)
{
	(void)arg;
	(void)out;
	_exit(0);
}

static void fill(void *arg, struct hook_answer *out)
{
	(void)arg;
	memset(out->text, 'x', sizeof(out->text));
}

static struct hook_answer run(hook_fn fn, const char *text, unsigned int ms)
{
	struct hook_answer answer;
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	memset(&answer, 0x55, sizeof(answer));
	hook_run(fn, copy, deadline_in(ms), &answer);
	return answer;
}

static void the_answer_of_the_child_arrives(void)
{
	struct hook_answer answer = run(refuse, "no\nway", PATIENCE_MS);

	CU_ASSERT(answer.refuse);
	CU_ASSERT_FALSE(answer.failed);
	CU_ASSERT_STRING_EQUAL(answer.text, "no?way");
	answer = run(pass, "", PATIENCE_MS);
	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT_FALSE(answer.failed);
	CU_ASSERT_STRING_EQUAL(answer.text, "");
}

static void a_failed_child_does_not_refuse(void)
{
	struct hook_answer answer = run(fail, "the policy is broken", PATIENCE_MS);

	CU_ASSERT(answer.failed);
	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT_STRING_EQUAL(answer.text, "the policy is broken");
}

static void a_child_that_hangs_times_out(void)
{
	uint64_t start = now_ms();
	struct hook_answer answer = run(hang, "", 200);

	ASSERT_WITHIN_MS(now_ms() - start, 2000);
	CU_ASSERT(answer.failed);
	CU_ASSERT_FALSE(answer.refuse);
	ASSERT_CONTAINS(answer.text, "timed out");
	/* No process of it is left. */
	CU_ASSERT(no_child_is_left());
}

static void a_child_that_dies_is_a_failure(void)
{
	struct hook_answer answer = run(crash, "", PATIENCE_MS);

	CU_ASSERT(answer.failed);
	CU_ASSERT_FALSE(answer.refuse);
	ASSERT_CONTAINS(answer.text, "signal 9");
	answer = run(leave, "", PATIENCE_MS);
	CU_ASSERT(answer.failed);
	CU_ASSERT_FALSE(answer.refuse);
	ASSERT_CONTAINS(answer.text, "without an answer");
	/* A text without a terminator. */
	answer = run(fill, "", PATIENCE_MS);
	CU_ASSERT(answer.failed);
	CU_ASSERT_FALSE(answer.refuse);
}

/* The disks by name, separated by blanks. */
static void ask_words(void *arg, struct hook_answer *out)
{
	struct guard_disk disks[8];
	char *words = arg, *word;
	size_t n = 0;

	while ((word = strsep(&words, " ")))
		disks[n++] = (struct guard_disk){ .name = word, .path = "/a" };
	hook_ask(NULL, &(struct hook_disks){ "hook", "web1", disks, n }, out);
}

static void a_refusal_outlives_the_child(void)
{
	static const char *const rows[] = { "p r1 h r2", "r1 l r2 x", "u U1 h", "U1 x" };
	struct hook_answer answer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i]);
		answer = run(ask_words, rows[i], 1500);
		CU_ASSERT(answer.refuse);
		CU_ASSERT_FALSE(answer.failed);
		ASSERT_CONTAINS(answer.text, "1 is?nowhere. Mount it.");
		CU_ASSERT(strchr("rU", answer.text[5]));
	}
	/* A child that finishes in time reports everything. */
	answer = run(ask_words, "p r1 r2 r3", PATIENCE_MS);
	CU_ASSERT(answer.refuse);
	ASSERT_CONTAINS(answer.text, "(and 2 more disks)");
	/* Disks that passed so far are not an answer. */
	answer = run(ask_words, "p l1 u1 h", 1500);
	CU_ASSERT(answer.failed);
	CU_ASSERT_FALSE(answer.refuse);
	ASSERT_CONTAINS(answer.text, "timed out");
	answer = run(ask_words, "u1 x", PATIENCE_MS);
	CU_ASSERT(answer.failed);
	CU_ASSERT_FALSE(answer.refuse);
	ASSERT_CONTAINS(answer.text, "signal 9");
}

/* The gate of a host with the policy @conf; NULL: no policy. */
static struct hook_answer run_gate(hook_fn fn, const char *text, const char *conf)
{
	struct hook_answer answer;
	struct tree tree;
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	tree_new(&tree);
	if (conf)
		tree_write(&tree, "etc/nfsrdma.conf.d/a.conf", conf);
	memset(&answer, 0x55, sizeof(answer));
	hook_gate(tree.root, fn, copy, deadline_in(fn == hang ? 700 : PATIENCE_MS), &answer);
	tree_free(&tree);
	return answer;
}

static void failures_are_refused_if_unknown_is_refused(void)
{
	static const char *const confs[] = {
		"[default]\non-unknown = refuse\n",
		"[server nas1]\n\n  on-unknown  =  refuse \n",
		/* Even a broken file says this much. */
		"policy of\non-unknown=refuse\n",
	};
	static const hook_fn fns[] = { fail, hang, crash, leave, fill };
	struct hook_answer answer;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		for (j = 0; j < ARRAY_SIZE(confs); j++) {
			SUITE_ROW("%zu %zu", i, j);
			answer = run_gate(fns[i], "no XML", confs[j]);
			CU_ASSERT(answer.refuse);
			CU_ASSERT(answer.failed);
			CU_ASSERT_FALSE(answer.logged);
			ASSERT_CONTAINS(answer.text, "/etc/nfsrdma.conf.d/a.conf:");
			ASSERT_CONTAINS(answer.text, "has on-unknown = refuse");
		}
	}
	answer = run_gate(fail, "no XML", confs[1]);
	ASSERT_CONTAINS(answer.text, "(no XML), and /etc/nfsrdma.conf.d/a.conf:3 has");
	answer = run_gate(pass, "", confs[0]);
	CU_ASSERT_FALSE(answer.refuse);
	answer = run_gate(ask_words, "p1 r2", confs[0]);
	CU_ASSERT(answer.refuse);
	CU_ASSERT_FALSE(answer.failed);
	CU_ASSERT(answer.logged);
	ASSERT_CONTAINS(answer.text, "disk r2 is?nowhere");
	/* It was decided before the child died. */
	answer = run_gate(ask_words, "r1 x", confs[0]);
	CU_ASSERT(answer.refuse);
	CU_ASSERT_FALSE(answer.failed);
	CU_ASSERT(answer.logged);
}

static void failures_pass_by_default(void)
{
	static const char *const confs[] = {
		NULL,
		"[default]\non-unknown = allow\n",
		"# on-unknown = refuse\n",
		"[default]\npolicy = refuse\n",
		"[default]\non-unknown = refused\n",
	};
	struct hook_answer answer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(confs); i++) {
		SUITE_ROW("%zu: %s", i, confs[i] ? confs[i] : "");
		answer = run_gate(fail, "no XML", confs[i]);
		CU_ASSERT_FALSE(answer.refuse);
		CU_ASSERT(answer.failed);
		CU_ASSERT_STRING_EQUAL(answer.text, "no XML");
	}
}

static void spare_and_ask(void *arg, struct hook_answer *out)
{
	hook_spare(out, "spared");
	ask_words(arg, out);
}

static void spare_and_fail(void *arg, struct hook_answer *out)
{
	hook_spare(out, "spared");
	fail(arg, out);
}

static void spare_and_crash(void *arg, struct hook_answer *out)
{
	hook_spare(out, "spared");
	crash(arg, out);
}

static void an_exempt_guest_is_not_refused(void)
{
	static const char conf[] = "[default]\non-unknown = refuse\n";
	struct hook_answer answer = run_gate(spare_and_ask, "p1 r2", conf);

	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT_FALSE(answer.failed);
	ASSERT_CONTAINS(answer.text, "spared: disk r2 is?nowhere");
	answer = run_gate(spare_and_fail, "no XML", conf);
	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT(answer.failed);
	CU_ASSERT_STRING_EQUAL(answer.text, "no XML");
	answer = run_gate(spare_and_crash, "", conf);
	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT(answer.failed);
}

static void unreadable_input_follows_the_policy_on_unknown(void)
{
	struct hook_answer answer;
	struct tree tree;

	tree_new(&tree);
	hook_unseen(tree.root, "no\ninput", &answer);
	CU_ASSERT(answer.failed);
	CU_ASSERT_FALSE(answer.refuse);
	CU_ASSERT_STRING_EQUAL(answer.text, "no?input");
	tree_write(&tree, "etc/nfsrdma.conf", "[default]\non-unknown = refuse\n");
	hook_unseen(tree.root, "no\ninput", &answer);
	CU_ASSERT(answer.failed);
	CU_ASSERT(answer.refuse);
	ASSERT_CONTAINS(answer.text, "(no?input), and /etc/nfsrdma.conf:2 has");
	tree_free(&tree);
}

/* Descriptors of the child; many more if it writes output. */
static void count_descriptors(void *arg, struct hook_answer *out)
{
	char target[64] = "", path[64];
	unsigned int i, n = 0;

	(void)arg;
	for (i = 0; i < 64; i++)
		if (fcntl((int)i, F_GETFD) >= 0)
			n++;
	for (i = 1; i < 3; i++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%u", i);
		if (readlink(path, target, sizeof(target) - 1) < 0 || strcmp(target, "/dev/null"))
			n += 100;
	}
	snprintf(out->text, sizeof(out->text), "%u", n);
}

static void the_child_inherits_only_stdin(void)
{
	int pair[2] = { -1, -1 };
	struct hook_answer answer;

	CU_ASSERT_EQUAL(pipe(pair), 0);
	answer = run(count_descriptors, "", PATIENCE_MS);
	CU_ASSERT_STRING_EQUAL(answer.text, "4");
	close(pair[0]);
	close(pair[1]);
}

/* In a process of its own, whose stdin, stdout and stderr are closed. */
static void closed_standard_descriptors_are_not_reused(void)
{
	struct hook_answer answer;
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(0);
		close(1);
		close(2);
		answer = run(count_descriptors, "", PATIENCE_MS);
		_exit(!strcmp(answer.text, "4") ? 7 : 1);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT(WIFEXITED(status));
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 7);
}

/* A reader of the hook's stdout must not wait for a child that hangs. */
static void a_child_that_hangs_does_not_block_the_platform(void)
{
	uint64_t start = now_ms();
	int pair[2] = { -1, -1 };
	char byte;
	pid_t pid;

	CU_ASSERT_EQUAL(pipe(pair), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(pair[1], 1);
		close(pair[0]);
		close(pair[1]);
		/* The hook is killed while its child is working. */
		alarm(1);
		run(hang, "", 60000);
		_exit(0);
	}
	close(pair[1]);
	CU_ASSERT_EQUAL(read(pair[0], &byte, 1), 0);
	ASSERT_WITHIN_MS(now_ms() - start, 10000);
	CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
	close(pair[0]);
}

static pid_t *shared;

static void hang_and_say_who(void *arg, struct hook_answer *out)
{
	*shared = getpid();
	hang(arg, out);
}

static void a_child_ends_with_its_parent(void)
{
	uint64_t deadline = deadline_in(PATIENCE_MS);
	pid_t parent, orphan, child;
	int status;

	SKIP_IF_EMULATED("lacks PR_SET_CHILD_SUBREAPER");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	CU_ASSERT_NOT_EQUAL_FATAL(shared, MAP_FAILED);
	*shared = 0;
	/* Its remaining processes are reparented to this one. */
	CU_ASSERT_EQUAL(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	fflush(NULL);
	parent = fork();
	if (!parent) {
		run(hang_and_say_who, "", 60000);
		_exit(0);
	}
	while (!*(volatile pid_t *)shared && deadline_left(deadline))
		usleep(1000);
	child = *shared;
	ASSERT_MORE_FATAL(child, 0);
	CU_ASSERT_EQUAL(kill(parent, SIGKILL), 0);
	CU_ASSERT_EQUAL(waitpid(parent, NULL, 0), parent);
	while (!(orphan = waitpid(child, &status, WNOHANG)) && deadline_left(deadline))
		usleep(1000);
	CU_ASSERT_EQUAL(orphan, child);
	if (!orphan) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	} else {
		CU_ASSERT(WIFSIGNALED(status));
		CU_ASSERT_EQUAL(WTERMSIG(status), SIGKILL);
	}
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	munmap(shared, sizeof(*shared));
}

/* --- input ------------------------------------------------------------------------------------ */

static int read_pipe(const char *text, size_t len, bool end, size_t max, char **out)
{
	int pair[2] = { -1, -1 }, rc;
	size_t got = 0;

	*out = NULL;
	CU_ASSERT_EQUAL(pipe(pair), 0);
	CU_ASSERT_EQUAL(fd_write_all(pair[1], text, len), 0);
	if (end)
		close(pair[1]);
	rc = hook_read(pair[0], max, deadline_in(end ? PATIENCE_MS : 200), out, &got);
	if (!rc) {
		CU_ASSERT_EQUAL(got, len);
		CU_ASSERT_FALSE((*out)[got]);
	}
	close(pair[0]);
	if (!end)
		close(pair[1]);
	return rc;
}

static bool reads_back(const char *text, size_t max)
{
	char *out;
	bool same = !read_pipe(text, strlen(text), true, max, &out) && !strcmp(out, text);

	free(out);
	return same;
}

static void input_is_read_to_its_end(void)
{
	CU_ASSERT(reads_back("abc", 3));
	CU_ASSERT(reads_back("", 0));
}

static void too_much_input_is_refused(void)
{
	size_t len = 0;
	char *out = NULL;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	CU_ASSERT_EQUAL(read_pipe("abcd", 4, true, 3, &out), -EFBIG);
	CU_ASSERT_EQUAL(hook_read(fd, 1000000, deadline_in(PATIENCE_MS), &out, &len), -EFBIG);
	ASSERT_CONTAINS(err_text(), "1000000 bytes");
	CU_ASSERT_PTR_NULL(out);
	/* Any input, at any speed. */
	CU_ASSERT_EQUAL(hook_read(fd, SIZE_MAX / 4, now_ms(), &out, &len), -ETIMEDOUT);
	close(fd);
}

static void endless_input_times_out(void)
{
	uint64_t start = now_ms();
	char *out;

	CU_ASSERT_EQUAL(read_pipe("abc", 3, false, 10, &out), -ETIMEDOUT);
	ASSERT_WITHIN_MS(now_ms() - start, 2000);
	CU_ASSERT_PTR_NULL(out);
}

static void unreadable_input_is_an_error(void)
{
	size_t len = 0;
	char *out = NULL;

	CU_ASSERT_EQUAL(hook_read(-1, 10, deadline_in(50), &out, &len), -ETIMEDOUT);
	CU_ASSERT_EQUAL(hook_read(999, 10, deadline_in(PATIENCE_MS), &out, &len), -EBADF);
}

SUITE_MAIN("hook", TEST(good_disks_pass_silently),
	   TEST(the_first_refusal_is_reported_and_others_counted),
	   TEST(allowed_disks_that_are_not_good_are_reported),
	   TEST(all_disks_that_are_not_good_are_in_the_journal),
	   TEST(unknown_requirements_are_reported), TEST(a_blocked_journal_is_not_used_again),
	   TEST(a_refusal_after_slow_disks_is_in_the_journal),
	   TEST(a_slow_journal_still_gets_the_first_refusal),
	   TEST(findings_missing_in_the_journal_are_reported_again),
	   TEST(failures_are_refused_if_unknown_is_refused), TEST(failures_pass_by_default),
	   TEST(an_exempt_guest_is_not_refused),
	   TEST(unreadable_input_follows_the_policy_on_unknown),
	   TEST(a_failure_of_the_hook_is_reported), TEST(the_answer_of_the_child_arrives),
	   TEST(a_failed_child_does_not_refuse), TIMED(a_child_that_hangs_times_out),
	   TEST(a_child_that_dies_is_a_failure), TEST(a_refusal_outlives_the_child),
	   TEST(the_child_inherits_only_stdin), TEST(closed_standard_descriptors_are_not_reused),
	   TIMED(a_child_that_hangs_does_not_block_the_platform),
	   TEST(a_child_ends_with_its_parent), TEST(input_is_read_to_its_end),
	   TEST(too_much_input_is_refused), TIMED(endless_input_times_out),
	   TEST(unreadable_input_is_an_error))
