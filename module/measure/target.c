// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets other than RAM, on either side: what may be measured on them, and their contents,
 * which a run that writes saves before, and brings back.
 */
#include "arch/loops.h"
#include "arch/mmio.h"
#include "measure/target.h"
#include "measure/threads.h"
#include "platform/access.h"
#include "platform/os.h"

/**
 * mc_target_check_bar() - check that a BAR may be measured as a request wants it
 * @bar: the BAR
 * @req: the request
 * @e: explains an error
 *
 * Return: 0 or -EINVAL.
 */
int mc_target_check_bar(const struct mc_bar *bar, const struct mc_request *req, struct mc_error *e)
{
	const struct mc_values *types = &req->values[MC_KEY_TYPE];
	u32 i;

	if (!bar->range.bytes)
		return mc_fail(e, -EINVAL, "target: BAR %u of %s is no memory", bar->number,
			       bar->device);
	if (!bar->prefetchable && !req->values[MC_KEY_ANY_BAR].v[0])
		return mc_fail(e, -EINVAL,
			       "any_bar: BAR %u of %s is not prefetchable, so even reading it may have an effect; any_bar=yes measures it nevertheless",
			       bar->number, bar->device);
	for (i = 0; i < types->n; i++) {
		if (types->v[i] == MC_WB)
			return mc_fail(e, -EINVAL,
				       "type: a BAR is never write-back; use type=uc%s",
				       bar->prefetchable ? " or type=wc" : "");
		if (!bar->prefetchable && types->v[i] != MC_UC && types->v[i] != MC_NP)
			return mc_fail(e, -EINVAL,
				       "type: the CPU may read type=%s ahead, and BAR %u of %s is not prefetchable; use type=uc or type=np",
				       mc_type_name(types->v[i]), bar->number, bar->device);
	}
	return 0;
}

#define PIECE	4096ULL

static int no_room(u64 bytes, struct mc_error *e)
{
	return mc_fail(e, -ENOMEM, "write: no memory to save the contents, %llu MiB", bytes >> 20);
}

/**
 * mc_target_check_window() - check that the target still has what a request measures
 * @window: mc_target_window()
 * @bytes: size of the target, now that nobody can change it
 * @writes: its contents will be saved, for which there must be memory before anything changes
 * @e: explains an error
 *
 * Return: 0, -ENODEV or -ENOMEM.
 */
int mc_target_check_window(const struct mc_range *window, u64 bytes, bool writes,
			   struct mc_error *e)
{
	if (window->start > bytes || window->bytes > bytes - window->start)
		return mc_fail(e, -ENODEV,
			       "target: it has changed since the request was checked, and has %llu bytes now",
			       bytes);
	if (writes && !mc_has_room(window->bytes + PIECE + MC_LINE))
		return no_room(window->bytes, e);
	return 0;
}

/*
 * Accesses of so many bytes. Those of 4 are the ones that every device answers; a copy loop
 * makes wider ones, on both sides. Whole lines.
 */
static void load(void *to, const void *from, u64 bytes, unsigned int width)
{
	const struct mc_loop *loop = width > sizeof(u32) ? mc_loop_find(MC_OP_COPY, width) : NULL;
	struct mc_loop_args args = {
		.a = to, .b = (void *)from, .bytes = bytes, .passes = 1,
	};
	u32 *word = to;
	u64 i;

	if (loop) {
		mc_fpu_begin();
		loop->run(&args);
		mc_fpu_end();
		return;
	}
	for (i = 0; i < bytes / sizeof(u32); i++)
		word[i] = READ_ONCE(((const u32 *)from)[i]);
}

static void store(void *to, const void *from, u64 bytes, unsigned int width)
{
	u32 *word = to;
	u64 i;

	if (width > sizeof(u32)) {
		load(to, from, bytes, width);
		return;
	}
	for (i = 0; i < bytes / sizeof(u32); i++)
		WRITE_ONCE(word[i], ((const u32 *)from)[i]);
}

/*
 * mc_access_try(), after which the line has what it had: a device that does not answer a wide load
 * may well take the store of what was not loaded.
 */
static int try_access(void *at, unsigned int width, bool stores)
{
	bool put_back = stores && width > sizeof(u32);
	u32 old[MC_LINE / sizeof(u32)];
	int err;

	if (put_back)
		load(old, at, MC_LINE, sizeof(u32));
	err = mc_access_try(at, width, stores);
	if (put_back) {
		store(at, old, MC_LINE, sizeof(u32));
		mc_drain();
	}
	return err;
}

/* Widths of the accesses that a point makes; each is a bit, since all are powers of two. */
static unsigned int widths_of(const struct mc_run *run, const struct mc_point *point)
{
	unsigned int widths = 0, most = mc_point_width(run, point), width;
	unsigned int key = run->req->spec->width;
	const struct mc_mmio_loop *loop;

	/* The contents are saved by words of 4 bytes; the verdict follows pointers. */
	if (point->v[MC_KEY_WRITE])
		widths = point->v[MC_KEY_TARGET] == MC_TARGET_PHYS ? 4 | 8 : 4;
	/* Wide reads are compared with those of 4 bytes. */
	if (key && point->v[key] != MC_WIDTH_MAX && point->v[key] != MC_WIDTH_NARROW) {
		widths |= (unsigned int)point->v[key] | (point->v[key] < 8 ? 0 : 4);
		if (mc_unvouched(point))
			return widths;
	}
	for (width = MC_WIDTH_SAFE; width <= 64 && width <= most; width *= 2) {
		loop = mc_mmio_loop_find(width);
		if (loop && mc_cpu_has(loop->feature))
			widths |= width;
	}
	return widths;
}

/**
 * mc_target_try() - make the first access of each width to a target, such that it may fault
 * @run: the run
 * @point: the point
 * @at: the first line that the point measures
 *
 * Context: Process.
 * Return: 0, or -EOPNOTSUPP (an access faulted), explained in @run->error.
 */
int mc_target_try(struct mc_run *run, const struct mc_point *point, void *at)
{
	unsigned int widths = widths_of(run, point), width;

	for (width = 1; width <= 64; width *= 2) {
		if (widths & width && try_access(at, width, point->v[MC_KEY_WRITE]))
			return mc_fail(&run->error, -EOPNOTSUPP,
				       "width: the target does not take an access of %u bytes: it faults",
				       width);
	}
	return 0;
}

/* ------------------------------------------------------------ the contents */

/*
 * Do loads of one width find what stores of the other width have left? Each byte is another one
 * than before: memory that held only zeros or only ones may look like no answer. The line stays as
 * it is.
 */
static bool keeps_line(void *at, unsigned int loads, unsigned int stores, u8 *room)
{
	u8 *old = room, *other = room + MC_LINE, *found = room + 2 * MC_LINE;
	unsigned int i;

	load(old, at, MC_LINE, sizeof(u32));
	for (i = 0; i < MC_LINE; i++)
		other[i] = old[i] ^ (u8)((i + 1) * 2654435761U >> 24 | 1);
	store(at, other, MC_LINE, stores);
	mc_drain();
	load(found, at, MC_LINE, loads);
	store(at, old, MC_LINE, sizeof(u32));
	mc_drain();
	return !memcmp(other, found, MC_LINE);
}

/*
 * The widest loads, or the widest stores, up to @most bytes, that both ends of the memory answer.
 * The other accesses are of 4 bytes.
 */
static unsigned int find_widest(u8 *at, u64 bytes, unsigned int most, u8 *room, bool stores)
{
	unsigned int best = sizeof(u32), width;

	for (width = 8; width <= 64 && width <= most; width *= 2) {
		const struct mc_loop *loop = mc_loop_find(MC_OP_COPY, width);
		unsigned int in = stores ? sizeof(u32) : width, out = stores ? width : sizeof(u32);

		if (!loop || !mc_loop_runs(loop) || try_access(at, width, true) ||
		    !keeps_line(at, in, out, room) ||
		    !keeps_line(at + bytes - MC_LINE, in, out, room))
			break;
		best = width;
	}
	return best;
}

/*
 * The words that are tried: the first and the last one of each piece, so that each page has one,
 * wherever the memory begins. Return: offset of the @i'th of them.
 */
static u64 tried_word(u64 bytes, u64 i)
{
	u64 piece = i / 2 * PIECE;

	return i % 2 ? min(piece + PIECE, bytes) - sizeof(u32) : piece;
}

/* The value that tries a word: another one for each word, and never the old one. */
static u32 mark_of(const u8 *saved, u64 offset)
{
	u32 mark = (offset / sizeof(u32) + 1) * 2654435761U;	/* odd, so no two are alike */

	return mark == *(const u32 *)(saved + offset) ? ~mark : mark;
}

/*
 * Does each page keep what is written to it, and is it another one than those before it? All
 * of them are written before one is read. They hold what they held afterwards.
 */
static int prove_pages(const u8 *saved, u8 *at, const struct mc_range *range, struct mc_run *run)
{
	u64 n = 2 * ((range->bytes + PIECE - 1) / PIECE), i, offset;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		offset = tried_word(range->bytes, i);
		WRITE_ONCE(*(u32 *)(at + offset), mark_of(saved, offset));
		err = mc_threads_look(run->threads);
		mc_breathe();
	}
	mc_drain();
	for (i = 0; i < n && !err; i++) {
		offset = tried_word(range->bytes, i);
		if (READ_ONCE(*(u32 *)(at + offset)) == mark_of(saved, offset))
			err = mc_threads_look(run->threads);
		else
			err = mc_fail(&run->error, -EOPNOTSUPP,
				      "target: the page at 0x%llx is not memory: what was written is not read",
				      (range->start + offset) & ~(PIECE - 1));
		mc_breathe();
	}
	for (i = 0; i < n; i++) {
		offset = tried_word(range->bytes, i);
		WRITE_ONCE(*(u32 *)(at + offset), *(const u32 *)(saved + offset));
		mc_breathe();
	}
	mc_drain();
	return err;
}

/**
 * mc_target_check_pages() - check that something answers on each page of memory that is only read
 * @at: the memory
 * @range: its physical addresses, whole words
 * @run: the run
 *
 * A read that nobody answers gives ones on most machines. To know more, one would have to write.
 *
 * Context: Process, may sleep.
 * Return: 0, -EOPNOTSUPP (a page reads ones only), or the errno of the stop, explained in
 * @run->error.
 */
int mc_target_check_pages(const void *at, const struct mc_range *range, struct mc_run *run)
{
	u64 done, i, bytes;
	int err = 0;

	for (done = 0; done < range->bytes && !err; done += PIECE) {
		const u32 *piece = at + done;

		bytes = min(PIECE, range->bytes - done);
		for (i = 0; i < bytes / sizeof(u32) && READ_ONCE(piece[i]) == ~0U; i++)
			;
		if (i < bytes / sizeof(u32))
			err = mc_threads_look(run->threads);
		else
			err = mc_fail(&run->error, -EOPNOTSUPP,
				      "target: the page at 0x%llx reads ones only, as where there is no memory; write=yes finds out",
				      (range->start + done) & ~(PIECE - 1));
		mc_breathe();
	}
	return err;
}

/**
 * mc_contents_save() - save contents, then try whether each page is memory
 * @c: result
 * @at: the memory, mapped so that no cache has it
 * @range: its physical addresses, whole lines
 * @run: the run
 * @most: bytes of an access at most, if the memory answers such ones
 *
 * Context: Process, may sleep.
 * Return: 0, -ENOMEM, -EOPNOTSUPP (a page is not memory), or the errno of the stop, explained in
 * @run->error. Only after 0 there is something to bring back.
 */
int mc_contents_save(struct mc_contents *c, void *at, const struct mc_range *range,
		     struct mc_run *run, unsigned int most)
{
	u64 bytes = range->bytes, done;
	u8 *memory = mc_alloc_array(1, bytes + PIECE + MC_LINE), *saved;
	unsigned int width;
	int err = 0;

	if (!memory)
		return no_room(bytes, &run->error);
	saved = PTR_ALIGN(memory, MC_LINE);
	width = find_widest(at, bytes, most, saved + bytes, false);
	for (done = 0; done < bytes && !err; done += PIECE) {
		load(saved + done, at + done, min(PIECE, bytes - done), width);
		err = mc_threads_look(run->threads);
		mc_breathe();
	}
	err = err ? err : prove_pages(saved, at, range, run);
	if (err) {
		mc_free(memory);
		return err;
	}
	*c = (struct mc_contents){
		.saved = saved, .bytes = bytes, .memory = memory, .load = width,
		.store = find_widest(at, bytes, most, saved + bytes, true),
	};
	return 0;
}

/**
 * mc_contents_bring_back() - store what was saved, and compare
 * @c: what was saved
 * @at: the memory, mapped so that no cache has it
 * @go_on: called after each piece with the bytes that were stored or compared, and what both
 *         will be in the end. Return: false to give the rest up
 *
 * No signal ends this, since what is not brought back is lost.
 *
 * Context: Process, may sleep.
 * Return: bytes of pieces that hold something else afterwards, or were not compared.
 */
u64 mc_contents_bring_back(const struct mc_contents *c, void *at, bool (*go_on)(u64 done, u64 all))
{
	u8 *found = c->saved + c->bytes;
	u64 done, wrong = 0;

	for (done = 0; done < c->bytes; done += PIECE) {
		store(at + done, c->saved + done, min(PIECE, c->bytes - done), c->store);
		mc_breathe();
		if (!go_on(done, 2 * c->bytes))
			return c->bytes;
	}
	mc_drain();	/* what is on its way is there before it is read */
	for (done = 0; done < c->bytes; done += PIECE) {
		u64 bytes = min(PIECE, c->bytes - done);

		if (!go_on(c->bytes + done, 2 * c->bytes))
			return wrong + c->bytes - done;
		load(found, at + done, bytes, c->load);
		if (memcmp(found, c->saved + done, bytes))
			wrong += bytes;
		mc_breathe();
	}
	return wrong;
}

/**
 * mc_contents_forget() - free what was saved
 * @c: what was saved, or nothing
 */
void mc_contents_forget(struct mc_contents *c)
{
	mc_free(c->memory);
	*c = (struct mc_contents){ 0 };
}
