// SPDX-License-Identifier: GPL-2.0-only
/*
 * The readers: threads that read or write files in transfers, each with memory of its
 * own. All are woken together. As in other tests, a sample ends when the first reader
 * is through its part. The others complete their parts, but that time does not count.
 * Only with a sync at the end the last reader ends the sample. Transfers sleep, so they have no
 * windows.
 */
#include "core/math.h"
#include "core/pattern.h"
#include "benchmarks/file/job.h"
#include "platform/clock.h"
#include "platform/os.h"

#define AT_ONCE		1048576ULL	/* bytes between points at which others may run */

static u64 transfers_of(u64 bytes, u64 transfer)
{
	return (bytes + transfer - 1) / transfer;
}

/* ------------------------------------------------------------ who does what */

/*
 * All readers of a shared file read all of it, each from another offset on, so that a
 * reader does not find in the caches what the one before it has left there. A shared
 * file is written once: each reader writes its part.
 */
static void find_part(struct mc_file_job *job, unsigned int i)
{
	struct mc_file_thread *r = &job->reader[i];
	u64 n, first, next;

	r->file = &job->file[job->nfiles > 1 ? i : 0];
	r->bytes = r->file->bytes;
	if (job->nfiles > 1)
		return;
	n = transfers_of(r->bytes, job->transfer);
	first = n * i / job->n * job->transfer;
	next = n * (i + 1) / job->n * job->transfer;
	if (job->want.write) {
		r->from = first;
		r->bytes = min(next, r->bytes) - first;
	} else {
		r->start = first;
	}
}

static void share_out(struct mc_file_job *job)
{
	unsigned int i;

	for (i = 0; i < job->n; i++) {
		find_part(job, i);
		job->bytes += job->reader[i].bytes;
		job->transfers += transfers_of(job->reader[i].bytes, job->transfer);
	}
}

/* ------------------------------------------------------------- on the threads */

/* Do one transfer, in as many system calls as it takes. */
static int transfer_all(const struct mc_file_job *job, struct mc_file_thread *r, bool write,
			u64 offset, u64 bytes)
{
	struct mc_file *f = r->file->handle;
	u64 at = 0, ask;
	s64 n;

	while (at < bytes) {
		ask = bytes - at;
		/* A file that is read may end unaligned; files to write are aligned. */
		if (job->want.direct && !write)
			ask = (ask + MC_FILE_ALIGN - 1) & ~(MC_FILE_ALIGN - 1ULL);
		r->at = offset + at;
		n = mc_file_move(f, &r->memory, at, ask, r->at, write);
		if (n <= 0)
			r->err = n ? n : write ? -EIO : -ENODATA;
		if (r->err)
			return r->err;
		at += n;
	}
	return 0;
}

static void fill_memory(struct mc_file_thread *r, u64 offset, u64 bytes)
{
	u64 at, n;

	for (at = 0; at < bytes; at += n) {
		n = min(bytes - at, AT_ONCE);
		mc_pattern_fill(&r->file->pattern, (u8 *)r->memory.data + at, offset + at, n);
		mc_breathe();
	}
}

static void compare_memory(struct mc_file_thread *r, u64 offset, u64 bytes)
{
	u64 at, n, right;

	for (at = 0; at < bytes && r->wrong == MC_NOWHERE; at += n) {
		n = min(bytes - at, AT_ONCE);
		right = mc_pattern_check(&r->file->pattern,
					 (u8 *)r->memory.data + at, offset + at, n);
		if (right < n)
			r->wrong = offset + at + right;
		mc_breathe();
	}
}

/* Count a transfer. If it was under way when the first reader ended, count its share. */
static void count_transfer(const struct mc_file_job *job, struct mc_file_thread *r, u64 bytes,
			   u64 from, u64 to)
{
	u64 first = ~0ULL, ended;
	unsigned int i;

	for (i = 0; i < job->n; i++) {
		ended = READ_ONCE(job->reader[i].ended);
		first = ended ? min(first, ended) : first;
	}
	if (to <= first)
		r->counted += bytes;
	else if (from < first)
		r->counted += mc_muldiv(bytes, first - from, to - from);
}

/* Read or write the reader's part of its file once, from its start on and around. */
static int go_through(struct mc_worker *w, struct mc_file_job *job, bool write, bool check)
{
	struct mc_file_thread *r = &job->reader[w->index];
	u64 at = r->start, done, n, from, to;
	int err;

	r->began = mc_ticks();
	for (done = 0, from = r->began; done < r->bytes; done += n, from = to) {
		n = min(job->transfer, r->bytes - at);
		if (write)
			fill_memory(r, r->from + at, n);
		err = mc_threads_stopped(w->threads);
		err = err ? err : transfer_all(job, r, write, r->from + at, n);
		if (err)
			return err;
		if (check)
			compare_memory(r, r->from + at, n);
		at = at + n < r->bytes ? at + n : 0;
		to = mc_ticks();
		count_transfer(job, r, n, from, to);
		mc_breathe();
	}
	return 0;
}

static int timed_job(struct mc_worker *w, void *arg)
{
	struct mc_file_job *job = arg;
	struct mc_file_thread *r = &job->reader[w->index];
	int err;

	mc_events_clear(w->events);
	mc_events_start(w->events);
	err = go_through(w, job, job->want.write, job->want.check && !job->want.write);
	if (!err && job->want.write && job->drop) {
		err = mc_file_sync(r->file->handle);
		r->err = err;
	}
	WRITE_ONCE(r->ended, mc_ticks());
	mc_events_stop(w->events);
	mc_events_take(w->events, &job->meas.each[w->index].sample.events);
	return err;
}

static int read_back_job(struct mc_worker *w, void *arg)
{
	return go_through(w, arg, false, true);
}

static int prepare_job(struct mc_worker *w, void *arg)
{
	struct mc_file_job *job = arg;
	struct mc_file_thread *r = &job->reader[w->index];

	r->counted = 0;
	r->ended = 0;
	if (!r->memory.data)
		r->err = mc_transfer_make(&r->memory, job->transfer);
	return r->err;
}

/* ------------------------------------------------------------------ the samples */

/* Explain the error that stopped a reader; a stop from outside is explained elsewhere. */
static int explain_error(struct mc_file_job *job, int err)
{
	struct mc_error *e = &job->run->error;
	const struct mc_file_thread *r = job->reader;

	while (r < job->reader + job->n && !r->err)
		r++;
	if (r == job->reader + job->n)
		return err;
	err = r->err;
	if (!r->memory.data)
		return mc_fail(e, err, "transfer: no memory for %llu bytes for each of %u readers",
			       job->transfer, job->n);
	if (err == -ENODATA)
		return mc_fail(e, err, "path: %s was cut short to %llu bytes; it had %llu",
			       r->file->path, mc_file_size(r->file->handle),
			       r->file->bytes);
	if (err == -EINVAL && job->want.direct)
		return mc_fail(e, err,
			       "direct: %s can't be transferred %llu bytes at a time; try transfer=4K",
			       r->file->path, job->transfer);
	return mc_fail(e, err, "path: %s can't be %s at byte %llu (error %d)",
		       r->file->path, job->want.write ? "written" : "read", r->at, -err);
}

static int drop_caches(struct mc_file_job *job)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < job->nfiles; i++) {
		err = mc_file_drop(job->file[i].handle);
		if (err)
			mc_fail(&job->run->error, err,
				"path: %s can't be written to the disk (error %d)",
				job->file[i].path, -err);
	}
	return err;
}

static void find_cached(struct mc_file_job *job)
{
	unsigned int i;

	job->cached = 0;
	job->cached_known = true;
	for (i = 0; i < job->nfiles; i++) {
		u64 bytes = 0;

		job->cached_known &= mc_file_cached(job->file[i].handle, &bytes);
		job->cached += bytes;
	}
}

static struct mc_file_job *job_of(struct mc_measurement *meas)
{
	return container_of(meas, struct mc_file_job, meas);
}

/* Picoseconds of a pass, at the measured speed. */
static u64 time_of_pass(struct mc_measurement *meas)
{
	const struct mc_file_job *job = job_of(meas);
	u64 first = ~0ULL, end = ~0ULL, last = 0, counted = 0, ps = 0;
	unsigned int i;

	for (i = 0; i < job->n; i++) {
		const struct mc_file_thread *r = &job->reader[i];

		first = min(first, r->began);
		end = min(end, r->ended);
		last = max(last, r->ended);
		counted += r->counted;
	}
	if (job->want.write && job->drop)
		ps = last > first ? mc_ticks_to_ps(last - first) : 0;
	else if (end > first && counted)
		ps = mc_muldiv(job->bytes, mc_ticks_to_ps(end - first), counted);
	meas->each->sample.clock_bad = !ps;
	return ps;
}

static int run_all(struct mc_file_job *job, mc_job part)
{
	return mc_threads_run_some(job->run->threads, NULL, job->n, part, job);
}

/* With cache=drop the data must be read back from the disk. */
static int read_back(struct mc_worker *none, struct mc_sampler *sampler, u32 round)
{
	struct mc_file_job *job = job_of(sampler->shared);
	int err = job->drop ? drop_caches(job) : 0;

	return err ? err : run_all(job, read_back_job);
}

static int prepare(struct mc_worker *none, struct mc_sampler *sampler, u32 round)
{
	struct mc_file_job *job = job_of(sampler->shared);
	unsigned int i;
	int err = job->drop ? drop_caches(job) : 0;

	for (i = 0; i < job->nfiles; i++)
		job->file[i].pattern.seed += job->want.write;
	find_cached(job);
	return err ? err : run_all(job, prepare_job);
}

static int transfer(struct mc_worker *none, struct mc_sampler *sampler, u32 round)
{
	return run_all(job_of(sampler->shared), timed_job);
}

static void find_wrong_byte(struct mc_file_job *job)
{
	const struct mc_file_thread *r;

	for (r = job->reader; r < job->reader + job->n && !job->wrong; r++) {
		if (r->wrong == MC_NOWHERE)
			continue;
		job->wrong = r;
		mc_fail(&job->run->error, -EBADMSG, "check: byte %llu of %s is wrong",
			r->wrong, r->file->path);
	}
}

/**
 * mc_file_job_measure() - take the samples, with all readers
 * @run: the run
 * @arg: the job; its files are open
 *
 * Context: Process, may sleep.
 * Return: 0 or a negative errno, explained in the run's error.
 */
int mc_file_job_measure(struct mc_run *run, void *arg)
{
	struct mc_file_job *job = arg;
	struct mc_measurement *meas = &job->meas;
	int err;

	share_out(job);
	/* Readers and writers sleep. */
	mc_settling_begin(&meas->settling, meas->settings.warmup, 0);
	meas->each->cal.passes_a_sample = 1;
	meas->hooks.take = transfer;
	meas->hooks.time = time_of_pass;
	meas->hooks.prepare = prepare;
	meas->hooks.verify = job->want.write && job->want.check ? read_back : NULL;
	meas->hooks.verify_all = true;
	err = mc_measure(NULL, meas);
	find_wrong_byte(job);
	return err ? explain_error(job, err) : 0;
}
