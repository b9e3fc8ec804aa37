/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Disturbed windows and samples: which of them a result leaves out, and what it says
 * about them.
 */
#ifndef MC_DISTURBED_H
#define MC_DISTURBED_H

#include "measure/samples.h"

/* Flag of a sample in @seen of struct mc_disturbed: its time includes the disturbance. */
#define MC_IN_TIME	0x80

void mc_disturbed_windows(struct mc_sampler *sampler);
void mc_disturbed_record(struct mc_measurement *meas, struct mc_record *rec);
bool mc_disturbed_by_others(const struct mc_measurement *meas);
void mc_times_json(struct mc_text *t);

#endif /* MC_DISTURBED_H */
