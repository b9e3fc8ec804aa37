// SPDX-License-Identifier: GPL-2.0-only
/* The words of target=: parse and show them. */
#include "core/meant.h"
#include "core/target.h"

#define PAGE	4096ULL

/* The rest of the word, not terminated. */
struct rest {
	const char *s;
	size_t len;
};

static bool take(struct rest *r, const char *word)
{
	size_t n = strlen(word);

	if (r->len < n || !mc_same_letters(word, r->s, n))
		return false;
	r->s += n;
	r->len -= n;
	return true;
}

/*
 * Take the digits of a number to this base. Return: how many there are; 0: none, or the number
 * is larger than @most.
 */
static unsigned int take_digits(struct rest *r, unsigned int base, u64 most, u64 *value)
{
	int n = mc_digits(r->s, r->len, base, value);

	if (n < 0 || *value > most)
		return 0;
	r->s += n;
	r->len -= n;
	return n;
}

/* Hexadecimal with 0x, or decimal with K, M or G behind it. */
static bool take_amount(struct rest *r, u64 *value)
{
	static const char units[] = "KMGkmg";
	const char *unit;
	unsigned int shift;

	if (take(r, "0x"))
		return take_digits(r, 16, ~0ULL, value);
	if (!take_digits(r, 10, ~0ULL, value))
		return false;
	unit = r->len ? memchr(units, *r->s, strlen(units)) : NULL;
	if (!unit)
		return true;
	shift = 10 * ((unit - units) % 3 + 1);
	if (*value > ~0ULL >> shift)
		return false;
	*value <<= shift;
	r->s++;
	r->len--;
	return true;
}

/* 0000:03:00.0/2, or without the domain, as `lspci` names the device where there is only one. */
static bool parse_pci(struct mc_target *t, struct rest r)
{
	u64 domain, bus, device, function, bar;
	struct rest whole = r;

	if (take_digits(&r, 16, 0xffffffff, &domain) < 4 || !take(&r, ":")) {
		r = whole;
		domain = 0;
	}
	if (take_digits(&r, 16, 0xff, &bus) != 2 || !take(&r, ":") ||
	    take_digits(&r, 16, 0x1f, &device) != 2 || !take(&r, ".") ||
	    take_digits(&r, 16, 7, &function) != 1 || !take(&r, "/") ||
	    take_digits(&r, 10, 5, &bar) != 1 || r.len)
		return false;
	*t = (struct mc_target){
		.kind = MC_TARGET_PCI, .domain = domain, .bus = bus, .device = device,
		.function = function, .bar = bar,
	};
	return true;
}

/**
 * mc_range_parse() - parse a range of physical addresses: 0x30000000+128M
 * @range: result
 * @s: the word, not terminated
 * @len: its length
 *
 * Return: false if it is none, or not whole pages of 4 KiB.
 */
bool mc_range_parse(struct mc_range *range, const char *s, size_t len)
{
	struct rest r = { s, len };
	u64 start, bytes;

	if (!take_amount(&r, &start) || !take(&r, "+") || !take_amount(&r, &bytes) || r.len)
		return false;
	if (!bytes || start % PAGE || bytes % PAGE || start + (bytes - 1) < start)
		return false;
	*range = (struct mc_range){ start, bytes };
	return true;
}

/**
 * mc_target_parse() - parse a word of target= other than `ram`
 * @target: result
 * @s: the word, not terminated
 * @len: its length
 *
 * Return: false if it names no target.
 */
bool mc_target_parse(struct mc_target *target, const char *s, size_t len)
{
	struct rest r = { s, len };

	if (take(&r, "phys:")) {
		*target = (struct mc_target){ .kind = MC_TARGET_PHYS };
		return mc_range_parse(&target->range, r.s, r.len);
	}
	take(&r, "pci:");
	return parse_pci(target, r);
}

/**
 * mc_range_show() - append a range of physical addresses: 0x30000000+128M
 * @t: the text
 * @range: the range
 */
void mc_range_show(struct mc_text *t, const struct mc_range *range)
{
	mc_textf(t, "0x%llx+", range->start);
	mc_text_size(t, range->bytes);
}

/**
 * mc_target_show() - append a target in the form of a request
 * @t: the text
 * @target: the target
 */
void mc_target_show(struct mc_text *t, const struct mc_target *target)
{
	switch (target->kind) {
	case MC_TARGET_RAM:
		mc_textf(t, "ram");
		break;
	case MC_TARGET_PCI:
		mc_textf(t, "pci:%04x:%02x:%02x.%x/%u", target->domain, target->bus,
			 target->device, target->function, target->bar);
		break;
	case MC_TARGET_PHYS:
		mc_textf(t, "phys:");
		mc_range_show(t, &target->range);
		break;
	}
}
