/* dense.h - TopKPool, SAGPool, GSAPool and ASAP once more, written straight from the equations: full matrices, plain loops,
 * double numbers, one graph at a time. It shares nothing with the library, which must agree with it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_DENSE_H
#define MP_TEST_DENSE_H

#include <stdbool.h>

#define DENSE_NODES 12
#define DENSE_COLS  32

typedef struct dense_graph {
    int n;
    bool edge[DENSE_NODES][DENSE_NODES]; /* [i][j]: an edge j -> i */
    double w[DENSE_NODES][DENSE_NODES];  /* its weight, 0 where there is none */
} dense_graph;

typedef struct dense_case {
    dense_graph g;
    int c, h; /* channels, score columns */
    double x[DENSE_NODES][DENSE_COLS];
    double ratio, alpha;
    double min_score; /* of TopKPool and SAGPool; 0: the ratio counts */
    bool flip;
    enum { DENSE_SUM, DENSE_MAX, DENSE_L2 } combine;
    /* Weights by name, [in][out] row by row; NULL when the operator has none of that name. */
    const double *(*weight)(const void *from, const char *name);
    const void *from;
} dense_case;

typedef struct dense_result {
    int k, cols;
    int keep[DENSE_NODES];
    double key[DENSE_NODES];
    double x[DENSE_NODES][DENSE_COLS];
    dense_graph g;
} dense_result;

/* The operator called `name`; false when it is not among the four. */
bool dense_pool(const char *name, const dense_case *in, dense_result *out);

#endif
