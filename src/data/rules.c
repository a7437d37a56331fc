/* rules.c - see rules.h.
 *
 *     scaffold, group   groups in falling order of (size, first graph) go to training while it stays within 8/10 of all, else to
 *                       validation while both stay within 9/10, else to the test. By scaffolds this is the split of the Open
 *                       Graph Benchmark. Folds: each group goes to the fold that has the fewest graphs so far.
 *     random            by a seed.
 *     stratified        one split: in the order of the first label, of ten graphs in a row one validates and one tests, by a seed;
 *                       folds: protocol.md 3.1, with another seed where one is given.
 *     time              in the order of a column: the oldest 8/10 train, the latest tenth tests.
 * SPDX-License-Identifier: MIT */
#include "data/rules.h"
#include "base/rng.h"
#include "chem/chem.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN, VAL, TEST };

typedef struct item { /* a graph on its way to its part */
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
    const mp_raw *raw;
    const char *const *key; /* n: scaffolds, groups or times, where the rule needs them */
    const char *column;     /* that they are from, or NULL */
    mp_arena *a;
    int n;
    item *item;          /* n */
    int *order;          /* n: graphs by chance */
    unsigned char *part; /* n: what comes out */
    uint64_t seed;
} job;

/* In their order: the first 8/10, a tenth, the rest. */
static void deal_in_order(job *j)
{
    for (int i = 0; i < j->n; i++)
        j->part[j->item[i].place] = i < j->n * 8LL / 10 ? TRAIN : i < j->n * 9LL / 10 ? VAL : TEST;
}

/* ---- groups ---- */

typedef struct group { /* items with one key */
    int first, size, place;
} group;

/* Of equal size: the one whose first graph comes later before the other. */
static int by_size(const void *x, const void *y)
{
    const group *p = x, *q = y;
    return p->size != q->size ? q->size - p->size : q->place - p->place;
}

/* The largest first; their graphs are j->item[first] and those behind it. */
static const group *make_groups(job *j, int *groups)
{
    group *g = MP_NEW(j->a, group, j->n);
    int n = 0;
    for (int i = 0; i < j->n; i++) j->item[i] = (item){ j->key[i], 0, i };
    qsort(j->item, (size_t)j->n, sizeof *j->item, by_key);
    for (int i = 0; i < j->n; i++) {
        bool same = i && strcmp(j->item[i].text, j->item[i - 1].text) == 0;
        if (!same) g[n++] = (group){ i, 0, j->item[i].place };
        g[n - 1].size++;
    }
    qsort(g, (size_t)n, sizeof *g, by_size);
    *groups = n;
    return g;
}

static mp_err by_group(job *j)
{
    int groups, train = 0, val = 0;
    const group *g = make_groups(j, &groups);
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
    const mp_raw *raw = j->raw;
    mp_rng r = mp_rng_stream(j->seed, MP_FOR_FOLDS, 2, 0, 0);
    int slot[10];
    if (!raw->target && !raw->graph_label)
        return mp_fail(MP_ERR_USAGE, "stratified: is by the first label, and there is none; --label says which it is");
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

/* FILE:LINE of a graph, or its number. */
static mp_err blame(const mp_raw *raw, int b)
{
    const char *file = raw->file_of ? raw->file_of[b] : raw->file;
    if (!file) return mp_fail_within(MP_ERR_INPUT, "%s: graph %d", raw->name, b);
    return mp_fail_within(MP_ERR_INPUT, "%s:%d", file, raw->line ? raw->line[b] : raw->first_line + b);
}

/* Items in the order of time. */
static mp_err sort_by_time(job *j)
{
    bool dates = false;
    for (int i = 0; i < j->n; i++) {
        mp_span at = mp_span_of(j->key[i]);
        double v = 0;
        bool number = mp_to_real(at, &v);
        if (i == 0) dates = !number;
        if (dates ? !is_date(at) : !number) {
            mp_fail(MP_ERR_INPUT, "column '%.80s': expected %s, got '%.40s'", j->column,
                    dates && i ? "a date such as 2021-03-09, as before"
                    : i        ? "a number, as before"
                               : "a number, or a date such as 2021-03-09",
                    at.p);
            return blame(j->raw, i);
        }
        j->item[i] = (item){ dates ? at.p : NULL, dates ? 0 : v, i };
    }
    qsort(j->item, (size_t)j->n, sizeof *j->item, by_key);
    return MP_OK;
}

static mp_err by_time(job *j)
{
    MP_TRY(sort_by_time(j));
    deal_in_order(j);
    return MP_OK;
}

/* ---- folds ---- */

static mp_split cut_of(const unsigned char *part, int n, int fold, mp_arena *a)
{
    int *list[3], count[3] = { 0 };
    for (int k = 0; k < 3; k++) list[k] = MP_NEW_RAW(a, int, n);
    for (int b = 0; b < n; b++)
        if (part[b] <= TEST) list[part[b]][count[part[b]]++] = b;
    return (mp_split){ fold, count[0], count[1], count[2], list[0], list[1], list[2] };
}

/* The graphs in an order, dealt to folds in turn; of two folds a fifth of the half that trains validates. */
static void deal_in_turn(job *j, const int *order, int count, int *fold, bool *fifth)
{
    for (int i = 0; i < j->n; i++) {
        fold[order[i]] = i % count;
        fifth[order[i]] = i / count % 5 == 0;
    }
}

static mp_err folds_by_chance(job *j, const mp_dataset *d, int count, int *fold, bool *fifth)
{
    mp_rng r = mp_rng_stream(j->seed, MP_FOR_FOLDS, 1, 0, 0);
    (void)d;
    for (int i = 0; i < j->n; i++) j->order[i] = i;
    mp_rng_shuffle(&r, j->order, j->n);
    deal_in_turn(j, j->order, count, fold, fifth);
    return MP_OK;
}

static mp_err folds_by_class(job *j, const mp_dataset *d, int count, int *fold, bool *fifth)
{
    for (int i = 0; i < j->n; i++) j->order[i] = i;
    deal_in_turn(j, mp_deal_order(d, j->order, j->n, mp_rng_stream(j->seed, MP_FOR_FOLDS, 0, 0, 0), j->a), count, fold,
                 fifth);
    return MP_OK;
}

static mp_err folds_by_group(job *j, const mp_dataset *d, int count, int *fold, bool *fifth)
{
    int groups, *size = MP_NEW(j->a, int, count), *dealt = MP_NEW(j->a, int, count);
    const group *g = make_groups(j, &groups);
    if (groups < (count == 2 ? 4 : count))
        return mp_fail(MP_ERR_INPUT, "%s: %d group%s are too few for %d folds", d->name, groups, mp_plural(groups),
                       count);
    for (int k = 0; k < groups; k++) {
        int least = 0;
        for (int f = 1; f < count; f++)
            if (size[f] < size[least]) least = f;
        size[least] += g[k].size;
        bool validates = dealt[least]++ % 5 == 1; /* not the first, which may be all there is */
        for (int i = 0; i < g[k].size; i++) {
            fold[j->item[g[k].first + i].place] = least;
            fifth[j->item[g[k].first + i].place] = validates;
        }
    }
    return MP_OK;
}

/* Fold f of `count` by time; item has the graphs in their order. */
static mp_split fold_in_time(const job *j, int f, int count)
{
    for (int i = 0; i < j->n; i++) {
        int run = (int)((int64_t)i * (count + 2) / j->n);
        j->part[j->item[i].place] = (unsigned char)(run <= f       ? TRAIN
                                                    : run == f + 1 ? VAL
                                                    : run == f + 2 ? TEST
                                                                   : TEST + 1);
    }
    return cut_of(j->part, j->n, f + 1, j->a);
}

/* ---- rules ---- */

typedef struct rule {
    const char *name;
    enum { ALONE, SEED, COLUMN } behind; /* what may stand behind a colon */
    int usual;                           /* number of folds */
    mp_err (*make)(job *j);
    /* Several folds: that which each graph tests, and of two folds whether it validates when it does not test. NULL: by time. */
    mp_err (*deal)(job *j, const mp_dataset *d, int count, int *fold, bool *fifth);
} rule;

static const rule rules[] = {
    { "scaffold", ALONE, 1, by_group, folds_by_group },
    { "random", SEED, 10, at_random, folds_by_chance },
    { "stratified", SEED, 10, stratified, folds_by_class },
    { "group", COLUMN, 10, by_group, folds_by_group },
    { "time", COLUMN, 1, by_time, NULL },
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

mp_err mp_rule_check(const char *option, const char *split)
{
    uint64_t seed;
    if (find(split, &seed)) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "%s: expected " MP_RULES ", got '%s'", option, split);
}

const char *mp_rule_column(const char *split)
{
    uint64_t seed;
    const rule *r = find(split, &seed);
    return r && r->behind == COLUMN ? strchr(split, ':') + 1 : NULL;
}

bool mp_rule_needs_scaffolds(const char *split)
{
    uint64_t seed;
    return find(split, &seed) == &rules[0];
}

/* The notes of one column. */
static mp_err take_notes(const mp_raw *raw, const char *column, mp_arena *a, const char *const **out)
{
    const char **text = MP_NEW(a, const char *, raw->graphs.graphs), *list = raw->notes ? "" : "none";
    for (int k = 0; k < raw->notes; k++) {
        list = mp_arena_printf(a, "%s%s%.80s", list, k ? ", " : "", raw->note_name[k]);
        if (strcmp(raw->note_name[k], column) != 0) continue;
        for (int b = 0; b < raw->graphs.graphs; b++) {
            text[b] = raw->note[(size_t)b * (size_t)raw->notes + (size_t)k];
            if (text[b][0]) continue;
            mp_fail(MP_ERR_INPUT, "column '%.80s' is empty", column);
            return blame(raw, b);
        }
        *out = text;
        return MP_OK;
    }
    return mp_fail(MP_ERR_USAGE, "%s: nothing of its graphs is called '%.80s'; there is %s", raw->name, column, list);
}

static mp_err read_scaffolds(const mp_raw *raw, mp_arena *scratch, mp_arena *a, const char **out)
{
    MP_TRY(mp_chem_load());
    for (int b = 0; b < raw->graphs.graphs; b++) {
        mp_molecule m;
        mp_arena_reset(scratch);
        if (mp_molecule_read(mp_span_of(raw->smiles[b]), MP_MOLECULE_SCAFFOLD, scratch, &m) != MP_OK)
            return blame(raw, b);
        out[b] = mp_arena_text(a, m.scaffold, strlen(m.scaffold));
    }
    return MP_OK;
}

static mp_err take_scaffolds(const mp_raw *raw, mp_arena *a, const char *const **out)
{
    const char **text = MP_NEW(a, const char *, raw->graphs.graphs);
    if (!raw->smiles)
        return mp_fail(MP_ERR_USAGE, "%s: scaffolds are those of molecules, and it has no SMILES", raw->name);
    mp_arena *scratch = mp_arena_new(1 << 14);
    mp_err e = read_scaffolds(raw, scratch, a, text);
    mp_arena_free(scratch);
    *out = text;
    return e;
}

static mp_err make_job(const char *split, const char *const *scaffold, const mp_raw *raw, mp_arena *a, job *j,
                       const rule **r)
{
    int n = raw->graphs.graphs;
    *j = (job){ .raw = raw,
                .column = mp_rule_column(split),
                .a = a,
                .n = n,
                .item = MP_NEW(a, item, n),
                .order = MP_NEW(a, int, n),
                .part = MP_NEW(a, unsigned char, n) };
    *r = find(split, &j->seed);
    mp_assert(*r);
    if (j->column) return take_notes(raw, j->column, a, &j->key);
    j->key = scaffold;
    return *r == &rules[0] && !scaffold ? take_scaffolds(raw, a, &j->key) : MP_OK;
}

mp_err mp_rule_split(const char *split, const char *const *scaffold, mp_arena *a, mp_raw *raw)
{
    static const char *const name[MP_PARTS] = { "train", "val", "test", NULL, NULL };
    job j;
    const rule *r;
    MP_TRY(make_job(split, scaffold, raw, a, &j, &r));
    MP_TRY(r->make(&j));
    mp_raw_split(raw, j.part, name, a);
    raw->split_kind = r->name;
    return MP_OK;
}

/* Every part of every fold has a graph. */
static mp_err check_folds(const mp_dataset *d, const mp_folds *f)
{
    for (int i = 0; i < f->count; i++) {
        const mp_split *s = &f->split[i];
        const char *empty = !s->n_train ? "train" : !s->n_val ? "validate" : !s->n_test ? "test" : NULL;
        if (empty)
            return mp_fail(MP_ERR_INPUT, "%s: fold %d has no graphs left to %s; there are too few graphs, or groups",
                           d->name, i + 1, empty);
    }
    return MP_OK;
}

mp_err mp_rule_folds(const char *split, int count, const mp_raw *raw, const mp_dataset *d, mp_arena *a, mp_folds *out)
{
    job j;
    const rule *r;
    MP_TRY(make_job(split, NULL, raw, a, &j, &r));
    if (count == 0) count = r->usual;
    const char *about = mp_arena_printf(a, "%d fold%s by %s", count, mp_plural(count), split);
    mp_split *list = MP_NEW(a, mp_split, count);
    if (count == 1) {
        MP_TRY(r->make(&j));
        list[0] = cut_of(j.part, j.n, 1, a);
        *out = (mp_folds){ 1, list, r->name, about };
    } else if (!r->deal) {
        MP_TRY(sort_by_time(&j));
        for (int f = 0; f < count; f++) list[f] = fold_in_time(&j, f, count);
        *out = (mp_folds){ count, list, r->name, about };
    } else {
        int *fold = MP_NEW(a, int, j.n);
        bool *fifth = MP_NEW(a, bool, j.n);
        MP_TRY(r->deal(&j, d, count, fold, fifth));
        mp_folds_dealt(j.n, count, fold, fifth, a, out);
        out->from = r->name;
        out->about = about;
    }
    return check_folds(d, out);
}
