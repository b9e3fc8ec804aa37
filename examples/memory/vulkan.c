// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a GPU that the host can map, of one of the types that Vulkan lists.
 *
 *   --memory vulkan.so          the first such type of the first device
 *   --memory vulkan.so,1.3      type 3 of device 1
 *
 * The few declarations are those of vulkan_core.h, on 64-bit machines.
 */
#include "example.h"

#define TYPES_MOST	32
#define HEAPS_MOST	16
#define DEVICES_MOST	16

#define DEVICE_LOCAL	1
#define HOST_VISIBLE	2
#define HOST_COHERENT	4
#define HOST_CACHED	8

/* Values of sType. */
#define IS_INSTANCE	1
#define IS_QUEUE	2
#define IS_DEVICE	3
#define IS_ALLOCATION	5

struct instance_info {
	int type;
	const void *next;
	uint32_t flags;
	const void *application;
	uint32_t nlayers;
	const char * const *layers;
	uint32_t nextensions;
	const char * const *extensions;
};

struct queue_info {
	int type;
	const void *next;
	uint32_t flags;
	uint32_t family;
	uint32_t count;
	const float *priorities;
};

struct device_info {
	int type;
	const void *next;
	uint32_t flags;
	uint32_t nqueues;
	const struct queue_info *queues;
	uint32_t nlayers;
	const char * const *layers;
	uint32_t nextensions;
	const char * const *extensions;
	const void *features;
};

struct allocation_info {
	int type;
	const void *next;
	uint64_t bytes;
	uint32_t memory_type;
};

struct memory_properties {
	uint32_t ntypes;
	struct {
		uint32_t flags;
		uint32_t heap;
	} types[TYPES_MOST];
	uint32_t nheaps;
	struct {
		uint64_t bytes;
		uint32_t flags;
	} heaps[HEAPS_MOST];
};

static int (*create_instance)(const struct instance_info *info, const void *with, void **instance);
static void (*destroy_instance)(void *instance, const void *with);
static int (*list_devices)(void *instance, uint32_t *n, void **devices);
static void (*get_memory)(void *physical, struct memory_properties *properties);
static int (*create_device)(void *physical, const struct device_info *info, const void *with,
			    void **device);
static void (*destroy_device)(void *device, const void *with);
static int (*allocate_memory)(void *device, const struct allocation_info *info, const void *with,
			      uint64_t *memory);
static void (*free_memory)(void *device, uint64_t memory, const void *with);
static int (*map_memory)(void *device, uint64_t memory, uint64_t offset, uint64_t bytes,
			 uint32_t flags, void **address);

static const struct function functions[] = {
	{ "vkCreateInstance", &create_instance },
	{ "vkDestroyInstance", &destroy_instance },
	{ "vkEnumeratePhysicalDevices", &list_devices },
	{ "vkGetPhysicalDeviceMemoryProperties", &get_memory },
	{ "vkCreateDevice", &create_device },
	{ "vkDestroyDevice", &destroy_device },
	{ "vkAllocateMemory", &allocate_memory },
	{ "vkFreeMemory", &free_memory },
	{ "vkMapMemory", &map_memory },
};

/* The objects that are in use; they are given back in the opposite order. */
static struct {
	void *instance;
	void *device;
	uint64_t memory;
	unsigned int number;	/* of the device */
	unsigned int type;
	uint32_t flags;		/* of the type */
} gpu;

static void release(void)
{
	if (gpu.memory)
		free_memory(gpu.device, gpu.memory, NULL);
	if (gpu.device)
		destroy_device(gpu.device, NULL);
	if (gpu.instance)
		destroy_instance(gpu.instance, NULL);
	gpu.memory = 0;
	gpu.device = NULL;
	gpu.instance = NULL;
}

static void name_flags(uint32_t flags, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s%s", flags & HOST_VISIBLE ? "mapped" : "not-mapped",
		 flags & DEVICE_LOCAL ? "+device" : "", flags & HOST_COHERENT ? "+coherent" : "",
		 flags & HOST_CACHED ? "+cached" : "");
}

/* Name all types of the device. */
static int list_types(const struct memory_properties *memory, char *why)
{
	char list[400] = "", flags[48];
	unsigned int i, at = 0;

	for (i = 0; i < memory->ntypes && at < sizeof(list); i++) {
		name_flags(memory->types[i].flags, flags, sizeof(flags));
		at += snprintf(list + at, sizeof(list) - at, " %u:%s", i, flags);
	}
	return fail(why, -EINVAL, "the host can't map type %u of device %u; types:%s", gpu.type,
		    gpu.number, list);
}

/* Find the type of memory. Return: 0 or a negative errno, explained. */
static int find_type(void *physical, int first, char *why)
{
	struct memory_properties memory = { 0 };

	get_memory(physical, &memory);
	while (first && gpu.type + 1 < memory.ntypes &&
	       !(memory.types[gpu.type].flags & HOST_VISIBLE))
		gpu.type++;
	if (gpu.type >= memory.ntypes || !(memory.types[gpu.type].flags & HOST_VISIBLE))
		return list_types(&memory, why);
	gpu.flags = memory.types[gpu.type].flags;
	return 0;
}

/* Find the device, and open it. Return: 0 or a negative errno, explained. */
static int open_device(int first, char *why)
{
	const float priority = 1;
	const struct instance_info instance = { .type = IS_INSTANCE };
	const struct queue_info queue = {
		.type = IS_QUEUE, .count = 1, .priorities = &priority,
	};
	const struct device_info device = {
		.type = IS_DEVICE, .nqueues = 1, .queues = &queue,
	};
	void *devices[DEVICES_MOST];
	uint32_t n = DEVICES_MOST;
	int result = create_instance(&instance, NULL, &gpu.instance);

	if (result)
		return fail(why, -EOPNOTSUPP,
			    "Vulkan does not start (%d); it needs a driver, such as mesa-vulkan-drivers",
			    result);
	result = list_devices(gpu.instance, &n, devices);
	if (result < 0 || gpu.number >= n)
		return fail(why, -ENODEV, "Vulkan has %u devices, and none with number %u",
			    result < 0 ? 0 : n, gpu.number);
	result = find_type(devices[gpu.number], first, why);
	if (result)
		return result;
	result = create_device(devices[gpu.number], &device, NULL, &gpu.device);
	if (result)
		return fail(why, -EOPNOTSUPP, "device %u of Vulkan can't be used (%d)", gpu.number,
			    result);
	return 0;
}

static int allocate(size_t bytes, const char *options, struct memcache_memory_block *block,
		    char *why)
{
	struct allocation_info info = {
		.type = IS_ALLOCATION, .bytes = round_up_to(bytes, 65536),
	};
	int result, err;
	char end;

	gpu.number = 0;
	gpu.type = 0;
	if (*options && sscanf(options, "%u.%u%c", &gpu.number, &gpu.type, &end) != 2)
		return fail(why, -EINVAL,
			    "the options are the numbers of a device and of a type of memory, as 0.1, not %s",
			    options);
	err = load_library("libvulkan.so.1", functions, sizeof(functions) / sizeof(*functions),
			   "the package libvulkan1, or vulkan-loader, has it", why);
	err = err ? err : open_device(!*options, why);
	if (err) {
		release();
		return err;
	}
	info.memory_type = gpu.type;
	result = allocate_memory(gpu.device, &info, NULL, &gpu.memory);
	if (result)
		gpu.memory = 0;
	else
		result = map_memory(gpu.device, gpu.memory, 0, info.bytes, 0, &block->addr);
	if (result) {
		release();
		return fail(why, -ENOMEM,
			    "Vulkan has no %zu bytes of this type that can be mapped (%d); ask for a smaller size=",
			    (size_t)info.bytes, result);
	}
	block->bytes = info.bytes;
	return 0;
}

/* Types that are not cached are often write-combining, which Vulkan does not say. */
static void describe(const struct memcache_memory_block *block,
		     struct memcache_memory_facts *facts)
{
	char flags[48];

	name_flags(gpu.flags, flags, sizeof(flags));
	snprintf(facts->word, sizeof(facts->word), "vulkan:%u.%u:%s", gpu.number % 100,
		 gpu.type % 100, flags);
	if (gpu.flags & HOST_CACHED)
		facts->type = MEMCACHE_MEMORY_WB;
}

static void give_back(struct memcache_memory_block *block)
{
	release();
}

const struct memcache_memory memcache_memory = {
	.abi = MEMCACHE_MEMORY_ABI,
	.allocate = allocate,
	.describe = describe,
	.free = give_back,
};
