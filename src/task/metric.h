/* metric.h - how good answers are: one number for outputs and labels. A metric is a row that knows its direction.
 *
 * A metric looks at one column of labels, at the graphs whose label is known. Of several columns the mean is taken over those
 * where the metric is defined (ROC-AUC wants both a yes and a no), as OGB's evaluator does.
 * SPDX-License-Identifier: MIT */
#ifndef MP_METRIC_H
#define MP_METRIC_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "task/task.h"

MP_API_BEGIN

typedef struct mp_column { /* one column of labels */
    int n;                 /* graphs whose label is known */
    const double *want;    /* n: labels  */
    const double *answer;  /* n: answers */
    const double *score;   /* n x scores: told outputs, larger for what is more likely or larger */
    int scores;            /* classify: C; else 1 */
    int classes;           /* classify: C; binary: 2; else 0 */
    mp_arena *scratch;
} mp_column;

struct mp_metric {
    const char *name;                      /* in JSON, stores and options */
    const char *title;                     /* in tables */
    bool larger;                           /* is better */
    bool percent;                          /* a share, shown times 100 */
    bool mean;                             /* a mean over graphs: may be added up piece by piece */
    double (*measure)(const mp_column *c); /* NAN where it is not defined */
};

/* Metric i of all, those that were added last; NULL behind them. */
const mp_metric *mp_metric_at(int i);
/* NULL: none. */
const mp_metric *mp_metric_find(const char *name);

/* Adds a metric to the list, and to the metrics of a task (NULL: of all). Call it before threads start. Fails when the name is
 * taken or there is no more room. */
MP_MUST mp_err mp_metric_add(const mp_metric *m, const char *task);

/* Metrics of a task in their order, those that were added last. Returns how many. */
#define MP_METRICS_MOST 16
int mp_metrics_of(const mp_task *t, const mp_metric *out[MP_METRICS_MOST]);

/* The leading metric of a task: the one named, or its first ("auto"). Fails when the task has none of that name. */
MP_MUST mp_err mp_metric_lead(const mp_task *t, const char *name, const mp_metric **out);

typedef struct mp_judged { /* outputs of some graphs, or nodes, with labels in the same order */
    const mp_goal *goal;
    int n;               /* rows */
    const mp_real *told; /* n x outputs */
    const double *want;  /* n x T */
} mp_judged;

double mp_measure(const mp_metric *m, const mp_judged *j);

/* A value as tables show it, "85.21" or "0.4302"; "-" where it is not defined. */
void mp_metric_text(const mp_metric *m, double v, char *out, size_t n);

/* The same with its unit: "85.21 %". */
void mp_metric_unit(const mp_metric *m, double v, char *out, size_t n);

/* Rows, for the registry. */
extern const mp_metric mp_metrics_classes[], mp_metrics_ranks[], mp_metrics_numbers[]; /* end with a name NULL */

MP_API_END

#endif
