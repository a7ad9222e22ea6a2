/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFSRDMA_DEBUG: the areas that its words enable, and the output on stderr. */
#include <fcntl.h>
#include <sys/mman.h>

#include "rpcrdma/base/base.h"
#include "tests/unit/suite.h"

static char said[8192];

/* said[] receives everything that @func writes to stderr. */
static void capture(void (*func)(void))
{
	int file = memfd_create("stderr", MFD_CLOEXEC), saved = dup(STDERR_FILENO);
	ssize_t len;

	CU_ASSERT_FATAL(file >= 0 && saved >= 0);
	fflush(stderr);
	CU_ASSERT_EQUAL_FATAL(dup2(file, STDERR_FILENO), STDERR_FILENO);
	func();
	fflush(stderr);
	CU_ASSERT_EQUAL_FATAL(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	len = pread(file, said, sizeof(said) - 1, 0);
	CU_ASSERT_FATAL(len >= 0);
	said[len] = '\0';
	close(file);
	close(saved);
}

static bool asked_help;

static void init(void)
{
	debug_mask = 0;
	asked_help = debug_init();
}

/* The mask of NFSRDMA_DEBUG=@words; NULL: it is not set. */
static unsigned int mask_of(const char *words)
{
	if (words)
		setenv("NFSRDMA_DEBUG", words, 1);
	else
		unsetenv("NFSRDMA_DEBUG");
	capture(init);
	return debug_mask;
}

static void nothing_is_enabled_without_the_variable(void)
{
	CU_ASSERT_EQUAL(mask_of(NULL), 0);
	CU_ASSERT_EQUAL(mask_of(""), 0);
	CU_ASSERT_STRING_EQUAL(said, "");
	CU_ASSERT_FALSE(asked_help);
}

static void words_enable_their_areas(void)
{
	CU_ASSERT_EQUAL(mask_of("wire"), 1u << DEBUG_WIRE);
	CU_ASSERT_EQUAL(mask_of("gate,,mount"), 1u << DEBUG_GATE | 1u << DEBUG_MOUNT);
	CU_ASSERT_EQUAL(mask_of("checks,host,watch"),
			1u << DEBUG_CHECKS | 1u << DEBUG_HOST | 1u << DEBUG_WATCH);
	CU_ASSERT_EQUAL(mask_of("all"), ~0u);
	CU_ASSERT_STRING_EQUAL(said, "");
}

static void an_unknown_area_is_named(void)
{
	CU_ASSERT_EQUAL(mask_of("wire,mont"), 1u << DEBUG_WIRE);
	CU_ASSERT_STRING_EQUAL(said, "NFSRDMA_DEBUG: no area \"mont\", try \"help\"\n");
}

static void help_lists_every_area_and_does_not_exit(void)
{
	static const char *const areas[] = { "wire",   "transport", "conn",  "nfs",
					     "server", "probe",     "host",  "checks",
					     "mount",  "gate",      "watch", "all" };
	char word[32];
	size_t i;

	CU_ASSERT_EQUAL(mask_of("help,gate"), 1u << DEBUG_GATE);
	CU_ASSERT_TRUE(asked_help);
	for (i = 0; i < ARRAY_SIZE(areas); i++) {
		snprintf(word, sizeof(word), "\n  %s ", areas[i]);
		CU_ASSERT_PTR_NOT_NULL(strstr(said, word));
	}
}

static void print(void)
{
	debug(DEBUG_GATE, "guest %s", "a\033[2J\nb");
	debug(DEBUG_MOUNT, "not on");
}

static void a_line_has_its_area_and_no_control_characters(void)
{
	mask_of("gate");
	capture(print);
	CU_ASSERT_STRING_EQUAL(said, "gate: guest a?[2J?b\n");
}

SUITE_MAIN("debug", TEST(nothing_is_enabled_without_the_variable), TEST(words_enable_their_areas),
	   TEST(an_unknown_area_is_named), TEST(help_lists_every_area_and_does_not_exit),
	   TEST(a_line_has_its_area_and_no_control_characters))
