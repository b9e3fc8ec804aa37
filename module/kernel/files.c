// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files through the VFS. They are opened by whoever asks for a run, with that
 * process's rights, and read and written by the run's threads.
 */
#include <linux/bvec.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/fadvise.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>

#include "platform/compat.h"
#include "platform/files.h"
#include "platform/os.h"

/*
 * A struct file, under another name. @what of mc_file_open() has the words that
 * tools/user/files.c has.
 */
static struct file *file_of(const struct mc_file *f)
{
	return (struct file *)f;
}

static const char *kind_of(umode_t mode)
{
	return S_ISDIR(mode) ? "a directory" : S_ISLNK(mode) ? "a symbolic link" :
	       S_ISFIFO(mode) ? "a FIFO" : S_ISSOCK(mode) ? "a socket" : "a device";
}

/*
 * One that is there. It is looked at before it is opened, since to open a device
 * does something by itself; and what was looked at is what is opened.
 */
static struct file *open_existing(const char *path, int flags, int may,
				  const char **what)
{
	struct file *file;
	struct path at;
	int err = kern_path(path, 0, &at);	/* of a link: the link */
	umode_t mode;

	if (err)
		return ERR_PTR(err);
	mode = d_inode(at.dentry)->i_mode;
	if (!S_ISREG(mode)) {
		*what = kind_of(mode);
		err = -EINVAL;
	} else if (may & MAY_WRITE && IS_APPEND(d_inode(at.dentry))) {
		err = -EPERM;	/* as open(2) has it, without O_APPEND */
	} else {
		err = mc_path_permission(&at, may);
	}
	file = err ? ERR_PTR(err) : dentry_open(&at, flags, current_cred());
	path_put(&at);
	return file;
}

/* The threads have no limits of their own. */
static bool too_large(u64 bytes)
{
	return bytes > rlimit(RLIMIT_FSIZE);
}

/**
 * mc_file_open() - open a regular file
 * @f: result
 * @path: absolute
 * @how: MC_FILE_*
 * @bytes: how large it is to be, if it is to be written
 * @what: result: what it is, if it is no regular file
 *
 * Context: Process, that of whoever asks for the run; may sleep.
 * Return: 0 or a negative errno; -EEXIST: it is there, and MC_FILE_CREATE was
 * asked for; -EOPNOTSUPP: its filesystem has no direct I/O, or no I/O at all that
 * the kernel can do.
 */
int mc_file_open(struct mc_file **f, const char *path, unsigned int how,
		 u64 bytes, const char **what)
{
	int flags = O_LARGEFILE | (how & MC_FILE_DIRECT ? O_DIRECT : 0);
	bool write = how & (MC_FILE_WRITE | MC_FILE_CREATE);
	struct file *file;

	if (write && too_large(bytes))
		return -EFBIG;
	flags |= write ? O_RDWR : O_RDONLY;
	if (how & MC_FILE_CREATE)
		/* Some filesystems make it before they say that it can't be direct. */
		file = filp_open(path, (flags & ~O_DIRECT) | O_CREAT | O_EXCL, 0600);
	else
		file = open_existing(path, flags, MAY_OPEN | MAY_READ |
				     (write ? MAY_WRITE : 0), what);
	if (IS_ERR(file)) {
		/* What is no regular file was EINVAL, too. */
		if (PTR_ERR(file) == -EINVAL && how & MC_FILE_DIRECT && !*what)
			return -EOPNOTSUPP;
		return PTR_ERR(file);
	}
	if (!file->f_op->read_iter || (write && !file->f_op->write_iter)) {
		fput(file);
		return -EOPNOTSUPP;
	}
	*f = (struct mc_file *)file;
	return 0;
}

/**
 * mc_file_size() - how large a file is now
 * @f: the file
 *
 * Context: Process.
 * Return: bytes.
 */
u64 mc_file_size(const struct mc_file *f)
{
	return i_size_read(file_inode(file_of(f)));
}

/**
 * mc_file_cut() - make a file shorter
 * @f: the file, open to write
 * @bytes: its new size
 *
 * Context: Process, may sleep.
 * Return: 0 or a negative errno.
 */
int mc_file_cut(struct mc_file *f, u64 bytes)
{
	return vfs_truncate(&file_of(f)->f_path, bytes);
}

/* Past the page cache: what the kernel transfers so must be pages, not addresses. */
static ssize_t direct(struct file *file, bool write, struct mc_transfer *t,
		      u64 at, u64 bytes, loff_t offset)
{
	struct iov_iter iter;
	struct kiocb kiocb;
	ssize_t n;

	init_sync_kiocb(&kiocb, file);
	kiocb.ki_pos = offset;
	iov_iter_bvec(&iter, write ? WRITE : READ, t->pages, t->npages, at + bytes);
	iov_iter_advance(&iter, at);
	if (!write)
		return file->f_op->read_iter(&kiocb, &iter);
	file_start_write(file);
	n = file->f_op->write_iter(&kiocb, &iter);
	file_end_write(file);
	return n;
}

/**
 * mc_file_read() - read from a file
 * @f: the file
 * @t: where to
 * @at: and where in that
 * @bytes: how many
 * @offset: where from
 *
 * Context: Process, may sleep.
 * Return: how many were read, 0: the file ends there; or a negative errno.
 */
s64 mc_file_read(struct mc_file *f, struct mc_transfer *t, u64 at, u64 bytes,
		 u64 offset)
{
	loff_t from = offset;

	if (file_of(f)->f_flags & O_DIRECT)
		return direct(file_of(f), false, t, at, bytes, offset);
	return kernel_read(file_of(f), (u8 *)t->data + at, bytes, &from);
}

/**
 * mc_file_write() - write to a file
 * @f: the file
 * @t: where from
 * @at: and where in that
 * @bytes: how many
 * @offset: where to
 *
 * Context: Process, may sleep.
 * Return: how many were written, or a negative errno.
 */
s64 mc_file_write(struct mc_file *f, struct mc_transfer *t, u64 at, u64 bytes,
		  u64 offset)
{
	loff_t to = offset;

	if (file_of(f)->f_flags & O_DIRECT)
		return direct(file_of(f), true, t, at, bytes, offset);
	return kernel_write(file_of(f), (u8 *)t->data + at, bytes, &to);
}

/**
 * mc_file_sync() - have all that was written on the disk
 * @f: the file, open to write
 *
 * Context: Process, may sleep.
 * Return: 0 or a negative errno.
 */
int mc_file_sync(struct mc_file *f)
{
	return vfs_fsync(file_of(f), 0);
}

/* Of a file in an overlay, the one below it has the pages. */
static struct address_space *mapping_of(const struct mc_file *f)
{
	return d_real_inode(file_of(f)->f_path.dentry)->i_mapping;
}

/**
 * mc_file_drop() - have the page cache forget a file, as far as it can
 * @f: the file
 *
 * Context: Process, may sleep.
 * Return: 0 or a negative errno: what was still to be written can't be.
 */
int mc_file_drop(struct mc_file *f)
{
	int err = filemap_write_and_wait(mapping_of(f));

	if (!err)
		vfs_fadvise(file_of(f), 0, 0, POSIX_FADV_DONTNEED);
	return err;
}

/**
 * mc_file_cached() - how much of a file is in the page cache
 * @f: the file
 * @bytes: result
 *
 * Context: Process.
 * Return: true if that is known.
 */
bool mc_file_cached(struct mc_file *f, u64 *bytes)
{
	/* Others may read the file at the same time. */
	u64 pages = READ_ONCE(mapping_of(f)->nrpages);

	*bytes = min(pages << PAGE_SHIFT, mc_file_size(f));
	return true;
}

/**
 * mc_file_close() - done with a file
 * @f: the file, or NULL
 *
 * Context: Process, may sleep.
 */
void mc_file_close(struct mc_file *f)
{
	if (f)
		filp_close(file_of(f), NULL);
}

/**
 * mc_transfer_make() - memory to read into and to write from
 * @t: result
 * @bytes: how much
 *
 * Context: Process, may sleep. The memory is allocated on the caller's node.
 * Return: 0 or -ENOMEM.
 */
int mc_transfer_make(struct mc_transfer *t, u64 bytes)
{
	u64 n = DIV_ROUND_UP(bytes, PAGE_SIZE), i;
	struct bio_vec *page;

	*t = (struct mc_transfer){ .bytes = bytes, .npages = n };
	/* Whole pages: what is large is aligned to them. */
	t->data = mc_alloc_array(n, PAGE_SIZE);
	t->pages = mc_alloc_array(n, sizeof(*page));
	if (!t->data || !t->pages) {
		mc_transfer_free(t);
		return -ENOMEM;
	}
	for (i = 0, page = t->pages; i < n; i++, page++) {
		void *at = (u8 *)t->data + i * PAGE_SIZE;

		page->bv_page = is_vmalloc_addr(at) ? vmalloc_to_page(at) :
						      virt_to_page(at);
		page->bv_len = PAGE_SIZE;
	}
	return 0;
}

/**
 * mc_transfer_free() - give back what mc_transfer_make() took
 * @t: the memory
 *
 * Context: Process, may sleep.
 */
void mc_transfer_free(struct mc_transfer *t)
{
	mc_free(t->data);
	mc_free(t->pages);
	*t = (struct mc_transfer){ 0 };
}
