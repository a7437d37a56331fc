/* trunk.c - see trunk.h.
 * SPDX-License-Identifier: MIT */
#include "baseline/trunk.h"

mp_trunk mp_trunk_init(const mp_net_setup *s, int given)
{
    const mp_conv_kind *chosen = mp_conv_chosen(s->conf, "conv", &mp_conv_gcn);
    mp_trunk t = { .layers = s->conf->layers };
    mp_assert(t.layers >= 1 && t.layers <= MP_TRUNK_MOST);
    for (int l = 0; l < t.layers; l++) {
        const char *name = mp_param_under(s->params, "convs", mp_arena_printf(s->params->arena, "%d", l));
        mp_conv_setup how = { .conf = s->conf,
                              .params = s->params,
                              .prefix = name,
                              .in = l ? s->conf->hidden : s->features,
                              .out = s->conf->hidden,
                              .edge_in = s->edge_features,
                              .edge_tables = s->edge_tables };
        t.conv[l] = mp_conv_new(l >= given && chosen->without ? chosen->without : chosen, &how);
    }
    return t;
}

mp_mat *mp_trunk_run(const mp_trunk *t, mp_ctx *c, const mp_graph *g, mp_input x, int from, int to)
{
    mp_assert(from < to && to <= t->layers);
    for (int l = from; l < to; l++) x = MP_DENSE(mp_conv_run(&t->conv[l], c, g, x, true));
    return x.dense;
}
