// SPDX-License-Identifier: GPL-2.0-only
/* Turns of the CPUs of the simulated machine (tools/sim), and the order in which accesses meet. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "../../tools/sim/machine.h"
#include "../../tools/sim/qemu.h"

/* In place of QEMU's CPUs. */
static struct CPUState {
	bool idle;
	unsigned int exits;
} states[CPUS_MOST];

bool cpu_thread_is_idle(struct CPUState *cpu)
{
	return cpu->idle;
}

bool cpu_is_stopped(struct CPUState *cpu)
{
	return false;
}

void cpu_exit(struct CPUState *cpu)
{
	cpu->exits++;
}

static unsigned int notified;

void qemu_notify_event(void)
{
	notified++;
}

static const struct access UNCACHED = { .bytes = 8, .operation = LOAD, .type = UC };
static const struct access CACHED = { .physical = 4096, .bytes = 8, .operation = LOAD, .type = WB };

/* An uncached load costs 100 ns, and takes the controller 40 of them. */
static void begin(unsigned int n)
{
	static const char words[] = "uc_load_ns=100 wc_buffers=8 l1_bytes=32K l1_ways=8 l3_cpus=8";
	struct shape shape = { .ncpus = n, .nranges = 1, .ranges = { { 0, 1 << 20, 0 } } };
	struct prices prices = { 0 };
	char why[256];

	prices.l2_ways = 1;
	prices.l3_ways = 1;
	assert_true(prices_set(&prices, words, why, sizeof(why)));
	assert_true(prices_set(&prices, "service_ns=40", why, sizeof(why)));
	assert_null(model_make(&prices, &shape));
	memset(vcpus, 0, sizeof(vcpus));
	memset(states, 0, sizeof(states));
	nvcpus = 0;
	for (unsigned int i = 0; i < n; i++)
		machine_add(i, &states[i]);
}

static int find_turn(void)
{
	for (unsigned int i = 0; i < nvcpus; i++) {
		if (machine_may_run(&states[i]))
			return i;
	}
	return -1;
}

/* The same after a turn has ended. */
static int next_turn(void)
{
	vcpus[machine_current()].turn = false;
	return find_turn();
}

/* Compare what is seen of a CPU, or of the machine, with @x. */
static void see(const char *what, const char *word, unsigned int cpu, long x)
{
	long seen = !strcmp(word, "turn") ? next_turn() : !strcmp(word, "still") ? find_turn() :
		    !strcmp(word, "exits") ? states[cpu].exits :
		    !strcmp(word, "clock") ? (long)vcpus[cpu].clock :
		    !strcmp(word, "now") ? machine_now() : -2;

	if (seen != x)
		fail_msg("%s: %ld", what, seen);
}

/*
 * Words of what CPUs do and what is seen then, each with a number: a turn comes, or the last one
 * goes on (still); the CPU that has it passes instructions, makes an access so many instructions
 * before the end of its block, finds that it may read the clock there (due), or not (early). A
 * digit before "=" names another CPU.
 */
static void plays(unsigned int n, const char *script)
{
	char words[400], word[12], *rest = strcpy(words, script), *one;
	unsigned int cpu = 0, of;
	long x;

	begin(n);
	while ((one = strsep(&rest, " ;"))) {
		if (!*one)
			continue;
		if (sscanf(one, "%11[a-z]%u=%ld", word, &of, &x) != 3) {
			of = cpu;
			if (sscanf(one, "%11[a-z]=%ld", word, &x) != 2)
				fail_msg("%s", one);
		}
		if (!strcmp(word, "pass"))
			machine_pass(cpu, x);
		else if (!strcmp(word, "uncached") || !strcmp(word, "cached"))
			machine_access(cpu, *word == 'u' ? &UNCACHED : &CACHED, x);
		else if (!strcmp(word, "idle"))
			states[of].idle = x;
		else if (!strcmp(word, "due") || !strcmp(word, "early"))
			assert_int_equal(machine_clock_is_due(cpu, x), *word == 'd');
		else
			see(one, word, of, x);
		cpu = !strcmp(word, "turn") || !strcmp(word, "still") ? x : cpu;
	}
}

static void test_the_lowest_clock_runs(void **state)
{
	plays(3, "turn=0 pass=10 turn=1 pass=20 turn=2 pass=5 turn=2 pass=10 turn=0 now=10");
}

/* A CPU runs ahead a little, and is made to stop then. */
static void test_it_stops(void **state)
{
	plays(2, "turn=0 pass=900 exits=0 pass=200 exits=1");
	/* Alone, it never has to. */
	plays(1, "turn=0 pass=1000000 exits=0");
}

/* QEMU may take a turn away when the host wants something. */
static void test_an_interrupted_turn_goes_on(void **state)
{
	plays(2, "turn=0 pass=900 still=0 pass=200 still=1 idle1=1 still=0");
}

static void test_accesses_meet_in_order(void **state)
{
	/*
	 * CPU 0 comes first, but what it does, at 30, is later than what CPU 1 does, at 20. Asking
	 * at 130, it waits for the other's, which the controller serves from 120 to 160.
	 */
	plays(2, "turn=0 pass=50 uncached=20 exits=1 clock=50 turn=1 pass=25 uncached=5 clock=125; "
	      "turn=1 clock0=180");
	/* Equal times go by number. */
	plays(2, "turn=0 pass=10 uncached=0 turn=1 pass=10 uncached=0 clock=10 turn=0 clock0=110; "
	      "clock1=150");
	/* Lines of its own do not wait. */
	plays(2, "idle1=1 turn=0 cached=0 idle1=0 turn=0 pass=50 cached=0 exits=0");
}

/* The access is at 46; four instructions come later. */
static void test_the_clock_waits(void **state)
{
	plays(2, "turn=0 pass=1 turn=1 pass=45 turn=0 pass=49 due=9 now=41 uncached=4 early=3; "
	      "clock=46 turn=1 pass=160 turn=0 clock=146 pass=4 due=3 now=147");
}

/* No CPU reads an earlier time than another one has read before. */
static void test_the_clock_never_runs_backwards(void **state)
{
	plays(2, "turn=0 pass=500 turn=1 pass=900 early=99 exits=1 clock=800 turn=0 pass=10 due=9; "
	      "now=501 pass=491 turn=1 pass=100 due=99 now=801");
	/* If all want to read it at one time, all can. */
	plays(2, "turn=0 pass=1 due=0 now=1 turn=1 pass=1 due=0 now=1");
}

static void test_who_wakes(void **state)
{
	/* A CPU that runs alone is made to stop soon after it has woken another one. */
	plays(3, "idle1=1 idle2=1 turn=0 pass=100000 exits=0 idle2=0 pass=900 exits=0 pass=200; "
	      "exits=1 turn=0 clock2=101100");
	/* A CPU wakes at the time of the others. */
	plays(2, "idle1=1 turn=0 pass=5000 idle1=0 turn=0 clock1=5000");
}

/* While nobody runs, time passes as it does on the host, and does not run backwards. */
static void test_idle(void **state)
{
	long then;

	begin(2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(next_turn(), i);
		machine_pass(i, 12345678);
	}
	states[1].idle = true;
	assert_false(machine_is_idle());
	states[0].idle = true;
	assert_true(machine_is_idle());
	then = machine_now();
	assert_true(then >= 12345678);
	while (machine_now() < then + 1000000)
		;
	states[1].idle = false;
	assert_false(machine_is_idle());
	assert_int_equal(next_turn(), 1);
	assert_true(vcpus[1].clock >= then + 1000000);
	assert_true(machine_now() >= then + 1000000);
}

static void *now_of_devices(void *now)
{
	*(long *)now = machine_now();
	return NULL;
}

/* The time that QEMU's devices, which have a thread of their own, see. */
static long see_as_devices(void)
{
	long now;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, now_of_devices, &now), 0);
	pthread_join(thread, NULL);
	return now;
}

/* Timers that are held expire when all CPUs wait for them. */
static void test_held_timers(void **state)
{
	long held;

	begin(1);
	assert_int_equal(next_turn(), 0);
	machine_pass(0, 1000000);
	machine_hold_timers(true);
	held = see_as_devices();
	machine_pass(0, 1000000);
	assert_int_equal(see_as_devices(), held);
	notified = 0;
	states[0].idle = true;
	assert_true(machine_is_idle());
	assert_int_equal(notified, 1);
	assert_true(see_as_devices() >= 2000000);
	states[0].idle = false;
	assert_false(machine_is_idle());
	assert_int_equal(next_turn(), 0);
	machine_hold_timers(false);
	assert_int_equal(notified, 2);
	held = see_as_devices();
	assert_true(held >= 2000000);
	/* Nor does it run backwards where a CPU is behind. */
	vcpus[0].clock = 0;
	assert_int_equal(see_as_devices(), held);
}

static char by_type[512];	/* the accesses of that CPU, by type and width */

/* Return: what a CPU is said to have done, besides what is zero. */
static const char *counts(unsigned int cpu)
{
	static char said[4096];
	char *all, *one, *count;
	size_t n;
	FILE *f = open_memstream(&all, &n);

	assert_non_null(f);
	tally_report(f);
	fclose(f);
	assert_non_null(strstr(all, "\"lost\":0,"));
	said[0] = 0;
	one = strstr(all, "\"cpus\":[{") + 8;
	while (cpu--)
		one = strchr(one + 1, '{');
	count = strstr(one, "\"uc\":");
	snprintf(by_type, sizeof(by_type), "%.*s", (int)strcspn(count, "]"), count);
	*count = 0;
	for (count = strtok(one + 2, ","); count; count = strtok(NULL, ",")) {
		if (strcmp(strchr(count, ':'), ":0"))
			snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s ", count);
	}
	free(all);
	return said;
}

#define BY_TYPE "\"uc\":{\"load\":{\"8\":1}},\"wc\":{\"store\":{\"8\":1}},\"wt\":{},\"wp\":{}," \
		"\"wb\":{\"load\":{\"8\":1}},\"uc-\":{}}"

/* All counts are those since the last order. */
static void test_counts(void **state)
{
	static const struct access store = { .bytes = 8, .operation = STORE, .type = WC };
	static const struct access drain = { .operation = DRAIN };
	char want[128];

	begin(1);
	tally_clear();
	assert_string_equal(counts(0), "");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(next_turn(), 0);
		machine_access(0, &CACHED, 0);
		machine_access(0, &UNCACHED, 0);
		machine_access(0, &store, 0);
		tally_fence(0, FENCE_SFENCE);
		machine_access(0, &drain, 0);
		tally_access(0, &CACHED);
		tally_access(0, &UNCACHED);
		tally_access(0, &store);
		/* The part of a line waits while the controller serves the uncached load. */
		snprintf(want, sizeof(want), "%s \"%s\":1 %s", "\"charged\":140 \"sfence\":1",
			 i ? "l1" : "memory", "\"wc_words\":1 \"waited_ns\":40 ");
		assert_string_equal(counts(0), want);
		assert_string_equal(by_type, BY_TYPE);
		/* There is no room for so many windows. */
		for (int n = 0; n < 70000; n++) {
			tally_window_begin(0, 0);
			tally_window_end(0, 0);
		}
		tally_clear();
		assert_string_equal(counts(0), "");
	}
}
