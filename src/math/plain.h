/* plain.h - kernels with one version for all instruction sets: they walk lists, sort, or are over in no time, and wider
 * vectors would gain nothing. They stand in the same table as the others (kernels.h), so that another device can have its
 * own.
 *
 * Gradients (d...) are added to; those that a comment says may be NULL are then left out.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PLAIN_H
#define MP_PLAIN_H

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum mp_error_kind {
    MP_ERROR_SQUARED,
    MP_ERROR_ABSOLUTE,
    MP_ERROR_HUBER
} mp_error_kind; /* how far a number is off */

/* A graph as a kernel reads it: the edges row_ptr[v] .. row_ptr[v+1]-1 end in v and come from col, ascending. */
typedef struct mp_csr {
    const int *row_ptr, *col;
    const int *rev;   /* the same edge from its other end */
    const mp_real *w; /* weights; NULL: all 1             */
    int nodes;
} mp_csr;

/* Memberships of nodes in clusters, from both sides (graph/assign.h). */
typedef struct mp_members {
    const int *cluster_ptr, *member, *member_at;
    const int *node_ptr, *owner, *owner_at;
} mp_members;

/* How long a group of columns is: sum of |x|, root of the sum of x^2, or that sum. */
typedef enum mp_length_kind { MP_LENGTH_L1, MP_LENGTH_L2, MP_LENGTH_SQUARE } mp_length_kind;

/* How the columns of a row of scores make its key. */
typedef enum mp_key_kind { MP_KEY_SUM, MP_KEY_MAX, MP_KEY_L2 } mp_key_kind;

/* The diagonal of a coarse adjacency: left out, set to 1, or summed as any other entry. */
typedef enum mp_diagonal { MP_DIAGONAL_NONE, MP_DIAGONAL_ONE, MP_DIAGONAL_SUM } mp_diagonal;

/* Scratch of coarse_meet and coarse_rows_bwd: share and leaving are inputs, `seen` and `mark` begin at -1. */
typedef struct mp_coarse_work {
    mp_real *share;      /* strengths by node, in the order of owner             */
    mp_real *leaving;    /* E: the weight of the reverse of each edge            */
    mp_real *m, *dm;     /* N: M_l and dM_l of the cluster at hand               */
    mp_real *value, *da; /* K: A'[p,.] and its gradient                          */
    int *near;           /* N: the nodes l with M_l set                          */
    int *found;          /* K: the clusters met                                  */
    int *mark, *seen;    /* N, K: the last cluster that met this node or cluster */
} mp_coarse_work;

/* A' = T^T W T of graphs side by side, by pairs (math/one_coarse.h): a graph has n nodes and k clusters. */
typedef struct mp_meeting {
    const int *node_ptr, *cluster_ptr; /* B+1 */
    const size_t *near_at, *pair_at;   /* B+1: where the n k and the k k numbers of a graph begin               */
    bool *dense;                       /* B: whether sums are those of dense products                           */
    mp_real *m;                        /* n k: M_l of cluster p, a row a cluster                                */
    int *first;                        /* n k: the first membership of p next to l; -1: none, and M_l is nothing */
    mp_real *a;                        /* k k: A'[p,q]                                                          */
    int *place;                        /* k k: 1 where p meets q, else 0; then the edge p -> q, or -1           */
    mp_diagonal diagonal;
    int graphs;
    size_t nears, pairs; /* how many of these numbers there are */
} mp_meeting;

/* Paths of two edges that end in kept nodes. */
typedef struct mp_hop { /* an edge to a kept node */
    int to;             /* its kept number */
    mp_real w;          /* the weight of the reverse edge: what leaves the node at hand */
} mp_hop;
typedef struct mp_spot { /* what the row at hand knows about a kept node; together, because they are met in no order */
    int row;             /* the last row that met it */
    mp_real direct, sum;
} mp_spot;
typedef struct mp_paths {
    const int *place; /* N: kept number, or -1 */
    int *ptr;         /* N+1: node v owns hops ptr[v] .. ptr[v+1]-1, in the order of its edges */
    mp_hop *hops;     /* E+1 */
    mp_spot *at;      /* K */
    int *found;       /* K */
} mp_paths;

/* Classes of nodes with the same closed neighbourhood (graph/twins.h). */
typedef struct mp_classes {
    const int *member_ptr, *member, *row_ptr, *col;
    int classes;
} mp_classes;

/* clang-format off */
#define MP_PLAIN_LIST(ROW)                                                                                              \
    /* ---- what edges count in a sum over neighbours (op_agg.c). s: one over the root of the degree, 0 where that is 0. */ \
    /* Unweighted, a self loop at every node; nodes from .. end-1. */                                                 \
    ROW(closed_roots, (mp_real *s, const mp_csr *g, bool loopless, int from, int end))                                  \
    /* The same for classes of twins: a class has the members of its neighbour classes as neighbours. */              \
    ROW(class_roots, (mp_real *s, const int *row_ptr, const int *col, const int *member_ptr, const int *member,         \
                    int classes))                                                                                     \
    /* Weighted; a self loop that is not stored has weight 1. q: s times the weight of the self loop. */              \
    ROW(closed_weights, (mp_real *s, mp_real *q, const mp_csr *g))                                                      \
    /* p: weights without self loops, and s of their sums. */                                                         \
    ROW(open_weights, (mp_real *p, mp_real *s, const mp_csr *g))                                                        \
    ROW(mean_weights, (mp_real *p, const mp_csr *g))  /* p: weight / number of edges of the row */                      \
    ROW(share_weights, (mp_real *p, const mp_csr *g)) /* p: weight / sum of the row's weights, self loops 0 */          \
    /* dw from G_e = <dY_row, Z_col>, for each of these; dd: N of scratch; G_self, q NULL: no self loops. */          \
    ROW(sum_weights_bwd, (mp_real *dw, const mp_real *G, const mp_csr *g))                                              \
    ROW(mean_weights_bwd, (mp_real *dw, const mp_real *G, const mp_csr *g))                                             \
    ROW(share_weights_bwd, (mp_real *dw, const mp_real *G, const mp_real *p, const mp_csr *g))                          \
    ROW(root_weights_bwd, (mp_real *dw, mp_real *dd, const mp_real *G, const mp_real *G_self, const mp_real *q,         \
                         const mp_real *s, const mp_csr *g))                                                          \
    /* The sum of the weights of the edges that end in each node, or that leave it. */                                \
    ROW(weight_sums, (mp_real *out, bool leaving, const mp_csr *g))                                                     \
    /* ---- edges (op_edges.c) */                                                                                     \
    ROW(edge_pair, (mp_real *out, const mp_real *a, const mp_real *b, const mp_csr *g)) /* b may be NULL */             \
    ROW(edge_pair_bwd, (mp_real *da, mp_real *db, const mp_real *dout, const mp_csr *g)) /* either may be NULL */       \
    ROW(edge_mix, (mp_real *out, const mp_real *a, const mp_real *degree, mp_real sa, mp_real sb, int N, int C))        \
    ROW(edge_mix_bwd, (mp_real *dw, const mp_real *self, const mp_real *G, mp_real sa, mp_real sb, const mp_csr *g))    \
    ROW(edge_ends, (mp_real *out, const mp_real *S, const mp_real *b, const mp_csr *g))                                 \
    ROW(edge_ends_bwd, (mp_real *dS, const mp_real *dout, const mp_csr *g))                                             \
    ROW(edge_sym, (mp_real *out, mp_real *s, const mp_csr *g))                                                          \
    ROW(edge_sym_bwd, (mp_real *dw, mp_real *dd, const mp_real *dout, const mp_real *out, const mp_real *s,             \
                     const mp_csr *g))                                                                                \
    /* ---- attention and shares (op_attend.c, op_softmax.c). e, den N x D and top B x D are for the backward. */     \
    ROW(local_att, (mp_real *out, mp_real *e, mp_real *den, int *top, const mp_real *z, const mp_real *tau,             \
                  const int *node_ptr, const mp_csr *g, int B, int D))                                                \
    ROW(local_att_bwd, (mp_real *dz, mp_real *dtau, mp_real *du, const mp_real *dout, const mp_real *out,               \
                      const mp_real *z, const mp_real *tau, const mp_real *e, const mp_real *den, const int *top,     \
                      const int *node_ptr, const mp_csr *g, int B, int D)) /* dz, dtau may be NULL */                 \
    ROW(sparsemax, (mp_real *out, mp_real *sorted, const mp_real *u, const int *ptr, int segments))                     \
    ROW(sparsemax_bwd, (mp_real *du, const mp_real *dout, const mp_real *out, const int *ptr, int segments))            \
    /* Column d of X into a vector, and back (stored, or added). */                                                   \
    ROW(column, (mp_real *out, const mp_real *X, int d, int N, int C))                                                  \
    ROW(column_put, (mp_real *X, const mp_real *x, bool add, int d, int N, int C))                                      \
    /* ---- sizes (op_size.c, op_block.c) */                                                                          \
    ROW(row_length, (mp_real *out, const mp_real *X, mp_length_kind kind, int N, int C, int D))                         \
    ROW(row_length_bwd, (mp_real *dX, const mp_real *dout, const mp_real *out, const mp_real *X, mp_length_kind kind,   \
                       int N, int C, int D))                                                                          \
    ROW(over_max, (mp_real *out, int *arg, const mp_real *u, const int *ptr, mp_real eps, int segments, int D))         \
    ROW(over_max_bwd, (mp_real *du, const mp_real *dout, const mp_real *out, const mp_real *u, const int *arg,          \
                     const int *ptr, mp_real eps, int segments, int D))                                               \
    ROW(row_div, (mp_real *out, const mp_real *X, const mp_real *d, mp_real eps, int N, int C))                         \
    ROW(row_div_bwd, (mp_real *dX, mp_real *dd, const mp_real *dout, const mp_real *out, const mp_real *d, mp_real eps, \
                    int N, int C)) /* dX, dd may be NULL */                                                           \
    ROW(row_share, (mp_real *out, mp_real *sum, const mp_real *A, int N, int C))                                        \
    ROW(row_share_bwd, (mp_real *dA, const mp_real *dout, const mp_real *out, const mp_real *sum, int N, int C))        \
    ROW(unit_cols, (mp_real *out, mp_real *length, const mp_real *P, int N, int D))                                     \
    ROW(unit_cols_bwd, (mp_real *dP, const mp_real *dout, const mp_real *out, const mp_real *length, int N, int D))     \
    ROW(block_sym, (mp_real *out, mp_real *s, const mp_real *A, int rows, int K))                                      \
    ROW(block_sym_bwd, (mp_real *dA, const mp_real *dout, const mp_real *A, const mp_real *s, int rows, int K))        \
    /* out[b] = 1 / number of rows of range b, 0 where it is empty. */                                                \
    ROW(range_shares, (mp_real *out, const int *ptr, int ranges))                                                       \
    /* ---- normalisation (op_norm.c) */                                                                              \
    ROW(layer_norm, (mp_real *Y, mp_real *hat, mp_real *scale, const mp_real *X, const mp_real *gamma,                  \
                   const mp_real *beta, int N, int C))                                                                \
    ROW(layer_norm_bwd, (mp_real *dX, const mp_real *dY, const mp_real *hat, const mp_real *scale, const mp_real *gamma,\
                       int N, int C))                                                                                 \
    /* What BatchNorm subtracts and multiplies: from stat, which also moves the running mean and variance, or from    \
     * these when stat is NULL. */                                                                                    \
    ROW(batch_stats, (mp_real *centre, mp_real *scale, mp_real *mean, mp_real *var, const double *stat, int N, int C))  \
    /* factor and less of norm_bwd; fixed: the statistics were constants. */                                          \
    ROW(batch_slopes, (mp_real *factor, mp_real *less, const mp_real *gamma, const mp_real *scale, const double *sum,   \
                     bool fixed, int N, int C))                                                                       \
    ROW(add_doubles, (mp_real *y, const double *x, int n))                                                              \
    ROW(square_sum, (double *out, const mp_real *x, size_t n)) /* upwards */                                            \
    /* What a gradient counts whose parts have these sums of squares, n of them: less than 1 where its norm is above `most`. */ \
    ROW(clip_scale, (mp_real *scale, const double *squares, double most, int n))                                        \
    /* ---- losses: the number, and its slope by each input (op_loss.c, op_cluster_loss.c) */                         \
    ROW(bce, (mp_real *loss, mp_real *slope, const mp_real *x, const mp_real *want, mp_real same, mp_real scale,        \
              size_t n))                                                                                                \
    ROW(distance, (mp_real *loss, mp_real *slope, const mp_real *x, const mp_real *want, mp_error_kind how, mp_real delta,     \
                   mp_real scale, size_t n))                                                                            \
    /* Shares of a graph from amounts: over their sum, or softmax; all 0 where there is nothing. */                    \
    ROW(aim_shares, (mp_real *t, const mp_real *amount, const int *ptr, bool softmax, int B))                          \
    /* scale times the sum of t log(t / s), s the mean of a row of S. */                                              \
    ROW(share_kl, (mp_real *loss, mp_real *slope, const mp_real *S, const mp_real *t, mp_real scale, int N, int D))    \
    /* w NULL: weights of 1. slope: B factors. */                                                                     \
    ROW(link_loss, (mp_real *loss, mp_real *slope, const mp_real *A0, const mp_real *M, const mp_real *w,               \
                  const int *node_ptr, const int *row_ptr, int padded, int B, int K))                                \
    ROW(entropy_loss, (mp_real *loss, const mp_real *S, const int *ptr, int padded, int B, int K))                     \
    ROW(entropy_loss_bwd, (mp_real *dS, const mp_real *dloss, const mp_real *S, const int *ptr, int padded, int B,      \
                         int K))                                                                                     \
    ROW(cut_loss, (mp_real *loss, double *num, double *den, const mp_real *S, const mp_real *A0, const mp_real *d,      \
                 const int *ptr, int B, int K))                                                                      \
    ROW(ortho_loss, (mp_real *loss, mp_real *slope, mp_real *slope_one, const mp_real *M, int B, int K))               \
    /* work: 2 K + 1 for each graph, K + 1 for each row. */                                                            \
    ROW(kl_loss, (mp_real *loss, mp_real *slope, double *work, const mp_real *S, const int *ptr, bool detach, int B,    \
                int K))                                                                                              \
    /* Y_b[i,i] += a x[b] in blocks of K x K; and the diagonal of one block. */                                       \
    ROW(diagonals, (mp_real *Y, mp_real a, const mp_real *x, int B, int K))                                            \
    ROW(diagonal_set, (mp_real *Y, mp_real value, int K))                                                              \
    ROW(prelu_slope, (mp_real *da, const mp_real *dy, const mp_real *x, size_t n))                                      \
    /* ---- memory, sequences, heads (op_memory.c, op_lstm.c, op_conv1d.c, op_mha.c) */                               \
    /* u, N x HK, holds the products x k and becomes the closeness; sum N x H over the keys of a head. */             \
    ROW(closeness, (mp_real *u, mp_real *sum, const mp_real *x2, const mp_real *key2, int N, int H, int K))            \
    ROW(closeness_bwd, (mp_real *e, mp_real *dmix, const mp_real *dout, const mp_real *u, const mp_real *sum,           \
                      const mp_real *mix, int N, int H, int K)) /* e stored; dmix may be NULL */                     \
    ROW(head_weights, (mp_real *out, const mp_real *mix, const mp_real *sum, int h, int N, int H)) /* mix_h / sum_vh */ \
    ROW(minus_sums, (mp_real *rows, mp_real *cols, const mp_real *X, int N, int C)) /* stored */                        \
    ROW(lstm_bwd, (mp_real *da, mp_real *dbefore, const mp_real *dh, const mp_real *dcell, const mp_real *gate,         \
                 const mp_real *squash, const mp_real *before, int B, int H)) /* dbefore, dh, dcell, before: or NULL */ \
    /* Rows (c, u) of a file's order into rows (u, c) of a window's order; or back, added. */                         \
    ROW(window_order, (mp_real *to, const mp_real *from, bool back, int channels, int width, int out))                  \
    ROW(max_pairs, (mp_real *out, int *arg, const mp_real *X, int N, int C, int C_in, int channels))                      \
    ROW(max_pairs_bwd, (mp_real *dX, const mp_real *dout, const int *arg, int N, int C, int C_in))                      \
    ROW(flip_places, (mp_real *out, const mp_real *X, int N, int channels, int places))                                 \
    ROW(flip_places_bwd, (mp_real *dX, const mp_real *dout, int N, int channels, int places))                           \
    ROW(head_spread, (mp_real *out, const mp_real *q, mp_real scale, int heads, int m, int C))                          \
    ROW(head_spread_bwd, (mp_real *dq, const mp_real *dout, mp_real scale, int heads, int m, int C))                    \
    /* ---- coarse adjacencies A' = T^T W T (op_coarse.c, coarse_dense.c) */                                          \
    /* The clusters that p meets, into s->found, and A'[p,.] into s->value; then as a list with its diagonal as asked. */\
    ROW(coarse_meet, (int *count, const mp_coarse_work *s, const mp_real *alpha, const mp_csr *g, const mp_members *t, \
                      int p))                                                                                         \
    ROW(coarse_list, (int *count, int *to, mp_real *weight, const mp_coarse_work *s, int found, mp_diagonal diagonal, \
                      int p))                                                                                         \
    /* Clusters from .. end-1. dweight: of the edges of `out`. dshare by node, dalpha, dw may be NULL. */             \
    ROW(coarse_rows_bwd, (mp_real *dshare, mp_real *dalpha, mp_real *dw, const mp_real *dweight,                        \
                        const mp_coarse_work *s, const mp_real *alpha, const mp_csr *g, const mp_csr *out,            \
                        const mp_members *t, mp_diagonal diagonal, int from, int end))                                \
    /* Lists of a block as a dense matrix rows x cols: entry i of row r is at (r, item[i] - first), or turned round. value  \
     * NULL: 1. What no list names is left as it is. And entries of a dense matrix back (stored, or added). */        \
    ROW(dense_put, (mp_real *D, const mp_real *value, const int *ptr, const int *item, int first, bool flip, int rows,  \
                  int cols))                                                                                          \
    ROW(dense_take, (mp_real *value, const mp_real *D, const int *ptr, const int *item, int first, bool add, int rows,  \
                   int cols)) \
    /* The same for all clusters of a batch at once, by pairs, for who cannot look at what is met (coarse_unseen.c): which graphs   \
     * are better off dense; m and first; a and whether there is an edge; rows; edges with their places. */           \
    ROW(meet_ways, (const mp_meeting *s, const mp_csr *g, const mp_members *t))                                       \
    ROW(meet_near, (const mp_meeting *s, const mp_real *alpha, const mp_csr *g, const mp_members *t))                 \
    ROW(meet_pairs, (const mp_meeting *s, const mp_real *alpha, const mp_csr *g, const mp_members *t))                \
    ROW(meet_rows, (int *row_ptr, const mp_meeting *s, int K))                                                            \
    ROW(meet_edges, (int *col, int *rev, mp_real *w, const int *row_ptr, const mp_meeting *s))                        \
    /* dm, n k, from dweight of the edges of `out`; then dalpha of memberships, of which there are at most `most`, and dw of the \
     * edges of g, of which there are at most `most`. */                                                              \
    ROW(meet_near_bwd, (mp_real *dm, const mp_real *dweight, const mp_meeting *s, const mp_real *alpha,               \
                        const mp_members *t))                                                                         \
    ROW(meet_members_bwd, (mp_real *dalpha, const mp_real *dm, const mp_real *dweight, const mp_meeting *s,           \
                           const mp_csr *g, const mp_csr *out, const mp_members *t, int K, int most))                      \
    ROW(meet_weights_bwd, (mp_real *dw, const mp_real *dm, const mp_meeting *s, const mp_real *alpha, const mp_csr *g,\
                           const mp_members *t, int most))                                                            \
    /* ---- pooling (src/pool) */                                                                                     \
    /* Row i of range b: the number of rows of b, or 1 over it. And the length of each range. */                      \
    ROW(range_sizes, (mp_real *out, const int *ptr, bool inverse, int ranges))                                        \
    ROW(range_counts, (mp_real *out, const int *ptr, int ranges))                                                     \
    ROW(hat_weights, (mp_real *w, const mp_csr *g)) /* 1 / sqrt(number of edges of row times that of column) */       \
    /* ChebyGIN: edges to others of each row, and of an edge -1 / sqrt((degree + 1e-5) of row times that of column); loops 0. */ \
    ROW(cheb_weights, (mp_real *w, mp_real *degree, const mp_csr *g))                                                 \
    /* Strengths w of memberships, over what each node gives in all, plus eps. */                                     \
    ROW(member_shares, (mp_real *alpha, const mp_real *w, const mp_members *t, mp_real eps, int nodes))               \
    ROW(either, (mp_real *out, const int *which, mp_real yes, mp_real no, int n)) /* yes where which[i] >= 0 */       \
    /* One key a row of scores S N x D, of |S| with flip; mean: as large as a column. *nan is set where one is NaN. */\
    ROW(keys, (mp_real *key, bool *nan, const mp_real *S, bool flip, mp_key_kind kind, bool mean, int N, int D))      \
    ROW(clear_marked, (mp_real *x, const int *mark, int n)) /* 0 where mark is not */                                 \
    /* Softmax of kept row q of g over all nodes of its graph, zeros included: alpha[start[v] + q's place in its graph]. */ \
    ROW(full_shares, (mp_real *alpha, const int *start, const mp_csr *g, const int *keep, const int *keep_ptr,        \
                      const int *node_ptr, int B)) \
    ROW(two_levels, (mp_real *out, const int *code, mp_real first, mp_real second, int n)) /* bit 1: first, 2: second */ \
    /* Paths between kept nodes (coarsen_square.c): ptr, hops and spots of s; then for kept node q, which is v, what it  \
     * meets, *count of them into s->found, and lists of that. A+A^2, `after` through kept nodes alone, without q. */ \
    ROW(paths_begin, (const mp_paths *s, const mp_csr *g, int K))                                                     \
    ROW(square_row, (int *count, const mp_paths *s, const mp_csr *g, bool after, int q, int v))                       \
    ROW(square_list, (int *count, int *to, mp_real *weight, const mp_paths *s, int found, bool binary, int q))        \
    /* lambda A + (1 - lambda) times shared neighbours over those of either, or over the root of their product. */    \
    ROW(overlap_row, (int *count, const mp_paths *s, const mp_csr *g, int q, int v))                                  \
    ROW(overlap_list, (int *to, mp_real *weight, const mp_paths *s, int found, const mp_csr *g, const int *keep,      \
                       mp_real lambda, bool cosine, int q))                                                           \
    /* ---- what was kept (src/graph). mark: whether v = 0..N-1 is one of which[0..n-1]. */                           \
    ROW(mark_rows, (bool *mark, const int *which, int n, int N))                                                      \
    /* The first keep_ptr[b+1] - keep_ptr[b] nodes of each range by falling key, ties to the lower index; nodes with   \
     * dropped[v] > 0 (NULL: none) behind all others, in rising order of it. N nodes; work: MP_RANK_WORK bytes each. */  \
    ROW(rank, (int *keep, void *work, const mp_real *key, const int *dropped, const int *node_ptr,                    \
               const int *keep_ptr, int B, int N))                                                                    \
    /* out[i] = from[which[i]], -1 where which[i] is negative. */                                                     \
    ROW(take_ints, (int *out, const int *from, const int *which, int n))                                              \
    /* The graph on K kept nodes: place[v] its new number or K, and row_ptr; then col, rev, and `from`, the edge of g    \
     * that each was. col and from have room for one more edge. rev and from NULL: nobody asks. work: K + 1 and, with \
     * rev, the edges of g. */                                                                                        \
    ROW(induce_rows, (int *row_ptr, int *place, const mp_csr *g, const int *keep, int K))                             \
    ROW(induce_edges, (int *col, int *rev, int *from, int *work, const int *row_ptr, const int *place,                \
                       const mp_csr *g, const int *keep, int K))                                                      \
    /* g with a self loop at every node: rows; then columns, reverses, and `from`, the edge of g that each was, -1 for new loops \
     * and in what is left of the `room` that from has. */                                                            \
    ROW(loop_rows, (int *row_ptr, const mp_csr *g))                                                                   \
    ROW(loop_edges, (int *col, int *rev, int *from, const int *row_ptr, const mp_csr *g, int room))                   \
    /* Clusters that are rows of g (graph/assign.h): cluster_ptr; then members and their edges. */                    \
    ROW(row_clusters, (int *cluster_ptr, const mp_csr *g, const int *keep, int K))                                    \
    ROW(row_members, (int *member, int *member_at, const int *cluster_ptr, const mp_csr *g, const int *keep, int K))  \
    /* Lists by row (ptr, item, at; at NULL: numbered as they come) as lists by item, rows ascending. out_ptr has room for one   \
     * item more. work: of who cannot look, one for each entry and item. */                                                                 \
    ROW(turn_lists, (int *out_ptr, int *out_row, int *out_at, int *work, const int *ptr, const int *item,             \
                     const int *at, int rows, int items))                                                             \
    /* dw[from[e]] += dout[e], of e = 0..n-1 at most one each, none where from is negative. */                        \
    ROW(edges_give, (mp_real *dw, const mp_real *dout, const int *from, int n))                                       \
    /* The classes among kept nodes of N, numbered as these come. member_ptr and row_ptr have room for one class more than \
     * before and are filled up with empty classes, col for one link more. work: N + 2 old classes + kept nodes. */   \
    ROW(twins_keep, (int *class_ptr, int *member_ptr, int *member, int *row_ptr, int *col, int *work,                 \
                     const mp_classes *t, const int *keep, const int *keep_ptr, int N, int B))
/* clang-format on */

#define MP_RANK_WORK (3 * 2 * sizeof(mp_real)) /* three of a key and a number */

#define MP_PLAIN_DECLARE(name, args) void mp_plain_##name args;

#endif
