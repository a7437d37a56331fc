/* edge.h - EdgePool: one pooling, and the network around two of them.
 * SPDX-License-Identifier: MIT */
#ifndef MP_EDGE_H
#define MP_EDGE_H

#include "baseline/trunk.h"
#include "graph/contract.h"

typedef struct mp_edge_pool {
    mp_lin lin; /* on [source ; target] */
    double dropout;
} mp_edge_pool;

typedef struct mp_edge_pooled {
    mp_contraction clusters;
    mp_graph g;
    mp_mat *x;
    mp_lift lift;
} mp_edge_pooled;

mp_edge_pool mp_edge_pool_init(mp_params *p, const char *prefix, int channels, double dropout);
mp_edge_pooled mp_edge_pool_run(const mp_edge_pool *e, mp_ctx *c, const mp_graph *g, mp_mat *x);

typedef struct mp_edge_net {
    mp_trunk trunk;
    mp_edge_pool pool[MP_TRUNK_MOST];
    mp_head head;
} mp_edge_net;
extern const mp_option_set mp_edge_set; /* its options */
void mp_edge_net_init(void *state, const mp_net_setup *s);
mp_mat *mp_edge_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux);

#endif
