/* conv_two.c - two linear maps around a sum over neighbours.
 *     GraphConv  Y_i = (sum over j in N(i) of w_ij x_j) W_rel + b + x_i W_root          (Morris et al. 2019; math.md 2.3)
 *     its mean   the sum divided by the number of edges that enter i
 *     SAGE       Y_i = (mean over j in N(i) of x_j) W_l + b + x_i W_r                   (Hamilton et al. 2017; math.md 2.4)
 *     GIN        Y_i = MLP(x_i + sum over j in N(i) of x_j), MLP in-out-out                  (Xu et al. 2019; math.md 2.7)
 *     Chebyshev  Y = X W_0 + (L - I) X W_1 + b, L - I = -D^-1/2 A D^-1/2                (Defferrard et al. 2016; math.md 2.7)
 * SAGE and GIN do not use weights of edges.
 * SPDX-License-Identifier: MIT */
#include "nn/conv.h"

typedef struct two {
    mp_lin first, second;
} two;

static mp_mat *relu_of(mp_ctx *c, mp_mat *y, bool relu)
{
    return relu ? mp_act_of(c, y, MP_ACT_RELU) : y;
}

/* The bias goes in with the sum: before it, neighbours would add it up. */
static mp_mat *two_run(const two *a, mp_ctx *c, const mp_graph *g, mp_agg_kind kind, mp_input x, bool relu)
{
    mp_lin near = { a->first.w, -1 };
    mp_mat *y = mp_agg(c, g, kind, mp_lin_run(&near, c, x, false), mp_use(c, a->first.b), false);
    return relu_of(c, mp_mix(c, 1, y, 1, mp_lin_run(&a->second, c, x, false)), relu);
}

static void graph_init(void *state, const mp_conv_setup *s)
{
    two *a = state;
    a->first = mp_lin_init(s->params, s->prefix, "lin_rel", s->in, s->out, true);
    a->second = mp_lin_init(s->params, s->prefix, "lin_root", s->in, s->out, false);
}

static mp_mat *graph_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return two_run(state, c, g, MP_AGG_SUM, x, relu);
}

static mp_mat *mean_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return two_run(state, c, g, MP_AGG_MEAN, x, relu);
}

static void sage_init(void *state, const mp_conv_setup *s)
{
    two *a = state;
    a->first = mp_lin_init(s->params, s->prefix, "lin_l", s->in, s->out, true);
    a->second = mp_lin_init(s->params, s->prefix, "lin_r", s->in, s->out, false);
}

static mp_mat *sage_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return two_run(state, c, mp_weighted(c, g, NULL), MP_AGG_MEAN, x, relu);
}

static void gin_init(void *state, const mp_conv_setup *s)
{
    two *a = state;
    a->first = mp_lin_init(s->params, s->prefix, "nn.0", s->in, s->out, true);
    a->second = mp_lin_init(s->params, s->prefix, "nn.2", s->out, s->out, true);
}

/* The first linear map goes before the sum. */
static mp_mat *gin_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    const two *a = state;
    const mp_graph *plain = mp_weighted(c, g, NULL);
    mp_lin first = { a->first.w, -1 };
    mp_mat *z = mp_lin_run(&first, c, x, false);
    mp_mat *y = mp_mix(c, 1, z, 1, mp_agg(c, plain, MP_AGG_SUM, z, mp_use(c, a->first.b), false));
    return mp_lin_run(&a->second, c, MP_DENSE(mp_act_of(c, y, MP_ACT_RELU)), relu);
}

static void cheb_init(void *state, const mp_conv_setup *s)
{
    two *a = state;
    a->first = mp_lin_glorot(s->params, s->prefix, "lins.0", s->in, s->out);
    a->second = mp_lin_glorot(s->params, s->prefix, "lins.1", s->in, s->out);
    a->first.b = mp_param_vector(s->params, s->prefix, "bias", s->out, MP_INIT_ZERO, 0);
}

static mp_mat *cheb_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    const two *a = state;
    mp_mat *near = mp_agg(c, g, MP_AGG_SYM, mp_lin_run(&a->second, c, x, false), NULL, false);
    return relu_of(c, mp_mix(c, 1, mp_lin_run(&a->first, c, x, false), -1, near), relu);
}

/* clang-format off */
const mp_conv_kind mp_conv_graph = { .name = "graphconv", .formula = "A X W_rel + b + X W_root",
                                     .size = sizeof(two), .init = graph_init, .run = graph_run, .unseen = true };
const mp_conv_kind mp_conv_graph_mean = { .name = "graphconv-mean", .formula = "mean over edges of w x W_rel + b + X W_root",
                                          .size = sizeof(two), .init = graph_init, .run = mean_run };
const mp_conv_kind mp_conv_sage = { .name = "sage", .formula = "mean over neighbours W_l + b + X W_r",
                                    .size = sizeof(two), .init = sage_init, .run = sage_run };
const mp_conv_kind mp_conv_gin = { .name = "gin", .formula = "MLP((A+I) X)", .size = sizeof(two), .init = gin_init,
                                   .run = gin_run, .unseen = true,
                                   .reads_once = true }; /* the second map reads what the first one made */
const mp_conv_kind mp_conv_cheb = { .name = "cheb", .formula = "X W_0 - D^-1/2 A D^-1/2 X W_1 + b",
                                    .size = sizeof(two), .init = cheb_init, .run = cheb_run };
/* clang-format on */
