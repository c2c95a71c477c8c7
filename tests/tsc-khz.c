// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the frequency of this machine's time stamp counter in kHz. An emulated
 * guest reads the same counter, and its kernel measures the frequency against
 * an emulated timer, which on a busy machine goes wrong by any factor: tests/vm
 * tells the guest instead.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Both clocks at one moment: the reading that was interrupted least. */
static void sample(uint64_t *tsc, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;
	int i;

	for (i = 0; i < 100; i++) {
		uint64_t before = __rdtsc(), time = now_ns(), after = __rdtsc();

		if (after - before < best) {
			best = after - before;
			*tsc = before + (after - before) / 2;
			*ns = time;
		}
	}
}

int main(void)
{
	const struct timespec nap = { .tv_nsec = 100000000 };
	uint64_t tsc0, tsc1, ns0, ns1;

	sample(&tsc0, &ns0);
	nanosleep(&nap, NULL);
	sample(&tsc1, &ns1);
	printf("%.0f\n", (double)(tsc1 - tsc0) * 1000000 / (ns1 - ns0));
	return 0;
}
