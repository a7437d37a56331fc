/* layers.h - convolutions and linear maps: parameters and the ops around them.
 *
 * A layer is a few parameter numbers; `init` claims them under a prefix, `run` applies them. Input features are dense
 * (x) or, for the first layer, sparse (in.sparse); every layer multiplies by its weights before it sums over neighbours,
 * so sparse inputs cost a gather.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LAYERS_H
#define MP_LAYERS_H

#include "grad/ops.h"
#include "nn/params.h"

typedef struct mp_input { /* one of the two */
    mp_mat *dense;
    const mp_sparse *sparse;
} mp_input;
#define MP_DENSE(x) ((mp_input){ (x), NULL })

double mp_glorot(int fan_a, int fan_b); /* sqrt(6 / (a + b)) */
double mp_fan_in(int in);               /* 1 / sqrt(in): PyTorch's Linear */

typedef struct mp_lin {
    int w, b; /* b -1: none */
} mp_lin;
mp_lin mp_lin_init(mp_params *p, const char *prefix, const char *name, int in, int out, bool bias);
mp_mat *mp_lin_run(const mp_lin *l, mp_ctx *c, mp_input x, bool relu);

/* Which convolution a name stands for. */
typedef enum mp_conv_kind {
    MP_GCN,       /* GCNConv: lin.weight, bias                               */
    MP_GRAPHCONV, /* GraphConv, sum: lin_rel.weight/bias, lin_root.weight    */
    MP_GRAPHCONV_MEAN,
    MP_GIN,       /* GINConv, eps 0, MLP in-out-out: nn.0, nn.2              */
    MP_SAGE,      /* SAGEConv: lin_l, lin_r                                  */
    MP_GAT,       /* GATConv: lin.weight, att_src, att_dst, bias             */
    MP_CHEB,      /* ChebConv of order 2: lins.0.weight, lins.1.weight, bias */
    MP_GCN_RAW,   /* A X W: no normalisation, no self loop, no bias          */
    MP_GCN_NOLOOP /* sum of w x Theta + b                                    */
} mp_conv_kind;

#define MP_HEADS_MOST 64

typedef struct mp_conv {
    mp_conv_kind kind;
    mp_lin a, b;
    int bias, att_src, att_dst; /* -1: none */
    int heads;                  /* GAT */
} mp_conv;
mp_conv mp_conv_init(mp_params *p, const char *prefix, mp_conv_kind kind, int in, int out);
/* GATConv with several heads of `width` channels, side by side. */
mp_conv mp_gat_init(mp_params *p, const char *prefix, int in, int width, int heads);
/* Whether its backward needs the values of its input only for one product, before that writes the input's gradient. */
bool mp_conv_reads_once(const mp_conv *l);
mp_mat *mp_conv_run(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_input x, bool relu);

/* LEConv (math.md 2.5): whose signs and roles. */
typedef enum mp_le_form { MP_LE_PYG_1, MP_LE_PYG_2, MP_LE_AUTHORS } mp_le_form;
typedef struct mp_le {
    mp_lin lin1, lin2, lin3;
    mp_le_form form;
} mp_le;
mp_le mp_le_init(mp_params *p, const char *prefix, int in, int out, mp_le_form form);
mp_mat *mp_le_run(const mp_le *l, mp_ctx *c, const mp_graph *g, mp_mat *x);

/* Attention over the edges of a looped graph: softmax over row i of leaky(dst_i + src_j), E x 1. */
mp_mat *mp_attention(mp_ctx *c, const mp_graph *looped, mp_mat *dst, mp_mat *src);

/* The same edges with these weights (E x 1), or unweighted (NULL). */
const mp_graph *mp_weighted(mp_ctx *c, const mp_graph *g, mp_mat *w);

/* The graph with every self loop, weights carried along (1 for new loops). */
const mp_graph *mp_looped(mp_ctx *c, const mp_graph *g);

#endif
