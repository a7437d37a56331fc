/* score_cgi.c - CGIPool: the difference of a real and a fake score, with a discriminator that tells them apart.
 *     S_r = tanh(GCN_r X),  S_f = tanh(GCN_f X),  R = S_r - S_f,  gate tanh
 *     loss = ( BCE(D(g_r, g), 1) + BCE(D(g_f, g), 0) ) / 2,   g = mean of x,  g_r = mean of x S_r,  g_f = mean of x S_f
 *     D(u, v) = Linear(leaky(Linear([u ; v])))                              (Pang, Zhao & Li 2021; math.md 3.10)
 * The released code (variant authors) scores with two GraphConv layers, without the inner tanh, and pools a third one.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

enum { MP_MI_ALL, MP_MI_TOP1 };
typedef struct cgi_options {
    int mi_nodes;
} cgi_options;
/* clang-format off */
static const mp_opt cgi_rows[] = {
    { "mi-nodes", MP_OPT_CHOICE, offsetof(cgi_options, mi_nodes), "all", 0, 0, "all|top1", "cgi: nodes behind the auxiliary loss" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, cgi_set, cgi_options, cgi_rows);

typedef struct judge {
    int w, b; /* [u ; v] -> C */
    mp_lin last;
} judge;

typedef struct cgi {
    mp_conv real[2], fake[2], change; /* authors: two layers each, and the transform of x */
    judge d;
} cgi;

static judge judge_init(const mp_setup *s)
{
    int C = s->channels;
    const char *first = mp_param_under(s->params, s->prefix, "disc.0");
    judge d;
    d.w = mp_param_linear(s->params, first, "weight", C, 2 * C, mp_fan_in(2 * C));
    d.b = mp_param_vector(s->params, first, "bias", C, MP_INIT_UNIFORM, mp_fan_in(2 * C));
    d.last = mp_lin_init(s->params, s->prefix, "disc.1", C, 1, true);
    return d;
}

static mp_mat *judge_run(const judge *d, mp_ctx *c, mp_mat *u, mp_mat *v)
{
    int C = u->cols;
    mp_mat *w = mp_use(c, d->w);
    mp_mat *second = mp_linear(c, v, mp_rows(c, w, C, 2 * C), NULL, false);
    mp_mat *h = mp_mix(c, 1, mp_linear(c, u, mp_rows(c, w, 0, C), mp_use(c, d->b), false), 1, second);
    return mp_lin_run(&d->last, c, MP_DENSE(mp_act_of(c, h, MP_ACT_LEAKY)), false);
}

static mp_mat *column_mean(mp_ctx *c, mp_mat *s)
{
    if (s->cols == 1) return s;
    return mp_linear(c, s, mp_mat_full(c, 1 / (mp_real)s->cols, s->cols, 1), NULL, false);
}

/* The node of each graph with the largest s, N x 1; ptr gets the ranges. */
static const int *best_nodes(mp_ctx *c, const mp_graph *g, const mp_mat *s, int *ptr)
{
    mp_real *top = MP_NEW_RAW(mp_elements(c), mp_real, g->graphs);
    int *arg = MP_NEW_RAW(c->arena, int, g->graphs), n = 0;
    c->k->readout(top, arg, NULL, s->v, g->node_ptr, NULL, g->graphs, 1, 1);
    for (int b = 0; b < g->graphs; b++) {
        if (arg[b] >= 0) arg[n++] = arg[b]; /* a graph without nodes has none */
        ptr[b + 1] = n;
    }
    return arg;
}

/* Per graph the mean of x times s, over all nodes or over the node with the largest s. */
static mp_mat *weighted_read(const mp_pool *pool, mp_ctx *c, const mp_graph *g, mp_mat *x, mp_mat *s)
{
    mp_mat *one = column_mean(c, s);
    if (MP_OWN(pool->conf, cgi_set, cgi_options)->mi_nodes == MP_MI_ALL)
        return mp_readout(c, mp_row_scale(c, x, one), g->node_ptr, g->graphs, MP_READ_MEAN);
    int *ptr = MP_NEW(c->arena, int, g->graphs + 1);
    const int *best = best_nodes(c, g, one, ptr);
    return mp_readout(c, mp_gate(c, x, one, MP_ACT_NONE, best, ptr[g->graphs], 0), ptr, g->graphs, MP_READ_MEAN);
}

static mp_mat *contrast(const mp_pool *pool, const judge *d, mp_ctx *c, const mp_graph *g, mp_mat *x, mp_mat *real,
                        mp_mat *fake)
{
    if (!c->record || mp_pool_loss_weight(pool) == 0) return NULL;
    mp_mat *all = mp_readout(c, x, g->node_ptr, g->graphs, MP_READ_MEAN);
    mp_mat *yes = judge_run(d, c, weighted_read(pool, c, g, x, real), all);
    mp_mat *no = judge_run(d, c, weighted_read(pool, c, g, x, fake), all);
    mp_mat *wrong = mp_bce(c, no, false);
    return mp_mix(c, (mp_real)0.5, mp_bce(c, yes, true), (mp_real)0.5, wrong);
}

static void cgi_init(void *state, const mp_setup *s)
{
    cgi *a = state;
    a->real[0] =
        mp_conv_init(s->params, mp_param_under(s->params, s->prefix, "gcn_r"), &mp_conv_gcn, s->channels, s->cols);
    a->fake[0] =
        mp_conv_init(s->params, mp_param_under(s->params, s->prefix, "gcn_f"), &mp_conv_gcn, s->channels, s->cols);
    a->d = judge_init(s);
}

static void cgi_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const cgi *a = state;
    mp_mat *real = mp_act_of(c, mp_conv_run(&a->real[0], c, p->g, MP_DENSE(p->x), false), MP_ACT_TANH);
    mp_mat *fake = mp_act_of(c, mp_conv_run(&a->fake[0], c, p->g, MP_DENSE(p->x), false), MP_ACT_TANH);
    p->score = mp_mix(c, 1, real, -1, fake);
    p->loss = contrast(pool, &a->d, c, p->g, p->x, real, fake);
}

static bool cgi_sums_only(const void *state, const mp_config *conf)
{
    const cgi *a = state;
    (void)conf;
    return a->real[0].kind->sums_only && a->fake[0].kind->sums_only;
}

const mp_scorer mp_score_cgi = { .own = &cgi_set,
                                 .name = "real and fake",
                                 .formula = "tanh(GCN_r(X)) - tanh(GCN_f(X))",
                                 .options = "mi-weight mi-nodes:mi-weight!=0",
                                 .size = sizeof(cgi),
                                 .init = cgi_init,
                                 .run = cgi_run,
                                 .sums_only = cgi_sums_only };

static void authors_init(void *state, const mp_setup *s)
{
    static const char *const names[2][2] = { { "real.0", "real.1" }, { "fake.0", "fake.1" } };
    cgi *a = state;
    mp_conv *both[2] = { a->real, a->fake };
    int C = s->channels;
    a->change = mp_conv_init(s->params, mp_param_under(s->params, s->prefix, "transform"), &mp_conv_graph, C, C);
    for (int i = 0; i < 2; i++)
        for (int l = 0; l < 2; l++)
            both[i][l] = mp_conv_init(s->params, mp_param_under(s->params, s->prefix, names[i][l]), &mp_conv_graph, C,
                                      l ? s->cols : C);
    a->d = judge_init(s);
}

static mp_mat *two_layers(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_mat *x)
{
    mp_mat *h = mp_act_of(c, mp_conv_run(&l[0], c, g, MP_DENSE(x), false), MP_ACT_LEAKY);
    return mp_conv_run(&l[1], c, g, MP_DENSE(h), false);
}

static void authors_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const cgi *a = state;
    mp_mat *real = two_layers(a->real, c, p->g, p->x), *fake = two_layers(a->fake, c, p->g, p->x);
    p->x = mp_act_of(c, mp_conv_run(&a->change, c, p->g, MP_DENSE(p->x), false), MP_ACT_LEAKY);
    p->score = mp_mix(c, 1, real, -1, fake);
    mp_mat *against = mp_act_of(c, fake, MP_ACT_TANH);
    p->loss = contrast(pool, &a->d, c, p->g, p->x, mp_act_of(c, real, MP_ACT_TANH), against);
}

const mp_scorer mp_score_cgi_authors = { .name = "real and fake",
                                         .formula = "two GraphConv layers each",
                                         .options = "mi-weight mi-nodes:mi-weight!=0",
                                         .size = sizeof(cgi),
                                         .init = authors_init,
                                         .run = authors_run };
