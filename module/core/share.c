// SPDX-License-Identifier: GPL-2.0-only
/*
 * A mixture of two kinds of times, of which there are examples of each kind; of single times, and,
 * further down, of the means of many.
 *
 * One limit tells the kinds apart, with errors that the examples show: it is chosen where most
 * of the first kind and fewest of the second are at or below it (W. J. Youden, "Index for
 * rating diagnostic tests", Cancer 3, 1950). The share that is at or below the limit, corrected
 * for these errors, is that of the first kind (W. J. Rogan and B. Gladen, "Estimating prevalence
 * from the results of a screening test", Am. J. Epidemiology 107, 1978). The interval also
 * has the chance in the examples (Z. Lang and J. Reiczigel, "Confidence limits for prevalence of
 * disease adjusted for estimated sensitivity and specificity", Preventive Veterinary Medicine
 * 113, 2014).
 *
 * Examples need not be the fastest of their kind, nor the slowest: a whole line may take less time
 * than one word, and a burst may leave in more than two transactions. The errors are then smaller
 * than those of the examples. So the lower end of the interval is that of a first kind without
 * error, and the upper end that of a second kind without error.
 *
 * The limit does not depend on the times of the mixture. Neither a rare nor a frequent kind is
 * lost, as with methods that look for two groups in the mixture alone.
 *
 * Numbers without a unit are in billionths.
 */
#include "core/math.h"
#include "core/share.h"
#include "core/stats.h"

#define ONE		1000000000LL
/* 99 % of a normal distribution are within so many deviations. */
#define Z		2575829304LL
#define Z_SQUARE	6634896601LL
/*
 * With less, kinds are not told apart. Behind PCIe two transactions may take as long as one, since
 * nobody waits for either; what then differs is not how many there were.
 */
#define TOLD_LEAST	(ONE / 10 * 9)
/* Two shares that differ by no more are one figure. */
#define ALIKE_PPM	(MC_SHARE_WHOLE / 50)

/* Return: how many of the sorted times are at or below the limit. */
static size_t count_below(const struct mc_times *t, u64 limit)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->ps[middle] <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static s64 part_of(size_t count, size_t n)
{
	return mc_muldiv(count, ONE, n);
}

/* a * b, of which neither is above a few times one */
static s64 product(s64 a, s64 b)
{
	return a * b / ONE;
}

/* The variance of a part that was found in @n cases, in billionths of billionths. */
static u64 variance(s64 part, s64 n_milli)
{
	return mc_muldiv((u64)part * (ONE - part), 1000, n_milli);
}

/*
 * The limit at which the kinds differ most. All limits between two times are as good, so the
 * middle of the widest such gap is taken. Return: how far the kinds are told apart there.
 */
static s64 find_limit(const struct mc_times *first, const struct mc_times *second, u64 *limit)
{
	size_t i = 0, k = 0;
	s64 most = 0;
	u64 widest = 0;

	while (i < first->n) {
		u64 at = first->ps[i], next;
		s64 told;

		while (i < first->n && first->ps[i] == at)
			i++;
		while (k < second->n && second->ps[k] <= at)
			k++;
		next = i < first->n ? first->ps[i] : at;
		if (k < second->n && (i == first->n || second->ps[k] < next))
			next = second->ps[k];
		told = part_of(i, first->n) - part_of(k, second->n);
		if (told < most || (told == most && next - at <= widest))
			continue;
		most = told;
		widest = next - at;
		*limit = at + widest / 2;
	}
	return most;
}

static u32 to_ppm(s64 part)
{
	if (part < 0)
		return 0;
	return part > ONE ? MC_SHARE_WHOLE : part / 1000;
}

/*
 * @below: the part of the mixture at or below the limit, of @n times; @hit: that of the first
 * kind, of @n_first; @miss: that of the second kind above it, of @n_second. Formulas are those
 * of Lang and Reiczigel, with their adjusted numbers of cases.
 */
static void find_interval(struct mc_share *s, const struct mc_times *mixed, size_t below,
			  const struct mc_times *first, size_t hits,
			  const struct mc_times *second, size_t misses)
{
	s64 n = mixed->n * 1000 + Z_SQUARE / 1000000;	/* in thousandths, as all n here */
	s64 n_first = (first->n + 2) * 1000, n_second = (second->n + 2) * 1000;
	s64 part = mc_muldiv(below * ONE + Z_SQUARE / 2, 1000, n);
	s64 hit = part_of(hits + 1, first->n + 2), miss = part_of(misses + 1, second->n + 2);
	s64 told = hit + miss - ONE, share, shift, half;
	u64 of_first, of_second;

	share = (part + miss - ONE) * ONE / told;
	of_first = variance(hit, n_first);
	of_second = variance(miss, n_second);
	shift = product(2 * Z_SQUARE, product(share, of_first / ONE) -
				      product(ONE - share, of_second / ONE));
	half = mc_sqrt(variance(part, n) +
		       mc_muldiv(product(share, share), of_first, ONE) +
		       mc_muldiv(product(ONE - share, ONE - share), of_second, ONE));
	half = product(half, Z) * ONE / told;
	s->low_ppm = to_ppm(share + shift - half);
	s->high_ppm = to_ppm(share + shift + half + 999);
}

/**
 * mc_share_of() - the share of one kind in times that are of two kinds
 * @s: result
 * @mixed: the times; sorted in place, as those of the other two
 * @first: times of the first kind, which are the shorter ones
 * @second: times of the second kind
 *
 * Without a hundred times of each, or if the kinds differ too little, the share is not known.
 */
void mc_share_of(struct mc_share *s, struct mc_times *mixed, struct mc_times *first,
		 struct mc_times *second)
{
	struct mc_times *all[] = { mixed, first, second };
	size_t below, hits, misses;
	unsigned int i;
	s64 told;
	u32 low;

	*s = (struct mc_share){ 0 };
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i]->n < 100)
			return;
		mc_sort_times(all[i]->ps, all[i]->n);
	}
	told = find_limit(first, second, &s->limit_ps);
	s->told_ppm = to_ppm(told);
	if (told < TOLD_LEAST)
		return;
	below = count_below(mixed, s->limit_ps);
	hits = count_below(first, s->limit_ps);
	misses = second->n - count_below(second, s->limit_ps);
	s->ppm = to_ppm((part_of(below, mixed->n) + part_of(misses, second->n) - ONE) * ONE / told);
	find_interval(s, mixed, below, first, first->n, second, misses);
	low = s->low_ppm;
	find_interval(s, mixed, below, first, hits, second, second->n);
	s->low_ppm = low;
	s->one_figure = true;
	s->known = true;
}

/* ------------------------------------------------------------------ by the mean */

/* A mean, in picoseconds, and its variance. */
struct mean {
	s64 ps;
	s64 variance;
};

/* Times above @most count as @most. */
static struct mean clipped_mean(const struct mc_times *t, u64 most)
{
	u64 sum = 0, squares = 0;
	size_t i;

	for (i = 0; i < t->n; i++)
		sum += t->ps[i] < most ? t->ps[i] : most;
	sum /= t->n;
	for (i = 0; i < t->n; i++) {
		s64 off = (s64)(t->ps[i] < most ? t->ps[i] : most) - (s64)sum;

		off = off < 0 ? -off : off;
		/* Windows of some milliseconds have squares of more than 64 bits. */
		squares += mc_muldiv(off, off, t->n * (t->n - 1));
	}
	return (struct mean){ sum, squares };
}

/* Of numbers that are not negative. */
static s64 product_ppm(s64 a, s64 ppm)
{
	return mc_muldiv(a, ppm, MC_SHARE_WHOLE);
}

/*
 * Is a mixture with this share of the first kind, by @z deviations, too slow to have the mean that
 * was found? E. C. Fieller, "Some problems in interval estimation", J. Royal Statistical Society
 * B 16, 1954: the interval of a ratio has all values that a test of the difference does not
 * reject.
 */
static bool is_too_slow(s64 ppm, struct mean mixed, struct mean first, struct mean second, s64 z)
{
	s64 rest = MC_SHARE_WHOLE - ppm;
	s64 ps = product_ppm(first.ps, ppm) + product_ppm(second.ps, rest) - mixed.ps;
	s64 variance = mixed.variance + product_ppm(product_ppm(first.variance, ppm), ppm) +
		       product_ppm(product_ppm(second.variance, rest), rest);

	return ps > z * (s64)mc_sqrt(variance) / 1000;
}

/* The least share that is not too slow. A larger share is faster. */
static u32 find_least(struct mean mixed, struct mean first, struct mean second, s64 z)
{
	u32 low = 0, high = MC_SHARE_WHOLE;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (is_too_slow(middle, mixed, first, second, z))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * mc_share_of_rates() - the share of lines that left whole, from the times of many at once
 * @s: result
 * @kinds: times of windows of each kind (enum mc_line_kind)
 * @pieces: a line has no more pieces than this
 *
 * Each piece takes its time, so a line that is not whole takes between that of two pieces and that
 * of @pieces. How many there are is not known: one end of the interval is that of two pieces, the
 * other that of @pieces. The share is one figure, the middle, only where these hardly differ. What
 * took longer than nearly all windows of eight pieces was interrupted, and counts as long as these.
 */
void mc_share_of_rates(struct mc_share *s, const struct mc_times *kinds, unsigned int pieces)
{
	struct mean mixed, whole, two, many;
	unsigned int i;
	u32 least, greatest;
	u64 most;

	*s = (struct mc_share){ 0 };
	for (i = 0; i < MC_LINE_KINDS; i++) {
		if (kinds[i].n < 100)
			return;
	}
	mc_sort_times(kinds[MC_LINES_EIGHT].ps, kinds[MC_LINES_EIGHT].n);
	most = kinds[MC_LINES_EIGHT].ps[kinds[MC_LINES_EIGHT].n * 9 / 10];
	mixed = clipped_mean(&kinds[MC_LINES_MIXED], most);
	whole = clipped_mean(&kinds[MC_LINES_WHOLE], most);
	two = clipped_mean(&kinds[MC_LINES_TWO], most);
	many = clipped_mean(&kinds[MC_LINES_EIGHT], most);
	/*
	 * Without ten deviations between them, kinds are not told apart. A full path takes longer
	 * for six more pieces than for a second one. Else times are the CPU's, for its stores.
	 */
	if (two.ps - whole.ps < 10 * (s64)mc_sqrt(two.variance + whole.variance) ||
	    two.ps <= whole.ps || many.ps - two.ps < two.ps - whole.ps)
		return;
	if (pieces > 2)
		many.ps = two.ps + (many.ps - two.ps) * (pieces - 2) / 6;
	else
		many = two;
	least = find_least(mixed, whole, two, 0);
	greatest = find_least(mixed, whole, many, 0);
	s->ppm = (least + greatest) / 2;
	s->one_figure = greatest - least <= ALIKE_PPM;
	s->low_ppm = find_least(mixed, whole, two, Z / 1000000);
	s->high_ppm = find_least(mixed, whole, many, -Z / 1000000);
	s->known = true;
}
