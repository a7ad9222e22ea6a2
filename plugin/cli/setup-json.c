/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* setup --format json: one object, schema nfsrdma-setup/1, of which every key is always present. A
 * program tells from it whether something changed or would change, without reading sentences. */
#include <json-c/json.h>

#include "plugin/cli/cli.h"
#include "plugin/host/host.h"
#include "plugin/setup/setup.h"

#define SHOW_WIDTH    90
#define STEP_NAME_MAX 256

/* @text is cut. */
static struct json_object *setup_json_lines(char *text)
{
	struct json_object *lines = json_object_new_array();
	char *line;

	while (text && (line = line_next(&text)))
		json_object_array_add(lines, output_json_text(line));
	return lines;
}

/* What --dry-run prints of this step alone, by lines: a newline is a control character, too. */
static struct json_object *setup_json_show(const struct setup_step *step, bool undo)
{
	struct setup_plan one = { .undo = undo, .nsteps = 1, .steps = { *step } };
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	FILE *out;

	/* The reason is a key of its own. */
	one.steps[0].reason[0] = '\0';
	out = open_memstream(&text, &size);
	if (!out)
		return json_object_new_array();
	setup_show(&one, out, SHOW_WIDTH);
	return setup_json_lines(fclose(out) ? NULL : text);
}

void setup_json_step(struct json_object *steps, const struct setup_step *step, bool undo,
		     const char *status, const char *error)
{
	static const char *const kinds[] = {
		[SETUP_FILE] = "file",         [SETUP_SYMLINK] = "unit",
		[SETUP_PORT] = "port",         [SETUP_MODULE] = "module",
		[SETUP_LISTENER] = "listener", [SETUP_RESTART] = "restart",
		[SETUP_LINK] = "link",
	};
	struct json_object *object = json_object_new_object();
	char name[STEP_NAME_MAX];

	setup_step_name(step, undo, name, sizeof(name));
	output_json_add(object, "kind", kinds[step->kind]);
	output_json_add(object, "status", status);
	output_json_add(object, "name", name);
	output_json_add(object, "reason", step->reason);
	json_object_object_add(object, "show", setup_json_show(step, undo));
	output_json_add(object, "error", error);
	json_object_array_add(steps, object);
}

void setup_json_print(const struct setup_plan *plan, const char *role, bool dry_run,
		      struct json_object *steps)
{
	struct json_object *root = json_object_new_object();
	struct json_object *notes = json_object_new_array(), *note;
	unsigned int i;

	output_json_add(root, "schema", "nfsrdma-setup/1");
	output_json_add(root, "version", NFSRDMA_VERSION);
	output_json_add(root, "role", plan->undo ? NULL : role);
	json_object_object_add(root, "undo", json_object_new_boolean(plan->undo));
	json_object_object_add(root, "dry_run", json_object_new_boolean(dry_run));
	json_object_object_add(root, "unknown", json_object_new_boolean(plan->unknown));
	json_object_object_add(root, "steps", steps);
	for (i = 0; i < plan->nnotes; i++) {
		note = json_object_new_object();
		json_object_object_add(note, "todo", json_object_new_boolean(plan->notes[i].todo));
		output_json_add(note, "text", plan->notes[i].text);
		json_object_object_add(note, "lines", setup_json_lines(plan->notes[i].lines));
		json_object_array_add(notes, note);
	}
	json_object_object_add(root, "notes", notes);
	output_json_print(root);
}
