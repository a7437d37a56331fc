/* metric_rank.c - metrics of scores that put likely graphs first (protocol.md 4).
 *
 *     roc_auc             P(a yes scores higher than a no) + P(they score the same) / 2, by ranks
 *     average_precision   sum over distinct scores, from the highest, of (recall - recall before) precision
 *
 * Not defined without both a yes and a no. Two classes: yes is the second. More: the mean over the classes for which it is
 * defined, each against the rest.
 * SPDX-License-Identifier: MIT */
#include "task/metric.h"

#include <math.h>
#include <stdlib.h>

typedef struct scored {
    double score;
    bool yes;
} scored;

static int by_score(const void *a, const void *b)
{
    double x = ((const scored *)a)->score, y = ((const scored *)b)->score;
    return (x > y) - (x < y);
}

/* Takes groups of equal scores from the lowest: yes and no of the group, and of all groups before. */
static double roc_auc(const scored *s, int n, double yes, double no)
{
    double pairs = 0, no_before = 0;
    for (int i = 0, j; i < n; i = j) {
        double y = 0, m = 0;
        for (j = i; j < n && s[j].score == s[i].score; j++) *(s[j].yes ? &y : &m) += 1;
        pairs += y * (no_before + m / 2);
        no_before += m;
    }
    return pairs / (yes * no);
}

static double average_precision(const scored *s, int n, double yes, double no)
{
    double sum = 0, found = 0;
    (void)no;
    for (int i = n, j; i > 0; i = j) {
        double y = 0;
        for (j = i; j > 0 && s[j - 1].score == s[i - 1].score; j--) y += s[j - 1].yes;
        found += y;
        sum += y / yes * (found / (n - j));
    }
    return sum;
}

typedef double rank_metric(const scored *s, int n, double yes, double no);

static double against_rest(const mp_column *c, int class, rank_metric *measure)
{
    scored *s = MP_NEW_RAW(c->scratch, scored, c->n);
    int yes = 0, at = c->scores > 1 ? class : 0;
    for (int i = 0; i < c->n; i++) {
        s[i] = (scored){ c->score[(size_t)i * (size_t)c->scores + (size_t)at], c->want[i] == class };
        yes += s[i].yes;
    }
    if (yes == 0 || yes == c->n) return (double)NAN;
    qsort(s, (size_t)c->n, sizeof *s, by_score);
    return measure(s, c->n, yes, c->n - yes);
}

static double over_classes(const mp_column *c, rank_metric *measure)
{
    if (c->classes == 2) return against_rest(c, 1, measure);
    double sum = 0;
    int defined = 0;
    for (int k = 0; k < c->classes; k++) {
        double v = against_rest(c, k, measure);
        if (isnan(v)) continue;
        sum += v;
        defined++;
    }
    return defined ? sum / defined : (double)NAN;
}

static double auc_of(const mp_column *c)
{
    return over_classes(c, roc_auc);
}

static double precision_of(const mp_column *c)
{
    return over_classes(c, average_precision);
}

const mp_metric mp_metrics_ranks[] = {
    { "roc_auc", "ROC-AUC", true, true, false, auc_of },
    { "average_precision", "average precision", true, true, false, precision_of },
    { 0 },
};
