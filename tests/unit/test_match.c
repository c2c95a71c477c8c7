// SPDX-License-Identifier: GPL-2.0
/* Initiator name patterns: core/match.c. */
#include "unit.h"

#include "../../core/match.c"

static void yes(const char *pattern, const char *name)
{
	if (!skua_match(pattern, name))
		unit_fail(__FILE__, __LINE__, "'%s' does not match '%s'", pattern, name);
}

static void no(const char *pattern, const char *name)
{
	if (skua_match(pattern, name))
		unit_fail(__FILE__, __LINE__, "'%s' matches '%s'", pattern, name);
}

TEST(plain)
{
	yes("192.168.77.1", "192.168.77.1");
	no("192.168.77.1", "192.168.77.10");
	no("192.168.77.10", "192.168.77.1");
	no("", "a");
	no("a", "");
	yes("", "");
}

TEST(any_case)
{
	yes("FE80:0000:ABCD", "fe80:0000:abcd");
	yes("iqn.2020-01.ORG.example:*", "IQN.2020-01.org.Example:host");
	no("[", "{");			/* differ by the case bit, but are no letters */
}

TEST(question_mark)
{
	yes("b?ta", "beta");
	yes("???", "abc");
	no("???", "ab");
	no("???", "abcd");
	no("?", "");
}

TEST(star)
{
	yes("*", "");
	yes("*", "anything");
	yes("**", "anything");
	yes("10.9.8.*", "10.9.8.7");
	yes("10.9.8.*", "10.9.8.");
	no("10.9.8.*", "10.9.80.7");
	yes("*.1", "192.168.77.1");
	no("*.1", "192.168.77.12");
	yes("a*c", "abcabc");
	no("a*c", "abcab");
	yes("*b*d*", "abcde");
	no("*d*b*", "abcde");
	yes("*ab?", "aababc");
	yes("a*?", "ab");
	no("a*?", "a");
}

TEST(inverted)
{
	no("!alpha*", "alpha1");
	yes("!alpha*", "beta");
	yes("!", "a");
	no("!", "");
	no("!*", "a");
	yes("a!b", "a!b");		/* only at the start */
	yes("!!a", "b!a");		/* only one is special: "!a" is a plain name here */
	no("!!a", "!a");
	no("!!*", "!x");
}

/* A star is only ever the last one gone back to: no exponential time. */
TEST(many_stars)
{
	char pattern[256] = "", name[256];
	int i;

	for (i = 0; i < 60; i++)
		strcat(pattern, "a*a");
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	strcat(pattern, "b");
	no(pattern, name);
	name[sizeof(name) - 2] = 'b';
	yes(pattern, name);
}

/* Bytes above 127 are characters like others. */
TEST(high_bytes)
{
	yes("\xc3\xa9*", "\xc3\xa9t\xc3\xa9");
	no("\xff", "\xfe");
	no("\xc3\xa9", "\xe3\xa9");	/* differ by the case bit */
	yes("?", "\xff");
}
