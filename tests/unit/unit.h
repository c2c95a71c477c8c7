/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small test framework. TEST(name) { ... } is a test of its own; a CHECK that does
 * not hold is printed, counts the test as failed, and the test goes on.
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct unit_test {
	const char *name;
	void (*run)(void);
	struct unit_test *next;
};

void unit_add(struct unit_test *test);
void unit_fail(const char *file, int line, const char *format, ...);
void unit_skip(const char *why);
void unit_check_mem(const char *file, int line, const void *got, const void *want, size_t len,
		    const char *what);

#define TEST(test)						\
	static void test_##test(void);				\
	__attribute__((constructor)) static void add_##test(void)	\
	{							\
		static struct unit_test t = { .name = #test, .run = test_##test };	\
								\
		unit_add(&t);					\
	}							\
	static void test_##test(void)

#define CHECK(cond)						\
	do {							\
		if (!(cond))					\
			unit_fail(__FILE__, __LINE__, "%s", #cond);	\
	} while (0)

/* Integers of any type */
#define CHECK_EQ(got, want)					\
	do {							\
		long long got__ = (long long)(got), want__ = (long long)(want);	\
								\
		if (got__ != want__)				\
			unit_fail(__FILE__, __LINE__, "%s is %lld (%#llx), not %lld (%#llx)",	\
				  #got, got__, got__, want__, want__);	\
	} while (0)

#define CHECK_STR(got, want)					\
	do {							\
		const char *got__ = (got), *want__ = (want);	\
								\
		if (!got__ || !want__ ? got__ != want__ : strcmp(got__, want__) != 0)	\
			unit_fail(__FILE__, __LINE__, "%s is \"%s\", not \"%s\"", #got,	\
				  got__ ? got__ : "(null)", want__ ? want__ : "(null)");	\
	} while (0)

#define CHECK_MEM(got, want, len) unit_check_mem(__FILE__, __LINE__, got, want, len, #got)

#endif
