/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A system bus that is played: a process that is the bus and whoever is on it, and does what a
 * healthy one does not. */
#ifndef TESTS_UNIT_FAKE_BUS_H
#define TESTS_UNIT_FAKE_BUS_H

#include <systemd/sd-bus.h>

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "plugin/live/bus.h"
#include "plugin/live/internal.h"
#include "tests/unit/suite.h"

static char folder[64];
static pid_t bus_pid;

/* Answers one call; 0: not mine. */
typedef int (*play_fn)(sd_bus_message *call, const char *member);

/* --- the bus ---------------------------------------------------------------------- */

static int on_call(sd_bus_message *call, void *arg, sd_bus_error *error)
{
	const char *member = sd_bus_message_get_member(call);
	play_fn play;

	(void)error;
	memcpy(&play, arg, sizeof(play));
	if (!member)
		return 0;
	if (!strcmp(member, "Hello"))
		return sd_bus_reply_method_return(call, "s", ":1.1");
	if (play(call, member))
		return 1;
	return sd_bus_reply_method_errorf(call, "org.freedesktop.DBus.Error.ServiceUnknown",
					  "nobody");
}

static int play_connection(int fd, play_fn play)
{
	sd_bus *bus = NULL;
	sd_id128_t id = { 0 };
	int rc;

	sd_bus_new(&bus);
	sd_bus_set_fd(bus, fd, fd);
	sd_bus_set_server(bus, 1, id);
	sd_bus_add_filter(bus, NULL, on_call, &play);
	rc = sd_bus_start(bus);
	while (rc >= 0) {
		rc = sd_bus_process(bus, NULL);
		if (!rc)
			rc = sd_bus_wait(bus, UINT64_MAX);
	}
	sd_bus_unref(bus);
	return rc;
}

static int bus_socket(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char address[128];
	int fd;

	strcpy(folder, "/tmp/nfsrdma-bus.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/bus", folder);
	snprintf(address, sizeof(address), "unix:path=%s", at.sun_path);
	setenv("DBUS_SYSTEM_BUS_ADDRESS", address, 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	CU_ASSERT_EQUAL_FATAL(listen(fd, 8), 0);
	return fd;
}

/* @bytes: said to everyone who connects, in place of a bus; NULL: nothing is said. */
static void start(play_fn play, const char *bytes)
{
	int fd = bus_socket(), peer;

	bus_pid = fork();
	if (bus_pid) {
		close(fd);
		return;
	}
	signal(SIGPIPE, SIG_IGN);
	alarm(PATIENCE_MS / 1000);
	while ((peer = accept(fd, NULL, NULL)) >= 0) {
		if (play)
			play_connection(peer, play);
		else if (bytes && write(peer, bytes, strlen(bytes)) < 0)
			continue;
	}
	_exit(0);
}

static void stop(void)
{
	char path[128];

	kill(bus_pid, SIGKILL);
	CU_ASSERT_EQUAL(waitpid(bus_pid, NULL, 0), bus_pid);
	snprintf(path, sizeof(path), "%s/bus", folder);
	unlink(path);
	rmdir(folder);
}

#endif
