/* reference.h - AttPool, HGP-SL, VIPool, RepPool, UGPool, CGIPool, TAPool and iPool once more, written
 * straight from the equations: a whole batch as full matrices, plain loops, double numbers. It shares nothing
 * with the library, which must agree with it. Numbers in brackets are sections of the method's specification.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_REFERENCE_H
#define MP_TEST_REFERENCE_H

#include <stdbool.h>

#define REF_GRAPHS 3
#define REF_NODES  18
#define REF_COLS   40

typedef double ref_rows[REF_NODES][REF_COLS];
typedef double ref_square[REF_NODES][REF_NODES];

typedef struct ref_graph {
    int graphs, n, ptr[REF_GRAPHS + 1];
    bool weighted;
    bool edge[REF_NODES][REF_NODES]; /* [i][j]: an edge j -> i */
    ref_square w;                    /* its weight, 0 where there is none */
    bool measured;                   /* RepPool: distances of the graph the nodes came from are known */
    ref_square dist;
} ref_graph;

typedef struct ref_options { /* all off: the defaults */
    double ratio, lambda;    /* lambda < 0: the operator's own */
    int hops;                /* 0: the operator's own */
    bool flip;
    bool local, dnorm, raw, scale_n; /* att */
    bool sym, soft, sampled;         /* hgpsl */
    bool literal, induced;           /* vip */
    bool original, peak;             /* rep */
    bool after, binary;              /* ug */
    bool authors, top1;              /* cgi */
    bool connectivity;               /* tap */
    bool apart, cosine;              /* ipool: pick local, overlap cosine */
} ref_options;

typedef struct ref_case {
    const char *op;
    ref_options o;
    ref_graph g;
    int c, h; /* channels, score columns */
    ref_rows x;
    bool drop[REF_NODES];                                        /* taken out of the ranking */
    int shuffle[REF_NODES];                                      /* VIPool's other rows */
    const double *(*weight)(const void *from, const char *name); /* [in][out] row by row */
    const void *from;
} ref_case;

typedef struct ref_result {
    int k, cols, ptr[REF_GRAPHS + 1];
    int keep[REF_NODES];
    double key[REF_NODES];
    ref_rows x;
    ref_graph g;
    double loss;   /* 0 when there is none */
    double margin; /* how far everything stayed from a tie or a kink */
} ref_result;

/* What a score leaves for the rest. */
typedef struct ref_work {
    const ref_case *in;
    ref_result *out;
    ref_rows x, score, gate; /* features to be coarsened; what the key is summed from; what scales */
    bool gated;
} ref_work;

/* False when the reference does not have that operator. */
bool ref_pool(const ref_case *in, ref_result *out);

/* ---- reference_math.c */
void ref_near(ref_work *k, double distance); /* notes how far a decision was from going the other way */
const double *ref_weight(const ref_work *k, const char *name);
double ref_sigmoid(double x);
double ref_leaky(ref_work *k, double x);
double ref_log_loss(double logit, int label); /* -log of sigmoid(logit), or of 1 - it */
void ref_linear(int n, int in, int out, ref_rows x, const double *w, const double *b, ref_rows y);
void ref_softmax(double *v, int n);
void ref_sparsemax(ref_work *k, double *v, int n);
void ref_product(int n, ref_square a, ref_square b, ref_square out);
void ref_loops(const ref_graph *g, ref_square a); /* A + I: missing self loops get 1 */
void ref_hat(const ref_graph *g, ref_square a);   /* D~^-1/2 (A+I) D~^-1/2, or a weighted graph as it is */
void ref_gcn(const ref_graph *g, int in, int out, ref_rows x, const double *theta, const double *b, ref_rows y);
void ref_graphconv(ref_work *k, const char *name, int in, int out, ref_rows x, ref_rows y);
void ref_projection(const ref_work *k, ref_rows r); /* X P_j / |P_j| */
int ref_size(const ref_graph *g, int v);            /* nodes of its graph */
int ref_graph_of(const ref_graph *g, int v);
void ref_hops(const ref_graph *g, int hops[REF_NODES][REF_NODES]); /* shortest paths; -1: none */

/* ---- reference_score.c, reference_select.c, reference_coarsen.c */
typedef void ref_part(ref_work *k);
ref_part ref_score_att, ref_score_hgpsl, ref_score_vip, ref_score_rep, ref_score_proj, ref_score_cgi, ref_score_tap,
    ref_score_ipool;
ref_part ref_select_top, ref_select_spaced, ref_select_far, ref_select_apart;
ref_part ref_coarsen_att, ref_coarsen_hgpsl, ref_coarsen_vip, ref_coarsen_rep, ref_coarsen_ug, ref_coarsen_induced,
    ref_coarsen_ipool;

#endif
