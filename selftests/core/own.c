// SPDX-License-Identifier: GPL-2.0-only
/* op=own natively: what a loop may say of itself, and how bandwidth measures and verifies it. */
#include "stub/bandwidth.h"

#include "arch/own.h"

static const struct mc_own good = {
	.abi = MC_OWN_ABI, .layout = MC_ARG_LANES, .name = "copy@0123456789ab",
	.arrays = 2, .turn = 256, .payload = 512, .width = 8, .stores = MC_OWN_COPY,
};

static unsigned int turn;	/* of the loop that is registered */
static u64 words_done;		/* in each array, by timed passes */
static u64 missing = ~0ULL;	/* the loop leaves out each word of such a number */

/* ---------------------------------------------------------------- the loops */

static void each_word(struct mc_loop_args *args, void (*what)(struct mc_loop_args *, u64))
{
	assert_int_equal(args->bytes % turn, 0);
	assert_null(args->scatter);
	for (u64 pass = 0; pass < args->passes; pass++) {
		for (u64 i = 0; i < args->bytes / 8; i++)
			if ((i + 1) % missing)
				what(args, i);
		words_done += args->bytes / 8;
	}
}

static void copy_word(struct mc_loop_args *args, u64 i)
{
	((u64 *)args->a)[i] = ((u64 *)args->b)[i];
}

static void add_to_word(struct mc_loop_args *args, u64 i)
{
	((u64 *)args->a)[i]++;
}

static void no_word(struct mc_loop_args *args, u64 i)
{
}

static void run_copy(struct mc_loop_args *args)
{
	each_word(args, copy_word);
}

static void run_add(struct mc_loop_args *args)
{
	each_word(args, add_to_word);
}

static void run_nothing(struct mc_loop_args *args)
{
	each_word(args, no_word);
}

static void registered(const struct mc_own *own, void (*loop)(struct mc_loop_args *args))
{
	reset(1);
	has_loop = true;
	turn = own->turn;
	missing = ~0ULL;
	words_done = 0;
	assert_null(mc_own_set(own, loop));
}

/* -------------------------------------------------------------------- tests */

static void test_without_a_loop_it_is_refused(void **state)
{
	reset(1);
	has_loop = false;
	assert_int_equal(check("op=own"), -EOPNOTSUPP);
	assert_false(run.holds_loop);
	assert_null(mc_loop_widest(MC_OP_OWN));
	registered(&good, run_copy);
	assert_int_equal(check("op=own"), 0);
	assert_true(run.holds_loop);
	assert_string_equal(mc_ops[MC_OP_OWN].name, "own");
	mc_own_clear();
	assert_null(mc_loop_widest(MC_OP_OWN));
}

#define WITH(field, value) ({						\
	struct mc_own one = good;					\
									\
	one.field = value;						\
	mc_own_set(&one, run_copy);					\
})

static void test_what_cant_be_is_refused_and_changes_nothing(void **state)
{
	struct mc_own nameless = good;

	mc_own_clear();
	assert_non_null(WITH(abi, MC_OWN_ABI + 1));
	assert_non_null(WITH(layout, MC_ARG_LANES - 8));
	assert_non_null(WITH(arrays, 0));
	assert_non_null(WITH(arrays, 1));	/* a copy has two */
	assert_non_null(WITH(arrays, MC_OWN_ARRAYS_MAX + 1));
	assert_non_null(WITH(turn, 0));
	assert_non_null(WITH(turn, 32));
	assert_non_null(WITH(turn, 192));
	assert_non_null(WITH(turn, 8192));
	assert_non_null(WITH(payload, 0));
	assert_non_null(WITH(payload, 1025));
	assert_non_null(WITH(width, 4));
	assert_non_null(WITH(width, 24));
	assert_non_null(WITH(width, 128));
	assert_non_null(WITH(stores, MC_STORES_COUNTER));
	assert_non_null(WITH(stores, MC_STORES_BYTE));
	assert_non_null(WITH(stores, MC_OWN_UNKNOWN + 1));
	assert_non_null(WITH(stores, MC_OWN_TRIAD));
	assert_non_null(WITH(feature, MC_NFEATURES));
	assert_non_null(WITH(needs, MC_NFEATURES));
	assert_non_null(WITH(flags, MC_OWN_FLAGS + 1));
	assert_non_null(WITH(flags, MC_OWN_WRITES_TWO));
	assert_non_null(WITH(name[0], '\0'));
	assert_non_null(WITH(name[4], ' '));
	assert_non_null(WITH(name[4], '\n'));
	memset(nameless.name, 'x', sizeof(nameless.name));
	assert_non_null(mc_own_set(&nameless, run_copy));
	assert_null(mc_loop_widest(MC_OP_OWN));
	assert_null(mc_own_set(&good, run_copy));
}

static void test_a_right_loop_is_verified_and_named(void **state)
{
	static const unsigned int turns[] = { 64, 256, 1024 };

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(turns); i++) {
		struct mc_own own = good;

		own.turn = turns[i / 2];
		own.payload = 2 * own.turn;
		registered(&own, run_copy);
		/* Windows smaller than a pass, then passes in a window. */
		pass_ps = i % 2 ? 150 * NS : 0;
		assert_int_equal(verified("size=30K op=own"), MC_VERIFIED_OK);
		shows(rec, "traversed_bytes=30720 payload_bytes=30720 width_bytes=8; "
		      "own_loop=copy@0123456789ab");
		assert_true(words_done >= 4 * SIZE / 2 / 8);
	}
	/* The record keeps the name of the loop that it is about. */
	mc_own_clear();
	shows(rec, "own_loop=copy@0123456789ab");
	reset(1);
	assert_int_equal(verified("size=30K op=copy"), MC_VERIFIED_OK);
	shows(rec, "own_loop=null");
}

static void test_a_loop_that_leaves_words_out_fails(void **state)
{
	registered(&good, run_copy);
	missing = 32;
	assert_int_equal(verified("size=30K op=own"), MC_VERIFIED_FAILED);
	missing = ~0ULL;
	assert_int_equal(verified("size=30K op=own"), MC_VERIFIED_OK);
}

/* Each word grows by one in each pass, so this counts turns and passes. */
static void test_each_turn_is_run_once_a_pass(void **state)
{
	struct mc_own own = good;

	own.stores = MC_OWN_RMW;
	own.arrays = 1;
	registered(&own, run_add);
	assert_int_equal(verified("size=30K op=own fence=mfence"), MC_VERIFIED_OK);
	shows(rec, "payload_bytes=61440");
	pass_ps = 150 * NS;
	assert_int_equal(verified("size=30K op=own"), MC_VERIFIED_OK);
}

static void test_what_nobody_can_verify_is_not(void **state)
{
	struct mc_own own = good;

	own.stores = MC_OWN_UNKNOWN;
	registered(&own, run_add);
	assert_int_equal(verified("size=30K op=own"), MC_VERIFIED_OFF);
	assert_int_equal(verified("size=30K op=own data=zero"), MC_VERIFIED_OFF);
	/* A loop that says that it only loads must leave the memory as it was. */
	own.stores = MC_OWN_NOTHING;
	registered(&own, run_nothing);
	assert_int_equal(verified("size=30K op=own"), MC_VERIFIED_OK);
	assert_false(mc_test_bandwidth.reads_only(&rec->point));
	registered(&own, run_add);
	assert_int_equal(verified("size=30K op=own"), MC_VERIFIED_FAILED);
}

static void test_payload_is_what_the_loop_says(void **state)
{
	struct mc_own own = good;

	own.payload = 32;
	registered(&own, run_copy);
	pass_ps = 123456789;
	assert_int_equal(verified("size=30K op=own"), MC_VERIFIED_OK);
	shows(rec, "traversed_bytes=30720 payload_bytes=1920 mb_per_s:%llu",
	      mc_rounded(SIZE / 512 * 32, 1000000000, 123456789));
}

static void test_a_window_covers_whole_turns(void **state)
{
	struct mc_pass p = { .loop = mc_loop_widest(MC_OP_READ) };

	assert_int_equal(mc_pass_quantum(&p, 10050), 10048);
	assert_int_equal(mc_pass_quantum(&p, 100), 4096);
	p.turn = 4096;
	assert_int_equal(mc_pass_quantum(&p, 10050), 8192);
	assert_int_equal(mc_pass_quantum(&p, 100), 4096);
}

static void test_what_it_has_not_is_refused(void **state)
{
	struct mc_own own = good;

	own.turn = 4096;
	own.feature = MC_OWN_AVX2;
	own.needs = MC_OWN_CLWB;
	own.flags = MC_OWN_FLUSHES;
	registered(&own, run_copy);
	sim.hide = 1 << MC_CPU_CLWB;
	assert_refused("op=own", -EOPNOTSUPP, "op: this CPU has no instruction for op=own");
	sim.hide = 1 << MC_CPU_AVX2;
	assert_refused("op=own", -EOPNOTSUPP, "width: ");
	sim.hide = 0;
	if (!mc_loop_widest(MC_OP_OWN))
		skip();
	assert_refused("op=own type=uc", -EINVAL, "type: op=own flushes caches");
	assert_refused("op=own width=64", -EINVAL, "width: op=own has no access of 64 bytes");
	assert_refused("op=own streams=2", -EINVAL, "streams: ");
	assert_refused("op=own pattern=random", -EINVAL, "pattern: ");
	assert_refused("op=own readback=on", -EINVAL, "readback: ");
	assert_refused("op=own size=4K", -EINVAL,
		       "size: 4096 bytes are less than a turn of the loop");
	assert_int_equal(check("op=own size=8K"), 0);
}
