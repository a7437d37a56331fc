/* baseline.h - the methods node-drop pooling is compared with: each is a whole network from node features to outputs,
 * under the same data, protocol, store and commands.
 *
 * A baseline is a row of the table in registry.c. Networks and settings: METHODS 5.
 * SPDX-License-Identifier: MIT */
#ifndef MP_BASELINE_H
#define MP_BASELINE_H

#include "conf/config.h"
#include "nn/layers.h"

typedef struct mp_net_setup { /* what a network knows when it claims its parameters */
    const mp_config *conf;    /* clusters is resolved: never 0 for a row with needs_clusters */
    mp_params *params;
    int features, outputs;
} mp_net_setup;

typedef struct mp_baseline {
    const char *name, *title, *alias, *paper; /* alias: PyG's class, or NULL */
    const char *method, *learnable, *options; /* for midpool ops             */
    size_t size;                              /* of its state                */
    void (*init)(void *state, const mp_net_setup *s);
    /* Raw outputs, B x outputs. *aux: the weighted auxiliary loss, a mean over the graphs of the batch, or NULL. */
    mp_mat *(*run)(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux);
    bool whole_batch;    /* normalises over the batch: it must not be cut into shards              */
    bool needs_clusters; /* conf.clusters = ceil(ratio * mean number of nodes) unless given        */
} mp_baseline;

const mp_baseline *mp_baselines(void); /* ends with a row whose name is NULL */
const mp_baseline *mp_baseline_find(const char *name);

/* The head of most baselines: Linear(in,c), ReLU, dropout, Linear(c,c/2), ReLU, dropout, Linear(c/2,outputs). */
typedef struct mp_head {
    mp_lin lin[3];
    double dropout;
} mp_head;
mp_head mp_head_init(mp_params *p, const mp_config *conf, int in, int outputs);
mp_mat *mp_head_run(const mp_head *h, mp_ctx *c, mp_mat *x);

#endif
