// SPDX-License-Identifier: GPL-2.0-only
/* platform/files.h in memory. */
#include <errno.h>
#include <stdlib.h>

#include "files.h"

struct files files;

static bool direct;	/* the last open asked for direct I/O */

/* No files, and transfers that take no time. */
void files_reset(void)
{
	for (unsigned int i = 0; i < FILES_MOST; i++)
		free(files.file[i].data);
	files = (struct files){
		.most = ~0ULL, .fail_at = FILES_NOWHERE, .damage_at = FILES_NOWHERE,
	};
}

struct mc_file *files_find(const char *path)
{
	for (unsigned int i = 0; i < FILES_MOST; i++)
		if (!strcmp(files.file[i].path, path))
			return &files.file[i];
	return NULL;
}

static void resize(struct mc_file *f, u64 bytes)
{
	f->data = realloc(f->data, bytes + 1);
	if (bytes > f->bytes)
		memset(f->data + f->bytes, 0, bytes - f->bytes);
	f->bytes = bytes;
	f->cached = bytes < f->cached ? bytes : f->cached;
}

/* A file that is not in the page cache and holds only zeros. */
struct mc_file *files_make(const char *path, u64 bytes)
{
	struct mc_file *f = files_find("");

	EXPECT(f);
	snprintf(f->path, sizeof(f->path), "%s", path);
	resize(f, bytes);
	return f;
}

int mc_file_open(struct mc_file **f, const char *path, unsigned int how, u64 bytes,
		 const char **what)
{
	struct mc_file *one = files_find(path);
	bool create = how & MC_FILE_CREATE;

	if (!one == !create)
		return create ? -EEXIST : -ENOENT;
	if (one)
		*what = one->what;
	if (*what || (how & MC_FILE_DIRECT && files.no_direct && !create))
		return -EINVAL;
	direct = how & MC_FILE_DIRECT;
	*f = one ? one : files_make(path, 0);
	files.open++;
	return 0;
}

void mc_file_close(struct mc_file *f)
{
	if (f)
		files.open--;
}

u64 mc_file_size(const struct mc_file *f)
{
	return f->bytes;
}

int mc_file_cut(struct mc_file *f, u64 bytes)
{
	EXPECT(bytes <= f->bytes);
	resize(f, bytes);
	return 0;
}

/* Spend the time, and then let threads run whose clocks are behind. */
s64 mc_file_move(struct mc_file *f, struct mc_transfer *t, u64 at, u64 bytes, u64 offset,
		 bool write)
{
	void *data = (u8 *)t->data + at;
	u64 ps;

	EXPECT(files.open);
	EXPECT(bytes && at + bytes <= t->bytes);
	EXPECT(!direct || !((at | bytes | offset) % 512));
	bytes = bytes < files.most ? bytes : files.most;
	if (write && offset + bytes > f->bytes)
		resize(f, offset + bytes);
	if (offset >= f->bytes)
		return 0;
	bytes = bytes < f->bytes - offset ? bytes : f->bytes - offset;
	if (files.fail_at - offset < bytes)
		return files.fail;
	memcpy(write ? f->data + offset : data, write ? data : f->data + offset, bytes);
	if (write && files.damage_at - offset < bytes)
		f->data[files.damage_at] ^= 1;
	ps = files.call_ps + bytes * files.byte_ps;
	f->cached = direct ? f->cached : f->bytes;
	sim_spend(ps);
	if (sim_in_thread())
		sim_spend(ps * files.slower[sim_self()]);
	if (files.transferred)
		files.transferred(f, offset, bytes, write);
	sim_yield();
	return bytes;
}

int mc_file_sync(struct mc_file *f)
{
	files.synced++;
	sim_spend(files.sync_ps);
	return files.no_disk;
}

int mc_file_drop(struct mc_file *f)
{
	files.dropped++;
	if (!files.no_disk)
		f->cached = 0;
	return files.no_disk;
}

bool mc_file_cached(struct mc_file *f, u64 *bytes)
{
	*bytes = f->cached;
	return !files.no_cache;
}

int mc_transfer_make(struct mc_transfer *t, u64 bytes)
{
	*t = (struct mc_transfer){ 0 };
	if (files.no_memory)
		return -ENOMEM;
	t->bytes = (bytes + MC_FILE_ALIGN - 1) & ~(MC_FILE_ALIGN - 1ULL);
	t->data = aligned_alloc(MC_FILE_ALIGN, t->bytes);
	memset(t->data, 0x5a, t->bytes);
	return 0;
}

void mc_transfer_free(struct mc_transfer *t)
{
	free(t->data);
	t->data = NULL;
}
