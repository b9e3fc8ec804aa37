// SPDX-License-Identifier: GPL-2.0-only
/* Bounded text: append, fixed-point numbers, JSON strings, number lists; the digits of a number. */
#include "core/math.h"
#include "core/text.h"

static void __printf(2, 0) append(struct mc_text *t, const char *fmt, va_list ap)
{
	size_t room = t->size - t->len;
	int n;

	/* A text that was cut is full. */
	if (!t->size || t->cut)
		return;
	n = vsnprintf(t->buf + t->len, room, fmt, ap);
	if (n < 0)
		return;
	if ((size_t)n >= room) {
		t->cut = true;
		n = room - 1;
	}
	t->len += n;
}

/**
 * mc_textf() - append formatted text; what does not fit is cut off
 * @t: the text
 * @fmt: printf format
 */
void mc_textf(struct mc_text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	append(t, fmt, ap);
	va_end(ap);
}

/**
 * mc_text_fixed() - append a fixed-point number
 * @t: the text
 * @value: the number times 10^@decimals
 * @decimals: digits behind the point, 0 to 9
 */
void mc_text_fixed(struct mc_text *t, u64 value, unsigned int decimals)
{
	u64 unit = 1;
	unsigned int i;

	for (i = 0; i < decimals; i++)
		unit *= 10;
	if (decimals)
		mc_textf(t, "%llu.%0*llu", value / unit, (int)decimals, value % unit);
	else
		mc_textf(t, "%llu", value);
}

/**
 * mc_text_decimal() - append a fixed-point number without zeros at its end
 * @t: the text
 * @value: the number times 10^@decimals
 * @decimals: digits behind the point at most, 0 to 9
 */
void mc_text_decimal(struct mc_text *t, u64 value, unsigned int decimals)
{
	for (; decimals && value % 10 == 0; decimals--)
		value /= 10;
	mc_text_fixed(t, value, decimals);
}

/**
 * mc_text_size() - append a size with K, M or G if it is a multiple of that
 * @t: the text
 * @bytes: the size
 */
void mc_text_size(struct mc_text *t, u64 bytes)
{
	unsigned int i = 0;

	while (bytes && !(bytes & 1023) && i < 3) {
		bytes >>= 10;
		i++;
	}
	mc_textf(t, "%llu", bytes);
	if (i)
		mc_textf(t, "%c", " KMG"[i]);
}

/**
 * mc_text_time() - append a time in the largest unit of which it is a multiple
 * @t: the text
 * @ns: the time
 */
void mc_text_time(struct mc_text *t, u64 ns)
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	unsigned int i = 0;

	while (ns && ns % 1000 == 0 && i < 3) {
		ns /= 1000;
		i++;
	}
	mc_textf(t, "%llu%s", ns, ns ? units[i] : "");
}

/* Return: how many bytes need no escape in a JSON string. */
static int plain_bytes(const char *s)
{
	int n = 0;

	while (s[n] >= 0x20 && s[n] <= 0x7e && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

/**
 * mc_text_json() - append a JSON string with its quotes
 * @t: the text
 * @s: the string; bytes outside printable ASCII become \u00XX, so that any name of a CPU or of
 *     firmware gives valid JSON. NULL: null is appended
 */
void mc_text_json(struct mc_text *t, const char *s)
{
	mc_textf(t, s ? "\"" : "null");
	while (s && *s) {
		int n = plain_bytes(s);
		u8 c = *s;

		if (n)
			mc_textf(t, "%.*s", n, s);
		else if (c == '"' || c == '\\')
			mc_textf(t, "\\%c", c);
		else
			mc_textf(t, "\\u%04x", c);
		s += n ? n : 1;
	}
	mc_textf(t, s ? "\"" : "");
}

/**
 * mc_text_quote() - append a user's text in quotes, safe to show in a line
 * @t: the text
 * @s: the user's text, not terminated
 * @len: its length; only the first 32 bytes are shown
 */
void mc_text_quote(struct mc_text *t, const char *s, size_t len)
{
	const size_t most = 32;
	size_t i;

	mc_textf(t, "'");
	for (i = 0; i < len && i < most; i++) {
		u8 c = s[i];

		mc_textf(t, "%c", c < 0x20 || c > 0x7e ? '?' : c);
	}
	mc_textf(t, len > most ? "...'" : "'");
}

/**
 * mc_text_list() - append the set bits as a list in the kernel's form: 0-3,8
 * @t: the text
 * @bits: the bitmap, bit 0 of word 0 first
 * @nbits: number of bits
 */
void mc_text_list(struct mc_text *t, const u64 *bits, unsigned int nbits)
{
	const char *comma = "";
	unsigned int i, first;

	for (i = 0; i < nbits; i++) {
		if (i % 64 == 0 && !bits[i / 64])
			i += 63;	/* most words are empty */
		if (i >= nbits || !mc_bit(bits, i))
			continue;
		first = i;
		while (i + 1 < nbits && mc_bit(bits, i + 1))
			i++;
		if (i == first)
			mc_textf(t, "%s%u", comma, first);
		else
			mc_textf(t, "%s%u-%u", comma, first, i);
		comma = ",";
	}
}

static unsigned int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/**
 * mc_digits() - read the digits of a number at the start of a text
 * @s: the text, not terminated
 * @len: its length
 * @base: 10 or 16
 * @value: result: the number
 *
 * Return: how many digits there are, or -ERANGE if the number does not fit 64 bits.
 */
int mc_digits(const char *s, size_t len, unsigned int base, u64 *value)
{
	size_t i;

	*value = 0;
	for (i = 0; i < len && digit_of(s[i]) < base; i++) {
		if (*value > (~0ULL - digit_of(s[i])) / base)
			return -ERANGE;
		*value = *value * base + digit_of(s[i]);
	}
	return i;
}

/**
 * mc_fail() - store an error for the user, unless there is one already
 * @e: the error
 * @err: negative errno
 * @fmt: "KEY: what is wrong; what would be right"
 *
 * Return: the errno in @e, so that a caller can return it.
 */
int mc_fail(struct mc_error *e, int err, const char *fmt, ...)
{
	struct mc_text t = MC_TEXT(e->text);
	va_list ap;

	if (e->err)
		return e->err;
	e->err = err;
	va_start(ap, fmt);
	append(&t, fmt, ap);
	va_end(ap);
	return err;
}
