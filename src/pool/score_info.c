/* score_info.c - scores without parameters: how far a node is from the mean of its neighbours.
 *     y = X - D^-1 A X,  D and A without self loops
 *     HGP-SL:  R = L1 norm of y (norm sym: D^-1/2 A D^-1/2)                           (Zhang et al. 2019; math.md 3.5)
 *     iPool:   R = L2 norm of X - mean over q <= t of (Dbar^q)^-1 Abar^q X,  Abar^q = A^q without its diagonal   (3.12)
 * With D score columns the channels are cut into D groups and each gives a norm (squared, for iPool). Scores gate
 * nothing unless --gate asks for it, so nothing is recorded then; with a gate their gradient flows (the mean over more
 * than one hop is a constant even so).
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

enum { MP_LAP_ROW, MP_LAP_SYM };
typedef struct info_options {
    int lap_norm;
} info_options;
/* clang-format off */
static const mp_opt info_rows[] = {
    { "lap-norm", MP_OPT_CHOICE, offsetof(info_options, lap_norm), "row", 0, 0, "row|sym", "hgpsl: normalisation of the score" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, info_set, info_options, info_rows);

static void distance(const mp_pool *pool, mp_ctx *c, mp_pooling *p, mp_mat *mean, mp_length_kind kind)
{
    p->score = mp_row_length(c, mp_mix(c, 1, p->x, -1, mean), pool->cols, kind);
}

static void l1_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    bool record = c->record;
    c->record = record && !pool->ungated;
    mp_agg_kind kind = MP_OWN(pool->conf, info_set, info_options)->lap_norm == MP_LAP_SYM ? MP_AGG_SYM : MP_AGG_ROW;
    distance(pool, c, p, mp_agg(c, p->g, kind, p->x, NULL, false), MP_LENGTH_L1);
    c->record = record;
}

const mp_scorer mp_score_l1 = { .own = &info_set,
                                .name = "information",
                                .formula = "L1 norm of (I - D^-1 A) X",
                                .options = "lap-norm",
                                .run = l1_run };

static mp_mat *far_mean(mp_ctx *c, const mp_pooling *p, int hops)
{
    const mp_graph *g = p->g;
    mp_real *mean = MP_NEW_RAW(mp_elements(c), mp_real, (size_t)g->nodes * (size_t)p->x->cols);
    mp_walk walk = { MP_NEW(c->arena, mp_real, g->nodes), MP_NEW(c->arena, mp_real, g->nodes),
                     MP_NEW_RAW(c->arena, int, g->nodes), MP_NEW_RAW(c->arena, int, g->nodes) };
    mp_links edges = { .row_ptr = g->row_ptr, .col = g->col, .p = g->w ? g->w->v : NULL };
    c->k->walk_mean(mean, &walk, p->x->v, edges, hops, g->nodes, p->x->cols);
    return mp_mat_of(c, mean, g->nodes, p->x->cols);
}

static void l2_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    int hops = mp_hops(pool->conf, 1);
    bool record = c->record;
    c->record = record && !pool->ungated;
    mp_mat *mean = hops == 1 ? mp_agg(c, p->g, MP_AGG_ROW, p->x, NULL, false) : far_mean(c, p, hops);
    distance(pool, c, p, mean, pool->cols == 1 ? MP_LENGTH_L2 : MP_LENGTH_SQUARE);
    c->record = record;
}

const mp_scorer mp_score_l2 = {
    .name = "information", .formula = "L2 norm of (I - mean_q (D^q)^-1 A^q) X", .options = "hops", .run = l2_run
};
