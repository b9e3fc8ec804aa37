// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include "combine.h"

static void send(struct combiner *c, struct buffer *b, struct sent *sent)
{
	int i;

	if (!b->written)
		return;
	c->written--;
	sent->line = b->line;
	if (b->written == ~0ULL) {
		sent->lines++;
	} else {
		for (i = 0; i < 64; i += 8)
			sent->words += (b->written >> i & 0xff) != 0;
	}
	b->written = 0;
}

static struct buffer *buffer_of(struct combiner *c, uint64_t line)
{
	uint32_t i;

	for (i = 0; c->written && i < c->n; i++) {
		if (c->buffers[i].written && c->buffers[i].line == line)
			return &c->buffers[i];
	}
	return NULL;
}

/** combine_has() - whether a buffer has a line */
bool combine_has(struct combiner *c, uint64_t line)
{
	return buffer_of(c, line);
}

static void store(struct combiner *c, uint64_t line, unsigned int from, unsigned int bytes,
		  struct sent *sent)
{
	uint64_t mask = bytes >= 64 ? ~0ULL : (1ULL << bytes) - 1;
	struct buffer *b = buffer_of(c, line);

	if (!b) {
		b = &c->buffers[c->next++ % c->n];
		send(c, b, sent);
		b->line = line;
		c->written++;
	}
	b->written |= mask << from;
	if (b->written == ~0ULL)
		send(c, b, sent);
}

/**
 * combine_store() - store to a line, and perhaps to the next one
 * @c: the buffers
 * @physical: the address
 * @bytes: number of bytes, 1 to 64
 * @sent: added to: what was sent because its line was full or had to make room
 */
void combine_store(struct combiner *c, uint64_t physical, unsigned int bytes, struct sent *sent)
{
	unsigned int from = physical % 64, here = bytes < 64 - from ? bytes : 64 - from;

	store(c, physical / 64, from, here, sent);
	if (bytes > here)
		store(c, physical / 64 + 1, 0, bytes - here, sent);
}

/** combine_send() - send one line, if a buffer has it */
void combine_send(struct combiner *c, uint64_t line, struct sent *sent)
{
	struct buffer *b = buffer_of(c, line);

	if (b)
		send(c, b, sent);
}

/** combine_drain() - send all lines */
void combine_drain(struct combiner *c, struct sent *sent)
{
	uint32_t i;

	for (i = 0; c->written && i < c->n; i++)
		send(c, &c->buffers[i], sent);
}
