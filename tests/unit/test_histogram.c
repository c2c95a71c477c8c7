// SPDX-License-Identifier: GPL-2.0
/* Latency: core/histogram.c. */
#include <stdarg.h>

#include "unit.h"

#define READ_ONCE(x)	(x)

static int scnprintf(char *buf, size_t size, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(buf, size, format, ap);
	va_end(ap);
	return n < (int)size ? n : (int)size - 1;
}

#include "../../core/histogram.c"

static u64 slot_begin(unsigned int slot)
{
	unsigned int octave = slot / SKUA_HIST_SLOTS, at = slot % SKUA_HIST_SLOTS;

	if (!octave)
		return at << (SKUA_HIST_FIRST - SLOT_BITS);
	return (u64)(SKUA_HIST_SLOTS + at) << (octave + SKUA_HIST_FIRST - 1 - SLOT_BITS);
}

TEST(slots_have_no_gaps)
{
	unsigned int i;

	CHECK_EQ(skua_hist_slot(0), 0);
	for (i = 1; i < SKUA_HIST_OCTAVES * SKUA_HIST_SLOTS; i++) {
		CHECK_EQ(skua_hist_slot(slot_begin(i)), i);
		CHECK_EQ(skua_hist_slot(slot_begin(i) - 1), i - 1);
	}
	CHECK_EQ(skua_hist_slot(~0ULL), i - 1);
	CHECK_EQ(skua_hist_slot(1ULL << 36), i - 1);
	CHECK_EQ(skua_hist_slot((1ULL << 36) - 1), i - 1);
}

#define ZEROES_10	" 0 0 0 0 0 0 0 0 0 0"
#define ZEROES_30	ZEROES_10 ZEROES_10 ZEROES_10

TEST(histogram_text)
{
	static struct skua_hist a, b;
	char buf[4096];

	CHECK_EQ(skua_hist_print(&a, buf, sizeof(buf)), 20);
	CHECK_STR(buf, "count 0\nsum 0\nmax 0\n");
	skua_hist_add(&a, 7);
	skua_hist_add(&a, 8);
	skua_hist_add(&b, 1024);
	skua_hist_add(&b, 2047);
	skua_hist_add(&b, 2047);
	skua_hist_merge(&a, &b);
	skua_hist_print(&a, buf, sizeof(buf));
	CHECK_STR(buf, "count 5\nsum 5133\nmax 2047\n0 1 1" ZEROES_30 "\n1024 1" ZEROES_30 " 2\n");
	/* Two slots are one number, then whole lines only. */
	skua_hist_print(&a, buf, 110);
	CHECK_STR(buf, "count 5\nsum 5133\nmax 2047\n0 2" ZEROES_10 " 0 0 0 0 0\n"
		  "1024 1" ZEROES_10 " 0 0 0 0 2\n");
	CHECK_EQ(skua_hist_print(&a, buf, 62), 60);
	CHECK_STR(buf, "count 5\nsum 5133\nmax 2047\n0 2" ZEROES_10 " 0 0 0 0 0\n");
}

static unsigned int lines_of(const char *text)
{
	unsigned int n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* A page is enough for what a target can do. */
TEST(histogram_fits)
{
	static struct skua_hist a;
	char buf[4096];
	unsigned int i;

	/* Twelve octaves with hundreds of millions of samples in each slot */
	for (i = 5 * SKUA_HIST_SLOTS; i < 17 * SKUA_HIST_SLOTS; i++)
		a.slot[i] = 100000000;
	CHECK(skua_hist_print(&a, buf, sizeof(buf)) < 4096);
	CHECK_EQ(lines_of(buf), 3 + 12);
	CHECK(strstr(buf, "\n4096 100000000 100000000 "));
	/* All of them, with millions in each pair: pairs are shown. */
	for (i = 0; i < ARRAY_SIZE(a.slot); i++)
		a.slot[i] = 1000000;
	a.count = a.sum = a.max = ~0ULL;
	CHECK(skua_hist_print(&a, buf, sizeof(buf)) < 4096);
	CHECK_EQ(lines_of(buf), 3 + SKUA_HIST_OCTAVES);
	CHECK(strstr(buf, "\n34359738368 2000000 "));
	for (i = 0; i < ARRAY_SIZE(a.slot); i++)
		a.slot[i] = ~0ULL / 2;
	CHECK(skua_hist_print(&a, buf, sizeof(buf)) < 4096);
	CHECK(buf[strlen(buf) - 1] == '\n');
}

TEST(spread)
{
	struct skua_spread a = {}, b = {}, none = {};
	char buf[100];

	/* 2, 4, 4, 4, 5, 5, 7, 9 microseconds: mean 5, deviation 2 */
	skua_spread_add(&a, 2000);
	skua_spread_add(&a, 4000);
	skua_spread_add(&a, 4000);
	skua_spread_add(&a, 4000);
	skua_spread_add(&b, 5000);
	skua_spread_add(&b, 5000);
	skua_spread_add(&b, 7000);
	skua_spread_add(&b, 9000);
	skua_spread_merge(&b, &a);
	skua_spread_merge(&b, &none);
	skua_spread_print(&b, "PARSE", true, buf, sizeof(buf));
	CHECK_STR(buf, "PARSE 8 2.0 9.0 5.0 2.0 us\n");
	skua_spread_print(&b, "total", false, buf, sizeof(buf));
	CHECK_STR(buf, "total 8 - - 5.0 2.0 us\n");
	skua_spread_merge(&none, &b);
	CHECK_EQ(none.min, 2000);
	CHECK_EQ(none.max, 9000);
}

/* Two values, half of each: the mean is between them, the deviation half their distance. */
static void two_values(u64 low, u64 high, unsigned int times, u64 tolerance)
{
	struct skua_spread a = {}, many = {};
	u64 mean = (low + high) / 2, dev = (high - low) / 2, got;
	unsigned int i;

	skua_spread_add(&a, low);
	skua_spread_add(&a, high);
	many = a;
	for (i = 0; i < times; i++)	/* doubles */
		skua_spread_merge(&many, &many);
	got = skua_spread_mean(&many);
	if (got > mean + tolerance || got + tolerance < mean)
		unit_fail(__FILE__, __LINE__, "mean of %llu and %llu is %llu", (long long)low,
			  (long long)high, (long long)got);
	got = skua_spread_deviation(&many);
	if (got > dev + tolerance || got + tolerance < dev)
		unit_fail(__FILE__, __LINE__, "deviation of %llu and %llu is %llu",
			  (long long)low, (long long)high, (long long)got);
}

TEST(spread_of_any_size)
{
	unsigned int times;

	for (times = 0; times < 30; times++) {
		two_values(1000, 1000, times, 100);
		two_values(5000, 6000, times, 100);
		two_values(100000, 300000, times, 200);
		two_values(1000000, 90000000, times, 20000);
		two_values(1000000000, 9000000000, times, 20000);
		two_values(20000000000, 60000000000, times, 200000);
	}
	two_values(~0ULL >> 1, ~0ULL >> 1, 10, ~0ULL >> 1);	/* no more than not to crash */
}
