/* split.c - folds from index files, from JSON, from the set's own fixed split, or dealt out class by class.
 * SPDX-License-Identifier: MIT */
#include "data/split.h"
#include "base/json.h"
#include "base/rng.h"
#include "data/scan.h"
#include "data/seal.h"

typedef struct list {
    int n;
    const int *at; /* ascending */
} list;

/* Which graphs are in a list. A mark is the number of the list, so the array is never cleared. */
typedef struct marks {
    int *of; /* B */
    int now;
} marks;

static void mark(marks *m, list l)
{
    m->now++;
    for (int i = 0; i < l.n; i++) m->of[l.at[i]] = m->now;
}

/* The marked graphs in ascending order. */
static list marked(const marks *m, int graphs, int n, mp_arena *a)
{
    int *at = MP_NEW_RAW(a, int, n), k = 0;
    for (int b = 0; b < graphs && k < n; b++)
        if (m->of[b] == m->now) at[k++] = b;
    return (list){ k, at };
}

/* One graph index a line. `m` is left with the list marked. */
static mp_err parse_list(mp_span text, const char *file, int graphs, marks *m, mp_arena *a, list *out)
{
    int64_t lines = mp_scan_lines(&text);
    if (lines == 0) return mp_fail(MP_ERR_INPUT, "%s: empty", file);
    mp_scan s = mp_scan_of(text, file);
    m->now++;
    for (int64_t i = 1; i <= lines; i++) {
        int64_t b;
        mp_scan_blanks(&s);
        if (!mp_scan_int(&s, &b)) return mp_scan_fail(&s, "a graph index");
        if (!mp_scan_line_end(&s)) return mp_scan_fail(&s, "one graph index");
        if (b < 0 || b >= graphs)
            return mp_fail(MP_ERR_INPUT, "%s:%lld: graph %lld is outside 0..%d", file, (long long)i, (long long)b,
                           graphs - 1);
        if (m->of[b] == m->now)
            return mp_fail(MP_ERR_INPUT, "%s:%lld: graph %lld is there twice", file, (long long)i, (long long)b);
        m->of[b] = m->now;
    }
    *out = marked(m, graphs, (int)lines, a);
    return MP_OK;
}

/* The first graph that two lists share, or -1. */
static int shared(marks *m, list x, list y)
{
    mark(m, x);
    for (int i = 0; i < y.n; i++)
        if (m->of[y.at[i]] == m->now) return y.at[i];
    return -1;
}

static list without(marks *m, list x, list minus, mp_arena *a)
{
    mark(m, minus);
    int *at = MP_NEW_RAW(a, int, x.n), n = 0;
    for (int i = 0; i < x.n; i++)
        if (m->of[x.at[i]] != m->now) at[n++] = x.at[i];
    return (list){ n, at };
}

static mp_split split_of(int fold, list train, list val, list test)
{
    return (mp_split){ fold, train.n, val.n, test.n, train.at, val.at, test.at };
}

/* Validation from the previous test set; `val` of a fold may be given instead. */
static mp_err assemble(const char *where, int graphs, int count, const list *train, const list *test, const list *val,
                       mp_arena *a, mp_folds *out)
{
    mp_split *split = MP_NEW(a, mp_split, count);
    marks m = { MP_NEW(a, int, graphs), 0 };
    for (int f = 0; f < count; f++) {
        list v = val && val[f].at ? val[f] : test[(f + count - 1) % count];
        if (shared(&m, v, test[f]) >= 0)
            return mp_fail(MP_ERR_INPUT, "%s: graph %d is in the validation and the test set of fold %d", where,
                           shared(&m, v, test[f]), f + 1);
        list t = without(&m, train[f], v, a);
        if (t.n == 0) return mp_fail(MP_ERR_INPUT, "%s: fold %d has no graphs left to train on", where, f + 1);
        split[f] = split_of(f + 1, t, v, test[f]);
    }
    out->count = count;
    out->split = split;
    return MP_OK;
}

static int fold_count(const mp_fold_text *t)
{
    int count = 0;
    for (int f = 0; f < MP_MAX_FOLDS; f++)
        if (t->train[f].p || t->test[f].p) count = f + 1;
    return count;
}

static mp_err parse_fold(const mp_fold_text *t, int f, int graphs, marks *m, mp_arena *a, list *train, list *test)
{
    const char *name[2];
    for (int k = 0; k < 2; k++) {
        name[k] = mp_arena_printf(a, "%s: %s_idx-%d.txt", t->where, k ? "test" : "train", f + 1);
        if (!(k ? t->test : t->train)[f].p) return mp_fail(MP_ERR_INPUT, "%s: missing", name[k]);
        MP_TRY(parse_list((k ? t->test : t->train)[f], name[k], graphs, m, a, k ? test : train));
    }
    int both = shared(m, *train, *test);
    if (both < 0) return MP_OK;
    mp_span text = t->test[f], line; /* the failure is rare: find its line again instead of remembering all */
    int64_t b = -1;
    int at = 0;
    while (b != both && mp_next_line(&text, &line) && mp_to_int(mp_trim(line), &b)) at++;
    return mp_fail(MP_ERR_INPUT, "%s:%d: graph %d is in the training set too", name[1], at, both);
}

mp_err mp_folds_parse(const mp_fold_text *t, int graphs, mp_arena *a, mp_folds *out)
{
    int count = fold_count(t);
    if (count < 2) return mp_fail(MP_ERR_INPUT, "%s: expected at least 2 folds, found %d", t->where, count);
    list train[MP_MAX_FOLDS], test[MP_MAX_FOLDS];
    marks m = { MP_NEW(a, int, graphs), 0 };
    for (int f = 0; f < count; f++) MP_TRY(parse_fold(t, f, graphs, &m, a, &train[f], &test[f]));
    MP_TRY(assemble(t->where, graphs, count, train, test, NULL, a, out));
    out->from = "files";
    out->about = mp_arena_printf(a, "%d folds from %s", count, t->where);
    return MP_OK;
}

static mp_err json_list(const mp_json *fold, const char *key, const char *where, int graphs, marks *m, mp_arena *a,
                        list *out)
{
    const mp_json *v;
    int n;
    const int *at;
    MP_TRY(mp_json_need(fold, key, MP_JSON_ARRAY, where, &v));
    MP_TRY(mp_json_ints(v, 0, graphs - 1, where, a, &at, &n));
    if (n == 0) return mp_fail(MP_ERR_INPUT, "%s:%d: '%s' is empty", where, v->line, key);
    m->now++;
    for (int i = 0; i < n; i++) {
        if (m->of[at[i]] == m->now)
            return mp_fail(MP_ERR_INPUT, "%s:%d: graph %d is in '%s' twice", where, v->line, at[i], key);
        m->of[at[i]] = m->now;
    }
    *out = marked(m, graphs, n, a);
    return MP_OK;
}

static mp_err json_fold(const mp_json *v, const char *where, int graphs, marks *m, mp_arena *a, list *train, list *test,
                        list *val)
{
    MP_TRY(json_list(v, "train", where, graphs, m, a, train));
    MP_TRY(json_list(v, "test", where, graphs, m, a, test));
    *val = (list){ 0, NULL };
    if (mp_json_get(v, "val")) MP_TRY(json_list(v, "val", where, graphs, m, a, val));
    int both = shared(m, *train, *test);
    if (both >= 0) return mp_fail(MP_ERR_INPUT, "%s:%d: graph %d is in 'train' and in 'test'", where, v->line, both);
    return MP_OK;
}

mp_err mp_folds_parse_json(mp_span text, const char *where, int graphs, mp_arena *a, mp_folds *out)
{
    const mp_json *root, *folds;
    MP_TRY(mp_json_parse(text, where, a, &root));
    MP_TRY(mp_json_need(root, "folds", MP_JSON_ARRAY, where, &folds));
    if (folds->count < 1 || folds->count > MP_MAX_FOLDS)
        return mp_fail(MP_ERR_INPUT, "%s:%d: %d folds; expected 1 to %d", where, folds->line, folds->count,
                       MP_MAX_FOLDS);
    list train[MP_MAX_FOLDS], test[MP_MAX_FOLDS], val[MP_MAX_FOLDS];
    marks m = { MP_NEW(a, int, graphs), 0 };
    int f = 0;
    for (const mp_json *v = folds->first; v; v = v->next, f++)
        MP_TRY(json_fold(v, where, graphs, &m, a, &train[f], &test[f], &val[f]));
    MP_TRY(assemble(where, graphs, f, train, test, val, a, out));
    out->from = "files";
    out->about = mp_arena_printf(a, "%d folds from %s", f, where);
    return MP_OK;
}

/* All graphs, class by class, each class shuffled: dealing them out in turn makes the folds. */
static const int *dealing_order(const mp_dataset *d, mp_arena *a)
{
    int graphs = d->graphs.graphs, n = 0;
    int *order = MP_NEW_RAW(a, int, graphs);
    const int *label = d->seal ? mp_seal_break_labels(d->seal) : NULL;
    mp_rng rng = mp_rng_stream(0, MP_FOR_FOLDS, 0, 0, 0);
    int classes = label ? d->classes : 1;
    for (int c = label ? -1 : 0; c < classes; c++) { /* -1: values a model does not know, see load.h */
        int first = n;
        for (int b = 0; b < graphs; b++)
            if (!label || label[b] == c) order[n++] = b;
        mp_rng_shuffle(&rng, order + first, n - first);
    }
    return order;
}

/* Fold of graph b, and for two folds whether it validates when its fold trains. */
typedef struct dealt {
    int *fold;
    bool *fifth;
} dealt;

static dealt deal(const mp_dataset *d, int count, mp_arena *a)
{
    int graphs = d->graphs.graphs;
    const int *order = dealing_order(d, a);
    dealt out = { MP_NEW(a, int, graphs), MP_NEW(a, bool, graphs) };
    for (int i = 0; i < graphs; i++) {
        out.fold[order[i]] = i % count;
        out.fifth[order[i]] = i / count % 5 == 0;
    }
    return out;
}

/* What graph b is for in fold f: 0 trains, 1 validates, 2 tests. */
static int role(const dealt *x, int b, int f, int count)
{
    if (x->fold[b] == f) return 2;
    return count == 2 ? x->fifth[b] : x->fold[b] == (f + count - 1) % count;
}

static mp_split stratified_split(const dealt *x, int graphs, int f, int count, mp_arena *a)
{
    int *part[3], n[3] = { 0, 0, 0 };
    for (int b = 0; b < graphs; b++) n[role(x, b, f, count)]++;
    for (int k = 0; k < 3; k++) {
        part[k] = MP_NEW_RAW(a, int, n[k]);
        n[k] = 0;
    }
    for (int b = 0; b < graphs; b++) {
        int k = role(x, b, f, count);
        part[k][n[k]++] = b;
    }
    return split_of(f + 1, (list){ n[0], part[0] }, (list){ n[1], part[1] }, (list){ n[2], part[2] });
}

mp_err mp_folds_stratified(const mp_dataset *d, int count, mp_arena *a, mp_folds *out)
{
    int graphs = d->graphs.graphs, least = count == 2 ? 4 : count;
    if (count < 2 || count > MP_MAX_FOLDS)
        return mp_fail(MP_ERR_USAGE, "%d folds; expected 2 to %d", count, MP_MAX_FOLDS);
    if (graphs < least) return mp_fail(MP_ERR_INPUT, "%s: %d graphs are too few for %d folds", d->name, graphs, count);
    dealt x = deal(d, count, a);
    mp_split *split = MP_NEW(a, mp_split, count);
    for (int f = 0; f < count; f++) split[f] = stratified_split(&x, graphs, f, count, a);
    *out = (mp_folds){ count, split, "stratified",
                       mp_arena_printf(a, "%d stratified folds, shuffled with seed 0", count) };
    return MP_OK;
}

bool mp_dataset_is_fixed(const mp_dataset *d)
{
    return d->fixed[0][1] > d->fixed[0][0];
}

const int *mp_fixed_part(const mp_dataset *d, int i, mp_arena *a, int *n)
{
    mp_assert(i >= 0 && i < 5);
    *n = d->fixed[i][1] - d->fixed[i][0];
    int *at = MP_NEW_RAW(a, int, *n);
    for (int k = 0; k < *n; k++) at[k] = d->fixed[i][0] + k;
    return at;
}

void mp_folds_fixed(const mp_dataset *d, mp_arena *a, mp_folds *out)
{
    mp_assert(mp_dataset_is_fixed(d));
    list part[3];
    for (int k = 0; k < 3; k++) part[k].at = mp_fixed_part(d, k, a, &part[k].n);
    mp_split *split = MP_NEW(a, mp_split, 1);
    *split = split_of(0, part[0], part[1], part[2]);
    *out = (mp_folds){ 1, split, "fixed", "the fixed split of the set: train, validation, test by graph index" };
}
