/* twins.c - see twins.h.
 *
 * Nodes whose closed neighbourhoods have the same hash are compared entry by entry. Classes are numbered by their first
 * member.
 * SPDX-License-Identifier: MIT */
#include "graph/twins.h"
#include "base/rng.h"
#include "math/kernels.h"

#include <string.h>

#define LEAST_DEGREE 3 /* with fewer edges a node on average a graph is not worth a look */

typedef struct search {
    const mp_graph *g;
    uint64_t *key, *hash; /* of the i-th node of any graph; of a node's closed neighbourhood */
    int *slot;            /* a hash table of classes, -1: free */
    int *class_of;        /* of a node, -1: none               */
    int *first;           /* a class's first member            */
    int classes, links;
} search;

static int degree(const mp_graph *g, int v)
{
    return g->row_ptr[v + 1] - g->row_ptr[v];
}

static bool same(const int *a, const int *b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* u < v without self loops. Row u has v where row v has the entry before, row v has u: three stretches must agree. */
static bool are_twins(const mp_graph *g, int u, int v)
{
    const int *a = g->col + g->row_ptr[u], *b = g->col + g->row_ptr[v];
    int n = degree(g, u), to_v = mp_graph_edge(g, u, v), to_u = mp_graph_edge(g, v, u);
    if (n != degree(g, v) || to_v < 0 || to_u < 0) return false;
    int of_u = to_v - g->row_ptr[v], of_v = to_u - g->row_ptr[u]; /* u's place in row v, v's place in row u */
    if (of_v < of_u) return false;
    return same(a, b, of_u) && same(a + of_u, b + of_u + 1, of_v - of_u) &&
           same(a + of_v + 1, b + of_v + 1, n - of_v - 1);
}

/* The sum of the keys of v's closed neighbourhood; false: v has a self loop. */
static bool hash_row(search *s, int first, int v)
{
    const mp_graph *g = s->g;
    uint64_t h = s->key[v - first];
    bool loop = false;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
        h += s->key[g->col[e] - first];
        loop |= g->col[e] == v;
    }
    s->hash[v] = h;
    return !loop;
}

static void join_class(search *s, int v, uint64_t mask)
{
    uint64_t at = s->hash[v] & mask;
    for (; s->slot[at] >= 0; at = (at + 1) & mask) {
        int k = s->slot[at], u = s->first[k];
        if (s->hash[u] != s->hash[v] || !are_twins(s->g, u, v)) continue;
        s->class_of[v] = k;
        return;
    }
    s->first[s->classes] = v;
    s->class_of[v] = s->slot[at] = s->classes++;
}

/* Row k of Q goes to `col` unless that is NULL; returns its length. */
static int class_row(const search *s, int k, int *col)
{
    const mp_graph *g = s->g;
    int v = s->first[k], n = 0;
    bool self = false;
    for (int e = g->row_ptr[v]; e <= g->row_ptr[v + 1]; e++) {
        bool end = e == g->row_ptr[v + 1];
        if (!self && (end || g->col[e] > v)) {
            self = true;
            if (col) col[n] = k;
            n++;
        }
        if (end) break;
        int q = s->class_of[g->col[e]];
        if (s->first[q] != g->col[e]) continue;
        if (col) col[n] = q;
        n++;
    }
    return n;
}

static uint64_t table_size(int nodes)
{
    uint64_t size = 4;
    while (size < 2 * (uint64_t)nodes) size *= 2;
    return size;
}

/* Whether a graph can have enough twins to be worth a search. */
static bool is_dense(const mp_graph *g, int b)
{
    int from = g->node_ptr[b], to = g->node_ptr[b + 1];
    return to > from && (g->row_ptr[to] - g->row_ptr[from]) / LEAST_DEGREE >= to - from;
}

/* The classes of graph b, if they save a fifth of what a sum has to add. */
static void search_graph(search *s, int b)
{
    const mp_graph *g = s->g;
    int from = g->node_ptr[b], to = g->node_ptr[b + 1], edges = g->row_ptr[to] - g->row_ptr[from];
    int before = s->classes, nodes = to - from;
    int64_t links = 0;
    if (!is_dense(g, b)) return;
    uint64_t size = table_size(nodes);
    memset(s->slot, -1, size * sizeof *s->slot);
    bool plain = true;
    for (int v = from; plain && v < to; v++) {
        plain = hash_row(s, from, v);
        join_class(s, v, size - 1);
    }
    for (int k = before; plain && k < s->classes; k++) links += class_row(s, k, NULL);
    if (plain && edges >= links + links / 4 + nodes) {
        s->links += (int)links;
        return;
    }
    s->classes = before;
    for (int v = from; v < to; v++) s->class_of[v] = -1;
}

/* Fills member_ptr and member of a graph's nodes from their classes. */
static void list_members(mp_arena *a, mp_twins *t, const int *class_of, int nodes)
{
    int *ptr = MP_NEW(a, int, t->classes + 2), count = 0;
    for (int v = 0; v < nodes; v++) {
        if (class_of[v] < 0) continue;
        ptr[class_of[v] + 2]++;
        count++;
    }
    for (int k = 0; k < t->classes; k++) ptr[k + 2] += ptr[k + 1];
    int *member = MP_NEW_RAW(a, int, count);
    for (int v = 0; v < nodes; v++)
        if (class_of[v] >= 0) member[ptr[class_of[v] + 1]++] = v;
    t->member_ptr = ptr;
    t->member = member;
}

/* Fills runs and members. */
static void list_runs(mp_arena *a, mp_twins *t, const int *node_ptr, int graphs)
{
    int *run = MP_NEW_RAW(a, int, 2 * ((size_t)graphs / 2 + 1));
    for (int b = 0; b < graphs; b++) {
        int nodes = node_ptr[b + 1] - node_ptr[b];
        if (t->classed[b]) t->members += nodes;
        if (t->classed[b] || nodes == 0) continue;
        if (!t->runs || run[2 * t->runs - 1] < node_ptr[b]) run[2 * t->runs++] = node_ptr[b];
        run[2 * t->runs - 1] = node_ptr[b + 1];
    }
    t->run = run;
}

static const bool *have_classes(mp_arena *a, const int *class_ptr, int graphs)
{
    bool *classed = MP_NEW_RAW(a, bool, graphs);
    for (int b = 0; b < graphs; b++) classed[b] = class_ptr[b] < class_ptr[b + 1];
    return classed;
}

/* Of those that are searched. */
static int largest_graph(const mp_graph *g)
{
    int most = 0;
    for (int b = 0; b < g->graphs; b++) {
        int n = is_dense(g, b) ? g->node_ptr[b + 1] - g->node_ptr[b] : 0;
        most = n > most ? n : most;
    }
    return most;
}

/* No classes in any of the graphs. */
static const mp_twins *no_twins(mp_arena *a, const int *node_ptr, int graphs)
{
    mp_twins *t = MP_NEW(a, mp_twins, 1);
    t->class_ptr = MP_NEW(a, int, graphs + 1);
    t->classed = MP_NEW(a, bool, graphs);
    t->member_ptr = t->row_ptr = MP_NEW(a, int, 1);
    list_runs(a, t, node_ptr, graphs);
    return t;
}

const mp_twins *mp_twins_find(mp_arena *scratch, mp_arena *a, const mp_graph *g)
{
    int most = largest_graph(g);
    if (most == 0) return no_twins(a, g->node_ptr, g->graphs);
    int *class_ptr = MP_NEW(a, int, g->graphs + 1);
    search s = { .g = g,
                 .key = MP_NEW_RAW(scratch, uint64_t, most),
                 .hash = MP_NEW_RAW(scratch, uint64_t, g->nodes),
                 .slot = MP_NEW_RAW(scratch, int, table_size(most)),
                 .class_of = MP_NEW_RAW(scratch, int, g->nodes),
                 .first = MP_NEW_RAW(scratch, int, g->nodes) };
    for (int i = 0; i < most; i++) s.key[i] = mp_rng_mix((uint64_t)(i + 1) * MP_RNG_GOLDEN);
    memset(s.class_of, -1, (size_t)g->nodes * sizeof(int));
    for (int b = 0; b < g->graphs; b++) {
        search_graph(&s, b);
        class_ptr[b + 1] = s.classes;
    }
    int *row_ptr = MP_NEW(a, int, s.classes + 1), *col = MP_NEW_RAW(a, int, s.links);
    for (int k = 0; k < s.classes; k++) row_ptr[k + 1] = row_ptr[k] + class_row(&s, k, col + row_ptr[k]);
    mp_twins *t = MP_NEW(a, mp_twins, 1);
    *t = (mp_twins){ .classes = s.classes, .links = s.links, .class_ptr = class_ptr, .row_ptr = row_ptr, .col = col };
    t->classed = have_classes(a, class_ptr, g->graphs);
    list_members(a, t, s.class_of, g->nodes);
    list_runs(a, t, g->node_ptr, g->graphs);
    return t;
}

const mp_twins *mp_twins_gather(mp_arena *a, const mp_graph *all, const mp_twins *t, const int *which, int n,
                                const int *node_ptr)
{
    if (t->classes == 0) return no_twins(a, node_ptr, n);
    int *class_ptr = MP_NEW(a, int, n + 1), members = 0, links = 0;
    for (int i = 0; i < n; i++) {
        const int *class = t->class_ptr + which[i];
        class_ptr[i + 1] = class_ptr[i] + class[1] - class[0];
        members += t->member_ptr[class[1]] - t->member_ptr[class[0]];
        links += t->row_ptr[class[1]] - t->row_ptr[class[0]];
    }
    int K = class_ptr[n], *member_ptr = MP_NEW(a, int, K + 1), *member = MP_NEW_RAW(a, int, members);
    int *row_ptr = MP_NEW(a, int, K + 1), *col = MP_NEW_RAW(a, int, links);
    for (int i = 0; i < n; i++) {
        int k = class_ptr[i], from = t->class_ptr[which[i]], count = class_ptr[i + 1] - k;
        int m = t->member_ptr[from], q = t->row_ptr[from];
        mp_shifted(member_ptr + k + 1, t->member_ptr + from + 1, count, member_ptr[k] - m);
        mp_shifted(row_ptr + k + 1, t->row_ptr + from + 1, count, row_ptr[k] - q);
        mp_shifted(member + member_ptr[k], t->member + m, member_ptr[k + count] - member_ptr[k],
                   node_ptr[i] - all->node_ptr[which[i]]);
        mp_shifted(col + row_ptr[k], t->col + q, row_ptr[k + count] - row_ptr[k], k - from);
    }
    mp_twins *out = MP_NEW(a, mp_twins, 1);
    *out = (mp_twins){ .classes = K,
                       .links = links,
                       .classed = have_classes(a, class_ptr, n),
                       .class_ptr = class_ptr,
                       .member_ptr = member_ptr,
                       .member = member,
                       .row_ptr = row_ptr,
                       .col = col };
    list_runs(a, out, node_ptr, n);
    return out;
}

const mp_twins *mp_twins_keep(const mp_site *s, const mp_graph *g, const mp_twins *t, const int *keep,
                              const int *keep_ptr)
{
    if (t->classes == 0) return no_twins(s->arena, keep_ptr, g->graphs);
    size_t kept = (size_t)keep_ptr[g->graphs], classes = (size_t)t->classes;
    int *class_ptr = MP_NEW_RAW(s->elements, int, g->graphs + 1), *member = MP_NEW_RAW(s->elements, int, kept);
    int *member_ptr = MP_NEW_RAW(s->elements, int, classes + 2), *row_ptr = MP_NEW_RAW(s->elements, int, classes + 2);
    int *col = MP_NEW_RAW(s->elements, int, (size_t)t->links + 1);
    int *work = MP_NEW_RAW(s->elements, int, (size_t)g->nodes + 2 * classes + kept);
    mp_classes of = { t->member_ptr, t->member, t->row_ptr, t->col, t->classes };
    s->k->twins_keep(class_ptr, member_ptr, member, row_ptr, col, work, &of, keep, keep_ptr, g->nodes, g->graphs);
    bool *classed = MP_NEW_RAW(s->arena, bool, g->graphs);
    for (int b = 0; b < g->graphs; b++) classed[b] = t->classed[b] && keep_ptr[b] < keep_ptr[b + 1];
    mp_twins *out = MP_NEW(s->arena, mp_twins, 1);
    *out = (mp_twins){ .classes = mp_count_or(s, class_ptr + g->graphs, t->classes),
                       .classed = classed,
                       .class_ptr = class_ptr,
                       .member_ptr = member_ptr,
                       .member = member,
                       .row_ptr = row_ptr,
                       .col = col };
    out->links = mp_count_or(s, row_ptr + out->classes, t->links);
    list_runs(s->arena, out, keep_ptr, g->graphs);
    return out;
}

void mp_graph_know(mp_arena *a, mp_graph *all)
{
    mp_arena *scratch = mp_arena_new(1 << 16);
    all->loopless = mp_graph_is_loopless(all);
    all->norm = MP_NEW(a, mp_norm, 1);
    all->norm->twins = mp_twins_find(scratch, a, all);
    mp_arena_free(scratch);
}
