/* trail.c - see trail.h.
 *
 * A pooling numbers nodes within the graph that enters it. Node i of the next level is node keep[i] of this
 * one, so the numbers of the input come from following `keep` level by level.
 * SPDX-License-Identifier: MIT */
#include "api/trail.h"
#include "base/flush.h"

static const double *widen(const mp_real *v, size_t n, mp_arena *a)
{
    double *out = MP_NEW_RAW(a, double, n);
    for (size_t i = 0; i < n; i++) out[i] = (double)v[i];
    return out;
}

static void list_edges(const mp_graph *g, const int *node, mp_arena *a, mp_trail_level *l)
{
    int *from = MP_NEW(a, int, g->edges), *to = MP_NEW(a, int, g->edges);
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            if (g->col[e] >= v) continue; /* once, and no self loops */
            from[l->edges] = node[v];
            to[l->edges++] = node[g->col[e]];
        }
    }
    l->from = from;
    l->to = to;
}

/* Fills a level; returns the input's numbers of the nodes that go on. */
static const int *fill_level(const mp_pooling *p, const mp_kernels *k, const int *node, mp_arena *a, mp_trail_level *l)
{
    const mp_pool *layer = p->pool;
    int N = p->g->nodes, D = p->score->cols, kept = p->keep_ptr[p->g->graphs];
    size_t n = (size_t)N * (size_t)D;
    mp_real *f = MP_NEW_RAW(a, mp_real, n);
    k->act_fwd(f, p->score->v, layer->gate, n);
    for (size_t i = 0; layer->ungated && i < n; i++) f[i] = 1;
    *l = (mp_trail_level){ .nodes = N, .columns = D, .node = node, .keep = kept };
    l->score = widen(p->score->v, n, a);
    l->gate = widen(f, n, a);
    l->key = widen(p->key, (size_t)N, a);
    unsigned char *is_kept = MP_NEW(a, unsigned char, N), *dropped = MP_NEW(a, unsigned char, N);
    int *order = MP_NEW(a, int, kept);
    for (int i = 0; i < kept; i++) {
        is_kept[p->keep[i]] = 1;
        order[i] = node[p->keep[i]];
    }
    for (int v = 0; p->dropped && v < N; v++) dropped[v] = p->dropped[v] != 0;
    l->kept = is_kept;
    l->dropped = dropped;
    l->order = order;
    list_edges(p->g, node, a, l);
    return order;
}

mp_err mp_trail_pass(mp_model *m, const mp_graph *g, const mp_sparse *x, int draw, mp_arena *a, mp_trail *trail,
                     const mp_mat **raw)
{
    const mp_kernels *k = mp_kernels_get();
    if (!k) return mp_fail(MP_ERR_USAGE, "MIDPOOL_ISA: this machine does not have these instructions");
    MP_TRY(mp_model_accepts(m, g));
    mp_ctx c = { .arena = a, .k = k, .training = draw > 0 };
    c.rng = mp_rng_stream((uint64_t)mp_model_config(m)->seed, MP_FOR_STEP, 0, 0, (uint64_t)draw);
    c.epoch = (uint64_t)draw;
    mp_params_bind(mp_model_params(m), &c, NULL);
    unsigned before = mp_flush_on();
    *raw = mp_model_forward(m, &c, g, x, NULL, trail, NULL);
    mp_flush_off(before);
    return c.diverged ? mp_fail(MP_ERR_DIVERGED, "a score is not a number") : MP_OK;
}

mp_err mp_trail_run(mp_model *m, const mp_graph *g, const mp_sparse *x, int draw, mp_arena *a, mp_trail_of_graph *out)
{
    const mp_mat *raw;
    mp_trail trail = { 0 };
    MP_TRY(mp_trail_pass(m, g, x, draw, a, &trail, &raw));
    const mp_kernels *k = mp_kernels_get();
    *out = (mp_trail_of_graph){ .nodes = g->nodes, .levels = trail.levels, .outputs = mp_model_outputs(m) };
    int *all = MP_NEW(a, int, g->nodes);
    for (int v = 0; v < g->nodes; v++) all[v] = v;
    const int *node = all;
    for (int i = 0; i < trail.levels; i++) node = fill_level(trail.level[i], k, node, a, &out->level[i]);
    mp_real *told = MP_NEW_RAW(a, mp_real, out->outputs);
    mp_model_goal(m)->task->tell(mp_model_goal(m), k, told, raw->v, 1);
    out->told = told;
    return MP_OK;
}
