// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passes: one traversal of a thread's arrays. A pass runs as a whole or in the parts
 * that fit in windows, piece by piece where the buffer is not contiguous. What a window does
 * is planned before it opens, so that its time is that of the loop.
 */
#include "core/math.h"
#include "measure/pass.h"
#include "measure/steady.h"
#include "measure/threads.h"
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
 * mc_pass_quantum() - size of a window of about that many bytes
 * @p: the pass
 * @bytes: bytes of an array
 *
 * Return: bytes: whole lines, or whole turns of the loop, at least mc_pass_least().
 */
u64 mc_pass_quantum(const struct mc_pass *p, u64 bytes)
{
	return max(bytes & ~(max(p->turn, MC_LINE) - 1), mc_pass_least(p));
}

/*
 * Number of bytes for which all arrays, and all @n streams of each, stay contiguous
 * from offset @from of a stream on, at most up to @to. Set @at to the addresses, with a
 * row of MC_STREAM_ARRAYS for each stream.
 */
static u64 contiguous_bytes(const struct mc_pass *p, unsigned int n, u64 from, u64 to, void **at)
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

/* The next call of the plan, or NULL: there is no room. */
static struct mc_call *next_call(struct mc_plan *plan, const struct mc_loop *loop)
{
	struct mc_call *call = plan->call + plan->n;
	const struct mc_pass *p = plan->pass;

	if (plan->n == MC_PLAN_CALLS)
		return NULL;
	*call = (struct mc_call){
		.loop = loop, .args = {
			.passes = 1, .uc_word = p->uc_word, .data = p->data, .arg = p->arg,
			.extent = p->extent, .piece = p->piece,
		},
	};
	plan->n++;
	return call;
}

/*
 * Plan the loop over as many lines of each array as there are from @from to @to, in random order. A
 * pass reaches each line once, wherever it begins in that order.
 */
static u64 plan_scattered(struct mc_plan *plan, u64 from, u64 to)
{
	struct mc_pass *p = plan->pass;
	struct mc_call *call = next_call(plan, p->loop);
	struct mc_loop_args *args = &call->args;

	p->scatter->left = (to - from) / 64;
	args->scatter = p->scatter;
	args->value = p->value + from / 8 * mc_data_step(p->data);
	args->fence = to == p->bytes ? p->fence : MC_FENCE_NONE;
	call->run = p->loop->run_scatter;
	return to;
}

/*
 * Plan @loop over bytes @from to @to of each array, piece by piece. Each stream covers its share.
 * Return: the end of what there was room for.
 */
static u64 plan_arrays(struct mc_plan *plan, const struct mc_loop *loop, u64 from, u64 to)
{
	struct mc_pass *p = plan->pass;
	u64 values = 8 * values_of_pass(p), into;
	/* The comparing loop has only one stream. */
	unsigned int n = loop == p->loop ? max(p->streams, 1U) : 1;
	struct mc_stream *streams;
	struct mc_loop_args *args;
	struct mc_call *call;

	for (from /= n, to /= n; from < to; from += args->bytes) {
		streams = plan->stream + plan->streams;
		if (n > 1 && plan->streams + n > MC_PLAN_STREAMS)
			break;
		call = next_call(plan, loop);
		if (!call)
			break;
		args = &call->args;
		args->streams = n;
		args->at = streams;
		args->bytes = contiguous_bytes(p, n, from, to,
					       n > 1 ? streams->array : args->array);
		if (mc_ops[loop->op].user) {
			unsigned int i = mc_ops[loop->op].user - 1;

			args->array[i] = (void *)(unsigned long)(p->user + p->offset[i] + from);
		}
		/* A loop begins with the first value of its round, or ends in the same round. */
		into = from * n % values;
		if (into)
			args->bytes = min(args->bytes, values - into);
		args->value = p->value + into / 8 * mc_data_step(p->data);
		/* The fence belongs to the pass, not to its pieces. */
		args->fence = from + args->bytes == p->bytes / n ? p->fence : MC_FENCE_NONE;
		plan->streams += n > 1 ? n : 0;
		call->run = n > 1 ? loop->run_streams : loop->run;
	}
	return from * n;
}

/* Plan a part of a pass. Return: the end of what there was room for. */
static u64 plan_part(struct mc_plan *plan, u64 from, u64 to)
{
	struct mc_pass *p = plan->pass;
	struct mc_call *call;

	if (p->body) {
		call = next_call(plan, NULL);
		call->args.bytes = to - from;
		call->run = p->body;
		return to;
	}
	if (p->scatter && from < p->bytes)
		from = plan_scattered(plan, from, min(to, p->bytes));
	else if (from < p->bytes)
		from = plan_arrays(plan, p->loop, from, min(to, p->bytes));
	if (from >= p->bytes && from < to)
		from = p->bytes + plan_arrays(plan, p->readback, from - p->bytes, to - p->bytes);
	return from;
}

/* Let the plan, which has one pass, do @passes of them: by its only call, if that can. */
static void plan_passes(struct mc_plan *plan, u64 passes)
{
	struct mc_pass *p = plan->pass;

	if (plan->n > 1 || (p->scatter && p->fence)) {
		plan->rounds = passes;
		return;
	}
	plan->passes = passes;
	plan->call->args.passes = passes;
	if (p->body)
		plan->call->args.bytes *= passes;
	if (p->scatter)
		p->scatter->left *= passes;
}

/* Take the results of a round, and put the next values into its calls. */
static void end_round(struct mc_plan *plan)
{
	struct mc_pass *p = plan->pass;
	u64 step = plan->passes * mc_data_step(p->data) * values_of_pass(p);
	struct mc_call *call;

	for (call = plan->call; call < plan->call + plan->n; call++) {
		if (call->loop && mc_ops[call->loop->op].sums)
			p->tally.sum += mc_loop_sum(call->loop, &call->args);
		if (call->loop && mc_ops[call->loop->op].user)
			p->tally.uncopied |= call->args.lanes[0];
		if (call->loop && call->loop->op == MC_OP_CHECK)
			p->tally.wrong |= mc_loop_or(call->loop, &call->args);
		call->args.value += step;
		if (call->args.scatter)
			p->scatter->left = p->bytes / 64;
	}
	p->value += step;
}

/*
 * A window: interrupts as asked, the clock, the calls, the clock. Between two rounds are the sums
 * of what loops have read, and the data of the next pass.
 */
static int run_plan(struct mc_worker *w, struct mc_plan *plan, bool irq_off, u64 *ticks)
{
	const struct mc_call *end = plan->call + plan->n;
	struct mc_pass *p = plan->pass;
	u64 rounds = plan->rounds;
	struct mc_call *call;
	int err;

	w->sleeps = p->sleeps;
	err = mc_window_open(w, irq_off);
	if (err)
		return err;
	for (;;) {
		for (call = plan->call; call < end; call++)
			call->run(&call->args);
		p->tally.passes += plan->passes;
		if (!--rounds)
			break;
		end_round(plan);
	}
	if (p->drain)
		mc_drain();
	*ticks = mc_window_close(w);
	w->sleeps = false;
	end_round(plan);
	if (!p->tally.uncopied)
		return 0;
	/* The sample is void, and so would the next one be. */
	if (mc_threads_claim_error(w->threads))
		mc_fail(w->threads->error, -ENODEV,
			"op: a call of %s() was too short, since the process has lost the mapping; earlier results are kept",
			mc_ops[p->loop->op].name);
	return -ENODEV;
}

/**
 * mc_pass_window() - do the work of a window: whole passes that fit in it, or a part of one
 * @w: the thread
 * @p: the pass
 * @at: progress of the sample, updated
 * @passes: number of passes in a sample
 * @quantum: bytes of an array that a window covers, if its plan has room for as many pieces
 * @irq_off: interrupts are off in the window
 *
 * Context: Worker thread.
 * Return: 0, or a negative errno as of mc_window_open().
 */
int mc_pass_window(struct mc_worker *w, struct mc_pass *p, struct mc_progress *at, u64 passes,
		   u64 quantum, bool irq_off)
{
	u64 turn = max(p->turn, MC_LINE), length = mc_pass_length(p), n = 1, to = length;
	struct mc_plan *plan = w->plan;
	int err;

	plan->pass = p;
	plan->rounds = 1;
	plan->n = 0;
	plan->streams = 0;
	if (!at->from && quantum >= length)
		n = min(quantum / length, passes - at->passes);
	else
		to = at->from + min(length - at->from, max(quantum & ~(turn - 1), turn));
	to = plan_part(plan, at->from, to);
	plan->passes = to == length;
	if (plan->passes && n > 1)
		plan_passes(plan, n);
	else
		n = 1;
	at->bytes = n * (to - at->from);
	at->passes += plan->passes * plan->rounds;
	at->from = plan->passes ? 0 : to;
	err = run_plan(w, plan, irq_off, &at->ticks);
	if (!err)
		at->worked = mc_core_note_work(w);
	return err;
}

/**
 * mc_pass_beside() - a pass that is not timed, over the first array of one that is
 * @timed: the other one
 * @op: what it does instead
 * @width: its accesses are no wider
 *
 * Return: the pass, which goes through memory in order and stores the same data.
 */
struct mc_pass mc_pass_beside(const struct mc_pass *timed, enum mc_op op, unsigned int width)
{
	return (struct mc_pass){
		.loop = mc_loop_within(op, width), .view = timed->view,
		.offset = { timed->offset[0] }, .bytes = timed->bytes,
		.data = timed->data, .value = timed->value, .drain = timed->drain,
	};
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
	int err = 0;

	while (!at.passes && !err) {
		err = mc_pass_window(w, p, &at, 1, quantum, false);
		if (at.ticks < mc_ns_to_ticks(MC_WINDOW_AIM_NS) / 2)
			quantum = min(quantum * 2, 1ULL << 40);
	}
	return err;
}
