/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/memcache_wb, _wc, _uc: the standing buffers for user space. */
#ifndef MC_DEVICE_H
#define MC_DEVICE_H

int mc_device_init(void);
void mc_device_exit(void);

#endif /* MC_DEVICE_H */
