// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that wrote a request, and its signals. signal_pending() is also true
 * when a debugger, job control, a cgroup's freezer or a suspend wants the process to
 * stop. The program must not get EINTR for that: shells and Python, for example, would
 * repeat the write and start the run anew.
 */
#include <linux/freezer.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "kernel/writer.h"

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
	sigorsets(&set, &current->pending.signal,
		  &current->signal->shared_pending.signal);
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
