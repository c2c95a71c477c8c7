/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms of latency as the tree shows them, see Documentation/ABI.md. */
#ifndef SKUAADM_LATENCY_H
#define SKUAADM_LATENCY_H

#include <stdbool.h>

#define LAT_SLOTS	32	/* of an octave */
#define LAT_FIRST	8	/* the first octave is what is below 2^8 ns */
#define LAT_LAST	35
#define LAT_OCTAVES	(LAT_LAST - LAT_FIRST + 2)

struct latency {
	bool measured;
	bool coarse;				/* only pairs of slots are known */
	unsigned long long count, sum, max;	/* ns */
	unsigned long long slot[LAT_OCTAVES * LAT_SLOTS];
};

bool latency_parse(struct latency *lat, const char *text);
void latency_add(struct latency *sum, const struct latency *lat);
void latency_since(struct latency *lat, const struct latency *before);
double latency_percentile(const struct latency *lat, double percent);
unsigned long long latency_below(const struct latency *lat, unsigned int octave);
double latency_octave_end(unsigned int octave);

#endif
