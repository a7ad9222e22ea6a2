// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 The nfsrdma authors

/* The main() of all unit tests, and the output of failed assertions (suite.h). */
#include <ctype.h>
#include <stdarg.h>

#include <CUnit/Basic.h>

#include "tests/unit/suite.h"

/* --- rows ---------------------------------------------------------------- */

#define ROWS_MAX 8
#define ROW_MAX  512

/* Per thread; a test can loop in several threads. */
static _Thread_local char rows[ROWS_MAX][ROW_MAX];
static _Thread_local size_t nrows;

size_t suite_row_begin(const char *format, ...)
{
	va_list args;

	if (nrows == ROWS_MAX) {
		fprintf(stderr, "rows are nested more than %d deep\n", ROWS_MAX);
		abort();
	}
	va_start(args, format);
	vsnprintf(rows[nrows], sizeof(rows[nrows]), format, args);
	va_end(args);
	return nrows++;
}

void suite_row_end(const size_t *row)
{
	nrows = *row;
}

static _Thread_local char saw[8192];

void suite_saw(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(saw, sizeof(saw), format, args);
	va_end(args);
}

/* An assertion with _FATAL leaves by longjmp(3), past the end of the rows' blocks. */
static void forget(void)
{
	nrows = 0;
	*saw = '\0';
}

/* --- what a failure prints ----------------------------------------------- */

/* Immediately, not at the end of the test: it may crash, hang, or run in a child process. On
 * stdout, as CUnit does, to keep the order. */
static void print_place(const char *file, unsigned int line, const char *text)
{
	printf("\n    %s:%u: %s\n", file, line, text);
}

static void print_line(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void print_line(const char *name, const char *format, ...)
{
	va_list args;

	printf("      %-4s ", name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void print_char(unsigned char c, bool quoted)
{
	if (c == '\n')
		printf("\\n");
	else if (c == '\t')
		printf("\\t");
	else if (quoted && (c == '"' || c == '\\'))
		printf("\\%c", c);
	else if (c >= ' ' && c < 0x7f)
		putchar(c);
	else
		printf("\\x%02x", c);
}

/* Escaped and in quotes, with a line break after each newline of the text. */
static void print_text(const char *name, const char *text, size_t from, size_t most)
{
	size_t i, end, len;

	if (!text) {
		print_line(name, "NULL");
		return;
	}
	len = strlen(text);
	end = len - from > most ? from + most : len;
	printf("      %-4s ", name);
	if (from)
		printf("(from byte %zu) ", from);
	putchar('"');
	for (i = from; i < end; i++) {
		print_char((unsigned char)text[i], true);
		if (text[i] == '\n' && i + 1 < end)
			printf("\"\n           \"");
	}
	putchar('"');
	if (end < len)
		printf(" and %zu more bytes", len - end);
	putchar('\n');
}

/* A line however long, without quotes. */
static void print_escaped(const char *name, const char *text)
{
	printf("      %-4s ", name);
	for (; *text; text++)
		print_char((unsigned char)*text, false);
	putchar('\n');
}

/* Prints the values and the rows, and counts the failure. Does not return if the assertion is
 * fatal. */
static void fail(const char *file, unsigned int line, const char *text, bool fatal)
{
	size_t i;

	if (*saw)
		print_escaped("saw", saw);
	*saw = '\0';
	for (i = 0; i < nrows; i++)
		print_escaped("row", rows[i]);
	fflush(stdout);
	CU_assertImplementation(CU_FALSE, line, text, file, "", fatal);
}

static void pass(const char *file, unsigned int line, const char *text)
{
	*saw = '\0';
	CU_assertImplementation(CU_TRUE, line, text, file, "", CU_FALSE);
}

/* The compiler gives file names relative to the build folder. */
static const char *from_top(const char *file)
{
	while (!strncmp(file, "../", 3))
		file += 3;
	return file;
}

/* True if the assertion failed: the caller prints the values, then calls fail(). */
static bool fails(const char **file, unsigned int line, const char *text, bool good)
{
	*file = from_top(*file);
	if (good)
		pass(*file, line, text);
	else
		print_place(*file, line, text);
	return !good;
}

/* --- numbers and pointers ------------------------------------------------ */

static const char *const orders[] = {
	[SUITE_EQUAL] = "",          [SUITE_NOT_EQUAL] = "anything but ",
	[SUITE_LESS] = "less than ", [SUITE_AT_MOST] = "at most ",
	[SUITE_MORE] = "more than ", [SUITE_AT_LEAST] = "at least ",
};

static bool is_signed(struct suite_value v)
{
	return v.kind == SUITE_BOOL || v.kind == SUITE_CHAR || v.kind == SUITE_SIGNED;
}

static double as_double(struct suite_value v)
{
	if (v.kind == SUITE_DOUBLE)
		return v.d;
	return is_signed(v) ? (double)v.i : (double)v.u;
}

/* The bits, if not negative. */
static uintmax_t as_bits(struct suite_value v)
{
	if (v.kind == SUITE_POINTER)
		return (uintptr_t)v.p;
	return is_signed(v) ? (uintmax_t)v.i : v.u;
}

static bool is_negative(struct suite_value v)
{
	return is_signed(v) && v.i < 0;
}

static bool is_less(struct suite_value a, struct suite_value b)
{
	if (a.kind == SUITE_DOUBLE || b.kind == SUITE_DOUBLE)
		return as_double(a) < as_double(b);
	if (is_negative(a) != is_negative(b))
		return is_negative(a);
	/* This also holds for two negative numbers: the smaller one has the smaller bits. */
	return as_bits(a) < as_bits(b);
}

static bool is_same(struct suite_value a, struct suite_value b)
{
	if (a.kind == SUITE_DOUBLE || b.kind == SUITE_DOUBLE)
		return as_double(a) == as_double(b);
	return is_negative(a) == is_negative(b) && as_bits(a) == as_bits(b);
}

static bool holds(enum suite_order order, struct suite_value got, struct suite_value want)
{
	switch (order) {
	case SUITE_EQUAL: return is_same(got, want);
	case SUITE_NOT_EQUAL: return !is_same(got, want);
	case SUITE_LESS: return is_less(got, want);
	case SUITE_AT_MOST: return is_less(got, want) || is_same(got, want);
	case SUITE_MORE: return is_less(want, got);
	case SUITE_AT_LEAST: return is_less(want, got) || is_same(got, want);
	}
	return false;
}

/* The number, and its possible meanings: an error, a character, bits. */
static void print_value(const char *name, const char *order, struct suite_value v, bool as_char)
{
	const char *error = v.kind == SUITE_SIGNED && v.i < 0 && v.i > -134
				    ? strerrorname_np((int)-v.i)
				    : NULL;

	if (v.kind == SUITE_POINTER && v.p)
		print_line(name, "%s%p", order, (const void *)v.p);
	else if (v.kind == SUITE_POINTER)
		print_line(name, "%sNULL", order);
	else if (v.kind == SUITE_DOUBLE)
		print_line(name, "%s%.17g", order, v.d);
	else if (v.kind == SUITE_BOOL)
		print_line(name, "%s%s", order, v.i ? "true" : "false");
	else if (as_char && !is_negative(v) && as_bits(v) < 0x7f && isprint((int)v.i))
		print_line(name, "%s%jd '%c'", order, v.i, (char)v.i);
	else if (error)
		print_line(name, "%s%jd (-%s)", order, v.i, error);
	else if (is_negative(v))
		print_line(name, "%s%jd", order, v.i);
	else if (as_bits(v) < 10)
		print_line(name, "%s%ju", order, as_bits(v));
	else
		print_line(name, "%s%ju (%#jx)", order, as_bits(v), as_bits(v));
}

void suite_compare(SUITE_SITE, enum suite_order order, struct suite_value got,
		   struct suite_value want)
{
	bool as_char = got.kind == SUITE_CHAR || want.kind == SUITE_CHAR;

	if (!fails(&file, line, text, holds(order, got, want)))
		return;
	print_value("got", "", got, as_char);
	print_value("want", orders[order], want, as_char);
	fail(file, line, text, fatal);
}

void suite_either(SUITE_SITE, struct suite_value got, struct suite_value one,
		  struct suite_value other)
{
	if (!fails(&file, line, text, is_same(got, one) || is_same(got, other)))
		return;
	print_value("got", "", got, false);
	print_value("want", "", one, false);
	print_value("or", "", other, false);
	fail(file, line, text, fatal);
}

/* Of the running test. */
static bool is_timed;

void suite_within(SUITE_SITE, uint64_t ms, unsigned int bound_ms, bool good)
{
	if (!is_timed) {
		fprintf(stderr, "%s:%u: a bound on time in a test that is not TIMED()\n",
			from_top(file), line);
		abort();
	}
	if (!fails(&file, line, text, good))
		return;
	print_line("got", "%ju ms", (uintmax_t)ms);
	print_line("want", "less than %u ms", bound_ms);
	fail(file, line, text, fatal);
}

void suite_truth(SUITE_SITE, bool want, struct suite_value got)
{
	bool is_true = got.kind == SUITE_DOUBLE ? got.d != 0 : as_bits(got) != 0;

	if (!fails(&file, line, text, is_true == want))
		return;
	print_value("got", "", got, got.kind == SUITE_CHAR);
	print_line("want", want ? "true" : "false");
	fail(file, line, text, fatal);
}

void suite_null(SUITE_SITE, bool want, const volatile void *got)
{
	if (!fails(&file, line, text, want == !got))
		return;
	print_value("got", "", suite_pointer(got), false);
	print_line("want", want ? "NULL" : "a pointer");
	fail(file, line, text, fatal);
}

void suite_fail(SUITE_SITE)
{
	fails(&file, line, text, false);
	fail(file, line, text, fatal);
}

/* --- strings ------------------------------------------------------------- */

/* Long texts are shown from shortly before the difference, and not to their end. */
#define TEXT_MAX    400
#define TEXT_BEFORE 80
/* A text that lacks a substring is shown as a whole; this limits the longest. */
#define WHOLE_MAX 8192

static void print_difference(const char *got, const char *want)
{
	size_t at = 0, lines = 1, from;

	while (got[at] && got[at] == want[at])
		lines += got[at++] == '\n';
	from = at > TEXT_BEFORE && (strlen(got) > TEXT_MAX || strlen(want) > TEXT_MAX)
		       ? at - TEXT_BEFORE
		       : 0;
	print_text("got", got, from, TEXT_MAX);
	print_text("want", want, from, TEXT_MAX);
	printf("      they differ from byte %zu, line %zu; got %zu bytes, want %zu\n", at, lines,
	       strlen(got), strlen(want));
}

void suite_string(SUITE_SITE, bool equal, const char *got, const char *want)
{
	bool good = got && want && !strcmp(got, want) == equal;

	if (!fails(&file, line, text, good))
		return;
	if (got && want && equal) {
		print_difference(got, want);
	} else {
		print_text("got", got, 0, TEXT_MAX);
		print_text(equal ? "want" : "not", want, 0, TEXT_MAX);
	}
	fail(file, line, text, fatal);
}

void suite_contains(SUITE_SITE, bool want, const char *got, const char *part)
{
	const char *found = got && part ? strstr(got, part) : NULL;

	if (!fails(&file, line, text, got && part && want == !!found))
		return;
	print_text("got", got, 0, WHOLE_MAX);
	print_text(want ? "want" : "not", part, 0, WHOLE_MAX);
	if (found)
		printf("      found at byte %td\n", found - got);
	fail(file, line, text, fatal);
}

void suite_starts(SUITE_SITE, const char *got, const char *start)
{
	if (!fails(&file, line, text, got && start && !strncmp(got, start, strlen(start))))
		return;
	if (got && start) {
		print_difference(got, start);
	} else {
		print_text("got", got, 0, TEXT_MAX);
		print_text("want", start, 0, TEXT_MAX);
	}
	fail(file, line, text, fatal);
}

/* --- bytes --------------------------------------------------------------- */

#define BYTES_BEFORE 8
#define BYTES_SHOWN  24

static void print_bytes(const char *name, const uint8_t *bytes, size_t from, size_t end)
{
	size_t i;

	printf("      %-4s", name);
	if (!bytes)
		printf(" NULL");
	for (i = from; bytes && i < end; i++)
		printf(" %02x", bytes[i]);
	putchar('\n');
}

/* In hex around the first difference, with a mark below the differing bytes. */
static void print_both(const uint8_t *got, const uint8_t *want, size_t len)
{
	size_t first = 0, from, end, last, count = 0, i;

	while (got[first] == want[first])
		first++;
	for (i = last = first; i < len; i++)
		count += got[i] != want[i];
	from = first > BYTES_BEFORE ? first - BYTES_BEFORE : 0;
	end = len - from > BYTES_SHOWN ? from + BYTES_SHOWN : len;
	print_bytes("got", got, from, end);
	print_bytes("want", want, from, end);
	for (i = first; i < end; i++)
		if (got[i] != want[i])
			last = i;
	printf("      %*s", (int)(4 + 3 * (first - from)), "");
	for (i = first; i <= last; i++)
		printf(got[i] == want[i] ? "   " : " ^^");
	printf("\n      %zu of %zu bytes differ, from byte %zu; shown from byte %zu\n", count, len,
	       first, from);
}

void suite_bytes(SUITE_SITE, bool equal, const void *got, const void *want, size_t len)
{
	bool both = got && want;
	bool same = !len || (both && !memcmp(got, want, len));
	size_t shown = len < BYTES_SHOWN ? len : BYTES_SHOWN;

	if (!fails(&file, line, text, equal ? same : both && !same))
		return;
	if (equal && both) {
		print_both(got, want, len);
	} else {
		print_bytes("got", got, 0, shown);
		print_bytes(equal ? "want" : "not", want, 0, shown);
		print_line("of", "%zu bytes", len);
	}
	fail(file, line, text, fatal);
}

/* --- main ---------------------------------------------------------------- */

static const struct suite_test *suite_tests;
static size_t suite_ntests;

static void before_test(void)
{
	const char *name = CU_get_current_test()->pName;
	size_t i;

	forget();
	for (i = 0; i < suite_ntests; i++)
		if (!strcmp(suite_tests[i].name, name))
			is_timed = suite_tests[i].timed;
}

/* --- skips --------------------------------------------------------------- */

static unsigned int skips;

/* /proc/self/exe is the tested program: the emulator answers so. Another process sees which program runs. */
const char *suite_emulator(void)
{
	static char name[64];
	static bool known;
	FILE *file;

	if (!known) {
		file = popen("basename \"$(readlink /proc/$PPID/exe)\" 2>/dev/null", "r");
		if (!file || fscanf(file, "%63s", name) != 1 || pclose(file))
			*name = '\0';
		known = true;
	}
	return strncmp(name, "qemu-", 5) ? NULL : name;
}

void suite_skip(const char *lacks)
{
	printf("\nskip: %s %s\n", suite_emulator(), lacks);
	skips++;
}

int suite_run(const char *name, const struct suite_test *tests, size_t count)
{
	unsigned int failed;
	CU_pSuite suite;
	size_t i;

	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	suite_tests = tests;
	suite_ntests = count;
	suite = CU_add_suite_with_setup_and_teardown(name, NULL, NULL, before_test, NULL);
	for (i = 0; suite && i < count; i++)
		if ((tests[i].timed || !time_is_judged()) &&
		    !CU_add_test(suite, tests[i].name, tests[i].func))
			suite = NULL;
	if (!suite) {
		fprintf(stderr, "%s: %s\n", name, CU_get_error_msg());
		return 2;
	}
	CU_basic_set_mode(CU_BRM_NORMAL);
	CU_basic_run_tests();
	failed = CU_get_number_of_tests_failed();
	printf("%u passed, %u failed, %u skipped\n", CU_get_number_of_tests_run() - failed - skips,
	       failed, skips);
	CU_cleanup_registry();
	return failed ? 1 : 0;
}
