/* classify.c - one of C classes: softmax over C outputs, loss -log p of the right class (math.md 2.15).
 * The label of a node is learned in the same way.
 * SPDX-License-Identifier: MIT */
#include "task/task.h"

#include <math.h>

static int outputs(const mp_goal *g)
{
    return g->classes;
}

static mp_mat *loss(mp_ctx *c, const mp_goal *g, mp_mat *y, const double *want, mp_real scale)
{
    int *label = MP_NEW_RAW(c->arena, int, y->rows);
    (void)g;
    for (int i = 0; i < y->rows; i++) {
        mp_assert(want[i] >= 0); /* a class that is not known, or sealed, must not get here */
        label[i] = (int)want[i];
    }
    return mp_xent(c, y, label, scale, NULL);
}

static double cost(const mp_goal *g, const mp_real *told, const double *want)
{
    (void)g;
    mp_assert(want[0] >= 0);
    return -(double)told[(int)want[0]];
}

static void tell(const mp_goal *g, const mp_kernels *k, mp_real *told, const mp_real *raw, int rows)
{
    k->log_softmax(told, raw, rows, g->classes);
}

static void answer(const mp_goal *g, const mp_real *told, double *out)
{
    int best = 0;
    for (int c = 1; c < g->classes; c++)
        if (told[c] > told[best]) best = c;
    *out = best;
}

static void show(const mp_goal *g, const mp_real *told, double *shown)
{
    for (int c = 0; c < g->classes; c++) shown[c] = exp((double)told[c]);
}

static void unshow(const mp_goal *g, const double *shown, mp_real *told)
{
    for (int c = 0; c < g->classes; c++) told[c] = (mp_real)log(shown[c] > MP_SURE_NO ? shown[c] : MP_SURE_NO);
}

/* Rounding may leave the logarithm of a certain class above 0. */
static void claim(const mp_goal *g, const mp_real *told, const double *want, mp_calibration *c)
{
    double best, p;
    if (isnan(*want)) return;
    answer(g, told, &best);
    p = exp((double)told[(int)best]);
    mp_calibration_add(c, p < 1 ? p : 1, best == *want);
}

static const char *const metrics[] = { "accuracy", "balanced_accuracy", "f1_macro", "mcc",
                                       "roc_auc",  "average_precision", NULL };

#define CLASSES                                                                                                        \
    .options = "", .classes = true, .outputs = outputs, .loss = loss, .cost = cost, .tell = tell, .answer = answer,    \
    .show = show, .unshow = unshow, .claim = claim, .answer_word = "label", .shown_word = "probability",               \
    .json_answer = "label", .json_shown = "probabilities"

const mp_task mp_task_classify = {
    .name = "classify", .help = "one of several classes", .one = "class", .many = "classes", CLASSES, .metrics = metrics
};

/* Of 28 kinds of nodes some are in no graph of a part, and rankings of each of 28 against the others say little. */
static const char *const node_metrics[] = { "accuracy", "balanced_accuracy", "f1_macro", "mcc", NULL };

const mp_task mp_task_node_labels = { .name = "node-labels",
                                      .help = "the label of every node, which is its input too: reconstruction",
                                      .one = "label of nodes",
                                      .many = "labels of nodes",
                                      .nodes = true,
                                      CLASSES,
                                      .metrics = node_metrics };
