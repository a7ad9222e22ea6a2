/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Captures the output of a program: a CHILD_TOOL, with an empty environment and empty
 * standard input. It is killed at the deadline, or when it writes more than allowed. */
#include <stdio.h>

#include "plugin/host/tool.h"
#include "rpcrdma/base/finding.h"
#include "rpcrdma/child/child.h"

#define COMPLAINT_MAX 512

struct tool_capture {
	const char *name;
	char *text;
	size_t len, cap, max;
	char complaint[COMPLAINT_MAX];
	size_t complaint_len;
};

static void tool_fini(struct tool_capture *tool)
{
	free(tool->text);
}

static int tool_add_output(struct tool_capture *tool, const char *buf, size_t len)
{
	size_t cap = tool->cap ? tool->cap : 64 * 1024;
	char *text;

	if (tool->len + len > tool->max)
		return err_set(EFBIG, "%s says more than %zu bytes", tool->name, tool->max);
	while (cap <= tool->len + len)
		cap *= 2;
	if (cap != tool->cap) {
		text = realloc(tool->text, cap);
		if (!text)
			return err_no_memory();
		tool->text = text;
		tool->cap = cap;
	}
	memcpy(tool->text + tool->len, buf, len);
	tool->len += len;
	tool->text[tool->len] = '\0';
	return 0;
}

static int tool_take_output(void *arg, int which, const char *buf, size_t len)
{
	struct tool_capture *tool = arg;
	size_t room = sizeof(tool->complaint) - 1 - tool->complaint_len;

	if (which == STDOUT_FILENO)
		return tool_add_output(tool, buf, len);
	len = len < room ? len : room;
	memcpy(tool->complaint + tool->complaint_len, buf, len);
	tool->complaint_len += len;
	return 0;
}

static int tool_check_end(struct tool_capture *tool, const struct child_end *end)
{
	tool->complaint[strcspn(tool->complaint, "\n")] = '\0';
	finding_clean(tool->complaint);
	if (end->fate == CHILD_SIGNALLED)
		return err_set(EIO, "%s was ended by signal %d", tool->name, end->status);
	if (end->fate == CHILD_EXITED && end->status)
		return err_set(EIO, "%s ends with status %d: %s", tool->name, end->status,
			       tool->complaint);
	return 0;
}

int tool_run(const char *const argv[], size_t max, uint64_t deadline, struct host_text *out)
{
	_cleanup_(tool_fini) struct tool_capture tool = { .name = argv[0], .max = max };
	const struct child_program program = { .kind = CHILD_TOOL, .path = argv[0], .argv = argv };
	struct child_listener listener = { .output = tool_take_output,
					   .arg = &tool,
					   .signals = -1 };
	struct child_end end;
	struct child child;
	int rc = child_spawn(&child, &program);

	if (rc)
		return rc;
	rc = child_follow(&child, &listener, deadline, &end);
	if (rc == -ETIMEDOUT)
		return err_set(ETIMEDOUT, "%s does not end", argv[0]);
	if (!rc)
		rc = tool_check_end(&tool, &end);
	debug(DEBUG_HOST, "process %d, %s %s: %zu bytes%s%s", (int)end.pid, argv[0],
	      argv[1] ? argv[1] : "", tool.len, rc ? ", " : "", rc ? err_text() : "");
	if (!rc && !tool.text)
		rc = tool_add_output(&tool, "", 0);
	if (rc)
		return rc;
	if (strlen(tool.text) != tool.len)
		return err_set(EINVAL, "%s says something that is no text", argv[0]);
	out->len = tool.len;
	out->text = take_ptr(tool.text);
	return 0;
}
