// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many bursts leave whole: one burst after another is timed, and so are stores that are one
 * transaction for certain, and two. A burst that takes a time of one was whole; see
 * core/share.c. The fastest of many bursts can't tell that most are not whole.
 */
#include "measure/bursts.h"
#include "platform/clock.h"
#include "platform/os.h"

#define LINE	((u64)MC_MMIO_LINE)
#define APART	512ULL		/* from a line to that of the second transaction */

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

/* A kind for the next line. The second of two transactions goes to another block. */
static struct timed plan_next(struct mc_bursts *b, enum mc_burst_kind kind)
{
	u8 *line = mc_view_at(b->view, b->at, NULL);
	void *other = mc_view_at(b->view, (b->at + APART) % b->bytes, NULL);

	b->at = (b->at + LINE) % b->bytes;
	return b->way.copy ? plan_copy(b, kind, line, other) : plan_stores(b, kind, line, other);
}

/* Time stores until they have left the CPU. Return: ticks. */
static u64 time_stores(const struct mc_bursts *b, const struct timed *t)
{
	mc_mmio_run write = b->loops->run[MC_MMIO_WRITE];
	u64 begin = mc_ticks();
	unsigned int i;

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
 * mc_bursts_time() - time MC_BURSTS_A_ROUND bursts, and as many of each other kind
 * @b: the bursts
 *
 * Kinds take turns, so that what changes meanwhile changes for all of them. Where interrupts are
 * off, they are so for some 100 us at most.
 */
void mc_bursts_time(struct mc_bursts *b)
{
	enum mc_burst_kind kind;
	unsigned int i;

	for (i = 0; i < MC_BURSTS_A_ROUND && !mc_bursts_done(b); i++) {
		for (kind = 0; kind < MC_BURST_KINDS; kind++) {
			struct timed timed = plan_next(b, kind);
			struct mc_times *t = &b->times[kind];

			t->ps[t->n++] = mc_ticks_to_ps(time_stores(b, &timed));
		}
	}
}

/**
 * mc_bursts_done() - is there a time of each burst that there is room for?
 * @b: the bursts
 */
bool mc_bursts_done(const struct mc_bursts *b)
{
	return b->times[MC_BURST].n == b->room;
}

/**
 * mc_bursts_share() - the share of bursts that left whole
 * @b: the bursts; their times are sorted afterwards
 * @s: result
 */
void mc_bursts_share(struct mc_bursts *b, struct mc_share *s)
{
	mc_share_of(s, &b->times[MC_BURST], &b->times[MC_ONE_TRANSACTION],
		    &b->times[MC_TWO_TRANSACTIONS]);
}
