// SPDX-License-Identifier: GPL-2.0-only
/*
 * The read loop of Mess, timed, for `make bench-peers`: its traffic generator runs for ever, and
 * leaves the rate to counters. It is built from the sources that Mess generates for this CPU;
 * Documentation/peers.rst says how.
 *
 *   $ mess_read BYTES MICROSECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "utils.h"

#define READS_ONLY	100		/* percent */
#define LEAST_US	1000		/* between two looks at the clock */

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Return: the time of so many passes in microseconds. */
static double passes_us(double *array, ssize_t n, long passes)
{
	double from = now_us();
	int pause = 0;

	while (passes--)
		TrafficGen_copy_rw(array, array, &n, &pause, READS_ONLY);
	return now_us() - from;
}

int main(int argc, char **argv)
{
	size_t bytes = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	double least = argc == 3 ? atof(argv[2]) : 0, all = 0;
	ssize_t step = TrafficGen_get_loop_increment(READS_ONLY), i;
	ssize_t n = bytes / sizeof(double) / step * step;
	long passes = 1, done = 0;
	double *array;

	if (n < step || posix_memalign((void **)&array, 4096, n * sizeof(double)))
		return 1;
	for (i = 0; i < n; i++)
		array[i] = 1;
	while (passes_us(array, n, passes) < LEAST_US)
		passes *= 2;
	for (; all < least; done += passes)
		all += passes_us(array, n, passes);
	printf("%.1f MB/s\n", done / all * n * sizeof(double));
	free(array);
	return 0;
}
