/* store_read.c - runs out of the store again, one at a time or as an array. A run that cannot be read (row.c) is left out, with
 * a note that says which and why, and the others are read.
 * SPDX-License-Identifier: MIT */
#include "store/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char
    *const metric_sql[] = { /* before version 6, and since */
                            "SELECT name, val, test, large, NULL FROM metric WHERE run = $1 ORDER BY place, name",
                            "SELECT name, val, test, large, large_c FROM metric WHERE run = $1 ORDER BY place, name"
    };
static const char bin_sql[] = "SELECT bin, count, said, held, squares FROM calibration WHERE run = $1";
static const char curve_sql[] =
    "SELECT epoch, train_loss, val_loss, val_metric FROM curve WHERE run = $1 ORDER BY epoch LIMIT $2";

/* ---- its metrics ---- */

/* Older stores kept the leading one alone. */
static void lead_alone(mp_run_result *r)
{
    r->measures = 1;
    r->measure[0] = (mp_measured){ .val = r->val_metric, .test = r->test_metric, .large = r->large_metric };
    r->measure[0].large_c = r->large_c_metric;
    strcpy(r->measure[0].name, r->metric);
}

static mp_err read_metrics(mp_stmt *metric, int64_t run, mp_run_result *r)
{
    int at = 1;
    bool row = true;
    mp_err e = MP_OK;
    mp_bind_int(metric, &at, run);
    r->measures = 0;
    while (r->measures < MP_MEASURES_MOST && (e = mp_db_step(metric, "reading metrics", &row)) == MP_OK && row) {
        const char *name = mp_column_text(metric, 0);
        mp_measured *m = &r->measure[r->measures];
        if (mp_column_type(metric, 0) == MP_TYPE_NULL || strlen(name) >= sizeof m->name) continue;
        strcpy(m->name, name);
        m->val = mp_column_real(metric, 1);
        m->test = mp_column_real(metric, 2);
        m->large = mp_column_real(metric, 3);
        m->large_c = mp_column_real(metric, 4);
        r->measures++;
    }
    mp_db_again(metric);
    return e;
}

/* ---- its calibration ---- */

/* Sums of numbers from 0 to 1, as many as the bin counts. */
static bool read_bin(mp_stmt *stmt, mp_calibration *c)
{
    int64_t place = mp_column_int(stmt, 0), count = mp_column_int(stmt, 1);
    bool sound = mp_column_type(stmt, 0) == MP_TYPE_INT && mp_column_type(stmt, 1) == MP_TYPE_INT && place >= 0 &&
                 place < MP_BINS && count > 0 && count <= INT64_C(1) << 50;
    for (int i = 2; i < 5; i++) {
        double sum = mp_column_real(stmt, i);
        sound = sound && sum >= 0 && sum <= (double)count;
    }
    if (!sound) return false;
    c->bin[place] = (mp_bin){ count, mp_column_real(stmt, 2), mp_column_real(stmt, 3), mp_column_real(stmt, 4) };
    return true;
}

static mp_err read_bins(mp_stmt *stmt, int64_t run, mp_run_result *r, bool *sound)
{
    int at = 1;
    bool row = true;
    mp_err e = MP_OK;
    mp_bind_int(stmt, &at, run);
    *sound = true;
    while (*sound && (e = mp_db_step(stmt, "reading a calibration", &row)) == MP_OK && row)
        *sound = read_bin(stmt, &r->calibration);
    mp_db_again(stmt);
    if (*sound) return e;
    r->calibration = (mp_calibration){ 0 };
    mp_fail(MP_ERR_INPUT, "its calibration is not one of %d bins", MP_BINS);
    return MP_OK;
}

/* ---- its curve ---- */

static bool is_number(mp_stmt *curve, int i)
{
    int type = mp_column_type(curve, i);
    return type == MP_TYPE_NULL || type == MP_TYPE_REAL || type == MP_TYPE_INT;
}

static bool read_point(mp_stmt *curve, int epoch, mp_epoch *out)
{
    *out = (mp_epoch){ mp_column_real(curve, 1), mp_column_real(curve, 2), mp_column_real(curve, 3) };
    return mp_column_type(curve, 0) == MP_TYPE_INT && mp_column_int(curve, 0) == epoch && is_number(curve, 1) &&
           is_number(curve, 2) && is_number(curve, 3);
}

/* Memory is asked for as points come, not by what the run says it has. A curve that is not sound is left out. */
static mp_err read_points(mp_stmt *curve, mp_arena *a, mp_run_result *r, bool *sound)
{
    int n = 0, room = 0;
    bool row = true;
    mp_err e = MP_OK;
    mp_epoch *points = NULL, next;
    while ((e = mp_db_step(curve, "reading a learning curve", &row)) == MP_OK && row) {
        *sound = read_point(curve, n + 1, &next) && n < r->epochs;
        if (!*sound) return MP_OK;
        if (n == room) {
            room = mp_room(room, (int64_t)n + 1, 64, "points of a curve");
            MP_MORE(a, points, n, room);
        }
        points[n++] = next;
    }
    if (e != MP_OK) return e;
    r->curve = points;
    r->curve_len = n;
    return MP_OK;
}

static mp_err read_curve(mp_stmt *curve, int64_t run, mp_arena *a, mp_run_result *r, bool *sound)
{
    int at = 1;
    mp_bind_int(curve, &at, run);
    mp_bind_int(curve, &at, (int64_t)r->epochs + 1); /* one too many is seen */
    mp_err e = read_points(curve, a, r, sound);
    mp_db_again(curve);
    if (!*sound) mp_fail(MP_ERR_INPUT, "its learning curve is not one of %d epochs", r->epochs);
    return e;
}

/* ---- all of them ---- */

typedef mp_err each_fn(void *context, const mp_stored *run);

typedef struct walk {
    mp_store *store;
    mp_stmt *stmt, *curve;  /* curve NULL: nobody asks for them */
    mp_stmt *metric, *bins; /* NULL: the store has none         */
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
    snprintf(s->left_out_why, sizeof s->left_out_why, "run %lld: %s", (long long)mp_column_int(w->stmt, 0),
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
    int64_t id = mp_column_int(w->stmt, 0);
    lead_alone(&run.result);
    if (w->metric && run.status == MP_RUN_DONE) MP_TRY(read_metrics(w->metric, id, &run.result));
    if (w->bins && run.status == MP_RUN_DONE) MP_TRY(read_bins(w->bins, id, &run.result, &sound));
    if (!sound) leave_out(w);
    sound = true;
    if (w->curve) MP_TRY(read_curve(w->curve, id, w->arena, &run.result, &sound));
    if (!sound) leave_out(w);
    return each(context, &run);
}

static mp_err walk_all(walk *w, each_fn *each, void *context)
{
    bool row = true;
    mp_err e = MP_OK;
    w->store->left_out = 0;
    while ((e = mp_db_step(w->stmt, "reading runs", &row)) == MP_OK && row) {
        MP_TRY(visit(w, each, context));
        if (!w->keep) mp_arena_reset(w->arena);
    }
    return e;
}

static mp_err walk_filtered(mp_store *s, const mp_store_filter *f, mp_arena *a, bool keep, each_fn *each, void *context)
{
    static const char where[] =
        "(CAST($1 AS TEXT) IS NULL OR dataset = $1) AND (CAST($2 AS TEXT) IS NULL OR status = $2)"
        " ORDER BY dataset, seed, fold, key";
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
        int at = 1;
        mp_bind_text(w.stmt, &at, f->dataset);
        mp_bind_text(w.stmt, &at, status[f->status]);
        e = walk_all(&w, each, context);
    }
    mp_db_end(w.bins);
    mp_db_end(w.metric);
    mp_db_end(w.curve);
    mp_db_end(w.stmt);
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

static mp_err find(mp_stmt *stmt, const char *hash, mp_arena *a, mp_stored *out)
{
    int at = 1;
    bool row;
    mp_bind_text(stmt, &at, hash);
    *out = (mp_stored){ .status = MP_RUN_ABSENT };
    MP_TRY(mp_db_step(stmt, "looking for a run", &row));
    if (!row) return MP_OK;
    bool right =
        mp_row_read(stmt, NULL, a, out) == MP_OK && strcmp(out->hash, hash) == 0; /* the key is the content's */
    if (!right) *out = (mp_stored){ .status = MP_RUN_FAILED };
    return MP_OK;
}

mp_err mp_run_find(mp_store *s, const mp_run_key *key, mp_arena *a, mp_stored *out)
{
    mp_stmt *stmt;
    char hash[65];
    mp_run_key_hash(key, hash);
    MP_TRY(mp_row_prepare(s, "key = $1", &stmt));
    mp_err e = find(stmt, hash, a, out);
    mp_db_end(stmt);
    return e;
}

mp_err mp_store_has(mp_store *s, const mp_run_key *key, mp_run_status *out)
{
    mp_stored run;
    mp_arena *a = mp_arena_new(1 << 14);
    mp_err e = mp_run_find(s, key, a, &run);
    if (e == MP_OK) *out = run.status;
    mp_arena_free(a);
    return e;
}

mp_err mp_store_model(mp_store *s, const mp_run_key *key, char sha256[65])
{
    mp_stored run;
    mp_arena *a = mp_arena_new(1 << 14);
    mp_err e = mp_run_find(s, key, a, &run);
    if (e == MP_OK) strcpy(sha256, run.status == MP_RUN_DONE ? run.result.model_sha256 : "");
    mp_arena_free(a);
    return e;
}
