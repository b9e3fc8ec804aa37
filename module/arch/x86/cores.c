// SPDX-License-Identifier: GPL-2.0-only
/*
 * All CPUs that are online, each as CPUID describes it there: a machine may have
 * kinds of core that differ in caches and more, and CPUs that share a cache or not.
 */
#include "arch/caches.h"
#include "arch/x86/cpuid.h"
#include "platform/os.h"

static struct mc_core *cores;
static unsigned int ncores;
static u32 common = ~0U;	/* what all of them could do, a bit for each feature */

/**
 * mc_cores_init() - make room; no CPU is known yet
 * @cpus: numbers that CPUs can have, from 0
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
 * mc_cores_exit() - give that back
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
 * mc_core_look() - get to know a CPU that is online
 * @cpu: its number
 *
 * Context: On that CPU, bound to it; one caller at a time.
 * Return: what is known of it now.
 */
struct mc_core *mc_core_look(unsigned int cpu)
{
	struct mc_core *core = &cores[cpu];

	mc_cpuid_core(core);
	/* A run may look at it while a CPU comes online. */
	mc_flag_set(&common, common & core->features);
	mc_flag_set(&core->known, true);
	return core;
}

/**
 * mc_core_forget() - a CPU goes offline
 * @cpu: its number
 */
void mc_core_forget(unsigned int cpu)
{
	mc_flag_set(&cores[cpu].known, false);
}

/**
 * mc_core_of() - what is known of a CPU
 * @cpu: its number, of any size
 *
 * Return: that, or NULL if it is not online.
 */
const struct mc_core *mc_core_of(unsigned int cpu)
{
	return cpu < ncores && mc_flag(&cores[cpu].known) ? &cores[cpu] : NULL;
}

/**
 * mc_core_next() - the known CPUs, one after the other
 * @cpu: the one before; -1: give the first
 *
 * Return: its number, -1 if there are no more.
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
 * mc_cores_have() - can all CPUs, and the system on them, run such a loop?
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
		if (core->caches[i].level == level &&
		    core->caches[i].kind != MC_CACHE_CODE)
			return &core->caches[i];
	}
	return NULL;
}

/**
 * mc_cache_bytes() - size of a cache for data
 * @cpu: whose
 * @level: 1 to 3
 *
 * Return: bytes, 0 if it has none.
 */
u64 mc_cache_bytes(int cpu, unsigned int level)
{
	const struct mc_cache *c = cache_of(mc_core_of(cpu), level);

	return c ? c->bytes : 0;
}

/*
 * Those share a cache whose APIC IDs differ only in the bits that it takes to tell
 * apart as many as are set aside for it: Intel SDM vol. 3, "Enumerating Cache
 * Sharing"; AMD APM vol. 3, leaf 0x8000001d, NumSharingCache.
 */
static bool share(const struct mc_core *a, const struct mc_core *b, const struct mc_cache *of_a)
{
	u32 order = 0, i;

	while (1U << order < of_a->ids)
		order++;
	if ((a->apic ^ b->apic) >> order)
		return false;
	for (i = 0; i < b->ncaches; i++) {
		if (b->caches[i].level == of_a->level && b->caches[i].kind == of_a->kind)
			return true;
	}
	return false;
}

/**
 * mc_cache_shared() - do two CPUs share a cache for data?
 * @a: a CPU
 * @b: a CPU, perhaps the same one
 * @level: 1 to 3
 *
 * Return: true if they do; false also if there is no such cache.
 */
bool mc_cache_shared(int a, int b, unsigned int level)
{
	const struct mc_core *core = mc_core_of(a), *other = mc_core_of(b);
	const struct mc_cache *c = cache_of(core, level);

	return c && other && share(core, other, c);
}

/* CPUs that are online and share a cache. */
static u32 sharers(const struct mc_core *core, const struct mc_cache *c)
{
	u32 n = 0;
	int cpu;

	if (c->cpus)
		return c->cpus;
	for (cpu = mc_core_next(-1); cpu >= 0; cpu = mc_core_next(cpu))
		n += share(core, &cores[cpu], c);
	return n;
}

/* -------------------------------------------------------------------- JSON */

/**
 * struct fact - something that some CPUs have, and others perhaps not
 * @has: does a CPU have the same as @core has at @i?
 * @core: a CPU that does
 * @i: index of one of its caches
 * @n: CPUs that share this cache
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
		    a->line == b->line && a->ways == b->ways && f->n == sharers(core, b))
			return true;
	}
	return false;
}

/* The next CPU that has it; -1: no more do. */
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

	mc_textf(t, "{\"cpus\":\"");
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
			continue;	/* told of with a CPU before this one */
		mc_textf(t, "%s", comma);
		cpus_json(t, &f);
		model_json(t, &f.core->model);
		mc_textf(t, ",\"core_type\":%s}", types[f.core->model.type]);
		comma = ",";
	}
	mc_textf(t, "]");
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

			f.n = sharers(f.core, c);
			if (next_with(&f, -1) != cpu)
				continue;
			mc_textf(t, "%s", comma);
			cpus_json(t, &f);
			mc_textf(t, ",\"level\":%u,\"kind\":\"%s\",\"size_bytes\":%llu",
				 c->level, kinds[c->kind], c->bytes);
			mc_textf(t, ",\"line_bytes\":%u,\"ways\":%u,\"shared_by_cpus\":%u}",
				 c->line, c->ways, f.n);
			comma = ",";
		}
		mc_breathe();
	}
	mc_textf(t, "]");
}

/**
 * mc_cores_json() - append the CPUs as JSON members, and what not all of them have alike
 * @t: the text
 *
 * Family, model and stepping are those of the first one.
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
