/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The common part of the hooks of all platforms.
 *
 * A platform waits for its hook, and until all copies of the hook's stdout and stderr are closed. So
 * a child without them does the work (CHILD_GATE), and answers by records, of which the last one
 * counts. The parent does not wait for the child's end: if it hangs in the kernel, even SIGKILL may
 * have no effect for a long time, and it is left behind. */
#include <ctype.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>

#include "hooks/hook.h"
#include "rpcrdma/child/child.h"

/* Time for a child to end after its answer. */
#define REAP_MS 100
/* Time for the journal, for all entries of one guest. */
#define JOURNAL_MS 500

enum record_kind {
	RECORD_STRICT, /* text: file and line of on-unknown = refuse; "" no longer applies */
	RECORD_EARLY, /* the answer so far */
	RECORD_LAST,
};

struct record {
	uint8_t kind;
	uint8_t refuse, failed, logged;
	char text[HOOK_TEXT_MAX];
};

static void fail_with(struct hook_answer *out, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void fail_with(struct hook_answer *out, const char *fmt, ...)
{
	va_list ap;

	*out = (struct hook_answer){ .failed = true };
	va_start(ap, fmt);
	vsnprintf(out->text, sizeof(out->text), fmt, ap);
	va_end(ap);
	finding_clean(out->text);
}

/* --- the child ------------------------------------------------------------------------------ */

static int send_record(const struct hook_answer *answer, int channel,
		       enum record_kind kind)
{
	struct record record = { .kind = (uint8_t)kind,
				 .refuse = answer->refuse,
				 .failed = answer->failed,
				 .logged = answer->logged };

	memcpy(record.text, answer->text, sizeof(record.text));
	return child_answer(channel, &record, sizeof(record));
}

struct hook_task {
	hook_fn fn;
	void *arg;
	bool gate;
	const char *root;
};

/* Whether @root's policy refuses what is unknown; @from: the file and line. */
static bool is_strict(const char *root, char from[POLICY_FROM_MAX])
{
	_cleanup_(host_close_p) struct host *host = NULL;

	return !host_open(&host, root) && policy_refuses_unknown(host, from);
}

/* Sent before anything that may fail or hang. */
static void send_strict(const struct hook_task *task, int channel)
{
	struct hook_answer answer = { .refuse = false };
	char from[POLICY_FROM_MAX];

	if (!task->gate || !is_strict(task->root, from))
		return;
	snprintf(answer.text, sizeof(answer.text), "%s", from);
	send_record(&answer, channel, RECORD_STRICT);
}

static int hook_work(void *arg, int channel)
{
	const struct hook_task *task = arg;
	struct hook_answer answer = { .early = channel };

	send_strict(task, channel);
	task->fn(task->arg, &answer);
	return send_record(&answer, channel, RECORD_LAST);
}

/* --- the parent ------------------------------------------------------------------------- */

/* Receives one record: 0; -EPIPE the child closed its end; -ETIMEDOUT. */
static int receive(const struct child *child, struct record *record, uint64_t deadline)
{
	uint8_t body[CHANNEL_FAILED_MAX > sizeof(*record) ? CHANNEL_FAILED_MAX
							  : sizeof(*record)];
	int type, passed;
	ssize_t n;

	do
		n = child_receive(child, &type, body, sizeof(body), &passed, deadline);
	while (n == -EINTR);
	if (n < 0)
		return (int)n;
	memcpy(record, body, sizeof(*record));
	return type == CHANNEL_ANSWER && n == sizeof(*record) &&
			       memchr(record->text, '\0', sizeof(record->text))
		       ? 0
		       : -EPROTO;
}

/* What was received. */
struct heard {
	struct record record;         /* the last one, or an early one */
	char strict[POLICY_FROM_MAX]; /* "" the policy does not refuse what is unknown */
};

/* Receives all records. Errors: as above; *@out has the earlier ones then. */
static int receive_all(const struct child *child, struct heard *out, uint64_t deadline)
{
	struct record record = { .kind = RECORD_EARLY };
	int rc = 0;

	while (!rc && record.kind != RECORD_LAST) {
		rc = receive(child, &record, deadline);
		if (!rc && record.kind == RECORD_STRICT)
			text_copy(out->strict, sizeof(out->strict), record.text);
		else if (!rc)
			out->record = record;
	}
	return rc;
}

static void say_lost(const struct child_end *end, struct hook_answer *out)
{
	if (end->fate == CHILD_SIGNALLED && !end->forced)
		fail_with(out, "the checking process was killed by signal %d",
			  end->status);
	else
		fail_with(out, "the checking process exited without an answer");
}

/* After a failure every disk is unknown. */
static void be_strict(const char *from, struct hook_answer *out)
{
	char why[HOOK_TEXT_MAX];

	strcpy(why, out->text);
	out->refuse = true;
	snprintf(
		out->text, sizeof(out->text),
		"it is unknown whether the guest's disks are on RDMA (%.500s), and %s has on-unknown = refuse. "
		"Run 'nfsrdma explain gate.unknown'.",
		why, from);
	finding_clean(out->text);
}

static void take_answer(struct child *child, uint64_t deadline, struct hook_answer *out)
{
	struct heard heard = { .strict = "" };
	const struct record *record = &heard.record;
	int rc = receive_all(child, &heard, deadline);
	char text[ERR_TEXT_MAX];
	struct child_end end;

	snprintf(text, sizeof(text), "%s", err_text());
	/* A child that has answered, or closed its end, is about to exit; another one is killed,
	 * with a short wait, because the platform waits. */
	if (rc && rc != -EPIPE)
		child_kill(child);
	if (!child_reap(child, deadline_in(REAP_MS), &end))
		child_kill(child);
	child_close(child);
	if (rc == -ETIMEDOUT && !record->refuse) {
		fail_with(out, "timed out");
		if (end.fate == CHILD_LEFT)
			fail_with(out, "timed out; the checking process %s",
				  child_end_text(&end, text, sizeof(text)));
	} else if (rc == -EPIPE && !record->refuse) {
		say_lost(&end, out);
	} else if (rc && !record->refuse) {
		fail_with(out, "%.500s", text);
	} else {
		out->refuse = record->refuse == 1 && record->failed != 1;
		out->failed = record->failed == 1;
		out->logged = record->logged == 1;
		memcpy(out->text, record->text, sizeof(out->text));
		finding_clean(out->text);
	}
	if (out->failed && *heard.strict)
		be_strict(heard.strict, out);
}

void hook_unseen(const char *root, const char *why, struct hook_answer *out)
{
	char from[POLICY_FROM_MAX];

	fail_with(out, "%.500s", why);
	if (is_strict(root, from))
		be_strict(from, out);
}

static void run_task(struct hook_task *task, uint64_t deadline, struct hook_answer *out)
{
	const struct child_function function = { .kind = CHILD_GATE,
						 .name = "the checking process",
						 .run = hook_work,
						 .arg = task };
	char why[ERR_TEXT_MAX];
	struct child child;
	pid_t pid;

	*out = (struct hook_answer){ .refuse = false };
	if (child_start(&child, &function)) {
		snprintf(why, sizeof(why), "%s", err_text());
		if (task->gate)
			hook_unseen(task->root, why, out);
		else
			fail_with(out, "%.500s", why);
		return;
	}
	pid = child.pid;
	take_answer(&child, deadline, out);
	debug(DEBUG_GATE, "process %d %s, %d ms before its deadline: %s", (int)pid,
	      out->failed   ? "failed"
	      : out->refuse ? "refuses"
			    : "allows",
	      deadline_left(deadline), out->text);
}

void hook_run(hook_fn fn, void *arg, uint64_t deadline, struct hook_answer *out)
{
	struct hook_task task = { .fn = fn, .arg = arg };

	run_task(&task, deadline, out);
}

void hook_gate(const char *root, hook_fn fn, void *arg, uint64_t deadline,
	       struct hook_answer *out)
{
	struct hook_task task = { .fn = fn, .arg = arg, .gate = true, .root = root };

	run_task(&task, deadline, out);
}

/* --- input ------------------------------------------------------------------------------------ */

/* Grows the buffer, to at most @max + 1 bytes: the last one shows that the input is longer. */
static int grow(char **buf, size_t *room, size_t max)
{
	size_t more = *room ? 2 * *room : 64 * 1024;
	char *grown;

	more = more > max + 2 ? max + 2 : more;
	grown = realloc(*buf, more);
	if (!grown)
		return err_set(ENOMEM, "no memory");
	*buf = grown;
	*room = more;
	return 0;
}

/* Returns the number of bytes; 0 at the end. */
static ssize_t read_some(int fd, char *buf, size_t room, uint64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n;

	do {
		if (!deadline_left(deadline) ||
		    !(n = poll(&pfd, 1, deadline_left(deadline))))
			return err_set(ETIMEDOUT, "the input did not end in time");
		if (n > 0)
			n = read(fd, buf, room);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	return n < 0 ? err_sys("the input") : n;
}

int hook_read(int fd, size_t max, uint64_t deadline, char **out, size_t *len)
{
	_cleanup_free_ char *buf = NULL;
	size_t have = 0, room = 0;
	ssize_t n = 1;
	int rc = 0;

	while (n > 0) {
		if (room - have < 2)
			rc = grow(&buf, &room, max);
		if (rc)
			return rc;
		n = read_some(fd, buf + have, room - have - 1, deadline);
		if (n < 0)
			return (int)n;
		have += (size_t)n;
		if (have > max)
			return err_set(EFBIG, "the input is longer than %zu bytes", max);
	}
	buf[have] = '\0';
	*out = take_ptr(buf);
	*len = have;
	return 0;
}

/* --- the gate --------------------------------------------------------------------------------- */

/* @more: the number of other disks with the same problem. */
static void sentence(const struct guard_verdict *verdict, size_t more,
		     char buf[HOOK_TEXT_MAX])
{
	char others[64] = "";

	if (more)
		snprintf(others, sizeof(others), " (and %zu more disk%s)", more,
			 more == 1 ? "" : "s");
	/* The remedy ends with a full stop, the text does not. */
	snprintf(buf, HOOK_TEXT_MAX, "%s%s%s%s", verdict->text, others,
		 *verdict->remedy ? ". " : "", verdict->remedy);
	finding_clean(buf);
}

static int log_verdict(const char *who, const char *guest, const struct guard_disk *disk,
		       const struct guard_verdict *verdict)
{
	const struct journal_field fields[] = {
		{ "NFSRDMA_GUEST", guest },
		{ "NFSRDMA_DISK", disk->name },
		{ "NFSRDMA_POOL", disk->pool },
		{ "NFSRDMA_PATH", journal_value(verdict->path) },
		{ "NFSRDMA_TARGET", journal_value(verdict->target) },
		{ "NFSRDMA_SPEC", journal_value(verdict->fs_spec) },
		{ "NFSRDMA_TRANSPORT", journal_value(verdict->proto) },
		{ "NFSRDMA_WANTED_BY", journal_value(verdict->by) },
		{ "NFSRDMA_FINDING", journal_value(verdict->id) },
		{ "NFSRDMA_REASON", journal_value(verdict->reason) },
		{ "NFSRDMA_REFUSED", verdict->refuse ? "yes" : "no" },
		{ "NFSRDMA_REMEDY", journal_value(verdict->remedy) },
	};
	enum journal_event event = verdict->answer == GUARD_REFUSE ? JOURNAL_GATE_REFUSED
				   : verdict->answer == GUARD_UNKNOWN
					   ? JOURNAL_GATE_UNKNOWN
					   : JOURNAL_WARNING;
	char text[HOOK_TEXT_MAX], message[HOOK_TEXT_MAX + 256];

	sentence(verdict, 0, text);
	snprintf(message, sizeof(message), "guest %.200s: %s", guest ? guest : "?", text);
	finding_clean(message);
	return journal_send(event, who, message, fields, ARRAY_SIZE(fields));
}

/* The most important answer about a guest's disks is reported. */
enum rank { RANK_GOOD, RANK_LOUD, RANK_UNKNOWN, RANK_REFUSED };

static enum rank rank_of(const struct guard_verdict *verdict)
{
	if (verdict->refuse)
		return RANK_REFUSED;
	if (verdict->answer == GUARD_UNKNOWN)
		return RANK_UNKNOWN;
	return verdict->loud ? RANK_LOUD : RANK_GOOD;
}

/* The answer about a later disk may never come, if its server hangs. */
static void tell_early(const struct guard_verdict *verdict, const struct hook_answer *out)
{
	struct hook_answer early = { .refuse = true, .logged = out->logged };

	if (!verdict->refuse || !out->early)
		return;
	sentence(verdict, 0, early.text);
	send_record(&early, out->early, RECORD_EARLY);
}

void hook_spare(struct hook_answer *out, const char *what)
{
	const struct hook_answer lenient = { .refuse = false };

	out->spare = what;
	if (out->early)
		send_record(&lenient, out->early, RECORD_STRICT);
}

static void pass_loudly(struct guard_verdict *verdict, const char *why)
{
	char reason[GUARD_TEXT_MAX];

	if (!verdict->refuse)
		return;
	text_copy(reason, sizeof(reason), verdict->text);
	snprintf(verdict->text, sizeof(verdict->text), "%s: %.400s", why, reason);
	verdict->refuse = false;
	verdict->loud = true;
	if (verdict->answer == GUARD_REFUSE)
		verdict->answer = GUARD_PASS;
}

/* A slow journal must not delay the answer; the time for disks is not limited here. */
struct patience {
	uint64_t spent_ms;
	bool deaf;
};

/* An unreadable requirement is not enforced. */
static void log_unknown(const char *who, const char *guest, const char *why,
			struct patience *patience, struct hook_answer *out)
{
	const struct journal_field fields[] = { { "NFSRDMA_GUEST", guest } };
	char message[HOOK_TEXT_MAX + 256];
	uint64_t start = now_ms();

	snprintf(out->text, sizeof(out->text),
		 "some requirements for RDMA are unknown: %.500s", why);
	finding_clean(out->text);
	snprintf(message, sizeof(message), "guest %.200s: %s", guest ? guest : "?",
		 out->text);
	finding_clean(message);
	patience->deaf = journal_send(JOURNAL_WARNING, who, message, fields,
				      ARRAY_SIZE(fields)) != 0;
	patience->spent_ms += now_ms() - start;
}

/* The first refusal is always logged, however long the others took; hook_answered() tries again if
 * that failed. */
static void log_disk(const char *who, const char *guest, const struct guard_disk *disk,
		     const struct guard_verdict *verdict, struct patience *patience,
		     struct hook_answer *out)
{
	bool first = verdict->refuse && !out->logged;
	uint64_t start = now_ms();

	if (patience->deaf || (!first && patience->spent_ms >= JOURNAL_MS))
		return;
	patience->deaf = log_verdict(who, guest, disk, verdict) != 0;
	patience->spent_ms += now_ms() - start;
	if (!first || patience->deaf)
		return;
	out->logged = true;
	tell_early(verdict, out);
}

void hook_ask(const char *who, const char *guest, const struct guard *guard,
	      const struct guard_disk *disks, size_t ndisks, struct hook_answer *out)
{
	struct guard_verdict verdict, worst = { .answer = GUARD_PASS };
	const char *unknown = ndisks ? guard_unknown(guard) : NULL;
	struct patience patience = { 0, false };
	size_t same = 0, i;

	*out = (struct hook_answer){ .early = out->early, .spare = out->spare };
	debug(DEBUG_GATE, "guest %s: %zu disk%s", guest ? guest : "?", ndisks,
	      ndisks == 1 ? "" : "s");
	if (unknown)
		log_unknown(who, guest, unknown, &patience, out);
	for (i = 0; i < ndisks; i++) {
		guard_ask(guard, &disks[i], &verdict);
		if (out->spare)
			pass_loudly(&verdict, out->spare);
		if (rank_of(&verdict) == RANK_GOOD)
			continue;
		if (rank_of(&verdict) > rank_of(&worst)) {
			worst = verdict;
			same = 1;
			tell_early(&worst, out);
		} else if (rank_of(&verdict) == rank_of(&worst)) {
			same++;
		}
		log_disk(who, guest, &disks[i], &verdict, &patience, out);
	}
	out->refuse = worst.refuse;
	if (same)
		sentence(&worst, same - 1, out->text);
}

void hook_answered(const char *who, const char *guest, const struct hook_answer *answer)
{
	const struct journal_field fields[] = {
		{ "NFSRDMA_GUEST", guest },
		{ "NFSRDMA_FINDING", answer->failed ? "gate.unknown" : NULL },
		{ "NFSRDMA_REFUSED", "yes" },
	};
	char message[HOOK_TEXT_MAX + 300];

	if (!answer->refuse && answer->failed)
		hook_failed(who, guest, "%s", answer->text);
	if (!answer->refuse || answer->logged)
		return;
	snprintf(message, sizeof(message), "guest %.200s: %s", guest ? guest : "?",
		 answer->text);
	finding_clean(message);
	journal_send(JOURNAL_GATE_REFUSED, who, message, fields, ARRAY_SIZE(fields));
}

void hook_failed(const char *who, const char *guest, const char *fmt, ...)
{
	const struct journal_field fields[] = { { "NFSRDMA_GUEST", guest } };
	char why[HOOK_TEXT_MAX], message[HOOK_TEXT_MAX + 300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	snprintf(message, sizeof(message),
		 "guest %.200s was not checked, and is allowed: %s", guest ? guest : "?",
		 why);
	finding_clean(message);
	journal_send(JOURNAL_GATE_FAILED, who, message, fields, ARRAY_SIZE(fields));
}

/* --- VDSM ------------------------------------------------------------------------------------- */

static bool is_uuid(const char *text)
{
	size_t i;

	for (i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return false;
	}
	return !text[i];
}

/* VDSM keeps the flags of a guest that it starts in a file, from before the hooks until libvirt has
 * started it (lib/vdsm/common/hooks.py). A restore has no such file. */
bool hook_vdsm_restores(const struct host *host, const char *uuid)
{
	char path[80];

	if (!uuid || !is_uuid(uuid))
		return false;
	snprintf(path, sizeof(path), "run/vdsm/%.36s/launchflags", uuid);
	return host_exists(host, path) == -ENOENT;
}
