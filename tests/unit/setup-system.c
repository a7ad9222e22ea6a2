/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Requests to firewalld and systemd: the object, the arguments, and the result of refusals. */
#include <systemd/sd-bus.h>

#include <netinet/in.h>
#include <sys/mman.h>

#include "plugin/setup/system.h"
#include "tests/unit/fake-bus.h"

#define OBJECT "/org/fedoraproject/FirewallD1"
#define FILES  OBJECT "/config/zone/7"

/* Shared with the process that plays the bus. */
struct seen {
	bool open[2];
	unsigned int strays; /* calls that firewalld does not have */
	unsigned int asked;  /* for the job */
};

static struct seen *seen;

static bool is_call(sd_bus_message *call, const char *path, const char *interface)
{
	return !strcmp(sd_bus_message_get_path(call), path) &&
	       !strcmp(sd_bus_message_get_interface(call), interface);
}

static int answer(sd_bus_message *call, const char *member, bool permanent)
{
	if (!strcmp(member, "queryPort"))
		return sd_bus_reply_method_return(call, "b", seen->open[permanent]);
	seen->open[permanent] = !strcmp(member, "addPort");
	return permanent ? sd_bus_reply_method_return(call, "")
			 : sd_bus_reply_method_return(call, "s", "public");
}

static int play_runtime(sd_bus_message *call, const char *member)
{
	const char *zone = "", *port = "", *protocol = "";
	int timeout = 0;
	bool add = !strcmp(member, "addPort");

	sd_bus_message_read(call, add ? "sssi" : "sss", &zone, &port, &protocol, &timeout);
	seen->strays += strcmp(zone, "public") || strcmp(port, "4791") || strcmp(protocol, "udp") ||
			timeout || !sd_bus_message_at_end(call, 1);
	return answer(call, member, false);
}

static int play_files(sd_bus_message *call, const char *member)
{
	const char *port = "", *protocol = "";

	sd_bus_message_read(call, "ss", &port, &protocol);
	seen->strays += strcmp(port, "20049") || strcmp(protocol, "tcp") ||
			!sd_bus_message_at_end(call, 1);
	return answer(call, member, true);
}

static int play_firewalld(sd_bus_message *call, const char *member)
{
	const char *zone = "";

	if (sd_bus_message_get_auto_start(call))
		return 0;
	if (is_call(call, OBJECT, "org.fedoraproject.FirewallD1.zone"))
		return play_runtime(call, member);
	if (is_call(call, FILES, "org.fedoraproject.FirewallD1.config.zone"))
		return play_files(call, member);
	if (!is_call(call, OBJECT "/config", "org.fedoraproject.FirewallD1.config"))
		return 0;
	sd_bus_message_read(call, "s", &zone);
	if (strcmp(zone, "public") != 0)
		return sd_bus_reply_method_errorf(call, "org.fedoraproject.FirewallD1.Exception",
						  "INVALID_ZONE: %s", zone);
	return sd_bus_reply_method_return(call, "o", FILES);
}

static const struct setup_port runtime = { "public", 4791, IPPROTO_UDP, false };
static const struct setup_port files = { "public", 20049, IPPROTO_TCP, true };

static void begin(play_fn play)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	start(play, NULL);
}

static void end(void)
{
	stop();
	munmap(seen, sizeof(*seen));
}

static void there_and_back(const struct setup_port *port)
{
	bool open = true;

	CU_ASSERT_EQUAL(setup_firewalld_get(port, &open), 0);
	CU_ASSERT_FALSE(open);
	CU_ASSERT_EQUAL(setup_firewalld_set(port, true), 0);
	CU_ASSERT_EQUAL(setup_firewalld_get(port, &open), 0);
	CU_ASSERT(open);
	CU_ASSERT_FALSE(seen->open[!port->permanent]);
	CU_ASSERT_EQUAL(setup_firewalld_set(port, false), 0);
	CU_ASSERT_FALSE(seen->open[port->permanent]);
	CU_ASSERT_EQUAL(seen->strays, 0);
}

static void runtime_and_permanent_rules_are_separate(void)
{
	begin(play_firewalld);
	there_and_back(&runtime);
	there_and_back(&files);
	end();
}

static void a_missing_zone_is_reported(void)
{
	const struct setup_port port = { "nowhere", 20049, IPPROTO_TCP, true };
	bool open;

	begin(play_firewalld);
	CU_ASSERT_EQUAL(setup_firewalld_get(&port, &open), -EIO);
	ASSERT_CONTAINS(err_text(), "INVALID_ZONE: nowhere");
	end();
}

static int play_forbidden(sd_bus_message *call, const char *member)
{
	if (strcmp(member, "addPort") != 0)
		return play_firewalld(call, member);
	return sd_bus_reply_method_errorf(
		call, "org.fedoraproject.FirewallD1.NotAuthorizedException", "no");
}

static int play_nobody(sd_bus_message *call, const char *member)
{
	(void)call, (void)member;
	return 0;
}

static void refusals_are_reported(void)
{
	bool open;

	begin(play_forbidden);
	CU_ASSERT_EQUAL(setup_firewalld_set(&files, true), -EACCES);
	CU_ASSERT_FALSE(seen->open[true]);
	end();
	begin(play_nobody);
	CU_ASSERT_EQUAL(setup_firewalld_get(&runtime, &open), -ESRCH);
	CU_ASSERT_EQUAL(setup_unit_restart("nfs-server.service"), -EHOSTDOWN);
	end();
}

/* --- the NFS server ---------------------------------------------------------------- */

/* If the portlist exists nothing is tried: an error of ours could crash the machine. */
static void a_port_in_use_is_not_given_to_the_server(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	_cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(at);

	if (!access("/proc/fs/nfsd/portlist", F_OK))
		return;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&at, len), 0);
	CU_ASSERT_EQUAL_FATAL(listen(fd, 1), 0);
	CU_ASSERT_EQUAL_FATAL(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	CU_ASSERT_EQUAL(setup_system.listen(ntohs(at.sin_port)), -EADDRINUSE);
	close(fd);
	fd = -1;
	CU_ASSERT_EQUAL(setup_system.listen(ntohs(at.sin_port)), -ENOENT);
}

/* --- systemd --------------------------------------------------------------------- */

#define JOB  "/org/freedesktop/systemd1/job/5"
#define UNIT "/unit/nfs"

static const char *active_state;

static int play_systemd(sd_bus_message *call, const char *member)
{
	const char *a = "", *b = "";

	sd_bus_message_read(call, "ss", &a, &b);
	if (!strcmp(member, "RestartUnit")) {
		seen->strays += strcmp(a, "nfs-server.service") || strcmp(b, "replace");
		return sd_bus_reply_method_return(call, "o", JOB);
	}
	if (!strcmp(member, "LoadUnit"))
		return sd_bus_reply_method_return(call, "o", UNIT);
	if (!strcmp(sd_bus_message_get_path(call), JOB)) {
		if (++seen->asked < 3)
			return sd_bus_reply_method_return(call, "v", "s", "running");
		return sd_bus_reply_method_errorf(call, "org.freedesktop.DBus.Error.UnknownObject",
						  "gone");
	}
	return sd_bus_reply_method_return(call, "v", "s",
					  strcmp(b, "LoadState") ? active_state : "loaded");
}

static void a_restart_is_waited_for(void)
{
	active_state = "active";
	begin(play_systemd);
	CU_ASSERT_EQUAL(setup_unit_restart("nfs-server.service"), 0);
	CU_ASSERT_EQUAL(seen->asked, 3);
	CU_ASSERT_EQUAL(seen->strays, 0);
	end();
}

static void a_unit_that_fails_to_start_is_reported(void)
{
	active_state = "failed";
	begin(play_systemd);
	CU_ASSERT_EQUAL(setup_unit_restart("nfs-server.service"), -EIO);
	CU_ASSERT_STRING_EQUAL(
		err_text(),
		"nfs-server.service is failed after its restart: journalctl -u nfs-server.service");
	end();
}

/* As iproute2 6.1 prints them. */
static void queue_pairs_of_the_kernel_are_not_users(void)
{
	char text[] =
		"link rxe0/1 lqpn 1 type GSI state RTS sq-psn 0 comm [ib_core] \n"
		"link ib0/1 lqpn 0 type SMI state RTS sq-psn 0 comm [ib_core] \n"
		"link siw_veth1/1 lqpn 1 rqpn 0 type RC state RESET rq-psn 0 sq-psn 0 path-mig-state MIGRATED comm [rdma_cm] \n"
		"link rxe0/1 lqpn 19 type UD state RTS sq-psn 0 pid 77 comm rping \n";
	char none[] = "";

	CU_ASSERT_EQUAL(setup_link_count(text), 2);
	CU_ASSERT_EQUAL(setup_link_count(none), 0);
}

SUITE_MAIN("setup-system", TEST(a_port_in_use_is_not_given_to_the_server),
	   TEST(runtime_and_permanent_rules_are_separate), TEST(a_missing_zone_is_reported),
	   TEST(refusals_are_reported), TEST(a_restart_is_waited_for),
	   TEST(a_unit_that_fails_to_start_is_reported),
	   TEST(queue_pairs_of_the_kernel_are_not_users))
