/* metric_number.c - metrics of numbers, d = told output - label, not rounded (protocol.md 4).
 *
 *     mae   mean |d|        mse   mean d^2        rmse   sqrt(mean d^2)        r2   1 - sum d^2 / sum (label - mean label)^2
 *
 * r2 is not defined where labels do not vary.
 * SPDX-License-Identifier: MIT */
#include "task/metric.h"

#include <math.h>

static double mae(const mp_column *c)
{
    double sum = 0;
    for (int i = 0; i < c->n; i++) sum += fabs(c->score[i] - c->want[i]);
    return sum / c->n;
}

static double squares(const mp_column *c)
{
    double sum = 0;
    for (int i = 0; i < c->n; i++) sum += (c->score[i] - c->want[i]) * (c->score[i] - c->want[i]);
    return sum;
}

static double mse(const mp_column *c)
{
    return squares(c) / c->n;
}

static double rmse(const mp_column *c)
{
    return sqrt(mse(c));
}

static double r2(const mp_column *c)
{
    double mean = 0, spread = 0;
    for (int i = 0; i < c->n; i++) mean += c->want[i] / c->n;
    for (int i = 0; i < c->n; i++) spread += (c->want[i] - mean) * (c->want[i] - mean);
    return spread > 0 ? 1 - squares(c) / spread : (double)NAN;
}

const mp_metric mp_metrics_numbers[] = {
    { "mae", "mean absolute error", false, false, true, mae },
    { "rmse", "root mean squared error", false, false, false, rmse },
    { "r2", "R2", true, false, false, r2 },
    { "mse", "mean squared error", false, false, true, mse },
    { 0 },
};
