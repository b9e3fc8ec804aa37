// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much memory this process may still take: what is available, and what its control group,
 * and those around it, allow. Beyond that limit the kernel ends the process without a word.
 * And how often a limit of CPU time has stopped it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/os.h"
#include "user.h"

#define ROOT		"/sys/fs/cgroup"
#define PATH_BYTES	4096
#define SLACK		(4ULL << 20)	/* for page tables and the process itself */

/* Files of a control group, in version 2 and version 1. */
static const struct version {
	const char *mark;	/* stands before the path in /proc/self/cgroup */
	const char *root;
	const char *limits[2];
	const char *used;
} versions[] = {
	{ "0::", ROOT, { "memory.max", "memory.high" }, "memory.current" },
	{ ":memory:", ROOT "/memory", { "memory.limit_in_bytes" }, "memory.usage_in_bytes" },
	{ ":cpu:", ROOT "/cpu" }, { ":cpu,cpuacct:", ROOT "/cpu" },
};

/* The number behind a word, or at the begin of a file; @otherwise if there is none. */
static u64 number_in(const char *group, const char *file, const char *word, u64 otherwise)
{
	char text[8192], *at = text, *end;
	u64 value;

	if (!mc_user_read_of(text, sizeof(text), "%s/%s", group, file))
		return otherwise;
	if (word)
		at = strstr(text, word);
	if (!at)
		return otherwise;
	at += word ? strlen(word) : 0;
	value = strtoull(at, &end, 10);
	return end == at ? otherwise : value;
}

/* Bytes that a group uses and that the kernel can't take back at once. */
static u64 used_by(const char *group, const struct version *v)
{
	u64 used = number_in(group, v->used, NULL, 0);
	u64 files = number_in(group, "memory.stat", "\ninactive_file ", 0) +
		    number_in(group, "memory.stat", "\nactive_file ", 0);

	return used - min(used, files + SLACK) + SLACK;
}

static void take_limits(struct mc_user_room *room, const char *group, const struct version *v)
{
	unsigned int i;

	room->stops += number_in(group, "cpu.stat", "\nnr_throttled ", 0);
	for (i = 0; i < ARRAY_SIZE(v->limits) && v->limits[i]; i++) {
		u64 limit = number_in(group, v->limits[i], NULL, ~0ULL), used;

		if (limit == ~0ULL)
			continue;
		used = used_by(group, v);
		if (limit - min(limit, used) >= room->bytes)
			continue;
		room->bytes = limit - min(limit, used);
		room->of = limit;
		snprintf(room->why, sizeof(room->why), "%s is %llu MiB in %.120s", v->limits[i],
			 limit >> 20, group);
	}
}

/* The group, and all around it. In a container, the outermost that is seen is the root. */
static void take_groups(struct mc_user_room *room, const char *path, const struct version *v)
{
	char group[PATH_BYTES];
	size_t root = strlen(v->root);

	snprintf(group, sizeof(group), "%s%s", v->root, path);
	for (;;) {
		take_limits(room, group, v);
		if (strlen(group) <= root)
			return;
		*strrchr(group, '/') = '\0';
	}
}

/**
 * mc_user_room() - how much memory this process may still take without swapping
 * @room: result
 */
void mc_user_room(struct mc_user_room *room)
{
	char text[8192], path[PATH_BYTES], *line;
	unsigned int i;

	*room = (struct mc_user_room){
		number_in("/proc", "meminfo", "MemAvailable:", ~0ULL >> 10) << 10,
		mc_memory_bytes()
	};
	if (!mc_user_read_file("/proc/self/cgroup", text, sizeof(text)))
		return;
	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		line = strstr(text, versions[i].mark);
		if (line && sscanf(line + strlen(versions[i].mark), "%4000[^\n]", path) == 1)
			take_groups(room, path, &versions[i]);
	}
}

u64 mc_memory_room(void)
{
	struct mc_user_room room;

	mc_user_room(&room);
	return room.bytes;
}
