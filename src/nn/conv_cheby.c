/* conv_cheby.c - ChebyGIN: polynomials of the Laplacian before a small network (Knyazev, Taylor & Amer 2019; math.md 2.7).
 *
 *     L = -Dh A Dh, Dh = (deg + 1e-5)^-1/2;   T_0 = X, T_1 = L X, T_q = 2 L T_{q-1} - T_{q-2}, q < K
 *     Y = [T_0 ; d T_1 ; ... ; d T_{K-1}] W + b, d = 1 (mean) or deg (sum); with two layers ReLU(Y) W' + b'
 *
 * The maps go first: with Z_q = X W_q the sum over q of T_q(L) Z_q is L B_1 - B_2 + Z_0, where B_q = Z_q + 2 L B_{q+1} - B_{q+2}
 * (Clenshaw). So neighbours are summed in the width of the output, and sparse inputs cost a gather. Weights of edges and self loops are
 * not used.
 * SPDX-License-Identifier: MIT */
#include "nn/conv.h"

#include <stdio.h>

#define ORDER_MOST 16

enum { AGG_MEAN, AGG_SUM };
typedef struct cheby_options {
    int order, agg, layers;
} cheby_options;
/* clang-format off */
static const mp_opt cheby_rows[] = {
    { "cheb-order", MP_OPT_INT, offsetof(cheby_options, order), "2", 1, ORDER_MOST, NULL, "chebygin: number of polynomials K; a layer sees K - 1 hops" },
    { "cheb-agg", MP_OPT_CHOICE, offsetof(cheby_options, agg), "mean", 0, 0, "mean|sum", "chebygin: neighbours as they are normalised, or times the degree" },
    { "cheb-layers", MP_OPT_INT, offsetof(cheby_options, layers), "1", 1, 2, NULL, "chebygin: linear maps of a layer, with ReLU between" },
    { 0 }
};
/* clang-format on */
MP_OPTION_SET_IN(static, cheby_set, cheby_options, cheby_rows, "network");

typedef struct cheby {
    mp_lin of[ORDER_MOST]; /* W_q; the first has the bias */
    mp_lin second;
    int order;
    bool sum, deep;
} cheby;

static void cheby_init(void *state, const mp_conv_setup *s)
{
    mp_config usual;
    cheby *a = state;
    if (!s->conf) mp_config_init(&usual);
    const cheby_options *o = MP_OWN(s->conf ? s->conf : &usual, cheby_set, cheby_options);
    double bound = mp_fan_in(o->order * s->in); /* of one map of all polynomials side by side */
    a->order = o->order;
    a->sum = o->agg == AGG_SUM;
    a->deep = o->layers == 2;
    for (int q = 0; q < a->order; q++) {
        char name[32];
        snprintf(name, sizeof name, "lins.%d.weight", q);
        a->of[q] = (mp_lin){ mp_param_linear(s->params, s->prefix, name, s->out, s->in, bound), -1 };
    }
    a->of[0].b = mp_param_vector(s->params, s->prefix, "bias", s->out, MP_INIT_UNIFORM, bound);
    if (a->deep) a->second = mp_lin_init(s->params, s->prefix, "nn.2", s->out, s->out, true);
}

/* L as weights of the edges, and the degrees as a column. */
static const mp_graph *laplacian(mp_ctx *c, const mp_graph *g, mp_mat **degree)
{
    mp_real *w = MP_NEW_RAW(mp_elements(c), mp_real, g->edges), *d = MP_NEW_RAW(mp_elements(c), mp_real, g->nodes);
    mp_csr on = mp_graph_csr(g);
    c->k->cheb_weights(w, d, &on);
    *degree = mp_mat_of(c, d, g->nodes, 1);
    return mp_weighted(c, g, mp_mat_of(c, w, g->edges, 1));
}

static mp_mat *rows_times(mp_ctx *c, mp_mat *x, mp_mat *column)
{
    int *all = MP_NEW_RAW(c->arena, int, x->rows);
    for (int v = 0; v < x->rows; v++) all[v] = v;
    return mp_gate(c, x, column, MP_ACT_NONE, all, x->rows, 0);
}

/* The sum over q >= 1 of T_q(L) Z_q. */
static mp_mat *polynomials(const cheby *a, mp_ctx *c, const mp_graph *L, mp_input x)
{
    mp_mat *now = mp_lin_run(&a->of[a->order - 1], c, x, false), *before = NULL;
    for (int q = a->order - 2; q >= 1; q--) {
        mp_mat *near = mp_agg(c, L, MP_AGG_SUM, now, NULL, false);
        mp_mat *next = mp_mix(c, 1, mp_lin_run(&a->of[q], c, x, false), 2, near);
        if (before) next = mp_mix(c, 1, next, -1, before);
        before = now;
        now = next;
    }
    mp_mat *sum = mp_agg(c, L, MP_AGG_SUM, now, NULL, false);
    return before ? mp_mix(c, 1, sum, -1, before) : sum;
}

static mp_mat *cheby_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    const cheby *a = state;
    mp_mat *y = mp_lin_run(&a->of[0], c, x, false), *degree;
    if (a->order > 1) {
        const mp_graph *L = laplacian(c, g, &degree);
        mp_mat *far = polynomials(a, c, L, x);
        y = mp_mix(c, 1, y, 1, a->sum ? rows_times(c, far, degree) : far);
    }
    if (relu || a->deep) y = mp_act_of(c, y, MP_ACT_RELU);
    return a->deep ? mp_lin_run(&a->second, c, MP_DENSE(y), relu) : y;
}

const mp_conv_kind mp_conv_chebygin = { .name = "chebygin",
                                        .formula = "[T_0(L) X ; .. ; T_(K-1)(L) X] W + b, or an MLP of it",
                                        .options = "cheb-order:conv=chebygin cheb-agg:conv=chebygin "
                                                   "cheb-layers:conv=chebygin",
                                        .own = &cheby_set,
                                        .size = sizeof(cheby),
                                        .init = cheby_init,
                                        .run = cheby_run };
