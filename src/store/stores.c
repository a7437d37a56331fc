/* stores.c - see stores.h. A register has an entry for every run: in which store it counts, and its numbers, by which a second
 * one of the same key is judged. Runs themselves are not kept.
 * SPDX-License-Identifier: MIT */
#include "store/stores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- whether two runs are one ---- */

typedef struct field {
    const char *name;
    size_t at;
    bool whole; /* an int; else a double */
    bool later; /* older stores have none: NAN is no answer */
} field;

#define AT(name) #name, offsetof(mp_run_result, name)
static const field fields[] = {
    { AT(epochs), true, false },       { AT(best_epoch), true, false },    { AT(hit_cap), true, false },
    { AT(train_loss), false, false },  { AT(val_loss), false, false },     { AT(val_metric), false, false },
    { AT(test_metric), false, false }, { AT(large_metric), false, false }, { AT(large_c_metric), false, true },
};
enum { FIELDS = sizeof fields / sizeof *fields };

typedef struct numbers {
    double value[FIELDS];
    char model[65]; /* SHA-256 of the model file, or "" */
} numbers;

static numbers numbers_of(const mp_run_result *r)
{
    numbers n;
    for (int i = 0; i < FIELDS; i++) {
        const char *at = (const char *)r + fields[i].at;
        int whole;
        if (fields[i].whole) {
            memcpy(&whole, at, sizeof whole);
            n.value[i] = whole;
        } else {
            memcpy(&n.value[i], at, sizeof n.value[i]);
        }
    }
    memcpy(n.model, r->model_sha256, sizeof n.model);
    return n;
}

static bool agree(const numbers *x, const numbers *y, char *what, size_t size)
{
    for (int i = 0; i < FIELDS; i++) {
        double a = x->value[i], b = y->value[i];
        if (a == b || (isnan(a) && isnan(b)) || (fields[i].later && (isnan(a) || isnan(b)))) continue;
        mp_format(what, size, "%s %.10g and %.10g", fields[i].name, a, b);
        return false;
    }
    if (!x->model[0] || !y->model[0] || strcmp(x->model, y->model) == 0) return true;
    mp_format(what, size, "model_sha256 %.8s... and %.8s...", x->model, y->model);
    return false;
}

bool mp_run_agrees(const mp_run_result *x, const mp_run_result *y, char *what, size_t n)
{
    numbers a = numbers_of(x), b = numbers_of(y);
    return agree(&a, &b, what, n);
}

/* ---- the register ---- */

typedef struct entry {
    char hash[65];
    bool done;
    int store; /* where the run counts */
    numbers is;
} entry;

struct mp_stores {
    int n;
    mp_store **store;
    const char **path;
    const char *name;
    mp_arena *arena;
    bool known; /* every run is in the register */
    int count, room, places;
    entry *run;
    int *place; /* an open hash table: number of an entry, from 1; 0 is free */
    int conflicts;
    char conflict[768]; /* the first */
};

static int *find(const mp_stores *s, const char *hash)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%.16s", hash);
    unsigned at = (unsigned)strtoull(digits, NULL, 16) & (unsigned)(s->places - 1);
    while (s->place[at] && strcmp(s->run[s->place[at] - 1].hash, hash) != 0) at = (at + 1) & (unsigned)(s->places - 1);
    return &s->place[at];
}

static entry *found(const mp_stores *s, const char *hash)
{
    int at = s->places ? *find(s, hash) : 0;
    return at ? &s->run[at - 1] : NULL;
}

static void grow(mp_stores *s)
{
    s->room = mp_room(s->room, (int64_t)s->count + 1, 256, "runs");
    MP_MORE(s->arena, s->run, s->count, s->room);
    for (s->places = 256; s->places < 2 * (int64_t)s->room && s->places < 1 << 30;) s->places *= 2;
    s->place = MP_NEW(s->arena, int, s->places);
    for (int i = 0; i < s->count; i++) *find(s, s->run[i].hash) = i + 1;
}

static void note_conflict(mp_stores *s, const entry *had, int store, const mp_stored *run, const char *what)
{
    if (s->conflicts++ > 0) return;
    mp_format(s->conflict, sizeof s->conflict,
              "%s and %s have different results of one run (%s, %s, seed %d, fold %d, key %.12s...): %s",
              s->path[had->store], s->path[store], run->key.dataset, run->key.config.pool, run->key.config.seed,
              run->key.fold, run->hash, what);
}

static void enter(mp_stores *s, int store, const mp_stored *run)
{
    bool done = run->status == MP_RUN_DONE;
    entry *had = found(s, run->hash), now = { .done = done, .store = store, .is = numbers_of(&run->result) };
    char what[96];
    memcpy(now.hash, run->hash, sizeof now.hash);
    if (!had) {
        if (s->count == s->room) grow(s);
        s->run[s->count++] = now;
        *find(s, run->hash) = s->count;
    } else if (done && !had->done) {
        *had = now;
    } else if (done && !agree(&had->is, &now.is, what, sizeof what)) {
        note_conflict(s, had, store, run, what);
    }
}

static void forget(mp_stores *s)
{
    s->count = s->conflicts = 0;
    if (s->places) memset(s->place, 0, (size_t)s->places * sizeof *s->place);
}

static mp_err check(const mp_stores *s)
{
    if (s->conflicts == 0) return MP_OK;
    if (s->conflicts == 1) return mp_fail(MP_ERR_INPUT, "%s", s->conflict);
    return mp_fail(MP_ERR_INPUT, "%s; %d runs differ", s->conflict, s->conflicts);
}

/* ---- one run after the other ---- */

typedef struct walk {
    mp_stores *stores;
    int at; /* the store that is up */
    mp_err (*each)(void *context, const mp_stored *run);
    void *context;
} walk;

static mp_err survey_one(void *context, const mp_stored *run)
{
    walk *w = context;
    enter(w->stores, w->at, run);
    return w->each ? w->each(w->context, run) : MP_OK;
}

/* `each` (may be NULL) gets every run as it comes. */
static mp_err survey(mp_stores *s, const mp_store_filter *f, mp_err (*each)(void *context, const mp_stored *run),
                     void *context)
{
    walk w = { s, 0, each, context };
    forget(s);
    for (; w.at < s->n; w.at++) MP_TRY(mp_store_each(s->store[w.at], f, survey_one, &w));
    MP_TRY(check(s));
    s->known = true;
    return MP_OK;
}

static mp_err deliver_one(void *context, const mp_stored *run)
{
    const walk *w = context;
    const entry *is = found(w->stores, run->hash);
    return is && is->store == w->at ? w->each(w->context, run) : MP_OK;
}

mp_err mp_stores_each(mp_stores *s, const mp_store_filter *f, mp_err (*each)(void *context, const mp_stored *run),
                      void *context)
{
    bool all = !f || (!f->dataset && !f->pool && f->status == MP_RUN_ABSENT);
    if (!s->known && s->n == 1 && all) return survey(s, f, each, context);
    if (!s->known) MP_TRY(survey(s, NULL, NULL, NULL));
    walk w = { s, 0, each, context };
    for (; w.at < s->n; w.at++) MP_TRY(mp_store_each(s->store[w.at], f, deliver_one, &w));
    return MP_OK;
}

/* ---- all at once ---- */

static int by_order(const void *a, const void *b)
{
    const mp_stored *x = *(const mp_stored *const *)a, *y = *(const mp_stored *const *)b;
    int order = strcmp(x->key.dataset, y->key.dataset);
    if (order == 0) order = (x->key.config.seed > y->key.config.seed) - (x->key.config.seed < y->key.config.seed);
    if (order == 0) order = x->key.fold - y->key.fold;
    return order ? order : strcmp(x->hash, y->hash);
}

typedef struct loaded {
    const mp_stored *run;
    int n;
} loaded;

static mp_err join(mp_stores *s, const loaded *part, mp_arena *a, const mp_stored **out, int *n)
{
    int count = 0;
    const mp_stored **list = MP_NEW(s->arena, const mp_stored *, s->count + 1);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < part[i].n; k++)
            if (found(s, part[i].run[k].hash)->store == i) list[count++] = &part[i].run[k];
    if (count) qsort(list, (size_t)count, sizeof *list, by_order);
    mp_stored *run = MP_NEW_RAW(a, mp_stored, count + 1);
    for (int i = 0; i < count; i++) run[i] = *list[i];
    *out = run;
    *n = count;
    return MP_OK;
}

mp_err mp_stores_load(mp_stores *s, const mp_store_filter *f, mp_arena *a, const mp_stored **out, int *n)
{
    if (s->n == 1) return mp_store_load(s->store[0], f, a, out, n);
    loaded *part = MP_NEW(s->arena, loaded, s->n);
    forget(s);
    s->known = false; /* what is loaded may be more than what was seen before */
    for (int i = 0; i < s->n; i++) {
        MP_TRY(mp_store_load(s->store[i], f, a, &part[i].run, &part[i].n));
        for (int k = 0; k < part[i].n; k++) enter(s, i, &part[i].run[k]);
    }
    MP_TRY(check(s));
    return join(s, part, a, out, n);
}

static bool same_points(const mp_declared *x, const mp_declared *y)
{
    bool same = x->points.count == y->points.count && mp_rule_equal(&x->rule, &y->rule);
    for (int i = 0; same && i < x->points.count; i++)
        same = mp_conf_equal(mp_config_table, &x->points.at[i], &y->points.at[i]);
    return same;
}

/* Runs of both would be of the same row. */
static bool same_study(const mp_declared *x, const mp_declared *y)
{
    mp_run_key k = x->key, l = y->key;
    char hash[2][65];
    if (x->grid != y->grid || !same_points(x, y)) return false;
    k.fold = l.fold = k.config.seed = l.config.seed = 0;
    mp_run_key_hash(&k, hash[0]);
    mp_run_key_hash(&l, hash[1]);
    return strcmp(hash[0], hash[1]) == 0;
}

mp_err mp_stores_declared(mp_stores *s, mp_arena *a, const mp_declared **out, int *n)
{
    if (s->n == 1) return mp_store_declared(s->store[0], a, out, n);
    mp_declared *all = NULL;
    int count = 0, room = 0;
    for (int i = 0; i < s->n; i++) {
        const mp_declared *part;
        int more;
        MP_TRY(mp_store_declared(s->store[i], a, &part, &more));
        room = mp_room(room, (int64_t)count + more, 64, "studies");
        MP_MORE(a, all, count, room);
        for (int k = 0, before = count; k < more; k++) {
            bool known = false;
            for (int j = 0; j < before && !known; j++) known = same_study(&all[j], &part[k]);
            if (!known) all[count++] = part[k];
        }
    }
    *out = all;
    *n = count;
    return MP_OK;
}

bool mp_stores_left_out(const mp_stores *s, char *line, size_t n)
{
    for (int i = 0; i < s->n; i++)
        if (mp_store_left_out(s->store[i], line, n)) return true;
    return false;
}

/* ---- opening ---- */

const char *mp_stores_name(const mp_stores *s)
{
    return s->name;
}

mp_err mp_stores_open(const char *const *path, int n, mp_stores **out)
{
    mp_assert(n >= 1);
    mp_arena *a = mp_arena_new(1 << 14);
    mp_stores *s = MP_NEW(a, mp_stores, 1);
    *out = NULL;
    *s = (mp_stores){ .arena = a, .store = MP_NEW(a, mp_store *, n), .path = MP_NEW(a, const char *, n) };
    mp_err e = MP_OK;
    for (; s->n < n && e == MP_OK; s->n += e == MP_OK) {
        s->path[s->n] = mp_arena_text(a, path[s->n], strlen(path[s->n]));
        e = mp_store_open(path[s->n], MP_STORE_READ, &s->store[s->n]);
    }
    s->name = n == 1   ? s->path[0]
              : n == 2 ? mp_arena_printf(a, "%s and %s", path[0], path[1])
                       : mp_arena_printf(a, "%s and %d more", path[0], n - 1);
    if (e == MP_OK)
        *out = s;
    else
        mp_stores_close(s);
    return e;
}

void mp_stores_close(mp_stores *s)
{
    if (!s) return;
    for (int i = 0; i < s->n; i++) mp_store_close(s->store[i]);
    mp_arena_free(s->arena);
}
