// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pattern of a file, in words of 8 bytes:
 *
 *   0  "memcache"
 *   1  seed
 *   2  bytes in the file
 *   3  a checksum of these three
 *   i  seed S + i G: all words are different, and all bytes change with the seed
 */
#include "core/pattern.h"

#define MAGIC	0x65686361636d656dULL	/* "memcache" */
#define G	0x9e3779b97f4a7c15ULL	/* odd, 2^64 by the golden ratio */
#define S	0xbf58476d1ce4e5b9ULL	/* odd, without a visible pattern */
#define WORDS	(MC_PATTERN_HEADER / 8)

static u64 word_at(const struct mc_pattern *p, u64 index)
{
	const u64 header[WORDS] = {
		MAGIC, p->seed, p->bytes,
		MAGIC + (p->seed + p->bytes * G) * G,
	};

	return index < WORDS ? header[index] : p->seed * S + index * G;
}

/**
 * mc_pattern_read() - read the header of a file
 * @p: result
 * @header: the first MC_PATTERN_HEADER bytes of the file
 *
 * Return: 0, -EINVAL (not a header of ours) or -EBADMSG (a damaged one).
 */
int mc_pattern_read(struct mc_pattern *p, const void *header)
{
	u64 word[WORDS];

	memcpy(word, header, sizeof(word));
	*p = (struct mc_pattern){ .seed = word[1], .bytes = word[2] };
	if (word[0] != MAGIC)
		return -EINVAL;
	return word[3] == word_at(p, 3) ? 0 : -EBADMSG;
}

/**
 * mc_pattern_fill() - make a part of the file
 * @p: the pattern
 * @data: result, aligned to 8 bytes
 * @offset: offset in the file, a multiple of 8
 * @bytes: number of bytes, a multiple of 8
 */
void mc_pattern_fill(const struct mc_pattern *p, void *data, u64 offset, u64 bytes)
{
	u64 *word = data, i = offset / 8, end = i + bytes / 8, w;

	for (; i < WORDS && i < end; i++)
		*word++ = word_at(p, i);
	for (w = p->seed * S + i * G; i < end; i++, w += G)
		*word++ = w;
}

/* Return: how many bytes of two different words are equal before the first difference. */
static u64 same_bytes(const u64 *a, const u64 *b)
{
	u64 i;

	for (i = 0; i < 7 && ((const u8 *)a)[i] == ((const u8 *)b)[i]; i++)
		;
	return i;
}

/**
 * mc_pattern_check() - compare a part of the file with the pattern
 * @p: the pattern
 * @data: the part, aligned to 8 bytes
 * @offset: offset in the file, a multiple of 8
 * @bytes: number of bytes, a multiple of 8
 *
 * Return: number of bytes before the first wrong one; @bytes if all are right.
 */
u64 mc_pattern_check(const struct mc_pattern *p, const void *data, u64 offset, u64 bytes)
{
	const u64 *word = data;
	u64 i, w, first = offset / 8, n = bytes / 8, wrong = 0;

	for (i = 0; first + i < WORDS && i < n; i++)
		wrong |= word[i] ^ word_at(p, first + i);
	for (w = p->seed * S + (first + i) * G; i < n; i++, w += G)
		wrong |= word[i] ^ w;
	if (!wrong)
		return bytes;
	for (i = 0; i < n; i++) {
		w = word_at(p, first + i);
		if (word[i] != w)
			return 8 * i + same_bytes(&word[i], &w);
	}
	return bytes;
}
