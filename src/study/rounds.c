/* rounds.c - see rounds.h.
 * SPDX-License-Identifier: MIT */
#include "study/rounds.h"

#include <string.h>

mp_choice_set mp_study_set(const mp_study *s, const mp_study_row *row)
{
    mp_choice_run *run = MP_NEW(s->arena, mp_choice_run, row->runs + 1);
    mp_choice_set set = { .run = run,
                          .points = row->points.count,
                          .smaller = !mp_study_metric(row)->larger,
                          .rule = row->rule,
                          .folds = row->folds->count,
                          .rungs = row->rungs };
    for (int i = 0; i < row->runs; i++) {
        const mp_study_trial *t = &row->trial[i];
        const mp_run_key *k = &s->plan.run[t->place].key;
        const mp_run_result *r = mp_study_result(s, row, i);
        if (!r) continue;
        run[set.runs++] = (mp_choice_run){ .seed = k->config.seed,
                                           .fold = k->fold,
                                           .folds = k->folds,
                                           .point = t->point,
                                           .part = t->part,
                                           .rung = t->rung,
                                           .val_loss = r->val_loss,
                                           .val_metric = r->val_metric,
                                           .test_metric = r->test_metric,
                                           .large_metric = r->large_metric,
                                           .large_c_metric = r->large_c_metric };
    }
    return set;
}

static void add_trial(mp_study *s, mp_study_row *row, const mp_study_trial *t)
{
    if (row->runs == row->room) {
        row->room = mp_room(row->room, (int64_t)row->runs + 1, 64, "runs of a row");
        MP_MORE(s->arena, row->trial, row->runs, row->room);
    }
    row->trial[row->runs++] = *t;
}

/* Places of the plan that the row has. */
static bool *places_of(const mp_study *s, const mp_study_row *row, mp_arena *a)
{
    bool *there = MP_NEW(a, bool, s->plan.count + 1);
    for (int i = 0; i < row->runs; i++) there[row->trial[i].place] = true;
    return there;
}

static mp_config config_of(const mp_study_row *row, const mp_want *w)
{
    mp_config c = row->points.at[w->point];
    c.seed = w->again ? mp_retrain_seed(w->seed, w->again) : w->seed;
    if (w->rung < row->rungs - 1) c.epochs = row->rung[w->rung];
    return c;
}

/* How many of the wants, from the first on, are the same but for seeds that follow one another. */
static int same_but_seed(const mp_want *w, int n)
{
    int k = 1;
    while (k < n && !w[0].again && !w[k].again && w[k].part == w[0].part && w[k].point == w[0].point &&
           w[k].rung == w[0].rung && w[k].seed == w[0].seed + k)
        k++;
    return k;
}

/* Adds `seeds` wants to the plan; returns how many places were written. */
static int plan_wants(mp_study *s, const mp_study_row *row, const mp_want *w, int seeds, int *place)
{
    mp_config c = config_of(row, w);
    if (w->again) {
        place[0] = mp_cv_add_one(&s->plan, row->data, row->folds, w->part - 1, &c);
        return 1;
    }
    const mp_folds *f = w->part ? &row->inner[w->part - 1] : row->folds;
    mp_cv_add(&s->plan, row->data, f, &c, seeds, place);
    return seeds * f->count;
}

static void extend(mp_study *s, mp_study_row *row, const mp_want *want, int n, mp_arena *a)
{
    int before = s->plan.count, most = row->folds->count > 100 ? row->folds->count : 100;
    const bool *there = places_of(s, row, a);
    int *place = MP_NEW_RAW(a, int, (size_t)row->seeds *(size_t)most);
    for (int i = 0, k; i < n; i += k) {
        k = same_but_seed(want + i, n - i);
        int got = plan_wants(s, row, want + i, k, place);
        for (int j = 0; j < got; j++) {
            if (place[j] < before && there[place[j]]) continue;
            mp_study_trial t = { place[j], want[i].point, want[i].again ? 0 : want[i].part, want[i].rung };
            add_trial(s, row, &t);
        }
    }
}

mp_err mp_study_extend(mp_study *s, mp_study_row *row, bool closed, int *added)
{
    mp_arena *a = mp_arena_new(65536);
    mp_choice_set set = mp_study_set(s, row);
    int *seed = MP_NEW(a, int, row->seeds), n, before = row->runs;
    const mp_want *want;
    for (int i = 0; i < row->seeds; i++) seed[i] = row->config.seed + i;
    mp_err e = mp_choice_wants(&set, seed, row->seeds, closed, a, &want, &n);
    if (e == MP_OK) extend(s, row, want, n, a);
    *added = row->runs - before;
    mp_arena_free(a);
    return e;
}

mp_err mp_study_extend_all(mp_study *s, bool closed, bool *more)
{
    *more = false;
    for (int i = 0; i < s->rows; i++) {
        int added = 0;
        bool ruled = !mp_rule_equal(&s->row[i].rule, &(mp_rule){ 0 });
        if (ruled) MP_TRY(mp_study_extend(s, &s->row[i], closed, &added));
        *more = *more || added;
    }
    return MP_OK;
}

int64_t mp_study_all_runs(const mp_study_row *row)
{
    int64_t folds = row->folds->count, splits = row->inner ? folds * row->inner[0].count : folds, points = 0;
    int left = row->points.count;
    for (int rung = 0; rung < row->rungs; rung++) {
        points += left == 1 && rung && rung < row->rungs - 1 ? 0 : left; /* one that is left goes to the last rung */
        if (row->rule.eta) left = mp_rule_survivors(&row->rule, left);
    }
    if (row->inner && row->points.count == 1) points = 0;
    return row->seeds * (points * splits + folds * row->rule.retrain);
}
