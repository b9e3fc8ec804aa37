// SPDX-License-Identifier: GPL-2.0-only
/* measure/threads.h, workers.h and clock.h in virtual time, on CPUs that keep their prefetchers. */
#include "platform/cpus.h"
#include "cpu.h"
#include "measure/engine.h"
#include "measure/pass.h"
#include "measure/source.h"
#include "threads.h"

enum state { READY, AT_BARRIER, ENDED };

struct sim sim;
struct mc_clock mc_clock;
unsigned int sim_drains, sim_waits, sim_flushes;

static struct mc_threads the_threads;
static unsigned int turn = THREADS_MOST;	/* the thread that runs, or none */
static enum state states[THREADS_MOST];
static struct mc_worker workers[THREADS_MOST];
static struct mc_plan plans[THREADS_MOST];
static _Alignas(16) u64 stacks[THREADS_MOST][1 << 16];
static u64 *tops[THREADS_MOST + 1];	/* where each goes on; last, who asks for the run */

/* @n threads on warm cores, no hooks, no overheads, and a clock that costs 20 ns. */
struct mc_threads *sim_reset(unsigned int n)
{
	sim = (struct sim){ .n = n };
	the_threads = (struct mc_threads){ .n = n, .only = -1 };
	mc_clock = (struct mc_clock){ .khz = 1000000000, .cost_ps = 20 * NS };
	for (unsigned int i = 0; i < n; i++) {
		workers[i] = (struct mc_worker){
			.threads = &the_threads, .index = i, .cpu = i, .plan = &plans[i],
			.worked = 1000 * MS, .left_off = 1000 * MS,
		};
		sim.now[i] = 1000 * MS;
	}
	return &the_threads;
}

/* A run gets the threads that its test has set up with sim_reset(). */
struct mc_threads *mc_threads_start(const struct mc_request *req, unsigned int n,
				    struct mc_error *e)
{
	EXPECT(n == sim.n);
	the_threads.error = e;
	return &the_threads;
}

void mc_threads_end(struct mc_threads *threads)
{
}

struct mc_worker *mc_threads_worker(const struct mc_threads *threads, unsigned int i)
{
	return &workers[i];
}

unsigned int sim_self(void)
{
	return turn;
}

/* Is this one of the threads, and not the one that asks for the run? */
bool sim_in_thread(void)
{
	return turn < THREADS_MOST;
}

/* The thread that asks for a run has no clock, so it never waits in the functions below. */
void sim_spend(u64 ps)
{
	if (sim_in_thread())
		sim.now[turn] += ps;
}

u64 mc_clock_raw_ns(void)
{
	return sim.now[turn % THREADS_MOST] += sim.look;
}

/* ------------------------------------------------------------ whose turn */

/* Keep the registers of a caller on this stack, and go on with another stack. */
void switch_stacks(u64 **from, u64 *to);
asm("switch_stacks: push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n\t"
	"mov %rsp, (%rdi); mov %rsi, %rsp\n\t"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret");

/* The thread whose clock is furthest behind goes on, or nobody, where none is ready. */
static void next_turn(void)
{
	unsigned int i, me = turn, next = THREADS_MOST;

	for (i = 0; i < sim.n; i++)
		if (states[i] == READY && (next == THREADS_MOST || sim.now[i] < sim.now[next]))
			next = i;
	turn = next;
	if (next != me)
		switch_stacks(&tops[me], tops[next]);
}

/* Let the threads run whose clocks are behind. */
void sim_yield(void)
{
	if (sim_in_thread())
		next_turn();
}

static void worker_main(void)
{
	int err = the_threads.job(&workers[turn], sim.arg);

	if (err)
		mc_threads_stop(&the_threads, err);
	states[turn] = ENDED;
	next_turn();
}

/* All threads in a state get the time of the latest one. */
static void catch_up(enum state state)
{
	u64 latest = 0;

	for (unsigned int i = 0; i < sim.n; i++)
		if (states[i] == state && sim.now[i] > latest)
			latest = sim.now[i];
	for (unsigned int i = 0; i < sim.n; i++)
		if (states[i] == state)
			sim.now[i] = latest;
}

int mc_threads_run_some(struct mc_threads *threads, const unsigned int *who,
			unsigned int n, mc_job job, void *arg)
{
	if (threads->stop)
		return threads->stop;
	threads->job = job;
	sim.arg = arg;
	turn = THREADS_MOST;
	atomic_set(&threads->arrived, 0);
	threads->party = n;
	for (unsigned int i = 0; i < sim.n; i++) {
		states[i] = ENDED;
		/* Its six registers, where it begins, and where it would return to. */
		tops[i] = &stacks[i][ARRAY_SIZE(stacks[i]) - 8];
		tops[i][6] = (u64)worker_main;
	}
	for (unsigned int i = 0; i < n; i++)
		states[who ? who[i] : i] = READY;
	if (sim.together)
		catch_up(READY);
	next_turn();
	for (unsigned int i = 0; i < sim.n; i++)
		assert_int_equal(states[i], ENDED);	/* else some wait for nobody */
	return threads->stop;
}

int mc_threads_run(struct mc_threads *threads, mc_job job, void *arg)
{
	int cpu = workers[0].cpu, err;

	if (threads->only < 0)
		return mc_threads_run_some(threads, NULL, sim.n, job, arg);
	/* It has the index 0 in its job, and here the index says which thread it is. */
	workers[0].cpu = threads->only;
	err = mc_threads_run_some(threads, NULL, 1, job, arg);
	workers[0].cpu = cpu;
	return err;
}

/* ----------------------------------------------------------------- counters */

/* A count that a test makes grow; see struct sim. */
struct mc_counter *mc_counters_copy(unsigned int *n)
{
	struct mc_counter *set = NULL;

	*n = sim.counters + sim.events;
	if (*n)
		set = calloc(*n, sizeof(*set));
	for (unsigned int i = 0; i < sim.counters; i++)
		set[i] = (struct mc_counter){
			.traffic = i % MC_NTRAFFIC, .cpu = i, .scale = 64,
		};
	for (unsigned int i = 0; i < sim.events; i++)
		set[sim.counters + i] = (struct mc_counter){ .core = true, .event = i };
	return set;
}

void *mc_event_open(const struct mc_counter *c, int *why)
{
	*why = -sim.refuses[c->event];
	return *why ? NULL : &sim.event[turn][c->event];
}

void *mc_counter_open(const struct mc_counter *c, int *why)
{
	return c->cpu < sim.openable ? &sim.reading[c->cpu] : NULL;
}

void mc_counter_read(void *event, struct mc_reading *now)
{
	*now = *(struct mc_reading *)event;
}

bool mc_counter_peek(void *event, u64 *value)
{
	*value = ((struct mc_reading *)event)->value;
	return !sim.off_pmu;
}

void mc_counter_close(void *event)
{
	sim.closed++;
}

/* Threads sit on CPUs of their number; two CPUs make a core. */
int mc_threads_cpu(const struct mc_threads *threads, unsigned int i)
{
	return threads->only < 0 ? i : threads->only;
}

enum mc_split mc_cpu_split(void)
{
	return MC_SPLIT_KILLED;
}

void mc_cpus_usable(u64 *cpus)
{
	memset(cpus, 0, MC_MAX_CPUS / 8);
	*cpus = (1ULL << sim.n) - 1;
}

unsigned int mc_cpu_core(unsigned int cpu)
{
	return cpu & ~1U;
}

/* Two CPUs make a node, too. */
int mc_cpu_node(unsigned int cpu)
{
	return cpu / 2;
}

int mc_cpu_own_node(unsigned int cpu)
{
	return cpu / 2;
}

/* And two nodes a socket. */
int mc_cpu_socket(unsigned int cpu)
{
	return cpu / 4;
}

unsigned int mc_node_distance(int a, int b)
{
	return a == b ? 10 : a / 2 == b / 2 ? 12 : 21;
}

bool mc_cache_shared(int a, int b, unsigned int level)
{
	return false;
}

int mc_threads_stopped(const struct mc_threads *threads)
{
	if (++sim.asked == sim.stop_at)
		mc_threads_stop(&the_threads, -ECANCELED);
	if (sim_in_thread() && sim.look) {
		sim_spend(sim.look);
		sim_yield();
	}
	return threads->stop;
}

int mc_threads_look(struct mc_threads *threads)
{
	return mc_threads_stopped(threads);
}

/* All threads that wait at the barrier continue, from the current time. */
static void open_barrier(void)
{
	catch_up(AT_BARRIER);
	for (unsigned int i = 0; i < sim.n; i++)
		if (states[i] == AT_BARRIER)
			states[i] = READY;
}

void mc_threads_stop(struct mc_threads *threads, int err)
{
	if (!threads->stop)
		threads->stop = err;
	open_barrier();
}

/* ------------------------------------------------------ the barrier, windows */

int mc_barrier(struct mc_worker *w)
{
	if (!w->threads->stop) {
		states[w->index] = AT_BARRIER;
		if (atomic_inc_return(&w->threads->arrived) % w->threads->party == 0)
			open_barrier();
		next_turn();
		if (w->index == sim.n - 1)
			sim.now[w->index] += sim.late;
	}
	return w->threads->stop;
}

/* Here, nobody goes before others. */
bool mc_threads_rest(struct mc_worker *w, u64 ahead)
{
	sim.rests[w->index]++;
	sim.ahead = ahead;
	return false;
}

void mc_threads_rested(struct mc_worker *w, u64 slept)
{
}

void mc_idle(u64 ns)
{
	sim_spend(ns * NS);
	if (sim.slept)
		sim.slept(ns);
}

bool mc_window_preemptible(void)
{
	return sim.preemptible;
}

int mc_window_open(struct mc_worker *w, bool irq_off)
{
	if (w->threads->stop)
		return w->threads->stop;
	mc_events_start(w->events);
	w->irq_off = irq_off;
	w->began = sim.now[w->index];
	w->disturbed = 0;
	if (sim.opened)
		sim.opened(w);
	return 0;
}

/* Others catch up before this returns, so everything earlier has happened. */
u64 mc_window_close(struct mc_worker *w)
{
	u64 ticks;

	if (sim.closing)
		sim.closing(w);
	w->ended = sim.now[w->index] += sim.overhead;
	mc_events_stop(w->events);
	ticks = w->ended > w->began ? w->ended - w->began : 0;
	if (ticks > sim.longest)
		sim.longest = ticks;
	sim.windows++;
	sim_yield();
	sim.now[w->index] += sim.gap;
	return ticks;
}

/* A test sets w->disturbed while a window is open, to say what disturbed it. */
u8 mc_detector_kinds(int cpu)
{
	return cpu < 0 ? sim.kinds & ~MC_BY_STEAL : sim.kinds;
}

enum mc_stolen mc_detector_stolen(struct mc_detector *v, int cpu, bool at_once)
{
	return sim.stolen ? sim.stolen(cpu, at_once) : MC_NOT_LOOKED;
}

/* ---------------------------------------------------------------- the CPU */

bool mc_cpu_has(enum mc_feature feature)
{
	if ((sim.hide | sim.show) >> feature & 1)
		return sim.show >> feature & 1;
	return cpu_runs(feature);
}

void mc_source_sizes(struct mc_request *req)
{
}

/* A test of regions says itself how many there are: see stub/engine.h. */
u64 mc_memory_regions(u64 region)
{
	return 0;
}

void mc_source_record(const struct mc_run *run, struct mc_record *rec)
{
}
