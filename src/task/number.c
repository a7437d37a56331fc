/* number.c - numbers to be hit: an output each, loss the distance from the known ones (math.md 2.15).
 *
 * regress learns z = (y - mean) / std of the training graphs and puts answers back: y = mean + std z. Distances that stop and
 * choose are those of z, so columns of different units weigh the same. count learns y itself and rounds.
 * SPDX-License-Identifier: MIT */
#include "task/task.h"

#include <math.h>

static double to_learn(const mp_goal *g, int t, double y)
{
    return g->mean ? (y - g->mean[t]) / g->std[t] : y;
}

static mp_mat *loss(mp_ctx *c, const mp_goal *g, mp_mat *y, const double *want, mp_real scale)
{
    size_t n = (size_t)y->rows * (size_t)g->columns;
    mp_real *z = MP_NEW_RAW(c->arena, mp_real, n);
    for (size_t i = 0; i < n; i++) z[i] = (mp_real)to_learn(g, (int)(i % (size_t)g->columns), want[i]);
    return mp_distance(c, y, z, g->far, (mp_real)g->delta, scale);
}

static double far_by(const mp_goal *g, double d)
{
    double size = fabs(d);
    if (g->far == MP_ERROR_ABSOLUTE) return size;
    if (g->far == MP_ERROR_HUBER) return size <= g->delta ? 0.5 * d * d : g->delta * (size - 0.5 * g->delta);
    return d * d;
}

static double cost(const mp_goal *g, const mp_real *told, const double *want)
{
    double sum = 0;
    for (int t = 0; t < g->columns; t++)
        if (!isnan(want[t])) sum += far_by(g, ((double)told[t] - want[t]) / (g->std ? g->std[t] : 1));
    return sum;
}

static void put_back(const mp_goal *g, const mp_kernels *k, mp_real *told, const mp_real *raw, int rows)
{
    if (!g->mean) {
        mp_tell_raw(g, k, told, raw, rows);
        return;
    }
    for (int i = 0; i < rows * g->columns; i++) {
        int t = i % g->columns;
        told[i] = (mp_real)(g->mean[t] + g->std[t] * (double)raw[i]);
    }
}

static void as_is(const mp_goal *g, const mp_real *told, double *out)
{
    for (int t = 0; t < g->columns; t++) out[t] = (double)told[t];
}

static void rounded(const mp_goal *g, const mp_real *told, double *out)
{
    for (int t = 0; t < g->columns; t++) out[t] = rint((double)told[t]);
}

static bool whole(double y)
{
    return isnan(y) || y == rint(y);
}

static const char *const regress_metrics[] = { "mae", "rmse", "r2", NULL };
static const char *const count_metrics[] = { "count_accuracy", "mae", "rmse", "r2", NULL };

const mp_task mp_task_regress = { .name = "regress",
                                  .help = "any number of numbers a graph, some of which may be missing",
                                  .options = "loss huber-delta:loss=huber standardise",
                                  .standard = true,
                                  .outputs = mp_outputs_of_columns,
                                  .loss = loss,
                                  .cost = cost,
                                  .tell = put_back,
                                  .answer = as_is,
                                  .show = as_is,
                                  .answer_word = "value",
                                  .json_answer = "value",
                                  .metrics = regress_metrics };

const mp_task mp_task_count = { .name = "count",
                                .help = "whole numbers, judged after rounding, as COLORS-3 and TRIANGLES are",
                                .options = "loss huber-delta:loss=huber",
                                .outputs = mp_outputs_of_columns,
                                .fits = whole,
                                .loss = loss,
                                .cost = cost,
                                .tell = put_back,
                                .answer = rounded,
                                .show = as_is,
                                .answer_word = "rounded",
                                .shown_word = "output",
                                .json_answer = "label",
                                .json_shown = "outputs",
                                .metrics = count_metrics };
