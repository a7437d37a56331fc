/* set2set.h - Set2Set: the readout by itself, and its network.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SET2SET_H
#define MP_SET2SET_H

#include "baseline/trunk.h"

typedef struct mp_set2set {
    int steps, w_ih, w_hh, b_ih, b_hh;
} mp_set2set;

/* Names under the prefix are PyG's: lstm.weight_ih_l0 ... */
mp_set2set mp_set2set_init(mp_params *p, const char *prefix, int channels, int steps);
/* B x 2C: [q_T ; r_T]. */
mp_mat *mp_set2set_run(const mp_set2set *s, mp_ctx *c, mp_mat *x, const int *ptr, int graphs);

typedef struct mp_set2set_net {
    mp_trunk trunk;
    mp_set2set read;
    mp_head head;
} mp_set2set_net;
extern const mp_option_set mp_set2set_set; /* its options */
void mp_set2set_net_init(void *state, const mp_net_setup *s);
mp_mat *mp_set2set_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux);

#endif
