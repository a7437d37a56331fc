/* estimate.c - see estimate.h.
 * SPDX-License-Identifier: MIT */
#include "study/estimate.h"
#include "study/rounds.h"
#include "train/once.h"
#include "train/ranks.h"

/* Two epochs. */
static mp_err try_epochs(const mp_study_row *r, double *seconds, int *epochs)
{
    mp_run_key key = mp_run_key_of(r->data, r->folds, &r->folds->split[0], mp_study_widest(r));
    mp_config *c = &key.config;
    mp_run_result result;
    *epochs = c->patience > 0 && 2 * c->patience + 20 < c->epochs ? 2 * c->patience + 20 : c->epochs;
    c->epochs = c->epochs < 2 ? c->epochs : 2;
    c->warmup = c->warmup < 1 ? c->warmup : 1;
    mp_arena *a = mp_arena_new(1 << 20);
    mp_err e = mp_run_once(r->data, &r->folds->split[0], &key, 1, &(mp_fit_options){ 0 }, a, &result, NULL);
    if (e == MP_OK) *seconds = result.seconds / result.epochs;
    mp_arena_free(a);
    return e;
}

/* A rung has fewer epochs than a run that goes to the end. */
static double mean_epochs(const mp_study_row *r, int usual)
{
    double epochs = 0, points = 0;
    int left = r->points.count;
    for (int rung = 0; rung < r->rungs; rung++) {
        epochs += (double)left * (r->rung[rung] < usual ? r->rung[rung] : usual);
        points += left;
        if (r->rule.eta) left = mp_rule_survivors(&r->rule, left);
    }
    return epochs / points;
}

mp_err mp_study_estimate(const mp_study *s, const mp_study_row *row, mp_estimate *out)
{
    double sum = 0, epochs = 0;
    *out = (mp_estimate){ .runs = mp_study_all_runs(row) };
    for (int i = 0; i < row->runs; i++) {
        const mp_run_result *r = mp_study_result(s, row, i);
        if (!r) continue;
        sum += r->seconds;
        epochs += r->epochs;
        out->there++;
    }
    if (out->there >= out->runs) return MP_OK;
    if (out->there) {
        out->seconds = epochs > 0 ? sum / epochs : 0;
        out->epochs = (int)(epochs / out->there + 0.5);
    } else {
        MP_TRY(try_epochs(row, &out->seconds, &out->epochs));
        out->epochs = (int)(mean_epochs(row, out->epochs) + 0.5);
    }
    out->minutes = out->seconds * out->epochs * (double)(out->runs - out->there) / 60 / s->jobs;
    return MP_OK;
}

#define MOST_LANES 100 /* more of them gain nothing */

int mp_study_side(const mp_study *s)
{
    size_t most = 1;
    if (!s->group) return s->jobs;
    if (s->lanes) return s->lanes;
    for (int i = 0; i < s->rows; i++) {
        mp_forecast f;
        if (mp_study_forecast(s, &s->row[i], &f) == MP_OK && f.lane > most) most = f.lane;
    }
    size_t room = mp_group_memory(s->group) / 10 * 9 / most;
    return room < 1 ? 1 : room > MOST_LANES ? MOST_LANES : (int)room;
}

mp_err mp_study_forecast(const mp_study *s, const mp_study_row *row, mp_forecast *out)
{
    int graphs = row->data->graphs.graphs, *all = MP_NEW_RAW(s->arena, int, graphs);
    for (int i = 0; i < graphs; i++) all[i] = i;
    int here = s->group             ? 1
               : mp_ranks_workers() ? mp_ranks_here()
                                    : s->jobs; /* runs on this machine; of others we know nothing */
    int jobs = here < s->plan.count ? here : s->plan.count;
    *out = (mp_forecast){ 0 };
    if (jobs < 1) return MP_OK;
    mp_workload work = { row->data, mp_study_widest(row), all, graphs, s->threads, jobs, s->group != NULL };
    return mp_forecast_memory(&work, out);
}
