/* test_metrics.c - metrics against their definitions, written out plainly: pairs for ROC-AUC, thresholds for average precision,
 * tables of right and wrong for the others.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "task/metric.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 40 };

static bool near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-12;
}

static double measure(const char *name, const mp_goal *goal, int n, const mp_real *told, const double *want)
{
    return mp_measure(mp_metric_find(name), &(mp_judged){ goal, n, told, want });
}

static mp_goal binary(int columns)
{
    return (mp_goal){ .task = &mp_task_binary, .columns = columns };
}

/* Scores on a coarse scale, so that many are equal; a fifth of the labels is missing. */
static int draw(mp_rng *rng, mp_real *score, double *label)
{
    int n = 1 + mp_rng_below(rng, MOST - 1);
    for (int i = 0; i < n; i++) {
        score[i] = (mp_real)(mp_rng_below(rng, 7) - 3);
        label[i] = mp_rng_below(rng, 5) == 0 ? (double)NAN : mp_rng_below(rng, 2);
    }
    return n;
}

static double auc_by_pairs(const mp_real *score, const double *label, int n)
{
    double won = 0;
    int pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (label[i] == 1 && label[j] == 0) {
                won += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
                pairs++;
            }
    return pairs ? won / pairs : (double)NAN;
}

static double precision_by_thresholds(const mp_real *score, const double *label, int n)
{
    double sum = 0, before = 0, yes = 0, no = 0;
    for (int i = 0; i < n; i++) {
        yes += label[i] == 1;
        no += label[i] == 0;
    }
    if (yes == 0 || no == 0) return (double)NAN;
    for (int cut = 3; cut >= -3; cut--) {
        double found = 0, all = 0;
        for (int i = 0; i < n; i++) {
            bool in = score[i] >= (mp_real)cut && !isnan(label[i]);
            all += in;
            found += in && label[i] == 1;
        }
        if (all > 0) sum += (found / yes - before) * (found / all);
        before = found / yes;
    }
    return sum;
}

/* The mean over the yes of the share of yes among those that score at least as much. */
static double precision_by_pairs(const mp_real *score, const double *label, int n, int step)
{
    double sum = 0;
    int yes = 0, no = 0;
    for (int i = 0; i < n * step; i += step) {
        double found = 0, all = 0;
        no += label[i] == 0;
        if (label[i] != 1) continue;
        for (int k = 0; k < n * step; k += step) {
            all += !isnan(label[k]) && score[k] >= score[i];
            found += label[k] == 1 && score[k] >= score[i];
        }
        sum += found / all;
        yes++;
    }
    return yes && no ? sum / yes : (double)NAN;
}

static double auc_of_column(const mp_real *score, const double *label, int n, int step)
{
    mp_real s[MOST];
    double l[MOST];
    for (int i = 0; i < n; i++) {
        s[i] = score[i * step];
        l[i] = label[i * step];
    }
    return auc_by_pairs(s, l, n);
}

/* Of three columns, some of which may have no yes or no no; scores of any size, a third of them equal to another. */
static void columns_of_ranks_agree_with_pairs(void **state)
{
    (void)state;
    enum { T = 3 };
    mp_rng rng = mp_rng_stream(6, 0, 0, 0, 0);
    mp_goal goal = binary(T);
    int some = 0;
    for (int round = 0; round < 500; round++) {
        mp_real score[MOST * T];
        double label[MOST * T], auc = 0, precision = 0;
        int n = 2 + mp_rng_below(&rng, MOST / 4), defined = 0;
        for (int i = 0; i < n * T; i++) {
            bool equal = i >= T && mp_rng_below(&rng, 3) == 0;
            score[i] = equal ? score[i % T] : (mp_real)(mp_rng_below(&rng, 2000001) - 1000000) / 1000;
            label[i] = mp_rng_below(&rng, 4) == 0 ? (double)NAN : mp_rng_below(&rng, 4) == 0;
        }
        for (int t = 0; t < T; t++) {
            double v = auc_of_column(score + t, label + t, n, T);
            if (isnan(v)) continue;
            auc += v;
            precision += precision_by_pairs(score + t, label + t, n, T);
            defined++;
        }
        assert_true(near(measure("roc_auc", &goal, n, score, label), defined ? auc / defined : (double)NAN));
        assert_true(
            near(measure("average_precision", &goal, n, score, label), defined ? precision / defined : (double)NAN));
        some += defined > 0 && defined < T;
    }
    assert_true(some > 50);
}

static void ranks_agree_with_pairs_and_thresholds(void **state)
{
    (void)state;
    mp_rng rng = mp_rng_stream(5, 0, 0, 0, 0);
    mp_goal goal = binary(1);
    int defined = 0;
    for (int round = 0; round < 500; round++) {
        mp_real score[MOST];
        double label[MOST];
        int n = draw(&rng, score, label);
        double auc = measure("roc_auc", &goal, n, score, label);
        assert_true(near(auc, auc_by_pairs(score, label, n)));
        assert_true(
            near(measure("average_precision", &goal, n, score, label), precision_by_thresholds(score, label, n)));
        assert_true(near(precision_by_pairs(score, label, n, 1), precision_by_thresholds(score, label, n)));
        defined += !isnan(auc);
    }
    assert_true(defined > 300 && defined < 500);
}

static void scores_that_no_probability_can_tell_apart_still_rank(void **state)
{
    (void)state;
    static const mp_real logit[] = { 60, 70, 80, 90 };
    static const double label[] = { 0, 0, 1, 1 };
    mp_goal goal = binary(1);
    assert_true(measure("roc_auc", &goal, 4, logit, label) == 1);
}

static void several_columns_are_averaged_where_they_are_defined(void **state)
{
    (void)state;
    static const mp_real told[] = { 1, 1, 1, -1, -1, 1, 1, 1, 1 };
    static const double want[] = { 1, 1, (double)NAN, 0, 1, (double)NAN, 0, 0, (double)NAN };
    mp_goal goal = binary(3); /* the third column has no label */
    double first = (0.5 + 1) / 2,
           second = (0.5 + 0) / 2; /* 1 | -1, 1 scored for 1 | 0, 0, and 1, -1 | 1 for 1, 1 | 0 */
    assert_true(near(measure("roc_auc", &goal, 3, told, want), (first + second) / 2));
    assert_true(near(measure("accuracy", &goal, 3, told, want), (2.0 / 3 + 1.0 / 3) / 2));
}

/* Two right of class 0, one of class 1 taken for 2, two of class 2 of which one is right. */
static const mp_real classes_told[] = { 5, 0, 0, 5, 0, 0, 0, 0, 5, 0, 0, 5, 5, 0, 0 };
static const double classes_want[] = { 0, 0, 1, 2, 2 };

static void classes_give_the_numbers_worked_out_by_hand(void **state)
{
    (void)state;
    mp_goal goal = { .task = &mp_task_classify, .columns = 1, .classes = 3 };
    assert_true(near(measure("accuracy", &goal, 5, classes_told, classes_want), 3.0 / 5));
    assert_true(near(measure("balanced_accuracy", &goal, 5, classes_told, classes_want), (1 + 0 + 0.5) / 3));
    /* class 0: 2 right, 2 there, 3 answered; class 1: none; class 2: 1 right, 2 there, 2 answered */
    assert_true(near(measure("f1_macro", &goal, 5, classes_told, classes_want), (4.0 / 5 + 0 + 2.0 / 4) / 3));
    double covariance = 3 * 5 - (2 * 3 + 1 * 0 + 2 * 2), there = 25 - 9, answered = 25 - 13;
    assert_true(near(measure("mcc", &goal, 5, classes_told, classes_want), covariance / sqrt(there * answered)));
}

static void one_class_alone_leaves_ranks_undefined_and_matthews_at_zero(void **state)
{
    (void)state;
    static const mp_real told[] = { 0, 5, 0, 5 };
    static const double want[] = { 1, 1 };
    mp_goal goal = { .task = &mp_task_classify, .columns = 1, .classes = 2 };
    assert_true(isnan(measure("roc_auc", &goal, 2, told, want)));
    assert_true(isnan(measure("average_precision", &goal, 2, told, want)));
    assert_true(measure("mcc", &goal, 2, told, want) == 0);
    assert_true(measure("f1_macro", &goal, 2, told, want) == 1);
    assert_true(isnan(measure("accuracy", &goal, 0, told, want)));
}

static void two_classes_rank_by_the_second_and_more_by_each_against_the_rest(void **state)
{
    (void)state;
    static const mp_real two[] = { -1, -2, -3, -0.1f, -0.2f, -4 }; /* the second: -2, -0.1, -4 */
    static const double label[] = { 1, 0, 0 };
    mp_goal goal = { .task = &mp_task_classify, .columns = 1, .classes = 2 };
    assert_true(near(measure("roc_auc", &goal, 3, two, label), 0.5));
    goal.classes = 3;
    /* Column 0 has 5 5 | 0 0 5, column 1 zeros, column 2 has 5 0 | 0 0 5. */
    double of_0 = 2 * (1 + 1 + 0.5) / 6, of_1 = 0.5, of_2 = ((1 + 1 + 0.5) + (0.5 + 0.5 + 0)) / 6;
    assert_true(near(measure("roc_auc", &goal, 5, classes_told, classes_want), (of_0 + of_1 + of_2) / 3));
}

static void numbers_give_the_numbers_worked_out_by_hand(void **state)
{
    (void)state;
    static const mp_real told[] = { 1.5f, -2, 4, 7.4f };
    static const double want[] = { 1, -2, 6, (double)NAN };
    mp_goal goal = { .task = &mp_task_regress, .columns = 1 };
    assert_true(near(measure("mae", &goal, 4, told, want), 2.5 / 3));
    assert_true(near(measure("rmse", &goal, 4, told, want), sqrt(4.25 / 3)));
    assert_true(near(measure("mse", &goal, 4, told, want), 4.25 / 3));
    double mean = 5.0 / 3, spread = (1 - mean) * (1 - mean) + (-2 - mean) * (-2 - mean) + (6 - mean) * (6 - mean);
    assert_true(near(measure("r2", &goal, 4, told, want), 1 - 4.25 / spread));
    assert_true(isnan(measure("r2", &goal, 1, told, want)));
    goal.task = &mp_task_count;
    static const mp_real counted[] = { 1.4f, -2.2f, 5.4f };
    assert_true(near(measure("count_accuracy", &goal, 3, counted, want), 2.0 / 3));
    double off = ((double)1.4f - 1) + (-2 - (double)-2.2f) + (6 - (double)5.4f); /* before rounding */
    assert_true(near(measure("mae", &goal, 3, counted, want), off / 3));
}

static double always_seven(const mp_column *c)
{
    (void)c;
    return 7;
}

static void a_metric_of_ones_own_joins_those_of_its_task(void **state)
{
    (void)state;
    static const mp_metric own = { "seven", "seven", false, false, false, always_seven };
    const mp_metric *list[MP_METRICS_MOST], *lead;
    int before = mp_metrics_of(&mp_task_regress, list), other = mp_metrics_of(&mp_task_classify, list);
    assert_int_equal(mp_metric_add(&own, "regress"), MP_OK);
    assert_int_equal(mp_metrics_of(&mp_task_regress, list), before + 1);
    assert_ptr_equal(list[before], &own);
    assert_int_equal(mp_metrics_of(&mp_task_classify, list), other);
    assert_int_equal(mp_metric_lead(&mp_task_regress, "seven", &lead), MP_OK);
    assert_ptr_equal(lead, &own);
    assert_int_equal(mp_metric_lead(&mp_task_classify, "seven", &lead), MP_ERR_USAGE);
    assert_non_null(strstr(mp_message(), "task classify has no 'seven'; it has accuracy"));
    assert_int_equal(mp_metric_add(&own, NULL), MP_ERR_USAGE);
    assert_int_equal(mp_metric_add(&(mp_metric){ .name = "other" }, "dream"), MP_ERR_USAGE);
}

static void every_metric_of_a_task_is_there_and_knows_its_direction(void **state)
{
    (void)state;
    static const char *const smaller[] = { "mae", "mse", "rmse", "seven" };
    for (int t = 0; mp_tasks()[t]; t++) {
        const mp_metric *list[MP_METRICS_MOST], *lead;
        int n = mp_metrics_of(mp_tasks()[t], list);
        for (int i = 0; i < n; i++) {
            bool small = false;
            for (int k = 0; k < 4; k++) small = small || strcmp(list[i]->name, smaller[k]) == 0;
            assert_int_equal(list[i]->larger, !small);
        }
        assert_int_equal(mp_metric_lead(mp_tasks()[t], "auto", &lead), MP_OK);
        assert_ptr_equal(lead, list[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_agree_with_pairs_and_thresholds),
        cmocka_unit_test(columns_of_ranks_agree_with_pairs),
        cmocka_unit_test(scores_that_no_probability_can_tell_apart_still_rank),
        cmocka_unit_test(several_columns_are_averaged_where_they_are_defined),
        cmocka_unit_test(classes_give_the_numbers_worked_out_by_hand),
        cmocka_unit_test(one_class_alone_leaves_ranks_undefined_and_matthews_at_zero),
        cmocka_unit_test(two_classes_rank_by_the_second_and_more_by_each_against_the_rest),
        cmocka_unit_test(numbers_give_the_numbers_worked_out_by_hand),
        cmocka_unit_test(a_metric_of_ones_own_joins_those_of_its_task),
        cmocka_unit_test(every_metric_of_a_task_is_there_and_knows_its_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
