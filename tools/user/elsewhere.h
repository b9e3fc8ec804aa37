/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of other programs, and what they are here. */
#ifndef MC_USER_ELSEWHERE_H
#define MC_USER_ELSEWHERE_H

#include "core/shim.h"

/* How we measure what another program does, see calls.def. */
enum mc_how { MC_EXACT, MC_MORE, MC_SAME, MC_NONE };

/**
 * struct mc_foreign_word - a row of calls.def, which has the rules
 * @of: the program; empty: the word is one in a request
 * @word: an argument of the program; empty: the program itself
 * @how: EXACT, MORE, SAME or NONE
 * @ours: the test and key=value
 * @means: what it means there
 * @note: what differs, or the advice that is given in place of a translation
 */
struct mc_foreign_word {
	const char *of;
	const char *word;
	enum mc_how how;
	const char *ours;
	const char *means;
	const char *note;
};

extern const struct mc_foreign_word mc_foreign_words[];

/* Say what is worth knowing of a request, and is no error. */
#define mc_user_note(format, ...) fprintf(stderr, "memcache-user: " format "\n", ##__VA_ARGS__)

/* translate.c */
const char *mc_user_program(const char *name);
int mc_user_usual(char **line, bool print);

/* stand_in.c */
const char *mc_user_stands_in(const char *name);
int mc_user_stand_in(const char *name, char **args);

#endif /* MC_USER_ELSEWHERE_H */
