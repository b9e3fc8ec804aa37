// SPDX-License-Identifier: GPL-2.0-only
/* The loop of op=own: its rows in the tables of operations and loops. */
#include "arch/loops.h"
#include "arch/own.h"

static_assert(MC_OWN_NOTHING == (int)MC_STORES_NOTHING);
static_assert(MC_OWN_COPY == (int)MC_STORES_COPY);
static_assert(MC_OWN_RMW == (int)MC_STORES_ONE_MORE);
static_assert(MC_OWN_TRIAD == (int)MC_STORES_TRIAD);
static_assert(MC_OWN_UNKNOWN == (int)MC_STORES_UNKNOWN);
static_assert(MC_OWN_BASE == (int)MC_CPU_BASE);
static_assert(MC_OWN_SSE41 == (int)MC_CPU_SSE41);
static_assert(MC_OWN_AVX2 == (int)MC_CPU_AVX2);
static_assert(MC_OWN_AVX512F == (int)MC_CPU_AVX512F);
static_assert(MC_OWN_CLFLUSHOPT == (int)MC_CPU_CLFLUSHOPT);
static_assert(MC_OWN_CLWB == (int)MC_CPU_CLWB);
static_assert(MC_OWN_MOVDIR64B == (int)MC_CPU_MOVDIR64B);
static_assert(MC_OWN_ARRAYS_MAX <= MC_ARRAYS_MAX);

/* One row at most, then the end of the table. */
struct mc_loop mc_loops_of_own[2];

static char name[MC_OWN_NAME_MAX];

/* Least number of arrays of a loop that leaves the words of an operation in its first one. */
static const unsigned int least_arrays[] = {
	[MC_STORES_NOTHING] = 1, [MC_STORES_COPY] = 2, [MC_STORES_ONE_MORE] = 1,
	[MC_STORES_TRIAD] = 3, [MC_STORES_UNKNOWN] = 1,
};

static bool is_printable(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size && text[i] > ' ' && text[i] < 0x7f; i++)
		;
	return i && i < size && !text[i];
}

/* Return: what of it can't be, or NULL. */
static const char *wrong(const struct mc_own *own)
{
	if (own->abi != MC_OWN_ABI || own->layout != MC_ARG_LANES)
		return "it was built for another version of memcache";
	if (!is_printable(own->name, sizeof(own->name)))
		return "its name is not a word";
	if (own->turn < MC_OWN_TURN_MIN || own->turn > MC_OWN_TURN_MAX ||
	    own->turn & (own->turn - 1))
		return "its turn is not a power of two from 64 to 4096";
	if (own->width < 8 || own->width > 64 || own->width & (own->width - 1))
		return "its width is not 8, 16, 32 or 64";
	if (own->stores >= ARRAY_SIZE(least_arrays) || !least_arrays[own->stores])
		return "its result is not known";
	if (own->arrays > MC_OWN_ARRAYS_MAX || own->arrays < least_arrays[own->stores] ||
	    (own->flags & MC_OWN_WRITES_TWO && (own->arrays < 2 || own->stores != MC_OWN_UNKNOWN)))
		return "its number of arrays can't be";
	if (!own->payload || own->payload > 2 * own->arrays * own->turn)
		return "its payload can't be";
	if (own->feature >= MC_NFEATURES || own->needs >= MC_NFEATURES ||
	    own->flags & ~MC_OWN_FLAGS)
		return "it needs what is not known";
	return NULL;
}

/**
 * mc_own_set() - make a loop that of op=own
 * @own: its description, which is copied
 * @run: the loop
 *
 * Context: No other call of this file, and no run that holds the loop before; runs of other
 * loops may look through the table meanwhile.
 * Return: NULL, or why the loop can't be taken; then nothing has changed.
 */
const char *mc_own_set(const struct mc_own *own, void (*run)(struct mc_loop_args *args))
{
	const char *why = wrong(own);

	if (why)
		return why;
	memcpy(name, own->name, sizeof(name));
	mc_ops[MC_OP_OWN] = (struct mc_op_info){
		.name = mc_ops[MC_OP_OWN].name,
		.arrays = own->arrays,
		.payload = own->payload,
		.turn = own->turn,
		.stores = own->stores,
		.needs = own->needs,
		.nontemporal = own->flags & MC_OWN_NONTEMPORAL,
		.flushes = own->flags & MC_OWN_FLUSHES,
		.twice = own->flags & MC_OWN_WRITES_TWO,
		.registered = true,
	};
	mc_loops_of_own[0].op = MC_OP_OWN;
	mc_loops_of_own[0].feature = own->feature;
	mc_loops_of_own[0].run = run;
	/* A row without a width is the end of the table for a run of other loops. */
	smp_store_release(&mc_loops_of_own[0].width, own->width);
	return NULL;
}

/**
 * mc_own_clear() - let op=own have no loop
 *
 * Context: As mc_own_set().
 */
void mc_own_clear(void)
{
	WRITE_ONCE(mc_loops_of_own[0].width, 0);
}

/**
 * mc_own_name() - name of the loop of op=own
 *
 * Context: A run that holds the loop.
 * Return: the name, with the checksum of the loop's file.
 */
const char *mc_own_name(void)
{
	return name;
}
