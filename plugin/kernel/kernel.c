/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The parent: it starts the server and, for each version, a child that mounts, reads and unmounts,
 * and reports the result. Neither it nor the server ever touches the mount, so that a kernel
 * that hangs holds only the child, which is left at a deadline, and its process is named. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "plugin/checks/checks.h"
#include "plugin/kernel/internal.h"

/* mount(2) sends a call twice at most, and there are a few of them. */
#define STEP_MS 45000
/* For the server's count of a reply that the kernel has received already. */
#define LOG_MS 1000
/* Of the time, for the end of the last child; at most a quarter. */
#define RESERVE_MS 1000
/* Between the end of a server's connections and that of its process, in emulation. */
#define EXIT_MS 3000

struct kernel {
	const struct kernel_options *options;
	const struct probe_events *events;
	struct host *host;
	struct kernel_address local;
	struct server_child *server;
	struct server_log *log; /* shared with it */
	struct server_ports ports;
	char secret[EXPORT_SECRET_MAX]; /* the directory that it serves */
	uint64_t deadline, end;         /* of the tests; of what follows, too */
	unsigned int versions;          /* that were read through */
	bool hung;                      /* a child was left behind */
	struct kernel_bug bug;
};

struct kernel_attempt {
	struct kernel *kernel;
	const struct nfs_version *version;
	struct kernel_outcome outcome;
	unsigned int connections; /* that the server had before */
	uint64_t bytes;           /* that it had sent before the range */
	/* That it had received before the write: */
	unsigned int writes, commits, refused;
	uint8_t *copy; /* of the file that is written */
	uint64_t key;
};

static volatile sig_atomic_t kernel_interrupted;

static void kernel_on_signal(int sig)
{
	kernel_interrupted = sig;
}

static void kernel_emit(const struct kernel *k, const struct finding *f)
{
	k->events->finding(k->events->arg, f);
}

/* --- modules ------------------------------------------------------------------------ */

/* Those of @after that are not in @before, by their lines of proc/modules. */
static void kernel_list_new_modules(const char *before, char *after, char *buf, size_t cap)
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
		used += (size_t)snprintf(buf + used, cap - used, "%s%.64s", used ? ", " : "", name);
	}
}

void kernel_report_modules(const struct host *host, const struct probe_events *events,
			   const struct host_text *before)
{
	_cleanup_(host_text_fini) struct host_text after = { NULL, 0 };
	_cleanup_(finding_fini) struct finding f = { 0 };
	char names[400];

	if (!before->text || host_read(host, "proc/modules", HOST_FILE_MAX, &after))
		return;
	kernel_list_new_modules(before->text, after.text, names, sizeof(names));
	if (names[0])
		finding_init(&f, "kernel.modules", FINDING_PASS,
			     "kernel modules loaded by the test, which stay loaded: %s", names);
	else
		finding_init(&f, "kernel.modules", FINDING_PASS,
			     "the test loaded no kernel module");
	finding_text(&f, "loaded", "%s", names);
	events->finding(events->arg, &f);
}

/* --- one version --------------------------------------------------------------------- */

static void kernel_note_received(struct kernel_attempt *a)
{
	const struct server_log *log = a->kernel->log;

	a->writes = atomic_load(&log->writes);
	a->commits = atomic_load(&log->commits);
	a->refused = atomic_load(&log->refused);
}

/* The server has counted before it answers. */
static void kernel_on_write(struct kernel_attempt *a, const struct kernel_record *r)
{
	const struct server_log *log = a->kernel->log;
	struct kernel_written *written = &a->outcome.written[r->index];
	struct server_wrote wrote[SERVER_LOG_WROTE];
	struct kernel_wire wire = { .wrote = wrote };
	unsigned int i;

	wire.count = min_u32(atomic_load(&log->writes) - a->writes, SERVER_LOG_WROTE);
	for (i = 0; i < wire.count; i++)
		wrote[i] = log->wrote[(a->writes + i) % SERVER_LOG_WROTE];
	wire.commits = atomic_load(&log->commits) - a->commits;
	wire.refused = atomic_load(&log->refused) != a->refused;
	written->tried = true;
	written->record = *r;
	written->fault = kernel_write_judge(r, &wire, a->copy, a->key, &a->outcome.writes);
	debug(DEBUG_MOUNT, "NFSv%s, write of %u bytes: error %d, %u bytes in %u ms; %u WRITEs: %d",
	      a->version->name, kernel_write_rows[r->index].length, r->error, r->length, r->ms,
	      wire.count, written->fault);
	kernel_note_received(a);
}

static void kernel_on_record(void *arg, const struct kernel_record *r)
{
	struct kernel_attempt *a = arg;
	struct kernel *k = a->kernel;
	struct kernel_read *read = &a->outcome.reads[r->index];
	uint32_t length = kernel_lengths[r->index];
	/* What it must have sent to be blameless. */
	uint64_t want = r->error ? length : r->ms >= KERNEL_TIMEO_MS ? 2 * (uint64_t)length : 0;
	uint64_t deadline;
	unsigned int late;

	a->outcome.done[r->step] = true;
	a->outcome.steps[r->step] = *r;
	if (r->step == KERNEL_CREATE)
		kernel_note_received(a);
	if (r->step == KERNEL_WRITE)
		kernel_on_write(a, r);
	if (r->step != KERNEL_READ)
		return;
	/* The kernel may see a reply before the server has counted it. */
	deadline = want ? deadline_min(k->end, deadline_in(LOG_MS)) : 0;
	while (atomic_load(&k->log->bytes) - a->bytes < want && deadline_left(deadline))
		usleep(10000);
	read->tried = true;
	read->record = *r;
	read->whole = !r->error || atomic_load(&k->log->bytes) - a->bytes >= length;
	/* A server that is late is asked twice by every client. */
	late = atomic_exchange(&k->log->late_ms, 0);
	read->twice = kernel_read_is_twice(r, atomic_load(&k->log->bytes) - a->bytes, late);
	debug(DEBUG_MOUNT, "NFSv%s, %u bytes: error %d, %u bytes in %u ms; the server sent %llu",
	      a->version->name, length, r->error, r->length, r->ms,
	      atomic_load(&k->log->bytes) - a->bytes);
	a->bytes = atomic_load(&k->log->bytes);
	if (k->events->progress)
		k->events->progress(k->events->arg, "the kernel's client", r->index + 1,
				    KERNEL_RANGES);
}

static int kernel_run_client(struct kernel *k, struct kernel_attempt *a)
{
	struct kernel_task task = {
		.version = a->version, .secret = k->secret, .ports = k->ports, .key = a->key
	};
	const struct child_function function = {
		.kind = CHILD_KERNEL_CLIENT,
		.name = "the kernel's client",
		.run = kernel_client,
		.arg = &task,
	};
	const struct kernel_receiver receiver = { .record = kernel_on_record,
						  .arg = a,
						  .deadline = k->deadline,
						  .step_ms = STEP_MS,
						  .interrupted = &kernel_interrupted };
	struct child child;
	struct child_end end;
	char how[CHILD_END_TEXT_MAX];
	int rc;

	str_copy(task.address, sizeof(task.address), k->local.address);
	task.ipv6 = k->local.at.addr.ss_family == AF_INET6;
	a->connections = atomic_load(&k->log->connections);
	a->bytes = atomic_load(&k->log->bytes);
	rc = child_start(&child, &function);
	if (rc)
		return rc;
	rc = kernel_receive(&receiver, &child);
	child_finish(&child, rc ? 0 : deadline_min(k->deadline, deadline_in(STEP_MS)), &end);
	k->hung = end.fate == CHILD_LEFT;
	a->outcome.hung = k->hung;
	a->outcome.silent = rc == -ETIMEDOUT && deadline_left(k->deadline);
	a->outcome.reached = atomic_load(&k->log->connections) > a->connections;
	a->outcome.killed = end.fate == CHILD_SIGNALLED && !end.forced;
	if (end.fate != CHILD_EXITED)
		snprintf(a->outcome.end, sizeof(a->outcome.end), "; its process %s",
			 child_end_text(&end, how, sizeof(how)));
	return rc == -ETIMEDOUT ? 0 : rc;
}

/* --- findings ---------------------------------------------------------------- */

static void kernel_add_version(char *list, size_t cap, const struct kernel_attempt *a)
{
	size_t used = strlen(list);

	snprintf(list + used, cap - used, "%s%s", used ? ", " : "", a->version->name);
}

static void kernel_report_reads(struct kernel *k, const struct kernel_attempt *a)
{
	struct kernel_bug *bug = &k->bug;
	struct kernel_judgement j;
	_cleanup_(finding_fini) struct finding f = { 0 };

	kernel_judge(a->outcome.reads, KERNEL_RANGES, &j);
	k->versions += j.tried > 0;
	if (j.fault == KERNEL_RIGHT)
		kernel_add_version(bug->right, sizeof(bug->right), a);
	else if (j.fault == KERNEL_BUG_812)
		kernel_add_version(bug->lost, sizeof(bug->lost), a);
	else if (j.fault == KERNEL_WRONG)
		kernel_add_version(bug->otherwise, sizeof(bug->otherwise), a);
	if (j.fault == KERNEL_BUG_812 && j.largest_right > bug->largest_right)
		bug->largest_right = j.largest_right;
	kernel_read_finding(&a->outcome, &j, &f);
	kernel_emit(k, &f);
	kernel_write_finding(&a->outcome, &j, &f);
	kernel_emit(k, &f);
}

/* The reads then prove nothing. */
static bool kernel_server_ended(const struct kernel *k, const struct kernel_attempt *a)
{
	bool suspect = a->outcome.done[KERNEL_MOUNT] && a->outcome.steps[KERNEL_MOUNT].error;
	struct child_end end;
	_cleanup_(finding_fini) struct finding f = { 0 };
	unsigned int i;
	char how[CHILD_END_TEXT_MAX];

	/* A mount or a read that fails while the server ends. A process that is killed loses its
	 * connections before it can be waited for. */
	for (i = 0; i < KERNEL_RANGES && !suspect; i++)
		suspect = a->outcome.reads[i].tried && a->outcome.reads[i].record.error &&
			  !a->outcome.reads[i].whole;
	for (i = 0; i < KERNEL_WRITES && !suspect; i++)
		suspect = a->outcome.written[i].tried && a->outcome.written[i].record.error;
	if (!server_ended(k->server, suspect ? deadline_min(k->end, deadline_in(EXIT_MS)) : 0,
			  &end))
		return false;
	finding_init(&f, "kernel.server", FINDING_UNKNOWN, "the embedded server %s during the test",
		     child_end_text(&end, how, sizeof(how)));
	finding_reason(&f, "ended");
	kernel_emit(k, &f);
	return true;
}

static int kernel_try_version(struct kernel *k, const struct nfs_version *version)
{
	struct kernel_attempt a = { .kernel = k,
				    .version = version,
				    .outcome = { .version = version->name,
						 .device = k->local.device } };
	_cleanup_free_ uint8_t *copy = calloc(1, KERNEL_WRITE_SIZE);
	_cleanup_(finding_fini) struct finding f = { 0 };
	int rc;

	if (!copy)
		return err_no_memory();
	a.copy = copy;
	rc = random_bytes(&a.key, sizeof(a.key));
	if (!rc)
		rc = kernel_run_client(k, &a);
	if (rc)
		return rc;
	if (kernel_server_ended(k, &a))
		return -EPIPE;
	kernel_mount_finding(&a.outcome, &f);
	kernel_emit(k, &f);
	if (f.status != FINDING_PASS)
		return 0;
	if (a.outcome.done[KERNEL_OPEN] && !a.outcome.steps[KERNEL_OPEN].error)
		kernel_report_reads(k, &a);
	kernel_unmount_finding(&a.outcome, &f);
	kernel_emit(k, &f);
	return 0;
}

/* --- all versions ----------------------------------------------------------------------- */

/* A peer on the fabric can claim this host's address; it does not know this name. */
static int kernel_make_secret(char secret[EXPORT_SECRET_MAX])
{
	uint8_t bytes[16];
	int rc = random_bytes(bytes, sizeof(bytes));
	size_t i;

	if (rc)
		return rc;
	for (i = 0; i < sizeof(bytes); i++)
		snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* Software iWARP is TCP by this host's own stack, so ours can serve it where libibverbs knows no
 * driver for it: that of 2013, on the kernels that have the 812-byte bug. */
static int kernel_spawn_server(struct kernel *k, struct server_child **out)
{
	struct server_spawn_options spawn = {
		.transport = &transport_verbs,
		.listen = k->local.at,
		.own_host = true,
		.writable = true,
		.secret = k->secret,
		.log = k->log,
	};
	int rc = server_spawn(out, &spawn, &k->ports);

	if (rc == -ENODEV && !strcmp(k->local.driver, "siw")) {
		debug(DEBUG_MOUNT, "%s; by software iWARP", err_text());
		spawn.transport = &transport_iwarp;
		spawn.no_crc = true;
		rc = server_spawn(out, &spawn, &k->ports);
	}
	return rc;
}

static int kernel_test_server(struct kernel *k)
{
	static const char *const versions[] = { "3", "4.0", "4.1" };
	_cleanup_(server_kill_p) struct server_child *server = NULL;
	_cleanup_(finding_fini) struct finding f = { 0 };
	char port[8];
	size_t i;
	int rc = kernel_make_secret(k->secret);

	if (!rc)
		rc = kernel_spawn_server(k, &server);

	k->server = server;
	if (rc) {
		finding_init(&f, "kernel.server", FINDING_UNKNOWN, "%s", err_text());
		finding_reason(&f, rc == -EPIPE ? "ended" : "no-listen");
		kernel_emit(k, &f);
		return 0;
	}
	finding_init(&f, "kernel.server", FINDING_PASS,
		     "the embedded server listens on %s, for this host only", k->local.address);
	finding_number(&f, "port", k->ports.rdma);
	kernel_emit(k, &f);
	snprintf(port, sizeof(port), "%u", k->ports.rdma);
	k->events->subject(k->events->arg, "port", port);
	if (k->options->version)
		rc = kernel_try_version(k, k->options->version);
	/* What hangs once would hang again. */
	for (i = 0; !k->options->version && i < ARRAY_SIZE(versions) && !rc && !k->hung; i++)
		rc = kernel_try_version(k, nfs_version_find(versions[i]));
	if (!k->versions) {
		finding_init(&f, "kernel.read", FINDING_UNKNOWN,
			     "nothing was read through the kernel");
		finding_reason(&f, "not-read");
		kernel_emit(k, &f);
	}
	/* The question that --client answers. */
	kernel_bug_finding(&k->bug, &f);
	kernel_emit(k, &f);
	return rc == -EPIPE ? 0 : rc;
}

/* The check of the module says why, and what to install or to boot: no device would help. */
static bool kernel_lacks_module(const struct kernel *k)
{
	const struct check_target target = { .port = NFS_RDMA_PORT, .roles = CHECK_CLIENT };
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (checks_run_one("client.module", k->host, &live_replay, &target, &f) ||
	    f.status != FINDING_FAIL)
		return false;
	kernel_emit(k, &f);
	return true;
}

static int kernel_test(struct kernel *k)
{
	_cleanup_(host_text_fini) struct host_text modules = { NULL, 0 };
	_cleanup_(finding_fini) struct finding f = { 0 };
	int rc;

	if (kernel_lacks_module(k))
		return 0;
	rc = kernel_address(k->host, k->options, &k->local);
	if (rc) {
		finding_init(&f, "kernel.device", FINDING_UNKNOWN, "%s", err_text());
		finding_reason(&f, err_reason());
		if (k->options->device)
			finding_text(&f, "device", "%s", k->options->device);
		kernel_emit(k, &f);
		return 0;
	}
	finding_init(&f, "kernel.device", FINDING_PASS, "%s (%s) on %s, %s", k->local.device,
		     k->local.driver, k->local.netdev, k->local.address);
	finding_text(&f, "software", "%s", k->local.software ? "yes" : "no");
	k->events->subject(k->events->arg, "server", k->local.address);
	kernel_emit(k, &f);
	k->log = mmap(NULL, sizeof(*k->log), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (k->log == MAP_FAILED)
		return err_sys("memory");
	/* Without it the report does not name them. */
	if (host_read(k->host, "proc/modules", HOST_FILE_MAX, &modules))
		debug(DEBUG_MOUNT, "proc/modules: %s", err_text());
	rc = kernel_test_server(k);
	kernel_report_modules(k->host, k->events, &modules);
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
		return err_set(EPERM, "--client mounts, which requires root");
	k.end = deadline_in(options->timeout_ms);
	k.deadline = k.end - min_u32(RESERVE_MS, options->timeout_ms / 4);
	rc = host_open(&host, NULL);
	if (rc)
		return rc;
	host_limit(host, k.end);
	k.host = host;
	kernel_interrupted = 0;
	sigaction(SIGINT, &action, &old_int);
	sigaction(SIGTERM, &action, &old_term);
	rc = kernel_test(&k);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	return rc;
}
