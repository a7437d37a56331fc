/* subject.h - what an analysis looks at: a trained model and some graphs of a collection, each graph by itself.
 *
 * What is found of a graph goes to a place of its own, and places are added up in their order: numbers do not depend on the
 * number of threads.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SUBJECT_H
#define MP_SUBJECT_H

#include "model/model.h"

typedef struct mp_subject {
    mp_model *model;
    const mp_graph *all; /* the collection */
    const mp_sparse *x;  /* its features   */
    const int *which;    /* the graphs to look at */
    int n, threads;
} mp_subject;

typedef struct mp_specimen { /* one of them */
    const mp_subject *of;
    int at;          /* its place in `which` */
    mp_graph g;      /* alone, with its edges */
    mp_sparse x;     /* its features */
    mp_arena *arena; /* until the next graph of this thread */
} mp_specimen;

/* Calls look(arg, g) for each graph, on any thread, in any order; look writes nothing but what belongs to place g->at. Fails with
 * the first failure in the order of the graphs, which is named. */
MP_MUST mp_err mp_subject_each(const mp_subject *s, mp_err (*look)(void *arg, const mp_specimen *g), void *arg);

/* What the model's poolings did with the graph, in evaluation mode, or in training mode in the given draw (from 1). Fails where
 * the model has no pooling that drops nodes. */
MP_MUST mp_err mp_specimen_trail(const mp_specimen *g, int draw, mp_trail *out);

/* Nodes of a graph of the subject. */
static inline int mp_subject_nodes(const mp_subject *s, int at)
{
    return s->all->node_ptr[s->which[at] + 1] - s->all->node_ptr[s->which[at]];
}

#endif
