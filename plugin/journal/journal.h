/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Entries for systemd's journal, in its native protocol
 * (systemd.io/JOURNAL_NATIVE_PROTOCOL): a datagram of fields sent to a socket. libsystemd
 * can do that, but it contains sd-bus, which does not belong in a program that root runs at
 * mount time.
 *
 * VDSM, libvirt and systemd hide or truncate the stderr of a mount helper. So each event of
 * a mount is an entry with its own id, for `journalctl MESSAGE_ID=...`, and with fields
 * that need no parsing. */
#ifndef PLUGIN_JOURNAL_H
#define PLUGIN_JOURNAL_H

#include "rpcrdma/base/base.h"

/* The events. Their ids never change meaning; nfsrdma.events has them, with the texts that
 * journalctl -x prints, and mount.nfsrdma(8) lists them. */
enum journal_event {
	JOURNAL_PROVEN,    /* mounted over RDMA */
	JOURNAL_TCP,       /* mounted, not over RDMA; the policy allows it */
	JOURNAL_UNPROVEN,  /* mount.nfs continues in the background; its result is unknown */
	JOURNAL_UNDONE,    /* mounted, but not over RDMA, and unmounted again */
	JOURNAL_REFUSED,   /* not tried: options, policy, a check or the caller forbid it */
	JOURNAL_FAILED,    /* tried, and not mounted */
	JOURNAL_FINDING,   /* a check of this host or of the path to the server that is not good */
	JOURNAL_WARNING,   /* a warning about the options, or of a file that cannot be written */
	JOURNAL_UNMOUNTED, /* a mount that was or should be over RDMA is gone */
	JOURNAL_GATE_REFUSED, /* a guest may not start, migrate or attach a disk; one per disk */
	JOURNAL_GATE_UNKNOWN, /* the gate could not determine it, and followed the policy for that */
	JOURNAL_GATE_FAILED,  /* the gate itself failed, and allowed the guest */
	JOURNAL_LOST,    /* the watcher: a mount, a pool or a guest's disk is no longer over RDMA */
	JOURNAL_BACK,    /* the watcher: it is over RDMA again */
	JOURNAL_SILENT,  /* the watcher: a mount's server does not answer */
	JOURNAL_ANSWERS, /* the watcher: it answers again, or libvirt does */
	/* check --journal: the verdict, after an entry for each finding */
	JOURNAL_CHECK_PASSED,
	JOURNAL_CHECK_FAILED,
	JOURNAL_CHECK_UNKNOWN,
	JOURNAL_EVENT_COUNT
};

struct journal_row {
	const char *name;       /* "proven" */
	const char *message_id; /* 32 hexadecimal digits */
	int priority;           /* as of syslog(3) */
	/* The fields in its text of the journal catalog; ends with NULL. */
	const char *const *fields;
};

/* Generated at build time by make-events. */
extern const struct journal_row journal_table[JOURNAL_EVENT_COUNT];

struct journal_field {
	const char *name;  /* "NFSRDMA_TARGET" */
	const char *value; /* any bytes; NULL: the field is left out */
};

/* @text as a value: none and an empty one are left out. */
static inline const char *journal_value(const char *text)
{
	return text && *text ? text : NULL;
}

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* One entry: MESSAGE, MESSAGE_ID, PRIORITY, SYSLOG_IDENTIFIER (@who), NFSRDMA_EVENT, @fields, and
 * empty those of the event's text in the catalog that @fields lacks.
 * Waits at most a tenth of a second for the journal. Without a journal it returns 0. Errors, which the
 * caller may ignore: -EAGAIN the journal did not read in time; -ENOMEM; of sendmsg(2). */
int journal_send(enum journal_event event, const char *who, const char *message,
		 const struct journal_field *fields, size_t nfields);

struct journal_entry {
	enum journal_event event;
	const char *who, *message;
	const struct journal_field *fields;
	size_t nfields;
};

/* The same to another socket, for tests. */
int journal_send_to(const char *socket_path, const struct journal_entry *entry);

/* journal-entry.c: pure. The bytes of an entry, for the caller to free(3). A field's name has capitals,
 * digits and underscores, and begins with a capital. Errors: -EINVAL: another name; -ENOMEM. */
int journal_encode(const struct journal_entry *entry, char **out, size_t *len);

#endif
