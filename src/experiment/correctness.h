/* correctness.h - do the scores of the first pooling find the nodes that matter to the prediction (protocol.md 5)?
 *
 *     s_i = |y_i - y| / sum_j |y_j - y|      y: output for the predicted class, y_i: the same without node i and its edges
 *
 * The class is the one predicted for the whole graph, features stay as they are. A cut makes s_i a yes or a no, and the AUC says
 * how well the ranking key of the first pooling tells them apart.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CORRECTNESS_H
#define MP_CORRECTNESS_H

#include "experiment/subject.h"

typedef enum mp_truth_output {                /* y */
                               MP_TRUTH_TOLD, /* as the task tells it: the logarithm of the softmax */
                               MP_TRUTH_RAW,  /* the logit */
                               MP_TRUTH_SHOWN /* the probability */
} mp_truth_output;

typedef struct mp_truth { /* of one graph */
    int nodes;
    const double *key;   /* nodes: what the first pooling ranks */
    const double *share; /* nodes: s, which sums to 1; NULL: fewer than two nodes, or none of them matters */
} mp_truth;

typedef struct mp_truths {
    int n;
    const mp_truth *graph;
} mp_truths;

/* n + 1 passes for a graph of n nodes, several in one batch. Memory of the result is the arena's. */
MP_MUST mp_err mp_truths_find(const mp_subject *s, mp_truth_output y, mp_arena *a, mp_truths *out);

typedef enum mp_truth_cut {                  /* yes: */
                            MP_CUT_MEAN,     /* s_i > 1 / n */
                            MP_CUT_TOPK,     /* the ceil(ratio n) largest, of equal ones those with the lower number */
                            MP_CUT_POSITIVE, /* s_i > 0 */
                            MP_CUT_MEDIAN,   /* s_i > the median of the graph */
                            MP_CUTS
} mp_truth_cut;
extern const char *const mp_cut_names[MP_CUTS];

typedef enum mp_truth_pooled {
    MP_AUC_STANDARD, /* all nodes of all graphs in one, keys with mean 0 and variance 1 in each graph */
    MP_AUC_RAW,      /* all nodes in one, keys as they are */
    MP_AUC_EACH,     /* the mean over the graphs that have both a yes and a no */
    MP_AUCS
} mp_truth_pooled;
extern const char *const mp_auc_names[MP_AUCS];

/* In 0..1; NAN where there is no yes or no no. `ratio` is that of the cut topk. */
double mp_truths_auc(const mp_truths *t, mp_truth_cut cut, double ratio, mp_truth_pooled pooled, mp_arena *scratch);

#endif
