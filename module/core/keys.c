// SPDX-License-Identifier: GPL-2.0-only
/* The keys that every test takes. */
#include "core/keys.h"
#include "core/target.h"

static const struct mc_name type_names[] = {
	{ "wb", MC_WB }, { "wc", MC_WC }, { "uc", MC_UC }, { "wt", MC_WT }, { "np", MC_NP }, { }
};

/* The values of a switch; tests use them for their own keys, too. */
const struct mc_name mc_on_off[] = {
	{ "on", 1 }, { "off", 0 }, { }
};

const struct mc_name mc_yes_no[] = {
	{ "yes", 1 }, { "no", 0 }, { }
};

static const struct mc_name size_names[] = {
	{ "auto", MC_AUTO, .asked_only = true }, { }
};

static const struct mc_name measure_names[] = {
	{ "together", MC_MEASURE_TOGETHER }, { "each", MC_MEASURE_EACH }, { }
};

static const struct mc_name node_names[] = {
	{ "auto", MC_AUTO }, { "local", MC_LOCAL }, { }
};

static const struct mc_name page_names[] = {
	{ "auto", MC_PAGE_AUTO }, { "direct", MC_PAGE_DIRECT },
	{ "4k", MC_PAGE_4K }, { "2m", MC_PAGE_2M }, { "thp", MC_PAGE_THP }, { }
};

static const struct mc_name page_outcomes[] = { { "object", MC_PAGE_OBJECT }, { } };

static const struct mc_name time_names[] = { { "0", 0 }, { } };

static const struct mc_name disturbed_names[] = { { "leave_out", 0 }, { "keep", 1 }, { } };

static const struct mc_name prefetch_names[] = {
	{ "keep", MC_PREFETCH_KEEP }, { "off", MC_PREFETCH_OFF },
	{ "auto", MC_PREFETCH_AUTO }, { }
};

static const struct mc_name prefetch_outcomes[] = {
	{ "ineffective", MC_PREFETCH_INEFFECTIVE }, { }
};

static const struct mc_name sched_names[] = {
	{ "keep", MC_SCHED_KEEP }, { "fifo", MC_SCHED_FIFO },
	{ "auto", MC_AUTO, .asked_only = true }, { }
};

static const struct mc_name target_names[] = { { "ram", MC_TARGET_RAM }, { } };

static const struct mc_key common_keys[MC_KEY_FIRST] = {
	[MC_KEY_TYPE] = { .name = "type", .column = "type", .preset = "wb", .kind = MC_CHOICE,
	  .names = type_names,
	  .help = "write-back, write-combining, uncached; targets: also wt, np; on arm64: np" },
	[MC_KEY_SIZE] = { .name = "size", .column = "size_bytes", .preset = "16M",
	  .kind = MC_SIZE, .names = size_names, .multiple = 64, .found = true, .grouped = true,
	  .min = 1024, .max = 1ULL << 46,
	  .help = "bytes of all arrays of all threads together; auto: larger than the caches" },
	[MC_KEY_CPU] = { .name = "cpu", .column = "cpu", .preset = "0", .kind = MC_CPULIST,
	  .found = true,
	  .help = "list of CPUs, each with a bound thread; any: one thread that is not bound" },
	[MC_KEY_MEASURE] = { .name = "measure", .was = "cpus", .preset = "together",
	  .kind = MC_CHOICE, .names = measure_names, .single = true, .json_only = true,
	  .help = "each: one CPU of the list after another, with a result for each" },
	[MC_KEY_SMT] = { .name = "smt", .column = "smt", .preset = "on", .kind = MC_CHOICE,
	  .names = mc_on_off, .single = true, .json_only = true,
	  .help = "off: use one CPU of each core of the list" },
	[MC_KEY_NODE] = { .name = "node", .column = "node", .preset = "auto", .kind = MC_NUMBER,
	  .names = node_names, .max = MC_MAX_NODES - 1, .grouped = true,
	  .help = "NUMA node; auto: numa_node=, or the first CPU's; local: each CPU's own" },
	[MC_KEY_IRQ] = { .name = "irq", .column = "irq", .preset = "on", .kind = MC_CHOICE,
	  .names = mc_on_off, .found = true,
	  .help = "interrupts while the clock runs; off: they are off for 2 ms at a time" },
	[MC_KEY_SCHED] = { .name = "sched", .column = "sched", .preset = "auto",
	  .kind = MC_CHOICE, .names = sched_names, .found = true, .if_any = true,
	  .help = "fifo: threads go before all others, but for rests; auto: where they may" },
	[MC_KEY_DISTURBED] = { .name = "disturbed", .column = "disturbed", .preset = "leave_out",
	  .kind = MC_CHOICE, .names = disturbed_names, .json_only = true,
	  .help = "samples that something else has disturbed; all stay if most are hit" },
	[MC_KEY_PAGE] = { .name = "page", .column = "page", .preset = "auto", .kind = MC_CHOICE,
	  .names = page_names, .found = true, .outcomes = page_outcomes,
	  .help = "mapping; kernel: direct map (auto), 4k; user: 4k (auto), 2m, thp" },
	[MC_KEY_PREFETCH] = { .name = "prefetch", .column = "prefetch", .preset = "keep",
	  .kind = MC_CHOICE, .names = prefetch_names, .json_only = true,
	  .outcomes = prefetch_outcomes, .found = true,
	  .help = "hardware prefetchers; off: while measuring; auto: off if possible" },
	[MC_KEY_REPEAT] = { .name = "repeat", .column = "repeat", .preset = "10",
	  .kind = MC_NUMBER, .min = 1, .max = MC_MAX_REPEAT, .json_only = true, .found = true,
	  .help = "number of samples that are kept; with time= the least number" },
	[MC_KEY_WARMUP] = { .name = "warmup", .column = "warmup", .preset = "2",
	  .kind = MC_NUMBER, .max = 1000000, .json_only = true,
	  .help = "number of samples before the first one that is kept" },
	[MC_KEY_TIME] = { .name = "time", .preset = "0", .kind = MC_NUMBER, .names = time_names,
	  .decimals = 3, .seconds = true, .min = 1, .max = 86400000, .single = true,
	  .json_only = true,
	  .help = "seconds that the samples of a result take; 0: as long as repeat= takes" },
	[MC_KEY_TIMEOUT] = { .name = "timeout", .preset = "0", .kind = MC_NUMBER, .max = 86400,
	  .seconds = true, .single = true, .json_only = true,
	  .help = "seconds after which the run stops, keeping what it has; 0: never" },
	[MC_KEY_TARGET] = { .name = "target", .column = "target", .preset = "ram",
	  .kind = MC_TARGET, .names = target_names, .single = true, .if_any = true,
	  .help = "memory of the kernel, a BAR of a PCI device, or other physical memory" },
	[MC_KEY_OFFSET] = { .name = "offset", .column = "offset_bytes", .preset = "0",
	  .kind = MC_SIZE, .max = 1ULL << 46, .multiple = 64, .json_only = true,
	  .help = "bytes of the target before the first one that is measured" },
	[MC_KEY_WRITE] = { .name = "write", .column = "write", .preset = "no", .kind = MC_CHOICE,
	  .names = mc_yes_no, .single = true, .json_only = true,
	  .help = "yes: write to the target, and bring its contents back at the end" },
	[MC_KEY_ANY_BAR] = { .name = "any_bar", .preset = "no", .kind = MC_CHOICE,
	  .names = mc_yes_no, .single = true, .json_only = true,
	  .help = "yes: also a BAR where reading may have an effect (not prefetchable)" },
	[MC_KEY_ANY_RANGE] = { .name = "any_range", .preset = "no", .kind = MC_CHOICE,
	  .names = mc_yes_no, .single = true, .json_only = true,
	  .help = "yes: also a range that is reserved, for nobody knows what" },
};

/* The order in which help shows them: first the MC_KEYS_MAIN that most requests have. */
static const u8 shown[MC_KEY_FIRST] = {
	MC_KEY_TYPE, MC_KEY_SIZE, MC_KEY_CPU, MC_KEY_NODE, MC_KEY_REPEAT, MC_KEY_TIME,
	MC_KEY_MEASURE, MC_KEY_SMT, MC_KEY_PAGE, MC_KEY_IRQ, MC_KEY_SCHED, MC_KEY_PREFETCH,
	MC_KEY_DISTURBED, MC_KEY_WARMUP, MC_KEY_TIMEOUT, MC_KEY_TARGET, MC_KEY_OFFSET,
	MC_KEY_WRITE, MC_KEY_ANY_BAR, MC_KEY_ANY_RANGE,
};

/**
 * mc_common_key() - find a key that every test takes, in the order in which they are shown
 * @i: its place, 0 to MC_KEY_FIRST - 1; those before MC_KEYS_MAIN are the main ones
 *
 * Return: the key.
 */
const struct mc_key *mc_common_key(unsigned int i)
{
	return &common_keys[shown[i]];
}

/**
 * mc_name_of() - the word for a value
 * @names: words, terminated by an empty entry; or NULL
 * @value: the value
 *
 * Return: the word, or NULL.
 */
const char *mc_name_of(const struct mc_name *names, u64 value)
{
	for (; names && names->name; names++) {
		if (names->value == value)
			return names->name;
	}
	return NULL;
}

/**
 * mc_key_word() - the word for a value
 * @key: the key
 * @value: one of its values
 *
 * Return: the word, or NULL if the value is a plain number.
 */
const char *mc_key_word(const struct mc_key *key, u64 value)
{
	const char *word = mc_name_of(key->names, value);

	if (key->kind == MC_GROUPS)	/* its names are operations of a group */
		return NULL;
	return word ? word : mc_name_of(key->outcomes, value);
}

/**
 * mc_key_show() - append a value in the form of a request
 * @t: the text
 * @key: the key
 * @value: one of its values
 */
void mc_key_show(struct mc_text *t, const struct mc_key *key, u64 value)
{
	const char *word = mc_key_word(key, value);

	if (word)
		mc_textf(t, "%s", word);
	else if (key->kind == MC_SIZE)
		mc_text_size(t, value);
	else if (key->kind == MC_TIME)
		mc_text_time(t, value);
	else
		mc_text_decimal(t, value, key->decimals);
}

/**
 * mc_type_name() - the name of a memory type
 * @type: the type
 *
 * Return: its name, as in type=.
 */
const char *mc_type_name(enum mc_type type)
{
	return mc_key_word(&common_keys[MC_KEY_TYPE], type);
}

/**
 * mc_key_of() - find a key of a test by its number
 * @spec: the test
 * @id: 0 to MC_KEY_FIRST + @spec->nkeys - 1
 *
 * Return: the key.
 */
const struct mc_key *mc_key_of(const struct mc_spec *spec, unsigned int id)
{
	return id < MC_KEY_FIRST ? &common_keys[id] : &spec->keys[id - MC_KEY_FIRST];
}
