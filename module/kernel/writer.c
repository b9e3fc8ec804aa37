// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that wrote a request: its signals, and the run's memory at its addresses.
 *
 * signal_pending() is also true when a debugger, job control, a cgroup's freezer or a suspend wants
 * the process to stop. The program must not get EINTR for that: shells and Python, for example,
 * would repeat the write and start the run anew.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/freezer.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "core/view.h"
#include "kernel/writer.h"
#include "platform/compat.h"

#define LOOK	(HZ / 20L)	/* polling interval, once an interruptible wait can't sleep */

/**
 * mc_writer_hold() - block signals that must not end a run
 * @before: result, for mc_writer_release()
 *
 * These are the signals that by default do not end a program: a shell may get SIGCHLD
 * or SIGWINCH at any time. Those that stop a program take effect after the run.
 *
 * Context: Process.
 */
void mc_writer_hold(sigset_t *before)
{
	sigset_t held;

	siginitset(&held, sigmask(SIGCHLD) | sigmask(SIGCONT) |
			  sigmask(SIGURG) | sigmask(SIGWINCH) |
			  sigmask(SIGSTOP) | sigmask(SIGTSTP) |
			  sigmask(SIGTTIN) | sigmask(SIGTTOU));
	sigprocmask(SIG_BLOCK, &held, before);
}

/**
 * mc_writer_release() - restore the signal mask
 * @before: from mc_writer_hold()
 *
 * Context: Process.
 */
void mc_writer_release(const sigset_t *before)
{
	sigset_t set = *before;

	sigprocmask(SIG_SETMASK, &set, NULL);
}

static bool has_signal(void)
{
	/* The current process keeps its own sighand. */
	struct sighand_struct *hand = rcu_dereference_raw(current->sighand);
	sigset_t set;

	spin_lock_irq(&hand->siglock);
	sigorsets(&set, &current->pending.signal, &current->signal->shared_pending.signal);
	sigandnsets(&set, &set, &current->blocked);
	spin_unlock_irq(&hand->siglock);
	return !sigisemptyset(&set);
}

/**
 * mc_writer_stopped() - does the writer's state end the run?
 *
 * A suspend ends the run, because it resets registers and takes CPUs offline.
 *
 * Context: Process, the writer.
 * Return: 0, -EINTR (a signal is pending), or -ECANCELED (the freezer wants it).
 */
int mc_writer_stopped(void)
{
	if (!signal_pending(current))
		return 0;
	if (has_signal())
		return -EINTR;
	return freezing(current) ? -ECANCELED : 0;
}

/**
 * mc_writer_wait() - wait for a completion
 * @done: the completion
 * @most: the longest wait, in jiffies
 *
 * Context: Process, the writer; may sleep.
 * Return: 1 if completed, 0 if not yet, or as mc_writer_stopped().
 */
int mc_writer_wait(struct completion *done, long most)
{
	long left = wait_for_completion_interruptible_timeout(done, most);
	int err;

	if (left >= 0)
		return left > 0;
	err = mc_writer_stopped();
	if (err)
		return err;
	/* signal_pending() stays true, so an interruptible wait would not sleep. */
	return wait_for_completion_killable_timeout(done, min(most, LOOK)) > 0;
}

/*
 * A mapping for the kernel's copies from and to user memory. All its pages are there at once, and
 * no fault brings one back. Each holds a reference, and the mapping holds the module: one that the
 * process has moved, or that a fatal signal keeps from being removed, outlives the run and does no
 * harm. Only the writer changes this, while its threads have no job.
 */
static struct {
	struct mm_struct *mm;
	unsigned long at;
	u64 bytes;
} mapped;

static int map_pages(struct file *file, struct vm_area_struct *vma)
{
	const struct mc_view *view = file->private_data;
	unsigned long at;
	int err = view ? 0 : -ENODEV;

	mc_vma_set_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	for (at = vma->vm_start; at < vma->vm_end && !err; at += PAGE_SIZE) {
		void *page = mc_view_at(view, at - vma->vm_start, NULL);

		err = vm_insert_page(vma, at, is_vmalloc_addr(page) ? vmalloc_to_page(page) :
								      virt_to_page(page));
		/* Hundreds of gigabytes take long. */
		cond_resched();
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	return err;
}

static const struct file_operations mapped_fops = {
	.owner = THIS_MODULE,
	.mmap = map_pages,
};

/**
 * mc_writer_unmap() - remove the mapping, if there is one
 *
 * Context: Process, the writer of the request, while the threads have no job; may sleep.
 */
void mc_writer_unmap(void)
{
	if (mapped.mm)
		vm_munmap(mapped.at, mapped.bytes);
	mapped.mm = NULL;
}

/**
 * mc_writer_map() - map the first bytes of the point's buffer, in place of an earlier mapping
 * @run: the run, with the buffer in its area
 * @bytes: number of bytes, which the buffer has
 *
 * Context: As mc_writer_unmap().
 * Return: the address, or 0, explained in @run->error.
 */
u64 mc_writer_map(struct mc_run *run, u64 bytes)
{
	struct file *file = anon_inode_getfile("[memcache]", &mapped_fops,
					       (void *)run->area.view, O_RDWR);
	unsigned long at = PTR_ERR(file);

	mc_writer_unmap();
	bytes = PAGE_ALIGN(bytes);
	if (!IS_ERR(file)) {
		at = vm_mmap(file, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
		file->private_data = NULL;
		fput(file);
	}
	if (IS_ERR_VALUE(at)) {
		/* EAGAIN: the process may not lock so much, but it locks all that it maps. */
		mc_fail(&run->error, at == (unsigned long)-EINTR ? -EINTR : -ENOMEM,
			"op: the memory can't be mapped in the process that wrote the request (error %d)",
			-(int)at);
		return 0;
	}
	mapped.mm = current->mm;
	mapped.at = at;
	mapped.bytes = bytes;
	return at;
}

/**
 * mc_writer_mm() - the address space with the mapping
 *
 * Context: A thread that has a job. The writer, who waits for it, keeps the address space.
 * Return: the address space, or NULL if nothing is mapped.
 */
struct mm_struct *mc_writer_mm(void)
{
	return mapped.mm;
}
