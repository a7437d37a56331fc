/* layers.h - linear maps, and what convolutions (conv.h) have in common.
 *
 * A layer is a few parameter numbers; `init` claims them under a prefix, `run` applies them. Input features are dense
 * (x) or, for the first layer, sparse (in.sparse); most layers multiply by their weights before they sum over neighbours,
 * so sparse inputs cost a gather.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LAYERS_H
#define MP_LAYERS_H

#include "base/api.h"
#include "grad/ops.h"
#include "nn/params.h"

MP_API_BEGIN

typedef struct mp_input { /* one of the two */
    mp_mat *dense;
    const mp_sparse *sparse;
    const int *of; /* N: node v has row of[v] of the matrix, where nodes share rows; NULL: row v */
    int nodes;     /* N, with `of` */
} mp_input;
#define MP_DENSE(x) ((mp_input){ .dense = (x) })

double mp_fan_in(int in); /* 1 / sqrt(in): PyTorch's Linear */

typedef struct mp_lin {
    int w, b; /* b -1: none */
} mp_lin;
mp_lin mp_lin_init(mp_params *p, const char *prefix, const char *name, int in, int out, bool bias);
/* Glorot initial weights, no bias. */
mp_lin mp_lin_glorot(mp_params *p, const char *prefix, const char *name, int in, int out);
mp_mat *mp_lin_run(const mp_lin *l, mp_ctx *c, mp_input x, bool relu);
/* The same with these weights; b NULL: none. */
mp_mat *mp_lin_by(mp_ctx *c, mp_input x, mp_mat *w, mp_mat *b, bool relu);

/* The features of nodes which[0..n-1]. */
mp_input mp_input_rows(mp_ctx *c, mp_input x, const int *which, int n);

#define MP_TABLES_MOST 24
typedef struct mp_tables {           /* columns of features that stand for tables of embeddings, side by side */
    int count, rows[MP_TABLES_MOST]; /* none: one of all columns */
} mp_tables;
/* A map of such columns, without bias: with one 1 in the columns of each table, the sum of a row of each. Glorot's bound is
 * that of each table. `tables` NULL: one. */
mp_lin mp_embed_init(mp_params *p, const char *prefix, const char *name, int in, int out, const mp_tables *tables);

/* The rows that nodes share, each once. */
mp_input mp_unshared(mp_input x);

/* The features as a dense matrix. */
mp_mat *mp_dense_input(mp_ctx *c, mp_input x);

typedef struct mp_bnorm { /* BatchNorm: weight, bias, running_mean, running_var */
    int gamma, beta, mean, var;
} mp_bnorm;
mp_bnorm mp_bnorm_init(mp_params *p, const char *prefix, const char *name, int width);
mp_mat *mp_bnorm_run(const mp_bnorm *l, mp_ctx *c, mp_mat *x);

#define MP_HEADS_MOST 64 /* of attention, in one layer */

/* Attention over the edges of a looped graph: softmax over row i of leaky(dst_i + src_j), E x 1. */
mp_mat *mp_attention(mp_ctx *c, const mp_graph *looped, mp_mat *dst, mp_mat *src);

/* The same edges with these weights (E x 1), or unweighted (NULL). */
const mp_graph *mp_weighted(mp_ctx *c, const mp_graph *g, mp_mat *w);

/* The graph with every self loop, weights carried along (1 for new loops). */
const mp_graph *mp_looped(mp_ctx *c, const mp_graph *g);

MP_API_END

#endif
