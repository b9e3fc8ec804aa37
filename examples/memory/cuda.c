// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the host that an NVIDIA GPU can access, as cudaHostAlloc() makes it. It needs the
 * driver's library and no toolkit.
 *
 *   --memory cuda.so             cached
 *   --memory cuda.so,wc          write-combining (cudaHostAllocWriteCombined)
 *   --memory cuda.so,wc,1        the same, for GPU 1
 *
 * The few declarations are those of CUDA's driver API (cuda.h).
 */
#include "example.h"

#define CU_MEMHOSTALLOC_PORTABLE	1
#define CU_MEMHOSTALLOC_WRITECOMBINED	4

static int (*cu_init)(unsigned int flags);
static int (*cu_get_error_string)(int error, const char **text);
static int (*cu_device_get)(int *device, int number);
static int (*cu_context_retain)(void **context, int device);
static int (*cu_context_release)(int device);
static int (*cu_context_set)(void *context);
static int (*cu_mem_host_alloc)(void **memory, size_t bytes, unsigned int flags);
static int (*cu_mem_free_host)(void *memory);

static const struct function functions[] = {
	{ "cuInit", &cu_init },
	{ "cuGetErrorString", &cu_get_error_string },
	{ "cuDeviceGet", &cu_device_get },
	{ "cuDevicePrimaryCtxRetain", &cu_context_retain },
	{ "cuDevicePrimaryCtxRelease_v2", &cu_context_release },
	{ "cuCtxSetCurrent", &cu_context_set },
	{ "cuMemHostAlloc", &cu_mem_host_alloc },
	{ "cuMemFreeHost", &cu_mem_free_host },
};

/* The meaning of the options, and the GPU that is in use. */
static struct {
	unsigned int number;
	int wc;
	int device;
} asked;

static int read_options(const char *options, char *why)
{
	char text[64], *at, *word, *end;

	asked.number = 0;
	asked.wc = 0;
	snprintf(text, sizeof(text), "%s", options);
	for (at = text; (word = strsep(&at, ","));) {
		if (*word >= '0' && *word <= '9') {
			asked.number = strtoul(word, &end, 10);
			if (!*end)
				continue;
		}
		if (!strcmp(word, "wc"))
			asked.wc = 1;
		else if (*word && strcmp(word, "cached"))
			return fail(why, -EINVAL,
				    "the options are wc or cached, and the number of a GPU, not %s",
				    word);
	}
	return 0;
}

/* Explain an error of the driver. */
static int refuse(int error, const char *what, char *why)
{
	const char *text = NULL;

	if (cu_get_error_string(error, &text) || !text)
		text = "an error that it does not name";
	return fail(why, -EOPNOTSUPP, "CUDA's driver %s: %s (%d); nvidia-smi says what it sees",
		    what, text, error);
}

/* Use the GPU. Return: 0 or a negative errno, explained. */
static int take_device(char *why)
{
	void *context;
	int error = cu_init(0);

	if (error)
		return refuse(error, "does not start", why);
	error = cu_device_get(&asked.device, asked.number);
	if (error)
		return refuse(error, "has no such GPU", why);
	error = cu_context_retain(&context, asked.device);
	if (error)
		return refuse(error, "can't use the GPU", why);
	error = cu_context_set(context);
	if (!error)
		return 0;
	cu_context_release(asked.device);
	return refuse(error, "can't use the GPU", why);
}

static int allocate(size_t bytes, const char *options, struct memcache_memory_block *block,
		    char *why)
{
	unsigned int flags = CU_MEMHOSTALLOC_PORTABLE;
	int err = read_options(options, why), error;

	err = err ? err : load_library("libcuda.so.1", functions,
				       sizeof(functions) / sizeof(*functions),
				       "NVIDIA's driver has it", why);
	err = err ? err : take_device(why);
	if (err)
		return err;
	block->bytes = round_up_to(bytes, 4096);
	if (asked.wc)
		flags |= CU_MEMHOSTALLOC_WRITECOMBINED;
	error = cu_mem_host_alloc(&block->addr, block->bytes, flags);
	if (!error)
		return 0;
	cu_context_release(asked.device);
	return refuse(error, "has no such memory", why);
}

static void describe(const struct memcache_memory_block *block,
		     struct memcache_memory_facts *facts)
{
	snprintf(facts->word, sizeof(facts->word), "cuda:%s:%u", asked.wc ? "wc" : "cached",
		 asked.number);
	facts->type = asked.wc ? MEMCACHE_MEMORY_WC : MEMCACHE_MEMORY_WB;
}

static void give_back(struct memcache_memory_block *block)
{
	cu_mem_free_host(block->addr);
	cu_context_release(asked.device);
}

const struct memcache_memory memcache_memory = {
	.abi = MEMCACHE_MEMORY_ABI,
	.allocate = allocate,
	.describe = describe,
	.free = give_back,
};
