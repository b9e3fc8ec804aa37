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
 * @fops: its operations
 * @show: appends the whole text of a file with text_show()
 * @size: bytes of such a text at most
 * @records: the lines of a file of results
 */
struct control_file {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
	void (*show)(struct mc_text *t);
	size_t size;
	const struct seq_operations *records;
};

/* A file's mode is not enough: it can be changed, and root in a container may open it. */
static int check_capable(void)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

/* ------------------------------------------- files whose text is made at once */

static int text_show(struct seq_file *m, void *unused)
{
	const struct control_file *f = m->private;
	struct mc_text t = { .buf = mc_alloc_array(1, f->size), .size = f->size };

	if (!t.buf)
		return -ENOMEM;
	f->show(&t);
	seq_write(m, t.buf, t.len);
	mc_free(t.buf);
	return 0;
}

static int text_open(struct inode *inode, struct file *file)
{
	int err = check_capable();

	return err ? err : single_open(file, text_show, inode->i_private);
}

static const struct file_operations text_fops = {
	.owner = THIS_MODULE,
	.open = text_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static void tests_text(struct mc_text *t)
{
	mc_specs_show(t, mc_specs);
}

/* ---------------------------------------------------------- run and stop */

static ssize_t write_line(const char __user *from, size_t len,
			  int (*take)(const char *line, size_t len))
{
	/* A longest line and its newline, and one byte more that shows it is too long. */
	char *line = memdup_user(from, min_t(size_t, len, MC_LINE_MAX + 2));
	int err;

	if (IS_ERR(line))
		return PTR_ERR(line);
	err = take(line, min_t(size_t, len, MC_LINE_MAX + 2));
	kfree(line);
	return err ? err : len;
}

static ssize_t run_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	return write_line(from, len, mc_run_line);
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = text_open,
	.read = seq_read,
	.write = run_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int stop_open(struct inode *inode, struct file *file)
{
	return check_capable();
}

static ssize_t stop_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	char word[16] = "";

	if (copy_from_user(word, from, min(len, sizeof(word) - 1)))
		return -EFAULT;
	if (sysfs_streq(word, "contents"))
		mc_target_give_up();
	mc_run_stop();
	return len;
}

static const struct file_operations stop_fops = {
	.owner = THIS_MODULE,
	.open = stop_open,
	.write = stop_write,
	.llseek = noop_llseek,
};

/* --------------------------------------------------------------- counters */

/*
 * A write at the beginning of the file replaces the set, a later one adds to it,
 * because a shell may write line by line.
 */
static ssize_t counters_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	bool replace = !*pos && !(file->f_flags & O_APPEND);
	char *text;
	int err;

	if (len > MC_COUNTERS_TEXT)
		return -EFBIG;
	text = vmemdup_user(from, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = mc_counters_write(text, len, replace);
	kvfree(text);
	if (err)
		return err;
	*pos += len;
	return len;
}

static const struct file_operations counters_fops = {
	.owner = THIS_MODULE,
	.open = text_open,
	.read = seq_read,
	.write = counters_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* ---------------------------------------------- results: a record at a time */

static void *results_start(struct seq_file *m, loff_t *pos)
{
	struct mc_snapshot *s = m->private;

	/* Position 0 is the header or the request, record i is at i + 1. */
	return *pos <= (s ? s->n : 0) ? pos : NULL;
}

static void *results_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return results_start(m, pos);
}

static void results_stop(struct seq_file *m, void *v)
{
}

static void table_line(struct mc_text *t, const struct mc_snapshot *s, u64 i)
{
	if (i) {
		mc_record_row(t, &s->layout, &s->req, &s->records[i - 1]);
		return;
	}
	mc_run_older(t, s);
	mc_header_show(t, &s->layout, &s->req);
}

static void json_line(struct mc_text *t, const struct mc_snapshot *s, u64 i)
{
	if (i)
		mc_record_json(t, &s->req, "kernel", &s->records[i - 1]);
	else
		mc_request_json(t, &s->req, "kernel", s->state, &s->error, s->n);
}

static int show_line(struct seq_file *m, loff_t i,
		     void (*line)(struct mc_text *t, const struct mc_snapshot *s, u64 i))
{
	size_t size = i ? MC_TAIL_ROW_MAX : 32768;
	struct mc_text t = { .buf = mc_alloc_array(1, size), .size = size };

	if (!t.buf)
		return -ENOMEM;
	line(&t, m->private, i);
	seq_write(m, t.buf, t.len);
	mc_free(t.buf);
	return 0;
}

static int results_show(struct seq_file *m, void *v)
{
	if (!m->private) {
		seq_puts(m, "# no results yet: write a request line to run\n");
		return 0;
	}
	return show_line(m, *(loff_t *)v, table_line);
}

static int jsonl_show(struct seq_file *m, void *v)
{
	struct mc_snapshot *s = m->private;

	if (!s)
		return 0;
	if (!*(loff_t *)v)
		seq_puts(m, s->machine);
	return show_line(m, *(loff_t *)v, json_line);
}

static const struct seq_operations results_ops = {
	.start = results_start,
	.next = results_next,
	.stop = results_stop,
	.show = results_show,
};

static const struct seq_operations jsonl_ops = {
	.start = results_start,
	.next = results_next,
	.stop = results_stop,
	.show = jsonl_show,
};

static int results_open(struct inode *inode, struct file *file)
{
	const struct control_file *f = inode->i_private;
	int err = check_capable();

	if (!err)
		err = seq_open(file, f->records);
	if (!err)
		((struct seq_file *)file->private_data)->private = mc_run_results();
	return err;
}

static int results_release(struct inode *inode, struct file *file)
{
	mc_snapshot_put(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

static const struct file_operations results_fops = {
	.owner = THIS_MODULE,
	.open = results_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = results_release,
};

/* --------------------------------------------- mappings: a mapping at a time */

/* Position 0 is what was asked for, mapping i is at i + 1. */
static void *mappings_start(struct seq_file *m, loff_t *pos)
{
	struct mc_answer *a = m->private;

	return a && *pos <= a->look.n ? pos : NULL;
}

static void *mappings_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return mappings_start(m, pos);
}

static int mappings_show(struct seq_file *m, void *v)
{
	struct mc_text t = { .buf = mc_alloc_array(1, MC_MAPPING_MAX), .size = MC_MAPPING_MAX };

	if (!t.buf)
		return -ENOMEM;
	mc_mappings_json(&t, m->private, *(loff_t *)v);
	seq_write(m, t.buf, t.len);
	mc_free(t.buf);
	return 0;
}

static const struct seq_operations mappings_ops = {
	.start = mappings_start,
	.next = mappings_next,
	.stop = results_stop,
	.show = mappings_show,
};

static int mappings_open(struct inode *inode, struct file *file)
{
	int err = check_capable();

	if (!err)
		err = seq_open(file, &mappings_ops);
	if (!err)
		((struct seq_file *)file->private_data)->private = mc_mappings_get();
	return err;
}

static int mappings_release(struct inode *inode, struct file *file)
{
	mc_mappings_put(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

static ssize_t mappings_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	return write_line(from, len, mc_mappings_line);
}

static const struct file_operations mappings_fops = {
	.owner = THIS_MODULE,
	.open = mappings_open,
	.read = seq_read,
	.write = mappings_write,
	.llseek = seq_lseek,
	.release = mappings_release,
};

/* ------------------------------------------------------------------- files */

static const struct control_file files[] = {
	{ "run", 0600, &run_fops, mc_run_show, 32768 },
	{ "results", 0400, &results_fops, .records = &results_ops },
	{ "results.jsonl", 0400, &results_fops, .records = &jsonl_ops },
	{ "tests", 0400, &text_fops, tests_text, 65536 },
	{ "progress", 0400, &text_fops, mc_run_progress, 128 },
	{ "stop", 0200, &stop_fops },
	{ "machine", 0400, &text_fops, mc_machine_json, MC_MACHINE_MAX },
	{ "buffers", 0400, &text_fops, mc_memory_show, 65536 },
	{ "counters", 0600, &counters_fops, mc_counters_show,
	  (MC_MAX_COUNTERS + 2) * MC_COUNTER_LINE },
	{ "mappings", 0600, &mappings_fops },
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
				    (void *)&files[i], files[i].fops);
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
