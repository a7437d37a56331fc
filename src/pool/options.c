/* options.c - which options a node-drop operator looks at: MID's, the gate's, and those of its three parts.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

static const char every[] = "score-dim flip drop drop-mode:drop!=0 dropped:drop!=0 combine:score-dim!=1 "
                            "combine:flip=false gate:min-score=0";
/* Rows without a function f have none to rank by; rows that are not scaled do not grow either. */
static const char gated[] = "width rank:gate!=identity&min-score=0";
static const char plain[] = "width rank:gate=tanh rank:gate=sigmoid";
static const char bare[] = "width:gate!=auto width:score-dim!=1 rank:gate=tanh rank:gate=sigmoid";

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
    out[3] = (mp_use_list){ .words = op->threshold ? "min-score" : NULL };
    out[4] = (mp_use_list){ row->scorer->options, NULL, row->scorer->own };
    out[5] = (mp_use_list){ row->selector->options, NULL, row->selector->own };
    out[6] =
        (mp_use_list){ row->coarsener->options, row->coarsener->kept_rows ? "layers!=1" : NULL, row->coarsener->own };
    return MP_POOL_LISTS;
}
