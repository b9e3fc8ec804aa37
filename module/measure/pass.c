// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passes: once over a thread's arrays, in one go or in the parts that windows
 * take, piece by piece where the buffer is not contiguous.
 */
#include "measure/pass.h"
#include "platform/clock.h"
#include "platform/os.h"

/**
 * mc_pass_turn() - what an array is a multiple of, and each part of a pass
 * @streams: that the array is gone through in
 *
 * Return: bytes: a line, or a turn of all streams; a power of two.
 */
u64 mc_pass_turn(unsigned int streams)
{
	return streams > 1 ? MC_STREAM_BYTES * streams : 64;
}

/**
 * mc_pass_least() - the least that a window is cut to: 512 accesses
 * @p: the pass
 *
 * On uncached memory those of a byte may take longer than 1 us each, and there
 * are 4096 in a page.
 *
 * Return: bytes.
 */
u64 mc_pass_least(const struct mc_pass *p)
{
	return p->stretch || p->loop->width >= 8 ? 4096 : 512 * p->loop->width;
}

/**
 * mc_pass_length() - how long a pass is: twice its bytes with a read back behind
 * @p: the pass
 *
 * Return: bytes of an array.
 */
u64 mc_pass_length(const struct mc_pass *p)
{
	return p->readback ? 2 * p->bytes : p->bytes;
}

/* Streams that the passes of @loop have: comparing goes through in one. */
static unsigned int streams_of(const struct mc_pass *p, const struct mc_loop *loop)
{
	return loop == p->loop ? max(p->streams, 1U) : 1;
}

/*
 * How far all arrays, and all @n streams of each, stay contiguous from offset
 * @from of a stream on, at most to @to.
 */
static u64 piece(const struct mc_pass *p, unsigned int n, u64 from, u64 to,
		 struct mc_stream *at)
{
	unsigned int arrays = mc_ops[p->loop->op].arrays, s, i;
	u64 left, bytes = to - from;

	for (s = 0; s < n; s++) {
		from += s ? p->bytes / n : 0;
		for (i = 0; i < arrays; i++) {
			at[s].array[i] = mc_view_at(p->view, p->offset[i] + from,
						    &left);
			bytes = min(bytes, left);
		}
	}
	return bytes;
}

/* A counter counts words, but where one byte is repeated it counts passes. */
static bool counts_passes(const struct mc_pass *p)
{
	return !p->stretch && mc_ops[p->loop->op].stores == MC_STORES_BYTE;
}

/* One call of a loop, over what @args say. */
static void run(struct mc_pass *p, const struct mc_loop *loop,
		struct mc_loop_args *args)
{
	(args->streams > 1 ? loop->run_streams : loop->run)(args);
	if (mc_ops[loop->op].sums)
		p->sum += mc_loop_sum(loop, args);
	if (loop->op == MC_OP_CHECK)
		p->wrong |= mc_loop_or(loop, args);
}

/*
 * Bytes @from to @to of each array, @passes times: more than once only if all
 * of the pass is one piece. Of several streams each has its part of them.
 */
static void stretch(struct mc_pass *p, const struct mc_loop *loop, u64 from,
		    u64 to, u64 passes)
{
	struct mc_stream streams[MC_STREAMS_MAX];
	struct mc_loop_args args = { .passes = passes, .uc_word = p->uc_word };
	unsigned int n;

	if (p->stretch) {
		p->stretch(p, (to - from) * passes);
		return;
	}
	n = streams_of(p, loop);
	args.streams = n;
	args.at = n > 1 ? streams : &args.arrays;
	for (from /= n, to /= n; from < to; from += args.bytes) {
		args.bytes = piece(p, n, from, to, args.at);
		args.value = p->value + (counts_passes(p) ? 0 : from * n / 8);
		/* The fence belongs to the pass, not to its pieces. */
		args.fence = from + args.bytes == p->bytes / n ? p->fence :
								 MC_FENCE_NONE;
		run(p, loop, &args);
	}
}

static void passed(struct mc_pass *p, u64 passes)
{
	p->passes += passes;
	p->value += counts_passes(p) ? passes : passes * (p->bytes / 8);
}

/**
 * mc_pass_part() - a part of one pass, and on to the next one at its end
 * @p: the pass
 * @from: bytes of the pass done before
 * @to: and behind; mc_pass_length() at most
 *
 * Context: An open window.
 */
void mc_pass_part(struct mc_pass *p, u64 from, u64 to)
{
	if (from < p->bytes)
		stretch(p, p->loop, from, min(to, p->bytes), 1);
	if (to > p->bytes)
		stretch(p, p->readback, from > p->bytes ? from - p->bytes : 0,
			to - p->bytes, 1);
	if (to == mc_pass_length(p))
		passed(p, 1);
}

/* Can passes follow each other without a break? */
static bool in_one_piece(const struct mc_pass *p)
{
	struct mc_stream at[MC_STREAMS_MAX];
	unsigned int n;
	u64 each;

	if (p->stretch || p->readback)
		return p->stretch;
	n = streams_of(p, p->loop);
	each = p->bytes / n;
	return piece(p, n, 0, each, at) == each;
}

static void whole_passes(struct mc_pass *p, u64 passes)
{
	u64 i;

	if (in_one_piece(p)) {
		stretch(p, p->loop, 0, p->bytes, passes);
		passed(p, passes);
		return;
	}
	for (i = 0; i < passes; i++)
		mc_pass_part(p, 0, mc_pass_length(p));
}

/* Whole passes that fit a window, or a part of one. Return: bytes of an array. */
static u64 advance(struct mc_pass *p, struct mc_progress *at, u64 passes,
		   u64 quantum)
{
	u64 turn = mc_pass_turn(p->streams), length = mc_pass_length(p), to, n;

	if (!at->from && quantum >= length) {
		n = min(quantum / length, passes - at->passes);
		whole_passes(p, n);
		at->passes += n;
		return n * length;
	}
	quantum = max(quantum & ~(turn - 1), turn);
	to = min(length, at->from + quantum);
	mc_pass_part(p, at->from, to);
	n = to - at->from;
	at->from = to;
	if (to == length) {
		at->from = 0;
		at->passes++;
	}
	return n;
}

/**
 * mc_pass_window() - one window's worth
 * @p: the pass
 * @at: where the sample stands; moved on
 * @passes: what a sample is made of
 * @quantum: bytes of an array that a window takes
 *
 * Context: An open window.
 * Return: bytes of an array that it covers.
 */
u64 mc_pass_window(struct mc_pass *p, struct mc_progress *at, u64 passes,
		   u64 quantum)
{
	u64 bytes = advance(p, at, passes, quantum);

	if (p->drain)
		mc_drain();
	return bytes;
}

/**
 * mc_pass_untimed() - do one pass, in windows but without a clock
 * @w: the thread
 * @p: the pass
 *
 * Context: Worker thread.
 * Return: 0, or the errno of the stop.
 */
int mc_pass_untimed(struct mc_worker *w, struct mc_pass *p)
{
	struct mc_progress at = { 0 };
	u64 quantum = 4096;

	while (!at.passes) {
		int err = mc_window_open(w, false);
		u64 ticks;

		if (err)
			return err;
		mc_pass_window(p, &at, 1, quantum);
		ticks = mc_window_close(w);
		if (ticks < mc_ns_to_ticks(MC_WINDOW_AIM_NS) / 2)
			quantum = min(quantum * 2, 1ULL << 40);
	}
	return 0;
}
