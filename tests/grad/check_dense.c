/* check_dense.c - gradient tests of the ops of the dense baselines: products graph by graph, norms,
 * attention, losses of clusterings, memory. Losses are also compared with their definitions on
 * n x n matrices.
 * SPDX-License-Identifier: MIT */
#include "check_ops.h"
#include "gradcheck.h"
#include "grad/product.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Graphs of several sizes, one of them a single node. */
static const int sizes[] = { 5, 1, 7, 2 };
static const int ptr[] = { 0, 5, 6, 13, 15 };
#define GRAPHS 4
#define NODES  15

/* Rows that are positive and sum to 1. */
static void make_shares(mp_mat *s)
{
    for (int v = 0; v < s->rows; v++) {
        double sum = 0;
        for (int j = 0; j < s->cols; j++) sum += fabs(s->v[mp_at(v, s->cols) + (size_t)j]);
        for (int j = 0; j < s->cols; j++)
            s->v[mp_at(v, s->cols) + (size_t)j] = fabs(s->v[mp_at(v, s->cols) + (size_t)j]) / sum;
    }
}

static mp_mat *shares(mp_check *t, int rows, int K)
{
    mp_mat *s = mp_check_input(t, rows, K);
    make_shares(s);
    return s;
}

/* y is computed anew each time: the op takes its place. */
void check_linear_onto(void **state)
{
    mp_check *t = *state;
    for (int cols = 1; cols <= 33; cols += 16) { /* dot products, a part of a panel, more than one panel */
        for (int relu = 0; relu < 2; relu++) {
            mp_check_reset(t);
            mp_mat *y = mp_check_input(t, 5, cols), *x = mp_check_input(t, 5, 3), *w = mp_check_input(t, 7, cols);
            mp_mat *b = mp_check_input(t, 1, cols), *last = mp_check_input(t, 5, 4);
            MP_GRADCHECK(t, mp_linear_onto(&t->ctx, mp_mix(&t->ctx, 1, y, 0, NULL), x, w, 2, b, relu));
            MP_GRADCHECK(
                t, mp_linear_onto(&t->ctx, mp_linear_onto(&t->ctx, NULL, x, w, 0, b, false), last, w, 3, NULL, relu));
            MP_GRADCHECK(t, mp_linear_onto(&t->ctx, NULL, x, w, 4, NULL, relu));
        }
    }
}

void check_cat(void **state)
{
    mp_check *t = *state;
    mp_mat *x = mp_check_input(t, 4, 3), *y = mp_check_input(t, 4, 1), *fixed = mp_rig_mat(&t->rig, 4, 2);
    MP_GRADCHECK(t, mp_cat(&t->ctx, (mp_mat *[]){ x, y }, 2));
    MP_GRADCHECK(t, mp_cat(&t->ctx, (mp_mat *[]){ x, y, x, mp_mat_of(&t->ctx, fixed->v, 4, 2) }, 4));
    MP_GRADCHECK(t, mp_cat(&t->ctx, (mp_mat *[]){ mp_mix(&t->ctx, 2, x, 1, x) }, 1));
}

void check_cols(void **state)
{
    mp_check *t = *state;
    mp_mat *x = mp_check_input(t, 4, 6);
    MP_GRADCHECK(t, mp_cols(&t->ctx, x, 2, 5));
    MP_GRADCHECK(t, mp_cols(&t->ctx, x, 0, 6));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_cols(&t->ctx, x, 0, 4), -3, mp_cols(&t->ctx, x, 2, 6)));
}

void check_softmax_rows(void **state)
{
    mp_check *t = *state;
    for (int K = 1; K <= 19; K += 6) {
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, 6, K);
        MP_GRADCHECK(t, mp_softmax_rows(&t->ctx, x, 1));
        mp_mat *wide = mp_check_input(t, 4, 3 * K);
        MP_GRADCHECK(t, mp_softmax_rows(&t->ctx, wide, 3));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_softmax_rows(&t->ctx, x, K), 1, x));
    }
}

void check_row_share(void **state)
{
    mp_check *t = *state;
    mp_mat *a = mp_check_input(t, 9, 3); /* sums on both sides of 1 */
    for (size_t i = 0; i < mp_size(a); i++) a->v[i] = fabs(a->v[i]) * (i < 13 ? 1 : 0.2);
    MP_GRADCHECK(t, mp_row_share(&t->ctx, a));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_row_share(&t->ctx, a), 1, a));
}

void check_block_gram(void **state)
{
    mp_check *t = *state;
    static const int widths[][2] = { { 3, 4 }, { 1, 1 }, { 9, 2 }, { 2, 21 }, { 17, 18 } };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        mp_check_reset(t);
        mp_mat *s = mp_check_input(t, NODES, widths[i][0]), *x = mp_check_input(t, NODES, widths[i][1]);
        MP_GRADCHECK(t, mp_block_gram(&t->ctx, s, x, ptr, GRAPHS));
        MP_GRADCHECK(t, mp_block_gram(&t->ctx, s, s, ptr, GRAPHS));
    }
    mp_check_reset(t);
    mp_mat *s = mp_check_input(t, NODES, 3), *x = mp_check_input(t, NODES, 4), *fixed = mp_rig_mat(&t->rig, NODES, 4);
    MP_GRADCHECK(t, mp_block_gram(&t->ctx, s, mp_mat_of(&t->ctx, fixed->v, NODES, 4), ptr, GRAPHS));
    MP_GRADCHECK(t, mp_block_gram(&t->ctx, mp_mat_of(&t->ctx, fixed->v, NODES, 4), x, ptr, GRAPHS));
}

void check_block_spread(void **state)
{
    mp_check *t = *state;
    static const int widths[][2] = { { 3, 4 }, { 1, 1 }, { 9, 2 }, { 2, 21 }, { 17, 18 } };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        int K = widths[i][0], C = widths[i][1];
        mp_check_reset(t);
        mp_mat *s = mp_check_input(t, NODES, K), *x = mp_check_input(t, GRAPHS * K, C);
        MP_GRADCHECK(t, mp_block_spread(&t->ctx, s, x, ptr, GRAPHS));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_block_spread(&t->ctx, s, x, ptr, GRAPHS), 2,
                               mp_block_spread(&t->ctx, s, x, ptr, GRAPHS)));
    }
}

void check_block_mul(void **state)
{
    mp_check *t = *state;
    static const int shapes[][3] = { { 3, 3, 4 }, { 1, 1, 1 }, { 2, 5, 3 }, { 9, 9, 18 } };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        mp_check_reset(t);
        mp_mat *a = mp_check_input(t, 3 * shapes[i][0], shapes[i][1]),
               *x = mp_check_input(t, 3 * shapes[i][1], shapes[i][2]);
        MP_GRADCHECK(t, mp_block_mul(&t->ctx, a, x, 3));
    }
    mp_check_reset(t);
    mp_mat *a = mp_check_input(t, 6, 3);
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_block_mul(&t->ctx, a, a, 2), 1, a));
}

/* ---- norms */

void check_layer_norm(void **state)
{
    mp_check *t = *state;
    for (int C = 2; C <= 19; C += 5) {
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, 5, C), *gamma = mp_check_input(t, 1, C), *beta = mp_check_input(t, 1, C);
        MP_GRADCHECK(t, mp_layer_norm(&t->ctx, x, gamma, beta));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_layer_norm(&t->ctx, x, gamma, beta), 1, x));
    }
    mp_check_reset(t);
    mp_mat *x = mp_check_input(t, 3, 1), *gamma = mp_check_input(t, 1, 1), *beta = mp_check_input(t, 1, 1);
    MP_GRADCHECK(t, mp_layer_norm(&t->ctx, x, gamma, beta)); /* one channel: no variance, no gradient for x */
}

static void running(mp_mat *mean, mp_mat *var)
{
    for (int j = 0; j < mean->cols; j++) {
        mean->v[j] = 0.1 * j;
        var->v[j] = 0.5 + 0.3 * j;
    }
}

static void batch_norm_case(mp_check *t, int rows, int C, bool training)
{
    mp_check_reset(t);
    mp_mat *x = mp_check_input(t, rows, C), *gamma = mp_check_input(t, 1, C), *beta = mp_check_input(t, 1, C);
    mp_mat *mean = mp_rig_mat(&t->rig, 1, C), *var = mp_rig_mat(&t->rig, 1, C);
    t->ctx.training = training;
    for (mp_check_begin(t, "batch_norm"); mp_check_next(t);) {
        running(mean, var);
        mp_check_value(t, mp_batch_norm(&t->ctx, x, gamma, beta, mean, var));
    }
    for (mp_check_begin(t, "batch_norm and x"); mp_check_next(t);) {
        running(mean, var);
        mp_check_value(t, mp_mix(&t->ctx, 1, mp_batch_norm(&t->ctx, x, gamma, beta, mean, var), 1, x));
    }
    if (training && rows > 1) return; /* statistics of the batch were written */
    for (int j = 0; j < C; j++) assert_true(mean->v[j] == 0.1 * j && var->v[j] == 0.5 + 0.3 * j);
    t->ctx.training = true;
}

void check_batch_norm(void **state)
{
    mp_check *t = *state;
    for (int C = 1; C <= 17; C += 8) {
        batch_norm_case(t, 7, C, true);
        batch_norm_case(t, 7, C, false);
        batch_norm_case(t, 1, C, true); /* a single row: running statistics */
        batch_norm_case(t, 2, C, true);
    }
}

/* ---- attention */

void check_mha(void **state)
{
    mp_check *t = *state;
    static const int q_ptr[] = { 0, 2, 3, 7, 8 };
    static const int shapes[][2] = { { 1, 3 }, { 2, 4 }, { 3, 6 }, { 2, 34 } }; /* heads, channels */
    for (int how = 0; how < 16; how++) {
        mp_check_reset(t);
        const int *shape = shapes[how / 4];
        bool shared = how & 1, over_queries = how & 2;
        mp_mat *q = mp_check_input(t, shared ? 3 : 8, shape[1]);
        mp_mat *k = mp_check_input(t, NODES, shape[1]), *v = mp_check_input(t, NODES, shape[1]);
        MP_GRADCHECK(t, mp_mha(&t->ctx, q, shared ? NULL : q_ptr, k, v, ptr, GRAPHS, shape[0], over_queries));
    }
    for (int over_queries = 0; over_queries <= 1; over_queries++) { /* the same rows ask, are keys and values */
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, NODES, 4);
        MP_GRADCHECK(t, mp_mha(&t->ctx, x, ptr, x, x, ptr, GRAPHS, 2, over_queries));
    }
    mp_check_reset(t);
    mp_mat *q = mp_check_input(t, 1, 4), *k = mp_check_input(t, NODES, 4), *fixed = mp_rig_mat(&t->rig, NODES, 4);
    MP_GRADCHECK(t, mp_mha(&t->ctx, q, NULL, k, mp_mat_of(&t->ctx, fixed->v, NODES, 4), ptr, GRAPHS, 2, false));
    MP_GRADCHECK(t, mp_mha(&t->ctx, q, NULL, mp_mat_of(&t->ctx, fixed->v, NODES, 4), k, ptr, GRAPHS, 2, true));
}

void check_head_spread(void **state)
{
    mp_check *t = *state;
    mp_mat *q = mp_check_input(t, 3, 6);
    for (int heads = 1; heads <= 6; heads += 1 + (heads == 3) * 2) {
        MP_GRADCHECK(t, mp_head_spread(&t->ctx, q, heads, 0.4));
        MP_GRADCHECK(t, mp_linear(&t->ctx, q, mp_head_spread(&t->ctx, q, heads, 2), NULL, false));
    }
}

void check_head_values(void **state)
{
    mp_check *t = *state;
    enum { B = 3, M = 2 };
    for (int heads = 1; heads <= 3; heads++) {
        mp_mat *q = mp_check_input(t, M, 6), *w = mp_check_input(t, 4, 6), *b = mp_check_input(t, 1, 6);
        mp_mat *z = mp_check_input(t, B * heads * M, 4), *s = mp_check_input(t, B * heads * M, 1);
        MP_GRADCHECK(t, mp_head_values(&t->ctx, q, z, s, w, b, B, heads));
    }
}

/* ---- losses of clusterings */

/* S^T A S and S^T S of the graphs. */
static mp_mat *coarse(mp_check *t, const mp_graph *g, mp_mat *s)
{
    return mp_block_gram(&t->ctx, s, mp_agg(&t->ctx, g, MP_AGG_SUM, s, NULL, false), g->node_ptr, g->graphs);
}

static mp_mat *squared(mp_check *t, const mp_graph *g, mp_mat *s)
{
    return mp_block_gram(&t->ctx, s, s, g->node_ptr, g->graphs);
}

static double dense_at(const mp_graph *g, int i, int j)
{
    for (int e = g->row_ptr[i]; e < g->row_ptr[i + 1]; e++)
        if (g->col[e] == j) return g->w ? g->w->v[e] : 1;
    return 0;
}

/* |A_b - S_b S_b^T|^2 on the whole matrix. */
static double residual(const mp_graph *g, const mp_mat *s, int b)
{
    double sum = 0;
    for (int i = g->node_ptr[b]; i < g->node_ptr[b + 1]; i++) {
        for (int j = g->node_ptr[b]; j < g->node_ptr[b + 1]; j++) {
            double d = dense_at(g, i, j);
            for (int k = 0; k < s->cols; k++)
                d -= s->v[mp_at(i, s->cols) + (size_t)k] * s->v[mp_at(j, s->cols) + (size_t)k];
            sum += d * d;
        }
    }
    return sum;
}

static double link_by_definition(const mp_graph *g, const mp_mat *s, int padded)
{
    double all = 0, mean = 0;
    for (int b = 0; b < g->graphs; b++) {
        double n = g->node_ptr[b + 1] - g->node_ptr[b], r = residual(g, s, b);
        all += r;
        mean += sqrt(r) / (n * n) / g->graphs;
    }
    return padded ? sqrt(all) / ((double)padded * padded * g->graphs) : mean;
}

void check_link_loss(void **state)
{
    mp_check *t = *state;
    for (int how = 0; how < 6; how++) {
        mp_check_reset(t);
        int padded = how % 2 ? 9 : 0;
        mp_graph g = mp_rig_graph(&t->rig, GRAPHS, sizes, how < 4 ? 0.5 : 0, 0);
        mp_mat *s = shares(t, NODES, 3), *w = mp_rig_weights(&t->rig, &g), *loss = NULL;
        if (how >= 2) g.w = w;
        if (how >= 2) g.w->g = NULL;
        for (mp_check_begin(t, "link_loss"); mp_check_next(t);) {
            loss = mp_link_loss(&t->ctx, &g, coarse(t, &g, s), squared(t, &g, s), padded);
            mp_check_value(t, loss);
        }
        loss = mp_link_loss(&t->ctx, &g, coarse(t, &g, s), squared(t, &g, s), padded);
        assert_true(fabs(loss->v[0] - link_by_definition(&g, s, padded)) < 1e-12);
    }
}

void check_entropy_loss(void **state)
{
    mp_check *t = *state;
    mp_mat *s = shares(t, NODES, 3);
    MP_GRADCHECK(t, mp_entropy_loss(&t->ctx, s, ptr, GRAPHS, 0));
    MP_GRADCHECK(t, mp_entropy_loss(&t->ctx, s, ptr, GRAPHS, 8));
    s->v[0] = 1;
    s->v[1] = s->v[2] = 0; /* 0 log 0 is 0 */
    mp_mat *loss = mp_entropy_loss(&t->ctx, s, ptr, GRAPHS, 0);
    assert_true(loss->v[0] > 0 && isfinite(loss->v[0]));
}

/* Dense blocks as adjacency, so that degrees and A0 get gradients too. */
void check_cut_loss(void **state)
{
    mp_check *t = *state;
    for (int K = 1; K <= 3; K++) {
        mp_check_reset(t);
        mp_mat *s = shares(t, 3 * 4, K), *a = mp_check_input(t, 3 * 4, 4);
        for (size_t i = 0; i < mp_size(a); i++) a->v[i] = i < 32 ? fabs(a->v[i]) : 0; /* the last graph has no edges */
        const int *even = (const int[]){ 0, 4, 8, 12 };
        mp_real one[] = { 1, 1, 1, 1 };
        for (mp_check_begin(t, "cut_loss"); mp_check_next(t);) {
            mp_mat *dense = mp_mix(&t->ctx, 1, mp_rows(&t->ctx, a, 0, 8), 0, NULL);
            mp_mat *part = mp_rows(&t->ctx, s, 0, 8);
            mp_mat *a0 = mp_block_gram(&t->ctx, part, mp_block_mul(&t->ctx, dense, part, 2), even, 2);
            mp_mat *d = mp_linear(&t->ctx, dense, mp_mat_of(&t->ctx, one, 4, 1), NULL, false);
            mp_check_value(t, mp_cut_loss(&t->ctx, part, a0, d, even, 2));
        }
        t->ctx.record = false;
        mp_mat *a0 = mp_block_gram(&t->ctx, s, mp_block_mul(&t->ctx, a, s, 3), even, 3);
        mp_mat *d = mp_linear(&t->ctx, a, mp_mat_of(&t->ctx, one, 4, 1), NULL, false);
        double num = 0, den = 0, sum = 0;
        for (int b = 0; b < 2; b++, sum -= num / den / 3) {
            num = den = 0;
            for (int i = 4 * b; i < 4 * b + 4; i++) {
                for (int j = 0; j < 4; j++) {
                    for (int k = 0; k < K; k++) {
                        double si = s->v[mp_at(i, K) + (size_t)k], sj = s->v[mp_at(4 * b + j, K) + (size_t)k];
                        num += si * a->v[mp_at(i, 4) + (size_t)j] * sj;
                        den += si * a->v[mp_at(i, 4) + (size_t)j] * si;
                    }
                }
            }
        }
        assert_true(fabs(mp_cut_loss(&t->ctx, s, a0, d, even, 3)->v[0] - sum) < 1e-12);
    }
}

void check_ortho_loss(void **state)
{
    mp_check *t = *state;
    for (int K = 2; K <= 4; K++) {
        mp_check_reset(t);
        mp_mat *s = shares(t, NODES, K), *m = mp_check_input(t, 3 * K, K);
        MP_GRADCHECK(t, mp_ortho_loss(&t->ctx, m, 3));
        MP_GRADCHECK(t, mp_ortho_loss(&t->ctx, mp_block_gram(&t->ctx, s, s, ptr, GRAPHS), GRAPHS));
    }
    mp_check_reset(t); /* one cluster is orthogonal to itself: 0, and no gradient */
    mp_mat *s = shares(t, NODES, 1);
    MP_GRADCHECK(t, mp_ortho_loss(&t->ctx, mp_block_gram(&t->ctx, s, s, ptr, GRAPHS), GRAPHS));
    assert_true(fabs(mp_ortho_loss(&t->ctx, mp_block_gram(&t->ctx, s, s, ptr, GRAPHS), GRAPHS)->v[0]) < 1e-12);
}

void check_block_sym(void **state)
{
    mp_check *t = *state;
    for (int K = 2; K <= 5; K++) {
        mp_check_reset(t);
        mp_mat *a = mp_check_input(t, 2 * K, K); /* not symmetric: every term shows */
        for (size_t i = 0; i < mp_size(a); i++) a->v[i] = fabs(a->v[i]);
        MP_GRADCHECK(t, mp_block_sym(&t->ctx, a));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_block_sym(&t->ctx, a), 1, a));
    }
    mp_real zero[9] = { 4, 0, 0, 0, 1, 0, 0, 0, 2 }; /* nothing off the diagonal */
    t->ctx.record = false;
    mp_mat *none = mp_block_sym(&t->ctx, mp_mat_of(&t->ctx, zero, 3, 3));
    for (int i = 0; i < 9; i++) assert_true(none->v[i] == 0);
}

/* ---- memory */

void check_memory(void **state)
{
    mp_check *t = *state;
    static const int shapes[][3] = { { 1, 1, 3 }, { 2, 3, 4 }, { 5, 1, 4 }, { 3, 5, 18 } }; /* heads, keys, channels */
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        mp_check_reset(t);
        int H = shapes[i][0], K = shapes[i][1], C = shapes[i][2];
        mp_mat *x = mp_check_input(t, 6, C), *keys = mp_check_input(t, H * K, C), *mix = mp_check_input(t, H, 1);
        MP_GRADCHECK(t, mp_memory(&t->ctx, x, keys, mix, H));
        mp_mat *fixed = mp_rig_mat(&t->rig, H * K, C); /* keys that a step leaves alone */
        MP_GRADCHECK(t, mp_memory(&t->ctx, x, mp_mat_of(&t->ctx, fixed->v, H * K, C), mix, H));
    }
}

/* Against the mean of the columns; a node that should get nothing, a graph where nobody should. */
void check_share_kl(void **state)
{
    mp_check *t = *state;
    for (int D = 1; D <= 3; D++) {
        mp_check_reset(t);
        mp_mat *x = mp_check_input(t, NODES, D);
        mp_real amount[NODES], want[NODES];
        for (int softmax = 0; softmax < 2; softmax++) {
            for (int v = 0; v < NODES; v++) amount[v] = v % 3 == 1 || (v >= ptr[1] && v < ptr[2]) ? 0 : 1 + v % 4;
            t->ctx.k->aim_shares(want, amount, ptr, softmax, GRAPHS);
            MP_GRADCHECK(t, mp_share_kl(&t->ctx, mp_softmax(&t->ctx, x, ptr, GRAPHS), want, 0.7));
        }
    }
    /* Two nodes with shares 1/4 and 3/4 that should be 1/2 each: log(4/3) / 2. */
    mp_arena_reset(t->ctx.arena);
    static mp_real share[] = { 0.25, 0.75 };
    static const mp_real half[] = { 0.5, 0.5 };
    mp_mat *loss = mp_share_kl(&t->ctx, mp_mat_of(&t->ctx, share, 2, 1), half, 1);
    assert_true(fabs(loss->v[0] - 0.5 * log(4.0 / 3)) < 1e-12);
}

void check_kl_loss(void **state)
{
    mp_check *t = *state;
    for (int K = 1; K <= 4; K++) {
        mp_check_reset(t);
        mp_mat *s = shares(t, NODES, K);
        MP_GRADCHECK(t, mp_kl_loss(&t->ctx, s, ptr, GRAPHS, false));
        mp_mat *x = mp_check_input(t, NODES, K);
        MP_GRADCHECK(t, mp_kl_loss(&t->ctx, mp_softmax_rows(&t->ctx, x, 1), ptr, GRAPHS, false));
    }
    /* Detached, the target is a number: -P/S and, from dividing the row by its sum, 1. */
    mp_check_reset(t);
    mp_mat *s = shares(t, NODES, 3);
    mp_arena_reset(t->ctx.arena);
    t->ctx.record = true;
    t->ctx.last = NULL;
    s->live = false;
    mp_mat *loss = mp_kl_loss(&t->ctx, s, ptr, GRAPHS, true);
    mp_grad_zeroed(&t->ctx, loss)[0] = 1;
    mp_tape_back(&t->ctx);
    for (int b = 0; b < GRAPHS; b++) {
        double f[3] = { 0 };
        for (int v = ptr[b]; v < ptr[b + 1]; v++)
            for (int j = 0; j < 3; j++) f[j] += s->v[3 * v + j];
        for (int v = ptr[b]; v < ptr[b + 1]; v++) {
            double r = 0;
            for (int j = 0; j < 3; j++) r += s->v[3 * v + j] * s->v[3 * v + j] / f[j];
            for (int j = 0; j < 3; j++) {
                double share = s->v[3 * v + j] * s->v[3 * v + j] / f[j] / r;
                assert_true(fabs(s->g[3 * v + j] - (1 - share / s->v[3 * v + j]) / GRAPHS) < 1e-12);
            }
        }
    }
}
