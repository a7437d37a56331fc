/* conv_gcn.c - one linear map and one sum over neighbours.
 *     GCN          Y_i = sum over j in N(i) and i of s_i w_ij s_j (x_j W) + b            (Kipf & Welling 2017; math.md 2.2)
 *     without loop Y_i = sum over j in N(i) of w_ij (x_j W) + b                                                    (3.5)
 *     raw          the same without b                                                                              (3.9)
 * lin.weight, bias; Glorot.
 * SPDX-License-Identifier: MIT */
#include "nn/conv.h"

typedef struct sum {
    mp_lin lin;
    int bias; /* -1: none */
} sum;

static void raw_init(void *state, const mp_conv_setup *s)
{
    sum *a = state;
    *a = (sum){ mp_lin_glorot(s->params, s->prefix, "lin", s->in, s->out), -1 };
}

static void sum_init(void *state, const mp_conv_setup *s)
{
    sum *a = state;
    raw_init(state, s);
    a->bias = mp_param_vector(s->params, s->prefix, "bias", s->out, MP_INIT_ZERO, 0);
}

/* The product is needed again only for the gradient of edge weights. */
static mp_mat *sum_of_product(const sum *a, mp_ctx *c, const mp_graph *g, mp_agg_kind kind, mp_input x, bool relu)
{
    mp_mat *z = mp_lin_run(&a->lin, c, x, false);
    if (!g->w || !g->w->g) mp_mat_spent(c, z);
    return mp_agg(c, g, kind, z, mp_use(c, a->bias), relu);
}

static mp_mat *gcn_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return sum_of_product(state, c, g, MP_AGG_GCN, x, relu);
}

static mp_mat *plain_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return sum_of_product(state, c, g, MP_AGG_SUM, x, relu);
}

mp_lin mp_gcn_map(const mp_conv *l)
{
    mp_assert(l->kind == &mp_conv_gcn);
    const sum *a = l->state;
    return (mp_lin){ a->lin.w, a->bias };
}

const mp_conv_kind mp_conv_gcn = { .name = "gcn",
                                   .formula = "D~^-1/2 (A+I) D~^-1/2 X W + b",
                                   .size = sizeof(sum),
                                   .init = sum_init,
                                   .run = gcn_run,
                                   .sums_only = true,
                                   .reads_once = true,
                                   .unseen = true,
                                   .of_shares = &mp_conv_gcn_noloop };
const mp_conv_kind mp_conv_gcn_noloop = { .name = "gcn-noloop",
                                          .formula = "A X W + b",
                                          .size = sizeof(sum),
                                          .init = sum_init,
                                          .run = plain_run,
                                          .reads_once = true,
                                          .unseen = true };
const mp_conv_kind mp_conv_gcn_raw = { .name = "gcn-raw",
                                       .formula = "A X W",
                                       .size = sizeof(sum),
                                       .init = raw_init,
                                       .run = plain_run,
                                       .reads_once = true,
                                       .unseen = true };
