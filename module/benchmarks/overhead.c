// SPDX-License-Identifier: GPL-2.0-only
/*
 * overhead: the costs around a measurement, and the costs of the system. Nothing here
 * touches the buffer.
 *
 * Short items are repeated in windows, like an access loop. Skew of the barrier, wake-up,
 * and the life of a thread happen once a sample. They are what a thread does outside the windows
 * of mc_measure().
 */
#include "measure/test.h"
#include "measure/measurement.h"
#include "platform/clock.h"
#include "platform/os.h"

enum { KEY_ITEM = MC_KEY_FIRST };

enum { COL_OPERATIONS };

enum { ITEM_LOOP, ITEM_CLOCK, ITEM_IRQ, ITEM_FPU, ITEM_CALL, ITEM_GETPID, ITEM_GATE,
	ITEM_WAKEUP, ITEM_THREAD };

#define BATCH		16384	/* operations of a pass; each counts as 8 bytes */

static const struct mc_name item_names[] = {
	{ "loop", ITEM_LOOP }, { "clock", ITEM_CLOCK }, { "irq", ITEM_IRQ },
	{ "fpu", ITEM_FPU }, { "call", ITEM_CALL }, { "getpid", ITEM_GETPID },
	{ "gate", ITEM_GATE }, { "wakeup", ITEM_WAKEUP }, { "thread", ITEM_THREAD }, { }
};

static const struct mc_key keys[] = {
	{ .name = "item", .column = "item",
	  .preset = MC_IN_KERNEL ? "loop,clock,irq,fpu,gate,wakeup" : "loop,clock,gate,wakeup",
	  .kind = MC_CHOICE, .names = item_names,
	  .help = "operation timed; kernel only: irq, getpid, fpu (fpu saves nothing)" },
};

static const struct mc_column columns[] = {
	[COL_OPERATIONS] = { .name = "operations_per_sample", .json_only = true,
	  .help = "operations timed together, so that the clock's cost is small" },
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
		mc_quiet_end(mc_quiet_begin());
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
	const struct mc_point *point = args->arg;

	short_item[point->v[KEY_ITEM]](args->bytes / 8);
}

/* Can the item be timed only while interrupts are on? */
static bool needs_irq(const struct mc_point *point)
{
	return point->v[KEY_ITEM] == ITEM_FPU && MC_FPU_NEEDS_IRQ;
}

static int measure_short(struct mc_run *run, const struct mc_point *point,
			 struct mc_measurement *meas, u64 *operations)
{
	unsigned int i;
	int err;

	for (i = 0; i < meas->n; i++) {
		meas->each[i].pass = (struct mc_pass){
			.body = repeat_item, .arg = (void *)point,
			.variant = &short_item[point->v[KEY_ITEM]], .bytes = 8 * BATCH,
		};
		meas->each[i].settings.irq_off &= !needs_irq(point);
	}
	err = mc_threads_run(run->threads, mc_measure, meas);
	for (i = 0; i < meas->done; i++) {
		if (meas->samples[i] != MC_NO_SAMPLE)
			meas->samples[i] /= BATCH;
	}
	*operations = meas->each->cal.passes_a_sample * BATCH;
	return err;
}

/* ------------------------------------------------------------- once a sample */

/* Threads that meet, and when each of them was there. */
struct meeting {
	struct mc_measurement *meas;
	u64 *at;	/* ticks, by thread */
};

static void keep_times(struct mc_measurement *meas, u64 from, u64 to)
{
	meas->each->sample.clock_bad = to < from;
	mc_measurement_keep(meas, mc_ticks_to_ps(to - from));
}

/* The sample ends with the last thread. It begins at @from; 0: with the first thread. */
static void keep_meeting(const struct meeting *m, u64 from)
{
	u64 first = ~0ULL, last = 0;
	unsigned int i;

	for (i = 0; i < m->meas->n; i++) {
		first = min(first, m->at[i]);
		last = max(last, m->at[i]);
	}
	keep_times(m->meas, from ? from : first, last);
}

/*
 * After the barrier each thread reads the clock. Then all wait until the first one has
 * computed the skew.
 */
static int meet_at_barrier(struct mc_worker *w, void *arg)
{
	struct meeting *m = arg;
	int err = 0;

	while (!err && mc_measurement_wants(m->meas)) {
		err = mc_barrier(w);
		m->at[w->index] = mc_ticks();
		err = err ? err : mc_barrier(w);
		if (!err && !w->index)
			keep_meeting(m, 0);
		err = err ? err : mc_barrier(w);
	}
	return err;
}

static int note_time(struct mc_worker *w, void *arg)
{
	struct meeting *m = arg;

	m->at[w->index] = mc_ticks();
	return 0;
}

/* The threads are asleep when the job starts; the last one that runs ends the sample. */
static int wake_threads(struct mc_threads *threads, struct meeting *m)
{
	u64 begin;
	int err = 0;

	while (!err && mc_measurement_wants(m->meas)) {
		mc_nap();
		begin = mc_ticks();
		err = mc_threads_run(threads, note_time, m);
		if (!err)
			keep_meeting(m, begin);
	}
	return err;
}

/* The caller makes the threads, not a worker: a thread that starts another one sleeps. */
static int make_threads(struct mc_threads *threads, struct meeting *m)
{
	u64 begin;
	int err = 0;

	while (!err && mc_measurement_wants(m->meas)) {
		begin = mc_ticks();
		err = mc_thread_once();
		if (!err)
			keep_times(m->meas, begin, mc_ticks());
		err = err ? err : mc_threads_run(threads, note_time, m);
	}
	return err;
}

static int measure_meeting(struct mc_run *run, const struct mc_point *point,
			   struct mc_measurement *meas)
{
	struct meeting m = {
		.meas = meas, .at = mc_alloc_array(meas->n, sizeof(u64)),
	};
	int err;

	/* Threads that sleep or wait have no loop that makes their cores warm. */
	mc_measurement_settle(meas, 0);
	if (!m.at)
		err = mc_fail(&run->error, -ENOMEM, "cpu: no memory for %u time%s",
			      meas->n, MC_S(meas->n));
	else if (point->v[KEY_ITEM] == ITEM_GATE)
		err = mc_threads_run(run->threads, meet_at_barrier, &m);
	else if (point->v[KEY_ITEM] == ITEM_WAKEUP)
		err = wake_threads(run->threads, &m);
	else
		err = make_threads(run->threads, &m);
	mc_free(m.at);
	return err;
}

/* ----------------------------------------------------------------- the run */

static bool needs_company(const struct mc_run *run, const struct mc_point *point)
{
	return point->v[KEY_ITEM] == ITEM_GATE && mc_threads_size(run->threads) < 2;
}

static bool in_kernel_only(u64 item)
{
	return item == ITEM_IRQ || item == ITEM_FPU || item == ITEM_GETPID;
}

static int overhead_check(struct mc_run *run, const struct mc_point *point)
{
	u64 item = point->v[KEY_ITEM];

	if (!MC_IN_KERNEL && in_kernel_only(item))
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "item: %s is possible in the kernel only",
			       mc_key_word(keys, item));
	/* With one CPU and the preset items, the record of item=gate says na. */
	if (needs_company(run, point) && mc_request_given(run->req, KEY_ITEM))
		return mc_fail(&run->error, -EINVAL,
			       "cpu: item=gate needs two CPUs or more, e.g. cpu=0,1");
	return 0;
}

static int overhead_run(struct mc_run *run, const struct mc_point *point,
			struct mc_record *rec)
{
	struct mc_measurement meas;
	u64 operations = 1;
	int err = mc_measurement_begin(&meas, run, point);

	if (err) {
		mc_measurement_end(&meas);
		return err;
	}
	if (needs_company(run, point)) {
		rec->left_out = MC_LEFT_ALONE;
		rec->stats.left_out = point->v[MC_KEY_REPEAT];
	} else {
		if (point->v[KEY_ITEM] < ARRAY_SIZE(short_item)) {
			if (needs_irq(point))
				rec->point.v[MC_KEY_IRQ] = 1;
			err = measure_short(run, point, &meas, &operations);
		} else {
			rec->point.v[MC_KEY_IRQ] = 1;
			err = measure_meeting(run, point, &meas);
		}
		mc_measurement_record(&meas, rec);
		mc_record_set(rec, COL_OPERATIONS, operations);
	}
	mc_measurement_end(&meas);
	return err;
}

const struct mc_test mc_test_overhead = {
	.spec = {
		.name = "overhead",
		.presets = "sched=keep disturbed=keep",
		.help = "cost of the loop, the clock, interrupts and threads; size= has no effect",
		.keys = keys,
		.nkeys = ARRAY_SIZE(keys),
		.columns = columns,
		.ncolumns = ARRAY_SIZE(columns),
		.memoryless = true,
	},
	.check = overhead_check,
	.run = overhead_run,
};
