/* study.c - running a study against a store, and choosing within its rows.
 * SPDX-License-Identifier: MIT */
#include "study/study.h"
#include "base/crew.h"
#include "base/sha256.h"
#include "data/gather.h"
#include "model/checkpoint.h"
#include "model/options.h"
#include "store/work.h"
#include "study/forecast.h"
#include "study/prepare.h"
#include "study/share.h"
#include "train/once.h"
#include "train/ranks.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOCKED_SECONDS 1   /* that a run waits for a locked store before it is set aside: workers wait with it */
#define STORE_SECONDS  600 /* that a study waits after its last run for a store that is locked */

static mp_err check_size(const mp_study *s, const mp_folds *f, int seed, int points)
{
    if (s->seeds - 1 > INT_MAX - seed)
        return mp_fail(MP_ERR_USAGE, "seeds: %d from seed %d on would go past %d, the largest seed", s->seeds, seed,
                       INT_MAX);
    int64_t runs = (int64_t)s->seeds * f->count * points + s->plan.count;
    if (runs > MP_CV_MOST)
        return mp_fail(MP_ERR_USAGE, "seeds x folds x models: %" PRId64 " runs, at most %d are possible in one study",
                       runs, MP_CV_MOST);
    return MP_OK;
}

bool mp_study_row_uses(const mp_study_row *row, const char *option)
{
    for (int i = 0; i < row->points; i++)
        if (mp_config_uses(&row->point[i], option) == MP_USED) return true;
    return false;
}

static mp_err make_row(mp_study *s, mp_study_row *row)
{
    mp_config point[MP_GRID_MOST];
    mp_grid_trim(row->grid, &row->config);
    int n = mp_grid_points(row->grid, &row->config, point);
    for (int i = 0; i < n; i++) {
        MP_TRY(mp_config_check(&point[i]));
        MP_TRY(mp_run_check(row->data, &point[i]));
        mp_config known = mp_config_for_task(&point[i], row->data->task);
        if (s->listener.model) s->listener.model(s->listener.state, &known);
    }
    row->points = n;
    row->point = memcpy(MP_NEW(s->arena, mp_config, n), point, sizeof *point * (size_t)n);
    row->grid = n > 1 ? row->grid : MP_GRID_NONE;
    strcpy(row->config.pool, point[0].pool); /* its usual spelling */
    return MP_OK;
}

static int find(const mp_study *s, const mp_study_row *row)
{
    for (int i = 0; i < s->rows; i++) {
        const mp_study_row *r = &s->row[i];
        if (r->data == row->data && r->folds == row->folds && r->grid == row->grid && r->runs == row->runs &&
            mp_conf_equal(mp_config_table, &r->config, &row->config))
            return i;
    }
    return -1;
}

static int append(mp_study *s, const mp_study_row *row)
{
    if (s->rows == s->room) {
        s->room = mp_room(s->room, (int64_t)s->rows + 1, 16, "rows of a study");
        MP_MORE(s->arena, s->row, s->rows, s->room);
    }
    mp_study_row *r = &s->row[s->rows];
    *r = *row;
    r->place = MP_NEW_RAW(s->arena, int, r->runs);
    s->plan.arena = s->arena;
    int each = s->seeds * r->folds->count; /* runs of a point */
    for (int i = 0; i < r->points; i++)
        mp_cv_add(&s->plan, r->data, r->folds, &r->point[i], s->seeds, r->place + (size_t)i * (size_t)each);
    return s->rows++;
}

mp_err mp_study_place(mp_study *s, mp_dataset *d, const mp_folds *f, const mp_config *config, mp_grid grid, int *place,
                      bool *added)
{
    mp_study_row row = { .data = d, .folds = f, .config = *config, .grid = grid };
    MP_TRY(make_row(s, &row));
    MP_TRY(check_size(s, f, config->seed, row.points));
    row.runs = row.points * s->seeds * f->count;
    *place = find(s, &row);
    *added = *place < 0;
    if (*added) *place = append(s, &row);
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

const char *mp_study_model_path(const mp_study *s, const mp_run_key *key, mp_arena *a)
{
    const mp_config *c = &key->config;
    char hash[65];
    mp_run_key_hash(key, hash);
    if (!s->models) return mp_arena_printf(a, "%s.models/%.24s.safetensors", mp_store_beside(s->store_path, a), hash);
    bool mid = c->flip || c->score_dim > 1 || c->drop > 0;
    char *name = mp_arena_printf(a, "%s-%s%s-seed%d-fold%d.safetensors", key->dataset, c->pool, mid ? "-mid" : "",
                                 c->seed, key->fold);
    for (char *p = name; *p; p++)
        if (*p == '/') *p = '_';
    return mp_arena_printf(a, "%s/%s", s->models, name);
}

static bool keeps_models(const mp_study *s)
{
    return s->keep_models || s->models;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name has room for one model: it does not say which point of a grid it is, nor which of two sets of one name. */
static mp_err check_names(const mp_study *s)
{
    mp_arena *a = mp_arena_new(65536);
    const char **name = MP_NEW(a, const char *, s->plan.count + 1);
    mp_err e = MP_OK;
    for (int i = 0; i < s->plan.count; i++) name[i] = mp_study_model_path(s, &s->plan.run[i].key, a);
    qsort(name, (size_t)s->plan.count, sizeof *name, by_text);
    for (int i = 1; i < s->plan.count && e == MP_OK; i++)
        if (strcmp(name[i - 1], name[i]) == 0)
            e = mp_fail(MP_ERR_USAGE,
                        "models: two runs would be %s; keep models of one setting and one data set a name", name[i]);
    mp_arena_free(a);
    return e;
}

/* ---- the store and the listener, as crossval.h sees them ---- */

static mp_err hash_file(const char *path, mp_arena *a, char hex[65])
{
    mp_span bytes;
    hex[0] = 0;
    if (access(path, R_OK) != 0) return MP_OK;
    MP_TRY(mp_slurp(path, 0, a, &bytes));
    mp_sha256_hex(bytes.p, bytes.n, hex);
    return MP_OK;
}

/* Under a name that people read there may be the model of other settings. */
static mp_err has_model(mp_study *s, const mp_run_key *key, bool *there)
{
    mp_arena *a = mp_arena_new(65536);
    const char *path = mp_study_model_path(s, key, a);
    char want[65] = "", have[65] = "";
    mp_err e = MP_OK;
    *there = access(path, R_OK) == 0;
    if (s->models && *there) {
        e = mp_store_model(s->store, key, want);
        if (e == MP_OK) e = hash_file(path, a, have);
        *there = e == MP_OK && strcmp(want, have) == 0;
    }
    mp_arena_free(a);
    return e;
}

static mp_err save_model(void *state, const mp_cv_run *run, mp_span file)
{
    mp_arena *a = mp_arena_new(4096);
    mp_err e = mp_write_file(mp_study_model_path(state, &run->key, a), file.p, file.n);
    mp_arena_free(a);
    return e;
}

static mp_err has(void *state, const mp_run_key *key, bool *known)
{
    mp_study *s = state;
    mp_run_status status;
    mp_listener_now(&s->listener, "looking for finished runs: %d of %d\t in %s", ++s->asked, s->share.count,
                    s->store_path);
    MP_TRY(mp_store_has(s->store, key, &status));
    *known = status == MP_RUN_DONE; /* a run that failed is tried again */
    if (*known && keeps_models(s)) {
        MP_TRY(has_model(s, key, known));
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
    if (*out == MP_CLAIM_DONE && keeps_models(s)) MP_TRY(has_model(s, key, &there));
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
    mp_store_filter filter = { .status = MP_RUN_DONE };
    MP_TRY(mp_store_each(s->store, &filter, collect, &c));
    char line[1024];
    if (mp_store_left_out(s->store, line, sizeof line)) mp_listener_bad(&s->listener, NULL, "%s", line);
    return MP_OK;
}

/* Before the first run: whoever reads the store meanwhile must not mix what this study keeps apart. */
static mp_err declare(const mp_study *s)
{
    mp_declared *d = MP_NEW(s->arena, mp_declared, s->rows + 1);
    for (int i = 0; i < s->rows; i++) {
        const mp_study_row *r = &s->row[i];
        d[i] = (mp_declared){ mp_run_key_of(r->data, r->folds, &r->folds->split[0], &r->config), r->grid };
    }
    return mp_store_declare(s->store, d, s->rows);
}

/* A result that an earlier start could not store is taken from its file, and its model may be in another folder. */
static mp_err count_lost(mp_study *s)
{
    int lost = 0;
    for (int i = 0; i < s->share.count; i++) {
        mp_run_status status;
        bool there = true;
        MP_TRY(mp_store_has(s->store, &s->share.run[i].key, &status));
        if (status == MP_RUN_DONE) MP_TRY(has_model(s, &s->share.run[i].key, &there));
        lost += !there;
    }
    if (lost)
        mp_listener_bad(&s->listener, NULL, "%d models are not in %s; the same command trains them", lost, s->models);
    return MP_OK;
}

static mp_err run_open(mp_study *s)
{
    s->asked = s->again = 0;
    s->share = mp_part_plan(s->part, &s->plan, s->arena);
    s->waits = false;
    MP_TRY(declare(s));
    mp_cv_options o = { .jobs = s->jobs,
                        .threads = s->threads,
                        .wait = STORE_SECONDS,
                        .state = s,
                        .has = has,
                        .put = put,
                        .put_failed = put_failed,
                        .claim = claim,
                        .done = on_done,
                        .news = on_news,
                        .note = on_note };
    mp_study_share(&o);
    if (keeps_models(s)) {
        MP_TRY(mp_make_folder(
            s->models ? s->models : mp_arena_printf(s->arena, "%s.models", mp_store_beside(s->store_path, s->arena))));
        o.model = save_model;
    }
    o.resume_dir = mp_arena_printf(s->arena, "%s.unfinished", mp_store_beside(s->store_path, s->arena));
    if (s->part.n)
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
    int before = c->known - c->elsewhere;
    if (before > 0) mp_listener_line(&s->listener, "%d of %d runs were in %s already", before, c->total, s->store_path);
    if (c->elsewhere)
        mp_listener_line(&s->listener, "%d of %d runs were trained by other programs at the same time", c->elsewhere,
                         c->total);
    if (s->again)
        mp_listener_line(&s->listener, "%d runs that were in %s were trained again: their models were not in %s",
                         s->again, s->store_path, s->models ? s->models : "its folder of models");
    if (c->failed) mp_listener_bad(&s->listener, NULL, "%d of %d runs failed and are left out", c->failed, c->total);
    if (s->models) MP_TRY(count_lost(s));
    return read_back(s);
}

/* What the widest of a row's settings needs: wide scores make wide matrices. */
static mp_err check_memory(const mp_study *s, const mp_study_row *row)
{
    int widest = 0, graphs = row->data->graphs.graphs;
    for (int i = 1; i < row->points; i++)
        if (row->point[i].score_dim > row->point[widest].score_dim) widest = i;
    int *all = MP_NEW_RAW(s->arena, int, graphs);
    for (int i = 0; i < graphs; i++) all[i] = i;
    int here = mp_ranks_workers() ? mp_ranks_here() : s->jobs; /* runs on this machine; of others we know nothing */
    int jobs = here < s->plan.count ? here : s->plan.count;
    if (jobs < 1) return MP_OK;
    mp_workload work = { row->data, &row->point[widest], all, graphs, s->threads, jobs };
    mp_forecast unused;
    return mp_forecast_memory(&work, &unused);
}

mp_err mp_study_fits(const mp_study *s, mp_dataset *d, const mp_folds *f, const mp_config *config, mp_grid grid)
{
    mp_study quiet = *s;
    mp_study_row row = { .data = d, .folds = f, .config = *config, .grid = grid };
    quiet.listener = (mp_listener){ 0 };
    if (quiet.plan.count < 1) quiet.plan.count = s->jobs;
    MP_TRY(make_row(&quiet, &row));
    return check_memory(&quiet, &row);
}

mp_err mp_study_run(mp_study *s)
{
    if (s->models) MP_TRY(check_names(s));
    for (int i = 0; i < s->rows; i++) MP_TRY(check_memory(s, &s->row[i]));
    MP_TRY(mp_store_open(s->store_path, MP_STORE_WRITE, &s->store));
    mp_err e = run_open(s);
    mp_store_close(s->store);
    s->store = NULL;
    return e;
}

mp_err mp_study_read(mp_study *s)
{
    if (mp_store_there(s->store_path)) MP_TRY(mp_store_open(s->store_path, MP_STORE_READ, &s->store));
    mp_err e = read_back(s);
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
    int place = row->place[i];
    return place < s->results && s->result[place].curve_len >= 0 ? &s->result[place] : NULL;
}

bool mp_study_whole(const mp_study *s, const mp_study_row *row)
{
    for (int i = 0; i < row->runs; i++)
        if (!mp_study_result(s, row, i)) return false;
    return true;
}

static int gather(const mp_study *s, const mp_study_row *row, mp_choice_run *out)
{
    int n = 0;
    for (int i = 0; i < row->runs; i++) {
        const mp_run_key *k = &s->plan.run[row->place[i]].key;
        const mp_run_result *r = mp_study_result(s, row, i);
        if (!r) continue;
        out[n++] = (mp_choice_run){ .seed = k->config.seed,
                                    .fold = k->fold,
                                    .folds = k->folds,
                                    .point = { k->config.score_dim, k->config.drop },
                                    .val_loss = r->val_loss,
                                    .val_metric = r->val_metric,
                                    .test_metric = r->test_metric,
                                    .large_metric = r->large_metric,
                                    .large_c_metric = r->large_c_metric };
    }
    return n;
}

mp_err mp_study_choose(const mp_study *s, const mp_study_row *row, mp_select mode, mp_choice *out)
{
    mp_choice_run *run = MP_NEW(s->arena, mp_choice_run, row->runs + 1);
    mp_choice_point fixed = { row->config.score_dim, row->config.drop };
    int n = gather(s, row, run);
    *out =
        (mp_choice){ .mode = mode, .test.mean = (double)NAN, .large.mean = (double)NAN, .large_c.mean = (double)NAN };
    if (n == 0 || (mode == MP_SELECT_FIXED && !mp_grid_has(row->grid, &row->config, &row->config))) return MP_OK;
    return mp_choose(run, n, !mp_study_metric(row)->larger, mode, &fixed, s->arena, out);
}
