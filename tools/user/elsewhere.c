// SPDX-License-Identifier: GPL-2.0-only
/* The table of calls.def. */
#include <stddef.h>

#include "elsewhere.h"

#define CALL(of, word, how, ours, means, note)	{ of, word, MC_##how, ours, means, note },
#define WORD(word, ours)			{ "", word, MC_EXACT, ours, "", "" },

const struct mc_foreign_word mc_foreign_words[] = {
#include "calls.def"
	{ }
};
