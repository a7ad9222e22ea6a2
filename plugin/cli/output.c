/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Where the command prints: how wide and how coloured stdout is, reports, and sentences on
 * stderr. SIGPIPE is ignored (main.c), so that a reader that left is an error like a full disk. */
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "plugin/checks/checks.h"
#include "plugin/cli/cli.h"
#include "plugin/cli/guests.h"

static void output_print_error(const struct cli_command *command, const char *text,
			       const char *tail)
{
	char clean[4 * ERR_TEXT_MAX];

	utf8_clean(clean, sizeof(clean), text, UTF8_ESCAPE);
	fprintf(stderr, "nfsrdma%s%s: %s%s\n", command ? " " : "", command ? command->name : "",
		clean, tail);
}

int cli_error(const struct cli *cli, int status, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ticker_stop(cli->ticker);
	output_print_error(cli->command, text, "");
	return status;
}

int cli_usage(const struct cli *cli)
{
	char tail[64];
	const char *name = cli->command ? cli->command->name : "";

	ticker_stop(cli->ticker);
	snprintf(tail, sizeof(tail), " (see nfsrdma %s%s--help)", name, *name ? " " : "");
	output_print_error(cli->command, err_text(), tail);
	return EXIT_USAGE;
}

int cli_unknown(const struct cli *cli)
{
	return cli_error(cli, EXIT_UNKNOWN, "%s", err_text());
}

int cli_open_host(const struct cli *cli, struct host **out)
{
	if (!host_open(out, cli->root)) {
		if (cli->archive)
			host_call(*out, cli->archive);
		if (cli->timeout_ms)
			host_limit(*out, deadline_in(cli->timeout_ms));
		return 0;
	}
	err_context(-EINVAL, "--root");
	return cli_usage(cli);
}

int cli_open_writable(const struct cli *cli, bool dry_run, struct host **out)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	int status = cli_open_host(cli, &host);

	if (status)
		return status;
	if (host_is_snapshot(host) || cli->archive) {
		err_set(EINVAL, "--root: a snapshot cannot be changed");
		return cli_usage(cli);
	}
	if (host_is_live(host) && !dry_run && geteuid() != 0)
		return cli_error(cli, EXIT_UNKNOWN,
				 "changing files needs root; use --dry-run to see the changes");
	umask(022);
	*out = take_ptr(host);
	return 0;
}

/* Of the user's locale, which the program itself does not use. */
static bool output_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", NULL);
	bool utf8 = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale)
		freelocale(locale);
	return utf8;
}

void output_style(FILE *out, bool quiet, struct report_style *style)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool dumb = !term || !strcmp(term, "dumb");
	struct winsize size;

	*style = (struct report_style){ .width = 80, .quiet = quiet, .utf8 = output_is_utf8() };
	if (!isatty(fileno(out)))
		return;
	/* no-color.org: set, and not empty. */
	style->color = !dumb && !(no_color && *no_color);
	if (!ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col)
		style->width = size.ws_col;
}

unsigned int output_page(FILE *out)
{
	struct report_style style;

	output_style(out, false, &style);
	return style.width < 40 ? 40 : style.width > 110 ? 110 : style.width;
}

void output_text(FILE *out, const char *text, unsigned int indent)
{
	char clean[4 * ERR_TEXT_MAX];

	utf8_clean(clean, sizeof(clean), text, UTF8_ESCAPE);
	wrap_print(out, clean, indent, output_page(out));
}

void output_labelled(const char *label, unsigned int column, const char *text, unsigned int width)
{
	size_t cap = 4 * strlen(text) + 1;
	_cleanup_free_ char *clean = malloc(cap);

	printf("%-*s", (int)column, label);
	if (clean)
		wrap_print(stdout, utf8_clean(clean, cap, text, UTF8_ESCAPE), column, width);
}

unsigned int output_systems(const struct host *host, unsigned int of)
{
	_cleanup_(host_close_p) struct host *here = NULL;

	if (!host && host_open(&here, NULL))
		return 0;
	return systems_of(host ? host : here, of);
}

void output_end(const struct cli *cli, struct report *report, int rc)
{
	if (rc) {
		report_cut(report);
		cli_unknown(cli);
	}
	report_times(report, cli->started, (double)(now_ns() - cli->start_ns) / 1e6);
}

int output_report(const struct cli *cli, struct report *report, const struct host *host)
{
	struct report_style style;

	ticker_stop(cli->ticker);
	report_for(report, output_systems(host, ~0u));
	if (host)
		guests_name(report, host);
	output_style(stdout, cli->quiet, &style);
	style.verbose = cli->verbose;
	style.terse = cli->terse;
	if (report_print(report, cli->format, stdout, &style))
		return cli_unknown(cli);
	return cli->format->exit_status(report_verdict(report));
}

int output_finish(const struct cli *cli)
{
	ticker_stop(cli->ticker);
	if (!ferror(stdout) && !fflush(stdout))
		return EXIT_GOOD;
	err_sys("write to standard output");
	return cli_unknown(cli);
}

void cli_repeat(const struct cli *cli, struct report *report)
{
	unsigned int i;

	for (i = 0; i < cli->nrepeats; i++)
		report_repeat(report, cli->repeats[i].name, cli->repeats[i].value);
}
