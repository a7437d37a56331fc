/* report_tables.c - results of studies as a table and as JSON.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/calibration.h"
#include "report/report_own.h"
#include "report/score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const with_set[] = { "data set",     "model",         "test",         "metric",
                                        "std folds",    "ECE",           "best on test", "gap",
                                        "paper",        "to paper",      "larger test",  "paper, larger",
                                        "test-large-C", "seeds x folds", "missing",      NULL };

const mp_metric *mp_report_metric(const mp_group *study, int count)
{
    const mp_metric *m = NULL;
    for (int i = 0; i < count; i++) {
        if (study[i].runs == 0) continue;
        if (m && strcmp(m->title, study[i].metric->title) != 0) return NULL;
        m = study[i].metric;
    }
    return m;
}

mp_paper_cell mp_report_paper(const mp_group *s, bool large)
{
    bool same = s->metric && mp_paper_measures(s->key.dataset, s->metric);
    if (!s->plain || s->kind == MP_GROUP_ABLATION || !same) return (mp_paper_cell){ 0 };
    return mp_paper_find(s->key.dataset, s->key.config.pool, s->kind == MP_GROUP_MID, large);
}

/* The paper chose on test, so its number is compared with ours chosen in the same way. */
static mp_err add_row(mp_table *t, const mp_group *s, bool with_dataset, bool with_metric, const mp_report_options *o,
                      mp_arena *a)
{
    mp_choice honest, best;
    const mp_metric *m = s->metric;
    MP_TRY(mp_group_choose(s, o->select, o->fixed, a, &honest));
    MP_TRY(mp_group_choose(s, MP_SELECT_PAPER, NULL, a, &best));
    mp_paper_cell paper = mp_report_paper(s, false);
    bool chosen = s->list.count > 1;
    if (with_dataset) mp_table_add(t, "%s", s->key.dataset);
    mp_table_add(t, "%s", s->model);
    mp_score_cell(t, m, &honest.test);
    mp_table_add(t, "%s", with_metric ? mp_score_unit(m, a) : "-");
    mp_score_number(t, m, honest.test.std_folds, false);
    double error = mp_calibration_of(s, &honest).error;
    mp_table_add(t, isnan(error) ? "-" : "%.3f", error);
    mp_score_cell(t, m, chosen ? &best.test : NULL);
    mp_score_number(t, m, chosen ? best.test.mean - honest.test.mean : (double)NAN, true);
    mp_paper_add(t, paper);
    mp_score_number(t, m, paper.mean > 0 ? best.test.mean - paper.mean / 100 : (double)NAN, true);
    mp_score_cell(t, m, &honest.large);
    mp_paper_add(t, mp_report_paper(s, true));
    mp_score_cell(t, m, &honest.large_c);
    mp_table_add(t, "%d x %d", honest.test.seeds, honest.test.folds);
    mp_table_add(t, honest.missing ? "%d" : "-", honest.missing);
    return MP_OK;
}

mp_err mp_report_results(const mp_group *study, int count, const char *dataset, const mp_report_options *o, mp_arena *a,
                         mp_table *out)
{
    mp_table t;
    mp_table_init(&t, a, NULL, with_set + (dataset != NULL));
    for (int i = 0; i < count; i++) {
        if (study[i].runs == 0 || (dataset && strcmp(dataset, study[i].key.dataset) != 0)) continue;
        MP_TRY(add_row(&t, &study[i], dataset == NULL, mp_report_metric(study, count) == NULL, o, a));
    }
    mp_table_without_empty(&t, 3, out);
    out->lead = dataset ? 2 : 3;
    out->name = "Results";
    return MP_OK;
}

static void score_json(const char *name, const mp_score *s, mp_buf *b)
{
    if (name) mp_json_key(b, name);
    if (name) mp_json_open(b, '{');
    mp_json_add_real(b, "mean", s->mean);
    mp_json_add_real(b, "std_seeds", s->std_seeds);
    mp_json_add_real(b, "std_folds", s->std_folds);
    mp_json_add_int(b, "seeds", s->seeds);
    mp_json_add_int(b, "folds", s->folds);
    if (name) mp_json_close(b, '}');
}

static void chosen_json(const mp_choice *c, const mp_points *list, mp_buf *b)
{
    bool by_fold = c->mode == MP_SELECT_NESTED;
    mp_json_key(b, "chosen");
    mp_json_open(b, '[');
    for (int s = 0; s < c->grid.seeds; s++)
        for (int f = 0; f < (by_fold ? c->grid.folds : 1); f++) {
            int point = mp_choice_at(c, s, f);
            if (point == MP_NO_POINT) continue;
            mp_json_open(b, '{');
            mp_json_add_int(b, "seed", c->grid.seed[s]);
            if (by_fold) mp_json_add_int(b, "fold", f + 1);
            mp_json_add_int(b, "point", point + 1);
            mp_point_json(list, point, b);
            mp_json_close(b, '}');
        }
    mp_json_close(b, ']');
}

mp_err mp_points_json(const mp_choice_set *set, const mp_choice *c, const mp_points *list, const int *rung, mp_arena *a,
                      mp_buf *b)
{
    mp_point_seen *seen = MP_NEW(a, mp_point_seen, list->count);
    if (list->count <= 1 || !c->chosen) return MP_OK;
    MP_TRY(mp_choice_seen(set, c, a, seen));
    mp_json_key(b, "points");
    mp_json_open(b, '[');
    for (int p = 0; p < list->count; p++) {
        mp_json_open(b, '{');
        mp_json_add_int(b, "point", p + 1);
        mp_point_json(list, p, b);
        mp_json_add_real(b, "val_metric", seen[p].metric);
        mp_json_add_real(b, "val_loss", seen[p].loss);
        mp_json_add_int(b, "chosen", seen[p].chosen);
        mp_json_key(b, "stopped");
        if (seen[p].rung < set->rungs - 1 && !isnan(seen[p].loss))
            mp_json_put_int(b, rung[seen[p].rung]);
        else
            mp_json_put_null(b);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
    return MP_OK;
}

void mp_choice_json(const mp_choice *c, const mp_points *list, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "mode", mp_select_name[c->mode]);
    score_json(NULL, &c->test, b);
    if (isfinite(c->large.mean)) score_json("large", &c->large, b);
    if (isfinite(c->large_c.mean)) score_json("large_c", &c->large_c, b);
    mp_json_add_int(b, "runs", c->runs);
    mp_json_add_int(b, "missing", c->missing);
    chosen_json(c, list, b);
    mp_json_close(b, '}');
}

static void key_json(const mp_group *s, mp_buf *b)
{
    static const char *const kinds[] = { "base", "mid", "ablation" };
    char fingerprint[17];
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)s->key.fingerprint);
    mp_json_add_text(b, "dataset", s->key.dataset);
    mp_json_add_text(b, "model", s->model);
    mp_json_add_text(b, "pool", s->key.config.pool);
    mp_json_add_text(b, "kind", kinds[s->kind]);
    mp_json_add_text(b, "grid", mp_grid_name[s->grid]);
    if (s->runs) mp_json_add_text(b, "task", s->run[0]->result.task);
    if (s->runs) mp_json_add_text(b, "metric", s->metric->name);
    mp_json_add_text(b, "fingerprint", fingerprint);
    mp_json_add_text(b, "folds_from", s->key.folds_from);
    mp_json_add_int(b, "folds", s->key.folds);
    mp_json_add_int(b, "runs", s->runs);
    mp_json_add_int(b, "failed", s->failed);
    mp_json_add_int(b, "hit_cap", s->hit_cap);
    mp_json_add_real(b, "seconds", s->seconds);
    mp_json_key(b, "config");
    mp_config_to_json(&s->key.config, b);
}

/* Of the choice that `select` makes. */
static mp_err calibration_json(const mp_group *s, const mp_report_options *o, mp_arena *a, mp_buf *b)
{
    mp_choice c;
    MP_TRY(mp_group_choose(s, o->select, o->fixed, a, &c));
    mp_group_calibration all = mp_calibration_of(s, &c);
    if (isnan(all.error)) return MP_OK;
    mp_json_key(b, "calibration");
    mp_json_open(b, '{');
    mp_json_add_real(b, "ece", all.error);
    mp_json_add_real(b, "brier", all.brier);
    mp_json_key(b, "pooled");
    mp_calibration_json(&all.all, b);
    mp_json_close(b, '}');
    return MP_OK;
}

static mp_err study_json(const mp_group *s, const mp_report_options *o, mp_arena *a, mp_buf *b)
{
    mp_paper_cell paper = mp_report_paper(s, false);
    mp_json_open(b, '{');
    key_json(s, b);
    mp_json_key(b, "summary");
    mp_json_open(b, '{');
    for (mp_select mode = 0; mode < MP_SELECT_MODES; mode++) {
        mp_choice each;
        if ((mode == MP_SELECT_FIXED && !o->fixed) || !mp_select_fits(mode, &s->rule)) continue;
        MP_TRY(mp_group_choose(s, mode, o->fixed, a, &each));
        mp_json_key(b, mp_select_name[mode]);
        mp_choice_json(&each, &s->list, b);
    }
    mp_json_close(b, '}');
    mp_choice c;
    MP_TRY(mp_group_choose(s, o->select, o->fixed, a, &c));
    MP_TRY(mp_points_json(&s->set, &c, &s->list, s->rung, a, b));
    MP_TRY(calibration_json(s, o, a, b));
    if (paper.mean > 0) {
        mp_json_key(b, "paper");
        mp_json_open(b, '{');
        mp_json_add_real(b, "mean", paper.mean / 100);
        mp_json_add_real(b, "std", paper.std / 100);
        if (paper.mark) mp_json_add_text(b, "mark", paper.mark);
        mp_json_close(b, '}');
    }
    mp_json_close(b, '}');
    return MP_OK;
}

mp_err mp_report_json(const mp_group *study, int count, const mp_report_options *o, mp_arena *a, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "version", MP_VERSION);
    mp_json_add_text(b, "select", mp_select_name[o->select]);
    mp_json_key(b, "studies");
    mp_json_open(b, '[');
    for (int i = 0; i < count; i++) MP_TRY(study_json(&study[i], o, a, b));
    mp_json_close(b, ']');
    mp_json_close(b, '}');
    return MP_OK;
}
