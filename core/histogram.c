// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "histogram.h"

#define SLOT_BITS	5		/* log2(SKUA_HIST_SLOTS) */
#define UNIT_BITS	4		/* log2 of a unit of struct skua_spread, ns */
#define LINE_MAX_LEN	700		/* an octave as text, at most */

/* ---- histograms ------------------------------------------------------- */

/**
 * skua_hist_slot() - where a sample is counted
 * @ns: the sample
 *
 * Return: index into @slot of struct skua_hist.
 */
unsigned int skua_hist_slot(u64 ns)
{
	unsigned int octave;

	if (ns < 1ULL << SKUA_HIST_FIRST)
		return ns >> (SKUA_HIST_FIRST - SLOT_BITS);
	octave = fls64(ns) - 1;
	if (octave > SKUA_HIST_LAST)
		return SKUA_HIST_OCTAVES * SKUA_HIST_SLOTS - 1;
	return (octave - SKUA_HIST_FIRST + 1) * SKUA_HIST_SLOTS +
	       (ns >> (octave - SLOT_BITS) & (SKUA_HIST_SLOTS - 1));
}

void skua_hist_add(struct skua_hist *hist, u64 ns)
{
	hist->count++;
	hist->sum += ns;
	hist->max = max(hist->max, ns);
	hist->slot[skua_hist_slot(ns)]++;
}

void skua_hist_merge(struct skua_hist *sum, const struct skua_hist *hist)
{
	unsigned int i;

	sum->count += READ_ONCE(hist->count);
	sum->sum += READ_ONCE(hist->sum);
	sum->max = max(sum->max, READ_ONCE(hist->max));
	for (i = 0; i < ARRAY_SIZE(sum->slot); i++)
		sum->slot[i] += READ_ONCE(hist->slot[i]);
}

static bool octave_is_empty(const u64 *slot)
{
	unsigned int i;

	for (i = 0; i < SKUA_HIST_SLOTS; i++)
		if (slot[i])
			return false;
	return true;
}

/* An octave as a line; @merge slots are one number. */
static int print_octave(const u64 *slot, unsigned int octave, unsigned int merge, char *line)
{
	int n = scnprintf(line, LINE_MAX_LEN, "%llu", octave ?
			  1ULL << (octave + SKUA_HIST_FIRST - 1) : 0ULL);
	unsigned int i, k;
	u64 sum;

	for (i = 0; i < SKUA_HIST_SLOTS; i += merge) {
		for (sum = 0, k = 0; k < merge; k++)
			sum += slot[i + k];
		n += scnprintf(line + n, LINE_MAX_LEN - n, " %llu", (unsigned long long)sum);
	}
	return n + scnprintf(line + n, LINE_MAX_LEN - n, "\n");
}

/* False: not all octaves have room. */
static bool print_octaves(const struct skua_hist *hist, unsigned int merge, char *buf, int size,
			  int *len)
{
	const u64 *slot = hist->slot;
	char line[LINE_MAX_LEN];
	unsigned int octave;
	int n;

	for (octave = 0; octave < SKUA_HIST_OCTAVES; octave++, slot += SKUA_HIST_SLOTS) {
		if (octave_is_empty(slot))
			continue;
		n = print_octave(slot, octave, merge, line);
		if (*len + n >= size)
			return false;
		memcpy(buf + *len, line, n + 1);
		*len += n;
	}
	return true;
}

/**
 * skua_hist_print() - a histogram as text
 * @hist: the histogram
 * @buf: where to
 * @size: room there
 *
 * "count N", "sum NS" and "max NS", then a line for each octave with samples: where it
 * begins, ns, and the counts of its slots. If there is no room for that, two slots are
 * one number in all lines; if that does not fit either, octaves at the end are left out,
 * which the sum of what is there tells.
 *
 * Return: length.
 */
int skua_hist_print(const struct skua_hist *hist, char *buf, int size)
{
	int begin = scnprintf(buf, size, "count %llu\nsum %llu\nmax %llu\n",
			      (unsigned long long)hist->count, (unsigned long long)hist->sum,
			      (unsigned long long)hist->max);
	int len = begin;

	if (!print_octaves(hist, 1, buf, size, &len)) {
		len = begin;
		buf[len] = '\0';
		print_octaves(hist, 2, buf, size, &len);
	}
	return len;
}

/* ---- spreads ---------------------------------------------------------- */

void skua_spread_add(struct skua_spread *spread, u64 ns)
{
	u64 units = min_t(u64, (ns + (1 << UNIT_BITS) / 2) >> UNIT_BITS, U32_MAX);
	u64 square = units * units;

	if (!spread->count || ns < spread->min)
		spread->min = ns;
	spread->max = max(spread->max, ns);
	spread->count++;
	spread->units += units;
	spread->sq_lo += square;
	spread->sq_hi += spread->sq_lo < square;
}

void skua_spread_merge(struct skua_spread *sum, const struct skua_spread *spread)
{
	u64 lo = READ_ONCE(spread->sq_lo), least = READ_ONCE(spread->min);

	if (!READ_ONCE(spread->count))
		return;
	if (!sum->count || least < sum->min)
		sum->min = least;
	sum->max = max(sum->max, READ_ONCE(spread->max));
	sum->count += READ_ONCE(spread->count);
	sum->units += READ_ONCE(spread->units);
	sum->sq_lo += lo;
	sum->sq_hi += READ_ONCE(spread->sq_hi) + (sum->sq_lo < lo);
}

/**
 * skua_spread_mean() - the mean, ns
 * @spread: with a sample at least
 */
u64 skua_spread_mean(const struct skua_spread *spread)
{
	u64 mean = div64_u64(spread->units, spread->count);
	u64 rest = spread->units - mean * spread->count;

	if (rest >> (64 - UNIT_BITS))
		return mean << UNIT_BITS;
	return (mean << UNIT_BITS) + div64_u64(rest << UNIT_BITS, spread->count);
}

/**
 * skua_spread_deviation() - the standard deviation, ns
 * @spread: with a sample at least; its members may be of slightly different moments
 */
u64 skua_spread_deviation(const struct skua_spread *spread)
{
	u64 n = spread->count, lo = spread->sq_lo, hi = spread->sq_hi, square, mean;

	/* A square has 64 bits, so there are more samples than hi says. */
	while (hi) {
		lo = lo >> 1 | hi << 63;
		hi >>= 1;
		n >>= 1;
	}
	square = div64_u64(lo, n ?: 1);
	mean = min_t(u64, div64_u64(spread->units, spread->count), U32_MAX);
	if (mean >> 23 || spread->units >> 55) {
		mean *= mean;
	} else {		/* there is room for eight bits more */
		mean = div64_u64(spread->units << 8, spread->count);
		mean = mean * mean >> 16;
	}
	return square > mean ? (u64)int_sqrt64(square - mean) << UNIT_BITS : 0;
}

/* A time in microseconds with one decimal, and a blank */
static int print_us(char *buf, int size, u64 ns)
{
	u32 tenth;
	u64 us = div_u64_rem(div64_u64(ns + 50, 100), 10, &tenth);

	return scnprintf(buf, size, "%llu.%u ", (unsigned long long)us, tenth);
}

/**
 * skua_spread_print() - "NAME COUNT MIN MAX MEAN DEVIATION us", times with one decimal
 * @spread: with a sample at least
 * @name: the first word
 * @bounds: show the smallest and the largest; else "-"
 * @buf: where to
 * @size: room there
 *
 * Return: length.
 */
int skua_spread_print(const struct skua_spread *spread, const char *name, bool bounds, char *buf,
		      int size)
{
	int len = scnprintf(buf, size, "%s %llu ", name, (unsigned long long)spread->count);

	if (bounds) {
		len += print_us(buf + len, size - len, spread->min);
		len += print_us(buf + len, size - len, spread->max);
	} else {
		len += scnprintf(buf + len, size - len, "- - ");
	}
	len += print_us(buf + len, size - len, skua_spread_mean(spread));
	len += print_us(buf + len, size - len, skua_spread_deviation(spread));
	return len + scnprintf(buf + len, size - len, "us\n");
}
