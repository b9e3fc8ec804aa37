// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that load memory line by line, in order or at random, and count down after each
 * line: the longer the countdown, the lower the load.
 */
#include "measure/load.h"
#include "measure/measurement.h"
#include "platform/clock.h"
#include "platform/os.h"

const struct mc_mix mc_mixes[MC_NMIXES] = {
	[MC_MIX_READ] = { 1, 0, 1 },
	[MC_MIX_RW31] = { 3, 1, 1 },
	[MC_MIX_RW21] = { 2, 1, 1 },
	[MC_MIX_RW11] = { 1, 1, 1 },
	[MC_MIX_WRITE] = { 0, 1, 1 },
	[MC_MIX_NTWRITE] = { 0, 1, 1, true },
	[MC_MIX_RW32] = { 3, 2, 1 },
	[MC_MIX_RW41] = { 4, 1, 1 },
	[MC_MIX_RW91] = { 9, 1, 1 },
	[MC_MIX_NTRW31] = { 3, 1, 1, true },
	[MC_MIX_NTRW21] = { 2, 1, 1, true },
	[MC_MIX_NTRW11] = { 1, 1, 1, true },
	[MC_MIX_NTRW32] = { 3, 2, 1, true },
	[MC_MIX_NTRW41] = { 4, 1, 1, true },
	[MC_MIX_NTRW91] = { 9, 1, 1, true },
	[MC_MIX_COPY] = { 1, 1, 2 },
	[MC_MIX_NTCOPY] = { 1, 1, 2, true },
	[MC_MIX_TRIAD] = { 2, 1, 3 },
	[MC_MIX_NTTRIAD] = { 2, 1, 3, true },
};

/* MC_LOAD_OPS leaves the first one out. */
const struct mc_name mc_load_words[] = {
	{ "chase", MC_MIX_CHASE }, { "read", MC_MIX_READ }, { "rw31", MC_MIX_RW31 },
	{ "rw21", MC_MIX_RW21 }, { "rw11", MC_MIX_RW11 }, { "write", MC_MIX_WRITE },
	{ "ntwrite", MC_MIX_NTWRITE }, { "rw32", MC_MIX_RW32 }, { "rw41", MC_MIX_RW41 },
	{ "rw91", MC_MIX_RW91 }, { "ntrw31", MC_MIX_NTRW31 }, { "ntrw21", MC_MIX_NTRW21 },
	{ "ntrw11", MC_MIX_NTRW11 }, { "ntrw32", MC_MIX_NTRW32 },
	{ "ntrw41", MC_MIX_NTRW41 }, { "ntrw91", MC_MIX_NTRW91 }, { "copy", MC_MIX_COPY },
	{ "ntcopy", MC_MIX_NTCOPY }, { "triad", MC_MIX_TRIAD },
	{ "nttriad", MC_MIX_NTTRIAD }, { }
};

const struct mc_name mc_load_patterns[] = {
	{ "sequential", 0 }, { "random", 1 }, { }
};

/**
 * mc_load_begin() - find what a thread needs that loads memory
 * @load: the load
 * @meas: the measurement, whose end frees it
 * @e: result: what is wrong
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mc_load_begin(struct mc_load *load, struct mc_measurement *meas, struct mc_error *e)
{
	u64 from = load->start - load->start % MC_BLOCK_BYTES, to = load->start + load->slice;

	if (!load->random)
		return 0;
	load->blocks = mc_measurement_array(meas, (to - from) / MC_BLOCK_BYTES + 1, sizeof(void *));
	if (!load->blocks)
		return mc_fail(e, -ENOMEM, "size: no memory for the list of blocks");
	if (!mc_view_blocks(load->view, from, to, MC_BLOCK_BYTES, load->blocks))
		return mc_fail(e, -ENOMEM, MC_NOT_IN_BLOCKS);
	return 0;
}

/**
 * mc_walk_begin() - start at the begin of a slice
 * @walk: result, which may not be moved
 * @load: what to do
 * @seed: random lines: another order for each seed
 */
void mc_walk_begin(struct mc_walk *walk, const struct mc_load *load, u64 seed)
{
	struct mc_random random;

	*walk = (struct mc_walk){
		.load = load, .bytes = 4 * MC_LINE,
		.args = {
			.delay = min(load->delay, MC_LOAD_COUNTDOWN),
			.reads = load->mix->reads,
			.end = load->mix->reads + load->mix->writes, .nt = load->mix->nt,
			.combine = load->mix->arrays > 1,
		},
	};
	if (!load->random)
		return;
	mc_random_seed(&random, seed);
	walk->args.state = random.s[0];
	walk->args.start = load->start % MC_BLOCK_BYTES;
	walk->args.lines = load->slice / MC_LINE;
	walk->args.blocks = load->blocks;
}

/*
 * Set the places of the next step's lines. Return: bytes of an array from there on that are
 * contiguous.
 */
static u64 find_places(struct mc_walk *walk)
{
	const struct mc_load *load = walk->load;
	u64 array = mc_load_array(load), bytes = array - walk->at, left;
	unsigned int i;

	for (i = 0; i < load->mix->arrays; i++) {
		walk->args.place[i] =
			mc_view_at(load->view, load->start + i * array + walk->at, &left);
		bytes = min(bytes, left);
	}
	for (; i < walk->args.end; i++)
		walk->args.place[i] = (u8 *)walk->args.place[i - 1] + MC_LINE;
	walk->args.stride = mc_load_each(load);
	return bytes;
}

/**
 * mc_walk_steps() - find the places of the next steps of a load whose lines are in order
 * @walk: how far it has come; goes on behind these steps
 * @most: most steps that are wanted, not 0
 *
 * Return: number of steps, for the arguments of the loop; 0 if the next step would cross a
 * gap of the memory, and was left out.
 */
u64 mc_walk_steps(struct mc_walk *walk, u64 most)
{
	u64 each = mc_load_each(walk->load), left, steps;

	if (walk->at + each > mc_load_array(walk->load)) {
		walk->at = 0;
		walk->rounds++;
	}
	left = find_places(walk);
	steps = min(most, left / each);
	walk->at += steps ? steps * each : left;
	return steps;
}

/* Count down as behind a line, which is in L1. */
static void count_down(struct mc_walk *walk)
{
	static u64 room[2 * MC_LINE / sizeof(u64)];	/* a line of it is whole */
	struct mc_paced args = {
		.steps = 1, .delay = min(walk->owed, MC_LOAD_REST), .reads = 1, .end = 1,
		.place = { PTR_ALIGN(&room[0], MC_LINE) },
	};

	mc_asm_paced(&args);
	walk->owed -= args.delay;
}

/**
 * mc_walk_window() - read and write what fits into a window, in whole steps
 * @walk: how far the thread has come
 *
 * A window must not last as long as many lines with a long countdown. So only a part of each
 * is behind its line, and the rest, @walk->owed, takes the next windows, which move nothing.
 *
 * Context: An open window.
 * Return: bytes moved.
 */
u64 mc_walk_window(struct mc_walk *walk)
{
	const struct mc_mix *mix = walk->load->mix;
	u64 step = (mix->reads + mix->writes) * MC_LINE, steps = max(walk->bytes / step, 1ULL);

	if (walk->owed) {
		count_down(walk);
		return 0;
	}
	if (!walk->load->random)
		steps = mc_walk_steps(walk, steps);
	if (!steps)
		return 0;
	walk->args.steps = steps;
	mc_asm_paced(&walk->args);
	walk->owed = steps * walk->args.end * (walk->load->delay - walk->args.delay);
	return steps * step;
}

/**
 * mc_window_fit() - how much the next windows of a thread do
 * @much: what the last one did
 * @least: what each does at least
 * @most: and at most
 * @ticks: duration of the last one
 * @ns: how long one is to last; from half of it to twice as long will do
 *
 * Return: the amount.
 */
u64 mc_window_fit(u64 much, u64 least, u64 most, u64 ticks, u64 ns)
{
	if (ticks > mc_ns_to_ticks(2 * ns))
		return max(much / 2, least);
	return ticks < mc_ns_to_ticks(ns / 2) ? min(2 * much, most) : much;
}

/**
 * mc_walk_fit() - adjust the length of the next windows
 * @walk: how far the thread has come
 * @ticks: duration of the last window that moved something, and of those that counted down for it
 */
void mc_walk_fit(struct mc_walk *walk, u64 ticks)
{
	walk->bytes = mc_window_fit(walk->bytes, 4 * MC_LINE, walk->load->slice, ticks,
				    MC_LOAD_WINDOW_NS);
}
