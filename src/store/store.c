/* store.c - putting runs away. Reading back is in store_read.c.
 * SPDX-License-Identifier: MIT */
#include "store/db.h"

#include <stdio.h>
#include <string.h>

typedef struct put {
    const mp_run_key *key;
    const mp_run_result *result; /* NULL: the run failed */
    const char *message;
    bool added;
} put;

static const char insert_sql[] =
    "INSERT INTO run (key, status, dataset, fingerprint, folds_from, fold, folds, seed, config, version,"
    " message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char result_sql[] =
    "UPDATE run SET epochs = ?, best_epoch = ?, hit_cap = ?, train_loss = ?, val_loss = ?, val_metric = ?,"
    " test_metric = ?, large_metric = ?, seconds = ?, seconds_per_epoch = ?, peak_bytes = ?, model_sha256 = ?,"
    " task = ?, metric = ?, large_c_metric = ? WHERE id = ?";

static void bind_key(sqlite3_stmt *stmt, const put *p)
{
    const mp_run_key *key = p->key;
    char hash[65], fingerprint[17];
    int at = 1;
    mp_buf config = { 0 };
    mp_run_key_hash(key, hash);
    mp_config_to_json(&key->config, &config);
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)key->fingerprint);
    mp_bind_text(stmt, &at, hash);
    mp_bind_text(stmt, &at, p->result ? "done" : "failed");
    mp_bind_text(stmt, &at, key->dataset);
    mp_bind_text(stmt, &at, fingerprint);
    mp_bind_text(stmt, &at, key->folds_from);
    mp_bind_int(stmt, &at, key->fold);
    mp_bind_int(stmt, &at, key->folds);
    mp_bind_int(stmt, &at, key->config.seed);
    mp_bind_text(stmt, &at, config.p);
    mp_bind_text(stmt, &at, MP_VERSION);
    mp_bind_text(stmt, &at, p->message);
    mp_buf_free(&config);
}

static void bind_result(sqlite3_stmt *stmt, const mp_run_result *r, int64_t run)
{
    int at = 1;
    mp_bind_int(stmt, &at, r->epochs);
    mp_bind_int(stmt, &at, r->best_epoch);
    mp_bind_int(stmt, &at, r->hit_cap);
    mp_bind_real(stmt, &at, r->train_loss);
    mp_bind_real(stmt, &at, r->val_loss);
    mp_bind_real(stmt, &at, r->val_metric);
    mp_bind_real(stmt, &at, r->test_metric);
    mp_bind_real(stmt, &at, r->large_metric);
    mp_bind_real(stmt, &at, r->seconds);
    mp_bind_real(stmt, &at, r->seconds_per_epoch);
    mp_bind_int(stmt, &at, (int64_t)r->peak_bytes);
    mp_bind_text(stmt, &at, r->model_sha256);
    mp_bind_text(stmt, &at, r->task);
    mp_bind_text(stmt, &at, r->metric);
    mp_bind_real(stmt, &at, r->large_c_metric);
    mp_bind_int(stmt, &at, run);
}

static mp_err insert_run(mp_store *s, const put *p)
{
    sqlite3_stmt *stmt;
    MP_TRY(mp_db_prepare(s, insert_sql, &stmt));
    bind_key(stmt, p);
    mp_err e = mp_db_run(s, stmt, "storing a run");
    sqlite3_finalize(stmt);
    return e;
}

static mp_err insert_result(mp_store *s, const mp_run_result *r, int64_t run)
{
    sqlite3_stmt *stmt;
    MP_TRY(mp_db_prepare(s, result_sql, &stmt));
    bind_result(stmt, r, run);
    mp_err e = mp_db_run(s, stmt, "storing a result");
    sqlite3_finalize(stmt);
    return e;
}

/* A table whose rows belong to a run: its values, and how row i of a result is bound to them. */
typedef struct part {
    const char *sql, *doing;
    void (*bind)(sqlite3_stmt *stmt, int *at, const mp_run_result *r, int i);
    bool (*wanted)(const mp_run_result *r, int i); /* NULL: every row is */
} part;

static void bind_point(sqlite3_stmt *stmt, int *at, const mp_run_result *r, int i)
{
    mp_bind_int(stmt, at, i + 1);
    mp_bind_real(stmt, at, r->curve[i].train_loss);
    mp_bind_real(stmt, at, r->curve[i].val_loss);
    mp_bind_real(stmt, at, r->curve[i].val_metric);
}

static void bind_measure(sqlite3_stmt *stmt, int *at, const mp_run_result *r, int i)
{
    mp_bind_text(stmt, at, r->measure[i].name);
    mp_bind_int(stmt, at, i);
    mp_bind_real(stmt, at, r->measure[i].val);
    mp_bind_real(stmt, at, r->measure[i].test);
    mp_bind_real(stmt, at, r->measure[i].large);
    mp_bind_real(stmt, at, r->measure[i].large_c);
}

static void bind_bin(sqlite3_stmt *stmt, int *at, const mp_run_result *r, int i)
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

/* Or replace: a damaged store may have rows that belong to no run. */
static const part curve = { "INSERT OR REPLACE INTO curve VALUES (?, ?, ?, ?, ?)", "storing a learning curve",
                            bind_point, NULL };
static const part metrics = { "INSERT OR REPLACE INTO metric VALUES (?, ?, ?, ?, ?, ?, ?)", "storing metrics",
                              bind_measure, NULL };
static const part bins = { "INSERT OR REPLACE INTO calibration VALUES (?, ?, ?, ?, ?, ?)", "storing a calibration",
                           bind_bin, bin_is_used };

static mp_err insert_part(mp_store *s, const part *p, const mp_run_result *r, int rows, int64_t run)
{
    sqlite3_stmt *stmt;
    mp_err e = MP_OK;
    MP_TRY(mp_db_prepare(s, p->sql, &stmt));
    for (int i = 0; i < rows && e == MP_OK; i++) {
        int at = 1;
        if (p->wanted && !p->wanted(r, i)) continue;
        mp_bind_int(stmt, &at, run);
        p->bind(stmt, &at, r, i);
        e = mp_db_run(s, stmt, p->doing);
        sqlite3_reset(stmt);
    }
    sqlite3_finalize(stmt);
    return e;
}

/* Of a run that failed, or whose row cannot be read. */
static mp_err remove_row(mp_store *s, const mp_run_key *key)
{
    sqlite3_stmt *stmt;
    char hash[65];
    mp_run_key_hash(key, hash);
    MP_TRY(mp_db_prepare(s, "DELETE FROM run WHERE key = ?", &stmt));
    sqlite3_bind_text(stmt, 1, hash, -1, SQLITE_STATIC);
    mp_err e = mp_db_run(s, stmt, "storing a run");
    sqlite3_finalize(stmt);
    return e;
}

/* A run that failed makes way for the same run, done or failed again; a finished one never changes. */
static mp_err put_body(mp_store *s, void *context)
{
    put *p = context;
    mp_run_status status;
    MP_TRY(mp_store_has(s, p->key, &status));
    MP_TRY(mp_work_release(s, p->key));
    if (status == MP_RUN_DONE) return MP_OK;
    if (status == MP_RUN_FAILED) MP_TRY(remove_row(s, p->key));
    MP_TRY(insert_run(s, p));
    int64_t run = sqlite3_last_insert_rowid(s->db);
    if (p->result) MP_TRY(insert_result(s, p->result, run));
    if (p->result) MP_TRY(insert_part(s, &metrics, p->result, p->result->measures, run));
    if (p->result) MP_TRY(insert_part(s, &bins, p->result, MP_BINS, run));
    if (p->result) MP_TRY(insert_part(s, &curve, p->result, p->result->curve_len, run));
    p->added = true;
    return MP_OK;
}

mp_err mp_store_put(mp_store *s, const mp_run_key *key, const mp_run_result *result, bool *added)
{
    put p = { .key = key, .result = result, .message = "" };
    mp_err e = mp_db_transaction(s, put_body, &p);
    if (added) *added = e == MP_OK && p.added;
    return e;
}

mp_err mp_store_put_failed(mp_store *s, const mp_run_key *key, const char *message)
{
    put p = { .key = key, .message = message };
    return mp_db_transaction(s, put_body, &p);
}
