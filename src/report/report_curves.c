/* report_curves.c - learning curves: for each grid point the median over its runs and the band of the
 * middle half.
 *
 * Runs stop at different epochs. A median is over the runs still training, and is drawn only while they
 * are at least half of all: what a few long runs do is not what the model does.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/report.h"
#include "report/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_POINTS = 150, MOST_CHARTS = 12 };

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

static void fill_band(const mp_run_result *const *run, int n, bool val, double *room, band *out)
{
    int epochs = common_length(run, n), step = (epochs + MOST_POINTS - 1) / MOST_POINTS;
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

static void draw_point(const mp_group *g, const mp_choice_point *p, const mp_run_result *const *run, int n, mp_arena *a,
                       mp_buf *out)
{
    band *train = MP_NEW(a, band, 1), *val = MP_NEW(a, band, 1);
    double *room = MP_NEW(a, double, n);
    fill_band(run, n, false, room, train);
    fill_band(run, n, true, room, val);
    if (val->n < 2) return;
    mp_svg_series line[] = {
        { "train", "#2f7fc1", true, false, train->n, train->x, train->mid, train->lo, train->hi },
        { "validation", "#d9722b", false, false, val->n, val->x, val->mid, val->lo, val->hi },
    };
    char title[80], note[80];
    mp_format(title, sizeof title, "h = %d, drop = %g", p->score_dim, p->drop);
    snprintf(note, sizeof note, "median and middle half of %d run%s", n, n == 1 ? "" : "s");
    mp_svg_chart_spec chart = { .title = mp_arena_printf(a, "%s, %s: %s, %s", g->key.dataset, g->model, title, note),
                                .x_label = "epoch",
                                .y_label = "loss",
                                .series = 2,
                                .line = line };
    mp_buf svg = { 0 };
    mp_svg_chart(&chart, &svg);
    mp_html_picture(out, title, note, svg.p);
    mp_buf_free(&svg);
}

void mp_report_curves(const mp_group *s, mp_buf *out)
{
    mp_arena *a = mp_arena_new(1 << 16);
    const mp_run_result **mine = MP_NEW(a, const mp_run_result *, s->runs + 1);
    mp_choice c;
    if (mp_group_choose(s, MP_SELECT_VAL, NULL, a, &c) == MP_OK) {
        mp_buf_puts(out, "<div class=\"pictures\">\n");
        for (int p = 0; p < c.grid.points && p < MOST_CHARTS; p++) {
            int n = 0;
            for (int i = 0; i < s->runs; i++) {
                const mp_choice_point *q = &s->choice[i].point;
                if (q->score_dim == c.grid.point[p].score_dim && q->drop == c.grid.point[p].drop)
                    mine[n++] = &s->run[i]->result;
            }
            if (n) draw_point(s, &c.grid.point[p], mine, n, a, out);
        }
        mp_buf_puts(out, "</div>\n");
        if (c.grid.points > MOST_CHARTS) mp_html_note(out, "Only the first 12 grid points are drawn.");
    }
    mp_arena_free(a);
}
