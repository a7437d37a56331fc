/* kept_neighbours.c - are kept nodes neighbours of kept nodes, and does dropscore change that (protocol.md 17)? Beyond the paper: it
 * says that without dropscore adjacent nodes with like scores are kept together.
 * SPDX-License-Identifier: MIT */
#include "experiment/make.h"
#include "experiment/neighbours.h"
#include "experiment/survey.h"
#include "report/score.h"

#include <math.h>

static const struct {
    const char *name, *settings, *arg; /* arg: draws of dropscore that are measured; 0: evaluation, where it is off */
} cases[] = { { "without dropscore", "score-dim=5 flip=true drop=0", "{\"draws\":0}" },
              { "with dropscore, evaluation", "score-dim=5 flip=true drop=0.2", "{\"draws\":0}" },
              { "with dropscore, training mode", "score-dim=5 flip=true drop=0.2", "{\"draws\":10}" } };
enum { CASES = 3, LEVELS = 3 };

/* {"1": {"edges": 0.31, "edges_chance": 0.24, "nodes": .., "nodes_chance": ..}, ..} by pooling */
static mp_err probe(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    mp_subject s = mp_subject_tested(in);
    mp_neighbours r;
    MP_TRY(mp_neighbours_find(&s, (int)mp_json_int(in->arg, "draws", 0), a, &r));
    mp_json_open(json, '{');
    for (int l = 0; l < r.levels; l++) {
        mp_json_key(json, mp_arena_printf(a, "%d", l + 1));
        mp_json_open(json, '{');
        mp_json_add_real(json, "edges", r.level[l].edges);
        mp_json_add_real(json, "edges_chance", r.level[l].edges_chance);
        mp_json_add_real(json, "nodes", r.level[l].nodes);
        mp_json_add_real(json, "nodes_chance", r.level[l].nodes_chance);
        mp_json_close(json, '}');
    }
    mp_json_close(json, '}');
    return MP_OK;
}

static const mp_probe near = { .name = "kept neighbours", .run = probe };

static void add_rows(const char *set, const char *pool, int which, const mp_survey *s, mp_arena *a, mp_table *t)
{
    static const char *const parts[] = { "edges", "edges_chance", "nodes", "nodes_chance" };
    for (int l = 0; l < LEVELS && mp_survey_any(s); l++) {
        mp_table_add(t, "%s", set);
        mp_table_add(t, "%s", mp_lab_title(pool));
        mp_table_add(t, "%s", cases[which].name);
        mp_table_add(t, "%d", l + 1);
        for (int i = 0; i < 4; i++) {
            mp_over_runs x = mp_survey_spread(s, mp_arena_printf(a, "%d.%s", l + 1, parts[i]));
            if (i % 2)
                mp_score_number(t, mp_metric_find("accuracy"), x.mean, false);
            else
                mp_spread_cell(t, mp_metric_find("accuracy"), x.mean, x.std, x.n);
        }
    }
}

static void draw(mp_section *out, const char *pool, int sets, const char *const *set, const mp_survey *s)
{
    mp_svg_bar bar[CASES + 1];
    for (int k = 0; k <= CASES; k++) {
        double *value = MP_NEW(out->arena, double, sets), *dev = MP_NEW(out->arena, double, sets);
        for (int i = 0; i < sets; i++) {
            mp_over_runs x = mp_survey_spread(&s[i * CASES + k % CASES], k == CASES ? "1.edges_chance" : "1.edges");
            value[i] = 100 * x.mean;
            dev[i] = 100 * x.std;
        }
        bar[k] = (mp_svg_bar){ .name = k == CASES ? "by chance" : cases[k].name, .value = value, .dev = dev };
    }
    mp_svg_bars_spec spec = { .title = "Edges between kept nodes",
                              .label = "percent of the edges",
                              .groups = sets,
                              .series = CASES + 1,
                              .group = set,
                              .bar = bar };
    mp_survey_bars(out, mp_arena_printf(out->arena, "Edges between kept nodes, %s, first pooling", mp_lab_title(pool)),
                   &spec);
}

mp_err mp_make_kept_neighbours(mp_lab *lab, mp_section *out)
{
    static const char *const header[] = { "data set",
                                          "operator",
                                          "trained and measured",
                                          "pooling",
                                          "edges kept",
                                          "by chance",
                                          "kept nodes with a kept neighbour",
                                          "by chance",
                                          NULL };
    mp_arena *a = out->arena;
    mp_table t;
    int sets, pools;
    const char *const *set = mp_lab_sets(lab, "MUTAG,ENZYMES,PROTEINS,NCI1,IMDB-BINARY", "MUTAG", &sets);
    const char *const *pool = mp_lab_pools(lab, "sag,topk", "sag", &pools);
    mp_table_init(&t, a, "Shares in percent", header);
    mp_section_para(
        out, "Neighbours have like features and so like scores: a pooling may keep neighbours together and lose whole "
             "parts of a graph. Shown are the share of the edges that join two kept nodes and the share of the kept "
             "nodes that have a kept neighbour, each beside what as many nodes taken at random would give. Five score "
             "columns with flipscore, trained without dropscore and with a share of 0.2; in evaluation dropscore is "
             "off, in training mode the means are over ten draws a graph.");
    for (int p = 0; p < pools; p++) {
        mp_survey *s = MP_NEW(a, mp_survey, sets * CASES);
        for (int i = 0; i < sets; i++)
            for (int k = 0; k < CASES; k++) {
                mp_ask ask = { .dataset = set[i], .pool = pool[p], .preset = MP_PRESET_PAPER, .models = true };
                ask.settings = cases[k].settings;
                MP_TRY(mp_survey_row(lab, &ask, &near, cases[k].arg, a, &s[i * CASES + k]));
                add_rows(set[i], pool[p], k, &s[i * CASES + k], a, &t);
            }
        draw(out, pool[p], sets, set, s);
    }
    mp_section_table(out, &t);
    return MP_OK;
}
