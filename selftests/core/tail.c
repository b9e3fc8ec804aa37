// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/benchmarks/tail.c and its folder natively, with threads in virtual time, on a machine
 * whose memory pauses for its refresh, and on which interrupts and other events come at moments
 * that are known.
 */
#define TEST	mc_test_tail
#include "stub/engine.h"

#include "core/tail.h"
#include "platform/causes.h"
#include "stub/chance.h"
#include "stub/machine.h"

#define BYTES		(64ULL << 10)
#define EVENT_PS	(5000 * NS)	/* length of the shortest event; others are longer */
#define EVENTS		40U		/* of each cause */
#define SMI_EVENT	1		/* index of the event that counts SMIs */

/* ---------------------------------------------------------------- the machine */

/* Prices and oddities of the machine. */
static struct made {
	u64 memory_ps;		/* an access of memory */
	u64 cpu_ps;		/* extra cost for each CPU before this one */
	u64 every_ps, pause_ps;	/* each so often, memory pauses for so long */
	u64 slow_every;		/* one of so many accesses takes ten times as long */
	u64 accesses;
	bool drops;		/* what is written is lost */
	u64 lines_seen;		/* lines of memory that were accessed, a bit each */
	u64 loaded_lines;	/* lines that other threads have accessed */

	/* Events come 50 to 150 accesses from one another, the kinds in turn. */
	u32 planting;		/* causes that are planted, a bit each; 0: none */
	bool in_gaps;		/* they come between accesses, not during one */
	u32 long_causes;	/* causes whose events are 10 times as long */
	u64 planted[MC_NCAUSES], planted_ps[MC_NCAUSES];
	u64 counts[MC_NCAUSES];	/* as the system counts them */
	bool was_stolen;
	bool looked;		/* the first look only stores the count */
	u32 counted;		/* causes that mc_causes_known() knows */
	bool smi_event;		/* SMI_EVENT counts SMIs */
	u64 walk_every;		/* one of so many accesses has a walk, which takes no time */
	u64 still_ps;		/* time for which the core's clock stood still */
	bool is_guest;
	u64 last_ps, late;	/* the begin of the last access; how many come 2.7 us later */
} made;

#define MADE	.memory_ps = 100 * NS, .long_causes = 1 << MC_CAUSE_STEAL, \
		.counted = 1 << MC_CAUSE_SMI | 1 << MC_CAUSE_NMI | 1 << MC_CAUSE_SOFTIRQ

static u64 next_event;		/* number of the access at which the next one comes */
static u32 next_cause;
static u8 seen;			/* disturbances since the last look */

bool mc_hypervisor(void)
{
	return made.is_guest;
}

u32 mc_causes_known(void)
{
	return made.counted;
}

void mc_causes_read(u32 known, u64 *count)
{
	for (u32 i = 0; i < MC_NCAUSES; i++) {
		if (known >> i & 1)
			count[i] = made.counts[i];
	}
	sim.event[0][MC_EVENT_LOAD_WALKS].value++;
	sim_spend(500 * NS);
}

bool mc_smi_event(struct mc_counter *c)
{
	*c = (struct mc_counter){ .core = true, .pinned = true, .event = SMI_EVENT };
	return made.smi_event;
}

void mc_detector_begin(struct mc_detector *v)
{
	seen = 0;
}

u8 mc_detector_end(struct mc_detector *v)
{
	return seen;
}

static enum mc_stolen look_for_stolen(int cpu, bool at_once)
{
	enum mc_stolen stolen = made.was_stolen ? MC_STOLEN : MC_NOT_STOLEN;

	stolen = made.looked ? stolen : MC_NOT_LOOKED;
	made.looked = true;
	made.was_stolen = false;
	return stolen;
}

/* What an event of a cause leaves behind. An NMI and a softirq are seen as interrupts, too. */
static void leave_traces(u32 cause)
{
	made.counts[cause]++;
	sim.event[0][SMI_EVENT].value += cause == MC_CAUSE_SMI;
	sim.event[0][MC_EVENT_LOAD_WALKS].value += cause == MC_CAUSE_WALK;
	switch (cause) {
	case MC_CAUSE_PREEMPTION:
		seen |= MC_BY_PREEMPTION | MC_BY_INTERRUPT;
		break;
	case MC_CAUSE_MIGRATION:
		seen |= MC_BY_MIGRATION | MC_BY_INTERRUPT;
		break;
	case MC_CAUSE_SOFTIRQ:
	case MC_CAUSE_NMI:
	case MC_CAUSE_INTERRUPT:
		seen |= MC_BY_INTERRUPT;
		break;
	case MC_CAUSE_STEAL:
		made.was_stolen = true;
		break;
	}
}

/* Return: the time that the event takes which comes now; 0: none does. */
static u64 event_now(void)
{
	u64 ps;

	if (!made.planting || made.accesses < next_event || made.planted[next_cause] == EVENTS)
		return 0;
	ps = EVENT_PS * (made.long_causes >> next_cause & 1 ? 10 : 1) + chance(EVENT_PS);
	leave_traces(next_cause);
	made.still_ps += next_cause == MC_CAUSE_FREQUENCY ? ps : 0;
	made.planted[next_cause]++;
	made.planted_ps[next_cause] += ps;
	do {
		next_cause = (next_cause + 1) % MC_NCAUSES;
	} while (!(made.planting >> next_cause & 1));
	next_event = made.accesses + 50 + chance(100);
	return ps;
}

static u64 price(const struct access *a, u64 now_ps)
{
	u64 ps = made.memory_ps + sim_self() * made.cpu_ps, into;

	/* Each thread has a part of its own. */
	EXPECT(a->physical / (BYTES / sim.n & ~(LINE - 1)) == sim_self());
	if (a->bytes == LINE) {
		made.loaded_lines++;
		return 10 * NS;
	}
	EXPECT(a->physical % LINE == 0);
	made.lines_seen |= 1ULL << (a->physical / LINE % 64);
	made.accesses++;
	made.late += now_ps - made.last_ps > 2700 * NS;
	made.last_ps = now_ps;
	if (made.every_ps) {
		into = now_ps % made.every_ps;
		ps += into < made.pause_ps ? made.pause_ps - into : 0;
		ps += chance(3 * NS);	/* so that not all times are multiples of 20 ns */
	}
	if (made.walk_every && !chance(made.walk_every))
		sim.event[0][MC_EVENT_LOAD_WALKS].value++;
	if (made.slow_every && !chance(made.slow_every))
		ps += 9 * made.memory_ps;
	ps += made.in_gaps ? 0 : event_now();
	sim.event[0][MC_EVENT_CYCLES].value = 3 * (now_ps + ps - made.still_ps) / NS;
	return ps;
}

static bool keeps(const void *at)
{
	return !made.drops;
}

/* The test looks for the next line between two accesses. */
void *__real_mc_view_at(const struct mc_view *v, u64 at, u64 *left);
void *__wrap_mc_view_at(const struct mc_view *v, u64 at, u64 *left);
void *__wrap_mc_view_at(const struct mc_view *v, u64 at, u64 *left)
{
	if (made.in_gaps && sim_in_thread())
		sim_spend(event_now());
	return __real_mc_view_at(v, at, left);
}

static void costs(void)
{
	machine_reset("", BYTES, .price = price, .keeps = keeps);
	memset(memory, 0, BYTES);
	chance_state = 0x9e3779b97f4a7c15ULL;	/* so that two equal runs go the same way */
	made = (struct made){ MADE };
	sim.kinds = MC_BY_INTERRUPT | MC_BY_MIGRATION | MC_BY_STEAL | MC_BY_PREEMPTION;
	sim.stolen = look_for_stolen;
	/* A look at the clock costs what the clock is said to cost. */
	sim.look = mc_clock.cost_ps;
}

/* --------------------------------------------------------------------- figures */

static void assert_near(u64 value, u64 wanted, u64 permille)
{
	assert_in_range(value, wanted - wanted * permille / 1000,
			wanted + wanted * permille / 1000);
}

static void test_percentiles_are_those_of_single_accesses(void **state)
{
	u64 excess;

	reset_with(1, .slow_every = 500);
	measured("tail size=64K repeat=10 count=20000");
	assert_int_equal(n, 1);
	shows(rec, "samples=10 accesses=200000 clock_ns=20 clock_p99_9_ns=20");
	/* Bins are 1.6 % wide, and have 20 ns of the clock in them. */
	assert_near(figure(rec, "ns_per_access"), 100 * NS, 10);
	assert_near(figure(rec, "p99_ns_per_access"), 100 * NS, 10);
	assert_near(figure(rec, "p99_9_ns_per_access"), 1000 * NS, 10);
	assert_near(figure(rec, "p99_99_ns_per_access"), 1000 * NS, 10);
	/* The last one would be that of less than one access. */
	shows(rec, "p99_999_ns_per_access=990..1010 p99_9999_ns_per_access=null; "
	      "max_ns_per_access=1000 max_cause:%u spikes=300..500", MC_CAUSE_UNKNOWN);
	/* Of the time of all samples, without warm-ups. */
	excess = figure(rec, "spikes") * 900 * NS;
	assert_near(figure(rec, "spikes_percent"),
		    excess * 1000000 / (200000 * figure(rec, "step_ns") + excess), 50);
	shows(rec, "unknown_percent=100");
	assert_int_equal(rec->tail->bins.n, 200000);
	assert_near(figure(rec, "spike_limit_ns"), 180 * NS, 10);
	shows(rec, "flush=yes window_max_ns=1000000..5000000");
	assert_int_equal(made.lines_seen, 1);
}

/* What a spike is, the request can say. */
static void test_the_limit_of_spikes_is_that_of_the_request(void **state)
{
	reset_with(1, .slow_every = 100);
	measured("tail size=64K repeat=2 count=5000 spike=1us");
	shows(rec, "spikes=0 unknown_percent=null spike_limit_ns=1000");
	measured("tail size=64K repeat=2 count=5000 spike=999ns");
	shows(rec, "spikes=50..150");
}

/* --------------------------------------------------------------------- refresh */

/* The reader of the record finds the period in spikes from before the samples and of windows. */
static void test_spikes_of_the_refresh_are_kept_one_by_one(void **state)
{
	const struct mc_trace *trace;
	u64 late = 0;

	reset_with(1, .every_ps = 7800 * NS, .pause_ps = 350 * NS);
	sim.look = 5 * NS;	/* so that accesses come at any time of a pause */
	measured("tail size=64K repeat=2 count=50000");
	trace = rec->tail->trace;
	assert_in_range(trace->before, 1000, MC_TRACE_BEFORE);
	assert_in_range(trace->n - trace->before, 100, MC_TRACE);
	assert_in_range(trace->unknown, trace->n - trace->before, trace->n);
	/* All begin during a pause, and end when it ends, but for the access itself. */
	for (u32 i = trace->before; i < trace->n; i++) {
		assert_in_range(mc_tail_ps(rec->tail, trace->spike[i].ticks), 150 * NS, 470 * NS);
		late += trace->spike[i].window != trace->spike[trace->before].window;
	}
	assert_true(late > 0);
	assert_int_equal(rec->tail->cause[MC_CAUSE_UNKNOWN].count, figure(rec, "spikes"));
	assert_int_equal(rec->tail->known >> MC_CAUSE_REFRESH & 1, 0);
	shows(rec, "unknown_percent=100");
}

/* On a clock with coarse steps, all times have the period of its steps. */
static void test_a_coarse_clock_shows_no_period(void **state)
{
	reset_with(1, .every_ps = 7800 * NS, .pause_ps = 2000 * NS);
	sim.look = 300 * NS;
	measured("tail size=64K repeat=1 count=5000");
	assert_int_equal(rec->tail->trace->n + rec->tail->trace->unknown, 0);
}

/* ------------------------------------------------------------- the causes */

static void plant_these(u32 causes, u32 first)
{
	if (done != 1)
		return;
	made.planting = causes;
	next_event = made.accesses + 100;
	next_cause = first;
}

static void plant(void)
{
	plant_these(1 << MC_CAUSE_PREEMPTION | 1 << MC_CAUSE_MIGRATION | 1 << MC_CAUSE_SMI |
		    1 << MC_CAUSE_NMI | 1 << MC_CAUSE_SOFTIRQ | 1 << MC_CAUSE_INTERRUPT |
		    1 << MC_CAUSE_STEAL | 1 << MC_CAUSE_UNKNOWN, MC_CAUSE_PREEMPTION);
}

/*
 * Each planted event is found under its cause, none under another, and what their accesses took
 * beyond the median is the sum of all. Memory pauses for its refresh meanwhile.
 */
static void test_planted_causes_are_found(void **state)
{
	u64 excess = 0;

	reset_with(1, .every_ps = 7800 * NS, .pause_ps = 350 * NS);
	after_sample = plant;
	measured("tail size=64K repeat=2 count=50000 warmup=0");
	for (u32 cause = 0; cause < MC_NCAUSES; cause++) {
		const struct mc_cause_sum *sum = &rec->tail->cause[cause];

		print_message("%-10s planted %llu found %llu\n",
			      mc_name_of(mc_cause_names, cause), made.planted[cause], sum->count);
		excess += sum->excess;
		assert_int_equal(made.planted[cause], made.planting >> cause & 1 ? EVENTS : 0);
		/* Those of the refresh are among the unknown ones. */
		if (cause == MC_CAUSE_UNKNOWN) {
			assert_in_range(sum->count, 1000, 10000);
			continue;
		}
		assert_int_equal(sum->count, made.planted[cause]);
		/* An access that is hit may have waited for the refresh, too. */
		assert_in_range(sum->excess, made.planted_ps[cause],
				made.planted_ps[cause] + made.planted[cause] * made.pause_ps);
	}
	assert_int_equal(excess, mc_tail_excess(rec->tail));
	shows(rec, "max_ns_per_access:%llu max_cause:%u",
	      mc_tail_ps(rec->tail, rec->tail->worst->ticks), MC_CAUSE_STEAL);
}

/* Where preemptions are not known, an interrupt may be one, and is not said to be none. */
static void test_an_interrupt_may_be_a_preemption(void **state)
{
	reset(1);
	sim.kinds = MC_BY_INTERRUPT;
	after_sample = plant;
	measured("tail size=64K repeat=2 count=50000 warmup=0 places=all");
	assert_int_equal(rec->tail->cause[MC_CAUSE_INTERRUPT].count, 0);
	assert_in_range(rec->tail->cause[MC_CAUSE_TAKEN].count, EVENTS, 6 * EVENTS);
	assert_int_equal(rec->tail->known & (1 << MC_CAUSE_INTERRUPT | 1 << MC_CAUSE_TAKEN),
			 1 << MC_CAUSE_TAKEN);
}

static void come_before_a_window(struct mc_worker *w)
{
	leave_traces(MC_CAUSE_NMI);
}

/* An event between accesses, within a delay or between windows does not cause the next spike. */
static void test_what_comes_between_accesses_is_no_cause(void **state)
{
	static const char * const delays[] = { "0", "12us" };

	for (unsigned int i = 0; i < ARRAY_SIZE(delays); i++) {
		reset_with(1, .every_ps = 7800 * NS, .pause_ps = 350 * NS, .in_gaps = true);
		sim.events = MC_NEVENTS;
		sim.look *= 1 + 4 * i;
		after_sample = plant;
		sim.opened = come_before_a_window;
		measured("tail size=64K repeat=2 count=50000 warmup=0 places=all delay=%s",
			 delays[i]);
		assert_int_equal(made.planted[MC_CAUSE_INTERRUPT], EVENTS);
		/* The time of a look is in none either. */
		shows(rec, "max_ns_per_access=400..500");
		for (u32 cause = 0; cause < MC_NCAUSES; cause++) {
			if (cause != MC_CAUSE_UNKNOWN)
				assert_int_equal(rec->tail->cause[cause].count, 0);
		}
		assert_int_equal(made.lines_seen, ~0ULL);
	}
}

static void plant_core_events(void)
{
	plant_these(1 << MC_CAUSE_WALK | 1 << MC_CAUSE_SMI | 1 << MC_CAUSE_FREQUENCY |
		    1 << MC_CAUSE_UNKNOWN, MC_CAUSE_WALK);
}

/*
 * Walks, cycles and, where no register has them, SMIs are events of the PMU. A walk is the cause of
 * a long access only if others have none, and only if it is of this access. In a guest, cycles
 * don't tell what the clock does.
 */
static void test_events_of_the_pmu_are_causes(void **state)
{
	static const struct {
		const char *more;
		u64 walk_every;
		bool off, guest, walks, smis, frequency;
	} rows[] = {
		{ "", 0, false, false, true, true, true },
		{ "", 0, false, true, true, true, false },
		{ "", 10, false, false, true, true, true },
		{ "", 1, false, false, false, true, true },
		{ " op=write", 0, false, false, false, true, true },
		{ "", 0, true, false, false, false, false },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		u32 known, least = rows[i].walk_every == 10;

		reset_with(1, .is_guest = rows[i].guest, .smi_event = true, .counted = 0,
			   .walk_every = rows[i].walk_every);
		sim.events = MC_NEVENTS;
		sim.off_pmu = rows[i].off;
		sim.refuses[MC_EVENT_STORE_WALKS] = ENOENT;
		after_sample = plant_core_events;
		measured("tail size=64K repeat=2 count=50000 warmup=0%s", rows[i].more);
		known = rec->tail->known;
		assert_int_equal(known >> MC_CAUSE_WALK & 1, rows[i].walks);
		assert_int_equal(known >> MC_CAUSE_SMI & 1, rows[i].smis);
		assert_int_equal(known >> MC_CAUSE_FREQUENCY & 1, rows[i].frequency);
		assert_int_equal(made.planted[MC_CAUSE_WALK], EVENTS);
		shows(rec, "spikes=160");
		/* One of ten of the other events falls on an access with a walk. */
		assert_in_range(rec->tail->cause[MC_CAUSE_WALK].count, rows[i].walks * EVENTS,
				rows[i].walks * EVENTS + least * EVENTS / 3);
		assert_int_equal(rec->tail->cause[MC_CAUSE_SMI].count, rows[i].smis * EVENTS);
		assert_int_equal(rec->tail->cause[MC_CAUSE_FREQUENCY].count,
				 rows[i].frequency * EVENTS);
	}
	/* That of SMIs is closed, too. */
	assert_int_equal(sim.closed, MC_NEVENTS);
}

/* No walk takes so long, but what nobody counts may leave an empty TLB behind. */
static void test_a_long_spike_is_no_walk(void **state)
{
	for (u32 i = 0; i < 2; i++) {
		reset(1);
		sim.events = MC_NEVENTS;
		if (i)
			sim.kinds = MC_BY_INTERRUPT;	/* stolen time is not known */
		made.long_causes |= 1 << MC_CAUSE_WALK;
		after_sample = plant_core_events;
		measured("tail size=64K repeat=2 count=50000 warmup=0");
		assert_int_equal(rec->tail->known >> MC_CAUSE_WALK & 1, 1);
		assert_int_equal(made.planted[MC_CAUSE_WALK], EVENTS);
		assert_int_equal(rec->tail->cause[MC_CAUSE_WALK].count, 0);
		assert_int_equal(rec->tail->cause[MC_CAUSE_UNKNOWN].count, 2 * EVENTS);
	}
}

/* The lower bounds of bins ascend. */
static void test_times_shorter_than_the_clocks_are_one_bin(void **state)
{
	static const u64 times[] = { 0, 5, 19, 20, 21, 22, 22, 300 };
	static struct mc_tail tail = { .khz = 1000000, .clock = 20 };
	static const char histogram[] =
		"\"histogram_ns_count\":[[0.000,4],[1.000,1],[2.000,2],[280.000,1]],";

	for (u32 i = 0; i < ARRAY_SIZE(times); i++)
		mc_bins_add(&tail.bins, times[i]);
	assert_non_null(strstr(WRITTEN(mc_tail_json, &tail), histogram));
}

/* What nobody counts is not known. */
static void test_unknown_causes_are_said(void **state)
{
	const char *text;

	reset_with(1, .counted = 0);
	sim.kinds = MC_BY_INTERRUPT;
	after_sample = plant;
	measured("tail size=64K repeat=2 count=50000");
	text = WRITTEN(mc_tail_json, rec->tail);
	assert_non_null(strstr(text, "{\"cause\":\"smi\",\"count\":null,"));
	assert_non_null(strstr(text, "{\"cause\":\"steal\",\"count\":null,"));
	assert_non_null(strstr(text, "{\"cause\":\"walk\",\"count\":null,"));
	assert_non_null(strstr(text, "{\"cause\":\"migration\",\"count\":null,"));
	/* Those of NMIs and softirqs are seen as interrupts. */
	assert_non_null(strstr(text, "{\"cause\":\"interrupt\",\"count\":"));
	assert_int_equal(rec->tail->cause[MC_CAUSE_SMI].count, 0);
}

/* -------------------------------------------------------------- other requests */

static void spoil_halves(struct mc_worker *w)
{
	for (u64 at = 4; at < BYTES; at += LINE)
		memory[at] ^= 1;
}

static void test_what_is_stored_is_verified(void **state)
{
	static const char *const ops[] = {
		"op=write", "op=write width=4", "op=atomic", "op=write places=all",
	};

	for (u32 i = 0; i < ARRAY_SIZE(ops); i++) {
		reset(1);
		sim_waits = 0;
		measured("tail size=64K repeat=2 warmup=0 count=5000 %s", ops[i]);
		shows(rec, "verified=ok");
		assert_int_equal(sim_waits, strstr(ops[i], "=write") ? made.accesses : 0);
		assert_false(mc_test_tail.reads_only(&rec->point));
	}
	reset_with(1, .drops = true);
	assert_int_equal(measure("tail size=64K repeat=2 count=5000 op=write"), -EBADMSG);
	shows(rec, "verified=failed");
	/* The other half of a word that was stored is not what was stored. */
	for (u32 width = 4; width <= 8; width += 4) {
		reset(1);
		sim.closing = spoil_halves;
		assert_int_equal(measure("tail size=64K count=5000 op=write width=%u", width),
				 width == 4 ? 0 : -EBADMSG);
	}
}

/* The wait begins behind all that precedes the samples, such as the trace of spikes. */
static void test_the_wait_begins_with_the_samples(void **state)
{
	measured_on(1, "tail size=64K count=1000 repeat=2 warmup=0");
	shows(rec, "warmup_ns=1000000..10000000");
}

static void test_accesses_keep_their_pace(void **state)
{
	measured_on(1, "tail size=64K repeat=2 count=5000 delay=2us");
	/* A look at the counts takes 500 ns. */
	shows(rec, "step_ns=2500..2700");
	/* Before the samples, some come later, so that they meet any phase of the refresh. */
	assert_in_range(made.late, made.accesses / 50, made.accesses / 8);
	assert_near(figure(rec, "ns_per_access"), 100 * NS, 10);
}

/* What is measured before the samples takes no longer for accesses that are far apart. */
static void test_little_is_done_before_samples_at_a_slow_pace(void **state)
{
	reset(1);
	sim.look = 1000 * NS;
	measured("tail size=64K repeat=1 warmup=0 count=1000 delay=1ms");
	shows(rec, "accesses=1000");
	/* Those of the sample, and of one until the loop has settled, are 2000. */
	assert_in_range(made.accesses, 3000, 3500);
}

/* Interrupts may be off in any window, also in those before the samples. */
static void test_a_slow_clock_makes_no_window_longer(void **state)
{
	reset(1);
	sim.look = 2000 * NS;
	measured("tail size=64K repeat=1 count=1000 irq=off");
	shows(rec, "clock_ns=2000");
	assert_in_range(sim.longest, 1 * MS, 3 * MS);
	shows(rec, "window_max_ns:%llu", sim.longest);
}

static unsigned int timed;		/* windows in the second sample */

static void turn_back(struct mc_worker *w)
{
	if (done == 1 && !timed++)
		sim.now[w->index] = w->began - NS;
}

/* A sample is left out if the clock ran backwards in a window, and so are its accesses. */
static void test_a_clock_that_runs_backwards(void **state)
{
	reset(1);
	timed = 0;
	sim.closing = turn_back;
	measured("tail size=64K repeat=3 warmup=0 count=20000");
	shows(rec, "samples=2 left_out=1 left_out_why=clock accesses=40000");
}

static void prolong_load(struct mc_worker *w)
{
	if (w->index == 2)
		sim.now[w->index] += 3 * MS;
}

/* All CPUs time accesses of lines of their own, or one does, and others load. */
static void test_several_cpus(void **state)
{
	measured_on(3, "tail size=64K repeat=2 count=5000 cpu=0-2");
	assert_int_equal(n, 1);
	shows(rec, "accesses=30000");
	assert_int_equal(made.loaded_lines, 0);
	/* The slowest access may be a usual one of another CPU than the one with spikes. */
	reset_with(2, .cpu_ps = 2000 * NS, .slow_every = 100);
	measured("tail size=64K repeat=2 count=5000 cpu=0,1");
	assert_true(figure(rec, "spikes") > 0);
	shows(rec, "max_ns_per_access=3000 max_cause=null");
	reset(3);
	sim.closing = prolong_load;
	measured("tail size=64K repeat=2 count=5000 cpu=0-2 load=read");
	shows(rec, "accesses=10000");
	assert_true(made.loaded_lines > 1000);
	/* Interrupts may be off in the windows of the load, too. */
	shows(rec, "window_max_ns:%llu", sim.longest);
}

static void test_refused(void **state)
{
	reset(1);
	assert_refused("tail load=read", -EINVAL, "load");
	assert_refused("tail type=uc flush=yes", -EINVAL, "flush");
	assert_refused("tail op=atomic type=uc", -EINVAL, "op");
	assert_refused("tail op=atomic width=4", -EINVAL, "width");
	reset(2);
	assert_refused("tail cpu=0,1 load=read size=4K", -EINVAL, "size");
}

static void test_stopped(void **state)
{
	assert_stopped(1, 3, "tail size=64K repeat=5 count=5000 warmup=0", 1);
	shows(rec, "samples=3 accesses=15000 stopped:0");
	/* Any question may be the one that is answered by a stop. */
	for (u32 at = 1; at < 28; at += 3) {
		reset(2);
		sim.look = 300 * NS;	/* so that few looks pass the time */
		sim.stop_at = at;
		measure("tail cpu=0,1 size=64K repeat=2 warmup=0 count=1000 load=none,read");
	}
}

static u64 stop_beyond;		/* the run is stopped in the window after so many accesses */
static int stop_why;

static void stop_there(struct mc_worker *w)
{
	if (made.accesses > stop_beyond)
		mc_threads_stop(run.threads, stop_why);
}

/* The sum of the histogram, and of the causes: an access or a spike is there once. */
static void assert_sums(u64 number)
{
	u64 times = 0, spikes = 0;

	shows(rec, "accesses:%llu", number);
	for (u32 bin = 0; bin < MC_TAIL_BINS; bin++)
		times += rec->tail->bins.count[bin];
	for (u32 cause = 0; cause < MC_NCAUSES; cause++)
		spikes += rec->tail->cause[cause].count;
	assert_int_equal(times, number);
	shows(rec, "spikes:%llu", spikes);
	assert_true(spikes > 10);
}

/*
 * A run may end in the midst of a sample. The record then has all accesses until there, and those
 * of the warm-ups if no sample is complete. A run that ends before its first warm-up has no record.
 */
static void test_a_stop_within_a_sample_loses_no_access(void **state)
{
	static const struct {
		const char *more;
		unsigned int threads, watchers;
		u64 warmups, at;	/* samples of accesses before the stop, tenths of one */
		u32 samples;
		int why;
	} rows[] = {
		{ "", 1, 1, 1, 4, 1, -EINTR },
		{ " op=write", 1, 1, 1, 14, 1, -ECANCELED },
		{ "", 1, 1, 1, 24, 2, -ETIME },
		{ "", 1, 1, 1, 35, 3, -ENODEV },
		{ " cpu=0,1", 2, 2, 1, 4, 1, -EINTR },
		{ " cpu=0,1", 2, 2, 1, 26, 2, -ECANCELED },
		{ " cpu=0,1 load=read", 2, 1, 1, 4, 1, -ETIME },
		{ " warmup=3", 1, 1, 3, 26, 1, -EINTR },
	};
	const u64 count = 100000;

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 all = count * rows[i].watchers, before;
		char line[100];

		snprintf(line, sizeof(line), "tail size=64K repeat=3 count=%llu%s%s", count,
			 rows[i].warmups == 1 ? " warmup=0" : "", rows[i].more);
		reset_with(rows[i].threads, .slow_every = 500);
		measured(line);
		shows(rec, "stopped:0");
		before = made.accesses - (rows[i].warmups + 3) * all;
		reset_with(rows[i].threads, .slow_every = 500);
		sim.closing = stop_there;
		stop_why = rows[i].why;
		stop_beyond = before + all * rows[i].at / 10;
		assert_int_equal(measure(line), rows[i].why);
		assert_int_equal(n, 1);
		shows(rec, "samples=%u stopped:1", rows[i].samples);
		assert_sums(made.accesses - before -
			    (rows[i].samples > 1 ? rows[i].warmups * all : 0));
		assert_near(figure(rec, "ns_per_access"), 100 * NS, 10);
		assert_int_equal(rec->verified, strstr(line, "op=write") ? MC_VERIFIED_OK :
							       MC_VERIFIED_OFF);
		snprintf(line, sizeof(line),
			 "stopped after %llu accesses; spikes: unknown 100.0 %% of their time\n",
			 figure(rec, "accesses"));
		assert_string_equal(WRITTEN(mc_engine_note, &req, rec, n), line);
	}
	reset(1);
	sim.closing = stop_there;
	stop_beyond = 0;
	assert_int_equal(measure("tail size=64K"), stop_why);
	assert_int_equal(n, 0);
}

/* The same where time= says how many samples there are. They replace the warm-up. */
static void test_a_stop_before_the_time_is_over_loses_no_sample(void **state)
{
	const u64 count = 100000;
	u64 before;

	reset_with(1, .slow_every = 500);
	measured("tail size=64K count=100000 warmup=0 repeat=1");
	before = made.accesses - 2 * count;
	for (u32 i = 1; i < 5; i++) {
		reset_with(1, .slow_every = 500);
		sim.closing = stop_there;
		stop_why = -EINTR;
		stop_beyond = before + count * i + count * 4 / 10;
		assert_int_equal(measure("tail size=64K count=100000 time=20 warmup=0 repeat=2"),
				 -EINTR);
		shows(rec, "samples=%u repeat=%u stopped:1", i, max(i, 2U));
		assert_near(figure(rec, "accesses"), made.accesses - before - (i > 1 ? count : 0),
			    1);
		assert_sums(figure(rec, "accesses"));
	}
}

/* The times of a sample in which the clock ran backwards don't count, also if it is cut short. */
static void stop_and_turn_back(struct mc_worker *w)
{
	stop_there(w);
	if (made.accesses > stop_beyond)
		sim.now[w->index] = w->began - NS;
}

static void test_a_stop_near_the_end_of_a_sample(void **state)
{
	static const struct {
		const char *count;
		u64 left;		/* accesses until the end of the run */
		void (*closing)(struct mc_worker *w);
		const char *figures;
	} rows[] = {
		{ "100000", 50000, stop_and_turn_back,
		  "samples=2 left_out=1 left_out_why=clock accesses=200000" },
		/* In the first sample: the warm-up is what is left. */
		{ "100000", 250000, stop_and_turn_back,
		  "samples=1 left_out=0 accesses=100000 stopped:1" },
		/* At the end of the second one. */
		{ "5000", 5001, stop_there, "samples=2 accesses=10000 stopped:0" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		measured_on(1, "tail size=64K repeat=3 warmup=0 count=%s", rows[i].count);
		stop_beyond = made.accesses - rows[i].left;
		reset(1);
		sim.closing = rows[i].closing;
		stop_why = -EINTR;
		assert_int_equal(measure("tail size=64K repeat=3 warmup=0 count=%s",
					 rows[i].count), -EINTR);
		shows(rec, "%s", rows[i].figures);
	}
}
