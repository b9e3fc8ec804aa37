/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of a run, started together at a barrier, and stopped and joined on
 * every path.
 */
#ifndef MC_THREADS_H
#define MC_THREADS_H

#include "platform/os.h"
#include "platform/workers.h"

/**
 * struct mc_threads - what both sides need to know of the threads of a run
 * @n: number of threads
 * @only: index of the thread that works alone, as if there were no other: it has the index 0 in its
 *        jobs; -1: all work. The writer of the request sets it
 * @fifo: the threads go before all ordinary ones of their CPUs (sched=fifo)
 * @rested: ticks at which their last common rest ends or has ended
 * @worked: ticks at the end of the last job
 * @stop: errno of what stopped the run, 0 until then
 * @seconds: the value of timeout=, 0: there is no limit
 * @error: explanation of the first error
 * @error_claimed: some thread writes, or has written, @error
 * @party: number of threads that have the job, and that meet at the barrier
 * @job: the current job
 * @arg: its argument
 * @arrived: number of threads that wait at the barrier
 * @meetings: number of times that the barrier has opened; may wrap
 */
struct mc_threads {
	unsigned int n;
	int only;
	bool fifo;
	u64 rested;
	u64 worked;
	int stop;
	u64 seconds;
	struct mc_error *error;
	int error_claimed;
	unsigned int party;
	mc_job job;
	void *arg;
	atomic_t arrived;
	u32 meetings;
};

struct mc_threads *mc_threads_start(const struct mc_request *req, unsigned int n,
				    struct mc_error *e);
int mc_threads_cpu(const struct mc_threads *threads, unsigned int i);
int mc_threads_run(struct mc_threads *threads, mc_job job, void *arg);
int mc_threads_run_some(struct mc_threads *threads, const unsigned int *who,
			unsigned int n, mc_job job, void *arg);
/* Threads that go before others work for so long, and then rest for as long as this. */
#define MC_WORK_NS	38000000
#define MC_REST_NS	6000000
#define MC_REST_LEAST	5000000		/* for a thread that comes late */

bool mc_threads_rest(struct mc_worker *w, u64 ahead);
void mc_threads_rested(struct mc_worker *w, u64 slept);
void mc_threads_stop(struct mc_threads *threads, int err);
int mc_threads_look(struct mc_threads *threads);

/* Number of threads that work, at least 1. */
static inline unsigned int mc_threads_size(const struct mc_threads *threads)
{
	return threads->only < 0 ? threads->n : 1;
}

/* Several threads and the writer may fail at once: only the first writes @error. */
static inline bool mc_threads_claim_error(struct mc_threads *threads)
{
	return !cmpxchg(&threads->error_claimed, 0, 1);
}

/*
 * For long work that is not timed: let others run, and look for a stop, if @since is 0. A loop that
 * wants this every n elements gives the element's number modulo n. Return: 0, or the errno of the
 * stop.
 */
static inline int mc_threads_pause(const struct mc_worker *w, u64 since)
{
	if (since)
		return 0;
	mc_breathe();
	return mc_threads_stopped(w->threads);
}

/* For the side's threads. */
void mc_threads_do_job(struct mc_worker *w);

int mc_barrier(struct mc_worker *w);

#endif /* MC_THREADS_H */
