/* mem.c - MemPool (Khasahmadi et al. 2020): nodes belong to learned keys by their distance.
 *
 *     C_hvj = 1 / (1 + |x_v - k_hj|^2), normalised over j;  S = softmax_j(sum_h w_h C_h);  X' = (S^T X) W^T
 *     network: Linear, two blocks x + GAT(dropout(LeakyReLU(BatchNorm(x)))), MemPool to 10 keys, LeakyReLU,
 *     dropout, MemPool to one key and the classes                                             (math.md 5.7)
 *
 * Training: steps on the classification loss leave the keys alone; once an epoch a step on the KL loss moves
 * everything.
 * SPDX-License-Identifier: MIT */
#include "baseline/dense.h"

#include <math.h>

typedef struct mem_options {
    double kl_weight;
    int kl_detach;
    double mem_dropout;
} mem_options;
/* clang-format off */
static const mp_opt mem_rows[] = {
    { "kl-weight", MP_OPT_REAL, offsetof(mem_options, kl_weight), "1", 0, 1e6, NULL, "mem: weight of the loss that sharpens assignments" },
    { "kl-detach", MP_OPT_FLAG, offsetof(mem_options, kl_detach), "false", 0, 1, NULL, "mem: the target of that loss is a constant" },
    { "mem-dropout", MP_OPT_REAL, offsetof(mem_options, mem_dropout), "0.1", 0, 0.999, NULL, "mem: dropout in the blocks and between the poolings" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(, mp_mem_set, mem_options, mem_rows);

#define HEADS    5  /* unless --heads says otherwise */
#define CLUSTERS 10 /* unless --clusters says otherwise */
#define MIDDLE   80 /* channels between the two poolings */

mp_mem mp_mem_init(mp_params *p, const char *prefix, int in, int out, int heads, int clusters)
{
    mp_mem l = { .heads = heads };
    l.keys = mp_param_plain(p, prefix, "k", heads * clusters, in, MP_INIT_UNIFORM, 1);
    mp_param_reshape(p, l.keys, 3, heads, clusters, in);
    p->list[l.keys].apart = true;
    l.mix = mp_param_plain(p, mp_param_under(p, prefix, "conv"), "weight", heads, 1, MP_INIT_UNIFORM,
                           1 / sqrt((double)heads));
    mp_param_reshape(p, l.mix, 4, 1, heads, 1);
    l.lin = mp_lin_init(p, prefix, "lin", in, out, false);
    return l;
}

mp_mat *mp_mem_run(const mp_mem *l, mp_ctx *c, mp_mat *x, const int *ptr, int graphs, mp_mat **s)
{
    *s = mp_softmax_rows(c, mp_memory(c, x, mp_use(c, l->keys), mp_use(c, l->mix), l->heads), 1);
    return mp_lin_run(&l->lin, c, MP_DENSE(mp_block_gram(c, *s, x, ptr, graphs)), false);
}

static mp_res_block res_block_init(mp_params *p, const char *prefix, int width)
{
    mp_res_block b = { .conv = mp_conv_init(p, mp_param_under(p, prefix, "conv"), &mp_conv_gat, width, width) };
    b.norm = mp_bnorm_init(p, prefix, "norm", width);
    return b;
}

static mp_mat *leaky(mp_ctx *c, mp_mat *x)
{
    return mp_prelu(c, x, mp_mat_full(c, (mp_real)0.01, 1, 1)); /* PyTorch's default, not GAT's 0.2 */
}

static mp_mat *res_block_run(const mp_res_block *b, mp_ctx *c, const mp_graph *g, mp_mat *x, double dropout)
{
    mp_mat *h = mp_dropout(c, leaky(c, mp_bnorm_run(&b->norm, c, x)), dropout);
    return mp_mix(c, 1, x, 1, mp_conv_run(&b->conv, c, g, MP_DENSE(h), false));
}

void mp_mem_net_init(void *state, const mp_net_setup *s)
{
    mp_mem_net *n = state;
    mp_params *p = s->params;
    int c = s->conf->hidden, heads = s->conf->heads ? s->conf->heads : HEADS;
    n->lin = mp_lin_init(p, "", "lin", s->features, c, true);
    for (int i = 0; i < MP_MEM_BLOCKS; i++)
        n->block[i] = res_block_init(p, mp_param_under(p, "convs", mp_arena_printf(p->arena, "%d", i)), c);
    n->mem[0] = mp_mem_init(p, "mem1", c, MIDDLE, heads, s->conf->clusters ? s->conf->clusters : CLUSTERS);
    n->mem[1] = mp_mem_init(p, "mem2", MIDDLE, s->outputs, heads, 1);
    n->dropout = MP_OWN(s->conf, mp_mem_set, mem_options)->mem_dropout;
    n->weight = MP_OWN(s->conf, mp_mem_set, mem_options)->kl_weight;
    n->detach = MP_OWN(s->conf, mp_mem_set, mem_options)->kl_detach;
}

mp_mat *mp_mem_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input in, mp_mat **aux)
{
    const mp_mem_net *n = state;
    int B = g->graphs;
    mp_mat *x = mp_lin_run(&n->lin, c, in, false), *s1, *s2;
    for (int i = 0; i < MP_MEM_BLOCKS; i++) x = res_block_run(&n->block[i], c, g, x, n->dropout);
    x = leaky(c, mp_mem_run(&n->mem[0], c, x, g->node_ptr, B, &s1));
    x = mp_dropout(c, x, n->dropout);
    const int *ptr = mp_even_ptr(c, B, s1->cols);
    x = mp_mem_run(&n->mem[1], c, x, ptr, B, &s2);
    mp_real w = (mp_real)n->weight;
    mp_mat *second = mp_kl_loss(c, s2, ptr, B, n->detach);
    *aux = mp_mix(c, w, mp_kl_loss(c, s1, g->node_ptr, B, n->detach), w, second);
    return x;
}
