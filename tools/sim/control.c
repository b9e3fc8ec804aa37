// SPDX-License-Identifier: GPL-2.0-only
/*
 * Orders to the machine come over a socket, a line each, while no CPU executes anything:
 *   hello               {"qemu": …, "prices": …}
 *   prices KEY=VALUE …  use these prices from now on; all caches are emptied
 *   window A B C D M    a window opens when the clock is read in code at A up to B, and closes
 *                       when it is read in code at C up to D; a call of M begins another record.
 *                       Several may be set
 *   window              forget all of these
 *   memory FROM TO NODE these addresses cost what memory of another node does
 *   memory              forget all of these
 *   function FROM TO    the accesses of code from FROM up to TO, a function of the kernel's, have
 *                       prices, too. There may be several
 *   function            forget all of these
 *   timers hold|run     hold the timers of QEMU's devices while a CPU runs, or let them run again
 *   counts              all counts since the last such order: those of each CPU with its caches
 *                       and its TLBs, and of each window
 * Each is answered by a line of JSON; a wrong order by `{"error":"…"}`.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "control.h"
#include "describe.h"
#include "machine.h"
#include "qemu.h"

#define SPACE		" \t\n"
#define RANGES_OF_CODE	4
#define FUNCTIONS_MOST	32

static struct prices prices;
static struct shape shape;
static unsigned int nranges_at_start;

/* Code that reads the clock to open and to close a window, and the function that is called
 * when a record begins.
 */
static struct code_range {
	uint64_t open, open_end, close, close_end, mark;
} ranges[RANGES_OF_CODE];

static unsigned int nranges;

static struct function {
	uint64_t from, to;
} functions[FUNCTIONS_MOST];

static unsigned int nfunctions;

/**
 * control_make() - make the machine's memory
 * @p: the prices
 * @s: CPUs and nodes
 *
 * Return: NULL, or what is wrong.
 */
const char *control_make(const struct prices *p, const struct shape *s)
{
	prices = *p;
	shape = *s;
	nranges_at_start = s->nranges;
	return model_make(p, s);
}

/**
 * control_clock_is_read() - a CPU reads the clock
 * @cpu: the CPU
 * @at: address of the instruction
 */
void control_clock_is_read(unsigned int cpu, uint64_t at)
{
	int64_t now = machine_clock(cpu);
	const struct code_range *r;

	for (r = ranges; r < ranges + nranges; r++) {
		if (at >= r->open && at < r->open_end)
			tally_window_begin(cpu, now);
		if (at >= r->close && at < r->close_end)
			tally_window_end(cpu, now);
	}
}

/** control_block_begins() - a CPU comes to this address */
void control_block_begins(uint64_t at)
{
	const struct code_range *r;

	for (r = ranges; r < ranges + nranges; r++) {
		if (at == r->mark)
			tally_mark();
	}
}

/** control_has_function() - whether this is code of a function that an order has named */
bool control_has_function(uint64_t at)
{
	const struct function *f;

	for (f = functions; f < functions + nfunctions; f++) {
		if (at >= f->from && at < f->to)
			return true;
	}
	return false;
}

/* ------------------------------------------------------------------------- orders */

/* @wrong: what is wrong with the order; NULL: it was carried out. */
static void answer(FILE *to, const char *wrong)
{
	if (wrong)
		fprintf(to, "{\"error\":\"%s\"}\n", wrong);
	else
		fprintf(to, "{}\n");
}

static void forget_code(struct CPUState *cpu, uint64_t data)
{
	tb_flush(cpu);
}

static void order_prices(const char *words, FILE *to)
{
	unsigned int levels = describe_levels(&prices);
	char why[256];

	answer(to, prices_set(&prices, words, why, sizeof(why)) ? model_make(&prices, &shape) :
								  why);
	/* arm64's list of caches is part of translated code. */
	if (describe_levels(&prices) != levels)
		async_safe_run_on_cpu(vcpus[0].state, forget_code, 0);
}

static void order_window(const char *words, FILE *to)
{
	struct code_range r;
	int n = sscanf(words, "%lx %lx %lx %lx %lx", &r.open, &r.open_end, &r.close,
		       &r.close_end, &r.mark);

	if (n == 5 && nranges == RANGES_OF_CODE) {
		answer(to, "too many windows");
		return;
	}
	if (n == 5)
		ranges[nranges++] = r;
	else
		nranges = 0;
	answer(to, NULL);
}

static void order_memory(const char *words, FILE *to)
{
	struct shape with = shape;
	struct range r;
	const char *wrong;
	int n = sscanf(words, "%lx %lx %u", &r.from, &r.to, &r.node);

	if (n == 3 && (r.node >= NODES_MOST || with.nranges == RANGES_MOST)) {
		answer(to, "no such node, or too many ranges");
		return;
	}
	/* The first range that has an address counts. */
	if (n == 3) {
		memmove(with.ranges + 1, shape.ranges, shape.nranges * sizeof(r));
		with.ranges[0] = r;
		with.nranges++;
	} else {
		with.nranges = nranges_at_start;
		memmove(with.ranges, shape.ranges + shape.nranges - nranges_at_start,
			nranges_at_start * sizeof(r));
	}
	wrong = model_make(&prices, &with);
	if (!wrong)
		shape = with;
	answer(to, wrong);
}

static void order_function(const char *words, FILE *to)
{
	struct function f;
	int n = sscanf(words, "%lx %lx", &f.from, &f.to);

	if (n == 2 && nfunctions == FUNCTIONS_MOST) {
		answer(to, "too many functions");
		return;
	}
	if (n == 2)
		functions[nfunctions++] = f;
	else
		nfunctions = 0;
	/* QEMU may have translated their code already. */
	async_safe_run_on_cpu(vcpus[0].state, forget_code, 0);
	answer(to, NULL);
}

static void order_timers(const char *words, FILE *to)
{
	char word[8];
	bool given = sscanf(words, "%7s", word) == 1;
	bool hold = given && !strcmp(word, "hold"), run = given && !strcmp(word, "run");

	if (hold || run)
		machine_hold_timers(hold);
	answer(to, hold || run ? NULL : "the order is 'timers hold' or 'timers run'");
}

static void order_hello(const char *words, FILE *to)
{
	fprintf(to, "{\"qemu\":\"10\",\"prices\":");
	prices_print(&prices, to);
	fprintf(to, "}\n");
}

static void order_counts(const char *words, FILE *to)
{
	tally_report(to);
	tally_clear();
}

static const struct order {
	const char *name;
	void (*take)(const char *words, FILE *to);
} orders[] = {
	{ "hello", order_hello }, { "prices", order_prices }, { "window", order_window },
	{ "memory", order_memory }, { "function", order_function }, { "timers", order_timers },
	{ "counts", order_counts },
};

static void take_order(char *line, FILE *to)
{
	char *words = line + strcspn(line, SPACE);
	size_t i;

	if (*words)
		*words++ = 0;
	for (i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		if (strcmp(line, orders[i].name))
			continue;
		machine_lock();
		orders[i].take(words, to);
		machine_unlock();
		return;
	}
	answer(to, "no such order");
}

static void *serve(void *data)
{
	int listening = (int)(intptr_t)data, connection;
	char line[4096];

	for (;;) {
		FILE *f;

		connection = accept(listening, NULL, NULL);
		f = connection < 0 ? NULL : fdopen(connection, "r+");
		if (!f)
			continue;
		while (fgets(line, sizeof(line), f)) {
			take_order(line, f);
			fflush(f);
		}
		fclose(f);
	}
	return NULL;
}

/**
 * control_begin() - begin to take orders
 * @path: where the socket is made
 *
 * Return: NULL, or what is wrong.
 */
const char *control_begin(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pthread_t thread;

	if (strlen(path) >= sizeof(address.sun_path))
		return "the path of the socket is too long";
	memcpy(address.sun_path, path, strlen(path) + 1);
	unlink(path);	/* left by a machine that died in its boot */
	if (listening < 0 || bind(listening, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listening, 8))
		return "the socket for orders can't be made";
	if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)listening))
		return "no thread for orders";
	return NULL;
}
