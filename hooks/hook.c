/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the hooks of all platforms have in common.
 *
 * A platform waits for its hook, and until all copies of the hook's stdout and stderr are closed. So
 * the work is done by a child that holds neither, and answers by records through a pipe, of which the
 * last counts. What the child never does is end the parent's wait: where it hangs in the kernel even
 * SIGKILL may be without effect for long, and then it is left behind. */
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
	uint8_t last;    /* else it is what is sure so far */
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

static int send_record(const struct hook_answer *answer, bool last)
{
	struct record record = { .length = sizeof(record),
				 .last = last,
				 .refuse = answer->refuse,
				 .failed = answer->failed };

	memcpy(record.text, answer->text, sizeof(record.text));
	return fd_write_all(ANSWER_FD, &record, sizeof(record));
}

static void work(hook_fn fn, void *arg, int answer, pid_t parent)
{
	struct hook_answer told = { .early = ANSWER_FD };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It could have died before that. */
	if (getppid() != parent || leave_descriptors(answer))
		_exit(1);
	fn(arg, &told);
	_exit(send_record(&told, true) ? 1 : 0);
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

/* One record: 0; -ENODATA the child closed its end before; -ETIMEDOUT. */
static int receive(int fd, struct record *record, uint64_t deadline)
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
			return -ENODATA;
		have += n > 0 ? (size_t)n : 0;
	}
	return record->length == sizeof(*record) &&
			       memchr(record->text, '\0', sizeof(record->text))
		       ? 0
		       : -ENODATA;
}

/* Up to the last one. Errors: as above; *@out is then what came before, or as it was. */
static int receive_all(int fd, struct record *out, uint64_t deadline)
{
	struct record record = { .length = 0 };
	int rc = 0;

	while (!rc && !out->last) {
		rc = receive(fd, &record, deadline);
		if (!rc)
			*out = record;
	}
	return rc;
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
	int rc = receive_all(fd, &record, deadline), status;

	if (rc && rc != -ENODATA)
		kill(pid, SIGKILL);
	if (!reap(pid, &status))
		kill(pid, SIGKILL);
	if (rc == -ETIMEDOUT && !record.refuse) {
		fail_with(out, "it took too long, and was given up");
	} else if (rc && !record.refuse) {
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

/* Of a disk that is asked about later nobody may ever hear: that of a server that hangs. */
static void tell_early(const struct guard_verdict *verdict, const struct hook_answer *out)
{
	struct hook_answer early = { .refuse = true };

	if (!verdict->refuse || !out->early)
		return;
	sentence(verdict, 0, early.text);
	send_record(&early, false);
}

/* What nobody knows may be wanted, and then is not seen to be. */
static bool log_unknown(const char *who, const char *guest, const char *why,
			struct hook_answer *out)
{
	const struct journal_field fields[] = { { "NFSRDMA_GUEST", guest } };
	char message[HOOK_TEXT_MAX + 256];

	snprintf(out->text, sizeof(out->text), "not all that wants RDMA is known: %.500s",
		 why);
	finding_clean(out->text);
	snprintf(message, sizeof(message), "guest %.200s: %s", guest ? guest : "?",
		 out->text);
	finding_clean(message);
	return !journal_send(JOURNAL_WARNING, who, message, fields, ARRAY_SIZE(fields));
}

void hook_ask(const char *who, const char *guest, const struct guard *guard,
	      const struct guard_disk *disks, size_t ndisks, struct hook_answer *out)
{
	struct guard_verdict verdict, worst = { .answer = GUARD_PASS };
	/* The answer must not come too late for a journal that is slow. */
	uint64_t patience = deadline_in(JOURNAL_MS);
	const char *unknown = ndisks ? guard_unknown(guard) : NULL;
	size_t same = 0, i;
	bool heard = true;

	*out = (struct hook_answer){ .early = out->early };
	if (unknown)
		heard = log_unknown(who, guest, unknown, out);
	for (i = 0; i < ndisks; i++) {
		guard_ask(guard, &disks[i], &verdict);
		if (rank_of(&verdict) == RANK_GOOD)
			continue;
		if (rank_of(&verdict) > rank_of(&worst)) {
			worst = verdict;
			same = 1;
			tell_early(&worst, out);
		} else if (rank_of(&verdict) == rank_of(&worst)) {
			same++;
		}
		if (heard && deadline_left(patience))
			heard = !log_verdict(who, guest, &disks[i], &verdict);
	}
	out->refuse = worst.refuse;
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
