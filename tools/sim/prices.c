// SPDX-License-Identifier: GPL-2.0-only
/* Reading price files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prices.h"

#define SPACE		" \t\r\n"
#define NUMBERS_MOST	(NODES_MOST * NODES_MOST)

/**
 * struct price_key - a key of a price file
 * @name: its name in the file
 * @offset: offset of its field in struct prices
 * @indices: 0: one number; 1: one for each node; 2: one for each pair of nodes
 * @least: the least value
 * @most: the greatest value
 */
struct price_key {
	const char *name;
	size_t offset;
	unsigned int indices;
	uint32_t least;
	uint32_t most;
};

#define TIME_MOST	1000000000
#define KEY(name, indices, least, most)	\
	{ #name, offsetof(struct prices, name), indices, least, most }
#define TIME(name)	KEY(name, 0, 0, TIME_MOST)

static const struct price_key keys[] = {
	TIME(uc_load_ns), TIME(uc_store_ns),
	TIME(wc_load_ns), TIME(wc_line_ns), TIME(wc_word_ns),
	KEY(wc_buffers, 0, 1, 64), KEY(wc_early, 0, 0, 1000), TIME(arrive_ns),
	KEY(l1_bytes, 0, 64, 1 << 30), KEY(l1_ways, 0, 1, 1024), TIME(l1_ns),
	KEY(l2_bytes, 0, 0, 1 << 30), KEY(l2_ways, 0, 1, 1024), TIME(l2_ns),
	KEY(l3_bytes, 0, 0, 1 << 30), KEY(l3_ways, 0, 1, 1024), TIME(l3_ns),
	KEY(l3_cpus, 0, 1, CPUS_MOST),
	KEY(l3_unlisted, 0, 0, 1),
	KEY(clean_ns, 2, 0, TIME_MOST), KEY(dirty_ns, 2, 0, TIME_MOST),
	KEY(home_ns, 2, 0, TIME_MOST),
	KEY(memory_ns, 2, 0, TIME_MOST), KEY(service_ns, 1, 0, TIME_MOST),
	TIME(refresh_every_ns), TIME(refresh_ns),
	TIME(still_every_ns), TIME(still_ns), TIME(flush_ns), TIME(clwb_ns),
	KEY(prefetch_lines, 0, 0, 16),
	KEY(tlb_entries, 0, 0, 65536), KEY(tlb2_entries, 0, 0, 65536),
	TIME(tlb2_ns), TIME(tlb_miss_ns),
};

#define NKEYS	(sizeof(keys) / sizeof(*keys))

/**
 * struct named - what the left side of `key = value` names
 * @key: the key; NULL: there is no such key
 * @first: the first of the numbers of its field that are set
 * @n: how many are
 */
struct named {
	const struct price_key *key;
	unsigned int first;
	unsigned int n;
};

static unsigned int numbers_of(const struct price_key *key)
{
	return key->indices == 2 ? NUMBERS_MOST : key->indices ? NODES_MOST : 1;
}

static uint32_t *field(struct prices *p, const struct price_key *key)
{
	return (uint32_t *)((char *)p + key->offset);
}

/* Read the nodes in `_1` or `_0_1`. */
static bool index_of(const char *text, size_t length, const struct price_key *key,
		     unsigned int *index)
{
	unsigned int i;

	*index = 0;
	if (!key->indices || length != 2 * key->indices)
		return false;
	for (i = 0; i < length; i += 2) {
		if (text[i] != '_' || text[i + 1] < '0' || text[i + 1] >= '0' + NODES_MOST)
			return false;
		*index = *index * NODES_MOST + (text[i + 1] - '0');
	}
	return true;
}

static struct named named_by(const char *text, size_t length)
{
	struct named found = { NULL };
	size_t i, own;

	for (i = 0; i < NKEYS; i++) {
		own = strlen(keys[i].name);
		if (length < own || strncmp(keys[i].name, text, own))
			continue;
		if (length == own)
			return (struct named){ &keys[i], 0, numbers_of(&keys[i]) };
		if (index_of(text + own, length - own, &keys[i], &found.first)) {
			found.key = &keys[i];
			found.n = 1;
		}
	}
	return found;
}

/* The length of the key at the beginning of `key = number`. */
static size_t key_length(const char *text)
{
	return strcspn(text, " \t=");
}

/* The rest of a line, from its value on; NULL: something is wrong. @known: there is such a key. */
static const char *value_of(const char *text, bool known, char *why, size_t room)
{
	size_t length = key_length(text);
	const char *at = text + length + strspn(text + length, " \t");

	if (!known || *at != '=') {
		snprintf(why, room, known ? "%.*s: no value: key = value" : "%.*s: unknown key",
			 (int)length, text);
		return NULL;
	}
	return at + 1 + strspn(at + 1, " \t");
}

/*
 * Read the number of a line, whose rest is @value. @size: it may end in K or M. Return: false: it
 * is no number that fits 32 bits.
 */
static bool read_number(const char *text, const char *value, bool size, uint32_t *number, char *why,
			size_t room)
{
	unsigned long long n;
	char *end;

	errno = 0;
	if (*value >= '0' && *value <= '9') {
		n = strtoull(value, &end, 10);
		if (size && *end == 'K' && n <= UINT32_MAX)
			n <<= 10, end++;
		else if (size && *end == 'M' && n <= UINT32_MAX)
			n <<= 20, end++;
		*number = n;
		if (!errno && n <= UINT32_MAX && !end[strspn(end, " \t\n")])
			return true;
	}
	snprintf(why, room, "%.*s: '%s' is no %s", (int)key_length(text), text, value,
		 size ? "size: a number, with K or M" : "whole number");
	return false;
}

/**
 * struct seen - what a file has set so far
 * @keys: a bit for each key
 * @pairs: for each key, a bit for each of its numbers that was set by its nodes
 */
struct seen {
	uint64_t keys;
	uint64_t pairs[NKEYS];
};

static bool set(struct prices *p, struct seen *seen, const char *text, char *why, size_t room)
{
	size_t length = key_length(text), i;
	struct named named = named_by(text, length);
	const char *value = value_of(text, named.key, why, room);
	uint64_t *bits, bit;
	uint32_t number;

	if (!value)
		return false;
	bits = named.n == 1 && named.key->indices ? &seen->pairs[named.key - keys] : &seen->keys;
	bit = 1ULL << (bits == &seen->keys ? (size_t)(named.key - keys) : named.first);
	if (*bits & bit) {
		snprintf(why, room, "%.*s: given twice", (int)length, text);
		return false;
	}
	*bits |= bit;
	if (!read_number(text, value, strstr(named.key->name, "_bytes"), &number, why, room))
		return false;
	if (number < named.key->least || number > named.key->most) {
		snprintf(why, room, "%.*s is %u to %u", (int)length, text, named.key->least,
			 named.key->most);
		return false;
	}
	for (i = named.first; i < named.first + named.n; i++) {
		/* A number that its nodes have set stays, whatever comes first. */
		if (named.n == 1 || !(seen->pairs[named.key - keys] >> i & 1))
			field(p, named.key)[i] = number;
	}
	return true;
}

static const char *check_cache(uint32_t bytes, uint32_t ways)
{
	return bytes % (ways * 64ULL) ?
	       "a cache's bytes are not ways of whole sets of 64-byte lines" : NULL;
}

static const char *check(const struct prices *p)
{
	const char *why = check_cache(p->l1_bytes, p->l1_ways);

	why = why ? why : check_cache(p->l2_bytes, p->l2_ways);
	why = why ? why : check_cache(p->l3_bytes, p->l3_ways);
	if (!why && p->l3_bytes && !p->l2_bytes)
		why = "a level of cache has none before it";
	if (!why && p->refresh_ns && p->refresh_ns >= p->refresh_every_ns)
		why = "refresh_ns is less than refresh_every_ns";
	if (!why && p->still_ns && p->still_ns >= p->still_every_ns)
		why = "still_ns is less than still_every_ns";
	return why;
}

/**
 * prices_set() - change prices
 * @p: the prices
 * @words: `key=value`, with spaces between them
 * @why: buffer for what is wrong with them
 * @room: size of @why
 *
 * Return: false: something is wrong, and @p is as it was.
 */
bool prices_set(struct prices *p, const char *words, char *why, size_t room)
{
	struct prices changed = *p;
	struct seen seen = { 0 };
	char word[64];
	const char *wrong;
	size_t length;

	for (words += strspn(words, SPACE); *words; words += strspn(words, SPACE)) {
		length = strcspn(words, SPACE);
		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		words += length;
		if (!set(&changed, &seen, word, why, room))
			return false;
	}
	wrong = check(&changed);
	if (wrong) {
		snprintf(why, room, "%s", wrong);
		return false;
	}
	*p = changed;
	return true;
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
	char *line = NULL, wrong[256] = "";
	struct seen seen = { 0 };
	unsigned int number = 0;
	bool good = true;
	size_t length = 0, i;
	const char *inconsistent;
	FILE *f = fopen(file, "re");

	if (!f) {
		snprintf(why, room, "%s: %s", file, strerror(errno));
		return false;
	}
	while (good && getline(&line, &length, f) > 0) {
		const char *text = line + strspn(line, SPACE);

		number++;
		line[strcspn(line, "#\r\n")] = 0;
		good = !*text || *text == '#' || set(p, &seen, text, wrong, sizeof(wrong));
		if (!good)
			snprintf(why, room, "%s:%u: %s", file, number, wrong);
	}
	if (good && ferror(f)) {
		snprintf(why, room, "%s: %s", file, strerror(errno));
		good = false;
	}
	free(line);
	fclose(f);
	for (i = 0; good && i < NKEYS; i++) {
		good = seen.keys >> i & 1;
		if (!good)
			snprintf(why, room, "%s:%u: %s is missing", file, number, keys[i].name);
	}
	inconsistent = good ? check(p) : NULL;
	if (inconsistent)
		snprintf(why, room, "%s:%u: %s", file, number, inconsistent);
	return good && !inconsistent;
}

/**
 * prices_print() - write prices as a JSON object
 * @p: the prices
 * @to: the file to write to
 *
 * A key of nodes has the number of node 0 or of the pair 0, 0; those that differ from it follow
 * with their nodes.
 */
void prices_print(const struct prices *p, FILE *to)
{
	const uint32_t *numbers;
	unsigned int at;
	size_t i;

	for (i = 0; i < NKEYS; i++) {
		numbers = (const uint32_t *)((const char *)p + keys[i].offset);
		fprintf(to, "%s\"%s\":%u", i ? "," : "{", keys[i].name, numbers[0]);
		for (at = 1; at < numbers_of(&keys[i]); at++) {
			if (numbers[at] == numbers[0])
				continue;
			if (keys[i].indices == 2)
				fprintf(to, ",\"%s_%u_%u\":%u", keys[i].name, at / NODES_MOST,
					at % NODES_MOST, numbers[at]);
			else
				fprintf(to, ",\"%s_%u\":%u", keys[i].name, at, numbers[at]);
		}
	}
	fprintf(to, "}");
}
