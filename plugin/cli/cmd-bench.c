/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma bench: how fast, beside NFS over TCP from the same server. The table has the figures of
 * the findings, which are their evidence; a limit that is not met is a finding of its own. */
#include <ctype.h>

#include "plugin/cli/exercise.h"
#include "plugin/report/words.h"
#include "rpcrdma/probe/bench.h"

#define LIMITS_MAX 8

/* Of a case, or, as "read-4k", of those of a size: the rate of the last, the latency of the
 * first. */
struct cmd_bench_limit {
	char name[24];
	bool latency; /* p99 in microseconds, at most; else operations or bytes a second, at least */
	bool bytes;
	double value;
};

struct cmd_bench_limits {
	unsigned int count;
	struct cmd_bench_limit list[LIMITS_MAX];
};

struct cmd_bench_options {
	struct exercise_options exercise;
	unsigned int cases, case_ms;
	struct cmd_bench_limits limits;
	struct finding found[BENCH_CASES]; /* no id: not measured */
};

/* --- the command line ------------------------------------------------------------------------- */

static int cmd_bench_parse_cases(const char *text, void *out)
{
	unsigned int *cases = out, i;
	size_t len;

	for (; *text; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		for (i = 0; i < BENCH_CASES; i++)
			if (strlen(bench_cases[i].name) == len &&
			    !strncmp(bench_cases[i].name, text, len))
				break;
		if (i == BENCH_CASES)
			return err_set(
				EINVAL,
				"no case '%.*s'; there are null, read-4k-1, read-4k-32, read-1m-1, read-1m-8, and the same of write-",
				(int)min_u64(len, 40), text);
		*cases |= 1u << i;
	}
	return *cases ? 0 : err_set(EINVAL, "expected the name of a case");
}

/* Whether the limit is about that case. */
static bool cmd_bench_is_of(const struct cmd_bench_limit *limit, unsigned int i)
{
	size_t len = strlen(limit->name);
	const char *name = bench_cases[i].name;

	return !strncmp(name, limit->name, len) && (!name[len] || name[len] == '-');
}

/* "50000/s", "2GB/s", "800MB/s"; of a latency "500us", "2ms". */
static int cmd_bench_parse_value(struct cmd_bench_limit *limit, const char *text, size_t len)
{
	static const struct {
		const char *unit;
		bool latency, bytes;
		double scale;
	} units[] = {
		{ "/s", false, false, 1 },    { "kB/s", false, true, 1e3 },
		{ "MB/s", false, true, 1e6 }, { "GB/s", false, true, 1e9 },
		{ "us", true, false, 1 },     { "ms", true, false, 1e3 },
	};
	char number[24], *end;
	size_t i;

	if (len >= sizeof(number) || !isdigit((unsigned char)*text))
		return err_set(EINVAL, "'%.*s' is no value; expected 50000/s, 2GB/s or 500us",
			       (int)min_u64(len, 40), text);
	memcpy(number, text, len);
	number[len] = '\0';
	limit->value = strtod(number, &end);
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].unit) && units[i].latency == limit->latency)
			break;
	if (i == ARRAY_SIZE(units) || !(limit->value > 0 && limit->value < 1e15))
		return err_set(EINVAL, "'%s' is no %s", number,
			       limit->latency ? "time; expected 500us or 2ms"
					      : "rate; expected 50000/s or 2GB/s");
	limit->value *= units[i].scale;
	limit->bytes = units[i].bytes;
	return 0;
}

/* The name of @len bytes with @before it, if a case has that, or begins so: "read-4k". */
static bool cmd_bench_take_name(struct cmd_bench_limit *limit, const char *before, const char *name,
				size_t len)
{
	unsigned int i;
	size_t used = strlen(before);

	if (!len || used + len >= sizeof(limit->name))
		return false;
	memcpy(limit->name, before, used);
	memcpy(limit->name + used, name, len);
	limit->name[used + len] = '\0';
	/* Alone they would be of two sizes. */
	if (!strcmp(limit->name, "read") || !strcmp(limit->name, "write"))
		return false;
	for (i = 0; i < BENCH_CASES; i++)
		if (cmd_bench_is_of(limit, i))
			return true;
	return false;
}

static int cmd_bench_parse_limit(struct cmd_bench_limit *limit, const char *text, size_t len)
{
	const char *equals = memchr(text, '=', len), *name = text;

	*limit = (struct cmd_bench_limit){ .latency = !strncmp(text, "p99-", 4) };
	name += limit->latency ? 4 : 0;
	if (!equals || equals < name ||
	    (!cmd_bench_take_name(limit, "", name, (size_t)(equals - name)) &&
	     !cmd_bench_take_name(limit, "read-", name, (size_t)(equals - name))))
		return err_set(
			EINVAL,
			"'%.*s' is no limit; expected read-4k=50000/s, read-1m=2GB/s or p99-4k=500us",
			(int)min_u64(len, 40), text);
	return cmd_bench_parse_value(limit, equals + 1, len - (size_t)(equals + 1 - text));
}

static int cmd_bench_parse_limits(const char *text, void *out)
{
	struct cmd_bench_limits *limits = out;
	size_t len;
	int rc = 0;

	for (; *text && !rc; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		if (limits->count == LIMITS_MAX)
			return err_set(EINVAL, "more than %d limits", LIMITS_MAX);
		rc = cmd_bench_parse_limit(&limits->list[limits->count++], text, len);
	}
	return rc || limits->count ? rc : err_set(EINVAL, "expected a limit, as read-4k=50000/s");
}

/* --- the table -------------------------------------------------------------------------------- */

static double cmd_bench_number(const struct finding *f, const char *side, const char *key)
{
	char name[FINDING_KEY_MAX];
	const char *value;

	snprintf(name, sizeof(name), "%s%s", side, key);
	value = finding_evidence(f, name);
	return *value ? strtod(value, NULL) : -1;
}

static void cmd_bench_time(char *out, size_t cap, double us)
{
	if (us < 0)
		snprintf(out, cap, "-");
	else if (us < 1000)
		snprintf(out, cap, us < 10 ? "%.1fus" : "%.0fus", us);
	else if (us < 1e6)
		snprintf(out, cap, us < 10000 ? "%.1fms" : "%.0fms", us / 1e3);
	else
		snprintf(out, cap, "%.1fs", us / 1e6);
}

/* Its title, but with what was in flight: a server may grant less. */
static void cmd_bench_label(char *out, size_t cap, const struct finding *f,
			    const struct bench_case *what)
{
	double depth = cmd_bench_number(f, "", "depth");

	if (depth < 0 || depth >= what->depth)
		snprintf(out, cap, "%s", what->title);
	else
		snprintf(out, cap, "%.*s x %.0f", (int)strcspn(what->title, "x") - 1, what->title,
			 depth);
}

static int cmd_bench_row(struct report *report, const struct finding *f,
			 const struct bench_case *what, const char *side)
{
	static const char *const percentiles[] = { "us_p50", "us_p99", "us_p999", "us_max" };
	char label[32], rate[24], ratio[16] = "", processor[16] = "", times[4][16];
	double bytes = cmd_bench_number(f, side, "mb_per_s_median");
	double each = cmd_bench_number(f, side, "per_s_median");
	double cost = cmd_bench_number(f, side, "processor_s_per_gb");
	const char *cells[] = { label,     *side ? "tcp" : "rdma",
				rate,      ratio,
				times[0],  times[1],
				times[2],  times[3],
				processor, NULL };
	size_t i;

	cmd_bench_label(label, sizeof(label), f, what);
	snprintf(rate, sizeof(rate), what->length >= 65536 ? "%.0f MB/s" : "%.0f/s",
		 what->length >= 65536 ? bytes : each);
	if (!*side)
		snprintf(ratio, sizeof(ratio), "%s%.2f", *finding_evidence(f, "noisy") ? "~" : "",
			 cmd_bench_number(f, "", "ratio_to_tcp"));
	for (i = 0; i < ARRAY_SIZE(percentiles); i++)
		cmd_bench_time(times[i], sizeof(times[i]),
			       cmd_bench_number(f, side, percentiles[i]));
	if (cost >= 0)
		snprintf(processor, sizeof(processor), "%.2f", cost);
	return report_row(report, FINDING_PASS, cells);
}

/* A narrow terminal has no room for all columns: the rarest go. */
static void cmd_bench_fit(struct report *report)
{
	static const struct report_shown narrow = { 7, { 0, 1, 2, 3, 4, 5, 7 } },
					 narrowest = { 6, { 0, 1, 2, 3, 4, 5 } };
	unsigned int width = output_page(stdout);

	if (width < 76)
		report_show(report, width < 66 ? &narrowest : &narrow);
}

static int cmd_bench_table(struct report *report, const struct cmd_bench_options *options)
{
	static const char *const heads[] = { "",    "over",  "rate", "ratio", "p50",
					     "p99", "p99.9", "max",  "s/GB",  NULL };
	bool begun = false;
	unsigned int i;
	int rc = 0;

	report_plain(report);
	for (i = 0; i < BENCH_CASES && !rc; i++) {
		const struct finding *f = &options->found[i];

		if (!*f->id)
			continue;
		if (!begun) {
			rc = report_columns(report, heads, 0);
			cmd_bench_fit(report);
			begun = true;
		}
		rc = rc ? rc : cmd_bench_row(report, f, &bench_cases[i], "");
		rc = rc ? rc : cmd_bench_row(report, f, &bench_cases[i], "tcp_");
	}
	return rc;
}

/* --- limits ----------------------------------------------------------------------------------- */

/* The finding that the limit is about: of several sizes' cases the first for a latency, the last
 * for a rate. NULL: none was measured. */
static const struct finding *cmd_bench_find(const struct cmd_bench_options *options,
					    const struct cmd_bench_limit *limit)
{
	const struct finding *found = NULL;
	unsigned int i;

	for (i = 0; i < BENCH_CASES; i++) {
		const struct finding *f = &options->found[i];

		if (*f->id && cmd_bench_is_of(limit, i) && (!found || !limit->latency))
			found = f;
	}
	return found;
}

/* In the unit of the limit. */
static void cmd_bench_amount(char *out, size_t cap, const struct cmd_bench_limit *limit,
			     double value)
{
	if (limit->latency)
		cmd_bench_time(out, cap, value);
	else if (limit->bytes)
		snprintf(out, cap, "%.0f MB/s", value / 1e6);
	else
		snprintf(out, cap, "%.0f/s", value);
}

/* False: it is not met, and @below says so. Added to @unknown: nothing is known. */
static bool cmd_bench_is_met(const struct cmd_bench_options *options,
			     const struct cmd_bench_limit *limit, struct words *below,
			     struct words *unknown)
{
	const struct finding *f = cmd_bench_find(options, limit);
	const char *key = limit->latency ? "us_p99"
			  : limit->bytes ? "mb_per_s_median"
					 : "per_s_median";
	double value = f ? cmd_bench_number(f, "", key) * (limit->bytes ? 1e6 : 1) : -1;
	char have[32], want[32];

	if (value < 0) {
		words_add(unknown, "%s%s", limit->latency ? "p99-" : "", limit->name);
		return true;
	}
	if (limit->latency ? value <= limit->value : value >= limit->value)
		return true;
	cmd_bench_amount(have, sizeof(have), limit, value);
	cmd_bench_amount(want, sizeof(want), limit, limit->value);
	words_add(below, "%s%s is %s (limit %s)", limit->latency ? "p99-" : "", limit->name, have,
		  want);
	return false;
}

static int cmd_bench_judge(struct report *report, const struct cmd_bench_options *options)
{
	struct words below = { .separator = ", " }, unknown = { .separator = ", " };
	_cleanup_(finding_fini) struct finding f = { 0 };
	bool met = true;
	unsigned int i;

	if (!options->limits.count)
		return 0;
	for (i = 0; i < options->limits.count; i++)
		met &= cmd_bench_is_met(options, &options->limits.list[i], &below, &unknown);
	if (!met)
		finding_init(&f, "bench.limit", FINDING_FAIL, "%s", words_text(&below));
	else if (*words_text(&unknown))
		finding_init(&f, "bench.limit", FINDING_UNKNOWN, "not measured: %s",
			     words_text(&unknown));
	else
		finding_init(&f, "bench.limit", FINDING_PASS, "each limit is met");
	finding_number(&f, "limits", options->limits.count);
	return report_add(report, &f);
}

/* --- the command ------------------------------------------------------------------------------ */

static void cmd_bench_on_finding(void *arg, const struct finding *finding)
{
	struct cmd_bench_options *options = arg;
	unsigned int i;

	for (i = 0; i < BENCH_CASES; i++)
		if (finding->status == FINDING_PASS && !strcmp(bench_cases[i].id, finding->id)) {
			finding_fini(&options->found[i]);
			finding_copy(&options->found[i], finding);
		}
}

static int cmd_bench_end(struct report *report, void *arg)
{
	int rc = cmd_bench_table(report, arg);

	return rc ? rc : cmd_bench_judge(report, arg);
}

static const struct cli_option cmd_bench_options[] = {
	EXERCISE_EMBEDDED,
	EXERCISE_LEVEL,
	OPTION_VALUE(
		"case", "LIST", struct cmd_bench_options, cases,
		"What to measure, with commas: null, read-4k-1, read-4k-32, read-1m-1, read-1m-8, and with --scratch write-4k-1 and so on (default: all).",
		.parse = cmd_bench_parse_cases),
	OPTION_VALUE("time", "SECONDS", struct cmd_bench_options, case_ms,
		     "The time for each of them (default: 1.4, by the level 0.5 to 9).",
		     .parse = value_seconds),
	OPTION_VALUE(
		"fail-below", "LIST", struct cmd_bench_options, limits,
		"Fail where a limit is not met: read-4k=50000/s,read-1m=2GB/s,p99-4k=500us. The rate is that with most in flight, the latency that of one.",
		.parse = cmd_bench_parse_limits),
	EXERCISE_SCRATCH(
		"Measure WRITEs too: to a new file of this name below the export or, if NEW ends with a slash, to one with a random name in that directory. It must not exist, and is removed at the end. 16 MiB of the server's disk are used."),
	EXERCISE_OPTIONS,
	OPTIONS_REPORT,
	OPTIONS_END,
};

static int cmd_bench_run(void *arg)
{
	struct cmd_bench_options *options = arg;
	unsigned int i;
	int status;

	for (i = 0; i < BENCH_CASES; i++)
		if (bench_cases[i].writes && options->cases >> i & 1 &&
		    !options->exercise.probe.scratch) {
			err_set(EINVAL, "%s goes with --scratch NEW", bench_cases[i].name);
			return cli_usage(&options->exercise.cli);
		}
	options->exercise.probe.bench_cases = options->cases;
	options->exercise.probe.bench_ms = options->case_ms;
	options->exercise.also = cmd_bench_on_finding;
	options->exercise.end = cmd_bench_end;
	status = exercise_run(&options->exercise, bench_run);
	for (i = 0; i < BENCH_CASES; i++)
		finding_fini(&options->found[i]);
	return status;
}

const struct cli_command cmd_bench = {
	.name = "bench",
	.working = "connecting",
	.synopsis = "[OPTION...] SERVER:/EXPORT[/FILE]\n"
		    "[OPTION...] --embedded",
	.summary = "Measure READ, WRITE and NULL over RDMA, side by side with TCP.",
	.details =
		"READs of 4 KiB and of 1 MiB by Write chunk, one by one and with several in flight, "
		"NULL calls, and with --scratch the same of UNSTABLE WRITEs and their COMMIT, in samples that alternate with the same work by NFS over TCP from "
		"the same server: rates, latencies of single calls, and processor seconds of this "
		"program for a gigabyte. The ratio is the median of the pairs of samples, above 1 "
		"where RDMA is faster; ~ marks one that varies much. What can be measured passes, "
		"unless --fail-below sets a limit. Over software iWARP it shows what the server and "
		"this program can do, not what an adapter would reach.",
	CLI_FORMS({ .operands = { &choice_sources } }),
	.max_operands = 1,
	.options = cmd_bench_options,
	.size = sizeof(struct cmd_bench_options),
	.timeout_ms = EXERCISE_TIMEOUT_MS,
	.run = cmd_bench_run,
};
