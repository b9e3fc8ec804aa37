// SPDX-License-Identifier: GPL-2.0-only
/* What the CPU says of itself: features, name, caches, hypervisor. */
#include <linux/kernel.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/processor.h>

#include "../../arch.h"

/**
 * mc_cpu_has() - can this CPU, and the kernel on it, run such a loop?
 * @feature: what the loop needs
 *
 * Context: Any.
 * Return: true if it can.
 */
bool mc_cpu_has(enum mc_feature feature)
{
	switch (feature) {
	case MC_CPU_SSE2:
		return boot_cpu_has(X86_FEATURE_XMM2);
	case MC_CPU_SSE41:
		return boot_cpu_has(X86_FEATURE_XMM4_1);
	case MC_CPU_AVX2:
		return boot_cpu_has(X86_FEATURE_AVX2) &&
		       boot_cpu_has(X86_FEATURE_FMA) &&
		       cpu_has_xfeatures(XFEATURE_MASK_SSE |
					 XFEATURE_MASK_YMM, NULL);
	case MC_CPU_AVX512F:
		return boot_cpu_has(X86_FEATURE_AVX512F) &&
		       cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM |
					 XFEATURE_MASK_AVX512, NULL);
	}
	return false;
}

/* CPUID leaf 0x40000000: twelve letters, by which hypervisors are known. */
static void hypervisor_json(struct mc_text *t)
{
	static const char * const known[][2] = {
		{ "KVMKVMKVM", "kvm" }, { "TCGTCGTCGTCG", "tcg" },
		{ "VMwareVMware", "vmware" }, { "Microsoft Hv", "hyper-v" },
		{ "XenVMMXenVMM", "xen" },
	};
	u32 max, id[4] = { 0 };
	size_t i;

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR)) {
		mc_textf(t, "null");
		return;
	}
	cpuid(0x40000000, &max, &id[0], &id[1], &id[2]);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp((char *)id, known[i][0]))
			break;
	}
	mc_text_json(t, i < ARRAY_SIZE(known) ? known[i][1] : (char *)id);
}

/*
 * Caches: CPUID leaf 4 (Intel SDM vol. 2, CPUID "Deterministic cache
 * parameters"), or 0x8000001d with the same layout (AMD APM vol. 3, E.4.15).
 */
static void caches_json(struct mc_text *t)
{
	u32 leaf = boot_cpu_has(X86_FEATURE_TOPOEXT) ? 0x8000001d : 4;
	static const char * const kinds[] = { "", "data", "code", "unified" };
	u32 a, b, c, d, i;

	mc_textf(t, "[");
	for (i = 0; i < 16; i++) {
		u64 line, ways, bytes;

		cpuid_count(leaf, i, &a, &b, &c, &d);
		if (!(a & 0x1f) || (a & 0x1f) > 3)
			break;
		line = (b & 0xfff) + 1;
		ways = (b >> 22) + 1;
		bytes = line * ways * ((b >> 12 & 0x3ff) + 1) * ((u64)c + 1);
		mc_textf(t, "%s{\"level\":%u,\"kind\":\"%s\",\"size_bytes\":%llu,\"line_bytes\":%llu,\"ways\":%llu,\"shared_by_cpus\":%u}",
			 i ? "," : "", a >> 5 & 7, kinds[a & 0x1f], bytes, line,
			 ways, (a >> 14 & 0xfff) + 1);
	}
	mc_textf(t, "]");
}

/**
 * mc_cpu_json() - append what the CPU is as JSON members
 * @t: the text
 *
 * Context: Any.
 */
void mc_cpu_json(struct mc_text *t)
{
	const struct cpuinfo_x86 *c = &boot_cpu_data;

	mc_textf(t, "\"cpu\":");
	mc_text_json(t, c->x86_model_id);
	mc_textf(t, ",\"cpu_vendor\":");
	mc_text_json(t, c->x86_vendor_id);
	mc_textf(t, ",\"cpu_family\":%u,\"cpu_model\":%u,\"cpu_stepping\":%u,\"microcode\":\"0x%x\",\"hypervisor\":",
		 c->x86, c->x86_model, c->x86_stepping, c->microcode);
	hypervisor_json(t);
	mc_textf(t, ",\"width_max_bytes\":%u,\"caches\":",
		 mc_loop_widest(MC_OP_WRITE)->width);
	caches_json(t);
}
