/* score_columns.c - do several score columns say different things (protocol.md 16)? Beyond the paper: it claims that they do.
 * SPDX-License-Identifier: MIT */
#include "experiment/figures.h"
#include "experiment/columns.h"
#include "experiment/make.h"
#include "experiment/survey.h"
#include "report/score.h"

#include <math.h>

static const struct {
    const char *name, *settings;
} variants[] = { { "h = 5", "score-dim=5" }, { "h = 5, flipscore", "score-dim=5 flip=true" } };
enum { VARIANTS = 2, LEVELS = 3, COLUMNS = 5 };

/* {"1": {"alike": 0.4, "effective": 2.9, "r": [25 numbers]}, ..} by pooling */
static mp_err probe(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    mp_subject s = mp_subject_tested(in);
    mp_alikes r;
    MP_TRY(mp_alikes_find(&s, a, &r));
    mp_json_open(json, '{');
    for (int l = 0; l < r.levels; l++) {
        mp_json_key(json, mp_arena_printf(a, "%d", l + 1));
        mp_json_open(json, '{');
        mp_json_add_real(json, "alike", r.level[l].alike);
        mp_json_add_real(json, "effective", r.level[l].effective);
        mp_json_key(json, "r");
        mp_json_open(json, '[');
        for (int i = 0; i < r.columns * r.columns; i++) mp_json_put_real(json, r.level[l].r[i]);
        mp_json_close(json, ']');
        mp_json_close(json, '}');
    }
    mp_json_close(json, '}');
    return MP_OK;
}

static const mp_probe columns = { .name = "score columns", .run = probe };

static void add_cell(mp_table *t, const mp_survey *s, const char *path)
{
    mp_over_runs x = mp_survey_spread(s, path);
    if (isnan(x.mean))
        mp_table_add(t, "-");
    else
        mp_table_add(t, "%.3f \xC2\xB1 %.3f", x.mean, x.std);
}

static void add_rows(const char *set, const char *pool, int variant, const mp_survey *s, mp_arena *a, mp_table *t)
{
    for (int l = 0; l < LEVELS && mp_survey_any(s); l++) {
        mp_table_add(t, "%s", set);
        mp_table_add(t, "%s", mp_lab_title(pool));
        mp_table_add(t, "%s", variants[variant].name);
        mp_table_add(t, "%d", l + 1);
        add_cell(t, s, mp_arena_printf(a, "%d.alike", l + 1));
        add_cell(t, s, mp_arena_printf(a, "%d.effective", l + 1));
    }
}

/* Columns have no order that runs would share: the picture is of one run. */
static void draw_first(mp_section *out, const char *set, const char *pool, const mp_survey *s)
{
    static const char *const name[COLUMNS] = { "1", "2", "3", "4", "5" };
    double value[COLUMNS * COLUMNS];
    int n = 0;
    const mp_json *r = s->n ? mp_json_get(mp_json_get(s->value[0], "1"), "r") : NULL;
    if (!r || r->count != COLUMNS * COLUMNS) return;
    for (const mp_json *v = r->first; v; v = v->next) value[n++] = v->kind == MP_JSON_NUMBER ? v->number : (double)NAN;
    mp_svg_heat_spec spec = { .title = "Correlation of score columns",
                              .row_label = "column",
                              .col_label = "column",
                              .rows = COLUMNS,
                              .cols = COLUMNS,
                              .row = name,
                              .col = name,
                              .value = value,
                              .decimals = 2,
                              .diverging = true };
    mp_figure_heat(out, mp_arena_printf(out->arena, "%s, %s", set, mp_lab_title(pool)),
                   "First pooling of the first run, without flipscore.", &spec);
}

static void draw_bars(mp_section *out, const char *pool, int sets, const char *const *set, const mp_survey *s)
{
    mp_svg_bar bar[VARIANTS];
    for (int v = 0; v < VARIANTS; v++) {
        double *value = MP_NEW(out->arena, double, sets), *dev = MP_NEW(out->arena, double, sets);
        for (int i = 0; i < sets; i++) {
            mp_over_runs x = mp_survey_spread(&s[i * VARIANTS + v], "1.alike");
            value[i] = x.mean;
            dev[i] = x.std;
        }
        bar[v] = (mp_svg_bar){ .name = variants[v].name, .value = value, .dev = dev };
    }
    mp_svg_bars_spec spec = { .title = "How alike score columns are",
                              .label = "mean absolute correlation",
                              .groups = sets,
                              .series = VARIANTS,
                              .group = set,
                              .bar = bar };
    mp_survey_bars(out, mp_arena_printf(out->arena, "Score columns of %s, first pooling", mp_lab_title(pool)), &spec);
}

mp_err mp_make_score_columns(mp_lab *lab, mp_section *out)
{
    static const char *const header[] = { "data set", "operator",          "scores", "pooling",
                                          "mean |r|", "effective columns", NULL };
    mp_arena *a = out->arena;
    mp_table t;
    int sets, pools;
    const char *const *set = mp_lab_sets(lab, "MUTAG,PTC_MR,ENZYMES,PROTEINS,NCI1,IMDB-BINARY", "MUTAG", &sets);
    const char *const *pool = mp_lab_pools(lab, "sag,topk", "sag", &pools);
    mp_table_init(&t, a, "Correlation between the five score columns", header);
    mp_section_para(
        out, "Several score columns help to tell nodes apart as far as they say different things. Beside the mean of "
             "the absolute correlation over pairs of columns stands the number of columns without any correlation "
             "that would be worth as much: 5 where none correlate, 1 where all say the same. Each score is taken "
             "without the mean of its graph, since nodes compete within their graph.");
    for (int p = 0; p < pools; p++) {
        mp_survey *s = MP_NEW(a, mp_survey, sets * VARIANTS);
        for (int i = 0; i < sets; i++)
            for (int v = 0; v < VARIANTS; v++) {
                mp_ask ask = { .dataset = set[i], .pool = pool[p], .preset = MP_PRESET_PAPER, .models = true };
                ask.settings = variants[v].settings;
                MP_TRY(mp_survey_row(lab, &ask, &columns, NULL, a, &s[i * VARIANTS + v]));
                add_rows(set[i], pool[p], v, &s[i * VARIANTS + v], a, &t);
            }
        draw_bars(out, pool[p], sets, set, s);
        for (int i = 0; i < sets; i++) draw_first(out, set[i], pool[p], &s[i * VARIANTS]);
    }
    mp_section_table(out, &t);
    return MP_OK;
}
