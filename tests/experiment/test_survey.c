/* test_survey.c - numbers of measurements over runs.
 * SPDX-License-Identifier: MIT */
#include "experiment/survey.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static mp_survey of(mp_arena *a, int n, const char *const *text)
{
    static const double test[] = { 0.5, (double)NAN, 0.7, 0.6 };
    mp_survey s = { .arena = a, .n = n, .value = MP_NEW(a, const mp_json *, n), .test = test, .test_train = 0.125 };
    for (int i = 0; i < n; i++)
        if (text[i]) assert_int_equal(mp_json_parse(mp_span_of(text[i]), "value", a, &s.value[i]), MP_OK);
    return s;
}

static bool near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-12;
}

/* Of four runs one was not measured, and in one the number is not defined. */
static void what_is_not_there_is_left_out(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 14);
    static const char *const text[] = { "{\"x\":{\"y\":1}}", NULL, "{\"x\":{\"y\":null}}", "{\"x\":{\"y\":4}}" };
    static const char *const none[] = { NULL, NULL, NULL, NULL };
    mp_survey s = of(a, 4, text), empty = of(a, 4, none);
    mp_over_runs x = mp_survey_spread(&s, "x.y"), test = mp_survey_test(&s), no = mp_survey_spread(&s, "x.z.y");
    assert_true(x.n == 2 && near(x.mean, 2.5) && near(x.std, 1.5));
    assert_true(test.n == 3 && near(test.mean, 0.6) && near(test.std, sqrt(0.02 / 3)));
    assert_true(no.n == 0 && isnan(no.mean) && isnan(no.std));
    assert_true(near(mp_survey_number(&s, 3, "x.y"), 4) && isnan(mp_survey_number(&s, 3, "x")));
    assert_true(mp_survey_any(&s) && !mp_survey_any(&empty));
    mp_arena_free(a);
}

static void differences_are_of_the_runs_that_both_have(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 14);
    static const char *const more[] = { "{\"x\":3}", "{\"x\":9}", "{\"x\":5}", "{\"x\":4}" };
    static const char *const less[] = { "{\"x\":1}", NULL, "{\"x\":2}", "{\"x\":3}" };
    mp_survey s = of(a, 4, more), t = of(a, 4, less);
    mp_paired d = mp_survey_paired(&s, &t, "x"), want = mp_compare_paired((double[]){ 2, 3, 1 }, 3, 0.125);
    assert_int_equal(d.n, 3);
    assert_true(near(d.mean, 2) && near(d.low, want.low) && near(d.high, want.high));
    static const char *const header[] = { "a", NULL };
    mp_table table;
    mp_table_init(&table, a, NULL, header);
    d = (mp_paired){ .n = 3, .mean = -0.0125, .low = -0.03, .high = 0.005 };
    mp_paired_cell(&table, &d, 100);
    d.n = 1;
    mp_paired_cell(&table, &d, 100);
    assert_string_equal(mp_table_cell(&table, 0, 0), "-1.25 (-3 to 0.5)");
    assert_string_equal(mp_table_cell(&table, 1, 0), "-");
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_is_left_out),
        cmocka_unit_test(differences_are_of_the_runs_that_both_have),
    };
    return cmocka_run_group_tests_name("surveys", tests, NULL, NULL);
}
