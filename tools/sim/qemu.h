/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of QEMU 10 that the machine is built on. Debian ships no header of the plugins'
 * interface, so it is declared here (QEMU's docs/devel/tcg-plugins.rst describes it). The
 * functions below it are not of that interface: they are QEMU's own, which its program exports.
 */
#ifndef SIM_QEMU_H
#define SIM_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_VERSION	4	/* of the interface: QEMU 9.2 and later */
#define EXPORTED	__attribute__((visibility("default")))

typedef uint64_t plugin_id;
typedef uint32_t plugin_memory_info;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;

struct plugin_info {
	const char *target_name;
	struct { int min; int cur; } version;
	bool system_emulation;
	struct { int smp_vcpus; int max_vcpus; } system;
};

struct plugin_register_name {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
};

enum { REGISTERS_UNTOUCHED, REGISTERS_READ };
enum { MEMORY_READ_WRITE = 3 };
enum inline_operation { INLINE_ADD };

/* A number for each CPU, at an offset from the beginning of what the scoreboard has for it. */
struct plugin_number {
	struct qemu_plugin_scoreboard *all;
	size_t offset;
};

typedef void (*cpu_callback)(plugin_id id, unsigned int cpu);
typedef void (*exec_callback)(unsigned int cpu, void *data);
typedef void (*memory_callback)(unsigned int cpu, plugin_memory_info info, uint64_t address,
				void *data);
typedef void (*translation_callback)(plugin_id id, struct qemu_plugin_tb *tb);

void qemu_plugin_register_vcpu_init_cb(plugin_id id, cpu_callback f);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translation_callback f);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, exec_callback f, int flags,
					  void *data);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
						       enum inline_operation what,
						       struct plugin_number to, uint64_t number);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t bytes);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *s, unsigned int cpu);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, exec_callback f,
					    int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, memory_callback f,
				      int flags, int which, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t most);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(plugin_memory_info info);
unsigned int qemu_plugin_mem_size_shift(plugin_memory_info info);

/* GLib's arrays, as far as they are used. */
struct byte_array {
	uint8_t *data;
	unsigned int length;
};

struct array {
	char *data;
	unsigned int length;
};

struct byte_array *g_byte_array_new(void);
void *g_hash_table_lookup(void *table, const void *key);
struct byte_array *g_byte_array_set_size(struct byte_array *a, unsigned int length);
struct array *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, struct byte_array *to);

/* QEMU's own. */
struct CPUState;

struct CPUState *qemu_get_cpu(int index);
bool cpu_thread_is_idle(struct CPUState *cpu);
bool cpu_is_stopped(struct CPUState *cpu);
void cpu_exit(struct CPUState *cpu);
void qemu_notify_event(void);
_Noreturn void cpu_loop_exit_restore(struct CPUState *cpu, uintptr_t host_pc);
void tb_flush(struct CPUState *cpu);
/* Its data is a union of 8 bytes, which is passed as a number is. */
void async_safe_run_on_cpu(struct CPUState *cpu, void (*f)(struct CPUState *cpu, uint64_t data),
			   uint64_t data);
void cpu_physical_memory_rw(uint64_t physical, void *buffer, uint64_t bytes, bool is_write);

/* Of the emulator for x86 only; looked up by name. */
typedef void (*cpuid_function)(void *env, uint32_t leaf, uint32_t index, uint32_t *eax,
			       uint32_t *ebx, uint32_t *ecx, uint32_t *edx);
typedef void (*msr_function)(uint64_t *registers);

/* Of the emulator for arm64 only. */
typedef uint64_t (*get_register_function)(void *env, const void *about);
typedef void (*set_register_function)(void *env, const void *about, uint64_t value);

/* A system register: ARMCPRegInfo of target/arm/cpregs.h, as far as it is used. */
struct register_description {
	const char *name;
	uint8_t encoding_and_access[40];
	uint64_t value;		/* at reset, or always */
};

#endif /* SIM_QEMU_H */
