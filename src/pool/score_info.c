/* score_info.c - scores without parameters: how far a node is from the mean of its neighbours.
 *     y = X - D^-1 A X,  D and A without self loops
 *     HGP-SL:  R = L1 norm of y (norm sym: D^-1/2 A D^-1/2)                           (Zhang et al. 2019; math.md 3.5)
 *     iPool:   R = L2 norm of X - mean over q <= t of (Dbar^q)^-1 Abar^q X,  Abar^q = A^q without its diagonal   (3.12)
 * With D score columns the channels are cut into D groups and each gives a norm (squared, for iPool). Scores gate
 * nothing unless --gate asks for it, so nothing is recorded then; with a gate their gradient flows (the mean over more
 * than one hop is a constant even so).
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

static void distance(const mp_pool *pool, mp_ctx *c, mp_pooling *p, mp_mat *mean, mp_length_kind kind)
{
    p->score = mp_row_length(c, mp_mix(c, 1, p->x, -1, mean), pool->cols, kind);
}

static void l1_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    bool record = c->record;
    c->record = record && !pool->ungated;
    mp_agg_kind kind = pool->conf->lap_norm == MP_LAP_SYM ? MP_AGG_SYM : MP_AGG_ROW;
    distance(pool, c, p, mp_agg(c, p->g, kind, p->x, NULL, false), MP_LENGTH_L1);
    c->record = record;
}

const mp_scorer mp_score_l1 = {
    .name = "information", .formula = "L1 norm of (I - D^-1 A) X", .options = "lap-norm", .run = l1_run
};

/* Row v of A^q for q = 1..t in turn: paths that end in v, one step longer each time. */
typedef struct walk {
    mp_real *now, *next; /* N, zero where not listed */
    int *list, count, *more, more_count;
} walk;

static void walk_step(const mp_graph *g, walk *w)
{
    w->more_count = 0;
    for (int i = 0; i < w->count; i++) {
        int l = w->list[i];
        for (int e = g->row_ptr[l]; e < g->row_ptr[l + 1]; e++) {
            int u = g->col[e];
            mp_real paths = w->now[l] * (g->w ? g->w->v[e] : (mp_real)1);
            if (u == l || paths == 0) continue;
            if (w->next[u] == 0) w->more[w->more_count++] = u;
            w->next[u] += paths;
        }
        w->now[l] = 0;
    }
    mp_real *t = w->now;
    int *s = w->list;
    w->now = w->next;
    w->next = t;
    w->list = w->more;
    w->more = s;
    w->count = w->more_count;
}

static mp_mat *far_mean(mp_ctx *c, const mp_pooling *p, int hops)
{
    const mp_graph *g = p->g;
    int C = p->x->cols;
    mp_real *mean = MP_NEW(c->arena, mp_real, (size_t)g->nodes * (size_t)C);
    walk w = { MP_NEW(c->arena, mp_real, g->nodes), MP_NEW(c->arena, mp_real, g->nodes),
               MP_NEW(c->arena, int, g->nodes),     0,
               MP_NEW(c->arena, int, g->nodes),     0 };
    for (int v = 0; v < g->nodes; v++) {
        w.now[v] = 1;
        w.list[0] = v;
        w.count = 1;
        for (int q = 0; q < hops; q++) {
            walk_step(g, &w);
            mp_real sum = 0;
            for (int i = 0; i < w.count; i++) sum += w.list[i] == v ? 0 : w.now[w.list[i]];
            for (int i = 0; sum > 0 && i < w.count; i++) {
                int u = w.list[i];
                if (u == v) continue;
                c->k->axpy(mean + (size_t)v * (size_t)C, w.now[u] / (sum * (mp_real)hops),
                           p->x->v + (size_t)u * (size_t)C, true, (size_t)C);
            }
        }
        for (int i = 0; i < w.count; i++) w.now[w.list[i]] = 0;
    }
    return mp_mat_of(c, mean, g->nodes, C);
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
