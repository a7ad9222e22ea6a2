/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The difference of two texts as `diff -u` prints it. What both begin and end with is set
 * aside; the longest common subsequence of the rest is found by its table, or, where that would be
 * too large, the rest is replaced as a whole. */
#include "plugin/report/report.h"
#include "plugin/setup/internal.h"

#define CONTEXT   3
#define TABLE_MAX (4 * 1024 * 1024) /* entries of two bytes */

struct diff_line {
	const char *text;
	size_t len; /* with the newline, if it has one */
};

struct diff_lines {
	size_t count;
	struct diff_line *list;
};

/* One line of the result. */
struct diff_edit {
	char sign; /* ' ', '-', '+' */
	const struct diff_line *line;
};

struct diff {
	struct diff_lines a, b;
	size_t count;
	struct diff_edit *edits;
};

static bool diff_split(const char *text, struct diff_lines *out)
{
	const char *at;
	size_t n = 0;

	for (at = text; *at; at++)
		n += *at == '\n';
	out->list = calloc(n + 1, sizeof(*out->list));
	if (!out->list)
		return false;
	while (*text) {
		const char *end = strchr(text, '\n');
		size_t len = end ? (size_t)(end + 1 - text) : strlen(text);

		out->list[out->count++] = (struct diff_line){ text, len };
		text += len;
	}
	return true;
}

static bool diff_same_line(const struct diff_line *a, const struct diff_line *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

static void diff_put(struct diff *d, char sign, const struct diff_line *line)
{
	d->edits[d->count++] = (struct diff_edit){ sign, line };
}

/* The lengths of the longest common subsequences of what is left of both; NULL: too large. */
static uint16_t *diff_table(const struct diff_line *a, size_t n, const struct diff_line *b,
			    size_t m)
{
	uint16_t *table;
	size_t i, j;

	if (n >= UINT16_MAX || m >= UINT16_MAX || (n + 1) * (m + 1) > TABLE_MAX)
		return NULL;
	table = calloc((n + 1) * (m + 1), sizeof(*table));
	for (i = n; table && i-- > 0;)
		for (j = m; j-- > 0;) {
			uint16_t *at = &table[i * (m + 1) + j];
			uint16_t down = at[m + 1], right = at[1];

			if (diff_same_line(&a[i], &b[j]))
				*at = at[m + 2] + 1;
			else
				*at = down >= right ? down : right;
		}
	return table;
}

static void diff_compare(struct diff *d)
{
	size_t n = d->a.count, m = d->b.count, tail = 0, i = 0, j = 0;
	const struct diff_line *a = d->a.list, *b = d->b.list;
	_cleanup_free_ uint16_t *table = NULL;

	for (; n && m && diff_same_line(a, b); n--, m--, b++)
		diff_put(d, ' ', a++);
	for (; n && m && diff_same_line(&a[n - 1], &b[m - 1]); n--, m--)
		tail++;
	table = diff_table(a, n, b, m);
	while (table && i < n && j < m) {
		const uint16_t *at = &table[i * (m + 1) + j];

		if (diff_same_line(&a[i], &b[j])) {
			diff_put(d, ' ', &a[i++]);
			j++;
		} else if (at[m + 1] >= at[1]) {
			diff_put(d, '-', &a[i++]);
		} else {
			diff_put(d, '+', &b[j++]);
		}
	}
	while (i < n)
		diff_put(d, '-', &a[i++]);
	while (j < m)
		diff_put(d, '+', &b[j++]);
	while (tail--)
		diff_put(d, ' ', &a[n++]);
}

/* A tab is no danger to a terminal; what else is not printable is shown as what it is. */
static void diff_print_line(FILE *out, const struct diff_edit *edit)
{
	const char *at = edit->line->text, *end = at + edit->line->len;
	bool open = end[-1] != '\n';
	char part[1024], clean[4 * sizeof(part)];

	end -= !open;
	fputc(edit->sign, out);
	while (at < end) {
		size_t len = strcspn(at, "\t");

		len = len < (size_t)(end - at) ? len : (size_t)(end - at);
		len = len < sizeof(part) ? len : sizeof(part) - 1;
		memcpy(part, at, len);
		part[len] = '\0';
		fputs(utf8_clean(clean, sizeof(clean), part, UTF8_ESCAPE), out);
		at += len;
		if (at < end && *at == '\t')
			fputc(*at++, out);
	}
	fputs(open ? "\n\\ No newline at end of file\n" : "\n", out);
}

/* "-12,3", "-12" for one line, "-11,0" for none behind line 11. */
static void diff_print_range(FILE *out, char sign, size_t first, size_t count)
{
	fprintf(out, "%c%zu", sign, count ? first + 1 : first);
	if (count != 1)
		fprintf(out, ",%zu", count);
}

/* The end of the hunk with the change at @at: more than two contexts without a change. */
static size_t diff_hunk_end(const struct diff *d, size_t at)
{
	size_t last = at, i;

	for (i = at; i < d->count && i - last <= 2 * CONTEXT + 1; i++)
		if (d->edits[i].sign != ' ')
			last = i;
	return last + 1 + CONTEXT < d->count ? last + 1 + CONTEXT : d->count;
}

static void diff_print_hunks(const struct diff *d, FILE *out)
{
	size_t a = 0, b = 0, i, at = 0, from, to, removed, added;

	while (at < d->count) {
		for (i = at; i < d->count && d->edits[i].sign == ' '; i++)
			;
		if (i == d->count)
			return;
		from = i - at > CONTEXT ? i - CONTEXT : at;
		to = diff_hunk_end(d, i);
		/* All between are common to both. */
		a += from - at;
		b += from - at;
		removed = added = 0;
		for (i = from; i < to; i++) {
			removed += d->edits[i].sign != '+';
			added += d->edits[i].sign != '-';
		}
		fputs("@@ ", out);
		diff_print_range(out, '-', a, removed);
		fputc(' ', out);
		diff_print_range(out, '+', b, added);
		fputs(" @@\n", out);
		for (i = from; i < to; i++)
			diff_print_line(out, &d->edits[i]);
		a += removed;
		b += added;
		at = to;
	}
}

static void diff_print_name(FILE *out, const char *sign, const char *path, const char *text)
{
	fprintf(out, "%s %s%s\n", sign, text ? "/" : "/dev/null", text ? path : "");
}

void diff_print(FILE *out, const char *path, const char *before, const char *after)
{
	struct diff d = { .count = 0 };

	if (diff_split(before ? before : "", &d.a) && diff_split(after ? after : "", &d.b))
		d.edits = calloc(d.a.count + d.b.count + 1, sizeof(*d.edits));
	if (d.edits) {
		diff_compare(&d);
		diff_print_name(out, "---", path, before);
		diff_print_name(out, "+++", path, after);
		diff_print_hunks(&d, out);
	} else {
		fputs("(no memory for the difference)\n", out);
	}
	free(d.edits);
	free(d.a.list);
	free(d.b.list);
}
