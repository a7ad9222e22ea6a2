/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The command line, as mount(8) writes it (mnt_context_mount() of libmount):
 *
 *	mount.nfsrdma SPEC DIR [-sfnvrw] [-N NAMESPACE] [-o OPTIONS] [-t TYPE.SUBTYPE]
 *
 * Options may also stand before the operands, for calls by hand. */
#include <ctype.h>
#include <getopt.h>

#include "mount-helper/internal.h"

static int args_join_options(struct args *args, const char *more)
{
	size_t have = args->options ? strlen(args->options) + 1 : 0;
	size_t len = strlen(more);
	char *joined;

	/* plan_make() refuses longer ones; here they take no memory. */
	if (have + len > OPTS_TEXT_MAX)
		return err_set(EINVAL, "the options are longer than %d bytes", OPTS_TEXT_MAX);
	joined = realloc(args->options, have + len + 1);
	if (!joined)
		return err_no_memory();
	if (have)
		joined[have - 1] = ',';
	memcpy(joined + have, more, len + 1);
	args->options = joined;
	return 0;
}

/* @option: as of getopt(3), which printed nothing. */
static int args_take_option(struct args *args, int option, const char *value)
{
	switch (option) {
	case 'f': args->fake = true; return 0;
	case 's': args->sloppy = true; return 0;
	case 'n': args->no_mtab = true; return 0;
	case 'v': args->verbose = true; return 0;
	case 'r': args->read_only = true; return 0;
	case 'w': args->read_write = true; return 0;
	case 'h': args->help = true; return 0;
	case 'V': args->version = true; return 0;
	case 'o': return args_join_options(args, value);
	case 'N': args->space = value; return 0;
	case 't': return 0; /* our own type, otherwise mount(8) would not run us */
	case ':': return err_set(EINVAL, "option -%c needs a value", optopt);
	default:
		return isprint(optopt) ? err_set(EINVAL, "unknown option -%c", optopt)
				       : err_set(EINVAL, "unknown option");
	}
}

static bool args_is_plain(const char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			return false;
	return true;
}

static int args_take_operands(struct args *args, char *const operands[], int count)
{
	const int wanted = 2;
	int i;

	if (args->help || args->version)
		return 0;
	if (count < wanted)
		return err_set(EINVAL, "expected SERVER:/EXPORT and a directory");
	if (count > wanted)
		return err_set(EINVAL, "unexpected argument '%.64s'", operands[wanted]);
	for (i = 0; i < count; i++) {
		/* An operand with a leading dash could become an option of mount.nfs. */
		if (!operands[i][0] || operands[i][0] == '-' || !args_is_plain(operands[i]))
			return err_set(EINVAL,
				       "%s is empty, begins with a dash or has control characters",
				       i + 1 == wanted ? "the directory" : "the source");
		if (strlen(operands[i]) >= PATH_MAX)
			return err_set(EINVAL, "%s is longer than %d bytes",
				       i + 1 == wanted ? "the directory" : "the source",
				       PATH_MAX - 1);
	}
	args->spec = operands[0];
	args->dir = operands[1];
	return 0;
}

int args_parse(struct args *args, int argc, char *const argv[])
{
	static const struct option names[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int option, rc = 0;

	memset(args, 0, sizeof(*args));
	opterr = 0;
	optind = 0;
	while (!rc && (option = getopt_long(argc, argv, ":fsnvrwho:t:N:V", names, NULL)) != -1)
		rc = args_take_option(args, option, optarg);
	if (!rc)
		rc = args_take_operands(args, argv + optind, argc - optind);
	if (rc)
		args_fini(args);
	return rc;
}

void args_fini(struct args *args)
{
	free(args->options);
	args->options = NULL;
}
