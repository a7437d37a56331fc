/* ablation.c - MID without one of its parts, at the setting that was chosen for all of it.
 * SPDX-License-Identifier: MIT */
#include "experiment/make.h"
#include "report/paper.h"
#include "report/score.h"

#include <math.h>

static const struct {
    const char *name, *printed; /* what the paper calls it; NULL: no variant */
    int multi, flip, drop;      /* parts that it has */
} variants[] = { { "base", NULL, 0, 0, 0 },
                 { "MID", NULL, 1, 1, 1 },
                 { "without flipscore", "w/o flipscore", 1, 0, 1 },
                 { "without dropscore", "w/o dropscore", 1, 1, 0 },
                 { "without several columns", "w/o multiscore", 0, 1, 1 } };
enum { VARIANTS = sizeof variants / sizeof *variants };

/* The paper's number in percent; NAN: it prints none. */
static double printed(const mp_ask *like, int variant)
{
    const mp_paper_row *r = mp_paper_look(&(mp_paper_key){ .table = "ablation",
                                                           .dataset = like->dataset,
                                                           .pool = like->pool,
                                                           .variant = variants[variant].printed,
                                                           .mid = variant > 0 });
    return r ? r->mean : (double)NAN;
}

/* One setting for all seeds, chosen on validation. */
static mp_err chosen_setting(mp_lab *lab, const mp_ask *base, mp_choice_point *out, bool *there)
{
    int row;
    mp_choice c;
    mp_ask mid = mp_ask_mid(lab, *base);
    MP_TRY(mp_lab_row(lab, &mid, &row));
    MP_TRY(mp_lab_choose(lab, row, MP_SELECT_VAL_GLOBAL, &c));
    *there = !isnan(c.test.mean) || mp_lab_plans(lab); /* a plan of it is as long at any setting */
    for (int s = 0; *there && s < c.grid.seeds; s++)
        if (mp_choice_at(&c, s, 0) != MP_NO_POINT) {
            const mp_config *at = &mp_lab_study_row(lab, row)->points.at[mp_choice_at(&c, s, 0)];
            *out = (mp_choice_point){ at->score_dim, at->drop };
        }
    return MP_OK;
}

static mp_err add_variants(mp_lab *lab, const mp_ask *like, mp_choice_point at, mp_table *t)
{
    double mid = (double)NAN, mean[VARIANTS];
    mp_choice c[VARIANTS];
    int row[VARIANTS];
    for (int i = 0; i < VARIANTS; i++) {
        char settings[96];
        mp_ask ask = *like;
        ask.grid = MP_GRID_NONE;
        mp_format(settings, sizeof settings, "score-dim=%d flip=%s drop=%g", variants[i].multi ? at.score_dim : 1,
                  variants[i].flip ? "true" : "false", variants[i].drop ? at.drop : 0.0);
        ask.settings = settings;
        MP_TRY(mp_lab_row(lab, &ask, &row[i]));
        MP_TRY(mp_lab_choose(lab, row[i], MP_SELECT_VAL, &c[i]));
        mean[i] = c[i].test.mean;
        if (variants[i].multi && variants[i].flip && variants[i].drop) mid = mean[i];
    }
    for (int i = 0; i < VARIANTS; i++) {
        if (isnan(mean[i])) continue;
        const mp_metric *m = row[i] < 0 ? mp_metric_of("accuracy") : mp_study_metric(mp_lab_study_row(lab, row[i]));
        mp_table_add(t, "%s", like->dataset);
        mp_table_add(t, "%s", mp_lab_title(like->pool));
        mp_table_add(t, "%s", variants[i].name);
        mp_table_add(t, variants[i].multi || variants[i].flip ? "h %d, drop %g" : "-",
                     variants[i].multi ? at.score_dim : 1, variants[i].drop ? at.drop : 0.0);
        mp_score_cell(t, m, &c[i].test);
        mp_score_number(t, m, mean[i] - mid, true);
        mp_score_number(t, m, printed(like, i) / 100, false);
        mp_score_number(t, m, (printed(like, i) - printed(like, 1)) / 100, true);
    }
    return MP_OK;
}

mp_err mp_make_ablation(mp_lab *lab, mp_section *out)
{
    static const char *const header[] = { "data set", "operator", "variant",       "setting", "test",
                                          "to MID",   "paper",    "to MID, paper", NULL };
    mp_table t, shown;
    int sets, pools;
    const char *const *set = mp_lab_sets(lab, "NCI1,IMDB-BINARY", "MUTAG", &sets);
    const char *const *pool = mp_lab_pools(lab, "sag,topk", "sag", &pools);
    mp_table_init(&t, out->arena, NULL, header);
    for (int i = 0; i < sets; i++)
        for (int k = 0; k < pools; k++) {
            mp_ask ask = { .dataset = set[i], .pool = pool[k], .preset = MP_PRESET_PAPER };
            mp_choice_point at = { 5, 0.1 };
            bool there;
            MP_TRY(chosen_setting(lab, &ask, &at, &there));
            if (there) MP_TRY(add_variants(lab, &ask, at, &t));
        }
    mp_table_without_empty(&t, 5, &shown);
    shown.lead = 5;
    mp_section_para(
        out,
        "Each part of MID is taken away in turn. The setting is the one chosen on validation for the whole of MID, "
        "for all seeds together; variants do not choose again.");
    mp_section_table(out, &shown);
    mp_section_note(
        out, "The paper's MID rows of this table are not those of its main table for the same models and data sets, so "
             "differences to MID compare, levels do not.");
    return MP_OK;
}
