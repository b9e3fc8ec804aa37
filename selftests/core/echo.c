// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generated requests against a model: a request unfolds to what was written, and
 * a request that is shown and parsed again is the same request.
 */
#include "request.h"

#define MOST	6	/* values that a list has; ranges add more */

/* What a generated line should unfold to: its keys, in the order written. */
struct model {
	unsigned int n;
	unsigned int id[MC_MAX_KEYS];
	struct mc_values values[MC_MAX_KEYS];
};

static u64 seed = 5;
static char line[MC_LINE_MAX + 1];
static struct mc_request again;

static u64 below(u64 n)
{
	return random_u64(&seed) % n;
}

static void word(struct mc_text *t, const struct mc_key *key, struct mc_values *v)
{
	unsigned int n = 0;

	while (key->names[n].name)
		n++;
	n = below(n);
	mc_textf(t, "%s", key->names[n].name);
	v->v[v->n++] = key->names[n].value;
}

static u64 between(u64 min, u64 max)
{
	u64 span = max - min + 1, x = random_bits(&seed);

	return span ? min + x % span : x;
}

static void number(struct mc_text *t, const struct mc_key *key, struct mc_values *v)
{
	u64 x = between(key->min, key->max);

	if (below(2))
		mc_text_fixed(t, x, key->decimals);
	else
		mc_text_decimal(t, x, key->decimals);
	v->v[v->n++] = x;
}

static void typed_size(struct mc_text *t, u64 x)
{
	unsigned int unit = below(4);

	if (x % (1ULL << 10 * unit))
		unit = 0;
	mc_textf(t, "%llu%.1s", x >> 10 * unit, &"\0\0KkMmGg"[2 * unit + below(2)]);
}

static void size(struct mc_text *t, const struct mc_key *key, struct mc_values *v)
{
	u64 a = between(key->min, key->max), b, x;

	a -= key->multiple ? a % key->multiple : 0;
	a >>= below(2) ? 0 : 10;
	a <<= a > key->max >> 10 ? 0 : 10;
	a = a < key->min ? key->min : a;
	typed_size(t, a);
	if (!a || below(2)) {
		v->v[v->n++] = a;
		return;
	}
	b = a > key->max >> 3 ? a : a << below(4);
	mc_textf(t, "..");
	typed_size(t, b);
	v->v[v->n++] = a;
	for (x = a; x <= b - x; v->v[v->n++] = x)
		x *= 2;
}

/* In any unit that fits. */
static void time_of(struct mc_text *t, const struct mc_key *key, struct mc_values *v)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	u64 x = between(key->min, key->max), typed = x;
	unsigned int i, unit = below(4);

	if (below(2))
		typed = x -= x > 1000000 ? x % 1000000 : 0;
	for (i = 0; i < unit && typed % 1000 == 0; i++)
		typed /= 1000;
	mc_textf(t, "%llu%s", typed, units[i]);
	v->v[v->n++] = x;
}

static void cpus(struct mc_text *t)
{
	unsigned int cpu = below(100), n;

	if (!below(4)) {
		mc_textf(t, "any");
		return;
	}
	for (n = 0; n < MOST; n++) {
		unsigned int last = cpu + below(100);

		mc_textf(t, n ? ",%u-%u" : "%u-%u", cpu, last);
		cpu = last + 1 + below(10);
	}
}

/* A BAR or a range, which is one value of the key. */
static void target(struct mc_text *t, struct mc_values *v)
{
	v->v[v->n++] = below(2) ? MC_TARGET_PCI : MC_TARGET_PHYS;
	if (v->v[0] == MC_TARGET_PCI)
		mc_textf(t, "pci:%04llx:%02llx:%02llx.%llx/%llu", below(1ULL << 32), below(256),
			 below(32), below(8), below(6));
	else
		mc_textf(t, "phys:0x%llx000+%lluK", below(1ULL << 40), 4 + 4 * below(1 << 20));
}

static void value(struct mc_text *t, const struct mc_key *key, struct mc_values *v)
{
	switch (key->kind) {
	case MC_CHOICE:
		return word(t, key, v);
	case MC_NUMBER:
		return key->names && below(2) ? word(t, key, v) : number(t, key, v);
	case MC_TIME:
		return time_of(t, key, v);
	case MC_TARGET:
		return target(t, v);
	default:
		return size(t, key, v);
	}
}

static void generate(struct model *m)
{
	const struct mc_spec *spec = fixture_specs[below(3)];
	unsigned int nkeys = MC_KEY_FIRST + spec->nkeys, tries, i;
	u64 seen = 0;
	struct mc_text t = MC_TEXT(line);

	memset(m, 0, sizeof(*m));
	mc_textf(&t, "%s", spec->name);
	for (tries = below(12); tries; tries--) {
		unsigned int id = below(nkeys);
		const struct mc_key *key = mc_key_of(spec, id);
		unsigned int n = key->single ? 1 : 1 + below(MOST);

		if (seen >> id & 1)
			continue;
		seen |= 1ULL << id;
		mc_textf(&t, "%*s%s=", (int)below(3) + 1, "", key->name);
		if (key->kind == MC_CPULIST)
			cpus(&t);
		for (i = 0; i < n && key->kind != MC_CPULIST; i++) {
			mc_textf(&t, i ? "," : "%s", "");
			value(&t, key, &m->values[m->n]);
		}
		m->id[m->n++] = id;
	}
	assert_false(t.cut);
}

static u64 points_of(const struct model *m)
{
	u64 n = 1;

	for (unsigned int i = 0; i < m->n; i++)
		n *= m->values[i].n ? m->values[i].n : 1;
	return n;
}

/* Count through the model's values as an odometer does, the last one fastest. */
static void assert_unfolds_to(const struct model *m)
{
	u32 digit[MC_MAX_KEYS] = { 0 };
	u64 at, n = points_of(m);
	struct mc_point p;

	if (mc_request_points(&req) != n)
		fail_msg("%s: shown as %s: %llu points, not %llu", line,
			 shown(&req), mc_request_points(&req), n);
	for (at = 0; at < n; at++) {
		mc_request_point(&req, at, &p);
		for (unsigned int i = 0; i < m->n; i++) {
			if (m->values[i].n)
				assert_int_equal(p.v[m->id[i]], m->values[i].v[digit[i]]);
		}
		for (unsigned int i = m->n; i-- > 0 && ++digit[i] >= m->values[i].n; )
			digit[i] = 0;
	}
}

static void generated_requests(void **state)
{
	static struct model m;
	struct mc_error e;
	int i, good = 0;

	for (i = 0; i < 5000; i++) {
		generate(&m);
		if (points_of(&m) > MC_MAX_POINTS) {
			assert_int_equal(parse(&req, line, &e), -EINVAL);
			assert_memory_equal(e.text, "line: ", 6);
			continue;
		}
		good++;
		if (parse(&req, line, &e))
			fail_msg("'%s': %s", line, e.text);
		if (points_of(&m) < 1000)
			assert_unfolds_to(&m);

		if (parse(&again, shown(&req), &e))
			fail_msg("'%s': %s", shown(&req), e.text);
		assert_true(same_request(&req, &again));
	}
	assert_in_range(good, 2000, 5000);
}

/*
 * The line that is shown longest: its ranges unfold to more than was written, and a list
 * of every other CPU takes the rest of the line.
 */
static void the_longest_request(void **state)
{
	static char json[MC_REQUEST_JSON_MAX];
	struct mc_text t = MC_TEXT(line), j = MC_TEXT(json);
	struct mc_error e = { 0 };

	mc_textf(&t, "tlb stride=1..9223372036854775808");
	mc_textf(&t, " size=4160..65536G,8320..8192G cpu=0");
	for (int i = 2; t.len + 5 <= MC_LINE_MAX; i += 2)
		mc_textf(&t, ",%d", i);
	assert_false(t.cut);
	if (parse(&req, line, &e))
		fail_msg("'%s': %s", line, e.text);
	assert_in_range(strlen(shown(&req)), t.len, MC_SHOW_MAX - 1);

	/* With an error that is all quotes, its JSON is as long as it gets. */
	memset(e.text, '"', sizeof(e.text) - 1);
	e.err = -EINVAL;
	mc_request_json(&j, &req, "kernel", "stopped", &e, ~0ULL);
	assert_false(j.cut);
	assert_true(json_line(json));
}
