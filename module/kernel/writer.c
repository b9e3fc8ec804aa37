// SPDX-License-Identifier: GPL-2.0-only
/*
 * The writer of a request and its signals. The kernel says of a process that a
 * signal is pending also when a debugger, job control, a cgroup's freezer or a
 * suspend want it: no program has asked to hear of that. One that got EINTR for it
 * would write again, as shells and Python do, and start the run anew.
 */
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "kernel/writer.h"

#define LOOK	(HZ / 20)	/* how often, once looking is all that helps */

/**
 * mc_writer_hold() - keep back signals that are no reason to end a run
 * @before: result, for mc_writer_release()
 *
 * Those that by default end no program: a shell that writes hears of its jobs, and of
 * its window, at any time. Those that stop one do so once the run has ended.
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
 * mc_writer_release() - let them through again
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
	/* A process that runs keeps its own. */
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
 * mc_writer_stopped() - is the run to end for its writer's sake?
 *
 * A suspend ends it: registers are not kept, and CPUs go.
 *
 * Context: Process, the writer.
 * Return: 0, -EINTR (it has a signal), or -ECANCELED (it is to be frozen).
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
 * mc_writer_wait() - wait until something is done
 * @done: it
 * @limited: or until a time
 * @deadline: in jiffies, if so
 *
 * Context: Process, the writer; may sleep.
 * Return: 1 if it is done, 0 if time is up, or as mc_writer_stopped().
 */
int mc_writer_wait(struct completion *done, bool limited, unsigned long deadline)
{
	for (;;) {
		long left = MAX_SCHEDULE_TIMEOUT;
		int err;

		if (limited)
			left = max(1L, (long)(deadline - jiffies));
		left = wait_for_completion_interruptible_timeout(done, left);
		if (left >= 0)
			return left > 0;
		err = mc_writer_stopped();
		if (err)
			return err;
		/* The flag stays set, and an interruptible wait would not sleep any more. */
		if (wait_for_completion_killable_timeout(done, LOOK) > 0)
			return 1;
		if (limited && time_after_eq(jiffies, deadline))
			return 0;
	}
}
