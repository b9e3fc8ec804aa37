// SPDX-License-Identifier: GPL-2.0-only
/*
 * The witness: preloaded into Bochs, it sees all accesses of the guest to memory, counts
 * them, and lets the time pass that they cost (model.c).
 *
 * It takes orders from a file descriptor, a line each, whenever the guest asks for
 * one. Time stands still for the guest meanwhile, so that a run is the same each time.
 *   guest BYTES         a script of that many bytes follows, for the guest's shell; the
 *                       answer is `{"status":STATUS,"bytes":N}` and its output, N bytes
 *   prices KEY=VALUE …  use these prices from now on; all caches are emptied
 *   window A B C D M    the clock starts when it is read in code at A up to B, and
 *                       stops when it is read in code at C up to D; a call of M begins
 *                       another record. Several may be set
 *   window              forget all of these
 *   counts              the counts since the last such order
 * The other orders are answered by a line of JSON, too; a wrong order by `{"error":"…"}`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bochs.h"
#include "instructions.h"
#include "load.h"
#include "model.h"
#include "tally.h"

static FILE *orders;		/* from the host */
static FILE *answers;		/* to it */

/* ------------------------------------------------------------------ instructions */

static uint8_t kinds[65536];	/* the index is Bochs's number of an opcode */
static enum kind current;

static void decoded(unsigned int opcode, const uint8_t *bytes, unsigned int n, bool is64)
{
	enum kind kind = instruction_kind(bytes, bytes + n, is64);

	if (kind != ORDINARY)
		kinds[opcode] = kind;
}

/* --------------------------------------------------------------------- windows */

#define WINDOWS_MOST	4

/* Code that reads the clock to open and to close a window, and the function that is
 * called when a record begins.
 */
static struct code_range {
	uint64_t open, open_end, close, close_end, mark;
} ranges[WINDOWS_MOST];

static unsigned int nranges;
static uint64_t came_to;	/* where the last branch went */

static void branch(uint64_t to)
{
	const struct code_range *r;

	came_to = to;
	for (r = ranges; r < ranges + nranges; r++) {
		if (to == r->mark)
			tally_mark();
	}
}

static void clock_is_read(void)
{
	const struct code_range *r;

	for (r = ranges; r < ranges + nranges; r++) {
		if (came_to >= r->open && came_to < r->open_end)
			tally_window_begin(bochs_now());
		if (came_to >= r->close && came_to < r->close_end)
			tally_window_end(bochs_now());
	}
}

/* ---------------------------------------------------------------------- accesses */

static void charge(uint64_t ticks)
{
	tally.charged += ticks;
	if (ticks)
		bochs_pass(ticks);
}

/* Bochs 2.7 loads 16 bytes of a 512-bit operand a second time (load.cc). */
static uint64_t loaded_64_at;

static void before(unsigned int opcode)
{
	loaded_64_at = ~0ULL;
	current = kinds[opcode];
	switch (current) {
	case READ_CLOCK:
		clock_is_read();
		break;
	case FENCE_S:
	case FENCE_M:
		charge(model_drain());
		tally.fences[current - FENCE_S]++;
		break;
	case FENCE_L:
		tally.fences[LFENCE]++;
		break;
	default:
		break;
	}
}

#define PAGES	262144U

/**
 * struct page - what is known of a page of 4 KiB
 * @linear: its number, plus 1
 * @physical: number of the physical page
 * @shift: log2 of the size of the mapping
 * @generation: generation of the TLB when this was noted
 */
static struct page {
	uint64_t linear;
	uint64_t physical;
	uint32_t shift;
	uint32_t generation;
} pages[PAGES];

static uint32_t generation;
static uint64_t page_tables;	/* as CR3 has them; 0: not known yet */

static void translations(uint64_t cr3)
{
	if (cr3)
		page_tables = cr3 & 0xffffffffff000ULL;
	generation++;
	model_forget_translations();
}

/* Walk the page tables (Intel SDM vol. 3, 4.5.4). */
static uint32_t shift_of(uint64_t linear)
{
	uint64_t table = page_tables, entry;
	uint32_t shift;

	for (shift = 39; table; shift -= 9) {
		if (table >= load_bytes())
			break;
		entry = bochs_read64(table + (linear >> shift & 511) * 8);
		if (shift == 12 || !(entry & 1))
			break;
		if (shift < 39 && entry & 0x80)
			return shift;
		table = entry & 0xffffffffff000ULL;
	}
	return 12;
}

static struct page *page_of(uint64_t linear)
{
	return &pages[(linear >> 12) % PAGES];
}

/* Bochs 2.7 reports a stale physical address for CLFLUSH, so we keep the addresses. */
static uint64_t translate(uint64_t linear, uint64_t physical)
{
	struct page *p = page_of(linear);

	if (p->linear != (linear >> 12) + 1 || p->physical != physical >> 12 ||
	    p->generation != generation) {
		p->linear = (linear >> 12) + 1;
		p->physical = physical >> 12;
		p->generation = generation;
		p->shift = model_translates() ? shift_of(linear) : 12;
	}
	return model_translates() ? model_translate(linear >> p->shift, p->shift) : 0;
}

static bool is_memory(uint64_t physical)
{
	return physical < load_bytes() && (physical < 0xa0000 || physical >= 0x100000);
}

static void linear_access(uint64_t linear, uint64_t physical, unsigned int bytes,
			  unsigned int type, unsigned int access)
{
	bool streaming = current == STREAMING && access == STORE;
	uint64_t cost = translate(linear, physical);
	unsigned int width = width_of(bytes);

	if (!is_memory(physical))
		return;
	if (access == LOAD && bytes == 16 && linear == loaded_64_at)
		return;
	if (access == LOAD && bytes == 64)
		loaded_64_at = linear;
	tally.accesses[type][access][width]++;
	tally.streaming[type][width] += streaming;
	charge(cost + model_access(type, access, streaming, physical, bytes));
}

static void flush(uint64_t linear, uint64_t physical)
{
	const struct page *p = page_of(linear);

	if (p->linear == (linear >> 12) + 1)
		physical = p->physical << 12 | (linear & 4095);
	if (current == WRITE_BACK) {
		tally.clwbs++;
		return;
	}
	tally.flushes++;
	charge(model_flush(physical));
}

static void interrupt(void)
{
	tally.interrupts++;
}

/* ------------------------------------------------------------------------- CPUID */

/* CPUID's leaf 4 for the caches of the prices (Intel SDM vol. 2, CPUID). */
static void caches_of_cpu(unsigned int index, uint32_t r[4])
{
	const struct prices *p = model_prices();
	const struct { uint32_t level, type, bytes, ways; } caches[] = {
		{ 1, 1, p->l1_bytes, p->l1_ways },	/* data */
		{ 1, 2, 32768, 8 },				/* instructions: free */
		{ 2, 3, p->l2_bytes, p->l2_ways },
		{ 3, 3, p->l3_bytes, p->l3_ways },
	};

	memset(r, 0, 4 * sizeof(*r));
	if (index >= sizeof(caches) / sizeof(*caches) || !caches[index].bytes)
		return;
	r[0] = caches[index].type | caches[index].level << 5 | 1 << 8;
	r[1] = (LINE_BYTES - 1) | (caches[index].ways - 1) << 22;
	r[2] = caches[index].bytes / LINE_BYTES / caches[index].ways - 1;
}

/* ------------------------------------------------------------------------- orders */

#define SPACE		" \t\n"
#define BYTES_MOST	(PORT_DATA_LAST - PORT_DATA + 1)

static char order[BYTES_MOST];		/* for the guest's shell */
static char *output;			/* of that order */
static size_t output_bytes, output_room;
static struct prices prices;
static uint32_t ticks_per_ns_x1000;

static void answer_error(const char *why)
{
	fprintf(answers, "{\"error\":\"%s\"}\n", why);
}

static void order_prices(char *words)
{
	struct prices changed = prices;
	uint64_t seen = 0;
	char why[256], *word;
	const char *wrong;

	for (word = strtok(words, SPACE); word; word = strtok(NULL, SPACE)) {
		if (!prices_set(&changed, &seen, word, why, sizeof(why))) {
			answer_error(why);
			return;
		}
	}
	wrong = model_configure(&changed, ticks_per_ns_x1000);
	if (wrong) {
		model_configure(&prices, ticks_per_ns_x1000);
		answer_error(wrong);
		return;
	}
	prices = changed;
	fprintf(answers, "{}\n");
}

static void order_window(const char *words)
{
	struct code_range r;

	int n = sscanf(words, "%lx %lx %lx %lx %lx", &r.open, &r.open_end, &r.close,
		       &r.close_end, &r.mark);

	if (n == 5 && nranges == WINDOWS_MOST) {
		answer_error("too many windows");
		return;
	}
	if (n == 5)
		ranges[nranges++] = r;
	else
		nranges = 0;
	fprintf(answers, "{}\n");
}

static void order_hello(void)
{
	const struct price_key *key;

	fprintf(answers, "{\"bochs\":\"%s\",\"prices\":{", bochs_version());
	for (key = price_keys; key->name; key++)
		fprintf(answers, "%s\"%s\":%u", key == price_keys ? "" : ",", key->name,
			*(const uint32_t *)((const char *)&prices + key->offset));
	fprintf(answers, "}}\n");
}

static void order_counts(void)
{
	fflush(answers);
	tally_report(fileno(answers));
	tally_clear();
}

/* Return: true if the order is for the guest. */
static bool order_guest(const char *words)
{
	size_t bytes = strtoul(words, NULL, 10);

	if (bytes >= sizeof(order)) {
		answer_error("the script is too long");
		return false;
	}
	memset(order, 0, sizeof(order));
	if (fread(order, 1, bytes, orders) != bytes)
		_exit(0);
	return true;
}

/* Take orders until there is one for the guest. The machine ends when there are no more. */
static void take_orders(void)
{
	char line[4096], *words;

	for (;;) {
		fflush(answers);
		if (!fgets(line, sizeof(line), orders))
			_exit(0);
		words = line + strcspn(line, SPACE);
		if (*words)
			*words++ = 0;
		if (!strcmp(line, "guest")) {
			if (order_guest(words))
				return;
		} else if (!strcmp(line, "prices")) {
			order_prices(words);
		} else if (!strcmp(line, "window")) {
			order_window(words);
		} else if (!strcmp(line, "counts")) {
			order_counts();
		} else if (!strcmp(line, "hello")) {
			order_hello();
		} else {
			answer_error("no such order");
		}
	}
}

static uint8_t in(uint16_t port)
{
	static bool watching;

	if (port < PORT_DATA)
		return 0xff;
	if (port == PORT_DATA) {
		take_orders();
		if (!watching)
			bochs_watch();
		watching = true;
	}
	return order[port - PORT_DATA];
}

static void keep(uint8_t byte)
{
	if (output_bytes == output_room) {
		output_room = output_room ? 2 * output_room : 65536;
		output = realloc(output, output_room);
		if (!output)
			bochs_fail(STATUS_BROKEN, "no memory for the guest's output");
	}
	output[output_bytes++] = byte;
}

static void out(uint16_t port, uint8_t value)
{
	if (port == PORT_DONE) {
		fprintf(answers, "{\"status\":%u,\"bytes\":%zu}\n", value, output_bytes);
		fwrite(output, 1, output_bytes, answers);
		fflush(answers);
		output_bytes = 0;
	} else {
		keep(value);
	}
}

/* The boot ROM asks for its kernel. The devices exist by now, so ports can be taken. */
static void any_out(uint16_t port)
{
	if (port != PORT_LOAD)
		return;
	bochs_ports(PORT_DONE, PORT_DATA_LAST, in, out);
	load();
}

/* ------------------------------------------------------------------------ the start */

static const struct events events = {
	.linear_access = linear_access,
	.before = before,
	.decoded = decoded,
	.branch = branch,
	.flush = flush,
	.caches = model_forget_caches,
	.translations = translations,
	.interrupt = interrupt,
	.out = any_out,
};

static FILE *opened(const char *name, const char *mode)
{
	const char *number = getenv(name);
	FILE *f = number ? fdopen(atoi(number), mode) : NULL;

	if (!f)
		bochs_fail(STATUS_BROKEN, "%s is no file descriptor", name);
	return f;
}

static void __attribute__((constructor)) start(void)
{
	const char *file = getenv("TYPES_PRICES"), *clock = getenv("TYPES_MHZ");
	const char *wrong;
	char why[512];

	if (!dlsym(RTLD_DEFAULT, "bx_pc_system"))
		return;		/* this is a shell that starts Bochs */
	bochs_attach(&events);
	ticks_per_ns_x1000 = clock ? atoi(clock) : 1000;
	if (!file || !prices_read(&prices, file, why, sizeof(why)))
		bochs_fail(STATUS_BROKEN, "%s", file ? why : "TYPES_PRICES is not set");
	wrong = model_configure(&prices, ticks_per_ns_x1000);
	if (wrong)
		bochs_fail(STATUS_BROKEN, "%s: %s", file, wrong);
	bochs_cpuid_caches(caches_of_cpu);
	orders = opened("TYPES_ORDERS", "r");
	answers = opened("TYPES_ANSWERS", "w");
}

/* Bochs seeds RDRAND with the time of day, but every run must be the same. */
void __attribute__((visibility("default"))) srand(unsigned int seed)
{
	srandom(1);
}
