/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The keys and columns of tests, as tables: struct mc_spec has those of a test. The parser, the
 * file `tests`, the echo of a request and the columns of its results all use that table.
 */
#ifndef MC_CORE_KEYS_H
#define MC_CORE_KEYS_H

#include "core/text.h"

#define MC_MAX_KEYS	36		/* keys of a test, common ones included */
#define MC_MAX_REPEAT	1000000ULL	/* samples of a point */
#define MC_MAX_CPUS	8192		/* the kernel's largest NR_CPUS on x86 */
#define MC_MAX_NODES	1024		/* the kernel's largest MAX_NUMNODES */

#define MC_AUTO		(~0ULL)		/* the value of `auto` */
#define MC_PAIRS_ALL	(~0ULL - 1)	/* the value of pairs=all */
#define MC_LOCAL	(~0ULL - 1)	/* the value of node=local */
#define MC_PATH_GIVEN	(~0ULL)		/* the value of a path that is not one of the names */

enum mc_type {
	MC_WB, MC_WC, MC_UC,
	MC_NTYPES,		/* types with a standing buffer; there are also: */
	MC_WT = MC_NTYPES,	/* write-through */
	MC_NP,			/* non-posted: strongly uncached, on arm64 Device-nGnRnE */
	MC_NALL_TYPES,
};

/* The mapping of the memory: page=, and in a result the actual mapping. */
enum mc_page {
	MC_PAGE_AUTO,	/* kernel: direct; user space: direct or else 4k */
	MC_PAGE_DIRECT,	/* the module's pages: direct map, or through the device */
	MC_PAGE_4K,
	MC_PAGE_2M,	/* 2m and thp: in user space only */
	MC_PAGE_THP,
	MC_PAGE_OBJECT,	/* those of the object of memcache-user --memory */
};

/* The state of the prefetchers: prefetch=, and in a result the actual state. */
enum mc_prefetch {
	MC_PREFETCH_KEEP,
	MC_PREFETCH_OFF,
	MC_PREFETCH_AUTO,	/* off if that is possible, else keep */
	MC_PREFETCH_INEFFECTIVE,	/* switched off, but still on when read back */
};

/* The keys of every test, in the order of a request that is shown. */
enum mc_key_id {
	MC_KEY_TYPE,
	MC_KEY_SIZE,
	MC_KEY_CPU,
	MC_KEY_MEASURE,
	MC_KEY_SMT,
	MC_KEY_NODE,
	MC_KEY_IRQ,
	MC_KEY_SCHED,
	MC_KEY_DISTURBED,
	MC_KEY_PAGE,
	MC_KEY_PREFETCH,
	MC_KEY_REPEAT,
	MC_KEY_WARMUP,
	MC_KEY_TIME,
	MC_KEY_TIMEOUT,
	MC_KEY_TARGET,
	MC_KEY_OFFSET,
	MC_KEY_WRITE,
	MC_KEY_ANY_BAR,
	MC_KEY_ANY_RANGE,
	MC_KEY_FIRST,	/* a test's own keys are numbered from here */
};

/* The values of sched=: how the threads are scheduled. */
enum mc_sched {
	MC_SCHED_KEEP,
	MC_SCHED_FIFO,
};

#define MC_KEYS_MAIN	6	/* of them, that help shows first */

/* The values of measure=. */
enum mc_measure {
	MC_MEASURE_TOGETHER,
	MC_MEASURE_EACH,
};

enum mc_kind {
	MC_CHOICE,	/* one of the names */
	MC_NUMBER,	/* a number, whole or with @decimals, or one of the names */
	MC_SIZE,	/* bytes with K, M, G, also 1.5M, 64KiB; A..B doubles */
	MC_TIME,	/* ns, with a unit: ns, us, ms, s; 0 needs none */
	MC_CPULIST,	/* a CPU list in the kernel's form, `all` or `any` */
	MC_PATH,	/* an absolute path, or one of the names; at most one key of a test */
	MC_TARGET,	/* what target= names */
	MC_GROUPS,	/* groups of CPUs, see struct mc_group; at most one key of a test */
};

/**
 * struct mc_name - a word and its value
 * @name: the word
 * @value: the value
 * @asked_only: results never have the word, but what was found for it
 * @was: the word in older versions, which a request may still use; or NULL
 */
struct mc_name {
	const char *name;
	u64 value;
	bool asked_only;
	const char *was;
};

/* A list of words, for a key or column that alone has it. */
#define MC_NAMES(...)	((const struct mc_name[]){ __VA_ARGS__, { } })

/**
 * struct mc_key - one key of a test
 * @name: its name in a request
 * @was: its name in older versions, which a request may still use; or NULL
 * @column: its name in results, with the unit; NULL: not in results
 * @preset: its value if the request does not have the key, as text
 * @help: one line for `tests`
 * @names: array of allowed words, terminated by an empty entry; or NULL
 * @outcomes: the same for words that only results can have
 * @min: smallest number, size or time
 * @max: largest number, size or time
 * @multiple: a size must be a multiple of this
 * @unit: unit of a size; NULL: bytes
 * @kind: the form of its values
 * @decimals: digits that a number may have behind its point, 0 to 9. Its values, @min and
 *            @max are the number times 10^@decimals
 * @seconds: a number of seconds, which may have a unit of time
 * @single: takes one value, not a list
 * @found: its column says what was found or done, which may differ from what was asked
 * @json_only: only in JSON Lines, not in the table
 * @if_any: the table has its column only if the request has the key, and for other values than
 *          that of the first name
 * @grouped: a group of CPUs may have a value of its own
 */
struct mc_key {
	const char *name;
	const char *was;
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
	u8 decimals;
	bool seconds;
	bool single;
	bool found;
	bool json_only;
	bool if_any;
	bool grouped;
};

/* The purposes of a figure, as bits. */
enum mc_role {
	MC_MAIN = 1,	/* the most important figure of the test */
	MC_OVER = 2,	/* that figure is drawn over this one, not over a size */
	MC_COUNT = 4,	/* how many accesses a pass has */
	MC_EACH = 8,	/* the time of one access: it replaces that of a pass in reports */
	MC_WHICH = 16,	/* tells which record of a point this is */
	MC_DETAIL = 32,	/* not in reports */
};

#define MC_UNIT_MB	"MB/s: 10^6 bytes of payload a second"

/**
 * struct mc_column - one of the test's own figures
 * @name: its name, with the unit
 * @help: one line for `tests`
 * @decimals: digits behind the point of its fixed-point value
 * @rate: its value has three decimals, of which one and three digits in all are shown
 * @json_only: only in JSON Lines, not in the table
 * @names: words for its values, terminated by an empty entry; NULL: it is a number
 * @text: its value is the text of the record; at most one column of a test. The table has
 *        the column only if a record has a text
 * @unit: its unit in words, for headings; NULL: the name says it
 * @roles: what it is for (enum mc_role)
 * @always: every record has it
 */
struct mc_column {
	const char *name;
	const char *help;
	u8 decimals;
	bool rate;
	bool json_only;
	const struct mc_name *names;
	bool text;
	const char *unit;
	u8 roles;
	bool always;
};

/**
 * struct mc_spec - the keys and columns of a test
 * @name: its name, the first word of a request line
 * @help: one line for `tests`
 * @presets: key=value words that replace presets of common keys, or NULL
 * @keys: its own keys; key i has the number MC_KEY_FIRST + i
 * @nkeys: number of @keys
 * @columns: its own figures
 * @ncolumns: number of @columns, at most MC_MAX_COLUMNS
 * @width: number of the key that says how wide its accesses are; 0: it has none
 * @memoryless: it measures no memory: none is found for a point, and the table has no
 *              column about memory
 */
struct mc_spec {
	const char *name;
	const char *help;
	const char *presets;
	const struct mc_key *keys;
	unsigned int nkeys;
	const struct mc_column *columns;
	unsigned int ncolumns;
	unsigned int width;
	bool memoryless;
};

/* The arrays of the file that has the test. */
#define MC_KEYS_AND_COLUMNS						\
	.keys = keys, .nkeys = ARRAY_SIZE(keys),			\
	.columns = columns, .ncolumns = ARRAY_SIZE(columns)

extern const struct mc_name mc_on_off[];
extern const struct mc_name mc_yes_no[];

const char *mc_type_name(enum mc_type type);
const struct mc_key *mc_common_key(unsigned int i);
const struct mc_key *mc_key_of(const struct mc_spec *spec, unsigned int id);
const char *mc_name_of(const struct mc_name *names, u64 value);
const char *mc_key_word(const struct mc_key *key, u64 value);
bool mc_word_is(const char *name, const char *was, const char *s, size_t len);
void mc_key_show(struct mc_text *t, const struct mc_key *key, u64 value);
const struct mc_key *mc_spec_key(const struct mc_spec *spec, unsigned int i);
void mc_spec_preset(struct mc_text *t, const struct mc_spec *spec, const struct mc_key *key);
void mc_key_allowed(struct mc_text *t, const struct mc_key *key);
void mc_spec_show(struct mc_text *t, const struct mc_spec *spec);
void mc_specs_show(struct mc_text *t, const struct mc_spec *const *specs);

#endif /* MC_CORE_KEYS_H */
