// SPDX-License-Identifier: GPL-2.0
/* Runs the tests of one program in the order of its source. */
#include <stdarg.h>
#include <stdlib.h>

#include "unit.h"

static struct unit_test *first, **last = &first;
static const char *current;
static int failures;
static bool skipped_now;

void unit_add(struct unit_test *test)
{
	*last = test;
	last = &test->next;
}

void unit_fail(const char *file, int line, const char *format, ...)
{
	va_list ap;

	printf("  %s: %s:%d: ", current, file, line);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
	failures++;
}

void unit_skip(const char *why)
{
	printf("  %s: skipped: %s\n", current, why);
	skipped_now = true;
}

static void print_hex(const char *label, const unsigned char *p, size_t len)
{
	size_t i;

	printf("    %s:", label);
	for (i = 0; i < len; i++)
		printf(" %02x", p[i]);
	printf("\n");
}

void unit_check_mem(const char *file, int line, const void *got, const void *want, size_t len,
		    const char *what)
{
	if (!memcmp(got, want, len))
		return;
	unit_fail(file, line, "%s differs", what);
	print_hex("got ", got, len);
	print_hex("want", want, len);
}

int main(void)
{
	int passed = 0, failed = 0, skipped = 0;
	struct unit_test *test;

	setvbuf(stdout, NULL, _IONBF, 0);
	for (test = first; test; test = test->next) {
		current = test->name;
		failures = 0;
		skipped_now = false;
		test->run();
		if (failures)
			failed++;
		else if (skipped_now)
			skipped++;
		else
			passed++;
	}
	printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
