// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many bursts leave whole: one burst after another is timed, and so are stores that are one
 * transaction for certain, and two. A burst that takes a time of one was whole; see
 * core/share.c. The fastest of many bursts can't tell that most are not whole.
 *
 * Nobody waits for a store to a device behind PCIe, so two transactions take as long as one. What
 * tells there is the rate of a path that is full. If single bursts tell nothing, many are timed
 * at a time, with stores between them that keep the path full however slow the CPU is, and a load
 * at the end, which waits for all of them. In between, as many lines are timed that leave whole for
 * certain, by one instruction; and lines in two pieces and in eight, whose pieces are stored so far
 * apart that no buffer waits for the next one. The mean of the bursts lies between these, in
 * proportion to their share; see core/share.c.
 */
#include "measure/bursts.h"
#include "platform/clock.h"
#include "platform/os.h"

#define APART	512ULL		/* from a line to that of the second transaction */
#define A_ROUND	16U		/* single bursts of a round, and of each other kind */
#define WINDOWS	((size_t)1024)	/* of many bursts, of each kind */
#define LINES	16U		/* lines of a window */
#define BETWEEN	8U		/* stores before each line, to keep the path full */
#define OTHERS	48U		/* lines that they go to in turn: more than there are buffers */

/* Some neighbouring stores. */
struct stores {
	void *at;
	u64 n;
};

/* Work that is timed: stores, then the copy of a line to @copy_to, if that is not NULL. */
struct timed {
	struct stores stores[3];
	void *copy_to;
};

/*
 * The stores of a burst, or as many of which only one or two go to the memory, to a line each.
 * All kinds are as many calls, so that they differ by nothing else.
 */
static struct timed plan_stores(const struct mc_bursts *b, enum mc_burst_kind kind, u8 *line,
				void *other)
{
	u64 width = b->loops->width, n = MC_LINE / width;
	struct timed t = {
		.stores = {
			{ line, 1 }, { b->cached, n > 1 }, { b->cached, n > 2 ? n - 2 : 0 },
		},
	};

	if (kind == MC_BURST) {
		t.stores[1].at = line + width;
		t.stores[2].at = line + 2 * width;
	} else if (kind == MC_TWO_TRANSACTIONS) {
		t.stores[1] = (struct stores){ other, 1 };
	}
	return t;
}

/* A line that is copied is all of a burst. In the other kinds, the copy goes to the cached line. */
static struct timed plan_copy(const struct mc_bursts *b, enum mc_burst_kind kind, u8 *line,
			      void *other)
{
	if (kind == MC_BURST)
		return (struct timed){ .copy_to = line };
	return (struct timed){
		.stores = { { line, 1 }, { other, kind == MC_TWO_TRANSACTIONS } },
		.copy_to = b->way.direct ? NULL : b->cached,
	};
}

/* A kind for the next line. The second of two transactions goes to another block. */
static struct timed plan_kind(const struct mc_bursts *b, enum mc_burst_kind kind)
{
	u8 *line = mc_view_at(b->view, b->at, NULL);
	void *other = mc_view_at(b->view, (b->at + APART) % b->bytes, NULL);

	return b->way.copy ? plan_copy(b, kind, line, other) : plan_stores(b, kind, line, other);
}

/*
 * Time stores until they have left the CPU. A load comes first: it returns when all earlier stores
 * have arrived, so that no kind pays for the one before it. Return: ticks.
 */
static u64 time_stores(const struct mc_bursts *b, const struct timed *t)
{
	mc_mmio_run write = b->loops->run[MC_MMIO_WRITE];
	unsigned int i;
	u64 begin;

	b->loops->run[MC_MMIO_READ](mc_view_at(b->view, b->at, NULL), 1, 0);
	begin = mc_ticks();
	for (i = 0; i < ARRAY_SIZE(t->stores); i++) {
		if (t->stores[i].n)
			write(t->stores[i].at, t->stores[i].n, b->value);
	}
	if (t->copy_to)
		b->way.copy(t->copy_to, b->source);
	mc_drain();
	return mc_ticks() - begin;
}

/* The one instruction that stores a line, so that it is one transaction; NULL: there is none. */
static const struct mc_mmio_copy *whole_copy(void)
{
	const struct mc_mmio_copy *way = &mc_mmio_ways[MC_WAY_MOVDIR64B];

	return way->copy && mc_cpu_has(way->feature) ? way : NULL;
}

static const struct mc_mmio_loop *whole_store(const struct mc_bursts *b)
{
	const struct mc_mmio_loop *loops = mc_mmio_loop_find(MC_LINE);

	return b->vectors && loops && mc_cpu_has(loops->feature) ? loops : NULL;
}

static void store_whole(const struct mc_bursts *b, void *line)
{
	if (whole_store(b))
		whole_store(b)->run[MC_MMIO_WRITE](line, 1, b->value);
	else
		whole_copy()->copy(line, b->source);
}

static void store_burst(const struct mc_bursts *b, void *line)
{
	if (b->way.copy)
		b->way.copy(line, b->source);
	else
		b->loops->run[MC_MMIO_WRITE](line, MC_LINE / b->loops->width, b->value);
}

static void *line_at(const struct mc_bursts *b, unsigned int i)
{
	return mc_view_at(b->view, (b->at + i * MC_LINE) % b->bytes, NULL);
}

/* Store all lines of a window, piece by piece. Return: ticks until all have arrived. */
static u64 time_window(const struct mc_bursts *b, enum mc_line_kind kind)
{
	static const unsigned int pieces_of[] = {
		[MC_LINES_MIXED] = 1, [MC_LINES_WHOLE] = 1,
		[MC_LINES_TWO] = 2, [MC_LINES_EIGHT] = 8,
	};
	const struct mc_mmio_loop *words = mc_mmio_loop_find(sizeof(u64));
	unsigned int pieces = pieces_of[kind], piece, i, k, other = 0;
	u64 begin;

	words->run[MC_MMIO_READ](line_at(b, 0), 1, 0);
	begin = mc_ticks();
	for (piece = 0; piece < pieces; piece++) {
		for (i = 0; i < LINES; i++) {
			for (k = 0; k < BETWEEN / pieces; k++, other++)
				words->run[MC_MMIO_WRITE](line_at(b, LINES + other % OTHERS), 1,
							  b->value);
			if (kind == MC_LINES_MIXED)
				store_burst(b, line_at(b, i));
			else if (kind == MC_LINES_WHOLE)
				store_whole(b, line_at(b, i));
			else
				words->run[MC_MMIO_WRITE](line_at(b, i) + piece * MC_LINE / pieces,
							  8 / pieces, b->value);
			/* Lines of all kinds are as many calls: these stores stay in the cache. */
			for (k = 1; k < 8 / pieces; k++)
				words->run[MC_MMIO_WRITE](b->cached, 1, b->value);
		}
	}
	words->run[MC_MMIO_READ](line_at(b, 0), 1, 0);
	return mc_ticks() - begin;
}

static void time_rates(struct mc_bursts *b)
{
	enum mc_line_kind kind;

	for (kind = 0; kind < MC_LINE_KINDS; kind++) {
		struct mc_times *t = &b->times[kind];

		t->ps[t->n++] = mc_ticks_to_ps(time_window(b, kind));
		b->at = (b->at + LINES * MC_LINE) % b->bytes;
	}
}

static void time_singles(struct mc_bursts *b)
{
	enum mc_burst_kind kind;
	unsigned int i;

	for (i = 0; i < A_ROUND && b->times[MC_BURST].n < b->room; i++) {
		for (kind = 0; kind < MC_BURST_KINDS; kind++) {
			struct timed timed = plan_kind(b, kind);
			struct mc_times *t = &b->times[kind];

			t->ps[t->n++] = mc_ticks_to_ps(time_stores(b, &timed));
			b->at = (b->at + MC_LINE) % b->bytes;
		}
	}
}

/**
 * mc_bursts_begin() - begin with the times of bursts
 * @b: the bursts
 * @memory: MC_BURSTS_WORDS() words, zeroed
 * @room: for how many of them
 */
void mc_bursts_begin(struct mc_bursts *b, u64 *memory, size_t room)
{
	unsigned int i;

	b->room = room;
	for (i = 0; i < MC_LINE_KINDS; i++)
		b->times[i] = (struct mc_times){ .ps = memory + i * room };
	b->cached = PTR_ALIGN(memory + MC_LINE_KINDS * room, MC_LINE);
	b->source = (u8 *)b->cached + MC_LINE;
}

/**
 * mc_bursts_time() - time some bursts, and as many of each other kind
 * @b: the bursts
 *
 * Kinds take turns, so that what changes meanwhile changes for all of them. Where interrupts are
 * off, they are so for a millisecond at most, if a store takes no more than a microsecond.
 */
void mc_bursts_time(struct mc_bursts *b)
{
	if (b->by_rate)
		time_rates(b);
	else
		time_singles(b);
}

/* Begin again with many bursts at a time. Return: false if that is not possible. */
static bool begin_rates(struct mc_bursts *b)
{
	enum mc_line_kind kind;

	if (b->bytes < (LINES + OTHERS) * MC_LINE || (!whole_copy() && !whole_store(b)))
		return false;
	b->by_rate = true;
	b->room = min(b->room, WINDOWS);
	for (kind = 0; kind < MC_LINE_KINDS; kind++)
		b->times[kind].n = 0;
	return true;
}

/**
 * mc_bursts_done() - is the share known, or can it not be known?
 * @b: the bursts
 *
 * Context: Process. It takes the time of a sort, now and then.
 */
bool mc_bursts_done(struct mc_bursts *b)
{
	if (b->times[MC_BURST].n < b->room)
		return false;
	if (b->by_rate) {
		mc_share_of_rates(&b->share, b->times, b->way.copy ? 8 : MC_LINE / b->loops->width);
		return true;
	}
	mc_share_of(&b->share, &b->times[MC_BURST], &b->times[MC_ONE_TRANSACTION],
		    &b->times[MC_TWO_TRANSACTIONS]);
	return b->share.known || !begin_rates(b);
}
