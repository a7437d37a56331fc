/* test_kernels.c - the kernels of a GPU give the bits of the processor's, alone and many calls in one launch: through the emulator, and
 * on the GPU itself with MIDPOOL_CUDA_TEST=device.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/flush.h"
#include "by_device.h"
#include "plain_runs.h"

#define RUNS 60 /* random cases of each kernel */

static const mp_device *device;

static const struct {
    const char *name;
    void (*run)(const mp_kernels *, mp_rig *, trace *);
} runs[] = {
#define ROW(name) { #name, run_##name },
    MP_CUDA_LIST(ROW)
};

/* All runs of a kernel by the processor. */
static trace by_processor(size_t i, mp_arena *memory)
{
    trace t = { .memory = memory };
    mp_rig r = mp_rig_new(i + 1);
    for (int n = 0; n < RUNS; n++) {
        runs[i].run(mp_kernels_named("base"), &r, &t);
        runs_release();
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
    return t;
}

/* By the device: `together` in as few launches as there are calls in a run, or call by call. */
static trace by_device(size_t i, mp_arena *memory, bool together, int *launches)
{
    trace t = { .memory = memory };
    mp_rig r = mp_rig_new(i + 1);
    *launches = 0;
    t.later = true;
    for (int n = 0; n < RUNS; n++) {
        by_device_queue(together ? n : 0);
        runs[i].run(&by_device_kernels, &r, &t);
        if (together) continue;
        *launches += by_device_execute();
        trace_settle(&t);
        t.later = true;
        runs_release();
        mp_arena_reset(r.memory);
    }
    if (together) {
        *launches = by_device_execute();
        trace_settle(&t);
        runs_release();
    }
    mp_rig_free(&r);
    return t;
}

static void same_bits(bool together)
{
    unsigned before = mp_flush_on(); /* as while training */
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        int launches;
        mp_arena *a = mp_arena_new(0), *b = mp_arena_new(0);
        trace x = by_processor(i, a), y = by_device(i, b, together, &launches);
        assert_int_equal(x.n, y.n);
        for (size_t j = 0; j < x.n; j++)
            if (memcmp(&x.v[j], &y.v[j], sizeof(float)) != 0)
                fail_msg("%s, number %zu of %zu: the processor gives %a, the device %a", runs[i].name, j, x.n,
                         (double)x.v[j], (double)y.v[j]);
        assert_true(launches > 0);
        if (together) assert_true(launches <= 10);
        mp_arena_free(a);
        mp_arena_free(b);
    }
    mp_flush_off(before);
}

static void every_kernel_gives_the_bits_of_the_processor(void **state)
{
    (void)state;
    same_bits(false);
}

static void calls_of_any_size_share_a_launch(void **state)
{
    (void)state;
    same_bits(true);
}

static int take_device(void **state)
{
    (void)state;
    device = by_device_open();
    runs_memory_in_use = (runs_memory){ by_device_get, by_device_put };
    return device ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_gives_the_bits_of_the_processor),
        cmocka_unit_test(calls_of_any_size_share_a_launch),
    };
    return cmocka_run_group_tests(tests, take_device, NULL);
}
