/* conv_gat.c - attention over the closed neighbourhood, head by head (Velickovic et al. 2018; math.md 2.6).
 *     Z = X W,   alpha_ij = softmax over the edges that enter i of leaky(<a_dst, z_i> + <a_src, z_j>)
 *     Y_i = sum_j alpha_ij z_j + b, on A+I without weights
 * lin.weight, att_src, att_dst, bias; Glorot.
 * SPDX-License-Identifier: MIT */
#include "nn/conv.h"

typedef struct gat {
    mp_lin lin;
    int bias, att_src, att_dst, heads;
} gat;

static int attention_init(const mp_conv_setup *s, const char *name, int heads)
{
    int width = s->out / heads;
    int id = mp_param_plain(s->params, s->prefix, name, s->out, 1, MP_INIT_UNIFORM, mp_glorot(heads, width));
    mp_param_reshape(s->params, id, 3, 1, heads, width);
    return id;
}

static void gat_init(void *state, const mp_conv_setup *s)
{
    gat *a = state;
    a->heads = s->heads ? s->heads : 1;
    mp_assert(a->heads >= 1 && a->heads <= MP_HEADS_MOST && s->out % a->heads == 0);
    a->lin = mp_lin_glorot(s->params, s->prefix, "lin", s->in, s->out);
    a->att_src = attention_init(s, "att_src", a->heads);
    a->att_dst = attention_init(s, "att_dst", a->heads);
    a->bias = mp_param_vector(s->params, s->prefix, "bias", s->out, MP_INIT_ZERO, 0);
}

static mp_mat *gat_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu)
{
    const gat *a = state;
    const mp_graph *looped = mp_looped(c, mp_weighted(c, g, NULL));
    mp_mat *z = mp_lin_run(&a->lin, c, x, false), *bias = mp_use(c, a->bias), *head[MP_HEADS_MOST];
    mp_mat *att_dst = mp_use(c, a->att_dst), *att_src = mp_use(c, a->att_src);
    int width = z->cols / a->heads;
    for (int h = 0; h < a->heads; h++) {
        bool all = a->heads == 1;
        int from = h * width, to = from + width;
        mp_mat *part = all ? z : mp_cols(c, z, from, to);
        mp_mat *dst = mp_linear(c, part, all ? att_dst : mp_rows(c, att_dst, from, to), NULL, false);
        mp_mat *src = mp_linear(c, part, all ? att_src : mp_rows(c, att_src, from, to), NULL, false);
        const mp_graph *on = mp_weighted(c, looped, mp_attention(c, looped, dst, src));
        head[h] = mp_agg(c, on, MP_AGG_SUM, part, all ? bias : mp_cols(c, bias, from, to), relu);
    }
    return a->heads == 1 ? head[0] : mp_cat(c, head, a->heads);
}

const mp_conv_kind mp_conv_gat = { .name = "gat",
                                   .formula = "softmax(leaky(a_dst z_i + a_src z_j)) Z + b, Z = X W",
                                   .size = sizeof(gat),
                                   .init = gat_init,
                                   .run = gat_run,
                                   .reads_once = true,
                                   .unseen = true };
