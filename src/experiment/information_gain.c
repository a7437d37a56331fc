/* information_gain.c - do poolings with flipscore keep nodes that differ more from their neighbours (protocol.md 6)?
 * SPDX-License-Identifier: MIT */
#include "experiment/gain.h"
#include "experiment/make.h"
#include "experiment/survey.h"
#include "report/score.h"

#include <math.h>

static const struct {
    const char *name, *settings;
} variants[] = { { "base", "flip=false" }, { "flipscore", "flip=true" } };
static const struct {
    const char *name, *title;
} forms[] = { { "printed", "as printed" }, { "edge", "edge by edge" } };
enum { VARIANTS = 2, FORMS = 2, LEVELS = 3 }; /* levels of the paper's networks */

static void put_levels(mp_buf *json, const char *key, const double *v, int levels)
{
    mp_json_key(json, key);
    mp_json_open(json, '{');
    for (int l = 0; l < levels; l++) {
        char name[16];
        mp_format(name, sizeof name, "%d", l + 1);
        mp_json_add_real(json, name, v[l]);
    }
    mp_json_close(json, '}');
}

/* {"scaled": {"printed": {"1": 0.02, ..}, "edge": {..}}, "plain": {..}} */
static mp_err probe(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    mp_subject s = mp_subject_tested(in);
    mp_json_open(json, '{');
    for (int scaled = 1; scaled >= 0; scaled--) {
        mp_gain g;
        MP_TRY(mp_gain_find(&s, scaled, a, &g));
        mp_json_key(json, scaled ? "scaled" : "plain");
        mp_json_open(json, '{');
        put_levels(json, "printed", g.printed, g.levels);
        put_levels(json, "edge", g.edge, g.levels);
        mp_json_close(json, '}');
    }
    mp_json_close(json, '}');
    return MP_OK;
}

static const mp_probe gain = { .name = "information gain", .run = probe };

static const char *path_of(mp_arena *a, const char *scale, int form, int level)
{
    return mp_arena_printf(a, "%s.%s.%d", scale, forms[form].name, level + 1);
}

typedef struct cell { /* what one data set and operator gave */
    const char *set, *pool;
    mp_survey s[VARIANTS];
} cell;

static void add_rows(const cell *c, mp_arena *a, mp_table *t)
{
    const mp_metric *plain = mp_metric_of("lambda");
    for (int l = 0; l < LEVELS; l++)
        for (int f = 0; f < FORMS; f++) {
            const char *path = path_of(a, "scaled", f, l), *unscaled = path_of(a, "plain", f, l);
            if (mp_survey_spread(&c->s[0], path).n == 0) continue;
            mp_paired d = mp_survey_paired(&c->s[1], &c->s[0], path);
            mp_table_add(t, "%s", c->set);
            mp_table_add(t, "%s", mp_lab_title(c->pool));
            mp_table_add(t, "%d", l + 1);
            mp_table_add(t, "%s", forms[f].title);
            for (int v = 0; v < VARIANTS; v++) {
                mp_over_runs x = mp_survey_spread(&c->s[v], path);
                mp_spread_cell(t, plain, x.mean, x.std, x.n);
            }
            mp_paired_cell(t, &d, 1);
            for (int v = 0; v < VARIANTS; v++) {
                mp_over_runs x = mp_survey_spread(&c->s[v], unscaled);
                mp_spread_cell(t, plain, x.mean, x.std, x.n);
            }
        }
}

static void draw(mp_section *out, const cell *c, int cells, int form)
{
    mp_arena *a = out->arena;
    const char **group = MP_NEW(a, const char *, cells *LEVELS);
    mp_svg_bar bar[VARIANTS];
    for (int v = 0; v < VARIANTS; v++) {
        double *value = MP_NEW(a, double, cells *LEVELS), *dev = MP_NEW(a, double, cells *LEVELS);
        for (int i = 0; i < cells * LEVELS; i++) {
            const cell *at = &c[i / LEVELS];
            mp_over_runs x = mp_survey_spread(&at->s[v], path_of(a, "scaled", form, i % LEVELS));
            group[i] = mp_arena_printf(a, "%s, %s, pooling %d", at->set, mp_lab_title(at->pool), i % LEVELS + 1);
            value[i] = x.mean;
            dev[i] = x.std;
        }
        bar[v] = (mp_svg_bar){ .name = variants[v].name, .value = value, .dev = dev };
    }
    mp_svg_bars_spec spec = { .title = "Information gain of what poolings keep",
                              .label = "lambda",
                              .groups = cells * LEVELS,
                              .series = VARIANTS,
                              .group = group,
                              .bar = bar };
    mp_survey_bars(out, mp_arena_printf(a, "Information gain, %s", forms[form].title), &spec);
}

mp_err mp_make_information_gain(mp_lab *lab, mp_section *out)
{
    static const char *const header[] = { "data set",
                                          "operator",
                                          "pooling",
                                          "form",
                                          "base",
                                          "flipscore",
                                          "to base",
                                          "base, not scaled",
                                          "flipscore, not scaled",
                                          NULL };
    mp_arena *a = out->arena;
    mp_table t;
    int sets, pools, cells = 0;
    const char *const *set = mp_lab_sets(lab, "MUTAG", "MUTAG", &sets);
    const char *const *pool = mp_lab_pools(lab, "sag,gsa", "sag,gsa", &pools);
    cell *c = MP_NEW(a, cell, sets * pools);
    mp_table_init(&t, a, "Information gain lambda of the nodes that each pooling keeps", header);
    for (int i = 0; i < sets; i++)
        for (int p = 0; p < pools; p++) {
            cell *at = &c[cells];
            *at = (cell){ .set = set[i], .pool = pool[p] };
            for (int v = 0; v < VARIANTS; v++) {
                mp_ask ask = { .dataset = set[i], .pool = pool[p], .preset = MP_PRESET_PAPER, .models = true };
                ask.settings = variants[v].settings;
                MP_TRY(mp_survey_row(lab, &ask, &gain, NULL, a, &at->s[v]));
            }
            add_rows(at, a, &t);
            cells += mp_survey_any(&at->s[0]) || mp_survey_any(&at->s[1]);
        }
    mp_section_para(
        out, "How much kept nodes differ from their neighbours: the sum over kept nodes of squared differences to the "
             "features of their neighbours, over the number of edges and channels. The paper prints the square of "
             "the sum over neighbours; the code it cites squares edge by edge. Channels are scaled to 0..1 over the "
             "nodes of the test fold, and beside it not scaled. One score column, no dropscore.");
    for (int f = 0; f < FORMS && cells; f++) draw(out, c, cells, f);
    t.note = "To base: mean of the differences of paired runs, and the interval that holds it with probability 95 %.";
    mp_section_table(out, &t);
    mp_section_note(out, "The paper shows a figure without numbers.");
    return MP_OK;
}
