/* robustness.c - accuracy against the share of edges that are removed at the entrance of poolings.
 * SPDX-License-Identifier: MIT */
#include "experiment/curve.h"
#include "experiment/make.h"

#define RATES 6

static const mp_curve_line lines[] = { { "base", "" }, { "MID", "score-dim=5 flip=true drop=0.1" } };
static const double rate[RATES] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5 };
static const struct {
    const char *what, *in;
} phases[] = { { "share of edges removed, training and test", "always" },
               { "share of edges removed, test only", "test" } };

static mp_err make_one(mp_lab *lab, const char *set, const char *pool, int phase, mp_table *t, mp_section *out)
{
    const char **setting = MP_NEW(out->arena, const char *, RATES);
    double *x = MP_NEW(out->arena, double, RATES);
    int n = 0;
    for (int i = 0; i < RATES; i++) {
        if (mp_lab_quick(lab) && i != 0 && i != 3 && i != 5) continue;
        x[n] = rate[i];
        setting[n++] = mp_arena_printf(out->arena, "edge-loss=%g edge-loss-in=%s", rate[i], phases[phase].in);
    }
    mp_curve c = { .dataset = set,
                   .pool = pool,
                   .what = phases[phase].what,
                   .lines = 2,
                   .line = lines,
                   .points = n,
                   .setting = setting,
                   .x = x };
    return mp_curve_make(lab, &c, t, out);
}

mp_err mp_make_robustness(mp_lab *lab, mp_section *out)
{
    mp_table t;
    int sets, pools;
    const char *const *set = mp_lab_sets(lab, "DD,PROTEINS,NCI1,MUTAG", "MUTAG", &sets);
    const char *const *pool = mp_lab_pools(lab, "topk", "topk", &pools);
    mp_curve_table(out->arena, &t);
    mp_section_para(
        out, "At the entrance of every pooling a share of each graph's edges is removed at random; scoring and "
             "coarsening see what is left, the convolution before it the whole graph. MID with h 5, drop 0.1. Bands: "
             "standard deviation over seeds, of one seed over folds.");
    for (int i = 0; i < sets; i++)
        for (int k = 0; k < pools; k++)
            for (int phase = 0; phase < 2; phase++) MP_TRY(make_one(lab, set[i], pool[k], phase, &t, out));
    mp_section_table(out, &t);
    return MP_OK;
}
