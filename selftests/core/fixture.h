/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests and the fuzz targets of the core share: made-up tests that use
 * everything a spec can, and random numbers that are the same every time.
 */
#ifndef MC_SELFTEST_FIXTURE_H
#define MC_SELFTEST_FIXTURE_H

#include "core/record.h"

/* Numbers of the keys below, as struct mc_point has them. */
enum { OP = MC_KEY_FIRST, WIDTH, FENCE };		/* bandwidth */
enum { STRIDE = MC_KEY_FIRST, SEED, WAYS, REST };	/* tlb */

static const struct mc_name op_names[] = {
	{ "read", 0 }, { "ntread", 1 }, { "write", 2 }, { "ntwrite", 3 },
	{ "copy", 4 }, { "ntcopy", 5 }, { "rmw", 6 }, { "triad", 7 }, { }
};

static const struct mc_name fence_names[] = {
	{ "none", 0 }, { "sfence", 1 }, { "mfence", 2 }, { "uc", 3 }, { }
};

static const struct mc_name max_names[] = { { "max", 0 }, { } };

static const struct mc_key bandwidth_keys[] = {
	{ .name = "op", .column = "op", .preset = "read", .kind = MC_CHOICE,
	  .names = op_names, .help = "what the loop does" },
	{ .name = "width", .column = "width_bytes", .preset = "max",
	  .kind = MC_NUMBER, .names = max_names, .min = 8, .max = 64,
	  .help = "bytes an access" },
	{ .name = "fence", .column = "fence", .preset = "none",
	  .kind = MC_CHOICE, .names = fence_names, .help = "after each pass" },
};

static const struct mc_column bandwidth_columns[] = {
	{ "mb_per_s", "payload at the median", .rate = true },
	{ "mb_per_s_max", "payload of the fastest pass", 1, .json_only = true },
};

static const struct mc_spec bandwidth = {
	.name = "bandwidth", .help = "memory bandwidth",
	.presets = "size=1M  repeat=5",
	.keys = bandwidth_keys, .nkeys = ARRAY_SIZE(bandwidth_keys),
	.columns = bandwidth_columns, .ncolumns = ARRAY_SIZE(bandwidth_columns),
};

/* A name shorter than "test", a size without limits, the largest numbers. */
static const struct mc_name ways_names[] = {
	{ "4", 4 }, { "8", 8 }, { "4k", 4096 }, { "all", 0 }, { }
};

static const struct mc_key tlb_keys[] = {
	{ .name = "stride", .column = "stride_bytes", .preset = "4K",
	  .kind = MC_SIZE, .max = ~0ULL, .help = "from page to page" },
	{ .name = "seed", .column = "seed", .preset = "1", .kind = MC_NUMBER,
	  .max = ~0ULL, .single = true, .json_only = true, .help = "of the order" },
	{ .name = "ways", .column = "ways", .preset = "all",
	  .kind = MC_CHOICE, .names = ways_names, .help = "some numbers only" },
	{ .name = "rest", .column = "rest_ns", .preset = "1ms", .kind = MC_TIME,
	  .max = 10000000000ULL, .json_only = true, .help = "between two of them" },
};

static const struct mc_column tlb_columns[] = {
	{ "misses", "whole", 0 },
	{ "walk_ns", "as fine as it goes", 9 },
};

static const struct mc_spec tlb = {
	.name = "tlb", .help = "address translation",
	.keys = tlb_keys, .nkeys = ARRAY_SIZE(tlb_keys),
	.columns = tlb_columns, .ncolumns = ARRAY_SIZE(tlb_columns),
};

/* As many keys and columns as there can be, all of them in the table. */
#define KEY(n)		{ .name = #n, .column = #n, .preset = "0", \
			  .kind = MC_NUMBER, .max = ~0ULL, .help = "" }
#define COLUMN(n)	{ #n, "", 9 }

static const struct mc_key full_keys[] = {
	KEY(k1), KEY(k2), KEY(k3), KEY(k4), KEY(k5), KEY(k6),
	KEY(k7), KEY(k8), KEY(k9), KEY(k10), KEY(k11), KEY(k12),
	KEY(k13), KEY(k14), KEY(k15), KEY(k16),
};

static const struct mc_column full_columns[] = {
	COLUMN(c1), COLUMN(c2), COLUMN(c3), COLUMN(c4), COLUMN(c5),
	COLUMN(c6), COLUMN(c7), COLUMN(c8), COLUMN(c9), COLUMN(c10),
	COLUMN(c11), COLUMN(c12), COLUMN(c13), COLUMN(c14), COLUMN(c15),
	COLUMN(c16), COLUMN(c17), COLUMN(c18), COLUMN(c19), COLUMN(c20),
	COLUMN(c21),
};

static const struct mc_spec full = {
	.name = "full", .help = "every place taken",
	.keys = full_keys, .nkeys = ARRAY_SIZE(full_keys),
	.columns = full_columns, .ncolumns = ARRAY_SIZE(full_columns),
};

_Static_assert(MC_KEY_FIRST + ARRAY_SIZE(full_keys) == MC_MAX_KEYS, "full keys");
_Static_assert(ARRAY_SIZE(full_columns) == MC_MAX_COLUMNS, "full columns");

/* A path, and a number with decimals. */
enum { PLACE = MC_KEY_FIRST, PAUSE };

static const struct mc_name place_names[] = { { "none", 0 }, { } };

static const struct mc_key files_keys[] = {
	{ .name = "place", .column = "place", .preset = "none", .kind = MC_PATH,
	  .names = place_names, .json_only = true, .help = "a file" },
	{ .name = "pause", .column = "pause_s", .preset = "0.25", .kind = MC_NUMBER,
	  .max = 100, .decimals = 2, .help = "in seconds" },
};

static const struct mc_spec files = {
	.name = "files", .help = "something of files",
	.keys = files_keys, .nkeys = ARRAY_SIZE(files_keys),
	.columns = bandwidth_columns, .ncolumns = ARRAY_SIZE(bandwidth_columns),
};

/* Groups of CPUs, which may have a pace of their own. */
enum { GROUPS = MC_KEY_FIRST, PACE };

static const struct mc_key crowd_keys[] = {
	{ .name = "groups", .column = "groups", .preset = "0:read", .kind = MC_GROUPS,
	  .names = op_names, .json_only = true, .help = "what each CPU does" },
	{ .name = "pace", .column = "pace", .preset = "7", .kind = MC_NUMBER, .max = 100,
	  .grouped = true, .help = "of each group" },
};

static const struct mc_spec crowd = {
	.name = "crowd", .help = "many at once",
	.keys = crowd_keys, .nkeys = ARRAY_SIZE(crowd_keys),
	.columns = bandwidth_columns, .ncolumns = ARRAY_SIZE(bandwidth_columns),
};

static const struct mc_spec *const fixture_specs[] = {
	&bandwidth, &tlb, &full, &files, &crowd, NULL
};

/* splitmix64 (Steele, Lea, Flood 2014): any seed will do, 0 too. */
static inline u64 random_u64(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Small and large numbers: the number of bits is random, too. */
static inline u64 random_bits(u64 *state)
{
	return random_u64(state) >> random_u64(state) % 64;
}

static inline bool same_target(const struct mc_target *a, const struct mc_target *b)
{
	return a->kind == b->kind && a->domain == b->domain && a->bus == b->bus &&
	       a->device == b->device && a->function == b->function && a->bar == b->bar &&
	       a->range.start == b->range.start && a->range.bytes == b->range.bytes;
}

static inline bool same_request(const struct mc_request *a,
				const struct mc_request *b)
{
	if (a->spec != b->spec || a->nkeys != b->nkeys ||
	    memcmp(a->order, b->order, a->nkeys) ||
	    a->any_cpu != b->any_cpu || a->ncpus != b->ncpus || strcmp(a->path, b->path) ||
	    !same_target(&a->target, &b->target) ||
	    memcmp(a->cpus, b->cpus, sizeof(a->cpus)))
		return false;
	for (unsigned int id = 0; id < a->nkeys; id++) {
		const struct mc_values *x = &a->values[id], *y = &b->values[id];

		if (x->n != y->n || memcmp(x->v, y->v, x->n * sizeof(*x->v)))
			return false;
	}
	return true;
}

#endif /* MC_SELFTEST_FIXTURE_H */
