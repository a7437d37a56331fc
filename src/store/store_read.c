/* store_read.c - runs out of the store again, one at a time or as an array. A run that cannot be read (row.c) is left out, with
 * a note that says which and why, and the others are read.
 * SPDX-License-Identifier: MIT */
#include "store/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char
    *const metric_sql[] = { /* before version 6, and since */
                            "SELECT name, val, test, large, NULL FROM metric WHERE run = ? ORDER BY place, name",
                            "SELECT name, val, test, large, large_c FROM metric WHERE run = ? ORDER BY place, name"
    };
static const char bin_sql[] = "SELECT bin, count, said, held, squares FROM calibration WHERE run = ?";
static const char curve_sql[] =
    "SELECT epoch, train_loss, val_loss, val_metric FROM curve WHERE run = ? ORDER BY epoch LIMIT ?";

/* ---- its metrics ---- */

/* Older stores kept the leading one alone. */
static void lead_alone(mp_run_result *r)
{
    r->measures = 1;
    r->measure[0] = (mp_measured){ .val = r->val_metric, .test = r->test_metric, .large = r->large_metric };
    r->measure[0].large_c = r->large_c_metric;
    strcpy(r->measure[0].name, r->metric);
}

static mp_err read_metrics(mp_store *s, sqlite3_stmt *metric, int64_t run, mp_run_result *r)
{
    int rc = SQLITE_DONE;
    sqlite3_bind_int64(metric, 1, run);
    r->measures = 0;
    while (r->measures < MP_MEASURES_MOST && (rc = sqlite3_step(metric)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(metric, 0);
        mp_measured *m = &r->measure[r->measures];
        if (!name || strlen(name) >= sizeof m->name) continue;
        strcpy(m->name, name);
        m->val = mp_column_real(metric, 1);
        m->test = mp_column_real(metric, 2);
        m->large = mp_column_real(metric, 3);
        m->large_c = mp_column_real(metric, 4);
        r->measures++;
    }
    sqlite3_reset(metric);
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? MP_OK : mp_db_fail(s, "reading metrics");
}

/* ---- its calibration ---- */

/* Sums of numbers from 0 to 1, as many as the bin counts. */
static bool read_bin(sqlite3_stmt *stmt, mp_calibration *c)
{
    int64_t place = sqlite3_column_int64(stmt, 0), count = sqlite3_column_int64(stmt, 1);
    bool sound = sqlite3_column_type(stmt, 0) == SQLITE_INTEGER && sqlite3_column_type(stmt, 1) == SQLITE_INTEGER &&
                 place >= 0 && place < MP_BINS && count > 0 && count <= INT64_C(1) << 50;
    for (int i = 2; i < 5; i++) {
        double sum = mp_column_real(stmt, i);
        sound = sound && sum >= 0 && sum <= (double)count;
    }
    if (!sound) return false;
    c->bin[place] = (mp_bin){ count, sqlite3_column_double(stmt, 2), sqlite3_column_double(stmt, 3),
                              sqlite3_column_double(stmt, 4) };
    return true;
}

static mp_err read_bins(mp_store *s, sqlite3_stmt *stmt, int64_t run, mp_run_result *r, bool *sound)
{
    int rc = SQLITE_DONE;
    sqlite3_bind_int64(stmt, 1, run);
    *sound = true;
    while (*sound && (rc = sqlite3_step(stmt)) == SQLITE_ROW) *sound = read_bin(stmt, &r->calibration);
    sqlite3_reset(stmt);
    if (*sound) return rc == SQLITE_DONE ? MP_OK : mp_db_fail(s, "reading a calibration");
    r->calibration = (mp_calibration){ 0 };
    mp_fail(MP_ERR_INPUT, "its calibration is not one of %d bins", MP_BINS);
    return MP_OK;
}

/* ---- its curve ---- */

static bool is_number(sqlite3_stmt *curve, int i)
{
    int type = sqlite3_column_type(curve, i);
    return type == SQLITE_NULL || type == SQLITE_FLOAT || type == SQLITE_INTEGER;
}

static bool read_point(sqlite3_stmt *curve, int epoch, mp_epoch *out)
{
    *out = (mp_epoch){ mp_column_real(curve, 1), mp_column_real(curve, 2), mp_column_real(curve, 3) };
    return sqlite3_column_type(curve, 0) == SQLITE_INTEGER && sqlite3_column_int64(curve, 0) == epoch &&
           is_number(curve, 1) && is_number(curve, 2) && is_number(curve, 3);
}

/* Memory is asked for as points come, not by what the run says it has. A curve that is not sound is left out. */
static mp_err read_points(mp_store *s, sqlite3_stmt *curve, mp_arena *a, mp_run_result *r, bool *sound)
{
    int rc, n = 0, room = 0;
    mp_epoch *points = NULL, next;
    while ((rc = sqlite3_step(curve)) == SQLITE_ROW) {
        *sound = read_point(curve, n + 1, &next) && n < r->epochs;
        if (!*sound) return MP_OK;
        if (n == room) {
            room = mp_room(room, (int64_t)n + 1, 64, "points of a curve");
            MP_MORE(a, points, n, room);
        }
        points[n++] = next;
    }
    if (rc != SQLITE_DONE) return mp_db_fail(s, "reading a learning curve");
    r->curve = points;
    r->curve_len = n;
    return MP_OK;
}

static mp_err read_curve(mp_store *s, sqlite3_stmt *curve, int64_t run, mp_arena *a, mp_run_result *r, bool *sound)
{
    sqlite3_bind_int64(curve, 1, run);
    sqlite3_bind_int64(curve, 2, (int64_t)r->epochs + 1); /* one too many is seen */
    mp_err e = read_points(s, curve, a, r, sound);
    sqlite3_reset(curve);
    if (!*sound) mp_fail(MP_ERR_INPUT, "its learning curve is not one of %d epochs", r->epochs);
    return e;
}

/* ---- all of them ---- */

typedef mp_err each_fn(void *context, const mp_stored *run);

typedef struct walk {
    mp_store *store;
    sqlite3_stmt *stmt, *curve;  /* curve NULL: nobody asks for them */
    sqlite3_stmt *metric, *bins; /* NULL: the store has none         */
    mp_configs *known;
    mp_arena *arena;
    bool keep; /* everything stays in the arena; else it is emptied after each run */
    const char *pool;
    mp_arena *seen_arena;
    char (*seen)[65]; /* hashes of finished runs, an open hash table; "" is free */
    size_t seen_count, seen_room;
} walk;

static void leave_out(walk *w)
{
    mp_store *s = w->store;
    if (s->left_out++ > 0) return;
    snprintf(s->left_out_why, sizeof s->left_out_why, "run %lld: %s", (long long)sqlite3_column_int64(w->stmt, 0),
             mp_message());
}

static char *seen_place(const walk *w, const char *hash)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%.16s", hash);
    size_t at = (size_t)strtoull(digits, NULL, 16) & (w->seen_room - 1);
    while (w->seen[at][0] && strcmp(w->seen[at], hash) != 0) at = (at + 1) & (w->seen_room - 1);
    return w->seen[at];
}

static void grow_seen(walk *w)
{
    walk old = *w;
    w->seen_room = old.seen_room ? 2 * old.seen_room : 256;
    w->seen = mp_arena_zero(w->seen_arena, w->seen_room, sizeof *w->seen);
    for (size_t i = 0; i < old.seen_room; i++)
        if (old.seen[i][0]) memcpy(seen_place(w, old.seen[i]), old.seen[i], 65);
}

/* A run that is there twice, under two keys, would count twice. */
static mp_err check_first(walk *w, const mp_stored *run)
{
    if (run->status != MP_RUN_DONE) return MP_OK;
    if (2 * w->seen_count >= w->seen_room) grow_seen(w);
    char *place = seen_place(w, run->hash);
    if (place[0]) return mp_fail(MP_ERR_INPUT, "another row has the same run");
    memcpy(place, run->hash, 65);
    w->seen_count++;
    return MP_OK;
}

static mp_err visit(walk *w, each_fn *each, void *context)
{
    mp_stored run;
    mp_err e = mp_row_read(w->stmt, w->known, w->arena, &run);
    if (e == MP_OK) e = check_first(w, &run);
    if (e != MP_OK) {
        leave_out(w);
        return MP_OK;
    }
    if (w->pool && strcmp(run.key.config.pool, w->pool) != 0) return MP_OK;
    bool sound = true;
    int64_t id = sqlite3_column_int64(w->stmt, 0);
    lead_alone(&run.result);
    if (w->metric && run.status == MP_RUN_DONE) MP_TRY(read_metrics(w->store, w->metric, id, &run.result));
    if (w->bins && run.status == MP_RUN_DONE) MP_TRY(read_bins(w->store, w->bins, id, &run.result, &sound));
    if (!sound) leave_out(w);
    sound = true;
    if (w->curve) MP_TRY(read_curve(w->store, w->curve, id, w->arena, &run.result, &sound));
    if (!sound) leave_out(w);
    return each(context, &run);
}

static mp_err walk_all(walk *w, each_fn *each, void *context)
{
    int rc;
    w->store->left_out = 0;
    while ((rc = sqlite3_step(w->stmt)) == SQLITE_ROW) {
        MP_TRY(visit(w, each, context));
        if (!w->keep) mp_arena_reset(w->arena);
    }
    return rc == SQLITE_DONE ? MP_OK : mp_db_fail(w->store, "reading runs");
}

static mp_err walk_filtered(mp_store *s, const mp_store_filter *f, mp_arena *a, bool keep, each_fn *each, void *context)
{
    static const char where[] =
        "(?1 IS NULL OR dataset = ?1) AND (?2 IS NULL OR status = ?2) ORDER BY dataset, seed, fold, key";
    static const char *const status[] = { NULL, "done", "failed" };
    static const mp_store_filter everything = { 0 };
    if (!f) f = &everything;
    walk w = { .store = s, .arena = a, .keep = keep, .pool = f->pool, .seen_arena = mp_arena_new(1 << 16) };
    w.known = mp_configs_new();
    mp_err e = mp_row_prepare(s, where, &w.stmt);
    if (e == MP_OK && f->curves) e = mp_db_prepare(s, curve_sql, &w.curve);
    if (e == MP_OK && s->version >= 3) e = mp_db_prepare(s, metric_sql[s->version >= 6], &w.metric);
    if (e == MP_OK && s->version >= 4) e = mp_db_prepare(s, bin_sql, &w.bins);
    if (e == MP_OK) {
        sqlite3_bind_text(w.stmt, 1, f->dataset, -1, SQLITE_STATIC); /* NULL binds NULL */
        sqlite3_bind_text(w.stmt, 2, status[f->status], -1, SQLITE_STATIC);
        e = walk_all(&w, each, context);
    }
    sqlite3_finalize(w.bins);
    sqlite3_finalize(w.metric);
    sqlite3_finalize(w.curve);
    sqlite3_finalize(w.stmt);
    mp_configs_free(w.known);
    mp_arena_free(w.seen_arena);
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
        l->room = mp_room(l->room, (int64_t)l->n + 1, 64, "runs");
        MP_MORE(l->arena, l->run, l->n, l->room);
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

bool mp_store_left_out(const mp_store *s, char *line, size_t n)
{
    if (s->left_out == 0) return false;
    if (s->left_out == 1)
        snprintf(line, n, "%s: not all of it can be read: %s", s->path, s->left_out_why);
    else
        snprintf(line, n, "%s: %d rows cannot be read and are left out, the first: %s", s->path, s->left_out,
                 s->left_out_why);
    return true;
}

/* ---- one of them ---- */

static mp_err find(mp_store *s, sqlite3_stmt *stmt, const char *hash, mp_arena *a, mp_stored *out)
{
    sqlite3_bind_text(stmt, 1, hash, -1, SQLITE_STATIC);
    int rc = sqlite3_step(stmt);
    *out = (mp_stored){ .status = MP_RUN_ABSENT };
    if (rc == SQLITE_DONE) return MP_OK;
    if (rc != SQLITE_ROW) return mp_db_fail(s, "looking for a run");
    bool right =
        mp_row_read(stmt, NULL, a, out) == MP_OK && strcmp(out->hash, hash) == 0; /* the key is the content's */
    if (!right) *out = (mp_stored){ .status = MP_RUN_FAILED };
    return MP_OK;
}

static mp_err find_key(mp_store *s, const mp_run_key *key, mp_arena *a, mp_stored *out)
{
    sqlite3_stmt *stmt;
    char hash[65];
    mp_run_key_hash(key, hash);
    MP_TRY(mp_row_prepare(s, "key = ?", &stmt));
    mp_err e = find(s, stmt, hash, a, out);
    sqlite3_finalize(stmt);
    return e;
}

mp_err mp_store_has(mp_store *s, const mp_run_key *key, mp_run_status *out)
{
    mp_stored run;
    mp_arena *a = mp_arena_new(1 << 14);
    mp_err e = find_key(s, key, a, &run);
    if (e == MP_OK) *out = run.status;
    mp_arena_free(a);
    return e;
}

mp_err mp_store_model(mp_store *s, const mp_run_key *key, char sha256[65])
{
    mp_stored run;
    mp_arena *a = mp_arena_new(1 << 14);
    mp_err e = find_key(s, key, a, &run);
    if (e == MP_OK) strcpy(sha256, run.status == MP_RUN_DONE ? run.result.model_sha256 : "");
    mp_arena_free(a);
    return e;
}
