/* store_read.c - runs out of the store again, one at a time or as an array.
 *
 * A store may come from anywhere and may be damaged. The table below says what each column must be; a run with a column that
 * is not so is left out, with a note that says which and why, and the others are read.
 * SPDX-License-Identifier: MIT */
#include "data/split.h"
#include "store/db.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { TEXT, WHOLE, REAL } kind;

typedef struct column {
    const char *name;
    kind kind;
    double lo, hi; /* of a number, or of the bytes of a text */
    bool nullable;
} column;

enum { /* places in the table */
       ID,
       KEY,
       STATUS,
       DATASET,
       FINGERPRINT,
       FOLDS_FROM,
       FOLD,
       FOLDS,
       SEED,
       CONFIG,
       EPOCHS,
       BEST_EPOCH,
       HIT_CAP,
       TRAIN_LOSS,
       VAL_LOSS,
       VAL_METRIC,
       TEST_METRIC,
       LARGE_METRIC,
       SECONDS,
       SECONDS_PER_EPOCH,
       PEAK_BYTES,
       MODEL_SHA256,
       MESSAGE,
       VERSION,
       FINISHED,
       COLUMNS
};

#define FIELD(type, field) (sizeof(((type *)NULL)->field) - 1)
#define ANY                ((double)INFINITY)

/* clang-format off */
static const column columns[COLUMNS] = {
    [ID] = { "id", WHOLE, -ANY, ANY, false },
    [KEY] = { "key", TEXT, 64, 64, false },
    [STATUS] = { "status", TEXT, 4, 6, false },
    [DATASET] = { "dataset", TEXT, 1, FIELD(mp_run_key, dataset), false },
    [FINGERPRINT] = { "fingerprint", TEXT, 16, 16, false },
    [FOLDS_FROM] = { "folds_from", TEXT, 0, FIELD(mp_run_key, folds_from), false },
    [FOLD] = { "fold", WHOLE, 0, MP_MAX_FOLDS, false },
    [FOLDS] = { "folds", WHOLE, 0, MP_MAX_FOLDS, false },
    [SEED] = { "seed", WHOLE, 0, INT_MAX, false },
    [CONFIG] = { "config", TEXT, 2, 65536, false },
    [EPOCHS] = { "epochs", WHOLE, 0, INT_MAX, false },
    [BEST_EPOCH] = { "best_epoch", WHOLE, 0, INT_MAX, false },
    [HIT_CAP] = { "hit_cap", WHOLE, 0, 1, false },
    [TRAIN_LOSS] = { "train_loss", REAL, -ANY, ANY, true },
    [VAL_LOSS] = { "val_loss", REAL, -ANY, ANY, true },
    [VAL_METRIC] = { "val_metric", REAL, 0, 1, true },
    [TEST_METRIC] = { "test_metric", REAL, 0, 1, true },
    [LARGE_METRIC] = { "large_metric", REAL, 0, 1, true },
    [SECONDS] = { "seconds", REAL, 0, 1e12, true },
    [SECONDS_PER_EPOCH] = { "seconds_per_epoch", REAL, 0, 1e12, true },
    [PEAK_BYTES] = { "peak_bytes", WHOLE, 0, ANY, false },
    [MODEL_SHA256] = { "model_sha256", TEXT, 0, 64, false },
    [MESSAGE] = { "message", TEXT, 0, 4096, false },
    [VERSION] = { "version", TEXT, 0, 64, false },
    [FINISHED] = { "finished", TEXT, 0, 64, false },
};
/* clang-format on */

static const char curve_sql[] =
    "SELECT epoch, train_loss, val_loss, val_metric FROM curve WHERE run = ? ORDER BY epoch LIMIT ?";

/* ---- what a column must be ---- */

static mp_err wrong_text(sqlite3_stmt *stmt, int i)
{
    const column *c = &columns[i];
    if (sqlite3_column_type(stmt, i) == SQLITE_TEXT)
        return mp_fail(MP_ERR_INPUT, "%s: a text of %d bytes, expected %.0f to %.0f", c->name,
                       sqlite3_column_bytes(stmt, i), c->lo, c->hi);
    return mp_fail(MP_ERR_INPUT, "%s: expected a text", c->name);
}

static mp_err check_text(sqlite3_stmt *stmt, int i)
{
    const column *c = &columns[i];
    if (sqlite3_column_type(stmt, i) != SQLITE_TEXT) return wrong_text(stmt, i);
    const char *text = (const char *)sqlite3_column_text(stmt, i);
    int bytes = sqlite3_column_bytes(stmt, i);
    if (!text || bytes < c->lo || bytes > c->hi) return wrong_text(stmt, i);
    if (strlen(text) != (size_t)bytes) return mp_fail(MP_ERR_INPUT, "%s: a zero byte within the text", c->name);
    return MP_OK;
}

static mp_err check_number(sqlite3_stmt *stmt, int i)
{
    static const char *const what[] = { [WHOLE] = "a whole number", [REAL] = "a number" };
    const column *c = &columns[i];
    int type = sqlite3_column_type(stmt, i);
    double v = sqlite3_column_double(stmt, i);
    bool right = type == SQLITE_INTEGER || (type == SQLITE_FLOAT && c->kind == REAL);
    if (!right) return mp_fail(MP_ERR_INPUT, "%s: expected %s", c->name, what[c->kind]);
    if (v >= c->lo && v <= c->hi) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s: expected %s from %.10g to %.10g, got %.10g", c->name, what[c->kind], c->lo, c->hi,
                   v);
}

static mp_err check_columns(sqlite3_stmt *stmt)
{
    for (int i = 0; i < COLUMNS; i++) {
        const column *c = &columns[i];
        if (sqlite3_column_type(stmt, i) == SQLITE_NULL) {
            if (!c->nullable) return mp_fail(MP_ERR_INPUT, "%s: is missing", c->name);
        } else {
            MP_TRY(c->kind == TEXT ? check_text(stmt, i) : check_number(stmt, i));
        }
    }
    return MP_OK;
}

/* ---- a row ---- */

static const char *text(sqlite3_stmt *stmt, int i)
{
    return (const char *)sqlite3_column_text(stmt, i);
}

static double real(sqlite3_stmt *stmt, int i)
{
    return sqlite3_column_type(stmt, i) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(stmt, i);
}

static mp_err read_status(sqlite3_stmt *stmt, mp_run_status *out)
{
    static const char *const name[] = { [MP_RUN_DONE] = "done", [MP_RUN_FAILED] = "failed" };
    for (int i = MP_RUN_DONE; i <= MP_RUN_FAILED; i++) {
        if (strcmp(text(stmt, STATUS), name[i]) != 0) continue;
        *out = (mp_run_status)i;
        return MP_OK;
    }
    return mp_fail(MP_ERR_INPUT, "status: expected done or failed, got '%s'", text(stmt, STATUS));
}

static mp_err read_key(sqlite3_stmt *stmt, mp_arena *a, mp_run_key *k)
{
    const char *print = text(stmt, FINGERPRINT);
    if (strspn(print, "0123456789abcdef") != 16)
        return mp_fail(MP_ERR_INPUT, "fingerprint: expected 16 hexadecimal digits, got '%s'", print);
    memset(k, 0, sizeof *k);
    strcpy(k->dataset, text(stmt, DATASET)); /* they fit: check_columns */
    strcpy(k->folds_from, text(stmt, FOLDS_FROM));
    k->fingerprint = strtoull(print, NULL, 16);
    k->fold = sqlite3_column_int(stmt, FOLD);
    k->folds = sqlite3_column_int(stmt, FOLDS);
    if (k->fold > (k->folds > 1 ? k->folds : 1)) return mp_fail(MP_ERR_INPUT, "fold: %d of %d", k->fold, k->folds);
    MP_TRY(mp_config_from_json(mp_span_of(text(stmt, CONFIG)), "config", a, &k->config));
    if (k->config.seed != sqlite3_column_int(stmt, SEED))
        return mp_fail(MP_ERR_INPUT, "seed: %d, and %d in config", sqlite3_column_int(stmt, SEED), k->config.seed);
    return MP_OK;
}

static mp_err read_result(sqlite3_stmt *stmt, mp_run_result *r)
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
    strcpy(r->model_sha256, text(stmt, MODEL_SHA256));
    if (r->best_epoch > r->epochs) return mp_fail(MP_ERR_INPUT, "best_epoch: %d of %d", r->best_epoch, r->epochs);
    return MP_OK;
}

static const char *copy(sqlite3_stmt *stmt, int i, mp_arena *a)
{
    return mp_arena_text(a, text(stmt, i), strlen(text(stmt, i)));
}

static mp_err read_run(sqlite3_stmt *stmt, mp_arena *a, mp_stored *out)
{
    char *hash = MP_NEW(a, char, 65);
    *out = (mp_stored){ .hash = hash };
    MP_TRY(check_columns(stmt));
    MP_TRY(read_status(stmt, &out->status));
    MP_TRY(read_key(stmt, a, &out->key));
    MP_TRY(read_result(stmt, &out->result));
    mp_run_key_hash(&out->key, hash);
    out->message = copy(stmt, MESSAGE, a);
    out->version = copy(stmt, VERSION, a);
    out->finished = copy(stmt, FINISHED, a);
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
    *out = (mp_epoch){ real(curve, 1), real(curve, 2), real(curve, 3) };
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
    sqlite3_stmt *stmt, *curve; /* curve NULL: nobody asks for them */
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
    snprintf(s->left_out_why, sizeof s->left_out_why, "run %lld: %s", (long long)sqlite3_column_int64(w->stmt, ID),
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
    mp_err e = read_run(w->stmt, w->arena, &run);
    if (e == MP_OK) e = check_first(w, &run);
    if (e != MP_OK) {
        leave_out(w);
        return MP_OK;
    }
    if (w->pool && strcmp(run.key.config.pool, w->pool) != 0) return MP_OK;
    bool sound = true;
    int64_t id = sqlite3_column_int64(w->stmt, ID);
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

static mp_err prepare(mp_store *s, const char *where, sqlite3_stmt **out)
{
    mp_buf sql = { 0 };
    for (int i = 0; i < COLUMNS; i++) mp_buf_printf(&sql, "%s%s", i ? ", " : "SELECT ", columns[i].name);
    mp_buf_printf(&sql, " FROM run WHERE %s", where);
    mp_err e = mp_db_prepare(s, sql.p, out);
    mp_buf_free(&sql);
    return e;
}

static mp_err walk_filtered(mp_store *s, const mp_store_filter *f, mp_arena *a, bool keep, each_fn *each, void *context)
{
    static const char where[] =
        "(?1 IS NULL OR dataset = ?1) AND (?2 IS NULL OR status = ?2) ORDER BY dataset, seed, fold, key";
    static const char *const status[] = { NULL, "done", "failed" };
    static const mp_store_filter everything = { 0 };
    if (!f) f = &everything;
    walk w = { .store = s, .arena = a, .keep = keep, .pool = f->pool, .seen_arena = mp_arena_new(1 << 16) };
    mp_err e = prepare(s, where, &w.stmt);
    if (e == MP_OK && f->curves) e = mp_db_prepare(s, curve_sql, &w.curve);
    if (e == MP_OK) {
        sqlite3_bind_text(w.stmt, 1, f->dataset, -1, SQLITE_STATIC); /* NULL binds NULL */
        sqlite3_bind_text(w.stmt, 2, status[f->status], -1, SQLITE_STATIC);
        e = walk_all(&w, each, context);
    }
    sqlite3_finalize(w.curve);
    sqlite3_finalize(w.stmt);
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

static mp_err find(mp_store *s, sqlite3_stmt *stmt, const char *hash, mp_arena *a, mp_run_status *out)
{
    mp_stored run;
    sqlite3_bind_text(stmt, 1, hash, -1, SQLITE_STATIC);
    int rc = sqlite3_step(stmt);
    *out = MP_RUN_ABSENT;
    if (rc == SQLITE_DONE) return MP_OK;
    if (rc != SQLITE_ROW) return mp_db_fail(s, "looking for a run");
    bool right = read_run(stmt, a, &run) == MP_OK && strcmp(run.hash, hash) == 0; /* the key is the content's */
    *out = right ? run.status : MP_RUN_FAILED;
    return MP_OK;
}

mp_err mp_store_has(mp_store *s, const mp_run_key *key, mp_run_status *out)
{
    sqlite3_stmt *stmt;
    char hash[65];
    mp_run_key_hash(key, hash);
    MP_TRY(prepare(s, "key = ?", &stmt));
    mp_arena *a = mp_arena_new(1 << 14);
    mp_err e = find(s, stmt, hash, a, out);
    mp_arena_free(a);
    sqlite3_finalize(stmt);
    return e;
}
