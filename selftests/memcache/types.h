/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the page tables say of a memory type, and of how many pages. On x86, memcache sets the type
 * of whole blocks in the direct map. On arm64 a type is that of a mapping, so only pages that are
 * mapped have it, and the direct map is always write-back.
 */
#ifndef SELFTESTS_TYPES_H
#define SELFTESTS_TYPES_H

#define BLOCK 512	/* pages: memcache takes whole blocks of 2 MiB */

#ifdef __aarch64__
#define ATTRIBUTE_WC "nc"
#define ATTRIBUTE_UC "nGnRE"
#define TYPES_IN_DIRECT_MAP 0
#define CHANGED(pages) (pages)
#else
#define ATTRIBUTE_WC "wc"
#define ATTRIBUTE_UC "uc-"
#define TYPES_IN_DIRECT_MAP 1
#define CHANGED(pages) (((pages) + BLOCK - 1) / BLOCK * BLOCK)
#endif

#define IN_DIRECT_MAP(attribute) (TYPES_IN_DIRECT_MAP ? (attribute) : "wb")

#endif /* SELFTESTS_TYPES_H */
