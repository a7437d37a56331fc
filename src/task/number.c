/* number.c - numbers to be hit: an output each, loss the distance from the known ones (math.md 2.15).
 *
 * regress learns z = (y - mean) / std of the training graphs and puts answers back: y = mean + std z. Distances that stop and
 * choose are those of z, so columns of different units weigh the same. count learns y itself and
 * rounds; node-numbers learns the y of every node.
 * SPDX-License-Identifier: MIT */
#include "task/task.h"

#include <math.h>

typedef struct number_options {
    int loss;
    double huber_delta;
    int standardise;
} number_options;
/* clang-format off */
static const mp_opt number_rows[] = {
    { "loss", MP_OPT_CHOICE, offsetof(number_options, loss), "squared", 0, 0, "squared|absolute|huber", "regress, count: how an error counts" },
    { "huber-delta", MP_OPT_REAL, offsetof(number_options, huber_delta), "1", 1e-9, 1e9, NULL, "huber: errors beyond this count by their size, not its square" },
    { "standardise", MP_OPT_FLAG, offsetof(number_options, standardise), "true", 0, 1, NULL, "regress: learn numbers of mean 0 and deviation 1 over the training graphs" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET_IN(static, number_set, number_options, number_rows, "task");

static void aim(const mp_config *c, mp_goal *g)
{
    static const mp_error_kind kinds[] = { MP_ERROR_SQUARED, MP_ERROR_ABSOLUTE, MP_ERROR_HUBER };
    const number_options *o = MP_OWN(c, number_set, number_options);
    g->far = kinds[o->loss];
    g->delta = o->huber_delta;
}

static bool standard(const mp_config *c)
{
    return MP_OWN(c, number_set, number_options)->standardise;
}

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

static void as_told(const mp_goal *g, const double *shown, mp_real *told)
{
    for (int t = 0; t < g->columns; t++) told[t] = (mp_real)shown[t];
}

static bool whole(double y)
{
    return isnan(y) || y == rint(y);
}

static const char *const regress_metrics[] = { "mae", "rmse", "r2", NULL };
static const char *const count_metrics[] = { "count_accuracy", "mae", "rmse", "r2", NULL };
static const char *const node_metrics[] = { "mse", "mae", "rmse", "r2", NULL };

const mp_task mp_task_regress = { .name = "regress",
                                  .help = "any number of numbers a graph, some of which may be missing",
                                  .one = "number to regress",
                                  .many = "numbers to regress",
                                  .options = "loss huber-delta:loss=huber standardise",
                                  .own = &number_set,
                                  .aim = aim,
                                  .standard = standard,
                                  .outputs = mp_outputs_of_columns,
                                  .loss = loss,
                                  .cost = cost,
                                  .tell = put_back,
                                  .answer = as_is,
                                  .show = as_is,
                                  .unshow = as_told,
                                  .answer_word = "value",
                                  .json_answer = "value",
                                  .metrics = regress_metrics };

const mp_task mp_task_count = { .name = "count",
                                .help = "whole numbers, judged after rounding, as COLORS-3 and TRIANGLES are",
                                .one = "number to count",
                                .many = "numbers to count",
                                .options = "loss huber-delta:loss=huber",
                                .aim = aim,
                                .outputs = mp_outputs_of_columns,
                                .fits = whole,
                                .loss = loss,
                                .cost = cost,
                                .tell = put_back,
                                .answer = rounded,
                                .show = as_is,
                                .unshow = as_told,
                                .answer_word = "rounded",
                                .shown_word = "output",
                                .json_answer = "label",
                                .json_shown = "outputs",
                                .metrics = count_metrics };

const mp_task mp_task_node_numbers = { .name = "node-numbers",
                                       .help = "the numbers of every node, which are its inputs too: reconstruction",
                                       .one = "number of nodes",
                                       .many = "numbers of nodes",
                                       .options = "loss huber-delta:loss=huber",
                                       .aim = aim,
                                       .nodes = true,
                                       .outputs = mp_outputs_of_columns,
                                       .loss = loss,
                                       .cost = cost,
                                       .tell = put_back,
                                       .answer = as_is,
                                       .show = as_is,
                                       .unshow = as_told,
                                       .answer_word = "value",
                                       .json_answer = "value",
                                       .metrics = node_metrics };
