/* world.h - a generated collection of graphs and a model on it, for tests of training.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_WORLD_H
#define MP_TEST_WORLD_H

#include "property.h"
#include "train/engine.h"

#ifndef FEATURES
#define FEATURES 5 /* input columns */
#endif

typedef struct world { /* a generated collection and a model */
    mp_rig rig;
    mp_graph all;
    mp_sparse x;
    mp_real *value; /* behind x.val */
    int *order;
    double *class, *target; /* a graph's class, and its number */
    mp_config conf;
    mp_model *model;
    mp_params *params;
} world;

/* `n` graphs of up to `most` nodes. Which of the first two columns is the more frequent decides the class. */
void world_init(world *w, const char *options, int n, int most, int outputs);
void world_free(world *w);

/* Places from .. from+n-1 of the present order. */
mp_batch batch_of(const world *w, int from, int n);

/* Epochs of shuffled mini-batches of `size`; returns the last mean loss. */
double train(world *w, mp_engine *e, int from, int to, int size, uint64_t seed);

#endif
