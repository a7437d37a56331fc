/* sketch.c - see sketch.h.
 * SPDX-License-Identifier: MIT */
#include "data/sketch.h"
#include "base/guard.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FREE UINT64_MAX /* no edge: i < j */

static uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 32)) * 0x9e3779b97f4a7c15u;
    return z ^ (z >> 29);
}

/* Puts `code` into an open hash table; false when it was there. */
static bool insert(uint64_t *table, size_t size, uint64_t code)
{
    size_t i = scramble(code) & (size - 1);
    for (; table[i] != FREE; i = (i + 1) & (size - 1))
        if (table[i] == code) return false;
    table[i] = code;
    return true;
}

static uint64_t draw_pair(mp_rng *rng, int nodes)
{
    int i = mp_rng_below(rng, nodes), j = mp_rng_below(rng, nodes - 1);
    if (j >= i)
        j++;
    else {
        int t = i;
        i = j;
        j = t;
    }
    return (uint64_t)i << 32 | (uint64_t)j;
}

/* Every pair that is not in the table: for dense graphs it is the missing edges that are drawn. */
static int all_but(const uint64_t *drawn, int n_drawn, int nodes, size_t size, uint64_t *table, uint64_t *out)
{
    memset(table, 0xff, size * sizeof *table);
    for (int k = 0; k < n_drawn; k++) insert(table, size, drawn[k]);
    int n = 0;
    for (int i = 0; i < nodes; i++) {
        for (int j = i + 1; j < nodes; j++) {
            uint64_t code = (uint64_t)i << 32 | (uint64_t)j;
            size_t at = scramble(code) & (size - 1);
            while (table[at] != FREE && table[at] != code) at = (at + 1) & (size - 1);
            if (table[at] == FREE) out[n++] = code;
        }
    }
    return n;
}

void mp_sketch_draw(mp_rng *rng, mp_arena *a, int nodes, int edges, mp_sketch *out)
{
    int64_t pairs = (int64_t)nodes * (nodes - 1) / 2;
    mp_assert(edges >= 0 && edges <= pairs);
    int draws = edges > pairs / 2 ? (int)(pairs - edges) : edges;
    uint64_t *edge = MP_NEW_RAW(a, uint64_t, edges > draws ? edges : draws);
    mp_arena_mark here = mp_arena_here(a);
    size_t size = 16;
    while (size < 2 * (size_t)draws) size *= 2;
    uint64_t *table = MP_NEW_RAW(a, uint64_t, size), *drawn = MP_NEW_RAW(a, uint64_t, draws);
    memset(table, 0xff, size * sizeof *table);
    for (int k = 0; k < draws;) {
        uint64_t code = draw_pair(rng, nodes);
        if (insert(table, size, code)) drawn[k++] = code;
    }
    if (draws == edges)
        memcpy(edge, drawn, (size_t)draws * sizeof *edge);
    else
        all_but(drawn, draws, nodes, size, table, edge);
    mp_arena_back(a, here);
    *out = (mp_sketch){ nodes, edges, edge, NULL, 0 };
}

static int by_code(const void *p, const void *q)
{
    uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;
    return (x > y) - (x < y);
}

void mp_sketch_sort(mp_sketch *s)
{
    qsort((uint64_t *)(uintptr_t)s->edge, (size_t)s->edges, sizeof *s->edge, by_code);
}

static uint64_t hash(const mp_sketch *s)
{
    uint64_t h = scramble((uint64_t)s->nodes << 32 | (uint64_t)s->edges);
    for (int e = 0; e < s->edges; e++) h = scramble(h ^ s->edge[e]);
    for (int v = 0; s->mark && v < s->nodes; v++) h = scramble(h ^ s->mark[v]);
    return h;
}

static bool equal(const mp_sketch *x, const mp_sketch *y)
{
    return x->nodes == y->nodes && x->edges == y->edges && !x->mark == !y->mark &&
           (x->edges == 0 || memcmp(x->edge, y->edge, (size_t)x->edges * sizeof *x->edge) == 0) &&
           (!x->mark || memcmp(x->mark, y->mark, (size_t)x->nodes) == 0);
}

/* Where `s` is in the table, or the free place where it would go. */
static int *find(const mp_sketch_set *set, const mp_sketch *s)
{
    size_t size = 2 * (size_t)set->room, i = hash(s) & (size - 1);
    while (set->slot[i] && !equal(&set->at[set->slot[i] - 1], s)) i = (i + 1) & (size - 1);
    return &set->slot[i];
}

static void grow(mp_sketch_set *set)
{
    set->room = set->room ? mp_count(2 * (int64_t)set->room, "graphs") : 256; /* a power of two: find needs it */
    MP_MORE(set->a, set->at, set->count, set->room);
    set->slot = MP_NEW(set->a, int, 2 * (size_t)set->room);
    for (int i = 0; i < set->count; i++) *find(set, &set->at[i]) = i + 1;
}

bool mp_sketch_add(mp_sketch_set *set, const mp_sketch *s)
{
    if (set->room && *find(set, s)) return false; /* before growing: a refused one leaves the arena as it was */
    if (set->count == set->room) grow(set);
    set->at[set->count++] = *s;
    *find(set, s) = set->count;
    return true;
}

/* Edges sorted by their lower end leave both ends' rows ascending: a node first meets its lower neighbours,
 * as the upper end, then its upper ones, as the lower end. */
static void add_rows(const mp_sketch *s, int first, int *next, int *col, int *rev)
{
    for (int e = 0; e < s->edges; e++) {
        int i = first + (int)(s->edge[e] >> 32), j = first + (int)(s->edge[e] & 0xffffffffu);
        int p = next[i]++, q = next[j]++;
        col[p] = j;
        col[q] = i;
        rev[p] = q;
        rev[q] = p;
    }
}

static mp_err count_all(const mp_sketch *const *list, int n, mp_graph *g)
{
    int64_t nodes = 0, edges = 0;
    for (int b = 0; b < n; b++) {
        nodes += list[b]->nodes;
        edges += 2 * (int64_t)list[b]->edges;
    }
    if (nodes > MP_MOST_COUNT || edges > MP_MOST_COUNT)
        return mp_fail(MP_ERR_LIMIT, "%lld nodes and %lld edges: each count must stay below 2^31", (long long)nodes,
                       (long long)edges);
    *g = (mp_graph){ .graphs = n, .nodes = (int)nodes, .edges = (int)edges };
    return MP_OK;
}

mp_err mp_sketch_raw(const mp_sketch *const *list, int n, const char *name, mp_arena *a, mp_raw *out)
{
    *out = (mp_raw){ .name = name };
    mp_graph *g = &out->graphs;
    MP_TRY(count_all(list, n, g));
    int *node_ptr = MP_NEW(a, int, n + 1), *row_ptr = MP_NEW(a, int, g->nodes + 1);
    int *col = MP_NEW_RAW(a, int, g->edges), *rev = MP_NEW_RAW(a, int, g->edges);
    int64_t *label = MP_NEW_RAW(a, int64_t, n);
    for (int b = 0; b < n; b++) {
        node_ptr[b + 1] = node_ptr[b] + list[b]->nodes;
        label[b] = list[b]->label;
        int *degree = row_ptr + node_ptr[b] + 1;
        for (int e = 0; e < list[b]->edges; e++) {
            degree[list[b]->edge[e] >> 32]++;
            degree[list[b]->edge[e] & 0xffffffffu]++;
        }
    }
    for (int v = 0; v < g->nodes; v++) row_ptr[v + 1] += row_ptr[v];
    mp_arena_mark here = mp_arena_here(a);
    int *next = MP_NEW_RAW(a, int, g->nodes);
    memcpy(next, row_ptr, (size_t)g->nodes * sizeof *next);
    for (int b = 0; b < n; b++) add_rows(list[b], node_ptr[b], next, col, rev);
    mp_arena_back(a, here);
    g->node_ptr = node_ptr;
    g->row_ptr = row_ptr;
    g->col = col;
    g->rev = rev;
    out->graph_label = label;
    return MP_OK;
}
