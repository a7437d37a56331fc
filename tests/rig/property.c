/* property.c - see property.h.
 * SPDX-License-Identifier: MIT */
#include "property.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void bench_set(mp_config *c, const char *options)
{
    char text[256], *rest = text;
    snprintf(text, sizeof text, "%s", options);
    for (char *one; (one = strsep(&rest, " "));) {
        char *value = strchr(one, '=');
        if (!value) continue;
        *value++ = '\0';
        mp_err e = mp_conf_set(mp_config_table, c, one, value, one);
        assert_int_equal(e, MP_OK);
    }
}

void bench_init(bench *b, const mp_pool_op *op, const char *options, int channels, uint64_t seed)
{
    memset(b, 0, sizeof *b);
    b->rig = mp_rig_new(seed);
    b->step = mp_arena_new(1 << 18);
    b->op = op;
    mp_config_init(&b->conf);
    bench_set(&b->conf, options);
    b->params.arena = b->rig.memory;
    b->pool = mp_pool_new(b->rig.memory, op, &b->conf, &b->params, "pool", channels);
    mp_rig_params(&b->rig, &b->params);
}

void bench_free(bench *b)
{
    mp_arena_free(b->step);
    mp_rig_free(&b->rig);
}

void bench_settings(void (*f)(bench *b), const mp_pool_op *op, const char *const *options, int n, int channels,
                    uint64_t seed)
{
    for (int s = 0; s < n; s++) {
        bench b;
        bench_init(&b, op, options[s], channels, seed + (uint64_t)s);
        f(&b);
        bench_free(&b);
    }
}

void bench_thresholds(void (*f)(bench *b), int channels)
{
    static const char *const options[] = { "min-score=0.1", "min-score=0.02 score-dim=3 flip=true",
                                           "min-score=0.1 variant=pyg",
                                           "min-score=0.05 score-dim=5 flip=true variant=authors" };
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++)
        if (op->threshold) bench_settings(f, op, options, 4, channels, 101);
}

mp_graph bench_mixed(bench *b, bool weighted)
{
    int sizes[] = { 9, 1, 12, 3, 60 };
    mp_graph g = mp_rig_graph(&b->rig, 5, sizes, 0.12, weighted ? 0.2 : 0);
    if (weighted) g.w = mp_rig_weights(&b->rig, &g);
    return g;
}

mp_pooling bench_run(bench *b, const mp_graph *g, mp_mat *x)
{
    mp_ctx c = { .arena = b->step, .k = mp_kernels_get(), .training = b->training };
    c.rng = mp_rng_stream(9, MP_FOR_STEP, b->draw, 0, 0);
    mp_params_bind(&b->params, &c, NULL);
    mp_graph *fresh = MP_NEW(b->step, mp_graph, 1);
    *fresh = *g;
    fresh->norm = NULL;
    mp_pooling p = { .g = fresh, .x = x };
    mp_pool_run(b->pool, &c, &p);
    assert_false(c.diverged);
    mp_err e = mp_graph_check(p.out_g);
    if (e != MP_OK) fail_msg("%s: %s", b->op->name, mp_message());
    return p;
}

static bool same_ints(const int *a, const int *b, int n)
{
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static bool same_reals(const mp_real *a, const mp_real *b, size_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

const char *bench_differs(const mp_pooling *a, const mp_pooling *b)
{
    int B = a->g->graphs, N = a->g->nodes, K = a->keep_ptr[B];
    if (b->g->graphs != B || b->g->nodes != N) return "the batch";
    if (!same_reals(a->key, b->key, (size_t)N)) return "a key";
    if (!same_ints(a->keep_ptr, b->keep_ptr, B + 1)) return "the number of kept nodes";
    if (!same_ints(a->keep, b->keep, K)) return "a kept node";
    if (a->out_x->cols != b->out_x->cols) return "the width";
    if (!same_reals(a->out_x->v, b->out_x->v, (size_t)K * (size_t)a->out_x->cols)) return "a feature";
    if (a->out_g->edges != b->out_g->edges || !same_ints(a->out_g->row_ptr, b->out_g->row_ptr, K + 1) ||
        !same_ints(a->out_g->col, b->out_g->col, a->out_g->edges))
        return "an edge";
    if (!a->out_g->w != !b->out_g->w) return "being weighted";
    if (a->out_g->w && !same_reals(a->out_g->w->v, b->out_g->w->v, (size_t)a->out_g->edges)) return "an edge weight";
    return NULL;
}

mp_graph bench_alone(bench *b, const mp_graph *g, int which, mp_mat *x, mp_mat **own_x)
{
    int first = g->node_ptr[which], n = g->node_ptr[which + 1] - first, e0 = g->row_ptr[first],
        e1 = g->row_ptr[first + n];
    mp_arena *a = b->rig.memory;
    int *node_ptr = MP_NEW(a, int, 2), *row_ptr = MP_NEW(a, int, n + 1), *col = MP_NEW(a, int, e1 - e0);
    int *rev = MP_NEW(a, int, e1 - e0);
    node_ptr[1] = n;
    for (int v = 0; v <= n; v++) row_ptr[v] = g->row_ptr[first + v] - e0;
    for (int e = e0; e < e1; e++) {
        col[e - e0] = g->col[e] - first;
        rev[e - e0] = g->rev[e] - e0;
    }
    mp_graph out = {
        .graphs = 1, .nodes = n, .edges = e1 - e0, .node_ptr = node_ptr, .row_ptr = row_ptr, .col = col, .rev = rev
    };
    if (g->w) {
        out.w = MP_NEW(a, mp_mat, 1);
        *out.w = (mp_mat){ .rows = e1 - e0, .cols = 1, .v = g->w->v + e0 };
    }
    if (own_x) {
        *own_x = MP_NEW(a, mp_mat, 1);
        **own_x = (mp_mat){ .rows = n, .cols = x->cols, .v = x->v + (size_t)first * (size_t)x->cols };
    }
    return out;
}

mp_pooling bench_part(bench *b, const mp_pooling *all, int which)
{
    mp_arena *a = b->rig.memory;
    int first = all->g->node_ptr[which], from = all->keep_ptr[which], k = all->keep_ptr[which + 1] - from;
    int *keep = MP_NEW(a, int, k), *keep_ptr = MP_NEW(a, int, 2);
    keep_ptr[1] = k;
    for (int i = 0; i < k; i++) keep[i] = all->keep[from + i] - first;
    mp_graph *in = MP_NEW(a, mp_graph, 1), *out = MP_NEW(a, mp_graph, 1);
    mp_mat *x;
    *in = bench_alone(b, all->g, which, all->x, NULL);
    *out = bench_alone(b, all->out_g, which, all->out_x, &x);
    return (
        mp_pooling){ .g = in, .key = all->key + first, .keep = keep, .keep_ptr = keep_ptr, .out_g = out, .out_x = x };
}

bool bench_apart(const mp_pooling *p, double gap)
{
    for (int b = 0; b < p->g->graphs; b++)
        for (int v = p->g->node_ptr[b]; v < p->g->node_ptr[b + 1]; v++)
            for (int u = p->g->node_ptr[b]; u < v; u++)
                if (!(fabs((double)p->key[u] - (double)p->key[v]) > gap)) return false;
    return true;
}

mp_graph bench_cycle(bench *b, int n)
{
    int *src = MP_NEW(b->rig.memory, int, 2 * n), *dst = MP_NEW(b->rig.memory, int, 2 * n);
    int *node_ptr = MP_NEW(b->rig.memory, int, 2);
    node_ptr[1] = n;
    for (int v = 0; v < n; v++) {
        src[2 * v] = dst[2 * v + 1] = v;
        dst[2 * v] = src[2 * v + 1] = (v + 1) % n;
    }
    mp_graph g;
    mp_err e = mp_graph_from_edges(b->rig.memory, 1, node_ptr, 2 * n, src, dst, &g, NULL);
    assert_int_equal(e, MP_OK);
    return g;
}

mp_mat *bench_constant(bench *b, int rows, int cols)
{
    mp_mat *x = mp_rig_mat(&b->rig, rows, cols);
    for (int v = 1; v < rows; v++) memcpy(x->v + v * cols, x->v, (size_t)cols * sizeof *x->v);
    return x;
}
