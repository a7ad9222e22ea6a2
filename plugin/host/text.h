/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Lines and values of configuration files. */
#ifndef PLUGIN_HOST_TEXT_H
#define PLUGIN_HOST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strips leading and trailing blanks, in place. */
char *text_trim(char *text);
/* Also removes one pair of quotes, as a shell would; not the blanks in them. In place. */
char *text_unquote(char *value);
bool text_ends_with(const char *text, const char *end);
/* @dir is @path, or above it: what is below, without a slash before it; or NULL. */
const char *text_below(const char *dir, const char *path);
/* Whether two spellings can be one host: addresses by their value, names in any case, with the
 * domain or without. No name is looked up, so a name is never an address. No brackets. */
bool text_is_host(const char *a, const char *b);
/* "nas" of "nas:/vm", "2001:db8::1" of "[2001:db8::1]:/vm"; "" of what is no source of NFS. */
void text_host_of(const char *source, char *buf, size_t cap);
/* What follows the last slash; the whole path without one. */
const char *text_base_name(const char *path);
/* Stands for a text of @len bytes that must not be shown. It tells the class of its length:
 * up to 8 bytes, up to 32, longer. Without quotes, blanks and what separates settings. */
const char *text_placeholder(size_t len);
/* A number of decimal digits and nothing else, @len bytes of @text; up to @max. strtoul(3) would
 * take a sign, blanks, and what does not fit. False: *@out is as before. */
bool text_number(const char *text, size_t len, uint64_t max, uint64_t *out);
/* The number of newlines, plus one. */
size_t text_count_lines(const char *text);
/* Returns the next line; a backslash at its end joins it to the following one, as in
 * modprobe.d, udev and systemd. *@number counts the lines of the file. */
char *line_next_joined(char **cursor, unsigned int *number);

#endif
