/* study.c - running a study against a store, and choosing within its rows.
 * SPDX-License-Identifier: MIT */
#include "study/study.h"
#include "base/crew.h"
#include "data/inner.h"
#include "model/options.h"
#include "store/work.h"
#include "study/estimate.h"
#include "study/models.h"
#include "study/prepare.h"
#include "study/rounds.h"
#include "study/share.h"
#include "train/once.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOCKED_SECONDS 1 /* that a run waits for a locked store before it is set aside: workers wait with it */

static mp_err check_size(const mp_study *s, const mp_study_row *row)
{
    int seed = row->config.seed, last = mp_rule_nested(&row->rule) ? MP_RETRAIN_STEP - 1 : INT_MAX;
    int64_t folds = row->folds->count;
    if (s->seeds - 1 > last - seed)
        return mp_fail(MP_ERR_USAGE, "seeds: %d from seed %d on would go past %d, the largest seed%s", s->seeds, seed,
                       last, last < INT_MAX ? " of nested selection" : "");
    if (row->inner) folds = folds * row->inner[0].count + folds * row->rule.retrain;
    int64_t runs = s->seeds * folds * row->points.count + s->plan.count;
    if (runs > MP_CV_MOST)
        return mp_fail(MP_ERR_USAGE, "seeds x folds x models: %" PRId64 " runs, at most %d are possible in one study",
                       runs, MP_CV_MOST);
    return MP_OK;
}

bool mp_study_row_uses(const mp_study_row *row, const char *option)
{
    for (int i = 0; i < row->points.count; i++)
        if (mp_config_uses(&row->points.at[i], option) == MP_USED) return true;
    return false;
}

/* With a GPU that does what it can: a word where this processor has to. */
static mp_err check_device(mp_study *s, const mp_study_row *row, const mp_config *point)
{
    if (!s->group) return MP_OK;
    mp_err e = mp_run_check_gpu(row->data, point);
    if (e == MP_OK || s->group_only) return e;
    const char *why = mp_message();
    if (s->unable && strcmp(s->unable, why) == 0) return MP_OK;
    s->unable = mp_arena_text(s->arena, why, strlen(why));
    mp_listener_line(&s->listener, "%.*s; this processor trains it", (int)strcspn(why, ";"), why);
    return MP_OK;
}

static mp_err check_points(mp_study *s, mp_study_row *row)
{
    mp_config *at = MP_NEW_RAW(s->arena, mp_config, row->points.count);
    memcpy(at, row->points.at, sizeof *at * (size_t)row->points.count);
    row->points.at = at;
    for (int i = 0; i < row->points.count; i++) {
        mp_config *point = &at[i];
        MP_TRY(mp_config_check(point));
        MP_TRY(mp_run_check(row->data, point));
        MP_TRY(check_device(s, row, point));
        mp_config known = mp_config_for_task(point, row->data->task);
        if (s->listener.model) s->listener.model(s->listener.state, &known);
        if (row->rule.eta && point->epochs != row->points.at[0].epochs)
            return mp_fail(MP_ERR_USAGE, "epochs: with halving all points have the same");
    }
    return MP_OK;
}

static mp_err make_inner(mp_study *s, mp_study_row *row)
{
    mp_folds *inner = MP_NEW(s->arena, mp_folds, row->folds->count);
    for (int i = 0; i < row->folds->count; i++)
        MP_TRY(mp_folds_inner(row->data, row->folds, i, row->rule.inner, s->arena, &inner[i]));
    row->inner = inner;
    return MP_OK;
}

/* Of a row with its data, folds and points the rest. */
static mp_err make_row(mp_study *s, mp_study_row *row)
{
    row->seeds = s->seeds;
    row->rule = s->rule;
    if (row->points.count == 1) row->rule.eta = row->rule.least = 0;
    MP_TRY(check_points(s, row));
    row->rungs = mp_rule_rungs(&row->rule, row->points.at[0].epochs, row->rung);
    strcpy(row->config.pool, row->points.at[0].pool); /* its usual spelling */
    return mp_rule_nested(&row->rule) ? make_inner(s, row) : MP_OK;
}

/* Of a configuration and a known grid. */
static mp_err make_known(mp_study *s, mp_grid grid, mp_study_row *row)
{
    mp_grid_trim(grid, &row->config);
    row->points = mp_points_of(grid, &row->config, s->arena);
    return make_row(s, row);
}

static int find(const mp_study *s, const mp_study_row *row)
{
    for (int i = 0; i < s->rows; i++) {
        const mp_study_row *r = &s->row[i];
        if (r->data == row->data && r->folds == row->folds && r->seeds == row->seeds &&
            mp_conf_equal(mp_config_table, &r->config, &row->config) && mp_points_equal(&r->points, &row->points) &&
            mp_rule_equal(&r->rule, &row->rule))
            return i;
    }
    return -1;
}

static mp_err append(mp_study *s, const mp_study_row *row, int *place)
{
    int added;
    if (s->rows == s->room) {
        s->room = mp_room(s->room, (int64_t)s->rows + 1, 16, "rows of a study");
        MP_MORE(s->arena, s->row, s->rows, s->room);
    }
    s->row[s->rows] = *row;
    s->plan.arena = s->arena;
    *place = s->rows++;
    return mp_study_extend(s, &s->row[*place], false, &added);
}

static mp_err place_row(mp_study *s, const mp_study_row *row, int *place, bool *added)
{
    MP_TRY(check_size(s, row));
    *place = find(s, row);
    *added = *place < 0;
    return *added ? append(s, row, place) : MP_OK;
}

mp_err mp_study_place(mp_study *s, mp_dataset *d, const mp_folds *f, const mp_config *config, mp_grid grid, int *place,
                      bool *added)
{
    mp_study_row row = { .data = d, .folds = f, .config = *config };
    MP_TRY(make_known(s, grid, &row));
    return place_row(s, &row, place, added);
}

mp_err mp_study_add_points(mp_study *s, mp_dataset *d, const mp_folds *f, const mp_points *points, mp_study_row **added)
{
    mp_study_row row = { .data = d, .folds = f, .config = points->at[0], .points = *points };
    int place;
    bool fresh;
    MP_TRY(make_row(s, &row));
    MP_TRY(place_row(s, &row, &place, &fresh));
    if (added) *added = fresh ? &s->row[place] : NULL;
    return MP_OK;
}

mp_err mp_study_add(mp_study *s, mp_dataset *d, const mp_folds *f, const mp_config *config, mp_grid grid,
                    mp_study_row **added)
{
    int place;
    bool fresh;
    MP_TRY(mp_study_place(s, d, f, config, grid, &place, &fresh));
    if (added) *added = fresh ? &s->row[place] : NULL;
    return MP_OK;
}

mp_err mp_study_prepare(mp_study *s)
{
    for (int i = 0; i < s->rows; i++)
        MP_TRY(mp_study_prepare_data(s->row[i].data, &s->row[i].config, mp_cpu_count(), &s->listener, s->arena));
    return MP_OK;
}

/* ---- the store and the listener, as crossval.h sees them ---- */

typedef struct lookup {
    mp_store *store;
    const mp_run_key *key;
    mp_run_status status;
} lookup;

static mp_err look_up(void *arg)
{
    lookup *l = arg;
    return mp_store_has(l->store, l->key, &l->status);
}

static mp_err has(void *state, const mp_run_key *key, bool *known)
{
    mp_study *s = state;
    lookup l = { .store = s->store, .key = key };
    mp_listener_now(&s->listener, "looking for finished runs: %d of %d\t in %s", ++s->asked, s->share.count,
                    s->store_path);
    MP_TRY(mp_study_patiently(s, MP_STORE_SECONDS, look_up, &l));
    *known = l.status == MP_RUN_DONE; /* a run that failed is tried again */
    if (*known && mp_models_needed(s)) {
        MP_TRY(mp_models_has(s, key, known));
        s->again += !*known;
    }
    return MP_OK;
}

static mp_err put(void *state, const mp_run_key *key, const mp_run_result *r)
{
    mp_study *s = state;
    return mp_store_put(s->store, key, r, NULL);
}

static mp_err put_failed(void *state, const mp_run_key *key, const char *message)
{
    mp_study *s = state;
    return mp_store_put_failed(s->store, key, message);
}

/* A finished run whose model is not in our folder is trained again, by one of those who need it. */
static mp_err claim(void *state, const mp_run_key *key, mp_claim *out)
{
    mp_study *s = state;
    bool there = true;
    MP_TRY(mp_store_claim(s->store, key, false, out));
    if (*out == MP_CLAIM_DONE && mp_models_needed(s)) MP_TRY(mp_models_has(s, key, &there));
    return there ? MP_OK : mp_store_claim(s->store, key, true, out);
}

static void on_news(void *state, const mp_run_key *key, const mp_fit_news *n, const mp_cv_count *c)
{
    const mp_listener *l = &((mp_study *)state)->listener;
    if (l->news) l->news(l->state, key, n, c);
}

static void on_done(void *state, const mp_run_key *key, const mp_run_result *r, const mp_cv_count *c)
{
    const mp_listener *l = &((mp_study *)state)->listener;
    if (l->done) l->done(l->state, key, r, c);
}

static void on_note(void *state, const mp_run_key *key, const char *line)
{
    mp_listener_bad(&((mp_study *)state)->listener, key, "%s", line);
}

/* ---- reading back ---- */

typedef struct tagged { /* a run of the plan by the hash of its key */
    char hash[65];
    int place;
} tagged;

static int by_hash(const void *p, const void *q)
{
    return strcmp(((const tagged *)p)->hash, ((const tagged *)q)->hash);
}

typedef struct collector {
    mp_study *study;
    tagged *tag;
} collector;

static mp_err collect(void *context, const mp_stored *run)
{
    collector *c = context;
    mp_study *s = c->study;
    tagged wanted;
    if (run->status != MP_RUN_DONE) return MP_OK;
    snprintf(wanted.hash, sizeof wanted.hash, "%s", run->hash);
    const tagged *t = bsearch(&wanted, c->tag, (size_t)s->plan.count, sizeof *c->tag, by_hash);
    if (!t) return MP_OK;
    s->result[t->place] = run->result;
    return MP_OK;
}

static mp_err collect_all(void *arg)
{
    collector *c = arg;
    static const mp_store_filter finished = { .status = MP_RUN_DONE };
    return mp_store_each(c->study->store, &finished, collect, c);
}

static mp_err read_back(mp_study *s)
{
    int n = s->plan.count;
    collector c = { s, MP_NEW(s->arena, tagged, n + 1) };
    s->result = MP_NEW(s->arena, mp_run_result, n + 1);
    s->results = n;
    for (int i = 0; i < n; i++) {
        mp_run_key_hash(&s->plan.run[i].key, c.tag[i].hash);
        c.tag[i].place = i;
        s->result[i].curve_len = -1;
    }
    if (!s->store) return MP_OK;
    qsort(c.tag, (size_t)n, sizeof *c.tag, by_hash);
    MP_TRY(mp_study_patiently(s, MP_STORE_SECONDS, collect_all, &c));
    char line[1024];
    if (mp_store_left_out(s->store, line, sizeof line)) mp_listener_bad(&s->listener, NULL, "%s", line);
    return MP_OK;
}

/* Whether more than the name of a grid is to be said of a row. */
static bool ruled(const mp_study_row *r)
{
    return r->points.grid == MP_GRID_LIST || !mp_rule_equal(&r->rule, &(mp_rule){ 0 });
}

typedef struct declaration {
    mp_store *store;
    const mp_declared *row;
    int rows;
} declaration;

static mp_err put_declared(void *arg)
{
    const declaration *d = arg;
    return mp_store_declare(d->store, d->row, d->rows);
}

/* Before the first run: whoever reads the store meanwhile must not mix what this study keeps apart. */
static mp_err declare(const mp_study *s)
{
    mp_declared *d = MP_NEW(s->arena, mp_declared, s->rows + 1);
    for (int i = 0; i < s->rows; i++) {
        const mp_study_row *r = &s->row[i];
        const mp_config known = mp_points_base(&r->points), *c = ruled(r) ? &known : &r->config;
        d[i] = (mp_declared){ .key = mp_run_key_of(r->data, r->folds, &r->folds->split[0], c),
                              .grid = ruled(r) ? MP_GRID_LIST : r->points.grid,
                              .points = r->points,
                              .rule = r->rule };
    }
    return mp_study_patiently(s, MP_STORE_SECONDS, put_declared, &(declaration){ s->store, d, s->rows });
}

/* Runs what is in s->share. */
static mp_err run_share(mp_study *s, int round)
{
    s->asked = s->again = 0;
    s->waits = false;
    mp_cv_options o = { .jobs = mp_study_side(s),
                        .threads = s->threads,
                        .group = s->group,
                        .wait = MP_STORE_SECONDS,
                        .state = s,
                        .has = has,
                        .put = put,
                        .put_failed = put_failed,
                        .claim = claim,
                        .done = on_done,
                        .news = on_news,
                        .note = on_note };
    mp_study_share(&o);
    if (mp_models_kept(s)) o.model = mp_models_save;
    o.resume_dir = mp_arena_printf(s->arena, "%s.unfinished", mp_store_beside(s->store_path, s->arena));
    if (s->part.n && round)
        mp_listener_line(&s->listener, "part %d/%d: %d of %d runs", s->part.i, s->part.n, s->share.count,
                         s->plan.count);
    mp_store_wait(s->store, LOCKED_SECONDS);
    mp_err e = mp_cv_go(&s->share, &o, &s->count);
    mp_listener_end(&s->listener);
    MP_TRY(e);
    const mp_cv_count *c = &s->count;
    if (c->interrupted)
        return mp_fail(MP_ERR_IO, "stopped with %d of %d runs in %s; the same command continues: %s",
                       c->known + c->done, c->total, s->store_path, s->command);
    int before = round == 1 ? c->known - c->elsewhere : 0;
    if (before > 0) mp_listener_line(&s->listener, "%d of %d runs were in %s already", before, c->total, s->store_path);
    if (c->elsewhere)
        mp_listener_line(&s->listener, "%d of %d runs were trained by other programs at the same time", c->elsewhere,
                         c->total);
    if (s->again)
        mp_listener_line(&s->listener, "%d runs that were in %s were trained again: their models were not in %s",
                         s->again, s->store_path,
                         s->models       ? s->models
                         : s->models_all ? s->models_all
                                         : "its folder of models");
    if (c->failed) mp_listener_bad(&s->listener, NULL, "%d of %d runs failed and are left out", c->failed, c->total);
    return MP_OK;
}

const mp_config *mp_study_widest(const mp_study_row *row)
{
    const mp_config *c = row->points.at, *widest = c;
    for (int i = 1; i < row->points.count; i++)
        if ((double)c[i].score_dim * c[i].hidden > (double)widest->score_dim * widest->hidden) widest = &c[i];
    return widest;
}

mp_err mp_study_fits(const mp_study *s, mp_dataset *d, const mp_folds *f, const mp_config *config, mp_grid grid)
{
    mp_study quiet = *s;
    mp_forecast unused;
    mp_study_row row = { .data = d, .folds = f, .config = *config };
    quiet.listener = (mp_listener){ 0 };
    if (quiet.plan.count < 1) quiet.plan.count = s->jobs;
    MP_TRY(make_known(&quiet, grid, &row));
    return mp_study_forecast(&quiet, &row, &unused);
}

/* What did not come has failed, and the rules go on without it; but what is left to other parts is waited for: the next start
 * goes on. */
static mp_err next_round(mp_study *s, bool *more)
{
    int before = s->plan.count;
    MP_TRY(mp_study_extend_all(s, s->part.n == 0, more));
    if (*more) mp_listener_line(&s->listener, "%d more runs by what came out", s->plan.count - before);
    return MP_OK;
}

static mp_err run_rounds(mp_study *s)
{
    bool more = true;
    MP_TRY(declare(s));
    for (int round = 1; more; round++) {
        s->share = mp_part_plan(s->part, &s->plan, s->arena);
        MP_TRY(run_share(s, round));
        MP_TRY(read_back(s));
        MP_TRY(next_round(s, &more));
    }
    return MP_OK;
}

/* The models of chosen runs. The count stays that of the study. */
static mp_err keep_models(mp_study *s)
{
    mp_cv_plan again, all = s->share;
    mp_cv_count count = s->count;
    MP_TRY(mp_models_choose(s, &again));
    if (s->keeping == MP_KEEP_CHOSEN) s->share = again;
    if (again.count) MP_TRY(run_share(s, 0));
    mp_err e = mp_models_end(s);
    s->share = all;
    s->count = count;
    return e;
}

mp_err mp_study_run(mp_study *s)
{
    mp_forecast unused;
    MP_TRY(mp_models_begin(s));
    for (int i = 0; i < s->rows; i++) MP_TRY(mp_study_forecast(s, &s->row[i], &unused));
    MP_TRY(mp_study_open(s, MP_STORE_WRITE));
    mp_err e = run_rounds(s);
    if (e == MP_OK) e = keep_models(s);
    mp_store_close(s->store);
    s->store = NULL;
    return e;
}

static mp_err read_rounds(mp_study *s)
{
    for (bool more = true; more;) {
        MP_TRY(read_back(s));
        MP_TRY(mp_study_extend_all(s, false, &more));
    }
    return MP_OK;
}

mp_err mp_study_read(mp_study *s)
{
    if (mp_store_there(s->store_path)) MP_TRY(mp_study_open(s, MP_STORE_READ));
    mp_err e = read_rounds(s);
    mp_store_close(s->store);
    s->store = NULL;
    return e;
}

/* ---- choosing ---- */

const mp_metric *mp_study_metric(const mp_study_row *row)
{
    const mp_metric *m = NULL;
    mp_err e = mp_metric_lead(row->data->task, row->config.metric, &m);
    mp_assert(e == MP_OK); /* mp_study_add has checked it */
    return m;
}

const mp_run_result *mp_study_result(const mp_study *s, const mp_study_row *row, int i)
{
    int place = row->trial[i].place;
    return place < s->results && s->result[place].curve_len >= 0 ? &s->result[place] : NULL;
}

bool mp_study_whole(const mp_study *s, const mp_study_row *row)
{
    for (int i = 0; i < row->runs; i++)
        if (!mp_study_result(s, row, i)) return false;
    return true;
}

mp_err mp_study_choose(const mp_study *s, const mp_study_row *row, mp_select mode, mp_choice *out)
{
    mp_choice_set set = mp_study_set(s, row);
    int fixed = mp_points_fixed(&row->points, &(mp_choice_point){ row->config.score_dim, row->config.drop });
    *out =
        (mp_choice){ .mode = mode, .test.mean = (double)NAN, .large.mean = (double)NAN, .large_c.mean = (double)NAN };
    return set.runs ? mp_choose(&set, mode, fixed, s->arena, out) : MP_OK;
}
