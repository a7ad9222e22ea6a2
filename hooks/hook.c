/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the hooks of all platforms have in common.
 *
 * A platform waits for its hook, and until all copies of the hook's stdout and stderr are closed. So
 * the work is done by a child that holds neither, and answers by one record through a pipe. What
 * the child never does is end the parent's wait: where it hangs in the kernel even SIGKILL may be
 * without effect for long, and then it is left behind. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "hooks/hook.h"

/* For the kernel to let go of a child that has ended, or was. */
#define REAP_MS 100
/* For all entries of one guest. */
#define JOURNAL_MS 500

/* Less than PIPE_BUF, so it comes whole or not at all. */
struct record {
	uint32_t length; /* of itself */
	uint8_t refuse, failed;
	char text[HOOK_TEXT_MAX];
};

_Static_assert(sizeof(struct record) < 4096, "one write(2)");

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

#define ANSWER_FD 3

/* Keeps stdin; what is said on the others goes nowhere. */
static int leave_descriptors(int answer)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd;

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		return -1;
	if (answer != ANSWER_FD && dup2(answer, ANSWER_FD) < 0)
		return -1;
	/* Linux before 5.9 */
	if (close_range(ANSWER_FD + 1, ~0u, 0))
		for (fd = ANSWER_FD + 1; fd < 1024; fd++)
			close(fd);
	return 0;
}

static void work(hook_fn fn, void *arg, int answer, pid_t parent)
{
	struct hook_answer told = { .refuse = false };
	struct record record = { .length = sizeof(record) };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It could have died before that. */
	if (getppid() != parent || leave_descriptors(answer))
		_exit(1);
	fn(arg, &told);
	record.refuse = told.refuse;
	record.failed = told.failed;
	memcpy(record.text, told.text, sizeof(record.text));
	_exit(fd_write_all(ANSWER_FD, &record, sizeof(record)) ? 1 : 0);
}

/* --- who waits for it ------------------------------------------------------------------------- */

/* A pipe must not become stdin, stdout or stderr where the platform has closed these. */
static int fill_standard(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return err_sys("open /dev/null");
	close(fd);
	return 0;
}

/* True: it has ended, and *@status says how; -1 where nobody can tell. */
static bool reap(pid_t pid, int *status)
{
	uint64_t deadline = deadline_in(REAP_MS);
	struct timespec nap = { .tv_nsec = 50 * 1000 };
	pid_t rc;

	*status = -1;
	while (!(rc = waitpid(pid, status, WNOHANG)) && deadline_left(deadline)) {
		nanosleep(&nap, NULL);
		nap.tv_nsec = nap.tv_nsec < 4000 * 1000 ? 2 * nap.tv_nsec : nap.tv_nsec;
	}
	if (rc < 0)
		*status = -1;
	return rc != 0;
}

/* Bytes of the record until the child closes its end; -ETIMEDOUT. */
static ssize_t receive(int fd, struct record *record, uint64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	size_t have = 0;
	ssize_t n;

	while (have < sizeof(*record)) {
		n = poll(&pfd, 1, deadline_left(deadline));
		if (!n)
			return -ETIMEDOUT;
		if (n > 0)
			n = read(fd, (char *)record + have, sizeof(*record) - have);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			break;
		have += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)have;
}

static void say_lost(int status, struct hook_answer *out)
{
	if (status >= 0 && WIFSIGNALED(status))
		fail_with(out, "the process that looked was ended by signal %d",
			  WTERMSIG(status));
	else
		fail_with(out, "the process that looked ended without an answer");
}

static void wait_for(pid_t pid, int fd, uint64_t deadline, struct hook_answer *out)
{
	struct record record = { .length = 0 };
	ssize_t got = receive(fd, &record, deadline);
	int status;

	if (got < 0)
		kill(pid, SIGKILL);
	if (!reap(pid, &status))
		kill(pid, SIGKILL);
	if (got == -ETIMEDOUT) {
		fail_with(out, "it took too long, and was given up");
	} else if (got != sizeof(record) || record.length != sizeof(record) ||
		   !memchr(record.text, '\0', sizeof(record.text))) {
		say_lost(status, out);
	} else {
		out->refuse = record.refuse == 1 && record.failed != 1;
		out->failed = record.failed == 1;
		memcpy(out->text, record.text, sizeof(out->text));
		finding_clean(out->text);
	}
}

void hook_run(hook_fn fn, void *arg, uint64_t deadline, struct hook_answer *out)
{
	_cleanup_close_ int ours = -1;
	_cleanup_close_ int theirs = -1;
	pid_t parent = getpid(), pid;
	int pair[2];

	*out = (struct hook_answer){ .refuse = false };
	if (fill_standard()) {
		fail_with(out, "%s", err_text());
		return;
	}
	if (pipe2(pair, O_CLOEXEC)) {
		fail_with(out, "a pipe: %s", strerror(errno));
		return;
	}
	ours = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0) {
		fail_with(out, "a process: %s", strerror(errno));
		return;
	}
	if (!pid)
		work(fn, arg, theirs, parent);
	close(take_fd(&theirs));
	wait_for(pid, ours, deadline, out);
}

/* --- input ------------------------------------------------------------------------------------ */

/* Room for more, up to one byte over @max, which tells that there is more than that. */
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

/* Bytes; 0 at the end. */
static ssize_t read_some(int fd, char *buf, size_t room, uint64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n;

	do {
		if (!deadline_left(deadline) ||
		    !(n = poll(&pfd, 1, deadline_left(deadline))))
			return err_set(ETIMEDOUT, "the input has not ended in time");
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
			return err_set(EFBIG, "the input has more than %zu bytes", max);
	}
	buf[have] = '\0';
	*out = take_ptr(buf);
	*len = have;
	return 0;
}

/* --- the gate --------------------------------------------------------------------------------- */

/* @more: it is so with as many others. */
static void sentence(const struct guard_verdict *verdict, size_t more,
		     char buf[HOOK_TEXT_MAX])
{
	char others[64] = "";

	if (more)
		snprintf(others, sizeof(others), " (and %zu more disk%s)", more,
			 more == 1 ? "" : "s");
	/* The remedy ends with a full stop, what is wrong does not. */
	snprintf(buf, HOOK_TEXT_MAX, "%s%s%s%s", verdict->text, others,
		 *verdict->remedy ? ". " : "", verdict->remedy);
	finding_clean(buf);
}

static const char *or_none(const char *text)
{
	return text && *text ? text : NULL;
}

static int log_verdict(const char *who, const char *guest, const struct guard_disk *disk,
		       const struct guard_verdict *verdict)
{
	const struct journal_field fields[] = {
		{ "NFSRDMA_GUEST", guest },
		{ "NFSRDMA_DISK", disk->name },
		{ "NFSRDMA_POOL", disk->pool },
		{ "NFSRDMA_PATH", or_none(verdict->path) },
		{ "NFSRDMA_TARGET", or_none(verdict->target) },
		{ "NFSRDMA_SPEC", or_none(verdict->fs_spec) },
		{ "NFSRDMA_TRANSPORT", or_none(verdict->proto) },
		{ "NFSRDMA_WANTED_BY", or_none(verdict->by) },
		{ "NFSRDMA_FINDING", or_none(verdict->id) },
		{ "NFSRDMA_REFUSED", verdict->refuse ? "yes" : "no" },
		{ "NFSRDMA_REMEDY", or_none(verdict->remedy) },
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

/* What is most to be told of a guest's disks. */
enum rank { RANK_GOOD, RANK_LOUD, RANK_UNKNOWN, RANK_REFUSED };

static enum rank rank_of(const struct guard_verdict *verdict)
{
	if (verdict->refuse)
		return RANK_REFUSED;
	if (verdict->answer == GUARD_UNKNOWN)
		return RANK_UNKNOWN;
	return verdict->loud ? RANK_LOUD : RANK_GOOD;
}

void hook_ask(const char *who, const char *guest, const struct guard *guard,
	      const struct guard_disk *disks, size_t ndisks, struct hook_answer *out)
{
	struct guard_verdict verdict, worst = { .answer = GUARD_PASS };
	/* The answer must not come too late for a journal that is slow. */
	uint64_t patience = deadline_in(JOURNAL_MS);
	size_t same = 0, i;
	bool heard = true;

	for (i = 0; i < ndisks; i++) {
		guard_ask(guard, &disks[i], &verdict);
		if (rank_of(&verdict) == RANK_GOOD)
			continue;
		if (heard && deadline_left(patience))
			heard = !log_verdict(who, guest, &disks[i], &verdict);
		if (rank_of(&verdict) > rank_of(&worst)) {
			worst = verdict;
			same = 1;
		} else if (rank_of(&verdict) == rank_of(&worst)) {
			same++;
		}
	}
	*out = (struct hook_answer){ .refuse = worst.refuse };
	if (same)
		sentence(&worst, same - 1, out->text);
}

void hook_failed(const char *who, const char *guest, const char *fmt, ...)
{
	const struct journal_field fields[] = { { "NFSRDMA_GUEST", guest } };
	char why[HOOK_TEXT_MAX], message[HOOK_TEXT_MAX + 300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	snprintf(message, sizeof(message), "guest %.200s is let pass unseen: %s",
		 guest ? guest : "?", why);
	finding_clean(message);
	journal_send(JOURNAL_GATE_FAILED, who, message, fields, ARRAY_SIZE(fields));
}
