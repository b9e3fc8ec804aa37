/* SPDX-License-Identifier: GPL-2.0-only */
/* The debugfs files: Documentation/ABI/testing/debugfs-memcache. */
#ifndef MC_CONTROL_H
#define MC_CONTROL_H

void mc_control_init(void);
void mc_control_exit(void);

#endif /* MC_CONTROL_H */
