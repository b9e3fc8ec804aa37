/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPUs of the simulated machine, their clocks, and whose turn it is. */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"
#include "tally.h"

struct CPUState;

#define QUEUE_MOST	4096

/**
 * struct pending - an access whose time has not come yet
 * @access: what the instruction did
 * @rest: instructions that the CPU's clock counts already, and that come after it
 */
struct pending {
	struct access access;
	uint32_t rest;
};

/**
 * struct vcpu - a CPU; times are nanoseconds
 * @state: QEMU's CPU
 * @clock: its time: an instruction takes 1 ns, and an access what it costs. Other threads read it
 * @running: it executes instructions; false: it waits for an interrupt
 * @turn: its turn has begun, and end_turn() has not ended it
 * @limit: time up to which no other CPU does anything
 * @looked: its time when it last looked, alone, whether it has woken another CPU
 * @rest: instructions that @clock counts already, and that come after the one that reads it, at
 * @read_at: the value of @clock then; 0: none has read it
 * @first: index of the first access in @queue
 * @last: index behind the last one
 * @queue: accesses that wait until the other CPUs have come to their time
 * @overflows: accesses that did not wait because the queue was full
 * @tally: counts
 */
struct vcpu {
	struct CPUState *state;
	int64_t clock;
	bool running;
	bool turn;
	int64_t limit;
	int64_t looked;
	uint32_t rest;
	int64_t read_at;
	uint32_t first;
	uint32_t last;
	struct pending queue[QUEUE_MOST];
	uint64_t overflows;
	struct tally tally;
};

extern struct vcpu vcpus[CPUS_MOST];
extern unsigned int nvcpus;

void machine_add(unsigned int cpu, struct CPUState *state);
void machine_pass(unsigned int cpu, unsigned int instructions);
void machine_access(unsigned int cpu, const struct access *a, unsigned int rest);
bool machine_clock_is_due(unsigned int cpu, unsigned int rest);
unsigned int machine_current(void);
int64_t machine_clock(unsigned int cpu);
int64_t machine_now(void);
void machine_hold_timers(bool hold);
void machine_lock(void);
void machine_unlock(void);
bool machine_may_run(struct CPUState *state);
bool machine_is_idle(void);

#endif /* SIM_MACHINE_H */
