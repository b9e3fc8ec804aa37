// SPDX-License-Identifier: GPL-2.0-only
/* The set of the file `counters`, opened on trial when it is written, and perf. */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "kernel/counters.h"
#include "measure/traffic.h"
#include "platform/counters.h"
#include "platform/os.h"

/* The set, and the error of the last write. */
static struct {
	struct mutex lock;	/* protects all of this */
	struct mc_counter *set;
	unsigned int n;
	struct mc_error refused;
} counters = {
	.lock = __MUTEX_INITIALIZER(counters.lock),
};

/* ----------------------------------------------------- perf, if configured */

#ifdef CONFIG_PERF_EVENTS
static void *create_event(struct perf_event_attr *attr, int cpu, struct task_struct *task)
{
	return perf_event_create_kernel_counter(attr, cpu, task, NULL, NULL);
}

static u64 read_event(void *event, u64 *enabled, u64 *running)
{
	return perf_event_read_value(event, enabled, running);
}

/* As perf_event_read_local() does it, which is not exported. */
static bool peek_event(struct perf_event *event, u64 *value)
{
	unsigned long flags;
	bool here;

	local_irq_save(flags);
	here = READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE &&
	       READ_ONCE(event->oncpu) == smp_processor_id();
	if (here)
		event->pmu->read(event);
	*value = local64_read(&event->count);
	local_irq_restore(flags);
	return here;
}
#else
static void *create_event(struct perf_event_attr *attr, int cpu, struct task_struct *task)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static u64 read_event(void *event, u64 *enabled, u64 *running)
{
	*enabled = 0;
	*running = 0;
	return 0;
}

static bool peek_event(void *event, u64 *value)
{
	return false;
}
#endif

/* A counter on @cpu; or if that is -1, of @task wherever it runs. */
static void *open_for(const struct mc_counter *c, int cpu, struct task_struct *task, int *why)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = (u32)c->type, .config = c->config,
		.pinned = c->pinned,
	};
	void *event = create_event(&attr, cpu, task);

	if (!IS_ERR(event))
		return event;
	*why = PTR_ERR_OR_ZERO(event);
	return NULL;
}

/**
 * mc_counter_open() - open a counter of DRAM traffic, which starts to count
 * @c: the counter
 * @why: result on failure: negative errno
 *
 * Context: Process, may sleep.
 * Return: the event for mc_counter_read() and mc_counter_close(), or NULL.
 */
void *mc_counter_open(const struct mc_counter *c, int *why)
{
	int cpu = c->cpu < nr_cpu_ids ? (int)c->cpu : -1;

	if (cpu >= 0 && cpu_online(cpu))
		return open_for(c, cpu, NULL, why);
	*why = -ENODEV;
	return NULL;
}

/**
 * mc_event_open() - open an event of a core, which counts while the caller runs
 * @c: the event
 * @why: result on failure: negative errno
 *
 * Context: The thread whose events count, may sleep.
 * Return: as mc_counter_open().
 */
void *mc_event_open(const struct mc_counter *c, int *why)
{
	return open_for(c, -1, current, why);
}

/**
 * mc_counter_read() - read a counter
 * @event: from mc_counter_open()
 * @now: result
 *
 * Context: Process, may sleep.
 */
void mc_counter_read(void *event, struct mc_reading *now)
{
	now->value = read_event(event, &now->enabled, &now->running);
}

/**
 * mc_counter_peek() - read an event of the calling thread without sleeping
 * @event: from mc_event_open()
 * @value: result: its count; not to be used if false is returned
 *
 * Context: The thread whose event it is; interrupts may be off.
 * Return: false: it is not counted now, since it has no place on the PMU of this CPU.
 */
bool mc_counter_peek(void *event, u64 *value)
{
	return peek_event(event, value);
}

/**
 * mc_counter_close() - close a counter
 * @event: from mc_counter_open()
 *
 * Context: Process, may sleep.
 */
void mc_counter_close(void *event)
{
	perf_event_release_kernel(event);
}

/* ------------------------------------------------------------------ the set */

static int add_to(struct mc_counter *set, unsigned int *n, const char *text,
		  size_t len, struct mc_error *e)
{
	unsigned int before = *n;
	int err = mc_counters_parse(set, n, text, len, e);

	return err ? err : mc_counters_try(set + before, *n - before, e);
}

/**
 * mc_counters_write() - replace the set of counters, or add to it
 * @text: lines, not terminated; if all are empty, they clear the set
 * @len: bytes
 * @replace: replace the set instead of adding to it
 *
 * If a line is wrong or a counter can't be opened, the set does not change.
 *
 * Context: Process, may sleep.
 * Return: 0, -EINVAL or -ENOMEM; mc_counters_show() explains it.
 */
int mc_counters_write(const char *text, size_t len, bool replace)
{
	struct mc_counter *set = mc_alloc_array(MC_MAX_COUNTERS, sizeof(*set));
	struct mc_error e = { 0 };
	unsigned int n;
	int err;

	mutex_lock(&counters.lock);
	n = replace ? 0 : counters.n;
	if (set && n)
		memcpy(set, counters.set, n * sizeof(*set));
	err = set ? add_to(set, &n, text, len, &e) : mc_fail(&e, -ENOMEM, "counters: no memory");
	if (!err) {
		swap(counters.set, set);
		counters.n = n;
	}
	counters.refused = e;
	mutex_unlock(&counters.lock);
	mc_free(set);
	return err;
}

/**
 * mc_counters_show() - append a line for each counter, and the last error
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_counters_show(struct mc_text *t)
{
	unsigned int i;

	mutex_lock(&counters.lock);
	for (i = 0; i < counters.n; i++) {
		mc_counter_show(t, &counters.set[i]);
		mc_textf(t, "\n");
	}
	if (!counters.n)
		mc_textf(t, "# no counters are set\n");
	if (counters.refused.err)
		mc_textf(t, "# not taken: %s\n", counters.refused.text);
	mutex_unlock(&counters.lock);
}

/**
 * mc_counters_copy() - copy the current set
 * @n: result: number of counters
 *
 * Context: Process, may sleep.
 * Return: the copy, for mc_free(), or NULL if there are no counters or no memory.
 */
struct mc_counter *mc_counters_copy(unsigned int *n)
{
	struct mc_counter *copy = NULL;

	mutex_lock(&counters.lock);
	if (counters.n)
		copy = mc_alloc_array(counters.n, sizeof(*copy));
	if (copy)
		memcpy(copy, counters.set, counters.n * sizeof(*copy));
	*n = counters.n;
	mutex_unlock(&counters.lock);
	return copy;
}

/**
 * mc_counters_exit() - free the set
 *
 * Context: Process, at unload.
 */
void mc_counters_exit(void)
{
	mc_free(counters.set);
}
