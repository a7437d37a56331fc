/* declare.c - what studies set out to compare: noted when they begin, read for reports.
 * SPDX-License-Identifier: MIT */
#include "data/split.h"
#include "store/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char insert_sql[] = "INSERT INTO study (dataset, fingerprint, folds_from, folds, grid, config)"
                                 " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
static const char select_sql[] = "SELECT dataset, fingerprint, folds_from, folds, grid, config FROM study"
                                 " ORDER BY dataset, fingerprint, folds_from, folds, grid, config";

typedef struct list {
    const mp_declared *study;
    int n;
} list;

/* Takes an option out of a configuration as we write it: an object of plain values, without spaces. */
static void take_out(mp_buf *json, const char *name)
{
    char member[64];
    snprintf(member, sizeof member, "\"%s\":", name);
    char *from = strstr(json->p, member), *to = from;
    if (!from) return;
    for (bool quoted = false; *to && (quoted || (*to != ',' && *to != '}')); to++) {
        if (*to == '\\' && to[1])
            to++;
        else if (*to == '"')
            quoted = !quoted;
    }
    if (*to == ',')
        to++;
    else if (from[-1] == ',')
        from--; /* it was the last */
    memmove(from, to, strlen(to) + 1);
    json->n -= (size_t)(to - from);
}

/* What varies within the row is taken out of the configuration. */
static void shared_config(const mp_declared *d, mp_buf *json)
{
    static const char *const vary[] = { "seed", "flip", "score-dim", "drop" };
    mp_config_to_json(&d->key.config, json);
    for (int i = 0; i < (d->grid == MP_GRID_CODE || d->grid == MP_GRID_PAPER ? 4 : 1); i++) take_out(json, vary[i]);
}

static mp_err insert(mp_store *s, const mp_declared *d)
{
    mp_stmt *stmt;
    char fingerprint[17];
    int at = 1;
    mp_buf config = { 0 }, points = { 0 };
    MP_TRY(mp_db_prepare(s, insert_sql, &stmt));
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)d->key.fingerprint);
    shared_config(d, &config);
    if (d->grid == MP_GRID_LIST) mp_points_to_json(&d->points, &d->rule, &points);
    mp_bind_text(stmt, &at, d->key.dataset);
    mp_bind_text(stmt, &at, fingerprint);
    mp_bind_text(stmt, &at, d->key.folds_from);
    mp_bind_int(stmt, &at, d->key.folds);
    mp_bind_text(stmt, &at, points.n ? points.p : mp_grid_name[d->grid]);
    mp_bind_text(stmt, &at, config.p);
    mp_err e = mp_db_run(stmt, "noting a study");
    mp_db_end(stmt);
    mp_buf_free(&config);
    mp_buf_free(&points);
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

/* A row that is not as we write it is passed over: its runs are shown as if no study had declared them. */
static bool read_study(mp_store *s, mp_stmt *stmt, mp_arena *a, mp_declared *out)
{
    *out = (mp_declared){ 0 };
    mp_run_key *k = &out->key;
    int64_t folds = mp_column_int(stmt, 3);
    if (strlen(mp_column_text(stmt, 0)) >= sizeof k->dataset || strlen(mp_column_text(stmt, 2)) >= sizeof k->folds_from)
        return false;
    if (folds < 0 || folds > MP_MAX_FOLDS) return false;
    snprintf(k->dataset, sizeof k->dataset, "%s", mp_column_text(stmt, 0));
    k->fingerprint = strtoull(mp_column_text(stmt, 1), NULL, 16);
    snprintf(k->folds_from, sizeof k->folds_from, "%s", mp_column_text(stmt, 2));
    k->folds = (int)folds;
    const char *grid = mp_column_text(stmt, 4);
    if (mp_config_from_json(mp_span_of(mp_column_text(stmt, 5)), s->path, a, &k->config) != MP_OK) return false;
    while (out->grid < MP_GRID_LIST && strcmp(mp_grid_name[out->grid], grid) != 0) out->grid++;
    return out->grid < MP_GRID_LIST ||
           mp_points_from_json(mp_span_of(grid), s->path, &k->config, a, &out->points, &out->rule) == MP_OK;
}

mp_err mp_store_declared(mp_store *s, mp_arena *a, const mp_declared **out, int *n)
{
    mp_stmt *stmt;
    mp_buf rows = { 0 };
    bool row = true;
    mp_err e = MP_OK;
    *out = NULL;
    *n = 0;
    if (s->version < 2) return MP_OK;
    MP_TRY(mp_db_prepare(s, select_sql, &stmt));
    while ((e = mp_db_step(stmt, "reading studies", &row)) == MP_OK && row) {
        mp_declared d;
        if (read_study(s, stmt, a, &d)) mp_buf_add(&rows, &d, sizeof d);
    }
    mp_db_end(stmt);
    *n = (int)(rows.n / sizeof **out);
    mp_declared *study = MP_NEW_RAW(a, mp_declared, *n + 1);
    if (*n) memcpy(study, rows.p, rows.n);
    *out = study;
    mp_buf_free(&rows);
    return e;
}
