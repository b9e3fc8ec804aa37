// SPDX-License-Identifier: GPL-2.0-only
/*
 * mc_msr: simulated prefetcher registers, where a CPU has none or they can't be trusted.
 *
 * Loaded before memcache, it stands in for memcache's mc_msr_read() and
 * mc_msr_write() of MSR 0x1a4 and, as on Sapphire Rapids, 0x6d. Each CPU has its
 * registers in the module's memory, which outlives memcache. In debugfs:
 *
 *   state   name=value lines: cpuN and secondN, the registers; reads, writes; off: writes
 *           after which all our bits were set; foreign: writes that changed other bits;
 *           told: reboot notifiers of memcache that were called
 *   set     write `NAME VALUE [CPU]`, VALUE in hex:
 *           value V CPU   set the first register of a CPU, as another program would
 *           second V CPU  set the second one
 *           flip V CPU    flip bits of the first one, as another program would
 *           stick V       only these bits of ours can be written in the first register
 *           group N       N neighbouring CPUs share their registers
 *           reads N       N more reads succeed, then all fault; writes N: the same for
 *                         writes; with a CPU: only on that one
 *           unknown 1     no CPU model is known, from the next load on
 *           two 1         the CPU model has both registers, from the next load on
 *           locked 1      the kernel is locked down for MSRs
 *           reboot 0      memcache's reboot notifiers are called
 */
#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#define MOST	8		/* CPUs */
#define ALWAYS	(~0ULL)

/**
 * struct simulated - a register of each CPU
 * @msr: its number
 * @ours: the bits of prefetchers
 * @stick: those of them that can be written
 * @value: its value by CPU
 */
struct simulated {
	u32 msr;
	u64 ours, stick, value[MOST];
};

/* These can be set. @lock protects them. */
static struct simulated first = { 0x1a4, 0xf, 0xf };
static struct simulated second = { 0x6d, 1ULL << 14 | 1ULL << 42, 1ULL << 14 | 1ULL << 42 };
static u64 group = 1, reads_left = ALWAYS, writes_left = ALWAYS;
static unsigned int faulty = MOST;	/* the only CPU that faults; MOST: any does */
static u64 unknown, two, locked;
static unsigned int reads, writes, off, foreign, told;
static DEFINE_RAW_SPINLOCK(lock);
static struct dentry *dir;

/* -------------------------------------------------------- the registers */

static struct simulated *of_msr(u32 msr)
{
	return msr == first.msr ? &first : &second;
}

static u64 *of_this_cpu(struct simulated *reg)
{
	return &reg->value[raw_smp_processor_id() / group * group % MOST];
}

static bool faults(u64 *left)
{
	if (faulty < MOST && faulty != raw_smp_processor_id())
		return false;
	if (*left && *left != ALWAYS)
		--*left;
	else if (!*left)
		return true;
	return false;
}

static int stand_in_read(u32 msr, u64 *to)
{
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&lock, flags);
	reads++;
	err = faults(&reads_left) ? -EIO : 0;
	*to = err ? 0 : *of_this_cpu(of_msr(msr));
	raw_spin_unlock_irqrestore(&lock, flags);
	return err;
}

static int stand_in_write(u32 msr, u64 to)
{
	struct simulated *reg = of_msr(msr);
	unsigned long flags;
	u64 *now;
	int err;

	raw_spin_lock_irqsave(&lock, flags);
	now = of_this_cpu(reg);
	err = faults(&writes_left) ? -EIO : 0;
	if (!err && *now != to) {
		writes++;
		foreign += ((*now ^ to) & ~reg->ours) != 0;
		off += (to & reg->ours) == reg->ours;
		*now = (to & (reg->stick | ~reg->ours)) | (*now & reg->ours & ~reg->stick);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return err;
}

/* The same as struct mc_prefetch_msr of memcache. */
static const struct {
	u32 msr;
	u64 mask;
} both[] = { { 0x1a4, 0xf }, { 0x6d, 1ULL << 14 | 1ULL << 42 }, { } };

static const void *stand_in_model(void)
{
	return READ_ONCE(unknown) ? NULL : both;
}

static int stand_in_no(void)
{
	return -EPERM;
}

/* ---------------------------------------------------------- replacing functions */

/**
 * struct replaced - a function that is replaced
 * @probe: the probe at its entry
 * @stand_in: the function that is called instead
 * @wanted: tells by the first argument whether a call is replaced
 */
struct replaced {
	struct kprobe probe;
	void *stand_in;
	bool (*wanted)(u64 argument);
};

static bool is_simulated(u64 msr)
{
	return (u32)msr == first.msr || (READ_ONCE(two) && (u32)msr == second.msr);
}

static bool is_set(u64 model)
{
	return READ_ONCE(unknown) || READ_ONCE(two);
}

static bool is_locked(u64 reason)
{
	return READ_ONCE(locked) && (u32)reason == LOCKDOWN_MSR;
}

static int lead_away(struct kprobe *probe, struct pt_regs *regs)
{
	struct replaced *p = container_of(probe, struct replaced, probe);

	/* A probe takes no lock. */
	if (!p->wanted(regs->di))
		return 0;
	instruction_pointer_set(regs, (unsigned long)p->stand_in);
	return 1;
}

/* A probe with a post handler is never optimized into a jump, which could not be redirected. */
static void never_after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

#define PLACE(name, ...)						\
	{								\
		{							\
			.symbol_name = (name), .pre_handler = lead_away, \
			.post_handler = never_after,			\
		}, __VA_ARGS__						\
	}

static struct replaced lockdown = PLACE("security_locked_down", stand_in_no, is_locked);

static struct replaced places[] = {
	PLACE("memcache:mc_msr_read", stand_in_read, is_simulated),
	PLACE("memcache:mc_msr_write", stand_in_write, is_simulated),
	PLACE("memcache:mc_prefetchers_of", stand_in_model, is_set),
};

static bool placed;

static void leave_places(size_t n)
{
	while (n--) {
		unregister_kprobe(&places[n].probe);
		/* Reset the probe, so that it can be registered again. */
		places[n].probe.addr = NULL;
		places[n].probe.flags = 0;
	}
	placed = false;
}

/* Set the probes after memcache is loaded and before its first instruction runs. */
static int module_comes_or_goes(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *module = data;
	size_t i;

	if (strcmp(module->name, "memcache"))
		return NOTIFY_DONE;
	if (state == MODULE_STATE_GOING && placed)
		leave_places(ARRAY_SIZE(places));
	if (state != MODULE_STATE_COMING)
		return NOTIFY_DONE;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		int err = register_kprobe(&places[i].probe);

		if (err) {
			pr_err("mc_msr: %s: %d\n", places[i].probe.symbol_name, err);
			leave_places(i);
			return notifier_from_errno(err);
		}
	}
	placed = true;
	return NOTIFY_OK;
}

/* This must run before the notifier of kprobes: after that, 5.10 would disarm a probe again. */
static struct notifier_block module_block = {
	.notifier_call = module_comes_or_goes,
	.priority = 1,
};

/* --------------------------------------------------------------- reboot */

static struct blocking_notifier_head *reboot_chain;

static int not_told(struct notifier_block *nb, unsigned long action, void *data)
{
	return NOTIFY_DONE;
}

static struct notifier_block reboot_block = { .notifier_call = not_told };

/* The chain is not exported to modules, but is an argument when one registers. */
static int note_chain(struct kprobe *probe, struct pt_regs *regs)
{
	if (regs->si == (unsigned long)&reboot_block)
		reboot_chain = (void *)regs->di;
	return 0;
}

static int find_chain(void)
{
	struct kprobe probe = {
		.symbol_name = "blocking_notifier_chain_register",
		.pre_handler = note_chain,
	};
	int err = register_kprobe(&probe);

	if (err)
		return err;
	register_reboot_notifier(&reboot_block);
	unregister_reboot_notifier(&reboot_block);
	unregister_kprobe(&probe);
	return reboot_chain ? 0 : -ENOENT;
}

/* Call only memcache's notifiers: the others would take the machine down. */
static void tell_of_reboot(void)
{
	struct notifier_block *nb;
	char name[KSYM_SYMBOL_LEN];

	down_read(&reboot_chain->rwsem);
	for (nb = rcu_dereference_raw(reboot_chain->head); nb;
	     nb = rcu_dereference_raw(nb->next)) {
		snprintf(name, sizeof(name), "%ps", nb->notifier_call);
		if (!strstr(name, "[memcache]"))
			continue;
		nb->notifier_call(nb, SYS_RESTART, NULL);
		told++;
	}
	up_read(&reboot_chain->rwsem);
}

/* ---------------------------------------------------------------- files */

static int state_show(struct seq_file *m, void *unused)
{
	unsigned long flags;
	unsigned int cpu;

	raw_spin_lock_irqsave(&lock, flags);
	for (cpu = 0; cpu < MOST; cpu++) {
		unsigned int of = cpu / group * group % MOST;

		seq_printf(m, "cpu%u=%llu\nsecond%u=%llu\n", cpu, first.value[of], cpu,
			   second.value[of]);
	}
	seq_printf(m, "reads=%u\nwrites=%u\noff=%u\nforeign=%u\ntold=%u\n",
		   reads, writes, off, foreign, told);
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int set(const char *name, u64 to, unsigned int cpu)
{
	const struct {
		const char *name;
		u64 *value;
	} named[] = {
		{ "stick", &first.stick }, { "group", &group },
		{ "reads", &reads_left }, { "writes", &writes_left },
		{ "unknown", &unknown }, { "two", &two }, { "locked", &locked },
	};
	unsigned long flags;
	int err = -EINVAL;
	size_t i;

	raw_spin_lock_irqsave(&lock, flags);
	for (i = 0; i < ARRAY_SIZE(named); i++) {
		if (strcmp(name, named[i].name) || (named[i].value == &group && !to))
			continue;
		WRITE_ONCE(*named[i].value, to);
		faulty = cpu;
		err = 0;
	}
	if (cpu < MOST && !strcmp(name, "value")) {
		first.value[cpu] = to;
		err = 0;
	} else if (cpu < MOST && !strcmp(name, "second")) {
		second.value[cpu] = to;
		err = 0;
	} else if (cpu < MOST && !strcmp(name, "flip")) {
		first.value[cpu] ^= to;
		err = 0;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	if (!strcmp(name, "reboot")) {
		tell_of_reboot();
		err = 0;
	}
	return err;
}

static ssize_t set_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	char line[48] = "", name[8] = "";
	unsigned int cpu = MOST;
	u64 to;
	int err;

	if (len >= sizeof(line) || copy_from_user(line, from, len))
		return -EINVAL;
	if (sscanf(line, "%7s %llx %u", name, &to, &cpu) < 2)
		return -EINVAL;
	err = set(name, to, cpu);
	return err ? err : len;
}

static const struct file_operations set_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = set_write,
	.llseek = noop_llseek,
};

static int __init mc_msr_init(void)
{
	int err = find_chain();

	err = err ? err : register_kprobe(&lockdown.probe);
	if (err)
		return err;
	err = register_module_notifier(&module_block);
	if (err) {
		unregister_kprobe(&lockdown.probe);
		return err;
	}
	dir = debugfs_create_dir("mc_msr", NULL);
	debugfs_create_file("state", 0400, dir, NULL, &state_fops);
	debugfs_create_file("set", 0200, dir, NULL, &set_fops);
	return 0;
}

static void __exit mc_msr_exit(void)
{
	debugfs_remove(dir);
	unregister_module_notifier(&module_block);
	if (placed)
		leave_places(ARRAY_SIZE(places));
	unregister_kprobe(&lockdown.probe);
}

module_init(mc_msr_init);
module_exit(mc_msr_exit);

MODULE_DESCRIPTION("Registers for prefetchers, for memcache's tests");
MODULE_LICENSE("GPL");
