/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPUs, as they come and go. */
#ifndef MC_CPUS_H
#define MC_CPUS_H

int mc_cpus_init(void);
void mc_cpus_exit(void);

#endif /* MC_CPUS_H */
