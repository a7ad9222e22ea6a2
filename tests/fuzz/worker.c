/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The probe's worker may have been taken over: what it sends is records of any bytes. The parent comes back, and
 * whatever it accepted is printed in each format without a control character; JSON parses. */
#include "rpcrdma/probe/internal.h"
#include "tests/fuzz/played.h"
#include "tests/fuzz/printed.h"

static const uint8_t *input;
static size_t input_len;

/* In the child. */
static void play(struct probe *p)
{
	play_records(p->channel.fd, input, input + input_len);
}

static void subject(void *arg, const char *key, const char *value)
{
	report_subject(((struct report_collector *)arg)->report, key, value);
}

static void matrix(void *arg, const struct matrix *results)
{
	report_matrix(((struct report_collector *)arg)->report, results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_collector collector = { .report = report_new("probe") };
	const struct probe_events events = {
		.finding = report_collect, .subject = subject, .matrix = matrix, .arg = &collector
	};
	/* Nothing listens there. */
	const struct probe_options options = {
		.host = "127.0.0.1", .port = 9, .timeout_ms = 5000, .scratch = "/"
	};

	FUZZ_CHECK(collector.report);
	input = data;
	input_len = size;
	parent_run(&options, play, 0, &events);
	check_printed(err_text());
	check_report(collector.report);
	report_free(collector.report);
	return 0;
}
