/* dense_convs.h - every convolution written out with dense matrices, from math.md 2 alone.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_DENSE_CONVS_H
#define MP_TEST_DENSE_CONVS_H

typedef struct dense_graph {
    int n, in, out;
    const int *on;   /* n x n: 1 where row i lists the edge from column j */
    const double *a; /* n x n: its weight, 0 where there is none          */
    const double *x; /* n x in                                            */
    const double *e; /* n x n x edge_in: attributes of the edge from column j to row i */
    int edge_in;
    int order, sum, layers;                                      /* chebygin; 0: as usual */
    const void *from;                                            /* for weight                                        */
    const double *(*weight)(const void *from, const char *name); /* [in][out]; fails when there is none */
} dense_graph;

/* Y, n x out, of the convolution of that name; 0: it is not known here. */
int dense_conv(const char *name, const dense_graph *g, double *y);

#endif
