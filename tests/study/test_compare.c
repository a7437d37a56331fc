/* test_compare.c - tails, tests and ranks against SciPy's (compare_reference.py) and against cases worked out by hand.
 * SPDX-License-Identifier: MIT */
#include "study/compare.h"
#include "study/distribution.h"
#include "study/compare_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
#define NONE        ((double)NAN)

static mp_arena *arena;

/* Relative, or below 1e-300, where double runs out of numbers. NAN is never near. */
static void near(double is, double want, double error, const char *what, int row)
{
    if (!(fabs(is - want) <= error * fabs(want) + 1e-300))
        fail_msg("%s, row %d: %.17g, not %.17g", what, row, is, want);
}

static void tails_are_scipys_to_twelve_digits(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(t_rows); i++)
        near(mp_t_beyond(-t_rows[i].t, t_rows[i].freedom), t_rows[i].beyond, 1e-12, "t", i);
    for (int i = 0; i < COUNT(f_rows); i++)
        near(mp_f_above(f_rows[i].x, f_rows[i].freedom1, f_rows[i].freedom2), f_rows[i].above, 1e-12, "F", i);
    for (int i = 0; i < COUNT(chi2_rows); i++)
        near(mp_chi2_above(chi2_rows[i].x, chi2_rows[i].freedom), chi2_rows[i].above, 1e-12, "chi-square", i);
    for (int i = 0; i < COUNT(normal_rows); i++)
        near(mp_normal_above(normal_rows[i].z), normal_rows[i].above, 1e-12, "normal", i);
}

static void limits_are_scipys_and_lead_back(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(t_limits); i++) {
        double t = mp_t_limit(t_limits[i].p, t_limits[i].freedom);
        near(t, t_limits[i].t, 1e-11, "t", i);
        near(mp_t_beyond(t, t_limits[i].freedom), t_limits[i].p, 1e-12, "t back", i);
    }
    for (int i = 0; i < COUNT(range_limits); i++) {
        double q = mp_range_limit(range_limits[i].p, (int)range_limits[i].k);
        near(q, range_limits[i].q, 1e-9, "range", i);
        near(mp_range_above(q, (int)range_limits[i].k), range_limits[i].p, 1e-12, "range back", i);
    }
}

/* Two normal numbers differ by more than q with probability erfc(q / 2), t with one degree is Cauchy's, with two degrees it has
 * a formula, chi-square with two is exponential; tails of the incomplete functions add up to 1. */
static void tails_are_the_formulas_of_special_cases(void **state)
{
    (void)state;
    for (int i = 1; i <= 60; i++) {
        double x = i / 5.0;
        near(mp_range_above(x, 2), erfc(x / 2), 1e-12, "range of two", i);
        near(mp_t_beyond(x, 1), 2 * atan2(1, x) / 3.14159265358979323846, 1e-13, "Cauchy", i);
        near(mp_chi2_above(x, 2), exp(-x / 2), 1e-13, "exponential", i);
        near(mp_f_above(x * x, 1, 7), mp_t_beyond(x, 7), 1e-13, "F is the square of t", i);
        double p = x / (1 + x), q = 1 / (1 + x);
        near(mp_beta_part(p, q, 3, 2.5) + mp_beta_part(q, p, 2.5, 3), 1, 1e-14, "beta", i);
    }
    near(1 - mp_t_beyond(1e-8, 1), 2e-8 / 3.14159265358979323846, 1e-7, "Cauchy near 0", 0);
    assert_true(mp_t_beyond(0, 5) == 1 && mp_t_beyond((double)INFINITY, 5) == 0 && isnan(mp_t_beyond(NONE, 5)));
    assert_true(mp_chi2_above(0, 3) == 1 && mp_f_above((double)INFINITY, 3, 4) == 0);
    near(mp_range_above(0, 7), 1, 1e-13, "a range is never below 0", 0);
}

static void paired_differences_have_the_corrected_error(void **state)
{
    (void)state;
    mp_paired r = mp_compare_paired(differences, COUNT(differences), 1.0 / 8);
    double is[] = { r.mean, r.error, r.t, r.p, r.low, r.high };
    for (int i = 0; i < COUNT(is); i++) near(is[i], paired_mean_error_t_p_low_high[i], 1e-12, "corrected", i);
    mp_paired plain = mp_compare_paired(differences, COUNT(differences), 0);
    near(plain.t, plain_t_p[0], 1e-12, "plain t", 0);
    near(plain.p, plain_t_p[1], 1e-12, "plain p", 0);
}

/* 1, 2, 3 with test/train 1/6: error^2 = (1/3 + 1/6) 1 = 1/2. */
static void few_or_equal_differences_have_their_values(void **state)
{
    (void)state;
    mp_paired r = mp_compare_paired((const double[]){ 1, 2, 3 }, 3, 1.0 / 6);
    near(r.t, 2 * sqrt(2), 1e-14, "by hand", 0);
    r = mp_compare_paired((const double[]){ 2 }, 1, 0.1);
    assert_true(r.n == 1 && r.mean == 2 && isnan(r.error) && isnan(r.p) && isnan(r.low));
    assert_true(isnan(mp_compare_paired(NULL, 0, 0.1).mean));
    r = mp_compare_paired((const double[]){ 0, 0, 0 }, 3, 0.1);
    assert_true(r.p == 1 && r.t == 0 && r.low == 0 && r.high == 0);
    r = mp_compare_paired((const double[]){ 0.5, 0.5, 0.5 }, 3, 0.1);
    assert_true(r.p == 0 && r.low == 0.5 && r.high == 0.5);
}

static void superiority_is_a_share_with_its_interval(void **state)
{
    (void)state;
    double all[COUNT(differences)];
    for (int i = 0; i < COUNT(differences); i++) all[i] = fabs(differences[i]);
    mp_superiority r = mp_compare_superiority(differences, COUNT(differences), 1.0 / 8, false);
    mp_superiority won = mp_compare_superiority(all, COUNT(all), 1.0 / 8, false);
    const double is[] = { r.share, r.low, r.high }, best[] = { won.share, won.low, won.high };
    for (int i = 0; i < 3; i++) {
        near(is[i], superiority_share_low_high[i], 1e-11, "superiority", i);
        near(best[i], superiority_of_all[i], 1e-11, "all won", i);
    }
    mp_superiority back = mp_compare_superiority(differences, COUNT(differences), 1.0 / 8, true);
    near(back.share, 1 - r.share, 1e-14, "the other way round", 0);
    near(back.low, 1 - r.high, 1e-13, "the other way round", 1);
}

/* Of 1, 0, 0, -1 half is won; n = 2 with test/train 1/2 has m = 1 and q = 12.706.. : (1/2 -+ sqrt(...)) as the formula says. */
static void superiority_of_few_is_worked_out(void **state)
{
    (void)state;
    mp_superiority r = mp_compare_superiority((const double[]){ 1, 0, 0, -1 }, 4, 0.1, false);
    assert_true(r.share == 0.5);
    near(r.low + r.high, 1, 1e-14, "even", 0);
    double q = tan(0.475 * 3.14159265358979323846); /* of one degree: Cauchy's */
    r = mp_compare_superiority((const double[]){ 1, 2 }, 2, 0.5, false);
    near(r.low, 1 / (1 + q * q), 1e-11, "two won", 0);
    assert_true(r.high == 1);
    r = mp_compare_superiority((const double[]){ 3 }, 1, 0.5, true);
    assert_true(r.share == 0 && isnan(r.low) && isnan(r.high));
    assert_true(isnan(mp_compare_superiority(NULL, 0, 0.5, true).share));
    assert_true(mp_test_train(10) == 1.0 / 8 && mp_test_train(3) == 1 && mp_test_train(2) == 1.25);
    assert_true(mp_test_train(0) == 0 && mp_test_train(1) == 0);
}

static void signed_ranks_are_scipys(void **state)
{
    (void)state;
    mp_signed_ranks r = mp_compare_signed_ranks(differences, COUNT(differences), arena);
    assert_true(r.exact && r.n == COUNT(differences) && fmin(r.plus, r.minus) == signed_ranks_min_p[0]);
    near(r.p, signed_ranks_min_p[1], 1e-12, "exact", 0);
    near(r.plus + r.minus, r.n * (r.n + 1) / 2.0, 0, "sum of ranks", 0);
    r = mp_compare_signed_ranks(tied, COUNT(tied), arena);
    assert_true(r.exact && r.n < COUNT(tied));
    near(r.p, tied_exact_p[0], 1e-12, "exact with ties", 0);
    r = mp_compare_signed_ranks(many, COUNT(many), arena);
    assert_true(!r.exact && fmin(r.plus, r.minus) == many_min_p[0]);
    near(r.p, many_min_p[1], 1e-12, "normal with ties", 0);
}

/* Of 2^5 signs two are as extreme as five positive ones. */
static void signed_ranks_of_few_are_counted(void **state)
{
    (void)state;
    assert_true(mp_compare_signed_ranks((const double[]){ 1, 2, 3, 4, 5 }, 5, arena).p == 2.0 / 32);
    assert_true(mp_compare_signed_ranks((const double[]){ 1, -1 }, 2, arena).p == 1);
    mp_signed_ranks none = mp_compare_signed_ranks((const double[]){ 0, 0 }, 2, arena);
    assert_true(none.n == 0 && none.p == 1);
}

/* Sorted 0.01, 0.02, 0.03, 0.5: times 4, 3, 2, 1; the third is 0.06, as the second is. */
static void holm_grows_with_the_number_of_comparisons_and_never_falls(void **state)
{
    (void)state;
    const double p[] = { 0.03, NONE, 0.01, 0.5, 0.02, }, want[] = { 0.06, NONE, 0.04, 0.5, 0.06 };
    double is[5];
    mp_compare_holm(p, 5, arena, is);
    assert_true(isnan(is[1]));
    for (int i = 0; i < 5; i++)
        if (i != 1) near(is[i], want[i], 1e-15, "Holm", i);
    mp_compare_holm((const double[]){ 0.6, 0.7 }, 2, arena, is);
    assert_true(is[0] == 1 && is[1] == 1);
}

static void ranks_share_the_better_or_the_middle(void **state)
{
    (void)state;
    const double value[] = { 3, 5, NONE, 5, 1 };
    static const struct {
        bool smaller;
        mp_rank_ties ties;
        double want[5];
    } cases[] = { { false, MP_TIES_BETTER, { 3, 1, 0, 1, 4 } },
                  { false, MP_TIES_MIDDLE, { 3, 1.5, 0, 1.5, 4 } },
                  { true, MP_TIES_BETTER, { 2, 3, 0, 3, 1 } } };
    for (int c = 0; c < COUNT(cases); c++) {
        double rank[5];
        mp_rank_values(value, 5, cases[c].smaller, cases[c].ties, rank);
        for (int i = 0; i < 5; i++) assert_true(i == 2 ? isnan(rank[i]) : rank[i] == cases[c].want[i]);
    }
}

/* Ranks 1 2 -, 2 1 3: a method counts where it has a value; one without any has no rank. */
static void average_ranks_are_over_the_sets_of_a_method(void **state)
{
    (void)state;
    const double value[] = { 9, 8, NONE, NONE, 6, 7, 5, NONE };
    double average[5];
    mp_rank_average(value, 2, 4, false, MP_TIES_BETTER, arena, average);
    assert_true(average[0] == 1.5 && average[1] == 1.5 && average[2] == 3 && isnan(average[3]));
    mp_rank_average(table, 13, 5, false, MP_TIES_MIDDLE, arena, average);
    for (int i = 0; i < 5; i++) near(average[i], table_middle_ranks[i], 1e-14, "middle", i);
    mp_rank_average(table, 13, 5, false, MP_TIES_BETTER, arena, average);
    for (int i = 0; i < 5; i++) near(average[i], table_better_ranks[i], 1e-14, "better", i);
}

static void friedman_is_scipys_on_the_sets_that_all_have(void **state)
{
    (void)state;
    double more[COUNT(table) + 5];
    for (int i = 0; i < COUNT(table) + 5; i++) more[i] = i < COUNT(table) ? table[i] : i == COUNT(table) ? NONE : i;
    mp_friedman r = mp_compare_friedman(more, 14, 5, false, arena);
    assert_int_equal(r.sets, 13);
    double is[] = { r.chi2, r.p_chi2, r.f, r.p_f };
    for (int i = 0; i < COUNT(is); i++) near(is[i], friedman_chi2_p_f_p[i], 1e-12, "Friedman", i);
    near(r.distance, nemenyi[0], 1e-9, "Nemenyi", 0);
    r = mp_compare_friedman((const double[]){ 1, 1, 2, 2 }, 2, 2, false, arena);
    assert_true(r.chi2 == 0 && r.p_chi2 == 1 && r.p_f == 1);
    assert_true(isnan(mp_compare_friedman(table, 1, 5, false, arena).p_f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_are_scipys_to_twelve_digits),
        cmocka_unit_test(limits_are_scipys_and_lead_back),
        cmocka_unit_test(tails_are_the_formulas_of_special_cases),
        cmocka_unit_test(paired_differences_have_the_corrected_error),
        cmocka_unit_test(few_or_equal_differences_have_their_values),
        cmocka_unit_test(superiority_is_a_share_with_its_interval),
        cmocka_unit_test(superiority_of_few_is_worked_out),
        cmocka_unit_test(signed_ranks_are_scipys),
        cmocka_unit_test(signed_ranks_of_few_are_counted),
        cmocka_unit_test(holm_grows_with_the_number_of_comparisons_and_never_falls),
        cmocka_unit_test(ranks_share_the_better_or_the_middle),
        cmocka_unit_test(average_ranks_are_over_the_sets_of_a_method),
        cmocka_unit_test(friedman_is_scipys_on_the_sets_that_all_have),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed;
}
