/* operator.h - parts of one's own: pooling operators, convolutions, metrics. For C; docs/adding-an-operator.md shows how.
 *
 *     void mp_pool_add(const mp_pool_op *op);                        an operator: a scorer, a selector, a coarsener
 *     mp_err mp_metric_add(const mp_metric *m, const char *task);    a metric of a task
 *
 * A part is a row that stays for as long as the program runs. Rows are added before other threads use the library. The
 * headers below are those the library itself is made with; what they declare may change from one version to the next.
 * SPDX-License-Identifier: MIT */
#ifndef MIDPOOL_OPERATOR_H
#define MIDPOOL_OPERATOR_H

#include "midpool.h"
#include "midpool/conv.h"
#include "midpool/guard.h"
#include "midpool/metric.h"
#include "midpool/pool.h"

#endif
