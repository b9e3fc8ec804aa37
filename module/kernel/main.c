// SPDX-License-Identifier: GPL-2.0-only
/*
 * memcache: measures memory from inside the kernel.
 *
 *   # echo 'bandwidth type=wb,uc,wc op=write' > /sys/kernel/debug/memcache/run
 *   # cat /sys/kernel/debug/memcache/results
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/sizes.h>

#include "kernel/control.h"
#include "kernel/counters.h"
#include "kernel/device.h"
#include "kernel/mappings.h"
#include "kernel/memory.h"
#include "kernel/prefetch.h"
#include "kernel/run.h"
#include "kernel/target.h"
#include "platform/clock.h"
#include "platform/cpus.h"

static unsigned int size_mb = 16;
module_param(size_mb, uint, 0444);
MODULE_PARM_DESC(size_mb, "MiB of each standing buffer, one for each memory type (default 16; 0: none)");

/* The kernel has a per-CPU variable named numa_node, like the parameter. */
static int node_of_buffers = -1;
module_param_named(numa_node, node_of_buffers, int, 0444);
MODULE_PARM_DESC(numa_node, "NUMA node of buffers where a request names none (default -1: that of its first CPU)");

static unsigned int unlisted_cache_mb;
module_param(unlisted_cache_mb, uint, 0644);
MODULE_PARM_DESC(unlisted_cache_mb,
		 "MiB of a cache in front of memory that the CPUs do not report (default 0: none is known)");

/**
 * mc_unlisted_cache() - the cache in front of memory that no CPU reports
 *
 * Only a process can read sysfs, and search. A parameter of the module says what it has found.
 *
 * Return: its size in bytes, 0 if none is known.
 */
u64 mc_unlisted_cache(void)
{
	return (u64)READ_ONCE(unlisted_cache_mb) << 20;
}

static int __init memcache_init(void)
{
	struct mc_error e = { 0 };
	int err;

	if (node_of_buffers < -1 || node_of_buffers >= MAX_NUMNODES ||
	    (node_of_buffers >= 0 && !node_state(node_of_buffers, N_MEMORY))) {
		pr_err("memcache: numa_node: %d has no memory\n", node_of_buffers);
		return -EINVAL;
	}
	err = mc_cpus_init();
	if (err)
		return err;
	mc_clock_init();
	mc_detector_init();
	err = mc_memory_init((u64)size_mb * SZ_1M, node_of_buffers, &e);
	if (err) {
		pr_err("memcache: %s (module parameter size_mb=%u)\n", e.text, size_mb);
		goto err_cpus;
	}
	err = mc_prefetch_init();
	if (err)
		goto err_memory;
	err = mc_device_init();
	if (err)
		goto err_prefetch;
	err = mc_target_init();
	if (err)
		goto err_device;
	mc_control_init();
	return 0;

err_device:
	mc_device_exit();
err_prefetch:
	mc_prefetch_exit();
err_memory:
	mc_memory_exit();
err_cpus:
	mc_cpus_exit();
	return err;
}

static void __exit memcache_exit(void)
{
	mc_control_exit();
	mc_target_exit();
	mc_device_exit();
	mc_run_exit();
	mc_mappings_exit();
	mc_counters_exit();
	mc_prefetch_exit();
	mc_memory_exit();
	mc_cpus_exit();
}

module_init(memcache_init);
module_exit(memcache_exit);

MODULE_DESCRIPTION("Measures memory from inside the kernel, by cache attribute");
MODULE_LICENSE("GPL");
