/* report_curves.c - learning curves: for each grid point the median over its runs and the band of the
 * middle half.
 *
 * Runs stop at different epochs. A median is over the runs still training, and is drawn only while they
 * are at least half of all: what a few long runs do is not what the model does.
 * SPDX-License-Identifier: MIT */
#include "report/report_own.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

/* A page of a thousand studies stays small: many charts have fewer points each, and beyond a number there are no more. */
enum { MOST_POINTS = 150, LEAST_POINTS = 20, MOST_CHARTS = 240, ALL_POINTS = 4800 };

typedef struct band {
    double x[MOST_POINTS], mid[MOST_POINTS], lo[MOST_POINTS], hi[MOST_POINTS];
    int n;
} band;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The q-quantile of sorted numbers, between two neighbours where it falls between. */
static double quantile(const double *v, int n, double q)
{
    double at = q * (n - 1);
    int i = (int)at;
    return i + 1 < n ? v[i] + (at - i) * (v[i + 1] - v[i]) : v[n - 1];
}

/* Losses of epoch `e` of the runs that got there; returns how many. */
static int gather(const mp_run_result *const *run, int n, int e, bool val, double *out)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (e >= run[i]->curve_len) continue;
        double v = val ? run[i]->curve[e].val_loss : run[i]->curve[e].train_loss;
        if (isfinite(v)) out[count++] = v;
    }
    qsort(out, (size_t)count, sizeof *out, by_value);
    return count;
}

/* Epochs that at least half of the runs reached. */
static int common_length(const mp_run_result *const *run, int n)
{
    for (int e = 0;; e++) {
        int there = 0;
        for (int i = 0; i < n; i++) there += e < run[i]->curve_len;
        if (there == 0 || 2 * there < n) return e;
    }
}

static void fill_band(const mp_run_result *const *run, int n, bool val, int points, double *room, band *out)
{
    int epochs = common_length(run, n), step = (epochs + points - 1) / points;
    out->n = 0;
    for (int e = 0; e < epochs; e += step) {
        int count = gather(run, n, e, val, room);
        if (count == 0) continue;
        out->x[out->n] = e + 1;
        out->mid[out->n] = quantile(room, count, 0.5);
        out->lo[out->n] = quantile(room, count, 0.25);
        out->hi[out->n++] = quantile(room, count, 0.75);
    }
}

static void draw_point(const mp_report_page *page, const mp_group *g, int p, const mp_run_result *const *run, int n,
                       int points, mp_arena *a, mp_html_grid *grid)
{
    band *train = MP_NEW(a, band, 1), *val = MP_NEW(a, band, 1);
    double *room = MP_NEW(a, double, n);
    fill_band(run, n, false, points, room, train);
    fill_band(run, n, true, points, room, val);
    if (val->n < 2) return;
    mp_svg_series line[] = {
        { "train", "#2f7fc1", true, false, train->n, train->x, train->mid, train->lo, train->hi },
        { "validation", "#d9722b", false, false, val->n, val->x, val->mid, val->lo, val->hi },
    };
    const char *title = mp_arena_printf(a, "%s: %s", mp_report_row_name(page, g), mp_point_name(&g->list, p, a));
    const char *note = mp_arena_printf(a, "median and middle half of %d run%s", n, mp_plural(n));
    mp_svg_chart_spec chart = { .title = mp_arena_printf(a, "%s, %s", title, note),
                                .x_label = "epoch",
                                .y_label = "loss",
                                .series = 2,
                                .line = line };
    mp_buf svg = { 0 }, csv = { 0 };
    mp_svg_chart(&chart, &svg);
    mp_svg_chart_csv(&chart, &csv);
    mp_html_grid_add(grid, &(mp_picture){ .title = title, .note = note, .svg = svg.p, .csv = csv.p });
    mp_buf_free(&svg);
    mp_buf_free(&csv);
}

static bool has_curve(const mp_group *s)
{
    for (int i = 0; i < s->runs; i++)
        if (s->run[i]->result.curve_len > 1) return true;
    return false;
}

/* Draws up to `most` charts of a row, of runs that were not to end early; returns how many it has. */
static int draw_row(const mp_report_page *page, const mp_group *s, int most, int points, mp_html_grid *grid)
{
    mp_arena *a = mp_arena_new(1 << 16);
    const mp_run_result **mine = MP_NEW(a, const mp_run_result *, s->runs + 1);
    int has = 0;
    for (int p = 0; p < s->list.count; p++) {
        int n = 0;
        for (int i = 0; i < s->runs; i++)
            if (s->choice[i].point == p && s->choice[i].rung == s->rungs - 1) mine[n++] = &s->run[i]->result;
        if (n && has++ < most) draw_point(page, s, p, mine, n, points, a, grid);
    }
    mp_arena_free(a);
    return has;
}

mp_err mp_report_curves(const mp_report_page *p)
{
    mp_html_grid grid = { .out = p->b };
    int charts = 0, points;
    for (int i = 0; i < p->count; i++) charts += has_curve(&p->study[i]) ? p->study[i].list.count : 0;
    if (charts == 0) return MP_OK;
    points = ALL_POINTS / charts;
    points = points > MOST_POINTS ? MOST_POINTS : points < LEAST_POINTS ? LEAST_POINTS : points;
    charts = 0;
    mp_html_section_begin(p->b, "curves", "Learning curves");
    for (int i = 0; i < p->count; i++) {
        if (!has_curve(&p->study[i])) continue;
        charts += draw_row(p, &p->study[i], MOST_CHARTS - charts, points, &grid);
    }
    mp_html_grid_end(&grid);
    mp_html_note(p->b, "A median is over the runs still training, drawn while they are at least half of all.");
    if (charts > MOST_CHARTS)
        mp_html_note(p->b, mp_arena_printf(p->arena, "The first %d of %d charts are drawn.", MOST_CHARTS, charts));
    mp_html_section_end(p->b);
    return MP_OK;
}
