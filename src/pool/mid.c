/* mid.c - MID: many score columns, flipscore and dropscore make the key that the selector ranks (math.md 4).
 *
 *     F = |R| with flipscore, else R (or f(R) in place of R where the operator ranks by gates)
 *     key_i = sum over columns of F (or the largest, or the L2 norm)
 *     with a threshold scores are shares of their graph, and so is the key: the mean of the columns, or their root mean
 *     square, or the largest
 *     dropscore, while training: ceil(p n) nodes of each graph, drawn without replacement, leave the ranking
 *
 * Selection yields integers, so MID has no backward of its own: gradients pass through the gates.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

/* MID, on every operator: fields of mp_config itself. */
/* clang-format off */
#define AT(field) offsetof(mp_config, field)
static const mp_opt mid_rows[] = {
    { "score-dim", MP_OPT_INT, AT(score_dim), "1", 1, 256, NULL, "score columns h", MP_COMMON },
    { "flip", MP_OPT_FLAG, AT(flip), "false", 0, 1, NULL, "flipscore: rank by absolute scores", MP_COMMON },
    { "drop", MP_OPT_REAL, AT(drop), "0", 0, 0.999, NULL, "dropscore: share of nodes left out of the ranking while training", MP_COMMON },
    { "width", MP_OPT_CHOICE, AT(width), "multi", 0, 0, "multi|multihead|repeat|mlp", "what h columns do to the features" },
    { "drop-mode", MP_OPT_CHOICE, AT(drop_mode), "exact", 0, 0, "exact|bernoulli", "ceil(drop n) nodes of each graph, or each node with chance drop" },
    { "dropped", MP_OPT_CHOICE, AT(dropped), "excluded", 0, 0, "excluded|zero", "dropped nodes rank last, or have key 0" },
    { "combine", MP_OPT_CHOICE, AT(combine), "sum", 0, 0, "sum|max|l2", "how score columns make the ranking key" },
    { "rank", MP_OPT_CHOICE, AT(rank), "auto", 0, 0, "auto|raw|activated", "rank by scores before or after the gate function" },
    { 0 }
};
#undef AT
/* clang-format on */
const mp_option_set mp_mid_options = { mid_rows, 0, NULL, "MID" };

typedef struct expand_options {
    int relu;
} expand_options;
static const mp_opt expand_rows[] = { { "expand-relu", MP_OPT_FLAG, offsetof(expand_options, relu), "true", 0, 1, NULL,
                                        "width mlp: ReLU behind its layer" },
                                      { 0 } };
static size_t expand_place;
const mp_option_set mp_expand_options = { expand_rows, sizeof(expand_options), &expand_place, "MID" };

bool mp_expands_with_relu(const mp_config *conf)
{
    return MP_OWN(conf, mp_expand_options, expand_options)->relu;
}

/* Exactly ceil(p n) nodes of each graph, in the order drawn. */
static void draw_exact(mp_ctx *c, const mp_graph *g, double p, int *dropped)
{
    int *left = MP_NEW_RAW(c->arena, int, g->nodes);
    for (int b = 0; b < g->graphs; b++) {
        int first = g->node_ptr[b], n = g->node_ptr[b + 1] - first, m = mp_kept_count(p, n);
        for (int i = 0; i < n; i++) left[i] = first + i;
        for (int i = 0; i < m; i++) {
            int j = i + mp_rng_below(&c->rng, n - i), v = left[j];
            left[j] = left[i];
            dropped[v] = i + 1;
        }
    }
}

static void draw_each(mp_ctx *c, const mp_graph *g, double p, int *dropped)
{
    for (int v = 0; v < g->nodes; v++) dropped[v] = mp_rng_unit(&c->rng) < p ? v + 1 : 0;
}

static const int *draw(const mp_pool *pool, mp_ctx *c, const mp_graph *g)
{
    int *dropped = MP_NEW(c->arena, int, g->nodes);
    if (c->drop_given) {
        for (int v = 0; v < g->nodes; v++) dropped[v] = c->drop_given[v] ? v + 1 : 0;
        c->drop_given = NULL;
        return dropped;
    }
    if (!c->training || pool->conf->drop <= 0) return NULL;
    if (pool->conf->drop_mode == MP_DROP_EXACT)
        draw_exact(c, g, pool->conf->drop, dropped);
    else
        draw_each(c, g, pool->conf->drop, dropped);
    return dropped;
}

void mp_mid_key(const mp_pool *pool, mp_ctx *c, mp_pooling *p)
{
    int N = p->score->rows, D = p->score->cols;
    size_t n = (size_t)N * (size_t)D;
    const mp_real *s = p->score->v;
    if (pool->rank_activated && pool->gate != MP_ACT_NONE) {
        mp_real *f = MP_NEW_RAW(mp_elements(c), mp_real, n);
        c->k->act_fwd(f, s, pool->gate, n);
        s = f;
    }
    static const mp_key_kind kinds[] = {
        [MP_COMBINE_SUM] = MP_KEY_SUM, [MP_COMBINE_MAX] = MP_KEY_MAX, [MP_COMBINE_L2] = MP_KEY_L2
    };
    mp_real *key = MP_NEW_RAW(mp_elements(c), mp_real, N);
    c->k->keys(key, c->nan ? c->nan : &c->diverged, s, pool->conf->flip, kinds[pool->conf->combine], pool->shares, N,
               D);
    p->dropped = draw(pool, c, p->g);
    if (p->dropped && pool->conf->dropped == MP_DROPPED_ZERO) c->k->clear_marked(key, p->dropped, N);
    p->key = key;
}
