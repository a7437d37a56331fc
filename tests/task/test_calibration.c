/* test_calibration.c - calibration against its definition: by hand, over all pairs of a thing and a bin, at borders.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "data/seal.h"
#include "task/task.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 60 };

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static void the_numbers_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    mp_calibration c = { 0 };
    mp_calibration_add(&c, 0.92, 1);
    mp_calibration_add(&c, 0.98, 0);
    mp_calibration_add(&c, 0.55, 1);
    mp_calibration_add(&c, 0.05, 0);
    /* The last bin: said 0.95, true 0.5, twice; the others: 0.55 and 1, 0.05 and 0. */
    assert_true(near(mp_calibration_error(&c), (2 * 0.45 + 0.45 + 0.05) / 4));
    assert_true(near(mp_calibration_brier(&c), (0.08 * 0.08 + 0.98 * 0.98 + 0.45 * 0.45 + 0.05 * 0.05) / 4));
    assert_int_equal(mp_calibration_count(&c), 4);
    assert_int_equal(c.bin[9].count, 2);
    assert_true(near(mp_bin_said(&c.bin[9]), 0.95) && near(mp_bin_held(&c.bin[9]), 0.5));
    assert_true(isnan(mp_bin_said(&c.bin[3])) && isnan(mp_bin_held(&c.bin[3]))); /* empty */
}

static void of_nothing_nothing_is_known(void **state)
{
    (void)state;
    mp_calibration c = { 0 };
    assert_true(isnan(mp_calibration_error(&c)) && isnan(mp_calibration_brier(&c)));
    assert_int_equal(mp_calibration_count(&c), 0);
}

static void what_holds_as_said_has_no_error(void **state)
{
    (void)state;
    mp_calibration c = { 0 };
    for (int k = 1; k < 8; k++) /* of 8 with probability k/8, k are true: sums of eighths are exact */
        for (int i = 0; i < 8; i++) mp_calibration_add(&c, k / 8.0, i < k);
    mp_calibration_add(&c, 0, 0);
    mp_calibration_add(&c, 1, 1);
    assert_true(mp_calibration_error(&c) == 0);
    assert_true(mp_calibration_brier(&c) > 0);
}

static void a_border_belongs_to_the_bin_above_and_one_to_the_last(void **state)
{
    (void)state;
    static const double border[] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9 };
    for (int k = 0; k < MP_BINS; k++) {
        mp_calibration c = { 0 };
        mp_calibration_add(&c, border[k], 0);
        assert_int_equal(c.bin[k].count, 1);
        if (k > 0) mp_calibration_add(&c, nextafter(border[k], 0), 0);
        if (k > 0) assert_int_equal(c.bin[k - 1].count, 1);
    }
    mp_calibration c = { 0 };
    mp_calibration_add(&c, 1, 1);
    mp_calibration_add(&c, nextafter(1, 0), 1);
    assert_int_equal(c.bin[9].count, 2);
}

/* The definition: for each bin a pass over all things. */
static void brute(const double *p, const int *held, int n, double *error, double *brier)
{
    *error = *brier = 0;
    for (int k = 0; k < 10; k++) {
        double said = 0, share = 0, count = 0;
        for (int i = 0; i < n; i++) {
            bool inside = p[i] >= k / 10.0 && (p[i] < (k + 1) / 10.0 || (k == 9 && p[i] <= 1));
            if (!inside) continue;
            said += p[i];
            share += held[i];
            count++;
        }
        if (count > 0) *error += count / n * fabs(said / count - share / count);
    }
    for (int i = 0; i < n; i++) *brier += (p[i] - held[i]) * (p[i] - held[i]) / n;
}

static void random_cases_agree_with_the_definition(void **state)
{
    (void)state;
    mp_rng rng = mp_rng_stream(7, 0, 0, 0, 0);
    for (int round = 0; round < 500; round++) {
        double p[MOST], error, brier;
        int held[MOST], n = 1 + mp_rng_below(&rng, MOST - 1), cut = mp_rng_below(&rng, n);
        mp_calibration c = { 0 }, rest = { 0 };
        for (int i = 0; i < n; i++) { /* some on borders */
            p[i] = mp_rng_below(&rng, 4) ? mp_rng_below(&rng, 1000001) / 1e6 : mp_rng_below(&rng, 11) / 10.0;
            held[i] = mp_rng_below(&rng, 2);
            mp_calibration_add(i < cut ? &c : &rest, p[i], held[i]);
        }
        mp_calibration_join(&c, &rest);
        brute(p, held, n, &error, &brier);
        assert_true(near(mp_calibration_error(&c), error) && near(mp_calibration_brier(&c), brier));
        assert_int_equal(mp_calibration_count(&c), n);
    }
}

/* Labels of three graphs behind a seal. */
static mp_calibration of_seal(const mp_goal *goal, const double *want, const mp_real *told)
{
    static const int which[] = { 0, 1, 2 };
    mp_arena *a = mp_arena_new(0);
    mp_calibration c = { 0 };
    mp_seal *s = mp_seal_new(a, 3, (mp_labels){ .columns = goal->columns, .v = want });
    mp_seal_calibrate(s, goal, which, 3, told, &c);
    mp_arena_free(a);
    return c;
}

static void a_class_is_said_with_the_probability_of_the_one_answered(void **state)
{
    (void)state;
    mp_goal goal = { .task = &mp_task_classify, .columns = 1, .classes = 3 };
    mp_real told[9];
    static const double p[] = { 0.2, 0.7, 0.1, 0.45, 0.3, 0.25, 0.97, 0.02, 0.01 }, want[] = { 1, 2, (double)NAN };
    for (int i = 0; i < 9; i++) told[i] = (mp_real)log(p[i]);
    mp_calibration c = of_seal(&goal, want, told); /* right with 0.7, wrong with 0.45, not known */
    assert_int_equal(mp_calibration_count(&c), 2);
    assert_true(fabs(mp_calibration_error(&c) - (0.3 + 0.45) / 2) < 1e-6);
    assert_true(fabs(mp_calibration_brier(&c) - (0.09 + 0.2025) / 2) < 1e-6);
    told[1] = (mp_real)1e-7; /* above 1 but for rounding */
    c = of_seal(&goal, want, told);
    assert_int_equal(c.bin[9].count, 1);
    assert_true(c.bin[9].said == 1);
}

static void every_known_question_is_said_with_the_probability_of_yes(void **state)
{
    (void)state;
    mp_goal goal = { .task = &mp_task_binary, .columns = 2 };
    static const mp_real told[] = { 0, 200, -200, 2, 1, -1 };
    static const double want[] = { 1, 1, 0, (double)NAN, (double)NAN, 1 };
    mp_calibration c = of_seal(&goal, want, told);
    double p = 1 / (1 + exp(1));
    assert_int_equal(mp_calibration_count(&c), 4);
    assert_true(c.bin[9].count == 1 && c.bin[0].count == 1 && c.bin[5].count == 1 && c.bin[2].count == 1);
    assert_true(fabs(mp_calibration_error(&c) - (0.5 + 0 + 0 + (1 - p)) / 4) < 1e-6);
    assert_true(fabs(mp_calibration_brier(&c) - (0.25 + (1 - p) * (1 - p)) / 4) < 1e-6);
}

static void numbers_are_said_without_a_probability(void **state)
{
    (void)state;
    const mp_goal goal = { .task = &mp_task_regress, .columns = 1 };
    static const mp_real told[] = { 1, 2, 3 };
    static const double want[] = { 1, 2, 3 };
    mp_calibration c = of_seal(&goal, want, told);
    assert_int_equal(mp_calibration_count(&c), 0);
    assert_null(mp_task_count.claim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_are_those_worked_out_by_hand),
        cmocka_unit_test(of_nothing_nothing_is_known),
        cmocka_unit_test(what_holds_as_said_has_no_error),
        cmocka_unit_test(a_border_belongs_to_the_bin_above_and_one_to_the_last),
        cmocka_unit_test(random_cases_agree_with_the_definition),
        cmocka_unit_test(a_class_is_said_with_the_probability_of_the_one_answered),
        cmocka_unit_test(every_known_question_is_said_with_the_probability_of_yes),
        cmocka_unit_test(numbers_are_said_without_a_probability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
