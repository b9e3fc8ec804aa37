// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the memory type real on this machine? Setting it proves nothing: a
 * hypervisor may force write-back under it, an emulator has no types at all.
 * The time of dependent reloads of one line decides. On uncached and
 * write-combining memory each reload goes to memory; on write-back memory it hits
 * L1, and misses after the line was flushed.
 *
 *            compared                                   yes             no
 *   uc       reload with a reload of a WB line          >= 8x, >= 20 ns <= 2x
 *   wc       the same, and filling a line by eight      >= 8x, >= 20 ns <= 2x
 *            stores takes at most half of what it       and combining
 *            takes on effective UC; without such UC,
 *            a store that fills its line after the
 *            others takes at most half of one to
 *            another line each time
 *   wb       reload after clflush with reload           >= 8x, >= 20 ns <= 2x
 *
 * The fastest stores show that WC can combine, and not how often it does. So the share of bursts
 * that leave whole is measured, too; see measure/bursts.c. With too few it is partly effective.
 * Where the share can't be measured, the fastest stores decide.
 *
 * UC and WC stay unknown where the reload of the WB line takes 20 ns or more. No cache
 * is so slow: something, say an MTRR, has made write-back memory uncached, too, so
 * there is nothing to compare with.
 */
#include "arch/loops.h"
#include "core/math.h"
#include "measure/bursts.h"
#include "measure/verdict.h"
#include "platform/clock.h"
#include "platform/os.h"

#define ROUNDS		16
#define COUNT		8	/* calls of 8 accesses: at 1 us each, 64 us; words of a line */
#define TRIES		8	/* what else the core does may slow all rounds down */
#define UNCACHED_PS	20000	/* a load this slow has not hit a cache */
#define BURSTS		1024
/*
 * If the others take 8 transactions each, the total is at most twice that of whole bursts:
 * s + 8 * (1 - s) <= 2.
 */
#define WHOLE_LEAST_PPM	857143

struct mc_wb_loads mc_wb_loads;
static u64 uc_combine_ps;	/* filling a UC line; 0: unknown */

/* The fastest of ROUNDS rounds, per access: what the hardware can do. */
static u64 fastest(void (*loop)(void *line, u64 count), void *line, unsigned int accesses)
{
	u64 best = ~0ULL;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		unsigned long flags = mc_irqs_off();
		u64 begin, end;

		loop(line, 1);	/* warm up code and translations */
		begin = mc_ticks();
		loop(line, COUNT);
		end = mc_ticks();
		mc_irqs_restore(flags);
		if (end > begin)
			best = min(best, end - begin);
	}
	return best == ~0ULL ? 0 : mc_rounded(mc_ticks_to_ps(best), 1, COUNT * accesses);
}

static enum mc_effect judge(u64 slow_ps, u64 fast_ps)
{
	if (!slow_ps || !fast_ps)
		return MC_EFFECT_UNKNOWN;
	if (slow_ps >= 8 * fast_ps && slow_ps - fast_ps >= UNCACHED_PS)
		return MC_EFFECT_YES;
	return slow_ps <= 2 * fast_ps ? MC_EFFECT_NO : MC_EFFECT_UNKNOWN;
}

static enum mc_effect judge_uncached(const struct mc_verdict *v)
{
	if (v->reference_ps >= UNCACHED_PS)
		return MC_EFFECT_UNKNOWN;
	return judge(v->reload_ps, v->reference_ps);
}

/* Have the fastest stores been combined? */
static bool combines(const struct mc_verdict *v)
{
	if (uc_combine_ps)
		return 2 * v->combine_ps <= uc_combine_ps;
	return v->together_ps && 2 * v->together_ps <= v->apart_ps;
}

static enum mc_effect judge_wc(const struct mc_verdict *v)
{
	enum mc_effect uncached = judge_uncached(v);
	const struct mc_share *s = &v->share;

	if (uncached != MC_EFFECT_YES)
		return uncached;
	if (s->known && s->high_ppm < WHOLE_LEAST_PPM)
		return combines(v) || s->low_ppm ? MC_EFFECT_PARTLY : MC_EFFECT_UNKNOWN;
	if (s->known && s->low_ppm < WHOLE_LEAST_PPM)
		return MC_EFFECT_UNKNOWN;
	return combines(v) ? MC_EFFECT_YES : MC_EFFECT_UNKNOWN;
}

/* Is a share on one side of the limit, with all of its interval? */
static bool decides(const struct mc_share *s)
{
	return s->high_ppm < WHOLE_LEAST_PPM || s->low_ppm >= WHOLE_LEAST_PPM;
}

/*
 * Measure which share of the bursts to a page of zeros leaves whole. The interval of a share by
 * rates is wide: one that decides nothing takes no verdict away that other times give.
 */
static void measure_share(struct mc_share *s, void *page, u64 bytes)
{
	const struct mc_span span = { page, 0, bytes };
	const struct mc_view view = { &span, 1 };
	struct mc_bursts b = {
		.view = &view, .bytes = bytes, .loops = mc_mmio_loop_find(sizeof(u64)),
		.vectors = !MC_IN_KERNEL,
	};
	u64 *memory = mc_alloc_array(MC_BURSTS_WORDS(BURSTS), sizeof(*memory));

	if (!memory)
		return;
	mc_bursts_begin(&b, memory, BURSTS);
	while (!mc_bursts_done(&b)) {
		unsigned long flags = mc_irqs_off();

		mc_bursts_time(&b);
		mc_irqs_restore(flags);
		mc_breathe();
	}
	if (!b.by_rate || decides(&b.share))
		*s = b.share;
	mc_free(memory);
}

static void keep_least(u64 *ps, u64 now)
{
	if (now && (!*ps || now < *ps))
		*ps = now;
}

static void time_line(struct mc_verdict *v, enum mc_type type, void *line, u64 bytes)
{
	keep_least(&v->reload_ps, fastest(mc_asm_reload, line, 8));
	keep_least(&v->combine_ps, fastest(mc_asm_combine, line, 1));
	if (type == MC_WB)
		keep_least(&v->reference_ps, fastest(mc_asm_flush_reload, line, 8));
	if (type != MC_WC || bytes < MC_FILL_LINES * 64 || judge_uncached(v) != MC_EFFECT_YES)
		return;
	measure_share(&v->share, line, MC_FILL_LINES * 64);
	if (uc_combine_ps)
		return;
	keep_least(&v->together_ps, fastest(mc_fill_by_lines, line, MC_FILL_LINES));
	keep_least(&v->apart_ps, fastest(mc_fill_by_words, line, MC_FILL_LINES));
}

static enum mc_effect judge_type(const struct mc_verdict *v, enum mc_type type)
{
	if (type == MC_WB)
		return judge(v->reference_ps, v->reload_ps);
	return type == MC_WC ? judge_wc(v) : judge_uncached(v);
}

/**
 * mc_verdict_of() - judge the type of a page from its first line
 * @v: result
 * @type: the type that was asked for
 * @line: the first line of the page; it holds zeros afterwards
 * @bytes: bytes from there on that may hold zeros afterwards, too
 *
 * WC is judged against the UC line that was judged last, so judge UC first. If UC has no
 * effect, or there is none, WC is judged by itself, which takes a page of @bytes, as does the
 * share of bursts that leave whole.
 *
 * Context: Process, may sleep.
 */
void mc_verdict_of(struct mc_verdict *v, enum mc_type type, void *line, u64 bytes)
{
	unsigned int i;

	*v = (struct mc_verdict){ .reference_ps = type == MC_WB ? 0 : mc_wb_loads.hit_ps };
	mc_asm_combine(line, 1);	/* zeros, which the reloads follow */
	for (i = 0; i < TRIES && v->effect == MC_EFFECT_UNKNOWN; i++) {
		time_line(v, type, line, bytes);
		v->effect = judge_type(v, type);
	}
	if (type != MC_WB && type != MC_WC)
		uc_combine_ps = v->effect == MC_EFFECT_YES ? v->combine_ps : 0;
}

/* Time eight loads of a line; the first one misses if the line was flushed. */
static u64 eight_ticks(void *line, bool flushed)
{
	u64 begin;

	mc_asm_reload(line, 1);
	if (flushed)
		mc_flush(line);
	begin = mc_ticks();
	mc_asm_reload(line, 1);
	return mc_ticks() - begin;
}

/*
 * Duration of a miss. The flush itself is not timed, since it may take longer than the
 * miss. The cost of reading the clock is in both times and cancels out. 0: flushing
 * changes too little.
 */
static u64 miss_ps(void *line, u64 hit_ps)
{
	u64 hits = ~0ULL, missed = ~0ULL, ps;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		unsigned long flags = mc_irqs_off();

		hits = min(hits, eight_ticks(line, false));
		missed = min(missed, eight_ticks(line, true));
		mc_irqs_restore(flags);
	}
	ps = hit_ps + mc_ticks_to_ps(missed - min(missed, hits));
	return judge(ps, hit_ps) == MC_EFFECT_YES ? ps : 0;
}

/**
 * mc_verdict_init() - measure the WB line that other types are compared with
 * @line: the first line of a page of write-back memory; zeros
 *
 * Earlier verdicts may be wrong afterwards: MTRRs can change.
 *
 * Context: Process, after mc_clock_init().
 */
void mc_verdict_init(void *line)
{
	struct mc_verdict v;

	mc_verdict_of(&v, MC_WB, line, 64);
	mc_wb_loads.hit_ps = v.reload_ps;
	mc_wb_loads.miss_ps = v.effect == MC_EFFECT_YES ? miss_ps(line, v.reload_ps) : 0;
}

static void figure_json(struct mc_text *t, const char *name, bool known, u64 value,
			unsigned int decimals)
{
	mc_textf(t, ",\"%s\":", name);
	if (known)
		mc_text_fixed(t, value, decimals);
	else
		mc_textf(t, "null");
}

static void ns_json(struct mc_text *t, const char *name, u64 ps)
{
	figure_json(t, name, ps, ps, 3);
}

/**
 * mc_verdict_json() - append a verdict as a JSON object
 * @t: the text
 * @attr: what the page tables say
 * @v: the verdict
 */
void mc_verdict_json(struct mc_text *t, enum mc_attr attr, const struct mc_verdict *v)
{
	mc_textf(t, "{\"attribute\":");
	mc_text_json(t, attr == MC_ATTR_NA ? NULL : mc_attr_name(attr));
	mc_textf(t, ",\"effective\":\"%s\"", mc_effect_name(v->effect));
	ns_json(t, "reload_ns", v->reload_ps);
	ns_json(t, "reference_ns", v->reference_ps);
	ns_json(t, "combine_ns", v->combine_ps);
	ns_json(t, "together_ns", v->together_ps);
	ns_json(t, "apart_ns", v->apart_ps);
	figure_json(t, "whole_percent", v->share.one_figure, v->share.ppm, 4);
	figure_json(t, "whole_low_percent", v->share.known, v->share.low_ppm, 4);
	figure_json(t, "whole_high_percent", v->share.known, v->share.high_ppm, 4);
	mc_textf(t, "}");
}
