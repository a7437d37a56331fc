/* aim.h - scores held against the attention that a data set says nodes deserve (math.md 6.7).
 * SPDX-License-Identifier: MIT */
#ifndef MP_AIM_H
#define MP_AIM_H

#include "pool/pool.h"

/* Whether training needs to know how much attention nodes deserve (mp_graph.aim). */
bool mp_config_aims(const mp_config *c);

/* Weight times the divergence of a pooling's shares from what its nodes deserve, a mean over the graphs: 1 x 1. */
mp_mat *mp_aim_loss(const mp_config *conf, mp_ctx *c, const mp_pooling *p, const mp_real *aim);

/* What the nodes deserve that the pooling kept. */
const mp_real *mp_aim_left(mp_ctx *c, const mp_pooling *p, const mp_real *aim);

#endif
