// SPDX-License-Identifier: GPL-2.0-only
/*
 * All online CPUs, each as it describes itself. A machine may have several kinds of core
 * with different caches and features, and CPUs may share caches.
 */
#include "arch/caches.h"
#include "arch/cores.h"
#include "arch/loops.h"
#include "platform/os.h"

static struct mc_core *cores;
static unsigned int ncores;
static u32 common = ~0U;	/* features of all CPUs seen so far, a bit each */

/**
 * mc_cores_init() - allocate the table of CPUs, none of which is known yet
 * @cpus: number of possible CPUs: the largest CPU number plus 1
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mc_cores_init(unsigned int cpus)
{
	cores = mc_alloc_array(cpus, sizeof(*cores));
	ncores = cores ? cpus : 0;
	return cores ? 0 : -ENOMEM;
}

/**
 * mc_cores_exit() - free the table of CPUs
 *
 * Context: Process, may sleep.
 */
void mc_cores_exit(void)
{
	mc_free(cores);
	cores = NULL;
	ncores = 0;
	common = ~0U;
}

/**
 * mc_core_look() - read the description of a CPU that has come online
 * @cpu: its number
 *
 * Context: On that CPU, bound to it; one caller at a time.
 * Return: its entry in the table.
 */
struct mc_core *mc_core_look(unsigned int cpu)
{
	struct mc_core *core = &cores[cpu];

	mc_core_read(core);
	/* A run may read this while a CPU comes online. */
	mc_flag_set(&common, common & core->features);
	mc_flag_set(&core->known, true);
	return core;
}

/**
 * mc_core_forget() - forget a CPU that goes offline
 * @cpu: its number
 */
void mc_core_forget(unsigned int cpu)
{
	mc_flag_set(&cores[cpu].known, false);
}

/**
 * mc_core_of() - entry of a CPU
 * @cpu: its number, however large
 *
 * Return: the entry, or NULL if the CPU is not online.
 */
const struct mc_core *mc_core_of(unsigned int cpu)
{
	return cpu < ncores && mc_flag(&cores[cpu].known) ? &cores[cpu] : NULL;
}

/**
 * mc_core_next() - next online CPU
 * @cpu: the CPU before it; -1: return the first one
 *
 * Return: its number, or -1 if there are no more.
 */
int mc_core_next(int cpu)
{
	while (++cpu < (int)ncores) {
		if (mc_flag(&cores[cpu].known))
			return cpu;
	}
	return -1;
}

/**
 * mc_cores_have() - do all CPUs, and the system on them, have a feature?
 * @feature: what the loop needs
 *
 * Return: true if they can.
 */
bool mc_cores_have(enum mc_feature feature)
{
	return mc_flag(&common) >> feature & 1;
}

/* ------------------------------------------------------------------ caches */

static const struct mc_cache *cache_of(const struct mc_core *core, unsigned int level)
{
	u32 i;

	for (i = 0; core && i < core->ncaches; i++) {
		if (core->caches[i].level == level && core->caches[i].kind != MC_CACHE_CODE)
			return &core->caches[i];
	}
	return NULL;
}

/**
 * mc_cache_bytes() - size of a CPU's data cache
 * @cpu: its number
 * @level: 1 to 4
 *
 * Return: bytes, 0 if the CPU has no such cache.
 */
u64 mc_cache_bytes(int cpu, unsigned int level)
{
	const struct mc_cache *c = cache_of(mc_core_of(cpu), level);

	return c ? c->bytes : 0;
}

/**
 * mc_cache_way() - size of one way of a CPU's data cache
 * @cpu: its number
 * @level: 1 to 4
 *
 * Return: bytes, 0 if it is not known.
 */
u64 mc_cache_way(int cpu, unsigned int level)
{
	const struct mc_cache *c = cache_of(mc_core_of(cpu), level);

	return c && c->ways ? c->bytes / c->ways : 0;
}

/*
 * CPUs share a cache if the system lists them together. If it does not tell, their IDs differ
 * only in the low bits that number the IDs set aside for the cache: Intel SDM vol. 3,
 * "Enumerating Cache Sharing"; AMD APM vol. 3, leaf 0x8000001d, NumSharingCache.
 */
static bool share_cache(const struct mc_core *a, const struct mc_core *b,
			const struct mc_cache *of_a)
{
	const struct mc_cache *of_b = b->caches;
	u32 order = 0;

	while (of_b < b->caches + b->ncaches &&
	       (of_b->level != of_a->level || of_b->kind != of_a->kind))
		of_b++;
	if (of_b == b->caches + b->ncaches)
		return false;
	if (of_a->cpus && of_b->cpus)
		return of_a->first == of_b->first;
	while (1U << order < of_a->ids)
		order++;
	return !((a->id ^ b->id) >> order);
}

/**
 * mc_cache_shared() - do two CPUs share a data cache?
 * @a: a CPU
 * @b: a CPU, perhaps the same one
 * @level: 1 to 4
 *
 * Return: true if they do; false also if there is no such cache.
 */
bool mc_cache_shared(int a, int b, unsigned int level)
{
	const struct mc_core *core = mc_core_of(a), *other = mc_core_of(b);
	const struct mc_cache *c = cache_of(core, level);

	return c && other && share_cache(core, other, c);
}

/* Number of online CPUs that share a cache of @core. */
static u32 count_sharers(const struct mc_core *core, const struct mc_cache *c)
{
	u32 n = 0;
	int cpu;

	if (c->cpus)
		return c->cpus;
	for (cpu = mc_core_next(-1); cpu >= 0; cpu = mc_core_next(cpu))
		n += share_cache(core, &cores[cpu], c);
	return n;
}

/* -------------------------------------------------------------------- JSON */

/**
 * struct fact - a property that some CPUs have, and others perhaps not
 * @has: does a CPU have the property?
 * @core: a CPU that has it
 * @i: index of the cache of @core that the property is about
 * @n: number of CPUs that share this cache
 */
struct fact {
	bool (*has)(const struct fact *f, const struct mc_core *core);
	const struct mc_core *core;
	u32 i;
	u32 n;
};

static bool has_model(const struct fact *f, const struct mc_core *core)
{
	const struct mc_cpu_model *a = &f->core->model, *b = &core->model;

	return a->family == b->family && a->model == b->model &&
	       a->stepping == b->stepping && a->type == b->type;
}

static bool has_cache(const struct fact *f, const struct mc_core *core)
{
	const struct mc_cache *a = &f->core->caches[f->i], *b;

	for (b = core->caches; b < core->caches + core->ncaches; b++) {
		if (a->level == b->level && a->kind == b->kind && a->bytes == b->bytes &&
		    a->line == b->line && a->ways == b->ways && f->n == count_sharers(core, b))
			return true;
	}
	return false;
}

/* The next CPU that has the property; -1: no more do. */
static int next_with(const struct fact *f, int cpu)
{
	do
		cpu = mc_core_next(cpu);
	while (cpu >= 0 && !f->has(f, &cores[cpu]));
	return cpu;
}

static void cpus_json(struct mc_text *t, const struct fact *f)
{
	const char *comma = "";
	int cpu, first;

	mc_textf(t, "\"cpus\":\"");
	for (cpu = next_with(f, -1); cpu >= 0; cpu = next_with(f, cpu)) {
		first = cpu;
		while (next_with(f, cpu) == cpu + 1)
			cpu++;
		mc_textf(t, "%s%d", comma, first);
		if (cpu > first)
			mc_textf(t, "-%d", cpu);
		comma = ",";
	}
	mc_textf(t, "\"");
}

static void model_json(struct mc_text *t, const struct mc_cpu_model *cpu)
{
	mc_textf(t, ",\"cpu_family\":%u,\"cpu_model\":%u,\"cpu_stepping\":%u",
		 cpu->family, cpu->model, cpu->stepping);
}

static void kinds_json(struct mc_text *t)
{
	static const char * const types[] = {
		[MC_CORE_UNKNOWN] = "null", [MC_CORE_PERFORMANCE] = "\"performance\"",
		[MC_CORE_EFFICIENCY] = "\"efficiency\"",
	};
	const char *comma = "";
	int cpu;

	mc_textf(t, ",\"kinds\":[");
	for (cpu = mc_core_next(-1); cpu >= 0; cpu = mc_core_next(cpu)) {
		struct fact f = { .has = has_model, .core = &cores[cpu] };

		if (next_with(&f, -1) != cpu)
			continue;	/* already printed with an earlier CPU */
		mc_textf(t, "%s{", comma);
		cpus_json(t, &f);
		model_json(t, &f.core->model);
		mc_textf(t, ",\"core_type\":%s}", types[f.core->model.type]);
		comma = ",";
	}
	mc_textf(t, "]");
}

/* A number that the CPU may not tell; 0: it does not. */
static void known_json(struct mc_text *t, const char *name, u32 number)
{
	if (number)
		mc_textf(t, ",\"%s\":%u", name, number);
	else
		mc_textf(t, ",\"%s\":null", name);
}

static void caches_json(struct mc_text *t)
{
	static const char * const kinds[] = {
		[MC_CACHE_DATA] = "data", [MC_CACHE_CODE] = "code",
		[MC_CACHE_UNIFIED] = "unified",
	};
	const char *comma = "";
	struct fact f = { .has = has_cache };
	int cpu;

	mc_textf(t, ",\"caches\":[");
	for (cpu = mc_core_next(-1); cpu >= 0; cpu = mc_core_next(cpu)) {
		f.core = &cores[cpu];
		for (f.i = 0; f.i < f.core->ncaches; f.i++) {
			const struct mc_cache *c = &f.core->caches[f.i];

			f.n = count_sharers(f.core, c);
			if (next_with(&f, -1) != cpu)
				continue;
			mc_textf(t, "%s{", comma);
			cpus_json(t, &f);
			mc_textf(t, ",\"level\":%u,\"kind\":\"%s\",\"size_bytes\":%llu",
				 c->level, kinds[c->kind], c->bytes);
			known_json(t, "line_bytes", c->line);
			known_json(t, "ways", c->ways);
			mc_textf(t, ",\"shared_by_cpus\":%u}", f.n);
			comma = ",";
		}
		mc_breathe();
	}
	mc_textf(t, "]");
}

/**
 * mc_cores_json() - append the CPUs, their kinds and their caches as JSON members
 * @t: the text
 *
 * Family, model and stepping at the top level are those of the first CPU.
 *
 * Context: Process, may sleep.
 */
void mc_cores_json(struct mc_text *t)
{
	const struct mc_cpu_model *first = &cores[max(mc_core_next(-1), 0)].model;

	mc_textf(t, ",\"cpu_vendor\":");
	mc_text_json(t, first->vendor);
	model_json(t, first);
	kinds_json(t);
	caches_json(t);
}

/**
 * mc_cpu_describe() - append a description of the CPU as JSON members
 * @t: the text
 * @hypervisor: name of what runs this kernel, if the CPU can't know it; NULL: ask the CPU
 *
 * Context: Process, may sleep.
 */
void mc_cpu_describe(struct mc_text *t, const char *hypervisor)
{
	char name[MC_CPU_NAME_BYTES], id[MC_HYPERVISOR_BYTES];

	mc_cpu_name(name);
	mc_textf(t, "\"cpu\":");
	mc_text_json(t, name);
	if (!hypervisor)
		hypervisor = mc_hypervisor_name(id);
	mc_textf(t, ",\"hypervisor\":");
	mc_text_json(t, hypervisor);
	mc_textf(t, ",\"width_max_bytes\":%u", mc_loop_widest(MC_OP_WRITE)->width);
	mc_cores_json(t);
}
