/* property.h - one pooling layer on one batch, as the property tests use it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_PROPERTY_H
#define MP_TEST_PROPERTY_H

#include "model/model.h"
#include "rig.h"

typedef struct bench {
    mp_rig rig; /* graphs, features, weights */
    mp_config conf;
    const mp_pool_op *op;
    mp_pool *pool;
    mp_params params;
    mp_arena *step; /* results, until the bench is cleared */
    bool training;
    uint64_t draw; /* number of the random stream */
} bench;

/* Options as "ratio=0.8 flip=true"; weights are random. */
void bench_init(bench *b, const mp_pool_op *op, const char *options, int channels, uint64_t seed);
void bench_free(bench *b);

/* Calls f for an operator in each of n settings, with seeds from `seed` on. */
void bench_settings(void (*f)(bench *b), const mp_pool_op *op, const char *const *options, int n, int channels,
                    uint64_t seed);
/* Calls f for every operator that has a threshold, with one: plain and with MID, in every variant. */
void bench_thresholds(void (*f)(bench *b), int channels);

/* Runs the layer. The result lives until bench_free. */
mp_pooling bench_run(bench *b, const mp_graph *g, mp_mat *x);

/* Sets options by text; unknown ones fail the test. */
void bench_set(mp_config *c, const char *options);

/* Whether two results agree to the last bit: kept nodes, keys, features, edges, weights. NULL, or what differs. */
const char *bench_differs(const mp_pooling *a, const mp_pooling *b);

/* The part of a result that graph `which` of the batch got, as if it had been alone. */
mp_pooling bench_part(bench *b, const mp_pooling *all, int which);
/* That graph as a batch of its own, with its rows of x. */
mp_graph bench_alone(bench *b, const mp_graph *g, int which, mp_mat *x, mp_mat **own_x);

/* A batch with a graph of one node, one without edges, isolated nodes and, if weighted, loops. */
mp_graph bench_mixed(bench *b, bool weighted);

/* One graph of n nodes in a ring; and n equal rows. */
mp_graph bench_cycle(bench *b, int n);
mp_mat *bench_constant(bench *b, int rows, int cols);

/* Keys of each graph at least `gap` apart. */
bool bench_apart(const mp_pooling *p, double gap);

#endif
