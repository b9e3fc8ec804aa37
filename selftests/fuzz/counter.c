// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as lines of `counters`: what is refused has an error to show that
 * names the line; what is taken is within its limits, no counter is there twice,
 * and shown it is the same set again, also if it is added line by line.
 */
#include "core/counter.h"
#include "fuzz.h"

static struct mc_counter set[MC_MAX_COUNTERS], again[MC_MAX_COUNTERS], one[MC_MAX_COUNTERS];
static char shown[MC_MAX_COUNTERS * MC_COUNTER_LINE];

static void check_error(const struct mc_error *e)
{
	const char *s;

	MUST(e->err == -EINVAL && strlen(e->text) < sizeof(e->text) - 1);
	MUST(!strncmp(e->text, "counters: line ", 15));
	for (s = e->text; *s; s++)
		MUST(*s >= 0x20 && *s <= 0x7e);
}

static void check_counter(unsigned int i)
{
	const struct mc_counter *c = &set[i];

	MUST(c->type <= 0xffffffff);
	if (c->core) {
		MUST(c->event < MC_NEVENTS && !strcmp(c->name, mc_event_name(c->event)));
	} else {
		MUST(!strncmp(c->name, c->traffic ? "dram_write" : "dram_read",
			      c->traffic ? 10 : 9));
		MUST(c->cpu <= 8191 && c->scale >= 1 && c->scale <= 1 << 20);
	}
	for (unsigned int k = 0; k < i; k++) {
		if (set[k].core != c->core)
			continue;
		MUST(c->core ? set[k].event != c->event :
			       set[k].traffic != c->traffic || set[k].type != c->type ||
			       set[k].config != c->config || set[k].cpu != c->cpu);
	}
}

/* All but the line it stood in. */
static bool same_counter(const struct mc_counter *a, const struct mc_counter *b)
{
	return !strcmp(a->name, b->name) && a->core == b->core && a->event == b->event &&
	       a->traffic == b->traffic && a->type == b->type && a->config == b->config &&
	       a->cpu == b->cpu && a->scale == b->scale;
}

static void check_again(unsigned int n)
{
	struct mc_text t = MC_TEXT(shown);
	struct mc_error e = { 0 };
	unsigned int i, m = 0, k = 0;
	size_t from;

	for (i = 0; i < n; i++) {
		from = t.len;
		mc_counter_show(&t, &set[i]);
		MUST(t.len - from < MC_COUNTER_LINE);
		MUST(!mc_counters_parse(one, &k, shown + from, t.len - from, &e));
		mc_textf(&t, "\n");
	}
	MUST(!t.cut && k == n);
	MUST(!mc_counters_parse(again, &m, shown, t.len, &e) && m == n);
	for (i = 0; i < n; i++)
		MUST(same_counter(&set[i], &again[i]) && same_counter(&set[i], &one[i]));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct mc_error e = { 0 };
	unsigned int i, n = 0;

	if (mc_counters_parse(set, &n, (const char *)data, size, &e)) {
		check_error(&e);
		return 0;
	}
	MUST(!e.err && n <= MC_MAX_COUNTERS);
	for (i = 0; i < n; i++)
		check_counter(i);
	if (n)
		check_again(n);
	return 0;
}
