/* ops.h - the differentiable ops: each computes its output at once and leaves its backward step on the tape.
 *
 * Shapes: N nodes, E edges, C channels, K kept nodes, D score columns, B graphs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_OPS_H
#define MP_OPS_H

#include "base/api.h"
#include "grad/tape.h"
#include "graph/assign.h"

MP_API_BEGIN

/* X W + b, then ReLU if asked. X N x in, W in x out, b 1 x out or NULL. */
mp_mat *mp_linear(mp_ctx *c, mp_mat *x, mp_mat *w, mp_mat *b, bool relu);
mp_mat *mp_linear_sparse(mp_ctx *c, const mp_sparse *x, mp_mat *w, mp_mat *b);
/* y + X W' + b in the place of y, then ReLU if asked; W' the rows of w from `from` on, b may be NULL, y NULL: zeros. Nobody
 * else may use y, and the op that made it must not need its values. */
mp_mat *mp_linear_onto(mp_ctx *c, mp_mat *y, mp_mat *x, mp_mat *w, int from, mp_mat *b, bool relu);

/* Sums over the edges that end in a node, with the graph's weights:
 * GCN   s_i w_ij s_j over the closed neighbourhood, s = 1/sqrt(degree with the self loop)   (math.md 2.2)
 * SUM   w_ij        MEAN  w_ij / number of edges      SYM  s_i w_ij s_j without a self loop
 * ROW   w_ij / sum of the row's weights, self loops left out */
typedef enum mp_agg_kind { MP_AGG_GCN, MP_AGG_SUM, MP_AGG_MEAN, MP_AGG_SYM, MP_AGG_ROW } mp_agg_kind;
mp_mat *mp_agg(mp_ctx *c, const mp_graph *g, mp_agg_kind kind, mp_mat *z, mp_mat *bias, bool relu);

/* out[e] = a[row of e] + b[col e] (N x 1 each; b may be NULL), E x 1. */
mp_mat *mp_edge_pair(mp_ctx *c, const mp_graph *g, mp_mat *a, mp_mat *b);
/* out[k] = w[from[k]], or 1 where from[k] < 0; w NULL: the edges of an unweighted graph, so nothing to take. */
mp_mat *mp_edge_take(mp_ctx *c, mp_mat *w, const int *from, int n);
/* out_i = sum over edges of w_ij (sa a_i + sb b_j): the neighbour part of LEConv (math.md 2.5). */
mp_mat *mp_edge_mix(mp_ctx *c, const mp_graph *g, mp_mat *a, mp_real sa, mp_mat *b, mp_real sb);

/* Rows that several nodes or edges share: i has row of[i]; NULL: row i. */
typedef struct mp_shared {
    mp_mat *rows;
    const int *of;
} mp_shared;

/* s_i (s_i ReLU(x_i + root) + sum over edges of s_j ReLU(x_j + q_e)): messages with attributes of edges (math.md 2.7). x a row
 * a node, q a row an edge; root 1 x C or NULL; s N constants, NULL: all 1; then ReLU if asked. */
mp_mat *mp_edge_message(mp_ctx *c, const mp_graph *g, mp_shared x, mp_shared q, mp_mat *root, const mp_real *scale,
                        bool relu);

/* s_i w_ij s_j with s_i = (sum of the weights that leave i + 1e-10)^-1/2, E x 1. */
mp_mat *mp_edge_sym(mp_ctx *c, const mp_graph *g);

/* Softmax of each column within each range ptr[i] .. ptr[i+1]-1 (math.md 2.13). */
mp_mat *mp_softmax(mp_ctx *c, mp_mat *u, const int *ptr, int segments);

/* Sparsemax of a column within each range (math.md 2.14). */
mp_mat *mp_sparsemax(mp_ctx *c, mp_mat *u, const int *ptr, int segments);
/* Each column divided by its largest within each range plus eps. */
mp_mat *mp_over_max(mp_ctx *c, mp_mat *u, const int *ptr, int segments, mp_real eps);
/* Row v divided by d_v + eps; d N x 1. */
mp_mat *mp_row_div(mp_ctx *c, mp_mat *x, mp_mat *d, mp_real eps);
/* Lengths of groups of columns, N x D: group d holds columns d*w .. d*w+w-1, w = ceil(C/D); the last may be empty. */
mp_mat *mp_row_length(mp_ctx *c, mp_mat *x, int D, mp_length_kind kind);
/* S_i = e_i A_ii / (sum_j A_ij e_j + 1e-10), e = exp(|tau| (z - largest of the graph)): AttPool's local attention, each
 * column by itself. A is the weights of g; tau 1 x 1. */
mp_mat *mp_local_att(mp_ctx *c, const mp_graph *g, mp_mat *z, mp_mat *tau);

/* out[i] = scale[i] <a[v], b[q]> for pair i = (node v, cluster q) of memberships listed by node; scale constants. */
mp_mat *mp_pair_dot(mp_ctx *c, const mp_assign *t, mp_mat *a, mp_mat *b, const mp_real *scale);

/* Channel-wise maximum over the edges of each row; the graph must have self loops. */
mp_mat *mp_near_max(mp_ctx *c, const mp_graph *g, mp_mat *x);

/* out[i, d*C + c] = f(S[keep i, d]) X[keep i, c]; with split > 0 channel c takes score c/split and the width stays C. */
mp_mat *mp_gate(mp_ctx *c, mp_mat *x, mp_mat *s, mp_act f, const int *keep, int kept, int split);

mp_mat *mp_act_of(mp_ctx *c, mp_mat *x, mp_act f);

/* Per graph: [max ; mean], sum, max or mean over the rows. */
typedef enum mp_read_kind { MP_READ_MAXMEAN, MP_READ_SUM, MP_READ_MAX, MP_READ_MEAN } mp_read_kind;
mp_mat *mp_readout(mp_ctx *c, mp_mat *x, const int *ptr, int graphs, mp_read_kind kind);

mp_mat *mp_mix(mp_ctx *c, mp_real a, mp_mat *x, mp_real b, mp_mat *y); /* a x + b y; y may be NULL */
mp_mat *mp_grow(mp_ctx *c, mp_mat *x, mp_mat *e, mp_mat *y);           /* (1 + e) x + y; e 1 x 1 */
mp_mat *mp_repeat(mp_ctx *c, mp_mat *x, int times);                    /* [x, x, ..., x] side by side */
mp_mat *mp_rows(mp_ctx *c, mp_mat *x, int from, int to);               /* rows from .. to-1 of x */
mp_mat *mp_pick(mp_ctx *c, mp_mat *x, const int *which, int n);        /* rows which[0..n-1] of x */
mp_mat *mp_place(mp_ctx *c, mp_mat *x, const int *which, int rows);    /* row i of x in row which[i], zeros elsewhere */
mp_mat *mp_row_dot(mp_ctx *c, mp_mat *a, mp_mat *b);   /* <block d of a_v, b_v>: N x D from N x DC, N x C */
mp_mat *mp_prelu(mp_ctx *c, mp_mat *x, mp_mat *slope); /* x, or slope x where x < 0 */
mp_mat *mp_dropout(mp_ctx *c, mp_mat *x, double p);    /* identity unless training */
mp_mat *mp_unit_cols(mp_ctx *c, mp_mat *p);            /* each column divided by its norm */

/* A' = T^T W T of memberships t with strengths alpha (math.md 3.4); graph b gets the clusters cluster_of[b] .. cluster_of[b+1]-1. */
void mp_coarse_of(mp_ctx *c, const mp_graph *g, const mp_assign *t, mp_mat *alpha, const int *cluster_of,
                  mp_diagonal diagonal, mp_graph *out);
/* X' = T^T X: row q is the sum over its members of their strength times their row. */
mp_mat *mp_collect(mp_ctx *c, const mp_assign *t, mp_mat *alpha, mp_mat *x);
/* X = T X': row v is the sum over its clusters of its strength in them (alpha NULL: 1) times their row. */
mp_mat *mp_spread(mp_ctx *c, const mp_assign *t, mp_mat *alpha, mp_mat *x);

/* Sum over rows of -log softmax(x)[label], times scale; *logp (may be NULL) gets the log-probabilities. 1 x 1. */
mp_mat *mp_xent(mp_ctx *c, mp_mat *x, const int *label, mp_real scale, const mp_real **logp);
/* Mean over all entries of the cross entropy of sigmoid(x) with one label for all, 0 or 1. 1 x 1. */
mp_mat *mp_bce(mp_ctx *c, mp_mat *x, bool label);
/* The same with a label of its own for each entry, summed over those that are known (not NaN), times scale. 1 x 1. */
mp_mat *mp_bce_known(mp_ctx *c, mp_mat *x, const mp_real *want, mp_real scale);
/* Sum over the known entries of want of the distance of x from it, times scale; `delta` is Huber's. 1 x 1. */
mp_mat *mp_distance(mp_ctx *c, mp_mat *x, const mp_real *want, mp_error_kind how, mp_real delta, mp_real scale);

/* Sum over rows of want log(want / mean of the row of s), times scale: s has shares of each graph, want what they should be.
 * 1 x 1. */
mp_mat *mp_share_kl(mp_ctx *c, mp_mat *s, const mp_real *want, mp_real scale);

/* One LSTM step (math.md 2.11): a B x 4H holds the gates i, f, g, o before their functions; before: the cell so far, B x H,
 * or NULL for zeros. Returns h and sets *cell. */
mp_mat *mp_lstm(mp_ctx *c, mp_mat *a, mp_mat *before, mp_mat **cell);
/* Rows of x weighted by the softmax over their graph of <x_v, q_b>, summed per graph: B x C. */
mp_mat *mp_set_attend(mp_ctx *c, mp_mat *x, mp_mat *q, const int *ptr, int graphs);

/* Sequences: a row of x is one of x->cols / channels places, place by place. conv1d: w (channels * width) x out in the order
 * of files, (channel, place); no padding. maxpool1d: windows of two places. flip1d: place by place to channel by channel. */
mp_mat *mp_conv1d(mp_ctx *c, mp_mat *x, int channels, mp_mat *w, mp_mat *b, int stride, bool relu);
mp_mat *mp_maxpool1d(mp_ctx *c, mp_mat *x, int channels);
mp_mat *mp_flip1d(mp_ctx *c, mp_mat *x, int channels);
/* Row b: the k rows of graph b that are largest in the last column, one after another, zeros where it has fewer. */
mp_mat *mp_sort_pad(mp_ctx *c, mp_mat *x, const int *ptr, int graphs, int k);
/* out[e] = <w_src, x[col e]> + <w_dst, x[row of e]> + b, E x 1; w 2C x 1 = [w_src ; w_dst], b 1 x 1. */
mp_mat *mp_edge_score(mp_ctx *c, const mp_graph *g, mp_mat *x, mp_mat *w, mp_mat *b);
mp_mat *mp_shift(mp_ctx *c, mp_mat *x, mp_real k); /* x + k */

/* ---- dense, graph by graph: rows ptr[b] .. ptr[b+1]-1 of a batch, never padded (op_block.c) */
mp_mat *mp_cat(mp_ctx *c, mp_mat *const *part, int parts); /* [x_0, x_1, ...] side by side */
mp_mat *mp_cols(mp_ctx *c, mp_mat *x, int from, int to);   /* columns from .. to-1; all: x */
const int *mp_even_ptr(mp_ctx *c, int graphs, int each);   /* 0, each, 2 each, ...         */
mp_mat *mp_softmax_rows(mp_ctx *c, mp_mat *x, int parts);  /* of each of `parts` equal pieces of each row */
mp_mat *mp_row_share(mp_ctx *c, mp_mat *a);                /* rows over max(their sum, 1)  */
/* S_b^T X_b one below the other, (B K) x C. S and X may be the same. */
mp_mat *mp_block_gram(mp_ctx *c, mp_mat *s, mp_mat *x, const int *ptr, int graphs);
/* S_b X_b one below the other, N x C from N x K and (B K) x C. */
mp_mat *mp_block_spread(mp_ctx *c, mp_mat *s, mp_mat *x, const int *ptr, int graphs);
/* A_b X_b one below the other: A (B M) x K, X (B K) x C. */
mp_mat *mp_block_mul(mp_ctx *c, mp_mat *a, mp_mat *x, int graphs);

/* Normalisation; mean and var are running statistics, written while training, read otherwise and for a single row. */
mp_mat *mp_layer_norm(mp_ctx *c, mp_mat *x, mp_mat *gamma, mp_mat *beta);
mp_mat *mp_batch_norm(mp_ctx *c, mp_mat *x, mp_mat *gamma, mp_mat *beta, mp_mat *mean, mp_mat *var);

/* q_h + softmax(q_h k_h^T / sqrt(C)) v_h in each graph, heads side by side; softmax over keys or over queries. q_ptr
 * NULL: all rows of q are the queries of every graph. */
mp_mat *mp_mha(mp_ctx *c, mp_mat *q, const int *q_ptr, mp_mat *k, mp_mat *v, const int *k_ptr, int graphs, int heads,
               bool over_queries);

/* Queries m x C as C x (heads m): column h m + i has, in the rows of head h, scale times those columns of query i. */
mp_mat *mp_head_spread(mp_ctx *c, mp_mat *q, int heads, mp_real scale);

/* q_h + s_h b_h + z_h w_h for the queries q of every graph, heads side by side: (B m) x C. z and s have the rows of a graph
 * head by head, w and b the columns. */
mp_mat *mp_head_values(mp_ctx *c, mp_mat *q, mp_mat *z, mp_mat *s, mp_mat *w, mp_mat *b, int graphs, int heads);

/* Losses of a clustering S with A0 = S^T A S, M = S^T S (op_cluster_loss.c), 1 x 1 each. The first two are means over graphs
 * (norm / n^2, entropy of a row); with padded > 0 they are as if each graph had that many rows and all were one tensor.
 * The weights of g are constants. d N x 1: degrees. */
mp_mat *mp_link_loss(mp_ctx *c, const mp_graph *g, mp_mat *a0, mp_mat *m, int padded);
mp_mat *mp_entropy_loss(mp_ctx *c, mp_mat *s, const int *ptr, int graphs, int padded);
mp_mat *mp_cut_loss(mp_ctx *c, mp_mat *s, mp_mat *a0, mp_mat *d, const int *ptr, int graphs);
mp_mat *mp_ortho_loss(mp_ctx *c, mp_mat *m, int graphs);
/* Blocks of K x K without their diagonal, divided by the roots of the row sums at either end. */
mp_mat *mp_block_sym(mp_ctx *c, mp_mat *a);

/* MemPool (op_memory.c): the heads' shares of each key, mixed, N x K; keys (H K) x C, mix H numbers. And the loss that
 * sharpens S, over the number of graphs; detach: its target is a constant. */
mp_mat *mp_memory(mp_ctx *c, mp_mat *x, mp_mat *keys, mp_mat *mix, int heads);
mp_mat *mp_kl_loss(mp_ctx *c, mp_mat *s, const int *ptr, int graphs, bool detach);

MP_API_END

#endif
