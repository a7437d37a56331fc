/* operator.h - parts of one's own: pooling operators, convolutions, metrics, data formats. For C; docs/library.md shows how.
 *
 *     mp_err mp_pool_add(const mp_pool_op *op);                      an operator: a scorer, a selector, a coarsener
 *     mp_err mp_conv_add(const mp_conv_kind *kind);                  a convolution
 *     mp_err mp_metric_add(const mp_metric *m, const char *task);    a metric of a task
 *     mp_err mp_format_add(const mp_data_format *row);               a format of data sets
 *
 * A part is a row that stays for as long as the program runs. Rows are added before other threads use the library. The
 * headers below are those the library itself is made with; what they declare may change from one version to the next.
 * SPDX-License-Identifier: MIT */
#ifndef MIDPOOL_OPERATOR_H
#define MIDPOOL_OPERATOR_H

#include "midpool.h"
#include "midpool/conv.h"
#include "midpool/format.h"
#include "midpool/guard.h"
#include "midpool/metric.h"
#include "midpool/pool.h"
#include "midpool/query.h"

#endif
