/* trunk.h - the convolutions most baselines begin with: `layers` of them, each followed by ReLU.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TRUNK_H
#define MP_TRUNK_H

#include "baseline/baseline.h"

#define MP_TRUNK_MOST 16

typedef struct mp_trunk {
    int layers;
    mp_conv conv[MP_TRUNK_MOST]; /* convs.0, convs.1, ... */
} mp_trunk;

/* The first `given` layers run on the graph as it is given, the others on pooled ones, whose edges have no attributes. */
mp_trunk mp_trunk_init(const mp_net_setup *s, int given);
/* Layers from .. to-1 on one graph. */
mp_mat *mp_trunk_run(const mp_trunk *t, mp_ctx *c, const mp_graph *g, mp_input x, int from, int to);

#endif
