// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files through the VFS. The process that wrote the request opens them, with its own
 * rights, and the run's threads read and write them.
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

/* To this side, struct mc_file is another name of struct file. */
static struct file *file_of(const struct mc_file *f)
{
	return (struct file *)f;
}

/*
 * The file's type is checked before the file is opened, since opening a device may
 * have an effect. The path is resolved once, so the file checked is the one opened.
 */
static struct file *open_existing(const char *path, int flags, int may, const char **what)
{
	struct file *file;
	struct path at;
	int err = kern_path(path, 0, &at);	/* does not follow a last symbolic link */
	umode_t mode;

	if (err)
		return ERR_PTR(err);
	mode = d_inode(at.dentry)->i_mode;
	if (!S_ISREG(mode)) {
		*what = mc_file_kind(mode);
		err = -EINVAL;
	} else if (may & MAY_WRITE && IS_APPEND(d_inode(at.dentry))) {
		err = -EPERM;	/* as open(2) returns without O_APPEND */
	} else {
		err = mc_path_permission(&at, may);
	}
	file = err ? ERR_PTR(err) : dentry_open(&at, flags, current_cred());
	path_put(&at);
	return file;
}

/* The writer's limit is checked here, because kernel threads have none. */
static bool too_large(u64 bytes)
{
	return bytes > rlimit(RLIMIT_FSIZE);
}

/**
 * mc_file_open() - open a regular file
 * @f: result
 * @path: absolute path
 * @how: MC_FILE_*
 * @bytes: the size that it will have, if it is to be written
 * @what: result: what it is, if it is not a regular file
 *
 * Context: Process, the writer of the request; may sleep.
 * Return: 0 or a negative errno; -EEXIST: MC_FILE_CREATE, and the file exists; -EINVAL: it is
 * something else, or its filesystem has no direct I/O; -EOPNOTSUPP: it has no I/O from inside the
 * kernel.
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
		/* With O_DIRECT, some filesystems fail after they have created the file. */
		file = filp_open(path, (flags & ~O_DIRECT) | O_CREAT | O_EXCL, 0600);
	else
		file = open_existing(path, flags, MAY_OPEN | MAY_READ |
				     (write ? MAY_WRITE : 0), what);
	if (IS_ERR(file))
		return PTR_ERR_OR_ZERO(file);
	if (!file->f_op->read_iter || (write && !file->f_op->write_iter)) {
		fput(file);
		return -EOPNOTSUPP;
	}
	*f = (void *)file;	/* its layout may be random */
	return 0;
}

/**
 * mc_file_size() - current size of a file
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
 * @f: the file, open for writing
 * @bytes: its new size
 *
 * Context: Process, may sleep.
 * Return: 0 or a negative errno.
 */
int mc_file_cut(struct mc_file *f, u64 bytes)
{
	return (int)vfs_truncate(&file_of(f)->f_path, bytes);
}

/* Bypass the page cache; direct I/O inside the kernel takes pages, not addresses. */
static ssize_t direct_io(struct file *file, bool write, struct mc_transfer *t,
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
 * mc_file_move() - read from a file, or write to it
 * @f: the file
 * @t: the memory to read into, or to write from
 * @at: offset in @t
 * @bytes: number of bytes
 * @offset: offset in the file
 * @write: write to the file; else read from it
 *
 * Context: Process, may sleep.
 * Return: number of bytes moved, 0 at the end of a file that is read, or a negative errno.
 */
s64 mc_file_move(struct mc_file *f, struct mc_transfer *t, u64 at, u64 bytes, u64 offset,
		 bool write)
{
	u8 *data = (u8 *)t->data + at;
	loff_t pos = offset;

	if (file_of(f)->f_flags & O_DIRECT)
		return direct_io(file_of(f), write, t, at, bytes, offset);
	return write ? kernel_write(file_of(f), data, bytes, &pos) :
		       kernel_read(file_of(f), data, bytes, &pos);
}

/**
 * mc_file_sync() - write all data of a file to the disk
 * @f: the file, open for writing
 *
 * Context: Process, may sleep.
 * Return: 0 or a negative errno.
 */
int mc_file_sync(struct mc_file *f)
{
	return vfs_fsync(file_of(f), 0);
}

/* On an overlayfs, the page cache belongs to the inode of the layer below. */
static struct address_space *mapping_of(const struct mc_file *f)
{
	return d_real_inode(file_of(f)->f_path.dentry)->i_mapping;
}

/**
 * mc_file_drop() - evict a file from the page cache, as far as possible
 * @f: the file
 *
 * Context: Process, may sleep.
 * Return: 0, or the negative errno of writing back dirty pages.
 */
int mc_file_drop(struct mc_file *f)
{
	int err = filemap_write_and_wait(mapping_of(f));

	if (!err)
		vfs_fadvise(file_of(f), 0, 0, POSIX_FADV_DONTNEED);
	return err;
}

/**
 * mc_file_cached() - bytes of a file in the page cache
 * @f: the file
 * @bytes: result
 *
 * Context: Process.
 * Return: true; memcache-user can't know it of every file.
 */
bool mc_file_cached(struct mc_file *f, u64 *bytes)
{
	/* Others may read the file at the same time. */
	u64 pages = READ_ONCE(mapping_of(f)->nrpages);

	*bytes = min(pages << PAGE_SHIFT, mc_file_size(f));
	return true;
}

/**
 * mc_file_close() - close a file
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
 * mc_transfer_make() - allocate memory to read into and to write from
 * @t: result
 * @bytes: its size
 *
 * Context: Process, may sleep. The memory is allocated on the caller's node.
 * Return: 0 or -ENOMEM.
 */
int mc_transfer_make(struct mc_transfer *t, u64 bytes)
{
	u64 n = DIV_ROUND_UP(bytes, PAGE_SIZE), i;
	struct bio_vec *page;

	*t = (struct mc_transfer){ .bytes = bytes, .npages = n };
	/* Whole pages, so that the memory is aligned to pages. */
	t->data = mc_alloc_array(n, PAGE_SIZE);
	t->pages = mc_alloc_array(n, sizeof(*page));
	if (!t->data || !t->pages) {
		mc_transfer_free(t);
		return -ENOMEM;
	}
	for (i = 0, page = t->pages; i < n; i++, page++) {
		void *at = (u8 *)t->data + i * PAGE_SIZE;

		page->bv_page = is_vmalloc_addr(at) ? vmalloc_to_page(at) : virt_to_page(at);
		page->bv_len = PAGE_SIZE;
	}
	return 0;
}

/**
 * mc_transfer_free() - free the memory of mc_transfer_make()
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
