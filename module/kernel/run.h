/* SPDX-License-Identifier: GPL-2.0-only */
/* One run at a time, its progress and its results. */
#ifndef MC_RUN_H
#define MC_RUN_H

#include <linux/kref.h>

#include "core/record.h"

/**
 * struct mc_snapshot - a run's request and results; constant once the run has ended
 * @ref: reference count
 * @req: the request
 * @error: the error that ended the run, if any
 * @state: how the run ended: done, failed or stopped
 * @layout: of its table
 * @n: number of records
 * @records: the records
 * @note: a line about the results, or empty
 * @machine: the machine's record, a line of JSON
 */
struct mc_snapshot {
	struct kref ref;
	struct mc_request req;
	struct mc_error error;
	const char *state;
	struct mc_layout layout;
	u64 n;
	struct mc_record *records;
	char note[160];
	char *machine;
};

int mc_run_line(const char *line, size_t len);
void mc_run_stop(void);
void mc_run_show(struct mc_text *t);
void mc_run_progress(struct mc_text *t);
struct mc_snapshot *mc_run_results(void);
void mc_run_older(struct mc_text *t, const struct mc_snapshot *s);
void mc_snapshot_put(struct mc_snapshot *s);
void mc_run_exit(void);

#endif /* MC_RUN_H */
