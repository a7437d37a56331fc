/* binary.c - T questions with the answers yes and no, of which some are not known: a logit each, loss the cross entropy over
 * the known ones (math.md 2.15).
 * SPDX-License-Identifier: MIT */
#include "math/fun.h"
#include "task/task.h"

#include <math.h>

static bool fits(double y)
{
    return y == 0 || y == 1 || isnan(y);
}

static mp_mat *loss(mp_ctx *c, const mp_goal *g, mp_mat *y, const double *want, mp_real scale)
{
    return mp_bce_known(c, y, mp_labels_real(c, want, (size_t)y->rows * (size_t)g->columns), scale);
}

static double cost(const mp_goal *g, const mp_real *told, const double *want)
{
    double sum = 0;
    for (int t = 0; t < g->columns; t++) {
        mp_real v = told[t], size = v < 0 ? -v : v, y = (mp_real)want[t];
        if (y == y) sum += (double)(log1(1 + exp1(-size)) + (v > 0 ? v : 0) - v * y);
    }
    return sum;
}

static void answer(const mp_goal *g, const mp_real *told, double *out)
{
    for (int t = 0; t < g->columns; t++) out[t] = told[t] > 0;
}

static void show(const mp_goal *g, const mp_real *told, double *shown)
{
    for (int t = 0; t < g->columns; t++) shown[t] = (double)sigmoid1(told[t]);
}

static void unshow(const mp_goal *g, const double *shown, mp_real *told)
{
    for (int t = 0; t < g->columns; t++) {
        double yes = shown[t] > MP_SURE_NO ? shown[t] : MP_SURE_NO, no = 1 - shown[t];
        told[t] = (mp_real)log(yes / (no > MP_SURE_NO ? no : MP_SURE_NO));
    }
}

static void claim(const mp_goal *g, const mp_real *told, const double *want, mp_calibration *c)
{
    for (int t = 0; t < g->columns; t++)
        if (!isnan(want[t])) mp_calibration_add(c, (double)sigmoid1(told[t]), want[t] == 1);
}

static const char *const metrics[] = {
    "roc_auc", "average_precision", "accuracy", "balanced_accuracy", "f1_macro", "mcc", NULL
};

const mp_task mp_task_binary = { .name = "binary",
                                 .help = "any number of yes/no labels a graph, some of which may be missing",
                                 .one = "question to answer",
                                 .many = "questions to answer",
                                 .options = "",
                                 .yes_no = true,
                                 .outputs = mp_outputs_of_columns,
                                 .fits = fits,
                                 .loss = loss,
                                 .cost = cost,
                                 .tell = mp_tell_raw,
                                 .answer = answer,
                                 .show = show,
                                 .unshow = unshow,
                                 .claim = claim,
                                 .answer_word = "label",
                                 .shown_word = "probability",
                                 .json_answer = "label",
                                 .json_shown = "probabilities",
                                 .metrics = metrics };
