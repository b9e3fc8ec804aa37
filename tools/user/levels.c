// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which sizes show the levels of the hierarchy, by the latency of each size and by the level in
 * its record. Sizes tell of a level if their times hardly differ up to twice the size: a climb
 * belongs to no level. A virtual machine may have a climb where its CPU reports a cache.
 */
#include "user.h"

/*
 * Does a size belong to the flat part that begins at @p and ends before it? It has the level of the
 * part, and its time differs by at most a quarter from that of each size down to its half.
 */
static bool is_flat(const struct mc_user_probe *p, const struct mc_user_probe *last)
{
	for (; p < last; p++) {
		if (p->level != last->level)
			return false;
		if (2 * p->bytes >= last->bytes &&
		    max(p->value, last->value) > min(p->value, last->value) * 5 / 4)
			return false;
	}
	return true;
}

/*
 * The flat part of a level that has most sizes, from index *@first on, and goes to twice its first
 * size at least. Return: the number of these sizes, 0 if there is none.
 */
static unsigned int flat_part(const struct mc_user_probe *p, unsigned int n, enum mc_hit level,
			      unsigned int *first)
{
	unsigned int i, begin = 0, longest = 0;

	for (i = 0; i < n; i++) {
		while (!is_flat(&p[begin], &p[i]))
			begin++;
		if (p[i].level == level && p[i].bytes >= 2 * p[begin].bytes &&
		    i - begin >= longest) {
			longest = i - begin + 1;
			*first = begin;
		}
	}
	return longest;
}

/**
 * mc_user_find_cache() - find a size that shows a level of cache
 * @p: array of @n latencies, in the order of their sizes
 * @n: their number
 * @level: the level
 * @reported: bytes of this cache, as the CPU reports them; 0: it does not
 * @out: result: the size in the middle of the flat part of the level. @last: the largest size of
 *       this part
 *
 * Return: true if the level is sure; otherwise @out is not set.
 */
bool mc_user_find_cache(const struct mc_user_probe *p, unsigned int n, enum mc_hit level,
			u64 reported, struct mc_user_level *out)
{
	unsigned int first = 0, length = flat_part(p, n, level, &first);
	const struct mc_user_probe *middle = &p[first + length / 2];

	if (!length)
		return false;
	/* Vectors are fastest in half of an L2, whose times may climb before its end. */
	while (level == MC_HIT_L2 && middle + 1 < &p[first + length] &&
	       2 * middle[1].bytes <= max(p[first + length - 1].bytes, reported))
		middle++;
	*out = (struct mc_user_level){
		.bytes = middle->bytes, .ps = middle->value, .last = p[first + length - 1].bytes,
	};
	return true;
}

/**
 * mc_user_find_memory() - find a size that caches serve little of
 * @p: array of @n rates of reading, in the order of their sizes
 * @n: their number
 * @least: the least that it may be, by what latencies show
 * @reported: and by the caches that CPUs report; 0: they do not
 * @bytes: result: the smallest size whose rate, and that of all larger ones, is that of the
 *         largest one; the largest one if no other has it
 *
 * Rates show this better than latencies: where an L3 is slow, they halve while the latency rises
 * by a tenth.
 *
 * Return: true if it is as large as both say, and they are known or several sizes agree.
 */
bool mc_user_find_memory(const struct mc_user_probe *p, unsigned int n, u64 least, u64 reported,
			 u64 *bytes)
{
	unsigned int i = n - 1;
	u64 last = p[i].value;

	least = max(least, reported);

	while (i && p[i - 1].bytes >= least && p[i - 1].value <= last + last / 8 &&
	       p[i - 1].value + last / 8 >= last)
		i--;
	*bytes = p[i].bytes;
	return *bytes >= least && (i < n - 1 || reported);
}

#define FLAT	7

/* Is the second of two latencies, at twice the size, higher by more than one part in @part? */
static bool does_climb(const struct mc_user_probe *p, u64 part)
{
	return p[1].value > p[0].value + mc_muldiv(p[0].value, p[1].bytes - p[0].bytes,
						   part * p[0].bytes);
}

/**
 * mc_user_find_last() - find the last cache in latencies alone
 * @p: array of @n latencies, in the order of their sizes; levels don't count
 * @n: their number
 * @reported: bytes of the last cache that the CPU reports; 0: none
 * @bytes: result: the size of the last cache: where the last climb begins, or a part in MC_BEYOND
 *         of where it ends, whichever is larger
 *
 * A cache that holds a quarter of a set holds an eighth of one twice as large, whose loads take
 * longer by one part in FLAT at most.
 *
 * Return: true if it is sure: the sizes reach MC_BEYOND times the cache, and no latency is lower
 * than that of a smaller size, as on a machine that others use.
 */
bool mc_user_find_last(const struct mc_user_probe *p, unsigned int n, u64 reported, u64 *bytes)
{
	unsigned int i, end = n - 1, begin;

	for (i = 1; i < n; i++) {
		if (p[i].value < p[i - 1].value - p[i - 1].value / 8)
			return false;
	}
	while (end && !does_climb(&p[end - 1], FLAT))
		end--;
	for (begin = end; begin && does_climb(&p[begin - 1], FLAT); begin--)
		;
	*bytes = max(p[begin].bytes, p[end].bytes / MC_BEYOND);
	return end && !does_climb(&p[n - 2], 4) &&
	       p[n - 1].bytes >= MC_BEYOND * max(p[begin].bytes, reported);
}
