/* registry.c - the table of operators. A new operator is a new row.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

#include <string.h>
#include <strings.h>

/* clang-format off */
static const mp_pool_op topk_authors = {
    "topk", "TopKPool", NULL, "Gao & Ji 2019, released code",
    &mp_score_linear, &mp_select_floor, &mp_coarsen_two_hop, MP_ACT_SIGMOID, false,
    "W [c][h], b [h]", "ratio gate dropout", "", NULL
};

static const mp_pool_op ops[] = {
    { "topk", "TopKPool", "TopKPooling", "Gao & Ji 2019, Graph U-Nets",
      &mp_score_proj, &mp_select_ratio, &mp_coarsen_induced, MP_ACT_TANH, false,
      "P [c][h]", "ratio min-score gate adj-power",
      "authors: linear score with bias, sigmoid gate, two-hop adjacency, max(2, floor(ratio n)) nodes",
      &topk_authors },
    { "sag", "SAGPool", "SAGPooling", "Lee, Lee & Kang 2019",
      &mp_score_conv, &mp_select_ratio, &mp_coarsen_induced, MP_ACT_TANH, false,
      "GCN c -> h", "ratio min-score gate score-conv",
      "pyg: GraphConv scores with a sign", NULL },
    { "asap", "ASAP", "ASAPooling", "Ranjan, Sanyal & Talukdar 2020",
      &mp_score_asap, &mp_select_ratio, &mp_coarsen_cluster, MP_ACT_SIGMOID, false,
      "Lin c -> c, att [2c], LEConv c -> h", "ratio gate intra detach-adj att-dropout",
      "pyg: LEConv of PyG 2; authors: LEConv with plus, convolution inside clusters, no gradient through A', unit diagonal", NULL },
    { "gsa", "GSAPool", NULL, "Zhang et al. 2020, Structure-feature based graph self-adaptive pooling",
      &mp_score_gsa, &mp_select_ratio, &mp_coarsen_induced, MP_ACT_NONE, false,
      "GCN c -> h, Linear c -> h, fusion c -> c", "ratio gate score-conv mix alpha fusion",
      "authors: tanh after mixing, GAT fusion", NULL },
    { .name = NULL }
};
/* clang-format on */

const mp_pool_op *mp_pool_ops(void)
{
    return ops;
}

const mp_pool_op *mp_pool_find(const char *name)
{
    for (const mp_pool_op *o = ops; o->name; o++)
        if (strcasecmp(name, o->name) == 0 || strcasecmp(name, o->title) == 0 ||
            (o->alias && strcasecmp(name, o->alias) == 0))
            return o;
    return NULL;
}

const char *mp_pool_nearest(const char *name)
{
    const char *names[64];
    int n = 0;
    for (const mp_pool_op *o = ops; o->name && n < 63; o++) names[n++] = o->name;
    names[n] = NULL;
    return mp_nearest(name, names);
}
