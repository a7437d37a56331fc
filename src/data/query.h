/* query.h - one graph as a caller gives it (midpool.h), made into what a model reads.
 * SPDX-License-Identifier: MIT */
#ifndef MP_QUERY_H
#define MP_QUERY_H

#include "base/api.h"
#include "data/raw.h"
#include "midpool.h"

MP_API_BEGIN

/* Columns of attributes that a graph must bring for the recipe, those that are not used included. */
int mp_recipe_attributes(const mp_recipe *r);

/* Fails when an edge leaves the graph; with a recipe also when what it needs is missing or a label is not in it. */
MP_MUST mp_err mp_query_check(const mp_recipe *r, const mp_query *in);

/* The structure of a graph that was checked: both directions of every edge, without repeats and self loops. */
void mp_query_graph(const mp_query *in, mp_arena *a, mp_graph *g);

/* A dense array without its zeros. Fails, naming `what` and its row, when a number is not finite. */
MP_MUST mp_err mp_sparse_of(const float *v, int rows, int cols, const char *what, mp_arena *a, mp_sparse *out);

/* Labels and attributes of edges, so many columns of each, for raw->graphs (edge_values.h). Fails when they clash. */
MP_MUST mp_err mp_query_edge_values(const mp_query *in, int attributes, int label_columns, mp_arena *scratch,
                                    mp_arena *a, mp_raw *raw);

/* The structure, both directions of every edge, and the features. Fails when an edge leaves the graph, when features that
 * the recipe needs are missing or not finite, or when it does not know a label. *unseen: as mp_features_apply. Where the
 * recipe has columns for edges, g->edge_x is made too. */
MP_MUST mp_err mp_query_build(const mp_recipe *r, const mp_query *in, mp_arena *a, mp_graph *g, mp_sparse *x,
                              int *unseen);

MP_API_END

#endif
