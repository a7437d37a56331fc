/* choose.c - see choose.h; which runs a rule asks for is in wants.c. Everything works on one table of means over folds: mean[seed][point], and
 * whether all folds were there.
 * SPDX-License-Identifier: MIT */
#include "train/choose_own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIED       1e-12
#define MOST_CELLS 100000000 /* seeds x points x folds, most of which no store fills */

const char *const mp_select_name[MP_SELECT_MODES + 1] = { "val",   "val-global", "paper", "paper-global",
                                                          "fixed", "nested",     NULL };

typedef mp_choice_table table;

bool mp_select_fits(mp_select mode, const mp_rule *rule)
{
    return (mode == MP_SELECT_NESTED) == mp_rule_nested(rule);
}

static mp_choice_test without_loss(const mp_choice_val *v)
{
    return (mp_choice_test){ v->seed, v->fold, v->point, v->metric };
}

/* In a table of seeds x points. Its cells are at most MOST_CELLS, so places of cells fit an int. */
static size_t cell_of(const mp_choice_grid *g, const mp_choice_test *r)
{
    return (size_t)r->seed * (size_t)g->points + (size_t)r->point;
}

static mp_err mark(const mp_choice_grid *g, const mp_choice_test *r, bool *seen)
{
    mp_assert(r->seed >= 0 && r->seed < g->seeds && r->fold >= 0 && r->fold < g->folds);
    mp_assert(r->point >= 0 && r->point < g->points);
    bool *here = &seen[cell_of(g, r) * (size_t)g->folds + (size_t)r->fold];
    if (*here)
        return mp_fail(MP_ERR_INPUT, "seed %d, fold %d of point %d is there twice", g->seed[r->seed], r->fold + 1,
                       r->point + 1);
    *here = true;
    return MP_OK;
}

static table table_new(const mp_choice_grid *g, mp_arena *a)
{
    size_t cells = (size_t)g->seeds * (size_t)g->points;
    return (table){ g->seeds, g->points, MP_NEW(a, double, cells + 1), MP_NEW(a, double, cells + 1),
                    MP_NEW(a, bool, cells + 1) };
}

/* Turns sums into means where every fold was seen. */
static void table_close(const mp_choice_grid *g, const bool *seen, table *t)
{
    for (int i = 0; i < g->seeds * g->points; i++) {
        t->whole[i] = g->folds > 0;
        for (int f = 0; f < g->folds; f++) t->whole[i] = t->whole[i] && seen[(size_t)i * (size_t)g->folds + (size_t)f];
        t->metric[i] /= g->folds;
        t->loss[i] /= g->folds;
    }
}

static bool *seen_new(const mp_choice_grid *g, mp_arena *a)
{
    size_t runs = (size_t)g->seeds * (size_t)g->points * (size_t)g->folds;
    return MP_NEW(a, bool, runs + 1);
}

/* Larger is better, and not defined is worst. */
static double worth(const mp_choice_grid *g, double metric)
{
    if (isnan(metric)) return -(double)INFINITY;
    return g->smaller ? -metric : metric;
}

static mp_err table_of_val(const mp_choice_grid *g, const mp_choice_val *run, int n, mp_arena *a, table *t)
{
    bool *seen = seen_new(g, a);
    *t = table_new(g, a);
    for (int i = 0; i < n; i++) {
        mp_choice_test plain = without_loss(&run[i]);
        MP_TRY(mark(g, &plain, seen));
        t->metric[cell_of(g, &plain)] += worth(g, run[i].metric);
        t->loss[cell_of(g, &plain)] += run[i].loss;
    }
    table_close(g, seen, t);
    return MP_OK;
}

static mp_err table_of_test(const mp_choice_grid *g, const mp_choice_test *run, int n, mp_arena *a, table *t)
{
    bool *seen = seen_new(g, a);
    *t = table_new(g, a);
    for (int i = 0; i < n; i++) {
        MP_TRY(mark(g, &run[i], seen));
        t->metric[cell_of(g, &run[i])] += worth(g, run[i].metric);
    }
    table_close(g, seen, t);
    return MP_OK;
}

bool mp_choice_better(const table *t, int i, int than)
{
    return t->metric[i] > t->metric[than] + TIED ||
           (t->metric[i] >= t->metric[than] - TIED && t->loss[i] < t->loss[than]);
}

/* The best point of row `seed`, the first of equals. */
static int best_point(const table *t, int seed)
{
    int best = MP_NO_POINT;
    for (int i = seed * t->points; i < (seed + 1) * t->points; i++)
        if (t->whole[i] && (best == MP_NO_POINT || mp_choice_better(t, i, best))) best = i;
    return best == MP_NO_POINT ? best : best - seed * t->points;
}

table mp_choice_over_seeds(const table *t, mp_arena *a)
{
    mp_choice_grid row = { .seeds = 1, .points = t->points };
    table out = table_new(&row, a);
    for (int p = 0; p < t->points; p++) {
        int count = 0;
        for (int s = 0; s < t->seeds; s++) {
            if (!t->whole[s * t->points + p]) continue;
            out.metric[p] += t->metric[s * t->points + p];
            out.loss[p] += t->loss[s * t->points + p];
            count++;
        }
        out.whole[p] = count > 0;
        out.metric[p] /= count ? count : 1;
        out.loss[p] /= count ? count : 1;
    }
    return out;
}

static void choose_point(const table *t, int point, int *chosen)
{
    for (int s = 0; s < t->seeds; s++) {
        bool there = point != MP_NO_POINT && t->whole[s * t->points + point];
        chosen[s] = there ? point : MP_NO_POINT;
    }
}

static void choose_best(const table *t, bool global, mp_arena *a, int *chosen)
{
    if (global) {
        table row = mp_choice_over_seeds(t, a);
        choose_point(t, best_point(&row, 0), chosen);
        return;
    }
    for (int s = 0; s < t->seeds; s++) chosen[s] = best_point(t, s);
}

mp_err mp_choose_val(const mp_choice_grid *g, const mp_choice_val *run, int n, bool global, mp_arena *a, int *chosen)
{
    table t;
    MP_TRY(table_of_val(g, run, n, a, &t));
    choose_best(&t, global, a, chosen);
    return MP_OK;
}

mp_err mp_choose_test(const mp_choice_grid *g, const mp_choice_test *run, int n, bool global, mp_arena *a, int *chosen)
{
    table t;
    MP_TRY(table_of_test(g, run, n, a, &t));
    choose_best(&t, global, a, chosen);
    return MP_OK;
}

mp_err mp_choose_fixed(const mp_choice_grid *g, const mp_choice_test *run, int n, int point, mp_arena *a, int *chosen)
{
    table t;
    MP_TRY(table_of_test(g, run, n, a, &t));
    choose_point(&t, point, chosen);
    return MP_OK;
}

/* Mean and population standard deviation. */
static void spread(const double *v, int n, double *mean, double *std)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) sum += v[i];
    *mean = sum / n;
    for (int i = 0; i < n; i++) squares += (v[i] - *mean) * (v[i] - *mean);
    *std = sqrt(squares / n);
}

static bool seed_counts(const mp_choice_grid *g, const int *chosen, int seed)
{
    for (int f = 0; f < g->folds; f++)
        if (chosen[seed * g->folds + f] == MP_NO_POINT) return false;
    return true;
}

mp_err mp_choice_score(const mp_choice_grid *g, const int *chosen, const mp_choice_test *run, int n, mp_arena *a,
                       mp_score *out)
{
    size_t cells = (size_t)g->seeds * (size_t)g->folds;
    double *value = MP_NEW(a, double, cells + 1); /* of the chosen runs */
    double *seed_mean = MP_NEW(a, double, g->seeds + 1), fold_std_sum = 0;
    bool *seen = seen_new(g, a);
    *out = (mp_score){ .mean = (double)NAN, .std_seeds = (double)NAN, .std_folds = (double)NAN, .folds = g->folds };
    for (int i = 0; i < n; i++) {
        MP_TRY(mark(g, &run[i], seen));
        int place = run[i].seed * g->folds + run[i].fold;
        if (chosen[place] == run[i].point) value[place] = run[i].metric;
    }
    for (int s = 0; s < g->seeds; s++) {
        double std;
        if (!seed_counts(g, chosen, s)) continue;
        spread(value + s * g->folds, g->folds, &seed_mean[out->seeds++], &std);
        fold_std_sum += std;
    }
    if (out->seeds == 0) return MP_OK;
    spread(seed_mean, out->seeds, &out->mean, &out->std_seeds);
    out->std_folds = fold_std_sum / out->seeds;
    return MP_OK;
}

/* ---- from stored runs to places in a grid ---- */

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Sorts and drops repeats; returns how many are left. */
static int unique(int *number, int n)
{
    int kept = 0;
    qsort(number, (size_t)n, sizeof *number, by_number);
    for (int i = 0; i < n; i++)
        if (i == 0 || number[kept - 1] != number[i]) number[kept++] = number[i];
    return kept;
}

int mp_choice_place(const mp_choice_grid *g, int seed)
{
    const int *at = bsearch(&seed, g->seed, (size_t)g->seeds, sizeof *g->seed, by_number);
    return at ? (int)(at - g->seed) : -1;
}

int mp_choice_rungs(const mp_choice_set *set)
{
    return set->rungs > 1 ? set->rungs : 1;
}

int mp_choice_seed_of(const mp_choice_set *set, const mp_choice_run *r, int *again)
{
    *again = 0;
    return mp_rule_nested(&set->rule) && r->part == 0 ? mp_retrain_of(r->seed, again) : r->seed;
}

static int folds_of(const mp_choice_run *r)
{
    return r->folds > 1 ? r->folds : 1;
}

static int fold_of(const mp_choice_run *r)
{
    return r->fold > 0 ? r->fold - 1 : 0;
}

/* Runs of one part have the same folds. */
static mp_err check_folds(const mp_choice_set *set)
{
    const mp_choice_run *first[2] = { NULL, NULL };
    for (int i = 0; i < set->runs; i++) {
        const mp_choice_run *r = &set->run[i], **f = &first[r->part > 0];
        if (!*f) *f = r;
        if (folds_of(r) != folds_of(*f) || r->fold < 0 || r->fold > folds_of(r))
            return mp_fail(MP_ERR_INPUT, "fold %d of %d among runs with %d folds", r->fold, r->folds, folds_of(*f));
        mp_assert(r->point >= 0 && r->point < set->points && r->rung >= 0 && r->rung < mp_choice_rungs(set));
        mp_assert(r->part >= 0 && r->part <= set->folds);
    }
    return MP_OK;
}

mp_err mp_choice_grid_of(const mp_choice_set *set, mp_arena *a, mp_choice_grid *g)
{
    int *seed = MP_NEW(a, int, set->runs + 1), again;
    MP_TRY(check_folds(set));
    for (int i = 0; i < set->runs; i++) seed[i] = mp_choice_seed_of(set, &set->run[i], &again);
    *g = (mp_choice_grid){ .seeds = unique(seed, set->runs),
                           .folds = mp_rule_nested(&set->rule) ? set->folds
                                    : set->runs                ? folds_of(set->run)
                                                               : 1,
                           .points = set->points,
                           .seed = seed,
                           .smaller = set->smaller };
    if ((double)g->seeds * g->points * g->folds > MOST_CELLS)
        return mp_fail(MP_ERR_LIMIT, "%d seeds x %d points x %d folds are more than can be chosen from", g->seeds,
                       g->points, g->folds);
    return MP_OK;
}

/* The runs of a part at a rung, as an honest choice may see them; `*g` gets the folds of the part. */
static int val_runs(const mp_choice_set *set, int part, int rung, mp_choice_grid *g, mp_choice_val *out)
{
    int n = 0;
    g->folds = part && set->rule.inner > 1 ? set->rule.inner : part ? 1 : g->folds;
    for (int i = 0; i < set->runs; i++) {
        const mp_choice_run *r = &set->run[i];
        int seed = mp_choice_place(g, r->seed);
        if (r->part != part || r->rung != rung || seed < 0) continue;
        out[n++] = (mp_choice_val){ seed, fold_of(r), r->point, r->val_loss, r->val_metric };
    }
    return n;
}

mp_err mp_choice_table_at(const mp_choice_set *set, int part, int rung, const mp_choice_grid *g, mp_arena *a,
                          table *out)
{
    mp_choice_val *val = MP_NEW(a, mp_choice_val, set->runs + 1);
    mp_choice_grid own = *g;
    int n = val_runs(set, part, rung, &own, val);
    return table_of_val(&own, val, n, a, out);
}

/* ---- modes ---- */

typedef struct tests { /* of runs that may be chosen, as the functions above take them */
    int n;
    mp_choice_test *test, *large, *large_c; /* the last two NULL where a run lacks the test */
} tests;

static void add_test(tests *t, mp_choice_test at, const double metric[3])
{
    mp_choice_test *const list[] = { t->test, t->large, t->large_c };
    for (int k = 0; k < 3; k++) {
        at.metric = metric[k];
        list[k][t->n] = at;
    }
    t->n++;
}

static tests tests_new(int n, mp_arena *a)
{
    return (tests){ 0, MP_NEW(a, mp_choice_test, n + 1), MP_NEW(a, mp_choice_test, n + 1),
                    MP_NEW(a, mp_choice_test, n + 1) };
}

static tests tests_of(const mp_choice_set *set, const mp_choice_grid *g, mp_arena *a)
{
    tests t = tests_new(set->runs, a);
    for (int i = 0; i < set->runs; i++) {
        const mp_choice_run *r = &set->run[i];
        if (r->rung != mp_choice_rungs(set) - 1) continue;
        add_test(&t, (mp_choice_test){ mp_choice_place(g, r->seed), fold_of(r), r->point, 0 },
                 (const double[]){ r->test_metric, r->large_metric, r->large_c_metric });
    }
    return t;
}

static mp_err choose_mode(const mp_choice_set *set, const mp_choice_grid *g, const tests *t, mp_select mode, int fixed,
                          mp_arena *a, int *chosen)
{
    bool global = mode == MP_SELECT_VAL_GLOBAL || mode == MP_SELECT_PAPER_GLOBAL;
    if (mode == MP_SELECT_FIXED) return mp_choose_fixed(g, t->test, t->n, fixed, a, chosen);
    if (mode == MP_SELECT_PAPER || mode == MP_SELECT_PAPER_GLOBAL)
        return mp_choose_test(g, t->test, t->n, global, a, chosen);
    mp_choice_grid same = *g;
    mp_choice_val *val = MP_NEW(a, mp_choice_val, set->runs + 1);
    int n = val_runs(set, 0, mp_choice_rungs(set) - 1, &same, val);
    return mp_choose_val(g, val, n, global, a, chosen);
}

/* For each seed and outer fold by the inner runs of that fold, which have no test metric. */
static mp_err choose_nested(const mp_choice_set *set, const mp_choice_grid *g, mp_arena *a, int *chosen)
{
    mp_choice_val *val = MP_NEW(a, mp_choice_val, set->runs + 1);
    int *one = MP_NEW(a, int, g->seeds + 1);
    for (int f = 0; f < g->folds; f++) {
        mp_choice_grid inner = *g;
        int n = val_runs(set, f + 1, mp_choice_rungs(set) - 1, &inner, val);
        if (g->points > 1) MP_TRY(mp_choose_val(&inner, val, n, false, a, one));
        for (int s = 0; s < g->seeds; s++) chosen[s * g->folds + f] = one[s];
    }
    return MP_OK;
}

/* Of each seed and outer fold the mean over the retrainings of the winner. A fold that lacks one is taken out of the choice. */
static tests retrained(const mp_choice_set *set, const mp_choice_grid *g, mp_arena *a, int *chosen)
{
    int cells = g->seeds * g->folds, again;
    tests t = tests_new(cells, a);
    double(*sum)[3] = mp_arena_zero(a, (size_t)cells + 1, sizeof *sum);
    bool *seen = MP_NEW(a, bool, (size_t)cells *(size_t)set->rule.retrain + 1);
    int *count = MP_NEW(a, int, cells + 1);
    for (int i = 0; i < set->runs; i++) {
        const mp_choice_run *r = &set->run[i];
        if (r->part) continue;
        int cell = mp_choice_place(g, mp_choice_seed_of(set, r, &again)) * g->folds + fold_of(r);
        if (again < 1 || again > set->rule.retrain || chosen[cell] != r->point) continue;
        bool *here = &seen[(size_t)cell * (size_t)set->rule.retrain + (size_t)again - 1];
        if (*here) continue;
        *here = true;
        count[cell]++;
        const double metric[] = { r->test_metric, r->large_metric, r->large_c_metric };
        for (int k = 0; k < 3; k++) sum[cell][k] += metric[k];
    }
    for (int c = 0; c < cells; c++) {
        if (chosen[c] != MP_NO_POINT && count[c] < set->rule.retrain) chosen[c] = MP_NO_POINT;
        for (int k = 0; k < 3; k++) sum[c][k] /= set->rule.retrain;
        if (chosen[c] != MP_NO_POINT)
            add_test(&t, (mp_choice_test){ c / g->folds, c % g->folds, chosen[c], 0 }, sum[c]);
    }
    return t;
}

static bool has_all(const mp_choice_test *t, int n)
{
    for (int i = 0; i < n; i++)
        if (isnan(t[i].metric)) return false;
    return n > 0;
}

mp_err mp_choose(const mp_choice_set *set, mp_select mode, int fixed, mp_arena *a, mp_choice *out)
{
    bool nested = mp_rule_nested(&set->rule);
    mp_score none = { .mean = (double)NAN, .std_seeds = (double)NAN, .std_folds = (double)NAN };
    *out = (mp_choice){ .mode = mode, .runs = set->runs, .test = none, .large = none, .large_c = none };
    mp_choice_grid *g = &out->grid;
    MP_TRY(mp_choice_grid_of(set, a, g));
    int *chosen = MP_NEW(a, int, (size_t)g->seeds *(size_t)g->folds + 1), *one = MP_NEW(a, int, g->seeds + 1);
    tests t;
    if (nested) {
        bool honest = mode == MP_SELECT_NESTED || mode == MP_SELECT_VAL || mode == MP_SELECT_VAL_GLOBAL;
        if (honest) out->mode = MP_SELECT_NESTED;
        for (int i = 0; i < g->seeds * g->folds && !honest; i++) chosen[i] = MP_NO_POINT;
        if (honest) MP_TRY(choose_nested(set, g, a, chosen));
        t = retrained(set, g, a, chosen);
    } else {
        t = tests_of(set, g, a);
        MP_TRY(choose_mode(set, g, &t, mode, fixed, a, one));
        for (int i = 0; i < g->seeds * g->folds; i++) chosen[i] = one[i / g->folds];
    }
    MP_TRY(mp_choice_score(g, chosen, t.test, t.n, a, &out->test));
    if (has_all(t.large, t.n)) MP_TRY(mp_choice_score(g, chosen, t.large, t.n, a, &out->large));
    if (has_all(t.large_c, t.n)) MP_TRY(mp_choice_score(g, chosen, t.large_c, t.n, a, &out->large_c));
    out->chosen = chosen;
    for (int s = 0; s < g->seeds; s++) out->seeds_left_out += !seed_counts(g, chosen, s);
    return mp_choice_count_missing(set, a, out);
}

int mp_choice_at(const mp_choice *c, int seed, int fold)
{
    mp_assert(seed >= 0 && seed < c->grid.seeds && fold >= 0 && fold < c->grid.folds);
    return c->chosen[seed * c->grid.folds + fold];
}

int mp_choice_seed(const mp_choice *c, const mp_choice_set *set, const mp_choice_run *r)
{
    int again;
    return c->chosen ? mp_choice_place(&c->grid, mp_choice_seed_of(set, r, &again)) : -1;
}

bool mp_choice_took(const mp_choice *c, const mp_choice_set *set, const mp_choice_run *r)
{
    int again, seed = c->chosen ? mp_choice_place(&c->grid, mp_choice_seed_of(set, r, &again)) : -1;
    if (seed < 0 || r->part || r->rung != mp_choice_rungs(set) - 1 || !seed_counts(&c->grid, c->chosen, seed))
        return false;
    if (mp_rule_nested(&set->rule) && (again < 1 || again > set->rule.retrain)) return false;
    return mp_choice_at(c, seed, fold_of(r)) == r->point;
}

double *mp_choice_values(const mp_choice *c, const mp_choice_set *set, mp_arena *a)
{
    size_t cells = (size_t)c->grid.seeds * (size_t)c->grid.folds;
    double *mean = MP_NEW(a, double, cells + 1);
    int *n = MP_NEW(a, int, cells + 1);
    for (int i = 0; i < set->runs; i++) {
        const mp_choice_run *r = &set->run[i];
        if (!mp_choice_took(c, set, r)) continue;
        int cell = mp_choice_seed(c, set, r) * c->grid.folds + fold_of(r);
        mean[cell] += r->test_metric;
        n[cell]++;
    }
    for (size_t i = 0; i < cells; i++) mean[i] = n[i] ? mean[i] / n[i] : (double)NAN;
    return mean;
}
