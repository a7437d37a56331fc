/* declare.c - what studies set out to compare: noted when they begin, read for reports.
 * SPDX-License-Identifier: MIT */
#include "data/split.h"
#include "store/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What varies within the row is taken out of the configuration. */
static const char *const insert_sql[] = {
    "INSERT OR IGNORE INTO study (dataset, fingerprint, folds_from, folds, grid, config)"
    " VALUES (?, ?, ?, ?, ?, json_remove(?, '$.seed'))",
    "INSERT OR IGNORE INTO study (dataset, fingerprint, folds_from, folds, grid, config)"
    " VALUES (?, ?, ?, ?, ?, json_remove(?, '$.seed', '$.flip', '$.\"score-dim\"', '$.drop'))",
};
static const char select_sql[] = "SELECT dataset, fingerprint, folds_from, folds, grid, config FROM study"
                                 " ORDER BY dataset, fingerprint, folds_from, folds, grid, config";

typedef struct list {
    const mp_declared *study;
    int n;
} list;

static mp_err insert(mp_store *s, const mp_declared *d)
{
    sqlite3_stmt *stmt;
    char fingerprint[17];
    mp_buf config = { 0 };
    MP_TRY(mp_db_prepare(s, insert_sql[d->grid != MP_GRID_NONE], &stmt));
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)d->key.fingerprint);
    mp_config_to_json(&d->key.config, &config);
    sqlite3_bind_text(stmt, 1, d->key.dataset, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, fingerprint, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 3, d->key.folds_from, -1, SQLITE_STATIC);
    sqlite3_bind_int(stmt, 4, d->key.folds);
    sqlite3_bind_text(stmt, 5, mp_grid_name[d->grid], -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 6, config.p, -1, SQLITE_STATIC);
    mp_err e = mp_db_run(s, stmt, "noting a study");
    sqlite3_finalize(stmt);
    mp_buf_free(&config);
    return e;
}

static mp_err insert_all(mp_store *s, void *context)
{
    const list *l = context;
    for (int i = 0; i < l->n; i++) MP_TRY(insert(s, &l->study[i]));
    return MP_OK;
}

mp_err mp_store_declare(mp_store *s, const mp_declared *study, int n)
{
    list l = { study, n };
    return mp_db_transaction(s, insert_all, &l);
}

static const char *text(sqlite3_stmt *stmt, int column)
{
    const char *t = (const char *)sqlite3_column_text(stmt, column);
    return t ? t : "";
}

/* A row that is not as we write it is passed over: its runs are shown as if no study had declared them. */
static bool read_study(mp_store *s, sqlite3_stmt *stmt, mp_arena *a, mp_declared *out)
{
    *out = (mp_declared){ 0 };
    mp_run_key *k = &out->key;
    int64_t folds = sqlite3_column_int64(stmt, 3);
    if (strlen(text(stmt, 0)) >= sizeof k->dataset || strlen(text(stmt, 2)) >= sizeof k->folds_from) return false;
    if (folds < 0 || folds > MP_MAX_FOLDS) return false;
    snprintf(k->dataset, sizeof k->dataset, "%s", text(stmt, 0));
    k->fingerprint = strtoull(text(stmt, 1), NULL, 16);
    snprintf(k->folds_from, sizeof k->folds_from, "%s", text(stmt, 2));
    k->folds = (int)folds;
    while (out->grid < MP_GRIDS && strcmp(mp_grid_name[out->grid], text(stmt, 4)) != 0) out->grid++;
    return out->grid < MP_GRIDS && mp_config_from_json(mp_span_of(text(stmt, 5)), s->path, a, &k->config) == MP_OK;
}

mp_err mp_store_declared(mp_store *s, mp_arena *a, const mp_declared **out, int *n)
{
    sqlite3_stmt *stmt;
    mp_buf rows = { 0 };
    int rc;
    *out = NULL;
    *n = 0;
    if (s->version < 2) return MP_OK;
    MP_TRY(mp_db_prepare(s, select_sql, &stmt));
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        mp_declared d;
        if (read_study(s, stmt, a, &d)) mp_buf_add(&rows, &d, sizeof d);
    }
    mp_err e = rc == SQLITE_DONE ? MP_OK : mp_db_fail(s, "reading studies");
    sqlite3_finalize(stmt);
    *n = (int)(rows.n / sizeof **out);
    mp_declared *study = MP_NEW_RAW(a, mp_declared, *n + 1);
    if (*n) memcpy(study, rows.p, rows.n);
    *out = study;
    mp_buf_free(&rows);
    return e;
}
