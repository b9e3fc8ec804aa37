/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the files of memcache-user share. */
#ifndef MC_USER_H
#define MC_USER_H

#include "measure/side.h"

/* memory.c */
extern const struct mc_side mc_user_side;
void mc_user_memory_init(bool own);
void mc_user_memory_end(void);
void mc_user_types_json(struct mc_text *t);
const char *mc_user_memory_name(void);

/* counters.c */
int mc_user_counters(const char *path, struct mc_error *e);

/* machine.c */
#define MC_MACHINE_MAX	16384
void mc_user_machine_json(struct mc_text *t);
bool mc_user_read_file(const char *path, char *buf, size_t size);

/* describe.c */
void mc_user_describe(struct mc_text *t);

/* nodes.c */
int mc_user_module_node(void);

/* workers.c: end the current run with -EINTR; may be called by a signal handler. */
void mc_user_interrupt(void);
bool mc_user_interrupted(void);

#endif /* MC_USER_H */
