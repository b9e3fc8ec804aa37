// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pairs of CPUs that a request measures. Their number grows with the square of the machine:
 * 576 CPUs have 331,200. So of a large machine, some pairs of each class are chosen at random. A
 * class is what two CPUs share, and the distance between their nodes.
 */
#include "arch/caches.h"
#include "core/generator.h"
#include "core/math.h"
#include "measure/pairs.h"
#include "platform/cpus.h"
#include "platform/os.h"

#define ALL_MOST	4096ULL	/* with pairs=auto, so many are all measured */
#define OF_CLASS	64ULL	/* and else so many of each class */
#define CLASSES		64	/* the last one has all further classes, too */

/**
 * struct choice - pairs that are chosen
 * @classes: pairs that are alike: what their CPUs share, the distance between their nodes, and how
 *           many there were until now
 * @n: number of classes
 * @one_class: all pairs are measured, as if they were of one
 * @of_class: so many of each are kept at most
 * @kept: these pairs, class by class
 * @random: the generator that chooses
 * @cpus: the CPUs of the request, in their order
 */
struct choice {
	struct pair_class {
		enum mc_shares shares;
		unsigned int distance;
		u64 seen;
	} classes[CLASSES];
	unsigned int n;
	bool one_class;
	u64 of_class;
	u32 *kept;
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

static unsigned int class_of(struct choice *choice, int a, int b)
{
	struct pair_class this = { mc_pair_shares(a, b), mc_pair_distance(a, b) };
	unsigned int i;

	for (i = 0; i < choice->n; i++) {
		const struct pair_class *class = &choice->classes[i];

		if ((class->shares == this.shares && class->distance == this.distance) ||
		    choice->one_class || i == CLASSES - 1)
			return i;
	}
	choice->classes[choice->n++] = this;
	return i;
}

/* Each pair of a class is kept with the same chance (Vitter's algorithm R). */
static void choose(struct choice *choice, unsigned int cpus)
{
	unsigned int pair, a, b, class;
	u64 at, number;

	for (pair = 0; pair < cpus * cpus; pair++) {
		a = pair / cpus;
		b = pair % cpus;
		if (a == b) {
			mc_breathe();
			continue;
		}
		class = class_of(choice, choice->cpus[a], choice->cpus[b]);
		at = choice->classes[class].seen++;
		number = mc_random_next(&choice->random, MC_LCG);
		if (at >= choice->of_class)
			at = mc_random_below(number, at + 1);
		if (at < choice->of_class)
			choice->kept[class * choice->of_class + at] = pair;
	}
}

static int ascending(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* Put the chosen pairs of all classes side by side. Return: their number. */
static u64 gather(const struct choice *choice)
{
	unsigned int i;
	u64 n = 0;

	for (i = 0; i < choice->n; i++) {
		u64 count = min(choice->classes[i].seen, choice->of_class);

		memmove(choice->kept + n, choice->kept + i * choice->of_class, count * sizeof(u32));
		n += count;
	}
	mc_sort(choice->kept, n, sizeof(u32), ascending);
	return n;
}

/**
 * mc_pairs_find() - choose the pairs that a request measures
 * @req: the request, its CPUs resolved
 * @pairs: result: the first CPU's index times the number of CPUs, plus the second one's, in
 *         rising order, to be freed; NULL without MC_RECORD_OF_PAIR
 * @n: result: their number, at least 1 with MC_RECORD_OF_PAIR
 * @e: says what is wrong
 *
 * The same request chooses the same pairs of the same machine.
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mc_pairs_find(const struct mc_request *req, u32 **pairs, u64 *n, struct mc_error *e)
{
	const struct mc_test *test = mc_test_of(req->spec);
	u64 of_class = test->pairs ? req->values[test->pairs].v[0] : MC_PAIRS_ALL;
	struct choice *choice = mc_alloc_array(1, sizeof(*choice));
	unsigned int cpu, cpus = 0;

	*pairs = NULL;
	*n = test->records == MC_RECORD_OF_PAIR ? mc_pairs_all(req) : 0;
	if (choice && *n) {
		choice->one_class = of_class == MC_PAIRS_ALL || *n == 1 ||
				    (of_class == MC_AUTO && *n <= ALL_MOST);
		choice->of_class = choice->one_class ? *n :
				   of_class == MC_AUTO ? OF_CLASS : of_class;
		*pairs = mc_alloc_array((choice->one_class ? 1 : CLASSES) * choice->of_class,
					sizeof(**pairs));
	}
	if (*pairs) {
		for (cpu = 0; cpu < MC_MAX_CPUS && *n > 1; cpu++) {
			if (mc_bit(req->cpus, cpu))
				choice->cpus[cpus++] = cpu;
		}
		mc_random_seed(&choice->random, req->values[test->pairs + 1].v[0]);
		choice->kept = *pairs;
		choose(choice, cpus);
		*n = max(gather(choice), 1ULL);
	}
	mc_free(choice);
	return *n && !*pairs ? mc_fail(e, -ENOMEM, "pairs: no memory") : 0;
}
