/* SPDX-License-Identifier: GPL-2.0-only */
/* A bounded text under construction, and the error a user is shown. */
#ifndef MC_CORE_TEXT_H
#define MC_CORE_TEXT_H

#include "core/shim.h"

/**
 * struct mc_text - text appended to a buffer of fixed size
 * @buf: the buffer, always terminated once something was appended
 * @size: bytes in @buf, the terminator included
 * @len: bytes used, the terminator excluded
 * @cut: true once something did not fit
 */
struct mc_text {
	char *buf;
	size_t size;
	size_t len;
	bool cut;
};

#define MC_TEXT(array)	{ .buf = (array), .size = sizeof(array) }

/* Longest explanation of an error, terminator included. */
#define MC_ERROR_TEXT	320

/**
 * struct mc_error - why a request failed, in the user's words
 * @err: 0 or a negative errno
 * @text: one line, "KEY: what is wrong; what would be right"
 */
struct mc_error {
	int err;
	char text[MC_ERROR_TEXT];
};

void mc_textf(struct mc_text *t, const char *fmt, ...) __printf(2, 3);
void mc_text_fixed(struct mc_text *t, u64 value, unsigned int decimals);
void mc_text_json(struct mc_text *t, const char *s);
void mc_text_quote(struct mc_text *t, const char *s, size_t len);
void mc_text_list(struct mc_text *t, const u64 *bits, unsigned int nbits);
int mc_fail(struct mc_error *e, int err, const char *fmt, ...) __printf(3, 4);

#endif /* MC_CORE_TEXT_H */
