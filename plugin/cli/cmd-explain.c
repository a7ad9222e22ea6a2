/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma explain: what a finding means, from the table of meanings. */
#include "plugin/cli/cli.h"
#include "plugin/report/words.h"

#define LABEL_WIDTH 10

struct page {
	unsigned int width;
	unsigned int systems; /* of this host, or --root; 0: steps for all systems */
};

static void print_labelled(const char *label, const char *text, unsigned int width)
{
	printf("%-*s", LABEL_WIDTH, label);
	wrap_print(stdout, text, LABEL_WIDTH, width);
}

/* How a value gets into a command is nothing for a reader: "{!key}" is "{key}". */
static void print_command(const char *command)
{
	printf("%*s", LABEL_WIDTH + 2, "");
	for (; *command; command++) {
		putchar(*command);
		if (command[0] == '{' && command[1] == '!')
			command++;
	}
	putchar('\n');
}

/* "{key}" is what the evidence of a report has in its place. */
static void explain_steps(const struct step *step, const struct page *page)
{
	const char *label = "Remedy";

	for (; step->text; step++) {
		char text[STEP_TEXT_MAX];

		if (!meaning_step_fits(step, page->systems))
			continue;
		meaning_step(step, page->systems, text, sizeof(text));
		print_labelled(label, text, page->width);
		label = "";
		if (step->command)
			print_command(step->command);
	}
}

static void explain_reason(const struct reason *reason, const struct page *page)
{
	size_t i;

	print_labelled("Cause", reason->cause, page->width);
	explain_steps(reason->steps, page);
	for (i = 0; reason->see[i]; i++)
		print_labelled(i ? "" : "See", reason->see[i], page->width);
}

static void explain_reasons(const struct meaning *meaning, const struct page *page)
{
	const struct reason *reason;

	for (reason = meaning->reasons; reason->name; reason++) {
		printf("\n%s/%s\n", meaning->id, reason->name);
		explain_reason(reason, page);
	}
}

static void explain_one(const struct meaning *meaning, const struct page *page)
{
	unsigned int width = page->width;
	char cause[MEANING_CAUSE_MAX];
	size_t i;

	printf("%s\n%s\n\n", meaning->id, meaning->title);
	print_labelled("What", meaning->what, width);
	print_labelled("Cause", meaning_cause(meaning, NULL, cause), width);
	print_labelled("Remedy", meaning->remedy, width);
	for (i = 0; meaning->see[i]; i++)
		print_labelled(i ? "" : "See", meaning->see[i], width);
	if (meaning->decisive)
		print_labelled("Decisive", "if this is unknown, so is the verdict",
			       width);
	explain_reasons(meaning, page);
}

static void explain_all(void)
{
	const struct meaning *meaning = NULL;
	const char *group = "";

	while ((meaning = meaning_next(meaning))) {
		if (strcmp(group, meaning->group))
			printf("%s%s\n", *group ? "\n" : "", meaning->group);
		group = meaning->group;
		printf("  %-33s %s\n", meaning->id, meaning->title);
	}
}

static int unknown_id(const struct cli_options *options, const char *id)
{
	const struct meaning *near = meaning_near(id);

	if (near)
		err_set(EINVAL, "unknown finding '%.60s'; did you mean '%s'?", id,
			near->id);
	else
		err_set(EINVAL, "unknown finding '%.60s'; 'nfsrdma explain' lists all",
			id);
	return cli_usage(options);
}

static int unknown_reason(const struct cli_options *options,
			  const struct meaning *meaning, const char *name)
{
	struct words names = { 0 };
	const struct reason *reason;

	for (reason = meaning->reasons; reason->name; reason++)
		words_add(&names, "%s", reason->name);
	err_set(EINVAL, "unknown reason '%2$.60s' of %1$s; expected %3$s", meaning->id,
		name, names.count ? words_text(&names) : "none");
	return cli_usage(options);
}

/* ID or ID/REASON, as they stand in a report. */
static int explain_operand(const struct cli_options *options, const char *operand,
			   const struct page *page)
{
	size_t len = strcspn(operand, "/");
	const struct meaning *meaning;
	const struct reason *reason;
	char id[FINDING_ID_MAX];

	snprintf(id, sizeof(id), "%.*s", (int)min_u32((uint32_t)len, sizeof(id)),
		 operand);
	meaning = len < sizeof(id) ? meaning_find(id) : NULL;
	if (!meaning)
		return unknown_id(options, operand);
	if (!operand[len]) {
		explain_one(meaning, page);
		return output_finish(options);
	}
	reason = meaning_reason(meaning, operand + len + 1);
	if (!reason)
		return unknown_reason(options, meaning, operand + len + 1);
	printf("%s\n%s\n\n", operand, meaning->title);
	explain_reason(reason, page);
	return output_finish(options);
}

/* Of each program the one that @text has most of: libvirt repeats what mount.nfs says. */
static const struct message *best_message(const struct message **after, const char *text)
{
	const struct message *message = *after, *best = NULL;
	const char *program = message_next(message) ? message_next(message)->program
						    : NULL;
	size_t most = 0, score;

	while ((message = message_next(*after)) && !strcmp(message->program, program)) {
		*after = message;
		score = message_match(message, text);
		if (score <= most)
			continue;
		most = score;
		best = message;
	}
	return best;
}

static void explain_message(const struct message *message, const struct page *page)
{
	printf("%s: %s\n\n", message->program, message->text);
	print_labelled("Cause", message->cause, page->width);
	explain_steps(message->steps, page);
	printf("%-*snfsrdma explain %s\n%-*s%s\n", LABEL_WIDTH, "More", message->finding,
	       LABEL_WIDTH, "Source", message->source);
}

/* What another program printed, as it stands in a log. */
static int explain_messages(const struct cli_options *options, const struct page *page)
{
	const struct message *after = NULL, *message;
	bool found = false;

	while (message_next(after)) {
		message = best_message(&after, options->message);
		if (!message)
			continue;
		if (found)
			putchar('\n');
		explain_message(message, page);
		found = true;
	}
	return found ? output_finish(options)
		     : cli_error(options, EXIT_UNKNOWN,
				 "the text contains no message of nfsrdma-messages(7)");
}

static int cmd_explain_run(struct cli_options *options)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	struct page page = { 0 };
	struct report_style style;

	if (options->root && host_open(&host, options->root)) {
		err_context(-EINVAL, "--root");
		return cli_usage(options);
	}
	output_style(stdout, false, &style);
	page.width = style.width < 90 ? style.width : 90;
	if (!options->all_systems)
		page.systems = output_systems(host);
	if (options->message)
		return explain_messages(options, &page);
	if (options->scd)
		help_scd(stdout);
	else if (!options->noperands)
		explain_all();
	else
		return explain_operand(options, options->operands[0], &page);
	return output_finish(options);
}

const struct cli_command cmd_explain = {
	.name = "explain",
	.bit = CLI_EXPLAIN,
	.synopsis = "[OPTION...] [ID[/REASON] | --message TEXT]",
	.summary = "Explain a finding, or a message of another program, and what to do.",
	.details =
		"Explains the finding ID with all its reasons, or one reason, and the steps for "
		"this system. Without ID it lists all findings. With --message it explains a "
		"message of mount.nfs, the kernel, libvirt or VDSM.",
	CLI_FORMS({ .operands = { &choice_findings } }),
	.max_operands = 1,
	.run = cmd_explain_run,
};
