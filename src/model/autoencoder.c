/* autoencoder.c - see autoencoder.h.
 * SPDX-License-Identifier: MIT */
#include "model/autoencoder.h"
#include "base/guard.h"

#define DOWN   2 /* convolutions before the pooling */
#define LAYERS 5

struct mp_autoencoder {
    mp_config conf;
    mp_params params;
    mp_inputs in;
    mp_conv conv[LAYERS];
    mp_pool *pool;
};

static mp_err claim(void *arg)
{
    mp_autoencoder *m = arg;
    const mp_conv_kind *kind = mp_conv_chosen(&m->conf, "conv", &mp_conv_gcn);
    mp_arena *a = m->params.arena;
    int width = m->in.features;
    for (int l = 0; l < LAYERS; l++) {
        if (l == DOWN) {
            m->pool = mp_pool_new(a, mp_pool_find(m->conf.pool), &m->conf, &m->params, "pools.0", width);
            width = mp_pool_width(m->pool);
        }
        mp_conv_setup how = { .params = &m->params,
                              .prefix = mp_arena_printf(a, "convs.%d", l),
                              .in = width,
                              .out = l == LAYERS - 1 ? m->in.outputs : m->conf.hidden,
                              .edge_in = m->in.edge_features };
        width = how.out;
        m->conv[l] = mp_conv_new(kind, &how);
    }
    return MP_OK;
}

mp_err mp_autoencoder_new(mp_arena *a, const mp_config *config, mp_inputs in, mp_autoencoder **out)
{
    mp_autoencoder *m = *out = MP_NEW(a, mp_autoencoder, 1);
    m->conf = *config;
    m->in = in;
    m->params.arena = a;
    MP_TRY(mp_config_check(&m->conf));
    if (in.features < 1 || in.outputs < 1)
        return mp_fail(MP_ERR_INPUT, "an autoencoder needs at least one input column and one output, got %d and %d",
                       in.features, in.outputs);
    if (!mp_pool_find(m->conf.pool))
        return mp_fail(MP_ERR_USAGE,
                       "pool: %s drops no nodes, and an autoencoder is built around an operator that does",
                       m->conf.pool);
    const mp_conv_kind *kind = mp_conv_chosen(&m->conf, "conv", &mp_conv_gcn);
    if (kind->edge_x && in.edge_features < 1)
        return mp_fail(MP_ERR_USAGE, "conv: %s needs attributes of edges, and there are none", kind->name);
    MP_TRY(mp_guarded(claim, m)); /* more weights than can be counted are a failure like others */
    mp_params_alloc(&m->params);
    return MP_OK;
}

mp_mat *mp_autoencoder_forward(const mp_autoencoder *m, mp_ctx *c, const mp_graph *g, const mp_sparse *x, mp_mat *dense,
                               const mp_pooling **pooling, mp_mat **aux)
{
    mp_input in = { .dense = dense, .sparse = x };
    mp_pooling *p = MP_NEW(c->arena, mp_pooling, 1);
    for (int l = 0; l < LAYERS; l++) {
        if (l == DOWN) {
            p->g = g;
            p->x = in.dense;
            mp_pool_run(m->pool, c, p);
            in = MP_DENSE(mp_pool_lift(p, c, p->out_x));
        }
        in = MP_DENSE(mp_conv_run(&m->conv[l], c, g, in, l < LAYERS - 1));
    }
    if (pooling) *pooling = p;
    if (aux) *aux = p->loss ? mp_mix(c, (mp_real)mp_pool_loss_weight(m->pool), p->loss, 0, NULL) : NULL;
    return in.dense;
}

mp_params *mp_autoencoder_params(mp_autoencoder *m)
{
    return &m->params;
}

bool mp_autoencoder_whole_batch(const mp_autoencoder *m)
{
    return m->conv[0].kind->whole_batch;
}
