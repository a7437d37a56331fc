/* plain_runs.c - a run on random arrays for each kernel of math/plain.h that a GPU has (kernel_runs.h). Over 500 lines because every
 * kernel has its run here.
 * SPDX-License-Identifier: MIT */
#include "plain_runs.h"
#include "graph/twins.h"

#include <string.h>

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

void run_square_sum(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    double *out = room(1, sizeof *out);
    k->square_sum(out, reals(r, n), n);
    trace_doubles(t, out, 1);
}

/* Norms below and above the most. */
void run_clip_scale(const mp_kernels *k, mp_rig *r, trace *t)
{
    int n = size(r);
    double *squares = room((size_t)n, sizeof *squares);
    float *scale = reals(r, 1);
    for (int i = 0; i < n; i++) squares[i] = mp_rng_unit(&r->rng);
    k->clip_scale(scale, squares, coin(r) ? 0.5 : 5, n);
    trace_reals(t, scale, 1);
}

/* ---- what was kept */
void run_mark_rows(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = 1 + size(r), n = size(r), *which = room((size_t)n, sizeof *which);
    bool *mark = room((size_t)N, sizeof *mark);
    for (int i = 0; i < n; i++) which[i] = mp_rng_below(&r->rng, N);
    for (int v = 0; v < N; v++) mark[v] = coin(r);
    k->mark_rows(mark, which, n, N);
    trace_marks(t, mark, (size_t)N);
}

/* Keys that tie often, of both signs of 0, and NaN; nodes that are dropped, in an order of their own; more kept than are left. */
void run_rank(const mp_kernels *k, mp_rig *r, trace *t)
{
    enum { B = 4 };
    int *node_ptr = room(B + 1, sizeof(int)), *keep_ptr = room(B + 1, sizeof(int));
    for (int b = 0; b < B; b++) {
        int n = coin(r) ? runs_rows(r) : small(r);
        node_ptr[b + 1] = node_ptr[b] + n;
        keep_ptr[b + 1] = keep_ptr[b] + mp_rng_below(&r->rng, n + 1);
    }
    int N = node_ptr[B], *keep = room((size_t)keep_ptr[B], sizeof *keep),
        *dropped = coin(r) ? room((size_t)N, sizeof(int)) : NULL;
    float *key = reals(r, (size_t)N);
    static const float few[] = { 0.0f, -0.0f, 1e-45f, 1, -1, INFINITY, -INFINITY, 2, 3 };
    for (int v = 0; v < N; v++) {
        if (coin(r)) key[v] = few[small(r)];
        if (mp_rng_unit(&r->rng) < 0.02) key[v] = (float)NAN;
        if (dropped && mp_rng_unit(&r->rng) < 0.4) dropped[v] = 1 + mp_rng_below(&r->rng, 5);
    }
    k->rank(keep, room((size_t)N, MP_RANK_WORK), key, dropped, node_ptr, keep_ptr, B, N);
    trace_ints(t, keep, (size_t)keep_ptr[B]);
}

void run_take_ints(const mp_kernels *k, mp_rig *r, trace *t)
{
    int n = size(r), m = 1 + size(r), *out = room((size_t)n, sizeof *out), *from = room((size_t)m, sizeof *from);
    int *which = room((size_t)n, sizeof *which);
    for (int i = 0; i < m; i++) from[i] = 3 * i + small(r);
    for (int i = 0; i < n; i++) which[i] = coin(r) ? mp_rng_below(&r->rng, m) : -1;
    k->take_ints(out, from, which, n);
    trace_ints(t, out, (size_t)n);
}

/* Some nodes of each graph, in any order. */
static int *some_kept(mp_rig *r, const mp_graph *g, int **keep_ptr)
{
    int *keep = room((size_t)g->nodes, sizeof *keep);
    *keep_ptr = room((size_t)g->graphs + 1, sizeof(int));
    mp_rig_keep(r, g, mp_rng_unit(&r->rng), keep, *keep_ptr);
    return keep;
}

/* A node with n neighbours that know nobody else, between two graphs without nodes. */
static mp_graph star(mp_rig *r, int n)
{
    int *node_ptr = MP_NEW(r->memory, int, 4), *row_ptr = MP_NEW(r->memory, int, n + 2);
    int *col = MP_NEW(r->memory, int, 2 * n), *rev = MP_NEW(r->memory, int, 2 * n);
    node_ptr[2] = node_ptr[3] = n + 1;
    for (int v = 0; v < n; v++) {
        row_ptr[v + 1] = n + v;
        col[v] = v + 1;
        rev[v] = n + v;
        rev[n + v] = v;
    }
    row_ptr[n + 1] = 2 * n;
    return (mp_graph){
        .graphs = 3, .nodes = n + 1, .edges = 2 * n, .node_ptr = node_ptr, .row_ptr = row_ptr, .col = col, .rev = rev
    };
}

/* Rows of few edges, of more than a block of a GPU has threads, and of very many. */
static mp_graph graph_to_thin(mp_rig *r)
{
    if (mp_rng_unit(&r->rng) < 0.2) return star(r, coin(r) ? 700 : 18000);
    int sizes[3] = { 1 + small(r), small(r), coin(r) ? 150 : 3 + 3 * small(r) };
    return mp_rig_graph(r, 3, sizes, mp_rng_between(&r->rng, 0, 0.3), 0.2);
}

void run_induce_rows(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = graph_to_thin(r);
    mp_csr c = csr_of(r, &g, false);
    int *keep_ptr, *keep = some_kept(r, &g, &keep_ptr), K = keep_ptr[3];
    int *row_ptr = room((size_t)K + 1, sizeof *row_ptr), *place = room((size_t)g.nodes, sizeof *place);
    k->induce_rows(row_ptr, place, &c, keep, K);
    trace_ints(t, row_ptr, (size_t)K + 1);
    trace_ints(t, place, (size_t)g.nodes);
}

void run_induce_edges(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = graph_to_thin(r);
    mp_csr c = csr_of(r, &g, false);
    int *keep_ptr, *keep = some_kept(r, &g, &keep_ptr), K = keep_ptr[3];
    size_t edges = 0;
    bool *kept = MP_NEW(r->memory, bool, g.nodes);
    for (int i = 0; i < K; i++) kept[keep[i]] = true;
    for (int i = 0; i < K; i++)
        for (int e = g.row_ptr[keep[i]]; e < g.row_ptr[keep[i] + 1]; e++) edges += kept[g.col[e]];
    int *row_ptr = room((size_t)K + 1, sizeof *row_ptr), *place = room((size_t)g.nodes, sizeof *place);
    int *col = room(edges + 1, sizeof *col), *rev = NULL, *from = NULL;
    if (coin(r)) {
        rev = room(edges, sizeof *rev);
        from = room(edges + 1, sizeof *from);
    }
    int *work = room((size_t)K + 1 + (size_t)g.edges, sizeof *work);
    k->induce_rows(row_ptr, place, &c, keep, K);
    k->induce_edges(col, rev, from, work, row_ptr, place, &c, keep, K);
    trace_ints(t, col, edges);
    if (rev) trace_ints(t, rev, edges);
    if (rev) trace_ints(t, from, edges);
}

typedef struct kept_classes {
    int *class_ptr, *member_ptr, *member, *row_ptr, *col;
} kept_classes;

static kept_classes keep_twins(const mp_kernels *k, const mp_twins *w, const int *keep, const int *keep_ptr, int N,
                               int B)
{
    size_t classes = (size_t)w->classes, kept = (size_t)keep_ptr[B];
    kept_classes out = { room((size_t)B + 1, sizeof(int)), room(classes + 2, sizeof(int)), room(kept, sizeof(int)),
                         room(classes + 2, sizeof(int)), room((size_t)w->links + 1, sizeof(int)) };
    mp_classes of = { w->member_ptr, w->member, w->row_ptr, w->col, w->classes };
    k->twins_keep(out.class_ptr, out.member_ptr, out.member, out.row_ptr, out.col,
                  room((size_t)N + 2 * classes + kept, sizeof(int)), &of, keep, keep_ptr, N, B);
    return out;
}

void run_twins_keep(const mp_kernels *k, mp_rig *r, trace *t)
{
    int sizes[4] = { 12 + 3 * small(r), small(r), coin(r) ? 160 : 20, 1 + small(r) };
    mp_graph g = mp_rig_cliques(r, 4, sizes, 3, 0.5);
    const mp_twins *w = mp_twins_find(r->memory, r->memory, &g);
    int *keep_ptr, *keep = some_kept(r, &g, &keep_ptr);
    if (w->classes == 0) return;
    kept_classes want =
        keep_twins(mp_kernels_named("base"), w, keep, keep_ptr, g.nodes, 4); /* says how much there is */
    kept_classes have = keep_twins(k, w, keep, keep_ptr, g.nodes, 4);
    size_t classes = (size_t)w->classes;
    trace_ints(t, have.class_ptr, 5);
    trace_ints(t, have.member_ptr, classes + 1);
    trace_ints(t, have.row_ptr, classes + 1);
    trace_ints(t, have.member, (size_t)want.member_ptr[classes]);
    trace_ints(t, have.col, (size_t)want.row_ptr[classes]);
}

/* ---- baselines */
void run_lstm_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int B = small(r), H = size(r);
    size_t n = area(B, H);
    float *da = reals(r, 4 * n), *dbefore = reals(r, n), *before = coin(r) ? reals(r, n) : NULL;
    k->lstm_bwd(da, coin(r) ? dbefore : NULL, coin(r) ? reals(r, n) : NULL, coin(r) ? reals(r, n) : NULL,
                reals(r, 4 * n), reals(r, n), before, B, H);
    trace_reals(t, da, 4 * n);
    trace_reals(t, dbefore, n);
}

void run_window_order(const mp_kernels *k, mp_rig *r, trace *t)
{
    int channels = small(r), width = small(r), out = size(r);
    size_t n = area(channels, width) * (size_t)out;
    float *to = reals(r, n);
    k->window_order(to, reals(r, n), coin(r), channels, width, out);
    trace_reals(t, to, n);
}

void run_max_pairs(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), channels = 1 + small(r), places = small(r), C = places * channels,
        C_in = (2 * places + 1) * channels;
    float *out = reals(r, area(N, C));
    int *arg = room(area(N, C), sizeof *arg);
    k->max_pairs(out, arg, reals(r, area(N, C_in)), N, C, C_in, channels);
    trace_reals(t, out, area(N, C));
    trace_ints(t, arg, area(N, C));
}

void run_max_pairs_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = small(r), C_in = 2 * C + 1, *arg = room(area(N, C), sizeof *arg);
    for (size_t i = 0; i < area(N, C); i++) arg[i] = 2 * (int)(i % (size_t)C) + coin(r);
    float *dX = reals(r, area(N, C_in));
    k->max_pairs_bwd(dX, reals(r, area(N, C)), arg, N, C, C_in);
    trace_reals(t, dX, area(N, C_in));
}

void run_flip_places(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), channels = small(r), places = small(r);
    size_t n = area(N, channels) * (size_t)places;
    float *out = reals(r, n);
    k->flip_places(out, reals(r, n), N, channels, places);
    trace_reals(t, out, n);
}

void run_flip_places_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), channels = small(r), places = small(r);
    size_t n = area(N, channels) * (size_t)places;
    float *dX = reals(r, n);
    k->flip_places_bwd(dX, reals(r, n), N, channels, places);
    trace_reals(t, dX, n);
}

void run_head_spread(const mp_kernels *k, mp_rig *r, trace *t)
{
    int heads = 1 + small(r) % 4, m = small(r), C = heads * (1 + small(r));
    float *out = reals(r, area(C, heads * m));
    k->head_spread(out, reals(r, area(m, C)), 0.3f, heads, m, C);
    trace_reals(t, out, area(C, heads * m));
}

void run_head_spread_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int heads = 1 + small(r) % 4, m = small(r), C = heads * (1 + small(r));
    float *dq = reals(r, area(m, C));
    k->head_spread_bwd(dq, reals(r, area(C, heads * m)), 0.3f, heads, m, C);
    trace_reals(t, dq, area(m, C));
}

void run_layer_norm(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = 1 + size(r);
    size_t n = area(N, C);
    float *Y = reals(r, n), *hat = reals(r, n), *scale = reals(r, (size_t)N);
    k->layer_norm(Y, hat, scale, reals(r, n), reals(r, (size_t)C), reals(r, (size_t)C), N, C);
    trace_reals(t, Y, n);
    trace_reals(t, hat, n);
    trace_reals(t, scale, (size_t)N);
}

void run_layer_norm_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = 1 + size(r);
    size_t n = area(N, C);
    float *dX = reals(r, n);
    k->layer_norm_bwd(dX, reals(r, n), reals(r, n), reals(r, (size_t)N), reals(r, (size_t)C), N, C);
    trace_reals(t, dX, n);
}

void run_row_share(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r);
    float *out = reals(r, area(N, C)), *sum = reals(r, (size_t)N);
    k->row_share(out, sum, reals(r, area(N, C)), N, C);
    trace_reals(t, out, area(N, C));
    trace_reals(t, sum, (size_t)N);
}

void run_row_share_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r);
    float *dA = reals(r, area(N, C)), *sum = reals(r, (size_t)N);
    for (int v = 0; v < N; v++) sum[v] *= 2; /* above 1, below 1, and below 0 */
    k->row_share_bwd(dA, reals(r, area(N, C)), reals(r, area(N, C)), sum, N, C);
    trace_reals(t, dA, area(N, C));
}

void run_block_sym(const mp_kernels *k, mp_rig *r, trace *t)
{
    int K = 1 + small(r), rows = K * small(r);
    float *out = reals(r, area(rows, K)), *s = reals(r, (size_t)rows);
    k->block_sym(out, s, reals(r, area(rows, K)), rows, K);
    trace_reals(t, out, area(rows, K));
    trace_reals(t, s, (size_t)rows);
}

void run_block_sym_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int K = 1 + small(r), rows = K * small(r);
    float *dA = reals(r, area(rows, K));
    k->block_sym_bwd(dA, reals(r, area(rows, K)), reals(r, area(rows, K)), reals(r, (size_t)rows), rows, K);
    trace_reals(t, dA, area(rows, K));
}

void run_diagonals(const mp_kernels *k, mp_rig *r, trace *t)
{
    int B = small(r), K = small(r);
    float *Y = reals(r, area(B * K, K));
    k->diagonals(Y, -1.5f, reals(r, (size_t)B), B, K);
    trace_reals(t, Y, area(B * K, K));
}

void run_diagonal_set(const mp_kernels *k, mp_rig *r, trace *t)
{
    int K = size(r);
    float *Y = reals(r, area(K, K));
    k->diagonal_set(Y, 1, K);
    trace_reals(t, Y, area(K, K));
}

void run_cut_loss(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    int K = 1 + small(r);
    double *num = room(3, sizeof *num), *den = room(3, sizeof *den);
    float *loss = reals(r, 1);
    k->cut_loss(loss, num, den, reals(r, area(g.nodes, K)), reals(r, area(3 * K, K)), reals(r, (size_t)g.nodes),
                g.node_ptr, 3, K);
    trace_reals(t, loss, 1);
    trace_doubles(t, num, 3);
    trace_doubles(t, den, 3);
}

void run_closeness(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), H = 1 + small(r) % 4, K = small(r);
    float *u = reals(r, area(N, H * K)), *sum = reals(r, area(N, H));
    k->closeness(u, sum, reals(r, (size_t)N), reals(r, area(H, K)), N, H, K);
    trace_reals(t, u, area(N, H * K));
    trace_reals(t, sum, area(N, H));
}

void run_head_weights(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), H = 1 + small(r);
    float *out = reals(r, (size_t)N);
    k->head_weights(out, reals(r, (size_t)H), reals(r, area(N, H)), mp_rng_below(&r->rng, H), N, H);
    trace_reals(t, out, (size_t)N);
}

void run_minus_sums(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = runs_rows(r), C = size(r);
    float *rows = reals(r, (size_t)N), *cols = reals(r, (size_t)C);
    k->minus_sums(rows, cols, reals(r, area(N, C)), N, C);
    trace_reals(t, rows, (size_t)N);
    trace_reals(t, cols, (size_t)C);
}

void run_closeness_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = coin(r) ? 1300 : size(r), H = 1 + small(r) % 4, K = small(r);
    float *e = reals(r, area(N, H * K)), *dmix = coin(r) ? reals(r, (size_t)H) : NULL;
    k->closeness_bwd(e, dmix, reals(r, area(N, K)), reals(r, area(N, H * K)), reals(r, area(N, H)), reals(r, (size_t)H),
                     N, H, K);
    trace_reals(t, e, area(N, H * K));
    if (dmix) trace_reals(t, dmix, (size_t)H);
}

void run_ortho_loss(const mp_kernels *k, mp_rig *r, trace *t)
{
    int B = coin(r) ? small(r) : 300, K = small(r); /* more graphs than a block has threads */
    float *loss = reals(r, 1), *slope = reals(r, (size_t)B), *one = reals(r, (size_t)B);
    k->ortho_loss(loss, slope, one, reals(r, area(B * K, K)), B, K);
    trace_reals(t, loss, 1);
    trace_reals(t, slope, (size_t)B);
    trace_reals(t, one, (size_t)B);
}

void run_link_loss(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    int K = small(r), padded = coin(r) ? 40 : 0;
    float *loss = reals(r, 1), *slope = reals(r, 3), *M = reals(r, area(3 * K, K));
    for (size_t i = 0; coin(r) && i < area(K, K); i++) M[i] *= 5; /* a graph that is far off */
    k->link_loss(loss, slope, reals(r, area(3 * K, K)), M, coin(r) ? reals(r, (size_t)g.edges) : NULL, g.node_ptr,
                 g.row_ptr, padded, 3, K);
    trace_reals(t, loss, 1);
    trace_reals(t, slope, 3);
}

/* Numbers from 0 to 1, some of them 0. */
static float *assignment(mp_rig *r, size_t n)
{
    float *S = reals(r, n);
    for (size_t i = 0; i < n; i++) S[i] = mp_rng_unit(&r->rng) < 0.1 ? 0 : (float)mp_rng_unit(&r->rng);
    return S;
}

/* More graphs than a block has threads, some without nodes. */
static int *many_ranges(mp_rig *r, int *B)
{
    *B = coin(r) ? 1 + small(r) : 300;
    int *ptr = MP_NEW(r->memory, int, *B + 1);
    for (int b = 0; b < *B; b++) ptr[b + 1] = ptr[b] + (coin(r) ? small(r) : 1);
    return ptr;
}

void run_entropy_loss(const mp_kernels *k, mp_rig *r, trace *t)
{
    int B, *ptr = many_ranges(r, &B), K = small(r);
    float *loss = reals(r, 1);
    k->entropy_loss(loss, assignment(r, area(ptr[B], K)), ptr, coin(r) ? 17 : 0, B, K);
    trace_reals(t, loss, 1);
}

void run_entropy_loss_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int B, *ptr = many_ranges(r, &B), K = small(r);
    size_t n = area(ptr[B], K);
    float *dS = reals(r, n);
    k->entropy_loss_bwd(dS, reals(r, 1), assignment(r, n), ptr, coin(r) ? 17 : 0, B, K);
    trace_reals(t, dS, n);
}

void run_kl_loss(const mp_kernels *k, mp_rig *r, trace *t)
{
    int B, *ptr = many_ranges(r, &B), K = small(r);
    size_t n = area(ptr[B], K);
    float *loss = reals(r, 1), *slope = reals(r, n);
    double *work = room(area(B, 2 * K + 1) + area(ptr[B], K + 1), sizeof *work);
    k->kl_loss(loss, slope, work, assignment(r, n), ptr, coin(r), B, K);
    trace_reals(t, loss, 1);
    trace_reals(t, slope, n);
}

void run_range_sizes(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    float *out = reals(r, (size_t)g.nodes);
    k->range_sizes(out, g.node_ptr, coin(r), 3);
    trace_reals(t, out, (size_t)g.nodes);
}

void run_range_counts(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    float *out = reals(r, 3);
    k->range_counts(out, g.node_ptr, 3);
    trace_reals(t, out, 3);
}

void run_column(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = 1 + small(r);
    float *out = reals(r, (size_t)N);
    k->column(out, reals(r, area(N, C)), mp_rng_below(&r->rng, C), N, C);
    trace_reals(t, out, (size_t)N);
}

void run_column_put(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = 1 + small(r);
    float *X = reals(r, area(N, C));
    k->column_put(X, reals(r, (size_t)N), coin(r), mp_rng_below(&r->rng, C), N, C);
    trace_reals(t, X, area(N, C));
}

void run_either(const mp_kernels *k, mp_rig *r, trace *t)
{
    int n = size(r), *which = room((size_t)n, sizeof *which);
    for (int i = 0; i < n; i++) which[i] = small(r) - 4;
    float *out = reals(r, (size_t)n);
    k->either(out, which, 1.5f, -2, n);
    trace_reals(t, out, (size_t)n);
}

void run_share_weights(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, coin(r));
    float *p = reals(r, (size_t)g.edges);
    k->share_weights(p, &c);
    trace_reals(t, p, (size_t)g.edges);
}

void run_share_weights_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, true);
    float *dw = reals(r, (size_t)g.edges);
    k->share_weights_bwd(dw, reals(r, (size_t)g.edges), reals(r, (size_t)g.edges), &c);
    trace_reals(t, dw, (size_t)g.edges);
}

void run_hat_weights(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    mp_csr c = csr_of(r, &g, false);
    float *w = reals(r, (size_t)g.edges);
    k->hat_weights(w, &c);
    trace_reals(t, w, (size_t)g.edges);
}
