/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Source and directory of a domain as VDSM makes them (fileUtils.py: normalize_path(),
 * transformPath()): the path is normalised as Python's os.path.normpath() does, and the directory
 * is its text with "_" doubled and "/" as "_". VDSM finds its mount again by these two texts. */
#include <stdio.h>

#include "plugin/ovirt/internal.h"

/* One directory deep: NAME_MAX of Linux. */
#define NAME_BYTES_MAX 255

/* "/a//b/../c/." is "/a/c"; in place. @path begins with a slash. */
static void ovirt_domain_normalise(char *path)
{
	char *to = path, *from = path;

	while (*from) {
		size_t len;

		from += strspn(from, "/");
		len = strcspn(from, "/");
		if (len == 2 && !strncmp(from, "..", 2)) {
			while (to > path && *--to != '/')
				;
		} else if (len && !(len == 1 && *from == '.')) {
			*to++ = '/';
			memmove(to, from, len);
			to += len;
		}
		from += len;
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
}

/* Returns the bytes of the directory's name; SIZE_MAX: error. */
static size_t ovirt_domain_transform(const char *spec, char *out, size_t cap)
{
	size_t used = 0;

	for (; *spec; spec++) {
		bool doubled = *spec == '_';

		if (used + 1 + doubled >= cap)
			return SIZE_MAX;
		if (doubled)
			out[used++] = '_';
		out[used++] = *spec == '/' ? '_' : *spec;
	}
	out[used] = '\0';
	return used;
}

static int ovirt_domain_check_repository(const char *repository)
{
	const char *p;

	for (p = repository; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f || strchr("\"[]", *p))
			return err_set(EINVAL,
				       "VDSM's repository must be a plain path, not '%.80s'",
				       repository);
	return *repository == '/'
		       ? 0
		       : err_set(EINVAL, "VDSM's repository must be an absolute path, not '%.80s'",
				 repository);
}

int ovirt_domain(const char *spec, const char *repository, struct ovirt_domain *out)
{
	char name[2 * OVIRT_SPEC_MAX], top[PATH_MAX];
	struct ovirt_domain domain;
	bool six;
	size_t len;
	int rc;

	repository = repository ? repository : OVIRT_REPOSITORY;
	rc = spec_parse(spec, &domain.parsed);
	if (!rc)
		rc = ovirt_domain_check_repository(repository);
	if (rc)
		return rc;
	if ((size_t)snprintf(top, sizeof(top), "%s/", repository) >= sizeof(top))
		return err_set(EINVAL, "the repository's path is too long");
	ovirt_domain_normalise(top);
	ovirt_domain_normalise(domain.parsed.path);
	six = domain.parsed.family == IP_V6;
	snprintf(domain.spec, sizeof(domain.spec), "%s%s%s:%s", six ? "[" : "", domain.parsed.host,
		 six ? "]" : "", domain.parsed.path);
	len = ovirt_domain_transform(domain.spec, name, sizeof(name));
	if (len > NAME_BYTES_MAX)
		return err_set(
			EINVAL,
			"VDSM cannot mount it: the name of its directory would be %zu bytes, %d at most; export it by a shorter path",
			len, NAME_BYTES_MAX);
	if ((size_t)snprintf(domain.dir, sizeof(domain.dir), "%s/mnt/%s",
			     strcmp(top, "/") ? top : "", name) >= sizeof(domain.dir))
		return err_set(EINVAL, "the path of VDSM's directory is too long");
	*out = domain;
	return 0;
}
