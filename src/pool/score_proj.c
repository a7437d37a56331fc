/* score_proj.c - TopKPool's score: the length of x along learned directions.
 *     R[v,j] = <x_v, P_j> / |P_j|                                                     (Gao & Ji 2019; math.md 3.1)
 * Under a threshold, where the score becomes a softmax, the norm is not divided out: R[v,j] = <x_v, P_j>.
 * Graph U-Nets' released code scores by a linear map with a bias instead, after dropout on X.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

enum { INIT_USUAL, INIT_NORMAL };
typedef struct proj_options {
    int init;
} proj_options;
/* clang-format off */
static const mp_opt proj_rows[] = {
    { "score-init", MP_OPT_CHOICE, offsetof(proj_options, init), "usual", 0, 0, "usual|normal", "topk, ug: directions start uniform, or from N(0, 1)" },
    { 0 }
};
/* clang-format on */
MP_OPTION_SET(static, proj_set, proj_options, proj_rows);

typedef struct proj {
    int p; /* P, C x D */
} proj;

static void proj_init(void *state, const mp_setup *s)
{
    proj *a = state;
    double bound = mp_fan_in(s->seen);
    a->p = s->conf->variant == MP_VARIANT_PYG
               ? mp_param_linear(s->params, s->prefix, "select.weight", s->cols, s->seen, bound)
               : mp_param_plain(s->params, s->prefix, "P", s->seen, s->cols, MP_INIT_UNIFORM, bound);
    if (MP_OWN(s->conf, proj_set, proj_options)->init == INIT_NORMAL) s->params->list[a->p].init = MP_INIT_NORMAL;
}

static void proj_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const proj *a = state;
    p->score = mp_lin_by(c, mp_pool_seen(p), mp_pool_directions(pool, c, a->p), NULL, false);
}

const mp_scorer mp_score_proj = { .name = "projection",
                                  .formula = "X P / norm(P)",
                                  .options = "variant score-from score-init",
                                  .own = &proj_set,
                                  .size = sizeof(proj),
                                  .init = proj_init,
                                  .run = proj_run,
                                  .unseen = mp_unseen_always,
                                  .sums_only = mp_sums_only_always };

static void linear_init(void *state, const mp_setup *s)
{
    mp_lin *a = state;
    *a = mp_lin_init(s->params, s->prefix, "proj", s->seen, s->cols, true);
}

static void linear_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    mp_mat *x = mp_dense_input(c, mp_pool_seen(p));
    p->score = mp_lin_run(state, c, MP_DENSE(mp_dropout(c, x, pool->conf->dropout)), false);
}

const mp_scorer mp_score_linear = { .name = "linear",
                                    .formula = "X W + b",
                                    .options = "dropout score-from",
                                    .size = sizeof(mp_lin),
                                    .init = linear_init,
                                    .run = linear_run,
                                    .unseen = mp_unseen_always,
                                    .sums_only = mp_sums_only_always };
