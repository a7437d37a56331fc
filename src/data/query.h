/* query.h - one graph as a caller gives it (midpool.h), made into what a model reads.
 * SPDX-License-Identifier: MIT */
#ifndef MP_QUERY_H
#define MP_QUERY_H

#include "data/dataset.h"
#include "midpool.h"

/* Columns of attributes that a graph must bring for the recipe, those that are not used included. */
int mp_recipe_attributes(const mp_recipe *r);

/* The structure, both directions of every edge, and the features. Fails when an edge leaves the graph, when features that
 * the recipe needs are missing or not finite, or when it does not know a node label. *unseen: as mp_features_apply. */
MP_MUST mp_err mp_query_build(const mp_recipe *r, const mp_query *in, mp_arena *a, mp_graph *g, mp_sparse *x,
                              int *unseen);

#endif
