/* test_by_seed.c - seeds of rows: which failed, and which tests have a figure.
 * SPDX-License-Identifier: MIT */
#include "experiment/by_seed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static double good[] = { 100, 85, 79 }, bad[] = { 30, 80 }, none[] = { (double)NAN, (double)NAN, (double)NAN };
static int seeds[] = { 42, 43, 44 };
static const mp_by_seed rows[] = { { .name = "base", .seeds = 2, .seed = seeds, .on = { bad, bad, none } },
                                   { .name = "MID", .seeds = 3, .seed = seeds, .on = { good, none, none } } };

/* Below four fifths of the best of all rows, not of their own. */
static void seeds_fail_by_the_best_of_all_rows(void **state)
{
    (void)state;
    assert_int_equal(mp_by_seed_failed(&rows[0], rows, 2, 0.8), 1);
    assert_int_equal(mp_by_seed_failed(&rows[1], rows, 2, 0.8), 1);
    assert_int_equal(mp_by_seed_failed(&rows[0], rows, 1, 0.3), 0);
    assert_int_equal(mp_by_seed_failed(&rows[1], rows, 2, 0.5), 0);
}

static void a_figure_has_the_rows_that_have_the_test(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_section s = { .arena = a };
    mp_by_seed_figure(&s, rows, 2, MP_ON_TEST, "origin");
    mp_by_seed_figure(&s, rows, 2, MP_ON_LARGE, "large");
    mp_by_seed_figure(&s, rows, 2, MP_ON_LARGE_C, "large-C");
    assert_int_equal(s.pieces, 2); /* nobody has the third */
    const char *first = s.piece[0].picture.csv, *second = s.piece[1].picture.csv;
    assert_non_null(strstr(first, "seed 44: 79.00 %"));
    assert_true(strstr(first, "base") && strstr(first, "MID"));
    assert_true(strstr(second, "base") && !strstr(second, "MID"));
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_fail_by_the_best_of_all_rows),
        cmocka_unit_test(a_figure_has_the_rows_that_have_the_test),
    };
    return cmocka_run_group_tests_name("by seed", tests, NULL, NULL);
}
