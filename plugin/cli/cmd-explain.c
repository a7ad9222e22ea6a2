/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma explain: what a finding means, from the table of meanings. */
#include <ctype.h>
#include <limits.h>

#include "plugin/cli/options.h"
#include "plugin/report/words.h"

#define LABEL_WIDTH 10

struct cmd_explain_options {
	struct cli cli;
	const char *message; /* what another program printed; NULL: not given */
	bool all;            /* the steps for all systems, not for this one alone */
	bool scd;
};

static int explain_parse_message(const char *value, void *message)
{
	return *value ? value_any(value, message) : err_set(EINVAL, "no message given");
}

static const struct cli_option cmd_explain_options[] = {
	OPTION_ROOT_READ,
	OPTION_VALUE("message", "TEXT", struct cmd_explain_options, message,
		     "Explain a message of another program: a line of a log, or a part of it.",
		     .parse = explain_parse_message),
	OPTION_FLAG("all", struct cmd_explain_options, all,
		    "Show the steps for all systems, not only for this one."),
	OPTION_FLAG("scd", struct cmd_explain_options, scd,
		    "Print the tables as the manual page has them.", .hidden = true),
	OPTIONS_END,
};

struct explain_page {
	unsigned int width;
	const struct host *host; /* NULL: this machine */
	unsigned int systems;    /* of the host, as far as they are known; 0: steps for all */
	unsigned int known;      /* of enum report_system */
};

/* "{server}" and "{!server}" are what the evidence of a report has in their place: SERVER. */
static const char *explain_text(const char *text, char buf[MEANING_CAUSE_MAX])
{
	bool in_key = false;
	size_t n = 0;

	for (; *text && n < MEANING_CAUSE_MAX - 1; text++) {
		if (*text == '{' && (text[1] == '!' || islower((uint8_t)text[1]))) {
			in_key = true;
			text += text[1] == '!';
		} else if (*text == '}' && in_key) {
			in_key = false;
		} else {
			buf[n++] = in_key ? (char)toupper((uint8_t)*text) : *text;
		}
	}
	buf[n] = '\0';
	return buf;
}

/* Most steps are for all systems. */
static void explain_learn(const struct step *step, struct explain_page *page)
{
	if (!(step->systems & ~page->known))
		return;
	page->systems |= output_systems(page->host, step->systems);
	page->known |= step->systems | SYSTEM_DISTRIBUTIONS;
}

static void explain_steps(const struct step *step, struct explain_page *page)
{
	const char *label = "Steps";

	for (; step->text; step++) {
		char text[STEP_TEXT_MAX], shown[MEANING_CAUSE_MAX];

		explain_learn(step, page);
		if (!meaning_step_fits(step, page->systems))
			continue;
		meaning_step(step, page->systems, text, sizeof(text));
		output_labelled(label, LABEL_WIDTH, explain_text(text, shown), page->width);
		label = "";
		if (step->command)
			printf("%*s%s\n", LABEL_WIDTH + 2, "", explain_text(step->command, shown));
	}
}

static void explain_reason(const struct reason *reason, struct explain_page *page)
{
	char cause[MEANING_CAUSE_MAX];
	size_t i;

	output_labelled("Cause", LABEL_WIDTH, explain_text(reason->cause, cause), page->width);
	explain_steps(reason->steps, page);
	for (i = 0; reason->see[i]; i++)
		output_labelled(i ? "" : "See", LABEL_WIDTH, reason->see[i], page->width);
}

static void explain_one(const struct meaning *meaning, struct explain_page *page)
{
	unsigned int width = page->width;
	const struct reason *reason;
	char cause[MEANING_CAUSE_MAX];
	size_t i;

	printf("%s\n%s\n\n", meaning->id, meaning->title);
	output_labelled("What", LABEL_WIDTH, meaning->what, width);
	output_labelled("Cause", LABEL_WIDTH, meaning_cause(meaning, NULL, cause), width);
	output_labelled("Remedy", LABEL_WIDTH, meaning->remedy, width);
	for (i = 0; meaning->see[i]; i++)
		output_labelled(i ? "" : "See", LABEL_WIDTH, meaning->see[i], width);
	if (meaning->decisive)
		output_labelled("Decisive", LABEL_WIDTH, "if this is unknown, so is the verdict",
				width);
	for (reason = meaning->reasons; reason->name; reason++) {
		printf("\n%s/%s\n", meaning->id, reason->name);
		explain_reason(reason, page);
	}
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

/* A finding, or one reason of it. */
struct explain_subject {
	const struct meaning *meaning;
	const struct reason *reason; /* NULL: all */
};

/* ID or ID/REASON, as they stand in a report. */
static int explain_find(const char *operand, struct explain_subject *out)
{
	size_t len = strcspn(operand, "/");
	const struct meaning *near;
	const struct reason *reason;
	struct words names = { 0 };
	char id[FINDING_ID_MAX];

	snprintf(id, sizeof(id), "%.*s", (int)min_u32((uint32_t)len, sizeof(id)), operand);
	*out = (struct explain_subject){ .meaning = len < sizeof(id) ? meaning_find(id) : NULL };
	if (!out->meaning) {
		near = meaning_near(operand);
		if (near)
			return err_set(EINVAL, "unknown finding '%.60s'; did you mean '%s'?",
				       operand, near->id);
		return err_set(EINVAL, "unknown finding '%.60s'; 'nfsrdma explain' lists all",
			       operand);
	}
	if (!operand[len])
		return 0;
	out->reason = meaning_reason(out->meaning, operand + len + 1);
	if (out->reason)
		return 0;
	for (reason = out->meaning->reasons; reason->name; reason++)
		words_add(&names, "%s", reason->name);
	return err_set(EINVAL, "unknown reason '%2$.60s' of %1$s; expected %3$s", out->meaning->id,
		       operand + len + 1, names.count ? words_text(&names) : "none");
}

/* A mistake in one of them is found before anything is printed. */
static int explain_operands(const struct cli *cli, struct explain_page *page)
{
	struct explain_subject subject;
	int i;

	for (i = 0; i < cli->noperands; i++)
		if (explain_find(cli->operands[i], &subject))
			return cli_usage(cli);
	for (i = 0; i < cli->noperands; i++) {
		explain_find(cli->operands[i], &subject);
		if (i)
			putchar('\n');
		if (!subject.reason) {
			explain_one(subject.meaning, page);
			continue;
		}
		printf("%s\n%s\n\n", cli->operands[i], subject.meaning->title);
		explain_reason(subject.reason, page);
	}
	return output_finish(cli);
}

/* Of each program the one that @text has most of: libvirt repeats what mount.nfs says. */
static const struct message *explain_best_message(const struct message **after, const char *text)
{
	const struct message *message = *after, *best = NULL;
	const char *program = message_next(message) ? message_next(message)->program : NULL;
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

/* What another program printed, as it stands in a log. */
static int explain_messages(const struct cmd_explain_options *options, struct explain_page *page)
{
	const struct message *after = NULL, *message;
	char text[MEANING_CAUSE_MAX];
	bool found = false;

	while (message_next(after)) {
		message = explain_best_message(&after, options->message);
		if (!message)
			continue;
		printf("%s%s: %s\n\n", found ? "\n" : "", message->program, message->text);
		output_labelled("Cause", LABEL_WIDTH, explain_text(message->cause, text),
				page->width);
		explain_steps(message->steps, page);
		printf("%-*snfsrdma explain %s\n", LABEL_WIDTH, "More", message->finding);
		found = true;
	}
	return found ? output_finish(&options->cli)
		     : cli_error(&options->cli, EXIT_UNKNOWN,
				 "the text contains no message of nfsrdma-messages(7)");
}

static int cmd_explain_run(void *arg)
{
	const struct cmd_explain_options *options = arg;
	const struct cli *cli = &options->cli;
	_cleanup_(host_close_p) struct host *host = NULL;
	struct explain_page page = { 0 };
	struct report_style style;
	int status = cli->root ? cli_open_host(cli, &host) : 0;

	if (status)
		return status;
	output_style(stdout, false, &style);
	page.width = style.width < 90 ? style.width : 90;
	page.host = host;
	if (options->all)
		page.known = ~0u;
	if (options->message)
		return explain_messages(options, &page);
	if (options->scd)
		help_scd(stdout);
	else if (!cli->noperands)
		explain_all();
	else
		return explain_operands(cli, &page);
	return output_finish(cli);
}

const struct cli_command cmd_explain = {
	.name = "explain",
	.synopsis = "[OPTION...] [ID[/REASON]... | --message TEXT]",
	.summary = "Explain a finding, or a message of another program, and what to do.",
	.details =
		"Explains each finding ID with all its reasons, or one reason, and the steps for "
		"this system. Without ID it lists all findings. With --message it explains a "
		"message of mount.nfs, the kernel, libvirt or VDSM.",
	.exit_status = "0 explained, 2 usage or an unknown ID, 3 an unknown message",
	CLI_FORMS({ .operands = { &choice_findings }, .repeated = true }),
	.max_operands = INT_MAX,
	.options = cmd_explain_options,
	.size = sizeof(struct cmd_explain_options),
	.run = cmd_explain_run,
};
