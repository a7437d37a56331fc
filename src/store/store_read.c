/* store_read.c - runs out of the store again, one at a time or as an array.
 * SPDX-License-Identifier: MIT */
#include "store/db.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char select_sql[] =
    "SELECT id, key, status, dataset, fingerprint, folds_from, fold, folds, config, epochs, best_epoch,"
    " hit_cap, train_loss, val_loss, val_metric, test_metric, large_metric, seconds, seconds_per_epoch,"
    " peak_bytes, model_sha256, message, version, finished FROM run"
    " WHERE (?1 IS NULL OR dataset = ?1) AND (?2 IS NULL OR json_extract(config, '$.pool') = ?2)"
    " AND (?3 IS NULL OR status = ?3) ORDER BY dataset, seed, fold, key";
/* clang-format off */
enum { /* columns, in the order of the text above */
    ID, KEY, STATUS, DATASET, FINGERPRINT, FOLDS_FROM, FOLD, FOLDS, CONFIG, EPOCHS, BEST_EPOCH, HIT_CAP,
    TRAIN_LOSS, VAL_LOSS, VAL_METRIC, TEST_METRIC, LARGE_METRIC, SECONDS, SECONDS_PER_EPOCH, PEAK_BYTES,
    MODEL_SHA256, MESSAGE, VERSION, FINISHED
};
/* clang-format on */

static const char curve_sql[] = "SELECT train_loss, val_loss, val_metric FROM curve WHERE run = ? ORDER BY epoch";

static const char *text(sqlite3_stmt *stmt, int column)
{
    const char *t = (const char *)sqlite3_column_text(stmt, column);
    return t ? t : "";
}

static double real(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(stmt, column);
}

static mp_err read_key(mp_store *s, sqlite3_stmt *stmt, mp_arena *a, mp_run_key *k)
{
    snprintf(k->dataset, sizeof k->dataset, "%s", text(stmt, DATASET));
    k->fingerprint = strtoull(text(stmt, FINGERPRINT), NULL, 16);
    snprintf(k->folds_from, sizeof k->folds_from, "%s", text(stmt, FOLDS_FROM));
    k->fold = sqlite3_column_int(stmt, FOLD);
    k->folds = sqlite3_column_int(stmt, FOLDS);
    return mp_config_from_json(mp_span_of(text(stmt, CONFIG)), s->path, a, &k->config);
}

static void read_result(sqlite3_stmt *stmt, mp_run_result *r)
{
    r->epochs = sqlite3_column_int(stmt, EPOCHS);
    r->best_epoch = sqlite3_column_int(stmt, BEST_EPOCH);
    r->hit_cap = sqlite3_column_int(stmt, HIT_CAP);
    r->train_loss = real(stmt, TRAIN_LOSS);
    r->val_loss = real(stmt, VAL_LOSS);
    r->val_metric = real(stmt, VAL_METRIC);
    r->test_metric = real(stmt, TEST_METRIC);
    r->large_metric = real(stmt, LARGE_METRIC);
    r->seconds = real(stmt, SECONDS);
    r->seconds_per_epoch = real(stmt, SECONDS_PER_EPOCH);
    r->peak_bytes = (uint64_t)sqlite3_column_int64(stmt, PEAK_BYTES);
    snprintf(r->model_sha256, sizeof r->model_sha256, "%s", text(stmt, MODEL_SHA256));
}

/* The curve of a run; it has as many points as the run has rows, which need not be `epochs`. */
static mp_err read_curve(mp_store *s, sqlite3_stmt *curve, int64_t run, mp_arena *a, mp_run_result *r)
{
    int rc, room = 0;
    mp_epoch *points = NULL;
    sqlite3_bind_int64(curve, 1, run);
    while ((rc = sqlite3_step(curve)) == SQLITE_ROW) {
        if (r->curve_len == room) {
            mp_epoch *more = MP_NEW_RAW(a, mp_epoch, room = 2 * room + r->epochs + 16);
            if (points) memcpy(more, points, (size_t)r->curve_len * sizeof *more);
            points = more;
        }
        points[r->curve_len++] = (mp_epoch){ real(curve, 0), real(curve, 1), real(curve, 2) };
    }
    sqlite3_reset(curve);
    r->curve = points;
    return rc == SQLITE_DONE ? MP_OK : mp_db_fail(s, "reading a learning curve");
}

static mp_err read_run(mp_store *s, sqlite3_stmt *stmt, sqlite3_stmt *curve, mp_arena *a, mp_stored *out)
{
    *out = (mp_stored){ 0 };
    out->hash = mp_arena_text(a, text(stmt, KEY), strlen(text(stmt, KEY)));
    out->status = strcmp(text(stmt, STATUS), "done") == 0 ? MP_RUN_DONE : MP_RUN_FAILED;
    out->message = mp_arena_text(a, text(stmt, MESSAGE), strlen(text(stmt, MESSAGE)));
    out->version = mp_arena_text(a, text(stmt, VERSION), strlen(text(stmt, VERSION)));
    out->finished = mp_arena_text(a, text(stmt, FINISHED), strlen(text(stmt, FINISHED)));
    MP_TRY(read_key(s, stmt, a, &out->key));
    read_result(stmt, &out->result);
    return curve ? read_curve(s, curve, sqlite3_column_int64(stmt, ID), a, &out->result) : MP_OK;
}

static void bind_filter(sqlite3_stmt *stmt, const mp_store_filter *f)
{
    static const char *const status[] = { NULL, "done", "failed" };
    sqlite3_bind_text(stmt, 1, f->dataset, -1, SQLITE_STATIC); /* NULL binds NULL */
    sqlite3_bind_text(stmt, 2, f->pool, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 3, status[f->status], -1, SQLITE_STATIC);
}

typedef mp_err each_fn(void *context, const mp_stored *run);

/* `keep`: everything stays in the arena; else it is emptied after each run. */
static mp_err walk(mp_store *s, sqlite3_stmt *stmt, sqlite3_stmt *curve, mp_arena *a, bool keep, each_fn *each,
                   void *context)
{
    int rc;
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        mp_stored run;
        MP_TRY(read_run(s, stmt, curve, a, &run));
        MP_TRY(each(context, &run));
        if (!keep) mp_arena_reset(a);
    }
    return rc == SQLITE_DONE ? MP_OK : mp_db_fail(s, "reading runs");
}

static mp_err walk_filtered(mp_store *s, const mp_store_filter *f, mp_arena *a, bool keep, each_fn *each, void *context)
{
    static const mp_store_filter everything = { 0 };
    sqlite3_stmt *stmt = NULL, *curve = NULL;
    if (!f) f = &everything;
    mp_err e = mp_db_prepare(s, select_sql, &stmt);
    if (e == MP_OK && f->curves) e = mp_db_prepare(s, curve_sql, &curve);
    if (e == MP_OK) {
        bind_filter(stmt, f);
        e = walk(s, stmt, curve, a, keep, each, context);
    }
    sqlite3_finalize(curve);
    sqlite3_finalize(stmt);
    return e;
}

mp_err mp_store_each(mp_store *s, const mp_store_filter *f, each_fn *each, void *context)
{
    mp_arena *a = mp_arena_new(1 << 16);
    mp_err e = walk_filtered(s, f, a, false, each, context);
    mp_arena_free(a);
    return e;
}

typedef struct list {
    mp_arena *arena;
    mp_stored *run;
    int n, room;
} list;

static mp_err append(void *context, const mp_stored *run)
{
    list *l = context;
    if (l->n == l->room) {
        mp_stored *more = MP_NEW_RAW(l->arena, mp_stored, l->room = 2 * l->room + 64);
        if (l->n) memcpy(more, l->run, (size_t)l->n * sizeof *more);
        l->run = more;
    }
    l->run[l->n++] = *run;
    return MP_OK;
}

mp_err mp_store_load(mp_store *s, const mp_store_filter *f, mp_arena *a, const mp_stored **out, int *n)
{
    list l = { .arena = a };
    MP_TRY(walk_filtered(s, f, a, true, append, &l));
    *out = l.run;
    *n = l.n;
    return MP_OK;
}
