/* kernels.h - the arithmetic of the library: arrays in, arrays out, nothing allocated.
 *
 * Every kernel is compiled for several instruction sets from one source and gives the same bits in each: an
 * output element is one fixed chain of fused multiply-adds (or, where it says "16 lanes", sixteen chains over
 * c mod 16 that are folded 8, 4, 2, 1), whatever the vector width, the tiling or the number of threads.
 *
 * The kernels of plain.h are in the table too, with one version for all sets.
 *
 * Names: outputs first, inputs next, sizes last. `add`: add to the output instead of storing.
 * SPDX-License-Identifier: MIT */
#ifndef MP_KERNELS_H
#define MP_KERNELS_H

#include "base/api.h"
#include "base/real.h"
#include "base/rng.h"
#include "math/plain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

MP_API_BEGIN

typedef enum mp_act { MP_ACT_NONE, MP_ACT_RELU, MP_ACT_TANH, MP_ACT_SIGMOID, MP_ACT_LEAKY } mp_act;
#define MP_LEAKY_SLOPE ((mp_real)0.2)

/* A matrix as a product reads it: element (i,k) is at p[i*ld + k], or p[k*ld + i] when `flip`. */
typedef struct mp_operand {
    const mp_real *p;
    int ld;
    bool flip;
} mp_operand;

/* A sum over neighbours: the edge e from u to v counts p[e] (NULL: 1; taken at perm[e] when perm is given) times s[u]
 * (NULL: 1). With q the node itself is among the neighbours, in its place, and counts q[v]; an edge from v to v is then
 * left out. The sum of row v goes to row v of the output, or to its rows to[to_ptr[v]] .. when `to` is given, and counts
 * r[i] in row i (NULL: 1). */
typedef struct mp_links {
    const int *row_ptr, *col;
    const mp_real *p;
    const int *perm;
    const mp_real *q, *s, *r;
    const int *to_ptr, *to;
} mp_links;

typedef struct
    mp_blocks { /* rows of products side by side: block i of C has its rows in_c[i] .. in_c[i+1]-1, and so on */
    const int *in_c, *in_a, *in_b;
    int count;
} mp_blocks;

typedef struct mp_messages { /* along the edges of a graph (op_message.c) */
    const int *row_ptr, *col, *rev;
    const int *x_of, *q_of; /* node v has row x_of[v] of X, edge e row q_of[e] of Q; NULL: v and e themselves */
    const mp_real *scale;   /* s, N; NULL: 1 */
} mp_messages;

typedef struct mp_walk { /* N each: paths of this length to each node and of the next, and the nodes that have any */
    mp_real *now, *next;
    int *list, *more;
} mp_walk;

typedef struct mp_addends { /* of a sum of matrices of the same shape */
    const mp_real *const *addend;
    const bool *const *mark; /* of each: the rows that it has, the others count as zero; NULL: all of them */
    int count, cols;
    bool marked; /* some addend has marks */
} mp_addends;

/* clang-format off */
#define MP_KERNEL_LIST(K)                                                                                             \
    /* C[M][N] = A B, each element a chain over k upwards that starts from C (add), bias[j] (bias), or 0; then ReLU. \
     * Products with N <= MP_NARROW and A not flipped use 16 lanes over k. work: mp_gemm_work elements. */             \
    K(gemm, (mp_real *C, mp_operand A, mp_operand B, int M, int N, int K, const mp_real *bias, bool add, bool relu,   \
             mp_real *work))                                                                                          \
    /* The same for each block of rows of A, B and C; as long as A has columns, K, or with flip as its block has rows. A block of C has  \
     * at most `most` rows. work: for the largest product. */                                                         \
    K(gemm_blocks, (mp_real *C, mp_operand A, mp_operand B, mp_blocks of, int N, int K, bool add, int most, mp_real *work)) \
    /* Y[i] = r[i] (sum over the links of row v of coefficient * Z[col], in their order) + bias, then ReLU, for each i \
     * that v goes to; v = from .. end-1. */                                                                          \
    K(agg, (mp_real *Y, const mp_real *Z, mp_links g, const mp_real *bias, bool add, bool relu, int from, int end,    \
            int C))                                                                                                   \
    /* mean[v] = 1/hops times the sum over q = 1..hops of the mean of the rows that paths of q edges end with in v, each as \
     * often as there are paths, v itself left out. walk: scratch, all 0 in now and next, before and after. */        \
    K(walk_mean, (mp_real *mean, const mp_walk *walk, const mp_real *X, mp_links g, int hops, int N, int C))          \
    /* out[e] (+)= <A[row of e], B[col e]>, and self[v] (+)= <A[v], B[v]> unless self is NULL; 16 lanes. */           \
    K(edge_dot, (mp_real *out, mp_real *self, const mp_real *A, const mp_real *B, mp_links g, bool add, int N, int C))\
    /* Y[v] = bias + sum over entries z of row v of val[z] W[col z]; val NULL: 1. */                                  \
    K(sparse_fwd, (mp_real *Y, const int *ptr, const int *col, const mp_real *val, const mp_real *W,                  \
                   const mp_real *bias, int N, int C))                                                                \
    /* dW[col z] += val[z] dY[v], rows upwards; with `wrote` only rows it marks have contents, and it is completed. A  \
     * row has a column once. */                                                                                       \
    K(sparse_bwd, (mp_real *dW, bool *wrote, const mp_real *dY, const int *ptr, const int *col, const mp_real *val,   \
                   int N, int C))                                                                                     \
    /* Y[v] = s[v] (s[v] ReLU(X[v] + root) + sum over the edges e of row v of s[col e] ReLU(X[col e] + Q[e])), rows of \
     * X and Q as m has them; root NULL: no such term. */                                                             \
    K(message_fwd, (mp_real *Y, const mp_real *X, const mp_real *Q, const mp_real *root, mp_messages m, bool relu,    \
                    int N, int C))                                                                                    \
    /* dX +=, dQ +=, droot +=; each may be NULL. */                                                                   \
    K(message_bwd, (mp_real *dX, mp_real *dQ, mp_real *droot, const mp_real *dY, const mp_real *X, const mp_real *Q,  \
                    const mp_real *root, mp_messages m, int N, int C))                                                \
    /* out[i, d*C+c] = G[i,d] X[keep i, c]; split > 0: out[i,c] = G[i, c/split] X[keep i, c]. */                      \
    K(gate_fwd, (mp_real *out, const mp_real *X, const mp_real *G, const int *keep, int K, int C, int D, int split))  \
    /* dX[keep i] (+)= G dOut; dG = <X, dOut>, 16 lanes. dX, dG may be NULL. */                                       \
    K(gate_bwd, (mp_real *dX, mp_real *dG, const mp_real *dOut, const mp_real *X, const mp_real *G,                   \
                 const int *keep, bool add, int K, int C, int D, int split))                                          \
    /* Per graph and column over its rows: max, the first row that has it, sum times scale[b]. top, arg, sum and      \
     * scale may be NULL. */                                                                                          \
    K(readout, (mp_real *top, int *arg, mp_real *sum, const mp_real *X, const int *ptr, const mp_real *scale,         \
                int B, int C, int ld))                                                                                \
    /* arg: rows of different graphs are different. */                                                                \
    K(readout_max_bwd, (mp_real *dX, const mp_real *dOut, const int *arg, int B, int C, int ld))                      \
    K(readout_sum_bwd, (mp_real *dX, const mp_real *dOut, const int *ptr, const mp_real *scale, bool add,             \
                        int B, int C, int ld))                                                                        \
    /* Column-wise max over the neighbourhoods given by the links (no perm, p, q), none empty. Backward adds dOut to  \
     * the first neighbour that has the maximum. */                                                                   \
    K(near_max, (mp_real *out, const mp_real *X, mp_links g, int N, int C))                                           \
    K(near_max_bwd, (mp_real *dX, const mp_real *dOut, const mp_real *out, const mp_real *X, mp_links g, int N, int C))\
    /* Rows upwards. Up to MP_FEW columns are often biases of scores, whose gradients cancel: they are summed in double,    \
     * which costs nothing there. */                                                                                  \
    K(col_sum, (mp_real *out, const mp_real *X, bool add, int N, int C))                                              \
    /* dY = 0 where Y is not above 0, and the column sums of that: ReLU and a bias backwards in one pass. */          \
    K(relu_col_sum, (mp_real *out, mp_real *dY, const mp_real *Y, bool add, int N, int C))                            \
    K(act_fwd, (mp_real *out, const mp_real *x, mp_act act, size_t n))                                                \
    /* dx (+)= dy f'(x), from the output y (leaky: sign of y). */                                                     \
    K(act_bwd, (mp_real *dx, const mp_real *dy, const mp_real *y, mp_act act, bool add, size_t n))                    \
    K(axpy, (mp_real *y, mp_real a, const mp_real *x, bool add, size_t n))                                            \
    K(axpy_by, (mp_real *y, const mp_real *a, const mp_real *x, bool add, size_t n)) /* a: one number in memory */    \
    K(shift, (mp_real *out, const mp_real *x, mp_real k, size_t n))                                                   \
    K(fill, (mp_real *out, mp_real value, size_t n))                                                                  \
    K(dot, (mp_real *out, const mp_real *x, const mp_real *y, size_t n)) /* out += <x, y>; 16 lanes, in double */     \
    K(mul, (mp_real *out, const mp_real *x, const mp_real *y, bool add, size_t n))                                    \
    /* Within each range: exp(u - max) / (sum + 1e-16); sums upwards. */                                              \
    K(softmax, (mp_real *out, const mp_real *u, const int *ptr, int segments))                                        \
    K(softmax_bwd, (mp_real *du, const mp_real *dout, const mp_real *out, const int *ptr, bool add, int segments))    \
    /* Rows of logits to log-probabilities. */                                                                        \
    K(log_softmax, (mp_real *out, const mp_real *x, int rows, int cols))                                              \
    /* The cross entropy of log-probabilities and its slope by the logits (op_loss.c): nodes have it too. Sum in double. */ \
    K(xent, (mp_real *loss, mp_real *slope, const mp_real *logp, const int *label, mp_real scale, int B, int C))      \
    /* stat[0..C-1]: means of the columns, stat[C..]: their biased variances; sums in double. */                      \
    K(col_stats, (double *stat, const mp_real *X, int N, int C))                                                      \
    /* sum[0..C-1]: column sums of x y, sum[C..]: of x; in double. */                                                 \
    K(col_pair, (double *sum, const mp_real *X, const mp_real *Y, int N, int C))                                      \
    /* BatchNorm: hat = (X - mean) scale, Y = gamma hat + beta; dX (+)= factor (dY - less[j] - hat less[C+j]). */     \
    K(norm_fwd, (mp_real *Y, mp_real *hat, const mp_real *X, const mp_affine *how, int N, int C))                       \
    K(norm_bwd, (mp_real *dX, const mp_real *dY, const mp_real *hat, const mp_real *factor, const mp_real *less,      \
                 bool add, int N, int C))                                                                             \
    /* A step of an LSTM (op_lstm.c): gate B x 4H, squash, cell and h B x H; before may be NULL. */                    \
    K(lstm_fwd, (mp_real *h, mp_real *cell, mp_real *gate, mp_real *squash, const mp_real *a, const mp_real *before,  \
                 int B, int H))                                                                                       \
    /* x, or slope x where x < 0; slope: one number in memory. */                                                     \
    K(prelu_fwd, (mp_real *out, const mp_real *x, const mp_real *slope, size_t n))                                    \
    K(prelu_bwd, (mp_real *dx, const mp_real *dy, const mp_real *x, const mp_real *slope, bool add, size_t n))        \
    /* Row i of out: row which[i] of X, or `other` in every column where which[i] < 0. The backward adds. */          \
    K(rows_take, (mp_real *out, const mp_real *X, const int *which, mp_real other, int n, int C))                     \
    K(rows_give, (mp_real *dX, const mp_real *dout, const int *which, int n, int C))                                  \
    K(rows_clear, (mp_real *X, const bool *except, int N, int C)) /* zeros in the rows without a mark */              \
    /* C columns of rows that lie ld_to and ld_from numbers apart. */                                                 \
    K(cols_copy, (mp_real *to, int ld_to, const mp_real *from, int ld_from, bool add, int N, int C))                  \
    /* Windows of `span` numbers, each `step` behind the one before, added where they lie: they may overlap. */        \
    K(windows_add, (mp_real *dX, const mp_real *windows, int step, int places, int span))                             \
    K(rows_axpy, (mp_real *Y, const mp_real *a, const mp_real *X, int ld, bool add, int N, int C)) /* Y_i (+)= a_i X_i */ \
    K(bias_rows, (mp_real *Y, const mp_real *bias, bool add, int N, int C)) /* Y_i (+)= bias */                       \
    /* num, den: of cut_loss. dS, dA0, dd may be NULL. */                                                             \
    K(cut_loss_bwd, (mp_real *dS, mp_real *dA0, mp_real *dd, const mp_real *dloss, const mp_real *S, const mp_real *d,\
                     const double *num, const double *den, const int *ptr, int B, int K))                             \
    /* Dropout: 0 where a draw of 32 bits of the stream is below `below`, else scale; two numbers a draw (rng.h). */  \
    K(drop_mask, (mp_real *mask, mp_rng stream, uint64_t below, mp_real scale, size_t n))                             \
    /* sum, n numbers of a matrix from number `from` on and the first addend itself: adds the others in their order. */ \
    K(add_all, (mp_real *sum, const mp_addends *p, size_t from, size_t n))                                              \
    /* rounds * MP_PEAK_FLOPS operations on registers alone: the machine's rate of fused multiply-adds. */              \
    K(peak, (mp_real *out, long rounds))                                                                              \
    /* One Adam update, with PyTorch's formula. */                                                                    \
    K(adam, (mp_real *theta, mp_real *m, mp_real *v, const mp_real *grad, const mp_adam *how, size_t n))
/* clang-format on */

typedef struct mp_adam {
    mp_real lr_corrected;   /* lr / (1 - beta1^t)     */
    mp_real root_corrected; /* 1 / sqrt(1 - beta2^t) */
    mp_real beta1, beta2, eps, decay;
    mp_real rest1, rest2; /* 1 - beta1, 1 - beta2, rounded once: 1 - 0.999f is off by 1e-5 */
    bool shared;          /* other threads read the weights; changes no bit */
} mp_adam;

typedef struct mp_affine { /* BatchNorm, a number a column each */
    const mp_real *mean, *scale, *gamma, *beta;
} mp_affine;

#define MP_NARROW     8
#define MP_FEW        16
#define MP_PEAK_FLOPS 7680 /* of one round: a multiple of every set's tile */

typedef struct mp_kernels {
    const char *isa;
    /* For whoever records calls; NULL: nobody does. An op (grad/ops.h) has made its last one; the next one is the same kernel as
     * the one before, and neither reads nor writes what that writes. */
    void (*op_done)(void), (*beside)(void);
#define MP_FIELD(name, args) void(*name) args;
    MP_KERNEL_LIST(MP_FIELD)
    MP_PLAIN_LIST(MP_FIELD)
#undef MP_FIELD
} mp_kernels;

/* Scratch elements mp_kernels.gemm needs. */
size_t mp_gemm_work(int M, int N, int K);

/* The best set this machine has, or the one MIDPOOL_ISA asks for (base, v3, v4); NULL when it is unknown or the
 * machine lacks it. */
const mp_kernels *mp_kernels_get(void);
const mp_kernels *mp_kernels_named(const char *isa);

MP_API_END

#endif
