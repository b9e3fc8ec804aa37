/* SPDX-License-Identifier: GPL-2.0-only */
/* Request lines, by the keys of their tests. */
#ifndef MC_CORE_REQUEST_H
#define MC_CORE_REQUEST_H

#include "core/keys.h"
#include "core/target.h"

#define MC_LINE_MAX	4095		/* bytes in a request line */
#define MC_SHOW_MAX	8192		/* bytes of a request as shown, with ranges expanded */
#define MC_MAX_VALUES	64		/* values of a key in one request */
#define MC_MAX_POINTS	65536		/* combinations in one request */
#define MC_PATH_MAX	200		/* bytes in a path */
#define MC_MAX_GROUPS	16		/* groups of CPUs in a request */
#define MC_GROUPS_MAX	500		/* bytes in the list of groups */

/**
 * struct mc_values - the values of a key in a request
 * @n: number of values
 * @v: numbers (see @decimals of struct mc_key), bytes, or the values of words
 */
struct mc_values {
	u32 n;
	u64 v[MC_MAX_VALUES];
};

/**
 * struct mc_group - a group of CPUs that do the same: CPUS:OP[:KEY=VALUE]...
 * @op: OP, one of the names of the MC_GROUPS key
 * @cpus_at: where CPUS is in @groups of struct mc_request
 * @cpus_len: length of CPUS
 * @given: bit i is set if the group has a value of its own for key i
 * @v: these values
 */
struct mc_group {
	u64 op;
	u16 cpus_at;
	u16 cpus_len;
	u64 given;
	u64 v[MC_MAX_KEYS];
};

/**
 * struct mc_request - a parsed request line
 * @spec: the test
 * @nkeys: number of keys of the test, common ones included
 * @given: number of keys that the user wrote
 * @order: key numbers; the keys that the user wrote come first, in that order. The value
 *         of the last one varies fastest
 * @values: the values for each key number; empty for the CPU list
 * @any_cpu: cpu=any: one thread that is not bound
 * @all_cpus: cpu=all: @cpus is filled in later
 * @ncpus: number of CPUs in @cpus
 * @cpus: bitmap of the CPUs
 * @nodes: bitmap of the actual nodes of node=local
 * @target: what target= names; its kind is the key's value
 * @regions: with regions of memory: the largest number of them, filled in later
 * @pairs: pairs of CPUs to measure, filled in later
 * @size_guessed: size=auto became a size although the CPUs report no caches
 * @room: bytes that the target has from the largest offset= on; 0: not known, or RAM
 * @path: the path of the MC_PATH key; empty if its value is a word
 * @groups: the value of the MC_GROUPS key, as text; empty: there is no such key
 * @ngroups: number of groups
 * @group: the groups
 * @group_of: the group of each CPU, counted from 1; 0: none
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
	struct mc_target target;
	u64 regions;
	u64 pairs;
	bool size_guessed;
	u64 room;
	char path[MC_PATH_MAX + 1];
	char groups[MC_GROUPS_MAX + 1];
	unsigned int ngroups;
	struct mc_group group[MC_MAX_GROUPS];
	u8 group_of[MC_MAX_CPUS];
};

/**
 * struct mc_point - one combination of a request's values
 * @v: the value for each key number
 */
struct mc_point {
	u64 v[MC_MAX_KEYS];
};

int mc_request_parse(struct mc_request *req, const char *line, size_t len,
		     const struct mc_spec *const *specs, struct mc_error *e);
u64 mc_request_points(const struct mc_request *req);
void mc_request_point(const struct mc_request *req, u64 index, struct mc_point *point);
void mc_group_point(const struct mc_group *group, const struct mc_point *point,
		    struct mc_point *out);
bool mc_request_given(const struct mc_request *req, unsigned int id);
int mc_request_cpu(const struct mc_request *req, int cpu);
u64 mc_request_max(const struct mc_request *req, unsigned int id);
void mc_request_show(struct mc_text *t, const struct mc_request *req);
void mc_request_values(struct mc_text *t, const struct mc_request *req, unsigned int id);
/* In values.c, for request.c. */
int mc_values_parse(struct mc_request *req, unsigned int id, const char *s,
		    size_t len, struct mc_error *e);

#endif /* MC_CORE_REQUEST_H */
