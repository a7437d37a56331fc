/* dimension.c - is it the several scores or the wider features? Four ways from h to the width behind a pooling (math.md 4.5).
 * SPDX-License-Identifier: MIT */
#include "experiment/figures.h"
#include "experiment/make.h"
#include "report/score.h"

#include <math.h>

static const struct {
    const char *name, *settings;
} ways[] = { { "multi", "width=multi" },
             { "multi-head", "width=multihead" },
             { "repeat-expand", "width=repeat" },
             { "MLP-expand", "width=mlp" },
             { "MLP-expand, no ReLU", "width=mlp expand-relu=false" } };
enum { WAYS = sizeof ways / sizeof *ways, DIMS = 4, WIDTHS = 2 };
static const int dim[DIMS] = { 1, 2, 4, 8 }, width[WIDTHS] = { 64, 128 };

static mp_err ask_one(mp_lab *lab, const char *set, const char *pool, int c, int h, int way, mp_choice *got,
                      const mp_metric **m)
{
    char settings[128];
    int row;
    mp_format(settings, sizeof settings, h == 1 ? "hidden=%d" : "hidden=%d score-dim=%d %s", c, h, ways[way].settings);
    mp_ask ask = { .dataset = set, .pool = pool, .preset = MP_PRESET_PAPER, .settings = settings };
    MP_TRY(mp_lab_row(lab, &ask, &row));
    if (row >= 0) *m = mp_study_metric(mp_lab_study_row(lab, row));
    return mp_lab_choose(lab, row, MP_SELECT_VAL, got);
}

static mp_err make_set(mp_lab *lab, const char *set, const char *pool, mp_table *t, mp_section *out)
{
    const char *group[WIDTHS * DIMS];
    double value[WAYS][WIDTHS * DIMS], dev[WAYS][WIDTHS * DIMS];
    mp_svg_bar bar[WAYS];
    int groups = 0;
    for (int w = 0; w < WAYS; w++) bar[w] = (mp_svg_bar){ .name = ways[w].name, .value = value[w], .dev = dev[w] };
    for (int c = 0; c < WIDTHS; c++)
        for (int h = 0; h < DIMS; h++) {
            if (mp_lab_quick(lab) && (c == 0 || h % 2 == 1)) continue;
            group[groups] = mp_arena_printf(out->arena, "%d/%d", width[c], dim[h]);
            for (int w = 0; w < WAYS; w++) {
                mp_choice got;
                const mp_metric *m = mp_metric_of("accuracy");
                MP_TRY(ask_one(lab, set, pool, width[c], dim[h], w, &got, &m));
                bool shown = dim[h] > 1 || w == 0; /* with one column all ways are the same */
                value[w][groups] = shown ? 100 * got.test.mean : (double)NAN;
                dev[w][groups] = 100 * got.test.std_seeds;
                if (!shown || isnan(got.test.mean)) continue;
                mp_table_add(t, "%s", set);
                mp_table_add(t, "%s", mp_lab_title(pool));
                mp_table_add(t, "%s", group[groups]);
                mp_table_add(t, "%s", dim[h] == 1 ? "base" : ways[w].name);
                mp_score_cell(t, m, &got.test);
            }
            groups++;
        }
    mp_svg_bars_spec spec = { .title = "Width and scores",
                              .label = "test accuracy in percent",
                              .groups = groups,
                              .series = WAYS,
                              .group = group,
                              .bar = bar };
    mp_figure_bars(out, mp_arena_printf(out->arena, "%s, %s", set, mp_lab_title(pool)),
                   "c/h: channels and score columns", &spec);
    return MP_OK;
}

mp_err mp_make_dimension(mp_lab *lab, mp_section *out)
{
    static const char *const header[] = { "data set", "operator", "c/h", "way", "test", NULL };
    mp_table t;
    int sets, pools;
    const char *const *set = mp_lab_sets(lab, "MUTAG,DD,NCI1", "MUTAG", &sets);
    const char *const *pool = mp_lab_pools(lab, "sag", "sag", &pools);
    mp_table_init(&t, out->arena, NULL, header);
    t.lead = 5;
    mp_section_para(
        out,
        "MID's h score columns make features h times as wide. Multi-head has the h scores without the width, "
        "repeat-expand and MLP-expand the width with one score; flipscore and dropscore are off. If the scores are "
        "what helps, multi and multi-head are ahead.");
    for (int i = 0; i < sets; i++)
        for (int k = 0; k < pools; k++) MP_TRY(make_set(lab, set[i], pool[k], &t, out));
    mp_section_table(out, &t);
    return MP_OK;
}
