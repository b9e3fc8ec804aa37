// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU runs all CPUs in one thread (thread=single), in turns. Here is decided whose turn it
 * is: always that of the CPU whose clock is the lowest. It runs until its clock is AHEAD_NS
 * past that of another one. Then:
 *
 * - An access to what CPUs share (a line that another CPU has, a controller, uncached memory)
 *   must be in order. If another CPU may still do something at an earlier time, the access
 *   waits in the queue of its CPU, which runs no further than the end of its block of
 *   instructions. So the model meets these accesses exactly in the order of their times. CPUs
 *   with the same time come in the order of their numbers.
 * - An access to lines that no other CPU has, and of which the others see no trace, costs the same
 *   whenever it comes, and doesn't wait.
 * - The clock is read in order, too, and not while an access waits. So a CPU never reads an earlier
 *   time than another one has read before: arm64's kernel would take the difference for 834 days.
 * - A CPU that runs alone looks every AHEAD_NS whether it has woken another one.
 *
 * Nothing here depends on the time of the host, except while all CPUs wait for an interrupt:
 * then time passes as it does on the host. QEMU's devices and timers have another thread; when
 * an interrupt of theirs arrives depends on the host, too, unless timers are held.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "machine.h"
#include "qemu.h"

#define AHEAD_NS	1000
#define NEVER		INT64_MAX
#define SECOND		1000000000LL

struct vcpu vcpus[CPUS_MOST];
unsigned int nvcpus;

static __thread int current = -1;	/* the CPU whose turn it is, in the CPUs' thread */
static pthread_mutex_t world = PTHREAD_MUTEX_INITIALIZER;
static bool holds_world;
static atomic_llong idle_from;	/* the machine's time when the last CPU began to wait */
static atomic_llong idle_since;	/* the host's time then; 0: a CPU runs */
static int64_t woke_at;			/* the machine's time when it last stopped being idle */
static atomic_bool holds_timers;
static atomic_llong held_at;		/* the time that timers see while they are held */

static int64_t host_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* ------------------------------------------------------------------------ clocks */

void machine_add(unsigned int cpu, struct CPUState *state)
{
	vcpus[cpu].state = state;
	vcpus[cpu].limit = NEVER;
	if (cpu >= nvcpus)
		nvcpus = cpu + 1;
	current = cpu;
}

static bool waits(const struct vcpu *c)
{
	return c->first != c->last;
}

/* The time of what a CPU does next to anything shared. */
static int64_t turn_of(const struct vcpu *c)
{
	int64_t clock = __atomic_load_n(&c->clock, __ATOMIC_RELAXED);

	return waits(c) ? clock - c->queue[c->first % QUEUE_MOST].rest : clock;
}

static int64_t lowest_but(const struct vcpu *but)
{
	int64_t lowest = NEVER;
	unsigned int i;

	for (i = 0; i < nvcpus; i++) {
		if (&vcpus[i] != but && vcpus[i].running && turn_of(&vcpus[i]) < lowest)
			lowest = turn_of(&vcpus[i]);
	}
	return lowest;
}

/* The machine's time as devices see it. It never runs backwards. */
static int64_t time_of_all(void)
{
	static atomic_llong last;
	int64_t since = idle_since, t = since ? idle_from + host_ns() - since : lowest_but(NULL);
	long long seen = last;

	if (t == NEVER)
		t = seen;
	while (t > seen && !atomic_compare_exchange_weak(&last, &seen, t))
		;
	return t > seen ? t : seen;
}

/** machine_clock() - the time of a CPU at the instruction that reads its clock, or that it is at */
int64_t machine_clock(unsigned int cpu)
{
	const struct vcpu *c = &vcpus[cpu];

	return c->clock - (c->clock == c->read_at ? c->rest : 0);
}

/**
 * machine_now() - the time, in nanoseconds
 *
 * A CPU that runs has its own; devices have the lowest of the CPUs'.
 */
int64_t machine_now(void)
{
	struct vcpu *c = current < 0 ? NULL : &vcpus[current];

	if (!c && holds_timers && !idle_since)
		return held_at;
	return c && c->running ? machine_clock(current) : time_of_all();
}

/**
 * machine_hold_timers() - let no timer of QEMU's devices expire while a CPU runs
 * @hold: false: let them expire again, at once where they are late
 *
 * While all CPUs wait for an interrupt, timers expire in any case, or nobody would wake them.
 */
void machine_hold_timers(bool hold)
{
	/* QEMU's thread sleeps until the first timer is due, which must not be now. */
	held_at = time_of_all() - SECOND;
	holds_timers = hold;
	qemu_notify_event();
}

/** machine_current() - the CPU that executes instructions now */
unsigned int machine_current(void)
{
	return current;
}

/* ------------------------------------------------------------------- instructions */

static void end_turn(struct vcpu *c)
{
	c->turn = false;
	cpu_exit(c->state);
}

/* Is there work for a CPU that waited for an interrupt when @c, alone, got its turn? QEMU looks ten
 * times in a second of the host's time.
 */
static bool has_woken_another(struct vcpu *c)
{
	unsigned int i;

	if (c->clock <= c->looked + AHEAD_NS)
		return false;
	c->looked = c->clock;
	for (i = 0; i < nvcpus; i++) {
		if (&vcpus[i] != c && !cpu_thread_is_idle(vcpus[i].state))
			return true;
	}
	return false;
}

/**
 * machine_pass() - a CPU executes a block of instructions
 * @cpu: the CPU
 * @instructions: how many
 *
 * Where there is one CPU, QEMU's code adds them to its clock, and nobody calls this.
 */
void machine_pass(unsigned int cpu, unsigned int instructions)
{
	struct vcpu *c = &vcpus[cpu];
	uint32_t i;

	for (i = c->first; i != c->last; i++)
		c->queue[i % QUEUE_MOST].rest += instructions;
	c->clock += instructions;
	if (c->limit != NEVER ? waits(c) || c->clock > c->limit + AHEAD_NS : has_woken_another(c))
		end_turn(c);
}

static void meet(unsigned int cpu, const struct access *a, unsigned int rest)
{
	uint64_t cost = model_access(cpu, vcpus[cpu].clock - rest, a);

	vcpus[cpu].tally.charged += cost;
	vcpus[cpu].clock += cost;
}

/**
 * machine_access() - a CPU accesses memory, or flushes a line
 * @cpu: the CPU
 * @a: what it does
 * @rest: instructions of the current block that come after this one
 */
void machine_access(unsigned int cpu, const struct access *a, unsigned int rest)
{
	struct vcpu *c = &vcpus[cpu];
	bool in_order = c->limit == NEVER ||
			(!waits(c) && (c->clock - rest <= c->limit || model_is_private(cpu, a)));

	if (!in_order && c->last - c->first < QUEUE_MOST) {
		c->queue[c->last++ % QUEUE_MOST] = (struct pending){ *a, rest };
		end_turn(c);
		return;
	}
	c->overflows += !in_order;
	meet(cpu, a, rest);
}

/**
 * machine_clock_is_due() - a CPU is about to read the clock
 * @cpu: the CPU
 * @rest: instructions of the current block that come after this one
 *
 * Return: false: it must not go on before its accesses have met the others', and before the others'
 * clocks have come as far. The block of instructions ends here, and begins again with the one that
 * reads the clock.
 */
bool machine_clock_is_due(unsigned int cpu, unsigned int rest)
{
	struct vcpu *c = &vcpus[cpu];
	uint32_t i;

	c->rest = rest;
	c->read_at = c->clock;
	if (!waits(c) && c->clock - rest - 1 <= c->limit)	/* when the instruction begins */
		return true;
	end_turn(c);
	for (i = c->first; i != c->last; i++)
		c->queue[i % QUEUE_MOST].rest -= rest + 1;
	c->clock -= rest + 1;
	return false;
}

/* -------------------------------------------------------------------------- turns */

/* Note which CPUs have begun or ceased to wait for an interrupt. */
static void look_who_runs(void)
{
	unsigned int i;
	int64_t lowest;
	bool runs;

	for (i = 0; i < nvcpus; i++) {
		struct vcpu *c = &vcpus[i];

		runs = !cpu_thread_is_idle(c->state);
		if (runs && !c->running) {
			lowest = lowest_but(c);
			if (c->clock < woke_at)
				c->clock = woke_at;
			if (lowest != NEVER && c->clock < lowest)
				c->clock = lowest;
		}
		c->running = runs;
	}
}

/* The CPU whose turn it is, after accesses that wait have met the others' in their order. QEMU
 * interrupts turns at times that depend on the host. Such a turn goes on.
 */
static struct vcpu *next_in_turn(void)
{
	struct vcpu *c = &vcpus[current];
	unsigned int i;

	if (c->turn && c->running)
		return c;
	for (;;) {
		c = NULL;
		for (i = 0; i < nvcpus; i++) {
			if (vcpus[i].running && (!c || turn_of(&vcpus[i]) < turn_of(c)))
				c = &vcpus[i];
		}
		if (!c || !waits(c))
			return c;
		i = c->first++ % QUEUE_MOST;
		meet(c - vcpus, &c->queue[i].access, c->queue[i].rest);
	}
}

/* The last time at which a CPU comes before all others. */
static int64_t limit_of(const struct vcpu *c)
{
	int64_t limit = NEVER, before;
	unsigned int i;

	for (i = 0; i < nvcpus; i++) {
		before = turn_of(&vcpus[i]) - (&vcpus[i] < c);
		if (&vcpus[i] != c && vcpus[i].running && before < limit)
			limit = before;
	}
	return limit;
}

/* The CPUs' thread holds the world while a CPU runs, so that orders find it at rest. */
void machine_lock(void)
{
	pthread_mutex_lock(&world);
}

void machine_unlock(void)
{
	pthread_mutex_unlock(&world);
}

static void leave_world(void)
{
	if (holds_world)
		machine_unlock();
	holds_world = false;
}

/**
 * machine_may_run() - whether it is a CPU's turn; in place of QEMU's cpu_can_run()
 * @state: QEMU's CPU
 */
bool machine_may_run(struct CPUState *state)
{
	struct vcpu *c;

	leave_world();
	if (cpu_is_stopped(state))
		return false;
	machine_lock();
	look_who_runs();
	c = next_in_turn();
	holds_world = c && c->state == state;
	if (holds_world) {
		current = c - vcpus;
		c->limit = limit_of(c);
		c->turn = true;
	} else {
		machine_unlock();
	}
	return holds_world;
}

/** machine_is_idle() - whether no CPU runs; in place of QEMU's all_cpu_threads_idle() */
bool machine_is_idle(void)
{
	unsigned int i;
	int64_t latest = 0;

	if (current < 0)	/* not the CPUs' thread */
		return idle_since;
	leave_world();
	for (i = 0; i < nvcpus; i++) {
		if (!cpu_thread_is_idle(vcpus[i].state)) {
			if (idle_since)
				woke_at = time_of_all();
			idle_since = 0;
			return false;
		}
		if (vcpus[i].clock > latest)
			latest = vcpus[i].clock;
	}
	for (i = 0; i < nvcpus; i++)
		vcpus[i].running = false;
	if (!idle_since) {
		idle_from = latest > woke_at ? latest : woke_at;
		idle_since = host_ns();
		if (holds_timers)
			qemu_notify_event();
	}
	return true;
}
