// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pairs of CPUs that a request measures. Their number grows with the square of the machine:
 * 576 CPUs have 331,200. So of a large machine, some pairs of each class are chosen at random. A
 * class is what two CPUs share, and the distance between their nodes.
 */
#include "arch/caches.h"
#include "core/generator.h"
#include "measure/pairs.h"
#include "platform/cpus.h"
#include "platform/os.h"

#define ALL_MOST	4096ULL	/* with pairs=auto, so many are all measured */
#define OF_CLASS	64ULL	/* and else so many of each class */
#define CLASSES		64	/* the last one has all further classes, too */

/**
 * struct pair_class - pairs that are alike
 * @shares: what their CPUs share
 * @distance: distance between their nodes
 * @seen: number of pairs until now
 * @kept: those that are chosen
 */
struct pair_class {
	enum mc_shares shares;
	unsigned int distance;
	u64 seen;
	u32 *kept;
};

struct choice {
	struct pair_class classes[CLASSES];
	unsigned int n;
	u64 of_class;
	struct mc_random random;
	u16 cpus[MC_MAX_CPUS];
};

const struct mc_name mc_shares_names[] = {
	{ "core", MC_SHARES_CORE }, { "l2", MC_SHARES_L2 }, { "l3", MC_SHARES_L3 },
	{ "l4", MC_SHARES_L4 }, { "node", MC_SHARES_NODE }, { "socket", MC_SHARES_SOCKET },
	{ "nothing", MC_SHARES_NOTHING }, { }
};

/**
 * mc_pair_shares() - the nearest thing that two CPUs share
 * @a: a CPU
 * @b: another one
 *
 * Return: it, by what the CPUs and the firmware report.
 */
enum mc_shares mc_pair_shares(int a, int b)
{
	unsigned int level;

	if (mc_cpu_core(a) == mc_cpu_core(b))
		return MC_SHARES_CORE;
	for (level = 2; level <= 4; level++) {
		if (mc_cache_shared(a, b, level))
			return MC_SHARES_L2 + level - 2;
	}
	if (mc_cpu_own_node(a) == mc_cpu_own_node(b))
		return MC_SHARES_NODE;
	return mc_cpu_socket(a) == mc_cpu_socket(b) ? MC_SHARES_SOCKET : MC_SHARES_NOTHING;
}

/**
 * mc_pair_distance() - the distance between the nodes of two CPUs
 * @a: a CPU
 * @b: another one
 *
 * Return: what the firmware says, 10 within a node; 0: not known.
 */
unsigned int mc_pair_distance(int a, int b)
{
	return mc_node_distance(mc_cpu_own_node(a), mc_cpu_own_node(b));
}

/**
 * mc_pairs_all() - number of all ordered pairs of CPUs
 * @req: a request, its CPUs resolved
 *
 * Return: the number, at least 1.
 */
u64 mc_pairs_all(const struct mc_request *req)
{
	u64 cpus = req->any_cpu ? 1 : req->ncpus;

	return cpus > 1 ? cpus * (cpus - 1) : 1;
}

/* The class of a pair. Return: NULL if there is no memory. */
static struct pair_class *class_of(struct choice *choice, int a, int b)
{
	enum mc_shares shares = mc_pair_shares(a, b);
	unsigned int distance = mc_pair_distance(a, b), i;
	struct pair_class *class;

	for (i = 0; i < choice->n; i++) {
		class = &choice->classes[i];
		if ((class->shares == shares && class->distance == distance) || i == CLASSES - 1)
			return class;
	}
	class = &choice->classes[choice->n];
	class->shares = shares;
	class->distance = distance;
	class->kept = mc_alloc_array(choice->of_class, sizeof(*class->kept));
	choice->n += !!class->kept;
	return class->kept ? class : NULL;
}

/* Each pair of a class is kept with the same chance (Vitter's algorithm R). */
static int choose(struct choice *choice, unsigned int cpus)
{
	unsigned int a, b;

	for (a = 0; a < cpus; a++) {
		for (b = 0; b < cpus; b++) {
			struct pair_class *class;
			u64 at, number;

			if (a == b)
				continue;
			class = class_of(choice, choice->cpus[a], choice->cpus[b]);
			if (!class)
				return -ENOMEM;
			at = class->seen++;
			number = mc_random_next(&choice->random, MC_LCG);
			if (at >= choice->of_class)
				at = mc_random_below(number, at + 1);
			if (at < choice->of_class)
				class->kept[at] = a * cpus + b;
		}
		mc_breathe();
	}
	return 0;
}

static int ascending(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* The chosen pairs of all classes. */
static int gather(const struct choice *choice, u32 **pairs, u64 *n)
{
	unsigned int i;

	for (i = 0, *n = 0; i < choice->n; i++)
		*n += min(choice->classes[i].seen, choice->of_class);
	*pairs = mc_alloc_array(*n, sizeof(**pairs));
	if (!*pairs)
		return -ENOMEM;
	for (i = 0, *n = 0; i < choice->n; i++) {
		u64 count = min(choice->classes[i].seen, choice->of_class);

		memcpy(*pairs + *n, choice->classes[i].kept, count * sizeof(**pairs));
		*n += count;
	}
	mc_sort(*pairs, *n, sizeof(**pairs), ascending);
	return 0;
}

/**
 * mc_pairs_find() - choose the pairs that a request measures
 * @req: the request of a test with MC_RECORD_OF_PAIR, its CPUs resolved
 * @pairs: result: the first CPU's index times the number of CPUs, plus the second one's, in
 *         rising order, to be freed; NULL: all pairs
 * @n: result: their number
 * @e: says what is wrong
 *
 * The same request chooses the same pairs of the same machine.
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mc_pairs_find(const struct mc_request *req, u32 **pairs, u64 *n, struct mc_error *e)
{
	unsigned int key = mc_test_of(req->spec)->pairs, cpu, cpus = 0;
	u64 of_class = key ? req->values[key].v[0] : MC_PAIRS_ALL;
	struct choice *choice;
	int err;

	*pairs = NULL;
	*n = mc_pairs_all(req);
	if (of_class == MC_PAIRS_ALL || *n == 1 || (of_class == MC_AUTO && *n <= ALL_MOST))
		return 0;
	choice = mc_alloc_array(1, sizeof(*choice));
	if (!choice)
		return mc_fail(e, -ENOMEM, "pairs: no memory");
	choice->of_class = of_class == MC_AUTO ? OF_CLASS : of_class;
	mc_random_seed(&choice->random, req->values[key + 1].v[0]);
	for (cpu = 0; cpu < MC_MAX_CPUS; cpu++) {
		if (req->cpus[cpu / 64] >> (cpu % 64) & 1)
			choice->cpus[cpus++] = cpu;
	}
	err = choose(choice, cpus);
	err = err ? err : gather(choice, pairs, n);
	while (choice->n)
		mc_free(choice->classes[--choice->n].kept);
	mc_free(choice);
	return err ? mc_fail(e, err, "pairs: no memory") : 0;
}
