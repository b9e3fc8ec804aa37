// SPDX-License-Identifier: GPL-2.0-only
/* Which requests the test bandwidth can run, and why it refuses others. */
#include "benchmarks/bandwidth/check.h"
#include "measure/side.h"

#define SIZE_LEAST	4096U	/* with less, the start of the loop would dominate */

/**
 * mc_bandwidth_bytes() - bytes of one array of one thread, but for its tail
 * @run: the run
 * @point: the point
 *
 * Return: a multiple of a line, or of a turn of all streams; 0: there are too few.
 */
u64 mc_bandwidth_bytes(const struct mc_run *run, const struct mc_point *point)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];
	u64 parts = (u64)mc_threads_size(run->threads) * op->arrays;
	u64 room = mc_bandwidth_room(point);
	u64 bytes = (max(point->v[MC_KEY_SIZE] / parts, room) - room) &
		    ~(mc_bandwidth_turn(point) - 1);
	struct mc_scatter scatter;

	return point->v[KEY_PATTERN] && bytes ? mc_scatter_set(&scatter, bytes) : bytes;
}

/* Keep the loop that somebody has registered: from now on it does not change. */
static int hold_loop(struct mc_run *run, const struct mc_op_info *op)
{
	int err = 0;

	if (op->registered && !run->holds_loop) {
		err = run->side->loop_hold(run);
		run->holds_loop = !err;
	}
	return err;
}

/* Does the loop exist, and can this CPU run it? */
static int check_loop(struct mc_run *run, const struct mc_point *point)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];
	const struct mc_loop *loop = mc_bandwidth_loop(point);
	int err;

	if (op->kernels && !MC_IN_KERNEL)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "op: %s is a function of the kernel; user space has none",
			       op->name);
	if (op->processes && MC_IN_KERNEL)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "op: %s is for user space, since kernels can't be built with its instruction",
			       op->name);
	if (op->kernels && !mc_loop_widest(point->v[KEY_OP]))
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "op: this kernel has no %s()", op->name);
	err = mc_loop_check(point->v[KEY_OP], point->v[KEY_WIDTH], &run->error);
	if (err)
		return err;
	if (loop->normal_only && mc_device_memory(point->v[MC_KEY_TYPE]))
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "type: op=%s makes accesses that fault on device memory, which type=%s is on this CPU; use type=wb or type=wc",
			       op->name, mc_type_name(point->v[MC_KEY_TYPE]));
	return 0;
}

/* Data that an operation can't have, whatever its width. */
static const struct {
	enum mc_stores stores;
	u64 data;
	const char *why;
} no_data[] = {
	{ MC_STORES_ONE_MORE, MC_DATA_ZERO, "adds one to each word, so zeros do not last" },
	{ MC_STORES_OR, MC_DATA_ZERO, "sets a bit of each word, so zeros do not last" },
	{ MC_STORES_TRIAD, MC_DATA_RANDOM,
	  "computes with doubles, and random ones have no sum that is known beforehand" },
	{ MC_STORES_BYTE, MC_DATA_RANDOM, "repeats one byte" },
	{ MC_STORES_ZERO, MC_DATA_RANDOM, "stores zeros" },
};

static int check_data(struct mc_run *run, const struct mc_point *point)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];
	u64 data = point->v[KEY_DATA];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(no_data); i++) {
		if (op->stores == no_data[i].stores && data == no_data[i].data)
			return mc_fail(&run->error, -EINVAL,
				       "data: op=%s %s; data=counter works",
				       op->name, no_data[i].why);
	}
	if (data == MC_DATA_COUNTER)
		return 0;
	if (op->stores && op->sums && mc_bandwidth_loop(point)->width == 8)
		return mc_fail(&run->error, -EINVAL,
			       "data: op=%s width=8 has no register left for other data than a counter; use a larger width",
			       op->name);
	if (data == MC_DATA_ZERO && point->v[KEY_READBACK])
		return mc_fail(&run->error, -EINVAL,
			       "readback: on needs words that change from pass to pass, and zeros never change; use data=counter or data=random");
	return 0;
}

/* Can the operation go through memory in random order? */
static int check_pattern(struct mc_run *run, const struct mc_point *point)
{
	if (!point->v[KEY_PATTERN])
		return 0;
	if (!mc_bandwidth_loop(point)->run_scatter)
		return mc_fail(&run->error, -EINVAL,
			       "pattern: op=%s width=%u goes through memory in order; use pattern=sequential",
			       mc_ops[point->v[KEY_OP]].name, mc_bandwidth_loop(point)->width);
	if (point->v[KEY_READBACK] || point->v[KEY_STREAMS] > 1)
		return mc_fail(&run->error, -EINVAL,
			       "pattern: random takes readback=off and streams=1");
	return 0;
}

/* Does it take any number of bytes, at any address? */
static bool takes_bytes(const struct mc_op_info *op)
{
	return op->needs == MC_CPU_STRINGS ||
	       (op->kernels && !op->turn && op != &mc_ops[MC_OP_IOWRITE64_COPY]);
}

/*
 * Can the loop have its arrays at such places? Words of 8 bytes may be anywhere, unless a bus would
 * be locked for them; vectors are whole ones.
 */
static int check_odd(struct mc_run *run, const struct mc_point *point)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];
	u64 places = point->v[KEY_ALIGN] |
		     (point->v[KEY_DISTANCE] == MC_AUTO ? 0 : point->v[KEY_DISTANCE]);
	unsigned int width = mc_bandwidth_loop(point)->width;
	bool free = takes_bytes(op) || (width == 8 && !op->atomic && !op->flushes && !op->kernels);
	const char *key = point->v[KEY_ALIGN] ? "align" : "distance";

	if (!mc_bandwidth_odd(point))
		return 0;
	if (point->v[KEY_PATTERN] || point->v[KEY_STREAMS] > 1 || op->registered || op->turn)
		return mc_fail(&run->error, -EINVAL,
			       "%s: op=%s has its arrays at whole lines here; leave align=, distance= and tail= out, or take pattern=sequential and streams=1",
			       point->v[KEY_TAIL] ? "tail" : key, op->name);
	if (point->v[KEY_DISTANCE] != MC_AUTO && op->arrays == 1)
		return mc_fail(&run->error, -EINVAL,
			       "distance: op=%s has only one array", op->name);
	if (point->v[KEY_TAIL] && !takes_bytes(op))
		return mc_fail(&run->error, -EINVAL,
			       "tail: op=%s takes whole lines; rep_movsb, rep_stosb and functions of the kernel take any bytes",
			       op->name);
	if (!free && places % width)
		return mc_fail(&run->error, -EINVAL,
			       "%s: op=%s width=%u needs arrays at multiples of %u bytes%s",
			       key, op->name, width, width,
			       width > 8 && mc_loop_find(point->v[KEY_OP], 8) ?
			       "; width=8 takes any place" : "");
	if (places % 8 && mc_device_memory(point->v[MC_KEY_TYPE]))
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "%s: such accesses fault on device memory, which type=%s is on this CPU; use a multiple of 8",
			       key, mc_type_name(point->v[MC_KEY_TYPE]));
	return 0;
}

/* Do the calls of the kernel's function take so many bytes, and may others run between them? */
static int check_calls(struct mc_run *run, const struct mc_point *point)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];
	u64 extent = point->v[KEY_EXTENT], piece = point->v[KEY_PIECE];
	u64 turn = max(op->turn, 1ULL);
	const char *key = piece ? "piece" : "extent";

	if (op->user && !point->v[MC_KEY_IRQ])
		return mc_fail(&run->error, -EINVAL,
			       "irq: op=%s may sleep, so interrupts stay on", op->name);
	if (extent == MC_AUTO && !piece)
		return 0;
	if (!op->kernels)
		return mc_fail(&run->error, -EINVAL,
			       "%s: op=%s is a loop, and only functions of the kernel are called for some bytes",
			       key, op->name);
	if (piece && !point->v[MC_KEY_IRQ])
		return mc_fail(&run->error, -EINVAL,
			       "piece: others can run only while interrupts are on; use irq=on");
	if (piece % turn || (extent != MC_AUTO && extent % turn))
		return mc_fail(&run->error, -EINVAL, "%s: op=%s takes whole pages", key, op->name);
	if (extent != MC_AUTO && mc_bandwidth_takes_turn(op) && extent != turn)
		return mc_fail(&run->error, -EINVAL, "extent: op=%s takes one page", op->name);
	return 0;
}

/**
 * mc_bandwidth_check() - can a point be run?
 * @run: the run
 * @point: the point
 *
 * Context: Process, may sleep.
 * Return: 0, or -EINVAL or -EOPNOTSUPP, explained in @run->error.
 */
int mc_bandwidth_check(struct mc_run *run, const struct mc_point *point)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];
	int err = hold_loop(run, op);

	err = err ? err : check_loop(run, point);
	err = err ? err : check_data(run, point);
	err = err ? err : check_pattern(run, point);
	err = err ? err : check_odd(run, point);
	err = err ? err : check_calls(run, point);
	if (err)
		return err;
	if ((op->flushes || op->hints) && point->v[MC_KEY_TYPE] != MC_WB)
		return mc_fail(&run->error, -EINVAL,
			       "type: op=%s %s caches, but memory of type=%s is never cached; use type=wb",
			       op->name, op->flushes ? "flushes" : "gives hints to",
			       mc_type_name(point->v[MC_KEY_TYPE]));
	if (op->user && (point->v[MC_KEY_TYPE] != MC_WB ||
			 point->v[MC_KEY_TARGET] != MC_TARGET_RAM))
		return mc_fail(&run->error, -EINVAL,
			       "type: op=%s is for RAM that a process has; use type=wb without target=",
			       op->name);
	if (op->atomic && point->v[MC_KEY_TYPE] != MC_WB)
		return mc_fail(&run->error, -EINVAL,
			       "type: op=%s is atomic in cached memory only, and an error on some machines elsewhere; use type=wb, not type=%s",
			       op->name, mc_type_name(point->v[MC_KEY_TYPE]));
	if (point->v[KEY_READBACK] &&
	    (op->stores != MC_STORES_COUNTER || op->arrays > 1 || op->atomic))
		return mc_fail(&run->error, -EINVAL,
			       "readback: on needs op=write, ntwrite, write_clflushopt, write_clwb, write_cldemote or write_prefetchw, not op=%s",
			       op->name);
	if (point->v[KEY_STREAMS] > 1 &&
	    (point->v[KEY_READBACK] || !mc_bandwidth_loop(point)->run_streams))
		return mc_fail(&run->error, -EINVAL,
			       "streams: op=%s%s goes through memory in one stream; use streams=1",
			       op->name, point->v[KEY_READBACK] ? " readback=on" : "");
	if (!mc_fence_runs(point->v[KEY_FENCE]))
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "fence: this CPU has no %s; fence=none and fence=uc work on every CPU",
			       mc_name_of(mc_key_of(run->req->spec, KEY_FENCE)->names,
					  point->v[KEY_FENCE]));
	if (point->v[KEY_FENCE] == MC_FENCE_UC && !run->side->uc_word(run))
		return run->error.err;
	if (point->v[MC_KEY_SIZE] < SIZE_LEAST)
		return mc_fail(&run->error, -EINVAL,
			       "size: %llu bytes are too few; bandwidth takes %u at least",
			       point->v[MC_KEY_SIZE], SIZE_LEAST);
	if (!mc_bandwidth_bytes(run, point))
		return mc_fail(&run->error, -EINVAL,
			       "size: %llu bytes are less than %s for each of %u threads and %u arrays",
			       point->v[MC_KEY_SIZE],
			       point->v[KEY_STREAMS] > 1 ? "256 bytes a stream" :
			       op->turn ? "a turn of the loop" : "a line",
			       mc_threads_size(run->threads), op->arrays);
	return 0;
}
