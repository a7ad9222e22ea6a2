/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The parent: it starts the server and, for each version, a child that mounts, reads and unmounts;
 * and says what came of it. Neither it nor the server ever touches the mount, so that a kernel
 * that hangs holds only the child. That is given up at a deadline, and its process is named. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "plugin/kernel/internal.h"

/* mount(2) sends a call twice at most, and there are a few of them. */
#define STEP_MS 45000
/* For the server's word on a reply that the kernel has seen already. */
#define LOG_MS 1000
/* Between the end of a server's connections and that of its process, in emulation. */
#define EXIT_MS 3000

struct kernel {
	const struct kernel_options *options;
	const struct probe_events *events;
	struct host *host;
	struct kernel_place place;
	struct server_child *server;
	struct server_log *log; /* shared with it */
	struct server_ports ports;
	uint64_t deadline;
	unsigned int versions;               /* that were read through */
	bool hung;                           /* a child was left behind */
	char bug[160], right[64], wrong[64]; /* versions, for the verdict on the bug */
	uint32_t bug_right; /* the largest read that was right with one of those */
};

struct attempt {
	struct kernel *kernel;
	const struct nfs_version *version;
	bool done[KERNEL_STEPS];
	struct kernel_record steps[KERNEL_STEPS]; /* the last of each */
	struct kernel_read reads[KERNEL_RANGES];
	unsigned int connections; /* that the server had before */
	uint64_t bytes;           /* that it had sent before the range */
	bool killed;              /* the child, by somebody else */
	char end[160];            /* how it ended, where that was not by itself */
};

static volatile sig_atomic_t kernel_interrupted;

static void kernel_on_signal(int sig)
{
	kernel_interrupted = sig;
}

static void emit(const struct kernel *k, const struct finding *f)
{
	k->events->finding(k->events->arg, f);
}

/* --- modules ------------------------------------------------------------------------ */

/* Those of @after that are not in @before, by their lines of proc/modules. */
static void list_new(const char *before, char *after, char *buf, size_t cap)
{
	char *line, *name, word[72];
	size_t used = 0;

	buf[0] = '\0';
	while ((line = line_next(&after)) && used < cap) {
		name = word_next(&line);
		if (!name)
			continue;
		snprintf(word, sizeof(word), "\n%.64s ", name);
		if (!strncmp(before, word + 1, strlen(word + 1)) || strstr(before, word))
			continue;
		used += (size_t)snprintf(buf + used, cap - used, "%s%.64s",
					 used ? ", " : "", name);
	}
}

static void tell_modules(const struct kernel *k, const struct host_text *before)
{
	_cleanup_(host_text_fini) struct host_text after = { NULL, 0 };
	struct finding f;
	char names[400];

	if (!before->text || host_read(k->host, "proc/modules", HOST_FILE_MAX, &after))
		return;
	list_new(before->text, after.text, names, sizeof(names));
	if (names[0])
		finding_init(&f, "kernel.modules", FINDING_PASS,
			     "kernel modules that were loaded for this, and stay: %s",
			     names);
	else
		finding_init(&f, "kernel.modules", FINDING_PASS,
			     "no kernel module was loaded for this");
	finding_text(&f, "loaded", "%s", names);
	emit(k, &f);
}

/* --- one version --------------------------------------------------------------------- */

/* The kernel may see a reply before the server has counted it. */
static bool was_sent(const struct kernel *k, uint64_t before, uint32_t length)
{
	uint64_t deadline = deadline_in(LOG_MS);

	while (atomic_load(&k->log->bytes) - before < length && deadline_left(deadline))
		usleep(10000);
	return atomic_load(&k->log->bytes) - before >= length;
}

static void take_read(struct attempt *a, const struct kernel_record *r)
{
	struct kernel *k = a->kernel;
	struct kernel_read *read = &a->reads[r->index];

	read->tried = true;
	read->record = *r;
	read->whole = !r->error || was_sent(k, a->bytes, kernel_lengths[r->index]);
	debug(DEBUG_MOUNT,
	      "NFSv%s, %u bytes: error %d, %u bytes in %u ms; the server sent %llu",
	      a->version->name, kernel_lengths[r->index], r->error, r->length, r->ms,
	      atomic_load(&k->log->bytes) - a->bytes);
	a->bytes = atomic_load(&k->log->bytes);
	if (k->events->progress)
		k->events->progress(k->events->arg, "the kernel's client", r->index + 1,
				    KERNEL_RANGES);
}

static void take_record(void *arg, const struct kernel_record *r)
{
	struct attempt *a = arg;

	a->done[r->step] = true;
	a->steps[r->step] = *r;
	if (r->step == KERNEL_READ)
		take_read(a, r);
}

static int run_client(struct kernel *k, struct attempt *a)
{
	struct kernel_task task = { .version = a->version, .ports = k->ports };
	const struct child_function function = {
		.kind = CHILD_KERNEL_CLIENT,
		.name = "the kernel's client",
		.run = kernel_client,
		.arg = &task,
	};
	const struct kernel_hearing hearing = { .record = take_record,
						.arg = a,
						.deadline = k->deadline,
						.step_ms = STEP_MS,
						.interrupted = &kernel_interrupted };
	struct child child;
	struct child_end end;
	char how[96];
	int rc;

	strcpy(task.address, k->place.address);
	task.ipv6 = k->place.at.addr.ss_family == AF_INET6;
	a->connections = atomic_load(&k->log->connections);
	a->bytes = atomic_load(&k->log->bytes);
	rc = child_start(&child, &function);
	if (rc)
		return rc;
	rc = kernel_hear(&hearing, &child);
	child_finish(&child, rc ? 0 : deadline_min(k->deadline, deadline_in(STEP_MS)),
		     &end);
	k->hung = end.fate == CHILD_LEFT;
	a->killed = end.fate == CHILD_SIGNALLED && !end.forced;
	if (end.fate != CHILD_EXITED)
		snprintf(a->end, sizeof(a->end), "; its process %s",
			 child_end_text(&end, how, sizeof(how)));
	return rc == -ETIMEDOUT ? 0 : rc;
}

/* --- what is said of it ---------------------------------------------------------------- */

static void add_version(char *list, size_t cap, const struct attempt *a)
{
	size_t used = strlen(list);

	snprintf(list + used, cap - used, "%s%s", used ? ", " : "", a->version->name);
}

/* False: it is not mounted, and nothing more is to be said. */
static bool tell_mount(struct kernel *k, const struct attempt *a)
{
	const struct kernel_record *r = &a->steps[KERNEL_MOUNT];
	bool reached = atomic_load(&k->log->connections) > a->connections;
	const char *name = a->version->name;
	struct finding f;

	if (!a->done[KERNEL_SPACE] || a->steps[KERNEL_SPACE].error)
		finding_init(&f, "kernel.mount", FINDING_UNKNOWN,
			     "NFSv%s: a mount namespace could not be made: %s%s", name,
			     strerrordesc_np(a->steps[KERNEL_SPACE].error), a->end);
	else if (!a->done[KERNEL_MOUNT])
		finding_init(&f, "kernel.mount",
			     a->killed ? FINDING_UNKNOWN : FINDING_FAIL,
			     "NFSv%s: mount(2) did not come to an end%s%s", name,
			     a->killed ? "" : " in time", a->end);
	else if (!r->error)
		finding_init(&f, "kernel.mount", FINDING_PASS,
			     "NFSv%s: mounted over RDMA in %u ms", name, r->ms);
	else if (r->error == EPROTONOSUPPORT)
		finding_init(&f, "kernel.mount", FINDING_SKIP,
			     "this kernel's client has no NFSv%s", name);
	else if (!reached && r->error != EINVAL && r->error != ENODEV)
		finding_init(
			&f, "kernel.mount", FINDING_SKIP,
			"NFSv%s: no connection came (%s): %s does not connect to itself; try software iWARP (siw) or RoCE (rxe)",
			name, strerrordesc_np(r->error), k->place.device);
	else
		finding_init(&f, "kernel.mount", reached ? FINDING_FAIL : FINDING_UNKNOWN,
			     "NFSv%s: mount(2): %s", name, strerrordesc_np(r->error));
	finding_text(&f, "nfs_version", "%s", name);
	if (r->error)
		finding_text(&f, "error", "%s", strerrorname_np(r->error));
	finding_number(&f, "ms", r->ms);
	emit(k, &f);
	return a->done[KERNEL_MOUNT] && !r->error;
}

static void tell_reads(struct kernel *k, const struct attempt *a)
{
	struct kernel_judgement j;
	const char *name = a->version->name;
	char text[160];
	struct finding f;

	kernel_judge(a->reads, KERNEL_RANGES, &j);
	k->versions += j.tried > 0;
	if (j.fault == KERNEL_RIGHT) {
		add_version(k->right, sizeof(k->right), a);
		finding_init(
			&f, "kernel.read", FINDING_PASS,
			"NFSv%s: %u reads of 1 byte to 1 MiB through the kernel are right",
			name, j.tried);
	} else if (j.fault == KERNEL_CUT) {
		finding_init(&f, "kernel.read", FINDING_UNKNOWN,
			     "NFSv%s: only %u of %u reads came to an end%s%s", name,
			     j.tried, KERNEL_RANGES, a->killed ? "" : " in time", a->end);
	} else {
		add_version(j.fault == KERNEL_BUG_812 ? k->bug : k->wrong,
			    j.fault == KERNEL_BUG_812 ? sizeof(k->bug) : sizeof(k->wrong),
			    a);
		if (j.fault == KERNEL_BUG_812 && j.largest_right > k->bug_right)
			k->bug_right = j.largest_right;
		finding_init(
			&f, "kernel.read", FINDING_FAIL,
			"NFSv%s: %u of %u reads through the kernel are wrong, the first of %u bytes: %s, %s",
			name, j.tried - j.right, j.tried, j.smallest_wrong,
			kernel_wrong_text(&a->reads[j.first].record, j.smallest_wrong,
					  text, sizeof(text)),
			a->reads[j.first].whole
				? "though the server sent all of it"
				: "and the server did not send all of it");
		finding_number(&f, "smallest_wrong", j.smallest_wrong);
	}
	finding_text(&f, "nfs_version", "%s", name);
	finding_number(&f, "largest_right", j.largest_right);
	finding_number(&f, "tried", j.tried);
	finding_number(&f, "right", j.right);
	emit(k, &f);
}

static void tell_unmount(const struct kernel *k, const struct attempt *a)
{
	const struct kernel_record *r = &a->steps[KERNEL_UNMOUNT];
	struct finding f;

	if (!a->done[KERNEL_UNMOUNT])
		finding_init(&f, "kernel.unmount",
			     k->hung ? FINDING_FAIL : FINDING_UNKNOWN,
			     "NFSv%s: it was not unmounted before its process ended%s",
			     a->version->name, a->end);
	else if (r->error)
		finding_init(&f, "kernel.unmount", FINDING_FAIL, "NFSv%s: umount2(2): %s",
			     a->version->name, strerrordesc_np(r->error));
	else
		finding_init(&f, "kernel.unmount", FINDING_PASS,
			     "NFSv%s: unmounted in %u ms", a->version->name, r->ms);
	finding_text(&f, "nfs_version", "%s", a->version->name);
	emit(k, &f);
}

/* What fails when the server dies. */
static bool may_be_the_server(const struct attempt *a)
{
	unsigned int i;

	if (a->done[KERNEL_MOUNT] && a->steps[KERNEL_MOUNT].error)
		return true;
	for (i = 0; i < KERNEL_RANGES; i++)
		if (a->reads[i].tried && a->reads[i].record.error && !a->reads[i].whole)
			return true;
	return false;
}

/* What was read then says nothing. A process that is killed loses its connections before it can be
 * waited for. */
static bool server_is_gone(const struct kernel *k, const struct attempt *a)
{
	uint64_t deadline = may_be_the_server(a) ? deadline_in(EXIT_MS) : 0;
	struct child_end end;
	struct finding f;
	char how[96];

	if (!server_ended(k->server, deadline, &end))
		return false;
	finding_init(&f, "kernel.server", FINDING_UNKNOWN,
		     "our own server %s during the test",
		     child_end_text(&end, how, sizeof(how)));
	emit(k, &f);
	return true;
}

static int try_version(struct kernel *k, const struct nfs_version *version)
{
	struct attempt a = { .kernel = k, .version = version };
	int rc = run_client(k, &a);

	if (rc)
		return rc;
	if (server_is_gone(k, &a))
		return -EPIPE;
	if (!tell_mount(k, &a))
		return 0;
	if (a.done[KERNEL_OPEN] && !a.steps[KERNEL_OPEN].error)
		tell_reads(k, &a);
	tell_unmount(k, &a);
	return 0;
}

/* The one question that this is about. */
static void tell_bug(const struct kernel *k)
{
	struct finding f;

	if (!k->versions) {
		finding_init(&f, "kernel.read", FINDING_UNKNOWN,
			     "nothing was read through the kernel");
		emit(k, &f);
	}
	if (k->bug[0])
		finding_init(
			&f, "bug.read-812", FINDING_FAIL,
			"this host's kernel cannot read more than %u bytes over NFS/RDMA: with NFSv%s it loses replies that our own server has sent whole, and reads end in an input/output error",
			k->bug_right, k->bug);
	else if (k->right[0])
		finding_init(
			&f, "bug.read-812", FINDING_PASS,
			"this host's kernel reads long replies right (NFSv%s, from our own server)",
			k->right);
	else
		finding_init(&f, "bug.read-812", FINDING_UNKNOWN, "not known: %s",
			     k->wrong[0] ? "reads go wrong in another way"
					 : "the reads did not come to an end");
	finding_text(&f, "by", "reading from our own server through this host's kernel");
	finding_text(&f, "wrong_versions", "%s", k->bug);
	finding_text(&f, "right_versions", "%s", k->right);
	emit(k, &f);
}

/* --- the whole -------------------------------------------------------------------------- */

static int try_versions(struct kernel *k)
{
	static const char *const names[] = { "3", "4.0", "4.1" };
	int rc = 0;
	size_t i;

	if (k->options->version)
		return try_version(k, k->options->version);
	/* Who hangs once would do so again. */
	for (i = 0; i < ARRAY_SIZE(names) && !rc && !k->hung; i++)
		rc = try_version(k, nfs_version_find(names[i]));
	return rc;
}

static int with_server(struct kernel *k)
{
	_cleanup_(server_kill_p) struct server_child *server = NULL;
	const struct server_spawn_options spawn = {
		.transport = &transport_verbs,
		.listen = k->place.at,
		.own_host = true,
		.log = k->log,
	};
	struct finding f;
	char port[8];
	int rc = server_spawn(&server, &spawn, &k->ports);

	k->server = server;
	if (rc) {
		finding_init(&f, "kernel.server", FINDING_UNKNOWN, "%s", err_text());
		emit(k, &f);
		return 0;
	}
	finding_init(&f, "kernel.server", FINDING_PASS,
		     "our own server listens on %s, for this host alone",
		     k->place.address);
	finding_number(&f, "port", k->ports.rdma);
	emit(k, &f);
	snprintf(port, sizeof(port), "%u", k->ports.rdma);
	k->events->subject(k->events->arg, "port", port);
	rc = try_versions(k);
	tell_bug(k);
	return rc == -EPIPE ? 0 : rc;
}

static int find_place(struct kernel *k)
{
	struct finding f;
	int rc = kernel_place(k->host, k->options, &k->place);

	if (rc) {
		finding_init(&f, "kernel.device", FINDING_UNKNOWN, "%s", err_text());
	} else {
		finding_init(&f, "kernel.device", FINDING_PASS, "%s (%s) on %s, %s",
			     k->place.device, k->place.driver, k->place.netdev,
			     k->place.address);
		finding_text(&f, "software", "%s", k->place.software ? "yes" : "no");
		k->events->subject(k->events->arg, "server", k->place.address);
	}
	emit(k, &f);
	return rc;
}

static int run(struct kernel *k)
{
	_cleanup_(host_text_fini) struct host_text modules = { NULL, 0 };
	int rc;

	if (find_place(k))
		return 0;
	k->log = mmap(NULL, sizeof(*k->log), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (k->log == MAP_FAILED)
		return err_sys("memory");
	/* Without it the report does not name them. */
	if (host_read(k->host, "proc/modules", HOST_FILE_MAX, &modules))
		debug(DEBUG_MOUNT, "proc/modules: %s", err_text());
	rc = with_server(k);
	tell_modules(k, &modules);
	munmap(k->log, sizeof(*k->log));
	return rc;
}

int kernel_run(const struct kernel_options *options, const struct probe_events *events)
{
	struct sigaction action = { .sa_handler = kernel_on_signal }, old_int, old_term;
	_cleanup_(host_close_p) struct host *host = NULL;
	struct kernel k = { .options = options, .events = events };
	int rc;

	if (geteuid())
		return err_set(EPERM, "--client mounts, which only root may");
	k.deadline = deadline_in(options->timeout_ms);
	rc = host_open(&host, NULL);
	if (rc)
		return rc;
	k.host = host;
	kernel_interrupted = 0;
	sigaction(SIGINT, &action, &old_int);
	sigaction(SIGTERM, &action, &old_term);
	rc = run(&k);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	return rc;
}
