/* SPDX-License-Identifier: GPL-2.0-only */
/* What the engine and the benchmarks need from the system, on either side. */
#ifndef MC_OS_H
#define MC_OS_H

#include "core/shim.h"
#include "machine/instructions.h"

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "platform/compat.h"

#define MC_IN_KERNEL	1

/*
 * An array that a request asks for must never make the OOM killer run, and one that
 * can't fit must not empty the caches first.
 */
static inline void *mc_alloc_array(size_t n, size_t size)
{
	const gfp_t how = GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	size_t bytes = array_size(n, size);

	if (bytes >> PAGE_SHIFT > (unsigned long)si_mem_available())
		return NULL;
	/* kvcalloc() refuses more, whatever memory there is. */
	return bytes > INT_MAX ? __vmalloc(bytes, how | __GFP_ZERO) : kvcalloc(n, size, how);
}

static inline void mc_free(void *p)
{
	kvfree(p);
}

/* Switch interrupts off for a few microseconds, where that is possible. */
static inline unsigned long mc_irqs_off(void)
{
	unsigned long flags;

	local_irq_save(flags);
	return flags;
}

static inline void mc_irqs_restore(unsigned long flags)
{
	local_irq_restore(flags);
}

void mc_give_way(void);

/*
 * A thread that never sleeps lets others run; one that goes before them (SCHED_FIFO) has to rest
 * for that. It also reports a quiescent state for RCU tasks: cond_resched() alone does not, so
 * switching off tracing, or a probe, would wait until the thread has ended.
 */
static inline void mc_breathe(void)
{
	if (current->policy == SCHED_FIFO && current->flags & PF_KTHREAD)
		mc_give_way();
	cond_resched_tasks_rcu_qs();
}

/* A word that one thread sets and others read. */
static inline void mc_flag_set(u32 *flag, u32 value)
{
	/* Pairs with the load in mc_flag(). */
	smp_store_release(flag, value);
}

static inline u32 mc_flag(const u32 *flag)
{
	/* Pairs with the store in mc_flag_set(). */
	return smp_load_acquire(flag);
}

/* Long enough for other threads to have gone to sleep. */
static inline void mc_nap(void)
{
	usleep_range(200, 400);
}

static inline void mc_sleep_ms(unsigned int ms)
{
	msleep_interruptible(ms);
}

/* Size of all memory. */
static inline u64 mc_memory_bytes(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

/* Memory that a run may take at most; an allocation beyond it fails, and harms nobody. */
static inline u64 mc_memory_room(void)
{
	return mc_memory_bytes();
}

/*
 * Bytes of the largest cache in front of memory that the CPUs do not report: a memory-side one, or
 * one that a search found. 0: none is known.
 */
u64 mc_unlisted_cache(void);

static inline bool mc_has_room(u64 bytes)
{
	return bytes <= mc_memory_room();
}

/* What getpid() returns. */
static inline int mc_pid(void)
{
	return task_tgid_vnr(current);
}

/* The thread of mc_thread_once(): complete @begun, then wait to be stopped. */
static inline int mc_wait_for_stop(void *begun)
{
	complete(begun);
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* Make a thread, and wait for its end. Return: 0 or a negative errno. */
static inline int mc_thread_once(void)
{
	DECLARE_COMPLETION_ONSTACK(begun);
	struct task_struct *thread = kthread_run(mc_wait_for_stop, &begun,
						 "memcache/once");

	if (IS_ERR(thread))
		return PTR_ERR_OR_ZERO(thread);
	/* A kthread that is stopped before it begins would not run at all. */
	wait_for_completion(&begun);
	return kthread_stop(thread);
}
#else
#include <pthread.h>
#include <sys/sysinfo.h>
#include <time.h>

#define MC_IN_KERNEL	0

/* Each argument is evaluated once, as in the kernel. */
#define mc_pick(a, op, b)						\
	({								\
		__typeof__(a) mc_a = (a);				\
		__typeof__(b) mc_b = (b);				\
									\
		mc_a op mc_b ? mc_a : mc_b;				\
	})
#define min(a, b)	mc_pick(a, <, b)
#define max(a, b)	mc_pick(a, >, b)
#define container_of(p, type, member)					\
	((type *)((char *)(p) - offsetof(type, member)))

/* What the engine uses of the kernel's atomic operations. */
#define cmpxchg(p, old, new)	__sync_val_compare_and_swap(p, old, new)
typedef struct { int counter; } atomic_t;
#define atomic_set(v, value)	WRITE_ONCE((v)->counter, value)
#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_inc_return(v)	__sync_add_and_fetch(&(v)->counter, 1)

/* Memory that this process may still take; the kernel ends it if it takes more. */
u64 mc_memory_room(void);

/* As in the kernel, above. */
u64 mc_unlisted_cache(void);

/* Whether a process may take so much memory. What is small is not worth the look. */
static inline bool mc_has_room(u64 bytes)
{
	return bytes < 1 << 14 || bytes <= mc_memory_room();
}

static inline void *mc_alloc_array(size_t n, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) || !mc_has_room(bytes) ? NULL :
	       calloc(n, size);
}

static inline void mc_free(void *p)
{
	free(p);
}

static inline unsigned long mc_irqs_off(void)
{
	return 0;
}

static inline void mc_irqs_restore(unsigned long flags)
{
}

/* Threads with sched=fifo have a function here that lets other threads run; all others NULL. */
#pragma weak mc_give_way	/* each file that includes this has it, and they share it */
__thread void (*mc_give_way)(void);

static inline void mc_breathe(void)
{
	if (mc_give_way)
		mc_give_way();
}

static inline void mc_flag_set(u32 *flag, u32 value)
{
	__atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static inline u32 mc_flag(const u32 *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static inline void mc_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
}

static inline void mc_sleep_ms(unsigned int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static inline u64 mc_memory_bytes(void)
{
	return (u64)get_phys_pages() * 4096;
}

static inline int mc_pid(void)
{
	return 0;	/* the test os measures this as a system call */
}

static inline void *mc_end_at_once(void *nothing)
{
	return NULL;
}

static inline int mc_thread_once(void)
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, mc_end_at_once, NULL);

	return err ? -err : -pthread_join(thread, NULL);
}
#endif /* __KERNEL__ */

#endif /* MC_OS_H */
