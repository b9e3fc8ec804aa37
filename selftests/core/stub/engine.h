/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test of the module as mc_engine_measure() runs it, with threads in virtual time and
 * memory of its own. A file that includes this defines TEST, its struct mc_test, before, or
 * the list specs of several tests, and has a function costs() that sets all prices at first.
 */
#ifndef MC_STUB_ENGINE_H
#define MC_STUB_ENGINE_H

#include "../cmocka_all.h"

#include "measure/engine.h"
#include "measure/pairs.h"
#include "measure/side.h"
#include "platform/os.h"
#include "shows.h"
#include "threads.h"

#define RECORDS_MOST	90

#ifdef TEST
static const struct mc_spec *const specs[] = { &TEST.spec, NULL };
#endif
static struct mc_request req;
static struct mc_run run;
static struct mc_record rec[RECORDS_MOST];
static u64 n;				/* records */
static unsigned int done;		/* samples, warm-ups included */
static u64 told_more;			/* samples that are to come beyond those of repeat= */
static void (*after_sample)(void);
static u64 regions_most;		/* regions that memory may have */

/* The memory that each point gets, and the memory that it asked for. */
static struct mc_view view;
static const struct mc_view *(*view_for)(const struct mc_wanted *want);
static u64 page_bytes;			/* bytes that a translation of it covers */
static struct mc_wanted wanted[RECORDS_MOST];
static unsigned int found;

static void costs(void);

/* --------------------------------------------------------- what a run offers */

u64 mc_clock_wall_ns(void)
{
	return 1;
}

static int find(struct mc_run *r, const struct mc_point *point,
		const struct mc_wanted *want, struct mc_area *area)
{
	u64 page = point->v[MC_KEY_PAGE];

	if (found < RECORDS_MOST)
		wanted[found] = *want;
	found++;
	*area = (struct mc_area){
		.view = view_for ? view_for(want) : &view,
		.page = page == MC_PAGE_AUTO ? MC_PAGE_4K : page,
		.page_bytes = page_bytes, .memory_node = want->wish.node,
	};
	return 0;
}

static int no_node_is_set(void)
{
	return -1;
}

static int check_nothing(struct mc_run *r, const struct mc_point *point)
{
	return 0;
}

static void tick(void *r, u64 more)
{
	done++;
	told_more += more;
	if (after_sample)
		after_sample();
}

static u64 uc_word[8];

static void *the_uc_word(struct mc_run *r)
{
	return uc_word;
}

/* A test may have functions of its own in it. */
static struct mc_side side = {
	.check = check_nothing, .tick = tick, .find = find, .node = no_node_is_set,
	.uc_word = the_uc_word,
};

/* ------------------------------------------------------------------- a run */

/* A machine that differs from MADE, of the file that includes this, in these members. */
#define reset_with(threads, ...)				\
	do {							\
		reset(threads);					\
		made = (struct made){ MADE, __VA_ARGS__ };	\
	} while (0)

static void reset(unsigned int threads)
{
	run = (struct mc_run){ .req = &req, .side = &side, .threads = sim_reset(threads) };
	after_sample = NULL;
	view_for = NULL;
	page_bytes = 4096;
	found = 0;
	done = 0;
	costs();
}

/* Run the request that this format makes. Return: 0 or its errno. */
static __printf(1, 2) int measure(const char *format, ...)
{
	char line[200];
	va_list args;
	u32 *pairs;
	int err;

	va_start(args, format);
	assert_in_range(vsnprintf(line, sizeof(line), format, args), 1, sizeof(line) - 1);
	va_end(args);
	for (unsigned int i = 0; i < RECORDS_MOST; i++) {
		mc_free(rec[i].histogram);
		mc_free(rec[i].tail);
	}
	memset(rec, 0, sizeof(rec));
	n = 0;
	run.bad_data = false;
	run.error = (struct mc_error){ 0 };
	assert_int_equal(mc_request_parse(&req, line, strlen(line), specs, &run.error), 0);
	req.regions = regions_most;
	assert_int_equal(mc_pairs_find(&req, &pairs, &req.pairs, &run.error), 0);
	mc_free(pairs);
	assert_in_range(mc_engine_records(&req), 1, RECORDS_MOST);
	err = mc_engine_measure(&run, rec, &n);
	if (sim.failed)
		fail_msg("%s", sim.failed);
	return err;
}

/* The request succeeds. */
#define measured(...)						\
	do {							\
		if (measure(__VA_ARGS__))			\
			fail_msg("%s", run.error.text);		\
	} while (0)

/* The verdict on the data of the first record, of a run that ended with @err. */
static inline enum mc_verified verdict(int err)
{
	assert_int_equal(err, rec->verified == MC_VERIFIED_FAILED ? -EBADMSG : 0);
	return rec->verified;
}

/* The same on a new machine with so many threads. */
#define measured_on(threads, ...)				\
	do {							\
		reset(threads);					\
		measured(__VA_ARGS__);				\
	} while (0)

/*
 * All records show what the format makes, as shows() has it. A "/" parts the values of one record
 * from those of the next; where there is nothing between two of them, that record is not asked.
 */
static inline __printf(1, 2) void all_show(const char *format, ...)
{
	char wants[400], one[400], *rest, *want;
	va_list args;

	va_start(args, format);
	assert_in_range(vsnprintf(wants, sizeof(wants), format, args), 1, sizeof(wants) - 1);
	va_end(args);
	for (u64 i = 0; i < n; i++) {
		rest = strcpy(one, wants);
		while ((want = strsep(&rest, " ;"))) {
			int name = strcspn(want, "=:") + 1;
			const char *value = *want ? want + name : "";

			/* One value is that of each record. */
			for (u64 k = 0; k < i && strchr(want, '/'); k++)
				value += strcspn(value, "/") + !!strchr(value, '/');
			if (strcspn(value, "/"))
				shows(&rec[i], "%.*s%.*s", name, want, (int)strcspn(value, "/"),
				      value);
		}
	}
}

#ifndef BEFORE
#define BEFORE ""	/* what each of the lines begins with */
#endif

/* The error of each of these lines, which ";" parts, names @key, and nothing was done. */
static inline void assert_refused(const char *lines, int err, const char *key)
{
	char all[400], *rest = all, *line;

	assert_in_range(snprintf(all, sizeof(all), "%s", lines), 1, sizeof(all) - 1);
	while ((line = strsep(&rest, ";"))) {
		if (measure(BEFORE "%s", line) != err)
			fail_msg("%s: %s", line, run.error.text);
		assert_names(&run.error, err, key);
		assert_int_equal(n, 0);
		assert_int_equal(found, 0);
		assert_int_equal(sim.windows, 0);
	}
}

/* CPUs take turns: record @i is that of CPU @i alone, with memory on @node. */
static inline void assert_turn(unsigned int i, int node, bool strict)
{
	assert_int_equal(rec[i].cpu, i);
	assert_int_equal(rec[i].threads, 1);
	assert_int_equal(rec[i].memory_node, node);
	assert_int_equal(wanted[i].wish.node, node);
	assert_int_equal(wanted[i].wish.strict, strict);
	assert_true(wanted[i].private);
	assert_true(wanted[i].alone);
}

/* CPUs 0 to 2 take turns with the memory that node= says. CPUs 0 and 1 are on node 0. */
static inline void assert_turns_on_nodes(const char *test)
{
	static const char *const nodes[] = { "auto", "local", "1" };

	for (size_t k = 0; k < ARRAY_SIZE(nodes); k++) {
		measured_on(3, "%s size=64K cpu=0-2 node=%s", test, nodes[k]);
		assert_int_equal(n, 3);
		for (unsigned int i = 0; i < n; i++)
			assert_turn(i, k < 2 ? (int)i / 2 : 1, k > 0);
	}
}

/* A user stops the run once @stop_after samples are done. */
static unsigned int stop_after;

static inline void stop(void)
{
	if (done == stop_after)
		mc_threads_stop(run.threads, -EINTR);
}

/* On a new machine with so many @threads, if they are not 0, a run is stopped @after samples. */
static inline void assert_stopped(unsigned int threads, unsigned int after, const char *line,
				  u64 kept)
{
	char text[60];

	if (threads)
		reset(threads);
	stop_after = after;
	snprintf(text, sizeof(text), "run: stopped by a signal; %llu result%s kept",
		 (unsigned long long)kept, MC_S(kept));
	after_sample = stop;
	assert_int_equal(measure(line), -EINTR);
	assert_string_equal(run.error.text, text);
	assert_int_equal(n, kept);
	assert_int_equal(done, stop_after);
}

/*
 * Stop the run at each question whether to; there are @least or more. A record that is left shows
 * @figures. Return: the number of these records.
 */
static unsigned int questions;

static inline unsigned int stop_everywhere(const char *line, unsigned int least,
					   const char *figures)
{
	unsigned int at, kept = 0;
	char text[60];

	reset(1);
	assert_int_equal(measure(line), 0);
	questions = sim.asked;
	assert_true(questions >= least);
	for (at = 1; at <= questions; at++) {
		reset(1);
		sim.stop_at = at;
		assert_int_equal(measure(line), -ECANCELED);
		assert_int_equal(n, done > 0);
		snprintf(text, sizeof(text), "run: stopped by a write to stop; %llu result%s kept",
			 (unsigned long long)n, MC_S(n));
		assert_string_equal(run.error.text, text);
		kept += n;
		if (n)
			shows(rec, "%s", figures);
	}
	assert_in_range(kept, 1, questions);
	return kept;
}

#endif /* MC_STUB_ENGINE_H */
