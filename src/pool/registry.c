/* registry.c - the table of operators. A new operator is a new row.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"
#include "base/text.h"

#include <string.h>

/* clang-format off */
static const mp_pool_op topk_authors = {
    .name = "topk", .title = "TopKPool", .paper = "Gao & Ji 2019, released code",
    .scorer = &mp_score_linear, .selector = &mp_select_floor, .coarsener = &mp_coarsen_two_hop, .gate = MP_ACT_SIGMOID,
};
static const mp_pool_op cgi_authors = {
    .name = "cgi", .title = "CGIPool", .paper = "Pang et al. 2021, released code", .loss_weight = 0.001,
    .scorer = &mp_score_cgi_authors, .selector = &mp_select_ratio, .coarsener = &mp_coarsen_induced, .gate = MP_ACT_TANH,
};

/* The networks of the MID paper's base rows (docs/operators.md) and the settings of authors. */
static const mp_method_preset topk_presets[] = {
    { MP_PRESET_PAPER, NULL, "conv=graphconv", false }, /* PyG's example */
    { 0 }
};
static const mp_method_preset sag_presets[] = {
    { MP_PRESET_PAPER, NULL, "", false },
    { 0 }
};
static const mp_method_preset asap_presets[] = {
    { MP_PRESET_PAPER, NULL, "", false },
    { MP_PRESET_AUTHORS, NULL,
      "variant=authors hidden=64 lr=0.01 weight-decay=0.0005 epochs=100 att-dropout=0.1", false },
    { 0 }
};
static const mp_method_preset hgpsl_presets[] = {
    { MP_PRESET_AUTHORS, NULL,
      "lap-norm=sym ratio=0.8 lr=0.001 weight-decay=0.001 batch-size=512 dropout=0 patience=100", false },
    { MP_PRESET_AUTHORS, "PROTEINS", "ratio=0.5", false },
    { 0 }
};
static const mp_method_preset gsa_presets[] = {
    { MP_PRESET_PAPER, NULL, "", false },
    { 0 }
};
static const mp_method_preset cgi_presets[] = {
    { MP_PRESET_AUTHORS, NULL, "variant=authors conv=sage ratio=0.8 lr=0.001 weight-decay=0.001 patience=100", false },
    { 0 }
};

static const mp_pool_op ops[] = {
    { .name = "topk", .title = "TopKPool", .alias = "TopKPooling", .paper = "Gao & Ji 2019",
      .scorer = &mp_score_proj, .selector = &mp_select_ratio, .coarsener = &mp_coarsen_induced, .gate = MP_ACT_TANH,
      .threshold = true,
      .presets = topk_presets,
      .learnable = "P [c][h]",
      .variants = "authors: linear score with bias, sigmoid gate, two-hop adjacency, max(2, floor(ratio n)) nodes",
      .authors = &topk_authors },
    { .name = "sag", .title = "SAGPool", .alias = "SAGPooling", .paper = "Lee, Lee & Kang 2019",
      .scorer = &mp_score_conv, .selector = &mp_select_ratio, .coarsener = &mp_coarsen_induced, .gate = MP_ACT_TANH,
      .threshold = true,
      .presets = sag_presets,
      .learnable = "GCN c -> h",
      .variants = "pyg: GraphConv scores with a sign (min-score: with a factor)" },
    { .name = "att", .title = "AttPool", .paper = "Huang et al. 2019",
      .scorer = &mp_score_att, .selector = &mp_select_ratio, .coarsener = &mp_coarsen_att, .gate = MP_ACT_NONE,
      .rank_activated = true,
      .learnable = "w [c][h]; local: tau", .variants = "" },
    { .name = "asap", .title = "ASAP", .alias = "ASAPooling", .paper = "Ranjan, Sanyal & Talukdar 2020",
      .scorer = &mp_score_asap, .selector = &mp_select_ratio, .coarsener = &mp_coarsen_cluster, .gate = MP_ACT_SIGMOID,
      .presets = asap_presets,
      .learnable = "Linear c -> c, att [2c], LEConv c -> h",
      .variants = "pyg: LEConv of PyG 2; authors: LEConv with plus, convolution inside clusters, no gradient through A', "
                  "unit diagonal" },
    { .name = "hgpsl", .title = "HGP-SL", .paper = "Zhang et al. 2019",
      .scorer = &mp_score_l1, .selector = &mp_select_ratio, .coarsener = &mp_coarsen_learned, .gate = MP_ACT_NONE,
      .rank_activated = true, .ungated = true,
      .presets = hgpsl_presets,
      .learnable = "a [2c]", .variants = "" },
    { .name = "vip", .title = "VIPool", .paper = "Li et al. 2020, Graph cross networks",
      .scorer = &mp_score_vip, .selector = &mp_select_ratio, .coarsener = &mp_coarsen_vip, .gate = MP_ACT_SIGMOID,
      .loss_weight = 1, .loss_over = MP_OVER_NODES,
      .learnable = "MLP c -> c, W^q [c][c], Q [h][c][c], b [h]",
      .variants = "" },
    { .name = "rep", .title = "RepPool", .paper = "Li et al. 2020, Graph pooling with representativeness",
      .scorer = &mp_score_rep, .selector = &mp_select_far, .coarsener = &mp_coarsen_rep, .gate = MP_ACT_NONE,
      .rank_activated = true,
      .learnable = "P [c][h], W_b [c][c]", .variants = "" },
    { .name = "ug", .title = "UGPool", .paper = "Qin et al. 2020",
      .scorer = &mp_score_proj, .selector = &mp_select_spaced, .coarsener = &mp_coarsen_square, .gate = MP_ACT_TANH,
      .learnable = "P [c][h]", .variants = "" },
    { .name = "gsa", .title = "GSAPool", .paper = "Zhang et al. 2020",
      .scorer = &mp_score_gsa, .selector = &mp_select_ratio, .coarsener = &mp_coarsen_induced, .gate = MP_ACT_NONE,
      .presets = gsa_presets,
      .learnable = "GCN c -> h, Linear c -> h, fusion c -> c",
      .variants = "authors: tanh after mixing, GAT fusion" },
    { .name = "cgi", .title = "CGIPool", .paper = "Pang, Zhao & Li 2021",
      .scorer = &mp_score_cgi, .selector = &mp_select_ratio, .coarsener = &mp_coarsen_induced, .gate = MP_ACT_TANH,
      .loss_weight = 0.001,
      .presets = cgi_presets,
      .learnable = "GCN_r, GCN_f c -> h, discriminator",
      .variants = "authors: two GraphConv layers a score, no inner tanh, transformed features", .authors = &cgi_authors },
    { .name = "tap", .title = "TAPool", .paper = "Gao, Liu & Ji 2021",
      .scorer = &mp_score_vote, .selector = &mp_select_ratio, .coarsener = &mp_coarsen_induced, .gate = MP_ACT_NONE,
      .rank_activated = true,
      .learnable = "P [c][h]", .variants = "" },
    { .name = "ipool", .title = "iPool", .paper = "Gao et al. 2021, iPool",
      .scorer = &mp_score_l2, .selector = &mp_select_local, .coarsener = &mp_coarsen_overlap, .gate = MP_ACT_NONE,
      .rank_activated = true, .ungated = true,
      .learnable = "none", .variants = "" },
    { .name = NULL }
};
/* clang-format on */

const mp_pool_op *mp_pool_ops(void)
{
    return ops;
}

#define MAX_ADDED 16
static const mp_pool_op *added[MAX_ADDED]; /* written before threads start, read by all */
static int added_count;

mp_err mp_pool_add(const mp_pool_op *op)
{
    if (!op || !op->name || strlen(op->name) > 60 || !op->scorer || !op->selector || !op->coarsener)
        return mp_fail(MP_ERR_USAGE,
                       "an operator needs a name of at most 60 characters, a scorer, a selector and a coarsener");
    if (mp_pool_find(op->name)) return mp_fail(MP_ERR_USAGE, "there is an operator '%s' already", op->name);
    if (added_count == MAX_ADDED) return mp_fail(MP_ERR_LIMIT, "no more than %d operators can be added", MAX_ADDED);
    MP_TRY(mp_options_add(op->scorer->own));
    MP_TRY(mp_options_add(op->selector->own));
    MP_TRY(mp_options_add(op->coarsener->own));
    added[added_count++] = op;
    return MP_OK;
}

const mp_pool_op *mp_pool_at(int i)
{
    const mp_pool_op *o = ops;
    for (; i > 0 && o->name; i--) o++;
    if (o->name) return o;
    return i < added_count ? added[i] : NULL;
}

static bool is_called(const mp_pool_op *o, const char *name)
{
    return mp_same_letters(name, o->name) || (o->title && mp_same_letters(name, o->title)) ||
           (o->alias && mp_same_letters(name, o->alias));
}

const mp_pool_op *mp_pool_find(const char *name)
{
    for (const mp_pool_op *o = ops; o->name; o++)
        if (is_called(o, name)) return o;
    for (int i = 0; i < added_count; i++)
        if (is_called(added[i], name)) return added[i];
    return NULL;
}
