// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setting.h"

/**
 * setting_key_length() - length of the key at the beginning of a line
 * @text: `key = number`, with spaces around either
 *
 * Return: bytes.
 */
size_t setting_key_length(const char *text)
{
	return strcspn(text, " \t=");
}

/**
 * setting_value() - find the value in a line
 * @text: `key = number`, with spaces around either
 * @known: there is such a key
 * @why: buffer for what is wrong with the line
 * @room: size of @why
 *
 * Return: the rest of the line, from the value on; NULL: something is wrong.
 */
const char *setting_value(const char *text, bool known, char *why, size_t room)
{
	size_t length = setting_key_length(text);
	const char *at = text + length + strspn(text + length, " \t");

	if (!known || *at != '=') {
		snprintf(why, room, known ? "%.*s: no value: key = value" : "%.*s: unknown key",
			 (int)length, text);
		return NULL;
	}
	return at + 1 + strspn(at + 1, " \t");
}

/**
 * setting_number() - read the number of a line
 * @text: the line
 * @value: the rest of it, from setting_value()
 * @size: the number is a size, which may end in K or M
 * @number: gets the number
 * @why: buffer for what is wrong with it
 * @room: size of @why
 *
 * Return: false: the value is no number that fits 32 bits.
 */
bool setting_number(const char *text, const char *value, bool size, uint32_t *number, char *why,
		    size_t room)
{
	unsigned long long n;
	char *end;

	errno = 0;
	if (*value >= '0' && *value <= '9') {
		n = strtoull(value, &end, 10);
		if (size && *end == 'K' && n <= UINT32_MAX)
			n <<= 10, end++;
		else if (size && *end == 'M' && n <= UINT32_MAX)
			n <<= 20, end++;
		*number = n;
		if (!errno && n <= UINT32_MAX && !end[strspn(end, " \t\n")])
			return true;
	}
	snprintf(why, room, "%.*s: '%s' is no %s", (int)setting_key_length(text), text, value,
		 size ? "size: a number, with K or M" : "whole number");
	return false;
}
