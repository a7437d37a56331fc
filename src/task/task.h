/* task.h - what the outputs of a network mean: how many there are, the loss, the answers, the metrics.
 *
 * A task is a row. Labels are B x T numbers, NaN where one is not known (or sealed, data/seal.h):
 *
 *     classify   T = 1, the number of a class 0..C-1;  C outputs, told as log-probabilities
 *     binary     T yes/no labels, 1 or 0;              T outputs, told as logits
 *     regress    T numbers;                            T outputs, told in the unit of the labels
 *     count      T numbers that are counts;            T outputs, judged after rounding
 *
 * Two tasks are about nodes: labels are N x T, a network gives a row of outputs for each node, and what is said below of
 * graphs holds for nodes (rows, in one word):
 *
 *     node-labels    T = 1, the label of the node as a class;  C outputs, told as log-probabilities
 *     node-numbers   T numbers of the node;                    T outputs
 *
 * Nothing outside this folder asks which task it is.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TASK_H
#define MP_TASK_H

#include "base/api.h"
#include "conf/config.h"
#include "grad/ops.h"
#include "task/calibration.h"

MP_API_BEGIN

typedef struct mp_task mp_task;
typedef struct mp_metric mp_metric;

typedef struct mp_labels { /* of all graphs of a collection */
    int columns;           /* T */
    const double *v;       /* rows x T */
    const int *ptr;        /* rows of graph b are ptr[b] .. ptr[b+1]-1, one a node; NULL: row b alone */
} mp_labels;

typedef struct mp_goal { /* a task as one network learns it */
    const mp_task *task;
    int columns, classes;     /* T, and C where labels are classes */
    mp_error_kind far;        /* regress: the loss */
    double delta;             /* of Huber's loss */
    const double *mean, *std; /* T: regress learns (y - mean) / std; NULL: y itself */
    const mp_metric *metric;  /* the leading one */
} mp_goal;

struct mp_task {
    const char *name; /* as --task takes it */
    const char *help;
    const char *one, *many;   /* of what there is to learn: "question to answer", "questions to answer" */
    const char *options;      /* that it looks at (conf/uses.h) */
    const mp_option_set *own; /* that it declares, or NULL */
    void (*aim)(const mp_config *c, mp_goal *g); /* what its options say of a goal; NULL: nothing */
    bool classes;                                /* labels are numbers of classes */
    bool yes_no;                                 /* labels are 0 and 1 */
    bool nodes;                                  /* rows of labels and outputs are nodes, not graphs */
    bool (*standard)(const mp_config *c);        /* learns standardised numbers; NULL: never */
    int (*outputs)(const mp_goal *g);
    /* Whether numbers can be labels of this task; NULL: all can. */
    bool (*fits)(double y);
    /* The loss of a shard on the tape. want: the labels of its graphs, y->rows x T. scale: 1 / terms of the batch. */
    mp_mat *(*loss)(mp_ctx *c, const mp_goal *g, mp_mat *y, const double *want, mp_real scale);
    /* The same as a number, of one graph: outputs as `tell` gives them. Terms: its known labels. */
    double (*cost)(const mp_goal *g, const mp_real *told, const double *want);
    /* Raw outputs to those that are told. May work in place. */
    void (*tell)(const mp_goal *g, const mp_kernels *k, mp_real *told, const mp_real *raw, int rows);
    /* Told outputs of one graph to T answers: classes, numbers, yes and no. */
    void (*answer)(const mp_goal *g, const mp_real *told, double *answer);
    /* Told outputs of one graph to what people read: probabilities, numbers. As many as outputs. */
    void (*show)(const mp_goal *g, const mp_real *told, double *shown);
    /* The way back, for shown numbers that no one network told: means over several. Certain probabilities stay finite. */
    void (*unshow)(const mp_goal *g, const double *shown, mp_real *told);
    /* What told outputs say of one graph with a probability, and whether its labels bear it out; NULL: no probabilities. */
    void (*claim)(const mp_goal *g, const mp_real *told, const double *want, mp_calibration *c);
    const char *answer_word; /* heads a column of answers: "label", "value", "rounded" */
    const char *shown_word;  /* heads those of shown numbers: "probability", "output"; NULL: answers say it all */
    const char *json_answer, *json_shown; /* members of JSON: "label" or "value"; a list of shown numbers */
    const char *const *metrics;           /* names; the first one leads; NULL at the end */
};

/* All tasks, in the order of --task; NULL at the end. */
#define MP_TASKS_MOST 8
const mp_task *const *mp_tasks(void);
const mp_task *mp_task_find(const char *name); /* NULL: none */
extern const mp_task mp_task_classify, mp_task_regress, mp_task_binary, mp_task_count;
extern const mp_task mp_task_node_labels, mp_task_node_numbers;

/* Fails when answers are those of nodes: for work that has one row of them for each graph. `what` opens the message. */
MP_MUST mp_err mp_task_of_graphs(const mp_task *t, const char *what);

/* A goal for networks made without data: classes where there are several outputs, else a count. `nodes`: the same of nodes. */
mp_goal mp_goal_plain(int outputs, bool nodes);

int mp_goal_outputs(const mp_goal *g);

/* Where the rows of graph b begin; those of graph b + 1 follow. And how many the listed graphs have. */
int mp_labels_row(const mp_labels *labels, int b);
int mp_labels_rows(const mp_labels *labels, const int *which, int n);

/* Known labels among those of the listed graphs: what a mean over them divides by. */
int64_t mp_labels_known(const mp_labels *labels, const int *which, int n);

/* Rows of labels of the listed graphs, one after the other, in the arena. */
const double *mp_labels_take(const mp_labels *labels, const int *which, int n, mp_arena *a);

/* Mean and standard deviation of each column over the listed graphs, for a task that learns standardised numbers. A column
 * that does not vary has a deviation of 1. Memory is the arena's. */
void mp_goal_standardise(mp_goal *g, const mp_labels *labels, const int *which, int n, mp_arena *a);

/* Parts that rows share. */
#define MP_SURE_NO 1e-30 /* a probability that is taken for this one where its logarithm is wanted and it is smaller */
int mp_outputs_of_columns(const mp_goal *g);
void mp_tell_raw(const mp_goal *g, const mp_kernels *k, mp_real *told, const mp_real *raw, int rows);
mp_real *mp_labels_real(mp_ctx *c, const double *want, size_t n);

MP_API_END

#endif
