/* mol_split.c - which molecules train, validate and test. See mols.h.
 *
 *     scaffold     molecules with the same Bemis-Murcko scaffold stay together. Groups in falling order of (size, first molecule)
 *                  go to training while it stays within 8/10 of all, else to validation while both stay within 9/10, else to the
 *                  test. This is the split of the Open Graph Benchmark.
 *     random       by a seed.
 *     stratified   in the order of the first label, of ten molecules in a row one validates and one tests, by a seed.
 *     time         in the order of a column: the oldest 8/10 train, the latest tenth tests.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "data/mols.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN, VAL, TEST };

typedef struct item { /* a molecule on its way to its part */
    const char *text; /* what it is sorted by: a text, then a number, then its place */
    double number;
    int place;
} item;

static int by_key(const void *x, const void *y)
{
    const item *p = x, *q = y;
    int text = p->text && q->text ? strcmp(p->text, q->text) : 0;
    if (text) return text;
    if (p->number != q->number) return p->number < q->number ? -1 : 1;
    return p->place - q->place;
}

typedef struct job {
    const mp_mols *t;
    const mp_mols_rows *of;
    mp_arena *a;
    int n;
    item *item;          /* n */
    int *order;          /* n: molecules by chance */
    unsigned char *part; /* n: what comes out */
    uint64_t seed;
} job;

/* In their order: the first 8/10, a tenth, the rest. */
static void deal_in_order(job *j)
{
    for (int i = 0; i < j->n; i++)
        j->part[j->item[i].place] = i < j->n * 8LL / 10 ? TRAIN : i < j->n * 9LL / 10 ? VAL : TEST;
}

/* ---- scaffold ---- */

typedef struct group { /* items with one scaffold */
    int first, size, place;
} group;

static int by_size(const void *x, const void *y)
{
    const group *p = x, *q = y;
    return p->size != q->size ? q->size - p->size : q->place - p->place;
}

static mp_err scaffold(job *j)
{
    int groups = 0, train = 0, val = 0;
    group *g = MP_NEW(j->a, group, j->n);
    for (int i = 0; i < j->n; i++) j->item[i] = (item){ j->of->scaffold[i], 0, i };
    qsort(j->item, (size_t)j->n, sizeof *j->item, by_key);
    for (int i = 0; i < j->n; i++) {
        bool same = i && strcmp(j->item[i].text, j->item[i - 1].text) == 0;
        if (!same) g[groups++] = (group){ i, 0, j->item[i].place };
        g[groups - 1].size++;
    }
    qsort(g, (size_t)groups, sizeof *g, by_size);
    for (int k = 0; k < groups; k++) {
        bool trains = train + g[k].size <= 0.8 * j->n, validates = train + val + g[k].size <= 0.9 * j->n;
        int part = trains ? TRAIN : validates ? VAL : TEST;
        train += trains ? g[k].size : 0;
        val += !trains && validates ? g[k].size : 0;
        for (int i = 0; i < g[k].size; i++) j->part[j->item[g[k].first + i].place] = (unsigned char)part;
    }
    return MP_OK;
}

/* ---- by chance ---- */

static mp_err at_random(job *j)
{
    mp_rng r = mp_rng_stream(j->seed, MP_FOR_FOLDS, 1, 0, 0);
    for (int i = 0; i < j->n; i++) j->item[i] = (item){ NULL, mp_rng_unit(&r), i };
    qsort(j->item, (size_t)j->n, sizeof *j->item, by_key);
    deal_in_order(j);
    return MP_OK;
}

static mp_err stratified(job *j)
{
    const mp_raw *raw = &j->of->raw;
    mp_rng r = mp_rng_stream(j->seed, MP_FOR_FOLDS, 2, 0, 0);
    int slot[10];
    if (!raw->target && !raw->graph_label)
        return mp_fail(MP_ERR_USAGE, "--split stratified: is by the first label; say which it is with --label");
    MP_TRY(at_random(j));
    for (int i = 0; i < j->n; i++) { /* place: by chance among equals */
        int b = j->item[i].place;
        double label =
            raw->graph_label ? (double)raw->graph_label[b] : raw->target[(size_t)b * (size_t)raw->target_columns];
        j->order[i] = b;
        j->item[i] = (item){ NULL, isnan(label) ? (double)INFINITY : label, i };
    }
    qsort(j->item, (size_t)j->n, sizeof *j->item, by_key);
    for (int i = 0; i < j->n; i++) {
        if (i % 10 == 0) {
            for (int k = 0; k < 10; k++) slot[k] = k;
            mp_rng_shuffle(&r, slot, 10);
        }
        int s = slot[i % 10];
        j->part[j->order[j->item[i].place]] = s < 8 ? TRAIN : s == 8 ? VAL : TEST;
    }
    return MP_OK;
}

/* ---- by time ---- */

/* 2021, 2021-03, 2021-03-09, and a time of day behind that: their letters are in the order of time. */
static bool is_date(mp_span s)
{
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; i < s.n && i < sizeof form - 1; i++)
        if (form[i] == 'd' ? s.p[i] < '0' || s.p[i] > '9' : s.p[i] != '-') return false;
    return s.n == 4 || s.n == 7 || s.n == 10 || (s.n > 10 && (s.p[10] == 'T' || s.p[10] == ' '));
}

static mp_err by_time(job *j)
{
    bool dates = false;
    for (int i = 0; i < j->n; i++) {
        mp_span at = j->of->time[i];
        double v = 0;
        bool number = mp_to_real(at, &v);
        if (i == 0) dates = !number;
        if (dates ? !is_date(at) : !number)
            return mp_fail(MP_ERR_INPUT, "%s:%d: column '%.80s': expected %s, got '%.40s'", j->t->file,
                           j->of->raw.line[i], j->t->head.name[j->t->time],
                           dates && i ? "a date such as 2021-03-09, as before"
                           : i        ? "a number, as before"
                                      : "a number, or a date such as 2021-03-09",
                           at.p);
        j->item[i] = (item){ dates ? at.p : NULL, dates ? 0 : v, i };
    }
    qsort(j->item, (size_t)j->n, sizeof *j->item, by_key);
    deal_in_order(j);
    return MP_OK;
}

/* ---- rules ---- */

typedef struct rule {
    const char *name;
    enum { ALONE, SEED, COLUMN } behind; /* what may stand behind a colon */
    mp_err (*make)(job *j);
} rule;

static const rule rules[] = {
    { "scaffold", ALONE, scaffold },
    { "random", SEED, at_random },
    { "stratified", SEED, stratified },
    { "time", COLUMN, by_time },
};

static const rule *find(const char *split, uint64_t *seed)
{
    const char *colon = strchr(split, ':');
    mp_span name = { split, colon ? (size_t)(colon - split) : strlen(split) };
    int64_t number = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!mp_span_is(name, rules[i].name)) continue;
        bool fits = rules[i].behind == COLUMN ? colon && colon[1]
                    : !colon                  ? true
                                              : rules[i].behind == SEED && mp_to_int(mp_span_of(colon + 1), &number);
        *seed = (uint64_t)number;
        return fits && number >= 0 ? &rules[i] : NULL;
    }
    return NULL;
}

mp_err mp_mols_split_check(const char *split)
{
    uint64_t seed;
    if (!split || find(split, &seed)) return MP_OK;
    return mp_fail(
        MP_ERR_USAGE,
        "--split: expected scaffold, random, stratified (or random:SEED, stratified:SEED) or time:COLUMN, got '%s'",
        split);
}

mp_err mp_mols_split(const mp_mols *t, const mp_mols_rows *rows, mp_arena *a, mp_raw *raw)
{
    static const char *const name[MP_PARTS] = { "train", "val", "test", NULL, NULL };
    int n = raw->graphs.graphs;
    job j = { .t = t,
              .of = rows,
              .a = a,
              .n = n,
              .item = MP_NEW(a, item, n),
              .order = MP_NEW(a, int, n),
              .part = MP_NEW(a, unsigned char, n) };
    const rule *r = find(t->want.split ? t->want.split : rules[0].name, &j.seed);
    mp_assert(r);
    MP_TRY(r->make(&j));
    mp_raw_split(raw, j.part, name, a);
    raw->split_kind = r->name;
    return MP_OK;
}
