/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A team: the threads of a run, started together at a barrier, and stopped and joined on
 * every path.
 */
#ifndef MC_TEAM_H
#define MC_TEAM_H

#include "platform/os.h"
#include "platform/workers.h"

/**
 * struct mc_team - what both sides need to know of the threads of a run
 * @n: number of threads
 * @only: index of the thread that works alone, as if it were the whole team; -1: all work
 * @fifo: the threads work before all ordinary ones of their CPUs (sched=fifo)
 * @stop: errno of what stopped the run, 0 until then
 * @seconds: the value of timeout=, 0: there is no limit
 * @error: explanation of the first error
 * @error_claimed: some thread writes, or has written, @error
 * @party: number of threads that have the job, and that meet at the barrier
 * @job: the current job
 * @arg: its argument
 * @arrived: number of threads that wait at the barrier
 * @meetings: number of times that the barrier has opened; may wrap
 * @first_end: ticks at which the first thread of a race finished
 */
struct mc_team {
	unsigned int n;
	int only;
	bool fifo;
	int stop;
	u64 seconds;
	struct mc_error *error;
	int error_claimed;
	unsigned int party;
	mc_job job;
	void *arg;
	atomic_t arrived;
	u32 meetings;
	u64 first_end;
};

#define MC_RACE_ON	(~0ULL >> 1)	/* @first_end: no thread has finished */

struct mc_team *mc_team_start(const struct mc_request *req, unsigned int n,
			      struct mc_error *e);
void mc_team_only(struct mc_team *team, int i);
unsigned int mc_team_size(const struct mc_team *team);
int mc_team_cpu(const struct mc_team *team, unsigned int i);
int mc_team_run(struct mc_team *team, mc_job job, void *arg);
int mc_team_run_some(struct mc_team *team, const unsigned int *who,
		     unsigned int n, mc_job job, void *arg);
void mc_team_stop(struct mc_team *team, int err);
int mc_team_look(struct mc_team *team);

/* Several threads and the writer may fail at once: only the first writes the team's @error. */
static inline bool mc_team_claim_error(struct mc_team *team)
{
	return !cmpxchg(&team->error_claimed, 0, 1);
}

/* For the side's threads. */
void mc_team_do_job(struct mc_worker *w);
int mc_team_check_cpu(const struct mc_worker *w);

int mc_barrier(struct mc_worker *w);
void mc_race_start(struct mc_worker *w);
u64 mc_race_first(struct mc_worker *w);
void mc_race_finish(struct mc_worker *w, u64 ticks);

#endif /* MC_TEAM_H */
