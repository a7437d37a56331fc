/* set2set.c - Set2Set: an LSTM asks each graph T questions and reads the answers by attention (math.md 5.1).
 *
 *     q_t = LSTM([q_{t-1} ; r_{t-1}]),   r_t = sum_v softmax_v(<x_v, q_t>) x_v,   out = [q_T ; r_T]
 *
 * Vinyals, Bengio & Kudlur, Order matters: sequence to sequence for sets, 2016.
 * SPDX-License-Identifier: MIT */
#include "baseline/set2set.h"

typedef struct set2set_options {
    int processing_steps;
} set2set_options;
/* clang-format off */
static const mp_opt set2set_rows[] = {
    { "processing-steps", MP_OPT_INT, offsetof(set2set_options, processing_steps), "4", 1, 64, NULL, "set2set: steps of its LSTM" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(, mp_set2set_set, set2set_options, set2set_rows);

mp_set2set mp_set2set_init(mp_params *p, const char *prefix, int channels, int steps)
{
    int H = channels;
    double bound = mp_fan_in(H);
    return (mp_set2set){ steps, mp_param_linear(p, prefix, "lstm.weight_ih_l0", 4 * H, 2 * H, bound),
                         mp_param_linear(p, prefix, "lstm.weight_hh_l0", 4 * H, H, bound),
                         mp_param_vector(p, prefix, "lstm.bias_ih_l0", 4 * H, MP_INIT_UNIFORM, bound),
                         mp_param_vector(p, prefix, "lstm.bias_hh_l0", 4 * H, MP_INIT_UNIFORM, bound) };
}

/* Of the first step: question, answer and state are 0, so only the bias is left. */
static mp_mat *first_gates(mp_ctx *c, mp_mat *b, int graphs)
{
    return mp_linear(c, mp_mat_of(c, NULL, graphs, 0), mp_mat_of(c, NULL, 0, b->cols), b, false);
}

/* The state of the LSTM is the question, so q meets W_hh and the first rows of W_ih: they are added once, not the
 * products with them in every step. */
mp_mat *mp_set2set_run(const mp_set2set *s, mp_ctx *c, mp_mat *x, const int *ptr, int graphs)
{
    mp_mat *w = mp_use(c, s->w_ih), *b = mp_mix(c, 1, mp_use(c, s->b_ih), 1, mp_use(c, s->b_hh));
    mp_mat *w_q = s->steps > 1 ? mp_mix(c, 1, mp_rows(c, w, 0, x->cols), 1, mp_use(c, s->w_hh)) : NULL;
    mp_mat *cell = NULL, *q = mp_lstm(c, first_gates(c, b, graphs), NULL, &cell);
    mp_mat *r = mp_set_attend(c, x, q, ptr, graphs);
    for (int t = 1; t < s->steps; t++) {
        q = mp_lstm(c, mp_linear_onto(c, mp_linear(c, q, w_q, b, false), r, w, x->cols, NULL, false), cell, &cell);
        r = mp_set_attend(c, x, q, ptr, graphs);
    }
    return mp_cat(c, (mp_mat *[]){ q, r }, 2);
}

void mp_set2set_net_init(void *state, const mp_net_setup *s)
{
    mp_set2set_net *n = state;
    int c = s->conf->hidden;
    n->trunk = mp_trunk_init(s, s->conf->layers);
    n->read = mp_set2set_init(s->params, "pool", c, MP_OWN(s->conf, mp_set2set_set, set2set_options)->processing_steps);
    n->head = mp_head_init(s->params, s->conf, 2 * c, s->outputs);
}

mp_mat *mp_set2set_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux)
{
    const mp_set2set_net *n = state;
    *aux = NULL;
    mp_mat *h = mp_trunk_run(&n->trunk, c, g, x, 0, n->trunk.layers);
    return mp_head_run(&n->head, c, mp_set2set_run(&n->read, c, h, g->node_ptr, g->graphs));
}
