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

/* ---- edges */
void run_closed_weights(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, coin(r));
    float *s = reals(r, (size_t)g.nodes), *q = reals(r, (size_t)g.nodes);
    k->closed_weights(s, q, &c);
    trace_reals(t, s, (size_t)g.nodes);
    trace_reals(t, q, (size_t)g.nodes);
}

void run_open_weights(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, coin(r));
    float *p = reals(r, (size_t)g.edges), *s = reals(r, (size_t)g.nodes);
    k->open_weights(p, s, &c);
    trace_reals(t, p, (size_t)g.edges);
    trace_reals(t, s, (size_t)g.nodes);
}

void run_mean_weights(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, coin(r));
    float *p = reals(r, (size_t)g.edges);
    k->mean_weights(p, &c);
    trace_reals(t, p, (size_t)g.edges);
}

void run_mean_weights_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, true);
    float *dw = reals(r, (size_t)g.edges);
    k->mean_weights_bwd(dw, reals(r, (size_t)g.edges), &c);
    trace_reals(t, dw, (size_t)g.edges);
}

void run_sum_weights_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, true);
    float *dw = reals(r, (size_t)g.edges);
    k->sum_weights_bwd(dw, reals(r, (size_t)g.edges), &c);
    trace_reals(t, dw, (size_t)g.edges);
}

void run_root_weights_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, true);
    size_t n = (size_t)g.nodes, m = (size_t)g.edges;
    float *dw = reals(r, m), *dd = reals(r, n), *self = coin(r) ? reals(r, n) : NULL;
    k->root_weights_bwd(dw, dd, reals(r, m), self, self ? reals(r, n) : NULL, reals(r, n), &c);
    trace_reals(t, dw, m);
    trace_reals(t, dd, n);
}

void run_weight_sums(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, coin(r));
    float *out = reals(r, (size_t)g.nodes);
    k->weight_sums(out, coin(r), &c);
    trace_reals(t, out, (size_t)g.nodes);
}

void run_edge_pair(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, false);
    float *out = reals(r, (size_t)g.edges), *b = coin(r) ? reals(r, (size_t)g.nodes) : NULL;
    k->edge_pair(out, reals(r, (size_t)g.nodes), b, &c);
    trace_reals(t, out, (size_t)g.edges);
}

void run_edge_pair_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, false);
    float *da = reals(r, (size_t)g.nodes), *db = reals(r, (size_t)g.nodes);
    bool a = coin(r), b = !a || coin(r);
    k->edge_pair_bwd(a ? da : NULL, b ? db : NULL, reals(r, (size_t)g.edges), &c);
    trace_reals(t, da, (size_t)g.nodes);
    trace_reals(t, db, (size_t)g.nodes);
}

void run_edge_mix(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r);
    float *out = reals(r, area(N, C));
    k->edge_mix(out, reals(r, area(N, C)), reals(r, (size_t)N), 0.7f, -1.3f, N, C);
    trace_reals(t, out, area(N, C));
}

void run_edge_mix_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, false);
    float *dw = reals(r, (size_t)g.edges);
    k->edge_mix_bwd(dw, reals(r, (size_t)g.nodes), reals(r, (size_t)g.edges), 0.7f, -1.3f, &c);
    trace_reals(t, dw, (size_t)g.edges);
}

/* ---- normalisation and losses */
static double *doubles(mp_rig *r, size_t n)
{
    double *v = room(n, sizeof *v);
    for (size_t i = 0; i < n; i++) v[i] = mp_rng_unit(&r->rng) * 3;
    return v;
}

void run_batch_stats(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = 2 + size(r), C = size(r);
    size_t m = (size_t)C;
    float *centre = reals(r, m), *scale = reals(r, m), *mean = reals(r, m), *var = reals(r, m);
    for (size_t j = 0; j < m; j++) var[j] = var[j] < 0 ? -var[j] : var[j];
    k->batch_stats(centre, scale, mean, var, coin(r) ? doubles(r, 2 * m) : NULL, N, C);
    trace_reals(t, centre, m);
    trace_reals(t, scale, m);
    trace_reals(t, mean, m);
    trace_reals(t, var, m);
}

void run_batch_slopes(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = 1 + size(r), C = size(r);
    size_t m = (size_t)C;
    float *factor = reals(r, m), *less = reals(r, 2 * m);
    k->batch_slopes(factor, less, reals(r, m), reals(r, m), doubles(r, 2 * m), coin(r), N, C);
    trace_reals(t, factor, m);
    trace_reals(t, less, 2 * m);
}

void run_add_doubles(const mp_kernels *k, mp_rig *r, trace *t)
{
    int n = size(r);
    float *y = reals(r, (size_t)n);
    k->add_doubles(y, doubles(r, (size_t)n), n);
    trace_reals(t, y, (size_t)n);
}

/* Some of what is wanted is not known. */
static float *wanted(mp_rig *r, size_t n)
{
    float *want = reals(r, n);
    for (size_t i = 0; i < n; i++)
        if (mp_rng_unit(&r->rng) < 0.1) want[i] = (float)NAN;
    return want;
}

void run_bce(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = (size_t)size(r);
    float *loss = reals(r, 1), *slope = reals(r, n);
    k->bce(loss, slope, reals(r, n), coin(r) ? wanted(r, n) : NULL, 1, 0.125f, n);
    trace_reals(t, loss, 1);
    trace_reals(t, slope, n);
}

void run_distance(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = (size_t)size(r);
    float *loss = reals(r, 1), *slope = reals(r, n);
    k->distance(loss, slope, reals(r, n), wanted(r, n), (mp_error_kind)mp_rng_below(&r->rng, 3), 0.5f, 0.125f, n);
    trace_reals(t, loss, 1);
    trace_reals(t, slope, n);
}
