/* model.h - a network around a pooling operator: convolutions, pooling, readout and head from a configuration.
 *
 *     for l = 1..L:  x = ReLU(conv_l(x));  (x, A) = pool_l(x, A);  r_l = [max readout ; mean readout]
 *     r = r_1 + ... + r_L;  out = head(r)                                        (math.md 6.1; arch tu)
 *
 * Networks with an upward path go back to the nodes instead and have a row of outputs for each (math.md 6.4):
 *
 *     x = ReLU(conv_1(x)), ReLU(conv_2(x));   (x', A') = pool(x, A);   x = lift(x')
 *     x = ReLU(conv_3(x)), ReLU(conv_4(x)), out = conv_5(x)                         (arch autoencoder)
 * SPDX-License-Identifier: MIT */
#ifndef MP_MODEL_H
#define MP_MODEL_H

#include "baseline/baseline.h"
#include "conf/config.h"
#include "data/dataset.h"
#include "nn/params.h"
#include "pool/pool.h"
#include "task/task.h"

/* Ranges that one option alone cannot show, and the name of the operator, which is put into its usual spelling. Unknown:
 * the nearest is named. */
MP_MUST mp_err mp_config_check(mp_config *c);

/* The presets of a method's row, by any of its names; NULL: it has none, or there is no such method. */
const mp_method_preset *mp_config_presets(const char *pool);

typedef struct mp_model mp_model;

typedef struct mp_inputs {         /* what a network meets and gives */
    int features;                  /* columns of the features                                     */
    int edge_features;             /* columns of the attributes of edges; 0: there are none       */
    int outputs;                   /* classes, or 1 for regression                                */
    mp_tables tables, edge_tables; /* what the columns are: attributes, then each label         */
} mp_inputs;

/* What a recipe makes. */
mp_inputs mp_inputs_of(const mp_recipe *r, int outputs);

/* Whether a network configured like this reads attributes of edges; then it cannot do without. */
bool mp_config_uses_edges(const mp_config *c);

/* Whether outputs of a network configured like this are rows of nodes, and whether a task goes with them. */
bool mp_config_of_nodes(const mp_config *c);
MP_MUST mp_err mp_config_fits(const mp_config *c, const mp_task *t);

/* The network as mp_model_new makes it, but without memory for its weights: their number and shapes can be looked at
 * before mp_params_alloc asks for it. */
MP_MUST mp_err mp_model_plan(mp_arena *a, const mp_config *config, mp_inputs in, mp_model **out);

/* The network for these inputs and outputs. Weights are allocated and zero until mp_params_init or a file sets them.
 * Everything lives in the arena. */
MP_MUST mp_err mp_model_new(mp_arena *a, const mp_config *config, mp_inputs in, mp_model **out);

/* Fills in what a configuration leaves to the data (clusters = ceil(ratio mean nodes)). Call before mp_model_new. */
void mp_config_resolve(mp_config *c, const mp_graph *all);

/* Computes what the method keeps for each graph of the collection (all->extra), so that training does not do it in every
 * step. Leaving it out changes no result. Memory is the arena's. */
MP_MUST mp_err mp_config_prepare(const mp_config *c, const mp_prepare *how, mp_arena *a, mp_graph *all);

/* Fails when the graphs lack the attributes of edges that the network reads, or have other columns of them. */
MP_MUST mp_err mp_model_accepts(const mp_model *m, const mp_graph *g);

#define MP_LEVELS 16 /* the most poolings a network has */

/* Adds to nodes[l] how many nodes pooling l meets of a graph of n nodes, as far as that does not depend on scores. */
void mp_model_meets(const mp_model *m, int n, int64_t *nodes);

/* What of a network, as configured, has to look at what kernels write, or lacks kernels on a GPU; NULL: nothing. */
const char *mp_model_needs_sight(const mp_model *m);

mp_params *mp_model_params(mp_model *m);
bool mp_model_sums_only(const mp_model *m);   /* of a graph it asks nothing but GCN's sums: see mp_graph_gather */
bool mp_model_whole_batch(const mp_model *m); /* a batch must not be cut: a layer normalises over it */
bool mp_model_aux_apart(const mp_model *m);   /* its auxiliary loss has a step of its own, once an epoch */
const mp_config *mp_model_config(const mp_model *m);
int mp_model_features(const mp_model *m);
int mp_model_edge_features(const mp_model *m); /* 0: it reads no attributes of edges */
int mp_model_outputs(const mp_model *m);

/* What the outputs mean. Until a goal is set: classes where there are several, else a count. The goal must have as many outputs
 * as the model; what it points to must stay. */
const mp_goal *mp_model_goal(const mp_model *m);
void mp_model_aim(mp_model *m, const mp_goal *goal);

/* What each pooling did, for explanations: one record a level, in the order of the levels. */
typedef struct mp_trail {
    int levels;
    const mp_pooling *level[MP_LEVELS];
} mp_trail;

/* Raw outputs (before log-softmax), B x outputs, or N x outputs (mp_config_of_nodes). Dense features in place of sparse ones: x NULL, dense given.
 * `aux` (may be NULL) receives the auxiliary loss of the poolings, or NULL when there is none: what these graphs add to that
 * of the batch when c->whole says what they are part of. */
mp_mat *mp_model_forward(const mp_model *m, mp_ctx *c, const mp_graph *g, const mp_sparse *x, mp_mat *dense,
                         mp_trail *trail, mp_mat **aux);

#endif
