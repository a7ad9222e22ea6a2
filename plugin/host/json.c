/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* JSON that another program or machine wrote (RFC 8259; NaN and Infinity as well, which Python
 * writes). The grammar is checked here and json-c makes the objects, because its releases differ:
 * 0.16 accepts quotes and numbers that are none, and 0.18, if it is strict, refuses every character
 * beyond ASCII and integers above 64 bits. */
#include "plugin/host/json.h"
#include "plugin/report/report.h"
#include "rpcrdma/base/base.h"

struct json_scan {
	const char *p;
	enum json_strings strings;
	const char *wrong; /* NULL: an unexpected character */
};

static bool json_scan_value(struct json_scan *scan, unsigned int depth);

static bool json_scan_byte(struct json_scan *scan, const char *one_of)
{
	bool is = *scan->p && strchr(one_of, *scan->p);

	scan->p += is;
	return is;
}

static bool json_scan_some(struct json_scan *scan, const char *set, size_t least)
{
	size_t len = strspn(scan->p, set);

	scan->p += len;
	return len >= least;
}

static void json_scan_blanks(struct json_scan *scan)
{
	json_scan_some(scan, " \t\r\n", 0);
}

static bool json_scan_escape(struct json_scan *scan)
{
	unsigned int i;

	if (!json_scan_byte(scan, "u"))
		return json_scan_byte(scan, "\"\\/bfnrt");
	for (i = 0; i < 4; i++)
		if (!json_scan_byte(scan, "0123456789abcdefABCDEF"))
			return false;
	return true;
}

static bool json_scan_string(struct json_scan *scan)
{
	bool printable;
	size_t len;

	if (!json_scan_byte(scan, "\""))
		return false;
	while (!json_scan_byte(scan, "\"")) {
		if ((uint8_t)*scan->p < 0x20)
			return false;
		if (json_scan_byte(scan, "\\")) {
			if (!json_scan_escape(scan))
				return false;
			continue;
		}
		len = utf8_length(scan->p, &printable);
		if (len == 1 && (uint8_t)*scan->p >= 0x80 && scan->strings == JSON_UTF8) {
			scan->wrong = "not UTF-8";
			return false;
		}
		scan->p += len;
	}
	return true;
}

static bool json_scan_number(struct json_scan *scan)
{
	static const char digits[] = "0123456789";

	json_scan_byte(scan, "-");
	if (!json_scan_byte(scan, "0") && !json_scan_some(scan, digits, 1))
		return false;
	if (json_scan_byte(scan, ".") && !json_scan_some(scan, digits, 1))
		return false;
	if (!json_scan_byte(scan, "eE"))
		return true;
	json_scan_byte(scan, "+-");
	return json_scan_some(scan, digits, 1);
}

static bool json_scan_word(struct json_scan *scan)
{
	static const char *const words[] = {
		"null", "true", "false", "NaN", "Infinity", "-Infinity"
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(scan->p, words[i], strlen(words[i]))) {
			scan->p += strlen(words[i]);
			return true;
		}
	return json_scan_number(scan);
}

/* What is between the brackets of an object or an array, and the closing one. */
static bool json_scan_members(struct json_scan *scan, const char *close, unsigned int depth)
{
	if (!depth) {
		scan->wrong = "nested too deep";
		return false;
	}
	json_scan_blanks(scan);
	if (json_scan_byte(scan, close))
		return true;
	do {
		if (*close == '}') {
			json_scan_blanks(scan);
			if (!json_scan_string(scan))
				return false;
			json_scan_blanks(scan);
			if (!json_scan_byte(scan, ":"))
				return false;
		}
		if (!json_scan_value(scan, depth - 1))
			return false;
	} while (json_scan_byte(scan, ","));
	return json_scan_byte(scan, close);
}

static bool json_scan_value(struct json_scan *scan, unsigned int depth)
{
	bool good;

	json_scan_blanks(scan);
	if (json_scan_byte(scan, "{"))
		good = json_scan_members(scan, "}", depth);
	else if (json_scan_byte(scan, "["))
		good = json_scan_members(scan, "]", depth);
	else if (*scan->p == '"')
		good = json_scan_string(scan);
	else
		good = json_scan_word(scan);
	if (good)
		json_scan_blanks(scan);
	return good;
}

int json_parse(const char *text, size_t len, enum json_strings strings, struct json_object **out)
{
	_cleanup_free_ char *copy = NULL; /* with a NUL behind it, which ends the scan */
	struct json_scan scan = { .strings = strings };
	struct json_tokener *tokener;
	enum json_tokener_error error;

	*out = NULL;
	if (len >= INT32_MAX)
		return err_set(EFBIG, "JSON of %zu bytes", len);
	copy = malloc(len + 1);
	if (!copy)
		return err_no_memory();
	memcpy(copy, text, len);
	copy[len] = '\0';
	scan.p = copy;
	if (!json_scan_value(&scan, JSON_DEPTH_MAX) || scan.p != copy + len) {
		if (!scan.wrong)
			scan.wrong = scan.p == copy + len ? "it is truncated"
							  : "unexpected character";
		return err_set(EBADMSG, "not JSON: %s at byte %zu", scan.wrong,
			       (size_t)(scan.p - copy));
	}
	tokener = json_tokener_new_ex(JSON_DEPTH_MAX + 1);
	if (!tokener)
		return err_no_memory();
	/* With the trailing NUL, which ends a number that could continue. */
	*out = json_tokener_parse_ex(tokener, copy, (int)len + 1);
	error = json_tokener_get_error(tokener);
	json_tokener_free(tokener);
	return error == json_tokener_success
		       ? 0
		       : err_set(EBADMSG, "not JSON: %s", json_tokener_error_desc(error));
}

int json_parse_object(const char *text, size_t len, enum json_strings strings,
		      struct json_object **out)
{
	int rc = json_parse(text, len, strings, out);

	if (rc || json_object_is_type(*out, json_type_object))
		return rc;
	json_object_put(*out);
	*out = NULL;
	return err_set(EBADMSG, "JSON, but not an object");
}
