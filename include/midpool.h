/* midpool.h - trained graph classifiers inside your own program: load a model file, classify graphs.
 *
 *     mp_predictor *p = mp_predictor_load("model.safetensors");
 *     if (!p) return fprintf(stderr, "%s\n", mp_predictor_error()), 1;
 *     mp_answer answer;
 *     if (mp_predict(p, &graph, &answer)) printf("class %lld\n", (long long)answer.label);
 *     mp_predictor_free(p);
 *
 * No call prints, exits or aborts: a bad argument, a damaged file, a graph too large and memory that cannot be had all end
 * it with false or NULL and a line in mp_predictor_error. After that a predictor can be used as before.
 *
 * Link with -lmidpool -lm -lpthread; nothing else is needed. A predictor must be used by one thread at a
 * time; make one for each thread. After the first graph of a size, graphs up to that size allocate nothing.
 * SPDX-License-Identifier: MIT */
#ifndef MIDPOOL_H
#define MIDPOOL_H

#include "midpool/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mp_predictor mp_predictor;

/* NULL when it fails; then mp_predictor_error says why, in one line that names the file. */
MP_API mp_predictor *mp_predictor_load(const char *path);
MP_API mp_predictor *mp_predictor_from(const void *bytes, size_t n); /* a model file in memory */
MP_API void mp_predictor_free(mp_predictor *p);                      /* NULL is allowed */

/* The last failure of this thread; "" when nothing failed yet. */
MP_API const char *mp_predictor_error(void);

/* What the model takes and gives. A model for numbers instead of classes has 0 classes. All are 0 for NULL. */
MP_API int mp_predictor_features(const mp_predictor *p);      /* columns of x */
MP_API int mp_predictor_attributes(const mp_predictor *p);    /* columns of node attributes */
MP_API int mp_predictor_label_columns(const mp_predictor *p); /* columns of node labels */
MP_API int mp_predictor_classes(const mp_predictor *p);
MP_API int64_t mp_predictor_class(
    const mp_predictor *p,
    int i); /* the value of class i in the label file; 0, and a line in mp_predictor_error, when there is no class i */

/* A graph. Edges are undirected: each may be listed once or from both ends; self loops and repeats are left
 * out. Features come in one of two ways: `x`, rows of finished feature columns; or, with x NULL, what the
 * files of the training data had, attributes and labels, from which the model's recipe makes x. A model
 * trained on degrees needs neither. */
typedef struct mp_query {
    int nodes, edges;
    const int *from, *to;         /* `edges` numbers of nodes, from 0              */
    const float *x;               /* nodes x features, or NULL                     */
    const float *attributes;      /* nodes x attribute columns, where the model has some */
    const int *labels;            /* nodes x label columns, where the model has some     */
    const float *edge_attributes; /* edges x attribute columns of edges, where the model has some; an edge that */
    const int *edge_labels;       /* edges x label columns of edges; is listed twice has the same both times    */
} mp_query;

typedef struct mp_answer {
    int64_t label;      /* the class as in the label file; for numbers, the rounded output */
    int class_index;    /* 0 .. classes-1; -1 for numbers */
    int outputs;        /* length of `value` */
    const float *value; /* probabilities of the classes, or the number itself; until the next call */
} mp_answer;

/* False when it fails: an edge to a node that is not there, missing features, a label the model never met, a graph too
 * large for the model's operators or for the memory there is. */
MP_API bool mp_predict(mp_predictor *p, const mp_query *graph, mp_answer *out);

#ifdef __cplusplus
}
#endif

#endif
