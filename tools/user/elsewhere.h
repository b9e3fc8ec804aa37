/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of other programs, and what they are here. */
#ifndef MC_USER_ELSEWHERE_H
#define MC_USER_ELSEWHERE_H

#include <stdbool.h>

/**
 * struct mc_elsewhere - a word of another program
 * @of: the program; empty: the word is one in a request
 * @word: an argument of the program as it is written, or an option and `*`, whose value is in the
 *        same argument or the next one; `#1`, `#2`: an argument without an option, `#+`: each of
 *        them; empty: the program itself. In a request: the word in place of the test; `key=`;
 *        `key=value`, where a value that begins with _ is the end of one
 * @ours: what it is here: the test, and key=value. `*` stands for the value, `@2` for the size
 *        in the second of the parts of it that colons divide, in units of 1000, `%` or `%3` for a
 *        list of so many CPUs, all if a part behind `N` lacks it. A unit
 *        behind them counts only if the value has none. `a=*|b=*`: the first that the test has
 * @suite: the suite of the front end that measures the same, if no keys are given
 * @why: the advice that is given in place of a translation
 * @first: the values, between spaces, that the first part of a value may have, since @ours has no
 *         word for it
 * @each: @ours has a size of each thread, where ours is that of all threads
 * @listed: of a program: the manual's page "Coming from other tools" has its options
 */
struct mc_elsewhere {
	const char *of;
	const char *word;
	const char *ours;
	const char *suite;
	const char *why;
	const char *first;
	bool each;
	bool listed;
};

extern const struct mc_elsewhere mc_elsewhere[];

/* translate.c */
const char *mc_user_program(const char *name);
bool mc_user_mode(const char *option);
int mc_user_usual(char **line);
int mc_user_translate(const char *line);

#endif /* MC_USER_ELSEWHERE_H */
