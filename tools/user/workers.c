// SPDX-License-Identifier: GPL-2.0-only
/* The threads of a run, as POSIX threads; the counterpart of module/kernel/workers.c. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "core/math.h"
#include "measure/pass.h"
#include "measure/threads.h"
#include "platform/os.h"
#include "user.h"

struct member {
	struct mc_worker worker;
	struct mc_plan plan;
	pthread_t thread;
	bool started;
	pthread_cond_t wake;	/* one a thread: a wake-up wakes no other */
	unsigned int jobs;
	unsigned int jobs_seen;
};

struct threads {
	struct mc_threads all;
	struct timespec deadline;
	pthread_mutex_t lock;	/* protects all that follows, and the threads' job */
	pthread_cond_t done;
	unsigned int working;
	bool ending;
	struct member member[];
};

static struct threads *threads_of(const struct mc_threads *threads)
{
	return container_of(threads, struct threads, all);
}

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

int mc_threads_stopped(const struct mc_threads *threads)
{
	if (interrupted)
		mc_threads_stop((struct mc_threads *)threads, -EINTR);
	return READ_ONCE(threads->stop);
}

struct mc_threads *mc_threads_new(unsigned int n, u64 seconds)
{
	struct threads *t = calloc(1, sizeof(*t) + n * sizeof(struct member));
	pthread_condattr_t monotonic;
	unsigned int i;

	if (!t)
		return NULL;
	clock_gettime(CLOCK_MONOTONIC, &t->deadline);
	t->deadline.tv_sec += seconds;
	pthread_mutex_init(&t->lock, NULL);
	/* So that setting the wall clock does not move the deadline. */
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&t->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	for (i = 0; i < n; i++)
		pthread_cond_init(&t->member[i].wake, NULL);
	return &t->all;
}

struct mc_worker *mc_threads_worker(const struct mc_threads *threads, unsigned int i)
{
	return &threads_of(threads)->member[i].worker;
}

int mc_thread_cpu(void)
{
	return sched_getcpu();
}

static void *worker_main(void *arg)
{
	struct member *m = arg;
	struct threads *t = threads_of(m->worker.threads);

	for (;;) {
		bool ending;

		pthread_mutex_lock(&t->lock);
		while (!t->ending && m->jobs == m->jobs_seen)
			pthread_cond_wait(&m->wake, &t->lock);
		ending = t->ending;
		m->jobs_seen++;
		pthread_mutex_unlock(&t->lock);
		if (ending)
			return NULL;
		mc_user_sched_begin(&m->worker);
		mc_threads_do_job(&m->worker);
		mc_user_sched_end();
		pthread_mutex_lock(&t->lock);
		if (!--t->working)
			pthread_cond_signal(&t->done);
		pthread_mutex_unlock(&t->lock);
	}
}

/* Without a cpuset, the kernel would let a thread leave the CPUs that taskset gave. */
static int check_usable(const struct mc_worker *w)
{
	u64 usable[MC_MAX_CPUS / 64];
	char list[256];
	struct mc_text t = MC_TEXT(list);

	mc_cpus_usable(usable);
	if (w->cpu < 0 || mc_bit(usable, w->cpu))
		return 0;
	mc_text_list(&t, usable, MC_MAX_CPUS);
	return mc_fail(w->threads->error, -EINVAL,
		       "cpu: %d is not one this process may run on; those are %s", w->cpu, list);
}

int mc_thread_start(struct mc_worker *w)
{
	struct member *m = container_of(w, struct member, worker);
	u64 cpus[MC_MAX_CPUS / 64] = { 0 };
	pthread_attr_t attr;
	int err = check_usable(w);

	if (err)
		return err;
	w->plan = &m->plan;
	pthread_attr_init(&attr);
	if (w->cpu >= 0) {
		cpus[w->cpu / 64] = 1ULL << w->cpu % 64;
		pthread_attr_setaffinity_np(&attr, sizeof(cpus), (cpu_set_t *)cpus);
	}
	err = pthread_create(&m->thread, &attr, worker_main, m);
	pthread_attr_destroy(&attr);
	m->started = !err;
	if (err)
		mc_fail(w->threads->error, -err, "cpu: no thread could be started");
	return -err;
}

void mc_threads_end(struct mc_threads *threads)
{
	struct threads *t = threads_of(threads);
	unsigned int i;

	if (!threads)
		return;
	pthread_mutex_lock(&t->lock);
	t->ending = true;
	for (i = 0; i < threads->n; i++)
		pthread_cond_signal(&t->member[i].wake);
	pthread_mutex_unlock(&t->lock);
	for (i = 0; i < threads->n; i++) {
		if (t->member[i].started)
			pthread_join(t->member[i].thread, NULL);
		pthread_cond_destroy(&t->member[i].wake);
	}
	pthread_cond_destroy(&t->done);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

/* A signal is seen by mc_threads_stopped(). */
int mc_threads_why_end(const struct mc_threads *threads)
{
	const struct timespec *deadline = &threads_of(threads)->deadline;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return threads->seconds && (now.tv_sec > deadline->tv_sec ||
				 (now.tv_sec == deadline->tv_sec &&
				  now.tv_nsec >= deadline->tv_nsec)) ? -ETIME : 0;
}

void mc_threads_hand_out(struct mc_threads *threads, const unsigned int *who, unsigned int n)
{
	struct threads *t = threads_of(threads);
	unsigned int i;

	pthread_mutex_lock(&t->lock);
	t->working = n;
	for (i = 0; i < n; i++) {
		struct member *m = &t->member[who ? who[i] : i];

		m->jobs++;
		pthread_cond_signal(&m->wake);
	}
	pthread_mutex_unlock(&t->lock);
}

int mc_threads_wait(struct mc_threads *threads, bool whatever_comes)
{
	struct threads *t = threads_of(threads);
	int err = 0;

	pthread_mutex_lock(&t->lock);
	while (t->working && !err) {
		if (whatever_comes || !threads->seconds)
			pthread_cond_wait(&t->done, &t->lock);
		else
			err = -pthread_cond_timedwait(&t->done, &t->lock, &t->deadline);
	}
	pthread_mutex_unlock(&t->lock);
	return err == -ETIMEDOUT ? -ETIME : err;
}

void mc_idle(u64 ns)
{
	nanosleep(&(struct timespec){ ns / 1000000000, ns % 1000000000 }, NULL);
}

bool mc_window_preemptible(void)
{
	return true;
}
