/* choose.c - see choose.h. Everything works on one table of means over folds: mean[seed][point], and
 * whether all folds were there.
 * SPDX-License-Identifier: MIT */
#include "train/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIED       1e-12
#define MOST_CELLS 100000000 /* seeds x points x folds, most of which no store fills */

const char *const mp_select_name[MP_SELECT_MODES + 1] = { "val", "val-global", "paper", "paper-global", "fixed", NULL };

typedef struct table { /* seeds x points, row-major */
    int seeds, points;
    double *metric,
        *loss;   /* means over folds, then over seeds in the row of a global choice; larger metrics are better */
    bool *whole; /* all folds are there */
} table;

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
        return mp_fail(MP_ERR_INPUT, "seed %d, fold %d with h = %d, drop = %g is there twice", g->seed[r->seed],
                       r->fold + 1, g->point[r->point].score_dim, g->point[r->point].drop);
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

/* The best point of row `seed`. Points ascend, so that of equals the first has the smaller h, then smaller
 * drop. */
static int best_point(const table *t, int seed)
{
    int best = MP_NO_POINT;
    for (int i = seed * t->points; i < (seed + 1) * t->points; i++) {
        if (!t->whole[i]) continue;
        if (best == MP_NO_POINT || t->metric[i] > t->metric[best] + TIED ||
            (t->metric[i] >= t->metric[best] - TIED && t->loss[i] < t->loss[best]))
            best = i;
    }
    return best == MP_NO_POINT ? best : best - seed * t->points;
}

/* One row: each point's mean over the seeds that have it whole. */
static table over_seeds(const table *t, mp_arena *a)
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
        table row = over_seeds(t, a);
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
        if (chosen[run[i].seed] == run[i].point) value[run[i].seed * g->folds + run[i].fold] = run[i].metric;
    }
    for (int s = 0; s < g->seeds; s++) {
        double std;
        if (chosen[s] == MP_NO_POINT) continue;
        spread(value + s * g->folds, g->folds, &seed_mean[out->seeds++], &std);
        fold_std_sum += std;
    }
    if (out->seeds == 0) return MP_OK;
    spread(seed_mean, out->seeds, &out->mean, &out->std_seeds);
    out->std_folds = fold_std_sum / out->seeds;
    return MP_OK;
}

/* From stored runs to places in a grid. */

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int by_point(const void *a, const void *b)
{
    const mp_choice_point *x = a, *y = b;
    if (x->score_dim != y->score_dim) return (x->score_dim > y->score_dim) - (x->score_dim < y->score_dim);
    return (x->drop > y->drop) - (x->drop < y->drop);
}

/* Sorts and drops repeats; returns how many are left. */
static int unique(void *items, int n, size_t size, int (*order)(const void *, const void *))
{
    char *p = items;
    int kept = 0;
    qsort(items, (size_t)n, size, order);
    for (int i = 0; i < n; i++)
        if (i == 0 || order(p + (size_t)(kept - 1) * size, p + (size_t)i * size) != 0)
            memmove(p + (size_t)kept++ * size, p + (size_t)i * size, size);
    return kept;
}

static int place(const void *item, const void *items, int n, size_t size, int (*order)(const void *, const void *))
{
    const char *at = bsearch(item, items, (size_t)n, size, order);
    return at ? (int)((size_t)(at - (const char *)items) / size) : MP_NO_POINT;
}

static mp_err grid_of(const mp_choice_run *run, int n, mp_arena *a, mp_choice_grid *g)
{
    int *seed = MP_NEW(a, int, n + 1);
    mp_choice_point *point = MP_NEW(a, mp_choice_point, n + 1);
    int folds = n && run[0].folds > 1 ? run[0].folds : 1;
    for (int i = 0; i < n; i++) {
        seed[i] = run[i].seed;
        point[i] = run[i].point;
        if ((run[i].folds > 1 ? run[i].folds : 1) != folds || run[i].fold < 0 || run[i].fold > folds)
            return mp_fail(MP_ERR_INPUT, "fold %d of %d among runs with %d folds", run[i].fold, run[i].folds, folds);
    }
    *g = (mp_choice_grid){ .seeds = unique(seed, n, sizeof *seed, by_number),
                           .folds = folds,
                           .points = unique(point, n, sizeof *point, by_point),
                           .seed = seed,
                           .point = point };
    if ((double)g->seeds * g->points * g->folds > MOST_CELLS)
        return mp_fail(MP_ERR_LIMIT, "%d seeds x %d grid points x %d folds are more than can be chosen from", g->seeds,
                       g->points, g->folds);
    return MP_OK;
}

typedef struct parts { /* the same runs, as the functions above take them */
    mp_choice_val *val;
    mp_choice_test *test, *large, *large_c; /* the last two NULL where a run lacks the test */
} parts;

static parts split(const mp_choice_grid *g, const mp_choice_run *run, int n, mp_arena *a)
{
    parts p = { MP_NEW(a, mp_choice_val, n + 1), MP_NEW(a, mp_choice_test, n + 1), MP_NEW(a, mp_choice_test, n + 1),
                MP_NEW(a, mp_choice_test, n + 1) };
    bool large = n > 0, large_c = n > 0;
    for (int i = 0; i < n; i++) {
        int seed = place(&run[i].seed, g->seed, g->seeds, sizeof *g->seed, by_number);
        int point = place(&run[i].point, g->point, g->points, sizeof *g->point, by_point);
        int fold = run[i].fold > 0 ? run[i].fold - 1 : 0;
        p.val[i] = (mp_choice_val){ seed, fold, point, run[i].val_loss, run[i].val_metric };
        p.test[i] = (mp_choice_test){ seed, fold, point, run[i].test_metric };
        p.large[i] = (mp_choice_test){ seed, fold, point, run[i].large_metric };
        p.large_c[i] = (mp_choice_test){ seed, fold, point, run[i].large_c_metric };
        large = large && !isnan(run[i].large_metric);
        large_c = large_c && !isnan(run[i].large_c_metric);
    }
    if (!large) p.large = NULL;
    if (!large_c) p.large_c = NULL;
    return p;
}

static mp_err choose_mode(const mp_choice_grid *g, const parts *p, int n, mp_select mode, const mp_choice_point *fixed,
                          mp_arena *a, int *chosen)
{
    bool global = mode == MP_SELECT_VAL_GLOBAL || mode == MP_SELECT_PAPER_GLOBAL;
    if (mode == MP_SELECT_VAL || mode == MP_SELECT_VAL_GLOBAL) return mp_choose_val(g, p->val, n, global, a, chosen);
    if (mode != MP_SELECT_FIXED) return mp_choose_test(g, p->test, n, global, a, chosen);
    mp_assert(fixed != NULL);
    int point = place(fixed, g->point, g->points, sizeof *g->point, by_point);
    if (point == MP_NO_POINT)
        return mp_fail(MP_ERR_INPUT, "no run has h = %d, drop = %g", fixed->score_dim, fixed->drop);
    return mp_choose_fixed(g, p->test, n, point, a, chosen);
}

mp_err mp_choose(const mp_choice_run *run, int n, bool smaller, mp_select mode, const mp_choice_point *fixed,
                 mp_arena *a, mp_choice *out)
{
    *out = (mp_choice){ .mode = mode, .runs = n };
    mp_choice_grid *g = &out->grid;
    MP_TRY(grid_of(run, n, a, g));
    g->smaller = smaller;
    parts p = split(g, run, n, a);
    int *chosen = MP_NEW(a, int, g->seeds + 1);
    MP_TRY(choose_mode(g, &p, n, mode, fixed, a, chosen));
    MP_TRY(mp_choice_score(g, chosen, p.test, n, a, &out->test));
    out->large = out->large_c = (mp_score){ .mean = (double)NAN, .std_seeds = (double)NAN, .std_folds = (double)NAN };
    if (p.large) MP_TRY(mp_choice_score(g, chosen, p.large, n, a, &out->large));
    if (p.large_c) MP_TRY(mp_choice_score(g, chosen, p.large_c, n, a, &out->large_c));
    out->chosen = chosen;
    out->missing = g->seeds * g->folds * g->points - n;
    for (int s = 0; s < g->seeds; s++) out->seeds_left_out += chosen[s] == MP_NO_POINT;
    return MP_OK;
}

bool mp_choice_took(const mp_choice *c, int seed, const mp_choice_point *point)
{
    int s = place(&seed, c->grid.seed, c->grid.seeds, sizeof *c->grid.seed, by_number);
    return s != MP_NO_POINT && c->chosen[s] != MP_NO_POINT && by_point(&c->grid.point[c->chosen[s]], point) == 0;
}
