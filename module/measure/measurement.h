/* SPDX-License-Identifier: GPL-2.0-only */
/* Set up the measurement of a point, and put its result into a record. */
#ifndef MC_MEASUREMENT_H
#define MC_MEASUREMENT_H

#include "measure/test.h"

/* The distance of positions that samples take in turn, of so many bytes each: whole pages. */
static inline u64 mc_position_bytes(u64 bytes)
{
	return (bytes + 4095) & ~4095ULL;
}

/* With MC_RECORD_OF_CPU: the thread behind the one whose turn it is; at the end, the first one. */
static inline unsigned int mc_second_thread(const struct mc_run *run)
{
	return (run->part + 1) % mc_threads_size(run->threads);
}

/* With MC_RECORD_OF_PAIR: the indices of the two threads whose turn it is. */
static inline void mc_pair_of(const struct mc_run *run, unsigned int *who)
{
	unsigned int n = mc_threads_size(run->threads);

	who[0] = run->pairs[run->part] / n;
	who[1] = run->pairs[run->part] % n;
}

int mc_measurement_begin(struct mc_measurement *meas, struct mc_run *run,
			 const struct mc_point *point);
int mc_test_run(const struct mc_test *test, struct mc_run *run, const struct mc_point *point,
		struct mc_record *rec);

void *mc_measurement_array(struct mc_measurement *meas, u64 n, size_t size);
bool mc_measurement_per_sample(struct mc_measurement *meas, void *where, size_t size);
bool mc_measurement_grow(struct mc_measurement *meas);
void *mc_measurement_threads(struct mc_measurement *meas, size_t size, struct mc_error *e);
u64 mc_measurement_window(struct mc_worker *w, struct mc_sampler *sampler, u64 ticks);
u32 mc_positions(const struct mc_point *point, const struct mc_view *view, u64 bytes);
void mc_measurement_record(struct mc_measurement *meas, struct mc_record *rec);
struct mc_part mc_measurement_part(unsigned int threads, const struct mc_area *area,
				   unsigned int thread);
void mc_measurement_end(struct mc_measurement *meas);

#endif /* MC_MEASUREMENT_H */
