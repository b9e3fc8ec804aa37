// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that the firmware uses while the kernel runs. A store to it stops the machine, or
 * changes variables that outlive a restart. The kernel has it in several lists, none of which
 * is complete: in /proc/iomem most of it is just Reserved. So a range is compared with all
 * of them: the memory map of UEFI, the ACPI tables that the kernel has found, the regions
 * where the firmware reports hardware errors (the tables BERT and HEST), and /proc/iomem.
 *
 * Layouts of the tables: ACPI specification, chapter "ACPI Platform Error Interfaces".
 */
#include <linux/acpi.h>
#include <linux/efi.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "kernel/firmware.h"

static bool meet(const struct mc_range *range, u64 start, u64 bytes)
{
	return bytes && start <= range->start + (range->bytes - 1) &&
	       range->start <= start + (bytes - 1);
}

/* Memory that Linux, or the firmware, still needs after the start. */
static bool efi_keeps(const efi_memory_desc_t *md)
{
	switch (md->type) {
	case EFI_RUNTIME_SERVICES_CODE:
	case EFI_RUNTIME_SERVICES_DATA:
	case EFI_ACPI_RECLAIM_MEMORY:
	case EFI_ACPI_MEMORY_NVS:
	case EFI_PAL_CODE:
		return true;
	default:
		return md->attribute & EFI_MEMORY_RUNTIME;
	}
}

static bool efi_owns(const struct mc_range *range)
{
	const efi_memory_desc_t *md;

	if (!IS_ENABLED(CONFIG_EFI) || !efi_enabled(EFI_MEMMAP))
		return false;
	for_each_efi_memory_desc(md) {
		if (efi_keeps(md) && meet(range, md->phys_addr, md->num_pages << EFI_PAGE_SHIFT))
			return true;
	}
	return false;
}

static bool iomem_owns(const struct mc_range *range)
{
	return region_intersects(range->start, range->bytes, IORESOURCE_MEM,
				 IORES_DESC_ACPI_TABLES) != REGION_DISJOINT ||
	       region_intersects(range->start, range->bytes, IORESOURCE_MEM,
				 IORES_DESC_ACPI_NV_STORAGE) != REGION_DISJOINT;
}

#ifdef CONFIG_ACPI
/* ACPI's own functions map a table, so its first page says where it is. */
static u64 address_of(const struct acpi_table_header *table)
{
	u64 page = is_vmalloc_addr(table) ? (u64)vmalloc_to_pfn(table) << PAGE_SHIFT :
					    virt_to_phys((void *)((u64)table & PAGE_MASK));

	return page + offset_in_page(table);
}

static bool in_tables(const struct mc_range *range)
{
	struct acpi_table_header *table;
	bool found = false;
	u32 i;

	if (acpi_disabled)
		return false;
	for (i = 0; !found && ACPI_SUCCESS(acpi_get_table_by_index(i, &table)); i++) {
		found = meet(range, address_of(table), table->length);
		acpi_put_table(table);
	}
	return found;
}

/* Return: the table, for acpi_put_table(), or NULL. */
static void *find_table(const char *signature)
{
	struct acpi_table_header *table;
	char name[ACPI_NAMESEG_SIZE + 1];

	strscpy(name, signature, sizeof(name));
	if (acpi_disabled || ACPI_FAILURE(acpi_get_table(name, 0, &table)))
		return NULL;
	return table;
}

/* The region that has the errors of the last start. */
static bool in_boot_errors(const struct mc_range *range)
{
	struct acpi_table_bert *bert = find_table(ACPI_SIG_BERT);
	bool found = false;

	if (bert) {
		found = bert->header.length >= sizeof(*bert) &&
			meet(range, bert->address, bert->region_length);
		acpi_put_table(&bert->header);
	}
	return found;
}

/* A register in memory has the address of the block that the firmware fills. */
static bool in_error_block(const struct mc_range *range, const struct acpi_hest_generic *source)
{
	struct acpi_generic_address reg = source->error_status_address;
	u64 block;

	if (reg.space_id != ACPI_ADR_SPACE_SYSTEM_MEMORY)
		return false;
	if (meet(range, reg.address, sizeof(u64)))
		return true;
	return ACPI_SUCCESS(acpi_read(&block, &reg)) &&
	       meet(range, block, source->error_block_length);
}

/* Return: bytes of a source of errors; 0: nobody knows. */
static size_t source_bytes(const struct acpi_hest_header *source)
{
	const struct acpi_hest_ia_machine_check *check = (const void *)source;
	const struct acpi_hest_ia_corrected *corrected = (const void *)source;
	const struct acpi_hest_ia_deferred_check *deferred = (const void *)source;
	const size_t bank = sizeof(struct acpi_hest_ia_error_bank);

	switch (source->type) {
	case ACPI_HEST_TYPE_IA32_CHECK:
		return sizeof(*check) + check->num_hardware_banks * bank;
	case ACPI_HEST_TYPE_IA32_CORRECTED_CHECK:
		return sizeof(*corrected) + corrected->num_hardware_banks * bank;
	case ACPI_HEST_TYPE_IA32_DEFERRED_CHECK:
		return sizeof(*deferred) + deferred->num_hardware_banks * bank;
	case ACPI_HEST_TYPE_IA32_NMI:
		return sizeof(struct acpi_hest_ia_nmi);
	case ACPI_HEST_TYPE_AER_ROOT_PORT:
		return sizeof(struct acpi_hest_aer_root);
	case ACPI_HEST_TYPE_AER_ENDPOINT:
		return sizeof(struct acpi_hest_aer);
	case ACPI_HEST_TYPE_AER_BRIDGE:
		return sizeof(struct acpi_hest_aer_bridge);
	case ACPI_HEST_TYPE_GENERIC_ERROR:
		return sizeof(struct acpi_hest_generic);
	case ACPI_HEST_TYPE_GENERIC_ERROR_V2:
		return sizeof(struct acpi_hest_generic_v2);
	default:
		return 0;
	}
}

/*
 * Is some of the range, which may be NULL, where the firmware reports errors while the kernel
 * runs? @whole: result: all of the table could be read
 */
static bool in_errors(const struct mc_range *range, bool *whole)
{
	struct acpi_table_hest *hest = find_table(ACPI_SIG_HEST);
	size_t at = sizeof(*hest), bytes;
	bool found = false;
	u32 i;

	*whole = true;
	for (i = 0; hest && !found && *whole && i < hest->error_source_count; i++, at += bytes) {
		/* The smallest source is larger than the fields that its size depends on. */
		const struct acpi_hest_header *source = (void *)hest + at;
		size_t left = hest->header.length - min_t(size_t, at, hest->header.length);

		bytes = left < sizeof(*source) ? 0 : source_bytes(source);
		*whole = bytes && bytes <= left;
		if (range && *whole && (source->type == ACPI_HEST_TYPE_GENERIC_ERROR ||
					source->type == ACPI_HEST_TYPE_GENERIC_ERROR_V2))
			found = in_error_block(range, (const void *)source);
	}
	if (hest)
		acpi_put_table(&hest->header);
	return found;
}
#else
static bool in_tables(const struct mc_range *range)
{
	return false;
}

static bool in_boot_errors(const struct mc_range *range)
{
	return false;
}

static bool in_errors(const struct mc_range *range, bool *whole)
{
	*whole = true;
	return false;
}
#endif

/**
 * mc_firmware_owns() - does the firmware use some of a range?
 * @range: physical addresses
 *
 * Context: Process, may sleep.
 * Return: what the firmware has there, a noun; NULL: none of the kernel's lists has it.
 */
const char *mc_firmware_owns(const struct mc_range *range)
{
	bool whole;

	if (efi_owns(range))
		return "memory of UEFI's runtime services or of ACPI";
	if (iomem_owns(range) || in_tables(range))
		return "ACPI tables or ACPI's non-volatile storage";
	if (in_boot_errors(range) || in_errors(range, &whole))
		return "the place where it reports hardware errors";
	return NULL;
}

/**
 * mc_firmware_unknown() - may the firmware use memory that mc_firmware_owns() can't know?
 *
 * Context: Process, may sleep.
 * Return: the list that the kernel lacks, a noun; NULL: none.
 */
const char *mc_firmware_unknown(void)
{
	bool whole;

	if (efi_enabled(EFI_BOOT) && !efi_enabled(EFI_MEMMAP))
		return "the memory map of UEFI";
	in_errors(NULL, &whole);
	return whole ? NULL : "all of the ACPI table HEST";
}
