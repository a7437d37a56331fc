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

enum { TRAIN, VAL, TEST, LISTS };
static const char *const list_name[LISTS + 1] = { "train", "val", "test", NULL };

typedef struct fold {
    list part[LISTS]; /* VAL: `at` NULL when none was given */
} fold;

/* The first graph that is in two lists of a fold, and which; -1: none is. */
static int in_two(marks *m, const fold *f, int *one, int *other)
{
    for (*one = 0; *one < LISTS; ++*one)
        for (*other = *one + 1; *other < LISTS; ++*other) {
            int graph = shared(m, f->part[*one], f->part[*other]);
            if (graph >= 0) return graph;
        }
    return -1;
}

/* A fold without validation graphs takes the test graphs of the one before it, and does not train on them. */
static mp_err assemble(const char *where, int graphs, int count, const fold *given, mp_arena *a, mp_folds *out)
{
    mp_split *split = MP_NEW(a, mp_split, count);
    marks m = { MP_NEW(a, int, graphs), 0 };
    for (int f = 0; f < count; f++) {
        list test = given[f].part[TEST], train = given[f].part[TRAIN], val = given[f].part[VAL];
        if (!val.at) {
            val = given[(f + count - 1) % count].part[TEST];
            train = without(&m, train, val, a);
        }
        if (shared(&m, val, test) >= 0)
            return mp_fail(MP_ERR_INPUT, "%s: graph %d is in the validation and the test set of fold %d", where,
                           shared(&m, val, test), f + 1);
        if (train.n == 0) return mp_fail(MP_ERR_INPUT, "%s: fold %d has no graphs left to train on", where, f + 1);
        split[f] = split_of(f + 1, train, val, test);
    }
    out->count = count;
    out->split = split;
    out->from = "files";
    out->about = mp_arena_printf(a, "%d folds from %s", count, where);
    return MP_OK;
}

static const mp_span *texts_of(const mp_fold_text *t, int part)
{
    return part == TRAIN ? t->train : part == VAL ? t->val : t->test;
}

static int fold_count(const mp_fold_text *t)
{
    int count = 0;
    for (int f = 0; f < MP_MAX_FOLDS; f++)
        for (int k = 0; k < LISTS; k++)
            if (texts_of(t, k)[f].p) count = f + 1;
    return count;
}

/* The line that has this graph. A failure is rare: it is looked for again instead of remembering all lines. */
static int line_of(mp_span text, int graph)
{
    mp_span line;
    int64_t b = -1;
    int at = 0;
    while (b != graph && mp_next_line(&text, &line) && mp_to_int(mp_trim(line), &b)) at++;
    return at;
}

static mp_err parse_fold(const mp_fold_text *t, int f, int graphs, marks *m, mp_arena *a, fold *out)
{
    const char *name[LISTS];
    int one, other;
    for (int k = 0; k < LISTS; k++) {
        mp_span text = texts_of(t, k)[f];
        name[k] = mp_arena_printf(a, "%s: %s_idx-%d.txt", t->where, list_name[k], f + 1);
        if (!text.p && k != VAL) return mp_fail(MP_ERR_INPUT, "%s: missing", name[k]);
        if (text.p) MP_TRY(parse_list(text, name[k], graphs, m, a, &out->part[k]));
    }
    int both = in_two(m, out, &one, &other);
    if (both < 0) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%d: graph %d is in the %s set too", name[other],
                   line_of(texts_of(t, other)[f], both), both, one == TRAIN ? "training" : "validation");
}

static mp_err json_list(const mp_json *object, const char *key, const char *where, int graphs, marks *m, mp_arena *a,
                        list *out)
{
    const mp_json *v;
    int n;
    const int *at;
    MP_TRY(mp_json_need(object, key, MP_JSON_ARRAY, where, &v));
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

static mp_err json_fold(const mp_json *v, const char *where, int graphs, marks *m, mp_arena *a, fold *out)
{
    int one, other;
    MP_TRY(mp_json_only(v, list_name, where));
    for (int k = 0; k < LISTS; k++)
        if (k != VAL || mp_json_get(v, list_name[VAL]))
            MP_TRY(json_list(v, list_name[k], where, graphs, m, a, &out->part[k]));
    int both = in_two(m, out, &one, &other);
    if (both < 0) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%d: graph %d is in '%s' and in '%s'", where, v->line, both, list_name[one],
                   list_name[other]);
}

static mp_err json_folds(const mp_json *root, const char *where, int graphs, mp_arena *a, mp_folds *out)
{
    const mp_json *folds;
    MP_TRY(mp_json_need(root, "folds", MP_JSON_ARRAY, where, &folds));
    if (folds->count < 1 || folds->count > MP_MAX_FOLDS)
        return mp_fail(MP_ERR_INPUT, "%s:%d: %d folds; expected 1 to %d", where, folds->line, folds->count,
                       MP_MAX_FOLDS);
    fold *given = MP_NEW(a, fold, folds->count);
    marks m = { MP_NEW(a, int, graphs), 0 };
    int f = 0;
    for (const mp_json *v = folds->first; v; v = v->next, f++) MP_TRY(json_fold(v, where, graphs, &m, a, &given[f]));
    return assemble(where, graphs, f, given, a, out);
}

mp_err mp_folds_parse_json(mp_span text, const char *where, int graphs, mp_arena *a, mp_folds *out)
{
    static const char *const keys[] = { "folds", NULL };
    const mp_json *root;
    MP_TRY(mp_json_parse(mp_without_mark(text), where, a, &root));
    MP_TRY(mp_json_only(root, keys, where));
    return json_folds(root, where, graphs, a, out);
}

mp_err mp_folds_parse(const mp_fold_text *t, int graphs, mp_arena *a, mp_folds *out)
{
    const mp_json *root;
    if (t->json.p) {
        MP_TRY(mp_json_parse(t->json, t->where, a, &root));
        return json_folds(root, t->where, graphs, a, out);
    }
    int count = fold_count(t);
    if (count < 2) return mp_fail(MP_ERR_INPUT, "%s: expected at least 2 folds, found %d", t->where, count);
    fold *folds = MP_NEW(a, fold, count);
    marks m = { MP_NEW(a, int, graphs), 0 };
    for (int f = 0; f < count; f++) MP_TRY(parse_fold(t, f, graphs, &m, a, &folds[f]));
    return assemble(t->where, graphs, count, folds, a, out);
}

const int *mp_deal_order(const mp_dataset *d, const int *which, int n, mp_rng rng, mp_arena *a)
{
    int *order = MP_NEW_RAW(a, int, n), filled = 0;
    const double *label = d->seal && d->task->classes && !d->task->nodes ? mp_seal_break(d->seal).v : NULL;
    int classes = label ? d->classes : 1;
    for (int c = 0; c < classes; c++) {
        int first = filled;
        for (int i = 0; i < n; i++)
            if (!label || label[which[i]] == c) order[filled++] = which[i];
        mp_rng_shuffle(&rng, order + first, filled - first);
    }
    for (int i = 0; i < n && filled < n; i++) /* without a class */
        if (!(label[which[i]] >= 0 && label[which[i]] < classes)) order[filled++] = which[i];
    return order;
}

/* All graphs, as they are dealt to folds. */
static const int *dealing_order(const mp_dataset *d, mp_arena *a)
{
    int graphs = d->graphs.graphs, *all = MP_NEW_RAW(a, int, graphs);
    for (int b = 0; b < graphs; b++) all[b] = b;
    return mp_deal_order(d, all, graphs, mp_rng_stream(0, MP_FOR_FOLDS, 0, 0, 0), a);
}

/* Fold of graph b, and for two folds whether it validates when its fold trains. */
typedef struct dealt {
    const int *fold;
    const bool *fifth;
} dealt;

static dealt deal(const mp_dataset *d, int count, mp_arena *a)
{
    int graphs = d->graphs.graphs;
    const int *order = dealing_order(d, a);
    int *tests = MP_NEW(a, int, graphs);
    bool *fifth = MP_NEW(a, bool, graphs);
    for (int i = 0; i < graphs; i++) {
        tests[order[i]] = i % count;
        fifth[order[i]] = i / count % 5 == 0;
    }
    return (dealt){ tests, fifth };
}

/* What graph b is for in fold f: 0 trains, 1 validates, 2 tests. */
static int role(const dealt *x, int b, int f, int count)
{
    if (x->fold[b] == f) return 2;
    return count == 2 ? x->fifth[b] : x->fold[b] == (f + count - 1) % count;
}

static mp_split dealt_split(const dealt *x, int graphs, int f, int count, mp_arena *a)
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

void mp_folds_dealt(int graphs, int count, const int *tests, const bool *fifth, mp_arena *a, mp_folds *out)
{
    dealt x = { tests, fifth };
    mp_split *split = MP_NEW(a, mp_split, count);
    for (int f = 0; f < count; f++) split[f] = dealt_split(&x, graphs, f, count, a);
    *out = (mp_folds){ .count = count, .split = split };
}

mp_err mp_folds_stratified(const mp_dataset *d, int count, mp_arena *a, mp_folds *out)
{
    int graphs = d->graphs.graphs, least = count == 2 ? 4 : count;
    if (count < 2 || count > MP_MAX_FOLDS)
        return mp_fail(MP_ERR_USAGE, "%d folds; expected 2 to %d", count, MP_MAX_FOLDS);
    if (graphs < least) return mp_fail(MP_ERR_INPUT, "%s: %d graphs are too few for %d folds", d->name, graphs, count);
    dealt x = deal(d, count, a);
    mp_folds_dealt(graphs, count, x.fold, x.fifth, a, out);
    out->from = "stratified";
    out->about = mp_arena_printf(a, "%d stratified folds, shuffled with seed 0", count);
    return MP_OK;
}

void mp_folds_json(const mp_folds *folds, mp_buf *b)
{
    mp_json_open(b, '[');
    for (int f = 0; f < folds->count; f++) {
        const mp_split *s = &folds->split[f];
        const int *at[LISTS] = { s->train, s->val, s->test }, n[LISTS] = { s->n_train, s->n_val, s->n_test };
        mp_json_open(b, '{');
        for (int k = 0; k < LISTS; k++) {
            mp_json_key(b, list_name[k]);
            mp_json_open(b, '[');
            for (int i = 0; i < n[k]; i++) mp_json_put_int(b, at[k][i]);
            mp_json_close(b, ']');
        }
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
}

/* The graphs of a list in ascending order. `m` is left with them marked. */
static mp_err given_list(const char *name, int n, const int *at, int graphs, marks *m, mp_arena *a, list *out)
{
    *out = (list){ 0, NULL };
    if (n < 0 || (n > 0 && !at)) return mp_fail(MP_ERR_USAGE, "%s: %d graphs, but no list of them", name, n);
    m->now++;
    for (int i = 0; i < n; i++) {
        if (at[i] < 0 || at[i] >= graphs)
            return mp_fail(MP_ERR_USAGE, "%s: graph %d is outside 0..%d", name, at[i], graphs - 1);
        if (m->of[at[i]] == m->now) return mp_fail(MP_ERR_USAGE, "%s: graph %d is there twice", name, at[i]);
        m->of[at[i]] = m->now;
    }
    *out = marked(m, graphs, n, a);
    return MP_OK;
}

/* A tenth, at least one. */
static list held_out(const mp_dataset *d, list train, marks *m, mp_arena *a)
{
    const int *order = dealing_order(d, a);
    int *out = MP_NEW_RAW(a, int, train.n), n = 0, met = 0;
    mark(m, train);
    for (int i = 0; i < d->graphs.graphs; i++)
        if (m->of[order[i]] == m->now && met++ % 10 == 0) out[n++] = order[i];
    mark(m, (list){ n, out });
    return marked(m, d->graphs.graphs, n, a);
}

mp_err mp_folds_given(const mp_dataset *d, const mp_split *given, mp_arena *a, mp_folds *out)
{
    int graphs = d->graphs.graphs, one, other;
    marks m = { MP_NEW(a, int, graphs), 0 };
    fold f;
    MP_TRY(given_list("train", given->n_train, given->train, graphs, &m, a, &f.part[TRAIN]));
    MP_TRY(given_list("val", given->n_val, given->val, graphs, &m, a, &f.part[VAL]));
    MP_TRY(given_list("test", given->n_test, given->test, graphs, &m, a, &f.part[TEST]));
    int both = in_two(&m, &f, &one, &other);
    if (both >= 0)
        return mp_fail(MP_ERR_USAGE, "graph %d is in '%s' and in '%s'", both, list_name[one], list_name[other]);
    if (f.part[VAL].n == 0) {
        if (f.part[TRAIN].n < 2)
            return mp_fail(MP_ERR_INPUT, "%s: %d training graph%s; to train and to validate takes two", d->name,
                           f.part[TRAIN].n, mp_plural(f.part[TRAIN].n));
        f.part[VAL] = held_out(d, f.part[TRAIN], &m, a);
        f.part[TRAIN] = without(&m, f.part[TRAIN], f.part[VAL], a);
    }
    mp_split *split = MP_NEW(a, mp_split, 1);
    *split = split_of(given->fold, f.part[TRAIN], f.part[VAL], f.part[TEST]);
    *out = (mp_folds){ 1, split, "given", "graphs that were listed" };
    return MP_OK;
}

bool mp_dataset_is_single(const mp_dataset *d)
{
    return d->graphs.graphs == 1 && (!d->seal || d->task->nodes);
}

void mp_folds_single(mp_arena *a, mp_folds *out)
{
    list all = { 1, MP_NEW(a, int, 1) }, none = { 0, NULL };
    mp_split *split = MP_NEW(a, mp_split, 1);
    *split = split_of(0, all, all, none);
    *out = (mp_folds){ 1, split, "single", "one graph, which trains and validates" };
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
    for (int k = 0; k < *n; k++) at[k] = d->fixed_list ? d->fixed_list[d->fixed[i][0] + k] : d->fixed[i][0] + k;
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
