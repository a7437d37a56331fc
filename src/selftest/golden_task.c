/* golden_task.c - golden cases of tasks: the loss of labels of which some are missing, and ROC-AUC over several columns.
 * SPDX-License-Identifier: MIT */
#include "selftest/golden_run.h"
#include "task/metric.h"

#include <math.h>

/* in.y where in.mask is not 0, NaN elsewhere: a yes/no task of as many columns. */
static mp_err labels_of(mp_case *k, const char *beside, mp_goal *goal, int *rows, const double **out)
{
    const mp_tensor *y, *mask;
    k->c = (mp_ctx){ .arena = k->step, .k = mp_kernels_get(), .record = true };
    if (!k->c.k) return mp_fail(MP_ERR_USAGE, "MIDPOOL_ISA: this machine has no such instruction set");
    MP_TRY(mp_case_shape(k, beside, rows, &goal->columns));
    goal->task = &mp_task_binary;
    MP_TRY(mp_case_need(k, "in.y", *rows, goal->columns, &y));
    MP_TRY(mp_case_need(k, "in.mask", *rows, goal->columns, &mask));
    double *label = MP_NEW(k->step, double, y->count), *known = MP_NEW(k->step, double, y->count);
    mp_tensor_doubles(y, label);
    mp_tensor_doubles(mask, known);
    for (size_t i = 0; i < y->count; i++)
        if (known[i] == 0) label[i] = (double)NAN;
    *out = label;
    return MP_OK;
}

static mp_err outputs_of(mp_case *k, const char *name, int rows, int cols, mp_mat **out)
{
    const mp_tensor *t;
    MP_TRY(mp_case_need(k, name, rows, cols, &t));
    *out = mp_mat_new(&k->c, rows, cols);
    return mp_tensor_reals(t, (*out)->v);
}

mp_err mp_golden_bce(mp_case *k, const mp_golden_kind *row)
{
    mp_goal goal = { 0 };
    const double *want;
    const mp_tensor *grad;
    mp_mat *x;
    int B;
    (void)row;
    MP_TRY(labels_of(k, "in.logits", &goal, &B, &want));
    MP_TRY(outputs_of(k, "in.logits", B, goal.columns, &x));
    int *which = MP_NEW(k->step, int, B);
    for (int b = 0; b < B; b++) which[b] = b;
    int64_t terms = mp_labels_known(&(mp_labels){ .columns = goal.columns, .v = want }, which, B);
    MP_TRY(mp_case_output(k, "loss", goal.task->loss(&k->c, &goal, x, want, (mp_real)(1.0 / (double)terms))));
    mp_tape_back(&k->c);
    MP_TRY(mp_case_need(k, "grad.logits", B, goal.columns, &grad));
    return mp_case_close(k, grad, x->g);
}

mp_err mp_golden_auc(mp_case *k, const mp_golden_kind *row)
{
    mp_goal goal = { 0 };
    const double *want;
    const mp_tensor *auc, *valid, *mean;
    mp_mat *score;
    int B, T;
    (void)row;
    MP_TRY(labels_of(k, "in.score", &goal, &B, &want));
    MP_TRY(outputs_of(k, "in.score", B, goal.columns, &score));
    T = goal.columns;
    MP_TRY(mp_case_need(k, "out.auc", T, 1, &auc));
    MP_TRY(mp_case_need(k, "out.valid", T, 1, &valid));
    MP_TRY(mp_case_need(k, "out.mean", 1, 1, &mean));
    const mp_metric *metric = mp_metric_find("roc_auc");
    mp_real all = (mp_real)mp_measure(metric, &(mp_judged){ &goal, B, score->v, want });
    mp_real *ours = MP_NEW(k->step, mp_real, T), *column = MP_NEW(k->step, mp_real, B);
    double *label = MP_NEW(k->step, double, B);
    int *defined = MP_NEW(k->step, int, T);
    goal.columns = 1;
    for (int t = 0; t < T; t++) {
        for (int b = 0; b < B; b++) {
            label[b] = want[b * T + t];
            column[b] = score->v[b * T + t];
        }
        double v = mp_measure(metric, &(mp_judged){ &goal, B, column, label });
        defined[t] = !isnan(v);
        ours[t] = isnan(v) ? -1 : (mp_real)v;
    }
    mp_case_equal(k, valid, defined, (size_t)T);
    MP_TRY(mp_case_close(k, auc, ours));
    return mp_case_close(k, mean, &all);
}
