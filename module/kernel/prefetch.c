// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware prefetchers: off while a point is measured, then as they were.
 *
 * A register and its saved value are read and written on their own CPU only, with
 * interrupts off, so neither needs a lock. @prefetch_lock serialises what involves several
 * CPUs. The register's other bits are written back as they were just read.
 *
 * A CPU's prefetchers are put back when the point ends, however it ends; when the
 * CPU goes offline (or, if that failed, when it comes back); when the module is
 * unloaded; and at reboot, since a kernel started by kexec inherits the registers.
 * A suspend freezes the process that wrote the request, which ends its run first.
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

#define REGISTERS	2	/* the most that a CPU has */

/**
 * struct held - a CPU's saved prefetcher bits; only this CPU accesses them
 * @valid: the bits are still to be put back
 * @before: the bits of each register before they were changed
 */
struct held {
	bool valid;
	u64 before[REGISTERS];
};

static DEFINE_PER_CPU(struct held, saved);

static const struct mc_prefetch_msr *registers;	/* ends with register 0; NULL: see @unknown_why */
static const char *unknown_why;
static bool going_down;
static bool stuck;		/* some CPU could not be put back */
static int prefetch_state = -1;
static DEFINE_MUTEX(prefetch_lock);

/* ------------------------------------------------------ jobs, on their CPU */

/* Return: 0, a job's own positive result, or a negative errno. */
typedef int (*job)(struct held *h);

static int read_bits(const struct mc_prefetch_msr *reg, u64 *bits)
{
	int err = mc_msr_read(reg->msr, bits);

	*bits &= reg->mask;
	return err;
}

static int write_bits(const struct mc_prefetch_msr *reg, u64 bits)
{
	u64 now;
	int err = mc_msr_read(reg->msr, &now);

	if (err || (now & reg->mask) == bits)
		return err;
	return mc_msr_write(reg->msr, (now & ~reg->mask) | bits);
}

/* If an earlier value could not be put back, it is the one to keep. */
static int save(struct held *h)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !h->valid && !err && registers[i].msr; i++)
		err = read_bits(&registers[i], &h->before[i]);
	return err;
}

#define SOME_ON		1
#define SOME_OFF	2

/* Return: SOME_ON, SOME_OFF or both. */
static int read_state(struct held *h)
{
	int state = 0;
	unsigned int i;

	for (i = 0; registers[i].msr; i++) {
		u64 bits;
		int err = read_bits(&registers[i], &bits);

		if (err)
			return err;
		state |= (bits != registers[i].mask ? SOME_ON : 0) | (bits ? SOME_OFF : 0);
	}
	return state;
}

/* Return: 1 if some prefetchers are on. */
static int some_on(struct held *h)
{
	int state = read_state(h);

	return state < 0 ? state : state & SOME_ON;
}

/* Return: 1 if some are on, or if a hotplug or a reboot has put them back already. */
static int came_on(struct held *h)
{
	return h->valid ? some_on(h) : 1;
}

static int switch_off(struct held *h)
{
	unsigned int i;
	int err = 0;

	h->valid = true;
	for (i = 0; !err && registers[i].msr; i++)
		err = write_bits(&registers[i], registers[i].mask);
	return err ? err : some_on(h);
}

static int put_one_back(const struct mc_prefetch_msr *reg, u64 before)
{
	u64 bits;
	int err = write_bits(reg, before);

	if (!err)
		err = read_bits(reg, &bits);
	if (!err && bits != before)
		err = -EIO;
	if (!err)
		return 0;
	WRITE_ONCE(stuck, true);
	pr_warn_once("memcache: CPU %d: prefetchers can't be put back; MSR 0x%x should have 0x%llx in its bits 0x%llx\n",
		     smp_processor_id(), reg->msr, before, reg->mask);
	return err;
}

/* Each register is put back, even if another one can't be. */
static int put_back(struct held *h)
{
	unsigned int i;
	int all = 0;

	for (i = 0; h->valid && registers[i].msr; i++) {
		int err = put_one_back(&registers[i], h->before[i]);

		all = all ? all : err;
	}
	h->valid = all;
	return all;
}

/* Check that the registers can be read and written; their values stay the same. */
static int try_registers(struct held *h)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && registers[i].msr; i++) {
		u64 now;

		err = mc_msr_read(registers[i].msr, &now);
		err = err ? err : mc_msr_write(registers[i].msr, now);
	}
	return err;
}

static int run_here(job what)
{
	unsigned long flags;
	int ret;

	local_irq_save(flags);
	ret = what(this_cpu_ptr(&saved));
	local_irq_restore(flags);
	return ret;
}

struct call {
	job what;
	int ret;
};

static void run_call(void *arg)
{
	struct call *c = arg;

	c->ret = run_here(c->what);
}

/*
 * Return: the job's result, or 1 if the CPU is offline. Its prefetchers have been put
 * back then, and the thread that was bound to it reports an error of its own.
 */
static int on_cpu(int cpu, job what)
{
	struct call c = { .what = what };

	if (smp_call_function_single(cpu, run_call, &c, 1))
		return 1;
	return c.ret;
}

/*
 * Run a job on each CPU that the point measures, even after one has failed.
 * Return: the first error, else 1 if any job returned 1.
 */
static int on_point_cpus(const struct mc_run *run, job what)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	unsigned int i, n = mc_threads_size(run->threads);
	int all = 0;

	if (test->near_only || mc_of_one_cpu(test))
		return on_cpu(run->near, what);
	for (i = 0; i < n; i++) {
		int ret = on_cpu(mc_threads_cpu(run->threads, i), what);

		if (all >= 0 && ret)
			all = ret;
	}
	return all;
}

/* A CPU that went offline in between would go with its prefetchers off. */
static void lock_cpus(void)
{
	cpus_read_lock();
	mutex_lock(&prefetch_lock);
}

static void unlock_cpus(void)
{
	mutex_unlock(&prefetch_lock);
	cpus_read_unlock();
}

/* ---------------------------------------------------------- what a run asks */

/* Return: why prefetchers can't be switched off, or NULL if they can. */
static const char *why_not(void)
{
	if (!registers)
		return unknown_why;
	if (READ_ONCE(going_down))
		return "the machine is going down";
	if (security_locked_down(LOCKDOWN_MSR))
		return "the kernel is locked down";
	if (run_here(try_registers))
		return "their register can't be used here, as under most hypervisors";
	return NULL;
}

static int refuse(struct mc_error *e, const char *why)
{
	return mc_fail(e, -EOPNOTSUPP,
		       "prefetch: off is not possible: %s; use prefetch=keep or prefetch=auto",
		       why);
}

/**
 * mc_prefetch_check() - check that a point's prefetch= is possible
 * @req: its request
 * @point: the point
 * @e: result: the reason if it is not
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
 * All registers are saved before the first one is written, since CPUs may share
 * one: SMT siblings on most models, the cores of a module on Goldmont.
 */
static int save_and_switch_off(struct mc_run *run)
{
	int ret = on_point_cpus(run, save);

	if (ret >= 0)
		ret = on_point_cpus(run, switch_off);
	if (ret < 0)
		on_point_cpus(run, put_back);
	return ret;
}

static void put_all_back(void)
{
	unsigned int cpu;

	lock_cpus();
	WRITE_ONCE(stuck, false);	/* a reboot may write it while a run reads it */
	for_each_online_cpu(cpu)
		on_cpu(cpu, put_back);
	unlock_cpus();
}

/* A CPU that is stuck with its prefetchers off would falsify later results. */
static int fail_if_stuck(struct mc_run *run)
{
	if (!READ_ONCE(stuck))
		return 0;
	return mc_fail(&run->error, -EIO,
		       "prefetch: can't be put back as it was; see the kernel log");
}

/**
 * mc_prefetch_off() - switch prefetchers off, if a point asks for it
 * @run: its run
 * @point: the point; its prefetch value is replaced by the actual state
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
		return fail_if_stuck(run);
	lock_cpus();
	why = why_not();
	ret = why ? -EIO : save_and_switch_off(run);
	unlock_cpus();
	if (ret >= 0)
		*prefetch = ret ? MC_PREFETCH_INEFFECTIVE : MC_PREFETCH_OFF;
	else if (asked == MC_PREFETCH_OFF && !READ_ONCE(stuck))
		return refuse(&run->error, why ? why :
			      "the register of one CPU can't be used");
	return fail_if_stuck(run);
}

/**
 * mc_prefetch_back() - put prefetchers back after a point
 * @run: its run
 * @point: the point; its prefetch value changes if they did not stay off
 *
 * Context: Process, may sleep.
 * Return: 0 or -EIO, explained in @run->error.
 */
int mc_prefetch_back(struct mc_run *run, struct mc_point *point)
{
	if (point->v[MC_KEY_PREFETCH] == MC_PREFETCH_KEEP)
		return 0;
	lock_cpus();
	if (on_point_cpus(run, came_on))
		point->v[MC_KEY_PREFETCH] = MC_PREFETCH_INEFFECTIVE;
	on_point_cpus(run, put_back);
	unlock_cpus();
	return fail_if_stuck(run);
}

/* ------------------------------------------------------------ the machine */

/*
 * Reading a register interrupts its CPU, so only CPUs that the reader may run on
 * are read: isolated ones stay undisturbed.
 */
static const char *state_now(void)
{
	unsigned int cpu;
	int ret = 0, seen = 0;

	cpus_read_lock();
	for_each_cpu_and(cpu, current->cpus_ptr, cpu_online_mask) {
		ret = on_cpu(cpu, read_state);
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

static void known_json(struct mc_text *t)
{
	mc_textf(t, ",\"msr\":\"0x%x\",\"mask\":\"0x%llx\"", registers->msr, registers->mask);
	if (registers[1].msr)
		mc_textf(t, ",\"msr_2\":\"0x%x\",\"mask_2\":\"0x%llx\"", registers[1].msr,
			 registers[1].mask);
	mc_textf(t, ",\"state\":\"%s\"}", state_now());
}

/**
 * mc_prefetch_json() - append register and state of the prefetchers as a JSON object
 * @t: the text
 *
 * Context: Process, may sleep.
 */
void mc_prefetch_json(struct mc_text *t)
{
	mc_textf(t, "{\"known\":%s", registers ? "true" : "false");
	if (!registers)
		mc_textf(t, ",\"msr\":null,\"mask\":null,\"state\":null}");
	else
		known_json(t);
}

/* ------------------------------------------------- hotplug, reboot, unload */

static int cpu_comes_or_goes(unsigned int cpu)
{
	run_here(put_back);
	return 0;
}

static int on_reboot(struct notifier_block *nb, unsigned long action, void *data)
{
	WRITE_ONCE(going_down, true);
	put_all_back();
	return NOTIFY_DONE;
}

static struct notifier_block reboot_block = { .notifier_call = on_reboot };

/**
 * mc_prefetch_init() - find the register, and watch CPUs come and go
 *
 * Context: Process, may sleep, once.
 * Return: 0 or a negative errno.
 */
int mc_prefetch_init(void)
{
	registers = mc_prefetchers(&unknown_why);
	if (!registers)
		return 0;
	prefetch_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "memcache:prefetch",
						   cpu_comes_or_goes, cpu_comes_or_goes);
	if (prefetch_state < 0)
		return prefetch_state;
	register_reboot_notifier(&reboot_block);
	return 0;
}

/**
 * mc_prefetch_exit() - stop watching CPUs, and put all prefetchers back
 *
 * Context: Process, may sleep.
 */
void mc_prefetch_exit(void)
{
	if (prefetch_state < 0)
		return;
	unregister_reboot_notifier(&reboot_block);
	cpuhp_remove_state(prefetch_state);
}
