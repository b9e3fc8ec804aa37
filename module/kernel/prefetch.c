// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware prefetchers: off while a point is measured, then as they were.
 *
 * A register is read and written on its own CPU only, with interrupts off there,
 * and so is what is remembered of it: neither takes a lock. @lock is for what goes
 * over several CPUs. Bits that are not ours are written as they were read in the
 * same moment.
 *
 * What puts a CPU's prefetchers back: the end of the point, however it ends; the
 * CPU going offline (or, if that failed, coming back); unloading; reboot, for a
 * kernel started by kexec finds the registers as they are. A suspend freezes the
 * process that wrote the request, which ends its run first.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/smp.h>

#include "kernel/arch.h"
#include "kernel/prefetch.h"

/**
 * struct held - what is to be put back on a CPU; only this CPU looks at it
 * @is: there is something
 * @before: our bits as they were
 */
struct held {
	bool is;
	u64 before;
};

static DEFINE_PER_CPU(struct held, held);

static const struct mc_prefetch_msr *known;	/* NULL: see @unknown_why */
static const char *unknown_why;
static bool going_down;
static bool stuck;		/* somewhere, something could not be put back */
static int hotplug = -1;
static DEFINE_MUTEX(lock);

/* ------------------------------------------------------ jobs, on their CPU */

/* Return: 0 or what each says, or a negative errno. */
typedef int (*job)(struct held *h);

static int read_bits(u64 *bits)
{
	int err = mc_msr_read(known->msr, bits);

	*bits &= known->mask;
	return err;
}

static int write_bits(u64 bits)
{
	u64 now;
	int err = mc_msr_read(known->msr, &now);

	if (err || (now & known->mask) == bits)
		return err;
	return mc_msr_write(known->msr, (now & ~known->mask) | bits);
}

/* What could not be put back is still as it was before that. */
static int remember(struct held *h)
{
	return h->is ? 0 : read_bits(&h->before);
}

/* Return: 1 if some are on. */
static int look(struct held *h)
{
	u64 bits;
	int err = read_bits(&bits);

	return err ? err : bits != known->mask;
}

#define SOME_ON		1
#define SOME_OFF	2

static int look_for_both(struct held *h)
{
	u64 bits;
	int err = read_bits(&bits);

	if (err)
		return err;
	return (bits != known->mask ? SOME_ON : 0) | (bits ? SOME_OFF : 0);
}

/* Return: 1 if some are on, or were put back by somebody before us. */
static int still_off(struct held *h)
{
	return h->is ? look(h) : 1;
}

static int switch_off(struct held *h)
{
	int err;

	h->is = true;
	err = write_bits(known->mask);
	return err ? err : look(h);
}

static int put_back(struct held *h)
{
	u64 bits;
	int err;

	if (!h->is)
		return 0;
	err = write_bits(h->before);
	if (!err)
		err = read_bits(&bits);
	if (!err && bits != h->before)
		err = -EIO;
	h->is = err;
	if (!err)
		return 0;
	WRITE_ONCE(stuck, true);
	pr_warn_once("memcache: CPU %d: prefetchers can't be put back; MSR 0x%x should have 0x%llx in its bits 0x%llx\n",
		     smp_processor_id(), known->msr, h->before, known->mask);
	return err;
}

/* Can the register be read and written at all? It is left as it is. */
static int try(struct held *h)
{
	u64 now;
	int err = mc_msr_read(known->msr, &now);

	return err ? err : mc_msr_write(known->msr, now);
}

static int here(job what)
{
	unsigned long flags;
	int ret;

	local_irq_save(flags);
	ret = what(this_cpu_ptr(&held));
	local_irq_restore(flags);
	return ret;
}

struct call {
	job what;
	int ret;
};

static void called(void *arg)
{
	struct call *c = arg;

	c->ret = here(c->what);
}

/* A CPU that is offline has been put back; who runs there finds out himself. */
static int on_cpu(int cpu, job what)
{
	struct call c = { .what = what };

	if (smp_call_function_single(cpu, called, &c, 1))
		return 1;
	return c.ret;
}

/*
 * On the CPUs that the point is about. All are gone through in any case.
 * Return: the first error, or 1 if any says so.
 */
static int on_all(const struct mc_run *run, job what)
{
	unsigned int i, n = mc_team_size(run->team);
	int all = 0;

	if (mc_test_of(run->req->spec)->near_only)
		return on_cpu(run->near, what);
	for (i = 0; i < n; i++) {
		int ret = on_cpu(mc_team_cpu(run->team, i), what);

		if (all >= 0 && ret)
			all = ret;
	}
	return all;
}

/* No CPU comes or goes meanwhile: it would do so with its prefetchers off. */
static void begin(void)
{
	cpus_read_lock();
	mutex_lock(&lock);
}

static void end(void)
{
	mutex_unlock(&lock);
	cpus_read_unlock();
}

/* ---------------------------------------------------------- what a run asks */

/* Why they can't be switched off, NULL if they can. */
static const char *why_not(void)
{
	if (!known)
		return unknown_why;
	if (READ_ONCE(going_down))
		return "the machine is going down";
	if (security_locked_down(LOCKDOWN_MSR))
		return "the kernel is locked down";
	if (here(try))
		return "their register can't be used here, as under most hypervisors";
	return NULL;
}

static int refuse(struct mc_error *e, const char *why)
{
	return mc_fail(e, -EOPNOTSUPP,
		       "prefetch: off is not possible: %s; prefetch=keep and auto are",
		       why);
}

/**
 * mc_prefetch_check() - can a point have its prefetchers as it asks?
 * @req: its request
 * @point: the point
 * @e: says why not
 *
 * Context: Process.
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int mc_prefetch_check(const struct mc_request *req,
		      const struct mc_point *point, struct mc_error *e)
{
	const char *why;

	if (point->v[MC_KEY_PREFETCH] != MC_PREFETCH_OFF)
		return 0;
	why = why_not();
	if (why)
		return refuse(e, why);
	if (req->any_cpu)
		return mc_fail(e, -EINVAL,
			       "prefetch: off needs bound threads: give cpu= a list");
	return 0;
}

/*
 * All is remembered before anything is written: CPUs may share a register, SMT
 * siblings on most, the cores of a module on Goldmont.
 */
static int remember_and_switch_off(struct mc_run *run)
{
	int ret = on_all(run, remember);

	if (ret >= 0)
		ret = on_all(run, switch_off);
	if (ret < 0)
		on_all(run, put_back);
	return ret;
}

static void put_all_back(void)
{
	unsigned int cpu;

	begin();
	WRITE_ONCE(stuck, false);	/* a reboot may do so while a run looks */
	for_each_online_cpu(cpu)
		on_cpu(cpu, put_back);
	end();
}

/* Nothing is measured with prefetchers off that nobody has asked for. */
static int report(struct mc_run *run)
{
	if (!READ_ONCE(stuck))
		return 0;
	return mc_fail(&run->error, -EIO,
		       "prefetch: can't be put back as it was; see the kernel log");
}

/**
 * mc_prefetch_off() - switch prefetchers off, if a point asks for it
 * @run: its run
 * @point: the point; what it asks for is replaced by what came of it
 *
 * Context: Process, may sleep.
 * Return: 0, -EOPNOTSUPP, or -EIO if some can't be put back, explained in
 * @run->error.
 */
int mc_prefetch_off(struct mc_run *run, struct mc_point *point)
{
	u64 *prefetch = &point->v[MC_KEY_PREFETCH], asked = *prefetch;
	const char *why;
	int ret;

	*prefetch = MC_PREFETCH_KEEP;
	if (READ_ONCE(stuck))
		put_all_back();
	if (asked == MC_PREFETCH_KEEP || run->req->any_cpu || READ_ONCE(stuck))
		return report(run);
	begin();
	why = why_not();
	ret = why ? -EIO : remember_and_switch_off(run);
	end();
	if (ret >= 0)
		*prefetch = ret ? MC_PREFETCH_INEFFECTIVE : MC_PREFETCH_OFF;
	else if (asked == MC_PREFETCH_OFF && !READ_ONCE(stuck))
		return refuse(&run->error, why ? why :
			      "the register of one CPU can't be used");
	return report(run);
}

/**
 * mc_prefetch_back() - put prefetchers back after a point
 * @run: its run
 * @point: the point; it is told if they were not off until now
 *
 * Context: Process, may sleep.
 * Return: 0 or -EIO, explained in @run->error.
 */
int mc_prefetch_back(struct mc_run *run, struct mc_point *point)
{
	if (point->v[MC_KEY_PREFETCH] == MC_PREFETCH_KEEP)
		return 0;
	begin();
	if (on_all(run, still_off))
		point->v[MC_KEY_PREFETCH] = MC_PREFETCH_INEFFECTIVE;
	on_all(run, put_back);
	end();
	return report(run);
}

/* ------------------------------------------------------------ the machine */

/* To look interrupts a CPU: only those that the reader may use, no isolated ones. */
static const char *state_now(void)
{
	unsigned int cpu;
	int ret = 0, seen = 0;

	cpus_read_lock();
	for_each_cpu_and(cpu, current->cpus_ptr, cpu_online_mask) {
		ret = on_cpu(cpu, look_for_both);
		if (ret < 0)
			break;
		seen |= ret;
	}
	cpus_read_unlock();
	if (ret < 0)
		return "unreadable";
	if (seen == (SOME_ON | SOME_OFF))
		return "mixed";
	return seen & SOME_OFF ? "off" : "on";
}

/**
 * mc_prefetch_json() - append what is known of prefetchers as a JSON object
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_prefetch_json(struct mc_text *t)
{
	mc_textf(t, "{\"known\":%s", known ? "true" : "false");
	if (!known)
		mc_textf(t, ",\"msr\":null,\"mask\":null,\"state\":null}");
	else
		mc_textf(t, ",\"msr\":\"0x%x\",\"mask\":\"0x%llx\",\"state\":\"%s\"}",
			 known->msr, known->mask, state_now());
}

/* ----------------------------------------------------- ways out of a machine */

static int cpu_comes_or_goes(unsigned int cpu)
{
	here(put_back);
	return 0;
}

static int on_reboot(struct notifier_block *nb, unsigned long action,
		     void *data)
{
	WRITE_ONCE(going_down, true);
	put_all_back();
	return NOTIFY_DONE;
}

static struct notifier_block reboot_block = { .notifier_call = on_reboot };

/**
 * mc_prefetch_init() - find out what can be switched, and watch CPUs come and go
 *
 * Context: Process, may sleep, once.
 * Return: 0 or a negative errno.
 */
int mc_prefetch_init(void)
{
	known = mc_prefetchers(&unknown_why);
	if (!known)
		return 0;
	hotplug = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					    "memcache:prefetch",
					    cpu_comes_or_goes,
					    cpu_comes_or_goes);
	if (hotplug < 0)
		return hotplug;
	register_reboot_notifier(&reboot_block);
	return 0;
}

/**
 * mc_prefetch_exit() - no more runs
 *
 * What could not be put back before is tried once more.
 *
 * Context: Process, may sleep.
 */
void mc_prefetch_exit(void)
{
	if (hotplug < 0)
		return;
	unregister_reboot_notifier(&reboot_block);
	cpuhp_remove_state(hotplug);
}
