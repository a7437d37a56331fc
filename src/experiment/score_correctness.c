/* score_correctness.c - do one and several score columns find the nodes that matter to the prediction (protocol.md 5)?
 * SPDX-License-Identifier: MIT */
#include "experiment/correctness.h"
#include "experiment/make.h"
#include "experiment/survey.h"
#include "report/score.h"

#include <math.h>

static const struct {
    const char *name, *settings;
} variants[] = { { "h = 1", "score-dim=1" },
                 { "h = 5", "score-dim=5" },
                 { "h = 5, flipscore", "score-dim=5 flip=true" } };
static const struct {
    const char *name, *title;
    mp_truth_output y;
} outputs[] = { { "told", "log-softmax", MP_TRUTH_TOLD },
                { "raw", "logit", MP_TRUTH_RAW },
                { "shown", "probability", MP_TRUTH_SHOWN } };
enum { VARIANTS = sizeof variants / sizeof *variants, OUTPUTS = sizeof outputs / sizeof *outputs };

/* {"told": {"mean": {"standardised": 0.61, ..}, ..}, ..} */
static mp_err probe(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    mp_subject s = mp_subject_tested(in);
    mp_json_open(json, '{');
    for (int y = 0; y < OUTPUTS; y++) {
        mp_truths t;
        MP_TRY(mp_truths_find(&s, outputs[y].y, a, &t));
        mp_json_key(json, outputs[y].name);
        mp_json_open(json, '{');
        for (int cut = 0; cut < MP_CUTS; cut++) {
            mp_json_key(json, mp_cut_names[cut]);
            mp_json_open(json, '{');
            for (int way = 0; way < MP_AUCS; way++)
                mp_json_add_real(
                    json, mp_auc_names[way],
                    mp_truths_auc(&t, (mp_truth_cut)cut, mp_model_config(in->model)->ratio, (mp_truth_pooled)way, a));
            mp_json_close(json, '}');
        }
        mp_json_close(json, '}');
    }
    mp_json_close(json, '}');
    return MP_OK;
}

static const mp_probe correctness = { .name = "score correctness", .run = probe };

static void add_cell(mp_table *t, const mp_survey *s, mp_arena *a, const char *output, int cut, int way)
{
    mp_over_runs v = mp_survey_spread(s, mp_arena_printf(a, "%s.%s.%s", output, mp_cut_names[cut], mp_auc_names[way]));
    mp_spread_cell(t, mp_metric_find("roc_auc"), v.mean, v.std, v.n);
}

static const char default_path[] = "told.mean.standardised";

static void add_set(const char *set, const mp_survey *s, mp_arena *a, mp_table *first, mp_table *cuts, mp_table *ys)
{
    for (int i = 0; i < VARIANTS; i++) {
        if (!mp_survey_any(&s[i])) continue;
        mp_paired d = mp_survey_paired(&s[i], &s[0], default_path);
        mp_table_add(first, "%s", set);
        mp_table_add(first, "%s", variants[i].name);
        mp_table_add(first, "%d", mp_survey_spread(&s[i], default_path).n);
        add_cell(first, &s[i], a, "told", MP_CUT_MEAN, MP_AUC_STANDARD);
        if (i)
            mp_paired_cell(first, &d, 100);
        else
            mp_table_add(first, "-");
        mp_over_runs test = mp_survey_test(&s[i]);
        mp_spread_cell(first, mp_metric_find("accuracy"), test.mean, test.std, test.n);
        for (int cut = 0; cut < MP_CUTS; cut++) {
            mp_table_add(cuts, "%s", set);
            mp_table_add(cuts, "%s", variants[i].name);
            mp_table_add(cuts, "%s", mp_cut_names[cut]);
            for (int way = 0; way < MP_AUCS; way++) add_cell(cuts, &s[i], a, "told", cut, way);
        }
        mp_table_add(ys, "%s", set);
        mp_table_add(ys, "%s", variants[i].name);
        for (int y = 0; y < OUTPUTS; y++) add_cell(ys, &s[i], a, outputs[y].name, MP_CUT_MEAN, MP_AUC_STANDARD);
    }
}

static void draw(mp_section *out, const char *pool, int sets, const char *const *set, const mp_survey *s)
{
    mp_svg_bar bar[VARIANTS];
    for (int i = 0; i < VARIANTS; i++) {
        double *value = MP_NEW(out->arena, double, sets), *dev = MP_NEW(out->arena, double, sets);
        for (int k = 0; k < sets; k++) {
            mp_over_runs v = mp_survey_spread(&s[k * VARIANTS + i], default_path);
            value[k] = 100 * v.mean;
            dev[k] = 100 * v.std;
        }
        bar[i] = (mp_svg_bar){ .name = variants[i].name, .value = value, .dev = dev };
    }
    mp_svg_bars_spec spec = { .title = "Score correctness",
                              .label = "AUC in percent; 50 is chance",
                              .groups = sets,
                              .series = VARIANTS,
                              .group = set,
                              .bar = bar };
    mp_survey_bars(out, mp_arena_printf(out->arena, "Score correctness of %s", mp_lab_title(pool)), &spec);
}

mp_err mp_make_score_correctness(mp_lab *lab, mp_section *out)
{
    static const char *const first_header[] = {
        "data set", "scores", "runs", "AUC", "to h = 1", "test accuracy", NULL
    };
    static const char *const cuts_header[] = { "data set", "scores", "cut", "standardised", "raw", "per graph", NULL };
    static const char *const ys_header[] = { "data set", "scores", "log-softmax", "logit", "probability", NULL };
    mp_table first, cuts, ys;
    mp_arena *a = out->arena;
    int sets, pools;
    const char *const *set = mp_lab_sets(lab, "ENZYMES,MUTAG,PROTEINS,NCI109", "MUTAG", &sets);
    const char *const *pool = mp_lab_pools(lab, "sag", "sag", &pools);
    mp_section_para(
        out,
        "A node matters as much as the output for the predicted class changes when it is left out. Nodes that matter "
        "more "
        "than the mean of their graph are a yes, the others a no; the AUC says how well the ranking key of the first "
        "pooling tells them apart. 50 is chance. Without flipscore the key is the sum of the score columns, with it "
        "the sum "
        "of their absolute values.");
    for (int p = 0; p < pools; p++) {
        mp_survey *s = MP_NEW(a, mp_survey, sets * VARIANTS);
        mp_table_init(&first, a, mp_arena_printf(a, "%s, AUC in percent", mp_lab_title(pool[p])), first_header);
        mp_table_init(&cuts, a, "By cut, and by how the nodes of graphs are put together", cuts_header);
        mp_table_init(&ys, a, "By the output that is looked at", ys_header);
        for (int i = 0; i < sets; i++) {
            for (int k = 0; k < VARIANTS; k++) {
                mp_ask ask = { .dataset = set[i], .pool = pool[p], .preset = MP_PRESET_PAPER, .models = true };
                ask.settings = variants[k].settings;
                MP_TRY(mp_survey_row(lab, &ask, &correctness, NULL, a, &s[i * VARIANTS + k]));
            }
            add_set(set[i], &s[i * VARIANTS], a, &first, &cuts, &ys);
        }
        first.lead = 4;
        first.note =
            "To h = 1: mean of the differences of paired runs, and the interval that holds it with probability 95 %.";
        draw(out, pool[p], sets, set, s);
        mp_section_table(out, &first);
        mp_section_table(out, &cuts);
        mp_section_table(out, &ys);
    }
    mp_section_note(
        out, "The paper shows a figure without numbers, and does not say how it makes a yes or a no of what a node "
             "matters. The cut \"positive\" is that of the work it follows: where nearly every node matters a "
             "little, it leaves nothing to tell apart.");
    return MP_OK;
}
