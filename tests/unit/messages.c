/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* plugin/report/messages.c: finds a message of another program in a line of a log. */
#include "plugin/report/internal.h"
#include "tests/unit/suite.h"

static void fixed_parts_appear_in_order(void)
{
	static const struct {
		const char *message, *text;
		size_t want;
	} rows[] = {
		{ "Connection refused", "mount.nfs: Connection refused", 18 },
		{ "Connection refused", "mount.nfs: connection Refused", 0 },
		{ "access denied by server while mounting {source}",
		  "mount.nfs4: access denied by server while mounting nas:/a", 38 },
		/* truncated, wrapped, indented */
		{ "access denied by server while mounting {source}",
		  "access denied by server while mounting", 38 },
		{ "access denied by server while mounting {source}",
		  "  access denied by\n    server while\tmounting nas:/a\n", 38 },
		{ "{path} requires fsid= for NFS export",
		  "exportfs: /srv requires fsid= for NFS export", 29 },
		{ "server {server} not responding, {what}",
		  "nfs: server nas not responding, still trying", 21 },
		{ "server {server} not responding, {what}", "not responding, says the server nas",
		  0 },
		{ "closed ({number})", "connection closed (-103)", 9 },
		{ "closed ({number})", "connection closed (-103", 0 },
		/* a part that is long enough */
		{ "server {server} not responding, {what}", "not responding", 14 },
		{ "server {server} not responding, {what}", "respond", 0 },
		{ "server {server} not responding, {what}", "", 0 },
		{ "{all}", "anything", 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct message message = { .text = rows[i].message };

		SUITE_ROW("'%s' in '%s'", rows[i].message, rows[i].text);
		CU_ASSERT_EQUAL(message_match(&message, rows[i].text), rows[i].want);
	}
}

static void a_long_text_is_cut(void)
{
	static char text[2 * MESSAGE_TEXT_MAX];
	const struct message message = { .text = "Connection refused" };

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "Connection refused", 18);
	CU_ASSERT_EQUAL(message_match(&message, text), 18);
	memset(text, 'x', 18);
	memcpy(text + MESSAGE_TEXT_MAX, "Connection refused", 18);
	CU_ASSERT_EQUAL(message_match(&message, text), 0);
}

/* As the program prints it: with its prefix, all names and numbers filled in, and the text that
 * newer versions of nfs-utils append. */
static void print_as_program(const struct message *message, char *line, size_t cap)
{
	static const struct {
		const char *program, *before, *after;
	} rows[] = {
		{ "mount.nfs", "mount.nfs4: ", " for nas1:/vms on /srv/vm" },
		{ "mount", "mount: /srv/vm: ", "." },
		{ "libvirt", "error: internal error: ", "" },
		{ "VDSM", "ERROR (jsonrpc/1) [storage.HSM] ", ": (32, b'')" },
		{ "", "nas2 kernel: [ 4711.123456] ", "" },
	};
	const char *at = message->text;
	size_t i = 0, used;

	while (strcmp(message->program, rows[i].program) != 0 && *rows[i].program)
		i++;
	used = (size_t)snprintf(line, cap, "%s", rows[i].before);
	while (*at) {
		size_t len = strcspn(at, "{");

		used += (size_t)snprintf(
			line + used, cap - used, "%.*s%s", (int)len, at,
			at[len] ? strncmp(at + len, "{number}", 8) ? "/srv/nas1" : "-110" : "");
		at += len;
		at += *at ? strcspn(at, "}") + 1 : 0;
	}
	snprintf(line + used, cap - used, "%s", rows[i].after);
}

/* No other message of the program shares more words with it. */
static bool is_best(const struct message *message, const char *line)
{
	const struct message *other = NULL;
	size_t score = message_match(message, line);

	while ((other = message_next(other)))
		if (other != message && !strcmp(other->program, message->program) &&
		    message_match(other, line) >= score)
			return false;
	return score;
}

static void every_message_is_found(void)
{
	const struct message *message = NULL;
	char line[MESSAGE_TEXT_MAX];
	unsigned int count = 0;

	while ((message = message_next(message))) {
		print_as_program(message, line, sizeof(line));
		SUITE_ROW("%s", line);
		CU_ASSERT(is_best(message, line));
		ASSERT_MORE_FATAL(strcspn(message->finding, "/"), 0);
		CU_ASSERT_PTR_NOT_NULL(message->steps[0].text);
		count++;
	}
	ASSERT_MORE_FATAL(count, 60);
}

static void a_line_of_the_kernel_is_one_of_its_messages(void)
{
	static const struct {
		const char *line, *text, *value;
	} rows[] = {
		{ "rpcrdma: Recv: local length error (1/105)",
		  "rpcrdma: Recv: local length error ({number}/{number})", "1" },
		{ "nfs: server nas1 not responding, still trying",
		  "nfs: server {server} not responding, still trying", "nas1" },
		{ "nfs: server nas1 OK", "nfs: server {server} OK", "nas1" },
		/* behind the driver's own words; a {name} at the beginning has no value */
		{ "rpcrdma: Unknown symbol ib_x (err -22)",
		  "{module}: Unknown symbol {symbol} (err {number})", "" },
		/* a piece is none, nor what another program prints */
		{ "nfs: server nas1", NULL, NULL },
		{ "access denied by server while mounting nas1:/vm", NULL, NULL },
		{ "", NULL, NULL },
	};
	const struct message *message;
	char value[80];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].line);
		message = message_of("Linux", rows[i].line);
		CU_ASSERT_EQUAL(message != NULL, rows[i].text != NULL);
		if (!message || !rows[i].text)
			continue;
		CU_ASSERT_STRING_EQUAL(message->text, rows[i].text);
		message_value(message, rows[i].line, value, sizeof(value));
		CU_ASSERT_STRING_EQUAL(value, rows[i].value);
	}
}

/* A message that ends another one has the same first {name}. */
static void what_ends_a_message_has_its_value(void)
{
	const struct message *message = NULL, *other;
	unsigned int count = 0;

	while ((message = message_next(message))) {
		if (!*message->ends)
			continue;
		for (other = message_next(NULL); other && strcmp(other->text, message->ends) != 0;)
			other = message_next(other);
		SUITE_ROW("%s", message->text);
		CU_ASSERT_PTR_NOT_NULL_FATAL(other);
		CU_ASSERT_NOT_EQUAL(*other->log, '\0');
		CU_ASSERT_EQUAL(strcspn(message->text, "}") != strlen(message->text),
				strcspn(other->text, "}") != strlen(other->text));
		count++;
	}
	ASSERT_MORE(count, 0);
}

SUITE_MAIN("messages", TEST(a_line_of_the_kernel_is_one_of_its_messages),
	   TEST(what_ends_a_message_has_its_value), TEST(fixed_parts_appear_in_order),
	   TEST(a_long_text_is_cut), TEST(every_message_is_found))
