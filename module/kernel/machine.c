// SPDX-License-Identifier: GPL-2.0-only
/* The machine as one JSON object. */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/security.h>
#include <linux/topology.h>
#include <linux/utsname.h>

#include "core/record.h"
#include "kernel/arch.h"
#include "kernel/machine.h"
#include "kernel/memory.h"
#include "kernel/prefetch.h"
#include "measure/disturbed.h"
#include "platform/version.h"

static void nodes_json(struct mc_text *t)
{
	const char *comma = "";
	int node;

	mc_textf(t, "[");
	for_each_online_node(node) {
		mc_textf(t, "%s{\"node\":%d,\"cpus\":\"%*pbl\",\"memory_bytes\":%llu}",
			 comma, node, cpumask_pr_args(cpumask_of_node(node)),
			 (u64)node_present_pages(node) << PAGE_SHIFT);
		comma = ",";
	}
	mc_textf(t, "]");
}

/**
 * mc_machine_json() - append the machine as a line of JSON
 * @t: the text, with room for MC_MACHINE_MAX bytes
 *
 * Context: Process, may sleep.
 */
void mc_machine_json(struct mc_text *t)
{
	mc_textf(t, "{\"record\":\"machine\",\"schema\":%d,\"abi\":%d", MC_SCHEMA, MC_ABI);
	mc_textf(t, ",\"where\":\"kernel\",\"version\":");
	mc_text_json(t, mc_version);
	mc_textf(t, ",\"kernel\":");
	mc_text_json(t, init_utsname()->release);
	mc_textf(t, ",\"kernel_version\":");
	mc_text_json(t, init_utsname()->version);
	mc_textf(t, ",");
	mc_cpu_json(t);
	mc_textf(t, ",\"cpus_online\":\"%*pbl\",\"nodes\":", cpumask_pr_args(cpu_online_mask));
	nodes_json(t);
	mc_textf(t, ",");
	mc_times_json(t);
	mc_textf(t, ",");
	mc_attr_json(t);
	mc_textf(t, ",\"prefetch\":");
	mc_prefetch_json(t);
	mc_textf(t, ",\"lockdown\":%s,\"memory_types\":",
		 security_locked_down(LOCKDOWN_DEBUGFS) ? "true" : "false");
	mc_memory_json(t);
	mc_textf(t, "}\n");
}
