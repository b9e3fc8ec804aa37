// SPDX-License-Identifier: GPL-2.0-only
/* Reading price files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sim/setting.h"
#include "model.h"

#define SPACE " \t\r\n"

#define KEY(name)	{ #name, offsetof(struct prices, name) }

const struct price_key price_keys[] = {
	KEY(uc_load_ns), KEY(uc_store_ns),
	KEY(wc_load_ns), KEY(wc_line_ns), KEY(wc_word_ns), KEY(wc_buffers),
	KEY(l1_bytes), KEY(l1_ways), KEY(l1_ns),
	KEY(l2_bytes), KEY(l2_ways), KEY(l2_ns),
	KEY(l3_bytes), KEY(l3_ways), KEY(l3_ns),
	KEY(memory_ns), KEY(flush_ns),
	KEY(tlb_entries), KEY(tlb_miss_ns),
	{ }
};

static const struct price_key *key_of(const char *name, size_t length)
{
	const struct price_key *key;

	for (key = price_keys; key->name; key++) {
		if (strlen(key->name) == length && !strncmp(key->name, name, length))
			return key;
	}
	return NULL;
}

/**
 * prices_set() - set one key
 * @p: the prices
 * @seen: a bit for each key that was set before
 * @text: `key=value`, with spaces around either
 * @why: buffer for what is wrong with it
 * @room: size of @why
 *
 * Return: false: something is wrong.
 */
bool prices_set(struct prices *p, uint64_t *seen, const char *text, char *why, size_t room)
{
	const struct price_key *key = key_of(text, setting_key_length(text));
	const char *value = setting_value(text, key, why, room);
	uint64_t bit;

	if (!value)
		return false;
	bit = 1ULL << (key - price_keys);
	if (*seen & bit) {
		snprintf(why, room, "%s: given twice", key->name);
		return false;
	}
	*seen |= bit;
	return setting_number(text, value, strstr(key->name, "_bytes"),
			      (uint32_t *)((char *)p + key->offset), why, room);
}

/**
 * prices_read() - read a price file
 * @p: the prices
 * @file: its name
 * @why: buffer for what is wrong with it
 * @room: size of @why
 *
 * Return: false: something is wrong.
 */
bool prices_read(struct prices *p, const char *file, char *why, size_t room)
{
	const struct price_key *key;
	unsigned int number = 0;
	uint64_t seen = 0;
	bool good = true;
	char *line = NULL, wrong[256];
	size_t length = 0;
	FILE *f = fopen(file, "re");

	if (!f) {
		snprintf(why, room, "%s: %s", file, strerror(errno));
		return false;
	}
	while (good && getline(&line, &length, f) > 0) {
		const char *text = line + strspn(line, SPACE);

		number++;
		line[strcspn(line, "#\r\n")] = 0;
		good = !*text || *text == '#' ||
		       prices_set(p, &seen, text, wrong, sizeof(wrong));
		if (!good)
			snprintf(why, room, "%s:%u: %s", file, number, wrong);
	}
	if (good && ferror(f)) {
		snprintf(why, room, "%s: %s", file, strerror(errno));
		good = false;
	}
	free(line);
	fclose(f);
	if (!good)
		return false;
	for (key = price_keys; key->name; key++) {
		if (!(seen >> (key - price_keys) & 1)) {
			snprintf(why, room, "%s: %s is missing", file, key->name);
			return false;
		}
	}
	return true;
}
