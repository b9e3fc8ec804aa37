/* SPDX-License-Identifier: GPL-2.0-only */
/* A text in a buffer of fixed size, the digits of a number, and the error that a user sees. */
#ifndef MC_CORE_TEXT_H
#define MC_CORE_TEXT_H

#include "core/shim.h"

/**
 * struct mc_text - a text in a buffer of fixed size
 * @buf: the buffer, terminated once something has been appended
 * @size: size of @buf, the terminator included
 * @len: length of the text, without the terminator
 * @cut: something did not fit
 */
struct mc_text {
	char *buf;
	size_t size;
	size_t len;
	bool cut;
};

/* The end of a word behind this number: 1 thread, 2 threads. */
#define MC_S(n)		((n) == 1 ? "" : "s")

#define MC_TEXT(array)	{ .buf = (array), .size = sizeof(array) }

/* Size of an error's text, terminator included. */
#define MC_ERROR_TEXT	640

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
void mc_text_size(struct mc_text *t, u64 bytes);
void mc_text_time(struct mc_text *t, u64 ns);
void mc_text_fixed(struct mc_text *t, u64 value, unsigned int decimals);
void mc_text_decimal(struct mc_text *t, u64 value, unsigned int decimals);
void mc_text_json(struct mc_text *t, const char *s);
void mc_text_quote(struct mc_text *t, const char *s, size_t len);
void mc_text_list(struct mc_text *t, const u64 *bits, unsigned int nbits);
int mc_digits(const char *s, size_t len, unsigned int base, u64 *value);
int mc_fail(struct mc_error *e, int err, const char *fmt, ...) __printf(3, 4);

#endif /* MC_CORE_TEXT_H */
