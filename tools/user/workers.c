// SPDX-License-Identifier: GPL-2.0-only
/* The threads of a run, as POSIX threads; the counterpart of module/kernel/workers.c. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "arch/loops.h"
#include "platform/clock.h"
#include "platform/os.h"
#include "platform/workers.h"
#include "user.h"

struct member {
	struct mc_worker worker;
	pthread_t thread;
	bool started;
	pthread_cond_t wake;	/* one for each thread, so that the others sleep on */
	unsigned int jobs;
	unsigned int jobs_seen;
};

struct mc_team {
	unsigned int n;
	atomic_int stop;
	u64 seconds;
	struct timespec deadline;
	struct mc_error *error;
	pthread_mutex_t lock;	/* protects all that follows, up to @arg */
	pthread_cond_t done;
	unsigned int party;
	unsigned int working;
	bool ending;
	mc_job job;
	void *arg;
	atomic_uint arrived;
	atomic_uint meetings;
	atomic_ullong first_end;
	struct member member[];
};

/* Set by a signal; it stops the current run and all later ones. */
static atomic_bool interrupted;

void mc_user_interrupt(void)
{
	interrupted = true;
}

bool mc_user_interrupted(void)
{
	return interrupted;
}

void mc_team_stop(struct mc_team *team, int err)
{
	int none = 0;

	atomic_compare_exchange_strong(&team->stop, &none, err);
}

int mc_team_stopped(const struct mc_team *team)
{
	struct mc_team *t = (struct mc_team *)team;

	if (interrupted)
		mc_team_stop(t, -EINTR);
	return t->stop;
}

static void *worker_main(void *arg)
{
	struct member *m = arg;
	struct mc_team *team = m->worker.team;

	for (;;) {
		bool ending;
		int err;

		pthread_mutex_lock(&team->lock);
		while (!team->ending && m->jobs == m->jobs_seen)
			pthread_cond_wait(&m->wake, &team->lock);
		ending = team->ending;
		m->jobs_seen++;
		pthread_mutex_unlock(&team->lock);
		if (ending)
			return NULL;
		err = team->job(&m->worker, team->arg);
		if (err)
			mc_team_stop(team, err);
		pthread_mutex_lock(&team->lock);
		if (!--team->working)
			pthread_cond_signal(&team->done);
		pthread_mutex_unlock(&team->lock);
	}
}

static int start_one(struct mc_team *team, unsigned int i, int cpu)
{
	struct member *m = &team->member[i];
	cpu_set_t *set = CPU_ALLOC(MC_MAX_CPUS);
	size_t size = CPU_ALLOC_SIZE(MC_MAX_CPUS);
	pthread_attr_t attr;
	int err;

	m->worker.team = team;
	m->worker.index = i;
	m->worker.cpu = cpu;
	pthread_attr_init(&attr);
	if (cpu >= 0 && set) {
		CPU_ZERO_S(size, set);
		CPU_SET_S(cpu, size, set);
		pthread_attr_setaffinity_np(&attr, size, set);
	}
	err = set ? pthread_create(&m->thread, &attr, worker_main, m) : ENOMEM;
	pthread_attr_destroy(&attr);
	CPU_FREE(set);
	m->started = !err;
	if (err == EINVAL)
		return mc_fail(team->error, -EINVAL,
			       "cpu: %d is not one this process may run on", cpu);
	if (err)
		mc_fail(team->error, -err, "cpu: no thread could be started");
	return -err;
}

/* If there are more threads than CPUs, the list starts again. */
static int start_all(struct mc_team *team, const struct mc_request *req)
{
	unsigned int i;
	int cpu = -1, err = 0;

	for (i = 0; !err && i < team->n; i++) {
		if (!req->any_cpu)
			cpu = mc_request_cpu(req, cpu);
		err = start_one(team, i, cpu);
	}
	return err;
}

bool mc_cpu_usable(unsigned int cpu)
{
	cpu_set_t *set = CPU_ALLOC(MC_MAX_CPUS);
	size_t size = CPU_ALLOC_SIZE(MC_MAX_CPUS);
	bool usable = set && !sched_getaffinity(0, size, set) &&
		      CPU_ISSET_S(cpu, size, set);

	CPU_FREE(set);
	return usable;
}

/* The file lists the core's CPUs in ascending order. */
unsigned int mc_cpu_core(unsigned int cpu)
{
	char path[80], list[1024];
	unsigned int first;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
	if (mc_user_read_file(path, list, sizeof(list)) &&
	    sscanf(list, "%u", &first) == 1)
		return first;
	return cpu;
}

struct mc_team *mc_team_start(const struct mc_request *req, unsigned int n,
			      struct mc_error *e)
{
	struct mc_team *team = calloc(1, sizeof(*team) +
					 n * sizeof(struct member));
	pthread_condattr_t monotonic;
	unsigned int i;

	if (!team) {
		mc_fail(e, -ENOMEM, "cpu: no memory for %u threads", n);
		return NULL;
	}
	team->n = n;
	team->error = e;
	team->seconds = req->values[MC_KEY_TIMEOUT].v[0];
	clock_gettime(CLOCK_MONOTONIC, &team->deadline);
	team->deadline.tv_sec += team->seconds;
	pthread_mutex_init(&team->lock, NULL);
	/* So that setting the wall clock does not move the deadline. */
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&team->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	for (i = 0; i < n; i++)
		pthread_cond_init(&team->member[i].wake, NULL);
	if (!start_all(team, req))
		return team;
	mc_team_end(team);
	return NULL;
}

unsigned int mc_team_size(const struct mc_team *team)
{
	return team->n;
}

int mc_team_cpu(const struct mc_team *team, unsigned int i)
{
	return team->member[i].worker.cpu;
}

void mc_team_end(struct mc_team *team)
{
	unsigned int i;

	if (!team)
		return;
	pthread_mutex_lock(&team->lock);
	team->ending = true;
	for (i = 0; i < team->n; i++)
		pthread_cond_signal(&team->member[i].wake);
	pthread_mutex_unlock(&team->lock);
	for (i = 0; i < team->n; i++) {
		if (team->member[i].started)
			pthread_join(team->member[i].thread, NULL);
		pthread_cond_destroy(&team->member[i].wake);
	}
	pthread_cond_destroy(&team->done);
	pthread_mutex_destroy(&team->lock);
	free(team);
}

static void time_out(struct mc_team *team)
{
	mc_fail(team->error, -ETIME,
		"timeout: %llu s have passed; what was measured until then is kept",
		team->seconds);
	mc_team_stop(team, -ETIME);
}

/* Called before each job, since the wait for a short job may not notice the deadline. */
static void check_deadline(struct mc_team *team)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (team->seconds && (now.tv_sec > team->deadline.tv_sec ||
			      (now.tv_sec == team->deadline.tv_sec &&
			       now.tv_nsec >= team->deadline.tv_nsec)))
		time_out(team);
}

static void wait_for_done(struct mc_team *team)
{
	bool limited = team->seconds;

	while (team->working) {
		if (!limited) {
			pthread_cond_wait(&team->done, &team->lock);
		} else if (pthread_cond_timedwait(&team->done, &team->lock,
						  &team->deadline) == ETIMEDOUT) {
			time_out(team);
			limited = false;
		}
	}
}

int mc_team_run_some(struct mc_team *team, const unsigned int *who,
		     unsigned int n, mc_job job, void *arg)
{
	unsigned int i;

	check_deadline(team);
	if (mc_team_stopped(team))
		return mc_team_stopped(team);
	pthread_mutex_lock(&team->lock);
	team->job = job;
	team->arg = arg;
	team->party = n;
	team->working = n;
	team->arrived = 0;
	for (i = 0; i < n; i++) {
		struct member *m = &team->member[who ? who[i] : i];

		m->jobs++;
		pthread_cond_signal(&m->wake);
	}
	wait_for_done(team);
	pthread_mutex_unlock(&team->lock);
	return mc_team_stopped(team);
}

int mc_team_run(struct mc_team *team, mc_job job, void *arg)
{
	return mc_team_run_some(team, NULL, team->n, job, arg);
}

int mc_gate(struct mc_worker *w)
{
	struct mc_team *team = w->team;
	unsigned int meetings = team->meetings;

	if (++team->arrived == team->party) {
		team->arrived = 0;
		team->meetings = meetings + 1;
	}
	while (team->meetings == meetings && !mc_team_stopped(team))
		__builtin_ia32_pause();
	return mc_team_stopped(team);
}

void mc_race_start(struct mc_worker *w)
{
	w->team->first_end = ~0ULL >> 1;
}

u64 mc_race_first(struct mc_worker *w)
{
	return w->team->first_end;
}

void mc_race_finish(struct mc_worker *w, u64 ticks)
{
	unsigned long long first = w->team->first_end;

	while (ticks < first &&
	       !atomic_compare_exchange_weak(&w->team->first_end, &first, ticks))
		;
}

int mc_window_open(struct mc_worker *w, bool irq_off)
{
	int err = mc_team_stopped(w->team);

	if (err)
		return err;
	if (w->cpu >= 0 && sched_getcpu() != w->cpu)
		return mc_fail(w->team->error, -ENODEV,
			       "cpu: %d went offline while the run was on",
			       w->cpu);
	mc_vectors_clean();
	mc_detector_begin(&w->detector);
	w->began = mc_ticks();
	return 0;
}

u64 mc_window_close(struct mc_worker *w)
{
	w->ended = mc_ticks();
	if (w->finishes)
		mc_race_finish(w, w->ended);
	w->disturbed = mc_detector_end(&w->detector);
	return w->ended > w->began ? w->ended - w->began : 0;
}
