// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that a shared object makes, in place of that of memcache-user. Such an object may
 * need libraries, and so the dynamic linker: the static program goes on as
 * memcache-user-dynamic, which lies beside it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/memcache_memory.h"
#include "platform/os.h"
#include "user.h"

#define ALIGN		4096UL	/* of a block */

/**
 * struct object - the object of --memory
 * @with: its functions; NULL: there is none
 * @path: its file
 * @options: the text behind the comma
 * @block: memory that it has made; none without an address
 * @facts: what it says of the block
 * @word: the word of the last block, for records
 * @span: the block
 * @view: the same
 * @judged: the type that the verdict is about
 * @verdict: the verdict on the block
 */
static struct object {
	const struct memcache_memory *with;
	const char *path;
	const char *options;
	struct memcache_memory_block block;
	struct memcache_memory_facts facts;
	char word[MEMCACHE_MEMORY_WORD];
	struct mc_span span;
	struct mc_view view;
	enum mc_type judged;
	struct mc_verdict verdict;
} object;

static const enum mc_type types[] = {
	[MEMCACHE_MEMORY_UNKNOWN] = MC_NTYPES, [MEMCACHE_MEMORY_WB] = MC_WB,
	[MEMCACHE_MEMORY_WC] = MC_WC, [MEMCACHE_MEMORY_UC] = MC_UC,
};

bool mc_user_has_object(void)
{
	return object.with;
}

/* ----------------------------------------------------------------- load it */

/* Only the dynamic program has this function. */
#pragma weak mc_user_load

/* Go on as the dynamic program. It returns only if that can't be. */
static int become_dynamic(char **argv, struct mc_error *e)
{
	char path[4096];

	if (mc_user_beside("memcache-user-dynamic", path, sizeof(path)))
		execv(path, argv);
	return mc_fail(e, -EOPNOTSUPP,
		       "memory: an object needs the program memcache-user-dynamic beside memcache-user; `make user` builds both");
}

/* Load the object. Without a slash, the linker would look for a library of the system. */
static const struct memcache_memory *load(const char *path, struct mc_error *e)
{
	const struct memcache_memory *with;
	const char *why;
	char *name;

	if (access(path, R_OK)) {
		mc_fail(e, -errno, "memory: %s can't be read", path);
		return NULL;
	}
	if (asprintf(&name, "%s%s", strchr(path, '/') ? "" : "./", path) < 0)
		abort();
	with = mc_user_load(name, "memcache_memory", &why);
	free(name);
	if (!with)
		mc_fail(e, -EINVAL, "memory: %s is no object that makes memory: %s", path, why);
	return with;
}

/**
 * mc_user_object() - load the object that makes the memory
 * @named: its path, and after a comma its options; may be changed
 * @argv: words of this call
 * @e: result: why not
 *
 * Context: Before anything else that this process would have to give back.
 * Return: 0, -EINVAL (it is no object), or another negative errno.
 */
int mc_user_object(char *named, char **argv, struct mc_error *e)
{
	char *comma;

	if (object.with)
		return mc_fail(e, -EBUSY, "memory: %s: there is an object already", named);
	if (!mc_user_load)
		return become_dynamic(argv, e);
	comma = strchr(named, ',');
	if (comma)
		*comma++ = 0;
	object.path = named;
	object.options = comma ? comma : "";
	object.with = load(named, e);
	if (!object.with)
		return e->err;
	if (object.with->abi != MEMCACHE_MEMORY_ABI)
		return mc_fail(e, -EINVAL,
			       "memory: %s was built for version %u of memcache_memory.h, and this is %u; build it anew",
			       named, object.with->abi, MEMCACHE_MEMORY_ABI);
	if (!object.with->allocate || !object.with->describe || !object.with->free)
		return mc_fail(e, -EINVAL, "memory: %s lacks a function", named);
	return 0;
}

/* -------------------------------------------------------------- make a block */

/* Give the block back. */
void mc_user_object_drop(void)
{
	if (object.block.addr)
		object.with->free(&object.block);
	object.block = (struct memcache_memory_block){ 0 };
}

static bool is_word(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size && text[i] > ' ' && text[i] < 0x7f; i++)
		;
	return i && i < size && !text[i];
}

/* Is it what its header says? */
static int check_block(u64 bytes, struct mc_error *e)
{
	if ((unsigned long)object.block.addr % ALIGN)
		return mc_fail(e, -EINVAL, "memory: %s made memory that begins within a page",
			       object.path);
	if (object.block.bytes < bytes)
		return mc_fail(e, -ENOMEM, "size: %s made %zu bytes; %llu are asked for",
			       object.path, object.block.bytes, bytes);
	if (!is_word(object.facts.word, sizeof(object.facts.word)) ||
	    object.facts.type >= ARRAY_SIZE(types))
		return mc_fail(e, -EINVAL,
			       "memory: %s describes its memory without a word, or with a type that is not known",
			       object.path);
	return 0;
}

/* Write to all of it: the first access to a page may be slow. */
static void fill(void)
{
	u64 i;

	for (i = 0; i < object.block.bytes / sizeof(u64); i++)
		WRITE_ONCE(((u64 *)object.block.addr)[i], 0);
}

static int allocate(u64 bytes, struct mc_error *e)
{
	char why[MEMCACHE_MEMORY_WHY] = "";
	int err;

	mc_user_object_drop();
	err = object.with->allocate(bytes, object.options, &object.block, why);
	why[sizeof(why) - 1] = 0;
	if (err || !object.block.addr) {
		object.block = (struct memcache_memory_block){ 0 };
		return mc_fail(e, err < 0 ? err : -ENOMEM, "memory: %s: %s", object.path,
			       *why ? why : "it made none, and does not say why");
	}
	object.facts = (struct memcache_memory_facts){ 0 };
	object.with->describe(&object.block, &object.facts);
	err = check_block(bytes, e);
	if (err) {
		mc_user_object_drop();
		return err;
	}
	if (*object.word && strcmp(object.word, object.facts.word)) {
		mc_user_object_drop();
		return mc_fail(e, -EINVAL, "memory: %s has another word for each block",
			       object.path);
	}
	strcpy(object.word, object.facts.word);
	fill();
	object.span = (struct mc_span){ object.block.addr, 0, object.block.bytes };
	object.view = (struct mc_view){ &object.span, 1 };
	object.judged = MC_NTYPES;
	return 0;
}

/* The verdict on the block's type, or on the type asked for if nobody knows it. */
static void judge(enum mc_type type)
{
	if (object.judged == type)
		return;
	mc_verdict_of(&object.verdict, type, object.block.addr, object.block.bytes);
	object.judged = type;
}

/* ------------------------------------------------------------ what tests need */

/**
 * mc_user_object_check() - can the object's memory be that of a point?
 * @run: the run
 * @point: the point
 *
 * Return: 0 or -EOPNOTSUPP, explained in @run->error.
 */
int mc_user_object_check(struct mc_run *run, const struct mc_point *point)
{
	const struct mc_test *test = mc_test_of(run->req->spec);
	struct mc_wanted want;

	if (test->allocates_memory || test->spec.memoryless || test->region)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "memory: the test %s does not measure memory that an object makes; leave out --memory",
			       run->req->spec->name);
	if (point->v[MC_KEY_PAGE] != MC_PAGE_AUTO)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "page: the object of --memory decides on its pages; use page=auto");
	if (mc_request_given(run->req, MC_KEY_NODE) || mc_area_wanted(run, point, 1, &want))
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "node: the object of --memory decides where its memory is; leave out node=");
	return 0;
}

/**
 * mc_user_object_find() - memory of the object for a point
 * @run: the run
 * @point: the point, checked
 * @want: gives the size
 * @area: result, valid until the next call, or mc_user_object_drop()
 *
 * Return: 0 or a negative errno, explained in @run->error.
 */
int mc_user_object_find(struct mc_run *run, const struct mc_point *point,
			const struct mc_wanted *want, struct mc_area *area)
{
	enum mc_type type = point->v[MC_KEY_TYPE];
	int err = object.block.bytes >= want->bytes ? 0 : allocate(want->most, &run->error);

	if (err)
		return err;
	if (object.facts.type != MEMCACHE_MEMORY_UNKNOWN && types[object.facts.type] != type)
		return mc_fail(&run->error, -EOPNOTSUPP,
			       "type: %s makes memory of type=%s; ask for that", object.word,
			       mc_type_name(types[object.facts.type]));
	judge(type);
	*area = (struct mc_area){
		.view = &object.view, .page = MC_PAGE_OBJECT,
		.page_bytes = object.facts.page_bytes, .attribute = MC_ATTR_NA,
		.effective = object.verdict.effect,
		.memory_node = mc_user_node_of(object.block.addr), .object = object.word,
	};
	return 0;
}

/**
 * mc_user_object_verdict() - the verdict on memory of the object
 * @type: result: its type
 *
 * Return: the verdict, or NULL if the object does not know its type, or makes no memory; what
 * it says will be said of the first request.
 */
const struct mc_verdict *mc_user_object_verdict(enum mc_type *type)
{
	struct mc_error e = { 0 };

	if (!object.with || (!object.block.addr && allocate(ALIGN, &e)) ||
	    object.facts.type == MEMCACHE_MEMORY_UNKNOWN)
		return NULL;
	*type = types[object.facts.type];
	judge(*type);
	return &object.verdict;
}
