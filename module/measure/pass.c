// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passes: one traversal of a thread's arrays. A pass runs as a whole or in the parts
 * that fit in windows, piece by piece where the buffer is not contiguous.
 */
#include "core/math.h"
#include "measure/pass.h"
#include "measure/steady.h"
#include "platform/clock.h"
#include "platform/os.h"

/**
 * mc_data_step() - difference between neighbouring words that a loop stores
 * @data: kind of data (MC_DATA_*)
 *
 * Return: the difference, modulo 2^64.
 */
u64 mc_data_step(u64 data)
{
	static const u64 steps[] = {
		[MC_DATA_COUNTER] = 1,
		[MC_DATA_RANDOM] = MC_RANDOM_STEP,
		[MC_DATA_ZERO] = 0,
	};

	return steps[data];
}

/**
 * mc_pass_turn() - granularity of an array's size and of a part of a pass
 * @streams: number of streams that traverse the array
 *
 * Return: bytes: a cache line, or one turn of all streams; a power of two.
 */
u64 mc_pass_turn(unsigned int streams)
{
	return streams > 1 ? MC_STREAM_BYTES * streams : 64;
}

/**
 * mc_pass_least() - size of the smallest window: 512 accesses, or a pass
 * @p: the pass
 *
 * On uncached memory a one-byte access may take longer than 1 us, and a page has 4096
 * of them.
 *
 * Return: bytes.
 */
u64 mc_pass_least(const struct mc_pass *p)
{
	if (p->whole)
		return mc_pass_length(p);
	return p->body || p->loop->width >= 8 ? 4096 : 512 * p->loop->width;
}

/**
 * mc_pass_length() - length of a pass: twice its bytes if it includes a read back
 * @p: the pass
 *
 * Return: bytes of an array.
 */
u64 mc_pass_length(const struct mc_pass *p)
{
	return p->readback ? 2 * p->bytes : p->bytes;
}

/**
 * mc_pass_quantum() - size of a window of about that many bytes
 * @p: the pass
 * @bytes: bytes of an array
 *
 * Return: bytes: whole lines, or whole turns of the loop, at least mc_pass_least().
 */
u64 mc_pass_quantum(const struct mc_pass *p, u64 bytes)
{
	return max(bytes & ~(max(p->turn, 64ULL) - 1), mc_pass_least(p));
}

/* Number of streams that @loop runs over: the comparing loop has only one. */
static unsigned int streams_of(const struct mc_pass *p, const struct mc_loop *loop)
{
	return loop == p->loop ? max(p->streams, 1U) : 1;
}

/*
 * Number of bytes for which all arrays, and all @n streams of each, stay contiguous
 * from offset @from of a stream on, at most up to @to. Set @at to the addresses, with a
 * row of MC_STREAM_ARRAYS for each stream.
 */
static u64 contiguous_bytes(const struct mc_pass *p, unsigned int n, u64 from, u64 to,
			    void **at)
{
	unsigned int arrays = mc_ops[p->loop->op].arrays, s, i;
	u64 left, bytes = to - from;

	for (s = 0; s < n; s++) {
		from += s ? p->bytes / n : 0;
		for (i = 0; i < arrays; i++) {
			at[s * MC_STREAM_ARRAYS + i] =
				mc_view_at(p->view, p->offset[i] + from, &left);
			bytes = min(bytes, left);
		}
	}
	return bytes;
}

/*
 * Number of values of the counter that a pass stores: word i of an array gets value i modulo it.
 * A loop that stores a counter in order of addresses stores what its four registers hold
 * again and again, and loops that repeat one byte store only that. Other loops store a value
 * for each word. The next pass goes on with the value behind those of this one.
 */
static u64 values_of_pass(const struct mc_pass *p)
{
	enum mc_stores stores = p->body ? MC_STORES_UNKNOWN : mc_ops[p->loop->op].stores;

	if (stores == MC_STORES_BYTE)
		return 1;
	if (stores == MC_STORES_COUNTER && p->streams <= 1 && !p->scatter)
		return 4 * p->loop->width / 8;
	return p->bytes / 8;
}

/**
 * mc_pass_sum() - sum of the words that the last pass left, if it stored a counter
 * @p: the pass
 *
 * Return: the sum modulo 2^64.
 */
u64 mc_pass_sum(const struct mc_pass *p)
{
	u64 words = p->bytes / 8, values = values_of_pass(p), step = mc_data_step(p->data);
	u64 first = p->value - values * step;

	u64 sum = words / values * mc_sum_of_run(first, step, values);

	return words % values ? sum + mc_sum_of_run(first, step, words % values) : sum;
}

static void take_result(struct mc_pass *p, const struct mc_loop *loop,
			const struct mc_loop_args *args)
{
	if (mc_ops[loop->op].sums)
		p->sum += mc_loop_sum(loop, args);
	if (loop->op == MC_OP_CHECK)
		p->wrong |= mc_loop_or(loop, args);
}

/*
 * Run the loop over as many lines of each array as there are from @from to @to, @passes
 * times, in random order. A pass reaches each line once, wherever it begins in that order.
 */
static void run_scattered(struct mc_pass *p, struct mc_loop_args *args, u64 from, u64 to)
{
	p->scatter->left = (to - from) / 64 * args->passes;
	args->scatter = p->scatter;
	args->value = p->value + from / 8 * mc_data_step(p->data);
	args->fence = to == p->bytes ? p->fence : MC_FENCE_NONE;
	p->loop->run_scatter(args);
	take_result(p, p->loop, args);
}

/*
 * Run @loop over bytes @from to @to of each array, @passes times. More than one pass needs all of
 * it in one piece. Each stream covers its share.
 */
static void run_arrays(struct mc_pass *p, const struct mc_loop *loop, u64 from, u64 to,
		       u64 passes)
{
	struct mc_stream streams[MC_STREAMS_MAX];
	struct mc_loop_args args = {
		.passes = passes, .uc_word = p->uc_word, .data = p->data,
	};
	u64 values = 8 * values_of_pass(p), into;
	unsigned int n;

	if (p->scatter && loop == p->loop) {
		run_scattered(p, &args, from, to);
		return;
	}
	n = streams_of(p, loop);
	args.streams = n;
	args.at = streams;
	for (from /= n, to /= n; from < to; from += args.bytes) {
		args.bytes = contiguous_bytes(p, n, from, to,
					      n > 1 ? streams->array : args.array);
		/* A loop begins with the first value of its round, or ends in the same round. */
		into = from * n % values;
		if (into)
			args.bytes = min(args.bytes, values - into);
		args.value = p->value + into / 8 * mc_data_step(p->data);
		/* The fence belongs to the pass, not to its pieces. */
		args.fence = from + args.bytes == p->bytes / n ? p->fence :
								 MC_FENCE_NONE;
		(n > 1 ? loop->run_streams : loop->run)(&args);
		take_result(p, loop, &args);
	}
}

static void end_passes(struct mc_pass *p, u64 passes)
{
	p->passes += passes;
	p->value += passes * mc_data_step(p->data) * values_of_pass(p);
}

/**
 * mc_pass_part() - run a part of a pass, and count the pass at its end
 * @p: the pass
 * @from: first byte of the part
 * @to: end of the part, at most mc_pass_length()
 *
 * Context: An open window.
 */
void mc_pass_part(struct mc_pass *p, u64 from, u64 to)
{
	if (p->body)
		p->body(p, to - from);
	else if (from < p->bytes)
		run_arrays(p, p->loop, from, min(to, p->bytes), 1);
	if (to > p->bytes)
		run_arrays(p, p->readback, from > p->bytes ? from - p->bytes : 0,
			   to - p->bytes, 1);
	if (to == mc_pass_length(p))
		end_passes(p, 1);
}

/* Can one call of the loop run several passes? */
static bool in_one_piece(const struct mc_pass *p)
{
	void *at[MC_STREAMS_MAX * MC_STREAM_ARRAYS];
	unsigned int n;
	u64 each;

	if (p->body || p->readback)
		return p->body;
	if (p->scatter)
		return !p->fence;
	n = streams_of(p, p->loop);
	each = p->bytes / n;
	return contiguous_bytes(p, n, 0, each, at) == each;
}

static void run_passes(struct mc_pass *p, u64 passes)
{
	u64 i;

	if (!in_one_piece(p)) {
		for (i = 0; i < passes; i++)
			mc_pass_part(p, 0, mc_pass_length(p));
		return;
	}
	/* A test's own function spends no time on arguments of loops. */
	if (p->body)
		p->body(p, p->bytes * passes);
	else
		run_arrays(p, p->loop, 0, p->bytes, passes);
	end_passes(p, passes);
}

/**
 * mc_pass_window() - do the work of one window: whole passes that fit in it, or a part of one
 * @p: the pass
 * @at: progress of the sample, updated
 * @passes: number of passes in a sample
 * @quantum: bytes of an array that a window covers
 *
 * Context: An open window.
 * Return: bytes of an array that the window covered.
 */
u64 mc_pass_window(struct mc_pass *p, struct mc_progress *at, u64 passes,
		   u64 quantum)
{
	u64 turn = mc_pass_turn(p->streams), length = mc_pass_length(p), n;

	if (!at->from && quantum >= length) {
		n = min(quantum / length, passes - at->passes);
		run_passes(p, n);
		at->passes += n;
		n *= length;
	} else {
		n = min(length - at->from, max(quantum & ~(turn - 1), turn));
		mc_pass_part(p, at->from, at->from + n);
		at->from += n;
		if (at->from == length) {
			at->from = 0;
			at->passes++;
		}
	}
	if (p->drain)
		mc_drain();
	return n;
}

/**
 * mc_pass_untimed() - do one pass in windows, without reading the time
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
		mc_core_worked(w);
		if (ticks < mc_ns_to_ticks(MC_WINDOW_AIM_NS) / 2)
			quantum = min(quantum * 2, 1ULL << 40);
	}
	return 0;
}
