// SPDX-License-Identifier: GPL-2.0-only
/*
 * The debugfs files. A read only shows stored results and never measures, since
 * seq_file calls show again if its buffer was too small.
 */
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "kernel/control.h"
#include "kernel/counters.h"
#include "kernel/machine.h"
#include "kernel/mappings.h"
#include "kernel/memory.h"
#include "kernel/run.h"
#include "kernel/target.h"
#include "measure/test.h"
#include "platform/os.h"

static struct dentry *dir;

/**
 * struct control_file - a debugfs file
 * @name: its name
 * @mode: its mode
 * @size: bytes of its text at most, or of a line of it
 * @show: appends all of it
 * @result: in place of @show: a line of the last results, or the head of them
 * @mapping: the same of the last answer
 * @take: takes what is written, not terminated; @more: what is there stays. Return: 0 or an errno
 * @most: bytes that it takes in a write; it sees a byte more of a longer one
 * @adds: a write that is not at the begin adds to what is there
 */
struct control_file {
	const char *name;
	umode_t mode;
	size_t size;
	void (*show)(struct mc_text *t);
	void (*result)(struct mc_text *t, const struct mc_snapshot *s, u64 i);
	void (*mapping)(struct mc_text *t, const struct mc_answer *a, u64 i);
	int (*take)(const char *text, size_t len, bool more);
	size_t most;
	bool adds;
};

/* ------------------------------------------------------ reads: a line at a time */

static const struct control_file *shown_by(const struct seq_file *m)
{
	return file_inode(m->file)->i_private;
}

/* Is there a line of this number? The head is line 0, and a whole text is one line. */
static void *line_start(struct seq_file *m, loff_t *pos)
{
	const struct control_file *f = shown_by(m);
	u64 n = 0;

	if (m->private)
		n = f->result ? ((struct mc_snapshot *)m->private)->n :
				((struct mc_answer *)m->private)->look.n;
	return *pos <= n ? pos : NULL;
}

static void *line_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return line_start(m, pos);
}

static void line_stop(struct seq_file *m, void *v)
{
}

static int line_show(struct seq_file *m, void *v)
{
	const struct control_file *f = shown_by(m);
	struct mc_text t = { .buf = mc_alloc_array(1, f->size), .size = f->size };

	if (!t.buf)
		return -ENOMEM;
	if (f->show)
		f->show(&t);
	else if (f->result)
		f->result(&t, m->private, *(loff_t *)v);
	else if (m->private)
		f->mapping(&t, m->private, *(loff_t *)v);
	seq_write(m, t.buf, t.len);
	mc_free(t.buf);
	return 0;
}

static const struct seq_operations control_lines = {
	.start = line_start,
	.next = line_next,
	.stop = line_stop,
	.show = line_show,
};

/* A file's mode is not enough: it can be changed, and root in a container may open it. */
static int check_capable(void)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

/* An open file has the same results until it is closed, whatever runs meanwhile. */
static int control_open(struct inode *inode, struct file *file)
{
	const struct control_file *f = inode->i_private;
	int err = check_capable();
	struct seq_file *m;

	err = err ? err : seq_open(file, &control_lines);
	if (err)
		return err;
	m = file->private_data;
	if (f->result)
		m->private = mc_run_results();
	else if (f->mapping)
		m->private = mc_mappings_get();
	return 0;
}

static int control_release(struct inode *inode, struct file *file)
{
	const struct control_file *f = inode->i_private;
	struct seq_file *m = file->private_data;

	if (f->result)
		mc_snapshot_put(m->private);
	else if (f->mapping)
		mc_mappings_put(m->private);
	return seq_release(inode, file);
}

static void tests_text(struct mc_text *t)
{
	mc_specs_show(t, mc_specs);
}

static void table_line(struct mc_text *t, const struct mc_snapshot *s, u64 i)
{
	if (!s) {
		mc_textf(t, "# no results yet: write a request line to run\n");
	} else if (i) {
		mc_record_row(t, &s->layout, &s->req, &s->records[i - 1]);
	} else {
		mc_run_older(t, s);
		mc_header_show(t, &s->layout, &s->req);
	}
}

static void json_line(struct mc_text *t, const struct mc_snapshot *s, u64 i)
{
	if (!s)
		return;
	if (i) {
		mc_record_json(t, &s->req, "kernel", &s->records[i - 1]);
		return;
	}
	mc_textf(t, "%s", s->machine);
	mc_request_json(t, &s->req, "kernel", s->state, &s->error, s->n);
}

/* ------------------------------------------------------------------- writes */

static ssize_t control_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	const struct control_file *f = file_inode(file)->i_private;
	size_t n = min_t(size_t, len, f->most + 1);
	char *text;
	int err;

	if (!f->take)
		return -EINVAL;
	text = vmemdup_user(from, n);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = f->take(text, n, *pos || file->f_flags & O_APPEND);
	kvfree(text);
	if (err)
		return err;
	if (f->adds)
		*pos += len;
	return len;
}

static int take_request(const char *text, size_t len, bool more)
{
	return mc_run_line(text, len);
}

static int take_stop(const char *text, size_t len, bool more)
{
	char word[16] = "";

	memcpy(word, text, min(len, sizeof(word) - 1));
	if (sysfs_streq(word, "contents"))
		mc_target_give_up();
	mc_run_stop();
	return 0;
}

static int take_counters(const char *text, size_t len, bool more)
{
	return len > MC_COUNTERS_TEXT ? -EFBIG : mc_counters_write(text, len, !more);
}

static int take_look(const char *text, size_t len, bool more)
{
	return mc_mappings_line(text, len);
}

/* ------------------------------------------------------------------- files */

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = control_open,
	.read = seq_read,
	.write = control_write,
	.llseek = seq_lseek,
	.release = control_release,
};

static int stop_open(struct inode *inode, struct file *file)
{
	return check_capable();
}

static const struct file_operations stop_fops = {
	.owner = THIS_MODULE,
	.open = stop_open,
	.write = control_write,
	.llseek = noop_llseek,
};

/* A longest line has a newline, too. A shell may write counters line by line. */
static const struct control_file files[] = {
	{ "run", 0600, 32768, mc_run_show, .take = take_request, .most = MC_LINE_MAX + 1 },
	{ "results", 0400, MC_TAIL_ROW_MAX, .result = table_line },
	{ "results.jsonl", 0400, MC_TAIL_ROW_MAX, .result = json_line },
	{ "tests", 0400, 65536, tests_text },
	{ "progress", 0400, 128, mc_run_progress },
	{ "stop", 0200, .take = take_stop, .most = 16 },
	{ "machine", 0400, MC_MACHINE_MAX, mc_machine_json },
	{ "buffers", 0400, 65536, mc_memory_show },
	{ "counters", 0600, (MC_MAX_COUNTERS + 2) * MC_COUNTER_LINE, mc_counters_show,
	  .take = take_counters, .most = MC_COUNTERS_TEXT, .adds = true },
	{ "mappings", 0600, MC_MAPPING_MAX, .mapping = mc_mappings_json, .take = take_look,
	  .most = MC_LINE_MAX + 1 },
};

/**
 * mc_control_init() - create the files
 *
 * Context: Process, last at load, since runs can start from now on.
 */
void mc_control_init(void)
{
	size_t i;

	dir = debugfs_create_dir("memcache", NULL);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		debugfs_create_file(files[i].name, files[i].mode, dir,
				    (void *)&files[i], files[i].size ? &control_fops : &stop_fops);
}

/**
 * mc_control_exit() - remove the files
 *
 * Context: Process, first at unload. Open files keep the module loaded, so no run is
 * active.
 */
void mc_control_exit(void)
{
	debugfs_remove(dir);
}
