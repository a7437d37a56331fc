/* report_overview.c - the first thing on the page: for each data set and method its best row, chosen on validation, beside the
 * paper's number; and whether MID differs from the plain operator (protocol.md 3.6).
 *
 * A method is an operator without or with MID. Nothing is chosen among ablations: MID without some of its parts stands here only
 * where it is all that an operator has of MID.
 * SPDX-License-Identifier: MIT */
#include "report/report_own.h"
#include "report/score.h"
#include "report/svg.h"
#include "study/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 60, MOST_DOTS = 100 };

typedef struct best {
    const mp_group *s;
    bool mid;
    mp_choice choice;
    double val; /* mean validation metric of the chosen runs */
    mp_paper_cell paper;
    mp_paired gain; /* MID less base; n is 0 where there is nothing to compare */
    double p;       /* of the gain, corrected for all of the table */
} best;

typedef struct overview {
    const mp_report_page *p;
    best *row;
    int rows;
    int pairs;
} overview;

static bool is_chosen(const best *x, int i)
{
    return mp_choice_took(&x->choice, &x->s->set, &x->s->choice[i]);
}

static double validation(const best *x)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < x->s->runs; i++) {
        if (!is_chosen(x, i)) continue;
        sum += x->s->choice[i].val_metric;
        n++;
    }
    return n ? sum / n : (double)NAN;
}

static bool same_method(const mp_group *a, const mp_group *b)
{
    return a->kind == b->kind && strcmp(a->key.dataset, b->key.dataset) == 0 &&
           strcmp(a->key.config.pool, b->key.config.pool) == 0 && strcmp(a->metric->name, b->metric->name) == 0;
}

/* A validation metric that is not defined is worse than any. Equal ones (choose.h) go to the row with the larger grid. */
static bool is_better(const best *x, const best *than)
{
    if (isnan(x->val) || isnan(than->val)) return isnan(than->val) && !isnan(x->val);
    if (fabs(x->val - than->val) < 1e-12) return x->s->list.count > than->s->list.count;
    return x->s->metric->larger ? x->val > than->val : x->val < than->val;
}

/* Whether a row is of MID: itself, or the only part of it that there is. */
static bool has_mid(const mp_report_page *p, const mp_group *s)
{
    int others = 0;
    if (s->kind != MP_GROUP_ABLATION) return s->kind == MP_GROUP_MID;
    for (int i = 0; i < p->count; i++)
        others += &p->study[i] != s && p->study[i].kind != MP_GROUP_BASE &&
                  strcmp(p->study[i].key.dataset, s->key.dataset) == 0 &&
                  strcmp(p->study[i].key.config.pool, s->key.config.pool) == 0;
    return others == 0;
}

/* Studies come sorted by data set, operator and kind. */
static mp_err find_best(overview *o)
{
    const mp_report_page *p = o->p;
    for (int i = 0; i < p->count; i++) {
        best x = { .s = &p->study[i], .mid = has_mid(p, &p->study[i]), .p = (double)NAN };
        if (x.s->runs == 0 || (x.s->kind == MP_GROUP_ABLATION && !x.mid)) continue;
        MP_TRY(mp_group_choose(x.s, MP_SELECT_VAL, NULL, p->arena, &x.choice));
        if (isnan(x.choice.test.mean)) continue;
        x.val = validation(&x);
        x.paper = mp_report_paper(x.s, false);
        int at = o->rows;
        while (at > 0 && !same_method(o->row[at - 1].s, x.s) &&
               strcmp(o->row[at - 1].s->key.dataset, x.s->key.dataset) == 0)
            at--;
        bool there = at > 0 && same_method(o->row[at - 1].s, x.s);
        if (!there)
            o->row[o->rows++] = x;
        else if (is_better(&x, &o->row[at - 1]))
            o->row[at - 1] = x;
    }
    return MP_OK;
}

/* Of k folds one tests, one validates, the rest trains. A fixed split has no training sets that overlap. */
static double test_train(const mp_run_key *key)
{
    return key->folds < 2 ? 0 : key->folds == 2 ? 1 : 1.0 / (key->folds - 2);
}

static void compare(overview *o, const best *base, best *mid)
{
    mp_arena *a = o->p->arena;
    const mp_choice_grid *x = &base->choice.grid, *y = &mid->choice.grid;
    double *d = MP_NEW(a, double, (size_t)x->seeds *(size_t)x->folds + 1);
    int n = 0;
    if (base->s->key.folds != mid->s->key.folds || base->s->key.fingerprint != mid->s->key.fingerprint ||
        strcmp(base->s->key.folds_from, mid->s->key.folds_from) != 0)
        return;
    const double *was = mp_choice_values(&base->choice, &base->s->set, a);
    const double *is = mp_choice_values(&mid->choice, &mid->s->set, a);
    for (int i = 0, k = 0; i < x->seeds; i++) { /* seeds ascend in both */
        while (k < y->seeds && y->seed[k] < x->seed[i]) k++;
        for (int f = 0; k < y->seeds && x->seed[i] == y->seed[k] && f < x->folds; f++) {
            double gain = is[k * y->folds + f] - was[i * x->folds + f];
            if (isfinite(gain)) d[n++] = gain;
        }
    }
    if (n == 0) return;
    mid->gain = mp_compare_paired(d, n, test_train(&base->s->key));
    o->pairs++;
}

static void compare_all(overview *o)
{
    double *p = MP_NEW(o->p->arena, double, o->rows + 1), *held = MP_NEW(o->p->arena, double, o->rows + 1);
    for (int i = 0; i < o->rows; i++) {
        for (int k = 0; k < o->rows; k++) {
            const mp_group *base = o->row[k].s, *mid = o->row[i].s;
            if (!o->row[i].mid || o->row[k].mid) continue;
            if (strcmp(base->key.dataset, mid->key.dataset) != 0) continue;
            if (strcmp(base->key.config.pool, mid->key.config.pool) == 0) compare(o, &o->row[k], &o->row[i]);
        }
        p[i] = o->row[i].gain.n > 1 ? o->row[i].gain.p : (double)NAN;
    }
    mp_compare_holm(p, o->rows, o->p->arena, held);
    for (int i = 0; i < o->rows; i++) o->row[i].p = isnan(p[i]) ? p[i] : held[i];
}

/* ---------------------------------------------------------------- the table */

static void add_p(mp_table *t, double p)
{
    if (isnan(p))
        mp_table_add(t, "-");
    else if (p < 0.001)
        mp_table_add(t, "0.000"); /* below what is shown */
    else
        mp_table_add(t, "%.3f", p);
}

static void write_table(const overview *o)
{
    static const char *const header[] = { "data set",   "method",     "ours", "metric", "paper",
                                          "difference", "MID - base", "p",    NULL };
    mp_table all, t;
    const mp_metric *one = mp_report_metric(o->p->study, o->p->count);
    mp_table_init(&all, o->p->arena, NULL, header);
    for (int i = 0; i < o->rows; i++) {
        const best *x = &o->row[i];
        const mp_metric *m = x->s->metric;
        double mean = x->choice.test.mean;
        mp_table_add(&all, "%s", x->s->key.dataset);
        mp_table_add(&all, "%s", x->s->model);
        mp_score_cell(&all, m, &x->choice.test);
        mp_table_add(&all, "%s", one ? "-" : mp_score_unit(m, o->p->arena));
        mp_paper_add(&all, x->paper);
        mp_score_number(&all, m, x->paper.mean > 0 ? mean - x->paper.mean / 100 : (double)NAN, true);
        mp_score_number(&all, m, x->gain.n ? x->gain.mean : (double)NAN, true);
        add_p(&all, x->p);
    }
    mp_table_without_empty(&all, 3, &t);
    t.lead = 3;
    t.name = "Best rows";
    mp_html_table(o->p->b, &t);
}

/* ---------------------------------------------------------------- the chart */

static double shown(const mp_metric *m, double v)
{
    return m->percent ? 100 * v : v;
}

static mp_svg_whisker whisker_of(const overview *o, const best *x)
{
    const mp_metric *m = x->s->metric;
    const mp_score *t = &x->choice.test;
    mp_svg_whisker w = { .group = x->s->key.dataset,
                         .label = x->s->model,
                         .name = x->mid ? "with MID" : "without MID" };
    double *v = MP_NEW(o->p->arena, double, MOST_DOTS);
    for (int i = 0; i < x->s->runs && w.n < MOST_DOTS; i++)
        if (is_chosen(x, i)) v[w.n++] = shown(m, x->s->choice[i].test_metric);
    w.colour = x->mid ? "#d9722b" : "#2f7fc1";
    w.x = v;
    w.mean = shown(m, t->mean);
    w.dev = shown(m, t->seeds > 1 ? t->std_seeds : t->std_folds);
    w.mark = x->paper.mean > 0 ? x->paper.mean : (double)NAN;
    return w;
}

/* Rows of one metric, since they share an axis. */
static void write_chart(const overview *o, const mp_metric *m)
{
    mp_svg_whisker *row = MP_NEW(o->p->arena, mp_svg_whisker, MOST_ROWS);
    int n = 0, of = 0;
    for (int i = 0; i < o->rows; i++) {
        if (strcmp(o->row[i].s->metric->title, m->title) != 0) continue;
        if (n < MOST_ROWS) row[n++] = whisker_of(o, &o->row[i]);
        of++;
    }
    const char *unit = mp_score_unit(m, o->p->arena);
    mp_svg_whiskers_spec spec = {
        .title = "Best rows", .label = unit, .mark_name = "paper", .width = 900, .rows = n, .row = row
    };
    mp_buf svg = { 0 }, csv = { 0 };
    mp_svg_whiskers(&spec, &svg);
    mp_svg_whiskers_csv(&spec, &csv);
    mp_html_grid grid = { .out = o->p->b };
    mp_html_grid_add(
        &grid, &(mp_picture){ .title = mp_arena_printf(o->p->arena, "Test %s", unit),
                              .note = n < of ? mp_arena_printf(o->p->arena, "the first %d of %d rows", n, of) : NULL,
                              .svg = svg.p,
                              .csv = csv.p });
    mp_html_grid_end(&grid);
    mp_buf_free(&svg);
    mp_buf_free(&csv);
}

static void write_charts(const overview *o)
{
    for (int i = 0; i < o->rows; i++) {
        bool seen = false;
        for (int k = 0; k < i && !seen; k++) seen = strcmp(o->row[k].s->metric->title, o->row[i].s->metric->title) == 0;
        if (!seen) write_chart(o, o->row[i].s->metric);
    }
}

mp_err mp_report_overview(const mp_report_page *p)
{
    overview o = { .p = p, .row = MP_NEW(p->arena, best, p->count + 1) };
    MP_TRY(find_best(&o));
    if (o.rows == 0) return MP_OK;
    compare_all(&o);
    mp_html_section_begin(p->b, "overview", "At a glance");
    write_charts(&o);
    write_table(&o);
    mp_html_fold_begin(p->b, "What this shows");
    mp_html_para(
        p->b,
        "For each data set and method the row with the best validation metric; the test graphs are looked at after "
        "that choice. \"ours\" is the mean over seeds of the mean over folds \xC2\xB1 the deviation over seeds. Small "
        "dots are the single runs, a whisker is the deviation over seeds, over folds where there is one seed.");
    mp_html_para(
        p->b,
        "\"paper\" is what the paper prints, chosen on test graphs, and \"difference\" is ours less that; the table of "
        "results has ours chosen in the same way.");
    if (o.pairs)
        mp_html_para(
            p->b,
            "\"MID - base\" is the mean difference of runs of the same seed and fold, \"p\" that of the corrected "
            "paired t-test (Nadeau and Bengio 2003), with Holm's correction for all comparisons of this table: 0.000 "
            "is below 0.001.");
    mp_html_fold_end(p->b);
    mp_html_section_end(p->b);
    return MP_OK;
}
