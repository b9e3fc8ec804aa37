// SPDX-License-Identifier: GPL-2.0-only
/*
 * bandwidth: how many bytes a second a loop moves.
 *
 * Each operand is an array, and each thread owns a slice of it. The slices of one
 * array lie side by side, so that the neighbours of a slice that is read are read, too:
 * prefetchers cross borders. With data=counter words hold consecutive integers before
 * every operation, so the sum over an array is known after it: a write stores the next few
 * integers in each pass, a copy preserves the integers, an rmw adds one to
 * each word. Operations that repeat one byte store another byte in each pass. With
 * data=random the words grow by a large odd step in place of one. With data=zero all
 * words are zero, before and after; the written array holds integers before a sample
 * that is verified, so that a lost store shows. For the triad a = b + 2 * c the integers
 * and its like are the mantissas of doubles:
 *
 *   c = 1 + (C + i) / 2^52        bits 0x3ff << 52 | C + i
 *   b = 2 + 2 (B + i) / 2^52      bits 0x400 << 52 | B + i
 *   a = 4 + 4 ((B + C) / 2 + i) / 2^52, exact with or without FMA if B + C is even
 *
 * scale, a = 2 * b, has this b, and add, a = b + c, has a c like it. In a = b + c * d all words of
 * d are 2, whose bits are those of b without B + i.
 */
#include "arch/own.h"
#include "arch/random.h"
#include "benchmarks/bandwidth/check.h"
#include "core/math.h"
#include "measure/core_clock.h"
#include "measure/source.h"
#include "measure/side.h"
#include "measure/measurement.h"
#include "platform/cpus.h"
#include "platform/os.h"

enum {
	COL_MB_PER_S, COL_MB_PER_S_MAX, COL_TRAVERSED, COL_PASSES, COL_CORE_MHZ,
	COL_CORE_MHZ_AFTER,
	COL_BYTES_PER_CYCLE, COL_LEVEL, COL_OWN_LOOP, COL_PIECE_NS, COL_USES,
};

enum { VERIFY_OFF, VERIFY_EACH, VERIFY_DEFERRED };

#define EXTENT_MOST	(4ULL << 20)	/* a block of memory */

#define EACH_BYTE	0x0101010101010101ULL
#define ONE_BITS	(0x3ffULL << 52)
#define TWO_BITS	(0x400ULL << 52)
#define FOUR_BITS	(0x401ULL << 52)

static const struct mc_name op_names[] = {
#define OP(id, word, ...) { word, MC_OP_##id }
#include "arch/ops.h"
#undef OP
	{ }
};

/* Loops that have only one width. */
static const struct mc_name width_outcomes[] = { { "1", 1 }, { "4", 4 }, { } };

static const struct mc_name fence_names[] = {
	{ "none", MC_FENCE_NONE }, { "sfence", MC_FENCE_SFENCE },
	{ "mfence", MC_FENCE_MFENCE }, { "uc", MC_FENCE_UC },
	{ "dmb_sy", MC_FENCE_DMB_SY }, { "dmb_ish", MC_FENCE_DMB_ISH },
	{ "dmb_ishld", MC_FENCE_DMB_ISHLD }, { "dmb_ishst", MC_FENCE_DMB_ISHST },
	{ "dmb_osh", MC_FENCE_DMB_OSH }, { "dmb_oshld", MC_FENCE_DMB_OSHLD },
	{ "dmb_oshst", MC_FENCE_DMB_OSHST }, { "dsb_sy", MC_FENCE_DSB_SY },
	{ "dsb_ld", MC_FENCE_DSB_LD }, { "dsb_st", MC_FENCE_DSB_ST },
	{ "dsb_ish", MC_FENCE_DSB_ISH }, { "dsb_ishst", MC_FENCE_DSB_ISHST }, { }
};

static const struct mc_name uses_names[] = {
	{ "rep_movsb", MC_USES_MOVSB }, { "rep_movsq", MC_USES_MOVSQ },
	{ "rep_stosb", MC_USES_STOSB }, { "rep_stosq", MC_USES_STOSQ },
	{ "loop", MC_USES_LOOP }, { "streaming", MC_USES_STREAMING }, { }
};

static const struct mc_key keys[] = {
	{ .name = "op", .column = "op", .preset = "read", .kind = MC_CHOICE, .names = op_names,
	  .help =
	  "what the loop does; nt: non-temporal; scale: a=2b, add: a=b+c, triad: a=b+2c, triad4: a=b+cd; rw31: 3 bytes read for 1 written, as asked for; ntrw31: the same with non-temporal stores; own: a loop that `memcache loop` has built; from memcpy_toio on: the kernel's own functions",
	},
	{ .name = "width", .column = "width_bytes", .preset = "max", .kind = MC_CHOICE,
	  .names = mc_width_names, .outcomes = width_outcomes, .found = true,
	  .help = "bytes of each access; max: the widest that this CPU has" },
	{ .name = "fence", .column = "fence", .preset = "none", .kind = MC_CHOICE,
	  .names = fence_names,
	  .help = "fence after each pass; uc: a store to an uncached page that is read back" },
	{ .name = "verify", .column = "verify", .preset = "each", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "each", VERIFY_EACH }, { "deferred", VERIFY_DEFERRED },
			    { "off", VERIFY_OFF }), .json_only = true,
	  .help = "sum the words after each sample, after the last one, or never" },
	{ .name = "readback", .column = "readback", .preset = "off", .kind = MC_CHOICE,
	  .names = mc_on_off, .json_only = true,
	  .help = "op=write: compare each word within the pass, which counts as reading" },
	{ .name = "streams", .column = "streams", .preset = "1", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "1", 1 }, { "2", 2 }, { "4", 4 }, { "8", 8 },
			    { "16", MC_STREAMS_MAX }),
	  .help = "parts of each array that are accessed in turn, 256 bytes of each" },
	{ .name = "data", .column = "data", .preset = "counter", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "counter", MC_DATA_COUNTER }, { "random", MC_DATA_RANDOM },
			    { "zero", MC_DATA_ZERO }), .found = true, .json_only = true,
	  .help = "words that are written: consecutive integers, random numbers or zeros" },
	{ .name = "pattern", .column = "pattern", .preset = "sequential", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "sequential", 0 }, { "random", 1 }),
	  .help = "order of the lines of each array; random: each once a pass" },
	{ .name = "align", .column = "align_bytes", .preset = "0", .kind = MC_NUMBER, .max = 63,
	  .json_only = true, .help = "bytes from the start of a line to the start of each array" },
	{ .name = "distance", .column = "distance_bytes", .preset = "auto", .kind = MC_NUMBER,
	  .names = MC_NAMES({ "auto", MC_AUTO }), .max = MC_BANDWIDTH_PAGE - 1, .json_only = true,
	  .help = "bytes from the first array to each other one, modulo 4 KiB" },
	{ .name = "tail", .column = "tail_bytes", .preset = "0", .kind = MC_NUMBER, .max = 63,
	  .json_only = true, .help = "bytes of each array behind its last whole line" },
	{ .name = "extent", .column = "extent_bytes", .preset = "auto", .kind = MC_SIZE,
	  .names = MC_NAMES({ "auto", MC_AUTO }), .min = 64, .max = EXTENT_MOST, .multiple = 64,
	  .json_only = true,
	  .help = "bytes of each call of a kernel's function; auto: all that lie side by side" },
	{ .name = "piece", .column = "piece_bytes", .preset = "none", .kind = MC_SIZE,
	  .names = MC_NAMES({ "none", 0 }), .min = 64, .max = 1ULL << 42, .multiple = 64,
	  .json_only = true,
	  .help = "bytes behind which a kernel's function lets others run, by cond_resched()" },
};

static const struct mc_column columns[] = {
	[COL_MB_PER_S] = { .name = "mb_per_s", .unit = MC_UNIT_MB, .roles = MC_MAIN,
	  .rate = true, .help = "payload of all threads, 10^6 bytes/s, from the median sample" },
	[COL_MB_PER_S_MAX] = { .name = "mb_per_s_max", .roles = MC_DETAIL, .rate = true,
	  .json_only = true,
	  .help = "payload of all threads, 10^6 bytes/s, from the fastest sample" },
	[COL_TRAVERSED] = { .name = "traversed_bytes", .roles = MC_DETAIL, .json_only = true,
	  .help = "bytes that a pass traverses: size= in whole lines" },
	[COL_PASSES] = { .name = "passes_per_sample", .roles = MC_DETAIL, .json_only = true,
	  .help = "passes timed together, so that the clock's cost is small" },
	[COL_CORE_MHZ] = { .name = "core_mhz", .roles = MC_DETAIL, .json_only = true,
	  .help = "clock of the core before the samples; with several threads their mean" },
	[COL_CORE_MHZ_AFTER] = { .name = "core_mhz_after", .roles = MC_DETAIL, .json_only = true,
	  .help = "clock of the core after the samples; with several threads their mean" },
	[COL_BYTES_PER_CYCLE] = { .name = "bytes_per_core_cycle", .roles = MC_DETAIL,
	  .decimals = 2, .json_only = true,
	  .help = "payload of a thread per cycle of its core, read before each sample" },
	[COL_LEVEL] = MC_LEVEL_COLUMN,
	[COL_OWN_LOOP] = { .name = "own_loop", .roles = MC_WHICH, .text = true,
	  .help = "loop of op=own: its name, and the start of its file's SHA-256 sum" },
	[COL_PIECE_NS] = { .name = "ns_per_piece", .roles = MC_DETAIL, .json_only = true,
	  .help = "time between two preemption points of a thread, from the median sample" },
	[COL_USES] = { .name = "function_uses", .json_only = true, .names = uses_names,
	  .help = "what a kernel's function uses, by the CPU flags that it is built by" },
};

/* A thread's part of the point. */
struct slice {
	enum mc_op op;
	unsigned int verify;
	struct mc_scatter scatter;	/* order of the lines, if it is random */
	unsigned int width;	/* of accesses that are not timed, at most */
	u64 bytes;		/* of the whole lines of an array */
	bool odd;		/* an array ends in a further line */
	u64 data;		/* MC_DATA_* */
	u64 first;		/* first word of the operand arrays */
	u64 refilled;		/* passes that were done when the arrays were last filled */
	u64 offset[MC_ARRAYS_MAX];	/* of each array at the first position */
	u64 stride;		/* bytes from a position to the next */
	unsigned int tail;	/* bytes behind the last line of an array */
};

/* Nobody can tell what a loop of one's own really does. */
static bool bandwidth_reads_only(const struct mc_point *point)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];

	return !op->stores && !op->registered;
}

/* ----------------------------------------------------------- untimed work */

/* A pass over the first array: it fills, sums or flushes it. */
static struct mc_pass beside(const struct mc_sampler *sampler, const struct slice *s, enum mc_op op)
{
	struct mc_pass p = mc_pass_beside(&sampler->pass, op, op == MC_OP_FLUSH ? ~0U : s->width);

	p.bytes = s->bytes + (s->odd && op != MC_OP_SUM ? 64 : 0);
	return p;
}

/* Do a pass over each array that the operation stores to. */
static int over_written(struct mc_worker *w, const struct mc_sampler *sampler, struct mc_pass *p)
{
	const struct mc_op_info *op = &mc_ops[sampler->pass.loop->op];
	unsigned int i;
	int err = 0;

	for (i = 0; i < mc_op_written(op) && !err; i++) {
		p->offset[0] = sampler->pass.offset[i];
		err = mc_pass_untimed(w, p);
	}
	return err;
}

/* Is an array the factor of the one before it: the same double in all words? */
static bool is_factor(const struct slice *s, unsigned int array)
{
	return array == 3 && (s->op == MC_OP_TRIAD4 || s->op == MC_OP_NTTRIAD4);
}

static int fill_array(struct mc_worker *w, struct mc_sampler *sampler, int array, u64 first)
{
	struct slice *s = (struct slice *)sampler->shared->arg + w->index;
	struct mc_pass fill = beside(sampler, s, MC_OP_FILL);

	fill.offset[0] = sampler->pass.offset[array];
	fill.value = first;
	if (is_factor(s, array))
		fill.data = MC_DATA_ZERO;	/* nothing is added from word to word */
	return mc_pass_untimed(w, &fill);
}

/* First word of an array; arrays that are read hold different words. */
static u64 first_of_array(const struct slice *s, unsigned int array)
{
	if (s->data == MC_DATA_ZERO)
		return 0;
	if (is_factor(s, array))
		return TWO_BITS;
	if (mc_ops[s->op].stores == MC_STORES_TRIAD)
		return (array == 1 || s->op == MC_OP_ADD ? TWO_BITS : ONE_BITS) + s->first;
	return array > 1 ? array * s->first : s->first;
}

/*
 * Fill the arrays with new operands, so that the result of the last sample can't pass
 * for the result of this one.
 */
static int refill(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct slice *s = (struct slice *)sampler->shared->arg + w->index;
	const struct mc_op_info *op = &mc_ops[s->op];
	unsigned int i;
	int err = 0;

	s->first = (round + 1ULL) * (sampler->pass.bytes / 8);
	if (op->stores == MC_STORES_TRIAD)
		s->first &= (1ULL << 50) - 1;
	s->refilled = sampler->pass.tally.passes;
	if (op->arrays == 1)
		return fill_array(w, sampler, 0, first_of_array(s, 0));
	/* A loop whose result nobody knows may read what it writes. */
	i = op->stores == MC_STORES_UNKNOWN ? 0 : mc_op_written(op);
	for (; i < op->arrays && !err; i++)
		err = fill_array(w, sampler, i, first_of_array(s, i));
	return err;
}

/*
 * Is this sample verified? @last: it is, or may be, the last that is kept. Between the samples of a
 * loop that only loads, all at one position, nothing changes, so a look after the first and the
 * last of them is enough. The first one is for runs that are cut short.
 */
static bool verifies(const struct mc_sampler *sampler, const struct slice *s, bool last)
{
	const struct mc_op_info *op = &mc_ops[s->op];

	if (op->stores == MC_STORES_UNKNOWN || s->verify == VERIFY_OFF)
		return false;
	return last || (s->verify == VERIFY_EACH &&
			(op->stores || op->sums || sampler->shared->positions > 1 ||
			 sampler->shared->done <= 1));
}

/* Does the operation need new operands for its result to be new? */
static bool has_operands(const struct mc_op_info *op)
{
	return op->stores == MC_STORES_COPY || op->stores == MC_STORES_ONE_MORE ||
	       op->stores == MC_STORES_TRIAD || op->stores == MC_STORES_OR;
}

static int bandwidth_prepare(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct slice *s = (struct slice *)sampler->shared->arg + w->index;
	const struct mc_op_info *op = &mc_ops[s->op];
	const struct mc_measurement *meas = sampler->shared;
	bool poison = s->data == MC_DATA_ZERO && op->stores &&
		     verifies(sampler, s, meas->done + 1 >= meas->settings.repeat);
	int err = 0;

	if (!round || (s->verify == VERIFY_EACH && has_operands(op)))
		err = refill(w, sampler, round);
	/* Zeros of an earlier sample would pass for the zeros of this one. */
	if (!err && poison) {
		struct mc_pass other = beside(sampler, s, MC_OP_FILL);

		other.data = MC_DATA_COUNTER;
		other.value = 1;
		err = over_written(w, sampler, &other);
	}
	/*
	 * Filling and verifying bring the array into the caches. On some CPUs (Zen 5) a
	 * non-temporal store that hits L1 stays there, which would not measure memory.
	 */
	if (!err && op->nontemporal && (!round || poison || s->verify == VERIFY_EACH)) {
		struct mc_pass flush = beside(sampler, s, MC_OP_FLUSH);

		err = over_written(w, sampler, &flush);
	}
	/* Each sample ends with another byte, and each thread with its own. */
	if (op->stores == MC_STORES_BYTE && s->data != MC_DATA_ZERO)
		sampler->pass.value = round + 37 * w->index;
	sampler->pass.tally.sum = 0;
	return err;
}

/* The pass and the untimed ones go through another position from now on, with new operands. */
static int bandwidth_move(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct slice *s = (struct slice *)sampler->shared->arg + w->index;
	struct mc_pass *p = &sampler->pass;
	unsigned int i;

	for (i = 0; i < mc_ops[s->op].arrays; i++)
		p->offset[i] = s->offset[i] + sampler->position * s->stride;
	return refill(w, sampler, round);
}

/*
 * Calibration, too, needs operands for a triad: the integers that an earlier point left
 * are denormals as doubles, which make some CPUs a hundred times slower.
 */
static int bandwidth_job(struct mc_worker *w, void *arg)
{
	struct mc_measurement *meas = arg;
	struct mc_sampler *sampler = &meas->each[meas->n > 1 ? w->index : 0];
	int err = 0;

	if (mc_ops[sampler->pass.loop->op].stores == MC_STORES_TRIAD)
		err = refill(w, sampler, 0);
	return err ? err : mc_measure(w, meas);
}

/* Sum of the words that the first array must hold now. */
static u64 sum_of_first(const struct slice *s, const struct mc_pass *p)
{
	u64 words = s->bytes / 8, step = mc_data_step(p->data);

	if (p->data == MC_DATA_ZERO)
		return 0;
	switch (mc_ops[s->op].stores) {
	case MC_STORES_COUNTER:
		return mc_pass_sum(p);
	case MC_STORES_ONE_MORE:
		return mc_sum_of_run(s->first + p->tally.passes - s->refilled, step, words);
	case MC_STORES_OR:	/* every second word was even, since the step is odd */
		return mc_sum_of_run(s->first, step, words) + words / 2;
	case MC_STORES_TRIAD:
		return mc_sum_of_run(FOUR_BITS + s->first, step, words);
	case MC_STORES_BYTE:
		return words * EACH_BYTE * (u8)(p->value - 1);
	default:
		return mc_sum_of_run(s->first, step, words);
	}
}

/* Are the bytes behind the last line of the first array those that they must be? */
static bool tail_is_right(const struct slice *s, const struct mc_pass *p)
{
	const u8 *at[2], byte = p->data == MC_DATA_ZERO ? 0 : p->value - 1;
	unsigned int i;
	u64 left;

	for (i = 0; i < min(mc_ops[s->op].arrays, 2U); i++)
		at[i] = mc_view_at(p->view, p->offset[i] + s->bytes, &left);
	for (i = 0; i < s->tail && mc_ops[s->op].stores; i++) {
		if (at[0][i] != (mc_ops[s->op].stores == MC_STORES_COPY ? at[1][i] : byte))
			return false;
	}
	return true;
}

/* Sum of the words that one pass must have read and added up. */
static u64 sum_of_read(const struct slice *s, const struct mc_pass *p)
{
	unsigned int i = mc_op_written(&mc_ops[s->op]);
	u64 sum = 0;

	for (; i < mc_ops[s->op].arrays; i++)
		sum += mc_sum_of_run(first_of_array(s, i), mc_data_step(p->data), p->bytes / 8);
	return sum;
}

static int bandwidth_verify(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct slice *s = (struct slice *)sampler->shared->arg + w->index;
	const struct mc_op_info *op = &mc_ops[s->op];
	struct mc_pass *p = &sampler->pass;
	struct mc_pass sum = beside(sampler, s, MC_OP_SUM);
	bool right = true;
	int err;

	if (p->readback)
		mc_sampler_verified(sampler, !p->tally.wrong);
	if (!verifies(sampler, s, !mc_measurement_wants(sampler->shared)))
		return 0;
	/* Some timed loops sum what they read in all their passes. */
	if (op->sums)
		right = p->tally.sum == sum_of_read(s, p) * sampler->sample.passes;
	if (op->stores || !op->sums) {
		err = op->stores ? over_written(w, sampler, &sum) : mc_pass_untimed(w, &sum);
		if (err)
			return err;
		right &= sum.tally.sum == sum_of_first(s, p) * max(mc_op_written(op), 1U) &&
			 tail_is_right(s, p);
	}
	/* A loop that only reads zeros has their sum even if it reads nothing. */
	if (!right || op->stores || !op->sums || p->data != MC_DATA_ZERO)
		mc_sampler_verified(sampler, right);
	return 0;
}

/* ----------------------------------------------------------------- the run */

/* Let the thread's pass go through its arrays in random order. */
static int set_scatter(struct mc_run *run, struct mc_sampler *sampler, struct slice *s,
		       const struct mc_part *part)
{
	struct mc_pass *p = &sampler->pass;
	unsigned int arrays = mc_ops[s->op].arrays;
	u64 size = arrays * part->n * p->bytes;
	void **blocks = mc_measurement_array(sampler->shared, size / MC_BLOCK_BYTES + 1,
					     sizeof(*blocks));

	if (!blocks)
		return mc_fail(&run->error, -ENOMEM,
			       "size: no memory for the list of blocks");
	if (!mc_view_blocks(part->view, 0, size, MC_BLOCK_BYTES, blocks))
		return mc_fail(&run->error, -ENOMEM, MC_NOT_IN_BLOCKS);
	mc_scatter_set(&s->scatter, p->bytes);
	s->scatter.blocks = blocks;
	memcpy(s->scatter.offset, p->offset, arrays * sizeof(u64));
	p->scatter = &s->scatter;
	return 0;
}

/*
 * Stores that bypass the caches, or lines that are flushed, find no other position different, and
 * the list of blocks for random order begins at the first position.
 */
static u32 bandwidth_positions(const struct mc_point *point, const struct mc_view *view, u64 bytes)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];

	if (op->nontemporal || op->flushes || point->v[KEY_PATTERN] || mc_bandwidth_odd(point))
		return 1;
	return mc_positions(point, view, bytes);
}

/*
 * Which of the loop's arrays no cache serves, because their lines are flushed or their stores go
 * past the caches. Caches serve the other arrays, and the lines that are read back.
 */
static enum mc_uncached bandwidth_uncached(const struct mc_point *point)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];

	if (!op->nontemporal && !op->flushes)
		return MC_UNCACHED_NONE;
	if (op->flushes || op->arrays > 1 || op->registered || point->v[KEY_READBACK])
		return MC_UNCACHED_SOME;
	return MC_NT_SURE ? MC_UNCACHED_ALL : MC_UNCACHED_SOME;
}

/*
 * Where the arrays of a thread begin. Those of one kind lie side by side, and each is one piece if
 * it does not begin with a line, since only loops know how to go on in the middle of one.
 */
static int set_offsets(struct mc_run *run, struct mc_pass *p, const struct mc_part *part,
		       const struct mc_point *point)
{
	u64 slot = p->bytes + mc_bandwidth_room(point), distance = point->v[KEY_DISTANCE], left;
	unsigned int i;

	for (i = 0; i < mc_ops[point->v[KEY_OP]].arrays; i++) {
		u64 base = ((u64)i * part->n + part->index) * slot;

		p->offset[i] = base + point->v[KEY_ALIGN];
		if (i && distance != MC_AUTO)
			p->offset[i] = base + (p->offset[0] + distance - base) % MC_BANDWIDTH_PAGE;
		mc_view_at(p->view, p->offset[i], &left);
		if (mc_bandwidth_odd(point) && left < p->bytes + 64)
			return mc_fail(&run->error, -EINVAL,
				       "size: arrays at odd places must be in one piece, and this memory is not; use a smaller size= or page=4k");
	}
	return 0;
}

static int set_up_thread(struct mc_run *run, struct mc_sampler *sampler, struct slice *s,
			 unsigned int index, const struct mc_point *point)
{
	struct mc_pass *p = &sampler->pass;
	unsigned int arrays = mc_ops[point->v[KEY_OP]].arrays;
	struct mc_part part = mc_measurement_part(sampler->shared->n, &run->area, index);
	unsigned int width = mc_point_width(run, point);
	int err;

	p->view = part.view;
	err = set_offsets(run, p, &part, point);
	if (err)
		return err;
	if ((p->offset[0] | p->offset[arrays - 1]) % 64)
		width = min(width, 8U);		/* words may be anywhere */
	p->data = mc_ops[point->v[KEY_OP]].stores == MC_STORES_ZERO ? MC_DATA_ZERO :
								      point->v[KEY_DATA];
	p->value = p->data == MC_DATA_ZERO ? 0 : (index + 1ULL) << 40;
	s->op = point->v[KEY_OP];
	s->verify = point->v[KEY_VERIFY];
	s->width = width;
	s->bytes = p->bytes;
	s->odd = mc_bandwidth_odd(point);
	s->data = p->data;
	s->tail = point->v[KEY_TAIL];
	p->bytes += s->tail;
	memcpy(s->offset, p->offset, sizeof(s->offset));
	s->stride = mc_position_bytes(arrays * part.n * p->bytes);
	sampler->shared->positions = min(sampler->shared->positions,
					 bandwidth_positions(point, part.view, s->stride));
	return point->v[KEY_PATTERN] ? set_scatter(run, sampler, s, &part) : 0;
}

static int bandwidth_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];
	struct mc_measurement *meas = arg;
	struct slice *slices = mc_measurement_threads(meas, sizeof(*slices), &run->error);
	void *uc_word = NULL;
	u64 user = 0;
	unsigned int i;
	int err = 0;

	meas->arg = slices;
	if (!slices)
		return -ENOMEM;
	if (point->v[KEY_FENCE] == MC_FENCE_UC) {
		uc_word = run->side->uc_word(run);
		if (!uc_word)
			return run->error.err;
	}
	meas->positions = ~0U;
	meas->hooks.move = bandwidth_move;
	meas->hooks.clock = mc_core_mhz;
	/* The memory holds data of others, so no sum is known that a read should find. */
	if (!mc_untouched(point)) {
		meas->hooks.prepare = bandwidth_prepare;
		meas->hooks.verify = bandwidth_verify;
	}
	for (i = 0; i < meas->n && !err; i++) {
		meas->each[i].pass = (struct mc_pass){
			.loop = mc_bandwidth_loop(point),
			.readback = point->v[KEY_READBACK] ?
				mc_loop_find(MC_OP_CHECK, mc_bandwidth_loop(point)->width) : NULL,
			.bytes = mc_bandwidth_bytes(run, point),
			.streams = point->v[KEY_STREAMS],
			.turn = mc_bandwidth_turn(point),
			.fence = point->v[KEY_FENCE],
			.drain = op->nontemporal || op->flushes ||
				 (op->stores && point->v[MC_KEY_TYPE] != MC_WB),
			.sleeps = op->user || point->v[KEY_PIECE],
			.extent = mc_bandwidth_takes_turn(op) ? op->turn :
				  point->v[KEY_EXTENT] == MC_AUTO ? 0 : point->v[KEY_EXTENT],
			.piece = point->v[KEY_PIECE],
			.whole = op->needs == MC_CPU_STRINGS && mc_window_preemptible(),
			.uc_word = uc_word,
		};
		err = set_up_thread(run, &meas->each[i], &slices[i], i, point);
	}
	if (!err && op->user && run->area.placement)
		err = mc_fail(&run->error, -EOPNOTSUPP,
			      "node: op=%s takes memory of one node; use node=auto or its number",
			      op->name);
	if (!err && op->user) {
		user = run->side->user_map(run, max(point->v[MC_KEY_SIZE],
						    meas->positions * slices->stride));
		err = user ? 0 : run->error.err;
	}
	for (i = 0; i < meas->n; i++)
		meas->each[i].pass.user = user;
	return err;
}

/* The clocks, and the payload of a thread in a cycle. */
static void set_clock(struct mc_record *rec, const struct mc_measurement *meas)
{
	u64 before = mc_measurement_mhz(meas, false);
	u64 after = mc_measurement_mhz(meas, true);

	if (before)
		mc_record_set(rec, COL_CORE_MHZ, before);
	if (after)
		mc_record_set(rec, COL_CORE_MHZ_AFTER, after);
	if (meas->median_cycles)
		mc_record_set(rec, COL_BYTES_PER_CYCLE,
			      mc_rounded(rec->payload_bytes, 100000,
					 meas->median_cycles * meas->n));
}

static void bandwidth_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	const struct mc_point *point = &rec->point;
	const struct mc_op_info *op = &mc_ops[point->v[KEY_OP]];
	struct mc_measurement *meas = arg;
	u64 arrays = meas->each->pass.bytes * meas->n;
	u64 payload = arrays / max(op->turn, 1ULL) *
		      (op->payload + !!point->v[KEY_READBACK]);

	mc_measurement_record(meas, rec);
	rec->payload_bytes = payload;
	rec->point.v[KEY_WIDTH] = meas->each->pass.loop->width;
	rec->point.v[KEY_DATA] = meas->each->pass.data;
	if (MC_IN_KERNEL && mc_kernel_uses(point->v[KEY_OP]) != MC_USES_UNKNOWN)
		mc_record_set(rec, COL_USES, mc_kernel_uses(point->v[KEY_OP]));
	if (op->registered)
		mc_record_set_text(rec, COL_OWN_LOOP, mc_own_name());
	mc_record_set(rec, COL_TRAVERSED, arrays * op->arrays);
	mc_record_set(rec, COL_PASSES, meas->each->cal.passes_a_sample);
	if (rec->stats.samples) {
		mc_record_set(rec, COL_MB_PER_S, mc_mb_per_s(payload, rec->stats.median_ps));
		mc_record_set(rec, COL_MB_PER_S_MAX, mc_mb_per_s(payload, rec->stats.min_ps));
		if (point->v[KEY_PIECE])
			mc_record_set(rec, COL_PIECE_NS,
				      mc_muldiv(rec->stats.median_ps, point->v[KEY_PIECE],
						meas->each->pass.bytes) / 1000);
	}
	set_clock(rec, meas);
}

const struct mc_test mc_test_bandwidth = {
	.spec = {
		.name = "bandwidth",
		.help = "memory bandwidth of an access loop",
		.presets = "size=auto",
		MC_KEYS_AND_COLUMNS,
		.width = KEY_WIDTH,
	},
	.level = COL_LEVEL,
	.uncached = bandwidth_uncached,
	.shares = true,
	.reads_only = bandwidth_reads_only,
	.check = mc_bandwidth_check,
	.job_bytes = sizeof(struct mc_measurement),
	.set_up = bandwidth_set_up,
	.job = bandwidth_job,
	.fill = bandwidth_fill,
};
