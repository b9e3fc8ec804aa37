// SPDX-License-Identifier: GPL-2.0-only
/*
 * A mixture of two kinds of times, of which there are examples of each kind; of single times, and,
 * further down, of the means of many.
 *
 * One limit tells the kinds apart, with errors that the examples show: it is chosen where most
 * of the first kind and fewest of the second are at or below it (W. J. Youden, "Index for
 * rating diagnostic tests", Cancer 3, 1950). The part of the times above the limit lies between
 * those of the kinds as a mean of many times lies between theirs: in proportion to the share
 * (W. J. Rogan and B. Gladen, "Estimating prevalence from the results of a screening test", Am. J.
 * Epidemiology 107, 1978). The interval also has the chance in the examples: it has all shares
 * that a test of this difference does not reject (E. C. Fieller, "Some problems in interval
 * estimation", J. Royal Statistical Society B 16, 1954). Each part counts a few more cases, half
 * of them above the limit (Z. Lang and J. Reiczigel, "Confidence limits for prevalence of disease
 * adjusted for estimated sensitivity and specificity", Preventive Veterinary Medicine 113, 2014):
 * if no example is wrong, the chance of an error is still not zero.
 *
 * Examples need not be the fastest of their kind, nor the slowest: a whole line may take less time
 * than one word, and a burst may leave in more than two transactions. The errors are then smaller
 * than those of the examples. So the lower end of the interval is that of a first kind without
 * error, and the upper end that of a second kind without error.
 *
 * The limit does not depend on the times of the mixture. Neither a rare nor a frequent kind is
 * lost, as with methods that look for two groups in the mixture alone.
 */
#include "core/math.h"
#include "core/share.h"
#include "core/stats.h"

#define ONE		1000000000LL	/* of parts, which are in billionths */
/* 99 % of a normal distribution are within so many thousandths of a deviation. */
#define Z		2576
/* Thousandths of cases that a part of a mixture has more, and one of examples. */
#define MORE_MIXED	6635	/* Z squared */
#define MORE_EXAMPLES	2000
/*
 * With less, kinds are not told apart. Behind PCIe two transactions may take as long as one, since
 * nobody waits for either; what then differs is not how many there were.
 */
#define TOLD_LEAST	(ONE / 10 * 9)
/* Two shares that differ by no more are one figure. */
#define ALIKE_PPM	(MC_SHARE_WHOLE / 50)

/* A mean, in picoseconds or as a part in billionths, and its variance. */
struct mean {
	s64 is;
	s64 variance;
};

/* Of numbers that are not negative. */
static s64 product_ppm(s64 a, s64 ppm)
{
	return mc_muldiv(a, ppm, MC_SHARE_WHOLE);
}

/*
 * Is a mixture with this share of the first kind, by @z thousandths of a deviation, too slow to
 * have the mean that was found?
 */
static bool is_too_slow(s64 ppm, struct mean mixed, struct mean first, struct mean second, s64 z)
{
	s64 rest = MC_SHARE_WHOLE - ppm;
	s64 more = product_ppm(first.is, ppm) + product_ppm(second.is, rest) - mixed.is;
	s64 variance = mixed.variance + product_ppm(product_ppm(first.variance, ppm), ppm) +
		       product_ppm(product_ppm(second.variance, rest), rest);

	return more > z * (s64)mc_sqrt(variance) / 1000;
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

static size_t count_above(const struct mc_times *t, u64 limit)
{
	size_t i, n = 0;

	for (i = 0; i < t->n; i++)
		n += t->ps[i] > limit;
	return n;
}

static s64 part_of(size_t count, size_t n)
{
	return mc_muldiv(count, ONE, n);
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

/* The part of @n times that @above of them are, with @more thousandths of cases. */
static struct mean part_above(size_t above, size_t n, unsigned int more)
{
	u64 cases = (u64)n * 1000 + more;
	s64 part = mc_muldiv((u64)above * 1000 + more / 2, ONE, cases);

	return (struct mean){ part, mc_muldiv(part * (ONE - part), 1000, cases) };
}

/**
 * mc_share_of() - the share of one kind in times that are of two kinds
 * @s: result
 * @mixed: the times
 * @first: times of the first kind, which are the shorter ones; sorted in place
 * @second: times of the second kind; sorted in place
 *
 * Without a hundred times of each, or if the kinds differ too little, the share is not known.
 */
void mc_share_of(struct mc_share *s, const struct mc_times *mixed, struct mc_times *first,
		 struct mc_times *second)
{
	const struct mc_times *all[] = { mixed, first, second };
	size_t above[ARRAY_SIZE(all)];
	struct mean part;
	unsigned int i;

	*s = (struct mc_share){ 0 };
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i]->n < 100)
			return;
	}
	mc_sort_times(first->ps, first->n);
	mc_sort_times(second->ps, second->n);
	if (find_limit(first, second, &s->limit_ps) < TOLD_LEAST)
		return;
	for (i = 0; i < ARRAY_SIZE(all); i++)
		above[i] = count_above(all[i], s->limit_ps);
	s->ppm = find_least(part_above(above[0], mixed->n, 0), part_above(above[1], first->n, 0),
			    part_above(above[2], second->n, 0), 0);
	part = part_above(above[0], mixed->n, MORE_MIXED);
	s->low_ppm = find_least(part, part_above(0, first->n, MORE_EXAMPLES),
				part_above(above[2], second->n, MORE_EXAMPLES), Z);
	s->high_ppm = find_least(part, part_above(above[1], first->n, MORE_EXAMPLES),
				 part_above(second->n, second->n, MORE_EXAMPLES), -Z);
	s->one_figure = true;
	s->known = true;
}

/* ------------------------------------------------------------------ by the mean */

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
	if (two.is - whole.is < 10 * (s64)mc_sqrt(two.variance + whole.variance) ||
	    two.is <= whole.is || many.is - two.is < two.is - whole.is)
		return;
	if (pieces > 2)
		many.is = two.is + (many.is - two.is) * (pieces - 2) / 6;
	else
		many = two;
	least = find_least(mixed, whole, two, 0);
	greatest = find_least(mixed, whole, many, 0);
	s->ppm = (least + greatest) / 2;
	s->one_figure = greatest - least <= ALIKE_PPM;
	s->low_ppm = find_least(mixed, whole, two, Z);
	s->high_ppm = find_least(mixed, whole, many, -Z);
	s->known = true;
}
