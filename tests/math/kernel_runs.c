/* kernel_runs.c - see kernel_runs.h. Sizes are drawn odd, zero and large; scratch and outputs have exactly the size they
 * need. Over 500 lines because every kernel has its run here.
 * SPDX-License-Identifier: MIT */
#include "kernel_runs.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define size  runs_size
#define small runs_small
#define coin  runs_coin
#define room  runs_room
#define reals runs_reals

/* What lies at p, now or when the trace is settled. */
static bool put_off(trace *t, trace_kind kind, const void *p, size_t n)
{
    if (!t->later) return false;
    if (t->spans == t->span_cap) {
        trace_span *more = MP_NEW(t->memory, trace_span, 2 * t->spans + 64);
        if (t->spans) memcpy(more, t->span, t->spans * sizeof *more);
        t->span = more;
        t->span_cap = 2 * t->spans + 64;
    }
    t->span[t->spans++] = (trace_span){ kind, p, n };
    return true;
}

void trace_reals(trace *t, const float *v, size_t n)
{
    if (put_off(t, TRACE_REALS, v, n)) return;
    if (t->n + n > t->cap) {
        size_t cap = 2 * (t->n + n) + 1024;
        float *more = MP_NEW(t->memory, float, cap);
        if (t->n) memcpy(more, t->v, t->n * sizeof *more);
        t->v = more;
        t->cap = cap;
    }
    for (size_t i = 0; i < n; i++) t->v[t->n++] = v[i] != v[i] ? (float)NAN : v[i];
}

/* What a float holds of each, and what is left. */
void trace_doubles(trace *t, const double *v, size_t n)
{
    if (put_off(t, TRACE_DOUBLES, v, n)) return;
    for (size_t i = 0; i < n; i++) {
        float high = (float)v[i], low = (float)(v[i] - (double)high);
        trace_reals(t, &high, 1);
        trace_reals(t, &low, 1);
    }
}

void trace_ints(trace *t, const int *v, size_t n)
{
    if (put_off(t, TRACE_INTS, v, n)) return;
    for (size_t i = 0; i < n; i++) {
        float f = (float)v[i]; /* exact: indices of tests are small */
        trace_reals(t, &f, 1);
    }
}

void trace_marks(trace *t, const bool *v, size_t n)
{
    if (put_off(t, TRACE_MARKS, v, n)) return;
    for (size_t i = 0; i < n; i++) trace_ints(t, &(int){ v[i] }, 1);
}

void trace_settle(trace *t)
{
    t->later = false;
    for (size_t i = 0; i < t->spans; i++) {
        const trace_span *s = &t->span[i];
        if (s->kind == TRACE_REALS) trace_reals(t, s->p, s->n);
        if (s->kind == TRACE_DOUBLES) trace_doubles(t, s->p, s->n);
        if (s->kind == TRACE_INTS) trace_ints(t, s->p, s->n);
        if (s->kind == TRACE_MARKS) trace_marks(t, s->p, s->n);
    }
    t->spans = 0;
}

int runs_size(mp_rig *r)
{
    static const int some[] = { 0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 64, 65, 100, 127, 128, 129 };
    return some[mp_rng_below(&r->rng, (int)(sizeof some / sizeof *some))];
}

int runs_rows(mp_rig *r)
{
    return mp_rng_unit(&r->rng) < 0.1 ? 1300 : runs_size(r);
}

int runs_small(mp_rig *r)
{
    return mp_rng_below(&r->rng, 9);
}

bool runs_coin(mp_rig *r)
{
    return mp_rng_unit(&r->rng) < 0.5;
}

static void *plain_get(size_t bytes)
{
    return calloc(bytes + (bytes == 0), 1);
}

runs_memory runs_memory_in_use = { plain_get, free };

static void **held;
static size_t held_count, held_cap;

void *runs_room(size_t count, size_t each)
{
    if (held_count == held_cap) {
        held_cap = 2 * held_cap + 64;
        held = realloc(held, held_cap * sizeof *held);
        mp_assert(held != NULL);
    }
    void *p = runs_memory_in_use.get(count * each);
    mp_assert(p != NULL);
    return held[held_count++] = p;
}

void runs_release(void)
{
    while (held_count > 0) runs_memory_in_use.put(held[--held_count]);
    free(held);
    held = NULL;
    held_cap = 0;
}

float *runs_reals(mp_rig *r, size_t n)
{
    float *v = room(n, sizeof *v);
    for (size_t i = 0; i < n; i++) v[i] = (float)mp_rng_normal(&r->rng);
    return v;
}

static size_t area(int a, int b)
{
    return (size_t)a * (size_t)b;
}

/* A few graphs, some nodes without edges, some with loops. */
static mp_graph some_graph(mp_rig *r)
{
    int sizes[3] = { 1 + small(r), small(r), 3 + 3 * small(r) };
    return mp_rig_graph(r, 3, sizes, mp_rng_between(&r->rng, 0, 0.5), 0.2);
}

/* Positions of some nodes, each at most once. */
static int *some_nodes(mp_rig *r, int N, int *count)
{
    int *keep = MP_NEW(r->memory, int, N);
    for (int i = 0; i < N; i++) keep[i] = i;
    mp_rng_shuffle(&r->rng, keep, N);
    *count = N ? mp_rng_below(&r->rng, N + 1) : 0;
    return keep;
}

void run_gemm(const mp_kernels *k, mp_rig *r, trace *t)
{
    int M = size(r), N = size(r), K = mp_rng_unit(&r->rng) < 0.1 ? 400 : size(r);
    bool flip_a = coin(r), flip_b = coin(r), add = coin(r);
    if (coin(r)) { /* rows lie in fours */
        M -= M % 4;
        N -= N % 4;
        if (!flip_a || flip_b) K -= K % 4;
    }
    mp_operand A = { reals(r, area(M, K)), flip_a ? M : K, flip_a },
               B = { reals(r, area(K, N)), flip_b ? K : N, flip_b };
    float *C = reals(r, area(M, N)), *bias = !add && coin(r) ? reals(r, (size_t)N) : NULL;
    if (mp_rng_unit(&r->rng) < 0.2) { /* chains that begin and stay at -0: a step too many would make them 0 */
        for (size_t i = 0; i < area(M, K); i++) ((float *)(uintptr_t)A.p)[i] = -0.0f;
        for (size_t i = 0; i < area(K, N); i++) ((float *)(uintptr_t)B.p)[i] = 1;
        for (size_t i = 0; i < area(M, N); i++) C[i] = -0.0f;
        for (size_t j = 0; bias && j < (size_t)N; j++) bias[j] = -0.0f;
    }
    k->gemm(C, A, B, M, N, K, bias, add, coin(r), room(mp_gemm_work(M, N, K), sizeof(float)));
    trace_reals(t, C, area(M, N));
}

/* Ranges of different lengths, some empty. */
static int *ranges(mp_rig *r, int *count)
{
    *count = size(r);
    int *ptr = MP_NEW(r->memory, int, *count + 1);
    for (int i = 0; i < *count; i++)
        ptr[i + 1] = ptr[i] + (coin(r) ? small(r) : 0) + (mp_rng_unit(&r->rng) < 0.05 ? 50 : 0);
    return ptr;
}

/* Products of several graphs: S^T X, X G^T, S G. */
void run_gemm_blocks(const mp_kernels *k, mp_rig *r, trace *t)
{
    int count, *ptr = ranges(r, &count), K = small(r), C = coin(r) ? size(r) : small(r), most = 0;
    int *even = room((size_t)count + 1, sizeof *even), rows = ptr[count], way = mp_rng_below(&r->rng, 3);
    bool add = coin(r);
    for (int b = 0; b <= count; b++) even[b] = b * K;
    for (int b = 0; b < count; b++) most = ptr[b + 1] - ptr[b] > most ? ptr[b + 1] - ptr[b] : most;
    float *S = reals(r, area(rows, K)), *X = reals(r, area(rows, C)), *G = reals(r, area(count * K, C));
    float *work = room(mp_gemm_work(most + K, C + K, most + K + C), sizeof *work);
    mp_operand s = { S, K, false }, flip_s = { S, K, true }, x = { X, C, false }, g = { G, C, false },
               flip_g = { G, C, true };
    if (way == 0)
        k->gemm_blocks(G, flip_s, x, (mp_blocks){ even, ptr, ptr, count }, C, 0, add, K, work);
    else if (way == 1)
        k->gemm_blocks(S, x, flip_g, (mp_blocks){ ptr, ptr, even, count }, K, C, add, most, work);
    else
        k->gemm_blocks(X, s, g, (mp_blocks){ ptr, ptr, even, count }, C, K, add, most, work);
    trace_reals(t, S, area(rows, K));
    trace_reals(t, X, area(rows, C));
    trace_reals(t, G, area(count * K, C));
}

void run_agg(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    int C = size(r);
    mp_links l = { g.row_ptr,
                   g.col,
                   coin(r) ? reals(r, (size_t)g.edges) : NULL,
                   coin(r) ? g.rev : NULL,
                   coin(r) ? reals(r, (size_t)g.nodes) : NULL,
                   coin(r) ? reals(r, (size_t)g.nodes) : NULL,
                   coin(r) ? reals(r, (size_t)g.nodes) : NULL,
                   NULL,
                   NULL };
    if (coin(r)) { /* row v goes to some others, each of which has one that it comes from */
        int *to_ptr = MP_NEW(r->memory, int, g.nodes + 1), *to = MP_NEW(r->memory, int, g.nodes);
        for (int v = 0; v < g.nodes; v++) {
            int left = g.nodes - to_ptr[v], most = left < 3 ? left : 3;
            to_ptr[v + 1] = to_ptr[v] + mp_rng_below(&r->rng, most + 1);
            to[v] = v;
        }
        mp_rng_shuffle(&r->rng, to, g.nodes);
        l.to_ptr = to_ptr;
        l.to = to;
    }
    float *Y = reals(r, area(g.nodes, C)), *bias = coin(r) ? reals(r, (size_t)C) : NULL;
    int from = g.nodes / 3 * (int)coin(r);
    k->agg(Y, reals(r, area(g.nodes, C)), l, bias, coin(r), coin(r), from, g.nodes, C);
    trace_reals(t, Y, area(g.nodes, C));
}

void run_edge_dot(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    int C = size(r);
    mp_links l = { .row_ptr = g.row_ptr, .col = g.col };
    float *out = reals(r, (size_t)g.edges), *self = coin(r) ? reals(r, (size_t)g.nodes) : NULL;
    k->edge_dot(out, self, reals(r, area(g.nodes, C)), reals(r, area(g.nodes, C)), l, coin(r), g.nodes, C);
    trace_reals(t, out, (size_t)g.edges);
    if (self) trace_reals(t, self, (size_t)g.nodes);
}

void run_walk_mean(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    int C = size(r);
    size_t n = (size_t)g.nodes;
    float *mean = reals(r, area(g.nodes, C));
    mp_links l = { .row_ptr = g.row_ptr, .col = g.col, .p = coin(r) ? reals(r, (size_t)g.edges) : NULL };
    mp_walk walk = { room(n, sizeof(float)), room(n, sizeof(float)), room(n, sizeof(int)), room(n, sizeof(int)) };
    k->walk_mean(mean, &walk, reals(r, area(g.nodes, C)), l, 1 + small(r) / 3, g.nodes, C);
    trace_reals(t, mean, area(g.nodes, C));
    trace_reals(t, walk.now, n); /* as they were: zeros */
    trace_reals(t, walk.next, n);
}

/* Rows of a sparse matrix with up to four entries each. */
static int *sparse_rows(mp_rig *r, int N, int cols, const int **col)
{
    int *ptr = MP_NEW(r->memory, int, N + 1), *list = MP_NEW(r->memory, int, 4 * N);
    for (int v = 0; v < N; v++) {
        ptr[v + 1] = ptr[v];
        for (int c = mp_rng_below(&r->rng, cols); c < cols && ptr[v + 1] - ptr[v] < 4; c++)
            if (mp_rng_unit(&r->rng) < 0.3) list[ptr[v + 1]++] = c;
    }
    *col = list;
    return ptr;
}

/* Columns of a sparse matrix: a few, some or very many. */
static int features(mp_rig *r)
{
    return 1 + (coin(r) ? small(r) : mp_rng_below(&r->rng, coin(r) ? 300 : coin(r) ? 1000 : 12000));
}

void run_sparse_fwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r), cols = features(r);
    const int *col, *ptr = sparse_rows(r, N, cols, &col);
    float *Y = reals(r, area(N, C)), *val = coin(r) ? reals(r, (size_t)ptr[N]) : NULL,
          *bias = coin(r) ? reals(r, (size_t)C) : NULL;
    k->sparse_fwd(Y, ptr, col, val, reals(r, area(cols, C)), bias, N, C);
    trace_reals(t, Y, area(N, C));
}

void run_sparse_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = runs_rows(r), C = size(r), cols = features(r);
    const int *col, *ptr = sparse_rows(r, N, cols, &col);
    float *dW = reals(r, area(cols, C)), *val = coin(r) ? reals(r, (size_t)ptr[N]) : NULL;
    bool *wrote = coin(r) ? room((size_t)cols, sizeof *wrote) : NULL;
    for (int c = 0; wrote && c < cols; c++) wrote[c] = mp_rng_unit(&r->rng) < 0.2;
    k->sparse_bwd(dW, wrote, reals(r, area(N, C)), ptr, col, val, N, C);
    trace_reals(t, dW, area(cols, C));
    if (wrote) trace_marks(t, wrote, (size_t)cols);
}

void run_gate_fwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r), D = 1 + small(r), K, split = coin(r) ? (C + D - 1) / D : 0;
    int *keep = some_nodes(r, N, &K);
    float *out = reals(r, area(K, C) * (size_t)(split ? 1 : D));
    if (split == 0 && C == 0) return;
    k->gate_fwd(out, reals(r, area(N, C)), reals(r, area(K, D)), keep, K, C, D, split);
    trace_reals(t, out, area(K, C) * (size_t)(split ? 1 : D));
}

void run_gate_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r), D = 1 + small(r), K, split = coin(r) ? (C + D - 1) / D : 0;
    int *keep = some_nodes(r, N, &K);
    float *dX = reals(r, area(N, C)), *dG = reals(r, area(K, D));
    bool x = coin(r), g = !x || coin(r);
    k->gate_bwd(x ? dX : NULL, g ? dG : NULL, reals(r, area(K, C) * (size_t)(split ? 1 : D)), reals(r, area(N, C)),
                reals(r, area(K, D)), keep, coin(r), K, C, D, split);
    trace_reals(t, dX, area(N, C));
    trace_reals(t, dG, area(K, D));
}

void run_readout(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    int C = size(r), ld = C + small(r), *arg = room(area(3, C), sizeof(int));
    float *top = room(area(3, ld), sizeof(float)), *sum = room(area(3, ld), sizeof(float));
    float *X = reals(r, area(g.nodes, C));
    for (size_t i = 0; i < area(g.nodes, C); i++) X[i] = X[i] < 0 ? 0 : X[i]; /* ties, as after ReLU */
    bool max = coin(r), place = max && coin(r);
    k->readout(max ? top : NULL, place ? arg : NULL, !max || coin(r) ? sum : NULL, X, g.node_ptr,
               coin(r) ? reals(r, 3) : NULL, 3, C, ld);
    trace_reals(t, top, area(3, ld));
    trace_reals(t, sum, area(3, ld));
    trace_ints(t, arg, area(3, C));
}

void run_readout_max_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int n = size(r), N = 3 * n, C = size(r), ld = C + small(r), *arg = room(area(3, C), sizeof(int));
    for (int b = 0; b < 3; b++)
        for (int c = 0; c < C; c++) {
            int v = mp_rng_below(&r->rng, n + 1);
            arg[b * C + c] = v < n ? b * n + v : -1;
        }
    float *dX = reals(r, area(N, C));
    k->readout_max_bwd(dX, reals(r, area(3, ld)), arg, 3, C, ld);
    trace_reals(t, dX, area(N, C));
}

void run_readout_sum_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    int C = size(r), ld = C + small(r);
    float *dX = reals(r, area(g.nodes, C));
    k->readout_sum_bwd(dX, reals(r, area(3, ld)), g.node_ptr, coin(r) ? reals(r, 3) : NULL, coin(r), 3, C, ld);
    trace_reals(t, dX, area(g.nodes, C));
}

/* Values on a coarse grid: maxima are shared, and the first one counts. */
static float *few_values(mp_rig *r, size_t n)
{
    float *v = reals(r, n);
    for (size_t i = 0; i < n; i++) v[i] = (float)mp_rng_below(&r->rng, 4) - 1.5f;
    return v;
}

void run_near_max(const mp_kernels *k, mp_rig *r, trace *t)
{
    int sizes[2] = { 1 + small(r), 10 }, C = size(r);
    mp_graph g = mp_rig_graph(r, 2, sizes, 0.3, 1);
    float *out = reals(r, area(g.nodes, C));
    k->near_max(out, few_values(r, area(g.nodes, C)), (mp_links){ .row_ptr = g.row_ptr, .col = g.col }, g.nodes, C);
    trace_reals(t, out, area(g.nodes, C));
}

void run_near_max_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int sizes[2] = { 1 + small(r), 10 }, C = size(r);
    mp_graph g = mp_rig_graph(r, 2, sizes, 0.3, 1);
    mp_links rows = { .row_ptr = g.row_ptr, .col = g.col };
    size_t n = area(g.nodes, C);
    float *x = few_values(r, n), *out = reals(r, n), *dX = reals(r, n);
    k->near_max(out, x, rows, g.nodes, C);
    k->near_max_bwd(dX, reals(r, n), out, x, rows, g.nodes, C);
    trace_reals(t, dX, n);
}

void run_relu_col_sum(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = runs_rows(r), C = size(r);
    float *out = reals(r, (size_t)C), *dY = reals(r, area(N, C));
    k->relu_col_sum(out, dY, reals(r, area(N, C)), coin(r), N, C);
    trace_reals(t, out, (size_t)C);
    trace_reals(t, dY, area(N, C));
}

void run_col_sum(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = runs_rows(r), C = size(r);
    float *out = reals(r, (size_t)C);
    k->col_sum(out, reals(r, area(N, C)), coin(r), N, C);
    trace_reals(t, out, (size_t)C);
}

/* Values over the whole range, with those that are special. */
static float *wide_reals(mp_rig *r, size_t n)
{
    static const float special[] = { 0.0f,  -0.0f,   1e-45f,  -1e-45f, 1e-38f, INFINITY, -INFINITY, NAN,  88.7f,
                                     88.8f, -87.33f, -87.34f, -104.0f, 3e38f,  -3e38f,   0.625f,    20.0f };
    float *v = reals(r, n);
    for (size_t i = 0; i < n; i++) {
        if (mp_rng_unit(&r->rng) < 0.2) v[i] = special[mp_rng_below(&r->rng, (int)(sizeof special / sizeof *special))];
        if (mp_rng_unit(&r->rng) < 0.3) v[i] *= 40.0f;
    }
    return v;
}

void run_act_fwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *x = wide_reals(r, n);
    for (int f = MP_ACT_NONE; f <= MP_ACT_LEAKY; f++) {
        float *out = reals(r, n);
        k->act_fwd(out, x, f, n);
        trace_reals(t, out, n);
    }
}

void run_act_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *y = reals(r, n);
    for (int f = MP_ACT_NONE; f <= MP_ACT_LEAKY; f++) {
        float *dx = reals(r, n), *dy = reals(r, n);
        k->act_bwd(dx, dy, y, f, coin(r), n);
        k->act_bwd(dy, dy, y, f, false, n); /* in place */
        trace_reals(t, dx, n);
        trace_reals(t, dy, n);
    }
}

void run_axpy(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *y = reals(r, n);
    k->axpy(y, (float)mp_rng_normal(&r->rng), reals(r, n), coin(r), n);
    trace_reals(t, y, n);
}

void run_mul(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *out = reals(r, n);
    k->mul(out, reals(r, n), reals(r, n), coin(r), n);
    trace_reals(t, out, n);
}

void run_drop_mask(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *mask = reals(r, n);
    k->drop_mask(mask, (mp_rng){ mp_rng_bits(&r->rng), 7 }, 1u << 31, 2, n);
    trace_reals(t, mask, n);
}

void run_col_stats(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = runs_rows(r) + 1, C = size(r);
    double *stat = MP_NEW(r->memory, double, 2 * C);
    k->col_stats(stat, reals(r, area(N, C)), N, C);
    trace_doubles(t, stat, 2 * (size_t)C);
}

void run_col_pair(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = runs_rows(r), C = size(r);
    double *sum = MP_NEW(r->memory, double, 2 * C);
    k->col_pair(sum, reals(r, area(N, C)), reals(r, area(N, C)), N, C);
    trace_doubles(t, sum, 2 * (size_t)C);
}

void run_norm_fwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r);
    size_t n = area(N, C), m = (size_t)C;
    float *y = reals(r, n), *hat = reals(r, n);
    mp_affine how = { reals(r, m), reals(r, m), reals(r, m), reals(r, m) };
    k->norm_fwd(y, hat, reals(r, n), &how, N, C);
    trace_reals(t, y, n);
    trace_reals(t, hat, n);
}

void run_norm_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r);
    size_t n = area(N, C), m = (size_t)C;
    float *dx = reals(r, n);
    k->norm_bwd(dx, reals(r, n), reals(r, n), reals(r, m), reals(r, 2 * m), coin(r), N, C);
    trace_reals(t, dx, n);
}

void run_prelu_fwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *out = reals(r, n);
    k->prelu_fwd(out, reals(r, n), reals(r, 1), n);
    trace_reals(t, out, n);
}

void run_prelu_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *dx = reals(r, n);
    k->prelu_bwd(dx, reals(r, n), reals(r, n), reals(r, 1), coin(r), n);
    trace_reals(t, dx, n);
}

void run_axpy_by(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *y = reals(r, n);
    k->axpy_by(y, reals(r, 1), reals(r, n), coin(r), n);
    trace_reals(t, y, n);
}

void run_shift(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *y = reals(r, n);
    k->shift(y, reals(r, n), 0.3f, n);
    trace_reals(t, y, n);
}

void run_fill(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *y = reals(r, n);
    k->fill(y, 0.3f, n);
    trace_reals(t, y, n);
}

/* n rows of N, some of them none. */
static int *row_numbers(mp_rig *r, int n, int N)
{
    int *which = room((size_t)n, sizeof *which);
    for (int i = 0; i < n; i++) which[i] = N == 0 || mp_rng_unit(&r->rng) < 0.1 ? -1 : mp_rng_below(&r->rng, N);
    return which;
}

void run_rows_take(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), n = size(r), C = coin(r) ? 1 : size(r);
    float *out = reals(r, area(n, C));
    k->rows_take(out, reals(r, area(N, C)), row_numbers(r, n, N), 1, n, C);
    trace_reals(t, out, area(n, C));
}

void run_rows_give(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), n = size(r), C = coin(r) ? 1 : size(r);
    float *dx = reals(r, area(N, C));
    k->rows_give(dx, reals(r, area(n, C)), row_numbers(r, n, N), n, C);
    trace_reals(t, dx, area(N, C));
}

void run_rows_clear(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r);
    float *x = reals(r, area(N, C));
    bool *except = room((size_t)N, sizeof *except);
    for (int v = 0; v < N; v++) except[v] = coin(r);
    k->rows_clear(x, except, N, C);
    trace_reals(t, x, area(N, C));
}

void run_add_all(const mp_kernels *k, mp_rig *r, trace *t)
{
    enum { MOST = 4 };
    int N = size(r), C = size(r), count = 1 + small(r) % MOST;
    const float **part = room(MOST, sizeof *part);
    const bool **mark = room(MOST, sizeof *mark);
    mp_addends p = { part, mark, count, C, coin(r) };
    size_t from = (size_t)N * (size_t)C / 3, n = area(N, C) - from;
    float *sum = reals(r, area(N, C));
    for (int i = 0; i < count; i++) {
        bool *rows = room((size_t)N, sizeof *rows);
        for (int v = 0; v < N; v++) rows[v] = coin(r);
        part[i] = i ? reals(r, area(N, C)) : sum;
        mark[i] = p.marked && coin(r) ? rows : NULL;
    }
    k->add_all(sum + from, &p, from, n);
    trace_reals(t, sum, area(N, C));
}

void run_cols_copy(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r), to = C + small(r), from = coin(r) ? 0 : C + small(r);
    float *y = reals(r, area(N, to));
    k->cols_copy(y, to, reals(r, area(N, from) + (size_t)C), from, coin(r), N, C);
    trace_reals(t, y, area(N, to));
}

void run_rows_axpy(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r), ld = C + small(r);
    float *y = reals(r, area(N, C));
    k->rows_axpy(y, reals(r, (size_t)N), reals(r, area(N, ld)), ld, coin(r), N, C);
    trace_reals(t, y, area(N, C));
}

void run_bias_rows(const mp_kernels *k, mp_rig *r, trace *t)
{
    int N = size(r), C = size(r);
    float *y = reals(r, area(N, C));
    k->bias_rows(y, reals(r, (size_t)C), coin(r), N, C);
    trace_reals(t, y, area(N, C));
}

void run_lstm_fwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int B = small(r), H = size(r);
    size_t n = area(B, H);
    float *h = reals(r, n), *cell = reals(r, n), *gate = reals(r, 4 * n), *squash = reals(r, n);
    k->lstm_fwd(h, cell, gate, squash, reals(r, 4 * n), coin(r) ? reals(r, n) : NULL, B, H);
    trace_reals(t, h, n);
    trace_reals(t, cell, n);
    trace_reals(t, gate, 4 * n);
    trace_reals(t, squash, n);
}

/* Windows that overlap, touch, and leave gaps. */
void run_windows_add(const mp_kernels *k, mp_rig *r, trace *t)
{
    int span = 1 + small(r), step = 1 + small(r), places = size(r);
    size_t n = places ? area(places - 1, step) + (size_t)span : 0;
    float *dX = reals(r, n);
    k->windows_add(dX, reals(r, area(places, span)), step, places, span);
    trace_reals(t, dX, n);
}

void run_cut_loss_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int B, K = small(r), *ptr = ranges(r, &B);
    size_t rows = (size_t)ptr[B];
    float *dS = reals(r, rows * (size_t)K), *dA = reals(r, area(B * K, K)), *dd = reals(r, rows);
    double *num = room((size_t)B, sizeof *num), *den = room((size_t)B, sizeof *den);
    for (int b = 0; b < B; b++) {
        num[b] = mp_rng_normal(&r->rng);
        den[b] = coin(r) ? mp_rng_unit(&r->rng) : 0; /* a graph without edges gets nothing */
    }
    k->cut_loss_bwd(dS, coin(r) ? dA : NULL, dd, reals(r, 1), reals(r, rows * (size_t)K), reals(r, rows), num, den, ptr,
                    B, K);
    trace_reals(t, dS, rows * (size_t)K);
    trace_reals(t, dA, area(B * K, K));
    trace_reals(t, dd, rows);
}

void run_softmax(const mp_kernels *k, mp_rig *r, trace *t)
{
    int count, *ptr = ranges(r, &count);
    size_t n = (size_t)ptr[count];
    float *out = reals(r, n), *u = reals(r, n);
    for (size_t i = 0; i < n; i++) u[i] *= coin(r) ? 30.0f : 1.0f;
    k->softmax(out, u, ptr, count);
    trace_reals(t, out, n);
}

void run_softmax_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    int count, *ptr = ranges(r, &count);
    size_t n = (size_t)ptr[count];
    float *du = reals(r, n);
    k->softmax_bwd(du, reals(r, n), reals(r, n), ptr, coin(r), count);
    trace_reals(t, du, n);
}

void run_log_softmax(const mp_kernels *k, mp_rig *r, trace *t)
{
    int rows = size(r), cols = (1 + small(r)) * (coin(r) ? 1 : 5);
    float *out = reals(r, area(rows, cols)), *x = reals(r, area(rows, cols));
    for (size_t i = 0; i < area(rows, cols); i++) x[i] *= coin(r) ? 50.0f : 1.0f;
    k->log_softmax(out, x, rows, cols);
    trace_reals(t, out, area(rows, cols));
}

void run_xent(const mp_kernels *k, mp_rig *r, trace *t)
{
    int rows = size(r), cols = 1 + small(r), *label = MP_NEW(r->memory, int, rows + 1);
    for (int b = 0; b < rows; b++) label[b] = mp_rng_below(&r->rng, cols);
    float *loss = reals(r, 1), *slope = reals(r, area(rows, cols)), *x = reals(r, area(rows, cols));
    k->xent(loss, slope, x, label, 0.125f, rows, cols);
    trace_reals(t, loss, 1);
    trace_reals(t, slope, area(rows, cols));
}

/* The rate of multiply-adds is measured on registers: no rounds, so that widths do not matter. */
void run_peak(const mp_kernels *k, mp_rig *r, trace *t)
{
    float *out = reals(r, 2);
    k->peak(out, 0);
    trace_reals(t, out, 2);
}

void run_adam(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *theta = reals(r, n), *m = reals(r, n), *v = reals(r, n), *grad = reals(r, n);
    for (size_t i = 0; i < n; i++) v[i] = v[i] < 0 ? -v[i] : v[i];
    mp_adam how = { .lr_corrected = 0.01f,
                    .root_corrected = 1.5f,
                    .beta1 = 0.9f,
                    .beta2 = 0.999f,
                    .eps = 1e-8f,
                    .decay = 1e-4f,
                    .rest1 = 0.1f,
                    .rest2 = 0.001f,
                    .shared = coin(r) };
    size_t from = n > 3 ? (size_t)small(r) % 3 : 0; /* where no line begins */
    k->adam(theta + from, m + from, v + from, grad + from, &how, n - from);
    trace_reals(t, theta, n);
    trace_reals(t, m, n);
    trace_reals(t, v, n);
}

/* Some rows for nodes or edges to share, or NULL: each has its own. */
static const int *some_rows(mp_rig *r, int n)
{
    if (coin(r)) return NULL;
    int *of = MP_NEW_RAW(r->memory, int, n);
    for (int i = 0; i < n; i++) of[i] = mp_rng_below(&r->rng, n < 5 ? n : 5);
    return of;
}

static mp_messages some_messages(mp_rig *r, const mp_graph *g)
{
    float *scale = coin(r) ? reals(r, (size_t)g->nodes) : NULL;
    return (mp_messages){ g->row_ptr, g->col, g->rev, some_rows(r, g->nodes), some_rows(r, g->edges), scale };
}

void run_message_fwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    int C = size(r);
    float *Y = reals(r, area(g.nodes, C)), *root = coin(r) ? reals(r, (size_t)C) : NULL;
    k->message_fwd(Y, reals(r, area(g.nodes, C)), reals(r, area(g.edges, C)), root, some_messages(r, &g), coin(r),
                   g.nodes, C);
    trace_reals(t, Y, area(g.nodes, C));
}

void run_message_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graph(r);
    int C = size(r);
    size_t n = area(g.nodes, C), e = area(g.edges, C);
    float *dX = coin(r) ? reals(r, n) : NULL, *dQ = coin(r) ? reals(r, e) : NULL;
    float *root = coin(r) ? reals(r, (size_t)C) : NULL, *droot = root && coin(r) ? reals(r, (size_t)C) : NULL;
    k->message_bwd(dX, dQ, droot, reals(r, n), reals(r, n), reals(r, e), root, some_messages(r, &g), g.nodes, C);
    if (dX) trace_reals(t, dX, n);
    if (dQ) trace_reals(t, dQ, e);
    if (droot) trace_reals(t, droot, (size_t)C);
}

void run_dot(const mp_kernels *k, mp_rig *r, trace *t)
{
    size_t n = area(size(r), size(r));
    float *out = reals(r, 1);
    k->dot(out, reals(r, n), reals(r, n), n);
    trace_reals(t, out, 1);
}
