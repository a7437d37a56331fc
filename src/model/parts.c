/* parts.c - the options that the parts of the library declare, for the table of conf/config.c.
 * SPDX-License-Identifier: MIT */
#include "baseline/baseline.h"
#include "pool/pool.h"
#include "task/task.h"

/* Sets of an operator's three parts. */
static const mp_option_set *of_operator(const mp_pool_op *op, int part)
{
    const mp_option_set *const own[] = { op->scorer->own, op->selector->own, op->coarsener->own };
    return own[part];
}

/* The i-th set that is there, counting through operators (and their authors' versions), baselines and tasks. */
const mp_option_set *mp_options_at(int i)
{
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++)
        for (int part = 0; part < 6; part++) {
            const mp_pool_op *row = part < 3 ? op : op->authors;
            if (row && of_operator(row, part % 3) && i-- == 0) return of_operator(row, part % 3);
        }
    for (const mp_baseline *b = mp_baselines(); b->name; b++)
        if (b->own && i-- == 0) return b->own;
    for (int t = 0; mp_tasks()[t]; t++)
        if (mp_tasks()[t]->own && i-- == 0) return mp_tasks()[t]->own;
    return NULL;
}
