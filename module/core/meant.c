// SPDX-License-Identifier: GPL-2.0-only
/* The known word that a user meant by one that is not known. mc/__init__.py does the same. */
#include "core/meant.h"

#define LONGEST	32	/* no word of ours is longer */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool starts_with(const char *known, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len && lower(known[i]) == lower(s[i]); i++)
		;
	return i == len;
}

/**
 * mc_same_letters() - compare words without regard to capitals
 * @name: a word
 * @s: the other word, not terminated
 * @len: its length
 *
 * Return: true if they are the same word.
 */
bool mc_same_letters(const char *name, const char *s, size_t len)
{
	return strlen(name) == len && starts_with(name, s, len);
}

static u8 least(u8 a, u8 b, u8 c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

/*
 * Letters that are to be replaced, added, left out, or swapped with their neighbours. Each row
 * has the numbers for the words up to a letter of @s; both are at most LONGEST long.
 */
static unsigned int count_edits(const char *s, size_t len, const char *known, size_t n)
{
	u8 rows[3][LONGEST + 1];
	u8 *before = rows[0], *last = rows[1], *row = rows[2], *spare;
	size_t i, j;

	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 1; i <= len; i++) {
		spare = before;
		before = last;
		last = row;
		row = spare;
		row[0] = i;
		for (j = 1; j <= n; j++) {
			bool same = lower(s[i - 1]) == lower(known[j - 1]);

			row[j] = least(last[j] + 1, row[j - 1] + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && lower(s[i - 1]) == lower(known[j - 2]) &&
			    lower(s[i - 2]) == lower(known[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1, row[j]);
		}
	}
	return row[n];
}

/**
 * mc_suggestion_try() - try a known word
 * @m: the word that is not known; @m->word becomes @known if that is nearer than all before
 * @known: the known word
 *
 * A letter may differ, two or more in long words; words of two letters differ too easily. Three
 * letters or more may also be the begin of it.
 */
void mc_suggestion_try(struct mc_suggestion *m, const char *known)
{
	size_t n = strlen(known), longer = n > m->len ? n : m->len;
	unsigned int most = longer < 3 ? 0 : longer < 7 ? 1 : longer < 12 ? 2 : longer / 4;
	unsigned int edits;
	bool begins;

	if (!m->len || longer > LONGEST)
		return;
	edits = count_edits(m->s, m->len, known, n);
	begins = m->len > 2 && m->len < n && starts_with(known, m->s, m->len);
	if ((begins || edits <= most) && (!m->word || edits < m->edits)) {
		m->word = known;
		m->edits = edits;
	}
}

/**
 * mc_suggestion_show() - append the question, if a known word is near enough
 * @t: the text
 * @m: the word, after all known ones were tried
 */
void mc_suggestion_show(struct mc_text *t, const struct mc_suggestion *m)
{
	if (m->word)
		mc_textf(t, "; did you mean %s?", m->word);
}
