/* SPDX-License-Identifier: GPL-2.0-only */
/* The write-combining buffers of a CPU. */
#ifndef SIM_COMBINE_H
#define SIM_COMBINE_H

#include <stdbool.h>
#include <stdint.h>

#define BUFFERS_MOST	64

/**
 * struct buffer - a write-combining buffer
 * @line: number of the line
 * @written: a bit for each of its bytes; 0: the buffer is free
 */
struct buffer {
	uint64_t line;
	uint64_t written;
};

/**
 * struct combiner - the buffers of a CPU
 * @n: number of buffers
 * @next: the buffer that makes room next
 * @written: number of buffers that have something
 * @buffers: the buffers
 */
struct combiner {
	uint32_t n;
	uint32_t next;
	uint32_t written;
	struct buffer buffers[BUFFERS_MOST];
};

/**
 * struct sent - what buffers have sent
 * @line: number of the line that was sent last
 * @lines: lines that were written whole
 * @words: 8-byte parts of other lines
 */
struct sent {
	uint64_t line;
	uint32_t lines;
	uint32_t words;
};

bool combine_has(struct combiner *c, uint64_t line);
void combine_store(struct combiner *c, uint64_t physical, unsigned int bytes, struct sent *sent);
void combine_send(struct combiner *c, uint64_t line, struct sent *sent);
void combine_drain(struct combiner *c, struct sent *sent);

#endif /* SIM_COMBINE_H */
