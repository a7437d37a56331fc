/* test_times.c - how long epochs and steps take, and how much memory: what can be known of it without a clock.
 * SPDX-License-Identifier: MIT */
#include "study/epoch_time.h"
#include "study/step_time.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void an_epoch_has_its_share_of_the_graphs(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 20);
    mp_dataset d;
    mp_folds f;
    mp_config c = tiny_config();
    assert_int_equal(tiny_make(a, false, &d, &f), MP_OK);
    mp_epoch_ask ask = { .data = &d, .config = &c, .share = 0.5, .repeat = 1, .timed = 3, .threads = 2 };
    mp_epoch_time once, twice;
    assert_int_equal(mp_time_epochs(&ask, a, &once), MP_OK);
    assert_int_equal(once.graphs, (d.graphs.graphs + 1) / 2);
    assert_true(once.seconds > 0 && once.mean > 0 && once.peak > 0 && once.forecast > 0);
    assert_int_equal(once.profile.count, 0);
    ask.repeat = 2;
    ask.profile = true;
    assert_int_equal(mp_time_epochs(&ask, a, &twice), MP_OK);
    assert_int_equal(twice.graphs, 2 * once.graphs);
    assert_true(twice.flops == 2 * once.flops);
    assert_true(twice.profile.count > 0);
    mp_arena_free(a);
}

static mp_err step(const char *pool, int nodes, double limit, mp_step_time *out)
{
    mp_config c;
    mp_config_init(&c);
    memset(c.pool, 0, sizeof c.pool);
    assert_int_equal(mp_conf_set(mp_config_table, &c, "pool", pool, "pool"), MP_OK);
    mp_step_ask ask = {
        .config = &c, .nodes = nodes, .columns = 16, .warm = 0, .timed = 2, .threads = 1, .limit = limit
    };
    return mp_time_step(&ask, out);
}

/* What the process holds already, here 64 MiB, is not the step's. */
static void memory_of_a_step_is_its_own_and_has_a_limit(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_step_time small, large, again;
    assert_int_equal(step("sag", 200, 1, &small), MP_OK);
    assert_int_equal(step("sag", 2000, 1, &large), MP_OK);
    assert_true(small.nodes == 200 && small.seconds > 0 && small.peak > 0 && !small.full);
    assert_true(large.peak > small.peak);
    MP_NEW(a, char, 64 << 20);
    assert_int_equal(step("sag", 2000, 0.05, &again), MP_OK);
    assert_false(again.full);
    assert_true(again.peak == large.peak);
    assert_int_equal(step("sag", 2000, 0.001, &again), MP_OK);
    assert_true(again.full && again.nodes == 2000);
    mp_arena_free(a);
}

static void steps_that_take_long_are_not_repeated(void **state)
{
    (void)state;
    mp_step_time t;
    mp_config c;
    mp_config_init(&c);
    mp_step_ask ask = {
        .config = &c, .nodes = 50, .columns = 4, .warm = 2, .timed = 3, .threads = 1, .limit = 1, .most = 1e-9
    };
    assert_int_equal(mp_time_step(&ask, &t), MP_OK);
    assert_true(t.steps == 1 && t.seconds > 0);
    ask.most = 1000;
    assert_int_equal(mp_time_step(&ask, &t), MP_OK);
    assert_int_equal(t.steps, 3);
    ask.most = 0;
    assert_int_equal(mp_time_step(&ask, &t), MP_OK);
    assert_int_equal(t.steps, 3);
}

static void what_fails_in_the_other_process_is_said_here(void **state)
{
    (void)state;
    mp_step_time t;
    mp_config c;
    mp_config_init(&c);
    memcpy(c.pool, "none", 5); /* there is no such method */
    mp_step_ask ask = { .config = &c, .nodes = 50, .columns = 4, .timed = 1, .threads = 1, .limit = 1 };
    assert_int_not_equal(mp_time_step(&ask, &t), MP_OK);
    assert_non_null(strstr(mp_message(), "50 nodes"));
}

static void the_median_is_in_the_middle(void **state)
{
    (void)state;
    assert_true(mp_median((double[]){ 3, 1, 2 }, 3) == 2);
    assert_true(mp_median((double[]){ 4, 1, 2, 9 }, 4) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_epoch_has_its_share_of_the_graphs),
        cmocka_unit_test(memory_of_a_step_is_its_own_and_has_a_limit),
        cmocka_unit_test(steps_that_take_long_are_not_repeated),
        cmocka_unit_test(what_fails_in_the_other_process_is_said_here),
        cmocka_unit_test(the_median_is_in_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
