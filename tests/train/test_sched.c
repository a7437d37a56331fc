/* test_sched.c - learning rates over the epochs.
 * SPDX-License-Identifier: MIT */
#include "train/sched.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static mp_config with(int schedule, int epochs)
{
    mp_config c;
    mp_config_init(&c);
    c.schedule = schedule;
    c.epochs = epochs;
    return c;
}

static void constant_is_one(void **state)
{
    (void)state;
    mp_config c = with(MP_SCHEDULE_CONSTANT, 500);
    for (int e = 1; e <= 500; e++) assert_true(mp_sched_factor(&c, e, 0, 1) == 1);
}

static void step_drops_after_its_epoch(void **state)
{
    (void)state;
    mp_config c = with(MP_SCHEDULE_STEP, 300);
    assert_int_equal(mp_conf_set(mp_config_table, &c, "lr-drop", "280", "lr-drop"), MP_OK);
    assert_true(mp_sched_factor(&c, 280, 0, 1) == 1);
    assert_true(mp_sched_factor(&c, 281, 0, 1) == 0.1);
}

static void step_drops_after_each_epoch_of_its_list(void **state)
{
    (void)state;
    mp_config c = with(MP_SCHEDULE_STEP, 100);
    assert_int_equal(mp_conf_set(mp_config_table, &c, "lr-drop", "85,95", "lr-drop"), MP_OK);
    assert_true(mp_sched_factor(&c, 85, 0, 1) == 1);
    assert_true(mp_sched_factor(&c, 86, 0, 1) == 0.1 && mp_sched_factor(&c, 95, 0, 1) == 0.1);
    assert_true(mp_sched_factor(&c, 96, 0, 1) == 0.1 * 0.1);
}

static void cosine_grows_and_falls(void **state)
{
    (void)state;
    mp_config c = with(MP_SCHEDULE_COSINE, 500);
    c.warmup = 50;
    assert_true(mp_sched_factor(&c, 1, 0, 1) == 0);
    assert_true(mp_sched_factor(&c, 26, 0, 1) == 0.5);
    for (int e = 51; e <= 500; e++) {
        double exact = 0.5 * (1 + cos(3.14159265358979323846 * (e - 51) / 450));
        assert_true(fabs(mp_sched_factor(&c, e, 0, 1) - exact) < 1e-14);
    }
    assert_true(mp_sched_factor(&c, 501, 0, 1) == 0);
}

static void cosine_moves_with_every_step(void **state)
{
    (void)state;
    mp_config c = with(MP_SCHEDULE_COSINE, 500);
    c.warmup = 50;
    assert_true(mp_sched_factor(&c, 1, 0, 7) == 0);
    assert_true(mp_sched_factor(&c, 1, 1, 7) == 1.0 / 350);
    assert_true(mp_sched_factor(&c, 51, 0, 7) == 1);
    for (int t = 350; t < 3500; t += 13) {
        double exact = 0.5 * (1 + cos(3.14159265358979323846 * (t - 350) / 3150));
        assert_true(fabs(mp_sched_factor(&c, t / 7 + 1, t % 7, 7) - exact) < 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_is_one),
        cmocka_unit_test(step_drops_after_its_epoch),
        cmocka_unit_test(step_drops_after_each_epoch_of_its_list),
        cmocka_unit_test(cosine_grows_and_falls),
        cmocka_unit_test(cosine_moves_with_every_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
