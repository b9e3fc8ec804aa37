/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A point to measure in virtual time: loops that touch no memory, but spend time
 * and note what they were told, on a buffer that isn't there.
 */
#ifndef MC_SELFTEST_POINT_H
#define MC_SELFTEST_POINT_H

#include "measure/samples.h"
#include "threads.h"

#define PAGE	4096ULL
#define MOST	50		/* samples */

extern struct mc_sampler sampler[THREADS_MOST];
extern struct mc_measurement meas;
extern u64 samples[MOST];
extern u8 disturbed[MOST];
extern struct mc_threads *threads;
extern unsigned int ticks;		/* samples, warm-ups included */

/* Picoseconds for a byte of the loop, by thread, and for a byte of the read back. */
extern u64 speed[THREADS_MOST], check_speed;

extern const struct mc_loop loop, bytewise, triad, check;

void *place(u64 offset, u64 bytes);
void odd_spans(u64 bytes);
void set_up(unsigned int n, u64 bytes);
/* Measure; no window may be longer than 5 ms. Return: that of mc_threads_run(). */
int measure_point(void);
/* All samples have this time, within 1 ppm: the rates of several threads are rounded. */
void assert_samples_near(u64 ps);
int sample_of(const struct mc_sampler *one);
int begin_trail(struct mc_worker *w, struct mc_sampler *one, u32 round);
int end_trail(struct mc_worker *w, struct mc_sampler *one, u32 round);
bool trail_is_one_pass(void);

#endif /* MC_SELFTEST_POINT_H */
