/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that SEED= repeats. */
#ifndef SELFTESTS_CHANCE_H
#define SELFTESTS_CHANCE_H

#include <stdlib.h>
#include <time.h>

static unsigned long long chance_seed, chance_state;

/* A count from the environment. The seed comes from there, too, or is random. */
static inline unsigned long chance_count(const char *name, unsigned long preset)
{
	const char *seed = getenv("SEED"), *count = getenv(name);
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	chance_seed = seed && *seed ? strtoull(seed, NULL, 0) : (unsigned long long)now.tv_nsec;
	chance_state = chance_seed;
	return count && *count ? strtoul(count, NULL, 0) : preset;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static inline unsigned long long chance_u64(void)
{
	unsigned long long z = chance_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 to @n - 1 */
static inline unsigned long chance(unsigned long n)
{
	return chance_u64() % n;
}

/* Small and large numbers alike. */
static inline unsigned long chance_bits(void)
{
	return chance_u64() >> chance(64);
}

#define PICK(array)	((array)[chance(sizeof(array) / sizeof((array)[0]))])

#endif /* SELFTESTS_CHANCE_H */
