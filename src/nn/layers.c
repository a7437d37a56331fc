/* layers.c - convolutions as a table of runs. math.md 2.1 to 2.7 says what each computes.
 * SPDX-License-Identifier: MIT */
#include "nn/layers.h"
#include "graph/induce.h"

#include <math.h>

double mp_glorot(int a, int b)
{
    return sqrt(6.0 / ((double)a + (double)b));
}

double mp_fan_in(int in)
{
    return 1 / sqrt((double)in);
}

static mp_lin lin(mp_params *p, const char *prefix, const char *name, int in, int out, bool bias, double bound)
{
    const char *full = mp_param_under(p, prefix, name);
    mp_lin l = { mp_param_linear(p, full, "weight", out, in, bound), -1 };
    if (bias) l.b = mp_param_vector(p, full, "bias", out, MP_INIT_UNIFORM, bound);
    return l;
}

mp_lin mp_lin_init(mp_params *p, const char *prefix, const char *name, int in, int out, bool bias)
{
    return lin(p, prefix, name, in, out, bias, mp_fan_in(in));
}

mp_mat *mp_lin_run(const mp_lin *l, mp_ctx *c, mp_input x, bool relu)
{
    if (x.sparse && !x.sparse->ptr) x.dense = mp_mat_of(c, x.sparse->val, x.sparse->rows, x.sparse->cols);
    if (x.dense) return mp_linear(c, x.dense, mp_use(c, l->w), mp_use(c, l->b), relu);
    mp_mat *y = mp_linear_sparse(c, x.sparse, mp_use(c, l->w), mp_use(c, l->b));
    return relu ? mp_act_of(c, y, MP_ACT_RELU) : y;
}

const mp_graph *mp_looped(mp_ctx *c, const mp_graph *g)
{
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    const int *from;
    mp_with_loops(c->arena, g, out, &from);
    mp_mark(c->profile, "self loops");
    out->w = mp_edge_take(c, g->w, from, out->edges);
    return out;
}

const mp_graph *mp_weighted(mp_ctx *c, const mp_graph *g, mp_mat *w)
{
    if (g->w == w) return g;
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    *out = *g;
    out->w = w;
    out->norm = MP_NEW(c->arena, mp_norm, 1);
    return out;
}

mp_mat *mp_attention(mp_ctx *c, const mp_graph *looped, mp_mat *dst, mp_mat *src)
{
    mp_mat *u = mp_act_of(c, mp_edge_pair(c, looped, dst, src), MP_ACT_LEAKY);
    return mp_softmax(c, u, looped->row_ptr, looped->nodes);
}

/* The product is needed again only for the gradient of edge weights. */
static mp_mat *sum_of_product(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_agg_kind kind, mp_input x, bool relu)
{
    mp_mat *z = mp_lin_run(&l->a, c, x, false);
    if (!g->w || !g->w->g) mp_mat_spent(c, z);
    return mp_agg(c, g, kind, z, mp_use(c, l->bias), relu);
}

static mp_mat *run_gcn(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return sum_of_product(l, c, g, MP_AGG_GCN, x, relu);
}

static mp_mat *run_plain(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return sum_of_product(l, c, g, MP_AGG_SUM, x, relu);
}

/* W_rel agg(x) + b + W_root x, for GraphConv and SAGE. */
static mp_mat *run_two(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    mp_agg_kind kind = l->kind == MP_GRAPHCONV ? MP_AGG_SUM : MP_AGG_MEAN;
    const mp_graph *on = l->kind == MP_SAGE ? mp_weighted(c, g, NULL) : g;
    mp_lin rel = { l->a.w, -1 };
    mp_mat *y = mp_agg(c, on, kind, mp_lin_run(&rel, c, x, false), mp_use(c, l->a.b), false);
    y = mp_mix(c, 1, y, 1, mp_lin_run(&l->b, c, x, false));
    return relu ? mp_act_of(c, y, MP_ACT_RELU) : y;
}

/* MLP(x + sum of neighbours): the first linear map goes before the sum. */
static mp_mat *run_gin(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    const mp_graph *plain = mp_weighted(c, g, NULL);
    mp_lin first = { l->a.w, -1 };
    mp_mat *z = mp_lin_run(&first, c, x, false);
    mp_mat *y = mp_mix(c, 1, z, 1, mp_agg(c, plain, MP_AGG_SUM, z, mp_use(c, l->a.b), false));
    return mp_lin_run(&l->b, c, MP_DENSE(mp_act_of(c, y, MP_ACT_RELU)), relu);
}

/* X W_0 + (L - I) X W_1 + b, L - I = -D^-1/2 A D^-1/2. */
static mp_mat *run_cheb(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    mp_lin first = { l->a.w, l->bias };
    mp_mat *y = mp_mix(c, 1, mp_lin_run(&first, c, x, false), -1,
                       mp_agg(c, g, MP_AGG_SYM, mp_lin_run(&l->b, c, x, false), NULL, false));
    return relu ? mp_act_of(c, y, MP_ACT_RELU) : y;
}

/* Attention over the closed neighbourhood, head by head (math.md 2.6). */
static mp_mat *run_gat(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    const mp_graph *looped = mp_looped(c, mp_weighted(c, g, NULL));
    mp_mat *z = mp_lin_run(&l->a, c, x, false), *bias = mp_use(c, l->bias), *head[MP_HEADS_MOST];
    mp_mat *att_dst = mp_use(c, l->att_dst), *att_src = mp_use(c, l->att_src);
    int width = z->cols / l->heads;
    for (int h = 0; h < l->heads; h++) {
        bool all = l->heads == 1;
        int from = h * width, to = from + width;
        mp_mat *part = all ? z : mp_cols(c, z, from, to);
        mp_mat *dst = mp_linear(c, part, all ? att_dst : mp_rows(c, att_dst, from, to), NULL, false);
        mp_mat *src = mp_linear(c, part, all ? att_src : mp_rows(c, att_src, from, to), NULL, false);
        const mp_graph *on = mp_weighted(c, looped, mp_attention(c, looped, dst, src));
        head[h] = mp_agg(c, on, MP_AGG_SUM, part, all ? bias : mp_cols(c, bias, from, to), relu);
    }
    return l->heads == 1 ? head[0] : mp_cat(c, head, l->heads);
}

typedef mp_mat *conv_run(const mp_conv *, mp_ctx *, const mp_graph *, mp_input, bool);

/* clang-format off */
static const struct {
    const char *a, *b;        /* names of the linear maps, NULL: none                    */
    bool a_bias, b_bias;
    bool glorot;              /* Glorot initial weights and a zero bias; else PyTorch's Linear */
    bool bias;                /* a bias of its own, called "bias"                        */
    bool attends;
    conv_run *run;
} convs[] = {
    [MP_GCN]            = { "lin",     NULL,       false, false, true,  true,  false, run_gcn },
    [MP_GRAPHCONV]      = { "lin_rel", "lin_root", true,  false, false, false, false, run_two },
    [MP_GRAPHCONV_MEAN] = { "lin_rel", "lin_root", true,  false, false, false, false, run_two },
    [MP_GIN]            = { "nn.0",    "nn.2",     true,  true,  false, false, false, run_gin },
    [MP_SAGE]           = { "lin_l",   "lin_r",    true,  false, false, false, false, run_two },
    [MP_GAT]            = { "lin",     NULL,       false, false, true,  true,  true,  run_gat },
    [MP_CHEB]           = { "lins.0",  "lins.1",   false, false, true,  true,  false, run_cheb },
    [MP_GCN_RAW]        = { "lin",     NULL,       false, false, true,  false, false, run_plain },
    [MP_GCN_NOLOOP]     = { "lin",     NULL,       false, false, true,  true,  false, run_plain },
};
/* clang-format on */

static mp_conv conv_init(mp_params *p, const char *prefix, mp_conv_kind kind, int in, int out, int heads)
{
    mp_conv l = { kind, { -1, -1 }, { -1, -1 }, -1, -1, -1, heads };
    int in_b = kind == MP_GIN ? out : in;
    double bound = convs[kind].glorot ? mp_glorot(in, out) : mp_fan_in(in);
    double bound_b = convs[kind].glorot ? bound : mp_fan_in(in_b);
    l.a = lin(p, prefix, convs[kind].a, in, out, convs[kind].a_bias, bound);
    if (convs[kind].b) l.b = lin(p, prefix, convs[kind].b, in_b, out, convs[kind].b_bias, bound_b);
    if (convs[kind].attends) {
        double reach = mp_glorot(heads, out / heads);
        l.att_src = mp_param_plain(p, prefix, "att_src", out, 1, MP_INIT_UNIFORM, reach);
        l.att_dst = mp_param_plain(p, prefix, "att_dst", out, 1, MP_INIT_UNIFORM, reach);
        mp_param_reshape(p, l.att_src, 3, 1, heads, out / heads);
        mp_param_reshape(p, l.att_dst, 3, 1, heads, out / heads);
    }
    if (convs[kind].bias) l.bias = mp_param_vector(p, prefix, "bias", out, MP_INIT_ZERO, 0);
    return l;
}

mp_conv mp_conv_init(mp_params *p, const char *prefix, mp_conv_kind kind, int in, int out)
{
    return conv_init(p, prefix, kind, in, out, 1);
}

mp_conv mp_gat_init(mp_params *p, const char *prefix, int in, int width, int heads)
{
    mp_assert(heads >= 1 && heads <= MP_HEADS_MOST);
    return conv_init(p, prefix, MP_GAT, in, width * heads, heads);
}

bool mp_conv_reads_once(const mp_conv *l)
{
    return !convs[l->kind].b || l->kind == MP_GIN; /* GIN's second map reads what the first one made */
}

mp_mat *mp_conv_run(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    return convs[l->kind].run(l, c, g, x, relu);
}

mp_le mp_le_init(mp_params *p, const char *prefix, int in, int out, mp_le_form form)
{
    mp_le l = { mp_lin_init(p, prefix, "lin1", in, out, true), mp_lin_init(p, prefix, "lin2", in, out, false),
                mp_lin_init(p, prefix, "lin3", in, out, true), form };
    return l;
}

/* The part over the edges; who is the root and who the neighbour, and the sign, depend on whose code it is. */
mp_mat *mp_le_run(const mp_le *l, mp_ctx *c, const mp_graph *g, mp_mat *x)
{
    mp_mat *one = mp_lin_run(&l->lin1, c, MP_DENSE(x), false), *two = mp_lin_run(&l->lin2, c, MP_DENSE(x), false);
    mp_mat *sum = NULL;
    switch (l->form) {
    case MP_LE_PYG_1:
        sum = mp_edge_mix(c, g, one, 1, two, -1);
        break;
    case MP_LE_PYG_2:
        sum = mp_edge_mix(c, g, two, -1, one, 1);
        break;
    case MP_LE_AUTHORS:
        sum = mp_edge_mix(c, g, one, 1, two, 1);
        break;
    }
    return mp_mix(c, 1, mp_lin_run(&l->lin3, c, MP_DENSE(x), false), 1, sum);
}
