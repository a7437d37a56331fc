/* layers.c - see layers.h.
 * SPDX-License-Identifier: MIT */
#include "nn/layers.h"
#include "graph/induce.h"

#include <math.h>

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

mp_lin mp_lin_glorot(mp_params *p, const char *prefix, const char *name, int in, int out)
{
    return lin(p, prefix, name, in, out, false, mp_glorot(in, out));
}

mp_lin mp_embed_init(mp_params *p, const char *prefix, const char *name, int in, int out, const mp_tables *tables)
{
    mp_lin l = mp_lin_glorot(p, prefix, name, in, out);
    if (!tables || tables->count < 2) return l;
    mp_param_tables(p, l.w, tables->rows, tables->count);
    return l;
}

mp_input mp_unshared(mp_input x)
{
    return (mp_input){ .dense = x.dense, .sparse = x.sparse };
}

mp_mat *mp_dense_input(mp_ctx *c, mp_input x)
{
    const mp_sparse *s = x.sparse;
    if (x.of) return mp_pick(c, mp_dense_input(c, mp_unshared(x)), x.of, x.nodes);
    if (x.dense) return x.dense;
    if (!s->ptr) return mp_mat_of(c, s->val, s->rows, s->cols);
    mp_real *v = MP_NEW_RAW(mp_elements(c), mp_real, (size_t)s->rows * (size_t)s->cols);
    c->k->fill(v, 0, (size_t)s->rows * (size_t)s->cols);
    c->k->dense_put(v, s->val, s->ptr, s->col, 0, false, s->rows, s->cols);
    return mp_mat_of(c, v, s->rows, s->cols);
}

mp_bnorm mp_bnorm_init(mp_params *p, const char *prefix, const char *name, int width)
{
    const char *full = mp_param_under(p, prefix, name);
    mp_bnorm l;
    l.gamma = mp_param_vector(p, full, "weight", width, MP_INIT_ONE, 0);
    l.beta = mp_param_vector(p, full, "bias", width, MP_INIT_ZERO, 0);
    l.mean = mp_param_buffer(p, full, "running_mean", width, MP_INIT_ZERO);
    l.var = mp_param_buffer(p, full, "running_var", width, MP_INIT_ONE);
    return l;
}

mp_mat *mp_bnorm_run(const mp_bnorm *l, mp_ctx *c, mp_mat *x)
{
    return mp_batch_norm(c, x, mp_use(c, l->gamma), mp_use(c, l->beta), mp_use(c, l->mean), mp_use(c, l->var));
}

mp_mat *mp_lin_by(mp_ctx *c, mp_input x, mp_mat *w, mp_mat *b, bool relu)
{
    if (x.of) return mp_pick(c, mp_lin_by(c, mp_unshared(x), w, b, relu), x.of, x.nodes);
    if (x.sparse && !x.sparse->ptr) x.dense = mp_dense_input(c, x);
    if (x.dense) return mp_linear(c, x.dense, w, b, relu);
    mp_mat *y = mp_linear_sparse(c, x.sparse, w, b);
    return relu ? mp_act_of(c, y, MP_ACT_RELU) : y;
}

mp_mat *mp_lin_run(const mp_lin *l, mp_ctx *c, mp_input x, bool relu)
{
    return mp_lin_by(c, x, mp_use(c, l->w), mp_use(c, l->b), relu);
}

mp_input mp_input_rows(mp_ctx *c, mp_input x, const int *which, int n)
{
    if (x.of) {
        int *of = MP_NEW_RAW(c->arena, int, n);
        for (int i = 0; i < n; i++) of[i] = x.of[which[i]];
        x.of = of;
        x.nodes = n;
        return x;
    }
    if (x.dense) return MP_DENSE(mp_pick(c, x.dense, which, n));
    mp_sparse *rows = MP_NEW(c->arena, mp_sparse, 1);
    *rows = mp_sparse_pick(c->arena, x.sparse, which, n);
    return (mp_input){ .sparse = rows };
}

const mp_graph *mp_looped(mp_ctx *c, const mp_graph *g)
{
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    const int *from;
    mp_site s = mp_site_of(c);
    mp_with_loops(&s, g, out, &from);
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
