/* merge.c - see merge.h.
 * SPDX-License-Identifier: MIT */
#include "store/merge.h"
#include "model/model.h"
#include "store/db.h"
#include "store/stores.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Versions of midpool since which runs have other results than before (CHANGELOG, "Results"). */
static const char *const changed[] = { "0.1.0" };

typedef struct source { /* what runs of a store are made from */
    char dataset[sizeof((mp_run_key *)0)->dataset];
    char task[sizeof((mp_run_result *)0)->task];
    bool edges;
    uint64_t fingerprint;
    const char *store;
} source;

struct mp_merge {
    mp_arena *arena;
    mp_store *out;
    const char *out_name;
    source *source;
    int sources, room;
    int era; /* of the results; -1: there are none */
    const char *era_version, *era_store;
    char left_out[1024];
};

typedef struct input {
    mp_merge *merge;
    mp_store *in;
    const char *name;
    mp_merge_count *count;
    mp_arena *scratch;
    int conflicts;
    char conflict[768]; /* the first */
} input;

/* ---- what may be joined ---- */

static int compare_versions(const char *a, const char *b)
{
    for (int i = 0; i < 3; i++) {
        char *end_a, *end_b;
        long x = strtol(a, &end_a, 10), y = strtol(b, &end_b, 10);
        if (x != y) return x < y ? -1 : 1;
        a = *end_a == '.' ? end_a + 1 : end_a;
        b = *end_b == '.' ? end_b + 1 : end_b;
    }
    return 0;
}

/* Versions of one era have the same results. Of a newer one than this nothing is known. */
static int era_of(const char *version)
{
    int n = 0;
    if (compare_versions(version, MP_VERSION) > 0) return INT_MAX;
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) n += compare_versions(version, changed[i]) >= 0;
    return n;
}

static mp_err check_era(mp_merge *m, const char *store, const char *version)
{
    int era = era_of(version);
    if (m->era < 0) {
        m->era = era;
        m->era_version = mp_arena_text(m->arena, version, strlen(version));
        m->era_store = store;
    }
    if (m->era == era) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s: has runs of midpool %s, %s of %s: results of the two differ", store, version,
                   m->era_store, m->era_version);
}

static mp_err check_source(mp_merge *m, const char *store, const mp_stored *run)
{
    source now = { .edges = mp_config_uses_edges(&run->key.config),
                   .fingerprint = run->key.fingerprint,
                   .store = store };
    strcpy(now.dataset, run->key.dataset);
    strcpy(now.task, run->result.task);
    for (int i = 0; i < m->sources; i++) {
        const source *s = &m->source[i];
        if (strcmp(s->dataset, now.dataset) != 0 || strcmp(s->task, now.task) != 0 || s->edges != now.edges) continue;
        if (s->fingerprint == now.fingerprint) return MP_OK;
        return mp_fail(MP_ERR_INPUT,
                       "%s: its data set %s is another than that of %s (fingerprints %016llx and %016llx)", store,
                       now.dataset, s->store, (unsigned long long)now.fingerprint, (unsigned long long)s->fingerprint);
    }
    if (m->sources == m->room) {
        m->room = mp_room(m->room, (int64_t)m->sources + 1, 16, "data sets");
        MP_MORE(m->arena, m->source, m->sources, m->room);
    }
    m->source[m->sources++] = now;
    return MP_OK;
}

static mp_err check_run(mp_merge *m, const char *store, const mp_stored *run)
{
    if (run->status != MP_RUN_DONE) return MP_OK;
    MP_TRY(check_era(m, store, run->version));
    return check_source(m, store, run);
}

static mp_err check_out(void *context, const mp_stored *run)
{
    mp_merge *m = context;
    return check_run(m, m->out_name, run);
}

/* ---- runs ---- */

static void note_conflict(input *i, const mp_stored *run, const char *what)
{
    if (i->conflicts++ > 0) return;
    snprintf(i->conflict, sizeof i->conflict,
             "%s and %s have different results of one run (%s, %s, seed %d, fold %d, key %.12s...): %s",
             i->merge->out_name, i->name, run->key.dataset, run->key.config.pool, run->key.config.seed, run->key.fold,
             run->hash, what);
}

static mp_err join_run(void *context, const mp_stored *run)
{
    input *i = context;
    mp_stored have;
    char what[96];
    bool added;
    MP_TRY(check_run(i->merge, i->name, run));
    mp_arena_reset(i->scratch);
    MP_TRY(mp_run_find(i->merge->out, &run->key, i->scratch, &have));
    if (have.status == MP_RUN_DONE) {
        i->count->known += run->status == MP_RUN_DONE;
        if (run->status == MP_RUN_DONE && !mp_run_agrees(&have.result, &run->result, what, sizeof what))
            note_conflict(i, run, what);
        return MP_OK;
    }
    MP_TRY(mp_run_insert(i->merge->out, run, &added));
    i->count->added += added && run->status == MP_RUN_DONE;
    i->count->failed += added && run->status == MP_RUN_FAILED;
    return MP_OK;
}

/* ---- rows that are copied as they are ---- */

typedef struct rows {
    int since; /* the version of a store that has the table first */
    const char *select, *insert, *doing;
    int columns;
} rows;

static const rows studies = { 2, "SELECT dataset, fingerprint, folds_from, folds, grid, config FROM study ORDER BY id",
                              "INSERT INTO study (dataset, fingerprint, folds_from, folds, grid, config)"
                              " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id",
                              "joining studies", 6 };
static const rows measures = { 5, "SELECT key, what, value, version, finished FROM measure ORDER BY key",
                               "INSERT INTO measure (key, what, value, version, finished)"
                               " VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING key",
                               "joining measurements", 5 };

/* A row with a column that is neither a text nor a whole number is not ours. */
static bool copy_columns(mp_stmt *from, mp_stmt *to, int columns)
{
    bool sound = true;
    for (int i = 0, at = 1; i < columns; i++) {
        mp_type type = mp_column_type(from, i);
        sound = sound && (type == MP_TYPE_INT || type == MP_TYPE_TEXT);
        if (type == MP_TYPE_INT)
            mp_bind_int(to, &at, mp_column_int(from, i));
        else
            mp_bind_text(to, &at, mp_column_text(from, i));
    }
    return sound;
}

static mp_err copy_all(mp_stmt *from, mp_stmt *to, const rows *r, int *added)
{
    bool row = true, is_new;
    for (;;) {
        MP_TRY(mp_db_step(from, r->doing, &row));
        if (!row) return MP_OK;
        if (!copy_columns(from, to, r->columns)) continue;
        MP_TRY(mp_db_step(to, r->doing, &is_new));
        *added += is_new;
        mp_db_again(to);
    }
}

static mp_err join_rows(input *i, const rows *r, int *added)
{
    mp_stmt *from = NULL, *to = NULL;
    if (i->in->version < r->since) return MP_OK;
    mp_err e = mp_db_prepare(i->in, r->select, &from);
    if (e == MP_OK) e = mp_db_prepare(i->merge->out, r->insert, &to);
    if (e == MP_OK) e = copy_all(from, to, r, added);
    mp_db_end(to);
    mp_db_end(from);
    return e;
}

/* ---- a store ---- */

static mp_err join_body(mp_store *out, void *context)
{
    input *i = context;
    (void)out;
    MP_TRY(mp_store_each(i->in, &(mp_store_filter){ .curves = true }, join_run, i));
    if (i->conflicts == 1) return mp_fail(MP_ERR_INPUT, "%s", i->conflict);
    if (i->conflicts) return mp_fail(MP_ERR_INPUT, "%s; %d runs differ", i->conflict, i->conflicts);
    MP_TRY(join_rows(i, &studies, &i->count->studies));
    return join_rows(i, &measures, &i->count->measures);
}

mp_err mp_merge_add(mp_merge *m, const char *in, mp_merge_count *count)
{
    input i = { .merge = m, .name = mp_store_shown(in, m->arena), .count = count };
    *count = (mp_merge_count){ 0 };
    m->left_out[0] = '\0';
    MP_TRY(mp_store_open(in, MP_STORE_READ, &i.in));
    i.scratch = mp_arena_new(1 << 14);
    mp_err e = mp_db_transaction(m->out, join_body, &i);
    if (e == MP_OK && !mp_store_left_out(i.in, m->left_out, sizeof m->left_out)) m->left_out[0] = '\0';
    mp_arena_free(i.scratch);
    mp_store_close(i.in);
    return e;
}

bool mp_merge_left_out(const mp_merge *m, char *line, size_t n)
{
    snprintf(line, n, "%s", m->left_out);
    return line[0] != '\0';
}

mp_err mp_merge_begin(const char *out, mp_merge **result)
{
    mp_arena *a = mp_arena_new(1 << 14);
    mp_merge *m = MP_NEW(a, mp_merge, 1);
    *m = (mp_merge){ .arena = a, .out_name = mp_store_shown(out, a), .era = -1 };
    *result = NULL;
    mp_err e = mp_store_open(out, MP_STORE_WRITE, &m->out);
    if (e == MP_OK) e = mp_store_each(m->out, NULL, check_out, m);
    if (e == MP_OK)
        *result = m;
    else
        mp_merge_end(m);
    return e;
}

void mp_merge_end(mp_merge *m)
{
    if (!m) return;
    mp_store_close(m->out);
    mp_arena_free(m->arena);
}
