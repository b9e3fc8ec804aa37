/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the files of memcache-user share. */
#ifndef MC_USER_H
#define MC_USER_H

#include <stdarg.h>
#include <stdio.h>

#include "core/level.h"
#include "core/math.h"
#include "measure/side.h"
#include "measure/verdict.h"

/* memory.c */
extern const struct mc_side mc_user_side;
void mc_user_memory_init(bool no_devices);
void mc_user_memory_end(void);
void mc_user_types_json(struct mc_text *t);
const char *mc_user_memory_name(void);

/**
 * struct mc_user_room - memory and CPU time that this process may still take
 * @bytes: so many
 * @of: of so many: all memory, or the limit of a control group
 * @why: the limit that is the lowest, with its control group; empty: none, memory itself
 * @stops: how often a limit of CPU time has stopped its control group, or one around it
 */
struct mc_user_room {
	u64 bytes;
	u64 of;
	char why[192];
	u64 stops;
};

/* limits.c */
void mc_user_room(struct mc_user_room *room);
u64 mc_user_huge(const void *addr, u64 length);

/* regions.c */
int mc_user_regions_find(struct mc_run *run, const struct mc_point *point,
			 const struct mc_wanted *want, struct mc_area *area);
void mc_user_regions_drop(void);
u64 mc_user_regions_now(u64 bytes, u64 region);

/* counters.c */
int mc_user_counters(const char *path, struct mc_error *e);

/* count.c */
int mc_user_count(char **command);

/* own.c */
int mc_user_loop(const char *path, struct mc_error *e);
int mc_user_own_hold(struct mc_run *run);
void mc_user_own_drop(void);

/* object.c */
int mc_user_object(char *named, char **argv, struct mc_error *e);
bool mc_user_has_object(void);
int mc_user_object_check(struct mc_run *run, const struct mc_point *point);
int mc_user_object_find(struct mc_run *run, const struct mc_point *point,
			const struct mc_wanted *want, struct mc_area *area);
const struct mc_verdict *mc_user_object_verdict(enum mc_type *type);
void mc_user_object_drop(void);

/* dynamic/load.c, in memcache-user-dynamic only */
const void *mc_user_load(const char *path, const char *name, const char **why);

/* read_file.c */
#define MC_USER_ROOT	"MEMCACHE_SYSROOT"	/* directory of a made-up machine's files */
bool mc_user_read_file(const char *path, char *buf, size_t size);

/* The same of the file that a format names. */
static inline bool __printf(3, 4) mc_user_read_of(char *buf, size_t size, const char *format, ...)
{
	char path[4352];	/* a control group's, and a file in it */
	va_list values;

	va_start(values, format);
	vsnprintf(path, sizeof(path), format, values);
	va_end(values);
	return mc_user_read_file(path, buf, size);
}

/**
 * mc_user_open() - open a file that is written; no other function does so
 * @path: its name; a link of another user is refused
 * @flags: O_WRONLY; with O_CREAT the file is made, or emptied once its owner is known
 *
 * Return: a descriptor of a file of this user or of root, or a negative errno.
 */
int mc_user_open(const char *path, int flags);

/* machine.c */
#define MC_MACHINE_MAX	16384
void mc_user_machine_json(struct mc_text *t);
const char *mc_user_hypervisor(char *id);
bool mc_user_beside(const char *name, char *path, size_t size);

/* describe.c */
void mc_user_describe(struct mc_text *t);

/* tests.c */
int mc_user_tests(char **names);

/* run.c */
/* Exit statuses, the same as the front end's; a signal adds its number to 128. */
enum { MC_USER_DONE, MC_USER_FAILED, MC_USER_USAGE };

/**
 * struct mc_user_view - how results are shown; each function may be NULL
 * @start: called once, when all requests are known to be right
 * @begin: called before a request is measured
 * @result: called with each result as soon as it is there
 * @end: called when a request has ended, with what the engine returned
 * @screen: a few figures are shown of the results, and no result is kept
 */
struct mc_user_view {
	void (*start)(void);
	void (*begin)(const struct mc_request *req);
	void (*result)(const struct mc_request *req, const struct mc_record *rec);
	void (*end)(const struct mc_run *run, const struct mc_record *records, u64 n,
		    int err);
	bool screen;
};

int mc_user_run(char **words, const struct mc_user_view *with);
int mc_user_translate_all(char **words);
int mc_user_records(char **words);
void mc_user_result(struct mc_run *run, const struct mc_record *rec);

/* levels.c */
/**
 * struct mc_user_probe - the latency of a working set, or the rate of reading it
 * @bytes: its size
 * @value: picoseconds a load, or kB/s
 * @level: what served the loads, as its record says; MC_HIT_UNKNOWN: it does not
 */
struct mc_user_probe {
	u64 bytes;
	u64 value;
	enum mc_hit level;
};

/**
 * struct mc_user_level - a level that latencies show
 * @bytes: a working set of this level
 * @ps: its latency
 * @last: the largest working set of this level
 */
struct mc_user_level {
	u64 bytes;
	u64 ps;
	u64 last;
};

bool mc_user_find_cache(const struct mc_user_probe *p, unsigned int n, enum mc_hit level,
			u64 reported, struct mc_user_level *out);
bool mc_user_find_last(const struct mc_user_probe *p, unsigned int n, u64 reported, u64 *bytes);
bool mc_user_find_memory(const struct mc_user_probe *p, unsigned int n, u64 least, u64 reported,
			 u64 *bytes);

/* overview.c */
#define MC_USER_STOPPED	"stopped by a signal; only what is shown was measured"
int mc_user_overview(bool json, bool short_form);

/* search.c */
void mc_user_last_cache_json(struct mc_text *t);
int mc_user_search(void);

/* show.c */
extern const struct mc_user_view mc_user_table;
extern const struct mc_user_view mc_user_json;
extern int mc_user_wide;	/* all columns of a table, however narrow the terminal is */
int mc_user_flush(void);
void mc_user_print(size_t size, void (*make)(struct mc_text *t));
int mc_user_save_to(const char *path);
void mc_user_save(const struct mc_run *run, const struct mc_record *records, u64 n, int err);
int mc_user_saved(void);

/* progress.c */
unsigned int mc_user_columns(int fd);
void mc_user_progress_begin(u64 samples);
void mc_user_progress_name(const char *name);
void mc_user_progress_tick(void *run, u64 more);
bool mc_user_progress_back(u64 done, u64 all);
void mc_user_progress_clear(void);
void mc_user_progress_parts(u64 parts);
void mc_user_progress_part(u64 begun, u64 length);

/* cpus.c */
int mc_user_move(unsigned int cpu);
const char *mc_user_choose(struct mc_text *t, const char *within, const char *on, bool one_node,
			   unsigned int threads);

/* nodes.c */
bool mc_user_listed(const char *list, long number);
int mc_user_node_next(int node);
bool mc_user_node_has_memory(int node);
int mc_user_module_node(void);
int mc_user_node_of(void *page);
void mc_user_set_node(void *at, u64 bytes, int node, bool strict);

/* sched.c */
bool mc_user_goes_first(const struct mc_point *point);
const char *mc_user_sched_needs(void);
int mc_user_sched_check(struct mc_run *run, const struct mc_point *point);
void mc_user_sched_begin(struct mc_worker *w);
void mc_user_sched_end(void);

/* workers.c: end the current run with -EINTR; may be called by a signal handler. */
void mc_user_interrupt(void);
bool mc_user_interrupted(void);

#endif /* MC_USER_H */
