/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The progress line: on a terminal only, after two seconds only, ten times a second at most,
 * and gone before anything else is printed. */
#include <sys/ioctl.h>

#include "plugin/cli/cli.h"

#define PATIENCE_MS 2000
#define INTERVAL_MS 100

void progress_init(struct progress_line *progress, bool quiet)
{
	const char *term = getenv("TERM");

	*progress = (struct progress_line){ .start_ms = now_ms() };
	progress->enabled = !quiet && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void progress_show(struct progress_line *progress, const char *what, unsigned int done,
		   unsigned int total)
{
	uint64_t now = now_ms();
	char clean[256], line[320];
	struct winsize size;
	int columns = 79;

	if (!progress->enabled || now - progress->start_ms < PATIENCE_MS ||
	    now - progress->last_ms < INTERVAL_MS)
		return;
	utf8_clean(clean, sizeof(clean), what, UTF8_ESCAPE);
	if (total)
		snprintf(line, sizeof(line), "%3llu s  %u of %u  %s",
			 (unsigned long long)(now - progress->start_ms) / 1000, done, total, clean);
	else
		snprintf(line, sizeof(line), "%3llu s  %s",
			 (unsigned long long)(now - progress->start_ms) / 1000, clean);
	/* A line that wraps could not be erased. */
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20)
		columns = size.ws_col - 1;
	fprintf(stderr, "\r\033[K%.*s", columns, line);
	fflush(stderr);
	progress->last_ms = now;
	progress->shown = true;
}

void progress_erase(struct progress_line *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
