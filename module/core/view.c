// SPDX-License-Identifier: GPL-2.0-only
/* The addresses of the bytes of a buffer. */
#include "core/view.h"

/**
 * mc_view_at() - address of an offset in a buffer
 * @v: the buffer
 * @at: offset, less than the buffer's length
 * @left: result: number of contiguous bytes from there on; may be NULL
 *
 * Return: the address.
 */
void *mc_view_at(const struct mc_view *v, u64 at, u64 *left)
{
	unsigned int low = 0, high = v->n - 1;
	const struct mc_span *s;

	while (low < high) {
		unsigned int middle = (low + high + 1) / 2;

		if (v->spans[middle].start <= at)
			low = middle;
		else
			high = middle - 1;
	}
	s = &v->spans[low];
	if (left)
		*left = s->start + s->bytes - at;
	return (u8 *)s->addr + (at - s->start);
}

/**
 * mc_view_blocks() - list the addresses of blocks of a buffer
 * @view: the buffer
 * @from: offset of the first block
 * @to: end of the last one, which may be shorter
 * @block: bytes of a block
 * @blocks: result: array with room for all addresses
 *
 * Return: false if some block is not contiguous.
 */
bool mc_view_blocks(const struct mc_view *view, u64 from, u64 to, u64 block, void **blocks)
{
	u64 left;

	for (; from < to; from += block) {
		*blocks++ = mc_view_at(view, from, &left);
		if (left < block && left < to - from)
			return false;
	}
	return true;
}
