/* plain_runs.c - a run on random arrays for each kernel of math/plain.h that a GPU has (kernel_runs.h).
 * SPDX-License-Identifier: MIT */
#include "plain_runs.h"

#define size  runs_size
#define small runs_small
#define coin  runs_coin
#define room  runs_room
#define reals runs_reals

static size_t area(int a, int b)
{
    return (size_t)a * (size_t)b;
}

static mp_graph some_graph(mp_rig *r)
{
    int sizes[3] = { 1 + small(r), small(r), 3 + 3 * small(r) };
    return mp_rig_graph(r, 3, sizes, mp_rng_between(&r->rng, 0, 0.5), 0.2);
}

static mp_csr csr_of(mp_rig *r, const mp_graph *g, bool weighted)
{
    mp_csr c = mp_graph_csr(g);
    if (weighted) {
        float *w = reals(r, (size_t)g->edges);
        for (int e = 0; e < g->edges; e++) w[e] = w[e] < 0 ? -w[e] : w[e];
        c.w = w;
    }
    return c;
}

void run_closed_roots(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, false);
    float *s = reals(r, (size_t)g.nodes);
    k->closed_roots(s, &c, coin(r), g.nodes / 3, g.nodes);
    trace_reals(t, s, (size_t)g.nodes);
}

/* Classes of a graph of cliques. */
void run_class_roots(const mp_kernels *k, mp_rig *r, trace *t)
{
    int classes = 1 + small(r), links = 0, *member_ptr = MP_NEW(r->memory, int, classes + 1);
    int *row_ptr = MP_NEW(r->memory, int, classes + 1), *col = MP_NEW(r->memory, int, classes *classes);
    for (int q = 0; q < classes; q++) {
        member_ptr[q + 1] = member_ptr[q] + small(r) / 2;
        for (int u = 0; u < classes; u++)
            if (u == q || coin(r)) col[links++] = u;
        row_ptr[q + 1] = links;
    }
    int n = member_ptr[classes], *member = MP_NEW(r->memory, int, n);
    for (int i = 0; i < n; i++) member[i] = i;
    mp_rng_shuffle(&r->rng, member, n);
    float *s = reals(r, (size_t)n);
    k->class_roots(s, row_ptr, col, member_ptr, member, classes);
    trace_reals(t, s, (size_t)n);
}

void run_unit_cols(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), D = 1 + small(r);
    float *out = reals(r, area(N, D)), *length = reals(r, (size_t)D);
    k->unit_cols(out, length, reals(r, area(N, D)), N, D);
    trace_reals(t, out, area(N, D));
    trace_reals(t, length, (size_t)D);
}

void run_unit_cols_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), D = 1 + small(r);
    float *dP = reals(r, area(N, D)), *length = reals(r, (size_t)D); /* lengths that are not positive give nothing */
    k->unit_cols_bwd(dP, reals(r, area(N, D)), reals(r, area(N, D)), length, N, D);
    trace_reals(t, dP, area(N, D));
}

void run_range_shares(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    float *out = reals(r, 3);
    k->range_shares(out, g.node_ptr, 3);
    trace_reals(t, out, 3);
}

void run_keys(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), D = 1 + small(r);
    float *key = reals(r, (size_t)N), *S = reals(r, area(N, D));
    bool *nan = room(1, sizeof *nan);
    if (N > 0 && mp_rng_unit(&r->rng) < 0.2) S[mp_rng_below(&r->rng, N * D)] = (float)NAN;
    k->keys(key, nan, S, coin(r), (mp_key_kind)mp_rng_below(&r->rng, 3), coin(r), N, D);
    trace_reals(t, key, (size_t)N);
    trace_marks(t, nan, 1);
}

void run_clear_marked(const mp_kernels *k, mp_rig *r, trace *t)
{
    int n = size(r), *mark = room((size_t)n, sizeof *mark);
    float *x = reals(r, (size_t)n);
    for (int i = 0; i < n; i++) mark[i] = coin(r) ? i + 1 : 0;
    k->clear_marked(x, mark, n);
    trace_reals(t, x, (size_t)n);
}
