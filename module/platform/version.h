/* SPDX-License-Identifier: GPL-2.0-only */
/* The version of the sources, as tools/version prints it. */
#ifndef MC_VERSION_H
#define MC_VERSION_H

/* Each side has one file that the build tells the version, so that no other is built anew. */
extern const char mc_version[];

#endif /* MC_VERSION_H */
