// SPDX-License-Identifier: GPL-2.0-only
/*
 * mc_pmu: two PMUs that look like the memory controllers of two packages, and one of a
 * core, for machines without any. They count what memcache's loops ask for: each event
 * counts bytes x k / 16, in lines of 64 bytes, where k is in its config. So
 * amplification must come out as the sum of the k's.
 *
 *   config 0-7    1  counts
 *                 3  counts; can be opened as often as the parameter opens says
 *                 4  can't be opened
 *                 5  counts what the simulated machine's controllers move (tools/sim): k is twice
 *                    the number of the node, plus 1 for lines that it writes: 0 to 15. No other
 *                    machine has these counts (EOPNOTSUPP)
 *   config 8-23   k, in sixteenths
 *
 * A third PMU, mc_core, counts for a thread what loops on its own CPU go through, in bytes
 * x k / 16. It has the kind 1, and of kind 5 counts of that CPU of the simulated machine:
 * the walks of page tables (k is 0), and the cycles of its clock (1).
 *
 * The module watches calls of the loops named in loops=, whose arguments begin like struct
 * mc_loop_args. calls= names functions that have the number of bytes as an argument:
 * NAME:N, where the first argument is 0. NAME:sN is a system call, whose own first
 * argument points to the caller's registers.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#ifdef CONFIG_X86
#include <asm/msr.h>
#else
#include <asm/sysreg.h>
#endif

#define NPMUS		2
#define MOST_LOOPS	16
#define WORD_BYTES	10	/* of struct mc_loop_args: MC_ARG_BYTES in words of 8 bytes */
#define WORD_PASSES	11

#define TRAFFIC		0x400000e0	/* tools/sim/pages.h */
#define TRAFFICS	16
#define WALKS		(TRAFFIC + TRAFFICS)
#define COUNT_VALID	BIT_ULL(63)

enum { EVENT_COUNTS = 1, EVENT_ONCE = 3, EVENT_NEVER, EVENT_SIMULATED };

static char *loops[MOST_LOOPS];
static unsigned int nloops;
module_param_array(loops, charp, &nloops, 0400);
MODULE_PARM_DESC(loops, "functions of memcache to watch, e.g. mc_asm_write16");

static char *calls[MOST_LOOPS];
static unsigned int ncalls;
module_param_array(calls, charp, &ncalls, 0400);
MODULE_PARM_DESC(calls, "functions to watch, and which argument is bytes, e.g. mc_file_move:3");

static int opens = -1;
module_param(opens, int, 0600);
MODULE_PARM_DESC(opens, "how often an event of kind 3 can still be opened");

static atomic64_t bytes;	/* bytes that the loops were asked to go through */
static DEFINE_PER_CPU(u64, bytes_here);	/* those of loops on this CPU */
static struct kprobe probes[MOST_LOOPS];

static struct call {
	struct kprobe probe;
	char name[64];
	unsigned int arg;
	bool system;
} call[MOST_LOOPS];

struct fake {
	struct pmu pmu;
	bool registered;
};

static struct fake fakes[NPMUS];
static struct fake core;

/* ------------------------------------------------------------------ the loops */

static void add(u64 n)
{
	atomic64_add(n, &bytes);
	this_cpu_add(bytes_here, n);
}

static int on_loop(struct kprobe *p, struct pt_regs *regs)
{
	const u64 *args = (const u64 *)regs_get_kernel_argument(regs, 0);

	add(args[WORD_BYTES] * args[WORD_PASSES]);
	return 0;
}

static int on_call(struct kprobe *p, struct pt_regs *regs)
{
	const struct call *c = container_of(p, struct call, probe);

	if (c->system)
		regs = (struct pt_regs *)regs_get_kernel_argument(regs, 0);
	add(regs_get_kernel_argument(regs, c->arg));
	return 0;
}

/* ------------------------------------------------------------------ the events */

static unsigned int kind_of(const struct perf_event *event)
{
	return event->attr.config & 0xff;
}

static u64 k_of(const struct perf_event *event)
{
	return event->attr.config >> 8 & 0xffff;
}

/* A count of the simulated machine. COUNT_VALID is set in it, and in no register elsewhere. */
static u64 read_simulated(const struct perf_event *event)
{
	u32 number = (event->pmu == &core.pmu ? WALKS : TRAFFIC) + (u32)k_of(event);
	u64 value;
#ifdef CONFIG_X86
	u32 low, high;

	if (rdmsr_safe(number, &low, &high))
		return 0;
	value = (u64)high << 32 | low;
#else
	unsigned long flags;
	u64 selected;

	local_irq_save(flags);
	selected = read_sysreg(csselr_el1);
	write_sysreg(number, csselr_el1);
	isb();
	value = read_sysreg(ccsidr_el1);
	write_sysreg(selected, csselr_el1);
	isb();
	local_irq_restore(flags);
#endif
	return value;
}

/* The count of an event; mc_core's are called for on the CPU where they count. */
static u64 lines_now(const struct perf_event *event)
{
	u64 k = k_of(event);

	if (kind_of(event) == EVENT_SIMULATED)
		return read_simulated(event) & ~COUNT_VALID;
	if (event->pmu == &core.pmu)
		return this_cpu_read(bytes_here) * k / 16;
	return atomic64_read(&bytes) * k / 16 / 64;
}

static int fake_event_init(struct perf_event *event)
{
	struct fake *f = container_of(event->pmu, struct fake, pmu);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->cpu < 0 || kind_of(event) < EVENT_COUNTS ||
	    kind_of(event) == EVENT_NEVER || kind_of(event) > EVENT_SIMULATED)
		return -EINVAL;
	if (kind_of(event) == EVENT_SIMULATED && k_of(event) >= TRAFFICS)
		return -EINVAL;
	if (kind_of(event) == EVENT_SIMULATED && !(read_simulated(event) & COUNT_VALID))
		return -EOPNOTSUPP;
	if (kind_of(event) == EVENT_ONCE && opens >= 0 && !opens--)
		return -ENODEV;
	/* One CPU of each package, as drivers of memory controllers have it. */
	event->cpu = (f - fakes) % num_online_cpus();
	return 0;
}

static int core_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (kind_of(event) == EVENT_SIMULATED)
		return read_simulated(event) & COUNT_VALID ? 0 : -EOPNOTSUPP;
	return kind_of(event) == EVENT_COUNTS ? 0 : -EINVAL;
}

static void fake_read(struct perf_event *event)
{
	u64 now = lines_now(event);

	local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static void fake_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	local64_set(&event->hw.prev_count, lines_now(event));
}

static void fake_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	fake_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int fake_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		fake_start(event, 0);
	return 0;
}

static void fake_del(struct perf_event *event, int flags)
{
	fake_stop(event, 0);
}

/* ---------------------------------------------------------------------- sysfs */

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(k, "config:8-23");
PMU_EVENT_ATTR_STRING(cas_count_read, attr_read, "event=0x01,k=0x10");
PMU_EVENT_ATTR_STRING(cas_count_read.scale, attr_read_scale, "6.103515625e-5");
PMU_EVENT_ATTR_STRING(cas_count_read.unit, attr_read_unit, "MiB");
PMU_EVENT_ATTR_STRING(cas_count_write, attr_write, "event=0x01,k=0x8");
PMU_EVENT_ATTR_STRING(cas_count_write.scale, attr_write_scale, "6.103515625e-5");
PMU_EVENT_ATTR_STRING(cas_count_write.unit, attr_write_unit, "MiB");
PMU_EVENT_ATTR_STRING(clockticks, attr_clock, "event=0x01,k=0x0");

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct fake *f = container_of(dev_get_drvdata(dev), struct fake, pmu);

	return sysfs_emit(buf, "%d\n", (int)(f - fakes) % num_online_cpus());
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *format_attrs[] = {
	&format_attr_event.attr, &format_attr_k.attr, NULL
};

static struct attribute *event_attrs[] = {
	&attr_read.attr.attr, &attr_read_scale.attr.attr, &attr_read_unit.attr.attr,
	&attr_write.attr.attr, &attr_write_scale.attr.attr,
	&attr_write_unit.attr.attr, &attr_clock.attr.attr, NULL
};

static struct attribute *cpumask_attrs[] = { &dev_attr_cpumask.attr, NULL };

static const struct attribute_group format_group = {
	.name = "format", .attrs = format_attrs,
};

static const struct attribute_group event_group = {
	.name = "events", .attrs = event_attrs,
};

static const struct attribute_group cpumask_group = { .attrs = cpumask_attrs };

static const struct attribute_group *groups[] = {
	&format_group, &event_group, &cpumask_group, NULL
};

/* --------------------------------------------------------------- load, unload */

static void give_back(void)
{
	unsigned int i;

	for (i = 0; i < NPMUS; i++) {
		if (fakes[i].registered)
			perf_pmu_unregister(&fakes[i].pmu);
	}
	if (core.registered)
		perf_pmu_unregister(&core.pmu);
	for (i = 0; i < nloops; i++) {
		if (probes[i].addr)
			unregister_kprobe(&probes[i]);
	}
	for (i = 0; i < ncalls; i++) {
		if (call[i].probe.addr)
			unregister_kprobe(&call[i].probe);
	}
}

static int watch(struct kprobe *probe, const char *name, kprobe_pre_handler_t handler)
{
	int err;

	probe->symbol_name = name;
	probe->pre_handler = handler;
	err = register_kprobe(probe);
	if (err) {
		probe->addr = NULL;
		pr_err("%s can't be watched (error %d)\n", name, -err);
	}
	return err;
}

static int watch_loops(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < nloops; i++)
		err = watch(&probes[i], loops[i], on_loop);
	for (i = 0; !err && i < ncalls; i++) {
		call[i].system = strstr(calls[i], ":s");
		if (sscanf(calls[i], call[i].system ? "%63[^:]:s%u" : "%63[^:]:%u",
			   call[i].name, &call[i].arg) != 2)
			return -EINVAL;
		err = watch(&call[i].probe, call[i].name, on_call);
	}
	return err;
}

static int __init mc_pmu_init(void)
{
	static const char * const names[NPMUS] = { "uncore_imc_0", "uncore_imc_1" };
	int err = watch_loops();
	unsigned int i;

	for (i = 0; !err && i < NPMUS; i++) {
		fakes[i].pmu = (struct pmu){
			.module = THIS_MODULE, .task_ctx_nr = perf_invalid_context,
			.attr_groups = groups, .event_init = fake_event_init,
			.add = fake_add, .del = fake_del, .start = fake_start,
			.stop = fake_stop, .read = fake_read,
			.capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT,
		};
		err = perf_pmu_register(&fakes[i].pmu, names[i], -1);
		fakes[i].registered = !err;
	}
	if (!err) {
		core.pmu = (struct pmu){
			.module = THIS_MODULE, .task_ctx_nr = perf_sw_context,
			.event_init = core_event_init, .add = fake_add, .del = fake_del,
			.start = fake_start, .stop = fake_stop, .read = fake_read,
			.capabilities = PERF_PMU_CAP_NO_INTERRUPT,
		};
		err = perf_pmu_register(&core.pmu, "mc_core", -1);
		core.registered = !err;
	}
	if (err)
		give_back();
	return err;
}

static void __exit mc_pmu_exit(void)
{
	give_back();
}

module_init(mc_pmu_init);
module_exit(mc_pmu_exit);

MODULE_DESCRIPTION("Memory controllers and a core for machines without, to test memcache");
MODULE_LICENSE("GPL");
