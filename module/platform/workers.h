/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of a run, as each side provides them: kernel threads (kernel/workers.c) or
 * POSIX threads (tools/user/workers.c). measure/threads.h has what both sides do with them.
 */
#ifndef MC_WORKERS_H
#define MC_WORKERS_H

#include "core/keys.h"
#include "platform/cpus.h"
#include "platform/detector.h"

struct mc_threads;
struct mc_events;
struct mc_plan;

/**
 * struct mc_worker - one thread of a run
 * @threads: all threads of the run
 * @index: index among them
 * @cpu: the CPU it is bound to, or -1
 * @began: ticks at which the last window opened
 * @ended: ticks at which the last window closed
 * @detector: sees what disturbs its windows
 * @disturbed: disturbances in the last window (enum mc_disturbance)
 * @events: events of its core, read around each window; NULL: none are counted
 * @plan: what it does in its next window (measure/pass.h)
 * @worked: ticks for which loops over memory have run without a pause (measure/steady.h)
 * @left_off: ticks at the end of the last of them
 * @agreed: the loop whose samples agreed when it was measured last; NULL: none
 * @rested: ticks at the end of its last rest (measure/threads.h)
 * @rests: ticks of its rests since its last window was opened
 * @sleeps: the next window may sleep, and uses no vector registers
 * @irq_off: interrupts are off in the open window
 * @irq_flags: flags to restore at the end of the window
 */
struct mc_worker {
	struct mc_threads *threads;
	unsigned int index;
	int cpu;
	u64 began;
	u64 ended;
	struct mc_detector detector;
	u8 disturbed;
	struct mc_events *events;
	struct mc_plan *plan;
	u64 worked;
	u64 left_off;
	const void *agreed;
	u64 rested;
	u64 rests;
	bool sleeps;
	bool irq_off;
	unsigned long irq_flags;
};

/*
 * A job, as each thread runs it. Return: 0 or a negative errno, which stops all
 * threads.
 */
typedef int (*mc_job)(struct mc_worker *w, void *arg);

/* Only measure/threads.c calls these. */
struct mc_threads *mc_threads_new(unsigned int n, u64 seconds);
struct mc_worker *mc_threads_worker(const struct mc_threads *threads, unsigned int i);
int mc_thread_start(struct mc_worker *w);
void mc_threads_hand_out(struct mc_threads *threads, const unsigned int *who, unsigned int n);
int mc_threads_wait(struct mc_threads *threads, bool whatever_comes);
int mc_threads_why_end(const struct mc_threads *threads);
int mc_thread_cpu(void);

int mc_threads_stopped(const struct mc_threads *threads);
void mc_threads_end(struct mc_threads *threads);

void mc_idle(u64 ns);
bool mc_window_preemptible(void);
int mc_window_open(struct mc_worker *w, bool irq_off);
u64 mc_window_close(struct mc_worker *w);

#endif /* MC_WORKERS_H */
