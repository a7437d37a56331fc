/* metric_class.c - metrics of answers that are right or wrong (protocol.md 4).
 *
 *     accuracy            share of right answers
 *     balanced_accuracy   mean over the classes that occur of the share of right answers among their graphs
 *     f1_macro            mean over the classes that occur, or are answered, of 2 right / (there + answered)
 *     mcc                 Matthews' correlation, for any number of classes: (right n - sum_k t_k a_k) /
 *                         sqrt((n^2 - sum a_k^2) (n^2 - sum t_k^2)), t_k graphs of class k, a_k answers of it; 0 where
 *                         the root is
 *     count_accuracy      share of rounded outputs that hit
 * SPDX-License-Identifier: MIT */
#include "task/metric.h"

#include <math.h>

static double accuracy(const mp_column *c)
{
    int right = 0;
    for (int i = 0; i < c->n; i++) right += c->answer[i] == c->want[i];
    return (double)right / c->n;
}

typedef struct tally { /* of each class */
    double *there, *answered, *right;
} tally;

static tally count(const mp_column *c)
{
    tally t = { MP_NEW(c->scratch, double, c->classes + 1), MP_NEW(c->scratch, double, c->classes + 1),
                MP_NEW(c->scratch, double, c->classes + 1) };
    for (int i = 0; i < c->n; i++) {
        int want = (int)c->want[i], answer = (int)c->answer[i];
        t.there[want]++;
        t.answered[answer]++;
        t.right[want] += want == answer;
    }
    return t;
}

static double balanced_accuracy(const mp_column *c)
{
    tally t = count(c);
    double sum = 0;
    int classes = 0;
    for (int k = 0; k < c->classes; k++) {
        if (t.there[k] == 0) continue;
        sum += t.right[k] / t.there[k];
        classes++;
    }
    return sum / classes;
}

static double f1_macro(const mp_column *c)
{
    tally t = count(c);
    double sum = 0;
    int classes = 0;
    for (int k = 0; k < c->classes; k++) {
        if (t.there[k] + t.answered[k] == 0) continue;
        sum += 2 * t.right[k] / (t.there[k] + t.answered[k]);
        classes++;
    }
    return sum / classes;
}

static double mcc(const mp_column *c)
{
    tally t = count(c);
    double n = c->n, right = 0, both = 0, there = 0, answered = 0;
    for (int k = 0; k < c->classes; k++) {
        right += t.right[k];
        both += t.there[k] * t.answered[k];
        there += t.there[k] * t.there[k];
        answered += t.answered[k] * t.answered[k];
    }
    double root = sqrt((n * n - answered) * (n * n - there));
    return root > 0 ? (right * n - both) / root : 0;
}

const mp_metric mp_metrics_classes[] = {
    { "accuracy", "accuracy", true, true, true, accuracy },
    { "balanced_accuracy", "balanced accuracy", true, true, false, balanced_accuracy },
    { "f1_macro", "macro F1", true, true, false, f1_macro },
    { "mcc", "Matthews correlation", true, false, false, mcc },
    { "count_accuracy", "accuracy", true, true, true, accuracy },
    { 0 },
};
