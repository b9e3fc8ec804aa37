// SPDX-License-Identifier: GPL-2.0-only
/*
 * mc_bugs: mistakes on demand, to test that the kernels of our own find them, and that
 * tools/check/kernel-log sees their reports. `echo NAME >/sys/module/mc_bugs/parameters/bug`
 * makes a mistake; what it breaks stays broken until the next boot.
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

/* The compiler can neither warn about nor remove what it can't know. */
static size_t unknown(size_t n)
{
	OPTIMIZER_HIDE_VAR(n);
	return n;
}

static void read_byte(const char *p, size_t offset)
{
	READ_ONCE(p[unknown(offset)]);
}

static void beyond(void)
{
	char *p = kzalloc(100, GFP_KERNEL);

	if (p)
		read_byte(p, 100);
	kfree(p);
}

static void beyond_vmalloc(void)
{
	char *p = vzalloc(100);

	if (p)
		read_byte(p, 100);
	vfree(p);
}

static void freed(void)
{
	char *p = kzalloc(100, GFP_KERNEL);
	char *kept = (char *)unknown((size_t)p);

	if (!p)
		return;
	kfree(p);
	read_byte(kept, 0);
}

/*
 * kmemleak takes any word with the value of a pointer for that pointer, so a stale word on
 * a stack may hide the last block. It does not hide all of several blocks.
 */
static void leaked(void)
{
	int i;

	for (i = 0; i < 16; i++) {
		char *p = kmalloc(1234, GFP_KERNEL);

		if (p)
			memset(p, 0, unknown(1234));
	}
}

static noinline void one_after_the_other(struct mutex *first, struct mutex *second)
{
	mutex_lock(first);
	mutex_lock(second);
	mutex_unlock(second);
	mutex_unlock(first);
}

static void deadlock(void)
{
	static DEFINE_MUTEX(a);
	static DEFINE_MUTEX(b);

	one_after_the_other(&a, &b);
	one_after_the_other(&b, &a);
}

static void sleep(void)
{
	static DEFINE_SPINLOCK(lock);
	static DEFINE_MUTEX(mutex);

	spin_lock(&lock);
	mutex_lock(&mutex);
	mutex_unlock(&mutex);
	spin_unlock(&lock);
}

static void shifted(void)
{
	int one = 1 << unknown(40);

	OPTIMIZER_HIDE_VAR(one);
}

static void out_of_bounds(void)
{
	static int array[4];
	int other = array[unknown(5)];

	OPTIMIZER_HIDE_VAR(other);
}

static void never(struct timer_list *timer)
{
}

static void armed(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, never, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static noinline int another_type(int n)
{
	OPTIMIZER_HIDE_VAR(n);
	return n;
}

static void mistyped(void)
{
	size_t function = unknown((size_t)another_type);
	void (*call)(void);

	call = (void *)function;
	call();
}

static unsigned int shared;

static noinline int counts(void *unused)
{
	while (!kthread_should_stop()) {
		shared++;
		cond_resched();
	}
	return 0;
}

static noinline void raced(void)
{
	unsigned long end = jiffies + 5 * HZ;
	struct task_struct *other = kthread_run(counts, NULL, "mc_bugs");

	if (IS_ERR(other))
		return;
	while (time_before(jiffies, end)) {
		shared++;
		cond_resched();
	}
	kthread_stop(other);
}

static void warned(void)
{
	WARN_ON(unknown(1));
}

static const struct {
	const char *name;
	void (*make)(void);
} bugs[] = {
	{ "beyond", beyond },
	{ "beyond-vmalloc", beyond_vmalloc },
	{ "freed", freed },
	{ "leaked", leaked },
	{ "deadlock", deadlock },
	{ "sleep", sleep },
	{ "shifted", shifted },
	{ "out-of-bounds", out_of_bounds },
	{ "armed", armed },
	{ "mistyped", mistyped },
	{ "raced", raced },
	{ "warned", warned },
};

static int set_bug(const char *name, const struct kernel_param *param)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (sysfs_streq(name, bugs[i].name)) {
			bugs[i].make();
			return 0;
		}
	}
	return -EINVAL;
}

static const struct kernel_param_ops bug_ops = { .set = set_bug };

module_param_cb(bug, &bug_ops, NULL, 0200);
MODULE_PARM_DESC(bug, "the mistake to make");

MODULE_DESCRIPTION("Makes mistakes for a kernel to find");
MODULE_LICENSE("GPL");
