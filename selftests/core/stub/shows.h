/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assertions on a record by the names that users see, such as "samples=2 left_out_why=clock". A
 * file that includes this has the request of its records in `req`.
 */
#ifndef MC_STUB_SHOWS_H
#define MC_STUB_SHOWS_H

#include <stdlib.h>

#include "../json.h"
#include "core/record.h"

/* The value of this name as JSON has it, but a figure of the test with all of its digits. */
static inline void shown_value(char *to, size_t size, const struct mc_request *request,
			       const struct mc_record *r, const char *name, bool raw)
{
	static char line[MC_TAIL_ROW_MAX];
	struct mc_text t = MC_TEXT(line), value = { .buf = to, .size = size };
	const struct mc_column *column = request->spec->columns;
	const char *from, *end;
	unsigned int i = 0;

	while (i < request->spec->ncolumns && strcmp(column[i].name, name))
		i++;
	if (i < request->spec->ncolumns && r->has >> i & 1 && !column[i].text &&
	    (raw || !column[i].names)) {
		mc_text_fixed(&value, r->value[i], raw ? 0 :
			      column[i].rate ? 3 : column[i].decimals);
		return;
	}
	mc_record_json(&t, request, "kernel", r);
	from = json_member(line, name, &end);
	if (!from)
		fail_msg("no value has the name %s", name);
	for (; from < end; from++) {
		if (*from != '"' && !(raw && *from == '.'))
			mc_textf(&value, "%c", *from);
	}
}

/* The figure of this name with all of its digits, so that a time is in ps. */
static inline u64 figure_of(const struct mc_request *request, const struct mc_record *r,
			    const char *name)
{
	char value[40], *end;
	u64 number;

	shown_value(value, sizeof(value), request, r, name, true);
	number = strtoull(value, &end, 10);
	if (*end || end == value)
		fail_msg("%s: %s, not a number", name, value);
	return number;
}

#define figure(r, name)	figure_of(&req, r, name)

/* Is it the wanted one: the same word or number, or a number between two? */
static inline bool is_wanted(const char *value, const char *want)
{
	const char *most = strstr(want, "..");
	char *end, *last;
	double x = strtod(value, &last), least = strtod(want, &end);

	if (!strcmp(value, want))
		return true;
	if (*last || last == value || end == want)
		return false;
	return most ? x >= least && x <= strtod(most + 2, NULL) : !*end && x == least;
}

/*
 * @format makes values that spaces or semicolons part: NAME=VALUE as users see it,
 * NAME=LEAST..MOST, or NAME:VALUE without the point of its decimals, so that a time is in ps.
 */
static inline __printf(3, 4) void shows_all(const struct mc_request *request,
					    const struct mc_record *r, const char *format, ...)
{
	char wants[400], value[200], *rest = wants, *want, *equal;
	va_list args;

	va_start(args, format);
	assert_in_range(vsnprintf(wants, sizeof(wants), format, args), 1, sizeof(wants) - 1);
	va_end(args);
	while ((want = strsep(&rest, " ;"))) {
		bool raw;

		if (!*want)
			continue;
		equal = want + strcspn(want, "=:");
		raw = *equal == ':';
		*equal = 0;
		shown_value(value, sizeof(value), request, r, want, raw);
		if (!is_wanted(value, equal + 1))
			fail_msg("%s: %s, not %s", want, value, equal + 1);
	}
}

#define shows(r, ...)	shows_all(&req, r, __VA_ARGS__)

#endif /* MC_STUB_SHOWS_H */
