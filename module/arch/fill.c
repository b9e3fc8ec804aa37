// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same stores to a page in two orders. Only memory that combines stores gains by the
 * first one. Both end with the fence of mc_asm_combine(), whose line is that of one more.
 */
#include "arch/loops.h"

#define LINE_WORDS	8

/**
 * mc_fill_by_lines() - store zeros to each line of a page, line by line
 * @page: MC_FILL_LINES lines
 * @words: number of 8-byte words of each line, at most 8
 */
void mc_fill_by_lines(void *page, u64 words)
{
	unsigned int line;
	u64 word;

	for (line = 0; line < MC_FILL_LINES; line++) {
		for (word = 0; word < words; word++)
			WRITE_ONCE(((u64 *)page)[line * LINE_WORDS + word], 0);
	}
	mc_asm_combine(page, 1);
}

/**
 * mc_fill_by_words() - store zeros to each line of a page, to all lines before the next word
 * @page: MC_FILL_LINES lines
 * @words: number of 8-byte words of each line, at most 8
 */
void mc_fill_by_words(void *page, u64 words)
{
	unsigned int line;
	u64 word;

	for (word = 0; word < words; word++) {
		for (line = 0; line < MC_FILL_LINES; line++)
			WRITE_ONCE(((u64 *)page)[line * LINE_WORDS + word], 0);
	}
	mc_asm_combine(page, 1);
}
