// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target of a run, on either side: checked for each point, opened and proven before the first
 * one, mapped as each asks for it, and given back with its contents.
 */
#include "measure/target.h"
#include "measure/verdict.h"
#include "platform/os.h"

/**
 * mc_target_room() - bytes that a request's target has from its largest offset on
 * @req: the request
 *
 * Context: Process, may sleep.
 * Return: whole lines; 0: none, or the target is RAM, or can't be measured.
 */
u64 mc_target_room(const struct mc_request *req)
{
	u64 offset = mc_request_max(req, MC_KEY_OFFSET), bytes = req->target.range.bytes;
	struct mc_error e = { 0 };

	if (req->target.kind == MC_TARGET_PCI && mc_opened.ops->find(req, &bytes, &e))
		return 0;
	return (bytes - min(bytes, offset)) & ~63ULL;
}

/* May the test run over a target? */
static int check_test(const struct mc_point *point, const struct mc_test *test, struct mc_error *e)
{
	const char *name = test->spec.name;

	if (test->allocates_memory || test->spec.memoryless)
		return mc_fail(e, -EINVAL, "target: %s measures no memory of a target", name);
	/* A device, or what else writes to its memory, could send us to any address. */
	if (test->pointers && point->v[MC_KEY_TARGET] == MC_TARGET_PCI)
		return mc_fail(e, -EINVAL,
			       "target: %s follows pointers that it keeps in its memory, and a device could change them",
			       name);
	if (mc_untouched(point) && !(test->reads_only && test->reads_only(point)))
		return mc_fail(e, -EINVAL,
			       "write: this request of %s writes to its memory; write=yes allows that, and brings the contents back",
			       name);
	return 0;
}

/* Does the point lie in its target, which has so many bytes? */
static int check_place(const struct mc_point *point, u64 bytes, struct mc_error *e)
{
	u64 offset = point->v[MC_KEY_OFFSET], size = point->v[MC_KEY_SIZE];

	if (offset >= bytes || size > bytes - offset)
		return mc_fail(e, -EINVAL,
			       "size: %llu bytes from offset=%llu on are more than the target has: %llu",
			       size, offset, bytes);
	if (point->v[MC_KEY_NODE] != MC_AUTO)
		return mc_fail(e, -EINVAL, "node: a target is where it is; use node=auto");
	if (point->v[MC_KEY_PAGE] != MC_PAGE_AUTO)
		return mc_fail(e, -EINVAL,
			       "page: a target has the largest pages that fit it; use page=auto");
	return 0;
}

/**
 * mc_target_check() - check that a point's target is there and may be measured
 * @run: the run
 * @point: the point, with a target other than RAM
 *
 * Context: Process, may sleep.
 * Return: 0, -EINVAL, -ENODEV (no such device) or -EOPNOTSUPP (not here), explained in
 * @run->error.
 */
int mc_target_check(struct mc_run *run, const struct mc_point *point)
{
	struct mc_error *e = &run->error;
	int err = check_test(point, mc_test_of(run->req->spec), e);

	/* All points have the same target, and the walk through the firmware's tables is long. */
	if (!err && !run->target_bytes)
		err = mc_opened.ops->find(run->req, &run->target_bytes, e);
	return err ? err : check_place(point, run->target_bytes, e);
}

/* The part of its target that all points of a request measure: offset and length. */
static struct mc_range window_of(const struct mc_request *req)
{
	const struct mc_values *offsets = &req->values[MC_KEY_OFFSET];
	u64 first = ~0ULL;
	u32 i;

	for (i = 0; i < offsets->n; i++)
		first = min(first, offsets->v[i]);
	return (struct mc_range){
		first, mc_request_max(req, MC_KEY_OFFSET) - first +
		       mc_request_max(req, MC_KEY_SIZE)
	};
}

/* Through a cache, nobody sees what the memory itself has. */
static bool cached(enum mc_type type)
{
	return type == MC_WB || type == MC_WT;
}

/*
 * Before the first point, try each page of the window, and save it if points write. A BAR that is
 * only read is not tried: a device may well answer with ones, and no test follows its pointers.
 */
static int prove(struct mc_opened *o, struct mc_run *run, const struct mc_point *point)
{
	struct mc_range range = { o->range.start + o->window.start, o->window.bytes };
	enum mc_type type = mc_type_of(point);
	bool writes = point->v[MC_KEY_WRITE];
	int err = o->ops->map(run, writes && cached(type) ? MC_UC : type);
	u8 *at = o->at + o->window.start;

	err = err ? err : mc_target_try(run, point, at);
	if (!err && writes)
		err = mc_contents_save(&o->contents, at, &range, run, mc_point_width(run, point));
	else if (!err && !o->pci)
		err = mc_target_check_pages(at, &range, run);
	o->proven = !err;
	o->saved_as = o->type;
	return err;
}

static int open_target(struct mc_opened *o, struct mc_run *run)
{
	int err;

	*o = (struct mc_opened){
		.ops = o->ops, .pci = run->req->target.kind == MC_TARGET_PCI,
		.window = window_of(run->req), .node = MC_NODE_NA,
	};
	err = o->ops->open(run);
	o->is = !err;
	return err;
}

/* Only where nobody else writes: the verdict follows pointers. */
static enum mc_effect effect_on(const struct mc_opened *o)
{
	struct mc_verdict verdict;

	if (!o->contents.saved || o->pci || o->type == MC_WT)
		return MC_EFFECT_UNKNOWN;
	mc_verdict_of(&verdict, o->type, o->span.addr, o->span.bytes);
	return verdict.effect;
}

/**
 * mc_target_find() - the part of its target that a point measures
 * @run: the run
 * @point: the point, checked
 * @area: result, valid until the next call, or mc_target_end()
 *
 * Context: Process, may sleep.
 * Return: 0, or a negative errno, explained in @run->error: of the side's functions, -ENOMEM,
 * -EOPNOTSUPP (it is not memory), or of the stop.
 */
int mc_target_find(struct mc_run *run, const struct mc_point *point, struct mc_area *area)
{
	u64 offset = point->v[MC_KEY_OFFSET], size = point->v[MC_KEY_SIZE];
	struct mc_opened *o = &mc_opened;
	int err = o->is ? 0 : open_target(o, run);

	err = err || o->proven ? err : prove(o, run, point);
	err = err ? err : o->ops->map(run, mc_type_of(point));
	err = err ? err : mc_target_try(run, point, o->at + offset);
	if (err)
		return err;
	o->part = (struct mc_range){ o->range.start + offset, size };
	o->span = (struct mc_span){ o->at + offset, 0, size };
	o->view = (struct mc_view){ &o->span, 1, &o->part };
	*area = (struct mc_area){
		.view = &o->view, .page = o->page, .page_bytes = o->page_bytes,
		.attribute = o->attribute, .effective = effect_on(o),
		.memory_node = o->node, .range = o->part,
	};
	return 0;
}

/**
 * mc_target_mapped() - check that the mapping of the target has the attribute that was asked for
 * @wanted: the attribute
 * @e: explains an error
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int mc_target_mapped(enum mc_attr wanted, struct mc_error *e)
{
	if (mc_opened.attribute == wanted)
		return 0;
	return mc_fail(e, -EOPNOTSUPP,
		       "type: asked for %s, the %s %s: somebody else has mapped the target with this type, or the CPU lacks the other",
		       mc_attr_name(wanted), MC_IN_KERNEL ? "page tables have" : "kernel has",
		       mc_attr_name(mc_opened.attribute));
}

/* Bring the contents back, if they were saved. A device that was pulled out has none. */
static void restore(struct mc_opened *o, struct mc_run *run)
{
	u64 wrong = 0;

	if (!o->contents.saved)
		return;
	/* Without a mapping, the last change of type has failed. */
	if (!o->at || cached(o->type))
		o->ops->map(run, MC_UC);
	/*
	 * Wide accesses were tried with the type of the save. A thread that died may have left a
	 * CPU without the use of vector registers.
	 */
	if (o->type != o->saved_as || mc_threads_stopped(run->threads) == -EIO) {
		o->contents.load = sizeof(u32);
		o->contents.store = sizeof(u32);
	}
	if (!o->ops->is_gone || !o->ops->is_gone())
		wrong = !o->at ? o->window.bytes :
			mc_contents_bring_back(&o->contents, o->at + o->window.start,
					       o->ops->go_on);
	mc_contents_forget(&o->contents);
	if (wrong && o->given_up)
		mc_fail(&run->error, -EIO,
			"write: bringing back the contents was stopped; %llu bytes of the target do not have them, or were not compared",
			wrong);
	else if (wrong)
		mc_fail(&run->error, -EIO,
			"write: %llu bytes of the target do not have their contents back", wrong);
}

/**
 * mc_target_end() - bring back the contents of the run's target, unmap it and give it back
 * @run: the run; contents that are not back, or a device that went away, are its error
 *
 * Context: Process, may sleep; nothing accesses the target any more.
 */
void mc_target_end(struct mc_run *run)
{
	struct mc_opened *o = &mc_opened;

	if (!o->is)
		return;
	restore(o, run);
	o->ops->close(run);
	o->is = false;
}
