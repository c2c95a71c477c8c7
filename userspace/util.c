// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

static void *must(void *p)
{
	if (!p) {
		fputs("skuaadm: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

void *xcalloc(size_t nr, size_t size)
{
	return must(calloc(nr ? nr : 1, size));
}

void *xrealloc(void *old, size_t nr, size_t size)
{
	if (size && nr > SIZE_MAX / size)
		must(NULL);
	return must(realloc(old, nr * size));
}

char *xstrdup(const char *s)
{
	return must(strdup(s));
}

char *xstrndup(const char *s, size_t len)
{
	return must(strndup(s, len));
}

char *xprintf(const char *format, ...)
{
	va_list ap;
	char *s;

	va_start(ap, format);
	if (vasprintf(&s, format, ap) < 0)
		s = NULL;
	va_end(ap);
	return must(s);
}

void text_put(struct text *t, const char *s, size_t len)
{
	if (t->len + len + 1 > t->room) {
		t->room = (t->len + len + 1) * 2;
		t->s = xrealloc(t->s, t->room, 1);
	}
	if (len)
		memcpy(t->s + t->len, s, len);
	t->len += len;
	t->s[t->len] = '\0';
}

void text_add(struct text *t, const char *format, ...)
{
	va_list ap;
	char *s;
	int len;

	va_start(ap, format);
	len = vasprintf(&s, format, ap);
	va_end(ap);
	if (len < 0)
		must(NULL);
	text_put(t, s, len);
	free(s);
}

/**
 * text_take() - the text as a string of its own, which the caller frees
 * @t: the text, empty afterwards
 */
char *text_take(struct text *t)
{
	char *s;

	text_put(t, "", 0);
	s = t->s;
	memset(t, 0, sizeof(*t));
	return s;
}

void text_free(struct text *t)
{
	free(t->s);
	memset(t, 0, sizeof(*t));
}

void strings_add(struct strings *list, const char *s)
{
	if (list->nr == list->room) {
		list->room = list->room ? list->room * 2 : 8;
		list->v = xrealloc(list->v, list->room, sizeof(*list->v));
	}
	list->v[list->nr++] = xstrdup(s);
}

static int compare(const void *a, const void *b)
{
	return name_cmp(*(char *const *)a, *(char *const *)b);
}

void strings_sort(struct strings *list)
{
	if (list->nr)
		qsort(list->v, list->nr, sizeof(*list->v), compare);
}

bool strings_have(const struct strings *list, const char *s)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->v[i], s))
			return true;
	return false;
}

void strings_free(struct strings *list)
{
	while (list->nr)
		free(list->v[--list->nr]);
	free(list->v);
	memset(list, 0, sizeof(*list));
}

/**
 * name_cmp() - order of names as people expect it: disk2 before disk10
 * @a: a name
 * @b: another
 */
int name_cmp(const char *a, const char *b)
{
	const char *x = a, *y = b;

	while (*x && *y) {
		if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
			size_t n, m;

			x += strspn(x, "0");
			y += strspn(y, "0");
			n = strspn(x, "0123456789");
			m = strspn(y, "0123456789");
			if (n != m)
				return n < m ? -1 : 1;
			for (; n; n--, x++, y++)
				if (*x != *y)
					return *x < *y ? -1 : 1;
		} else if (*x != *y) {
			return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
		} else {
			x++;
			y++;
		}
	}
	if (*x || *y)
		return *x ? 1 : -1;
	return strcmp(a, b);
}

/**
 * parse_u64() - a number as the kernel reads it: decimal, 0x..., 0...
 * @s: the whole word
 * @value: set on success only
 */
bool parse_u64(const char *s, unsigned long long *value)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	v = strtoull(s, &end, 0);
	if (errno || *end)
		return false;
	*value = v;
	return true;
}

/**
 * read_all() - a file's content
 * @path: which file; "-" is standard input
 * @len: its length
 *
 * Return: NUL terminated, for free(); NULL with errno.
 */
char *read_all(const char *path, size_t *len)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	struct text t = { 0 };
	char buf[4096];
	int error;
	size_t n;

	if (!f)
		return NULL;
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		text_put(&t, buf, n);
	error = ferror(f) ? (errno ? errno : EIO) : 0;
	if (f != stdin)
		fclose(f);
	if (error) {
		text_free(&t);
		errno = error;
		return NULL;
	}
	*len = t.len;
	return text_take(&t);
}
