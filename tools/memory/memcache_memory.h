/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Memory for memcache-user to measure, from a shared object of your own:
 *
 *   $ cc -shared -fPIC -o my.so my.c
 *   $ memcache-user --memory my.so,OPTIONS 'bandwidth type=wc op=read,write'
 *
 * The object defines one symbol, memcache_memory, of type struct memcache_memory. Its functions
 * are called by one thread, one at a time. The threads that measure are others.
 */
#ifndef MEMCACHE_MEMORY_H
#define MEMCACHE_MEMORY_H

#include <stddef.h>

#define MEMCACHE_MEMORY_ABI	1	/* grows when a field changes its meaning */

#define MEMCACHE_MEMORY_WHY	512	/* bytes of a sentence, with its end */
#define MEMCACHE_MEMORY_WORD	64	/* bytes of a word, with its end */

/* The type of the memory, as far as the object knows it. */
enum memcache_memory_type {
	MEMCACHE_MEMORY_UNKNOWN,	/* the request says what it should be */
	MEMCACHE_MEMORY_WB,		/* cached */
	MEMCACHE_MEMORY_WC,		/* write-combining */
	MEMCACHE_MEMORY_UC,		/* uncached */
};

/**
 * struct memcache_memory_block - memory that an object has allocated
 * @addr: its first byte, on a page of 4096 bytes
 * @bytes: its size, no less than what was asked for
 * @own: whatever the object needs to describe and free it
 */
struct memcache_memory_block {
	void *addr;
	size_t bytes;
	void *own;
};

/**
 * struct memcache_memory_facts - what is known of a block
 * @word: word for results, without spaces; results with different words are not compared
 * @type: its type. memcache measures whether it is real
 * @page_bytes: bytes that a translation of it covers; 0: not known
 */
struct memcache_memory_facts {
	char word[MEMCACHE_MEMORY_WORD];
	enum memcache_memory_type type;
	size_t page_bytes;
};

/**
 * struct memcache_memory - an object's functions
 * @abi: MEMCACHE_MEMORY_ABI
 * @allocate: make memory that this process can load from and store to. memcache writes to all
 *            of it. @options is the text behind the comma of --memory, or "". There is at most
 *            one block at a time.
 *            Return: 0, or a negative errno, with a sentence in @why: what is missing, and
 *            what to do
 * @describe: say what a block is; @facts is zeroed before
 * @free: give a block back. It is called for each block that @allocate has made, also when a
 *        signal ends memcache-user. Only a fault of the program itself, SIGKILL and a loss of
 *        power leave this to the kernel
 */
struct memcache_memory {
	unsigned int abi;
	int (*allocate)(size_t bytes, const char *options, struct memcache_memory_block *block,
			char why[MEMCACHE_MEMORY_WHY]);
	void (*describe)(const struct memcache_memory_block *block,
			 struct memcache_memory_facts *facts);
	void (*free)(struct memcache_memory_block *block);
};

extern const struct memcache_memory memcache_memory;

#endif /* MEMCACHE_MEMORY_H */
