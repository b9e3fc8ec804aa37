/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that has written a request, and waits for its run. */
#ifndef MC_WRITER_H
#define MC_WRITER_H

#include <linux/completion.h>
#include <linux/signal_types.h>
#include <linux/types.h>

#include "measure/test.h"

void mc_writer_hold(sigset_t *before);
void mc_writer_release(const sigset_t *before);
int mc_writer_stopped(void);
int mc_writer_wait(struct completion *done, long most);

u64 mc_writer_map(struct mc_run *run, u64 bytes);
void mc_writer_unmap(void);
struct mm_struct *mc_writer_mm(void);

#endif /* MC_WRITER_H */
