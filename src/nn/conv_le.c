/* conv_le.c - LEConv, local extrema (Ranjan, Sanyal & Talukdar 2020; math.md 2.5): whose signs and roles are rows.
 *     PyG 1.7:   Y_i = x_i W_3 + b_3 + sum_j w_ij (x_i W_1 + b_1 - x_j W_2)
 *     PyG 2:     Y_i = x_i W_3 + b_3 + sum_j w_ij (x_j W_1 + b_1 - x_i W_2)
 *     authors:   Y_i = x_i W_3 + b_3 + sum_j w_ij (x_i W_1 + b_1 + x_j W_2)
 * SPDX-License-Identifier: MIT */
#include "nn/conv.h"

typedef struct le {
    mp_lin lin1, lin2, lin3;
} le;

static void le_init(void *state, const mp_conv_setup *s)
{
    le *a = state;
    a->lin1 = mp_lin_init(s->params, s->prefix, "lin1", s->in, s->out, true);
    a->lin2 = mp_lin_init(s->params, s->prefix, "lin2", s->in, s->out, false);
    a->lin3 = mp_lin_init(s->params, s->prefix, "lin3", s->in, s->out, true);
}

/* `swapped`: the first map is of the neighbour, the second of the node itself. */
static mp_mat *le_run(const le *a, mp_ctx *c, const mp_graph *g, mp_input x, bool relu, bool swapped, mp_real sign)
{
    mp_mat *one = mp_lin_run(&a->lin1, c, x, false), *two = mp_lin_run(&a->lin2, c, x, false);
    mp_mat *sum = swapped ? mp_edge_mix(c, g, two, sign, one, 1) : mp_edge_mix(c, g, one, 1, two, sign);
    mp_mat *y = mp_mix(c, 1, mp_lin_run(&a->lin3, c, x, false), 1, sum);
    return relu ? mp_act_of(c, y, MP_ACT_RELU) : y;
}

static mp_mat *pyg_1_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return le_run(state, c, g, x, relu, false, -1);
}

static mp_mat *pyg_2_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return le_run(state, c, g, x, relu, true, -1);
}

static mp_mat *authors_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return le_run(state, c, g, x, relu, false, 1);
}

/* clang-format off */
const mp_conv_kind mp_conv_le = { .name = "leconv", .formula = "X W_3 + b_3 + sum of w (x_i W_1 + b_1 - x_j W_2)",
                                  .size = sizeof(le), .init = le_init, .run = pyg_1_run, .unseen = true };
const mp_conv_kind mp_conv_le_pyg = { .name = "leconv-pyg", .formula = "X W_3 + b_3 + sum of w (x_j W_1 + b_1 - x_i W_2)",
                                      .size = sizeof(le), .init = le_init, .run = pyg_2_run, .unseen = true };
const mp_conv_kind mp_conv_le_authors = { .name = "leconv-authors",
                                          .formula = "X W_3 + b_3 + sum of w (x_i W_1 + b_1 + x_j W_2)",
                                          .size = sizeof(le), .init = le_init, .run = authors_run, .unseen = true };
/* clang-format on */
