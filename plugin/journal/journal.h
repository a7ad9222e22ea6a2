/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Entries for systemd's journal, by its native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL): a
 * datagram of fields to a socket. libsystemd does that too, and has sd-bus in it, with which
 * nothing that root runs at mount time is to be linked.
 *
 * Whoever mounts for somebody else (VDSM, libvirt, systemd) hides what a helper says on stderr or
 * cuts it; so each thing that happens to a mount is an entry with an id of its own, to be found by
 * `journalctl MESSAGE_ID=...`, and with fields that need no parsing. */
#ifndef PLUGIN_JOURNAL_H
#define PLUGIN_JOURNAL_H

#include "rpcrdma/base.h"

/* What an entry tells. Ids never change meaning; mount.nfsrdma(8) lists them. */
enum journal_event {
	JOURNAL_PROVEN,   /* mounted, and it is over RDMA */
	JOURNAL_TCP,      /* mounted, and it is not; the policy lets it stay */
	JOURNAL_UNPROVEN, /* mount.nfs goes on in the background, so nothing is known */
	JOURNAL_UNDONE,   /* mounted, and it was not over RDMA, so it was undone */
	JOURNAL_REFUSED, /* not tried: options, policy, a check or the caller forbid it */
	JOURNAL_FAILED,  /* tried, and not mounted */
	JOURNAL_FINDING, /* a check of this host or of the way to the server that is not good */
	JOURNAL_WARNING, /* the options or the record: something that somebody should know */
	JOURNAL_UNMOUNTED, /* umount.nfsrdma took the record away */
	JOURNAL_GATE_REFUSED, /* a guest was not let start, move or take a disk: one entry a disk */
	JOURNAL_GATE_UNKNOWN, /* the gate could not find out, and did what the policy says then */
	JOURNAL_GATE_FAILED, /* the gate itself did not work; it let pass what came */
	JOURNAL_LOST, /* the watcher: a mount, a pool or a guest's disk is not over RDMA any more */
	JOURNAL_BACK,    /* the watcher: it is again */
	JOURNAL_SILENT,  /* the watcher: a mount's server does not answer */
	JOURNAL_ANSWERS, /* the watcher: it answers again, or libvirt does */
	JOURNAL_EVENT_COUNT
};

struct journal_row {
	const char *name;       /* "proven" */
	const char *message_id; /* 32 hexadecimal digits */
	int priority;           /* as of syslog(3) */
};

extern const struct journal_row journal_table[JOURNAL_EVENT_COUNT];

struct journal_field {
	const char *name;  /* "NFSRDMA_TARGET" */
	const char *value; /* any bytes; NULL: the field is left out */
};

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* One entry: MESSAGE, MESSAGE_ID, PRIORITY, SYSLOG_IDENTIFIER (@who), NFSRDMA_EVENT, and @fields.
 * Waits no longer than a tenth of a second for a journal that does not read. Absent, it is no
 * error: 0. Others are the caller's to ignore: -EAGAIN it did not read in time; -ENOMEM; of
 * sendmsg(2). */
int journal_send(enum journal_event event, const char *who, const char *message,
		 const struct journal_field *fields, size_t nfields);

/* The same to another socket, for tests. */
int journal_send_to(const char *socket_path, enum journal_event event, const char *who,
		    const char *message, const struct journal_field *fields,
		    size_t nfields);

/* journal-entry.c: pure. The bytes of an entry, the caller's, for free(3). A field's name is
 * capitals, digits and underscores, and begins with a capital. Errors: -EINVAL it is not; -ENOMEM. */
int journal_encode(enum journal_event event, const char *who, const char *message,
		   const struct journal_field *fields, size_t nfields, char **out,
		   size_t *len);

#endif
