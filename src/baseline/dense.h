/* dense.h - the dense baselines: clusterings of each graph on its own nodes, memory, attention blocks.
 *
 * Layers, for golden files, and the networks around them. A pooled batch is B blocks of K rows; its adjacency
 * is B blocks of K x K, one below the other.
 * SPDX-License-Identifier: MIT */
#ifndef MP_DENSE_H
#define MP_DENSE_H

#include "baseline/trunk.h"

/* One pooling: features, adjacency and the two losses of the method (NULL when nobody asked for them). */
typedef struct mp_pooled {
    mp_mat *x, *a, *loss[2];
    mp_lift lift;
} mp_pooled;

/* DiffPool (math.md 5.3): loss link and entropy; padded as in mp_link_loss. */
mp_pooled mp_diff_pool(mp_ctx *c, const mp_graph *g, mp_mat *x, mp_mat *logits, bool losses, int padded);

/* The adjacency MinCutPool works on: a sparse graph, or the blocks of a pooled one. */
typedef struct mp_adjacency {
    const mp_graph *sparse; /* or NULL */
    bool normalise;         /* sparse: D^-1/2 A D^-1/2 */
    mp_mat *dense;
    const int *ptr; /* rows of each graph */
    int graphs;
} mp_adjacency;

/* MinCutPool (math.md 5.5): loss min-cut and orthogonality. */
mp_pooled mp_mincut_pool(mp_ctx *c, const mp_adjacency *a, mp_mat *x, mp_mat *logits);

/* MemPooling (math.md 5.7): k, conv.weight, lin.weight as PyG has them. */
typedef struct mp_mem {
    int keys, mix, heads;
    mp_lin lin;
} mp_mem;
mp_mem mp_mem_init(mp_params *p, const char *prefix, int in, int out, int heads, int clusters);
/* (B K) x out; *s (N x K) gets the assignment, of which mp_lift_blocks makes the way back (W has no part in it). */
mp_mat *mp_mem_run(const mp_mem *l, mp_ctx *c, mp_mat *x, const int *ptr, int graphs, mp_mat **s);

/* An attention block of GMT (math.md 5.8) and a pooling by seeds. */
typedef struct mp_mab {
    mp_lin q, o, k, v;
    mp_conv conv_k, conv_v; /* instead of k and v, with `convolves` */
    bool convolves, ln, over_queries;
    int heads, norm[2][2]; /* gamma and beta of ln0, ln1 */
} mp_mab;
typedef struct mp_mab_form {
    int heads;
    bool ln, over_queries;
} mp_mab_form;
mp_mab mp_mab_init(mp_params *p, const char *prefix, int in_q, int in_k, int width, bool convolves, mp_mab_form form);
/* Queries as in mp_mha; keys x of the graphs ptr, on g when the block convolves. */
mp_mat *mp_mab_run(const mp_mab *l, mp_ctx *c, const mp_graph *g, mp_mat *q, const int *q_ptr, mp_mat *x,
                   const int *ptr, int graphs);

/* GMPool_G, SelfAtt, GMPool_I: from N x 3d to B x d. */
typedef struct mp_gmt_pool {
    int seeds_g, seeds_i, seeds; /* parameters; number of seeds of the first */
    mp_mab pool_g, self_att, pool_i;
} mp_gmt_pool;
mp_gmt_pool mp_gmt_pool_init(mp_params *p, int in, int width, int seeds, mp_mab_form form);
mp_mat *mp_gmt_pool_run(const mp_gmt_pool *l, mp_ctx *c, const mp_graph *g, mp_mat *x);

/* Learned queries [seeds][width], Xavier on 1 x seeds x width as PyTorch counts it. */
int mp_seeds_init(mp_params *p, const char *prefix, int seeds, int width);

/* ---- the networks */
typedef struct mp_sage { /* DenseSAGEConv */
    mp_lin rel, root;
} mp_sage;
typedef struct mp_sage_block {
    mp_sage conv[2];
    mp_lin lin;
} mp_sage_block;
typedef struct mp_diff_net {
    mp_sage_block embed, pool, embed2;
    mp_lin lin[2];
    double dropout, loss_weight[2];
} mp_diff_net;
extern const mp_option_set mp_diff_set; /* its options */
void mp_diff_net_init(void *state, const mp_net_setup *s);
mp_mat *mp_diff_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux);

typedef struct mp_block_conv { /* DenseGraphConv: W_rel A X + W_root X + b */
    mp_lin rel, root;
} mp_block_conv;
typedef struct mp_mincut_net {
    mp_conv conv1;
    mp_lin pool[2], lin[2];
    mp_block_conv conv2, conv3;
    bool norm_adj;
    double cut, ortho; /* weights of the losses */
} mp_mincut_net;
extern const mp_option_set mp_mincut_set; /* its options */
void mp_mincut_net_init(void *state, const mp_net_setup *s);
mp_mat *mp_mincut_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux);

#define MP_MEM_BLOCKS 2
typedef struct mp_res_block { /* x + GAT(dropout(LeakyReLU(BatchNorm(x)))) */
    mp_conv conv;
    mp_bnorm norm;
} mp_res_block;
typedef struct mp_mem_net {
    mp_lin lin;
    mp_res_block block[MP_MEM_BLOCKS];
    mp_mem mem[2];
    double dropout, weight; /* weight of the loss */
    bool detach;
} mp_mem_net;
extern const mp_option_set mp_mem_set; /* its options */
void mp_mem_net_init(void *state, const mp_net_setup *s);
mp_mat *mp_mem_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux);

typedef struct mp_gmt_net {
    mp_trunk trunk;
    mp_gmt_pool pool;
    mp_lin lin;
    mp_head head;
} mp_gmt_net;
mp_err mp_gmt_check(const mp_config *c);
extern const mp_option_set mp_gmt_set; /* its options */
void mp_gmt_net_init(void *state, const mp_net_setup *s);
mp_mat *mp_gmt_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux);

#endif
