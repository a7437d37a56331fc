/* parts.c - the options that the parts of the library declare, for the table of conf/config.c.
 * SPDX-License-Identifier: MIT */
#include "baseline/baseline.h"
#include "nn/conv.h"
#include "pool/pool.h"
#include "task/task.h"

extern const mp_option_set mp_mid_options, mp_pool_options_shared, mp_baseline_options, mp_network_options,
    mp_task_options, mp_training_options, mp_schedule_options, mp_edge_loss_options, mp_aim_options, mp_expand_options,
    mp_ratio_options;

/* What no single part has, each declared where it is looked at. */
static const mp_option_set *const shared[] = { &mp_mid_options,      &mp_pool_options_shared, &mp_baseline_options,
                                               &mp_network_options,  &mp_task_options,        &mp_training_options,
                                               &mp_schedule_options, &mp_edge_loss_options,   &mp_aim_options,
                                               &mp_expand_options,   &mp_ratio_options };
enum { SHARED = sizeof shared / sizeof *shared };

/* Sets of an operator's three parts. */
static const mp_option_set *of_operator(const mp_pool_op *op, int part)
{
    const mp_option_set *const own[] = { op->scorer->own, op->selector->own, op->coarsener->own };
    return own[part];
}

/* The i-th set that is there, counting through operators (and their authors' versions), baselines, tasks and
 * convolutions. */
const mp_option_set *mp_options_at(int i)
{
    if (i < SHARED) return shared[i];
    i -= SHARED;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++)
        for (int part = 0; part < 6; part++) {
            const mp_pool_op *row = part < 3 ? op : op->authors;
            if (row && of_operator(row, part % 3) && i-- == 0) return of_operator(row, part % 3);
        }
    for (const mp_baseline *b = mp_baselines(); b->name; b++)
        if (b->own && i-- == 0) return b->own;
    for (int t = 0; mp_tasks()[t]; t++)
        if (mp_tasks()[t]->own && i-- == 0) return mp_tasks()[t]->own;
    for (int k = 0; mp_conv_kinds()[k]; k++)
        if (mp_conv_kinds()[k]->own && i-- == 0) return mp_conv_kinds()[k]->own;
    return NULL;
}
