/* rig.c - see rig.h.
 * SPDX-License-Identifier: MIT */
#include "rig.h"

#include <math.h>
#include <string.h>

mp_rig mp_rig_new(uint64_t seed)
{
    return (mp_rig){ mp_arena_new(1 << 16), mp_rng_stream(seed, MP_FOR_TEST, 0, 0, 0) };
}

void mp_rig_free(mp_rig *r)
{
    mp_arena_free(r->memory);
    r->memory = NULL;
}

void mp_rig_fill(mp_rig *r, mp_real *v, size_t n)
{
    /* A shuffled grid, each point moved by at most a quarter of the spacing, with a gap around 0. */
    mp_arena_mark here = mp_arena_here(r->memory);
    int *place = MP_NEW(r->memory, int, n);
    for (size_t i = 0; i < n; i++) place[i] = (int)i;
    mp_rng_shuffle(&r->rng, place, (int)n);
    for (size_t i = 0; i < n; i++) {
        double t = 2.4 * (place[i] + 0.5 + mp_rng_between(&r->rng, -0.25, 0.25)) / (double)n - 1.2;
        v[i] = (mp_real)(t + (t < 0 ? -0.1 : 0.1));
    }
    mp_arena_back(r->memory, here);
}

mp_mat *mp_rig_mat(mp_rig *r, int rows, int cols)
{
    size_t n = (size_t)rows * (size_t)cols;
    mp_mat *m = MP_NEW(r->memory, mp_mat, 1);
    *m = (mp_mat){ rows, cols, MP_NEW(r->memory, mp_real, n), MP_NEW(r->memory, mp_real, n), false, false, NULL };
    mp_rig_fill(r, m->v, n);
    return m;
}

/* The graph whose pairs u <= v answer `joined` with true. */
static mp_graph graph_where(mp_rig *r, int graphs, const int *sizes, bool (*joined)(mp_rig *r, void *arg, int u, int v),
                            void *arg)
{
    int *node_ptr = MP_NEW(r->memory, int, graphs + 1), most = 0, n = 0;
    for (int b = 0; b < graphs; b++) {
        node_ptr[b + 1] = node_ptr[b] + sizes[b];
        most += sizes[b] * sizes[b];
    }
    int *src = MP_NEW(r->memory, int, most), *dst = MP_NEW(r->memory, int, most);
    for (int b = 0; b < graphs; b++) {
        for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++) {
            for (int u = node_ptr[b]; u <= v; u++) {
                if (!joined(r, arg, u, v)) continue;
                src[n] = u;
                dst[n++] = v;
                if (u == v) continue;
                src[n] = v;
                dst[n++] = u;
            }
        }
    }
    mp_graph g;
    mp_err e = mp_graph_from_edges(r->memory, graphs, node_ptr, n, src, dst, &g, NULL);
    mp_assert(e == MP_OK);
    return g;
}

static bool by_chance(mp_rig *r, void *arg, int u, int v)
{
    const double *chance = arg; /* of a pair, of a loop */
    return mp_rng_unit(&r->rng) < chance[u == v];
}

mp_graph mp_rig_graph(mp_rig *r, int graphs, const int *sizes, double density, double loops)
{
    return graph_where(r, graphs, sizes, by_chance, (double[]){ density, loops });
}

static bool by_group(mp_rig *r, void *arg, int u, int v)
{
    const unsigned *group = arg;
    (void)r;
    return u != v && (group[u] & group[v]);
}

mp_graph mp_rig_cliques(mp_rig *r, int graphs, const int *sizes, int cliques, double share)
{
    int nodes = 0;
    for (int b = 0; b < graphs; b++) nodes += sizes[b];
    unsigned *group = MP_NEW(r->memory, unsigned, nodes);
    for (int v = 0; v < nodes; v++)
        for (int k = 0; k < cliques; k++) group[v] |= (unsigned)(mp_rng_unit(&r->rng) < share) << k;
    return graph_where(r, graphs, sizes, by_group, group);
}

mp_mat *mp_rig_weights(mp_rig *r, const mp_graph *g)
{
    mp_mat *w = mp_rig_mat(r, g->edges, 1);
    for (int e = 0; e < g->edges; e++) w->v[e] = (mp_real)0.9 + w->v[e] * (mp_real)0.45;
    return w;
}

const mp_sparse *mp_rig_attributes(mp_rig *r, const mp_graph *g, int cols, mp_rig_kind kind)
{
    size_t most = (size_t)g->edges * (size_t)cols;
    int *ptr = MP_NEW(r->memory, int, g->edges + 1), *col = MP_NEW(r->memory, int, most), n = 0;
    mp_real *val = MP_NEW(r->memory, mp_real, most);
    mp_rig_fill(r, val, most);
    for (int e = 0; e < g->edges; e++) {
        for (int k = 0; k < cols; k++)
            if (kind == MP_RIG_DENSE || mp_rng_unit(&r->rng) < 0.6) col[n++] = k;
        ptr[e + 1] = n;
    }
    mp_sparse *x = MP_NEW(r->memory, mp_sparse, 1);
    *x = (mp_sparse){ .rows = g->edges, .cols = cols, .ptr = ptr, .col = col, .val = kind == MP_RIG_ONES ? NULL : val };
    if (kind == MP_RIG_DENSE) x->ptr = x->col = NULL;
    return x;
}

mp_graph mp_rig_renumber(mp_rig *r, const mp_graph *g, const int *to)
{
    int *src = MP_NEW(r->memory, int, g->edges), *dst = MP_NEW(r->memory, int, g->edges);
    int *slot = MP_NEW(r->memory, int, g->edges);
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            src[e] = to[g->col[e]];
            dst[e] = to[v];
        }
    }
    mp_graph out;
    mp_err err = mp_graph_from_edges(r->memory, g->graphs, g->node_ptr, g->edges, src, dst, &out, slot);
    mp_assert(err == MP_OK);
    if (g->w) {
        out.w = mp_rig_mat(r, g->edges, 1);
        for (int e = 0; e < g->edges; e++) out.w->v[slot[e]] = g->w->v[e];
    }
    return out;
}

int *mp_rig_dense(mp_rig *r, const mp_graph *g)
{
    size_t n = (size_t)g->nodes;
    int *at = MP_NEW(r->memory, int, n *n);
    memset(at, -1, n * n * sizeof *at);
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) at[(size_t)v * n + (size_t)g->col[e]] = e;
    return at;
}

void mp_rig_params(mp_rig *r, mp_params *p)
{
    if (!p->theta) mp_params_alloc(p);
    for (int i = 0; i < p->count; i++) {
        const mp_param *q = &p->list[i];
        size_t n = (size_t)q->rows * (size_t)q->cols;
        mp_rig_fill(r, p->theta + q->offset, n);
        for (size_t k = 0; k < n; k++)
            p->theta[q->offset + k] *= (mp_real)(1 / sqrt((double)q->rows)); /* outputs of order one */
    }
}

void mp_rig_keep(mp_rig *r, const mp_graph *g, double share, int *keep, int *keep_ptr)
{
    keep_ptr[0] = 0;
    for (int b = 0; b < g->graphs; b++) {
        int first = keep_ptr[b], n = 0;
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++)
            if (mp_rng_unit(&r->rng) < share) keep[first + n++] = v;
        mp_rng_shuffle(&r->rng, keep + first, n);
        keep_ptr[b + 1] = first + n;
    }
}
