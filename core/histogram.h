/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times of many commands in little memory: a histogram with logarithmic octaves, and
 * sums for a mean and a standard deviation. Plain arithmetic, no locks.
 */
#ifndef SKUA_HISTOGRAM_H
#define SKUA_HISTOGRAM_H

#include <linux/types.h>

#define SKUA_HIST_SLOTS		32	/* of an octave; equally wide */
#define SKUA_HIST_FIRST		8	/* what is below 2^8 ns is the first "octave" */
#define SKUA_HIST_LAST		35	/* from 2^35 ns on (34 s) there is one octave only */
#define SKUA_HIST_OCTAVES	(SKUA_HIST_LAST - SKUA_HIST_FIRST + 2)

/**
 * struct skua_hist - a histogram
 * @count: samples
 * @sum: of all samples, ns
 * @max: the largest, ns
 * @slot: octave by octave
 */
struct skua_hist {
	u64 count, sum, max;
	u64 slot[SKUA_HIST_OCTAVES * SKUA_HIST_SLOTS];
};

/**
 * struct skua_spread - count, bounds and squares
 * @count: samples
 * @units: their sum, in units of 16 ns
 * @sq_lo: the sum of the squares of the units, lower 64 bits
 * @sq_hi: upper bits
 * @min: the smallest sample, ns
 * @max: the largest, ns
 */
struct skua_spread {
	u64 count, units, sq_lo, sq_hi, min, max;
};

unsigned int skua_hist_slot(u64 ns);
void skua_hist_add(struct skua_hist *hist, u64 ns);
void skua_hist_merge(struct skua_hist *sum, const struct skua_hist *hist);
int skua_hist_print(const struct skua_hist *hist, char *buf, int size);

void skua_spread_add(struct skua_spread *spread, u64 ns);
void skua_spread_merge(struct skua_spread *sum, const struct skua_spread *spread);
u64 skua_spread_mean(const struct skua_spread *spread);
u64 skua_spread_deviation(const struct skua_spread *spread);
int skua_spread_print(const struct skua_spread *spread, const char *name, bool bounds, char *buf,
		      int size);

#endif
