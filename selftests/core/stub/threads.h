/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads in virtual time. Each has a stack of its own, and one runs at a time: the
 * one whose clock is furthest behind, so that every test goes the same way each
 * time. A clock advances only when somebody spends time.
 */
#ifndef MC_SELFTEST_THREADS_H
#define MC_SELFTEST_THREADS_H

#include "../cmocka_all.h"

#include "measure/events.h"
#include "measure/threads.h"
#include "platform/clock.h"
#include "platform/counters.h"

#define THREADS_MOST	6
#define NS		1000ULL		/* all times are picoseconds, and so are ticks */
#define MS		1000000000ULL

/**
 * struct sim - what a test sets and sees of the threads
 * @n: number of threads
 * @overhead: time that a window lasts longer than what is done in it
 * @gap: time between windows
 * @late: delay of the last thread that comes out of the barrier
 * @look: time of a look at the clock, or of asking whether the run was stopped; if it
 *        is not 0, a thread that waits for others by asking lets them run
 * @together: a job begins for all of its threads at the time of the last one
 * @preemptible: others may have the CPU while a window is open, as in user space
 * @opened: called at the beginning of each window
 * @closing: called at the end of each window
 * @now: each thread's clock
 * @windows: number of windows closed so far
 * @longest: the longest of them
 * @rests: how often each thread has offered to rest
 * @ahead: for how long the last one of them would rather not rest then
 * @arg: argument of the current job
 * @hide: features that mc_cpu_has() denies, a bit for each
 * @show: features that it claims though this CPU may lack them; no loop may run then
 * @failed: the first expectation that was not met
 */
struct sim {
	unsigned int n;
	u64 overhead;
	u64 gap;
	u64 late;
	u64 look;
	bool together;
	bool preemptible;
	void (*opened)(struct mc_worker *w);
	void (*closing)(struct mc_worker *w);
	u64 now[THREADS_MOST];
	u64 windows;
	u64 longest;
	u64 rests[THREADS_MOST];
	u64 ahead;
	void *arg;
	unsigned int hide;
	unsigned int show;
	const char *failed;
	unsigned int kinds;	/* kinds of disturbance that can be detected */
	enum mc_stolen (*stolen)(int cpu, bool at_once);	/* NULL: nobody looks */
	void (*slept)(u64 ns);	/* called after a sleep of a thread; NULL: nothing is */
	unsigned int asked;	/* how often a test asked whether the run was stopped */
	unsigned int stop_at;	/* the answer is yes from this question on; 0: never */
	unsigned int counters;	/* number of perf counters that are set */
	unsigned int openable;	/* how many of them can be opened */
	unsigned int closed;	/* how many have been closed */
	struct mc_reading reading[8];
	unsigned int events;	/* number of events of the cores that are set */
	bool off_pmu;			/* no event is on its PMU now */
	int refuses[MC_NEVENTS];	/* errno with which an event can't be opened; 0: it can */
	struct mc_reading event[THREADS_MOST][MC_NEVENTS];	/* those of each thread */
};

extern struct sim sim;

/* cmocka's own assertions work only in the first thread. */
#define EXPECT(condition)	EXPECT_AT(condition, __FILE__, __LINE__)
#define EXPECT_AT(condition, file, line)	EXPECT_IN(condition, file, line)
#define EXPECT_IN(condition, file, line)				\
	do {								\
		if (!(condition) && !sim.failed)			\
			sim.failed = file ":" #line ": " #condition;	\
	} while (0)

struct mc_threads *sim_reset(unsigned int n);
unsigned int sim_self(void);
bool sim_in_thread(void);
void sim_spend(u64 ps);
void sim_yield(void);

/* The error is @err, and its text names @key first, behind whose colon there may be more. */
static inline void assert_names(const struct mc_error *error, int err, const char *key)
{
	assert_int_equal(error->err, err);
	assert_memory_equal(error->text, key, strlen(key));
	assert_true(strchr(key, ':') || error->text[strlen(key)] == ':');
}

#endif /* MC_SELFTEST_THREADS_H */
