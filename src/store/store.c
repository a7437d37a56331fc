/* store.c - putting runs away. Reading back is in store_read.c.
 * SPDX-License-Identifier: MIT */
#include "store/db.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char insert_sql[] =
    "INSERT INTO run (key, status, dataset, fingerprint, folds_from, fold, folds, seed, config, message, version,"
    " epochs, best_epoch, hit_cap, train_loss, val_loss, val_metric, test_metric, large_metric, seconds,"
    " seconds_per_epoch, peak_bytes, model_sha256, task, metric, large_c_metric, finished)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,"
    " $24, $25, $26, COALESCE(CAST($27 AS TEXT), @stamp)) ON CONFLICT (key) DO NOTHING RETURNING id";

static void bind_key(mp_stmt *stmt, int *at, const mp_stored *run)
{
    const mp_run_key *key = &run->key;
    char hash[65], fingerprint[17];
    mp_buf config = { 0 };
    mp_run_key_hash(key, hash);
    mp_config_to_json(&key->config, &config);
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)key->fingerprint);
    mp_bind_text(stmt, at, hash);
    mp_bind_text(stmt, at, run->status == MP_RUN_DONE ? "done" : "failed");
    mp_bind_text(stmt, at, key->dataset);
    mp_bind_text(stmt, at, fingerprint);
    mp_bind_text(stmt, at, key->folds_from);
    mp_bind_int(stmt, at, key->fold);
    mp_bind_int(stmt, at, key->folds);
    mp_bind_int(stmt, at, key->config.seed);
    mp_bind_text(stmt, at, config.p);
    mp_bind_text(stmt, at, run->message);
    mp_bind_text(stmt, at, run->version);
    mp_buf_free(&config);
}

static void bind_result(mp_stmt *stmt, int *at, const mp_run_result *r)
{
    mp_bind_int(stmt, at, r->epochs);
    mp_bind_int(stmt, at, r->best_epoch);
    mp_bind_int(stmt, at, r->hit_cap);
    mp_bind_real(stmt, at, r->train_loss);
    mp_bind_real(stmt, at, r->val_loss);
    mp_bind_real(stmt, at, r->val_metric);
    mp_bind_real(stmt, at, r->test_metric);
    mp_bind_real(stmt, at, r->large_metric);
    mp_bind_real(stmt, at, r->seconds);
    mp_bind_real(stmt, at, r->seconds_per_epoch);
    mp_bind_int(stmt, at, (int64_t)r->peak_bytes);
    mp_bind_text(stmt, at, r->model_sha256);
    mp_bind_text(stmt, at, r->task);
    mp_bind_text(stmt, at, r->metric);
    mp_bind_real(stmt, at, r->large_c_metric);
}

/* `*id` is 0 when another program was faster. */
static mp_err insert_run(mp_store *s, const mp_stored *run, int64_t *id)
{
    mp_stmt *stmt;
    int at = 1;
    bool row;
    MP_TRY(mp_db_prepare(s, insert_sql, &stmt));
    bind_key(stmt, &at, run);
    bind_result(stmt, &at, &run->result);
    mp_bind_text(stmt, &at, run->finished);
    mp_err e = mp_db_step(stmt, "storing a run", &row);
    *id = row ? mp_column_int(stmt, 0) : 0;
    mp_db_end(stmt);
    return e;
}

/* A table whose rows belong to a run: its columns, and how row i of a result is bound to all but the first, the run. */
typedef struct part {
    const char *table;
    int columns;
    const char *conflict; /* a damaged store may have rows that belong to no run */
    const char *doing;
    void (*bind)(mp_stmt *stmt, int *at, const mp_run_result *r, int i);
    bool (*wanted)(const mp_run_result *r, int i); /* NULL: every row is */
} part;

static void bind_point(mp_stmt *stmt, int *at, const mp_run_result *r, int i)
{
    mp_bind_int(stmt, at, i + 1);
    mp_bind_real(stmt, at, r->curve[i].train_loss);
    mp_bind_real(stmt, at, r->curve[i].val_loss);
    mp_bind_real(stmt, at, r->curve[i].val_metric);
}

static void bind_measure(mp_stmt *stmt, int *at, const mp_run_result *r, int i)
{
    mp_bind_text(stmt, at, r->measure[i].name);
    mp_bind_int(stmt, at, i);
    mp_bind_real(stmt, at, r->measure[i].val);
    mp_bind_real(stmt, at, r->measure[i].test);
    mp_bind_real(stmt, at, r->measure[i].large);
    mp_bind_real(stmt, at, r->measure[i].large_c);
}

static void bind_bin(mp_stmt *stmt, int *at, const mp_run_result *r, int i)
{
    const mp_bin *b = &r->calibration.bin[i];
    mp_bind_int(stmt, at, i);
    mp_bind_int(stmt, at, b->count);
    mp_bind_real(stmt, at, b->said);
    mp_bind_real(stmt, at, b->held);
    mp_bind_real(stmt, at, b->squares);
}

static bool bin_is_used(const mp_run_result *r, int i)
{
    return r->calibration.bin[i].count > 0;
}

static const part curve = { "curve",
                            5,
                            "(run, epoch) DO UPDATE SET train_loss = excluded.train_loss,"
                            " val_loss = excluded.val_loss, val_metric = excluded.val_metric",
                            "storing a learning curve",
                            bind_point,
                            NULL };
static const part metrics = { "metric",
                              7,
                              "(run, name) DO UPDATE SET place = excluded.place, val = excluded.val,"
                              " test = excluded.test, large = excluded.large, large_c = excluded.large_c",
                              "storing metrics",
                              bind_measure,
                              NULL };
static const part bins = { "calibration",
                           6,
                           "(run, bin) DO UPDATE SET count = excluded.count, said = excluded.said,"
                           " held = excluded.held, squares = excluded.squares",
                           "storing a calibration",
                           bind_bin,
                           bin_is_used };

static mp_err prepare_part(mp_store *s, const part *p, int rows, mp_stmt **out)
{
    mp_buf sql = { 0 };
    mp_buf_printf(&sql, "INSERT INTO %s VALUES ", p->table);
    for (int i = 0, n = 1; i < rows; i++)
        for (int c = 0; c < p->columns; c++, n++) mp_buf_printf(&sql, "%s$%d", c ? ", " : i ? "), (" : "(", n);
    mp_buf_printf(&sql, ") ON CONFLICT %s", p->conflict);
    mp_err e = mp_db_prepare(s, sql.p, out);
    mp_buf_free(&sql);
    return e;
}

/* `row`: which of the result; as many to a statement as the database likes. */
static mp_err insert_rows(mp_store *s, const part *p, const mp_run_result *r, const int *row, int n, int64_t run)
{
    mp_stmt *stmt = NULL;
    mp_err e = MP_OK;
    int wide = 0;
    for (int i = 0; i < n && e == MP_OK; i += wide) {
        int now = n - i < s->driver->rows ? n - i : s->driver->rows, at = 1;
        if (now != wide) {
            mp_db_end(stmt);
            MP_TRY(prepare_part(s, p, now, &stmt));
            wide = now;
        }
        for (int k = 0; k < now; k++) {
            mp_bind_int(stmt, &at, run);
            p->bind(stmt, &at, r, row[i + k]);
        }
        e = mp_db_run(stmt, p->doing);
        mp_db_again(stmt);
    }
    mp_db_end(stmt);
    return e;
}

static mp_err insert_part(mp_store *s, const part *p, const mp_run_result *r, int rows, int64_t run)
{
    mp_arena *a = mp_arena_new(4096);
    int *row = MP_NEW_RAW(a, int, rows + 1), n = 0;
    for (int i = 0; i < rows; i++)
        if (!p->wanted || p->wanted(r, i)) row[n++] = i;
    mp_err e = insert_rows(s, p, r, row, n, run);
    mp_arena_free(a);
    return e;
}

/* Of a run that failed, or whose row cannot be read. */
static mp_err remove_row(mp_store *s, const mp_run_key *key)
{
    mp_stmt *stmt;
    char hash[65];
    int at = 1;
    mp_run_key_hash(key, hash);
    MP_TRY(mp_db_prepare(s, "DELETE FROM run WHERE key = $1", &stmt));
    mp_bind_text(stmt, &at, hash);
    mp_err e = mp_db_run(stmt, "storing a run");
    mp_db_end(stmt);
    return e;
}

mp_err mp_run_insert(mp_store *s, const mp_stored *run, bool *added)
{
    mp_run_status status;
    int64_t id;
    const mp_run_result *r = &run->result;
    *added = false;
    MP_TRY(mp_store_has(s, &run->key, &status));
    if (status == MP_RUN_DONE || (status == MP_RUN_FAILED && run->status == MP_RUN_FAILED && run->finished))
        return MP_OK;
    if (status == MP_RUN_FAILED) MP_TRY(remove_row(s, &run->key));
    MP_TRY(insert_run(s, run, &id));
    *added = id != 0;
    if (id == 0 || run->status != MP_RUN_DONE) return MP_OK;
    MP_TRY(insert_part(s, &metrics, r, r->measures, id));
    MP_TRY(insert_part(s, &bins, r, MP_BINS, id));
    return insert_part(s, &curve, r, r->curve_len, id);
}

typedef struct put {
    mp_stored run;
    bool added;
} put;

static mp_err put_body(mp_store *s, void *context)
{
    put *p = context;
    MP_TRY(mp_run_insert(s, &p->run, &p->added));
    return mp_work_release(s, &p->run.key, p->added && p->run.status == MP_RUN_DONE);
}

mp_err mp_store_put(mp_store *s, const mp_run_key *key, const mp_run_result *result, bool *added)
{
    put p = { .run = { .status = MP_RUN_DONE, .key = *key, .result = *result, .message = "", .version = MP_VERSION } };
    mp_err e = mp_db_transaction(s, put_body, &p);
    if (added) *added = e == MP_OK && p.added;
    return e;
}

mp_err mp_store_put_failed(mp_store *s, const mp_run_key *key, const char *message)
{
    const double none = (double)NAN;
    put p = { .run = { .status = MP_RUN_FAILED, .key = *key, .message = message, .version = MP_VERSION } };
    p.run.result = (mp_run_result){ .task = "classify",
                                    .metric = "accuracy",
                                    .train_loss = none,
                                    .val_loss = none,
                                    .val_metric = none,
                                    .test_metric = none,
                                    .large_metric = none,
                                    .large_c_metric = none,
                                    .seconds = none,
                                    .seconds_per_epoch = none };
    return mp_db_transaction(s, put_body, &p);
}
