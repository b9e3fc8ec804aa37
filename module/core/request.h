/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The grammar of a request line, driven by tables: what a test takes is a
 * struct mc_spec, and parsing, `tests`, the echo of a request and the columns
 * of its results all come from that one table.
 */
#ifndef MC_CORE_REQUEST_H
#define MC_CORE_REQUEST_H

#include "core/shim.h"
#include "core/text.h"

#define MC_LINE_MAX	4095		/* bytes in a request line */
#define MC_SHOW_MAX	8192		/* bytes of a request as shown: its ranges unfold */
#define MC_MAX_KEYS	24		/* keys a test can have, common ones included */
#define MC_MAX_VALUES	64		/* values a key can be given in one request */
#define MC_MAX_POINTS	65536		/* combinations one request can ask for */
#define MC_MAX_CPUS	8192		/* as the kernel's largest NR_CPUS on x86 */
#define MC_MAX_NODES	1024		/* as the kernel's largest MAX_NUMNODES */
#define MC_PATH_MAX	200		/* bytes in a path */

#define MC_AUTO		(~0ULL)		/* the value of `auto` */
#define MC_LOCAL	(~0ULL - 1)	/* of node=local */
#define MC_PATH_GIVEN	(~0ULL)		/* of a path that is none of the names */

enum mc_type { MC_WB, MC_WC, MC_UC, MC_NTYPES };
/* How the memory is mapped: page=, and what `auto` comes to. */
enum mc_page {
	MC_PAGE_AUTO,	/* kernel: direct; user space: direct or else 4k */
	MC_PAGE_DIRECT,	/* the module's pages: direct map, or through the device */
	MC_PAGE_4K,
	MC_PAGE_2M,	/* these two in user space only */
	MC_PAGE_THP,
};

/* prefetch=: what was asked for, and in a result what it really was. */
enum mc_prefetch {
	MC_PREFETCH_KEEP,
	MC_PREFETCH_OFF,
	MC_PREFETCH_AUTO,	/* off if that is possible, else keep */
	MC_PREFETCH_INEFFECTIVE,	/* written, but a read back denies it */
};

/* Keys that every test takes, in the order that `tests` lists them. */
enum mc_key_id {
	MC_KEY_TYPE,
	MC_KEY_SIZE,
	MC_KEY_CPU,
	MC_KEY_SMT,
	MC_KEY_NODE,
	MC_KEY_IRQ,
	MC_KEY_DISTURBED,
	MC_KEY_PAGE,
	MC_KEY_PREFETCH,
	MC_KEY_REPEAT,
	MC_KEY_WARMUP,
	MC_KEY_TIMEOUT,
	MC_KEY_OWN,	/* a test's own keys are numbered from here */
};

enum mc_kind {
	MC_CHOICE,	/* one of the names */
	MC_NUMBER,	/* a decimal number, or one of the names */
	MC_SIZE,	/* bytes with K, M, G; A..B doubles */
	MC_CPULIST,	/* a CPU list of the kernel, `all` or `any` */
	MC_PATH,	/* an absolute path, or one of the names; a test has one at most */
};

/**
 * struct mc_name - a word that a value can be
 * @name: as typed
 * @value: what it stands for
 */
struct mc_name {
	const char *name;
	u64 value;
};

/**
 * struct mc_key - one key of a test
 * @name: as typed
 * @column: its name, with unit, in results; NULL: not in a result
 * @preset: value when not given, as it would be typed
 * @help: one line for `tests`
 * @names: allowed words, the last one has no name; NULL: none
 * @outcomes: words that only a result can have, the same way
 * @min: smallest number or size
 * @max: largest number or size
 * @multiple: a size is a multiple of this
 * @unit: of a size; NULL: bytes
 * @kind: how its values are read
 * @single: takes one value, not a list
 * @wide: not a column of the table (JSON Lines only)
 */
struct mc_key {
	const char *name;
	const char *column;
	const char *preset;
	const char *help;
	const struct mc_name *names;
	const struct mc_name *outcomes;
	u64 min;
	u64 max;
	u64 multiple;
	const char *unit;
	enum mc_kind kind;
	bool single;
	bool wide;
};

/**
 * struct mc_column - a figure of its own that a test puts in its results
 * @name: with unit
 * @help: one line for `tests`
 * @decimals: digits behind the point of its fixed-point value
 * @wide: not a column of the table (JSON Lines only)
 * @names: words its values stand for, the last one has no name; NULL: a number
 */
struct mc_column {
	const char *name;
	const char *help;
	u8 decimals;
	bool wide;
	const struct mc_name *names;
};

/**
 * struct mc_spec - what a test takes and gives
 * @name: first word of its request lines
 * @help: one line for `tests`
 * @presets: request words that replace presets of the common keys, or NULL
 * @keys: its own keys; key i has number MC_KEY_OWN + i
 * @nkeys: how many
 * @columns: its own figures
 * @ncolumns: how many, at most MC_MAX_COLUMNS
 */
struct mc_spec {
	const char *name;
	const char *help;
	const char *presets;
	const struct mc_key *keys;
	unsigned int nkeys;
	const struct mc_column *columns;
	unsigned int ncolumns;
};

/**
 * struct mc_values - what a key was given
 * @n: how many values
 * @v: numbers, bytes, or the values of names
 */
struct mc_values {
	u32 n;
	u64 v[MC_MAX_VALUES];
};

/**
 * struct mc_request - a parsed request line
 * @spec: the test
 * @nkeys: keys the test has, common ones included
 * @given: keys the user wrote
 * @order: key numbers, the ones written first in the order written; the last
 *         one varies fastest
 * @values: for each key number (the CPU list's is empty)
 * @any_cpu: cpu=any: one thread, not bound
 * @all_cpus: cpu=all: @cpus are yet to be found
 * @ncpus: CPUs listed
 * @cpus: bitmap of the CPUs listed
 * @nodes: bitmap of the nodes that node=local comes to
 * @path: of the key that is one, terminated; empty if it has one of its names
 */
struct mc_request {
	const struct mc_spec *spec;
	unsigned int nkeys;
	unsigned int given;
	u8 order[MC_MAX_KEYS];
	struct mc_values values[MC_MAX_KEYS];
	bool any_cpu;
	bool all_cpus;
	unsigned int ncpus;
	u64 cpus[MC_MAX_CPUS / 64];
	u64 nodes[MC_MAX_NODES / 64];
	char path[MC_PATH_MAX + 1];
};

/**
 * struct mc_point - one combination of a request's values
 * @v: value for each key number
 */
struct mc_point {
	u64 v[MC_MAX_KEYS];
};

extern const struct mc_name mc_on_off[];

const char *mc_type_name(enum mc_type type);
const struct mc_key *mc_key_of(const struct mc_spec *spec, unsigned int id);
const char *mc_name_of(const struct mc_name *names, u64 value);
const char *mc_key_word(const struct mc_key *key, u64 value);
void mc_key_show(struct mc_text *t, const struct mc_key *key, u64 value);

int mc_request_parse(struct mc_request *req, const char *line, size_t len,
		     const struct mc_spec *const *specs, struct mc_error *e);
u64 mc_request_points(const struct mc_request *req);
void mc_request_point(const struct mc_request *req, u64 index,
		      struct mc_point *point);
bool mc_request_given(const struct mc_request *req, unsigned int id);
int mc_request_cpu(const struct mc_request *req, int cpu);
u64 mc_request_max(const struct mc_request *req, unsigned int id);
void mc_request_show(struct mc_text *t, const struct mc_request *req);
void mc_request_values(struct mc_text *t, const struct mc_request *req,
		       unsigned int id);
void mc_spec_show(struct mc_text *t, const struct mc_spec *spec);

/* From values.c, for request.c: one key's value text into values. */
int mc_values_parse(struct mc_request *req, unsigned int id, const char *s,
		    size_t len, struct mc_error *e);

#endif /* MC_CORE_REQUEST_H */
