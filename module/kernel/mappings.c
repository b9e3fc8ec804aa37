// SPDX-License-Identifier: GPL-2.0-only
/*
 * A look at mappings. Page tables of the kernel are walked without their locks, see pagewalk.c,
 * and memory that they map is never accessed. Of a process only what drivers have mapped is
 * looked at, a piece at a time, through the function that the kernel has for that.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/once.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/siphash.h>
#include <linux/uaccess.h>

#include "kernel/arch.h"
#include "kernel/mappings.h"
#include "platform/compat.h"
#include "platform/os.h"

#define PIECE		512		/* entries of a process under its lock at a time */
#define MOST_PAGES	(4ULL << 20)	/* pages of a process that are looked at */

/* Held during a look; other writers get EBUSY. */
static DEFINE_MUTEX(looking);

static DEFINE_MUTEX(last_lock);		/* protects @last */
static struct mc_answer *last;		/* or NULL */
static siphash_key_t key;		/* in place of addresses there are numbers made with it */

/* ------------------------------------------------------ the kernel's tables */

/*
 * A table that was freed meanwhile may hold anything: an entry that is no address of RAM must not
 * be followed. Reading a device could have an effect on it.
 */
static int read_kernel_entries(u64 at, u64 *entries, unsigned int n)
{
	const void *from = phys_to_virt(at);

	cond_resched();
	if (fatal_signal_pending(current))
		return -EINTR;
	if (!virt_addr_valid(from) || copy_from_kernel_nofault(entries, from, n * sizeof(*entries)))
		return -EFAULT;
	return 0;
}

static int walk_areas(struct mc_table_walk *w, const struct mc_range *areas)
{
	struct mc_look *look = w->arg;
	const u8 end = look->direct ? MC_AREA_DIRECT + 1 : MC_AREA_USER;
	int err = 0;

	for (look->area = 0; look->area < end && !err; look->area++) {
		const struct mc_range *a = &areas[look->area];

		err = mc_walk_range(w, a->start, a->start + (a->bytes - 1));
		mc_look_end_row(look);
	}
	return err;
}

/* Other mappings of what is not write-back, which are write-back. */
static int walk_aliases(struct mc_table_walk *w, const struct mc_range *areas)
{
	struct mc_look *look = w->arg;
	struct mc_range *kept = look->ranges;
	u64 i;
	int err;

	look->ranges = mc_alloc_array(look->n, sizeof(*look->ranges));
	if (!look->ranges) {
		look->ranges = kept;
		return -ENOMEM;
	}
	for (i = 0; i < look->n; i++)
		look->ranges[i] = (struct mc_range){ look->rows[i].phys, look->rows[i].bytes };
	look->nranges = mc_look_join_ranges(look->ranges, look->n);
	look->wb_only = true;
	err = walk_areas(w, areas);
	mc_free(look->ranges);
	look->ranges = kept;
	look->nranges = 0;
	return err;
}

static int look_at_kernel(struct mc_look *look, struct mc_tables *t, const struct mc_range *areas)
{
	struct mc_table_walk *w = mc_alloc_array(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	t->read = read_kernel_entries;
	*w = (struct mc_table_walk){ .t = t, .visit = mc_look_take, .arg = look };
	err = walk_areas(w, areas);
	if (!err && !look->nranges && !look->direct && look->n)
		err = walk_aliases(w, areas);
	mc_free(w);
	return err;
}

/* ------------------------------------------------------------- a process */

/* Return: where the next piece begins; 0: there is none. */
static unsigned long look_at_piece(struct mc_look *look, const struct mc_tables *t,
				   struct mm_struct *mm, unsigned long at, u64 *left)
{
	struct vm_area_struct *vma = find_vma(mm, at);
	unsigned int n = PIECE;

	for (; vma && n; n--) {
		struct mc_mapped m = { .shift = PAGE_SHIFT };
		u64 prot, unused;
		unsigned long pfn;
		bool large;

		at = max(at, vma->vm_start);
		if (!(vma->vm_flags & (VM_PFNMAP | VM_IO)) || at >= vma->vm_end || !*left) {
			if (vma->vm_flags & (VM_PFNMAP | VM_IO))
				look->unseen_bytes += vma->vm_end - min(at, vma->vm_end);
			at = vma->vm_end;
			vma = find_vma(mm, at);
			continue;
		}
		--*left;
		m.virt = at;
		if (mc_follow_entry(vma, at, &pfn, &prot, &large)) {
			/* A larger one counts as several of this size. */
			m.shift = large ? PMD_SHIFT : PAGE_SHIFT;
			m.virt = at >> m.shift << m.shift;
			m.phys = (u64)pfn << PAGE_SHIFT >> m.shift << m.shift;
			if (t->decode(prot, m.shift, &unused, &m.bits) == MC_ENTRY_LEAF)
				mc_look_take(look, &m);
		} else {
			look->unmapped_bytes += PAGE_SIZE;
		}
		at = m.virt + (1UL << m.shift);
	}
	return vma ? at : 0;
}

static int look_at_memory(struct mc_look *look, const struct mc_tables *t, struct mm_struct *mm)
{
	unsigned long at = 0;
	u64 left = MOST_PAGES;

	look->area = MC_AREA_USER;
	do {
		if (mmap_read_lock_killable(mm))
			return -EINTR;
		at = look_at_piece(look, t, mm, at, &left);
		mmap_read_unlock(mm);
		cond_resched();
	} while (at);
	mc_look_end_row(look);
	return 0;
}

static int look_at_process(struct mc_look *look, const struct mc_tables *t, struct mc_error *e)
{
	struct pid *pid = find_get_pid(look->pid);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct mm_struct *mm = task ? get_task_mm(task) : NULL;
	bool is_there = task;
	int err;

	if (task)
		put_task_struct(task);
	put_pid(pid);
	if (!is_there)
		return mc_fail(e, -ESRCH, "pid: there is no process %u", look->pid);
	if (!mm)
		return mc_fail(e, -EINVAL,
			       "pid: %u has no memory of its own: it has just ended, or is a thread of the kernel",
			       look->pid);
	if (capable(CAP_SYS_PTRACE))
		err = look_at_memory(look, t, mm);
	else
		err = mc_fail(e, -EPERM, "pid: to look at process %u takes CAP_SYS_PTRACE",
			      look->pid);
	mmput(mm);
	return err;
}

/* ------------------------------------------------------------- an answer */

static void answer_free(struct kref *ref)
{
	struct mc_answer *a = container_of(ref, struct mc_answer, ref);

	mc_free(a->look.rows);
	mc_free(a);
}

/**
 * mc_mappings_put() - drop a reference to an answer
 * @a: the answer, or NULL
 *
 * Context: Process.
 */
void mc_mappings_put(struct mc_answer *a)
{
	if (a)
		kref_put(&a->ref, answer_free);
}

/**
 * mc_mappings_get() - the last answer
 *
 * Context: Process, may sleep.
 * Return: the answer, for mc_mappings_put(), or NULL if there is none.
 */
struct mc_answer *mc_mappings_get(void)
{
	struct mc_answer *a;

	mutex_lock(&last_lock);
	a = last;
	if (a)
		kref_get(&a->ref);
	mutex_unlock(&last_lock);
	return a;
}

static int answer(struct mc_answer *a, const char *line, size_t len)
{
	struct mc_range areas[MC_AREA_USER] = { };
	struct mc_text shown = MC_TEXT(a->line);
	struct mc_look *look = &a->look;
	struct mc_tables tables;
	const char *why;
	int err;

	mc_textf(&shown, "%.*s", (int)(len - (len && line[len - 1] == '\n')), line);
	look->ranges = a->ranges;
	err = mc_look_parse(look, line, len, mc_tables_address_bits(), &a->error);
	if (err)
		return err;
	why = mc_tables_begin(&tables, areas, look);
	if (why)
		return mc_fail(&a->error, -EOPNOTSUPP, "line: %s", why);
	look->most = MC_LOOK_MOST;
	look->rows = mc_alloc_array(look->most, sizeof(*look->rows));
	if (!look->rows)
		return -ENOMEM;
	return look->pid ? look_at_process(look, &tables, &a->error) :
			   look_at_kernel(look, &tables, areas);
}

/**
 * mc_mappings_line() - look at what a line asks for, and keep the answer
 * @line: the line, not terminated
 * @len: its length
 *
 * Context: Process, may sleep; a signal that ends the process ends the look.
 * Return: 0 or an errno that the ABI document names; the answer explains it.
 */
int mc_mappings_line(const char *line, size_t len)
{
	struct mc_answer *a;
	int err;

	if (!mutex_trylock(&looking))
		return -EBUSY;
	get_random_once(&key, sizeof(key));
	a = mc_alloc_array(1, sizeof(*a));
	err = a ? 0 : -ENOMEM;
	if (a) {
		kref_init(&a->ref);
		err = answer(a, line, len);
		if (err && !a->error.err)
			mc_fail(&a->error, err, err == -EINTR ? "line: a signal ended the look" :
							       "line: no memory");
		mutex_lock(&last_lock);
		swap(a, last);
		mutex_unlock(&last_lock);
		mc_mappings_put(a);
	}
	mutex_unlock(&looking);
	return err;
}

/* ------------------------------------------------------------------ show */

static void header_json(struct mc_text *t, const struct mc_answer *a)
{
	const struct mc_look *look = &a->look;

	mc_textf(t, "{\"record\":\"mappings\",\"line\":");
	mc_text_json(t, a->line);
	mc_textf(t, ",\"state\":\"%s\",\"errno\":%d,\"error\":", a->error.err ? "failed" : "done",
		 -a->error.err);
	mc_text_json(t, a->error.err ? a->error.text : NULL);
	mc_textf(t, ",\"records\":%llu,\"more\":%llu,\"changed\":%llu,\"changed_bytes\":%llu",
		 look->n, look->more, look->changed, look->changed_bytes);
	mc_textf(t, ",\"unmapped_bytes\":%llu,\"unseen_bytes\":%llu}\n", look->unmapped_bytes,
		 look->unseen_bytes);
}

static void type_json(struct mc_text *t, const char *name, enum mc_attr attr)
{
	mc_textf(t, ",\"%s\":", name);
	mc_text_json(t, attr == MC_ATTR_MIXED || attr == MC_ATTR_NA ? NULL : mc_attr_name(attr));
}

static void mapping_json(struct mc_text *t, const struct mc_look *look, const struct mc_mapping *m)
{
	static const char * const areas[MC_NAREAS] = { "direct", "vmalloc", "fixmap", "user" };
	struct mc_range range = { m->phys, m->bytes };

	mc_textf(t, "{\"record\":\"mapping\",\"area\":\"%s\"", areas[m->area]);
	if (m->area == MC_AREA_USER)
		mc_textf(t, ",\"number\":null,\"pid\":%u,\"address\":\"0x%llx\"", look->pid,
			 m->virt);
	else
		mc_textf(t, ",\"number\":%llu,\"pid\":null,\"address\":null",
			 siphash_1u64(m->virt, &key) >> 16);
	mc_textf(t, ",\"bytes\":%llu,\"physical_range\":\"", m->bytes);
	mc_range_show(t, &range);
	mc_textf(t, "\",\"page_bytes\":%llu,", 1ULL << m->shift);
	mc_tables_bits_json(t, m->bits);
	type_json(t, "attribute", look->attrs[m->bits]);
	type_json(t, "mtrr", m->mtrr);
	type_json(t, "memory_type", mc_look_type(look, m));
	mc_textf(t, "}\n");
}

/**
 * mc_mappings_json() - append a line of an answer
 * @t: the text, with room for MC_MAPPING_MAX bytes
 * @a: the answer
 * @i: 0: what was asked for; else a mapping
 *
 * Context: Process.
 */
void mc_mappings_json(struct mc_text *t, const struct mc_answer *a, u64 i)
{
	if (i)
		mapping_json(t, &a->look, &a->look.rows[i - 1]);
	else
		header_json(t, a);
}

/**
 * mc_mappings_exit() - forget the last answer
 *
 * Context: Process, at unload; no file is open.
 */
void mc_mappings_exit(void)
{
	mc_mappings_put(last);
}
