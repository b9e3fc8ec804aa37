// SPDX-License-Identifier: GPL-2.0-only
/*
 * The period of pauses, from the times of spikes.
 *
 * An access that comes during a pause takes until its end, so the ends of such spikes come at
 * equal distances. At the frequency of the pauses they all point in one direction. The test is
 * that of Lord Rayleigh: of n directions that are random, the square of the length of their sum,
 * divided by n, has an exponential distribution with mean 1 (K. V. Mardia and P. E. Jupp,
 * "Directional Statistics", 6.3). Each part of a window has a sum of its own, so that nothing that
 * lies between two windows matters, and so that few frequencies have to be tried. The sum over W
 * parts has a gamma distribution, whose chance to exceed x is at most
 * exp(-(x - W - W ln(x / W))) (H. Chernoff, Ann. Math. Stat. 23, 1952). It is multiplied by the
 * number of frequencies that are tried.
 *
 * Phases are fractions of a turn, in units of 2^-64, so that they wrap as the numbers do.
 */
#include "core/math.h"
#include "core/period.h"
#include "core/stats.h"

#define TURN_LOG2	64
#define ONE		1024		/* of a power */
#define LEAST_IN_WINDOW	4U		/* spikes; fewer always point in one direction */
#define FALSE_ALARM_LN	14		/* -ln(10^-6), rounded up: the false-alarm level */
#define PART_US		500U		/* of windows, at first: few frequencies, each broad */
#define WINDOW_US	2000U		/* and in the end */
#define SCANNED		2048U		/* spikes, enough to find it; all make it exact */
#define MULTIPLES	16U		/* of a frequency below the band */
#define COHERENCE_LEAST	100U		/* thousandths: less is no pause that all accesses see */

static s16 sine_of(const struct mc_period *p, u32 at)
{
	return p->sine[at % MC_PERIOD_SINES];
}

/*
 * sin(pi x) = 16 x (1 - x) / (5 - 4 x (1 - x)) within 0.0017: Bhaskara I, Mahabhaskariya 7.
 */
static void fill_sine(struct mc_period *p)
{
	const u32 half = MC_PERIOD_SINES / 2;
	u32 i;

	for (i = 0; i < half; i++) {
		u32 part = i * (half - i);	/* x (1 - x) half^2 */

		p->sine[i] = (u64)16 * part * 16384 / (5 * half * half - 4 * part);
		p->sine[half + i] = -p->sine[i];
	}
}

/* ----------------------------------------------------------------- spectrum */

static u64 phase_of(const struct mc_spike *spike, u64 turns)
{
	return (spike->at + spike->ticks) * turns;
}

/**
 * struct sum - the sum of directions of some spikes
 * @n: their number
 * @x: 2^14 for each
 * @y: the same
 */
struct sum {
	u32 n;
	s64 x;
	s64 y;
};

static void add_direction(struct sum *sum, const struct mc_period *p,
			  const struct mc_spike *spike, u64 turns)
{
	u32 at = phase_of(spike, turns) >> (TURN_LOG2 - 8);

	static_assert(MC_PERIOD_SINES == 256, "8 bits of a phase");
	sum->n++;
	sum->x += sine_of(p, at + MC_PERIOD_SINES / 4);
	sum->y += sine_of(p, at);
}

static u64 square_of(const struct sum *sum)
{
	return sum->x * sum->x + sum->y * sum->y;
}

/* Its mean is one for random directions. */
static u64 power_of(const struct sum *sum)
{
	return (square_of(sum) / sum->n) >> (2 * 14 - 10);
}

/* The end of the window that begins with spike @i. */
static u32 window_end(const struct mc_spike *spikes, u32 i, u32 n)
{
	u32 end = i;

	while (end < n && spikes[end].window == spikes[i].window)
		end++;
	return end;
}

/**
 * struct search - spikes that are searched for a period
 * @p: the result
 * @spikes: the spikes
 * @n: their number
 * @part: ticks of the parts that windows are cut into
 * @rest: called now and then, or NULL
 */
struct search {
	const struct mc_period *p;
	const struct mc_spike *spikes;
	u32 n;
	u64 part;
	void (*rest)(void);
};

/* The end of the part of a window that begins with spike @i. */
static u32 part_end(const struct search *s, u32 i)
{
	u32 end = i;

	while (end < s->n && s->spikes[end].window == s->spikes[i].window &&
	       s->spikes[end].at - s->spikes[i].at < s->part)
		end++;
	return end;
}

/* The sum of the powers of all parts at a frequency. */
static u64 power_at(const struct search *s, u64 turns)
{
	u64 power = 0;
	u32 i = 0, k, end;

	for (; i < s->n; i = end) {
		struct sum sum = { 0 };

		end = part_end(s, i);
		for (k = i; k < end; k++)
			add_direction(&sum, s->p, &s->spikes[k], turns);
		if (sum.n >= LEAST_IN_WINDOW)
			power += power_of(&sum);
	}
	if (s->rest)
		s->rest();
	return power;
}

/* Number of parts with enough spikes, and of the spikes in them. */
static u32 count_parts(const struct search *s, u32 *counted)
{
	u32 i, end, parts = 0;

	*counted = 0;
	for (i = 0; i < s->n; i = end) {
		end = part_end(s, i);
		if (end - i < LEAST_IN_WINDOW)
			continue;
		*counted += end - i;
		parts++;
	}
	return parts;
}

/* ln(a / b) in thousandths, for a >= b */
static u64 ln_milli(u64 a, u64 b)
{
	u64 x = mc_muldiv(a, 1 << 16, b), log2 = 0, bit;

	for (; x >= 2 << 16; x >>= 1)
		log2 += 1 << 16;
	/* Each square doubles the logarithm. */
	for (bit = 1 << 15; bit; bit >>= 1) {
		x = x * x >> 16;
		if (x < 2 << 16)
			continue;
		x >>= 1;
		log2 += bit;
	}
	return log2 * 693147 / 1000 >> 16;
}

/* Would such a power be chance, at any of the frequencies, less often than the level says? */
static bool is_significant(u64 power, u32 windows, u64 tried)
{
	u64 mean = (u64)windows * ONE, milli, less;

	if (power <= mean)
		return false;
	milli = (power - mean) * 1000 / ONE;
	less = windows * ln_milli(power, mean);
	return milli > less && milli - less > ln_milli(tried, 1) + FALSE_ALARM_LN * 1000;
}

/* Turns a tick of a period. */
static u64 turns_of(const struct mc_period *p, u64 ns)
{
	return mc_muldiv(1ULL << 63, 2000000, ns * p->khz);
}

/* Between two frequencies of a scan, parts differ by a quarter of a turn. */
static u64 step_of(const struct search *s)
{
	return (1ULL << 62) / s->part;
}

/*
 * Scan frequencies from the lowest on. Return: the first with power @enough, or the one with most
 * of all, which is *@most.
 */
static u64 scan(const struct search *s, u64 from, u64 to, u64 enough, u64 *most)
{
	u64 turns, power, found = from;

	*most = 0;
	for (turns = from; turns <= to; turns += step_of(s)) {
		power = power_at(s, turns);
		if (power > *most) {
			*most = power;
			found = turns;
		}
		if (power >= enough)
			break;
	}
	return found;
}

/* Climb to the frequency of the next maximum of the power. Return: that frequency. */
static u64 climb(const struct search *s, u64 turns)
{
	u64 best = power_at(s, turns), step = step_of(s) / 2, least = step >> 12;

	while (step > least) {
		u64 up = power_at(s, turns + step), down = power_at(s, turns - step);

		if (up <= best && down <= best) {
			step /= 2;
			continue;
		}
		turns = up > down ? turns + step : turns - step;
		best = up > down ? up : down;
	}
	return turns;
}

/* ------------------------------------------------------------------- pauses */

/*
 * The phase at which most of a window's spikes end. Return: false if nobody can tell, since
 * there are too few, or too many others.
 */
static bool find_phase(const struct mc_period *p, const struct mc_spike *spikes, u32 n,
		       u64 *phase)
{
	struct sum sum = { 0 };
	s64 most = 0, apart = 0, near;
	u32 i, best = 0, close = 0;

	for (i = 0; i < n; i++) {
		if (spikes[i].cause == MC_CAUSE_UNKNOWN)
			add_direction(&sum, p, &spikes[i], p->turns);
	}
	if (sum.n < LEAST_IN_WINDOW || power_of(&sum) < 2 * ONE ||
	    square_of(&sum) >> 28 < (u64)sum.n * sum.n / 64)
		return false;
	for (i = 0; i < MC_PERIOD_SINES; i++) {
		near = sum.x * sine_of(p, i + MC_PERIOD_SINES / 4) + sum.y * sine_of(p, i);
		if (near > most) {
			most = near;
			best = i;
		}
	}
	*phase = (u64)best << (TURN_LOG2 - 8);
	for (i = 0; i < n; i++) {
		s64 off = phase_of(&spikes[i], p->turns) - *phase;

		if (spikes[i].cause != MC_CAUSE_UNKNOWN || off > 1LL << 60 || off < -(1LL << 60))
			continue;
		apart += off >> 16;
		close++;
	}
	if (close)
		*phase += (u64)(apart / (s64)close) << 16;
	return true;
}

static u64 distance(const struct mc_period *p, const struct mc_spike *spike, u64 phase)
{
	s64 off = phase_of(spike, p->turns) - phase;

	return off < 0 ? -(u64)off : off;
}

/**
 * mc_period_mark() - say which spikes of a window are of the refresh
 * @p: the period
 * @spikes: the spikes of one window; those of an unknown cause that end where pauses do, and
 *          are not much longer, get the cause MC_CAUSE_REFRESH
 * @n: their number
 */
void mc_period_mark(const struct mc_period *p, struct mc_spike *spikes, u32 n)
{
	u64 phase;
	u32 i;

	if (!p->found || !find_phase(p, spikes, n, &phase))
		return;
	for (i = 0; i < n; i++) {
		/* One that ends with a pause began at most so much before it. */
		if (spikes[i].cause == MC_CAUSE_UNKNOWN &&
		    spikes[i].ticks <= 2 * (p->limit + p->length) &&
		    distance(p, &spikes[i], phase) <= p->tolerance)
			spikes[i].cause = MC_CAUSE_REFRESH;
	}
}

/* Distances to the ends of pauses, of spikes that end within an eighth of a turn from one. */
static u32 collect_distances(const struct mc_period *p, const struct mc_spike *spikes, u32 n,
			     u64 *distances)
{
	u32 i, k, end, found = 0;
	u64 phase;

	for (i = 0; i < n; i = end) {
		end = window_end(spikes, i, n);
		if (!find_phase(p, &spikes[i], end - i, &phase))
			continue;
		for (k = i; k < end; k++) {
			u64 off = distance(p, &spikes[k], phase);

			if (spikes[k].cause == MC_CAUSE_UNKNOWN && off < 1ULL << 61)
				distances[found++] = off;
		}
	}
	return found;
}

/*
 * Accesses come at any time of a pause, or of its first part if they follow each other closely, so
 * the times that they wait are evenly spread up to its length. What is a little longer than the
 * 98th percentile does not count, as it may be of other spikes.
 */
static void find_length(struct mc_period *p, struct mc_spike *spikes, u32 n, u64 median,
			u64 *room)
{
	u64 at, half;
	u32 i, end, found = 0;

	for (i = 0; i < n; i = end) {
		end = window_end(spikes, i, n);
		mc_period_mark(p, &spikes[i], end - i);
	}
	for (i = 0; i < n; i++) {
		if (spikes[i].cause != MC_CAUSE_REFRESH)
			continue;
		room[found++] = spikes[i].ticks - median;
		spikes[i].cause = MC_CAUSE_UNKNOWN;
	}
	if (!found)
		return;
	mc_sort_times(room, found);
	at = mc_permille(room, found, 980);
	half = mc_permille(room, found, 500);
	p->length = at + (at - half) / 24;	/* of 48 hundredths, two are missing */
}

/* What follows from the frequency. @room: of one number for each spike */
static void measure_pauses(struct mc_period *p, struct mc_spike *spikes, u32 n, u64 median,
			   u64 *room)
{
	u32 found = collect_distances(p, spikes, n, room);
	u64 typical;

	if (!found)
		return;
	mc_sort_times(room, found);
	typical = 4 * room[found / 2];
	p->tolerance = typical < 1ULL << 56 ? 1ULL << 56 :
		       typical > 1ULL << 60 ? 1ULL << 60 : typical;
	p->length = mc_muldiv(1ULL << 63, 2, p->turns) / 4;
	find_length(p, spikes, n, median, room);
}

/* Two spikes in a row are of one event, or of accesses that were slow for another reason. */
static u32 keep_single(struct mc_spike *spikes, u32 n, u64 apart)
{
	u64 ended = 0;
	u32 i, kept = 0;

	for (i = 0; i < n; i++) {
		bool single = spikes[i].cause == MC_CAUSE_UNKNOWN &&
			      (!i || spikes[i].window != spikes[i - 1].window ||
			       spikes[i].at - ended >= apart);

		ended = spikes[i].at + spikes[i].ticks;
		if (single)
			spikes[kept++] = spikes[i];
	}
	return kept;
}

/* Is it only a multiple of a frequency below the band, as that of a timer would be? */
static bool is_multiple(const struct search *s, u64 power)
{
	u32 k;

	for (k = 2; k <= MULTIPLES; k++) {
		if (power_at(s, s->p->turns / k) > power / 2)
			return true;
	}
	return false;
}

/* Make a frequency exact: parts become as long as windows, then all spikes count. */
static u64 refine(struct search *s, u32 n, u64 turns)
{
	u64 near = step_of(s) / 4, most;

	s->part = s->p->khz * WINDOW_US / 1000;
	turns = scan(s, turns - near, turns + near, ~0ULL, &most);
	s->n = n;
	return climb(s, turns);
}

/**
 * mc_period_find() - look for a period in spikes
 * @p: result; its @khz and @limit are set before
 * @spikes: spikes in the order of their times; some are dropped
 * @n: their number
 * @median: ticks of an access that does not wait
 * @room: memory for @n numbers
 * @rest: called now and then, since this takes some 10 ms; or NULL
 *
 * Context: Any, if @rest may be called.
 * Return: false if there are too few spikes to tell.
 */
bool mc_period_find(struct mc_period *p, struct mc_spike *spikes, u32 n, u64 median,
		    u64 *room, void (*rest)(void))
{
	struct search s = {
		.p = p, .spikes = spikes, .part = p->khz * PART_US / 1000, .rest = rest,
	};
	u64 from = turns_of(p, MC_PERIOD_MOST_NS), to = turns_of(p, MC_PERIOD_LEAST_NS);
	u64 most, power;
	u32 parts;

	fill_sine(p);
	p->found = false;
	n = keep_single(spikes, n, p->khz * MC_PERIOD_LEAST_NS / 2 / 1000000);
	s.n = n < SCANNED ? n : SCANNED;
	parts = count_parts(&s, &p->spikes);
	if (p->spikes < MC_PERIOD_SPIKES)
		return false;
	scan(&s, from, to, ~0ULL, &most);
	if (!is_significant(most, parts, (to - from) / step_of(&s) + 1))
		return true;
	/* Short pauses are as strong at multiples of their frequency. */
	p->turns = scan(&s, from, to, most / 2, &power);
	p->turns = climb(&s, p->turns);
	power = power_at(&s, p->turns);
	p->coherence = mc_sqrt(power * 1000000 / ONE / p->spikes);
	p->found = p->coherence >= COHERENCE_LEAST && !is_multiple(&s, power);
	if (!p->found)
		return true;
	p->turns = refine(&s, n, p->turns);
	measure_pauses(p, spikes, n, median, room);
	return true;
}

/**
 * mc_period_ps() - the period
 * @p: a period that was found
 *
 * Return: picoseconds.
 */
u64 mc_period_ps(const struct mc_period *p)
{
	/* It has 2^64 / turns ticks, each of 10^9 / khz ps. */
	return mc_muldiv(1ULL << 63, 2000000000, p->turns) / p->khz;
}
