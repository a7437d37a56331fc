/* test_rule.c - nested selection and halving against loops of their own over small arrays of results.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "train/choose.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { SEEDS = 2, FOLDS = 3, INNER = 2, POINTS = 4, AGAIN = 2 };

static mp_arena *arena;

typedef struct made { /* results of every run that there could be */
    double val[SEEDS][FOLDS][INNER][POINTS], loss[SEEDS][FOLDS][INNER][POINTS];
    double test[SEEDS][FOLDS][POINTS][AGAIN];
} made;

static made *make(uint64_t seed)
{
    made *m = MP_NEW(arena, made, 1);
    mp_rng r = mp_rng_stream(seed, MP_FOR_TEST, 0, 0, 0);
    double *v = &m->val[0][0][0][0];
    for (size_t i = 0; i < sizeof *m / sizeof(double); i++) v[i] = mp_rng_below(&r, 5) / 4.0; /* many ties */
    return m;
}

/* The runs of a nested row: all inner ones, and the retrainings of every point, of which a winner has only its own counted. */
static mp_choice_set set_of(const made *m)
{
    int most = SEEDS * FOLDS * POINTS * (INNER + AGAIN), n = 0;
    mp_choice_run *run = MP_NEW(arena, mp_choice_run, most);
    for (int s = 0; s < SEEDS; s++)
        for (int f = 0; f < FOLDS; f++)
            for (int p = 0; p < POINTS; p++) {
                for (int k = 0; k < INNER; k++)
                    run[n++] = (mp_choice_run){ .seed = 7 + s,
                                                .fold = k + 1,
                                                .folds = INNER,
                                                .point = p,
                                                .part = f + 1,
                                                .val_loss = m->loss[s][f][k][p],
                                                .val_metric = m->val[s][f][k][p],
                                                .test_metric = (double)NAN };
                for (int k = 0; k < AGAIN; k++)
                    run[n++] = (mp_choice_run){ .seed = mp_retrain_seed(7 + s, k + 1),
                                                .fold = f + 1,
                                                .folds = FOLDS,
                                                .point = p,
                                                .test_metric = m->test[s][f][p][k] };
            }
    return (mp_choice_set){
        .run = run, .runs = n, .points = POINTS, .folds = FOLDS, .rule = { .retrain = AGAIN, .inner = INNER }
    };
}

/* Errica et al. once more: loops over the arrays and nothing else. */
static double brute_force(const made *m, bool smaller, int winner[SEEDS][FOLDS])
{
    double all = 0;
    for (int s = 0; s < SEEDS; s++) {
        for (int f = 0; f < FOLDS; f++) {
            double best = 0, best_loss = 0;
            winner[s][f] = -1;
            for (int p = 0; p < POINTS; p++) {
                double val = 0, loss = 0;
                for (int k = 0; k < INNER; k++) val += m->val[s][f][k][p] / INNER, loss += m->loss[s][f][k][p] / INNER;
                if (smaller) val = -val;
                bool better = winner[s][f] < 0 || val > best + 1e-12 || (fabs(val - best) <= 1e-12 && loss < best_loss);
                if (!better) continue;
                winner[s][f] = p;
                best = val;
                best_loss = loss;
            }
            for (int k = 0; k < AGAIN; k++) all += m->test[s][f][winner[s][f]][k] / AGAIN / FOLDS / SEEDS;
        }
    }
    return all;
}

static void nested_selection_is_what_plain_loops_give(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        const made *m = make(i);
        mp_choice_set set = set_of(m);
        int winner[SEEDS][FOLDS];
        mp_choice c;
        set.smaller = i % 2;
        double want = brute_force(m, set.smaller, winner);
        assert_int_equal(mp_choose(&set, MP_SELECT_NESTED, MP_NO_POINT, arena, &c), MP_OK);
        assert_true(fabs(c.test.mean - want) < 1e-12);
        const double *value = mp_choice_values(&c, &set, arena);
        for (int s = 0; s < SEEDS; s++)
            for (int f = 0; f < FOLDS; f++) {
                assert_int_equal(mp_choice_at(&c, s, f), winner[s][f]);
                double mean = (m->test[s][f][winner[s][f]][0] + m->test[s][f][winner[s][f]][1]) / 2;
                assert_true(fabs(value[s * FOLDS + f] - mean) < 1e-12);
            }
        assert_int_equal(c.missing, 0);
    }
}

static void test_metrics_choose_nothing_in_a_nested_row(void **state)
{
    (void)state;
    made *m = make(3);
    mp_choice_set set = set_of(m), changed = set;
    mp_choice_run *run = MP_NEW(arena, mp_choice_run, set.runs);
    memcpy(run, set.run, sizeof *run * (size_t)set.runs);
    for (int i = 0; i < set.runs; i++) run[i].test_metric = 1 - run[i].test_metric;
    changed.run = run;
    mp_choice a, b, paper;
    assert_int_equal(mp_choose(&set, MP_SELECT_NESTED, 0, arena, &a), MP_OK);
    assert_int_equal(mp_choose(&changed, MP_SELECT_NESTED, 0, arena, &b), MP_OK);
    for (int i = 0; i < SEEDS * FOLDS; i++) assert_int_equal(a.chosen[i], b.chosen[i]);
    assert_true(fabs(a.test.mean + b.test.mean - 1) < 1e-12);
    assert_int_equal(mp_choose(&set, MP_SELECT_PAPER, 0, arena, &paper), MP_OK);
    assert_true(isnan(paper.test.mean));
}

static void a_fold_without_all_its_retrainings_leaves_its_seed_out(void **state)
{
    (void)state;
    const made *m = make(5);
    mp_choice_set set = set_of(m);
    mp_choice_run *run = MP_NEW(arena, mp_choice_run, set.runs);
    int winner[SEEDS][FOLDS], n = 0, gone = 0;
    mp_choice c;
    brute_force(m, false, winner);
    for (int i = 0; i < set.runs; i++) {
        const mp_choice_run *r = &set.run[i];
        bool drop = r->part == 0 && r->seed == mp_retrain_seed(8, 2) && r->fold == 2 && r->point == winner[1][1];
        gone += drop;
        if (!drop) run[n++] = *r;
    }
    set.run = run;
    set.runs = n;
    assert_int_equal(gone, 1);
    assert_int_equal(mp_choose(&set, MP_SELECT_NESTED, 0, arena, &c), MP_OK);
    assert_true(c.seeds_left_out == 1 && c.test.seeds == 1 && c.missing == 1);
}

/* ---- halving ---- */

enum { MANY = 9, RUNGS = 3 };

/* Runs of one seed and two folds: every point at rung 0, `at[rung]` of them further on. Validation falls with the place of a point
 * in `order`. */
static mp_choice_set ladder(const int *order, const int at[RUNGS], int seeds, bool global)
{
    mp_choice_run *run = MP_NEW(arena, mp_choice_run, 2 * seeds * MANY * RUNGS);
    int n = 0;
    for (int s = 0; s < seeds; s++)
        for (int rung = 0; rung < RUNGS; rung++)
            for (int i = 0; i < at[rung]; i++)
                for (int fold = 1; fold <= 2; fold++)
                    run[n++] = (mp_choice_run){ .seed = s,
                                                .fold = fold,
                                                .folds = 2,
                                                .rung = rung,
                                                .point = order[(i + s) % MANY],
                                                .val_metric = 0.9 - 0.05 * i,
                                                .test_metric = 0.5 };
    return (mp_choice_set){ .run = run,
                            .runs = n,
                            .points = MANY,
                            .folds = 2,
                            .rungs = RUNGS,
                            .rule = { .eta = 3, .least = 1, .global = global } };
}

static int wants_at(const mp_choice_set *set, int seed, int rung, bool closed, bool of[MANY])
{
    const mp_want *w;
    int n, count = 0;
    static const int seeds[] = { 0, 1 };
    memset(of, 0, MANY * sizeof *of);
    assert_int_equal(mp_choice_wants(set, seeds, 2, closed, arena, &w, &n), MP_OK);
    for (int i = 0; i < n; i++)
        if (w[i].rung == rung && w[i].seed == seed) of[w[i].point] = true, count++;
    return count;
}

static void halving_goes_on_with_the_better_third_of_each_seed(void **state)
{
    (void)state;
    static const int order[MANY] = { 4, 8, 1, 0, 2, 3, 5, 6, 7 };
    bool of[MANY];
    mp_choice_set set = ladder(order, (int[]){ 9, 0, 0 }, 2, false);
    assert_int_equal(wants_at(&set, 0, 0, false, of), 9);
    assert_int_equal(wants_at(&set, 0, 1, false, of), 3);
    assert_true(of[4] && of[8] && of[1]);
    assert_int_equal(wants_at(&set, 1, 1, false, of), 3); /* its own three */
    assert_true(of[8] && of[1] && of[0]);
    assert_int_equal(wants_at(&set, 0, 2, false, of), 0); /* not known yet */
    set = ladder(order, (int[]){ 9, 3, 0 }, 2, false);
    assert_int_equal(wants_at(&set, 0, 2, false, of), 1);
    assert_true(of[4]);
    mp_choice c;
    set = ladder(order, (int[]){ 9, 3, 1 }, 2, false);
    assert_int_equal(mp_choose(&set, MP_SELECT_VAL, 0, arena, &c), MP_OK);
    assert_true(mp_choice_at(&c, 0, 0) == 4 && mp_choice_at(&c, 1, 1) == 8 && c.missing == 0);
    mp_point_seen seen[MANY];
    assert_int_equal(mp_choice_seen(&set, &c, arena, seen), MP_OK);
    assert_true(seen[4].rung == 2 && seen[0].rung == 1 && seen[7].rung == 0 && seen[4].chosen == 1);
}

static void halving_waits_for_runs_that_may_come_and_not_for_others(void **state)
{
    (void)state;
    static const int order[MANY] = { 4, 8, 1, 0, 2, 3, 5, 6, 7 };
    bool of[MANY];
    mp_choice_set set = ladder(order, (int[]){ 8, 0, 0 }, 1, false); /* point 7 is not there */
    assert_int_equal(wants_at(&set, 0, 1, false, of), 0);
    assert_int_equal(wants_at(&set, 0, 1, true, of), 3);
    set = ladder(order, (int[]){ 9, 0, 0 }, 2, true); /* together: means over both seeds */
    assert_int_equal(wants_at(&set, 0, 1, false, of), 3);
    assert_true(of[8] && of[1] && of[0]);
    set.rule.eta = 9; /* the one that is left goes to the last rung */
    assert_int_equal(wants_at(&set, 0, 1, false, of), 0);
    assert_int_equal(wants_at(&set, 0, 2, false, of), 1);
}

static void rungs_end_at_the_epochs_of_the_configuration(void **state)
{
    (void)state;
    int rung[MP_RUNGS_MOST], again;
    mp_rule r = { .eta = 3, .least = 2 };
    assert_int_equal(mp_rule_rungs(&r, 20, rung), 4);
    assert_true(rung[0] == 2 && rung[1] == 6 && rung[2] == 18 && rung[3] == 20);
    assert_int_equal(mp_rule_rungs(&r, 18, rung), 3);
    assert_int_equal(mp_rule_rungs(&r, 2, rung), 1);
    assert_int_equal(mp_rule_rungs(&(mp_rule){ 0 }, 20, rung), 1);
    assert_true(mp_rule_survivors(&r, 10) == 3 && mp_rule_survivors(&r, 2) == 1);
    assert_int_equal(mp_retrain_of(mp_retrain_seed(42, 3), &again), 42);
    assert_int_equal(again, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_selection_is_what_plain_loops_give),
        cmocka_unit_test(test_metrics_choose_nothing_in_a_nested_row),
        cmocka_unit_test(a_fold_without_all_its_retrainings_leaves_its_seed_out),
        cmocka_unit_test(halving_goes_on_with_the_better_third_of_each_seed),
        cmocka_unit_test(halving_waits_for_runs_that_may_come_and_not_for_others),
        cmocka_unit_test(rungs_end_at_the_epochs_of_the_configuration),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
