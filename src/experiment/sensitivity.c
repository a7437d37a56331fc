/* sensitivity.c - how far accuracy depends on settings: ratio and depth with and without MID, then MID's own two.
 * SPDX-License-Identifier: MIT */
#include "experiment/curve.h"
#include "experiment/figures.h"
#include "experiment/make.h"
#include "report/score.h"

#include <math.h>

static const mp_curve_line lines[] = { { "base", "" }, { "MID", "score-dim=5 flip=true drop=0.1" } };

/* Values v of an option, "ratio=%g"; those at odd places are left out of quick versions. */
static mp_err make_curve(mp_lab *lab, const char *set, const char *pool, const char *what, const char *fmt,
                         const double *v, int n, mp_table *t, mp_section *out)
{
    const char **setting = MP_NEW(out->arena, const char *, n);
    double *x = MP_NEW(out->arena, double, n);
    int points = 0;
    for (int i = 0; i < n; i++) {
        if (mp_lab_quick(lab) && i % 4 != 0) continue;
        x[points] = v[i];
        setting[points++] = mp_arena_printf(out->arena, fmt, v[i]);
    }
    mp_curve c = { set, pool, what, 2, points, lines, setting, x, 0 };
    return mp_curve_make(lab, &c, t, out);
}

/* h x drop: one cell a pair. */
static mp_err make_heat(mp_lab *lab, const char *set, const char *pool, mp_section *out)
{
    enum { DIMS = 5, DROPS = 9 };
    static const int dim[DIMS] = { 4, 8, 12, 16, 20 };
    static const char *const dims[DIMS] = { "4", "8", "12", "16", "20" };
    static const char *const drops[DROPS] = { "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9" };
    double value[DIMS * DROPS], lo = (double)INFINITY, hi = -(double)INFINITY;
    for (int i = 0; i < DIMS; i++)
        for (int k = 0; k < DROPS; k++) {
            int row = -1;
            mp_choice c = { .test.mean = (double)NAN };
            bool wanted = !mp_lab_quick(lab) || (i % 4 == 0 && k % 8 == 0);
            mp_ask ask = { .dataset = set,
                           .pool = pool,
                           .preset = MP_PRESET_PAPER,
                           .settings =
                               mp_arena_printf(out->arena, "score-dim=%d flip=true drop=%s", dim[i], drops[k]) };
            if (wanted) MP_TRY(mp_lab_row(lab, &ask, &row));
            if (row >= 0) MP_TRY(mp_lab_choose(lab, row, MP_SELECT_VAL, &c));
            value[i * DROPS + k] = 100 * c.test.mean;
            if (isnan(c.test.mean)) continue;
            lo = fmin(lo, 100 * c.test.mean);
            hi = fmax(hi, 100 * c.test.mean);
        }
    if (hi < lo) return MP_OK;
    mp_svg_heat_spec spec = { .title = "Test accuracy in percent",
                              .row_label = "score columns h",
                              .col_label = "dropscore",
                              .rows = DIMS,
                              .cols = DROPS,
                              .row = dims,
                              .col = drops,
                              .value = value,
                              .decimals = 1 };
    mp_figure_heat(out, mp_arena_printf(out->arena, "%s, %s + MID", set, mp_lab_title(pool)),
                   mp_arena_printf(out->arena, "from %.1f to %.1f", lo, hi), &spec);
    return MP_OK;
}

mp_err mp_make_sensitivity(mp_lab *lab, mp_section *out)
{
    static const double ratio[] = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9 }, depth[] = { 1, 2, 3, 4, 5 };
    mp_table t;
    int sets, pools;
    mp_curve_table(out->arena, &t);
    const char *const *set = mp_lab_sets(lab, "DD,MUTAG", "MUTAG", &sets);
    const char *const *pool = mp_lab_pools(lab, "sag", "sag", &pools);
    mp_section_para(
        out,
        "The pooling ratio of all layers, of the first alone (the others keep half), and the number of layers, with "
        "and without MID (h 5, drop 0.1); then MID's own two settings. A picture says how far the means range.");
    for (int i = 0; i < sets; i++)
        for (int k = 0; k < pools; k++) {
            MP_TRY(make_curve(lab, set[i], pool[k], "pooling ratio", "ratio=%g", ratio, 9, &t, out));
            MP_TRY(make_curve(lab, set[i], pool[k], "ratio of the first pooling", "ratios=%g", ratio, 9, &t, out));
            MP_TRY(make_curve(lab, set[i], pool[k], "pooling layers", "layers=%g", depth, 5, &t, out));
        }
    set = mp_lab_sets(lab, "MUTAG,PROTEINS,NCI1,IMDB-BINARY", "MUTAG", &sets);
    for (int i = 0; i < sets; i++)
        for (int k = 0; k < pools; k++) MP_TRY(make_heat(lab, set[i], pool[k], out));
    mp_section_table(out, &t);
    return MP_OK;
}
