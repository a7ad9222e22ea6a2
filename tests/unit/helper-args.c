/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The command line of mount.nfsrdma: as mount(8) of util-linux 2.38 writes it, and malformed. */
#include "mount-helper/internal.h"
#include "tests/unit/suite.h"

static struct args args;

static int parse(const char *const words[])
{
	char *argv[32] = { (char[]){ "mount.nfsrdma" } };
	int argc = 1;

	for (; words[argc - 1]; argc++)
		memcpy(&argv[argc], &words[argc - 1], sizeof(*argv));
	args_fini(&args);
	return args_parse(&args, argc, argv);
}

#define MOUNT(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void command_lines_of_mount_are_accepted(void)
{
	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt/a", "-o", "rw"), 0);
	CU_ASSERT_STRING_EQUAL(args.spec, "srv:/e");
	CU_ASSERT_STRING_EQUAL(args.dir, "/mnt/a");
	CU_ASSERT_STRING_EQUAL(args.options, "rw");
	CU_ASSERT_FALSE(args.fake);

	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt/a", "-s", "-f", "-n", "-v", "-o", "rw,rdma"), 0);
	CU_ASSERT(args.sloppy);
	CU_ASSERT(args.fake);
	CU_ASSERT(args.no_mtab);
	CU_ASSERT(args.verbose);
	CU_ASSERT_STRING_EQUAL(args.options, "rw,rdma");

	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt/a", "-f", "-o", "rw,rdma", "-t", "nfsrdma.sub", "-N",
			      "/proc/17/fd/4"),
			0);
	CU_ASSERT_STRING_EQUAL(args.space, "/proc/17/fd/4");

	CU_ASSERT_EQUAL(MOUNT("srv:/with space", "/mnt/a b", "-o", "rw"), 0);
	CU_ASSERT_STRING_EQUAL(args.spec, "srv:/with space");
	CU_ASSERT_STRING_EQUAL(args.dir, "/mnt/a b");
}

static void options_may_come_first_and_more_than_once(void)
{
	CU_ASSERT_EQUAL(MOUNT("-sf", "-o", "ro", "srv:/e", "-orw", "/mnt"), 0);
	CU_ASSERT_STRING_EQUAL(args.options, "ro,rw");
	CU_ASSERT(args.sloppy);
	CU_ASSERT(args.fake);
	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt", "-r"), 0);
	CU_ASSERT(args.read_only);
	CU_ASSERT_PTR_NULL(args.options);
}

static void invalid_command_lines_are_refused_with_a_message(void)
{
	CU_ASSERT_EQUAL(MOUNT("srv:/e"), -EINVAL);
	CU_ASSERT_STRING_EQUAL(err_text(), "expected SERVER:/EXPORT and a directory");
	CU_ASSERT_EQUAL(MOUNT("a", "b", "c"), -EINVAL);
	CU_ASSERT_STRING_EQUAL(err_text(), "unexpected argument 'c'");
	CU_ASSERT_EQUAL(MOUNT("", "/mnt"), -EINVAL);
	CU_ASSERT_STRING_EQUAL(err_text(),
			       "the source is empty, begins with a dash or has control characters");
	CU_ASSERT_EQUAL(MOUNT("srv:/e", ""), -EINVAL);
	CU_ASSERT_STRING_EQUAL(
		err_text(), "the directory is empty, begins with a dash or has control characters");
	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt\n/etc"), -EINVAL);
	CU_ASSERT_EQUAL(MOUNT("srv:/e\033[2J", "/mnt"), -EINVAL);
	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt", "-Q"), -EINVAL);
	CU_ASSERT_STRING_EQUAL(err_text(), "unknown option -Q");
	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt", "--frob"), -EINVAL);
	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt", "-o"), -EINVAL);
	CU_ASSERT_STRING_EQUAL(err_text(), "option -o needs a value");
}

/* After "--" a word with a dash is an operand; mount.nfs would take it as an option. */
static void an_operand_with_a_dash_is_refused(void)
{
	CU_ASSERT_EQUAL(MOUNT("--", "-oproto=tcp", "/mnt"), -EINVAL);
	CU_ASSERT_EQUAL(MOUNT("--", "srv:/e", "-f"), -EINVAL);
}

static void too_long_arguments_are_refused(void)
{
	static char options[70000], dir[5000];

	memset(options, 'a', sizeof(options) - 1);
	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt", "-o", options), -EINVAL);
	options[40000] = '\0';
	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt", "-o", options), 0);
	CU_ASSERT_EQUAL(MOUNT("srv:/e", "/mnt", "-o", options, "-o", options), -EINVAL);
	memset(dir, 'a', sizeof(dir) - 1);
	CU_ASSERT_EQUAL(MOUNT("srv:/e", dir), -EINVAL);
	dir[PATH_MAX] = '\0';
	CU_ASSERT_EQUAL(MOUNT("srv:/e", dir), -EINVAL);
	dir[PATH_MAX - 1] = '\0';
	CU_ASSERT_EQUAL(MOUNT("srv:/e", dir), 0);
	args_fini(&args);
}

static void help_needs_no_operands(void)
{
	CU_ASSERT_EQUAL(MOUNT("--help"), 0);
	CU_ASSERT(args.help);
	CU_ASSERT_EQUAL(MOUNT("-V"), 0);
	CU_ASSERT(args.version);
	args_fini(&args);
}

SUITE_MAIN("helper-args", TEST(command_lines_of_mount_are_accepted),
	   TEST(options_may_come_first_and_more_than_once),
	   TEST(invalid_command_lines_are_refused_with_a_message),
	   TEST(an_operand_with_a_dash_is_refused), TEST(too_long_arguments_are_refused),
	   TEST(help_needs_no_operands))
