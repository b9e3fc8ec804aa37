// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmio: what a driver pays for an access to a device, or to memory that is mapped like one.
 *
 * Accesses follow one another through the memory. A read is waited for. A write is not: it is
 * posted, so its time is the rate at which the memory takes writes. To know that a write has
 * arrived, a driver reads: write_read is that round trip. burst fills a line and flushes the
 * write-combining buffers.
 *
 * How much one burst carries: equally many stores go to blocks that are far apart, a run of
 * neighbouring bytes to each. As long as longer runs cost less, the stores of a run leave
 * the CPU together.
 *
 * How many bursts leave whole: see measure/bursts.c. When another CPU sees a store: see
 * mmio/arrive.c.
 *
 * The distribution of the times is measured afterwards, in batches of one access, or of as
 * many as the clock can time.
 */
#include "arch/mmio.h"
#include "arch/loops.h"
#include "benchmarks/mmio/arrive.h"
#include "core/math.h"
#include "measure/bursts.h"
#include "measure/batches.h"
#include "measure/measurement.h"
#include "measure/test.h"
#include "platform/clock.h"
#include "platform/os.h"

enum { KEY_OP = MC_KEY_FIRST, KEY_WIDTH, KEY_STORE, KEY_FENCE };

enum {
	COL_NS, COL_P50, COL_P99, COL_MAX, COL_BURST, COL_FLUSH_NS, COL_WIDE,
	COL_ACCESSES, COL_BATCH, COL_WHOLE, COL_WHOLE_LOW, COL_WHOLE_HIGH, COL_WHOLE_HOW,
	COL_READER, COL_POLL, COL_STORES, COL_LATE, COL_FLAGS, COL_OVERTAKES,
};

#define ACCESSES	1024ULL		/* of a pass; each stands for MC_LINE bytes */
#define COSTS_A_BATCH	16		/* times the clock cost that a batch lasts */
#define BLOCK		512ULL		/* distance between runs: the longest run */
#define BLOCKS_LEAST	32		/* more than a CPU can fill at once */
#define RUNS		10		/* run lengths: 1 to BLOCK bytes */
#define ROUNDS		5
#define PIECE		4096ULL
#define BURSTS		4096U		/* bursts that are timed one by one */

static const struct mc_name way_names[] = {
	{ "plain", MC_WAY_STORES }, { "c_loop", MC_WAY_C_LOOP },
	{ "movdir64b", MC_WAY_MOVDIR64B }, { "rep_movsb", MC_WAY_REP_MOVSB },
	{ "st1", MC_WAY_ST1 }, { "st4", MC_WAY_ST4 }, { "dgh", MC_WAY_DGH },
	{ "memcpy_toio", MC_WAY_MEMCPY_TOIO }, { "__iowrite64_copy", MC_WAY_IOWRITE64_COPY }, { }
};

static const struct mc_name fence_names[] = {
	{ "none", MC_FENCE_NONE }, { "sfence", MC_FENCE_SFENCE }, { "mfence", MC_FENCE_MFENCE },
	{ "locked", MC_FENCE_LOCKED }, { "dmb_oshst", MC_FENCE_DMB_OSHST },
	{ "dmb_osh", MC_FENCE_DMB_OSH }, { "dmb_sy", MC_FENCE_DMB_SY },
	{ "dsb_st", MC_FENCE_DSB_ST }, { "dsb_sy", MC_FENCE_DSB_SY }, { }
};

static const struct mc_key keys[] = {
	{ .name = "op", .column = "op", .preset = "read", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "read", MC_MMIO_READ }, { "write", MC_MMIO_WRITE },
			    { "write_read", MC_MMIO_WRITE_READ }, { "burst", MC_MMIO_BURST },
			    { "arrive", MC_MMIO_ARRIVE }),
	  .help = "write: posted; write_read: read back; burst: 64 bytes, flushed; arrive: seen" },
	{ .name = "width", .column = "width_bytes", .preset = "4", .kind = MC_CHOICE,
	  .names = MC_NAMES({ "1", 1 }, { "2", 2 }, { "4", 4 }, { "8", 8 }, { "16", 16 },
			    { "32", 32 }, { "64", 64 }), .help = "bytes an access" },
	{ .name = "store", .column = "store", .preset = "plain", .kind = MC_CHOICE,
	  .names = way_names,
	  .help = "op=burst: how 64 bytes are stored; plain: by stores of width=" },
	{ .name = "fence", .column = "fence", .preset = "none", .kind = MC_CHOICE,
	  .names = fence_names,
	  .help = "op=arrive: what is behind the store; locked: an instruction with LOCK" },
};

enum { WIDE_LIKE_NARROW, WIDE_ALL_ONES };

enum { WHOLE_ALONE, WHOLE_BY_RATE, WHOLE_NOT_TOLD_APART };

static const struct mc_column columns[] = {
	[COL_NS] = { .name = "ns_per_access", .unit = "ns an access", .roles = MC_MAIN | MC_EACH,
	  .decimals = 3,
	  .help = "time of an access, from the median sample; burst: 64 bytes and a flush" },
	[COL_P50] = { .name = "p50_ns_per_access", .decimals = 3, .json_only = true,
	  .help = "time that half of all accesses took at most, by batches" },
	[COL_P99] = { .name = "p99_ns_per_access", .decimals = 3,
	  .help = "time that 99 % of all accesses took at most, by batches" },
	[COL_MAX] = { .name = "max_ns_per_access", .decimals = 3,
	  .help = "time of the slowest access, or batch" },
	[COL_BURST] = { .name = "burst_bytes",
	  .help = "bytes that leave the CPU together when neighbouring stores combine" },
	[COL_FLUSH_NS] = { .name = "flush_ns", .decimals = 3,
	  .help = "what the flush behind 64 bytes costs, beyond writing them in a stream" },
	[COL_WIDE] = { .name = "wide_reads",
	  .names = MC_NAMES({ "like_narrow", WIDE_LIKE_NARROW }, { "all_ones", WIDE_ALL_ONES }),
	  .help = "all_ones: reads of this width do not get what reads of 4 bytes get" },
	[COL_ACCESSES] = { .name = "accesses_per_pass", .roles = MC_COUNT | MC_DETAIL,
	  .json_only = true, .help = "accesses of a pass" },
	[COL_BATCH] = { .name = "batch_accesses", .roles = MC_DETAIL, .json_only = true,
	  .help = "accesses timed together for percentiles, maximum and histogram" },
	[COL_WHOLE] = { .name = "whole_percent", .roles = MC_DETAIL, .decimals = 4,
	  .help = "share of the bursts of 64 bytes that left the CPU in one transaction" },
	[COL_WHOLE_LOW] = { .name = "whole_low_percent", .roles = MC_DETAIL, .decimals = 4,
	  .help = "lower end of the interval that has this share with 99 % confidence" },
	[COL_WHOLE_HIGH] = { .name = "whole_high_percent", .roles = MC_DETAIL, .decimals = 4,
	  .help = "upper end of this interval" },
	[COL_WHOLE_HOW] = { .name = "whole_how",
	  .names = MC_NAMES({ "alone", WHOLE_ALONE }, { "by_rate", WHOLE_BY_RATE },
			    { "not_told_apart", WHOLE_NOT_TOLD_APART }), .roles = MC_DETAIL,
	  .help = "how one transaction was told from two: of single bursts, or by their rate" },
	[COL_READER] = { .name = "reader_cpu", .roles = MC_DETAIL,
	  .help = "CPU that looks for the stores" },
	[COL_POLL] = { .name = "poll_ns", .decimals = 3,
	  .help = "mean time from one of its looks to the next one" },
	[COL_STORES] = { .name = "stores", .roles = MC_DETAIL, .json_only = true,
	  .help = "stores that were looked for" },
	[COL_LATE] = { .name = "late",
	  .help = "of them, those that 40 us had not brought, so that their CPU drove them out" },
	[COL_FLAGS] = { .name = "flags", .roles = MC_DETAIL,
	  .help = "stores with a fence and a flag behind them" },
	[COL_OVERTAKES] = { .name = "overtakes",
	  .help = "of them, those that were not there when the flag was" },
};

/**
 * struct mmio_job - a point, on one CPU
 * @meas: the measurement
 * @loops: loops of the width
 * @run: that of the operation
 * @op: the operation (enum mc_mmio_op)
 * @view: the memory
 * @bytes: its size
 * @step: bytes from an access to the next one
 * @way: way to store a line; without @copy: by the loop of the width
 * @at: offset of the next access
 * @touched: bytes accessed since the sample began
 * @value: what is stored: all of its bytes are equal
 * @wrong: differences between what was stored and what was read
 * @wide_ones: reads of this width return ones where narrow reads do not
 * @batches: batches of accesses
 * @runs: fastest time of ACCESSES stores in runs of 1, 2, 4, ... bytes, picoseconds; 0: not
 *        measured
 * @stream: the same in one run
 * @bypasses_caches: stores leave the CPU in bursts; cached memory takes them into its caches
 * @bursts: of MC_MMIO_BURST: bursts that are timed one by one
 * @arrive: of MC_MMIO_ARRIVE: the stores, and who sees them
 */
struct mmio_job {
	struct mc_measurement meas;
	const struct mc_mmio_loop *loops;
	mc_mmio_run run;
	enum mc_mmio_op op;
	const struct mc_view *view;
	u64 bytes;
	u64 step;
	struct mc_mmio_copy way;
	u64 at;
	u64 touched;
	u64 value;
	u64 wrong;
	bool wide_ones;
	struct mc_batches batches;
	u64 runs[RUNS];
	u64 stream;
	bool bypasses_caches;
	struct mc_bursts bursts;
	struct mc_arrive arrive;
};

static bool arrives(const struct mc_point *point)
{
	return point->v[KEY_OP] == MC_MMIO_ARRIVE;
}

static bool mmio_reads_only(const struct mc_point *point)
{
	return point->v[KEY_OP] == MC_MMIO_READ;
}

/* Can a line be stored in this way, here? */
static int check_way(struct mc_run *run, const struct mc_point *point)
{
	u64 way = point->v[KEY_STORE];
	const char *name = mc_name_of(way_names, way);

	if (way == MC_WAY_STORES)
		return 0;
	if (point->v[KEY_OP] != MC_MMIO_BURST)
		return mc_fail(&run->error, -EINVAL, "store: %s stores 64 bytes; use op=burst",
			       name);
	if (way >= MC_WAY_MEMCPY_TOIO && !mc_mmio_ways[way].copy)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "store: %s is a function of the kernel; user space has none, nor has User-Mode Linux",
			       name);
	if (!mc_mmio_ways[way].copy || !mc_cpu_has(mc_mmio_ways[way].feature))
		return mc_fail(&run->error, -EOPNOTSUPP, "store: this CPU has no %s", name);
	return 0;
}

static int mmio_check(struct mc_run *run, const struct mc_point *point)
{
	const struct mc_mmio_loop *loops = mc_mmio_loop_find(point->v[KEY_WIDTH]);

	if (!loops || !mc_cpu_has(loops->feature))
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "width: this CPU has no access of %llu bytes", point->v[KEY_WIDTH]);
	if (!mc_fence_runs(point->v[KEY_FENCE]))
		return mc_fail(&run->error, -EOPNOTSUPP, "fence: this CPU has no %s",
			       mc_name_of(fence_names, point->v[KEY_FENCE]));
	if (point->v[KEY_FENCE] != MC_FENCE_NONE && !arrives(point))
		return mc_fail(&run->error, -EINVAL,
			       "fence: %s is behind the stores of op=arrive only",
			       mc_name_of(fence_names, point->v[KEY_FENCE]));
	if (arrives(point) && mc_threads_size(run->threads) < 2)
		return mc_fail(&run->error, -EINVAL,
			       "cpu: op=arrive needs a second CPU, which sees the store; list two at least, or all");
	return check_way(run, point);
}

/* ------------------------------------------------------------- on the thread */

/* Store and flush @n lines in the way of the request. Return: 0, as the loops do. */
static u64 burst_lines(const struct mmio_job *job, u8 *at, u64 n)
{
	for (; n; n--, at += MC_LINE) {
		job->way.copy(at, job->bursts.source);
		mc_drain();
	}
	return 0;
}

/* Make @n accesses, from where the last ones ended; the first place follows the last one. */
static void make_accesses(void *arg, u64 n)
{
	struct mmio_job *job = arg;
	u64 left, now, found;
	void *at;

	for (; n; n -= now) {
		at = mc_view_at(job->view, job->at, &left);
		now = min(n, min(left, job->bytes - job->at) / job->step);
		found = job->way.copy ? burst_lines(job, at, now) : job->run(at, now, job->value);
		if (job->op == MC_MMIO_WRITE_READ)
			job->wrong |= found;
		job->touched += now * job->step;
		job->at += now * job->step;
		if (job->at == job->bytes)
			job->at = 0;
	}
}

static void mmio_body(struct mc_loop_args *args)
{
	make_accesses(args->arg, args->bytes / MC_LINE);
}

/* Each sample begins at the first place, and stores another byte than the one before it. */
static int prepare_sample(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mmio_job *job = sampler->pass.arg;

	job->at = 0;
	job->touched = 0;
	job->value = (round % 255 + 1) * 0x0101010101010101ULL;
	job->bursts.value = job->value;
	if (job->bursts.source)
		memset(job->bursts.source, (u8)job->value, MC_LINE);
	return 0;
}

/* Reads of 4 bytes are those that every device answers. */
static int verify_sample(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	struct mmio_job *job = sampler->pass.arg;
	u64 at, left, bytes = min(job->touched, job->bytes) & ~3ULL;
	int err = 0;

	for (at = 0; at < bytes && !err; at += sizeof(u32)) {
		job->wrong |= READ_ONCE(*(u32 *)mc_view_at(job->view, at, &left)) ^
			      (u32)job->value;
		err = mc_threads_pause(w, at % PIECE);
	}
	return err;
}

/* Does a device answer wide reads by ones only, which is what a bus reads from nobody? */
static void compare_widths(struct mmio_job *job)
{
	mc_mmio_run narrow = mc_mmio_loop_find(4)->run[MC_MMIO_READ];
	u64 at, left;

	for (at = 0; at < min(job->bytes, BLOCK); at += job->step) {
		u32 *word = mc_view_at(job->view, at, &left);

		if (job->run(word, 1, 0) == ~0ULL &&
		    (narrow(word, 1, 0) & narrow(word + 1, 1, 0)) != ~0U)
			job->wide_ones = true;
	}
}

/*
 * ACCESSES stores in runs of @bytes, which begin @apart. Little else happens between two runs,
 * since it would count as if they cost it.
 */
static void store_runs(const struct mmio_job *job, u64 bytes, u64 apart)
{
	u64 stores = bytes / job->loops->width, runs = ACCESSES / stores;
	u64 end = job->bytes / apart * apart, offset = 0, left = 0;
	u8 *at = NULL;

	for (; runs; runs--, at += apart, left -= apart) {
		if (!left) {
			offset = offset == end ? 0 : offset;
			at = mc_view_at(job->view, offset, &left);
			left = min(left, end - offset);
			offset += left;
		}
		job->loops->run[MC_MMIO_WRITE](at, stores, job->value);
	}
}

/* @best: the fastest time of such runs, or 0 */
static int time_runs(struct mc_worker *w, const struct mmio_job *job, u64 bytes, u64 apart,
		     u64 *best)
{
	int err = mc_window_open(w, job->meas.settings.irq_off);
	u64 ps;

	if (err)
		return err;
	store_runs(job, bytes, apart);
	mc_drain();
	ps = mc_ticks_to_ps(mc_window_close(w));
	ps -= min(ps, mc_clock.cost_ps);
	*best = *best ? min(*best, ps) : ps;
	return 0;
}

static int time_all_runs(struct mc_worker *w, struct mmio_job *job)
{
	bool roomy = job->bytes / BLOCK >= BLOCKS_LEAST;
	unsigned int i, round;
	int err = 0;

	for (round = 0; !err && round < ROUNDS; round++) {
		err = time_runs(w, job, MC_LINE, MC_LINE, &job->stream);
		for (i = 0; !err && i < RUNS && roomy; i++) {
			if (1U << i >= job->loops->width)
				err = time_runs(w, job, 1U << i, BLOCK, &job->runs[i]);
		}
		mc_breathe();
	}
	return err;
}

static int time_all_bursts(struct mc_worker *w, struct mmio_job *job)
{
	int err = 0;

	while (!err && !mc_bursts_done(&job->bursts)) {
		err = mc_window_open(w, job->meas.settings.irq_off);
		if (err)
			break;
		mc_bursts_time(&job->bursts);
		mc_window_close(w);
		mc_breathe();
	}
	return err;
}

static int mmio_job(struct mc_worker *w, void *arg)
{
	struct mmio_job *job = arg;
	int err;

	if (job->op == MC_MMIO_ARRIVE)
		return mc_arrive_job(w, &job->arrive, &job->meas);
	if (job->op == MC_MMIO_READ && job->loops->width >= sizeof(u64))
		compare_widths(job);
	err = mc_measure(w, &job->meas);
	if (err || !job->meas.done || job->meas.samples[0] == MC_NO_SAMPLE)
		return err;
	err = mc_batches_time(&job->batches, w, job->meas.settings.irq_off,
			      job->meas.samples[0] / ACCESSES, COSTS_A_BATCH, make_accesses, job);
	if (!err && job->op == MC_MMIO_BURST && !job->way.copy)
		err = time_all_runs(w, job);
	if (!err && job->op == MC_MMIO_BURST && job->bypasses_caches)
		err = time_all_bursts(w, job);
	return err;
}

/* ---------------------------------------------------------------- the record */

/*
 * Bytes of the shortest run that costs at most half more a byte than the cheapest one; 0: not
 * known.
 */
static u64 burst_bytes(const struct mmio_job *job)
{
	u64 least = ~0ULL;
	unsigned int i;

	for (i = 0; i < RUNS; i++)
		least = job->runs[i] ? min(least, job->runs[i]) : least;
	for (i = 0; i < RUNS; i++) {
		if (job->runs[i] && 2 * job->runs[i] <= 3 * least)
			return 1ULL << i;
	}
	return 0;
}

static void set_burst(struct mc_record *rec, const struct mmio_job *job, u64 ps)
{
	u64 line = job->stream / (ACCESSES * job->loops->width / MC_LINE), bytes = burst_bytes(job);

	if (job->stream)
		mc_record_set(rec, COL_FLUSH_NS, ps - min(ps, line));
	if (bytes && job->bypasses_caches)
		mc_record_set(rec, COL_BURST, bytes);
}

static void set_whole(struct mc_record *rec, const struct mmio_job *job)
{
	const struct mc_share *s = &job->bursts.share;

	if (!job->bursts.times[MC_BURST].n || job->bursts.times[MC_BURST].n < job->bursts.room)
		return;
	mc_record_set(rec, COL_WHOLE_HOW, !s->known ? WHOLE_NOT_TOLD_APART :
		      job->bursts.by_rate ? WHOLE_BY_RATE : WHOLE_ALONE);
	if (!s->known)
		return;
	if (s->one_figure)
		mc_record_set(rec, COL_WHOLE, s->ppm);
	mc_record_set(rec, COL_WHOLE_LOW, s->low_ppm);
	mc_record_set(rec, COL_WHOLE_HIGH, s->high_ppm);
}

static void set_distribution(struct mc_record *rec, struct mmio_job *job)
{
	struct mc_stats stats;

	mc_batches_record(&job->batches, &stats, rec);
	if (!job->batches.n)
		return;
	mc_record_set(rec, COL_P50, stats.p50_ps);
	mc_record_set(rec, COL_P99, stats.p99_ps);
	mc_record_set(rec, COL_MAX, stats.max_ps);
	mc_record_set(rec, COL_BATCH, job->batches.size);
}

static void set_arrival(struct mc_record *rec, const struct mmio_job *job, const struct mc_run *run)
{
	const struct mc_arrive_counts *all = &job->arrive.all;

	mc_record_set(rec, COL_READER, mc_threads_cpu(run->threads, mc_second_thread(run)));
	mc_record_set(rec, COL_STORES, all->stores);
	mc_record_set(rec, COL_LATE, all->late);
	mc_record_set(rec, COL_FLAGS, all->flags);
	mc_record_set(rec, COL_OVERTAKES, all->overtakes);
	if (all->looks)
		mc_record_set(rec, COL_POLL, mc_ticks_to_ps(all->polled) / all->looks);
}

static void mmio_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct mmio_job *job = arg;
	u64 ps, accesses = job->op == MC_MMIO_ARRIVE ? MC_ARRIVE_STORES : ACCESSES;

	mc_measurement_record(&job->meas, rec);
	if (job->meas.done && job->op != MC_MMIO_READ)
		rec->verified = job->wrong || job->arrive.all.lost ? MC_VERIFIED_FAILED :
								      MC_VERIFIED_OK;
	mc_record_set(rec, COL_ACCESSES, accesses);
	if (!rec->stats.samples)
		return;
	ps = mc_rounded(rec->stats.median_ps, 1, accesses);
	mc_record_set(rec, COL_NS, ps);
	if (job->op == MC_MMIO_ARRIVE) {
		set_arrival(rec, job, run);
		return;
	}
	if (job->op == MC_MMIO_READ && job->loops->width >= sizeof(u64))
		mc_record_set(rec, COL_WIDE, job->wide_ones ? WIDE_ALL_ONES : WIDE_LIKE_NARROW);
	set_burst(rec, job, ps);
	set_whole(rec, job);
	set_distribution(rec, job);
}

/* A counted overtake shows that a fence is not enough. Nothing shows that one is. */
static bool arrival_note(struct mc_text *t, const struct mc_record *rec)
{
	const char *fence = mc_name_of(fence_names, rec->point.v[KEY_FENCE]);

	if (!(rec->has >> COL_FLAGS & 1))
		return false;
	if (rec->value[COL_OVERTAKES])
		mc_textf(t, "fence: %s is not enough: %llu of %llu flags overtook their stores\n",
			 fence, rec->value[COL_OVERTAKES], rec->value[COL_FLAGS]);
	else
		mc_textf(t, "fence: behind %s, no overtake was seen in %llu\n", fence,
			 rec->value[COL_FLAGS]);
	return true;
}

static bool mmio_note(struct mc_text *t, const struct mc_record *rec)
{
	if (arrives(&rec->point))
		return arrival_note(t, rec);
	if (!(rec->has >> COL_WIDE & 1) || rec->value[COL_WIDE] != WIDE_ALL_ONES)
		return false;
	mc_textf(t,
		 "width: reads of %llu bytes give ones only, unlike those of 4 bytes; the device may not answer wide reads\n",
		 rec->point.v[KEY_WIDTH]);
	return true;
}

static int begin_bursts(struct mmio_job *job, const struct mc_run *run,
			const struct mc_point *point, struct mc_error *e)
{
	u64 *memory;

	job->bursts = (struct mc_bursts){
		.view = run->area.view, .bytes = point->v[MC_KEY_SIZE],
		.loops = mc_mmio_loop_find(point->v[KEY_WIDTH]),
		.way = mc_mmio_ways[point->v[KEY_STORE]],
		.vectors = true,
	};
	if (point->v[KEY_OP] != MC_MMIO_BURST)
		return 0;
	memory = mc_measurement_array(&job->meas, MC_BURSTS_WORDS(BURSTS), sizeof(*memory));
	if (!memory)
		return mc_fail(e, -ENOMEM, "op: no memory for the times of %u bursts", BURSTS);
	mc_bursts_begin(&job->bursts, memory, BURSTS);
	return 0;
}

static int mmio_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	struct mmio_job *job = arg;
	struct mc_sampler *sampler = job->meas.each;
	int err;

	static_assert(MC_LINE == MC_MMIO_LINE);
	job->loops = mc_mmio_loop_find(point->v[KEY_WIDTH]);
	job->op = point->v[KEY_OP];
	job->run = job->loops->run[job->op];
	job->view = run->area.view;
	job->bytes = point->v[MC_KEY_SIZE];
	job->step = job->op == MC_MMIO_BURST ? MC_LINE : job->loops->width;
	job->way = mc_mmio_ways[point->v[KEY_STORE]];
	job->bypasses_caches = point->v[MC_KEY_TYPE] != MC_WB &&
			       run->area.effective != MC_EFFECT_NO;
	sampler->pass = (struct mc_pass){
		.body = mmio_body, .arg = job,
		.variant = job->way.copy ? (const void *)&mc_mmio_ways[point->v[KEY_STORE]] :
					   &job->loops->run[job->op],
		.bytes = MC_LINE * ACCESSES,
		.drain = job->op == MC_MMIO_WRITE,
	};
	job->meas.hooks.prepare = prepare_sample;
	job->meas.hooks.verify = job->op == MC_MMIO_READ ? NULL : verify_sample;
	if (arrives(point)) {
		u64 left;

		job->arrive = (struct mc_arrive){
			.run = job->loops->run, .at = mc_view_at(job->view, 0, &left),
			.mask = job->loops->width < 8 ? (1ULL << 8 * job->loops->width) - 1 : ~0ULL,
			.fence = point->v[KEY_FENCE], .storer = run->part,
		};
		mc_arrive_set_up(&job->arrive, &job->meas);
	}
	err = mc_batches_begin(&job->batches, &job->meas, &run->error);
	return err ? err : begin_bursts(job, run, point, &run->error);
}

const struct mc_test mc_test_mmio = {
	.spec = {
		.name = "mmio",
		.help = "time of an access as a driver makes it to a device; CPUs take turns",
		.presets = "size=64K",
		MC_KEYS_AND_COLUMNS,
		.width = KEY_WIDTH,
	},
	.records = MC_RECORD_OF_CPU,
	.histogram = true,
	.second = arrives,
	.reads_only = mmio_reads_only,
	.note = mmio_note,
	.check = mmio_check,
	.job_bytes = sizeof(struct mmio_job),
	.set_up = mmio_set_up,
	.job = mmio_job,
	.fill = mmio_fill,
};
