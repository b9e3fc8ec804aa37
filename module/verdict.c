// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the memory type real on this machine? Setting it proves nothing: a
 * hypervisor may force write-back under it, an emulator has no types at all.
 * What decides is the time of dependent reloads of one line. On uncached and
 * write-combining memory each goes to memory; on write-back memory it hits L1,
 * and misses once the line was flushed.
 *
 *            compared                                   yes             no
 *   uc       reload with a reload of a WB line          >= 8x, >= 20 ns <= 2x
 *   wc       the same, and filling a line by eight      >= 8x, >= 20 ns <= 2x
 *            stores takes at most half of what it       and combining
 *            takes on effective UC
 *   wb       reload after clflush with reload           >= 8x, >= 20 ns <= 2x
 */
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/mm.h>

#include "clock.h"
#include "memory.h"
#include "os.h"

#define ROUNDS		16
#define COUNT		8	/* calls of 8 accesses: at 1 us each, 64 us */

/* Reload of a WB line and combining stores to a UC line, 0 while unknown. */
static u64 wb_reload_ps;
static u64 uc_combine_ps;

/* The fastest of some rounds, per access: what the hardware can do. */
static u64 fastest(void (*loop)(void *line, u64 count), void *line,
		   unsigned int accesses)
{
	unsigned long flags;
	u64 best = ~0ULL;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		u64 begin, end;

		local_irq_save(flags);
		loop(line, 1);	/* code and translations are warm */
		begin = mc_ticks();
		loop(line, COUNT);
		end = mc_ticks();
		local_irq_restore(flags);
		if (end > begin)
			best = min(best, end - begin);
	}
	return best == ~0ULL ? 0 : mc_ticks_to_ps(best) / (COUNT * accesses);
}

static enum mc_effect judge(u64 slow_ps, u64 fast_ps)
{
	if (!slow_ps || !fast_ps)
		return MC_EFFECT_UNKNOWN;
	if (slow_ps >= 8 * fast_ps && slow_ps - fast_ps >= 20000)
		return MC_EFFECT_YES;
	return slow_ps <= 2 * fast_ps ? MC_EFFECT_NO : MC_EFFECT_UNKNOWN;
}

static enum mc_effect judge_wc(const struct mc_verdict *v)
{
	enum mc_effect uncached = judge(v->reload_ps, v->reference_ps);

	if (uncached != MC_EFFECT_YES)
		return uncached;
	if (uc_combine_ps && 2 * v->combine_ps <= uc_combine_ps)
		return MC_EFFECT_YES;
	return MC_EFFECT_UNKNOWN;
}

/**
 * mc_verdict_of() - what the hardware does with a line of memory
 * @v: result
 * @type: the type that was asked for
 * @line: a line of zeros, 64-byte aligned; it is zeros again afterwards
 *
 * WC is judged against the last effective UC line seen, so judge UC first.
 *
 * Context: Process.
 */
void mc_verdict_of(struct mc_verdict *v, enum mc_type type, void *line)
{
	v->measured = true;
	v->reload_ps = fastest(mc_asm_reload, line, 8);
	v->combine_ps = fastest(mc_asm_combine, line, 1);
	if (type == MC_WB) {
		v->reference_ps = fastest(mc_asm_flush_reload, line, 8);
		v->effect = judge(v->reference_ps, v->reload_ps);
		return;
	}
	v->reference_ps = wb_reload_ps;
	if (type == MC_WC) {
		v->effect = judge_wc(v);
		return;
	}
	v->effect = judge(v->reload_ps, v->reference_ps);
	if (v->effect == MC_EFFECT_YES)
		uc_combine_ps = v->combine_ps;
}

/**
 * mc_verdict_init() - measure the write-back line that others are compared with
 *
 * Context: Process, once at load, after mc_clock_init().
 * Return: 0 or -ENOMEM.
 */
int mc_verdict_init(void)
{
	void *line = (void *)get_zeroed_page(GFP_KERNEL);

	if (!line)
		return -ENOMEM;
	wb_reload_ps = fastest(mc_asm_reload, line, 8);
	free_page((unsigned long)line);
	return 0;
}
