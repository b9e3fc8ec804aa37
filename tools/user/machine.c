// SPDX-License-Identifier: GPL-2.0-only
/* The machine as user space sees it, with the same keys as the kernel's record. */
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/cores.h"
#include "core/record.h"
#include "measure/disturbed.h"
#include "platform/version.h"
#include "user.h"

#define NODE	"/sys/devices/system/node/node%d/"

bool mc_cpu_has(enum mc_feature feature)
{
	return mc_cores_have(feature);
}

/*
 * The path of a program beside this one, which may be run through a link. Return: can it be
 * executed?
 */
bool mc_user_beside(const char *name, char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (n <= 0)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash || slash + 1 - path + strlen(name) >= size)
		return false;
	strcpy(slash + 1, name);
	return !access(path, X_OK);
}

static void nodes_json(struct mc_text *t)
{
	char text[4096], *total;
	const char *comma = "";
	u64 kib;
	int node;

	mc_textf(t, "[");
	for (node = mc_user_node_next(-1); node >= 0; node = mc_user_node_next(node)) {
		if (!mc_user_read_of(text, sizeof(text), NODE "cpulist", node))
			continue;
		mc_textf(t, "%s{\"node\":%d,\"cpus\":", comma, node);
		mc_text_json(t, text);
		total = mc_user_read_of(text, sizeof(text), NODE "meminfo", node) ?
			strstr(text, "MemTotal:") : NULL;
		if (total && sscanf(total, "MemTotal: %llu", &kib) == 1)
			mc_textf(t, ",\"memory_bytes\":%llu}", kib << 10);
		else
			mc_textf(t, ",\"memory_bytes\":null}");
		comma = ",";
	}
	mc_textf(t, "]");
}

static void microcode_json(struct mc_text *t)
{
	char text[4096], *at;
	unsigned int version;

	mc_textf(t, ",\"microcode\":");
	at = mc_user_read_file("/proc/cpuinfo", text, sizeof(text)) ?
	     strstr(text, "microcode") : NULL;
	if (at && sscanf(at, "microcode : %x", &version) == 1)
		mc_textf(t, "\"0x%x\"", version);
	else
		mc_textf(t, "null");
}

/* In User-Mode Linux, CPUID describes the host, so /proc/cpuinfo has to tell. */
static bool in_uml(void)
{
	char text[4096];

	return mc_user_read_file("/proc/cpuinfo", text, sizeof(text)) &&
	       strstr(text, ": User Mode Linux\n");
}

/* Return: the name of what runs this kernel, or NULL; @id: see mc_hypervisor_name(). */
const char *mc_user_hypervisor(char *id)
{
	return in_uml() ? "uml" : mc_hypervisor_name(id);
}

/* A list in /proc/self/status; empty if it is not there. */
static void allowed_json(struct mc_text *t, const char *word)
{
	char text[8192], list[4096] = "", *at;

	at = mc_user_read_file("/proc/self/status", text, sizeof(text)) ? strstr(text, word) : NULL;
	if (at)
		sscanf(at + strlen(word), " %4095s", list);
	mc_text_json(t, list);
}

/* What a cpuset, taskset or a control group leaves to this process. */
static void process_json(struct mc_text *t)
{
	struct mc_user_room room;

	mc_user_room(&room);
	mc_textf(t, ",\"process\":{\"cpus\":");
	allowed_json(t, "\nCpus_allowed_list:");
	mc_textf(t, ",\"nodes\":");
	allowed_json(t, "\nMems_allowed_list:");
	mc_textf(t, ",\"memory_limit_bytes\":");
	if (*room.why)
		mc_textf(t, "%llu}", room.of);
	else
		mc_textf(t, "null}");
}

void mc_user_machine_json(struct mc_text *t)
{
	struct utsname name;
	char cpus[4096];

	uname(&name);
	mc_textf(t, "{\"record\":\"machine\",\"schema\":%d,\"abi\":%d", MC_SCHEMA, MC_ABI);
	mc_textf(t, ",\"where\":\"user\",\"version\":");
	mc_text_json(t, mc_version);
	mc_textf(t, ",\"memory\":\"%s\",\"kernel\":", mc_user_memory_name());
	mc_text_json(t, name.release);
	mc_textf(t, ",\"kernel_version\":");
	mc_text_json(t, name.version);
	mc_textf(t, ",");
	mc_cpu_describe(t, in_uml() ? "uml" : NULL);
	microcode_json(t);
	mc_textf(t, ",\"cpus_online\":");
	if (!mc_user_read_file("/sys/devices/system/cpu/online", cpus, sizeof(cpus)))
		cpus[0] = '\0';
	mc_text_json(t, cpus);
	mc_textf(t, ",\"nodes\":");
	nodes_json(t);
	process_json(t);
	mc_user_last_cache_json(t);
	mc_textf(t, ",");
	mc_times_json(t);
	/* Only the kernel knows these. */
	mc_textf(t, ",\"page_table_levels\":null,\"pat\":null,\"prefetch\":null");
	mc_textf(t, ",\"lockdown\":null,\"memory_types\":");
	mc_user_types_json(t);
	mc_textf(t, "}\n");
}
