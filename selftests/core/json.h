/* SPDX-License-Identifier: GPL-2.0-only */
/* Is it JSON? Strict (RFC 8259), and ASCII only, as the core writes it. */
#ifndef MC_SELFTEST_JSON_H
#define MC_SELFTEST_JSON_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static inline bool json_value(const char **s, int depth);

static inline bool json_eat(const char **s, const char *word)
{
	const char *at = *s;

	for (; *word; word++) {
		if (*at++ != *word)
			return false;
	}
	*s = at;
	return true;
}

static inline bool json_digits(const char **s)
{
	const char *from = *s;

	*s += strspn(*s, "0123456789");
	return *s > from;
}

static inline bool json_number(const char **s)
{
	json_eat(s, "-");
	if (!json_eat(s, "0") && !json_digits(s))
		return false;
	if (json_eat(s, ".") && !json_digits(s))
		return false;
	if (!json_eat(s, "e") && !json_eat(s, "E"))
		return true;
	*s += strspn(*s, "+-") == 1;
	return json_digits(s);
}

static inline bool json_string(const char **s)
{
	if (!json_eat(s, "\""))
		return false;
	for (; **s != '"'; (*s)++) {
		if (**s < 0x20 || **s > 0x7e)
			return false;
		if (**s != '\\')
			continue;
		(*s)++;
		if (**s == 'u' && strspn(*s + 1, "0123456789abcdefABCDEF") >= 4)
			*s += 4;
		else if (!**s || !strchr("\"\\/bfnrt", **s))
			return false;
	}
	return json_eat(s, "\"");
}

/* The content between brackets: values, or with @keys "key":value. */
static inline bool json_items(const char **s, const char *end, bool keys,
			      int depth)
{
	if (json_eat(s, end))
		return true;
	do {
		if (keys && !(json_string(s) && json_eat(s, ":")))
			return false;
		if (!json_value(s, depth))
			return false;
	} while (json_eat(s, ","));
	return json_eat(s, end);
}

static inline bool json_value(const char **s, int depth)
{
	if (!depth)
		return false;
	if (**s == '"')
		return json_string(s);
	if (json_eat(s, "{"))
		return json_items(s, "}", true, depth - 1);
	if (json_eat(s, "["))
		return json_items(s, "]", false, depth - 1);
	return json_eat(s, "null") || json_eat(s, "true") ||
	       json_eat(s, "false") || json_number(s);
}

/* One object and a newline, without a space that is not needed. */
static inline bool json_line(const char *s)
{
	return *s == '{' && json_value(&s, 8) && !strcmp(s, "\n");
}

/*
 * The next member of such a line: @name of @n bytes, and its value. *@s is at '{'
 * or at the ',' before it; false: there is none.
 */
static inline bool json_next(const char **s, const char **name, size_t *n,
			     const char **value)
{
	if (**s != '{' && **s != ',')
		return false;
	*name = ++*s + 1;
	if (!json_string(s))
		return false;
	*n = *s - *name - 1;
	if (!json_eat(s, ":"))
		return false;
	*value = *s;
	return json_value(s, 8);
}

/* The value of a member, up to @end; NULL: it is not there. */
static inline const char *json_member(const char *s, const char *wanted,
				      const char **end)
{
	const char *name, *value;
	size_t n;

	while (json_next(&s, &name, &n, &value)) {
		*end = s;
		if (n == strlen(wanted) && !memcmp(name, wanted, n))
			return value;
	}
	return NULL;
}

/* Does the JSON string stand for this text? Of the \u escapes, only \u00XX is known. */
static inline bool json_says(const char *s, const char *text)
{
	unsigned int c;
	int n;

	for (s++; *s != '"'; text++) {
		n = 1;
		c = *s;
		if (*s == '\\' && s[1] == 'u')
			n = sscanf(s, "\\u00%2x", &c) == 1 ? 6 : 0;
		else if (*s == '\\')
			c = s[n++];
		if (!n || c != (unsigned char)*text)
			return false;
		s += n;
	}
	return !*text;
}

/* All that a function of the core writes to a text; valid until the same place runs again. */
#define WRITTEN(function, ...)							\
	({									\
		static char written[1 << 18];					\
		struct mc_text t = MC_TEXT(written);				\
										\
		*written = 0;							\
		(function)(&t, ##__VA_ARGS__);					\
		assert_false(t.cut);						\
		(const char *)written;						\
	})

#endif /* MC_SELFTEST_JSON_H */
