/* distinct.c - counting distinct colours, the task that motivates several score columns: one column ranks and gates all colours on one
 * line.
 * SPDX-License-Identifier: MIT */
#include "experiment/by_seed.h"
#include "experiment/make.h"
#include "report/score.h"

#include <math.h>

static const struct {
    const char *name, *settings;
} variants[] = { { "base, 1 column", "score-dim=1" },      { "flipscore, 1 column", "score-dim=1 flip=true" },
                 { "2 columns", "score-dim=2 flip=true" }, { "3 columns", "score-dim=3 flip=true" },
                 { "5 columns", "score-dim=5 flip=true" }, { "8 columns", "score-dim=8 flip=true" } };
enum { VARIANTS = sizeof variants / sizeof *variants };

static mp_err one_pool(mp_lab *lab, const char *set, const char *pool, mp_table *t, mp_section *out)
{
    const mp_metric *m = mp_metric_of("count_accuracy");
    mp_by_seed row[VARIANTS];
    int n = 0;
    for (int i = 0; i < VARIANTS; i++) {
        if (mp_lab_quick(lab) && i % 2) continue;
        const char *settings = mp_arena_printf(out->arena, "%s readout=max%s", variants[i].settings,
                                               mp_lab_quick(lab) ? " epochs=40" : "");
        mp_ask ask = { .dataset = set, .pool = pool, .settings = settings, .seeds = mp_lab_seeds(lab, 10, 2) };
        MP_TRY(mp_by_seed_ask(lab, &ask, variants[i].name, &row[n]));
        if (isnan(row[n].choice.test.mean)) continue;
        mp_table_add(t, "%s", mp_lab_title(pool));
        mp_table_add(t, "%s", variants[i].name);
        mp_score_cell(t, m, &row[n].choice.test);
        mp_score_cell(t, m, &row[n].choice.large);
        n++;
    }
    mp_by_seed_figure(
        out, row, n, MP_ON_TEST,
        mp_arena_printf(out->arena, "Distinct colours, %s: every seed on test-origin", mp_lab_title(pool)));
    return MP_OK;
}

mp_err mp_make_distinct(mp_lab *lab, mp_section *out)
{
    static const char *const header[] = { "operator", "scores", "test-origin", "test-large", NULL };
    int sets, pools;
    const char *const *set = mp_lab_sets(lab, "DISTINCT", "DISTINCT", &sets);
    const char *const *pool = mp_lab_pools(lab, "topk,sag", "topk", &pools);
    mp_table t;
    mp_table_init(&t, out->arena, NULL, header);
    mp_section figures = { .arena = out->arena };
    for (int i = 0; i < sets; i++)
        for (int k = 0; k < pools; k++) MP_TRY(one_pool(lab, set[i], pool[k], &t, &figures));
    mp_section_para(
        out,
        "The label of a graph is the number of different colours among its nodes, 1 to 8, however often each occurs. A "
        "pooling that keeps half of the nodes ranks colours on one line and scales each by its place there: colours in "
        "the middle, or at the wrong end, fade or go. Several columns are several lines. GIN, pooling, GIN, the "
        "maximum "
        "over nodes, a linear map; no dropscore; percent of graphs counted right, mean ± std over seeds, graphs of 10 "
        "to 30 nodes (test-origin) and of 31 to 100 (test-large).");
    t.lead = 3;
    mp_section_table(out, &t);
    for (int i = 0; i < figures.pieces; i++) mp_section_figure(out, &figures.piece[i].picture);
    return MP_OK;
}
