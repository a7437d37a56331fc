/* bench_kernels.c - how fast a GPU executes kernels as a study asks for them: 100 runs x 4 shards of 900 rows, each its own call, all
 * calls of a kind in one launch. Needs the module and the driver and nothing else:
 *     bench_kernels path/to/midpool_cuda.so [runs]
 * TFLOP/s counts two operations a multiply-add; TB/s counts what a call must read and write once.
 * SPDX-License-Identifier: MIT */
#include "cuda/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARDS = 4, ROWS = 900, GRAPHS = 32, KEPT = 450, COLUMNS = 128, FEATURES = 37, ROUNDS = 20 };

static const mp_device *device;
static int calls_in_all;

static void good(const char *why)
{
    if (!why) return;
    fprintf(stderr, "bench_kernels: %s\n", why);
    exit(1);
}

static void *there(size_t bytes)
{
    void *p;
    good(device->alloc(&p, bytes));
    return p;
}

static void send(void *to, const void *from, size_t bytes)
{
    good(device->up(0, to, from, bytes));
    good(device->sync(0));
}

/* Numbers between -1 and 1, the same each time. */
static float *numbers(size_t n)
{
    float *host = malloc(n * sizeof *host), *p = there(n * sizeof *p);
    unsigned state = 1;
    if (!host) good("no memory");
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        host[i] = (float)(state >> 8) / (float)(1 << 23) - 1;
    }
    send(p, host, n * sizeof *p);
    free(host);
    return p;
}

static int *whole(const int *host, size_t n)
{
    int *p = there(n * sizeof *p);
    send(p, host, n * sizeof *p);
    return p;
}

static size_t area(int a, int b)
{
    return (size_t)a * (size_t)b;
}

/* A launch of calls_in_all calls, again and again; work: operations of a call if `flops`, else bytes. */
static void measure(const char *name, mp_cuda_kernel kernel, const void *calls, double work, int flops)
{
    size_t each = mp_call_bytes[kernel];
    int *first = calloc((size_t)calls_in_all + 1, sizeof *first);
    if (!first) good("no memory");
    mp_cuda_kernel shape = kernel;
    for (int i = 0; i < calls_in_all; i++) {
        shape = kernel;
        first[i + 1] = first[i] + device->blocks(&shape, (const char *)calls + (size_t)i * each, calls_in_all);
    }
    void *on = there(each * (size_t)calls_in_all);
    send(on, calls, each * (size_t)calls_in_all);
    const void **list = calloc((size_t)calls_in_all, sizeof *list),
               **where = there((size_t)calls_in_all * sizeof *where);
    if (!list) good("no memory");
    for (int i = 0; i < calls_in_all; i++) list[i] = (char *)on + (size_t)i * each;
    send(where, list, (size_t)calls_in_all * sizeof *where);
    int *ptr = whole(first, (size_t)calls_in_all + 1);
    mp_launch what = { shape, where, ptr, calls_in_all, first[calls_in_all] };
    double best = 1e9, seconds;
    for (int round = 0; round < ROUNDS; round++) {
        good(device->stamp(0, 0));
        good(device->launch(0, &what));
        good(device->stamp(0, 1));
        good(device->sync(0));
        good(device->between(0, 1, &seconds));
        best = seconds < best ? seconds : best;
    }
    double rate = work * calls_in_all / best * 1e-12;
    printf("%-44s %9d %10.3f %9.2f %s\n", name, first[calls_in_all], 1e3 * best, rate, flops ? "TFLOP/s" : "TB/s");
    fflush(stdout);
    device->release(on);
    device->release(where);
    device->release(ptr);
    free(list);
    free(first);
}

#define CALLS(kernel, list) mp_call_##kernel *list = calloc((size_t)calls_in_all, sizeof *list)

/* C = A B with operands as given, each call with operands of its own. */
static void product(const char *name, int M, int N, int K, bool flip_a, bool flip_b)
{
    CALLS(gemm, c);
    size_t a = area(M, K), b = area(K, N), o = area(M, N), n = (size_t)calls_in_all;
    float *A = numbers(a * n), *B = numbers(b * n), *C = there(o * n * sizeof *C);
    for (size_t i = 0; i < n; i++)
        c[i] = (mp_call_gemm){ .C = C + o * i,
                               .A = { A + a * i, flip_a ? M : K, flip_a },
                               .B = { B + b * i, flip_b ? K : N, flip_b },
                               .M = M,
                               .N = N,
                               .K = K };
    if (N > MP_NARROW)
        measure(name, MP_CUDA_gemm, c, 2.0 * M * N * K, 1);
    else
        measure(name, MP_CUDA_gemm, c, 4.0 * (double)(a + b + o), 0);
    device->release(A);
    device->release(B);
    device->release(C);
    free(c);
}

static void products(void)
{
    product("X W           900 x 128 -> 128", ROWS, COLUMNS, COLUMNS, false, false);
    product("X W           900 x 640 -> 128", ROWS, COLUMNS, 5 * COLUMNS, false, false);
    product("X W           450 x 128 -> 128", KEPT, COLUMNS, COLUMNS, false, false);
    product("dX = dY W^T   900 x 128 -> 128", ROWS, COLUMNS, COLUMNS, false, true);
    product("dX = dY W^T   900 x 128 -> 640", ROWS, 5 * COLUMNS, COLUMNS, false, true);
    product("dW = X^T dY   128 x 128 over 900", COLUMNS, COLUMNS, ROWS, true, false);
    product("dW = X^T dY   640 x 128 over 900", 5 * COLUMNS, COLUMNS, ROWS, true, false);
    product("head          32 x 256 -> 128", GRAPHS, COLUMNS, 2 * COLUMNS, false, false);
    product("scores        900 x 128 -> 1", ROWS, 1, COLUMNS, false, false);
    product("scores        900 x 128 -> 5", ROWS, 5, COLUMNS, false, false);
    product("scores dW     128 x 1 over 900", COLUMNS, 1, ROWS, true, false);
    product("scores dX     900 x 1 -> 128", ROWS, COLUMNS, 1, false, true);
}

/* Rings of 28 nodes with a chord here and there: degree 2 or 3, as molecules have. */
static void sums(void)
{
    static int row_ptr[ROWS + 1], col[4 * ROWS], keep[KEPT], node_ptr[GRAPHS + 1], column[ROWS], one[ROWS + 1];
    size_t n = (size_t)calls_in_all, wide = area(ROWS, COLUMNS), kept = area(KEPT, COLUMNS);
    int ring = ROWS / GRAPHS, edges = 0;
    for (int b = 0; b <= GRAPHS; b++) node_ptr[b] = b < GRAPHS ? b * ring : ROWS;
    for (int v = 0; v < ROWS; v++) {
        int b = v / ring < GRAPHS ? v / ring : GRAPHS - 1, from = node_ptr[b], size = node_ptr[b + 1] - from;
        int left = from + (v - from + size - 1) % size, right = from + (v - from + 1) % size;
        col[edges++] = left < right ? left : right;
        col[edges++] = left < right ? right : left;
        row_ptr[v + 1] = edges;
        column[v] = v * 7 % FEATURES;
        one[v + 1] = v + 1;
    }
    for (int i = 0; i < KEPT; i++) keep[i] = i * 2;
    int *rows = whole(row_ptr, ROWS + 1), *cols = whole(col, (size_t)edges), *kept_nodes = whole(keep, KEPT);
    int *graphs = whole(node_ptr, GRAPHS + 1), *features = whole(column, ROWS), *ones = whole(one, ROWS + 1);
    float *X = numbers(wide * n), *Y = numbers(wide * n), *s = numbers(ROWS), *W = numbers(area(FEATURES, COLUMNS) * n);
    float *G = numbers(area(KEPT, 5) * n), *dG = there(area(KEPT, 5) * n * 4), *out = there(5 * kept * n * 4);
    float *top = there(area(GRAPHS, COLUMNS) * n * 4), *sum = there(area(GRAPHS, COLUMNS) * n * 4),
          *bias = numbers(COLUMNS * n);
    int *arg = there(area(GRAPHS, COLUMNS) * n * 4);

    CALLS(agg, a);
    CALLS(agg, a1);
    CALLS(sparse_fwd, f);
    CALLS(sparse_bwd, g);
    CALLS(gate_fwd, h);
    CALLS(gate_fwd, h5);
    CALLS(gate_bwd, k);
    CALLS(gate_bwd, k5);
    CALLS(readout, r);
    CALLS(readout_sum_bwd, t);
    CALLS(relu_col_sum, z);
    CALLS(act_fwd, u);
    for (size_t i = 0; i < n; i++) {
        float *x = X + wide * i, *y = Y + wide * i, *o = out + 5 * kept * i;
        mp_links links = { .row_ptr = rows, .col = cols, .q = s, .s = s, .r = s };
        a[i] = (mp_call_agg){ y, x, links, bias, false, true, 0, ROWS, COLUMNS };
        a1[i] = (mp_call_agg){ y, x, links, bias, false, false, 0, ROWS, 1 };
        f[i] = (mp_call_sparse_fwd){ y, ones, features, NULL, W + area(FEATURES, COLUMNS) * i, NULL, ROWS, COLUMNS };
        g[i] = (mp_call_sparse_bwd){ W + area(FEATURES, COLUMNS) * i, NULL, y, ones, features, NULL, ROWS, COLUMNS };
        h[i] = (mp_call_gate_fwd){ o, x, G, kept_nodes, KEPT, COLUMNS, 1, 0 };
        h5[i] = (mp_call_gate_fwd){ o, x, G, kept_nodes, KEPT, COLUMNS, 5, 0 };
        k[i] = (mp_call_gate_bwd){ y, dG + area(KEPT, 5) * i, o, x, G, kept_nodes, false, KEPT, COLUMNS, 1, 0 };
        k5[i] = (mp_call_gate_bwd){ y, dG + area(KEPT, 5) * i, o, x, G, kept_nodes, false, KEPT, COLUMNS, 5, 0 };
        r[i] = (mp_call_readout){ top + area(GRAPHS, COLUMNS) * i,
                                  arg + area(GRAPHS, COLUMNS) * i,
                                  sum + area(GRAPHS, COLUMNS) * i,
                                  x,
                                  graphs,
                                  NULL,
                                  GRAPHS,
                                  COLUMNS,
                                  COLUMNS };
        t[i] = (mp_call_readout_sum_bwd){ y,      sum + area(GRAPHS, COLUMNS) * i, graphs, NULL, true, GRAPHS, COLUMNS,
                                          COLUMNS };
        z[i] = (mp_call_relu_col_sum){ bias + COLUMNS * i, y, x, false, ROWS, COLUMNS };
        u[i] = (mp_call_act_fwd){ y, x, MP_ACT_TANH, wide };
    }
    static int keep_at[GRAPHS + 1];
    for (int b = 0; b <= GRAPHS; b++) keep_at[b] = b < GRAPHS ? b * (KEPT / GRAPHS) : KEPT;
    int *keep_ptr = whole(keep_at, GRAPHS + 1), *chosen = there(KEPT * n * 4), *place = there(ROWS * n * 4);
    int *new_rows = there((KEPT + 1) * n * 4), *edges_of = there(5 * (size_t)edges * n * 4);
    CALLS(rank, p);
    CALLS(induce_rows, ir);
    CALLS(induce_edges, ie);
    CALLS(rows_give, v);
    for (size_t i = 0; i < n; i++) {
        mp_csr old = { rows, cols, cols, NULL, ROWS };
        int *e = edges_of + 5 * (size_t)edges * i;
        p[i] = (mp_call_rank){ chosen + KEPT * i, NULL, X + wide * i, NULL, graphs, keep_ptr, GRAPHS, ROWS };
        ir[i] = (mp_call_induce_rows){ new_rows + (KEPT + 1) * i, place + ROWS * i, old, kept_nodes, KEPT };
        ie[i] = (mp_call_induce_edges){ e,   NULL,       NULL, e + edges, new_rows + (KEPT + 1) * i, place + ROWS * i,
                                        old, kept_nodes, KEPT };
        v[i] = (mp_call_rows_give){ Y + wide * i, G, kept_nodes, KEPT, 1 };
    }
    double row = 4.0 * COLUMNS;
    measure("agg           900 x 128", MP_CUDA_agg, a, 2 * ROWS * row, 0);
    measure("agg           900 x 1", MP_CUDA_agg, a1, 8.0 * ROWS, 0);
    measure("sparse_fwd    900 x 37 -> 128", MP_CUDA_sparse_fwd, f, ROWS * row, 0);
    measure("sparse_bwd    37 x 128 over 900", MP_CUDA_sparse_bwd, g, ROWS * row, 0);
    measure("gate_fwd      450 x 128, 1 column", MP_CUDA_gate_fwd, h, 2 * KEPT * row, 0);
    measure("gate_fwd      450 x 128, 5 columns", MP_CUDA_gate_fwd, h5, 6 * KEPT * row, 0);
    measure("gate_bwd      450 x 128, 1 column", MP_CUDA_gate_bwd, k, 3 * KEPT * row, 0);
    measure("gate_bwd      450 x 128, 5 columns", MP_CUDA_gate_bwd, k5, 7 * KEPT * row, 0);
    measure("readout       900 x 128, 32 graphs", MP_CUDA_readout, r, ROWS * row + 3 * GRAPHS * row, 0);
    measure("readout_sum_bwd", MP_CUDA_readout_sum_bwd, t, 2 * ROWS * row, 0);
    measure("relu_col_sum  900 x 128", MP_CUDA_relu_col_sum, z, 3 * ROWS * row, 0);
    measure("rank          32 graphs of 28", MP_CUDA_rank, p, 8.0 * ROWS, 0);
    measure("induce_rows   450 of 900", MP_CUDA_induce_rows, ir, 12.0 * ROWS, 0);
    measure("induce_edges  450 of 900", MP_CUDA_induce_edges, ie, 12.0 * ROWS, 0);
    measure("rows_give     450 of 900 x 1", MP_CUDA_rows_give, v, 8.0 * KEPT, 0);
    measure("tanh          900 x 128", MP_CUDA_act_fwd, u, 2 * ROWS * row, 0);
}

static void update(void)
{
    int before = calls_in_all;
    size_t each = 100000; /* weights of a run */
    calls_in_all /= SHARDS;
    size_t n = (size_t)calls_in_all;
    float *theta = numbers(each * n), *m = there(each * n * 4), *v = there(each * n * 4), *grad = numbers(each * n);
    good(device->fill(0, m, 0, each * n * 4));
    good(device->fill(0, v, 0, each * n * 4));
    CALLS(adam, c);
    mp_adam how = { 0.01f, 1.5f, 0.9f, 0.999f, 1e-8f, 1e-4f, 0.1f, 0.001f, false };
    for (size_t i = 0; i < n; i++)
        c[i] = (mp_call_adam){ theta + each * i, m + each * i, v + each * i, grad + each * i, how, each };
    measure("adam          100,000 weights a run", MP_CUDA_adam, c, 28.0 * (double)each, 0);
    calls_in_all = before;
}

/* What a launch costs that has nothing to do. */
static void launches(void)
{
    int first[2] = { 0, 1 };
    float *x = there(1024);
    mp_call_fill c = { x, 0, 1 };
    void *on = there(sizeof c), *list = there(sizeof on);
    send(on, &c, sizeof c);
    send(list, &on, sizeof on);
    mp_launch what = { MP_CUDA_fill, list, whole(first, 2), 1, 1 };
    double seconds;
    good(device->stamp(0, 0));
    for (int i = 0; i < 1000; i++) good(device->launch(0, &what));
    good(device->stamp(0, 1));
    good(device->sync(0));
    good(device->between(0, 1, &seconds));
    printf("%-44s %9d %10.4f\n", "a launch of one block", 1, seconds);
}

int main(int argc, char **argv)
{
    char name[256];
    size_t memory, left;
    if (argc < 2) good("usage: bench_kernels MODULE [RUNS]");
    void *module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!module) good(dlerror());
    device = dlsym(module, MP_DEVICE_SYMBOL);
    if (!device || device->abi != MP_DEVICE_ABI) good("that is no module for a GPU of this version");
    good(device->open(name, sizeof name, &memory, &left));
    calls_in_all = SHARDS * (argc > 2 ? atoi(argv[2]) : 100);
    printf("%s, %s, %d calls of %d rows in a launch, best of %d\n", name, device->made, calls_in_all, ROWS, ROUNDS);
    printf("%-44s %9s %10s %9s\n", "", "blocks", "ms", "");
    products();
    sums();
    update();
    launches();
    device->close();
    return 0;
}
