// SPDX-License-Identifier: GPL-2.0-only
/* A point to measure in virtual time. */
#include "point.h"

struct mc_sampler sampler[THREADS_MOST];
struct mc_measurement meas;
u64 samples[MOST];
u8 disturbed[MOST];
struct mc_threads *threads;
unsigned int ticks;
u64 speed[THREADS_MOST], check_speed;

/* ------------------------------------------------- a buffer that isn't there */

static struct mc_span spans[20000];
static struct mc_view view;

static u64 add_span(u64 start, u64 bytes)
{
	/* Each span lies below the previous one, so none are contiguous by chance. */
	spans[view.n] = (struct mc_span){
		(void *)((1ULL << 46) - (view.n + 1) * (1ULL << 28)), start, bytes
	};
	view.n++;
	return start + bytes;
}

static void one_span(u64 bytes)
{
	view = (struct mc_view){ spans, 0 };
	add_span(0, bytes);
}

/* Spans of 1, 3, 7, 2 pages and so on. */
void odd_spans(u64 bytes)
{
	static const u64 pages[] = { 1, 3, 7, 2, 5, 1, 11 };
	u64 start = 0;

	view = (struct mc_view){ spans, 0 };
	while (start < bytes)
		start = add_span(start, pages[view.n % ARRAY_SIZE(pages)] * PAGE);
}

/* The address of @bytes from @offset on; NULL if they are not all in one span. */
void *place(u64 offset, u64 bytes)
{
	for (unsigned int i = 0; i < view.n; i++) {
		u64 into = offset - spans[i].start;

		if (into < spans[i].bytes)
			return into + bytes <= spans[i].bytes ? (u8 *)spans[i].addr + into : NULL;
	}
	return NULL;
}

/* ---------------------------------------------------------------- the loops */

/* How far a thread's sample has come; every call must go on from there. */
static struct trail {
	bool on;
	u64 value;	/* value of the pass's first word */
	u64 next;	/* bytes into the pass; the read back follows the loop */
	u64 passes;
	u64 fences;
} trails[THREADS_MOST];

static void follow(struct mc_loop_args *args, bool check)
{
	void *array[] = { args->a, args->b, args->c, args->d };
	struct mc_pass *p = &sampler[sim_self()].pass;
	struct trail *t = &trails[sim_self()];
	u64 length = p->readback ? 2 * p->bytes : p->bytes;
	u64 at = check ? t->next - p->bytes : t->next;

	EXPECT(args->bytes && args->bytes % 64 == 0 && args->passes);
	EXPECT(at < p->bytes && at + args->bytes <= p->bytes);
	EXPECT(args->passes == 1 || args->bytes == length);
	/* Loops of 8 bytes store four values again and again. */
	EXPECT(args->value == t->value + (p->loop->op == MC_OP_TRIAD ? at / 8 : 0));
	for (unsigned int i = 0; i < mc_ops[p->loop->op].arrays; i++)
		if (!i || !check)
			EXPECT(array[i] == place(p->offset[i] + at, args->bytes));
	if (!check && args->fence) {
		EXPECT(args->fence == p->fence && at + args->bytes == p->bytes);
		EXPECT(args->uc_word == p->uc_word);
		t->fences += args->passes;
	}
	t->next += args->bytes;
	if (t->next < length)
		return;
	t->next = 0;
	t->passes += args->passes;
	t->value += args->passes * (p->loop->op == MC_OP_TRIAD ? p->bytes / 8 : 4);
}

static void run_loop(struct mc_loop_args *args)
{
	sim_spend(args->bytes * args->passes * speed[sim_self()]);
	if (trails[sim_self()].on)
		follow(args, false);
}

static void run_check(struct mc_loop_args *args)
{
	EXPECT(args->passes == 1);
	sim_spend(args->bytes * check_speed);
	if (trails[sim_self()].on)
		follow(args, true);
}

const struct mc_loop loop = { MC_OP_WRITE, 8, 0, run_loop };
const struct mc_loop bytewise = { MC_OP_REP_STOSB, 1, 0, run_loop };
const struct mc_loop triad = { MC_OP_TRIAD, 8, 0, run_loop };
const struct mc_loop check = { MC_OP_CHECK, 8, 0, run_check };

/* ---------------------------------------------------------------- the point */

/* The number of the sample that comes next, if it is kept; -1: the loop has not settled. */
int sample_of(const struct mc_sampler *one)
{
	return one->shared->settling.settled ? (int)one->shared->done : -1;
}

int begin_trail(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	trails[w->index] = (struct trail){ .on = true, .value = one->pass.value };
	return 0;
}

int end_trail(struct mc_worker *w, struct mc_sampler *one, u32 round)
{
	struct trail *t = &trails[w->index];

	EXPECT(!t->next && t->passes == one->sample.passes);
	EXPECT(one->cal.passes_a_sample == sampler[0].cal.passes_a_sample);
	EXPECT(one->shared->n > 1 || t->passes == one->cal.passes_a_sample);
	EXPECT(t->value == one->pass.value);
	EXPECT(t->fences == (one->pass.fence ? t->passes : 0));
	t->on = false;
	return 0;
}

/* The first thread has done one sample, and no more. */
bool trail_is_one_pass(void)
{
	return !trails[0].next && trails[0].passes == 1;
}

static void tick(void *run, u64 more)
{
	ticks++;
}

/* @n threads with @bytes each; 1 ns/B, a warm-up and three samples. */
void set_up(unsigned int n, u64 bytes)
{
	threads = sim_reset(n);
	ticks = 0;
	memset(trails, 0, sizeof(trails));
	meas = (struct mc_measurement){
		.n = n, .each = sampler, .samples = samples, .hooks.tick = tick,
		.disturbed.seen = disturbed,
		.settings = { .irq_off = true, .warmup = 1, .repeat = 3 },
	};
	for (unsigned int i = 0; i < n; i++) {
		speed[i] = NS;
		sampler[i] = (struct mc_sampler){
			.pass = { .loop = &loop, .view = &view, .bytes = bytes,
				  .offset = { i * bytes }, .value = 1000 * i },
			.shared = &meas,
		};
	}
	one_span(n * bytes);
}

int measure_point(void)
{
	int err = mc_threads_run(threads, mc_measure, &meas);

	if (sim.failed)
		fail_msg("%s", sim.failed);
	if (sim.longest > 5 * MS)
		fail_msg("a window of %llu us", sim.longest / 1000000);
	return err;
}

void assert_samples_near(u64 ps)
{
	assert_int_equal(meas.done, meas.settings.repeat);
	for (u32 i = 0; i < meas.done; i++)
		assert_in_range(samples[i], ps - ps / 1000000 - 1, ps + ps / 1000000 + 1);
}
