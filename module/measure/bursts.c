// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many bursts leave whole: one burst after another is timed, and so are stores that are one
 * transaction for certain, and two. A burst that takes a time of one was whole; see
 * core/share.c. The fastest of many bursts can't tell that most are not whole.
 *
 * Nobody waits for a store to a device behind PCIe, so two transactions take as long as one,
 * until the path to the device is full. If the kinds can't be told apart, all of them are timed
 * anew behind so many stores that the path has no room, and each transaction has to wait for one
 * that leaves. These stores go to a line each, so that each is a transaction for certain.
 */
#include "measure/bursts.h"
#include "platform/clock.h"
#include "platform/os.h"

#define LINE	((u64)MC_MMIO_LINE)
#define APART	512ULL		/* from a line to that of the second transaction */
#define A_ROUND	16U		/* bursts of a round, and of each other kind */
#define ROOM	64U		/* lines beside those: more than a CPU has buffers */

/* How many stores come before each burst: first none. */
static const unsigned int befores[] = { 0, 8, 16, 32, 64, 128, 256 };

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
	u64 width = b->loops->width, n = LINE / width;
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

/*
 * A kind for the line behind those of the stores before it. The second of two transactions goes to
 * another block, where nothing was stored since the last drain.
 */
static struct timed plan_kind(const struct mc_bursts *b, enum mc_burst_kind kind)
{
	u64 at = (b->at + b->before * LINE) % b->bytes;
	u8 *line = mc_view_at(b->view, at, NULL);
	void *other = mc_view_at(b->view, (at + APART) % b->bytes, NULL);

	return b->way.copy ? plan_copy(b, kind, line, other) : plan_stores(b, kind, line, other);
}

/*
 * Time stores, and those before them, until they have left the CPU. A load comes first: it returns
 * when all earlier stores have arrived, so that no kind pays for the one before it.
 * Return: ticks.
 */
static u64 time_stores(const struct mc_bursts *b, const struct timed *t)
{
	mc_mmio_run write = b->loops->run[MC_MMIO_WRITE];
	unsigned int i;
	u64 begin;

	b->loops->run[MC_MMIO_READ](mc_view_at(b->view, b->at, NULL), 1, 0);
	begin = mc_ticks();
	for (i = 0; i < b->before; i++)
		write(mc_view_at(b->view, (b->at + i * LINE) % b->bytes, NULL), 1, b->value);
	for (i = 0; i < ARRAY_SIZE(t->stores); i++) {
		if (t->stores[i].n)
			write(t->stores[i].at, t->stores[i].n, b->value);
	}
	if (t->copy_to)
		b->way.copy(t->copy_to, b->source);
	mc_drain();
	return mc_ticks() - begin;
}

/**
 * mc_bursts_begin() - take memory for the times of bursts, and for two lines
 * @b: the bursts
 * @room: how many of them
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mc_bursts_begin(struct mc_bursts *b, size_t room)
{
	u64 *ps = mc_alloc_array(MC_BURST_KINDS * room + 3 * LINE / sizeof(*ps), sizeof(*ps));
	unsigned int i;

	if (!ps)
		return -ENOMEM;
	b->room = room;
	for (i = 0; i < MC_BURST_KINDS; i++)
		b->times[i] = (struct mc_times){ .ps = ps + i * room };
	b->cached = PTR_ALIGN(ps + MC_BURST_KINDS * room, LINE);
	b->source = (u8 *)b->cached + LINE;
	return 0;
}

/**
 * mc_bursts_end() - give this memory back
 * @b: the bursts; all zeros if there is none
 *
 * Context: Process, may sleep.
 */
void mc_bursts_end(struct mc_bursts *b)
{
	mc_free(b->times[MC_BURST].ps);
}

/**
 * mc_bursts_time() - time some bursts, and as many of each other kind
 * @b: the bursts
 *
 * Kinds take turns, so that what changes meanwhile changes for all of them. Where interrupts are
 * off, they are so for less than a millisecond, if a store takes no more than a microsecond.
 */
void mc_bursts_time(struct mc_bursts *b)
{
	size_t n = min(b->times[MC_BURST].n + (b->before ? 1 : A_ROUND), b->room);
	enum mc_burst_kind kind;

	while (b->times[MC_BURST].n < n) {
		for (kind = 0; kind < MC_BURST_KINDS; kind++) {
			struct timed timed = plan_kind(b, kind);
			struct mc_times *t = &b->times[kind];

			t->ps[t->n++] = mc_ticks_to_ps(time_stores(b, &timed));
			b->at = (b->at + (b->before + 1) * LINE) % b->bytes;
		}
	}
}

/* Begin again with more stores before each burst. Return: false if there is no room for more. */
static bool fill_more(struct mc_bursts *b)
{
	enum mc_burst_kind kind;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(befores) && befores[i] <= b->before; i++)
		;
	if (i == ARRAY_SIZE(befores) || befores[i] + ROOM > b->bytes / LINE)
		return false;
	b->before = befores[i];
	for (kind = 0; kind < MC_BURST_KINDS; kind++)
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
	mc_share_of(&b->share, &b->times[MC_BURST], &b->times[MC_ONE_TRANSACTION],
		    &b->times[MC_TWO_TRANSACTIONS]);
	return b->share.known || !fill_more(b);
}
