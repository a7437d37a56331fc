/* curve.c - see curve.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/curve.h"
#include "experiment/figures.h"
#include "report/score.h"

#include <math.h>

#define MOST_LINES 4

void mp_curve_table(mp_arena *a, mp_table *t)
{
    static const char *const header[] = { "data set", "operator", "varied",        "value",
                                          "model",    "test",     "seeds x folds", NULL };
    mp_table_init(t, a, NULL, header);
    t->lead = 6;
}

typedef struct spread {
    double lo, hi; /* of the means over points */
} spread;

static mp_err add_line(mp_lab *lab, const mp_curve *c, const mp_curve_line *line, mp_table *t, mp_svg_series *s,
                       spread *range)
{
    mp_arena *a = mp_lab_arena(lab);
    double *mean = MP_NEW(a, double, c->points), *lo = MP_NEW(a, double, c->points), *hi = MP_NEW(a, double, c->points);
    *range = (spread){ (double)INFINITY, -(double)INFINITY };
    for (int i = 0; i < c->points; i++) {
        mp_ask ask = { .dataset = c->dataset,
                       .pool = c->pool,
                       .preset = MP_PRESET_PAPER,
                       .settings = mp_arena_printf(a, "%s %s", line->settings, c->setting[i]),
                       .seeds = c->seeds };
        int row;
        mp_choice got;
        MP_TRY(mp_lab_row(lab, &ask, &row));
        MP_TRY(mp_lab_choose(lab, row, MP_SELECT_VAL, &got));
        double unit = row >= 0 && mp_study_metric(mp_lab_study_row(lab, row))->percent ? 100 : 1;
        /* with one seed the band is that of folds */
        double dev = got.test.seeds > 1 ? got.test.std_seeds : got.test.std_folds;
        mean[i] = unit * got.test.mean;
        lo[i] = unit * (got.test.mean - dev);
        hi[i] = unit * (got.test.mean + dev);
        if (row < 0 || isnan(got.test.mean)) continue;
        range->lo = fmin(range->lo, mean[i]);
        range->hi = fmax(range->hi, mean[i]);
        mp_table_add(t, "%s", c->dataset);
        mp_table_add(t, "%s", mp_lab_title(c->pool));
        mp_table_add(t, "%s", c->what);
        mp_table_add(t, "%g", c->x[i]);
        mp_table_add(t, "%s", line->name);
        mp_score_cell(t, mp_study_metric(mp_lab_study_row(lab, row)), &got.test);
        mp_table_add(t, "%d x %d", got.test.seeds, got.test.folds);
    }
    *s = (mp_svg_series){ .name = line->name, .dots = true, .n = c->points, .x = c->x, .y = mean, .lo = lo, .hi = hi };
    return MP_OK;
}

mp_err mp_curve_make(mp_lab *lab, const mp_curve *c, mp_table *t, mp_section *out)
{
    static const char *const colour[MOST_LINES] = { "#2f6fb2", "#c2571a", "#3a8f5c", "#8452a6" };
    mp_svg_series line[MOST_LINES];
    mp_buf ranges = { 0 };
    mp_assert(c->lines <= MOST_LINES);
    for (int i = 0; i < c->lines; i++) {
        spread range;
        MP_TRY(add_line(lab, c, &c->line[i], t, &line[i], &range));
        line[i].colour = colour[i];
        if (range.hi >= range.lo)
            mp_buf_printf(&ranges, "%s%s ranges over %.1f", ranges.n ? ", " : "", c->line[i].name, range.hi - range.lo);
    }
    const char *title = mp_arena_printf(out->arena, "%s, %s: %s", c->dataset, mp_lab_title(c->pool), c->what);
    mp_svg_chart_spec spec = {
        .title = title, .x_label = c->what, .y_label = "test accuracy in percent", .series = c->lines, .line = line
    };
    if (ranges.n) mp_figure_chart(out, title, mp_arena_text(out->arena, ranges.p, ranges.n), &spec);
    mp_buf_free(&ranges);
    return MP_OK;
}
