/* neighbours.c - see neighbours.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/neighbours.h"

#include <math.h>

typedef struct nears {
    int draws, levels;
    mp_kept_near *one; /* graphs x MP_LEVELS: sums over draws */
} nears;

/* That a node with d neighbours, itself kept, has one of them among the k-1 others, taken from n-1. */
static double chance(int n, int k, int d)
{
    double none = 1;
    for (int j = 0; j < k - 1 && none > 0; j++) none *= (double)(n - 1 - d - j) / (n - 1 - j);
    return 1 - none;
}

static void add_graph(const mp_pooling *p, mp_arena *a, mp_kept_near *sum)
{
    const mp_graph *g = p->g;
    int n = g->nodes, k = p->keep_ptr[g->graphs], edges = 0, joined = 0, near = 0;
    bool *kept = MP_NEW(a, bool, n);
    double by_chance = 0;
    for (int i = 0; i < k; i++) kept[p->keep[i]] = true;
    for (int v = 0; v < n; v++) {
        int degree = 0, with = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            if (g->col[e] == v) continue;
            degree++;
            with += kept[v] && kept[g->col[e]];
        }
        edges += degree;
        joined += with;
        near += with > 0;
        by_chance += chance(n, k, degree);
    }
    if (edges == 0) return; /* so n is at least 2 */
    sum->counted++;
    sum->edges += (double)joined / edges;
    sum->edges_chance += (double)k * (k - 1) / ((double)n * (n - 1));
    sum->nodes += (double)near / k;
    sum->nodes_chance += by_chance / n;
}

static mp_err nears_of(void *arg, const mp_specimen *g)
{
    nears *w = arg;
    int passes = w->draws ? w->draws : 1;
    for (int i = 0; i < passes; i++) {
        mp_trail trail;
        mp_arena_mark here = mp_arena_here(g->arena);
        /* Every graph and draw has a stream of its own: graphs of one size would lose the same nodes otherwise. */
        MP_TRY(mp_specimen_trail(g, w->draws ? g->at * passes + i + 1 : 0, &trail));
        for (int l = 0; l < trail.levels; l++) add_graph(trail.level[l], g->arena, &w->one[g->at * MP_LEVELS + l]);
        if (g->at == 0) w->levels = trail.levels;
        mp_arena_back(g->arena, here);
    }
    return MP_OK;
}

static mp_kept_near mean_of(const mp_kept_near *one, int n)
{
    mp_kept_near m = { 0 };
    for (int i = 0; i < n; i++, one += MP_LEVELS) {
        m.counted += one->counted;
        m.edges += one->edges;
        m.edges_chance += one->edges_chance;
        m.nodes += one->nodes;
        m.nodes_chance += one->nodes_chance;
    }
    double of = m.counted ? m.counted : (double)NAN;
    return (mp_kept_near){ m.counted, m.edges / of, m.edges_chance / of, m.nodes / of, m.nodes_chance / of };
}

mp_err mp_neighbours_find(const mp_subject *s, int draws, mp_arena *scratch, mp_neighbours *out)
{
    nears w = { .draws = draws, .one = MP_NEW(scratch, mp_kept_near, (size_t)s->n * MP_LEVELS) };
    MP_TRY(mp_subject_each(s, nears_of, &w));
    *out = (mp_neighbours){ .levels = w.levels };
    for (int l = 0; l < w.levels; l++) out->level[l] = mean_of(w.one + l, s->n);
    return MP_OK;
}
