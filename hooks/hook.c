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

enum hook_record_kind {
	RECORD_STRICT, /* text: file and line of on-unknown = refuse; "" no longer applies */
	RECORD_EARLY,  /* the answer so far */
	RECORD_LAST,
};

struct hook_record {
	uint8_t kind;
	uint8_t refuse, failed, logged;
	char text[HOOK_TEXT_MAX];
};

static void hook_fail_with(struct hook_answer *out, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void hook_fail_with(struct hook_answer *out, const char *fmt, ...)
{
	va_list ap;

	*out = (struct hook_answer){ .failed = true };
	va_start(ap, fmt);
	vsnprintf(out->text, sizeof(out->text), fmt, ap);
	va_end(ap);
	finding_clean(out->text);
}

/* --- the child ------------------------------------------------------------------------------ */

static int hook_send_record(const struct hook_answer *answer, int channel,
			    enum hook_record_kind kind)
{
	struct hook_record record = { .kind = (uint8_t)kind,
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
static bool hook_is_strict(const char *root, char from[POLICY_FROM_MAX])
{
	_cleanup_(host_close_p) struct host *host = NULL;

	return !host_open(&host, root) && policy_refuses_unknown(host, from);
}

static int hook_child(void *arg, int channel)
{
	const struct hook_task *task = arg;
	struct hook_answer answer = { .early = channel }, strict = { .refuse = false };
	char from[POLICY_FROM_MAX];

	/* Sent before anything that may fail or hang. */
	if (task->gate && hook_is_strict(task->root, from)) {
		str_copy(strict.text, sizeof(strict.text), from);
		hook_send_record(&strict, channel, RECORD_STRICT);
	}
	task->fn(task->arg, &answer);
	return hook_send_record(&answer, channel, RECORD_LAST);
}

/* --- the parent ------------------------------------------------------------------------- */

struct hook_received {
	struct hook_record record;    /* the last one, or an early one */
	char strict[POLICY_FROM_MAX]; /* "" the policy does not refuse what is unknown */
};

/* Receives all records: 0; -EPIPE the child closed its end; -ETIMEDOUT; -EPROTO. *@out has the
 * earlier ones then. */
static int hook_receive(const struct child *child, struct hook_received *out, uint64_t deadline)
{
	uint8_t body[CHANNEL_FAILED_MAX > sizeof(struct hook_record) ? CHANNEL_FAILED_MAX
								     : sizeof(struct hook_record)];
	struct hook_record record;
	int type;
	ssize_t n;

	for (;;) {
		n = child_receive(child, &type, body, sizeof(body), deadline);
		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		memcpy(&record, body, sizeof(record));
		if (type != CHANNEL_ANSWER || n != sizeof(record) ||
		    !memchr(record.text, '\0', sizeof(record.text)))
			return err_set(EPROTO, "the checking process sent an invalid answer");
		if (record.kind == RECORD_STRICT)
			text_copy(out->strict, sizeof(out->strict), record.text);
		else
			out->record = record;
		if (record.kind == RECORD_LAST)
			return 0;
	}
}

/* After a failure every disk is unknown. */
static void hook_refuse_unknown(const char *from, struct hook_answer *out)
{
	char why[HOOK_TEXT_MAX];

	str_copy(why, sizeof(why), out->text);
	out->refuse = true;
	snprintf(
		out->text, sizeof(out->text),
		"it is unknown whether the guest's disks are on RDMA (%.500s), and %s has on-unknown = refuse. "
		"Run 'nfsrdma explain gate.unknown'.",
		why, from);
	finding_clean(out->text);
}

static void hook_take_answer(struct child *child, uint64_t deadline, struct hook_answer *out)
{
	struct hook_received received = { .strict = "" };
	const struct hook_record *record = &received.record;
	int rc = hook_receive(child, &received, deadline);
	char text[ERR_TEXT_MAX];
	struct child_end end;

	str_copy(text, sizeof(text), err_text());
	/* A child that has answered, or closed its end, is about to exit; another one is killed,
	 * with a short wait, because the platform waits. */
	if (rc && rc != -EPIPE)
		child_kill(child);
	if (!child_reap(child, deadline_in(REAP_MS), &end))
		child_kill(child);
	child_close(child);
	if (rc == -ETIMEDOUT && !record->refuse) {
		hook_fail_with(out, "timed out");
		if (end.fate == CHILD_LEFT)
			hook_fail_with(out, "timed out; the checking process %s",
				       child_end_text(&end, text, sizeof(text)));
	} else if (rc == -EPIPE && !record->refuse) {
		if (end.fate == CHILD_SIGNALLED && !end.forced)
			hook_fail_with(out, "the checking process was killed by signal %d",
				       end.status);
		else
			hook_fail_with(out, "the checking process exited without an answer");
	} else if (rc && !record->refuse) {
		hook_fail_with(out, "%.500s", text);
	} else {
		out->refuse = record->refuse == 1 && record->failed != 1;
		out->failed = record->failed == 1;
		out->logged = record->logged == 1;
		memcpy(out->text, record->text, sizeof(out->text));
		finding_clean(out->text);
	}
	if (out->failed && *received.strict)
		hook_refuse_unknown(received.strict, out);
}

void hook_unseen(const char *root, const char *why, struct hook_answer *out)
{
	char from[POLICY_FROM_MAX];

	hook_fail_with(out, "%.500s", why);
	if (hook_is_strict(root, from))
		hook_refuse_unknown(from, out);
}

static void hook_run_task(struct hook_task *task, uint64_t deadline, struct hook_answer *out)
{
	const struct child_function function = {
		.kind = CHILD_GATE, .name = "the checking process", .run = hook_child, .arg = task
	};
	char why[ERR_TEXT_MAX];
	struct child child;
	pid_t pid;

	*out = (struct hook_answer){ .refuse = false };
	if (child_start(&child, &function)) {
		str_copy(why, sizeof(why), err_text());
		if (task->gate)
			hook_unseen(task->root, why, out);
		else
			hook_fail_with(out, "%.500s", why);
		return;
	}
	pid = child.pid;
	hook_take_answer(&child, deadline, out);
	debug(DEBUG_GATE, "process %d %s, %d ms before its deadline: %s", (int)pid,
	      out->failed   ? "failed"
	      : out->refuse ? "refuses"
			    : "allows",
	      deadline_left(deadline), out->text);
}

void hook_run(hook_fn fn, void *arg, uint64_t deadline, struct hook_answer *out)
{
	struct hook_task task = { .fn = fn, .arg = arg };

	hook_run_task(&task, deadline, out);
}

void hook_gate(const char *root, hook_fn fn, void *arg, uint64_t deadline, struct hook_answer *out)
{
	struct hook_task task = { .fn = fn, .arg = arg, .gate = true, .root = root };

	hook_run_task(&task, deadline, out);
}

/* --- input ------------------------------------------------------------------------------------ */

/* Returns the number of bytes; 0 at the end. */
static ssize_t hook_read_some(int fd, char *buf, size_t room, uint64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n;

	do {
		if (!deadline_left(deadline) || !(n = poll(&pfd, 1, deadline_left(deadline))))
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
	char *grown;

	while (n > 0) {
		if (room - have < 2) {
			/* At most @max + 1 bytes: the last one shows that the input is longer. */
			room = room ? 2 * room : 64 * 1024;
			room = room > max + 2 ? max + 2 : room;
			grown = realloc(buf, room);
			if (!grown)
				return err_no_memory();
			buf = grown;
		}
		n = hook_read_some(fd, buf + have, room - have - 1, deadline);
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
static void hook_sentence(const struct guard_verdict *verdict, size_t more, char buf[HOOK_TEXT_MAX])
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

/* The most important answer about a guest's disks is reported. */
enum hook_rank { RANK_GOOD, RANK_LOUD, RANK_UNKNOWN, RANK_REFUSED };

static enum hook_rank hook_rank_of(const struct guard_verdict *verdict)
{
	if (verdict->refuse)
		return RANK_REFUSED;
	if (verdict->answer == GUARD_UNKNOWN)
		return RANK_UNKNOWN;
	return verdict->loud ? RANK_LOUD : RANK_GOOD;
}

/* The answer about a later disk may never come, if its server hangs. */
static void hook_send_early(const struct guard_verdict *verdict, const struct hook_answer *out)
{
	struct hook_answer early = { .refuse = true, .logged = out->logged };

	if (!verdict->refuse || !out->early)
		return;
	hook_sentence(verdict, 0, early.text);
	hook_send_record(&early, out->early, RECORD_EARLY);
}

void hook_spare(struct hook_answer *out, const char *what)
{
	const struct hook_answer lenient = { .refuse = false };

	out->spare = what;
	if (out->early)
		hook_send_record(&lenient, out->early, RECORD_STRICT);
}

static void hook_allow_loudly(struct guard_verdict *verdict, const char *why)
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
struct hook_journal {
	const char *who, *guest;
	uint64_t spent_ms;
	bool failed;
};

/* An unreadable requirement is not enforced. */
static void hook_log_unknown(struct hook_journal *journal, const char *why, struct hook_answer *out)
{
	const struct journal_field fields[] = { { "NFSRDMA_GUEST", journal->guest } };
	char message[HOOK_TEXT_MAX + 256];
	uint64_t start = now_ms();

	snprintf(out->text, sizeof(out->text), "some requirements for RDMA are unknown: %.500s",
		 why);
	finding_clean(out->text);
	snprintf(message, sizeof(message), "guest %.200s: %s",
		 journal->guest ? journal->guest : "?", out->text);
	finding_clean(message);
	journal->failed = journal_send(JOURNAL_WARNING, journal->who, message, fields,
				       ARRAY_SIZE(fields)) != 0;
	journal->spent_ms += now_ms() - start;
}

/* The first refusal is always logged, however long the others took; hook_answered() tries again if
 * that failed. */
static void hook_log_disk(struct hook_journal *journal, const struct guard_disk *disk,
			  const struct guard_verdict *verdict, struct hook_answer *out)
{
	const struct journal_field fields[] = {
		{ "NFSRDMA_GUEST", journal->guest },
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
	enum journal_event event = verdict->answer == GUARD_REFUSE    ? JOURNAL_GATE_REFUSED
				   : verdict->answer == GUARD_UNKNOWN ? JOURNAL_GATE_UNKNOWN
								      : JOURNAL_WARNING;
	char text[HOOK_TEXT_MAX], message[HOOK_TEXT_MAX + 256];
	bool first = verdict->refuse && !out->logged;
	uint64_t start = now_ms();

	if (journal->failed || (!first && journal->spent_ms >= JOURNAL_MS))
		return;
	hook_sentence(verdict, 0, text);
	snprintf(message, sizeof(message), "guest %.200s: %s",
		 journal->guest ? journal->guest : "?", text);
	finding_clean(message);
	journal->failed = journal_send(event, journal->who, message, fields, ARRAY_SIZE(fields)) !=
			  0;
	journal->spent_ms += now_ms() - start;
	if (!first || journal->failed)
		return;
	out->logged = true;
	hook_send_early(verdict, out);
}

void hook_ask(const struct guard *guard, const struct hook_disks *disks, struct hook_answer *out)
{
	struct guard_verdict verdict, worst = { .answer = GUARD_PASS };
	const char *unknown = disks->count ? guard_unknown(guard) : NULL;
	struct hook_journal journal = { .who = disks->who, .guest = disks->guest };
	size_t same = 0, i;

	*out = (struct hook_answer){ .early = out->early, .spare = out->spare };
	debug(DEBUG_GATE, "guest %s: %zu disk%s", disks->guest ? disks->guest : "?", disks->count,
	      disks->count == 1 ? "" : "s");
	if (unknown)
		hook_log_unknown(&journal, unknown, out);
	for (i = 0; i < disks->count; i++) {
		guard_ask(guard, &disks->list[i], &verdict);
		if (out->spare)
			hook_allow_loudly(&verdict, out->spare);
		if (hook_rank_of(&verdict) == RANK_GOOD)
			continue;
		if (hook_rank_of(&verdict) > hook_rank_of(&worst)) {
			worst = verdict;
			same = 1;
			hook_send_early(&worst, out);
		} else if (hook_rank_of(&verdict) == hook_rank_of(&worst)) {
			same++;
		}
		hook_log_disk(&journal, &disks->list[i], &verdict, out);
	}
	out->refuse = worst.refuse;
	if (same)
		hook_sentence(&worst, same - 1, out->text);
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
	snprintf(message, sizeof(message), "guest %.200s: %s", guest ? guest : "?", answer->text);
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
	snprintf(message, sizeof(message), "guest %.200s was not checked, and is allowed: %s",
		 guest ? guest : "?", why);
	finding_clean(message);
	journal_send(JOURNAL_GATE_FAILED, who, message, fields, ARRAY_SIZE(fields));
}

/* --- VDSM ------------------------------------------------------------------------------------- */

static bool hook_is_uuid(const char *text)
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

	if (!uuid || !hook_is_uuid(uuid))
		return false;
	snprintf(path, sizeof(path), "run/vdsm/%.36s/launchflags", uuid);
	return host_exists(host, path) == -ENOENT;
}
