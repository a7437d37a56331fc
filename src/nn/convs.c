/* convs.c - the table of convolutions. A new convolution is a new row.
 * SPDX-License-Identifier: MIT */
#include "nn/conv.h"

#include <string.h>

#define ADDED_MOST 16

static const mp_conv_kind *kinds[32 + ADDED_MOST] = {
    &mp_conv_gcn,  &mp_conv_graph,   &mp_conv_gin,        &mp_conv_sage,       &mp_conv_gat,     &mp_conv_cheb,
    &mp_conv_le,   &mp_conv_le_pyg,  &mp_conv_le_authors, &mp_conv_graph_mean, &mp_conv_gcn_raw, &mp_conv_gcn_noloop,
    &mp_conv_gine, &mp_conv_ogb_gcn, &mp_conv_ogb_gin,    &mp_conv_chebygin
};

const mp_conv_kind *const *mp_conv_kinds(void)
{
    return kinds;
}

const mp_conv_kind *mp_conv_find(const char *name)
{
    for (const mp_conv_kind *const *k = kinds; *k; k++)
        if (strcmp((*k)->name, name) == 0) return *k;
    return NULL;
}

mp_err mp_conv_add(const mp_conv_kind *kind)
{
    int n = 0;
    while (kinds[n]) n++;
    if (!kind || !kind->name || !kind->init || !kind->run)
        return mp_fail(MP_ERR_USAGE, "a convolution needs a name and the functions init and run");
    if (mp_conv_find(kind->name) || strcmp(kind->name, "auto") == 0)
        return mp_fail(MP_ERR_USAGE, "there is a convolution '%s' already", kind->name);
    if (n + 1 == (int)(sizeof kinds / sizeof *kinds))
        return mp_fail(MP_ERR_LIMIT, "no more than %d convolutions can be added", ADDED_MOST);
    MP_TRY(mp_options_add(kind->own));
    MP_TRY(mp_choice_add("conv", kind->name));
    if (!kind->edge_x && !kind->whole_batch) MP_TRY(mp_choice_add("score-conv", kind->name));
    kinds[n] = kind;
    return MP_OK;
}

const mp_conv_kind *mp_conv_chosen(const mp_config *conf, const char *option, const mp_conv_kind *usual)
{
    char name[64];
    mp_conf_get(mp_conf_find(mp_config_table, option), conf, name, sizeof name);
    if (strcmp(name, "auto") == 0) return usual;
    const mp_conv_kind *kind = mp_conv_find(name);
    mp_assert(kind != NULL); /* every choice has its row: tests/nn/test_convs.c */
    return kind;
}

mp_conv mp_conv_new(const mp_conv_kind *kind, const mp_conv_setup *s)
{
    void *state = mp_arena_zero(s->params->arena, 1, kind->size);
    kind->init(state, s);
    return (mp_conv){ kind, state };
}

mp_conv mp_conv_init(mp_params *p, const char *prefix, const mp_conv_kind *kind, int in, int out)
{
    return mp_conv_new(kind, &(mp_conv_setup){ .params = p, .prefix = prefix, .in = in, .out = out });
}

mp_mat *mp_conv_run(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return l->kind->run(l->state, c, g, x, relu);
}
