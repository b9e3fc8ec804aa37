// SPDX-License-Identifier: GPL-2.0-only
/* The CPU as its identification register describes it (Arm ARM, MIDR_EL1). */
#include "arch/cores.h"
#include "core/level.h"

/* Room for what firmware calls a machine, its maker, and what it is compatible with. */
#define NAMES_BYTES	256

#ifdef __KERNEL__
#include <linux/arm-smccc.h>
#include <linux/dmi.h>
#include <linux/of.h>
#include <linux/smp.h>
#include <asm/cputype.h>
#include <asm/sysreg.h>

static u64 midr(void)
{
	return read_cpuid_id();
}

static u32 this_cpu(void)
{
	return raw_smp_processor_id();
}

/* Arm ARM, ID_AA64ISAR0_EL1, "Atomic". */
static bool has_atomics(void)
{
	return (read_sysreg_s(SYS_ID_AA64ISAR0_EL1) >> 20 & 0xf) >= 2;
}

/* A field of a register: @bits bits from bit @low on. */
static u32 field(u64 value, unsigned int low, unsigned int bits)
{
	return value >> low & ((1ULL << bits) - 1);
}

/* A cache as CCSIDR_EL1 describes it, after it was selected; @code: the one for code. */
static void find_cache(struct mc_cache *c, u32 level, bool code)
{
	bool wide = field(read_sysreg_s(SYS_ID_AA64MMFR2_EL1), 20, 4);	/* CCIDX */
	u64 size;

	write_sysreg((level - 1) << 1 | code, csselr_el1);
	isb();
	size = read_sysreg(ccsidr_el1);
	*c = (struct mc_cache){
		.level = level, .line = 16U << field(size, 0, 3),
		.ways = 1 + (wide ? field(size, 3, 21) : field(size, 3, 10)),
		.ids = level < 3 ? 1 : MC_CACHE_OF_ALL,
	};
	c->bytes = (u64)c->line * c->ways *
		   (1 + (u64)(wide ? field(size, 32, 24) : field(size, 13, 15)));
}

/*
 * The caches that CLIDR_EL1 lists. No register tells which CPUs share one. On most machines
 * each core has its own L1 and L2, and all share an L3.
 */
static void find_caches(struct mc_core *core)
{
	u64 list = read_sysreg(clidr_el1);
	u32 level;

	for (level = 1; level <= MC_CACHES; level++) {
		/* 1: code; 2: data; 3: code and data; 4: unified */
		u32 type = field(list, 3 * (level - 1), 3);
		struct mc_cache *c = &core->caches[core->ncaches];

		if (type & 2 || type == 4) {
			find_cache(c, level, false);
			c++->kind = type == 4 ? MC_CACHE_UNIFIED : MC_CACHE_DATA;
		}
		if (type & 1) {
			find_cache(c, level, true);
			c++->kind = MC_CACHE_CODE;
		}
		core->ncaches = c - core->caches;
	}
}

/*
 * A kernel that calls its firmware by HVC was started below a hypervisor. One that calls it by
 * SMC may be, if the hypervisor lets guests have hypervisors of their own.
 */
static bool under_hypervisor(void)
{
	struct device_node *node = of_find_node_by_path("/hypervisor");

	of_node_put(node);
	return node || arm_smccc_1_1_get_conduit() == SMCCC_CONDUIT_HVC;
}

/* Append what firmware calls the machine. */
static void read_names(struct mc_text *t)
{
	struct device_node *root = of_find_node_by_path("/");
	const char *maker = dmi_get_system_info(DMI_SYS_VENDOR);
	const char *product = dmi_get_system_info(DMI_PRODUCT_NAME);
	const char *name;
	int i;

	mc_textf(t, "%s %s", maker ? maker : "", product ? product : "");
	for (i = 0; !of_property_read_string_index(root, "compatible", i, &name); i++)
		mc_textf(t, " %s", name);
	of_node_put(root);
}

/* Arm, "SMC Calling Convention": the call that all vendors of hypervisors share. */
static bool says_kvm(void)
{
	struct arm_smccc_res res;

	arm_smccc_1_1_invoke(ARM_SMCCC_VENDOR_HYP_CALL_UID_FUNC_ID, &res);
	return res.a0 == ARM_SMCCC_VENDOR_HYP_UID_KVM_REG_0 &&
	       res.a1 == ARM_SMCCC_VENDOR_HYP_UID_KVM_REG_1 &&
	       res.a2 == ARM_SMCCC_VENDOR_HYP_UID_KVM_REG_2 &&
	       res.a3 == ARM_SMCCC_VENDOR_HYP_UID_KVM_REG_3;
}
#else
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/auxv.h>
#include <asm/hwcap.h>

/* Linux emulates the access of a process, if it says so. */
static u64 midr(void)
{
	u64 value = 0;

	if (getauxval(AT_HWCAP) & HWCAP_CPUID)
		asm volatile("mrs %0, midr_el1" : "=r" (value));
	return value;
}

static u32 this_cpu(void)
{
	return sched_getcpu();
}

static bool has_atomics(void)
{
	return getauxval(AT_HWCAP) & HWCAP_ATOMICS;
}

/* The system knows the caches. */
static void find_caches(struct mc_core *core)
{
}

/* No register tells a process. */
static bool under_hypervisor(void)
{
	return !access("/proc/device-tree/hypervisor", F_OK);
}

/* Append the file, with a space for each NUL. */
static void append_file(struct mc_text *t, const char *path)
{
	FILE *file = fopen(path, "r");
	int c;

	if (!file)
		return;
	while ((c = fgetc(file)) != EOF)
		mc_textf(t, "%c", c ? c : ' ');
	mc_textf(t, " ");
	fclose(file);
}

static void read_names(struct mc_text *t)
{
	append_file(t, "/sys/class/dmi/id/sys_vendor");
	append_file(t, "/sys/class/dmi/id/product_name");
	append_file(t, "/proc/device-tree/compatible");
}
#endif

/*
 * Words in the names of guests, and of makers of machines. The front end has the same words
 * (mc/running/machine.py).
 */
static const char * const guests[] = {
	"QEMU", "KVM", "Amazon EC2", "Google", "Xen", "xen,", "VMware", "innotek",
	"VirtualBox", "Virtual", "virt", "OpenStack", "KubeVirt", "Parallels",
	"Hetzner", "vServer", "Cloud", "cloud", "CLOUD", "bhyve", "Bochs",
	"DigitalOcean", "Nutanix", "oVirt", "Hyper-V",
};

static const char * const makers[] = {
	"GIGABYTE", "Gigabyte", "Giga Computing", "ASRock", "ASUS", "Supermicro",
	"Dell", "HPE", "Hewlett", "LENOVO", "Lenovo", "HUAWEI", "Huawei", "FUJITSU",
	"Ampere", "ADLINK", "Wiwynn", "WIWYNN", "Foxconn", "Quanta", "Inventec",
	"Inspur", "Cavium", "Marvell", "NVIDIA", "Qualcomm", "Phytium", "PHYTIUM",
	"Surface", "System76", "SolidRun", "Raspberry Pi", "raspberrypi,", "Radxa",
	"radxa,", "Pine64", "Apple Mac", "Apple iMac", "apple,", "TaiShan",
	"xFusion", "H3C", "TYAN", "Tyan", "MiTAC", "Samsung", "Acer", "brcm,",
	"rockchip,", "allwinner,", "amlogic,", "qcom,", "mediatek,", "nvidia,",
	"fsl,", "marvell,", "xlnx,", "hisilicon,", "socionext,", "samsung,",
	"renesas,",
};

static bool has_any(const char *names, const char * const *words, size_t n)
{
	while (n && !strstr(names, words[n - 1]))
		n--;
	return n;
}

/*
 * Is it known that there is no hypervisor? Only the name of a machine that is no guest shows it.
 * Instances of Amazon EC2 without a hypervisor end in ".metal".
 */
static bool is_hardware(void)
{
	char names[NAMES_BYTES] = "";
	struct mc_text t = MC_TEXT(names);

	read_names(&t);
	if (under_hypervisor())
		return false;
	return strstr(names, ".metal") ||
	       (!has_any(names, guests, ARRAY_SIZE(guests)) &&
		has_any(names, makers, ARRAY_SIZE(makers)));
}

#define IMPLEMENTER(midr)	((midr) >> 24 & 0xff)
#define VARIANT(midr)		((midr) >> 20 & 0xf)
#define PART(midr)		((midr) >> 4 & 0xfff)
#define REVISION(midr)		((midr) & 0xf)

/* Arm ARM, MIDR_EL1, "Implementer". */
static const struct {
	u8 implementer;
	const char *name;
} vendors[] = {
	{ 0x41, "Arm" }, { 0x42, "Broadcom" }, { 0x43, "Cavium" }, { 0x46, "Fujitsu" },
	{ 0x48, "HiSilicon" }, { 0x4e, "NVIDIA" }, { 0x50, "APM" }, { 0x51, "Qualcomm" },
	{ 0x53, "Samsung" }, { 0x61, "Apple" }, { 0x6d, "Microsoft" }, { 0xc0, "Ampere" },
};

/* Arm's cores, by the technical reference manual of each. */
static const struct {
	u16 part;
	const char *name;
} arm_cores[] = {
	{ 0xd03, "Cortex-A53" }, { 0xd04, "Cortex-A35" }, { 0xd05, "Cortex-A55" },
	{ 0xd07, "Cortex-A57" }, { 0xd08, "Cortex-A72" }, { 0xd09, "Cortex-A73" },
	{ 0xd0a, "Cortex-A75" }, { 0xd0b, "Cortex-A76" }, { 0xd0c, "Neoverse N1" },
	{ 0xd0d, "Cortex-A77" }, { 0xd40, "Neoverse V1" }, { 0xd41, "Cortex-A78" },
	{ 0xd44, "Cortex-X1" }, { 0xd49, "Neoverse N2" }, { 0xd4a, "Neoverse E1" },
	{ 0xd4f, "Neoverse V2" },
};

static const char *vendor_name(u64 id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vendors); i++) {
		if (vendors[i].implementer == IMPLEMENTER(id))
			return vendors[i].name;
	}
	return "";
}

void mc_core_read(struct mc_core *core)
{
	u64 id = midr();
	struct mc_text vendor = MC_TEXT(core->model.vendor);

	core->model = (struct mc_cpu_model){
		.family = 8, .model = PART(id),
		.stepping = VARIANT(id) << 4 | REVISION(id),
	};
	mc_textf(&vendor, "%s", vendor_name(id));
	core->features = 1U << MC_CPU_BASE | 1U << MC_CPU_LLSC | 1U << MC_CPU_PREFETCHW |
			 (u32)has_atomics() << MC_CPU_ATOMICS;
	core->id = this_cpu();
	core->ncaches = 0;
	find_caches(core);
}

void mc_cpu_name(char name[MC_CPU_NAME_BYTES])
{
	u64 id = midr();
	struct mc_text t = { name, MC_CPU_NAME_BYTES };
	size_t i;

	*name = '\0';
	if (!id)
		return;
	for (i = 0; i < ARRAY_SIZE(arm_cores); i++) {
		if (IMPLEMENTER(id) == 0x41 && arm_cores[i].part == PART(id)) {
			mc_textf(&t, "%s %s", vendor_name(id), arm_cores[i].name);
			return;
		}
	}
	mc_textf(&t, "%s part 0x%x", vendor_name(id), (u32)PART(id));
}

/* The architecture requires it. */
bool mc_time_counter_steady(void)
{
	return true;
}

bool mc_hypervisor(void)
{
	return !is_hardware();
}

const char *mc_hypervisor_name(char id[MC_HYPERVISOR_BYTES])
{
#ifdef __KERNEL__
	if (under_hypervisor() && says_kvm())
		return "kvm";
#endif
	return is_hardware() ? NULL : "unknown";
}
