/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a snapshot keeps of a file, whose path is the first line: it is a text, and what is kept of that
 * is the same again. A line with a secret, which is added to the file, is not in it. */
#include "plugin/snapshot/internal.h"
#include "tests/fuzz/fuzz.h"

#define SECRET "hunter2~pw"
/* The first newline may be joined to the line before. */
#define LINE "\n\n" SECRET "\n"

static int strip(const char *path, const char *bytes, size_t len, struct host_text *out)
{
	out->text = malloc(len + 1);
	out->len = len;
	FUZZ_CHECK(out->text);
	memcpy(out->text, bytes, len);
	out->text[len] = '\0';
	return secrets_strip(path, path, NULL, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *end = memchr(data, '\n', size);
	struct host_text once = { NULL, 0 }, twice = { NULL, 0 };
	char path[128], *text;
	size_t len;
	int rc;

	if (!end || (size_t)(end - (const char *)data) >= sizeof(path))
		return 0;
	snprintf(path, sizeof(path), "%.*s", (int)(end - (const char *)data), (const char *)data);
	len = size - (size_t)(end + 1 - (const char *)data);
	/* It may be the name of a server or a directory, which is kept. */
	if (secrets_is_kept_whole(path) || memmem(data, size, SECRET, strlen(SECRET)))
		return 0;
	text = malloc(len + sizeof(LINE));
	FUZZ_CHECK(text);
	memcpy(text, end + 1, len);
	memcpy(text + len, LINE, sizeof(LINE));
	rc = strip(path, text, len + sizeof(LINE) - 1, &once);
	free(text);
	FUZZ_CHECK(!rc || rc == -EBADMSG);
	if (!rc) {
		FUZZ_CHECK(once.text[once.len] == '\0');
		/* Of a mount over NFS the kernel's lines are kept as they are. */
		FUZZ_CHECK(strstr(path, "/mountstats") ||
			   !memmem(once.text, once.len, SECRET, strlen(SECRET)));
		FUZZ_CHECK(!strip(path, once.text, once.len, &twice));
	}
	host_text_fini(&once);
	host_text_fini(&twice);
	return 0;
}
