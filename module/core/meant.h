/* SPDX-License-Identifier: GPL-2.0-only */
/* The known word that a user meant by one that is not known. */
#ifndef MC_CORE_MEANT_H
#define MC_CORE_MEANT_H

#include "core/text.h"

/**
 * struct mc_suggestion - a word that is not known, and the nearest known one
 * @s: the word, not terminated
 * @len: its length
 * @word: the nearest of the words that were tried, or NULL
 * @edits: letters in which @word differs
 */
struct mc_suggestion {
	const char *s;
	size_t len;
	const char *word;
	unsigned int edits;
};

bool mc_same_letters(const char *name, const char *s, size_t len);
void mc_suggestion_try(struct mc_suggestion *m, const char *known);
void mc_suggestion_show(struct mc_text *t, const struct mc_suggestion *m);

#endif /* MC_CORE_MEANT_H */
