/* task.c - the list of tasks, and what they share.
 * SPDX-License-Identifier: MIT */
#include "task/task.h"
#include "task/metric.h"

#include <math.h>
#include <string.h>

/* What is learned: fields of mp_config itself. */
/* clang-format off */
#define AT(field) offsetof(mp_config, field)
static const mp_opt task_rows[] = {
    { "task", MP_OPT_CHOICE, AT(task), "auto", 0, 0, "auto|classify|regress|binary|count|node-labels|node-numbers", "what is learned; auto: by the labels, or by the features of nodes where arch has outputs for nodes" },
    { "metric", MP_OPT_TEXT, AT(metric), "auto", 0, 0, NULL, "metric that leads: accuracy, balanced_accuracy, f1_macro, mcc, roc_auc, average_precision, count_accuracy, mae, rmse, r2, mse; auto = the task's first", MP_COMMON },
    { 0 }
};
#undef AT
/* clang-format on */
const mp_option_set mp_task_options = { task_rows, 0, NULL, "task" };

static const mp_task *const tasks[] = { &mp_task_classify,
                                        &mp_task_regress,
                                        &mp_task_binary,
                                        &mp_task_count,
                                        &mp_task_node_labels,
                                        &mp_task_node_numbers,
                                        NULL };

const mp_task *const *mp_tasks(void)
{
    return tasks;
}

const mp_task *mp_task_find(const char *name)
{
    for (int i = 0; tasks[i]; i++)
        if (strcmp(tasks[i]->name, name) == 0) return tasks[i];
    return NULL;
}

mp_err mp_task_of_graphs(const mp_task *t, const char *what)
{
    if (!t->nodes) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "%s: task %s has answers for nodes, and here there is one answer a graph", what,
                   t->name);
}

mp_goal mp_goal_plain(int outputs, bool nodes)
{
    mp_goal g = { .task = outputs > 1 ? &mp_task_classify : &mp_task_count, .columns = 1 };
    if (nodes) g.task = outputs > 1 ? &mp_task_node_labels : &mp_task_node_numbers;
    g.classes = g.task->classes ? outputs : 0;
    g.metric = mp_metric_find(g.task->metrics[0]);
    return g;
}

int mp_goal_outputs(const mp_goal *g)
{
    return g->task->outputs(g);
}

int mp_outputs_of_columns(const mp_goal *g)
{
    return g->columns;
}

void mp_tell_raw(const mp_goal *g, const mp_kernels *k, mp_real *told, const mp_real *raw, int rows)
{
    (void)k;
    if (told != raw) memcpy(told, raw, (size_t)rows * (size_t)mp_goal_outputs(g) * sizeof *told);
}

int mp_labels_row(const mp_labels *labels, int b)
{
    return labels->ptr ? labels->ptr[b] : b;
}

int mp_labels_rows(const mp_labels *labels, const int *which, int n)
{
    int rows = 0;
    for (int i = 0; i < n; i++) rows += mp_labels_row(labels, which[i] + 1) - mp_labels_row(labels, which[i]);
    return rows;
}

/* The labels of a graph, and how many there are. */
static const double *labels_of(const mp_labels *labels, int b, size_t *n)
{
    size_t T = (size_t)labels->columns, first = (size_t)mp_labels_row(labels, b);
    *n = ((size_t)mp_labels_row(labels, b + 1) - first) * T;
    return labels->v + first * T;
}

int64_t mp_labels_known(const mp_labels *labels, const int *which, int n)
{
    int64_t known = 0;
    for (int i = 0; i < n; i++) {
        size_t all;
        const double *v = labels_of(labels, which[i], &all);
        for (size_t t = 0; t < all; t++) known += !isnan(v[t]);
    }
    return known;
}

const double *mp_labels_take(const mp_labels *labels, const int *which, int n, mp_arena *a)
{
    double *out = MP_NEW_RAW(a, double, (size_t)mp_labels_rows(labels, which, n) * (size_t)labels->columns + 1);
    size_t at = 0, all;
    for (int i = 0; i < n; i++, at += all) {
        const double *v = labels_of(labels, which[i], &all);
        memcpy(out + at, v, all * sizeof *out);
    }
    return out;
}

mp_real *mp_labels_real(mp_ctx *c, const double *want, size_t n)
{
    mp_real *out = MP_NEW_RAW(c->arena, mp_real, n);
    for (size_t i = 0; i < n; i++) out[i] = (mp_real)want[i];
    return out;
}

void mp_goal_standardise(mp_goal *g, const mp_labels *labels, const int *which, int n, mp_arena *a)
{
    double *mean = MP_NEW(a, double, g->columns), *std = MP_NEW(a, double, g->columns);
    size_t T = (size_t)g->columns;
    for (size_t t = 0; t < T; t++) {
        double sum = 0, squares = 0;
        int known = 0;
        for (int i = 0; i < n; i++) {
            double y = labels->v[(size_t)which[i] * T + t];
            if (isnan(y)) continue;
            sum += y;
            known++;
        }
        mean[t] = known ? sum / known : 0;
        for (int i = 0; i < n; i++) {
            double d = labels->v[(size_t)which[i] * T + t] - mean[t];
            if (!isnan(d)) squares += d * d;
        }
        std[t] = known ? sqrt(squares / known) : 0;
        if (!(std[t] > 0)) std[t] = 1;
    }
    g->mean = mean;
    g->std = std;
}
