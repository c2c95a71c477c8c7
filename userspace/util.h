/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that is there or the program ends, and texts that grow. */
#ifndef SKUAADM_UTIL_H
#define SKUAADM_UTIL_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PRINTF(f, a)	__attribute__((format(printf, f, a)))

struct text {
	char *s;		/* NUL terminated once something was added */
	size_t len, room;
};

struct strings {
	char **v;
	size_t nr, room;
};

void *xcalloc(size_t nr, size_t size);
void *xrealloc(void *old, size_t nr, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);
char *xprintf(const char *format, ...) PRINTF(1, 2);

void text_put(struct text *t, const char *s, size_t len);
void text_add(struct text *t, const char *format, ...) PRINTF(2, 3);
char *text_take(struct text *t);
void text_free(struct text *t);

void strings_add(struct strings *list, const char *s);
void strings_sort(struct strings *list);
bool strings_have(const struct strings *list, const char *s);
void strings_free(struct strings *list);

int name_cmp(const char *a, const char *b);
bool parse_u64(const char *s, unsigned long long *value);
char *read_all(const char *path, size_t *len);

#endif
