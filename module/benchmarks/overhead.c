// SPDX-License-Identifier: GPL-2.0-only
/*
 * overhead: the costs around a measurement, and the costs of the system. Nothing here
 * touches the buffer.
 *
 * Short items are repeated in windows, like an access loop. Skew of the barrier, wake-up,
 * and the life of a thread happen once a sample.
 */
#include "measure/test.h"
#include "measure/measurement.h"
#include "platform/clock.h"
#include "platform/os.h"

enum { KEY_ITEM = MC_KEY_FIRST };

enum { COL_OPERATIONS };

enum { ITEM_LOOP, ITEM_CLOCK, ITEM_IRQ, ITEM_FPU, ITEM_CALL, ITEM_GETPID, ITEM_BARRIER,
	ITEM_WAKEUP, ITEM_THREAD };

#define BATCH		16384	/* operations of a pass; each counts as 8 bytes */

static const struct mc_key keys[] = {
	{ .name = "item", .column = "item",
	  .preset = MC_IN_KERNEL ? "loop,clock,irq,fpu,barrier,wakeup" :
				  "loop,clock,barrier,wakeup",
	  .kind = MC_CHOICE,
	  .names = MC_NAMES({ "loop", ITEM_LOOP }, { "clock", ITEM_CLOCK }, { "irq", ITEM_IRQ },
			    { "fpu", ITEM_FPU }, { "call", ITEM_CALL }, { "getpid", ITEM_GETPID },
			    { "barrier", ITEM_BARRIER, .was = "gate" }, { "wakeup", ITEM_WAKEUP },
			    { "thread", ITEM_THREAD }),
	  .help = "operation timed; kernel only: irq, getpid, fpu (fpu saves nothing)" },
};

static const struct mc_column columns[] = {
	[COL_OPERATIONS] = { .name = "operations_per_sample", .json_only = true,
	  .help = "operations timed together, so that the clock's cost is small" },
};

/**
 * struct overhead_job - an item
 * @meas: the measurement
 * @threads: the threads
 * @item: ITEM_*
 * @alone: the item needs more threads than there are
 * @began: ticks at which a sample began; 0: when the first thread was there
 * @at: array of the ticks at which each thread was there, of items that are done once a sample
 */
struct overhead_job {
	struct mc_measurement meas;
	struct mc_threads *threads;
	u64 item;
	bool alone;
	u64 began;
	u64 *at;
};

/* ------------------------------------------------------- repeated in windows */

static void count_down(u64 n)
{
	mc_asm_count(n);
}

static void read_clock(u64 n)
{
	while (n--)
		mc_ticks();
}

static void switch_irq(u64 n)
{
	while (n--)
		mc_irqs_restore(mc_irqs_off());
}

/*
 * The window has already begun to use the FPU, so a pair is the other way round. A
 * kernel thread has nothing in the registers, so none are saved.
 */
static void switch_fpu(u64 n)
{
	while (n--) {
		mc_fpu_end();
		mc_fpu_begin();
		/* Both do nothing under User-Mode Linux; this keeps the loop. */
		asm volatile("" : : : "memory");
	}
}

static void do_nothing(void)
{
	/* The compiler could drop the call of an empty function. */
	asm volatile("" : : : "memory");
}

/* The call goes through a pointer whose value the compiler can't know. */
static void call_nothing(u64 n)
{
	void (*function)(void) = do_nothing;

	while (n--) {
		asm volatile("" : "+r" (function));
		function();
	}
}

/* The work of getpid() inside the kernel, without the system call itself. */
static void read_pid(u64 n)
{
	while (n--)
		asm volatile("" : : "r" (mc_pid()));
}

static void (* const short_item[])(u64 n) = {
	[ITEM_LOOP] = count_down,
	[ITEM_CLOCK] = read_clock,
	[ITEM_IRQ] = switch_irq,
	[ITEM_FPU] = switch_fpu,
	[ITEM_CALL] = call_nothing,
	[ITEM_GETPID] = read_pid,
};

static void repeat_item(struct mc_loop_args *args)
{
	const struct overhead_job *job = args->arg;

	short_item[job->item](args->bytes / 8);
}

static void set_up_short(struct overhead_job *job, struct mc_sampler *sampler)
{
	sampler->pass = (struct mc_pass){
		.body = repeat_item, .arg = job, .variant = &short_item[job->item],
		.bytes = 8 * BATCH,
	};
	/* Where it can be timed only while interrupts are on. */
	if (job->item == ITEM_FPU && MC_FPU_NEEDS_IRQ)
		job->meas.settings.irq_off = false;
}

/* ------------------------------------------------------------- once a sample */

static struct overhead_job *job_of(struct mc_measurement *meas)
{
	return container_of(meas, struct overhead_job, meas);
}

/* The sample ends with the last thread. */
static u64 time_of_meeting(struct mc_measurement *meas)
{
	const struct overhead_job *job = job_of(meas);
	u64 first = ~0ULL, last = 0;
	unsigned int i;

	for (i = 0; i < meas->n; i++) {
		first = min(first, job->at[i]);
		last = max(last, job->at[i]);
	}
	first = job->began ? job->began : first;
	meas->each->sample.clock_bad = last < first;
	return mc_ticks_to_ps(last - first);
}

/* After the barrier each thread reads the clock. */
static int meet_at_barrier(struct mc_worker *w, struct mc_sampler *sampler, u32 round)
{
	int err = mc_barrier(w);

	job_of(sampler->shared)->at[w->index] = mc_ticks();
	return err;
}

static int note_time(struct mc_worker *w, void *arg)
{
	struct overhead_job *job = arg;

	job->at[w->index] = mc_ticks();
	return 0;
}

/* The threads are asleep when the job starts; the last one that runs ends the sample. */
static int wake_threads(struct mc_worker *none, struct mc_sampler *sampler, u32 round)
{
	struct overhead_job *job = job_of(sampler->shared);

	mc_nap();
	job->began = mc_ticks();
	return mc_threads_run(job->threads, note_time, job);
}

/* The caller makes the threads, not a worker: a thread that starts another one sleeps. */
static int make_thread(struct mc_worker *none, struct mc_sampler *sampler, u32 round)
{
	struct overhead_job *job = job_of(sampler->shared);
	int err = mc_threads_run(job->threads, note_time, job);

	if (err)
		return err;
	job->began = mc_ticks();
	err = mc_thread_once();
	job->at[0] = mc_ticks();
	return err;
}

/* ----------------------------------------------------------------- the run */

static bool needs_company(const struct mc_run *run, const struct mc_point *point)
{
	return point->v[KEY_ITEM] == ITEM_BARRIER && mc_threads_size(run->threads) < 2;
}

static int overhead_check(struct mc_run *run, const struct mc_point *point)
{
	u64 item = point->v[KEY_ITEM];

	if (!MC_IN_KERNEL && (item == ITEM_IRQ || item == ITEM_FPU || item == ITEM_GETPID))
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "item: %s is possible in the kernel only",
			       mc_key_word(keys, item));
	/* With one CPU and the preset items, the record of item=barrier says na. */
	if (needs_company(run, point) && mc_request_given(run->req, KEY_ITEM))
		return mc_fail(&run->error, -EINVAL,
			       "cpu: item=barrier needs two CPUs or more, e.g. cpu=0,1");
	return 0;
}

static int overhead_set_up(struct mc_run *run, const struct mc_point *point, void *arg)
{
	struct overhead_job *job = arg;
	struct mc_measurement *meas = &job->meas;
	unsigned int i;

	job->threads = run->threads;
	job->item = point->v[KEY_ITEM];
	job->alone = needs_company(run, point);
	if (job->item < ARRAY_SIZE(short_item)) {
		for (i = 0; i < meas->n; i++)
			set_up_short(job, &meas->each[i]);
		return 0;
	}
	meas->hooks.take = job->item == ITEM_BARRIER ? meet_at_barrier :
		     job->item == ITEM_WAKEUP ? wake_threads : make_thread;
	meas->hooks.time = time_of_meeting;
	/* Threads that sleep or wait have no loop that makes their cores warm. */
	mc_settling_begin(&meas->settling, meas->settings.warmup, 0);
	job->at = mc_measurement_array(meas, meas->n, sizeof(u64));
	return job->at ? 0 : mc_fail(&run->error, -ENOMEM, "cpu: no memory for %u time%s",
				     meas->n, MC_S(meas->n));
}

/* Threads that sleep between two samples can't take them. */
static int overhead_measure(struct mc_run *run, void *arg)
{
	struct overhead_job *job = arg;

	if (job->alone)
		return 0;
	return job->item > ITEM_BARRIER ? mc_measure(NULL, &job->meas) :
				       mc_threads_run(run->threads, mc_measure, &job->meas);
}

static void overhead_fill(struct mc_record *rec, void *arg, const struct mc_run *run)
{
	struct overhead_job *job = arg;
	struct mc_measurement *meas = &job->meas;
	u64 operations = meas->hooks.take ? 1 : meas->each->cal.passes_a_sample * BATCH;
	unsigned int i;

	if (job->alone) {
		rec->left_out = MC_LEFT_ALONE;
		rec->stats.left_out = meas->settings.repeat;
		return;
	}
	for (i = 0; i < meas->done && !meas->hooks.take; i++) {
		if (meas->samples[i] != MC_NO_SAMPLE)
			meas->samples[i] /= BATCH;
	}
	if (meas->hooks.take || !meas->settings.irq_off)
		rec->point.v[MC_KEY_IRQ] = 1;
	mc_measurement_record(meas, rec);
	mc_record_set(rec, COL_OPERATIONS, operations);
}

const struct mc_test mc_test_overhead = {
	.spec = {
		.name = "overhead",
		.presets = "sched=keep disturbed=keep",
		.help = "cost of the loop, the clock, interrupts and threads; size= has no effect",
		MC_KEYS_AND_COLUMNS,
		.memoryless = true,
	},
	.check = overhead_check,
	.job_bytes = sizeof(struct overhead_job),
	.set_up = overhead_set_up,
	.measure = overhead_measure,
	.fill = overhead_fill,
};
