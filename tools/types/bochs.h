/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of Bochs that the machine is built on. */
#ifndef TYPES_BOCHS_H
#define TYPES_BOCHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses besides those of the guest. */
#define STATUS_BROKEN	99	/* the machine does not work */
#define STATUS_UNKNOWN	98	/* this Bochs is not one that we know */

/* Ports. The guest reads its orders, and writes their output, in a range of them. */
#define PORT_LOAD	0x4ffc	/* boot ROM: put the kernel into memory */
#define PORT_DONE	0x4ffd	/* the order's exit status */
#define PORT_DATA	0x5000
#define PORT_DATA_LAST	0x7fff

/**
 * struct events - events of the machine; those of memory come only after bochs_watch()
 * @linear_access: every access to memory (type: enum type, access: enum access)
 * @before: an instruction is about to execute; gets its opcode, as Bochs numbers them
 * @decoded: an instruction was met for the first time; gets its bytes
 * @branch: a call, return or jump goes to an address
 * @flush: CLFLUSH, CLFLUSHOPT or CLWB of an address
 * @caches: INVD or WBINVD
 * @translations: the TLB is flushed; @cr3: the new page tables, 0: the same as before
 * @interrupt: a device's or timer's interrupt is delivered
 * @out: the guest writes to a port, even to one that no device has taken yet
 */
struct events {
	void (*linear_access)(uint64_t linear, uint64_t physical, unsigned int bytes,
			      unsigned int type, unsigned int access);
	void (*before)(unsigned int opcode);
	void (*decoded)(unsigned int opcode, const uint8_t *bytes, unsigned int n, bool is64);
	void (*branch)(uint64_t to);
	void (*flush)(uint64_t linear, uint64_t physical);
	void (*caches)(void);
	void (*translations)(uint64_t cr3);
	void (*interrupt)(void);
	void (*out)(uint16_t port);
};

void bochs_attach(const struct events *events);
void bochs_watch(void);
void bochs_cpuid_caches(void (*leaf4)(unsigned int index, uint32_t registers[4]));
void bochs_ports(uint16_t first, uint16_t last, uint8_t (*in)(uint16_t port),
		 void (*out)(uint16_t port, uint8_t value));
uint64_t bochs_now(void);
void bochs_pass(uint64_t ticks);
void bochs_write(uint64_t physical, const void *from, uint64_t bytes);
uint64_t bochs_read64(uint64_t physical);
const char *bochs_version(void);
_Noreturn void bochs_fail(int status, const char *format, ...);

#endif /* TYPES_BOCHS_H */
