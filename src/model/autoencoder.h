/* autoencoder.h - a network with an upward path: down to a pooled graph and back to features of nodes (math.md 6.4).
 *
 *     x = ReLU(conv_1(x)), ReLU(conv_2(x));   (x', A') = pool(x, A);   x = lift(x')
 *     x = ReLU(conv_3(x)), ReLU(conv_4(x)), conv_5(x): a row of outputs for each node, all on the graph as it was given
 * SPDX-License-Identifier: MIT */
#ifndef MP_AUTOENCODER_H
#define MP_AUTOENCODER_H

#include "model/model.h"

typedef struct mp_autoencoder mp_autoencoder;

/* Takes pool (a node-drop operator with its options), conv and hidden of the configuration. Weights are allocated and zero
 * until mp_params_init sets them. Everything lives in the arena. */
MP_MUST mp_err mp_autoencoder_new(mp_arena *a, const mp_config *config, mp_inputs in, mp_autoencoder **out);

mp_params *mp_autoencoder_params(mp_autoencoder *m);
bool mp_autoencoder_whole_batch(const mp_autoencoder *m); /* as mp_model_whole_batch */

/* N x outputs. Dense features in place of sparse ones: x NULL, dense given. `pooling` (may be NULL) receives what the pooling
 * did, `aux` its auxiliary loss with its weight, or NULL. */
mp_mat *mp_autoencoder_forward(const mp_autoencoder *m, mp_ctx *c, const mp_graph *g, const mp_sparse *x, mp_mat *dense,
                               const mp_pooling **pooling, mp_mat **aux);

#endif
