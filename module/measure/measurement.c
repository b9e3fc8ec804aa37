// SPDX-License-Identifier: GPL-2.0-only
/* What tests share before and after mc_measure(). */
#include "arch/random.h"
#include "core/math.h"
#include "core/stats.h"
#include "measure/disturbed.h"
#include "measure/side.h"
#include "measure/measurement.h"
#include "platform/clock.h"
#include "platform/os.h"

#define NEIGHBOUR	4	/* bit of MC_BY_NEIGHBOUR */
#define SAME_CLOCK	50	/* a clock that moves by one part in so many is the same */
#define STEADY_PPM	50000	/* samples that spread by more are not steady */

/**
 * mc_point_width() - how wide the accesses of a point may be, those that are not timed included
 * @run: the run
 * @point: the point
 *
 * Context: Any.
 * Return: bytes: as wide as the CPU can, but for memory that nobody vouches for no wider than
 * the request says.
 */
unsigned int mc_point_width(const struct mc_run *run, const struct mc_point *point)
{
	unsigned int key = run->req->spec->width;

	if (!mc_unvouched(point))
		return ~0U;
	if (!key || !mc_request_given(run->req, key))
		return MC_WIDTH_SAFE;
	return point->v[key] == MC_WIDTH_MAX ? ~0U : (unsigned int)max(point->v[key], 8ULL);
}

/**
 * mc_measurement_array() - memory that a point needs until its measurement ends
 * @meas: the measurement
 * @n: number of elements
 * @size: bytes of an element
 *
 * Context: Process, may sleep.
 * Return: the array, zeroed, which begins with a line where a large block does; or NULL.
 */
void *mc_measurement_array(struct mc_measurement *meas, u64 n, size_t size)
{
	void **list = mc_alloc_array(n + (MC_LINE + size - 1) / size, size);

	if (!list)
		return NULL;
	*list = meas->arrays.list;
	meas->arrays.list = list;
	return (u8 *)list + MC_LINE;
}

/* @array->where points to a pointer of any type, so the pointer is copied as bytes. */
static bool resize(struct mc_measurement *meas, struct mc_per_sample *array, u32 room)
{
	void *old, *new = mc_measurement_array(meas, room, array->size);

	memcpy(&old, array->where, sizeof(old));
	if (new && old)
		memcpy(new, old, meas->done * array->size);
	if (new)
		memcpy(array->where, &new, sizeof(new));
	return new;
}

/**
 * mc_measurement_per_sample() - the same with an element for each sample, which grows with them
 * @meas: the measurement
 * @where: pointer to the pointer to the array, both of any type
 * @size: bytes of an element
 *
 * Context: Process, may sleep.
 * Return: false: there is no memory, or there are MC_PER_SAMPLE_MOST such arrays.
 */
bool mc_measurement_per_sample(struct mc_measurement *meas, void *where, size_t size)
{
	struct mc_arrays *arrays = &meas->arrays;
	struct mc_per_sample *array = &arrays->per_sample[arrays->n];

	if (arrays->n == MC_PER_SAMPLE_MOST)
		return false;
	arrays->n++;
	*array = (struct mc_per_sample){ where, size };
	return resize(meas, array, arrays->room);
}

/**
 * mc_measurement_grow() - make room for twice as many samples
 * @meas: the measurement
 *
 * Context: One thread, while none keeps a sample; may sleep.
 * Return: false: there is no memory, or there are as many as there may be.
 */
bool mc_measurement_grow(struct mc_measurement *meas)
{
	u32 room = min(2 * meas->arrays.room, (u32)MC_MAX_REPEAT), i;

	for (i = 0; i < meas->arrays.n; i++) {
		if (room == meas->arrays.room || !resize(meas, &meas->arrays.per_sample[i], room))
			return false;
	}
	meas->arrays.room = room;
	return true;
}

/**
 * mc_measurement_threads() - the same with an element for each thread
 * @meas: the measurement
 * @size: bytes of an element
 * @e: result: explains it
 *
 * Context: Process, may sleep.
 * Return: the array, zeroed, or NULL.
 */
void *mc_measurement_threads(struct mc_measurement *meas, size_t size, struct mc_error *e)
{
	void *array = mc_measurement_array(meas, meas->n, size);

	if (!array)
		mc_fail(e, -ENOMEM, "cpu: no memory for %u thread%s", meas->n, MC_S(meas->n));
	return array;
}

/**
 * mc_measurement_begin() - set up the measurement of a point
 * @meas: result, which mc_measurement_end() must free even after an error; the test
 *        fills in each thread's pass
 * @run: the run
 * @point: asks for interrupts, warm-ups and samples
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM, explained in @run->error.
 */
int mc_measurement_begin(struct mc_measurement *meas, struct mc_run *run,
			 const struct mc_point *point)
{
	unsigned int i;

	*meas = (struct mc_measurement){
		.settings = {
			.irq_off = !point->v[MC_KEY_IRQ],
			.warmup = point->v[MC_KEY_WARMUP],
			.repeat = point->v[MC_KEY_REPEAT],
			.least = mc_ns_to_ticks(point->v[MC_KEY_TIME] * 1000000),
			.spread = mc_request_given(run->req, MC_KEY_TIME) ? 0 :
				  mc_ns_to_ticks(run->side->spread_ns),
		},
		.n = mc_threads_size(run->threads), .traffic.counters = run->counting,
		.hooks.tick = run->side->tick, .hooks.run = run,
		.disturbed.keep = point->v[MC_KEY_DISTURBED], .positions = 1,
		.arrays.room = point->v[MC_KEY_REPEAT], .quota.foreseen = point->v[MC_KEY_REPEAT],
	};
	meas->each = mc_measurement_array(meas, meas->n, sizeof(*meas->each));
	if (!meas->each ||
	    !mc_measurement_per_sample(meas, &meas->samples, sizeof(*meas->samples)) ||
	    !mc_measurement_per_sample(meas, &meas->disturbed.seen, 1) ||
	    !mc_measurement_per_sample(meas, &meas->cycles, sizeof(*meas->cycles)))
		return mc_fail(&run->error, -ENOMEM,
			       "repeat: no memory for %llu sample%s",
			       point->v[MC_KEY_REPEAT], MC_S(point->v[MC_KEY_REPEAT]));
	for (i = 0; i < meas->n; i++) {
		meas->each[i].shared = meas;
		meas->each[i].sample.worked = ~0ULL;
	}
	mc_settling_begin(&meas->settling, meas->settings.warmup, MC_CLOCK_UP_NS);
	return 0;
}

/**
 * mc_measurement_part() - a thread's part of the memory
 * @threads: number of threads that have a part
 * @area: the memory
 * @thread: index of the thread
 *
 * Return: the part.
 */
struct mc_part mc_measurement_part(unsigned int threads, const struct mc_area *area,
				   unsigned int thread)
{
	const struct mc_placement *placement = area->placement;
	const struct mc_node *node;

	if (!placement)
		return (struct mc_part){ area->view, thread, threads };
	node = mc_node_of(placement, thread);
	return (struct mc_part){
		node->area.view, placement->thread[thread].index, node->threads
	};
}

/* The most positions that samples take in turn. */
#define POSITIONS_MOST	8

/**
 * mc_positions() - number of positions in memory that samples can take in turn
 * @point: the point
 * @view: its memory
 * @bytes: bytes of memory at each position
 *
 * Which pages a working set has decides what the caches hold of it, from about half of a
 * cache on, and a buffer keeps its pages. So the samples go through several positions, as many as
 * the first block of the buffer has. Memory that is not cached, or not RAM, has one.
 *
 * Return: the number, at least 1.
 */
u32 mc_positions(const struct mc_point *point, const struct mc_view *view, u64 bytes)
{
	const struct mc_span *last = &view->spans[view->n - 1];
	u64 room = min(last->start + last->bytes, MC_BLOCK_BYTES);

	if (point->v[MC_KEY_TYPE] != MC_WB || point->v[MC_KEY_TARGET] != MC_TARGET_RAM)
		return 1;
	return max(min(room / mc_position_bytes(bytes), (u64)POSITIONS_MOST), 1ULL);
}

/**
 * mc_measurement_window() - note a timed window of a sample that a test takes
 * @w: the thread, whose last window it was
 * @sampler: the thread's sampler; gets the window's length and disturbances
 * @ticks: duration, 0 if the clock ran backwards
 *
 * Context: Worker thread.
 * Return: the same.
 */
u64 mc_measurement_window(struct mc_worker *w, struct mc_sampler *sampler, u64 ticks)
{
	sampler->window_max = max(sampler->window_max, ticks);
	sampler->sample.clock_bad |= !ticks;
	sampler->sample.seen |= w->disturbed;
	sampler->sample.in_time = sampler->sample.seen;
	/* Windows this short are not checked for stolen time. */
	sampler->shared->disturbed.watched = mc_detector_kinds(-1);
	return ticks;
}

static void record_dram(const struct mc_measurement *meas, struct mc_dram *dram)
{
	const struct mc_traffic_count *counters = meas->traffic.counters;
	u64 passes = meas->traffic.passes;
	int i;

	dram->why = counters ? counters->why : MC_DRAM_NO_COUNTERS;
	if (!counters || !passes)
		return;
	dram->counted = meas->traffic.sum.counted;
	dram->counted_ps = mc_rounded(meas->traffic.sum.ps, meas->n, passes);
	for (i = 0; i < MC_NTRAFFIC; i++) {
		dram->bytes[i] = mc_rounded(meas->traffic.sum.bytes[i], meas->n, passes);
		dram->idle_kb_per_s[i] = mc_mb_per_s(counters->idle.bytes[i],
						     counters->idle.ps);
	}
}

/*
 * The values of the samples that are used, of @least and more, take the place of the cycles.
 * Return: their number.
 */
static u32 gather_used(struct mc_measurement *meas, const u64 *values, u64 least)
{
	u32 i, n = 0;

	for (i = 0; i < meas->done; i++) {
		if (meas->samples[i] != MC_NO_SAMPLE && values[i] >= least)
			meas->cycles[n++] = values[i];
	}
	return n;
}

/*
 * Two groups of samples, of which no position has only one, while the clock stood: something
 * else works on the core, or on its caches, now and then. Nobody sees it come; a hypervisor's other
 * guest is one. Nothing is left out for that.
 */
static void find_neighbour(struct mc_measurement *meas, struct mc_record *rec)
{
	u64 before = mc_measurement_mhz(meas, false), after = mc_measurement_mhz(meas, true);
	u32 i, slower, n = gather_used(meas, meas->samples, 0);
	u64 limit, fast = 0, slow = 0;

	mc_sort_times(meas->cycles, n);
	slower = mc_slower_group(meas->cycles, n);
	limit = slower ? meas->cycles[n - slower] : 0;
	if (!before || !after || !rec->watched || mc_disturbed_by_others(meas))
		return;
	if (max(before, after) - min(before, after) > before / SAME_CLOCK || meas->positions > 64)
		return;
	rec->watched |= MC_BY_NEIGHBOUR;
	for (i = 0; i < meas->done && slower; i++) {
		u64 position = 1ULL << i % max(meas->positions, 1U);

		if (meas->samples[i] != MC_NO_SAMPLE)
			*(meas->samples[i] < limit ? &fast : &slow) |= position;
	}
	rec->disturbed[NEIGHBOUR] = fast & slow ? slower : 0;
}

/**
 * mc_measurement_record() - put the result of a measurement into a record
 * @meas: the measurement; its samples are sorted by this
 * @rec: gets statistics, the reasons for missing samples, the longest window, and whether data
 *       were right: they are if each thread has found its own to be so
 *
 * Context: Process.
 */
void mc_measurement_record(struct mc_measurement *meas, struct mc_record *rec)
{
	enum mc_verified least = MC_VERIFIED_FAILED, most = MC_VERIFIED_OFF;
	struct mc_events_total events = meas->events;
	const struct mc_sampler *one;
	u64 longest = 0;
	u32 n;

	for (one = meas->each; one < meas->each + meas->n; one++) {
		longest = max(longest, one->window_max);
		least = min(least, one->verified);
		most = max(most, one->verified);
		mc_events_join(&events, &one->counted);
	}
	rec->window_max_ps = mc_ticks_to_ps(longest);
	mc_disturbed_record(meas, rec);
	rec->left_out = meas->left_out;
	rec->verified = most == MC_VERIFIED_FAILED ? MC_VERIFIED_FAILED : least;
	rec->point.v[MC_KEY_REPEAT] = max(meas->settings.repeat, meas->done);
	n = gather_used(meas, meas->cycles, 1);
	meas->median_cycles = n ? mc_median(meas->cycles, n) : 0;
	rec->steady = mc_settling_verdict(&meas->settling, meas->samples, meas->done,
					  mc_disturbed_by_others(meas));
	find_neighbour(meas, rec);
	rec->warmup_ps = mc_ticks_to_ps(meas->settling.worked);
	rec->placements = min(meas->positions, meas->done);
	mc_stats_of(&rec->stats, meas->samples, meas->done);
	/* Their halves may agree, and each be anything. */
	if (rec->steady == MC_STEADY_YES &&
	    (rec->stats.cv_ppm > STEADY_PPM || rec->disturbed[NEIGHBOUR]))
		rec->steady = MC_STEADY_NOT_KNOWN;
	record_dram(meas, &rec->dram);
	mc_events_record(&events, meas->done * max(meas->each->cal.passes_a_sample, 1ULL),
			 &rec->events);
}

/**
 * mc_measurement_end() - free what mc_measurement_array() has given
 * @meas: the measurement
 *
 * Context: Process, may sleep.
 */
void mc_measurement_end(struct mc_measurement *meas)
{
	void **list, **next;

	for (list = meas->arrays.list; list; list = next) {
		next = *list;
		mc_free(list);
	}
}

/* The threads that measure, if not all do. Return: their number; 0: all. */
static unsigned int whose_turn(const struct mc_test *test, const struct mc_run *run,
			       unsigned int *who)
{
	switch (test->records) {
	case MC_RECORD_OF_CPU:
	case MC_RECORD_OF_STEP:
		*who = run->part;
		return 1;
	case MC_RECORD_OF_PAIR:
		mc_pair_of(run, who);
		return 2;
	default:
		return 0;
	}
}

static int run_job(const struct mc_test *test, struct mc_run *run, void *job, struct mc_record *rec)
{
	unsigned int who[2], n = whose_turn(test, run, who);
	mc_job each = test->job ? test->job : mc_measure;
	bool second = test->second && test->second(&rec->point);

	if (test->measure)
		return test->measure(run, job);
	if (!n)
		return mc_threads_run(run->threads, each, job);
	if (second)
		who[1] = mc_second_thread(run);
	rec->threads = n + second;
	if (n == 1)
		rec->cpu = mc_threads_cpu(run->threads, *who);
	return mc_threads_run_some(run->threads, who, n + second, each, job);
}

/**
 * mc_test_run() - measure a point
 * @test: the test
 * @run: the run
 * @point: the point
 * @rec: result, whose point and verified are set; other records of the same run of the test
 *       follow it
 *
 * Context: Process, may sleep.
 * Return: 0, -ENOMEM, or the errno of what stopped the run; a record that holds samples is kept.
 */
int mc_test_run(const struct mc_test *test, struct mc_run *run, const struct mc_point *point,
		struct mc_record *rec)
{
	struct mc_measurement *meas;
	unsigned int who[2];
	int err;

	meas = mc_alloc_array(1, test->job_bytes);
	if (!meas)
		return mc_fail(&run->error, -ENOMEM, "repeat: no memory for a measurement");
	err = mc_measurement_begin(meas, run, point);
	if (!err) {
		if (whose_turn(test, run, who))
			meas->n = 1;
		err = test->set_up(run, point, meas);
		if (!err) {
			err = run_job(test, run, meas, rec);
			test->fill(rec, meas, run);
		}
		if (test->clean_up)
			test->clean_up(meas);
	}
	mc_measurement_end(meas);
	mc_free(meas);
	return err;
}
