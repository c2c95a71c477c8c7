// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "latency.h"

/* Which octave begins at @low ns? LAT_OCTAVES if none does. */
static unsigned int octave_at(unsigned long long low)
{
	unsigned int octave;

	if (!low)
		return 0;
	for (octave = 1; octave < LAT_OCTAVES; octave++)
		if (low == 1ULL << (octave + LAT_FIRST - 1))
			break;
	return octave;
}

/* A line has a number for each slot, or for each pair of slots. */
static bool parse_octave(struct latency *lat, const char *line)
{
	unsigned long long low, *slot, value[LAT_SLOTS];
	unsigned int octave, i, n;
	char *end;

	low = strtoull(line, &end, 10);
	octave = octave_at(low);
	if (end == line || octave == LAT_OCTAVES)
		return false;
	for (n = 0; n < LAT_SLOTS && *end == ' '; n++) {
		line = end;
		value[n] = strtoull(line, &end, 10);
		if (end == line)
			return false;
	}
	if ((n != LAT_SLOTS && n != LAT_SLOTS / 2) || (*end && *end != '\n'))
		return false;
	slot = &lat->slot[octave * LAT_SLOTS];
	for (i = 0; i < n; i++)
		slot[i * (LAT_SLOTS / n)] = value[i];
	lat->coarse |= n != LAT_SLOTS;
	return true;
}

/* Spreads what is known of pairs evenly. */
static void spread_pairs(struct latency *lat)
{
	unsigned int i;

	for (i = 0; i < LAT_OCTAVES * LAT_SLOTS; i += 2) {
		lat->slot[i + 1] += lat->slot[i] / 2;
		lat->slot[i] -= lat->slot[i] / 2;
	}
}

/* Forgets all but the sums of pairs, which are then in the first slots. */
static void join_pairs(struct latency *lat)
{
	unsigned int i;

	for (i = 0; i < LAT_OCTAVES * LAT_SLOTS; i += 2) {
		lat->slot[i] += lat->slot[i + 1];
		lat->slot[i + 1] = 0;
	}
	lat->coarse = true;
}

/**
 * latency_parse() - what a file read_latency or its kin says
 * @lat: filled in; not measured if the file is empty
 * @text: its content
 *
 * Return: false if that is no such text.
 */
bool latency_parse(struct latency *lat, const char *text)
{
	int n = 0;

	memset(lat, 0, sizeof(*lat));
	if (!*text)
		return true;
	if (sscanf(text, "count %llu sum %llu max %llu%n", &lat->count, &lat->sum, &lat->max,
		   &n) != 3)
		return false;
	for (text = strchr(text + n, '\n'); text && text[1]; text = strchr(text + 1, '\n'))
		if (!parse_octave(lat, text + 1))
			return false;
	if (lat->coarse)
		spread_pairs(lat);
	lat->measured = true;
	return true;
}

void latency_add(struct latency *sum, const struct latency *lat)
{
	unsigned int i;

	sum->measured |= lat->measured;
	sum->coarse |= lat->coarse;
	sum->count += lat->count;
	sum->sum += lat->sum;
	if (lat->max > sum->max)
		sum->max = lat->max;
	for (i = 0; i < LAT_OCTAVES * LAT_SLOTS; i++)
		sum->slot[i] += lat->slot[i];
}

/**
 * latency_since() - only what came after an earlier look
 * @lat: now; the largest sample stays that of all time
 * @before: then; ignored if it was cleared meanwhile
 */
void latency_since(struct latency *lat, const struct latency *before)
{
	struct latency now = *lat, old = *before;
	unsigned int i;

	if (now.count < old.count || now.sum < old.sum)
		return;
	if (now.coarse || old.coarse) {
		join_pairs(&now);
		join_pairs(&old);
	}
	for (i = 0; i < LAT_OCTAVES * LAT_SLOTS; i++) {
		if (now.slot[i] < old.slot[i])
			return;
		now.slot[i] -= old.slot[i];
	}
	if (now.coarse)
		spread_pairs(&now);
	now.count -= old.count;
	now.sum -= old.sum;
	*lat = now;
}

static double slot_begin(unsigned int slot)
{
	unsigned int octave = slot / LAT_SLOTS, at = slot % LAT_SLOTS;

	if (!octave)
		return at * (double)((1 << LAT_FIRST) / LAT_SLOTS);
	return (LAT_SLOTS + at) * (double)(1ULL << (octave + LAT_FIRST - 1)) / LAT_SLOTS;
}

/**
 * latency_percentile() - the time that so many percent of the commands did not exceed
 * @lat: the histogram
 * @percent: 0 to 100
 *
 * Within a slot samples count as evenly spread, so the error is a fraction of its width,
 * which is a 32nd of its value at most.
 *
 * Return: ns; negative without samples.
 */
double latency_percentile(const struct latency *lat, double percent)
{
	unsigned long long all = 0, seen = 0;
	double rank, end, part;
	unsigned int i;

	for (i = 0; i < LAT_OCTAVES * LAT_SLOTS; i++)
		all += lat->slot[i];
	if (!all)
		return -1;
	rank = all * percent / 100;
	if (rank < 1)
		rank = 1;
	for (i = 0; i < LAT_OCTAVES * LAT_SLOTS - 1; i++) {
		if (seen + lat->slot[i] >= rank)
			break;
		seen += lat->slot[i];
	}
	end = slot_begin(i + 1);
	if (lat->max >= slot_begin(i) && lat->max < end)
		end = lat->max;
	part = lat->slot[i] ? (rank - seen) / lat->slot[i] : 1;
	return slot_begin(i) + part * (end - slot_begin(i));
}

/* Samples in octaves up to and with this one */
unsigned long long latency_below(const struct latency *lat, unsigned int octave)
{
	unsigned long long sum = 0;
	unsigned int i;

	for (i = 0; i < (octave + 1) * LAT_SLOTS; i++)
		sum += lat->slot[i];
	return sum;
}

/* Where it ends, seconds */
double latency_octave_end(unsigned int octave)
{
	return slot_begin((octave + 1) * LAT_SLOTS) / 1e9;
}
