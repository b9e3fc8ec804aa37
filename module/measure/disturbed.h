/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Disturbed windows and samples: which of them a result leaves out, and what it says
 * about them.
 */
#ifndef MC_DISTURBED_H
#define MC_DISTURBED_H

#include "measure/samples.h"

void mc_disturbed_windows(struct mc_sampler *sampler);
void mc_disturbed_keep(struct mc_measurement *meas, const struct mc_sample *all);
void mc_disturbed_mark(struct mc_measurement *meas);
void mc_disturbed_record(struct mc_measurement *meas, struct mc_record *rec);
bool mc_disturbed_by_others(const struct mc_measurement *meas);
void mc_disturbed_json(struct mc_text *t);

#endif /* MC_DISTURBED_H */
