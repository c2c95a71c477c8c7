// SPDX-License-Identifier: GPL-2.0
/*
 * Initiator name patterns. Pure.
 */
#include <linux/string.h>

#include "words.h"

/* ASCII only, as names may be in UTF-8. */
static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool same(char a, char b)
{
	return lower(a) == lower(b);
}

/*
 * '*' is any string and '?' any one character. Only the last '*' seen is ever gone
 * back to, so the work is bounded by the product of the lengths.
 */
static bool match(const char *pattern, const char *name)
{
	const char *star = NULL, *retry = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = name;
		} else if (*pattern == '?' || (*pattern && same(*pattern, *name))) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/**
 * skua_match() - does an initiator's name match a group's pattern?
 * @pattern: may hold '*' and '?'; a leading '!' turns the answer around
 * @name: the initiator's name
 *
 * Letters match whatever their case.
 */
bool skua_match(const char *pattern, const char *name)
{
	if (*pattern == '!')
		return !match(pattern + 1, name);
	return match(pattern, name);
}
