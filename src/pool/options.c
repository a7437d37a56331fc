/* options.c - which options a node-drop operator looks at: MID's, the gate's, and those of its three parts.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

/* What several operators share: fields of mp_config itself. */
/* clang-format off */
#define AT(field) offsetof(mp_config, field)
static const mp_opt pool_rows[] = {
    { "variant", MP_OPT_CHOICE, AT(variant), "paper", 0, 0, "paper|pyg|authors", "whose version where sources disagree" },
    { "ratio", MP_OPT_REAL, AT(ratio), "0.5", 1e-6, 1, NULL, "share of nodes kept by each pooling, ceil(ratio n)", MP_COMMON },
    { "min-score", MP_OPT_REAL, AT(min_score), "0", 0, 1, NULL, "topk, sag: keep softmax scores above this (mean of the columns) instead of a ratio; 0 = off" },
    { "gate", MP_OPT_CHOICE, AT(gate), "auto", 0, 0, "auto|tanh|sigmoid|identity", "function of the score that scales kept rows" },
    { "adj-power", MP_OPT_INT, AT(adj_power), "1", 1, 2, NULL, "where edges are induced: 2 connects kept nodes two hops apart" },
    { "score-conv", MP_OPT_CHOICE, AT(score_conv), "auto", 0, 0, "auto|gcn|graphconv|sage|gat|cheb|gin|leconv|leconv-pyg|leconv-authors|graphconv-mean|gcn-raw|gcn-noloop|chebygin", "sag, gsa: convolution that scores" },
    { "scale-n", MP_OPT_FLAG, AT(scale_n), "false", 0, 1, NULL, "att, tap: scores times the number of nodes" },
    { "lambda", MP_OPT_REAL, AT(lambda), "-1", -1, 1e6, NULL, "hgpsl 1, rep 0.1, tap 0.1, ipool 0.5; negative = that default" },
    { "hops", MP_OPT_INT, AT(hops), "0", 0, 16, NULL, "vip 1, ipool 1, hgpsl 3; 0 = that default" },
    { "mi-weight", MP_OPT_REAL, AT(mi_weight), "-1", -1, 1e6, NULL, "vip 1, cgi 0.001: weight of the auxiliary loss; negative = that default" },
    { "score-from", MP_OPT_CHOICE, AT(score_from), "current", 0, 0, "current|input|previous", "topk, sag, ug: scores read the features at hand, those of the input, or those before the last convolution" },
    { "multiplier", MP_OPT_REAL, AT(multiplier), "1", 1e-6, 1e6, NULL, "kept rows are scaled by their gates times this" },
    { 0 }
};
#undef AT
/* clang-format on */
const mp_option_set mp_pool_options_shared = { pool_rows, 0, NULL, "pooling" };

static const char every[] = "score-dim flip drop drop-mode:drop!=0 dropped:drop!=0 combine:score-dim!=1 "
                            "combine:flip=false gate:min-score=0 edge-loss edge-loss-in:edge-loss!=0";
/* Rows without a function f have none to rank by; rows that are not scaled do not grow either. */
static const char gated[] = "width expand-relu:width=mlp multiplier rank:gate!=identity&min-score=0";
static const char plain[] = "width expand-relu:width=mlp multiplier rank:gate=tanh rank:gate=sigmoid";
static const char bare[] = "multiplier:gate!=auto expand-relu:width=mlp&gate!=auto width:gate!=auto width:score-dim!=1 "
                           "rank:gate=tanh rank:gate=sigmoid";

/* Where scores can be shares of their graph. */
static const char shares[] = "min-score attention-loss attention-target:attention-loss!=0";

const mp_pool_op *mp_pool_row(const mp_pool_op *op, const mp_config *c)
{
    return c->variant == MP_VARIANT_AUTHORS && op->authors ? op->authors : op;
}

int mp_pool_options(const mp_pool_op *op, const mp_config *c, mp_use_list out[MP_POOL_LISTS])
{
    const mp_pool_op *row = mp_pool_row(op, c);
    out[0] = (mp_use_list){ .words = every };
    out[1] = (mp_use_list){ .words = row->ungated ? bare : row->gate == MP_ACT_NONE ? plain : gated };
    out[2] = (mp_use_list){ .words = op->authors ? "variant" : NULL };
    out[3] = (mp_use_list){ .words = op->threshold ? shares : NULL };
    out[4] = (mp_use_list){ row->scorer->options, NULL, row->scorer->own };
    out[5] = (mp_use_list){ row->selector->options, NULL, row->selector->own };
    out[6] =
        (mp_use_list){ row->coarsener->options, row->coarsener->kept_rows ? "layers!=1" : NULL, row->coarsener->own };
    return MP_POOL_LISTS;
}
