/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The assertions and the one main() of the unit tests. A test is a function whose name is a
 * sentence:
 *
 *	static void context_is_outermost_first(void) { ... CU_ASSERT_EQUAL(rc, -EPROTO); }
 *	SUITE_MAIN("err", TEST(context_is_outermost_first), TEST(...))
 *
 * A failed assertion prints at once where it is, both values, and the rows it is in:
 *
 *	tests/unit/err.c:31: CU_ASSERT_EQUAL(rc, -EPROTO)
 *	      got  -22 (-EINVAL)
 *	      want -71 (-EPROTO)
 *	      row  3: "a=b,,c"
 *
 * CUnit counts the failure and lists the expression once more below the test. CUnit's own macros
 * are redefined here, so every use of them prints values. Every argument is evaluated exactly
 * once. The variants with _FATAL end the test.
 *
 * CUnit prints its summary; the plain line after it is what tests/run adds up. */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>
#include <CUnit/TestRun.h>

#include "tests/support/patience.h"

/* --- main ---------------------------------------------------------------- */

struct suite_test {
	const char *name;
	CU_TestFunc func;
	bool timed;
};

/* clang-format off */
#define TEST(func) { #func, func, false }
/* One that has a bound on time, or on what is left at that time. Where time is judged (patience.h)
 * only these run. */
#define TIMED(func) { #func, func, true }
/* clang-format on */

/* Returns the exit status: 0 all passed, 1 a test failed, 2 nothing was run. */
int suite_run(const char *name, const struct suite_test *tests, size_t count);

#define SUITE_MAIN(name, ...)                                                    \
	int main(void)                                                           \
	{                                                                        \
		static const struct suite_test tests[] = { __VA_ARGS__ };        \
		return suite_run(name, tests, sizeof(tests) / sizeof(tests[0])); \
	}

/* --- rows ---------------------------------------------------------------- */

/* Names the row of a table test, as printf(3) does, from here to the end of the block:
 *
 *	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
 *		SUITE_ROW("%zu: %s", i, rows[i].text);
 *		...
 *
 * Rows nest: a loop over transports around a table prints both. */
#define SUITE_ROW(...)          SUITE_ROW_AT(__LINE__, __VA_ARGS__)
#define SUITE_ROW_AT(line, ...) SUITE_ROW_AS(line, __VA_ARGS__)
/* clang-format off */
#define SUITE_ROW_AS(line, ...)                         \
	__attribute__((unused, cleanup(suite_row_end))) \
	size_t suite_row_##line = suite_row_begin(__VA_ARGS__)
/* clang-format on */

size_t suite_row_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
void suite_row_end(const size_t *row);

/* For a function that an assertion asks for true or false: what it saw, for the assertion to print
 * if it fails. Forgotten by the next assertion.
 *
 *	static bool has(const char *words)
 *	{
 *		suite_saw("\"%s\"", err_text());
 *		return strstr(err_text(), words);
 *	}
 *	...
 *	CU_ASSERT(has("16 at most"));
 */
void suite_saw(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- skips --------------------------------------------------------------- */

/* The emulator that runs this program for another processor (qemu-user), or NULL. It has no
 * kernel of its own and translates system calls; what it does not translate cannot be tested. */
const char *suite_emulator(void);

/* Ends the test, which is counted as skipped, in an emulator. @lacks: "lacks seccomp filters" */
#define SKIP_IF_EMULATED(lacks)              \
	do {                                 \
		if (suite_emulator()) {      \
			suite_skip((lacks)); \
			return;              \
		}                            \
	} while (0)
void suite_skip(const char *lacks);

/* --- values -------------------------------------------------------------- */

enum suite_kind {
	SUITE_BOOL,
	SUITE_CHAR,
	SUITE_SIGNED,
	SUITE_UNSIGNED,
	SUITE_DOUBLE,
	SUITE_POINTER,
};

/* Any value that == compares, in the widest type of its kind: nothing of it is lost. */
struct suite_value {
	enum suite_kind kind;
	union {
		intmax_t i; /* SUITE_BOOL, SUITE_CHAR, SUITE_SIGNED */
		uintmax_t u;
		double d;
		const volatile void *p;
	};
};

static inline struct suite_value suite_bool(bool value)
{
	return (struct suite_value){ .kind = SUITE_BOOL, .i = value };
}

static inline struct suite_value suite_char(char value)
{
	return (struct suite_value){ .kind = SUITE_CHAR, .i = value };
}

static inline struct suite_value suite_signed(intmax_t value)
{
	return (struct suite_value){ .kind = SUITE_SIGNED, .i = value };
}

static inline struct suite_value suite_unsigned(uintmax_t value)
{
	return (struct suite_value){ .kind = SUITE_UNSIGNED, .u = value };
}

static inline struct suite_value suite_double(double value)
{
	return (struct suite_value){ .kind = SUITE_DOUBLE, .d = value };
}

static inline struct suite_value suite_pointer(const volatile void *value)
{
	return (struct suite_value){ .kind = SUITE_POINTER, .p = value };
}

/* What is not in the list must be a pointer: a struct, a bit-field or an __int128 does not
 * compile. */
/* clang-format off */
#define SUITE_VALUE(value)                                         \
	_Generic((value),                                          \
		_Bool: suite_bool,                                 \
		char: suite_char,                                  \
		signed char: suite_signed,                         \
		short: suite_signed,                               \
		int: suite_signed,                                 \
		long: suite_signed,                                \
		long long: suite_signed,                           \
		unsigned char: suite_unsigned,                     \
		unsigned short: suite_unsigned,                    \
		unsigned int: suite_unsigned,                      \
		unsigned long: suite_unsigned,                     \
		unsigned long long: suite_unsigned,                \
		float: suite_double,                               \
		double: suite_double,                              \
		default: suite_pointer)(value)
/* clang-format on */

/* --- what the assertions call -------------------------------------------- */

/* Where an assertion is, and whether its failure ends the test. */
#define SUITE_AT(name, args)    __FILE__, __LINE__, name "(" args ")", false
#define SUITE_FATAL(name, args) __FILE__, __LINE__, name "(" args ")", true
#define SUITE_SITE              const char *file, unsigned int line, const char *text, bool fatal

enum suite_order {
	SUITE_EQUAL,
	SUITE_NOT_EQUAL,
	SUITE_LESS,
	SUITE_AT_MOST,
	SUITE_MORE,
	SUITE_AT_LEAST,
};

void suite_compare(SUITE_SITE, enum suite_order order, struct suite_value got,
		   struct suite_value want);
void suite_within(SUITE_SITE, uint64_t ms, unsigned int bound_ms, bool good);
void suite_truth(SUITE_SITE, bool want, struct suite_value got);
void suite_null(SUITE_SITE, bool want, const volatile void *got);
void suite_fail(SUITE_SITE);
void suite_either(SUITE_SITE, struct suite_value got, struct suite_value one,
		  struct suite_value other);
/* Strings; NULL is none, and equal to nothing. */
void suite_string(SUITE_SITE, bool equal, const char *got, const char *want);
void suite_contains(SUITE_SITE, bool want, const char *got, const char *part);
void suite_starts(SUITE_SITE, const char *got, const char *start);
void suite_bytes(SUITE_SITE, bool equal, const void *got, const void *want, size_t len);

/* Numbers are compared by value: -1 equals no unsigned number, although == converts it to one.
 * typeof holds the comparison, unevaluated: operands that do not fit do not compile. The left
 * one is evaluated first: tests read two parts of a message in one assertion. */
#define SUITE_COMPARE(at, order, operator, got, want)               \
	({                                                          \
		__typeof__((got) operator(want)) suite_result_;     \
		struct suite_value suite_got_ = SUITE_VALUE(got);   \
		struct suite_value suite_want_ = SUITE_VALUE(want); \
                                                                    \
		(void)sizeof(suite_result_);                        \
		suite_compare(at, order, suite_got_, suite_want_);  \
	})
#define SUITE_EITHER(at, got, one, other)                                     \
	({                                                                    \
		__typeof__((got) == (one) || (got) == (other)) suite_result_; \
		struct suite_value suite_got_ = SUITE_VALUE(got);             \
		struct suite_value suite_one_ = SUITE_VALUE(one);             \
		struct suite_value suite_other_ = SUITE_VALUE(other);         \
                                                                              \
		(void)sizeof(suite_result_);                                  \
		suite_either(at, suite_got_, suite_one_, suite_other_);       \
	})
#define SUITE_WITHIN(at, ms, bound_ms)                                                         \
	({                                                                                     \
		uint64_t suite_ms_ = (ms);                                                     \
		unsigned int suite_bound_ = (bound_ms);                                        \
                                                                                               \
		suite_within(at, suite_ms_, suite_bound_, within_ms(suite_ms_, suite_bound_)); \
	})
#define SUITE_TRUTH(at, want, value) suite_truth(at, want, SUITE_VALUE(value))
#define SUITE_ADDRESS(at, order, got, want)                           \
	({                                                            \
		struct suite_value suite_got_ = suite_pointer(got);   \
		struct suite_value suite_want_ = suite_pointer(want); \
                                                                      \
		suite_compare(at, order, suite_got_, suite_want_);    \
	})
/* As CUnit has it, any kind of char is one. */
#define SUITE_STRING(at, equal, got, want)                        \
	({                                                        \
		const char *suite_got_ = (const char *)(got);     \
		const char *suite_want_ = (const char *)(want);   \
                                                                  \
		suite_string(at, equal, suite_got_, suite_want_); \
	})

/* --- CUnit's assertions, with values ------------------------------------- */

/* Those that are not redefined below would print no values; no test uses them. */
#undef CU_ASSERT
#undef CU_ASSERT_FATAL
#undef CU_TEST
#undef CU_TEST_FATAL
#undef CU_FAIL
#undef CU_FAIL_FATAL
#undef CU_ASSERT_TRUE
#undef CU_ASSERT_TRUE_FATAL
#undef CU_ASSERT_FALSE
#undef CU_ASSERT_FALSE_FATAL
#undef CU_ASSERT_EQUAL
#undef CU_ASSERT_EQUAL_FATAL
#undef CU_ASSERT_NOT_EQUAL
#undef CU_ASSERT_NOT_EQUAL_FATAL
#undef CU_ASSERT_PTR_EQUAL
#undef CU_ASSERT_PTR_EQUAL_FATAL
#undef CU_ASSERT_PTR_NOT_EQUAL
#undef CU_ASSERT_PTR_NOT_EQUAL_FATAL
#undef CU_ASSERT_PTR_NULL
#undef CU_ASSERT_PTR_NULL_FATAL
#undef CU_ASSERT_PTR_NOT_NULL
#undef CU_ASSERT_PTR_NOT_NULL_FATAL
#undef CU_ASSERT_STRING_EQUAL
#undef CU_ASSERT_STRING_EQUAL_FATAL
#undef CU_ASSERT_STRING_NOT_EQUAL
#undef CU_ASSERT_STRING_NOT_EQUAL_FATAL
#undef CU_ASSERT_NSTRING_EQUAL
#undef CU_ASSERT_NSTRING_EQUAL_FATAL
#undef CU_ASSERT_NSTRING_NOT_EQUAL
#undef CU_ASSERT_NSTRING_NOT_EQUAL_FATAL
#undef CU_ASSERT_DOUBLE_EQUAL
#undef CU_ASSERT_DOUBLE_EQUAL_FATAL
#undef CU_ASSERT_DOUBLE_NOT_EQUAL
#undef CU_ASSERT_DOUBLE_NOT_EQUAL_FATAL

#define CU_ASSERT(...) SUITE_TRUTH(SUITE_AT("CU_ASSERT", #__VA_ARGS__), true, __VA_ARGS__)
#define CU_ASSERT_FATAL(...) \
	SUITE_TRUTH(SUITE_FATAL("CU_ASSERT_FATAL", #__VA_ARGS__), true, __VA_ARGS__)
#define CU_ASSERT_TRUE(...) SUITE_TRUTH(SUITE_AT("CU_ASSERT_TRUE", #__VA_ARGS__), true, __VA_ARGS__)
#define CU_ASSERT_TRUE_FATAL(...) \
	SUITE_TRUTH(SUITE_FATAL("CU_ASSERT_TRUE_FATAL", #__VA_ARGS__), true, __VA_ARGS__)
#define CU_ASSERT_FALSE(...) \
	SUITE_TRUTH(SUITE_AT("CU_ASSERT_FALSE", #__VA_ARGS__), false, __VA_ARGS__)
#define CU_ASSERT_FALSE_FATAL(...) \
	SUITE_TRUTH(SUITE_FATAL("CU_ASSERT_FALSE_FATAL", #__VA_ARGS__), false, __VA_ARGS__)
#define CU_FAIL(why)       suite_fail(SUITE_AT("CU_FAIL", #why))
#define CU_FAIL_FATAL(why) suite_fail(SUITE_FATAL("CU_FAIL_FATAL", #why))

#define CU_ASSERT_EQUAL(...) \
	SUITE_COMPARE(SUITE_AT("CU_ASSERT_EQUAL", #__VA_ARGS__), SUITE_EQUAL, ==, __VA_ARGS__)
#define CU_ASSERT_EQUAL_FATAL(...)                                                         \
	SUITE_COMPARE(SUITE_FATAL("CU_ASSERT_EQUAL_FATAL", #__VA_ARGS__), SUITE_EQUAL, ==, \
		      __VA_ARGS__)
#define CU_ASSERT_NOT_EQUAL(...)                                                          \
	SUITE_COMPARE(SUITE_AT("CU_ASSERT_NOT_EQUAL", #__VA_ARGS__), SUITE_NOT_EQUAL, !=, \
		      __VA_ARGS__)
#define CU_ASSERT_NOT_EQUAL_FATAL(...)                                                             \
	SUITE_COMPARE(SUITE_FATAL("CU_ASSERT_NOT_EQUAL_FATAL", #__VA_ARGS__), SUITE_NOT_EQUAL, !=, \
		      __VA_ARGS__)

#define CU_ASSERT_PTR_EQUAL(...) \
	SUITE_ADDRESS(SUITE_AT("CU_ASSERT_PTR_EQUAL", #__VA_ARGS__), SUITE_EQUAL, __VA_ARGS__)
#define CU_ASSERT_PTR_EQUAL_FATAL(...)                                                     \
	SUITE_ADDRESS(SUITE_FATAL("CU_ASSERT_PTR_EQUAL_FATAL", #__VA_ARGS__), SUITE_EQUAL, \
		      __VA_ARGS__)
#define CU_ASSERT_PTR_NOT_EQUAL(...)                                                      \
	SUITE_ADDRESS(SUITE_AT("CU_ASSERT_PTR_NOT_EQUAL", #__VA_ARGS__), SUITE_NOT_EQUAL, \
		      __VA_ARGS__)
#define CU_ASSERT_PTR_NOT_EQUAL_FATAL(...)                                                         \
	SUITE_ADDRESS(SUITE_FATAL("CU_ASSERT_PTR_NOT_EQUAL_FATAL", #__VA_ARGS__), SUITE_NOT_EQUAL, \
		      __VA_ARGS__)
#define CU_ASSERT_PTR_NULL(...) \
	suite_null(SUITE_AT("CU_ASSERT_PTR_NULL", #__VA_ARGS__), true, __VA_ARGS__)
#define CU_ASSERT_PTR_NULL_FATAL(...) \
	suite_null(SUITE_FATAL("CU_ASSERT_PTR_NULL_FATAL", #__VA_ARGS__), true, __VA_ARGS__)
#define CU_ASSERT_PTR_NOT_NULL(...) \
	suite_null(SUITE_AT("CU_ASSERT_PTR_NOT_NULL", #__VA_ARGS__), false, __VA_ARGS__)
#define CU_ASSERT_PTR_NOT_NULL_FATAL(...) \
	suite_null(SUITE_FATAL("CU_ASSERT_PTR_NOT_NULL_FATAL", #__VA_ARGS__), false, __VA_ARGS__)

#define CU_ASSERT_STRING_EQUAL(...) \
	SUITE_STRING(SUITE_AT("CU_ASSERT_STRING_EQUAL", #__VA_ARGS__), true, __VA_ARGS__)
#define CU_ASSERT_STRING_EQUAL_FATAL(...) \
	SUITE_STRING(SUITE_FATAL("CU_ASSERT_STRING_EQUAL_FATAL", #__VA_ARGS__), true, __VA_ARGS__)
#define CU_ASSERT_STRING_NOT_EQUAL(...) \
	SUITE_STRING(SUITE_AT("CU_ASSERT_STRING_NOT_EQUAL", #__VA_ARGS__), false, __VA_ARGS__)
#define CU_ASSERT_STRING_NOT_EQUAL_FATAL(...)                                              \
	SUITE_STRING(SUITE_FATAL("CU_ASSERT_STRING_NOT_EQUAL_FATAL", #__VA_ARGS__), false, \
		     __VA_ARGS__)

/* --- assertions that CUnit lacks ----------------------------------------- */

/* ASSERT_LESS(got, limit), and so on. */
#define ASSERT_LESS(...) \
	SUITE_COMPARE(SUITE_AT("ASSERT_LESS", #__VA_ARGS__), SUITE_LESS, <, __VA_ARGS__)
#define ASSERT_LESS_FATAL(...) \
	SUITE_COMPARE(SUITE_FATAL("ASSERT_LESS_FATAL", #__VA_ARGS__), SUITE_LESS, <, __VA_ARGS__)
#define ASSERT_AT_MOST(...) \
	SUITE_COMPARE(SUITE_AT("ASSERT_AT_MOST", #__VA_ARGS__), SUITE_AT_MOST, <=, __VA_ARGS__)
#define ASSERT_AT_MOST_FATAL(...)                                                           \
	SUITE_COMPARE(SUITE_FATAL("ASSERT_AT_MOST_FATAL", #__VA_ARGS__), SUITE_AT_MOST, <=, \
		      __VA_ARGS__)
#define ASSERT_MORE(...) \
	SUITE_COMPARE(SUITE_AT("ASSERT_MORE", #__VA_ARGS__), SUITE_MORE, >, __VA_ARGS__)
#define ASSERT_MORE_FATAL(...) \
	SUITE_COMPARE(SUITE_FATAL("ASSERT_MORE_FATAL", #__VA_ARGS__), SUITE_MORE, >, __VA_ARGS__)
#define ASSERT_AT_LEAST(...) \
	SUITE_COMPARE(SUITE_AT("ASSERT_AT_LEAST", #__VA_ARGS__), SUITE_AT_LEAST, >=, __VA_ARGS__)
#define ASSERT_AT_LEAST_FATAL(...)                                                            \
	SUITE_COMPARE(SUITE_FATAL("ASSERT_AT_LEAST_FATAL", #__VA_ARGS__), SUITE_AT_LEAST, >=, \
		      __VA_ARGS__)

/* ASSERT_EITHER(got, one, other) */
#define ASSERT_EITHER(...) SUITE_EITHER(SUITE_AT("ASSERT_EITHER", #__VA_ARGS__), __VA_ARGS__)

/* ASSERT_WITHIN_MS(elapsed_ms, bound_ms), in a test that is TIMED(). */
#define ASSERT_WITHIN_MS(...) SUITE_WITHIN(SUITE_AT("ASSERT_WITHIN_MS", #__VA_ARGS__), __VA_ARGS__)

/* Parts of a text: ASSERT_CONTAINS(text, part), ASSERT_STARTS(text, start). */
#define ASSERT_CONTAINS(...) \
	suite_contains(SUITE_AT("ASSERT_CONTAINS", #__VA_ARGS__), true, __VA_ARGS__)
#define ASSERT_LACKS(...)  suite_contains(SUITE_AT("ASSERT_LACKS", #__VA_ARGS__), false, __VA_ARGS__)
#define ASSERT_STARTS(...) suite_starts(SUITE_AT("ASSERT_STARTS", #__VA_ARGS__), __VA_ARGS__)

/* ASSERT_BYTES(got, want, len) */
#define ASSERT_BYTES(...) suite_bytes(SUITE_AT("ASSERT_BYTES", #__VA_ARGS__), true, __VA_ARGS__)
#define ASSERT_BYTES_DIFFER(...) \
	suite_bytes(SUITE_AT("ASSERT_BYTES_DIFFER", #__VA_ARGS__), false, __VA_ARGS__)

#endif
