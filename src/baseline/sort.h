/* sort.h - SortPool's network, in the form of PyG and in that of the DGCNN paper.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SORT_H
#define MP_SORT_H

#include "baseline/trunk.h"

#define MP_SORT_LAYERS 4 /* of the DGCNN form */

typedef struct mp_conv1d_layer {
    int w, b, channels, stride;
} mp_conv1d_layer;

typedef struct mp_sort_net {
    bool dgcnn;
    int k;
    mp_trunk trunk;              /* PyG's form    */
    mp_lin conv[MP_SORT_LAYERS]; /* DGCNN's form  */
    mp_conv1d_layer seq[2];      /* PyG: only [1] */
    mp_lin lin[2];
    double dropout;
} mp_sort_net;

extern const mp_option_set mp_sort_set; /* its options */
void mp_sort_net_init(void *state, const mp_net_setup *s);
mp_mat *mp_sort_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux);

/* Sets sort-k for the DGCNN form from the sizes of all graphs. */
void mp_sort_resolve(mp_config *conf, const mp_graph *all);

#endif
