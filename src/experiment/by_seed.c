/* by_seed.c - see by_seed.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/figures.h"
#include "experiment/by_seed.h"
#include "report/svg.h"

#include <math.h>

const char *const mp_on_name[MP_ON_TESTS] = { "test-origin", "test-large", "test-large-C" };

/* The place of the run of a seed at a point of the grid; -1: it is not there. */
static int run_of(const mp_lab *lab, int row, int seed, int point)
{
    for (int i = 0; i < mp_lab_runs(lab, row); i++) {
        mp_lab_run r = mp_lab_run_at(lab, row, i);
        if (r.result && r.run->key.config.seed == seed && mp_lab_study_row(lab, row)->trial[i].point == point) return i;
    }
    return -1;
}

mp_err mp_by_seed_ask(mp_lab *lab, const mp_ask *ask, const char *name, mp_by_seed *out)
{
    int row;
    mp_arena *a = mp_lab_arena(lab);
    MP_TRY(mp_lab_row(lab, ask, &row));
    *out = (mp_by_seed){ .name = name };
    MP_TRY(mp_lab_choose(lab, row, MP_SELECT_VAL, &out->choice));
    const mp_choice *c = &out->choice;
    int most = isnan(c->test.mean) ? 0 : c->grid.seeds;
    out->seed = MP_NEW(a, int, most + 1);
    for (int t = 0; t < MP_ON_TESTS; t++) out->on[t] = MP_NEW(a, double, most + 1);
    for (int s = 0; s < most; s++) {
        int point = mp_choice_at(c, s, 0), i = point == MP_NO_POINT ? -1 : run_of(lab, row, c->grid.seed[s], point);
        if (i < 0) continue;
        const mp_run_result *r = mp_lab_run_at(lab, row, i).result;
        const double on[MP_ON_TESTS] = { r->test_metric, r->large_metric, r->large_c_metric };
        for (int t = 0; t < MP_ON_TESTS; t++) out->on[t][out->seeds] = 100 * on[t];
        out->seed[out->seeds++] = c->grid.seed[s];
    }
    return MP_OK;
}

int mp_by_seed_failed(const mp_by_seed *row, const mp_by_seed *all, int n, double share)
{
    double best = 0;
    int failed = 0;
    for (int i = 0; i < n; i++)
        for (int s = 0; s < all[i].seeds; s++) best = fmax(best, all[i].on[MP_ON_TEST][s]);
    for (int s = 0; s < row->seeds; s++) failed += row->on[MP_ON_TEST][s] < share * best;
    return failed;
}

void mp_by_seed_figure(mp_section *out, const mp_by_seed *row, int n, int test, const char *title)
{
    static const char *const colour[] = { "#b3541e", "#2f6fb2" };
    mp_svg_strip *strip = MP_NEW(out->arena, mp_svg_strip, n);
    int strips = 0;
    for (int i = 0; i < n; i++) {
        if (row[i].seeds == 0 || isnan(row[i].on[test][0])) continue;
        const char **label = MP_NEW(out->arena, const char *, row[i].seeds);
        for (int s = 0; s < row[i].seeds; s++)
            label[s] = mp_arena_printf(out->arena, "seed %d: %.2f %%", row[i].seed[s], row[i].on[test][s]);
        strip[strips++] = (mp_svg_strip){ row[i].name, colour[i % 2], row[i].seeds, row[i].on[test], label };
    }
    if (strips == 0) return;
    mp_svg_dots_spec spec = { .title = title,
                              .x_label = "graphs counted right, percent; a bar is the mean",
                              .hi = 100,
                              .mark = (double)NAN,
                              .strips = strips,
                              .strip = strip };
    mp_figure_dots(out, title, NULL, &spec);
}
