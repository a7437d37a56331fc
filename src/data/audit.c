/* audit.c - colour refinement over all graphs at once, then groups of equal graphs. See audit.h.
 *
 * Colours are 64-bit hashes, so nothing is renumbered and graphs can be compared with each other. A graph is
 * stable when a round does not raise its number of colours; how many rounds that takes is the same for
 * isomorphic graphs, so stopping each graph by itself keeps their hashes equal.
 * SPDX-License-Identifier: MIT */
#include "data/audit.h"
#include "data/seal.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t bits_of(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

/* A node's features from column `first` on, as one number. */
static uint64_t first_colour(const mp_sparse *x, int v, int first)
{
    uint64_t h = 1;
    for (int i = x->ptr[v]; i < x->ptr[v + 1]; i++) {
        if (x->col[i] < first) continue;
        h = mix(h + (uint64_t)x->col[i] + 1);
        h = mix(h ^ bits_of(x->val ? (double)x->val[i] : 1));
    }
    return h;
}

static int by_size(const void *p, const void *q)
{
    uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;
    return (x > y) - (x < y);
}

static int distinct(const uint64_t *colour, int n, uint64_t *room)
{
    memcpy(room, colour, (size_t)n * sizeof *room);
    qsort(room, (size_t)n, sizeof *room, by_size);
    int count = n > 0;
    for (int i = 1; i < n; i++) count += room[i] != room[i - 1];
    return count;
}

/* Sums of mixed colours do not depend on the order of the neighbours. */
static void refine(const mp_graph *g, int first, int end, const uint64_t *colour, uint64_t *next)
{
    for (int v = first; v < end; v++) {
        uint64_t sum = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) sum += mix(colour[g->col[e]]);
        next[v] = mix(mix(colour[v] + 1) ^ sum);
    }
}

static uint64_t graph_hash(const mp_graph *g, int b, uint64_t *colour, uint64_t *next, uint64_t *room)
{
    int first = g->node_ptr[b], end = g->node_ptr[b + 1], n = end - first;
    int before = distinct(colour + first, n, room), now = before;
    do {
        before = now;
        refine(g, first, end, colour, next);
        memcpy(colour + first, next + first, (size_t)n * sizeof *colour);
        now = distinct(colour + first, n, room);
    } while (now > before);
    uint64_t sum = 0;
    for (int v = first; v < end; v++) sum += mix(colour[v]);
    return mix(sum ^ mix((uint64_t)n));
}

typedef struct keyed {
    uint64_t hash;
    int graph;
} keyed;

static int by_hash(const void *p, const void *q)
{
    const keyed *x = p, *y = q;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->graph > y->graph) - (x->graph < y->graph);
}

/* All graphs sorted so that equal ones are side by side. Columns of x before `first` are not looked at. */
static keyed *sorted_graphs(const mp_dataset *d, int first, mp_arena *a)
{
    const mp_graph *g = &d->graphs;
    uint64_t *colour = MP_NEW_RAW(a, uint64_t, g->nodes), *next = MP_NEW_RAW(a, uint64_t, g->nodes);
    uint64_t *room = MP_NEW_RAW(a, uint64_t, g->nodes);
    keyed *k = MP_NEW_RAW(a, keyed, g->graphs);
    for (int v = 0; v < g->nodes; v++) colour[v] = first_colour(&d->x, v, first);
    for (int b = 0; b < g->graphs; b++) k[b] = (keyed){ graph_hash(g, b, colour, next, room), b };
    qsort(k, (size_t)g->graphs, sizeof *k, by_hash);
    return k;
}

static int count_repeats(const keyed *k, int n)
{
    int repeats = 0;
    for (int i = 1; i < n; i++) repeats += k[i].hash == k[i - 1].hash;
    return repeats;
}

/* One number a graph that is equal exactly for equal labels. */
static uint64_t label_of(const mp_dataset *d, int b)
{
    if (!d->seal) return 0;
    mp_labels labels = mp_seal_break(d->seal);
    uint64_t sum = 0;
    for (int t = 0; t < labels.columns; t++)
        sum = sum * 0x9e3779b97f4a7c15u + bits_of(labels.v[b * labels.columns + t]);
    return sum;
}

/* Runs of equal hashes as groups, listed by their first graph. */
static void list_groups(const mp_dataset *d, const keyed *k, mp_arena *a, mp_audit *out)
{
    int n = d->graphs.graphs, groups = 0, members = 0;
    int *ptr = MP_NEW(a, int, n + 1), *group = MP_NEW(a, int, n);
    bool *mixed = MP_NEW(a, bool, n);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && k[end].hash == k[i].hash;) end++;
        if (end - i < 2) continue;
        for (int j = i; j < end; j++) {
            group[members++] = k[j].graph;
            mixed[groups] = mixed[groups] || label_of(d, k[j].graph) != label_of(d, k[i].graph);
        }
        out->mixed += mixed[groups];
        out->mixed_graphs += mixed[groups] ? end - i : 0;
        ptr[++groups] = members;
    }
    out->groups = groups;
    out->group_ptr = ptr;
    out->group = group;
    out->is_mixed = mixed;
    out->repeated = members - groups;
}

/* The hash of each graph's group, as the number of a graph's kind. */
static int *kinds(const keyed *k, int n, mp_arena *a)
{
    int *kind = MP_NEW(a, int, n);
    for (int i = 0, number = 0; i < n; i++) {
        number += i > 0 && k[i].hash != k[i - 1].hash;
        kind[k[i].graph] = number;
    }
    return kind;
}

typedef struct seen { /* of one kind, among the graphs a fold trains and validates on */
    int fold;
    bool several; /* with different labels */
    uint64_t label;
} seen;

static void note(const mp_dataset *d, const int *kind, const int *list, int n, int fold, seen *s)
{
    for (int i = 0; i < n; i++) {
        seen *at = &s[kind[list[i]]];
        uint64_t label = label_of(d, list[i]);
        *at = at->fold == fold ? (seen){ fold, at->several || at->label != label, at->label }
                               : (seen){ fold, false, label };
    }
}

static void check_folds(const mp_dataset *d, const mp_folds *f, const int *kind, mp_arena *a, mp_audit *out)
{
    mp_audit_fold *row = MP_NEW(a, mp_audit_fold, f->count);
    seen *s = MP_NEW(a, seen, d->graphs.graphs);
    for (int i = 0; i < f->count; i++) {
        const mp_split *p = &f->split[i];
        row[i].fold = p->fold;
        note(d, kind, p->train, p->n_train, i + 1, s);
        note(d, kind, p->val, p->n_val, i + 1, s);
        for (int t = 0; t < p->n_test; t++) {
            const seen *at = &s[kind[p->test[t]]];
            if (at->fold != i + 1) continue;
            row[i].repeated++;
            row[i].conflicting += at->several || at->label != label_of(d, p->test[t]);
        }
    }
    out->folds = f->count;
    out->fold = row;
    out->folds_about = f->about;
}

static void count_odd(const mp_graph *g, mp_audit *out)
{
    for (int b = 0; b < g->graphs; b++) {
        int first = g->node_ptr[b], end = g->node_ptr[b + 1], alone = 0;
        for (int v = first; v < end; v++) alone += g->row_ptr[v] == g->row_ptr[v + 1];
        out->isolated_nodes += alone;
        out->with_isolated += alone > 0;
        out->edgeless += alone == end - first;
        out->single_node += end - first == 1;
    }
}

void mp_audit_run(const mp_dataset *d, const mp_folds *f, mp_arena *a, mp_audit *out)
{
    *out = (mp_audit){ .graphs = d->graphs.graphs };
    mp_arena *scratch = mp_arena_new(1 << 16);
    const keyed *k = sorted_graphs(d, 0, scratch);
    list_groups(d, k, a, out);
    if (f) check_folds(d, f, kinds(k, out->graphs, scratch), a, out);
    out->repeated_labels = out->repeated;
    if (d->recipe.attributes)
        out->repeated_labels = count_repeats(sorted_graphs(d, d->recipe.attributes, scratch), out->graphs);
    mp_arena_free(scratch);
    count_odd(&d->graphs, out);
}
