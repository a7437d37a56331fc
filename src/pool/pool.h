/* pool.h - node-drop pooling as three parts: a scorer gives every node D scores, a selector keeps some nodes, a
 * coarsener makes the smaller graph from them. MID lies between the first and the second.
 *
 *     score:    R = SCORE(X, A), N x D
 *     key:      sum over columns of R (of |R| with flipscore); dropscore takes nodes out of the ranking
 *     select:   keep, k = ceil(ratio n) nodes of each graph by falling key, ties to the lower index
 *               with a threshold R becomes softmax(R) over each graph, and the nodes whose key is above it are kept
 *     coarsen:  X' = [X_keep f(R_1), ..., X_keep f(R_D)],  A' = A[keep, keep] or what the operator says
 *
 * Each part writes only its own fields of mp_pooling. An operator is a row of the table in registry.c.
 * SPDX-License-Identifier: MIT */
#ifndef MP_POOL_H
#define MP_POOL_H

#include "base/api.h"
#include "conf/uses.h"
#include "nn/conv.h"
#include "nn/lift.h"

MP_API_BEGIN

typedef struct mp_pooling {
    const struct mp_pool *pool;      /* mp_pool_run: the layer                                  */
    const mp_graph *g;               /* in; mp_pool_run: without the edges that are lost        */
    const struct mp_pooling *before; /* in: the pooling before this one; NULL: the first   */
    const uint64_t *names;           /* edge_loss.c: of the graphs as they came in, NULL: not asked for */
    mp_mat *x;                       /* in; a scorer may replace it                             */
    mp_input seen;                   /* in: what scores read where that is not x (--score-from) */
    mp_mat *in;                      /* mp_pool_run: x as it came in                            */
    mp_mat *score;                   /* scorer: N x D, raw                                      */
    void *aside;                     /* scorer: baggage for its coarsener                       */
    const mp_real *key;              /* mp_pool_run: what the selector ranks                    */
    const int *dropped;              /* mp_pool_run: 0, or the node's place in the draw from 1; NULL: no dropscore */
    const int *keep, *keep_ptr;      /* selector: kept nodes by falling key; range per graph   */
    const mp_graph *out_g;           /* coarsener                                               */
    mp_mat *out_x;                   /* coarsener                                               */
    mp_lift lift;                    /* the way back from out_x; coarsener, where it is not rows */
    bool bare;                       /* coarsener: no backward of its own looks at the values of out_x */
    mp_mat *loss;                    /* auxiliary loss, 1 x 1, or NULL                          */
} mp_pooling;

struct mp_pool;

/* What becomes of edges, their weights and their attributes. */
typedef enum mp_edges {
    MP_EDGES_NEW,    /* made anew, with weights of their own; no attributes: from here on networks go without */
    MP_EDGES_SUMMED, /* each stands for several, whose weights it sums up; no attributes either               */
    MP_EDGES_TAKEN,  /* each was one before, whose weight it has, and whose attributes: out_g->edge_from      */
    MP_EDGES_NONE    /* there are none                                                                        */
} mp_edges;

/* What a part knows when it claims its parameters. */
typedef struct mp_setup {
    const mp_config *conf;
    mp_params *params;
    const char *prefix;
    int channels; /* C: width of the features that come in */
    int seen;     /* width of the features that scores read; channels unless --score-from says otherwise */
    int cols;     /* D: score columns                      */
    mp_act *gate; /* f; a scorer may change the operator's */
} mp_setup;

/* The three kinds of part have the same shape but different types: the compiler refuses a part in the wrong slot. */
#define MP_PART                                                                                                        \
    const char *name, *formula;                                                                                        \
    const char *options;                          /* it looks at: conf/uses.h; NULL: none */                           \
    const mp_option_set *own;                     /* that it declares; NULL: none  */                                  \
    size_t size;                                  /* of its state                  */                                  \
    void (*init)(void *state, const mp_setup *s); /* claims parameters; may be NULL */                                 \
    void (*run)(const struct mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p);                              \
    /* Whether it asks of a graph nothing but GCN's sums (mp_graph_gather); NULL: it asks for more. */                 \
    bool (*sums_only)(const void *state, const mp_config *conf);                                                       \
    /* Whether it never looks at what kernels write, so that a GPU can run it (mp_ctx); NULL: it does. */              \
    bool (*unseen)(const void *state, const mp_config *conf);

typedef struct mp_scorer {
    MP_PART
} mp_scorer;

typedef struct mp_selector {
    MP_PART
    int (*count)(const mp_config *conf, int n); /* kept of n nodes; NULL: scores decide */
} mp_selector;

typedef struct mp_coarsener {
    MP_PART
    bool kept_rows;    /* out_x is what mp_pool_gate gives, whatever the edges are */
    mp_lift_kind lift; /* the way back; more than rows: run sets p->lift */
    mp_edges edges;
    mp_edges (*edges_as)(const mp_config *conf); /* where options decide; NULL: `edges` */
    /* The convolution that follows in the place of `usual`; NULL: that one. */
    const mp_conv_kind *(*next_conv)(const mp_config *conf, const mp_conv_kind *usual);
} mp_coarsener;

/* For parts that ask nothing of a graph, or never look, however they are configured. */
bool mp_sums_only_always(const void *state, const mp_config *conf);
bool mp_unseen_always(const void *state, const mp_config *conf);

/* What an auxiliary loss is a mean over. */
typedef enum mp_over { MP_OVER_GRAPHS, MP_OVER_NODES } mp_over;

typedef struct mp_pool_op {
    const char *name;  /* on the command line   */
    const char *title; /* in the paper          */
    const char *alias; /* PyG's class, or NULL  */
    const char *paper; /* where it was proposed */
    const mp_scorer *scorer;
    const mp_selector *selector;
    const mp_coarsener *coarsener;
    mp_act gate;                     /* f, unless --gate says otherwise          */
    bool rank_activated;             /* MID ranks by f(R) rather than by R       */
    bool threshold;                  /* --min-score may take the place of its selector */
    bool ungated;                    /* kept rows are not scaled, and the width stays C, unless --gate says otherwise */
    double loss_weight;              /* of its auxiliary loss; 0: it has none    */
    mp_over loss_over;               /* nodes: its selector must have a count    */
    const char *learnable;           /* parameters, as text                      */
    const char *variants;            /* what --variant changes, as text          */
    const mp_method_preset *presets; /* settings of its own under a name, or NULL */
    const struct mp_pool_op *authors; /* the row that --variant authors takes instead, or NULL */
} mp_pool_op;

typedef struct mp_pool { /* one pooling layer of a model */
    const mp_pool_op *op;
    const mp_selector *selector;
    const mp_coarsener *coarsener;
    const mp_config *conf;
    int channels, cols;
    mp_act gate;
    bool rank_activated, ungated;
    bool shares; /* a threshold selects: scores are shares of their graph */
    void *score_state, *select_state, *coarsen_state;
    mp_lin expand; /* width mlp */
} mp_pool;

/* The operators; the list ends with a row whose name is NULL. */
const mp_pool_op *mp_pool_ops(void);
/* Makes an operator of a program's own known by its name; the row stays. Call it before threads start. Fails when the name is
 * taken, a part is missing or there is no more room. */
MP_MUST mp_err mp_pool_add(const mp_pool_op *op);
/* Row i of those above, then of those that were added; NULL behind the last. */
const mp_pool_op *mp_pool_at(int i);
/* By name, title or PyG class; NULL when there is none. */
const mp_pool_op *mp_pool_find(const char *name);

/* The row that stands for the operator: --variant authors may have one of its own. */
const mp_pool_op *mp_pool_row(const mp_pool_op *op, const mp_config *c);
/* The options it looks at: the first lists are those of every operator, the others its own. */
#define MP_POOL_SHARED 2
#define MP_POOL_LISTS  7
int mp_pool_options(const mp_pool_op *op, const mp_config *c, mp_use_list out[MP_POOL_LISTS]);

/* Claims the parameters of one pooling layer on `channels` features, under `prefix`. */
mp_pool *mp_pool_new(mp_arena *a, const mp_pool_op *op, const mp_config *conf, mp_params *params, const char *prefix,
                     int channels);
/* The same where scores read features of another width (p->seen). */
mp_pool *mp_pool_new_seeing(mp_arena *a, const mp_pool_op *op, const mp_config *conf, mp_params *params,
                            const char *prefix, int channels, int seen);
/* Says that nothing after this layer asks for edges: where out_x does without them, out_g gets none. */
void mp_pool_ends(mp_pool *pool);
/* Whether all it asks of a graph, as configured, is the normalised sum over closed neighbourhoods. */
bool mp_pool_sums_only(const mp_pool *pool);
/* Whether none of its parts, as configured, looks at what kernels write. */
bool mp_pool_unseen(const mp_pool *pool);
/* What becomes of edges, as configured. */
mp_edges mp_pool_edges(const mp_pool *pool);
/* The convolution that follows it in the place of `usual`. */
const mp_conv_kind *mp_pool_next_conv(const mp_pool *pool, const mp_conv_kind *usual);
/* The weight of the auxiliary loss, 0 when there is none. */
double mp_pool_loss_weight(const mp_pool *pool);
/* Channels that come out: C times the score dimension, or C. */
int mp_pool_width(const mp_pool *pool);

void mp_pool_run(const mp_pool *pool, mp_ctx *c, mp_pooling *p);

/* Takes features of the pooled graph, a row for each of its nodes, back to the nodes that came in: zeros where a node has
 * no part in what was kept. */
mp_mat *mp_pool_lift(const mp_pooling *p, mp_ctx *c, mp_mat *x);

/* ---- for parts ---- */

/* ceil(ratio n) without rounding an exact product up; at least 1, at most n. */
int mp_kept_count(double ratio, int n);

/* The count of selectors that keep ceil(ratio n) nodes. */
int mp_count_ratio(const mp_config *conf, int n);

/* Gated copies of the kept rows of p->x, in the width the configuration asks for. */
mp_mat *mp_pool_gate(const mp_pool *pool, mp_ctx *c, const mp_pooling *p);

/* The same for all rows, kept or not: what an assignment collects. */
mp_mat *mp_pool_gate_all(const mp_pool *pool, mp_ctx *c, const mp_pooling *p);

/* Ahat = D~^-1/2 (A+I) D~^-1/2 of an unweighted graph, with its self loops; a weighted graph as it is. */
const mp_graph *mp_pool_hat(mp_ctx *c, const mp_graph *g);

/* Learned directions as their scorer uses them: columns of length 1. Where scores become shares of a graph, columns as they
 * are: there a length says how sharply shares differ. */
mp_mat *mp_pool_directions(const mp_pool *pool, mp_ctx *c, int param);

/* What scores read: p->seen, or p->x. */
mp_input mp_pool_seen(const mp_pooling *p);

/* Every element of row i of x times element i of a column of constants. */
mp_mat *mp_row_scale(mp_ctx *c, mp_mat *x, mp_mat *column);

/* Fills keep and keep_ptr: for each graph the first counts[b] nodes by falling key, ties to the lower index; nodes that
 * dropscore took out come last, in the order they were drawn. */
void mp_rank(mp_ctx *c, mp_pooling *p, const int *counts);

extern const mp_scorer mp_score_proj, mp_score_linear, mp_score_conv, mp_score_gsa, mp_score_asap, mp_score_att,
    mp_score_l1, mp_score_l2, mp_score_vip, mp_score_rep, mp_score_cgi, mp_score_cgi_authors, mp_score_vote;
extern const mp_selector mp_select_ratio, mp_select_floor, mp_select_threshold, mp_select_spaced, mp_select_far,
    mp_select_local;
extern const mp_coarsener mp_coarsen_induced, mp_coarsen_two_hop, mp_coarsen_cluster, mp_coarsen_att,
    mp_coarsen_learned, mp_coarsen_vip, mp_coarsen_rep, mp_coarsen_square, mp_coarsen_overlap, mp_coarsen_rows;

/* A column with the number of nodes of its graph for each node, or 1 over it. */
mp_mat *mp_graph_sizes(mp_ctx *c, const mp_graph *g, bool inverse);

/* lambda or hops as configured, or the operator's default. */
double mp_lambda(const mp_config *conf, double usual);
int mp_hops(const mp_config *conf, int usual);

/* All nodes of each graph by falling key, dropped ones last: keep and keep_ptr as mp_rank gives them. */
void mp_rank_all(mp_ctx *c, mp_pooling *p);

/* mid.c: key and dropped of p from its score. */
void mp_mid_key(const mp_pool *pool, mp_ctx *c, mp_pooling *p);

/* mid.c: whether the layer of width mlp has a ReLU behind it. */
bool mp_expands_with_relu(const mp_config *conf);

/* edge_loss.c: takes edges out of p->g where the configuration asks for it; whether it ever does. */
void mp_lose_edges(const mp_pool *pool, mp_ctx *c, mp_pooling *p);
bool mp_loses_edges(const mp_config *conf);

MP_API_END

#endif
