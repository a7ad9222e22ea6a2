/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The protocol between worker and parent, with a compromised worker: whatever it sends, the
 * parent passes on clean text or fails. */
#include <arpa/inet.h>
#include <dirent.h>
#include <signal.h>
#include <sys/socket.h>

#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

static int ends[2];
static uint8_t body[WORKER_RECORD_MAX];
static int type;
static int passed;

static void open_pair(void)
{
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
}

static void close_pair(void)
{
	close(ends[0]);
	close(ends[1]);
}

static ssize_t receive(size_t cap)
{
	return channel_receive(ends[1], &type, body, cap, &passed);
}

static unsigned int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void a_message_keeps_its_type_body_and_bounds(void)
{
	open_pair();
	CU_ASSERT_EQUAL(channel_send(ends[0], WORKER_SUBJECT, "first", 5, -1), 0);
	CU_ASSERT_EQUAL(channel_send(ends[0], WORKER_PROGRESS, "second!", 7, -1), 0);
	CU_ASSERT_EQUAL(receive(sizeof(body)), 5);
	CU_ASSERT_EQUAL(type, WORKER_SUBJECT);
	ASSERT_BYTES(body, "first", 5);
	CU_ASSERT_EQUAL(passed, -1);
	CU_ASSERT_EQUAL(receive(sizeof(body)), 7);
	CU_ASSERT_EQUAL(type, WORKER_PROGRESS);
	close_pair();
}

static void an_empty_body_is_a_message(void)
{
	open_pair();
	CU_ASSERT_EQUAL(channel_send(ends[0], WORKER_CONNECT, NULL, 0, -1), 0);
	CU_ASSERT_EQUAL(receive(sizeof(body)), 0);
	CU_ASSERT_EQUAL(type, WORKER_CONNECT);
	close_pair();
}

static void the_longest_body_is_accepted_and_a_longer_one_refused(void)
{
	static uint8_t large[WORKER_RECORD_MAX + 1];

	open_pair();
	CU_ASSERT_EQUAL(channel_send(ends[0], WORKER_FINDING, large, WORKER_RECORD_MAX, -1), 0);
	CU_ASSERT_EQUAL(receive(sizeof(body)), WORKER_RECORD_MAX);
	CU_ASSERT_EQUAL(channel_send(ends[0], WORKER_FINDING, large, sizeof(large), -1), 0);
	CU_ASSERT_EQUAL(receive(sizeof(body)), -EPROTO);
	CU_ASSERT_STRING_EQUAL(err_text(), "a message of more than 65536 bytes");
	close_pair();
}

static void a_descriptor_is_passed_with_a_message(void)
{
	int pipes[2];
	char c = 0;

	open_pair();
	CU_ASSERT_EQUAL_FATAL(pipe(pipes), 0);
	CU_ASSERT_EQUAL(channel_send(ends[0], WORKER_SOCKET, "x", 1, pipes[1]), 0);
	close(pipes[1]);
	CU_ASSERT_EQUAL(receive(sizeof(body)), 1);
	ASSERT_AT_LEAST_FATAL(passed, 0);
	CU_ASSERT_EQUAL(write(passed, "y", 1), 1);
	CU_ASSERT_EQUAL(read(pipes[0], &c, 1), 1);
	CU_ASSERT_EQUAL(c, 'y');
	close(passed);
	close(pipes[0]);
	close_pair();
}

static void the_receiver_owns_the_descriptor_of_a_truncated_message(void)
{
	unsigned int before;

	open_pair();
	before = open_files();
	CU_ASSERT_EQUAL(channel_send(ends[0], WORKER_SOCKET, "long", 4, 0), 0);
	CU_ASSERT_EQUAL(receive(2), -EPROTO);
	ASSERT_AT_LEAST(passed, 0);
	close(passed);
	CU_ASSERT_EQUAL(open_files(), before);
	close_pair();
}

static void additional_descriptors_are_closed(void)
{
	union {
		char buf[CMSG_SPACE(3 * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	const int fds[3] = { 0, 0, 0 };
	uint8_t byte = WORKER_PROGRESS;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.buf,
			      .msg_controllen = sizeof(control.buf) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	unsigned int before;

	SKIP_IF_EMULATED("leaks descriptors that do not fit into a message");
	open_pair();
	before = open_files();
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(cmsg), fds, sizeof(fds));
	CU_ASSERT_EQUAL_FATAL(sendmsg(ends[0], &msg, 0), 1);
	CU_ASSERT_EQUAL(receive(sizeof(body)), 0);
	if (passed >= 0)
		close(passed);
	CU_ASSERT_EQUAL(open_files(), before);
	close_pair();
}

static void a_closed_channel_is_reported_at_both_ends(void)
{
	open_pair();
	close(ends[0]);
	CU_ASSERT_EQUAL(receive(sizeof(body)), -EPIPE);
	CU_ASSERT_EQUAL(passed, -1);
	CU_ASSERT_EQUAL(channel_send(ends[1], WORKER_FINDING, "x", 1, -1), -EPIPE);
	close(ends[1]);
}

/* The parent, with a worker that sends what a test needs */

/* The parent adds the address, the worker the route; both are subjects. */
#define FINDINGS_BEFORE 2
#define SUBJECTS_BEFORE 1

static struct {
	unsigned int findings, subjects, progresses;
	enum finding_status status; /* of the last finding */
	char last[FINDING_SUMMARY_MAX];
	struct finding worker; /* probe.worker; no id: it did not arrive */
} heard;

static void on_finding(void *arg, const struct finding *f)
{
	(void)arg;
	if (!strcmp(f->id, "probe.worker")) {
		finding_copy(&heard.worker, f);
		return;
	}
	heard.findings++;
	heard.status = f->status;
	snprintf(heard.last, sizeof(heard.last), "%s", f->summary);
}

static void on_subject(void *arg, const char *key, const char *value)
{
	(void)arg;
	heard.subjects++;
	snprintf(heard.last, sizeof(heard.last), "%s=%s", key, value);
}

static void on_progress(void *arg, const char *what, unsigned int done, unsigned int total)
{
	(void)arg;
	heard.progresses++;
	snprintf(heard.last, sizeof(heard.last), "%s %u/%u", what, done, total);
}

static int run_on(worker_fn work, uint16_t nfs_port, unsigned int timeout_ms)
{
	const struct probe_events events = { .finding = on_finding,
					     .subject = on_subject,
					     .progress = on_progress };
	const struct probe_options options = {
		.host = "127.0.0.1", .port = 1, .nfs_port = nfs_port, .timeout_ms = timeout_ms
	};

	finding_fini(&heard.worker);
	memset(&heard, 0, sizeof(heard));
	return parent_run(&options, work, 1, &events);
}

static int run_for(worker_fn work, unsigned int timeout_ms)
{
	return run_on(work, 1, timeout_ms);
}

static int run(worker_fn work)
{
	return run_for(work, 20000);
}

static void say_all(struct probe *p)
{
	probe_say(p, "probe.null", FINDING_PASS, "answered");
	probe_progress(p, "reading", 3, 7);
	probe_subject(p, "file", "%s", "a\nb\033[2J\xff");
}

static void messages_of_an_honest_worker_are_passed_on(void)
{
	CU_ASSERT_EQUAL(run(say_all), 0);
	CU_ASSERT_EQUAL(heard.findings, FINDINGS_BEFORE + 1);
	CU_ASSERT_EQUAL(heard.progresses, 1);
	CU_ASSERT_EQUAL(heard.subjects, SUBJECTS_BEFORE + 1);
	CU_ASSERT_STRING_EQUAL(heard.last, "file=a?b?[2J?");
}

static void is_incomplete(const char *words)
{
	CU_ASSERT_STRING_EQUAL(heard.worker.id, "probe.worker");
	CU_ASSERT_EQUAL(heard.worker.status, FINDING_UNKNOWN);
	ASSERT_CONTAINS(heard.worker.summary, words);
}

static void is_complete(void)
{
	CU_ASSERT_STRING_EQUAL(heard.worker.id, "");
}

static void say_end(struct probe *p, uint32_t records)
{
	uint8_t buf[4];

	put_be32(buf, records);
	channel_send(p->channel.fd, WORKER_END, buf, sizeof(buf), -1);
}

static void end_early(struct probe *p)
{
	probe_say(p, "probe.null", FINDING_PASS, "answered");
	_exit(0);
}

static void end_too_early(struct probe *p)
{
	say_end(p, p->channel.records);
	probe_say(p, "probe.null", FINDING_PASS, "answered");
}

static void the_last_record_holds_the_record_count(void)
{
	CU_ASSERT_EQUAL(run(say_all), 0);
	is_complete();
	CU_ASSERT_EQUAL(run(end_early), -EPROTO);
	CU_ASSERT_EQUAL(heard.findings, FINDINGS_BEFORE + 1);
	is_incomplete("findings may be missing");
	CU_ASSERT_EQUAL(run(end_too_early), -EPROTO);
	is_incomplete("after its end");
}

/* The other end is not read and its buffer is full, as when the kernel has no memory for it. */
static int full_channel(void)
{
	static const char junk[1024];
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair))
		return -1;
	while (send(pair[0], junk, sizeof(junk), MSG_NOSIGNAL) > 0)
		;
	return pair[0];
}

static void lose_a_failure(struct probe *p)
{
	int channel = p->channel.fd;

	probe_say(p, "probe.connect", FINDING_PASS, "connected");
	p->channel.fd = full_channel();
	probe_say(p, "probe.null", FINDING_FAIL, "nobody hears this");
	p->channel.fd = channel;
	probe_say(p, "probe.fsinfo", FINDING_PASS, "good");
}

static void lose_a_subject(struct probe *p)
{
	int channel = p->channel.fd;

	p->channel.fd = full_channel();
	probe_subject(p, "file", "disk");
	p->channel.fd = channel;
}

static void lose_a_progress(struct probe *p)
{
	int channel = p->channel.fd;

	probe_say(p, "probe.null", FINDING_PASS, "answered");
	p->channel.fd = full_channel();
	probe_progress(p, "reading", 1, 2);
	p->channel.fd = channel;
}

static void lose_evidence(struct probe *p)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.null", FINDING_FAIL, "no memory for all of it");
	f.no_memory = true;
	probe_emit(p, &f);
}

static void a_record_that_was_not_sent_is_detected(void)
{
	CU_ASSERT_EQUAL(run(lose_a_failure), -EPROTO);
	CU_ASSERT_EQUAL(heard.findings, FINDINGS_BEFORE + 2);
	is_incomplete("5 records sent by the worker, 4 received");
	CU_ASSERT_EQUAL(run(lose_a_subject), -EPROTO);
	is_incomplete("3 records sent by the worker, 2 received");
	CU_ASSERT_EQUAL(run(lose_evidence), -EPROTO);
	CU_ASSERT_EQUAL(heard.findings, FINDINGS_BEFORE);
	is_incomplete("3 records sent by the worker, 2 received");
	/* Progress is not part of the report. */
	CU_ASSERT_EQUAL(run(lose_a_progress), 0);
	is_complete();
}

/* Flags, then version and address, zeros up to the owner. */
#define REMAINS_HEAD(version_address) \
	"\x10" version_address "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

/* Its last cell has an invalid result. */
static const char matrix_of_another[MATRIX_RECORD] = { [MATRIX_RECORD - 1] = 0x10 };

/* One hostile message a row. The worker is a child: the row is in a global when it is forked. */
static const struct hostile {
	int type;
	const char *body;
	size_t len;
} hostile[] = {
	{ WORKER_FINDING, "", 0 },
	{ WORKER_FINDING, "\0\0", 2 },
	{ WORKER_FINDING, "\0\0\0\0", 4 },
	{ WORKER_FINDING, "\xff\xff\xff\xff\0\0", 6 },
	{ WORKER_FINDING, "\0\0\0\x40\0\0", 6 },
	{ WORKER_SUBJECT, "", 0 },
	{ WORKER_SUBJECT, "\0", 1 },
	{ WORKER_SUBJECT, "file", 4 },
	{ WORKER_SUBJECT, "file\0", 5 },
	{ WORKER_SUBJECT, "file\0name", 9 },
	{ WORKER_SUBJECT, "file\0na\0me\0", 11 },
	{ WORKER_SUBJECT, "file\0na\0\0", 9 },
	{ WORKER_SUBJECT, "file\0a\033[2Jb\0", 12 },
	{ WORKER_SUBJECT, "fi\nle\0name\0", 11 },
	{ WORKER_SUBJECT,
	  "file\0\xc2\x9b"
	  "2J\0",
	  10 },
	{ WORKER_SUBJECT, "file\0\xff\0", 7 },
	{ WORKER_PROGRESS, "", 0 },
	{ WORKER_PROGRESS, "\0\0\0\0\0\0\0\1", 8 },
	{ WORKER_PROGRESS, "\0\0\0\0\0\0\0\1text", 12 },
	{ WORKER_PROGRESS, "\0\0\0\0\0\0\0\1te\0xt\0", 14 },
	{ WORKER_PROGRESS, "\0\0\0\0\0\0\0\1\033[2J\0", 13 },
	{ WORKER_CONNECT, "", 0 },
	{ WORKER_CONNECT, "\1\0\1", 3 },
	{ WORKER_CONNECT, "\1\0\1\0\0", 5 },
	{ WORKER_CONNECT, "\1\0\1\1", 4 }, /* the host has one address */
	{ WORKER_CONNECT, "\1\0\1\xff", 4 },
	{ WORKER_CONNECT, "\3\0\1\0", 4 }, /* there are three peers */
	{ WORKER_CONNECT, "\0\0\1\0", 4 }, /* rpcbind has one port */
	{ WORKER_CONNECT, "\1\0\0\0", 4 }, /* and 0 is none */
	{ WORKER_CONNECT, "\2\0\2\0", 4 }, /* not the --nfs-port */
	{ WORKER_SOCKET, "", 0 },
	{ WORKER_REMAINS, "", 0 },
	{ WORKER_MATRIX, "", 0 },
	{ WORKER_MATRIX, matrix_of_another, MATRIX_RECORD },
	{ WORKER_MATRIX, matrix_of_another, MATRIX_RECORD - 1 },
	{ WORKER_END, "", 0 },
	{ WORKER_END, "\0\0\0\1", 4 }, /* the route, a subject and a finding, came before */
	{ WORKER_END, "\0\0\0\3", 4 },
	{ WORKER_END, "\0\0\0\0\2", 5 },
	{ WORKER_REMAINS, REMAINS_HEAD("\1\0") "Linux NFSv4.1 host\0", 55 },
	{ WORKER_REMAINS, REMAINS_HEAD("\3\0") REMAINS_OWNER "00\0", 53 },
	{ WORKER_REMAINS, REMAINS_HEAD("\1\1") REMAINS_OWNER "00\0", 53 },
	{ 0, "", 0 },
	{ 200, "xyz", 3 },
};

static const struct hostile *turn;

static void say_hostile(struct probe *p)
{
	channel_send(p->channel.fd, turn->type, turn->body, turn->len, -1);
	pause(); /* until the parent ends it */
}

static void every_hostile_message_ends_the_worker_and_is_dropped(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hostile); i++) {
		SUITE_ROW("%zu: %s", i, hostile[i].body);
		turn = &hostile[i];
		CU_ASSERT_EQUAL(run(say_hostile), -EPROTO);
		CU_ASSERT_EQUAL(heard.findings, FINDINGS_BEFORE);
		CU_ASSERT_EQUAL(heard.subjects, SUBJECTS_BEFORE);
		CU_ASSERT_EQUAL(heard.progresses, 0);
		is_incomplete("the worker");
	}
}

static void say_too_much(struct probe *p)
{
	unsigned int i;

	for (i = 0; i < 10000; i++)
		probe_say(p, "probe.null", FINDING_PASS, "%u", i);
}

static void endless_findings_are_refused(void)
{
	CU_ASSERT_EQUAL(run(say_too_much), -EPROTO);
	ASSERT_LESS(heard.findings, 300);
}

static void ask_too_often(struct probe *p)
{
	bool reserved;
	unsigned int i;

	for (i = 0; i < 1000; i++)
		if (probe_tcp(p, TCP_NFS, 1, &reserved) == -EPIPE)
			break;
}

static void endless_connections_are_refused(void)
{
	CU_ASSERT_EQUAL(run(ask_too_often), -EPROTO);
	CU_ASSERT_STRING_EQUAL(err_text(), "the worker requested a connection that is not allowed");
}

static void ask_each(struct probe *p)
{
	static const uint16_t ports[TCP_PEERS] = {
		[TCP_RPCBIND] = RPCBIND_PORT, [TCP_MOUNT] = 1, [TCP_NFS] = 1
	};
	unsigned int peer;

	for (peer = 0; peer < TCP_PEERS; peer++)
		if (probe_tcp(p, peer, ports[peer], NULL) == -EPIPE)
			return;
	probe_say(p, "probe.null", FINDING_PASS, "asked for all three");
}

static void each_of_three_connections_can_be_requested(void)
{
	CU_ASSERT_EQUAL(run(ask_each), 0);
	CU_ASSERT_STRING_EQUAL(heard.last, "asked for all three");
}

static void ask_once(struct probe *p)
{
	int rc = probe_tcp(p, TCP_NFS, 1, NULL);

	probe_say(p, "probe.null", FINDING_FAIL, "%s", rc < 0 ? err_text() : "connected");
}

static void a_refused_connection_is_reported_to_the_worker(void)
{
	CU_ASSERT_EQUAL(run(ask_once), 0);
	ASSERT_CONTAINS(heard.last, "refused");
}

static uint16_t listening;

static void ask_who_listens(struct probe *p)
{
	int fd = probe_tcp(p, TCP_NFS, listening, NULL);

	probe_say(p, "probe.null", FINDING_PASS, "%s", fd < 0 ? err_text() : "connected");
}

static void a_connection_is_passed_to_the_worker_and_closed_in_the_parent(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	_cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(to);
	unsigned int before;

	CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&to, len), 0);
	CU_ASSERT_EQUAL_FATAL(listen(fd, 1), 0);
	CU_ASSERT_EQUAL_FATAL(getsockname(fd, (struct sockaddr *)&to, &len), 0);
	listening = ntohs(to.sin_port);
	before = open_files();
	CU_ASSERT_EQUAL(run_on(ask_who_listens, listening, 20000), 0);
	CU_ASSERT_STRING_EQUAL(heard.last, "connected");
	CU_ASSERT_EQUAL(open_files(), before);
}

static void die(struct probe *p)
{
	(void)p;
	_exit(3);
}

static void crash(struct probe *p)
{
	probe_step(p, "the reply to %s", "GETATTR");
	probe_step(p, "the reply to %s", "READ");
	raise(SIGKILL);
}

static void scribble(struct probe *p)
{
	memset(p->channel.step, '\x1b', WORKER_STEP_MAX);
	raise(SIGKILL);
}

static void a_worker_that_dies_is_an_error(void)
{
	CU_ASSERT_EQUAL(run(die), -EPROTO);
	CU_ASSERT_STRING_EQUAL(err_text(), "the worker ended with status 3; last decoded: nothing");
	is_incomplete("ended with status 3");
	CU_ASSERT_EQUAL(run(crash), -EPROTO);
	ASSERT_CONTAINS(err_text(), "died with signal 9");
}

static void the_finding_of_a_dead_worker_has_what_it_decoded(void)
{
	CU_ASSERT_EQUAL(run(crash), -EPROTO);
	is_incomplete("died with signal 9 (Killed); last decoded: the reply to READ");
	CU_ASSERT_EQUAL(heard.worker.nevidence, 3);
	CU_ASSERT_STRING_EQUAL(heard.worker.evidence[0].key, "signal");
	CU_ASSERT_STRING_EQUAL(heard.worker.evidence[0].value, "9");
	CU_ASSERT_STRING_EQUAL(heard.worker.evidence[1].key, "decoded");
	CU_ASSERT_STRING_EQUAL(heard.worker.evidence[1].value, "the reply to READ");
	/* A compromised worker. */
	CU_ASSERT_EQUAL(run(scribble), -EPROTO);
	is_incomplete("last decoded: ???");
	CU_ASSERT(finding_is_clean(heard.worker.summary));
}

static void close_and_stay(struct probe *p)
{
	close(p->channel.fd);
	for (;;)
		pause();
}

static void a_worker_that_hangs_is_killed(void)
{
	CU_ASSERT_EQUAL(run_for(close_and_stay, 3000), -ETIMEDOUT);
	is_incomplete("did not exit at the deadline");
}

/* State that an NFSv4.1 client leaves; the server refuses connections. */

static void tell_remains(struct probe *p, bool exists)
{
	struct remains r = { .exists = exists, .has_client = true, .minor = 1 };
	uint8_t buf[REMAINS_RECORD_MAX];

	snprintf(r.owner, sizeof(r.owner), "%s", REMAINS_OWNER "0123456789abcdef");
	probe_record(p, WORKER_REMAINS, buf, remains_encode(&r, buf));
}

/* After a call that was answered. */
static void leave(struct probe *p)
{
	probe_say(p, "probe.null", FINDING_PASS, "answered");
	tell_remains(p, true);
}

static void leave_and_die(struct probe *p)
{
	leave(p);
	raise(SIGKILL);
}

static void leave_and_stay(struct probe *p)
{
	leave(p);
	pause();
}

static void take_it_off(struct probe *p)
{
	leave(p);
	tell_remains(p, false);
}

static void heard_that_it_is_left(void)
{
	CU_ASSERT_EQUAL(heard.findings, FINDINGS_BEFORE + 2);
	CU_ASSERT_EQUAL(heard.status, FINDING_WARN);
	ASSERT_CONTAINS(heard.last, REMAINS_OWNER "0123456789abcdef");
}

static void a_client_left_on_the_server_is_reported_if_not_removable(void)
{
	CU_ASSERT_EQUAL(run(leave_and_die), -EPROTO);
	ASSERT_CONTAINS(err_text(), "died with signal 9");
	heard_that_it_is_left();
	CU_ASSERT_EQUAL(run_for(leave_and_stay, 3000), -ETIMEDOUT);
	heard_that_it_is_left();
	CU_ASSERT_EQUAL(run(leave), 0);
	heard_that_it_is_left();
}

static void a_removed_client_is_not_reported(void)
{
	CU_ASSERT_EQUAL(run(take_it_off), 0);
	CU_ASSERT_EQUAL(heard.findings, FINDINGS_BEFORE + 1);
}

SUITE_MAIN("channel", TEST(a_message_keeps_its_type_body_and_bounds),
	   TEST(an_empty_body_is_a_message),
	   TEST(the_longest_body_is_accepted_and_a_longer_one_refused),
	   TEST(a_descriptor_is_passed_with_a_message),
	   TEST(the_receiver_owns_the_descriptor_of_a_truncated_message),
	   TEST(additional_descriptors_are_closed), TEST(a_closed_channel_is_reported_at_both_ends),
	   TEST(messages_of_an_honest_worker_are_passed_on),
	   TEST(the_last_record_holds_the_record_count),
	   TEST(a_record_that_was_not_sent_is_detected),
	   TEST(every_hostile_message_ends_the_worker_and_is_dropped),
	   TEST(endless_findings_are_refused), TEST(endless_connections_are_refused),
	   TEST(each_of_three_connections_can_be_requested),
	   TEST(a_refused_connection_is_reported_to_the_worker),
	   TEST(a_connection_is_passed_to_the_worker_and_closed_in_the_parent),
	   TEST(a_worker_that_dies_is_an_error),
	   TEST(the_finding_of_a_dead_worker_has_what_it_decoded),
	   TEST(a_worker_that_hangs_is_killed),
	   TEST(a_client_left_on_the_server_is_reported_if_not_removable),
	   TEST(a_removed_client_is_not_reported))
