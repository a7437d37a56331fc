/* baseline.h - the methods node-drop pooling is compared with: each is a whole network from node features to outputs,
 * under the same data, protocol, store and commands.
 *
 * A baseline is a row of the table in registry.c. Networks and settings: math.md 5.
 * SPDX-License-Identifier: MIT */
#ifndef MP_BASELINE_H
#define MP_BASELINE_H

#include "conf/config.h"
#include "nn/conv.h"
#include "nn/lift.h"

typedef struct mp_net_setup { /* what a network knows when it claims its parameters */
    const mp_config *conf;    /* clusters is resolved: never 0 for a row with needs_clusters */
    mp_params *params;
    int features, edge_features, outputs;
    const mp_tables *edge_tables; /* as in mp_conv_setup */
} mp_net_setup;

typedef struct mp_prepare { /* for what is computed once for a data set */
    int threads;
    uint64_t fingerprint; /* of the data set                                             */
    const char *cache;    /* folder that exists, for results that take long; NULL: none  */
    void (*progress)(void *state, int done, int total); /* on the caller's thread; or NULL */
    void (*note)(void *state, const char *line);        /* something worth a line; or NULL */
    void *state;
} mp_prepare;

typedef struct mp_baseline {
    const char *name, *title, *alias, *paper; /* alias: PyG's class, or NULL */
    const char *method, *learnable;           /* for midpool ops             */
    const char *options;                      /* it looks at: conf/uses.h    */
    const mp_option_set *own;                 /* that it declares, or NULL   */
    const mp_method_preset *presets;          /* or NULL                     */
    size_t size;                              /* of its state                */
    void (*init)(void *state, const mp_net_setup *s);
    /* Raw outputs, B x outputs. *aux: the weighted auxiliary loss, a mean over the graphs of g, or NULL. */
    mp_mat *(*run)(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux);
    /* Fills in what a configuration leaves to the data; NULL: nothing. */
    void (*resolve)(mp_config *conf, const mp_graph *all);
    /* Sets all->extra; NULL: there is nothing to prepare. */
    mp_err (*prepare)(const mp_config *conf, const mp_prepare *how, mp_arena *a, mp_graph *all);
    mp_lift_kind lift;   /* the way back from its poolings' features to nodes; each pooling's result has it */
    bool whole_batch;    /* normalises over the batch: it must not be cut into shards              */
    bool needs_clusters; /* conf.clusters = ceil(ratio * mean number of nodes) unless given        */
    bool unseen;         /* never looks at what kernels write, and a GPU has all of these          */
    bool aux_apart;      /* one update an epoch on the auxiliary loss alone; steps on the classification loss leave
                            parameters that are `apart` as they are                                */
    mp_err (*check)(const mp_config *c); /* options that do not go together; NULL: all do          */
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
