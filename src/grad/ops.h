/* ops.h - the differentiable ops: each computes its output at once and leaves its backward step on the tape.
 *
 * Shapes: N nodes, E edges, C channels, K kept nodes, D score columns, B graphs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_OPS_H
#define MP_OPS_H

#include "grad/tape.h"
#include "graph/assign.h"

/* X W + b, then ReLU if asked. X N x in, W in x out, b 1 x out or NULL. */
mp_mat *mp_linear(mp_ctx *c, mp_mat *x, mp_mat *w, mp_mat *b, bool relu);
mp_mat *mp_linear_sparse(mp_ctx *c, const mp_sparse *x, mp_mat *w, mp_mat *b);

/* Sums over the edges that end in a node, with the graph's weights:
 * GCN   s_i w_ij s_j over the closed neighbourhood, s = 1/sqrt(degree with the self loop)   (METHODS 2.2)
 * SUM   w_ij        MEAN  w_ij / number of edges      SYM  s_i w_ij s_j without a self loop
 * ROW   w_ij / sum of the row's weights, self loops left out */
typedef enum mp_agg_kind { MP_AGG_GCN, MP_AGG_SUM, MP_AGG_MEAN, MP_AGG_SYM, MP_AGG_ROW } mp_agg_kind;
mp_mat *mp_agg(mp_ctx *c, const mp_graph *g, mp_agg_kind kind, mp_mat *z, mp_mat *bias, bool relu);

/* out[e] = a[row of e] + b[col e] (N x 1 each; b may be NULL), E x 1. */
mp_mat *mp_edge_pair(mp_ctx *c, const mp_graph *g, mp_mat *a, mp_mat *b);
/* out[k] = w[from[k]], or 1 where from[k] < 0; w NULL: the edges of an unweighted graph, so nothing to take. */
mp_mat *mp_edge_take(mp_ctx *c, mp_mat *w, const int *from, int n);
/* out_i = sum over edges of w_ij (sa a_i + sb b_j): the neighbour part of LEConv (METHODS 2.5). */
mp_mat *mp_edge_mix(mp_ctx *c, const mp_graph *g, mp_mat *a, mp_real sa, mp_mat *b, mp_real sb);

/* s_i w_ij s_j with s_i = (sum of the weights that leave i + 1e-10)^-1/2, E x 1. */
mp_mat *mp_edge_norm(mp_ctx *c, const mp_graph *g);

/* Softmax of each column within each range ptr[i] .. ptr[i+1]-1 (METHODS 2.13). */
mp_mat *mp_softmax(mp_ctx *c, mp_mat *u, const int *ptr, int segments);

/* Sparsemax of a column within each range (METHODS 2.14). */
mp_mat *mp_sparsemax(mp_ctx *c, mp_mat *u, const int *ptr, int segments);
/* S_i = e_i A_ii / (sum_j A_ij e_j + 1e-10), e = exp(|tau| (z - largest of the graph)): AttPool's local attention, each
 * column by itself. A is the weights of g; tau 1 x 1. */
mp_mat *mp_local_att(mp_ctx *c, const mp_graph *g, mp_mat *z, mp_mat *tau);

/* out[k] = scale[k] <a[row_a k], b[row_b k]>, n x 1; scale constants. */
mp_mat *mp_pair_dot(mp_ctx *c, mp_mat *a, const int *row_a, mp_mat *b, const int *row_b, const mp_real *scale, int n);

/* Channel-wise maximum over the edges of each row; the graph must have self loops. */
mp_mat *mp_near_max(mp_ctx *c, const mp_graph *g, mp_mat *x);

/* out[i, d*C + c] = f(S[keep i, d]) X[keep i, c]; with split > 0 channel c takes score c/split and the width stays C. */
mp_mat *mp_gate(mp_ctx *c, mp_mat *x, mp_mat *s, mp_act f, const int *keep, int kept, int split);

mp_mat *mp_act_of(mp_ctx *c, mp_mat *x, mp_act f);

/* Per graph: [max ; mean], sum, max or mean over the rows. */
typedef enum mp_read_kind { MP_READ_MAXMEAN, MP_READ_SUM, MP_READ_MAX, MP_READ_MEAN } mp_read_kind;
mp_mat *mp_readout(mp_ctx *c, mp_mat *x, const int *ptr, int graphs, mp_read_kind kind);

mp_mat *mp_mix(mp_ctx *c, mp_real a, mp_mat *x, mp_real b, mp_mat *y); /* a x + b y; y may be NULL */
mp_mat *mp_repeat(mp_ctx *c, mp_mat *x, int times);                    /* [x, x, ..., x] side by side */
mp_mat *mp_rows(mp_ctx *c, mp_mat *x, int from, int to);              /* rows from .. to-1 of x */
mp_mat *mp_pick(mp_ctx *c, mp_mat *x, const int *which, int n);         /* rows which[0..n-1] of x */
mp_mat *mp_row_dot(mp_ctx *c, mp_mat *a, mp_mat *b);                   /* <block d of a_v, b_v>: N x D from N x DC, N x C */
mp_mat *mp_prelu(mp_ctx *c, mp_mat *x, mp_mat *slope);                 /* x, or slope x where x < 0 */
mp_mat *mp_dropout(mp_ctx *c, mp_mat *x, double p);                    /* identity unless training */
mp_mat *mp_unit_cols(mp_ctx *c, mp_mat *p);                            /* each column divided by its norm */

/* A' = S^T W S of a clustering: cluster q holds the nodes that row keep[q] of the looped graph lists, with memberships
 * alpha (METHODS 3.4). The result has no diagonal unless `diagonal`, which sets it to 1. alpha or the graph's weights
 * without a gradient get none. */
void mp_coarse(mp_ctx *c, const mp_graph *looped, mp_mat *alpha, const int *keep, const int *keep_ptr, bool diagonal,
               mp_graph *out);

/* The same for any memberships t of strengths alpha; graph b gets the clusters cluster_of[b] .. cluster_of[b+1]-1. */
typedef enum mp_diagonal { MP_DIAGONAL_NONE, MP_DIAGONAL_ONE, MP_DIAGONAL_SUM } mp_diagonal;
void mp_coarse_of(mp_ctx *c, const mp_graph *g, const mp_assign *t, mp_mat *alpha, const int *cluster_of,
                  mp_diagonal diagonal, mp_graph *out);
/* X' = T^T X: row q is the sum over its members of their strength times their row. */
mp_mat *mp_collect(mp_ctx *c, const mp_assign *t, mp_mat *alpha, mp_mat *x);

/* Sum over rows of -log softmax(x)[label], times scale; *logp (may be NULL) gets the log-probabilities. 1 x 1. */
mp_mat *mp_xent(mp_ctx *c, mp_mat *x, const int *label, mp_real scale, const mp_real **logp);
/* Mean over all entries of the cross entropy of sigmoid(x) with one label for all, 0 or 1. 1 x 1. */
mp_mat *mp_bce(mp_ctx *c, mp_mat *x, bool label);
/* Sum over rows of (x - target)^2, times scale. 1 x 1. */
mp_mat *mp_mse(mp_ctx *c, mp_mat *x, const mp_real *target, mp_real scale);

#endif
